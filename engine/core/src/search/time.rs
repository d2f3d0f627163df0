//! Time management ("Time Management" of chessprogramming.org).

use super::job::Limits;
use super::params::*;
use crate::clock::Instant;
use crate::options::Options;
use crate::types::Colour;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Time reserved for starting, stopping and printing, in addition to Move Overhead.
const RESERVE: Duration = Duration::from_millis(2);

/// What should remain on the clock: the first long delay of a game cannot be foreseen.
const CUSHION: Duration = Duration::from_millis(20);

/// For how many later moves the overhead is kept on the clock, where the increment does not replace it.
const LATER_MOVES: u32 = 20;

/// How late the main thread may be. It checks the clock about every half millisecond.
const GRACE: Duration = Duration::from_millis(3);

/// How long the main thread recently had to wait for a processor, measured by the time between two checks of the clock.
/// On a busy machine, or with more threads than processors, that is many milliseconds, in which the clock must not run
/// out. bench/CHANGELOG.md ("Losses on time") has the measurements.
#[derive(Debug, Default)]
pub struct SchedulingDelay(AtomicU64);

impl SchedulingDelay {
    const MAX: Duration = Duration::from_millis(100);

    pub fn get(&self) -> Duration {
        Duration::from_micros(self.0.load(Relaxed))
    }

    /// Updates the expected delay by the longest one of a search: at once if that is longer, otherwise slowly.
    pub fn update(&self, longest: Duration) {
        let old = self.get();
        let new = longest.min(Self::MAX).max(old - old / 16);
        self.0.store(new.as_micros() as u64, Relaxed);
    }
}

#[derive(Clone, Debug)]
pub struct TimeManager {
    start: Instant,
    /// The target time, before scaling by [`Self::should_stop`].
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// Nodes per millisecond if time is measured in nodes, or 0.
    nodes_time: u64,
}

impl TimeManager {
    /// Allocates time for a move of `side`, less a reserve for the expected delay. An infinite search has no limit.
    pub fn new(start: Instant, side: Colour, limits: &Limits, options: &Options, delay: Duration) -> Self {
        let nodes_time = options.nodes_time.into();
        let mut soft = None;
        let mut hard = None;
        if limits.infinite {
            return Self { start, soft, hard, nodes_time };
        }
        // A clock of nodes does not run while the thread waits.
        let delay = if nodes_time > 0 { Duration::ZERO } else { delay };
        let mut limit = |at: Duration| hard = Some(hard.map_or(at, |h: Duration| h.min(at)));
        let overhead = Duration::from_millis(options.move_overhead.into()) + RESERVE;
        if let Some(time) = limits.move_time {
            // Of a few milliseconds, the overhead would leave nothing.
            limit(time.saturating_sub(overhead).max(time / 2).max(Duration::from_millis(1)));
        }
        if let Some(left) = limits.clock[side.index()] {
            let increment = limits.increment[side.index()];
            // Delays add up: of the thread that reads, of the one that searches, and of the reader of the best move.
            let later_moves = limits.moves_to_go.map_or(LATER_MOVES, |moves| moves.saturating_sub(1).min(LATER_MOVES));
            let later = later_moves * Duration::from_millis(options.move_overhead.into()).saturating_sub(increment);
            let cushion = (CUSHION + 2 * delay + later).min(left / 2);
            let usable = left.saturating_sub(overhead + delay + cushion).max(Duration::from_millis(1));
            let (share, max_share) = match limits.moves_to_go {
                Some(moves) => {
                    let moves = f64::from(moves.clamp(1, 40));
                    (usable.mul_f64(0.9 / moves) + increment.mul_f64(0.8), if moves < 1.5 { 0.9 } else { 0.55 })
                }
                None => (
                    usable.mul_f64(f64::from(time_share()) / 1000.0)
                        + increment.mul_f64(f64::from(time_increment()) / 100.0),
                    f64::from(time_most()) / 100.0,
                ),
            };
            let share = share.mul_f64(f64::from(options.slow_mover) / 100.0);
            soft = Some(share.min(usable.mul_f64(max_share)));
            limit((share * time_hard() as u32 / 10).min(usable.mul_f64(max_share)));
        }
        Self { start, soft, hard, nodes_time }
    }

    /// The time since the start of the search: wall time or, with `nodestime`, the nodes converted to time.
    #[inline]
    pub fn elapsed(&self, nodes: u64) -> Duration {
        match nodes.checked_div(self.nodes_time) {
            Some(milliseconds) => Duration::from_millis(milliseconds),
            None => self.start.elapsed(),
        }
    }

    /// The real time since the start of the search.
    pub fn wall_time(&self) -> Duration {
        self.start.elapsed()
    }

    /// When another thread should answer for the main thread, in time since the start, if that has not noticed the end
    /// of its time.
    pub fn deadline(&self) -> Option<Duration> {
        self.hard.filter(|_| self.nodes_time == 0).map(|hard| hard + GRACE)
    }

    pub fn is_limited(&self) -> bool {
        self.hard.is_some()
    }

    #[inline]
    pub fn is_over(&self, nodes: u64) -> bool {
        self.hard.is_some_and(|hard| self.elapsed(nodes) >= hard)
    }

    /// Whether to stop before the next iteration. `scale` multiplies the target time: above 1 while the best move
    /// changes or the score falls.
    pub fn should_stop(&self, nodes: u64, scale: f64) -> bool {
        self.soft.is_some_and(|soft| self.elapsed(nodes) >= soft.mul_f64(scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manager(left: u64, increment: u64, moves_to_go: Option<u32>, slow_mover: u32) -> TimeManager {
        let limits = Limits {
            clock: [Some(Duration::from_millis(left)); 2],
            increment: [Duration::from_millis(increment); 2],
            moves_to_go,
            ..Limits::default()
        };
        let options = Options { slow_mover, ..Options::default() };
        TimeManager::new(Instant::now(), Colour::White, &limits, &options, Duration::ZERO)
    }

    #[test]
    fn never_more_than_the_clock() {
        for left in [0, 1, 5, 13, 100, 1000, 60_000, 10_000_000] {
            for increment in [0, 10, 1000, 60_000] {
                for moves in [None, Some(1), Some(2), Some(40), Some(1000), Some(0)] {
                    for slow_mover in [10, 100, 1000] {
                        let m = manager(left, increment, moves, slow_mover);
                        let most = Duration::from_millis(left.saturating_sub(12).max(1));
                        assert!(
                            m.hard.unwrap() <= most && m.soft.unwrap() <= m.hard.unwrap(),
                            "{left} {increment} {moves:?} {slow_mover}"
                        );
                    }
                }
            }
        }
    }

    /// Each move costs some milliseconds outside of the search.
    #[test]
    fn a_clock_without_increments_lasts_for_long_games() {
        for left in [500, 1000, 5000] {
            let mut clock = f64::from(left);
            for number in 0..120 {
                let time = manager(clock as u64, 0, None, 100).soft.unwrap();
                clock -= 1000.0 * time.as_secs_f64() + 0.9 + f64::from(number % 20 / 19) * 9.0;
            }
            assert!(clock > 5.0, "{left}: {clock}");
        }
    }

    /// Before the time control nothing has to be kept.
    #[test]
    fn time_controls_are_used_up() {
        for control in [1, 2, 5, 40] {
            let (mut clock, mut soft) = (60_000.0, Vec::new());
            for moves in (1..=control).rev() {
                let m = manager(clock as u64, 0, Some(moves), 100);
                assert!(m.hard.unwrap().as_secs_f64() < clock / 1000.0);
                soft.push(1000.0 * m.soft.unwrap().as_secs_f64());
                clock -= soft.last().unwrap();
            }
            assert!(clock > 100.0 && clock < 25_000.0, "{control} moves: {clock} left of {soft:?}");
        }
        // The last move before a control may take what is left.
        let hard = |moves| manager(400, 0, Some(moves), 100).hard.unwrap();
        assert!(hard(1) > Duration::from_millis(320) && hard(2) < Duration::from_millis(220));
    }

    #[test]
    fn at_least_half_of_a_move_time_is_used() {
        for (move_time, hard) in [(1, 1), (10, 5), (24, 12), (100, 88), (5000, 4988)] {
            let limits = Limits { move_time: Some(Duration::from_millis(move_time)), ..Limits::default() };
            let m = TimeManager::new(Instant::now(), Colour::White, &limits, &Options::default(), Duration::ZERO);
            assert_eq!(m.hard, Some(Duration::from_millis(hard)));
        }
    }

    #[test]
    fn slow_movers_take_more_time() {
        let soft = |slow_mover| manager(60_000, 0, None, slow_mover).soft.unwrap().as_secs_f64();
        assert!((soft(50) * 2.0 - soft(100)).abs() < 1e-6 && (soft(10) * 10.0 - soft(100)).abs() < 1e-6);
        assert!(soft(200) > 1.9 * soft(100));
    }

    #[test]
    fn the_delay_is_learnt_at_once_and_forgotten_slowly() {
        let delay = SchedulingDelay::default();
        delay.update(Duration::from_millis(16));
        assert_eq!(delay.get(), Duration::from_millis(16));
        delay.update(Duration::from_millis(1));
        assert_eq!(delay.get(), Duration::from_millis(15));
        delay.update(Duration::from_secs(60));
        assert_eq!(delay.get(), SchedulingDelay::MAX);
        for _ in 0..100 {
            delay.update(Duration::from_millis(1));
        }
        assert_eq!(delay.get(), Duration::from_millis(1));
        let limits = Limits { clock: [Some(Duration::from_millis(60)); 2], ..Limits::default() };
        let hard = |delay| TimeManager::new(Instant::now(), Colour::White, &limits, &Options::default(), delay).hard;
        assert!(hard(Duration::from_millis(5)) < hard(Duration::ZERO));
        assert_eq!(hard(Duration::from_millis(90)), hard(Duration::from_millis(59)));
    }

    #[test]
    fn nodes_may_stand_for_time() {
        let limits = Limits { move_time: Some(Duration::from_millis(112)), ..Limits::default() };
        let options = Options { nodes_time: 1000, ..Options::default() };
        let m = TimeManager::new(Instant::now(), Colour::White, &limits, &options, Duration::ZERO);
        assert!(!m.is_over(99_000) && m.is_over(100_000));
        let limits = Limits { clock: [Some(Duration::from_secs(1)); 2], ..Limits::default() };
        let hard = |delay| TimeManager::new(Instant::now(), Colour::White, &limits, &options, delay).hard;
        assert_eq!(hard(Duration::from_millis(100)), hard(Duration::ZERO), "the speed of the machine does not matter");
    }

    #[test]
    fn infinite_searches_have_no_time_limit() {
        let limits = Limits {
            infinite: true,
            move_time: Some(Duration::ZERO),
            clock: [Some(Duration::ZERO); 2],
            ..Limits::default()
        };
        let m = TimeManager::new(Instant::now(), Colour::White, &limits, &Options::default(), Duration::ZERO);
        assert!(!m.is_limited() && !m.is_over(1) && !m.should_stop(1, 1.0) && m.deadline().is_none());
    }
}
