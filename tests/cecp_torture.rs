//! Malformed input in CECP, and every way in which a session can end: the engine continues or exits cleanly.

use crate::common::cecp::{DELAY, has_move, pause};
use crate::common::client::{Client, assert_exits_without_reader, count, output_after_end_of_input};

#[test]
fn malformed_input_does_not_end_the_game() {
    let mut gui = Client::game("spartan");
    gui.send("sd 1");
    for bytes in [
        &b"\0\n"[..],
        b"\xff\xfe\n",
        b"usermove \xff\xff\xff\xff\n",
        b"usermove \xc3\xa92\xc3\xa94\n",
        b"usermove\n",
        b"\t \r\n",
        b"protover\n",
        b"protover x\n",
        b"level 1:2:3 4:5:6 7\n",
        b"level 99999999999999999999 99999999999999999999:99999999999999999999 99999999999999999999\n",
        b"level 0 0 0\n",
        b"st 99999999999999999999\n",
        b"st 0\n",
        b"st .\n",
        b"nps 99999999999999999999\n",
        b"nps 0\n",
        b"sd 99999999999999999999\n",
        b"sd 1\n",
        b"time 99999999999999999999\n",
        b"time -99999999999999999999\n",
        b"ping -1\n",
        b"ping 1x\n",
        b"memory 99999999999999999999\n",
        b"memory -1\n",
        b"cores 99999999999999999999\n",
        b"cores 1\n",
        b"option\n",
        b"option =\n",
        b"option \xff=\xff\n",
        b"option Hash\n",
        b"variant\n",
        b"variant \xff\n",
        b"setboard \xff\xff w - - 0 1\n",
        b"new\nvariant spartan\nsd 1\n",
        b"edit\n\xff\n#\nKKK\nxx9\n.\nnew\nvariant spartan\nsd 1\n",
        b"exit\n",
        b".\n",
        b"remove\n",
        b"hint hint\n",
        b"e2e4e5\n",
        b"position startpos\n",
    ] {
        gui.send_bytes(bytes);
        let lines = gui.ready();
        assert!(lines.iter().all(|line| line.len() < 300), "{bytes:?}: {lines:?}");
        assert!(!has_move(&lines), "{bytes:?}");
    }
    gui.send_all(&["new", "variant spartan", "sd 1"]);
    gui.reply("usermove e2e4");
}

#[test]
fn long_lines() {
    let mut gui = Client::forced("spartan");
    for (start, part) in [
        ("", "x"),
        ("", " "),
        ("usermove ", "e2e4"),
        ("setboard ", "8/"),
        ("level ", "1 "),
        ("ping ", "1"),
        ("option ", "Hash="),
        ("variant ", "x"),
        ("name ", "x"),
        ("st ", "1"),
        ("memory ", "9"),
    ] {
        for length in [100_000, 9 << 20] {
            gui.send(&format!("{start}{}", part.repeat(length / part.len())));
            let lines = gui.ready();
            let longest = lines.iter().filter(|line| !line.starts_with("pong")).map(String::len).max().unwrap_or(0);
            assert!(longest < 300, "{start} {part}: {longest}");
        }
    }
    gui.send_all(&["new", "sd 1"]);
    gui.reply("usermove e2e4");
}

#[test]
fn many_pings_on_move_force_the_move() {
    let mut gui = Client::game("spartan");
    gui.send_all(&["level 0 60 0", "usermove e2e4"]);
    for number in 0..3000 {
        gui.send(&format!("ping {number}"));
    }
    assert!(has_move(&gui.until_end("pong 2999")));
}

#[test]
fn the_input_ends() {
    for (lines, moves) in [
        ("xboard\n", 0),
        ("xboard\nprotover 2\nnew\nvariant spartan\n", 0),
        ("xboard\nvariant spartan\nforce\nanalyze\n", 0),
        ("xboard\nvariant spartan\nsd 3\ngo\n", 1),
        ("xboard\nvariant spartan\nlevel 0 60 0\ngo", 1),
        ("xboard\nvariant spartan\nlevel 0 60 0\nhard\nsd 2\nusermove e2e4\nping 1", 1),
        ("xboard\nedit\n#\n", 0),
        ("xboard\nsetboard nonsense\n", 0),
    ] {
        let output = output_after_end_of_input(lines);
        assert_eq!(count(&output, "move "), moves, "{lines:?}: {output:?}");
    }
}

#[test]
fn quit_ends_everything_immediately() {
    for lines in ["go", "analyze", "hard\nsd 2\nusermove e2e4", "edit", "force"] {
        let mut gui = Client::game("spartan");
        gui.send_all(&["level 0 60 0", lines]);
        pause();
        gui.quit();
    }
}

#[test]
fn the_reader_goes_away() {
    for commands in ["post\nanalyze\n", "go\n", "protover 2\nping 1\n"] {
        let commands = format!("xboard\nvariant spartan\nst 1\n{commands}");
        assert_exits_without_reader(&commands, DELAY, "ping 1\nping 2\n");
    }
}
