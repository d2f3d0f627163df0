//! The engine without a protocol: the options, what they load, and the search.

use crate::board::{Board, Game};
use crate::files::{self, to_text};
use crate::nnue::{self, Network, NetworkError};
use crate::notation::book::{self, Book, BookMove};
use crate::options::{AUTO, Id, OptionError, Options};
use crate::rng;
use crate::search::{Limits, Listener, PoolError, Searcher, Settings};
use crate::tables::{Problem, Tables};
use crate::text::{printable, quoted};
use crate::theory::Theory;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The engine without a protocol and without a game, which belongs to the session.
///
/// Methods that change what a running search uses first stop it and let it report its best move: each search reports
/// exactly one.
pub struct Engine {
    searcher: Searcher,
    /// The book of the user.
    book: Option<Book>,
    /// The opening theory, read when it is first used.
    theory: Option<Theory>,
    /// What the options do outside of the engine.
    pub host: Box<dyn Host>,
}

/// What the program around an engine does for it. `()` does nothing.
pub trait Host: Send {
    /// Writes the log to a file from now on, or ends it.
    ///
    /// # Errors
    /// If the file cannot be written; the error is a message for the user.
    fn set_log(&self, _path: Option<&Path>) -> Result<(), String> {
        Ok(())
    }

    /// Checks the memory for a hash table of `mib` MiB once an old one of `old_mib` MiB is freed. Most systems promise
    /// more memory than they have.
    ///
    /// # Errors
    /// If there is not enough.
    fn check_memory(&self, _mib: usize, _old_mib: usize) -> Result<(), PoolError> {
        Ok(())
    }

    /// Reads a file of at most `limit` bytes that an option names. By default the system does.
    ///
    /// # Errors
    /// If it cannot be read or is larger.
    fn read_file(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        files::read_file(path, limit)
    }

    /// The folder of the tables that the program has made for the user, if there are any.
    fn tables_folder(&self) -> Option<PathBuf> {
        None
    }

    /// The compact form of the opening theory, if the program has it.
    fn theory(&self) -> Option<&'static [u8]> {
        None
    }
}

impl Host for () {}

/// Why an option could not be changed. Its old value is kept.
#[derive(Debug)]
pub enum EngineError {
    /// There is no such option, or it does not take the value.
    Option(OptionError),
    /// There is not enough memory, or a thread could not be started.
    Pool(PoolError),
    /// A file cannot be used: a message for the user.
    File(String),
    /// Some folders or files of the endgame tables cannot be used; the others are.
    Tables(Vec<Problem>),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(error) => error.fmt(f),
            Self::Pool(error) => error.fmt(f),
            Self::File(error) => f.write_str(error),
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
        }
    }
}

impl std::error::Error for EngineError {}

impl From<OptionError> for EngineError {
    fn from(error: OptionError) -> Self {
        Self::Option(error)
    }
}

impl From<PoolError> for EngineError {
    fn from(error: PoolError) -> Self {
        Self::Pool(error)
    }
}

impl Engine {
    /// An engine with default options that searches on threads of its own.
    ///
    /// # Errors
    /// If there is not enough memory for the hash table, or a thread cannot be started.
    pub fn new() -> Result<Self, PoolError> {
        let Options { threads, hash, .. } = Options::default();
        Searcher::new(threads as usize, hash as usize).map(Self::with_searcher)
    }

    /// An engine with default options that searches on the calling thread, and with further threads if it is told to:
    /// [`Self::go`] returns when the search has ended. The calling thread needs a stack of
    /// [`STACK_SIZE`](crate::search::STACK_SIZE) bytes.
    ///
    /// # Errors
    /// If there is not enough memory for the hash table.
    pub fn on_this_thread() -> Result<Self, PoolError> {
        Searcher::on_this_thread(Options::default().hash as usize).map(Self::with_searcher)
    }

    fn with_searcher(searcher: Searcher) -> Self {
        Self { searcher, book: None, theory: None, host: Box::new(()) }
    }

    /// The searches: to stop and to wait for them.
    pub fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// How the next search is done.
    pub fn settings(&self) -> &Settings {
        &self.searcher.settings
    }

    /// The values of all options.
    pub fn options(&self) -> &Options {
        &self.settings().options
    }

    /// The book of the user.
    pub fn book(&self) -> Option<&Book> {
        self.book.as_ref()
    }

    /// Whether there is a book: that of the user, or the opening theory if it is used.
    pub fn has_book(&self) -> bool {
        self.book.is_some() || self.theory.is_some()
    }

    /// The book moves of a position with their weights; empty if it is not in the book.
    pub fn book_moves(&self, board: &Board) -> Vec<BookMove> {
        match (&self.book, &self.theory) {
            (Some(book), _) => book.moves(board).to_vec(),
            (None, Some(theory)) => {
                theory.get(board).map(|known| known.book_moves(self.options().book_variety)).unwrap_or_default()
            }
            (None, None) => Vec::new(),
        }
    }

    /// Sets an option by name to a value as text. Returns which it was.
    ///
    /// # Errors
    /// If there is no such option, or it does not take the value, there is not enough memory, a thread cannot be
    /// started, or a file cannot be used; the old value is kept. Endgame tables are the exception: the usable ones are
    /// kept.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<Id, EngineError> {
        let mut new = self.options().clone();
        let id = new.set(name, value)?;
        self.react(id, &new)?;
        self.searcher.settings.options = new;
        Ok(id)
    }

    /// Does what a new value of an option requires.
    fn react(&mut self, id: Id, new: &Options) -> Result<(), EngineError> {
        let unusable = |what, path: &Path, cause: &dyn fmt::Display| {
            EngineError::File(format!(
                "the {what} {} cannot be used: {cause}",
                quoted(&to_text(path.as_os_str().as_encoded_bytes()))
            ))
        };
        match id {
            Id::Hash => {
                self.stop_and_wait();
                self.host.check_memory(new.hash as usize, self.options().hash as usize)?;
                self.searcher.set_hash(new.hash as usize)?;
            }
            Id::ClearHash => {
                self.stop_and_wait();
                self.searcher.clear_hash();
            }
            Id::Threads => {
                self.stop_and_wait();
                self.searcher.set_threads(new.threads as usize)?;
            }
            Id::Variant | Id::UseNnue => {
                self.stop_and_wait();
                // Values of one variant, or of one evaluation, are useless to the other.
                if (new.variant, new.use_nnue) != (self.options().variant, self.options().use_nnue) {
                    self.searcher.clear();
                }
            }
            Id::EvalFile => {
                let read = |path: &PathBuf| {
                    let bytes = self.host.read_file(path, nnue::MAX_FILE);
                    let bytes = bytes.map_err(|error| NetworkError::Unreadable(error.to_string()));
                    let network = bytes.and_then(|bytes| Network::from_bytes(&bytes));
                    network.map(Arc::new).map_err(|cause| unusable("network", path, &cause))
                };
                let network = new.eval_file.as_ref().map(read).transpose()?;
                self.set_network(network.or_else(nnue::embedded));
            }
            Id::OwnBook if new.own_book && self.theory.is_none() => {
                let theory = self.host.theory().map(Theory::from_bytes).transpose();
                self.theory = theory.map_err(EngineError::File)?;
            }
            Id::BookFile => {
                let read = |path: &PathBuf| {
                    let bytes = self.host.read_file(path, book::MAX_BYTES).map_err(|error| error.to_string());
                    bytes.and_then(|bytes| Book::from_bytes(&bytes)).map_err(|cause| unusable("book", path, &cause))
                };
                self.book = new.book_file.as_ref().map(read).transpose()?;
            }
            Id::TablePath => {
                self.stop_and_wait();
                // It may have values that were estimated without the tables.
                self.searcher.clear_hash();
                let (tables, problems) = match &new.table_path {
                    Some(path) if path.as_os_str() == AUTO => Tables::open_folders(self.host.tables_folder()),
                    Some(path) => Tables::open(path.as_os_str()),
                    None => (Tables::default(), Vec::new()),
                };
                self.searcher.settings.tables = Arc::new(tables);
                self.searcher.settings.options.table_path.clone_from(&new.table_path);
                if !problems.is_empty() {
                    return Err(EngineError::Tables(problems));
                }
            }
            Id::LogFile => self.host.set_log(new.log_file.as_deref()).map_err(EngineError::File)?,
            _ => {}
        }
        Ok(())
    }

    /// Changes the network for Spartan Chess. The option `EvalFile` does it, too.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.stop_and_wait();
        self.searcher.clear();
        self.searcher.settings.network = network;
    }

    /// Clears the hash table and the histories, for a new game.
    pub fn new_game(&mut self) {
        self.stop_and_wait();
        self.searcher.clear();
    }

    /// A book move for a position, if the book is enabled and the limits are those of a game: not of analysis,
    /// pondering, a search for a mate, or a search of selected moves.
    pub fn book_move(&self, board: &Board, limits: &Limits) -> Option<BookMove> {
        let play = self.options().own_book
            && !self.options().analyse_mode
            && limits.is_bounded(board.side_to_move())
            && !limits.infinite
            && !limits.ponder
            && limits.mate.is_none()
            && limits.search_moves.is_empty();
        if play { book::choose(&self.book_moves(board), rng::entropy()) } else { None }
    }

    /// Starts a search of the current position of a game and returns at once, unless it searches on this thread.
    /// `listener` receives its output.
    pub fn go(&mut self, game: &Game, limits: Limits, listener: Arc<dyn Listener>) {
        self.stop_and_wait();
        self.searcher.start(game.clone(), limits, listener);
    }

    /// Stops the running search, if any, and waits until it has reported its best move.
    pub fn stop_and_wait(&self) {
        self.searcher.stop();
        self.searcher.wait();
    }
}
