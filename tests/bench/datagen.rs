//! End-to-end tests of `datagen`.

#[cfg(unix)]
use crate::common::Running;
use crate::common::{ENGINE, bench, text};
use agoge_bench::data::record::{GameRecord, Reader};
use agoge_core::board::{Board, Variant};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A temporary directory for one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for the test"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A `datagen` command that runs in the directory.
    fn command(&self, line: &str) -> Command {
        let mut command = bench("datagen");
        command.args(line.split_ascii_whitespace()).current_dir(self.0.path());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("the generator runs")
    }

    /// Runs a command that must succeed and returns its stdout.
    fn succeed(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Runs a command that must exit with a status and returns its stderr.
    fn fail(&self, line: &str, status: i32) -> String {
        let output = self.run(line);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{line}: {message}");
        assert!(!message.contains("panicked"), "{message}");
        message
    }
}

/// The names of unfinished files.
fn unfinished(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.0.path()).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(".tmp")).collect()
}

/// Options for small games of all kinds.
const SMALL: &str = "--nodes 200 --hash 1 --openings book.epd --endgame-share 0.4 --midgame-share 0.1 --win-score 1000";

const BOOK: &str = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1\n";

/// A directory with a book.
fn folder() -> Folder {
    let folder = Folder::new();
    fs::write(folder.path("book.epd"), BOOK).expect("a book");
    folder
}

fn games(path: &Path) -> Vec<GameRecord> {
    let reader = Reader::open(path).expect("a file of games");
    reader.collect::<Result<_, _>>().expect("whole games")
}

/// The games of a file by number, which must be unique.
fn by_number(path: &Path) -> BTreeMap<u64, GameRecord> {
    let games = games(path);
    let count = games.len();
    let map: BTreeMap<u64, GameRecord> = games.into_iter().map(|game| (game.number, game)).collect();
    assert_eq!(map.len(), count);
    map
}

#[test]
fn games_depend_on_the_seed_and_not_on_the_threads() {
    let folder = folder();
    folder.succeed(&format!("play --out one --games 24 --seed 5 --threads 1 {SMALL}"));
    folder.succeed(&format!("play --out two --games 24 --seed 5 --threads 3 {SMALL}"));
    folder.succeed(&format!("play --out other --games 24 --seed 6 --threads 2 {SMALL}"));
    let (one, two, other) =
        (by_number(&folder.path("one")), by_number(&folder.path("two")), by_number(&folder.path("other")));
    assert_eq!(one.len(), 24);
    assert!(one == two && one != other);
    let mut starts: Vec<u64> = one.values().map(|game| game.start.key()).collect();
    starts.sort_unstable();
    starts.dedup();
    assert_eq!(starts.len(), 24);
    assert!(one.values().all(|game| game.check().is_ok() && !game.plies.is_empty()));
    assert!(folder.succeed("verify one two other").contains("one: 24 games"));

    // A longer run contains the games of a shorter one, and resuming a finished file changes nothing.
    folder.succeed(&format!("play --out one --games 30 --seed 5 --threads 2 --resume {SMALL}"));
    let longer = by_number(&folder.path("one"));
    assert_eq!(longer.len(), 30);
    assert!(two.iter().all(|(number, game)| longer.get(number) == Some(game)));
    let bytes = fs::read(folder.path("one")).expect("a file");
    folder.succeed(&format!("play --out one --games 30 --seed 5 --resume {SMALL}"));
    assert_eq!(fs::read(folder.path("one")).expect("a file"), bytes);
}

#[test]
fn the_target_can_be_positions_and_the_variant_chess() {
    let folder = folder();
    let output = folder.succeed(
        "play --out chess --positions 300 --seed 2 --nodes 150 --hash 1 --variant chess --midgame-share 0.3 --threads 2",
    );
    let games = games(&folder.path("chess"));
    assert!(games.iter().map(|game| game.plies.len()).sum::<usize>() >= 300, "{output}");
    assert!(games.iter().all(|game| game.variant() == Variant::Chess && game.check().is_ok()));
    assert!(output.contains("per second"), "{output}");
}

#[test]
fn a_run_tells_its_settings_first() {
    let folder = folder();
    let play = format!("play --out games --games 2 --seed 5 --threads 1 {SMALL}");
    for run in [play.clone(), format!("{play} --resume"), play.replace("--out games", "--out other --hand-made")] {
        let stderr = text(&folder.run(&run).stderr);
        let first = stderr.lines().next().unwrap_or_default();
        let evaluation = if run.contains("--hand-made") { "hand-made evaluation" } else { "network agoge-" };
        assert!(first.contains("plain evaluation below halfmove clock 20"), "{stderr}");
        assert!(first.contains("nodes 200 to ") && first.contains(evaluation), "{stderr}");
    }
}

/// Starts a long run and waits until it has written some games.
#[cfg(unix)]
fn start_long_run(folder: &Folder, games: u32, wanted: usize) -> Running {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let line = format!("play --out long --games {games} --seed 9 --threads 2 --resume {SMALL}");
    let program = folder.command(&line);
    let mut command = Command::new("sh");
    // As under `nohup`.
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(program.get_program()).args(program.get_args());
    let child = command.current_dir(&folder.0).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = Running(child.expect("the generator runs"));
    let path = folder.path("long");
    let begin = Instant::now();
    let count = || Reader::open(&path).map_or(0, |reader| reader.filter(Result::is_ok).count());
    while count() < wanted && child.0.try_wait().expect("a child").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(120), "no games");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
#[cfg(unix)]
fn a_killed_run_loses_no_finished_game_and_resumes() {
    let folder = folder();
    folder.succeed(&format!("play --out whole --games 40 --seed 9 --threads 1 {SMALL}"));
    let mut before = 0;
    for wanted in [5, 15] {
        let child = start_long_run(&folder, 40, wanted);
        drop(child);
        // An incomplete block must do no harm.
        let mut bytes = fs::read(folder.path("long")).expect("a file");
        let found = Reader::open(&folder.path("long")).expect("a header").filter(Result::is_ok).count();
        assert!(found >= wanted.max(before));
        before = found;
        bytes.extend(b"GAME\x01\x00");
        fs::write(folder.path("long"), bytes).expect("a file");
    }
    let output = folder.run(&format!("play --out long --games 40 --seed 9 --threads 2 --resume {SMALL}"));
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("removed 6 bytes after the last whole game"), "{}", text(&output.stderr));
    assert_eq!(by_number(&folder.path("long")), by_number(&folder.path("whole")));
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_ends_cleanly() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let folder = folder();
    let mut child = start_long_run(&folder, 100_000, 3);
    let signal = |child: &Running, signal| kill(Pid::from_raw(child.0.id() as i32), signal).expect("a signal");
    signal(&child, Signal::SIGHUP);
    // It goes on, and only one process may write to a file at a time.
    let message = folder.fail(&format!("play --out long --games 40 --seed 9 --resume {SMALL}"), 2);
    assert!(message.contains("another program is writing to it"), "{message}");
    signal(&child, Signal::SIGINT);
    assert_eq!(child.0.wait().expect("an end").code(), Some(130));
    folder.succeed("verify long");
    assert!(by_number(&folder.path("long")).len() < 100_000);
}

#[test]
fn a_truncated_file_is_resumed_and_a_damaged_one_is_not() {
    let folder = folder();
    let play = format!("play --out games --games 6 --seed 3 --threads 1 {SMALL}");
    folder.succeed(&play);
    let path = folder.path("games");
    let whole = fs::read(&path).expect("a file");
    let before = by_number(&path);

    File::options().write(true).open(&path).expect("a file").set_len(whole.len() as u64 - 3).expect("a cut");
    assert!(folder.fail("verify games", 1).contains("the file ends within the block at byte"));
    assert!(folder.run("stats games").status.success());
    folder.succeed(&format!("{play} --resume"));
    assert_eq!(by_number(&path), before);
    assert_eq!(fs::read(&path).expect("a file"), whole);

    // After a power failure the end may be zeros or something else.
    let last = whole.len() - 40;
    for (name, torn) in [
        ("zeros", [&whole[..], &vec![0; 70_000]].concat()),
        ("a zero", [&whole[..], &[0]].concat()),
        ("text", [&whole[..], "GAME over".as_bytes()].concat()),
        ("a part of a game and zeros", [&whole[..last], &[0; 40]].concat()),
        ("a game without its end, and zeros", [&whole[..last], &[0; 4096]].concat()),
        ("a part of a game and text", [&whole[..last], &b"x".repeat(100)].concat()),
    ] {
        fs::write(&path, &torn).expect("a file");
        let output = folder.run(&format!("{play} --resume"));
        let message = text(&output.stderr);
        assert!(output.status.success() && message.contains("bytes after the last whole game"), "{name}: {message}");
        assert_eq!(fs::read(&path).expect("a file"), whole, "{name}");
    }
    for blank in [vec![0; 5000], [&whole[..30], &[0; 5000]].concat(), whole[..30].to_vec()] {
        fs::write(&path, &blank).expect("a file");
        let output = folder.run(&format!("{play} --resume"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let message = format!("removed {} bytes of an incomplete header", blank.len());
        assert!(text(&output.stderr).contains(&message), "{}", text(&output.stderr));
        assert_eq!(fs::read(&path).expect("a file"), whole);
    }

    let mut damaged = whole.clone();
    let middle = whole.len() - whole.len() / 3;
    damaged[middle] ^= 0x10;
    fs::write(&path, &damaged).expect("a file");
    for line in
        ["verify games", "stats games", "merge --out new games", "shuffle --out new games", &format!("{play} --resume")]
    {
        let status = if line.starts_with("verify") { 1 } else { 2 };
        let message = folder.fail(line, status);
        assert!(message.contains("the block at byte") && message.contains("damaged"), "{line}: {message}");
    }
    assert_eq!(fs::read(&path).expect("a file"), damaged);
    assert!(!folder.path("new").exists() && unfinished(&folder).is_empty());

    // Other settings are rejected, because they would give other games.
    fs::write(&path, &whole).expect("a file");
    for other in ["--nodes 300", "--seed 4", "--variant chess --openings none.epd"] {
        let command = match other {
            "--nodes 300" => play.replace("--nodes 200", other),
            "--seed 4" => play.replace("--seed 3", other),
            _ => play.replace("--openings book.epd", "--variant chess"),
        };
        assert!(folder.fail(&format!("{command} --resume"), 2).contains("made with other settings"));
    }
    assert!(folder.fail(&play, 2).contains("--resume"));
    assert_eq!(fs::read(&path).expect("a file"), whole);
}

#[test]
fn files_are_merged_shuffled_and_counted() {
    let folder = folder();
    folder.succeed(&format!("play --out a --games 8 --seed 1 {SMALL}"));
    folder.succeed(&format!("play --out b --games 12 --seed 1 {SMALL}"));
    folder.succeed(&format!("play --out c --games 5 --seed 2 {SMALL}"));
    assert!(folder.succeed("merge --out all a b c").contains("17 games"));
    folder.succeed("merge --out again c b a");
    assert!(folder.succeed("verify all").contains("17 games"));
    let header = Reader::open(&folder.path("all")).expect("a file").header().clone();
    assert_eq!((header.variant, header.seed), (Variant::Spartan, 0));
    assert!(header.settings.starts_with("seed 1: ") && header.settings.contains("\nseed 2: "));
    // A merged file with a single seed can be resumed.
    folder.succeed("merge --out one a b");
    folder.succeed(&format!("play --out one --games 13 --seed 1 --resume {SMALL}"));

    folder.succeed("shuffle --seed 7 --out mixed all");
    folder.succeed("shuffle --seed 7 --out mixed-again again");
    folder.succeed("shuffle --seed 8 --out otherwise all");
    let bytes = |name: &str| {
        let bytes = fs::read(folder.path(name)).expect("a file");
        let games = Reader::open(&folder.path(name)).expect("a file");
        bytes[games.offset() as usize..].to_vec()
    };
    assert_eq!(bytes("mixed"), bytes("mixed-again"));
    assert_ne!(bytes("mixed"), bytes("otherwise"));
    let sorted = |name: &str| {
        let mut games = games(&folder.path(name));
        games.sort_by_key(|game| (game.number, game.start.key()));
        games
    };
    assert_eq!(sorted("mixed"), sorted("all"));
    assert_ne!(games(&folder.path("mixed")), games(&folder.path("all")));

    let counted = folder.succeed("stats a c --svg charts");
    let positions: usize = ["a", "c"].iter().flat_map(|name| games(&folder.path(name))).map(|g| g.plies.len()).sum();
    let row = counted.lines().find(|line| line.trim().starts_with("positions")).expect("a row");
    assert_eq!(row.split_ascii_whitespace().nth(1), Some(positions.to_string().as_str()));
    let late = |board: &Board| board.halfmove_clock() >= 20;
    let mut expected = 0;
    for game in ["a", "c"].iter().flat_map(|name| games(&folder.path(name))) {
        game.replay(|board, _| expected += usize::from(late(board))).expect("legal moves");
    }
    let row = counted.lines().find(|line| line.trim().starts_with("halfmove clock of 20 or more")).expect("a row");
    assert_eq!(row.split_ascii_whitespace().nth(6), Some(expected.to_string().as_str()));
    assert!(folder.fail("stats a --svg charts", 2).contains("lengths.svg: the file exists; --force overwrites it"));
    folder.succeed("stats a c --svg charts --force");
    for name in ["lengths.svg", "men.svg", "scores.svg"] {
        let chart = fs::read_to_string(folder.path("charts").join(name)).expect("a chart");
        assert!(chart.starts_with("<svg") && chart.trim_end().ends_with("</svg>"), "{name}");
    }

    // Nothing is overwritten, and variants are not mixed.
    let all = fs::read(folder.path("all")).expect("a file");
    for line in ["merge --out all a", "shuffle --out all a"] {
        assert!(folder.fail(line, 2).contains("all: the file exists; --force overwrites it"));
    }
    assert_eq!(fs::read(folder.path("all")).expect("a file"), all);
    assert!(folder.succeed("merge --force --out all a").contains("8 games"));
    // Other files beside the new file are left alone.
    fs::write(folder.path("fresh.partial"), "precious").expect("a file");
    folder.succeed("merge --out fresh a");
    assert_eq!(fs::read(folder.path("fresh.partial")).expect("a file"), b"precious");
    folder.succeed("play --out chess --games 1 --nodes 100 --hash 1 --variant chess");
    assert!(folder.fail("merge --out new a chess", 2).contains("chess"));
}

#[test]
fn games_that_violate_the_rules_are_detected() {
    use agoge_bench::data::record::{GameResult, Writer};
    let folder = folder();
    folder.succeed(&format!("play --out games --games 4 --seed 1 {SMALL}"));
    let path = folder.path("games");
    let good = games(&path);
    let header = Reader::open(&path).expect("a file").header().clone();
    let write = |name: &str, change: &dyn Fn(&mut GameRecord)| {
        let mut writer = Writer::create(&folder.path(name), &header).expect("a file");
        for (index, game) in good.iter().enumerate() {
            let mut game = game.clone();
            if index == 2 {
                change(&mut game);
            }
            writer.push(&game).expect("a game");
        }
        writer.finish().expect("a file");
    };
    write("illegal", &|game| game.plies[1] = game.plies[0]);
    write("twice", &|game| *game = good[0].clone());
    write("result", &|game| {
        // King against king is a draw.
        let fen = "2k5/8/8/8/8/8/8/4K3 w - - 0 1";
        game.start = Board::from_fen(fen, Variant::Spartan).expect("a position");
        game.plies.clear();
        game.result = GameResult::WhiteWins;
    });
    assert!(folder.fail("verify games illegal", 1).contains("not legal"));
    assert!(folder.fail("verify twice", 1).contains("twice"));
    assert!(folder.fail("verify result", 1).contains("dead position"));
    assert!(folder.fail("stats illegal", 2).contains("not legal"));
}

#[test]
fn invalid_input_gives_an_error_message() {
    let folder = folder();
    fs::write(folder.path("text"), "no games\n").expect("a file");
    fs::write(folder.path("empty"), "").expect("a file");
    fs::write(folder.path("bad.epd"), "nonsense\n").expect("a file");
    fs::write(folder.path("mate.epd"), "2k5/8/8/8/8/8/8/4K3 w - - 0 1\n").expect("a file");
    for (line, status, words) in [
        ("verify missing", 1, "missing: "),
        ("verify text", 1, "not a file of game records"),
        ("verify empty", 1, "not a file of game records"),
        ("verify .", 1, "directory"),
        ("stats missing", 2, "missing: "),
        ("merge --out new missing", 2, "missing: "),
        ("merge --out new text", 2, "not a file of game records"),
        ("shuffle --out nowhere/new text", 2, "there is no directory nowhere"),
        ("play --out nowhere/new --games 1", 2, "nowhere/new: "),
        ("play --out text --games 1 --resume", 2, "not a file of game records"),
        ("play --out new", 2, "--games"),
        ("play --out new --games 1 --positions 1", 2, "cannot be used"),
        ("play --out new --games 1 --endgame-share 0.9 --midgame-share 0.9", 2, "more than 1"),
        ("play --out new --games 1 --endgame-share=-1", 2, "endgame-share"),
        ("play --out new --games 1 --variant draughts", 2, "spartan or chess"),
        ("play --out new --games 1 --openings missing.epd", 2, "missing.epd"),
        ("play --out new --games 1 --openings bad.epd", 2, "bad.epd"),
        ("play --out new --games 1 --openings mate.epd", 2, "no position to play from"),
        ("play --out new --games 1 --hash 99999999999", 4, ""),
        ("play --games 1", 2, "--out"),
    ] {
        let message = folder.fail(line, status);
        assert!(message.contains(words), "{line}: {message}");
    }
    // An empty file may come from a generator that was killed before it wrote anything.
    folder.succeed(&format!("play --out empty --games 1 --resume {SMALL}"));
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_handled() {
    let folder = folder();
    // A file size limit simulates a full disk.
    let limited = |line: String| {
        let script = "trap '' XFSZ; ulimit -f 4; exec \"$@\"";
        let mut shell = Command::new("sh");
        shell
            .args(["-c", script, "sh", env!("CARGO_BIN_EXE_tested-agoge-bench"), "datagen"])
            .args(line.split_ascii_whitespace());
        shell.current_dir(folder.0.path()).output().expect("a shell")
    };
    let play = format!("play --out games --games 40 --seed 1 {SMALL}");
    let output = limited(play.clone());
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("games: "), "{}", text(&output.stderr));
    let written = by_number(&folder.path("games")).len();
    assert!((1..40).contains(&written));
    folder.succeed(&format!("{play} --resume"));
    assert_eq!(by_number(&folder.path("games")).len(), 40);

    let output = limited("merge --out all games".to_owned());
    assert_eq!(output.status.code(), Some(4));
    assert!(!folder.path("all").exists() && unfinished(&folder).is_empty());
}

#[test]
fn the_tuner_reads_games() {
    let folder = folder();
    folder.succeed(&format!("play --out games --games 12 --seed 1 {SMALL}"));
    let tune = |data: &str, out: &str| {
        let mut command = bench("tune");
        command.args([data, "--epochs", "1", "--threads", "1", "--out", out]).current_dir(folder.0.path());
        command.output().expect("the tuner runs")
    };
    let output = tune("games", "params.rs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("training positions"));
    assert!(folder.path("params.rs").exists());
    fs::write(folder.path("params.rs"), "precious").expect("a file");
    assert!(text(&tune("games", "params.rs").stderr).contains("params.rs: the file exists; --force overwrites it"));
    assert_eq!(fs::read(folder.path("params.rs")).expect("a file"), b"precious");

    folder.succeed("play --out chess --games 1 --nodes 100 --hash 1 --variant chess");
    let output = tune("chess", "none.rs");
    assert!(!output.status.success() && text(&output.stderr).contains("variant chess"));
    assert!(!tune("missing", "none.rs").status.success());
}

/// The games of a match in PGN.
fn match_pgn(folder: &Folder) -> String {
    let mut command = bench("match");
    // Different limits, so that the two games from an opening differ.
    for (name, nodes) in [("one", 300), ("two", 200)] {
        command.args(["--engine", &format!("cmd={ENGINE}"), &format!("name={name}"), &format!("nodes={nodes}")]);
    }
    let options = "--each option.Hash=1 --games 6 --random-plies 6 --seed 3 --resign score=700 count=3 \
                   --max-moves 150 --quiet --pgn match.pgn";
    let output = command.args(options.split_ascii_whitespace()).current_dir(folder.0.path()).output().expect("a match");
    assert!(output.status.success(), "{}", text(&output.stderr));
    fs::read_to_string(folder.path("match.pgn")).expect("games")
}

/// Games as OpenBench's client writes them in its compact form: few tags, and for each move the score and the depth.
fn openbench_games(pgn: &str) -> Vec<String> {
    let mut reader = agoge_core::notation::pgn::Reader::new(pgn.as_bytes());
    let mut games = Vec::new();
    while let Some(game) = reader.next_game() {
        let mut text = String::new();
        for tag in ["Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "TimeControl", "Variant"] {
            text += &game.tag(tag).map_or_else(String::new, |value| format!("[{tag} \"{value}\"]\n"));
        }
        text += "[ScaleFactor \"1.0\"]\n\n";
        for mv in &game.moves {
            let comment = mv.remarks.trim_matches(['{', '}']).split(' ').next().expect("a comment");
            text += &format!("{} {{{comment}}} ", mv.san);
        }
        games.push(format!("{text}{}\n", game.result()));
    }
    games
}

#[test]
fn games_of_openbench_are_imported() {
    let folder = folder();
    let pgn = match_pgn(&folder);
    // The limits are wide, so that also draws by the number of moves are accepted.
    let limits = "--win-score 300 --draw-score 20000";
    let output = folder.succeed(&format!("import --out direct {limits} match.pgn"));
    assert!(output.starts_with("6 games, ") && output.contains("dropped: none"), "{output}");
    assert!(folder.succeed("verify direct").contains(" 0 errors"));
    let direct = games(&folder.path("direct"));

    // Moves and scores are those of the file.
    let mut reader = agoge_core::notation::pgn::Reader::new(pgn.as_bytes());
    for record in &direct {
        let game = reader.next_game().expect("a game");
        let (start, moves) = game.replay(None).expect("legal moves");
        let book = game.moves.iter().take_while(|mv| mv.remarks == "{book}").count();
        assert_eq!(record.start, moves[..book].iter().fold(start, |board, &mv| board.after(mv)));
        assert!(record.plies.iter().map(|ply| ply.mv).eq(moves[book..].iter().copied()));
        assert_eq!(record.result.to_string(), game.result());
        let mut side = record.start.side_to_move();
        for (ply, mv) in record.plies.iter().zip(&game.moves[book..]) {
            let shown = mv.remarks.trim_start_matches('{').split('/').next().expect("a score").replace('M', "");
            let shown: f64 = shown.parse().expect("a number");
            let mover = if side == agoge_core::types::Colour::White { ply.score } else { -ply.score };
            if ply.is_mate() {
                assert_eq!(mover > 0, shown > 0.0);
            } else {
                assert_eq!(f64::from(mover), (shown * 100.0).round());
            }
            side = !side;
        }
    }

    // The games of OpenBench, which do not tell what mates count, on standard input and compressed.
    let compact = openbench_games(&pgn).join("\n");
    fs::write(folder.path("7.pgn"), &compact).expect("a file");
    let compressed = zstd::encode_all(compact.as_bytes(), 1).expect("memory");
    fs::write(folder.path("7.pgn.zst"), &compressed).expect("a file");
    for name in ["7.pgn", "7.pgn.zst"] {
        let mut command = folder.command(&format!("import --out {name}.bin --mates moves {limits} -"));
        let output = command.stdin(File::open(folder.path(name)).expect("a file")).output().expect("the import runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        folder.succeed(&format!("import --out {name}.file --mates moves {limits} {name}"));
        for form in ["bin", "file"] {
            assert_eq!(games(&folder.path(&format!("{name}.{form}"))), direct, "{name}.{form}");
        }
    }

    // A damaged file costs only its own games.
    fs::write(folder.path("cut.zst"), &compressed[..compressed.len() / 2]).expect("a file");
    let output = folder.run(&format!("import --out cut --mates moves {limits} cut.zst 7.pgn"));
    assert!(text(&output.stderr).contains("cut.zst: "), "{}", text(&output.stderr));
    let found = text(&output.stdout);
    assert!(output.status.success() && found.starts_with("6 games, ") && found.contains("1 damaged files"), "{found}");
}

#[test]
fn broken_games_are_dropped_and_counted() {
    let folder = folder();
    let game = |tags: &str, moves: &str| format!("[Event \"x\"]\n{tags}\n{moves}\n\n");
    let start = "[SetUp \"1\"]\n[FEN \"7k/8/5K2/8/8/8/8/6Q1 w - - 0 1\"]\n";
    let dead = "[FEN \"2k5/8/8/8/8/8/8/4K3 w - - 0 1\"]\n";
    let text = [
        game("", "e4 {+0.10/5} Hhf5 {-0.20/5} d4 {+4.00/5} Hac5 {-3.50/5} 1-0"),
        // Mate, with a score that says nothing.
        game(start, "Qg7# {0.00/1} 1-0"),
        game("", "e4 {+0.10/5} Hhf5 {-0.20/5} 1/2-1/2"),
        // Each of these is broken.
        game("", "e4 {+0.10/5} ) 1-0"),
        game("", "e4 {+0.10/5} *"),
        game("", "e4 {+0.10/5}"),
        game("[Result \"0-1\"]\n", "e4 {+4.00/5} Hhf5 {-4.00/5} 1-0"),
        game("[Variant \"Standard\"]\n", "e4 {+4.00/5} e5 {-4.00/5} 1-0"),
        game("", "e4 {+0.10/5} e5 {-4.00/5} 1-0"),
        game("[FEN \"nonsense\"]\n", "e4 {+0.10/5} 1-0"),
        game("[Termination \"time forfeit\"]\n", "d4 {+0.10/5} Hhf5 {-4.00/5} 1-0"),
        game("", "e4 {+0.10/5} Hhf5 {unknown} d4 {+4.00/5} Hac5 {-3.50/5} 1-0"),
        game("", "e4 {book} Hhf5 {book} 1-0"),
        game(start, "Qg7# {+M1/1} 0-1"),
        game(dead, "Kd2 {0.00/1} 1/2-1/2"),
        game("", "d4 {+0.10/5} Hhf5 {-0.20/5} 1-0"),
        game("", "d4 {+0.10/5} Hhf5 {-4.20/5} 1/2-1/2"),
        game("", "e4 {+0.10/5} Hhf5 {-0.20/5} d4 {+4.00/5} Hac5 {-3.50/5} 1-0"),
    ]
    .concat();
    fs::write(folder.path("games.pgn"), &text).expect("a file");
    let output = folder.run("import --out games games.pgn");
    let (found, messages) = (self::text(&output.stdout), self::text(&output.stderr));
    assert!(output.status.success(), "{messages}");
    assert_eq!(
        found.trim_end(),
        "3 games, 7 positions; dropped: 3 without a result, 1 of another variant, 2 with an illegal move or position, 1 \
         ended by a fault, 1 with a move without a score, 1 without moves or too long, 2 with a result against the \
         rules, 3 with a result against the scores, 1 that occur twice",
        "{messages}"
    );
    assert!(
        messages.contains("games.pgn, line ") && messages.contains("its termination is 'time forfeit'"),
        "{messages}"
    );
    assert!(folder.succeed("verify games").contains("3 games, 7 positions, 0 errors"));
    let numbers: Vec<u64> = games(&folder.path("games")).iter().map(|game| game.number).collect();
    assert_eq!(numbers, [0, 1, 2]);
    let stats = folder.succeed("stats games --classes 5");
    let classes: Vec<Vec<&str>> = stats.lines().rev().take(2).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(classes, [["KQvk", "1", "1"], ["endgame", "games", "positions"]]);

    fs::write(folder.path("none.pgn"), "no games\n").expect("a file");
    fs::write(folder.path("empty.pgn"), "").expect("a file");
    for (line, message) in [
        ("import --out new none.pgn", "there is no game to import"),
        ("import --out new empty.pgn", "there is no game to import"),
        ("import --out new missing.pgn", "missing.pgn: "),
        ("import --out new .", ".: "),
        ("import --out games games.pgn", "the file exists; --force"),
        ("import --out new", "required"),
    ] {
        let found = folder.fail(line, 2);
        assert!(found.contains(message), "{line}: {found}");
    }
    assert!(!folder.path("new").exists() && unfinished(&folder).is_empty());
}

/// A damaged game costs at most itself, and damage that loses no move costs nothing.
#[test]
fn damaged_files_are_imported() {
    let folder = folder();
    let moves = |first: &str, result: &str| format!("{first} {{+0.10/5}} Hhf5 {{-0.20/5}} {result}");
    let game = |tags: &str, moves: &str| format!("[Event \"x\"]\n{tags}\n{moves}\n\n");
    let text = [
        game("", &moves("a3", "1/2")),
        game("[Result \"½-½\"]\n", &moves("b3", "½-½")),
        game("[White A]\n[Black]\n", &moves("c3", "1/2-1/2")),
        game("[White \"a \"b\" c\"]\n", &moves("d3", "1/2–1/2")),
        "\u{feff}".to_owned(),
        game("", &moves("1.\u{a0}e3", "1/2-1/2`")),
        game("", "f3 {+0.10/5} Hhf5 {-0.20/5} 2. Qh9 {+0.10/5} 1/2-1/2"),
        game("", "g3 {+0.10/5} Hhf5 {-0.2"),
        game("", &moves("h3", "1/2-1/2)")),
    ]
    .concat();
    fs::write(folder.path("games.pgn"), &text).expect("a file");
    let output = folder.run("import --out games games.pgn");
    let (found, messages) = (self::text(&output.stdout), self::text(&output.stderr));
    assert!(
        found.starts_with("6 games, 12 positions; dropped: 1 without a result, 1 with an illegal move"),
        "{found}{messages}"
    );
    for part in
        ["a tag without quotation marks (White)", "a tag without a value (Black)", "a comment without }", "2.Qh9: "]
    {
        assert!(messages.contains(part), "{part}: {messages}");
    }
}
