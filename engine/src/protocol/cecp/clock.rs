//! The time control, and what it means for one search.

use super::record::Record;
use crate::search::Limits;
use crate::types::Colour;
use std::time::Duration;

/// How time is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Control {
    /// A clock.
    Clock {
        /// Moves in which the time must suffice, after which as much is added; 0 for the whole game.
        moves: u32,
        /// What the clock shows at first.
        base: Duration,
        /// What is added after each move.
        increment: Duration,
    },
    /// So much for each move. What is left of it is lost.
    PerMove(Duration),
}

/// The engine's clock with all that limits its thinking.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    control: Control,
    /// Moves of the game, of both sides, that had been made when the control was set.
    since: usize,
    /// What the clock shows, as far as is known.
    left: Duration,
    /// Plies, by `sd`.
    pub depth: Option<u32>,
    /// Nodes that stand for a second, by `nps`.
    pub node_rate: Option<u64>,
}

impl Default for Clock {
    /// Forty moves in five minutes, in case nothing is said.
    fn default() -> Self {
        let base = Duration::from_secs(300);
        let control = Control::Clock { moves: 40, base, increment: Duration::ZERO };
        Self { control, since: 0, left: base, depth: None, node_rate: None }
    }
}

impl Clock {
    /// Sets the control after some moves of both sides; the clock shows its base.
    pub(super) fn set(&mut self, control: Control, plies: usize) {
        self.control = control;
        self.since = plies;
        if let Control::Clock { base, .. } = control {
            self.left = base;
        }
    }

    /// Begins anew with the same control, for a new game. Limits of depth and nodes are gone.
    pub(super) fn restart(&mut self) {
        self.set(self.control, 0);
        (self.depth, self.node_rate) = (None, None);
    }

    /// The record has begun anew with another position.
    pub(super) fn rebase(&mut self) {
        self.since = 0;
    }

    /// Corrects the clock.
    pub(super) fn show(&mut self, left: Duration) {
        self.left = left;
    }

    /// The engine has just made a move, the last one of the record, in some time.
    pub(super) fn press(&mut self, spent: Duration, record: &Record, us: Colour) {
        let Control::Clock { moves, base, increment } = self.control else { return };
        self.left = self.left.saturating_sub(spent).saturating_add(increment);
        let made = record.moves_since(self.since, us);
        if moves > 0 && made > 0 && made.is_multiple_of(moves as usize) {
            self.left = self.left.saturating_add(base);
        }
    }

    /// What the engine may spend on its next move.
    pub(super) fn limits(&self, record: &Record, us: Colour) -> Limits {
        let mut limits = Limits { depth: self.depth, ..Limits::default() };
        match self.control {
            Control::PerMove(time) => {
                limits.move_time = Some(self.measure(time));
                // As many nodes as that, and not a few more until the next look at the time.
                limits.nodes = self.node_rate.and(limits.move_time).map(|time| (time.as_millis() as u64).max(1));
            }
            Control::Clock { moves, increment, .. } => {
                limits.clock[us.index()] = Some(self.measure(self.left));
                limits.increment[us.index()] = self.measure(increment);
                if moves > 0 {
                    let made = record.moves_since(self.since, us) as u64 % u64::from(moves);
                    limits.moves_to_go = u32::try_from(u64::from(moves) - made).ok();
                }
            }
        }
        limits
    }

    /// A time as the search counts it. With `nps` each node counts as a millisecond there, so that any
    /// rate can be expressed.
    fn measure(&self, time: Duration) -> Duration {
        const LONGEST: u64 = 1_000_000_000_000;
        let Some(rate) = self.node_rate else { return time };
        let nodes = time.as_micros().saturating_mul(rate.into()) / 1_000_000;
        Duration::from_millis(u64::try_from(nodes).unwrap_or(LONGEST).min(LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    /// The record after so many plies of shuffling.
    fn record(plies: usize) -> Record {
        let mut record = Record::start(Variant::Spartan);
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(plies) {
            let mv = record.board().parse_move(text).expect("a legal move");
            record.push(mv).expect("a legal move");
        }
        record
    }

    #[test]
    fn sessions_are_counted_from_the_command_on() {
        let mut clock = Clock::default();
        clock.set(Control::Clock { moves: 3, base: seconds(60), increment: Duration::ZERO }, 0);
        for (plies, to_go) in [(0, 3), (2, 2), (4, 1), (6, 3)] {
            assert_eq!(clock.limits(&record(plies), Colour::White).moves_to_go, Some(to_go), "{plies}");
        }
        assert_eq!(clock.limits(&record(1), Colour::Black).moves_to_go, Some(3));
        assert_eq!(clock.limits(&record(3), Colour::Black).moves_to_go, Some(2));
        clock.set(Control::Clock { moves: 20, base: seconds(60), increment: Duration::ZERO }, 6);
        assert_eq!(clock.limits(&record(6), Colour::White).moves_to_go, Some(20));
        assert_eq!(clock.limits(&record(8), Colour::White).moves_to_go, Some(19));
    }

    #[test]
    fn the_clock_runs_by_itself() {
        let mut clock = Clock::default();
        clock.set(Control::Clock { moves: 2, base: seconds(60), increment: seconds(1) }, 0);
        clock.press(seconds(10), &record(1), Colour::White);
        assert_eq!(clock.limits(&record(2), Colour::White).clock[0], Some(seconds(51)));
        clock.press(seconds(10), &record(3), Colour::White);
        assert_eq!(clock.limits(&record(4), Colour::White).clock[0], Some(seconds(102)));
        clock.show(seconds(7));
        assert_eq!(clock.limits(&record(4), Colour::White).clock, [Some(seconds(7)), None]);
        clock.restart();
        assert_eq!(clock.limits(&record(0), Colour::Black).clock, [None, Some(seconds(60))]);
    }

    #[test]
    fn nodes_may_stand_for_time() {
        let mut clock = Clock { node_rate: Some(10_000), ..Clock::default() };
        clock.set(Control::PerMove(seconds(8)), 0);
        let limits = clock.limits(&record(0), Colour::White);
        assert_eq!((limits.nodes, limits.move_time), (Some(80_000), Some(Duration::from_millis(80_000))));
        clock.node_rate = Some(u64::MAX);
        assert!(clock.limits(&record(0), Colour::White).move_time.is_some());
        clock.restart();
        let limits = clock.limits(&record(0), Colour::White);
        assert_eq!((limits.nodes, limits.move_time), (None, Some(seconds(8))));
    }
}
