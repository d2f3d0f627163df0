//! The clock of a side.

use super::config::{EngineConfig, Limits};
use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub limits: Limits,
    /// How far the engine may exceed its time.
    pub margin: Duration,
    /// The remaining time, if there is a clock.
    pub left: Duration,
    moves: u32,
}

impl Clock {
    /// The clock of an engine at the start of a game.
    pub fn new(config: &EngineConfig) -> Self {
        let left = config.limits.clock.map_or(Duration::ZERO, |clock| clock.base);
        Self { limits: config.limits, margin: config.margin, left, moves: 0 }
    }

    /// The time allowed for the next move, including the margin; `None` without a time limit.
    pub fn allowance(&self) -> Option<Duration> {
        let clock = self.limits.clock.map(|_| self.left);
        let least = [clock, self.limits.movetime].into_iter().flatten().min();
        least.map(|time| time + self.margin)
    }

    /// The number of moves to the next time control.
    pub fn moves_to_go(&self) -> Option<u32> {
        self.limits.clock?.moves.map(|moves| moves - self.moves % moves)
    }

    /// Updates the clock after a move. The time must be within the allowance.
    pub fn press(&mut self, time: Duration) {
        self.moves += 1;
        let Some(clock) = self.limits.clock else { return };
        self.left = self.left.saturating_sub(time) + clock.increment;
        if clock.moves.is_some_and(|moves| self.moves.is_multiple_of(moves)) {
            self.left += clock.base;
        }
    }

    /// The remaining milliseconds for the protocol.
    pub fn milliseconds(&self) -> u128 {
        self.left.as_millis().max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::TimeControl;
    use super::*;

    #[test]
    fn clocks_run_and_are_refilled() {
        let ms = Duration::from_millis;
        let limits = Limits { clock: TimeControl::parse("3/1+0.1").ok(), ..Limits::default() };
        let mut clock = Clock { limits, margin: ms(5), left: ms(1000), moves: 0 };
        assert_eq!((clock.allowance(), clock.moves_to_go()), (Some(ms(1005)), Some(3)));
        clock.press(ms(300));
        assert_eq!((clock.left, clock.moves_to_go()), (ms(800), Some(2)));
        // Within the margin the clock stays at zero.
        clock.press(ms(804));
        assert_eq!((clock.left, clock.moves_to_go()), (ms(100), Some(1)));
        clock.press(ms(50));
        assert_eq!((clock.left, clock.moves_to_go()), (ms(1150), Some(3)));
    }
}
