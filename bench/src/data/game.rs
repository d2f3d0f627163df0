//! A self-play game and its adjudication.

use super::HIGH_CLOCK;
use crate::analysis::Searcher;
use crate::data::record::{GameRecord, GameResult, Ply, white_score};
use agoge_core::board::{Board, Game};
use agoge_core::notation::starts::Start;
use agoge_core::search::{Analysis, Limits, Report};
use agoge_core::types::{Colour, PieceType};
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of consecutive plies with a decisive score after which a game is adjudicated as won.
pub const WIN_PLIES: u32 = 8;

/// Games may be adjudicated as drawn from this ply on.
const DRAW_FROM: usize = 80;

/// The number of consecutive plies with a drawish score after which a game may be adjudicated as drawn.
pub const DRAW_PLIES: u32 = 24;

/// The maximum absolute value of a drawish score, in centipawns.
pub const DRAW_SCORE: i16 = 8;

pub const MAX_PLIES: usize = 600;

/// A game of the maximum length that is judged is a draw if the score has been small for this number of plies.
const LONG_DRAW_PLIES: u32 = 60;

/// The maximum absolute value of a small score, in centipawns.
const LONG_DRAW_SCORE: i16 = 50;

#[derive(Clone, Copy, Debug)]
pub struct GameConfig {
    /// The soft limit: no new iteration starts after this number of nodes.
    pub nodes: u64,
    /// The hard limit: the search stops after this number of nodes.
    pub hard_nodes: u64,
    /// The minimum absolute value of a decisive score, in centipawns.
    pub win_score: i16,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dropped {
    Uneven,
    /// It reached the maximum length without a clear result.
    TooLong,
    Stopped,
}

/// Plays a game.
///
/// # Errors
/// Why the game was dropped.
pub fn play(
    searcher: &mut Searcher,
    config: &GameConfig,
    start: Start,
    stop: &AtomicBool,
) -> Result<GameRecord, Dropped> {
    searcher.clear();
    let game = Game::new(start.board.clone());
    let (plies, result) = play_on(game, Vec::new(), config.win_score, LongGame::Judged, stop, |game, ply| {
        // The scores are labels for a network, so they should depend on nothing but the board.
        searcher.settings.plain_eval = game.board().halfmove_clock() < HIGH_CLOCK;
        let limits = Limits { nodes: Some(config.hard_nodes), soft_nodes: Some(config.nodes), ..Limits::default() };
        let analysis = searcher.search(game, limits, 1);
        let report = last_completed(&analysis, config.hard_nodes);
        // There is a legal move, so a search without a best move was aborted.
        let (Some(mv), Some(report)) = (analysis.best, report) else { return Err(Dropped::Stopped) };
        let score = white_score(game.board().side_to_move(), report.score);
        if ply == 0 && score.unsigned_abs() > start.kind.max_score() {
            return Err(Dropped::Uneven);
        }
        Ok(Ply { mv, score })
    })?;
    Ok(GameRecord { number: start.number, start: start.board, plies, result })
}

/// The report of the last completed iteration. One that the hard limit ended is reported only if it found a better
/// move, so its scores would be too high on average.
fn last_completed(analysis: &Analysis, hard_nodes: u64) -> Option<&Report> {
    analysis.exact().rfind(|report| report.nodes < hard_nodes || report.depth == 1)
}

/// What becomes of a game of the maximum length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LongGame {
    /// It is a draw if the score has been small for long; otherwise it is dropped.
    Judged,
    /// It is a draw.
    Drawn,
}

/// Plays a game to its end, with adjudication. `plies` are the moves that have been made; `search` chooses each further
/// one, and is told how many there are.
///
/// # Errors
/// Why the game was dropped.
pub fn play_on(
    mut game: Game,
    mut plies: Vec<Ply>,
    win_score: i16,
    long: LongGame,
    stop: &AtomicBool,
    mut search: impl FnMut(&Game, usize) -> Result<Ply, Dropped>,
) -> Result<(Vec<Ply>, GameResult), Dropped> {
    let mut referee = Referee::new(win_score);
    let result = loop {
        if let Some(outcome) = game.outcome() {
            break GameResult::from(outcome);
        }
        if let Some(result) = referee.adjudicate(game.board(), plies.len()) {
            break result;
        }
        if plies.len() >= MAX_PLIES {
            break match long {
                LongGame::Judged => referee.adjudicate_long_game().ok_or(Dropped::TooLong)?,
                LongGame::Drawn => GameResult::Draw,
            };
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Dropped::Stopped);
        }
        let ply = search(&game, plies.len())?;
        referee.add_score(ply.score);
        plies.push(ply);
        if game.push(ply.mv).is_err() {
            return Err(Dropped::Stopped);
        }
    };
    Ok((plies, result))
}

/// Adjudicates decided games. It is conservative, because a wrong result would give all positions of the game a wrong
/// label.
struct Referee {
    win_score: i16,
    /// The number of consecutive plies with a decisive score for the same side, and that side.
    decisive: (u32, Colour),
    /// The number of consecutive plies with a drawish score.
    drawish: u32,
    /// The number of consecutive plies with a small score.
    small: u32,
}

impl Referee {
    const fn new(win_score: i16) -> Self {
        Self { win_score, decisive: (0, Colour::White), drawish: 0, small: 0 }
    }

    /// Adds the next score, from White's view.
    fn add_score(&mut self, score: i16) {
        let size = score.unsigned_abs();
        let leader = if score > 0 { Colour::White } else { Colour::Black };
        let before = if self.decisive.1 == leader { self.decisive.0 } else { 0 };
        self.decisive = (if size >= self.win_score.unsigned_abs() { before + 1 } else { 0 }, leader);
        self.drawish = if size <= DRAW_SCORE.unsigned_abs() { self.drawish + 1 } else { 0 };
        self.small = if size <= LONG_DRAW_SCORE.unsigned_abs() { self.small + 1 } else { 0 };
    }

    /// The result of the game after `plies` plies, if it is decided.
    fn adjudicate(&self, board: &Board, plies: usize) -> Option<GameResult> {
        if self.decisive.0 >= WIN_PLIES {
            return Some(GameResult::won_by(self.decisive.1));
        }
        let drawish = plies >= DRAW_FROM && self.drawish >= DRAW_PLIES;
        (drawish && is_drawn_material(board)).then_some(GameResult::Draw)
    }

    /// The result of a game of the maximum length, if it is clear.
    fn adjudicate_long_game(&self) -> Option<GameResult> {
        (self.small >= LONG_DRAW_PLIES).then_some(GameResult::Draw)
    }
}

/// Whether the material is a draw unless there is a tactical win, which the scores would show: one king and one piece
/// each, rook against any Spartan piece, knight or bishop against lieutenant, or equal pieces in orthodox chess
/// (knights and bishops count as equal). This follows from solving all endgames of four men.
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
    use crate::data::record::MATE;
    use agoge_core::board::{Outcome, Variant};
    use agoge_core::notation::starts::Kind;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Spartan).unwrap()
    }

    /// The adjudicated result after some scores late in a game.
    fn adjudicate(fen: &str, scores: impl IntoIterator<Item = i16>) -> Option<GameResult> {
        let mut referee = Referee::new(2000);
        scores.into_iter().for_each(|score| referee.add_score(score));
        referee.adjudicate(&board(fen), 200)
    }

    const DRAWN: &str = "2k5/8/8/4g3/8/8/8/R3K3 w - - 40 90";
    const FULL: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";

    #[test]
    fn a_win_takes_eight_consecutive_decisive_scores() {
        assert_eq!(adjudicate(FULL, [2000; 8]), Some(GameResult::WhiteWins));
        assert_eq!(adjudicate(FULL, [-2500, -MATE + 9, -MATE + 8, -2000, -2000, -2000, -9000, -2001]), {
            Some(GameResult::BlackWins)
        });
        assert_eq!(adjudicate(FULL, [2000; 7]), None);
        assert_eq!(adjudicate(FULL, [1999; 50]), None);
        assert_eq!(adjudicate(FULL, [[2000; 7].as_slice(), &[1999], &[2000; 7]].concat()), None);
        assert_eq!(adjudicate(FULL, [[2000; 7].as_slice(), &[-2000; 7]].concat()), None);
        assert_eq!(adjudicate(FULL, [[2000; 7].as_slice(), &[-2000; 8]].concat()), Some(GameResult::BlackWins));
    }

    #[test]
    fn a_draw_takes_drawn_material_and_time() {
        assert_eq!(adjudicate(DRAWN, [8, -8].repeat(12)), Some(GameResult::Draw));
        assert_eq!(adjudicate(DRAWN, [0; 23]), None);
        assert_eq!(adjudicate(DRAWN, [[0; 20].as_slice(), &[9], &[0; 20]].concat()), None);
        let mut early = Referee::new(2000);
        (0..70).for_each(|_| early.add_score(0));
        assert_eq!(early.adjudicate(&board(DRAWN), 70), None);
    }

    #[test]
    fn winnable_material_is_not_adjudicated() {
        for fen in [
            FULL,
            // Pawns and hoplites can promote.
            "2k5/8/8/4g3/8/8/P7/R3K3 w - - 0 90",
            "2k5/7h/8/4g3/8/8/8/R3K3 w - - 0 90",
            // A second king is a piece.
            "2k2k2/8/8/4g3/8/8/8/R3K3 w - - 0 90",
            "2k2k2/8/8/8/8/8/8/1Q2K3 w - - 0 90",
            // Usually won.
            "2k5/8/8/4c3/8/8/8/1Q2K3 w - - 0 90",
            "2k5/8/8/4g3/8/8/8/1B2K3 w - - 0 90",
            "2k5/8/8/4c3/8/8/8/4K3 w - - 0 90",
            "2k5/8/8/8/8/8/8/R3K3 w - - 0 90",
            "2k5/8/8/3cg3/8/8/8/R3K3 w - - 0 90",
        ] {
            assert_eq!(adjudicate(fen, [0; 300]), None, "{fen}");
        }
    }

    #[test]
    fn scores_are_those_of_completed_iterations() {
        let mut searcher = Searcher::new(1, 1).unwrap();
        let game = Game::new(board("1g1cckwl/lhhhhhhh/h7/8/3PP3/2N2N2/PPP2PPP/R1BQKB1R b KQ - 0 5"));
        let mut search = |limits| {
            searcher.clear();
            searcher.search(&game, limits, 1)
        };
        let mut unfinished = 0;
        for nodes in (300..3000).step_by(29) {
            let analysis = search(Limits { nodes: Some(nodes), ..Limits::default() });
            let report = last_completed(&analysis, nodes).unwrap();
            let completed = search(Limits { depth: Some(report.depth), ..Limits::default() });
            assert_eq!(report.score, completed.exact().next_back().unwrap().score, "{nodes}");
            unfinished += u32::from(analysis.exact().next_back().unwrap().score != report.score);
        }
        assert!(unfinished > 0, "no search ended with a better move");
    }

    #[test]
    fn games_follow_the_rules_and_are_reproducible() {
        let config = GameConfig { nodes: 150, hard_nodes: 1000, win_score: 2000 };
        let go = AtomicBool::new(false);
        let mut searcher = Searcher::new(1, 1).unwrap();
        let start = |fen: &str| Start { number: 3, kind: Kind::Endgame, board: board(fen) };
        let mate = "k7/8/1K6/8/8/8/1h6/2Q5 b - - 0 1";
        let draw = "8/3k4/8/8/3h4/3K4/8/8 w - - 0 1";
        for fen in [FULL, draw] {
            let game = play(&mut searcher, &config, start(fen), &go).unwrap();
            assert_eq!(game.check(), Ok(()));
            assert_eq!(play(&mut searcher, &config, start(fen), &go).unwrap(), game);
        }
        assert_eq!(play(&mut searcher, &config, start(mate), &go), Err(Dropped::Uneven));
        assert_eq!(play(&mut searcher, &config, start(FULL), &AtomicBool::new(true)), Err(Dropped::Stopped));
        assert_eq!(GameResult::from(Outcome::Stalemate), GameResult::Draw);
    }
}
