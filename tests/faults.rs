//! Faults of the environment: signals, closed and blocked pipes, full disks, invalid files, too many threads, and
//! searches stopped at every possible moment. ROBUSTNESS.md lists all faults with their tests.

#[cfg(unix)]
use crate::common::client::run_with_input;
use crate::common::client::{BINARY, Client, best_move, count, finish, has_error, nodes};
use crate::common::{bench_positions, cases, temporary_file};
use agoge_core::board::{Board, Game, Variant};
use agoge_core::nnue::arch::HEADS;
use agoge_core::nnue::{FILE_BYTES, Network};
use agoge_core::rng::Rng;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn bestmoves(lines: &[String]) -> usize {
    count(lines, "bestmove")
}

// ---- searches stopped at every moment

/// Stops searches of all kinds at random moments, with other commands before and during them. Returns the times from
/// `stop` to the answer.
fn go_and_stop(threads: usize, cycles: usize) -> Vec<Duration> {
    let mut random = Rng::new(threads as u64);
    let positions = bench_positions();
    let mut client = Client::start();
    client.set("Threads", threads);
    let mut latencies = Vec::new();
    for cycle in 0..cycles {
        match random.below(8) {
            0 => client.send("ucinewgame"),
            1 => client.send(&format!("setoption name Hash value {}", 1 + random.below(32))),
            2 => client.send("setoption name Clear Hash"),
            3 => client.send(&format!("setoption name MultiPV value {}", 1 + random.below(4))),
            4 => {
                // The threads are restarted.
                client.send("setoption name Threads value 1");
                client.send(&format!("setoption name Threads value {threads}"));
            }
            _ => {}
        }
        let fen = &positions[random.below(positions.len())];
        let mut game = Game::new(Board::from_fen(fen, Variant::Spartan).expect("a position"));
        let first = game.board().legal_moves()[0];
        game.push(first).expect("a legal move");
        client.send(&format!("position fen {fen} moves {first}"));
        // Sometimes `go` is sent after all this is done, sometimes before.
        let mut undisturbed = random.below(4) > 0;
        if undisturbed {
            client.sync();
        }
        let (go, ponders) = match random.below(5) {
            0 => ("go infinite", false),
            1 => ("go ponder wtime 60000 btime 60000 winc 100 binc 100", true),
            2 => ("go wtime 600000 btime 600000", false),
            3 => ("go nodes 100000000", false),
            _ => ("go depth 200", false),
        };
        client.send(go);
        // Immediately, in the first iterations, or later.
        let moment = random.pick(&[0, 0, 100, 1000, 5000]);
        std::thread::sleep(Duration::from_micros(random.below(moment + 1) as u64));
        match random.below(6) {
            0 if ponders => client.send("ponderhit"),
            1 => client.send("isready"),
            2 => client.send("setoption name MultiPV value 2"),
            3 => {
                undisturbed = false;
                client.send(random.pick(&["position startpos", "ucinewgame", "setoption name Hash value 4"]));
            }
            _ => {}
        }
        let start = Instant::now();
        let mut lines = client.stop();
        if undisturbed {
            latencies.push(start.elapsed());
        }
        let best = best_move(&lines).to_owned();
        lines.extend(client.sync());
        assert_eq!(bestmoves(&lines), 1, "{threads} threads, cycle {cycle}, {go}: {lines:#?}");
        assert!(game.board().parse_move(&best).is_ok(), "{best} in {}", game.board());
    }
    client.send("stop");
    client.send("ponderhit");
    assert_eq!(bestmoves(&client.sync()), 0);
    client.assert_responsive();
    client.quit();
    latencies
}

/// Each search has exactly one answer, a legal move. `AGOGE_CYCLES=1000` makes a long run.
#[test]
fn a_search_can_be_stopped_at_any_moment() {
    let cycles = std::env::var("AGOGE_CYCLES").ok().and_then(|text| text.parse().ok()).unwrap_or(cases(60, 15));
    for threads in 1..=8 {
        let mut latencies = go_and_stop(threads, cycles);
        latencies.sort_unstable();
        let at = |percent: usize| {
            latencies.get(latencies.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
        };
        // For information only: latencies depend on the load of the machine.
        eprintln!(
            "{threads} threads, {} undisturbed stops of {cycles}: median {:?}, 99 % within {:?}, longest {:?}",
            latencies.len(),
            at(50),
            at(99),
            at(100)
        );
    }
}

#[test]
fn a_thousand_threads_start_search_and_stop() {
    let start = Instant::now();
    let mut client = Client::start();
    if has_error(&client.set("Threads", 1024), "threads cannot be started") {
        // The system allows fewer threads; the engine keeps the old ones.
        client.assert_responsive();
        return client.quit();
    }
    let started = start.elapsed();
    client.send("go infinite");
    std::thread::sleep(Duration::from_millis(100));
    let stop = Instant::now();
    client.stop();
    let stopped = stop.elapsed();
    client.quit();
    eprintln!("1024 threads: started in {started:?}, stopped in {stopped:?}, all in {:?}", start.elapsed());
}

// ---- memory

#[test]
fn tables_of_all_sizes() {
    let mut client = Client::start();
    for mib in [1, 2, 3, 7, 64, 1000, 1] {
        let lines = client.set("Hash", mib);
        // A small machine may refuse the large ones.
        assert!(lines.is_empty() || (mib > 64 && has_error(&lines, "memory")), "{mib}: {lines:?}");
        let lines = client.search("go nodes 3000");
        assert!(bestmoves(&lines) == 1, "{mib}: {lines:?}");
    }
    client.quit();
}

/// A table that does not fit is refused with a message, and the old one keeps its entries.
#[test]
fn the_old_table_stays_when_a_new_one_does_not_fit() {
    // The nodes of a second search after some commands that may affect the table filled by the first one.
    let nodes_of_second_search = |commands: &[&str]| -> u64 {
        let mut client = Client::start();
        client.search("go depth 12");
        for line in commands {
            let lines = client.ask(line);
            assert_eq!(has_error(&lines, "not enough memory"), line.contains("value"), "{line}: {lines:?}");
        }
        let lines = client.search("go depth 9");
        client.quit();
        nodes(&lines)
    };
    let expected = nodes_of_second_search(&[]);
    assert_eq!(
        nodes_of_second_search(&["setoption name Hash value 1048576", "setoption name Hash value 524288"]),
        expected
    );
    assert_ne!(nodes_of_second_search(&["setoption name Clear Hash"]), expected);
}

/// A memory statistic of an engine's process in KiB.
#[cfg(target_os = "linux")]
fn memory_statistic(client: &Client, name: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.id())).expect("the engine runs");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("its memory");
    line.split_whitespace().next().and_then(|kib| kib.parse().ok()).expect("a number of KiB")
}

/// At `readyok` all pages of a new table are allocated and the old one is freed. A search that caused page faults
/// could not check the clock meanwhile.
#[cfg(target_os = "linux")]
#[test]
fn tables_are_ready_before_the_search() {
    let mut client = Client::start();
    client.send("setoption name Threads value 4");
    for (mib, range) in [(300, 270..400), (1, 0..90), (100, 90..200)] {
        client.send(&format!("setoption name Hash value {mib}"));
        for between in ["isready", "go nodes 1000\nwait", "ucinewgame", "setoption name Clear Hash"] {
            client.send(between);
            if has_error(&client.sync(), "not enough memory") {
                eprintln!("not enough memory for {mib} MiB here");
                return client.quit();
            }
            let resident = memory_statistic(&client, "VmRSS:") >> 10;
            assert!(range.contains(&resident), "{resident} MiB with a table of {mib} MiB, after {between}");
        }
    }
    client.quit();
}

/// Repeated commands leak no memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow() {
    let positions = bench_positions();
    let mut client = Client::start();
    // Memory is allocated on first use, so the first rounds do not count.
    client.send("setoption name Hash value 1");
    let mut first = 0;
    let rounds = cases(400, 160);
    for round in 0..rounds {
        if round == rounds / 4 {
            first = memory_statistic(&client, "VmRSS:");
        }
        let threads = 1 + round % 3;
        client.send(&format!("setoption name Threads value {threads}"));
        client.send(&format!("setoption name Hash value {}", 1 + round % 2));
        client.send(&format!("setoption name MultiPV value {threads}"));
        client.send("ucinewgame");
        client.send(&format!("position fen {}", positions[round % positions.len()]));
        client.send_all(&["perft 2", "d", "nonsense"]);
        client.search("go nodes 5000");
        client.send("go infinite");
        client.stop();
    }
    let last = memory_statistic(&client, "VmRSS:");
    // Restarted threads leave up to 12 MiB in thousands of rounds. Leaked tables, threads or histories would be
    // hundreds of MiB.
    assert!(last < first + (32 << 10), "{first} KiB after a quarter of {rounds} rounds, {last} KiB after all");

    // Small leaks, as of a search or game, show with constant threads.
    client.set("Threads", 2);
    client.set("MultiPV", 1);
    client.set("Hash", 1);
    let rounds = cases(1200, 480);
    for round in 0..rounds {
        if round == rounds / 6 {
            first = memory_statistic(&client, "VmRSS:");
        }
        client.send("position startpos moves e2e4");
        client.search("go nodes 1");
    }
    let last = memory_statistic(&client, "VmRSS:");
    assert!(last < first + (6 << 10), "{first} KiB after a sixth of {rounds} short searches, {last} KiB after all");
    client.quit();
}

/// A container may have a lower memory limit than the machine; processes that exceed it are killed. The test is
/// skipped without the privileges to create one.
#[cfg(target_os = "linux")]
#[test]
fn containers_with_little_memory() {
    const SCRIPT: &str = r#"
        if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
            root=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
        else
            root=/sys/fs/cgroup limit=memory.max
        fi
        group=$root/agoge-test-$$
        unshare --mount true && mkdir "$group" || exit 77
        echo $((200 << 20)) >"$group/$limit" || { rmdir "$group"; exit 77; }
        # The container sees its own group as the root of all.
        unshare --mount sh -c 'echo $$ >"$1/cgroup.procs" && mount --bind "$1" "$2" || exit 77; exec "$0"' \
            "$0" "$group" "$root"
        status=$?
        rmdir "$group"
        exit $status
    "#;
    let sizes = [220, 199, 64].map(|mib| format!("setoption name Hash value {mib}\n")).concat();
    let input = sizes + "go nodes 1000\nwait\nquit\n";
    let ended = run_with_input(Command::new("sh").args(["-c", SCRIPT, BINARY]), input.as_bytes());
    if ended.code == Some(77) {
        eprintln!("no container can be created here");
        return;
    }
    let lines: Vec<String> = ended.stdout.lines().map(str::to_owned).collect();
    for mib in [220, 199] {
        assert!(has_error(&lines, &format!("not enough memory for a hash table of {mib} MiB")), "{ended:?}");
    }
    assert!(!has_error(&lines, "64 MiB"), "{ended:?}");
    assert_eq!(bestmoves(&lines), 1, "{ended:?}");
}

/// The engine works on systems without memory information.
#[cfg(target_os = "linux")]
#[test]
fn systems_without_memory_information() {
    let run = |command: &str| {
        let script = format!("mount -t proc -o subset=pid proc /proc && [ ! -e /proc/meminfo ] && {command}");
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "--pid", "--fork", "--propagation", "private", "sh", "-c", &script, BINARY]).output()
    };
    if !run("true").is_ok_and(|output| output.status.success()) {
        eprintln!("/proc cannot be changed here");
        return;
    }
    let output = run("exec \"$0\" bench 1").expect("it did run");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(" nodes "), "{output:?}");
}

/// Pending input is not read into memory without limit.
#[cfg(target_os = "linux")]
#[test]
fn pending_input_is_bounded() {
    let mut client = Client::start();
    client.send("go movetime 1500");
    client.send("wait");
    // Valid lines are kept until the search has ended.
    let line = [b"d", vec![b' '; 7 << 20].as_slice(), b"\n"].concat();
    for _ in 0..40 {
        client.send_bytes(&line);
    }
    assert_eq!(client.sync().iter().filter(|line| line.starts_with("Fen: ")).count(), 40);
    let most = memory_statistic(&client, "VmHWM:") >> 10;
    assert!(most < 150, "{most} MiB");
    client.quit();
}

// ---- determinism

/// With one thread and a fixed number of nodes or plies: the same moves, scores and node counts in another process,
/// after `ucinewgame`, and at every SIMD level.
#[test]
fn fixed_searches_are_deterministic() {
    let positions = bench_positions();
    // The output without times, and without the lines that only searches of more than some seconds have.
    let timeless_output = |lines: &[String]| -> Vec<String> {
        let timeless = |line: &String| {
            let mut words = line.split(' ');
            let mut kept = Vec::new();
            while let Some(word) = words.next() {
                if matches!(word, "time" | "nps") {
                    words.next();
                } else {
                    kept.push(word);
                }
            }
            kept.join(" ")
        };
        let is_of_long_searches =
            |line: &&String| ["currmove", "lowerbound", "upperbound"].iter().any(|word| line.contains(word));
        lines.iter().filter(|line| !is_of_long_searches(line)).map(timeless).collect()
    };
    let run = |client: &mut Client| -> Vec<Vec<String>> {
        let mut all = Vec::new();
        for (index, fen) in positions.iter().enumerate().step_by(7) {
            client.send_all(&["ucinewgame", &format!("position fen {fen}")]);
            for go in ["go nodes 7000", "go depth 9"] {
                all.push(timeless_output(&client.search(go)));
            }
            client.set("MultiPV", 1 + index % 3);
        }
        client.set("MultiPV", 1);
        all
    };
    let mut client = Client::start();
    let expected = run(&mut client);
    assert_eq!(run(&mut client), expected);
    client.quit();
    for (level, mut client) in Client::with_each_level() {
        assert_eq!(run(&mut client), expected, "{level}");
        client.quit();
    }
}

// ---- input

/// Megabytes of random bytes, with some line feeds, commands and parts of commands among them.
#[test]
fn megabytes_of_garbage() {
    let words: [&[u8]; 8] =
        [b"\n", b"position ", b"go depth 1\n", b"setoption name ", b"\r\n", b" moves ", b"usermove ", b"\nisready\n"];
    for (seed, begin) in [(1, &b""[..]), (2, b""), (3, b"xboard\n"), (4, b"xboard\nprotover 2\n")] {
        let mut random = Rng::new(seed);
        let mut client = Client::start();
        let mut bytes = begin.to_vec();
        while bytes.len() < 1 << 20 {
            match random.below(40) {
                0 => bytes.extend(random.pick(&words)),
                _ => bytes.extend(random.next().to_le_bytes()),
            }
        }
        // End the last line.
        bytes.extend(b"\n");
        client.send_bytes(&bytes);
        if begin.is_empty() {
            client.send("stop");
            client.send("position startpos");
            client.sync();
            client.assert_responsive();
        } else {
            client.send("ping 77");
            client.until_end("pong 77");
        }
        client.quit();
    }
}

#[test]
fn ten_thousand_moves_in_a_line() {
    let mut client = Client::start();
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(2500);
    for _ in 0..20 {
        assert!(client.ask(&format!("position startpos moves {moves}")).is_empty());
        assert_eq!(client.best_move("go nodes 50").len(), 4);
    }
    client.quit();
}

// ---- pipes

/// The engine may be started without standard input, output or error.
#[cfg(unix)]
#[test]
fn standard_streams_closed_from_the_start() {
    for (redirections, arguments, code) in [
        ("<&-", "", 0),
        (">&-", "", 0),
        ("<&- >&- 2>&-", "", 0),
        ("2>&-", "nonsense", 2),
        (">&- 2>&-", "bench 1", 0),
        ("2>&-", "analyse /no/such/file.pgn", 1),
    ] {
        let script = format!("exec \"$0\" {arguments} {redirections}");
        let ended = run_with_input(Command::new("sh").args(["-c", &script, BINARY]), b"");
        assert_eq!(ended.code, Some(code), "{arguments} {redirections}");
    }
}

/// The engine exits if its output goes to a full disk.
#[cfg(target_os = "linux")]
#[test]
fn output_to_a_full_disk() {
    for commands in ["uci\n", "go infinite\n", "xboard\nprotover 2\n", "perft 4\n"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let mut command = Command::new(BINARY);
        let mut child =
            command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().expect("the engine starts");
        // The input stays open.
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(commands.as_bytes()).expect("the engine reads");
        let ended = finish(child);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{commands:?}");
    }
    // What commands given as arguments print must be complete.
    for arguments in [&["d"][..], &["perft", "2"], &["genfens 3", "quit"], &["--help"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let mut command = Command::new(BINARY);
        let child = command.args(arguments).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).spawn();
        let ended = finish(child.expect("the engine starts"));
        assert_eq!(ended.code, Some(1), "{arguments:?}");
        assert!(ended.stderr.contains("standard output: No space left"), "{arguments:?}: {}", ended.stderr);
    }
}

/// The engine notices a closed output even if it writes nothing.
#[cfg(unix)]
#[test]
fn perft_ends_when_the_reader_is_gone() {
    for commands in [
        "perft 11\n",
        "go perft 12\n",
        "perft 11\nisready\nperft 12\n",
        "perft 11\nquit\n",
        "bench 60\nquit\n",
        "speedtest 1 1 600\nquit\n",
        "genfens 1 nodes 1000000000000\nquit\n",
    ] {
        let mut child =
            Command::new(BINARY).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
        child.stdin.take().expect("a pipe").write_all(commands.as_bytes()).expect("the engine reads");
        std::thread::sleep(Duration::from_millis(50));
        drop(child.stdout.take());
        finish(child).succeed();
    }
    // Also with the input open.
    crate::common::client::assert_exits_without_reader("perft 11\n", Duration::from_millis(30), "");
}

/// No output is lost if the GUI does not read for a while: the engine waits until the pipe has room and then
/// continues.
#[test]
fn a_slow_reader() {
    let mut command = Command::new(BINARY);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the engine starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"setoption name MultiPV value 20\ngo infinite\n").expect("the engine reads");
    // More than the capacity of a pipe.
    stdin.write_all("d\nuci\n".repeat(60).as_bytes()).expect("the engine reads");
    std::thread::sleep(Duration::from_millis(300));
    stdin.write_all(b"stop\nisready\nquit\n").expect("the engine reads");
    let ended = finish(child);
    assert_eq!(ended.code, Some(0));
    let count = |wanted: &str| ended.stdout.lines().filter(|line| line.split(' ').next() == Some(wanted)).count();
    assert_eq!([count("bestmove"), count("uciok"), count("readyok")], [1, 60, 1]);
}

// ---- signals

#[cfg(unix)]
mod signals {
    use super::*;
    use crate::common::client::{send_signal, with_default_signals};
    use nix::sys::signal::Signal;
    use std::os::unix::process::ExitStatusExt;

    /// The scheduling of the input threads must not override the priority set by the user for the process. Without the
    /// privileges for a higher priority, all threads have the normal one.
    #[cfg(target_os = "linux")]
    #[test]
    fn priorities_hold_for_all_threads() {
        for wanted in ["-5", "5"] {
            let mut client = Client::run(Command::new("nice").args(["-n", wanted, BINARY]));
            client.send("setoption name Threads value 4");
            client.sync();
            let folder = std::fs::read_dir(format!("/proc/{}/task", client.id())).expect("the engine runs");
            let nice = folder.map(|task| {
                let text = std::fs::read_to_string(task.expect("a thread").path().join("stat")).expect("its state");
                // The name, in parentheses, may contain blanks.
                let (_, fields) = text.rsplit_once(')').expect("a name");
                fields.split_whitespace().nth(16).expect("nice").to_owned()
            });
            let nice: Vec<_> = nice.collect();
            assert!(nice.len() >= 6, "{nice:?}");
            assert!(nice.iter().all(|other| *other == nice[0]), "{nice:?}");
            client.quit();
        }
    }

    /// There is nothing to clean up: the engine exits immediately, whatever it is doing.
    #[test]
    fn the_engine_can_be_terminated_at_any_time() {
        for commands in ["isready", "go infinite", "setoption name Threads value 8\ngo infinite", "perft 9", "bench 50"]
        {
            for by in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
                let mut client = Client::run(with_default_signals(&mut Command::new(BINARY)));
                client.ready();
                client.send(commands);
                std::thread::sleep(Duration::from_millis(20));
                send_signal(client.id(), by);
                assert_eq!(client.wait().signal(), Some(by as i32), "{commands:?}");
            }
        }
    }

    /// The machine sleeps, or the user suspends the engine.
    #[test]
    fn a_suspended_search_continues() {
        for threads in [1, 4] {
            let mut client = Client::start();
            client.send(&format!("setoption name Threads value {threads}"));
            for go in ["go movetime 60", "go wtime 1000 btime 1000", "go infinite", "go depth 9"] {
                client.send("ucinewgame");
                client.ready();
                client.send(go);
                std::thread::sleep(Duration::from_millis(20));
                send_signal(client.id(), Signal::SIGSTOP);
                std::thread::sleep(Duration::from_millis(150));
                // Input during the suspension is processed afterwards.
                client.send("isready");
                send_signal(client.id(), Signal::SIGCONT);
                if go == "go infinite" {
                    client.send("stop");
                }
                let mut lines = client.until("bestmove");
                lines.extend(client.sync());
                assert_eq!(bestmoves(&lines), 1, "{go}");
            }
            client.assert_responsive();
            client.quit();
        }
    }
}

// ---- files

/// A network of zeros after a change, with a valid checksum.
fn network(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Network::zeroed().to_bytes();
    change(&mut bytes);
    bytes[40..44].fill(0);
    let checksum = crc32fast::hash(&bytes);
    bytes[40..44].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The answer to the name of a network file with some content.
fn load(client: &mut Client, bytes: &[u8]) -> Vec<String> {
    client.set("EvalFile", temporary_file(bytes).path().display())
}

#[test]
fn network_files_with_a_wrong_header_field() {
    let client = &mut Client::start();
    assert!(load(client, &network(|_| {})).is_empty(), "the unchanged network is valid");
    for (field, at, cause) in [
        ("mark", 0, "not a network file"),
        ("version", 8, "of version"),
        ("architecture", 12, "another architecture"),
        ("features", 16, "features, not"),
        ("neurons", 20, "neurons, not"),
        ("heads", 24, "heads, not"),
        ("QA", 28, "as QA, not"),
        ("QB", 32, "as QB, not"),
        ("scale", 36, "as scale, not"),
        ("name", 64, "the name is not"),
    ] {
        for wrong in [[0; 4], [0xFF; 4], [1, 0, 0, 0x80]] {
            let lines = load(client, &network(|bytes| bytes[at..at + 4].copy_from_slice(&wrong)));
            assert!(has_error(&lines, cause), "{field} {wrong:?}: {lines:?}");
        }
    }
    // The checksum itself, and weights that could overflow a sum.
    let mut bytes = network(|_| {});
    bytes[40] ^= 1;
    assert!(has_error(&load(client, &bytes), "checksum"));
    for (at, which) in [(128, "feature weights"), (FILE_BYTES - 4 * HEADS - 2, "output weights")] {
        let lines = load(client, &network(|bytes| bytes[at..at + 2].copy_from_slice(&i16::MIN.to_le_bytes())));
        assert!(has_error(&lines, which), "{which}: {lines:?}");
    }
    client.assert_responsive();
}

/// The library tests every length with `Network::from_bytes`; here some are loaded from a file.
#[test]
fn truncated_network_files() {
    let bytes = network(|_| {});
    let mut client = Client::start();
    for length in [0, 1, 7, 8, 9, 12, 16, 39, 40, 44, 63, 64, 65, 127, 128, 129, 4096, FILE_BYTES / 2, FILE_BYTES - 1] {
        let lines = load(&mut client, &bytes[..length]);
        assert!(has_error(&lines, &format!("{length} bytes, not")), "{length}: {lines:?}");
    }
    client.assert_responsive();
}

/// Paths that are not regular files are refused without blocking.
#[cfg(unix)]
#[test]
fn paths_that_are_not_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    nix::unistd::mkfifo(path("pipe").as_str(), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    std::os::unix::fs::symlink(path("link"), path("link")).expect("a link to itself");
    std::fs::write(path("locked"), "x").expect("a file");
    let nobody = std::os::unix::fs::PermissionsExt::from_mode(0o000);
    std::fs::set_permissions(path("locked"), nobody).expect("permissions");

    let mut client = Client::start();
    let no_files = [path("pipe"), path("link"), path(""), "x".repeat(5000), path("locked/inside")];
    for path in &no_files {
        let lines = client.set("Debug Log File", path);
        assert!(has_error(&lines, "cannot write the log file"), "{path}: {lines:?}");
    }
    // Root can read the locked file, but its content is refused.
    for path in no_files.into_iter().chain(["/dev/zero".to_owned(), "/dev/stdin".to_owned(), path("locked")]) {
        let lines = client.set("EvalFile", &path);
        assert!(has_error(&lines, "cannot be used"), "{path}: {lines:?}");
    }
    client.assert_responsive();
    client.quit();
}

/// Files of the system that wait for another program like pipes, as /proc/kmsg does for the kernel, or never end.
#[cfg(target_os = "linux")]
#[test]
fn files_of_the_system() {
    let mut client = Client::start();
    for path in ["/proc/kmsg", "/proc/self/pagemap", "/dev/tty", "/dev/ptmx"] {
        for option in ["EvalFile", "BookFile"] {
            let lines = client.set(option, path);
            assert!(has_error(&lines, "cannot be used"), "{path}: {lines:?}");
        }
        client.send(&format!("genfens 1 book {path}"));
        let lines = client.search("go depth 1");
        assert!(has_error(&lines, &format!("{path}: ")), "{path}: {lines:?}");
        // A file may be opened that cannot be written.
        let lines = client.set("Debug Log File", path);
        assert!(has_error(&lines, "log"), "{path}: {lines:?}");
    }
    client.assert_responsive();
    client.quit();
}
