//! The time control, and the limits of a search that follow from it.

use agoge_core::board::Game;
use agoge_core::search::Limits;
use agoge_core::types::Colour;
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Control {
    Clock {
        /// Moves per session, after which `base` is added; 0 if the time is for the whole game.
        moves: u32,
        base: Duration,
        /// The time added after each move.
        increment: Duration,
    },
    /// A fixed time per move. Unused time is lost.
    PerMove(Duration),
}

/// The engine's clock and other limits of its thinking.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    control: Control,
    /// Plies that had been played when the time control was set.
    start_ply: usize,
    /// The remaining time, as far as known.
    remaining: Duration,
    /// The maximum depth in plies, set by `sd`.
    pub depth: Option<u32>,
    /// Nodes that count as a second, set by `nps`.
    pub node_rate: Option<u64>,
}

impl Default for Clock {
    /// Forty moves in five minutes, unless the GUI sets a time control.
    fn default() -> Self {
        let base = Duration::from_secs(300);
        let control = Control::Clock { moves: 40, base, increment: Duration::ZERO };
        Self { control, start_ply: 0, remaining: base, depth: None, node_rate: None }
    }
}

impl Clock {
    /// Sets the time control after `plies` of the game, and the clock to its base time.
    pub(super) fn set(&mut self, control: Control, plies: usize) {
        self.control = control;
        self.start_ply = plies;
        if let Control::Clock { base, .. } = control {
            self.remaining = base;
        }
    }

    /// Restarts the same time control for a new game. Removes the limits of depth and nodes.
    pub(super) fn restart(&mut self) {
        self.set(self.control, 0);
        (self.depth, self.node_rate) = (None, None);
    }

    /// Adapts to a new game that starts at another position.
    pub(super) fn rebase(&mut self) {
        self.start_ply = 0;
    }

    pub(super) fn set_remaining(&mut self, remaining: Duration) {
        self.remaining = remaining;
    }

    /// Updates the clock after the engine's move, the last one of the game, which took `spent`.
    pub(super) fn press(&mut self, spent: Duration, game: &Game, us: Colour) {
        let Control::Clock { moves, base, increment } = self.control else { return };
        self.remaining = self.remaining.saturating_sub(spent).saturating_add(increment);
        let made = game.moves_since(self.start_ply, us);
        if moves > 0 && made > 0 && made.is_multiple_of(moves as usize) {
            self.remaining = self.remaining.saturating_add(base);
        }
    }

    /// The limits for the engine's next move.
    pub(super) fn limits(&self, game: &Game, us: Colour) -> Limits {
        let mut limits = Limits { depth: self.depth, ..Limits::default() };
        match self.control {
            Control::PerMove(time) => {
                limits.move_time = Some(self.search_time(time));
                // An exact node limit: the time is checked only every few nodes.
                limits.nodes = self.node_rate.and(limits.move_time).map(|time| (time.as_millis() as u64).max(1));
            }
            Control::Clock { moves, increment, .. } => {
                limits.clock[us.index()] = Some(self.search_time(self.remaining));
                limits.increment[us.index()] = self.search_time(increment);
                if moves > 0 {
                    let made = game.moves_since(self.start_ply, us) as u64 % u64::from(moves);
                    limits.moves_to_go = u32::try_from(u64::from(moves) - made).ok();
                }
            }
        }
        limits
    }

    /// Converts a time to the clock of the search. With `nps` a node counts as a millisecond there, so any rate can be
    /// expressed.
    fn search_time(&self, time: Duration) -> Duration {
        const LONGEST: u64 = 1_000_000_000_000;
        let Some(rate) = self.node_rate else { return time };
        let nodes = time.as_micros().saturating_mul(rate.into()) / 1_000_000;
        Duration::from_millis(u64::try_from(nodes).unwrap_or(LONGEST).min(LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    /// A game of `plies` plies of shuffling.
    fn game_of(plies: usize) -> Game {
        let mut game = Game::start(Variant::Spartan);
        for text in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(plies) {
            let mv = game.board().parse_move(text).expect("a legal move");
            game.push(mv).expect("a legal move");
        }
        game
    }

    #[test]
    fn moves_to_go_count_from_the_command() {
        let mut clock = Clock::default();
        clock.set(Control::Clock { moves: 3, base: seconds(60), increment: Duration::ZERO }, 0);
        for (plies, to_go) in [(0, 3), (2, 2), (4, 1), (6, 3)] {
            assert_eq!(clock.limits(&game_of(plies), Colour::White).moves_to_go, Some(to_go), "{plies}");
        }
        assert_eq!(clock.limits(&game_of(1), Colour::Black).moves_to_go, Some(3));
        assert_eq!(clock.limits(&game_of(3), Colour::Black).moves_to_go, Some(2));
        clock.set(Control::Clock { moves: 20, base: seconds(60), increment: Duration::ZERO }, 6);
        assert_eq!(clock.limits(&game_of(6), Colour::White).moves_to_go, Some(20));
        assert_eq!(clock.limits(&game_of(8), Colour::White).moves_to_go, Some(19));
    }

    #[test]
    fn the_clock_counts_time_and_increments() {
        let mut clock = Clock::default();
        clock.set(Control::Clock { moves: 2, base: seconds(60), increment: seconds(1) }, 0);
        clock.press(seconds(10), &game_of(1), Colour::White);
        assert_eq!(clock.limits(&game_of(2), Colour::White).clock[0], Some(seconds(51)));
        clock.press(seconds(10), &game_of(3), Colour::White);
        assert_eq!(clock.limits(&game_of(4), Colour::White).clock[0], Some(seconds(102)));
        clock.set_remaining(seconds(7));
        assert_eq!(clock.limits(&game_of(4), Colour::White).clock, [Some(seconds(7)), None]);
        clock.restart();
        assert_eq!(clock.limits(&game_of(0), Colour::Black).clock, [None, Some(seconds(60))]);
    }

    #[test]
    fn nodes_replace_time() {
        let mut clock = Clock { node_rate: Some(10_000), ..Clock::default() };
        clock.set(Control::PerMove(seconds(8)), 0);
        let limits = clock.limits(&game_of(0), Colour::White);
        assert_eq!((limits.nodes, limits.move_time), (Some(80_000), Some(Duration::from_millis(80_000))));
        clock.node_rate = Some(u64::MAX);
        assert!(clock.limits(&game_of(0), Colour::White).move_time.is_some());
        clock.restart();
        let limits = clock.limits(&game_of(0), Colour::White);
        assert_eq!((limits.nodes, limits.move_time), (None, Some(seconds(8))));
    }
}
