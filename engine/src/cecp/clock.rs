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
    /// By how many moves of the session the GUI is ahead of our count.
    ahead: usize,
    /// The remaining time, as far as known.
    remaining: Duration,
    /// The side of our last move and what was left after it.
    expected: Option<(Colour, Duration)>,
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
        Self { control, start_ply: 0, ahead: 0, remaining: base, expected: None, depth: None, node_rate: None }
    }
}

impl Clock {
    /// Sets the time control after `plies` of the game, and the clock to its base time.
    pub(super) fn set(&mut self, control: Control, plies: usize) {
        self.control = control;
        self.start_at(plies);
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
        self.start_at(0);
    }

    fn start_at(&mut self, plies: usize) {
        (self.start_ply, self.ahead, self.expected) = (plies, 0, None);
    }

    /// Forgets the expected time: after moves were taken back, the GUI may restore an earlier one.
    pub(super) fn take_back(&mut self) {
        self.expected = None;
    }

    pub(super) fn set_remaining(&mut self, remaining: Duration) {
        self.remaining = remaining;
    }

    /// Updates the clock after the engine's move, the last one of the game, which took `spent`.
    pub(super) fn press(&mut self, spent: Duration, game: &Game, us: Colour) {
        let Control::Clock { moves, base, increment } = self.control else { return };
        let made = game.moves_since(self.start_ply, us);
        self.find_session(made.saturating_sub(1), us);
        self.remaining = self.remaining.saturating_sub(spent).saturating_add(increment);
        if moves > 0 && made > 0 && (made + self.ahead).is_multiple_of(moves as usize) {
            self.remaining = self.remaining.saturating_add(base);
        }
        self.expected = Some((us, self.remaining));
    }

    /// Lets a session begin where the GUI has added its time, after `made` moves of ours.
    ///
    /// GUIs count differently if Black begins: cutechess counts the moves of each side, XBoard move numbers, so that
    /// White's first session is a move shorter. Until the time shows it, we assume the longer one, which is safe.
    fn find_session(&mut self, made: usize, us: Colour) {
        let Control::Clock { moves, base, .. } = self.control else { return };
        let Some((side, expected)) = self.expected else { return };
        if moves == 0 || side != us || self.remaining == expected {
            return;
        }
        self.expected = None;
        // Their time can differ from ours by lag, and a user who gives us time rarely adds just this much.
        let added = self.remaining.saturating_sub(expected);
        if base > Duration::ZERO && added > base / 2 && added <= base + base / 2 {
            let moves = moves as usize;
            self.ahead = (moves - made % moves) % moves;
        }
    }

    /// The limits for the engine's next move.
    pub(super) fn limits(&mut self, game: &Game, us: Colour) -> Limits {
        let mut limits = Limits { depth: self.depth, ..Limits::default() };
        match self.control {
            Control::PerMove(time) => {
                limits.move_time = Some(self.search_time(time));
                // An exact node limit: the time is checked only every few nodes.
                limits.nodes = self.node_rate.and(limits.move_time).map(|time| (time.as_millis() as u64).max(1));
            }
            Control::Clock { moves, increment, .. } => {
                let made = game.moves_since(self.start_ply, us);
                self.find_session(made, us);
                limits.clock[us.index()] = Some(self.search_time(self.remaining));
                limits.increment[us.index()] = self.search_time(increment);
                if moves > 0 {
                    let made = (made + self.ahead) as u64 % u64::from(moves);
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
    use agoge_core::board::{Board, Variant};

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

    /// The moves to go before each of White's moves in a game that Black begins, with four moves in 8 s. Each move
    /// takes 1 s, and the GUI adds its time after the moves `ends`; `given` is what the user adds to the clock before
    /// each.
    fn white_after_black(ends: &[usize], given: &[u64]) -> Vec<u32> {
        let mut game = Game::new(
            Board::from_fen("lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR b KQ - 0 1", Variant::Spartan)
                .expect("a legal position"),
        );
        let mut clock = Clock::default();
        clock.set(Control::Clock { moves: 4, base: seconds(8), increment: Duration::ZERO }, 0);
        let mut time = 8;
        let mut to_go = Vec::new();
        for number in 1..=10 {
            let shuffle = [["g8f6", "g1f3"], ["f6g8", "f3g1"]][(number + 1) % 2];
            let mut push = |text| game.push(game.board().parse_move(text).expect("a move")).expect("a legal move");
            push(shuffle[0]);
            time += given.get(number).unwrap_or(&0);
            clock.set_remaining(Duration::from_secs(time) - Duration::from_millis(100));
            to_go.extend(clock.limits(&game, Colour::White).moves_to_go);
            let mut push = |text| game.push(game.board().parse_move(text).expect("a move")).expect("a legal move");
            push(shuffle[1]);
            clock.press(seconds(1), &game, Colour::White);
            // Pondering learns nothing.
            clock.limits(&game, Colour::White);
            time -= 1;
            if ends.contains(&number) {
                time += 8;
            }
        }
        to_go
    }

    #[test]
    fn sessions_begin_where_the_gui_adds_time() {
        // XBoard counts move numbers, cutechess the moves of White.
        assert_eq!(white_after_black(&[3, 7], &[]), [4, 3, 2, 4, 3, 2, 1, 4, 3, 2]);
        assert_eq!(white_after_black(&[4, 8], &[]), [4, 3, 2, 1, 4, 3, 2, 1, 4, 3]);
        // The user gives time: too little or too much for a session.
        assert_eq!(white_after_black(&[3, 7], &[0, 0, 3]), [4, 3, 2, 4, 3, 2, 1, 4, 3, 2]);
        assert_eq!(white_after_black(&[4, 8], &[0, 0, 0, 60]), [4, 3, 2, 1, 4, 3, 2, 1, 4, 3]);
        // Even if it looks like a session, the next one is found again.
        assert_eq!(white_after_black(&[4, 8], &[0, 0, 8]), [4, 4, 3, 2, 4, 3, 2, 1, 4, 3]);
    }

    #[test]
    fn moves_that_were_taken_back_begin_no_session() {
        let mut clock = Clock::default();
        clock.set(Control::Clock { moves: 4, base: seconds(8), increment: Duration::ZERO }, 0);
        clock.press(seconds(6), &game_of(1), Colour::White);
        clock.take_back();
        clock.set_remaining(seconds(8));
        assert_eq!(clock.limits(&game_of(2), Colour::White).moves_to_go, Some(3));
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
