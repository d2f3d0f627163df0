//! One game of the engine against itself, and when it is over before the rules end it.

use crate::lottery::{Kind, Start};
use agoge::board::{Board, Game};
use agoge::search::Limits;
use agoge::types::{Colour, PieceType};
use agoge_bench::analysis::Analyst;
use agoge_bench::record::{GameRecord, GameResult, Ply, white_score};
use std::sync::atomic::{AtomicBool, Ordering};

/// Beyond this score, in centipawns, a start is too uneven to be of use: one that comes of an opening.
pub const MAX_OPENING_SCORE: i16 = 300;

/// The same for random endgames and middlegames.
pub const MAX_SETUP_SCORE: i16 = 700;

/// Plies in a row with a clear score, seen by both sides in turn, that win a game.
pub const WIN_PLIES: u32 = 8;

/// A game may be drawn from this ply on.
const DRAW_FROM: usize = 80;

/// Plies in a row with hardly a difference that may draw a game.
pub const DRAW_PLIES: u32 = 24;

/// What counts as hardly a difference, in centipawns.
pub const DRAW_SCORE: i16 = 8;

/// Games end after so many plies.
pub const MAX_PLIES: usize = 600;

/// A game that is too long is a draw if the score has been small for so many plies, and else is not
/// used.
const LONG_DRAW_PLIES: u32 = 60;

/// What counts as a small score, in centipawns.
const LONG_DRAW_SCORE: i16 = 50;

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// No other iteration begins after so many nodes.
    pub nodes: u64,
    /// No search goes on after so many nodes.
    pub hard_nodes: u64,
    /// A clear score, in centipawns.
    pub win_score: i16,
}

/// Why nothing came of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dropped {
    /// The first search found one side too far ahead.
    Uneven,
    /// It was too long, and nobody knows who would have won.
    TooLong,
    /// The generator is to end.
    Stopped,
}

/// Plays a game.
///
/// # Errors
/// Says why the game cannot be used.
pub fn play(analyst: &mut Analyst, terms: &Terms, start: Start, stop: &AtomicBool) -> Result<GameRecord, Dropped> {
    analyst.forget();
    let most = if matches!(start.kind, Kind::Opening | Kind::Book) { MAX_OPENING_SCORE } else { MAX_SETUP_SCORE };
    let mut game = Game::new(start.board.clone());
    let mut referee = Referee::new(terms.win_score);
    let mut plies = Vec::new();
    let result = loop {
        if let Some(outcome) = game.outcome() {
            break GameResult::from(outcome);
        }
        if let Some(result) = referee.verdict(game.board(), plies.len()) {
            break result;
        }
        if plies.len() >= MAX_PLIES {
            break referee.verdict_at_the_end().ok_or(Dropped::TooLong)?;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Dropped::Stopped);
        }
        let limits = Limits { nodes: Some(terms.hard_nodes), soft_nodes: Some(terms.nodes), ..Limits::default() };
        let analysis = analyst.search(&game, limits, 1);
        let report = analysis.exact().next_back();
        // There is a legal move, so that a search which gives none was broken off.
        let (Some(mv), Some(report)) = (analysis.best, report) else { return Err(Dropped::Stopped) };
        let score = white_score(game.board().side_to_move(), report.score);
        if plies.is_empty() && score.unsigned_abs() > most.unsigned_abs() {
            return Err(Dropped::Uneven);
        }
        referee.see(score);
        plies.push(Ply { mv, score });
        if game.push(mv).is_err() {
            return Err(Dropped::Stopped);
        }
    };
    Ok(GameRecord { number: start.number, start: start.board, plies, result })
}

/// Ends games that are decided. It errs on the side of playing on: a wrong result teaches something
/// wrong about every position of the game.
struct Referee {
    win_score: i16,
    /// Plies in a row in which a side was clearly ahead.
    clear: (u32, Colour),
    /// Plies in a row with hardly a difference.
    level: u32,
    /// Plies in a row with a small score.
    small: u32,
}

impl Referee {
    const fn new(win_score: i16) -> Self {
        Self { win_score, clear: (0, Colour::White), level: 0, small: 0 }
    }

    /// Takes note of a score from White's view.
    fn see(&mut self, score: i16) {
        let size = score.unsigned_abs();
        let leader = if score > 0 { Colour::White } else { Colour::Black };
        let before = if self.clear.1 == leader { self.clear.0 } else { 0 };
        self.clear = (if size >= self.win_score.unsigned_abs() { before + 1 } else { 0 }, leader);
        self.level = if size <= DRAW_SCORE.unsigned_abs() { self.level + 1 } else { 0 };
        self.small = if size <= LONG_DRAW_SCORE.unsigned_abs() { self.small + 1 } else { 0 };
    }

    /// The result of a game that need not go on after some plies.
    fn verdict(&self, board: &Board, plies: usize) -> Option<GameResult> {
        if self.clear.0 >= WIN_PLIES {
            return Some(GameResult::won_by(self.clear.1));
        }
        let level = plies >= DRAW_FROM && self.level >= DRAW_PLIES;
        (level && is_drawn_material(board)).then_some(GameResult::Draw)
    }

    /// The result of a game that has become too long.
    fn verdict_at_the_end(&self) -> Option<GameResult> {
        (self.small >= LONG_DRAW_PLIES).then_some(GameResult::Draw)
    }
}

/// Whether the material gives a draw unless there is a tactical win, which scores would tell: one king
/// and one piece each, rook against anything Spartan, knight or bishop against lieutenant, or the
/// same kinds in orthodox chess. All endings of four men were solved to find out.
fn is_drawn_material(board: &Board) -> bool {
    use PieceType::{Bishop, Captain, General, King, Knight, Lieutenant, Queen, Rook, Warlord};
    let piece = |side| {
        let others = board.colour(side) & !board.kind(King);
        let lone = !board.has_two_kings(side) && others.count() == 1;
        others.first().filter(|_| lone).and_then(|square| board.kind_on(square))
    };
    matches!(
        (piece(Colour::White), piece(Colour::Black)),
        (Some(Rook), Some(Captain | Lieutenant | General | Warlord | Rook))
            | (Some(Knight | Bishop), Some(Lieutenant | Knight | Bishop))
            | (Some(Queen), Some(Queen))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge::board::{Outcome, Variant};
    use agoge_bench::record::MATE;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Spartan).unwrap()
    }

    /// The verdict after some scores late in a game.
    fn verdict(fen: &str, scores: impl IntoIterator<Item = i16>) -> Option<GameResult> {
        let mut referee = Referee::new(2000);
        scores.into_iter().for_each(|score| referee.see(score));
        referee.verdict(&board(fen), 200)
    }

    const LEVEL: &str = "2k5/8/8/4g3/8/8/8/R3K3 w - - 40 90";
    const FULL: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";

    #[test]
    fn a_win_takes_eight_clear_scores_in_a_row() {
        assert_eq!(verdict(FULL, [2000; 8]), Some(GameResult::WhiteWins));
        assert_eq!(verdict(FULL, [-2500, -MATE + 9, -MATE + 8, -2000, -2000, -2000, -9000, -2001]), {
            Some(GameResult::BlackWins)
        });
        assert_eq!(verdict(FULL, [2000; 7]), None);
        assert_eq!(verdict(FULL, [1999; 50]), None);
        assert_eq!(verdict(FULL, [[2000; 7].as_slice(), &[1999], &[2000; 7]].concat()), None);
        assert_eq!(verdict(FULL, [[2000; 7].as_slice(), &[-2000; 7]].concat()), None);
        assert_eq!(verdict(FULL, [[2000; 7].as_slice(), &[-2000; 8]].concat()), Some(GameResult::BlackWins));
    }

    #[test]
    fn a_draw_takes_drawn_material_and_patience() {
        assert_eq!(verdict(LEVEL, [8, -8].repeat(12)), Some(GameResult::Draw));
        assert_eq!(verdict(LEVEL, [0; 23]), None);
        assert_eq!(verdict(LEVEL, [[0; 20].as_slice(), &[9], &[0; 20]].concat()), None);
        let mut early = Referee::new(2000);
        (0..70).for_each(|_| early.see(0));
        assert_eq!(early.verdict(&board(LEVEL), 70), None);
    }

    #[test]
    fn what_may_be_won_is_played_on() {
        for fen in [
            FULL,
            // Pawns and hoplites can promote.
            "2k5/8/8/4g3/8/8/P7/R3K3 w - - 0 90",
            "2k5/7h/8/4g3/8/8/8/R3K3 w - - 0 90",
            // A second king is a piece.
            "2k2k2/8/8/4g3/8/8/8/R3K3 w - - 0 90",
            "2k2k2/8/8/8/8/8/8/1Q2K3 w - - 0 90",
            // Won as a rule.
            "2k5/8/8/4c3/8/8/8/1Q2K3 w - - 0 90",
            "2k5/8/8/4g3/8/8/8/1B2K3 w - - 0 90",
            "2k5/8/8/4c3/8/8/8/4K3 w - - 0 90",
            "2k5/8/8/8/8/8/8/R3K3 w - - 0 90",
            "2k5/8/8/3cg3/8/8/8/R3K3 w - - 0 90",
        ] {
            assert_eq!(verdict(fen, [0; 300]), None, "{fen}");
        }
    }

    #[test]
    fn a_game_is_played_by_the_rules_and_depends_on_its_start() {
        let terms = Terms { nodes: 150, hard_nodes: 1000, win_score: 2000 };
        let go = AtomicBool::new(false);
        let mut analyst = Analyst::new(1, 1).unwrap();
        let start = |fen: &str| Start { number: 3, kind: Kind::Endgame, board: board(fen) };
        let mate = "k7/8/1K6/8/8/8/1h6/2Q5 b - - 0 1";
        let draw = "8/3k4/8/8/3h4/3K4/8/8 w - - 0 1";
        for fen in [FULL, draw] {
            let game = play(&mut analyst, &terms, start(fen), &go).unwrap();
            assert_eq!(game.check(), Ok(()));
            assert_eq!(play(&mut analyst, &terms, start(fen), &go).unwrap(), game);
        }
        assert_eq!(play(&mut analyst, &terms, start(mate), &go), Err(Dropped::Uneven));
        assert_eq!(play(&mut analyst, &terms, start(FULL), &AtomicBool::new(true)), Err(Dropped::Stopped));
        assert_eq!(GameResult::from(Outcome::Stalemate), GameResult::Draw);
    }
}
