//! Executes the commands.

use super::task::{self, Perft};
use super::{AUTHOR, Command, Go, Message, NAME};
use crate::board::{Board, Game, Setup, Variant, diagram};
use crate::engine::{Engine, EngineError};
use crate::eval::Evaluator;
use crate::notation::book::BookMove;
use crate::notation::epd::summarise;
use crate::options::{self, Id, Options};
use crate::search::{Listener, Report, params};
use crate::tables::Problem;
use crate::text::{counted, quoted};
use crate::types::Move;
use crate::{attacks, nnue};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The commands that a session executes. A program that knows more has a help of its own.
const HELP: &str = "\
uci, isready, setoption, register, ucinewgame, position, go, stop, ponderhit, debug, d, eval, flip, perft, bench,
speedtest, genfens, spsa, version, help";

/// Where a session writes.
pub trait Output: Send + Sync {
    /// Writes one or more lines at once, and adds the last line feed.
    fn line(&self, text: &str);

    /// The text of a message.
    fn format(&self, message: &Message) -> String {
        message.to_string()
    }

    /// Writes a text for the user as `info string`.
    fn note(&self, text: &str) {
        self.line(&format!("info string {text}"));
    }

    /// Writes an error for the user as `info string`.
    fn error(&self, text: &str) {
        self.note(&format!("error: {text}"));
    }

    /// Whether nobody will read what is written from now on.
    fn is_closed(&self) -> bool {
        false
    }
}

/// A UCI session on one thread: only the search may have others.
///
/// Commands that would disturb a running search (`position`, `go`, `ucinewgame`, some options) stop it first and let it
/// print its best move; each `go` has exactly one `bestmove`.
pub struct Session {
    /// What searches.
    pub engine: Engine,
    /// The game of the last `position`.
    game: Game,
    pub(super) output: Arc<dyn Output>,
    /// How perft counts: by default on one thread.
    pub perft: Perft,
    /// Whether positions may change the variant, because it was not selected explicitly: a position that is legal only
    /// in the other variant switches to it, until `UCI_Variant` is set. GUIs without a Spartan board do not know that
    /// option.
    pub detects_variant: bool,
    /// The initial variant, which is the default of the option.
    default_variant: Variant,
    debug: bool,
}

impl Session {
    /// A session at the start of a game.
    pub fn new(mut engine: Engine, variant: Variant, output: Arc<dyn Output>) -> Self {
        let set = engine.set_option(Id::Variant.name(), variant.name());
        debug_assert!(set.is_ok(), "{variant:?} is a variant");
        Self {
            engine,
            game: Game::start(variant),
            output,
            perft: task::divide,
            detects_variant: false,
            default_variant: variant,
            debug: false,
        }
    }

    /// Executes a command. A search continues in the background if the engine has threads of its own; other work is
    /// done on return.
    pub fn execute(&mut self, command: Command) {
        let done = match command {
            // There is nothing to wait for, and only the program can end.
            Command::Nothing | Command::Wait | Command::Quit => return,
            Command::Uci => return self.identify(),
            Command::Debug(on) => return self.debug = on,
            Command::IsReady => return self.output.line(&self.output.format(&Message::ReadyOk)),
            Command::Register => return self.output.note("no registration is needed"),
            Command::NewGame => return self.new_game(),
            Command::Go(go) => return self.go(*go),
            Command::Stop => return self.engine.searcher().stop(),
            Command::PonderHit => return self.engine.searcher().ponder_hit(),
            Command::Display => return self.output.line(&self.describe()),
            Command::Version => {
                let about = about(self.engine.settings().network.as_ref().map(|network| network.name()));
                return self.output.line(&format!("{NAME} by {AUTHOR}\n{about}"));
            }
            Command::Help => return self.output.line(HELP),
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Eval(fen) => self.eval(fen.as_deref()),
            Command::Flip => self.flip(),
            Command::Spsa(names) => self.spsa(&names),
            Command::Task(task) => {
                self.engine.stop_and_wait();
                // The caller may set it, as in a search on this thread.
                let stop = self.engine.searcher().stop_flag();
                stop.store(false, Ordering::Relaxed);
                self.work(task).map(|work| work(&stop))
            }
            Command::ExportNet(_) | Command::Xboard => Err("this command is not available here".to_owned()),
        };
        if let Err(error) = done {
            self.output.error(&error);
        }
    }

    fn identify(&self) {
        let defaults = Options { variant: self.default_variant, ..Options::default() };
        let format = |message: &Message| self.output.format(message) + "\n";
        let mut text = format(&Message::Name(NAME)) + &format(&Message::Author(AUTHOR)) + "\n";
        for &id in Id::ALL {
            text += &format(&Message::Option { id, defaults: &defaults });
        }
        #[cfg(feature = "tune")]
        for params::Param { name, default, min, max } in params::TABLE {
            let prefix = params::OPTION_PREFIX;
            let _ = writeln!(text, "option name {prefix}{name} type spin default {default} min {min} max {max}");
        }
        self.output.line(&(text + &self.output.format(&Message::UciOk)));
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        #[cfg(feature = "tune")]
        if let Some(param) = name.strip_prefix(params::OPTION_PREFIX) {
            let set = value.parse().is_ok_and(|value| params::set(param, value));
            let error = || format!("unknown parameter or invalid value: {} {}", quoted(name), quoted(value));
            return set.then_some(()).ok_or_else(error);
        }
        if options::is_ignored(name, value) {
            return Ok(());
        }
        let result = self.engine.set_option(name, value);
        let tables = &self.engine.settings().tables;
        if name.eq_ignore_ascii_case(Id::TablePath.name()) && !tables.is_empty() {
            let files = counted(tables.len(), "endgame table", "endgame tables");
            let men = tables.max_men();
            self.output.note(&format!("{files} of up to {men} men, {} MiB", tables.bytes() >> 20));
        } else if name.eq_ignore_ascii_case(Id::TablePath.name()) && value == options::AUTO {
            self.output.note("there are no endgame tables; the command 'agoge tables' makes them");
        }
        match result.map_err(|error| error.to_string())? {
            Id::Variant => {
                self.detects_variant = false;
                let variant = self.engine.options().variant;
                self.game = Game::start(variant);
                self.output.note(&variant_line(variant));
            }
            Id::BookFile if self.engine.book().is_some() => {
                let (positions, errors) = self.engine.book().map_or((0, &[][..]), |book| (book.len(), book.errors()));
                self.output.note(&format!("the book has {}", counted(positions, "position", "positions")));
                summarise(errors).iter().for_each(|line| self.output.note(line));
            }
            id if self.debug => self.output.note(&format!("set {} to {}", id.name(), self.engine.options().text(id))),
            _ => {}
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.engine.new_game();
        self.game = Game::start(self.engine.options().variant);
    }

    /// Replaces the game, after the running search.
    fn set_game(&mut self, game: Game) {
        self.engine.stop_and_wait();
        self.game = game;
    }

    /// Sets up a position. If only a move is invalid, the moves before it are made.
    fn set_position(&mut self, fen: Option<&str>, moves: &str) -> Result<(), String> {
        let before = self.engine.options().variant;
        let error = match read_game(before, fen, moves) {
            Err(error) => error,
            Ok((game, made)) => {
                self.set_game(game);
                let Err(error) = made else { return Ok(()) };
                error
            }
        };
        let Some(other) = self.other_variant() else { return Err(error) };
        let Ok((game, Ok(()))) = read_game(other, fen, moves) else { return Err(error) };
        self.engine.set_option(Id::Variant.name(), other.name()).map_err(|error| error.to_string())?;
        self.game = game;
        let (before, name) = (before.name(), other.name());
        self.output.note(&format!("this is {name}, not {before}: UCI_Variant is {name} from now on"));
        self.output.note(&variant_line(other));
        Ok(())
    }

    /// The variant to try if a position is illegal in the current one.
    fn other_variant(&self) -> Option<Variant> {
        let current = self.engine.options().variant;
        Variant::ALL.into_iter().find(|&variant| self.detects_variant && variant != current)
    }

    /// The position of a command, or the current one.
    pub(super) fn board(&self, fen: Option<&str>) -> Result<Board, String> {
        let Some(fen) = fen else { return Ok(self.game.board().clone()) };
        let read = Board::from_fen(fen, self.engine.options().variant).or_else(|error| {
            let other = self.other_variant().and_then(|variant| Board::from_fen(fen, variant).ok());
            other.ok_or(error)
        });
        read.map_err(|error| error.to_string())
    }

    /// Starts a search. If the engine has no threads of its own, it has ended on return.
    pub fn go(&mut self, go: Go) {
        if let Err(error) = self.engine.settings().check_network(self.game.board().variant()) {
            self.output.error(error);
            // The GUI still expects a move.
            self.engine.stop_and_wait();
            let best = self.game.board().legal_moves().first().copied();
            return self.output.line(&self.output.format(&Message::BestMove { best, ponder: None }));
        }
        let (limits, errors) = go.into_limits(self.game.board());
        for error in &errors {
            self.output.error(error);
        }
        if self.debug {
            self.output.note(&format!("{limits:?}"));
        }
        // The `bestmove` of an earlier `go` comes first.
        self.engine.stop_and_wait();
        if let Some(BookMove { mv, weight }) = self.engine.book_move(self.game.board(), &limits) {
            let answer = self.output.format(&Message::BestMove { best: Some(mv), ponder: None });
            return self.output.line(&format!("info string book move {mv}, weight {weight}\n{answer}"));
        }
        let show_wdl = self.engine.options().show_wdl;
        let printer = Printer { output: Arc::clone(&self.output), show_wdl };
        self.engine.go(&self.game, limits, Arc::new(printer));
    }

    /// Swaps the colours in orthodox chess. The armies of Spartan Chess differ, so its board is mirrored instead.
    fn flip(&mut self) -> Result<(), String> {
        let board = self.game.board();
        let loses_castling = board.variant() == Variant::Spartan && !board.castling().is_empty();
        let setup = Setup::from(board);
        let flipped = match setup.variant {
            Variant::Spartan => setup.mirrored(),
            Variant::Chess => setup.swapped(),
        };
        let flipped = Board::try_from(&flipped).map_err(|error| error.to_string())?;
        self.set_game(Game::new(flipped));
        if loses_castling {
            self.output.note("left and right are mirrored; White has lost its castling rights");
        }
        Ok(())
    }

    fn eval(&self, fen: Option<&str>) -> Result<(), String> {
        let board = self.board(fen)?;
        self.engine.settings().check_network(board.variant())?;
        let mut evaluator = Evaluator::default();
        evaluator.prepare(self.engine.settings().network(), board.variant());
        let mut text = evaluator.explain(&board);
        if let Some(line) = self.exact_value(&board) {
            text = format!("{}\n\n{line}", text.trim_end());
        }
        self.output.line(text.trim_end());
        Ok(())
    }

    /// The line about the value of a position in the endgame tables.
    fn exact_value(&self, board: &Board) -> Option<String> {
        let value = self.engine.settings().tables_for(board).value(board)?;
        Some(format!("Tables: {}", value.describe(board.halfmove_clock())))
    }

    /// The position in readable form.
    fn describe(&self) -> String {
        let board = self.game.board();
        let mut moves: Vec<String> = board.legal_moves().iter().map(Move::to_string).collect();
        moves.sort_unstable();
        let mut text = diagram(board);
        let _ = writeln!(text, "\nFen: {}", board.to_fen());
        let _ = writeln!(text, "Key: {:016X}", board.key());
        let _ = writeln!(text, "Check: {}", if board.in_check() { "yes" } else { "no" });
        let _ = writeln!(text, "Legal moves: {}", moves.join(" "));
        if let Some(line) = self.exact_value(board) {
            let _ = writeln!(text, "{line}");
        }
        let outcome = self.game.outcome().map_or_else(|| "-".to_owned(), |outcome| outcome.to_string());
        let _ = write!(text, "State: {outcome}");
        text
    }

    /// Prints search parameters for OpenBench.
    fn spsa(&self, names: &str) -> Result<(), String> {
        if cfg!(not(feature = "tune")) {
            return Err("the search parameters are fixed: build with --features tune".to_owned());
        }
        let names: Vec<&str> = names.split_ascii_whitespace().collect();
        let text = params::openbench_inputs(&names);
        let text = text.map_err(|name| format!("unknown search parameter {}", quoted(name)))?;
        self.output.line(text.trim_end());
        Ok(())
    }
}

/// A game from a FEN, or from the initial position of the variant, with moves up to the first invalid one, and the
/// error of that. Errors are messages for the user.
fn read_game(variant: Variant, fen: Option<&str>, moves: &str) -> Result<(Game, Result<(), String>), String> {
    let mut game = match fen {
        Some(fen) => Game::new(Board::from_fen(fen, variant).map_err(|error| error.to_string())?),
        None => Game::start(variant),
    };
    for (index, text) in moves.split_ascii_whitespace().enumerate() {
        if let Err(error) = game.board().parse_move(text).and_then(|mv| game.push(mv)) {
            let (number, text) = (index + 1, quoted(text));
            return Ok((game, Err(format!("move {number} {text} is {error}; the moves before it were made"))));
        }
    }
    Ok((game, Ok(())))
}

/// Prints the output of a search.
struct Printer {
    output: Arc<dyn Output>,
    show_wdl: bool,
}

impl Printer {
    fn print(&self, message: &Message) {
        self.output.line(&self.output.format(message));
    }
}

impl Listener for Printer {
    fn report(&self, report: &Report) {
        self.print(&Message::Info { report, show_wdl: self.show_wdl });
    }

    fn current_move(&self, depth: u32, mv: Move, number: usize) {
        self.print(&Message::CurrentMove { depth, mv, number });
    }

    fn tables_failed(&self, problems: Vec<Problem>) {
        self.output.error(&EngineError::Tables(problems).to_string());
    }

    fn best_move(&self, best: Option<Move>, ponder: Option<Move>) {
        self.print(&Message::BestMove { best, ponder });
    }
}

/// What the engine uses on this machine, and the name of the network, if any.
pub fn about(network: Option<&str>) -> String {
    let (level, network) = (nnue::Kernels::best().level(), network.unwrap_or("none"));
    format!("SIMD level: {level}\nslider attacks: {}\nnetwork: {network}", attacks::SLIDERS)
}

/// The description of a variant in the format of Fairy-Stockfish, which its tools expect.
fn variant_line(variant: Variant) -> String {
    let template = match variant {
        Variant::Spartan => "fairy",
        Variant::Chess => "chess",
    };
    let (name, fen) = (variant.name(), variant.start_fen());
    format!("variant {name} files 8 ranks 8 pocket 0 template {template} startpos {fen}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::parse;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Mutex, PoisonError};

    /// Keeps the lines, and stops the search after depth 5, as a caller may do at any time.
    #[derive(Default)]
    struct Recorder {
        lines: Mutex<Vec<String>>,
        stop: Mutex<Option<Arc<AtomicBool>>>,
    }

    fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Output for Recorder {
        fn line(&self, text: &str) {
            lock(&self.lines).extend(text.lines().map(str::to_owned));
            if let (true, Some(stop)) = (text.starts_with("info depth 5 "), &*lock(&self.stop)) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// A session whose search runs on the calling thread.
    struct Client {
        session: Session,
        recorder: Arc<Recorder>,
    }

    impl Client {
        fn new() -> Self {
            let recorder = Arc::<Recorder>::default();
            let engine = Engine::on_this_thread().expect("memory");
            *lock(&recorder.stop) = Some(engine.searcher().stop_flag());
            let session = Session::new(engine, Variant::Spartan, Arc::clone(&recorder) as _);
            Self { session, recorder }
        }

        fn ask(&mut self, line: &str) -> Vec<String> {
            match parse(line) {
                Ok(command) => self.session.execute(command),
                Err(error) => self.recorder.error(&error),
            }
            std::mem::take(&mut lock(&self.recorder.lines))
        }
    }

    /// Two moves mate.
    const MATE: &str = "position fen k1k5/8/1Q6/8/8/8/7R/R2RK3 w - - 0 1";

    fn last(lines: &[String]) -> &str {
        lines.last().map_or("", String::as_str)
    }

    fn mates(lines: &[String]) -> bool {
        ["bestmove h2c2", "bestmove a1a8"].contains(&last(lines))
    }

    #[test]
    fn the_handshake() {
        let mut client = Client::new();
        let lines = client.ask("uci");
        assert!(lines[0].starts_with("id name Agoge ") && last(&lines) == "uciok", "{lines:?}");
        assert!(lines.iter().any(|line| line.starts_with("option name UCI_Variant ")), "{lines:?}");
        assert_eq!(client.ask("isready"), ["readyok"]);
        for silent in ["", "ucinewgame", "stop", "ponderhit", "quit", "setoption name UCI_ShowWDL value true"] {
            assert!(client.ask(silent).is_empty(), "{silent}");
        }
        for text in ["help", "version", "d", "eval"] {
            assert!(client.ask(text).len() > 1, "{text}");
        }
    }

    #[test]
    fn a_search_finds_a_duple_checkmate() {
        let mut client = Client::new();
        client.ask("setoption name UCI_ShowWDL value true");
        for go in ["go depth 3", "go mate 1"] {
            client.ask(MATE);
            let lines = client.ask(go);
            assert!(mates(&lines), "{lines:?}");
            assert!(lines.iter().any(|line| line.contains(" score mate 1 wdl 1000 0 0 ")), "{lines:?}");
        }
        client.ask(&format!("{MATE} moves h2c2"));
        assert_eq!(last(&client.ask("go depth 3")), "bestmove (none)");
        client.ask("position startpos");
        assert!(last(&client.ask("go depth 2 searchmoves a2a3")).starts_with("bestmove a2a3"));
    }

    #[test]
    fn the_caller_stops_a_search() {
        let mut client = Client::new();
        for go in ["go infinite", "go ponder", "go"] {
            assert!(last(&client.ask(go)).starts_with("bestmove "), "{go}");
        }
        // It may not stop the next one.
        let lines = client.ask("go depth 4");
        assert!(lines.iter().any(|line| line.starts_with("info depth 4 ")), "{lines:?}");
    }

    #[test]
    fn options_apply() {
        let mut client = Client::new();
        client.ask("setoption name MultiPV value 3");
        let lines = client.ask("go depth 2");
        for rank in 1..=3 {
            assert!(lines.iter().any(|line| line.contains(&format!(" multipv {rank} "))), "{lines:?}");
        }
        client.ask("setoption name MultiPV value 1");
        client.ask("setoption name Hash value 1");
        client.ask("setoption name Threads value 2");
        client.ask("setoption name Skill Level value 0");
        client.ask("go movetime 100000");
        assert!(client.session.engine.searcher().nodes() < 1000);
        client.ask("setoption name UCI_Variant value chess");
        client.ask("position startpos moves e2e4 e7e5");
        assert!(last(&client.ask("go nodes 500")).starts_with("bestmove "));
    }

    #[test]
    fn bad_input_is_reported_and_changes_nothing() {
        let mut client = Client::new();
        client.ask(MATE);
        for bad in [
            "xyzzy",
            "xboard",
            "export_net",
            "position fen 8/8 w",
            "setoption name Colour value red",
            "setoption name UCI_Variant value atomic",
            "setoption name EvalFile value /nowhere",
            "perft 1 8/8 w",
        ] {
            let lines = client.ask(bad);
            assert!(lines.len() == 1 && lines[0].starts_with("info string error: "), "{bad}: {lines:?}");
            assert!(mates(&client.ask("go depth 2")), "{bad}");
        }
    }

    #[test]
    fn tasks_print_their_results() {
        let mut client = Client::new();
        let lines = client.ask("perft 3");
        assert!(lines.len() == 23 && last(&lines) == "Nodes searched: 14244", "{lines:?}");
        let bench = client.ask("bench 1");
        let words: Vec<&str> = last(&bench).split(' ').collect();
        assert!(words[0].parse::<u64>().is_ok_and(|nodes| nodes > 100) && words[1] == "nodes", "{bench:?}");
        assert_eq!(last(&client.ask("bench 1 2")).split(' ').next(), Some(words[0]));
    }

    #[test]
    fn variant_lines_match_fairy_stockfish() {
        assert_eq!(
            variant_line(Variant::Spartan),
            "variant spartan files 8 ranks 8 pocket 0 template fairy startpos \
             lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
        );
    }
}
