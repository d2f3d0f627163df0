//! New games, variants, setting up positions, and taking back moves.

use super::command::reason;
use super::edit::Step;
use super::session::{Mode, Session};
use agoge_core::board::{Board, FenError, Game, Setup, Variant};
use agoge_core::options::Id;
use agoge_core::text::printable;
use agoge_core::types::Colour;
use agoge_core::uci::Output as _;

impl Session {
    /// Starts a new game: the initial position of orthodox chess, the engine plays Black, and all state of the last
    /// game is cleared. Analysis mode is kept.
    pub(super) fn new_game(&mut self) {
        self.abort_search();
        self.set_node_rate(None);
        self.clock.restart();
        let mode = if self.mode == Mode::Analyse { Mode::Analyse } else { Mode::Play(Colour::Black) };
        self.set_mode(mode);
        self.change(Id::Variant, Variant::Chess.name());
        self.engine.new_game();
        self.set_position(Board::start(Variant::Chess));
    }

    /// Selects a variant and sets up its initial position.
    pub(super) fn set_variant(&mut self, variant: Variant) {
        self.abort_search();
        self.change(Id::Variant, variant.name());
        self.set_position(Board::start(variant));
    }

    /// Replaces the game by a position without history.
    pub(super) fn set_position(&mut self, board: Board) {
        self.game = Game::new(board);
        self.clock.rebase();
        self.illegal_position = false;
        self.clear_search_results();
        if self.mode == Mode::Analyse {
            self.analyse();
        }
    }

    /// Clears results that belong to an earlier position or to the other side.
    fn clear_search_results(&mut self) {
        self.ponder_move = None;
        self.score = None;
    }

    pub(super) fn set_board(&mut self, fen: &str) {
        let read = Board::from_fen(fen, self.engine.options().variant);
        self.set_position_if_legal(read);
    }

    fn set_position_if_legal(&mut self, read: Result<Board, FenError>) {
        self.abort_search();
        match read {
            Ok(board) => self.set_position(board),
            Err(error) => {
                // The GUI shows another position than ours: until it sends a legal one, its moves are rejected.
                self.illegal_position = true;
                self.clear_search_results();
                let cause = printable(&error.to_string(), 120);
                self.output.line(&format!("tellusererror Illegal position ({cause})"));
            }
        }
    }

    pub(super) fn edit(&mut self, line: &str) {
        let Some(mut editor) = self.editor.take() else { return };
        match editor.line(line) {
            Step::Finished => {
                let read = Board::try_from(&editor.finish()).map_err(FenError::from);
                return self.set_position_if_legal(read);
            }
            Step::Done => {}
            Step::Unknown => self.reject(reason::UNKNOWN, line),
        }
        self.editor = Some(editor);
    }

    pub(super) fn set_turn(&mut self, turn: Colour, line: &str) {
        self.abort_search();
        self.clear_search_results();
        if turn != self.game.board().side_to_move() {
            let setup = Setup { side_to_move: turn, en_passant: None, ..Setup::from(self.game.board()) };
            match Board::try_from(&setup) {
                Ok(board) => self.set_position(board),
                Err(_) => return self.reject(reason::NOT_NOW, line),
            }
        }
        if let Mode::Play(_) = self.mode {
            self.set_mode(Mode::Play(!turn));
        }
    }

    pub(super) fn take_back(&mut self, count: usize, line: &str) {
        if self.illegal_position || self.game.moves().len() < count {
            return self.reject(reason::NOT_NOW, line);
        }
        self.abort_search();
        self.game.undo(count);
        self.clock.take_back();
        self.clear_search_results();
        if self.mode == Mode::Analyse {
            self.analyse();
        }
    }
}
