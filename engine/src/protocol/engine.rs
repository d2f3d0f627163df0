//! The facade: a game, options and the threads that search.

use super::options::{Id, Options, Setting};
use super::text::quoted;
use crate::board::{Board, FenError, Game, MoveError, Variant};
use crate::book::{Book, BookError, BookMove};
use crate::nnue::{self, Network, NetworkError};
use crate::search::{Job, Limits, Listener, PoolError, ThreadPool};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The engine without a protocol.
///
/// What changes the game or the hash table ends a search that is under way, which so still gives its
/// answer: there is exactly one answer for each search.
pub struct Engine {
    game: Game,
    options: Options,
    pool: ThreadPool,
}

/// Why the engine cannot do what an option says.
#[derive(Debug)]
pub enum EngineError {
    /// Memory or threads are lacking; what was there before is kept.
    Pool(PoolError),
    /// A file is not a network that can be used; the old one is kept.
    Network {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: NetworkError,
    },
    /// A file is not a book that can be used; the old one is kept.
    Book {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: BookError,
    },
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool(error) => error.fmt(f),
            Self::Network { path, cause } => {
                write!(f, "the network {} cannot be used: {cause}", quoted(&path.to_string_lossy()))
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

/// Why a position cannot be set up as it was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// The FEN is wrong; the game before stays.
    Fen(FenError),
    /// A move cannot be made; the moves before it have been made.
    Move {
        /// Which one of the moves, from 1.
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
                write!(f, "move {number} {} is {cause}; the moves before it stand", quoted(text))
            }
        }
    }
}

impl std::error::Error for PositionError {}

impl Engine {
    /// An engine at the start of a game, with default options.
    ///
    /// # Errors
    /// When there is not enough memory for the default hash table, or no thread.
    pub fn new() -> Result<Self, EngineError> {
        let options = Options::default();
        let pool = ThreadPool::new(options.threads, options.hash)?;
        Ok(Self { game: Game::start(options.variant), options, pool })
    }

    /// The game with its present position.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The present values of the options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Starts a game from the initial position, or from a FEN, and makes moves in it.
    ///
    /// # Errors
    /// Names what is wrong: a FEN, after which the game before goes on, or a move, before which the
    /// new game ends.
    pub fn set_position<'a>(
        &mut self,
        fen: Option<&str>,
        moves: impl Iterator<Item = &'a str>,
    ) -> Result<(), PositionError> {
        let mut game = begin(fen, self.options.variant).map_err(PositionError::Fen)?;
        let made = make_moves(&mut game, moves);
        self.set_game(game);
        made
    }

    /// Puts a game in place of the present one. It should be one of the variant that the option names.
    pub fn set_game(&mut self, game: Game) {
        self.finish();
        self.game = game;
    }

    /// Forgets all that was learnt in the last game, and goes back to the initial position.
    pub fn new_game(&mut self) {
        self.finish();
        self.pool.clear();
        self.game = Game::start(self.options.variant);
    }

    /// Changes an option. [`Setting::LogFile`] is for the protocol, which has the lines to be logged.
    ///
    /// # Errors
    /// When memory or threads are lacking; the old value stays.
    pub fn set_option(&mut self, setting: &Setting) -> Result<(), EngineError> {
        match *setting {
            Setting::Hash(mib) => {
                self.finish();
                self.pool.set_hash(mib)?;
                self.options.hash = mib;
            }
            Setting::ClearHash => {
                self.finish();
                self.pool.clear_hash();
            }
            Setting::Threads(threads) => {
                self.finish();
                self.pool.set_threads(threads)?;
                self.options.threads = threads;
            }
            Setting::Variant(variant) => self.set_variant(variant),
            Setting::MultiPv(lines) => self.options.multi_pv = lines,
            Setting::EvalFile(ref path) => self.set_network(path.as_deref())?,
            Setting::BookFile(ref path) => self.set_book(path.as_deref())?,
            Setting::Flag(Id::UseNnue, yes) => {
                self.finish();
                if yes != self.options.use_nnue {
                    // Values of one evaluation are of no use to the other.
                    self.pool.clear();
                }
                self.options.use_nnue = yes;
            }
            Setting::Number(id, number) => self.options.set_number(id, number),
            Setting::Flag(id, yes) => self.options.set_flag(id, yes),
            Setting::LogFile(_) => {}
        }
        Ok(())
    }

    /// Reads a network from a file, or goes back to that of the program.
    fn set_network(&mut self, path: Option<&Path>) -> Result<(), EngineError> {
        let network = match path {
            None => nnue::embedded(),
            Some(path) => {
                let failed = |cause| EngineError::Network { path: path.to_owned(), cause };
                Some(Arc::new(Network::read(path).map_err(failed)?))
            }
        };
        self.finish();
        self.pool.clear();
        self.options.network = network;
        Ok(())
    }

    /// Changes the game that is played: the position becomes its initial one, and what the hash table
    /// and the histories know of the other game is forgotten.
    fn set_variant(&mut self, variant: Variant) {
        self.finish();
        if variant != self.options.variant {
            self.pool.clear();
        }
        self.options.variant = variant;
        self.game = Game::start(variant);
    }

    /// Reads a book from a file, or does without one.
    fn set_book(&mut self, path: Option<&Path>) -> Result<(), EngineError> {
        let read = |path: &Path| {
            Book::read(path).map(Arc::new).map_err(|cause| EngineError::Book { path: path.to_owned(), cause })
        };
        self.options.book = path.map(read).transpose()?;
        Ok(())
    }

    /// A move of the book for a position, if the engine is to play from it and these limits are those of
    /// play: not of analysis, of pondering, of a search for a mate, or of some moves only.
    pub fn book_move(&self, board: &Board, limits: &Limits) -> Option<BookMove> {
        let play = self.options.own_book
            && !self.options.analyse_mode
            && limits.is_bounded(board.side_to_move())
            && !limits.infinite
            && !limits.ponder
            && limits.mate.is_none()
            && limits.search_moves.is_empty();
        let book = self.options.book.as_ref().filter(|_| play)?;
        book.choose(board, crate::rng::entropy())
    }

    /// Begins a search of the present position and returns at once; `listener` hears the rest.
    pub fn go(&mut self, limits: Limits, listener: Arc<dyn Listener>) {
        self.finish();
        let job = Job { game: self.game.clone(), limits, settings: self.options.settings() };
        self.pool.start(job, listener);
    }

    /// Ends the search soon. Without a search nothing happens.
    pub fn stop(&self) {
        if self.pool.is_searching() {
            self.pool.stop();
        }
    }

    /// Tells that the opponent has made the move that the engine ponders on.
    pub fn ponder_hit(&self) {
        if self.pool.is_searching() {
            self.pool.ponder_hit();
        }
    }

    /// Nodes of the search under way, or of the last one.
    pub fn nodes(&self) -> u64 {
        self.pool.nodes()
    }

    /// Whether a search is under way.
    pub fn is_searching(&self) -> bool {
        self.pool.is_searching()
    }

    /// Waits until the search under way, if any, has given its answer.
    pub fn wait(&self) {
        self.pool.wait();
    }

    /// Ends the search under way, if any, and waits for its answer.
    pub fn finish(&self) {
        self.stop();
        self.wait();
    }
}

/// A game that begins with a FEN, or with the initial position of the variant.
pub(super) fn begin(fen: Option<&str>, variant: Variant) -> Result<Game, FenError> {
    Ok(match fen {
        Some(fen) => Game::new(Board::from_fen(fen, variant)?),
        None => Game::start(variant),
    })
}

/// Makes moves in coordinate notation, up to the first one that cannot be made.
pub(super) fn make_moves<'a>(game: &mut Game, moves: impl Iterator<Item = &'a str>) -> Result<(), PositionError> {
    for (index, text) in moves.enumerate() {
        let made = game.board().parse_move(text).and_then(|mv| game.push(mv));
        made.map_err(|cause| PositionError::Move { number: index + 1, text: text.into(), cause })?;
    }
    Ok(())
}
