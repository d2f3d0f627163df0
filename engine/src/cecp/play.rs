//! Play: when the engine thinks, ponders and analyses, how it uses the answers, and the end of a game.

use super::session::{Activity, Mode, Session};
use super::thinking::{Answer, AnswerSlot, Reporter};
use agoge_core::board::{Game, MoveError, Outcome, SanError};
use agoge_core::notation::book::BookMove;
use agoge_core::search::{Limits, Listener};
use agoge_core::text::printable;
use agoge_core::types::score::Score;
use agoge_core::types::{Colour, Move};
use agoge_core::uci::Output as _;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The time to search for a hint if no move is known.
const HINT_TIME: Duration = Duration::from_millis(100);

/// The engine accepts a draw at this score in centipawns or less.
const LOSING_SCORE: i32 = -150;

/// The engine also accepts a draw at this score or less if the halfmove clock is at least [`DRAWISH_PLIES`].
const EVEN_SCORE: i32 = 10;

/// See [`EVEN_SCORE`].
const DRAWISH_PLIES: u16 = 40;

impl Session {
    /// Plays the answer of the search, if there is one.
    pub(super) fn poll_answer(&mut self) {
        if let Some(answer) = self.answer_slot.take()
            && self.activity == Activity::Thinking
        {
            self.activity = Activity::Idle;
            self.play_answer(answer);
            self.run_deferred();
        }
    }

    fn play_answer(&mut self, answer: Answer) {
        let us = self.game.board().side_to_move();
        let Some(mv) = answer.best else { return };
        if self.game.push(mv).is_err() {
            debug_assert!(false, "{mv} is not legal");
            return;
        }
        self.score = answer.score;
        if std::mem::take(&mut self.draw_offered) {
            self.answer_draw_offer();
        }
        self.output.line(&format!("move {mv}"));
        self.clock.press(self.started.elapsed(), &self.game, us);
        self.ponder_move = answer.ponder_move.filter(|&mv| self.game.board().is_legal(mv));
        if !self.print_result() {
            self.ponder();
        }
    }

    /// Prints the result if the game is over by the rules; returns whether it is.
    fn print_result(&self) -> bool {
        let Some(outcome) = self.game.outcome() else { return false };
        let reason = match outcome {
            Outcome::Checkmate { winner: Colour::White } => "White mates",
            Outcome::Checkmate { winner: Colour::Black } => "Black mates",
            Outcome::Stalemate => "Stalemate",
            Outcome::ThreefoldRepetition => "Draw by repetition",
            Outcome::FiftyMoves => "Draw by fifty-move rule",
            Outcome::DeadPosition => "Draw by insufficient mating material",
        };
        self.output.line(&format!("{} {{{reason}}}", outcome.result()));
        true
    }

    /// Aborts the search without an answer, and executes the deferred commands.
    pub(super) fn abort_search(&mut self) {
        if self.activity == Activity::Idle {
            return;
        }
        if let Some(reporter) = &self.reporter {
            reporter.mute();
        }
        self.engine.stop_and_wait();
        self.answer_slot.take();
        self.activity = Activity::Idle;
        self.draw_offered = false;
        self.run_deferred();
    }

    /// Resumes analysis or pondering after [`Session::abort_search`].
    pub(super) fn resume(&mut self) {
        match self.mode {
            Mode::Analyse => self.analyse(),
            Mode::Play(_) => self.ponder(),
            Mode::Force => {}
        }
    }

    /// Restarts pondering with new limits, if the engine is pondering.
    pub(super) fn restart_pondering(&mut self) {
        if let Activity::Pondering(_) = self.activity {
            self.abort_search();
            self.ponder();
        }
    }

    fn search(&mut self, game: &Game, limits: Limits, activity: Activity) {
        let (output, post) = (Arc::clone(&self.output), Arc::clone(&self.post));
        let root_moves = game.board().legal_moves().len();
        let reporter = Arc::new(Reporter::new(output, post, Arc::clone(&self.answer_slot), root_moves));
        self.engine.go(game, limits, Arc::clone(&reporter) as Arc<dyn Listener>);
        self.reporter = Some(reporter);
        self.activity = activity;
        self.started = Instant::now();
    }

    /// Searches for the engine's move.
    fn think(&mut self) {
        self.abort_search();
        if self.print_result() {
            return;
        }
        let board = self.game.board();
        let limits = self.clock.limits(&self.game, board.side_to_move());
        if let Some(BookMove { mv, weight }) = self.engine.book_move(board, &limits) {
            self.output.note(&format!("book move {mv}, weight {weight}"));
            self.started = Instant::now();
            self.play_answer(Answer { best: Some(mv), ponder_move: None, score: None });
        } else {
            self.search(&self.game.clone(), limits, Activity::Thinking);
        }
    }

    /// Prints the moves of the opening book with their shares, and an empty line at the end.
    pub(super) fn print_book(&self) {
        if !self.engine.has_book() {
            return self.output.line(" There is no opening book.\n");
        }
        let moves = if self.illegal_position { Vec::new() } else { self.engine.book_moves(self.game.board()) };
        if moves.is_empty() {
            return self.output.line(" The book has no move for this position.\n");
        }
        let total: u64 = moves.iter().map(|entry| u64::from(entry.weight)).sum();
        let mut text = String::new();
        for BookMove { mv, weight } in moves {
            let _ = writeln!(text, " {mv} {} %", u64::from(weight) * 100 / total);
        }
        self.output.line(&text);
    }

    /// Ponders, if enabled and a move of the opponent is predicted.
    pub(super) fn ponder(&mut self) {
        let Mode::Play(us) = self.mode else { return };
        let opponents_turn = us != self.game.board().side_to_move();
        if self.illegal_position || !self.ponder_enabled || self.activity != Activity::Idle || !opponents_turn {
            return;
        }
        let Some(mv) = self.ponder_move else { return };
        let mut game = self.game.clone();
        if game.push(mv).is_ok() && game.outcome().is_none() {
            let limits = Limits { ponder: true, ..self.clock.limits(&self.game, us) };
            self.search(&game, limits, Activity::Pondering(mv));
            self.print_ponder_move();
        }
    }

    /// Prints the move that the engine ponders on, which the thinking output omits.
    pub(super) fn print_ponder_move(&self) {
        if let Activity::Pondering(mv) = self.activity
            && self.post.load(Ordering::Relaxed)
        {
            self.output.line(&format!("Hint: {mv}"));
        }
    }

    pub(super) fn analyse(&mut self) {
        self.abort_search();
        if !self.illegal_position && self.game.board().has_legal_move() {
            let limits = Limits { infinite: true, ..Limits::default() };
            self.search(&self.game.clone(), limits, Activity::Analysing);
        }
    }

    pub(super) fn go(&mut self) {
        if self.activity == Activity::Thinking {
            return;
        }
        self.abort_search();
        self.set_mode(Mode::Play(self.game.board().side_to_move()));
        self.think();
    }

    pub(super) fn play_other(&mut self) {
        self.abort_search();
        self.score = None;
        self.set_mode(Mode::Play(!self.game.board().side_to_move()));
        if self.ponder_enabled {
            self.ponder_move = self.ponder_move.or_else(|| self.hint_search());
            self.ponder();
        }
    }

    /// A move of the opponent, or in force or analysis mode of either side.
    pub(super) fn user_move(&mut self, text: &str, line: &str) {
        let illegal = |reason| self.output.line(&format!("Illegal move{reason}: {}", printable(text, 20)));
        if self.illegal_position {
            return illegal(" (the position is illegal)");
        }
        if self.activity == Activity::Thinking {
            return illegal(" (not your turn)");
        }
        let board = self.game.board();
        let read = match board.parse_move(text) {
            Ok(mv) => Ok(mv),
            Err(MoveError::Illegal) => Err(SanError::Illegal),
            Err(MoveError::Notation) => board.parse_san(text),
        };
        match read {
            Ok(mv) => self.make_user_move(mv),
            Err(SanError::Illegal) => illegal(""),
            Err(SanError::Notation) => illegal(" (not a move)"),
            Err(SanError::Ambiguous) => self.reject("ambiguous move", line),
        }
    }

    fn make_user_move(&mut self, mv: Move) {
        let expected = self.activity == Activity::Pondering(mv);
        if !expected {
            self.abort_search();
        }
        let made = self.game.push(mv);
        debug_assert!(made.is_ok(), "{mv} is not legal");
        self.ponder_move = None;
        if expected {
            // The search is now for our move, and may already have found it.
            self.activity = Activity::Thinking;
            self.started = Instant::now();
            self.engine.searcher().ponder_hit();
            return;
        }
        match self.mode {
            Mode::Force => self.score = None,
            Mode::Analyse => self.analyse(),
            Mode::Play(us) if us == self.game.board().side_to_move() => self.think(),
            Mode::Play(_) => {
                self.print_result();
            }
        }
    }

    pub(super) fn hint(&mut self) {
        let mv = match self.activity {
            Activity::Idle => self.ponder_move.or_else(|| self.hint_search()),
            Activity::Pondering(mv) => Some(mv),
            Activity::Thinking | Activity::Analysing => {
                self.reporter.as_ref().and_then(|reporter| reporter.first_move())
            }
        };
        if let Some(mv) = mv {
            self.output.line(&format!("Hint: {mv}"));
        }
    }

    /// The best move of a short search. The engine must be idle.
    fn hint_search(&mut self) -> Option<Move> {
        if self.illegal_position {
            return None;
        }
        let answer_slot = Arc::new(AnswerSlot::new(None));
        let reporter = Reporter::new(Arc::clone(&self.output), Arc::default(), Arc::clone(&answer_slot), 0);
        let limits = Limits { move_time: Some(HINT_TIME), ..Limits::default() };
        self.engine.go(&self.game, limits, Arc::new(reporter));
        self.engine.searcher().wait();
        answer_slot.take()?.best
    }

    pub(super) fn print_status(&self) {
        if let Some(reporter) = &self.reporter
            && self.activity != Activity::Idle
        {
            self.output.line(&reporter.status(self.engine.searcher().nodes()));
        }
    }

    /// Answers a draw offer: at once, or while thinking together with the move, as the last score is from before the
    /// opponent's move.
    pub(super) fn answer_draw_offer(&mut self) {
        if self.activity == Activity::Thinking {
            self.draw_offered = true;
        } else if self.accepts_draw() {
            self.output.line("offer draw");
        }
    }

    fn accepts_draw(&self) -> bool {
        let Mode::Play(_) = self.mode else { return false };
        match self.score {
            Some(Score::Cp(score)) => {
                score <= LOSING_SCORE || (score <= EVEN_SCORE && self.game.board().halfmove_clock() >= DRAWISH_PLIES)
            }
            Some(Score::Mate(moves)) => moves <= 0,
            None => false,
        }
    }
}
