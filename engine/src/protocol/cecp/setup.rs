//! Positions: new games and variants, positions of all kinds that are set up, moves taken back.

use super::command::reason;
use super::edit::Step;
use super::record::Record;
use super::session::{Mode, Session};
use crate::board::{Board, Variant};
use crate::protocol::options::Setting;
use crate::protocol::text::shown;
use crate::types::Colour;

impl Session {
    /// The initial position of orthodox chess, Black for the engine, and everything forgotten that
    /// belongs to one game. Analysis goes on.
    pub(super) fn new_game(&mut self) {
        self.abandon();
        self.set_node_rate(None);
        self.clock.restart();
        let mode = if self.mode == Mode::Analyse { Mode::Analyse } else { Mode::Play(Colour::Black) };
        self.set_mode(mode);
        self.change(&Setting::Variant(Variant::Chess));
        self.engine.new_game();
        self.place(Board::start(Variant::Chess));
    }

    /// The initial position of a variant.
    pub(super) fn set_variant(&mut self, variant: Variant) {
        self.abandon();
        self.change(&Setting::Variant(variant));
        self.place(Board::start(variant));
    }

    /// Goes on with another position, of which no history is known.
    fn place(&mut self, board: Board) {
        self.record = Record::new(board);
        self.clock.rebase();
        self.misplaced = false;
        self.forget_thoughts();
        if self.mode == Mode::Analyse {
            self.analyse();
        }
    }

    /// Forgets what was thought of a position that is no longer the one before us, or of the other side.
    fn forget_thoughts(&mut self) {
        self.predicted = None;
        self.score = None;
    }

    pub(super) fn set_board(&mut self, fen: &str) {
        self.abandon();
        match Board::from_fen(fen, self.engine.options().variant) {
            Ok(board) => self.place(board),
            Err(error) => {
                // The program shows another position than ours: until it sends a legal one, its moves
                // mean nothing here.
                self.misplaced = true;
                self.forget_thoughts();
                let cause = shown(&error.to_string(), 120);
                self.output.line(&format!("tellusererror Illegal position ({cause})"));
            }
        }
    }

    pub(super) fn edit(&mut self, line: &str) {
        let Some(editor) = &mut self.editor else { return };
        match editor.line(line) {
            Step::Done => {}
            Step::Unknown => self.refuse(reason::UNKNOWN, line),
            Step::Finished => {
                let fen = editor.fen();
                self.editor = None;
                self.set_board(&fen);
            }
        }
    }

    pub(super) fn set_turn(&mut self, turn: Colour, line: &str) {
        self.abandon();
        self.forget_thoughts();
        if turn != self.record.board().side_to_move() {
            let fen = self.record.board().to_fen();
            let mut fields: Vec<&str> = fen.split(' ').collect();
            fields[1] = if turn == Colour::White { "w" } else { "b" };
            fields[3] = "-";
            match Board::from_fen(&fields.join(" "), self.engine.options().variant) {
                Ok(board) => self.place(board),
                Err(_) => return self.refuse(reason::NOT_NOW, line),
            }
        }
        if let Mode::Play(_) = self.mode {
            self.set_mode(Mode::Play(!turn));
        }
    }

    pub(super) fn take_back(&mut self, count: usize, line: &str) {
        if self.misplaced || self.record.plies() < count {
            return self.refuse(reason::NOT_NOW, line);
        }
        self.abandon();
        self.record.take_back(count);
        self.forget_thoughts();
        if self.mode == Mode::Analyse {
            self.analyse();
        }
    }
}
