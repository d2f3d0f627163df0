//! The facade: the game, the options and the search threads.

use crate::memory;
use agoge_core::board::{Board, FenError, Game, MoveError, Variant};
use agoge_core::nnue::{self, Network, NetworkError};
use agoge_core::notation::book::{Book, BookMove};
use agoge_core::options::{Id, OptionValue, Options};
use agoge_core::search::{Limits, Listener, PoolError, Searcher};
use agoge_core::tables::{Problem, Tables};
use agoge_core::text::{printable, quoted};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The engine without a protocol.
///
/// Methods that change the game or the hash table first stop a running search and let it report its best move: each
/// search reports exactly one.
pub struct Engine {
    game: Game,
    options: Options,
    searcher: Searcher,
}

/// Why an option could not be changed.
#[derive(Debug)]
pub enum EngineError {
    /// There is not enough memory, or a thread could not be started; the old value is kept.
    Pool(PoolError),
    /// The file is not a usable network; the old one is kept.
    Network {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: NetworkError,
    },
    /// Some folders or files of the endgame tables cannot be used; the others are.
    Tables(Vec<Problem>),
    /// The file is not a usable book; the old one is kept.
    Book {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool(error) => error.fmt(f),
            Self::Network { path, cause } => {
                write!(f, "the network {} cannot be used: {cause}", quoted(&path.to_string_lossy()))
            }
            Self::Tables(problems) => {
                const SHOWN: usize = 6;
                const MAX_PATH: usize = 400;
                f.write_str("unusable endgame tables: ")?;
                for (number, problem) in problems.iter().take(SHOWN).enumerate() {
                    let path = printable(&problem.path.to_string_lossy(), MAX_PATH);
                    write!(f, "{}'{path}' ({})", if number == 0 { "" } else { ", " }, problem.cause)?;
                }
                match problems.len().saturating_sub(SHOWN) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            Self::Book { path, cause } => {
                write!(f, "the book {} cannot be used: {cause}", quoted(&path.to_string_lossy()))
            }
        }
    }
}

impl std::error::Error for EngineError {}

impl From<PoolError> for EngineError {
    fn from(error: PoolError) -> Self {
        Self::Pool(error)
    }
}

/// Why a position could not be set up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// The FEN is invalid; the game is unchanged.
    Fen(FenError),
    /// A move is invalid; the moves before it have been made.
    Move {
        /// Its number in the list, from 1.
        number: usize,
        /// Its text.
        text: String,
        /// What is wrong with it.
        cause: MoveError,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fen(error) => error.fmt(f),
            Self::Move { number, text, cause } => {
                write!(f, "move {number} {} is {cause}; the moves before it were made", quoted(text))
            }
        }
    }
}

impl std::error::Error for PositionError {}

impl Engine {
    /// An engine at the start of a game, with default options.
    ///
    /// # Errors
    /// If there is not enough memory for the default hash table, or a thread cannot be started.
    pub fn new() -> Result<Self, EngineError> {
        let options = Options::default();
        let searcher = Searcher::new(options.number(Id::Threads) as usize, options.number(Id::Hash) as usize)?;
        Ok(Self { game: Game::start(options.variant), options, searcher })
    }

    /// The current game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The current values of the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Starts a game from a FEN, or from the initial position, and makes moves in it.
    ///
    /// # Errors
    /// If the FEN is invalid, which leaves the game unchanged, or if a move is invalid, which ends the new game before
    /// that move.
    pub fn set_position<'a>(
        &mut self,
        fen: Option<&str>,
        moves: impl Iterator<Item = &'a str>,
    ) -> Result<(), PositionError> {
        let mut game = start_game(fen, self.options.variant).map_err(PositionError::Fen)?;
        let made = make_moves(&mut game, moves);
        self.set_game(game);
        made
    }

    /// Replaces the game. Its variant should be that of the option.
    pub fn set_game(&mut self, game: Game) {
        self.stop_and_wait();
        self.game = game;
    }

    /// Clears the hash table and the histories, and returns to the initial position.
    pub fn new_game(&mut self) {
        self.stop_and_wait();
        self.searcher.clear();
        self.game = Game::start(self.options.variant);
    }

    /// Changes an option. [`Id::LogFile`] has no effect here: the protocol handles it.
    ///
    /// # Errors
    /// If there is not enough memory, a thread cannot be started, or a file cannot be used; the old value is kept.
    /// Endgame tables are the exception: the usable ones are kept.
    pub fn set_option(&mut self, id: Id, value: &OptionValue) -> Result<(), EngineError> {
        match (id, value) {
            (Id::Hash, &OptionValue::Number(mib)) => {
                self.stop_and_wait();
                memory::check(mib as usize, self.searcher.hash_mib())?;
                self.searcher.set_hash(mib as usize)?;
            }
            (Id::ClearHash, _) => {
                self.stop_and_wait();
                self.searcher.clear_hash();
            }
            (Id::Threads, &OptionValue::Number(threads)) => {
                self.stop_and_wait();
                self.searcher.set_threads(threads as usize)?;
            }
            (Id::Variant, &OptionValue::Variant(variant)) => self.set_variant(variant),
            (Id::EvalFile, OptionValue::File(path)) => self.set_network(path.as_deref())?,
            (Id::BookFile, OptionValue::File(path)) => self.set_book(path.as_deref())?,
            (Id::TablePath, OptionValue::File(path)) => self.set_tables(path.as_deref())?,
            (Id::UseNnue, &OptionValue::Flag(yes)) => {
                self.stop_and_wait();
                if yes != self.options.flag(Id::UseNnue) {
                    // Scores of one evaluation are useless to the other.
                    self.searcher.clear();
                }
            }
            _ => {}
        }
        self.options.set(id, value);
        Ok(())
    }

    /// Reads a network from a file, or selects the embedded one.
    fn set_network(&mut self, path: Option<&Path>) -> Result<(), EngineError> {
        let network = match path {
            None => nnue::embedded(),
            Some(path) => {
                let failed = |cause| EngineError::Network { path: path.to_owned(), cause };
                Some(Arc::new(Network::read(path).map_err(failed)?))
            }
        };
        self.stop_and_wait();
        self.searcher.clear();
        self.options.network = network;
        Ok(())
    }

    /// Changes the variant: sets up its initial position, and clears the hash table and the histories if it differs
    /// from the old variant.
    fn set_variant(&mut self, variant: Variant) {
        self.stop_and_wait();
        if variant != self.options.variant {
            self.searcher.clear();
        }
        self.options.variant = variant;
        self.game = Game::start(variant);
    }

    /// Reads a book from a file, or removes the book.
    fn set_book(&mut self, path: Option<&Path>) -> Result<(), EngineError> {
        let read = |path: &Path| {
            Book::read(path).map(Arc::new).map_err(|cause| EngineError::Book { path: path.to_owned(), cause })
        };
        self.options.book = path.map(read).transpose()?;
        Ok(())
    }

    /// Opens the endgame tables of some folders, or removes the tables. The hash table may have values that were
    /// estimated without them.
    fn set_tables(&mut self, path: Option<&Path>) -> Result<(), EngineError> {
        self.stop_and_wait();
        self.searcher.clear_hash();
        let (tables, problems) = path.map(|path| Tables::open(path.as_os_str())).unwrap_or_default();
        self.options.tables = Arc::new(tables);
        if problems.is_empty() { Ok(()) } else { Err(EngineError::Tables(problems)) }
    }

    /// A book move for a position, if the book is enabled and the limits are those of a game: not of analysis,
    /// pondering, a search for a mate, or a search of selected moves.
    pub fn book_move(&self, board: &Board, limits: &Limits) -> Option<BookMove> {
        let play = self.options.flag(Id::OwnBook)
            && !self.options.flag(Id::AnalyseMode)
            && limits.is_bounded(board.side_to_move())
            && !limits.infinite
            && !limits.ponder
            && limits.mate.is_none()
            && limits.search_moves.is_empty();
        let book = self.options.book.as_ref().filter(|_| play)?;
        book.choose(board, agoge_core::rng::entropy())
    }

    /// Starts a search of the current position and returns at once. `listener` receives its output.
    pub fn go(&mut self, limits: Limits, listener: Arc<dyn Listener>) {
        self.stop_and_wait();
        self.searcher.settings = self.options.settings();
        self.searcher.start(self.game.clone(), limits, listener);
    }

    /// Tells the search to stop soon. Does nothing without a search.
    pub fn stop(&self) {
        self.searcher.stop();
    }

    /// Tells the search that the opponent has played the expected move.
    pub fn ponder_hit(&self) {
        self.searcher.ponder_hit();
    }

    /// Nodes of the current search, or of the last one.
    pub fn nodes(&self) -> u64 {
        self.searcher.nodes()
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        self.searcher.is_searching()
    }

    /// Whether a search is running that ends only on [`Self::stop`], or not before [`Self::ponder_hit`].
    pub fn needs_command(&self) -> bool {
        self.searcher.needs_command()
    }

    /// Waits until the running search, if any, has reported its best move.
    pub fn wait(&self) {
        self.searcher.wait();
    }

    /// Stops the running search, if any, and waits until it has reported its best move.
    pub fn stop_and_wait(&self) {
        self.stop();
        self.wait();
    }
}

/// A game that starts from a FEN, or from the initial position of the variant.
pub(crate) fn start_game(fen: Option<&str>, variant: Variant) -> Result<Game, FenError> {
    Ok(match fen {
        Some(fen) => Game::new(Board::from_fen(fen, variant)?),
        None => Game::start(variant),
    })
}

/// Makes moves in coordinate notation, up to the first invalid one.
pub(crate) fn make_moves<'a>(game: &mut Game, moves: impl Iterator<Item = &'a str>) -> Result<(), PositionError> {
    for (index, text) in moves.enumerate() {
        let made = game.board().parse_move(text).and_then(|mv| game.push(mv));
        made.map_err(|cause| PositionError::Move { number: index + 1, text: text.into(), cause })?;
    }
    Ok(())
}
