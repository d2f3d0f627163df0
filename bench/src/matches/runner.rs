//! Plays the games of a match concurrently.

use super::config::EngineConfig;
use super::engine::{self, Engine, Failure, Identity};
use super::game::{Record, play};
use super::games_file::GamesFile;
use super::pgn::Player;
use super::schedule::Fixture;
use super::settings::Match;
use super::sprt::Verdict;
use super::standings::{GameResult, Standings};
use crate::terminal::Interrupt;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often the runner tries to restart an engine, and the pause between attempts.
const START_ATTEMPTS: u32 = 3;
const START_PAUSE: Duration = Duration::from_millis(500);

#[derive(Clone, Debug)]
pub enum Event {
    /// All engines can be started. This is what they say about themselves.
    Ready(Vec<Identity>),
    /// The engines are ready, and a game starts.
    Started(Fixture),
    /// An engine, by its index, has sent moves for which it was not asked: the first such game of it.
    UnaskedMove(usize),
    Finished(Fixture, Box<Record>),
}

#[derive(Debug)]
pub struct Outcome {
    /// The results, with those of earlier runs.
    pub standings: Standings,
    pub verdict: Option<Verdict>,
    /// What ended the match before its time, other than an interruption.
    pub error: Option<String>,
}

impl Match {
    /// Plays the games that are missing from `played`, or until the test is decided or the user stops the match, which
    /// abandons the running games. Writes each game to `file`, then calls `on_event` on the calling thread with the
    /// results so far; an error of either ends the match.
    ///
    /// # Errors
    /// If an engine cannot be started at the beginning.
    pub fn play(
        &self,
        played: &[GameResult],
        mut file: Option<GamesFile>,
        interrupt: &Interrupt,
        mut on_event: impl FnMut(Event, &Standings) -> Result<(), String>,
    ) -> Result<Outcome, String> {
        let stop = &*interrupt.stop;
        let mut standings = Standings::new(self.engines.len());
        let mut missing = vec![true; self.schedule.len()];
        for result in played {
            standings.add(result);
            missing[result.fixture.number] = false;
        }
        let pending: Vec<Fixture> = self.schedule.iter().copied().filter(|fixture| missing[fixture.number]).collect();
        let mut error = None;
        if self.verdict(&standings).is_none() && !pending.is_empty() {
            let identities = self.check(stop)?;
            on_event(Event::Ready(identities.clone()), &standings)?;
            let mut has_unasked_moves = vec![false; self.engines.len()];
            let mut handle = |event: Event| {
                if let Event::Finished(fixture, record) = &event {
                    for (engine, has_some) in fixture.engines.into_iter().zip(record.has_unasked_moves) {
                        if has_some && !std::mem::replace(&mut has_unasked_moves[engine], true) {
                            on_event(Event::UnaskedMove(engine), &standings)?;
                        }
                    }
                    if let Some(file) = &mut file {
                        let player = |engine| Player { config: &self.engines[engine], identity: &identities[engine] };
                        file.write(&self.style.write(self.variant(), fixture, fixture.engines.map(player), record))?;
                    }
                    standings.add(&GameResult::new(*fixture, &record.end));
                }
                on_event(event, &standings)?;
                Ok(self.verdict(&standings).is_some())
            };
            let mut is_decided = false;
            let ended = self.run(&pending, stop, |event| {
                // Games that end after the test is decided do not count. They are played again if the match is resumed.
                if error.is_some() || is_decided {
                    return;
                }
                match handle(event) {
                    Ok(decided) => is_decided = decided,
                    Err(message) => error = Some(message),
                }
                if error.is_some() || is_decided {
                    stop.store(true, Ordering::Relaxed);
                }
            });
            error = error.or(ended.err());
        }
        Ok(Outcome { verdict: self.verdict(&standings), standings, error })
    }

    /// Starts and stops each engine once, to detect errors before the match, and returns what they say about
    /// themselves.
    fn check(&self, stop: &AtomicBool) -> Result<Vec<Identity>, String> {
        let identity = |config: &EngineConfig| match engine::start(config, &self.match_config, stop) {
            Ok(engine) => Ok(engine.identity().clone()),
            Err(Failure::Stopped) => Ok(Identity::default()),
            Err(Failure::Unsupported(details)) => Err(details),
            Err(failure) => Err(format!("{} cannot be started: {failure}", config.name)),
        };
        self.engines.iter().map(identity).collect()
    }

    /// Plays all games, or until `stop` is set.
    ///
    /// # Errors
    /// If an engine cannot be restarted. Then `stop` is set.
    fn run(&self, games: &[Fixture], stop: &AtomicBool, on_event: impl FnMut(Event)) -> Result<(), String> {
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
        let mut running: HashMap<usize, Box<dyn Engine>> = HashMap::new();
        while !stop.load(Ordering::Relaxed) {
            let Some(fixture) = games.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            // Keep only the two engines of this game, and drop those that have failed.
            running.retain(|index, engine| fixture.engines.contains(index) && engine.is_alive());
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
            if sender.send(Event::Started(*fixture)).is_err() {
                break;
            }
            let opening = self.opening(fixture);
            let record = play(opening, white.as_mut(), black.as_mut(), configs, &self.adjudication, stop);
            let Some(record) = record else { break };
            if sender.send(Event::Finished(*fixture, Box::new(record))).is_err() {
                break;
            }
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
    fn start(
        &self,
        index: usize,
        processor: Option<usize>,
        stop: &AtomicBool,
    ) -> Result<Option<Box<dyn Engine>>, String> {
        let config = &EngineConfig { processor, ..self.engines[index].clone() };
        let mut attempts = 0;
        loop {
            attempts += 1;
            match engine::start(config, &self.match_config, stop) {
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
