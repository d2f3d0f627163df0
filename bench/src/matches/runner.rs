//! Plays games concurrently.

use super::config::EngineConfig;
use super::engine::{Engine, Failure, Identity, MatchConfig};
use super::game::{Adjudication, Record, play};
use super::openings::Opening;
use super::schedule::Fixture;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the runner tries to restart an engine, and the pause between attempts.
const START_ATTEMPTS: u32 = 3;
const START_PAUSE: Duration = Duration::from_millis(500);

/// What happens in a match.
#[derive(Clone, Debug)]
pub enum Event {
    /// The engines are ready, and a game starts.
    Started(Fixture),
    /// A game has ended.
    Finished(Fixture, Box<Record>),
}

/// Plays the games of a match.
#[derive(Clone, Copy, Debug)]
pub struct MatchRunner<'a> {
    /// The engines.
    pub engines: &'a [EngineConfig],
    /// The settings common to all engines.
    pub match_config: &'a MatchConfig,
    /// The openings of the rounds.
    pub openings: &'a [Opening],
    /// The adjudication rules.
    pub adjudication: &'a Adjudication,
    /// The number of concurrent games.
    pub concurrency: usize,
    /// The pause of a thread after each of its games.
    pub pause: Duration,
    /// The processors to which the engines of each concurrent game are bound; empty for any.
    pub processors: &'a [usize],
}

impl MatchRunner<'_> {
    /// Starts and stops each engine once, to detect errors before the match, and returns what they say about themselves.
    ///
    /// # Errors
    /// Names the first engine that cannot be started.
    pub fn check(&self, stop: &AtomicBool) -> Result<Vec<Identity>, String> {
        let identity = |config: &EngineConfig| match Engine::start(config, self.match_config, stop) {
            Ok(engine) => Ok(engine.identity().clone()),
            Err(Failure::Stopped) => Ok(Identity::default()),
            Err(Failure::Unsupported(details)) => Err(details),
            Err(failure) => Err(format!("{} cannot be started: {failure}", config.name)),
        };
        self.engines.iter().map(identity).collect()
    }

    /// Plays all games, or until `stop` is set, which abandons the running games. Calls `on_event` on the calling thread
    /// for each start and end of a game.
    ///
    /// # Errors
    /// If an engine cannot be restarted. Then `stop` is set.
    pub fn play(&self, games: &[Fixture], stop: &AtomicBool, on_event: impl FnMut(Event)) -> Result<(), String> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            let work = |worker: usize, sender: Sender<_>| {
                let result = self.work(worker, games, &next, stop, &sender);
                result.inspect_err(|_| stop.store(true, Ordering::Relaxed))
            };
            let count = self.concurrency.min(games.len());
            let workers: Vec<_> = (0..count)
                .map(|worker| {
                    let sender = sender.clone();
                    scope.spawn(move || work(worker, sender))
                })
                .collect();
            drop(sender);
            receiver.into_iter().for_each(on_event);
            let panicked = |_| Err("a thread of the match panicked".to_owned());
            workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(panicked))
        })
    }

    fn work(
        &self,
        worker: usize,
        games: &[Fixture],
        next: &AtomicUsize,
        stop: &AtomicBool,
        sender: &Sender<Event>,
    ) -> Result<(), String> {
        let processor = self.processors.get(worker).copied();
        let mut running: HashMap<usize, Engine> = HashMap::new();
        while !stop.load(Ordering::Relaxed) {
            let Some(fixture) = games.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            // Keep only the two engines of this game, and drop those that have failed.
            let is_usable = |index: &usize, engine: &Engine| {
                fixture.engines.contains(index) && engine.is_alive() && !self.engines[*index].restart
            };
            running.retain(|index, engine| is_usable(index, engine));
            for index in fixture.engines {
                if let Entry::Vacant(place) = running.entry(index) {
                    let Some(engine) = self.start(index, processor, stop)? else { return Ok(()) };
                    place.insert(engine);
                }
            }
            let [Some(white), Some(black)] = running.get_disjoint_mut([&fixture.engines[0], &fixture.engines[1]])
            else {
                return Err("an engine of a game is missing".to_owned());
            };
            let configs = fixture.engines.map(|engine| &self.engines[engine]);
            let opening = &self.openings[fixture.opening % self.openings.len()];
            if sender.send(Event::Started(*fixture)).is_err() {
                break;
            }
            let Some(record) = play(opening, &mut [white, black], configs, self.adjudication, stop) else { break };
            if sender.send(Event::Finished(*fixture, Box::new(record))).is_err() {
                break;
            }
            sleep(self.pause, stop);
        }
        // Engines take time to exit, so stop them in parallel.
        thread::scope(|scope| {
            for (_, engine) in running {
                scope.spawn(move || drop(engine));
            }
        });
        Ok(())
    }

    /// Starts an engine and retries after a pause if that fails. `None` if the match has been stopped.
    fn start(&self, index: usize, processor: Option<usize>, stop: &AtomicBool) -> Result<Option<Engine>, String> {
        let config = &EngineConfig { processor, ..self.engines[index].clone() };
        let mut attempts = 0;
        loop {
            attempts += 1;
            match Engine::start(config, self.match_config, stop) {
                Ok(engine) => return Ok(Some(engine)),
                Err(Failure::Stopped) => return Ok(None),
                Err(failure) if attempts == START_ATTEMPTS => {
                    return Err(format!("{} cannot be started: {failure}", config.name));
                }
                Err(_) => {
                    sleep(START_PAUSE, stop);
                }
            }
        }
    }
}

/// Sleeps until the time is over or the match has been stopped.
fn sleep(time: Duration, stop: &AtomicBool) {
    let deadline = Instant::now() + time;
    while Instant::now() < deadline && !stop.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(20).min(time));
    }
}
