//! Playing: when the engine thinks, ponders and analyses, what it does with the answers, and how games
//! end.

use super::session::{Activity, Mode, Session};
use super::thinking::{Answer, Desk, Reporter};
use crate::board::{Game, MoveError, Outcome, SanError};
use crate::book::BookMove;
use crate::protocol::text::shown;
use crate::search::{Limits, Listener};
use crate::types::score::Score;
use crate::types::{Colour, Move};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long to look for a move to recommend, when none is at hand.
const CONSULTATION: Duration = Duration::from_millis(100);

/// A draw is welcome to the engine with this score, in centipawns, or a worse one.
const WORSE: i32 = -150;

/// A draw is welcome, too, with at most this score after [`STANDSTILL`] plies in which nothing happened.
const EVEN: i32 = 10;

/// See [`EVEN`].
const STANDSTILL: u16 = 40;

impl Session {
    /// Makes the move that a search has found, if one has.
    pub(super) fn collect(&mut self) {
        if let Some(answer) = self.desk.take()
            && self.activity == Activity::Thinking
        {
            self.activity = Activity::Idle;
            self.answer(answer);
            self.catch_up();
        }
    }

    fn answer(&mut self, answer: Answer) {
        let us = self.record.board().side_to_move();
        let Some(mv) = answer.best else { return };
        if self.record.push(mv).is_err() {
            debug_assert!(false, "{mv} is not legal");
            return;
        }
        self.score = answer.score;
        if std::mem::take(&mut self.draw_offered) {
            self.hear_offer();
        }
        self.output.line(&format!("move {mv}"));
        self.clock.press(self.started.elapsed(), &self.record, us);
        self.predicted = answer.predicted.filter(|&mv| self.record.board().is_legal(mv));
        if !self.claim() {
            self.ponder();
        }
    }

    /// Tells the result if the game is over by the rules; whether it is.
    fn claim(&self) -> bool {
        let Some(outcome) = self.record.game().outcome() else { return false };
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

    /// Ends what the engine is doing, without an answer, and does what had to wait for that.
    pub(super) fn abandon(&mut self) {
        if self.activity == Activity::Idle {
            return;
        }
        if let Some(reporter) = &self.reporter {
            reporter.mute();
        }
        self.engine.finish();
        self.desk.take();
        self.activity = Activity::Idle;
        self.draw_offered = false;
        self.catch_up();
    }

    /// Goes on with what the engine does beside the game, after it was abandoned.
    pub(super) fn resume(&mut self) {
        match self.mode {
            Mode::Analyse => self.analyse(),
            Mode::Play(_) => self.ponder(),
            Mode::Force => {}
        }
    }

    /// Ponders within new limits, if the engine ponders at all.
    pub(super) fn begin_again(&mut self) {
        if let Activity::Pondering(_) = self.activity {
            self.abandon();
            self.ponder();
        }
    }

    fn search(&mut self, game: Game, limits: Limits, activity: Activity) {
        let (output, post, desk) = (Arc::clone(&self.output), Arc::clone(&self.post), Arc::clone(&self.desk));
        let reporter = Arc::new(Reporter::new(output, post, desk));
        self.engine.set_game(game);
        self.engine.go(limits, Arc::clone(&reporter) as Arc<dyn Listener>);
        self.reporter = Some(reporter);
        self.activity = activity;
        self.started = Instant::now();
    }

    /// Looks for a move of the side to move, which is the engine's.
    fn think(&mut self) {
        self.abandon();
        if self.claim() {
            return;
        }
        let board = self.record.board();
        let limits = self.clock.limits(&self.record, board.side_to_move());
        if let Some(BookMove { mv, weight }) = self.engine.book_move(board, &limits) {
            self.output.note(&format!("book move {mv}, weight {weight}"));
            self.started = Instant::now();
            self.answer(Answer { best: Some(mv), predicted: None, score: None });
        } else {
            self.search(self.record.game().clone(), limits, Activity::Thinking);
        }
    }

    /// The moves of the opening book, each with its share. An empty line ends them.
    pub(super) fn tell_book(&self) {
        let Some(book) = &self.engine.options().book else {
            return self.output.line(" There is no opening book.\n");
        };
        let moves = if self.misplaced { &[] } else { book.moves(self.record.board()) };
        if moves.is_empty() {
            return self.output.line(" The book does not know this position.\n");
        }
        let total: u64 = moves.iter().map(|entry| u64::from(entry.weight)).sum();
        let mut text = String::new();
        for &BookMove { mv, weight } in moves {
            let _ = writeln!(text, " {mv} {} %", u64::from(weight) * 100 / total);
        }
        self.output.line(&text);
    }

    /// Thinks on the opponent's time, if that is wanted and the opponent's move can be guessed.
    pub(super) fn ponder(&mut self) {
        let Mode::Play(us) = self.mode else { return };
        let opponents_turn = us != self.record.board().side_to_move();
        if self.misplaced || !self.may_ponder || self.activity != Activity::Idle || !opponents_turn {
            return;
        }
        let Some(mv) = self.predicted else { return };
        let mut game = self.record.game().clone();
        if game.push(mv).is_ok() && game.outcome().is_none() {
            let limits = Limits { ponder: true, ..self.clock.limits(&self.record, us) };
            self.search(game, limits, Activity::Pondering(mv));
            self.tell_pondering();
        }
    }

    /// Names the move that the engine ponders on, which the lines of thought leave out.
    pub(super) fn tell_pondering(&self) {
        if let Activity::Pondering(mv) = self.activity
            && self.post.load(Ordering::Relaxed)
        {
            self.output.line(&format!("Hint: {mv}"));
        }
    }

    pub(super) fn analyse(&mut self) {
        self.abandon();
        if !self.misplaced && self.record.board().has_legal_move() {
            let limits = Limits { infinite: true, ..Limits::default() };
            self.search(self.record.game().clone(), limits, Activity::Analysing);
        }
    }

    pub(super) fn go(&mut self) {
        if self.activity == Activity::Thinking {
            return;
        }
        self.abandon();
        self.set_mode(Mode::Play(self.record.board().side_to_move()));
        self.think();
    }

    pub(super) fn play_other(&mut self) {
        self.abandon();
        self.score = None;
        self.set_mode(Mode::Play(!self.record.board().side_to_move()));
        if self.may_ponder {
            self.predicted = self.predicted.or_else(|| self.consult());
            self.ponder();
        }
    }

    /// A move of the opponent, or one that both sides are to be shown.
    pub(super) fn user_move(&mut self, text: &str, line: &str) {
        let illegal = |reason| self.output.line(&format!("Illegal move{reason}: {}", shown(text, 20)));
        if self.misplaced {
            return illegal(" (the position is illegal)");
        }
        if self.activity == Activity::Thinking {
            return illegal(" (not your turn)");
        }
        let board = self.record.board();
        let read = match board.parse_move(text) {
            Ok(mv) => Ok(mv),
            Err(MoveError::Illegal) => Err(SanError::Illegal),
            Err(MoveError::Notation) => board.parse_san(text),
        };
        match read {
            Ok(mv) => self.moved(mv),
            Err(SanError::Illegal) => illegal(""),
            Err(SanError::Notation) => illegal(" (not a move)"),
            Err(SanError::Ambiguous) => self.refuse("ambiguous move", line),
        }
    }

    fn moved(&mut self, mv: Move) {
        let expected = self.activity == Activity::Pondering(mv);
        if !expected {
            self.abandon();
        }
        let made = self.record.push(mv);
        debug_assert!(made.is_ok(), "{mv} is not legal");
        self.predicted = None;
        if expected {
            // The search is that of our move from now on, and may already know it.
            self.activity = Activity::Thinking;
            self.started = Instant::now();
            self.engine.ponder_hit();
            return;
        }
        match self.mode {
            Mode::Force => self.score = None,
            Mode::Analyse => self.analyse(),
            Mode::Play(us) if us == self.record.board().side_to_move() => self.think(),
            Mode::Play(_) => {
                self.claim();
            }
        }
    }

    /// Recommends a move of the side to move.
    pub(super) fn hint(&mut self) {
        let mv = match self.activity {
            Activity::Idle => self.predicted.or_else(|| self.consult()),
            Activity::Pondering(mv) => Some(mv),
            Activity::Thinking | Activity::Analysing => {
                self.reporter.as_ref().and_then(|reporter| reporter.first_move())
            }
        };
        if let Some(mv) = mv {
            self.output.line(&format!("Hint: {mv}"));
        }
    }

    /// A short search, while nothing else is done.
    fn consult(&mut self) -> Option<Move> {
        if self.misplaced {
            return None;
        }
        let desk = Arc::new(Desk::new(None));
        let reporter = Reporter::new(Arc::clone(&self.output), Arc::default(), Arc::clone(&desk));
        let limits = Limits { move_time: Some(CONSULTATION), ..Limits::default() };
        self.engine.set_game(self.record.game().clone());
        self.engine.go(limits, Arc::new(reporter));
        self.engine.wait();
        desk.take()?.best
    }

    pub(super) fn tell_status(&self) {
        if let Some(reporter) = &self.reporter
            && self.activity != Activity::Idle
        {
            let total = self.engine.game().board().legal_moves().len();
            self.output.line(&reporter.status(self.engine.nodes(), total));
        }
    }

    /// Answers an offer of a draw: at once, or with the move that the engine is looking for, as the last
    /// score knows nothing of the opponent's move.
    pub(super) fn hear_offer(&mut self) {
        if self.activity == Activity::Thinking {
            self.draw_offered = true;
        } else if self.accepts_draw() {
            self.output.line("offer draw");
        }
    }

    /// Whether the engine is glad about an offer of a draw.
    fn accepts_draw(&self) -> bool {
        let Mode::Play(_) = self.mode else { return false };
        match self.score {
            Some(Score::Cp(score)) => {
                score <= WORSE || (score <= EVEN && self.record.board().halfmove_clock() >= STANDSTILL)
            }
            Some(Score::Mate(moves)) => moves <= 0,
            None => false,
        }
    }
}
