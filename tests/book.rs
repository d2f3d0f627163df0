//! Opening books and the opening theory with the real binary.

use crate::common::client::{Client, count, has_error};
use crate::common::{CHESS_START, START, temporary_file};
use agoge_core::board::{Board, Variant};
use agoge_core::theory::{self, Theory};
use std::collections::HashSet;
use tempfile::NamedTempFile;

/// A book with a2a3 and h2h3 for the initial position, one reply, and a move of orthodox chess.
fn small_book() -> NamedTempFile {
    let start = START.strip_suffix(" 0 1").expect("counters");
    let chess = CHESS_START.strip_suffix(" 0 1").expect("counters");
    let moved = "lgkcckwl/hhhhhhhh/8/8/8/P7/1PPPPPPP/RNBQKBNR b KQ -";
    let book = format!("# a book\n{start}; a2a3 1 h2h3 3\n\n{moved}; h7f5 2\n{chess}; b1a3 9\n");
    temporary_file(book.as_bytes())
}

/// An engine that plays from a book.
fn client_with_book(book: &NamedTempFile) -> Client {
    let mut client = Client::start();
    client.set("OwnBook", true);
    client.set("BookFile", book.path().display());
    client
}

/// Whether the answer to `go` is a move of the book.
fn is_from_book(lines: &[String]) -> bool {
    lines[0].starts_with("info string book move ")
}

#[test]
fn moves_are_played_from_the_book() {
    let book = small_book();
    let mut client = Client::start();
    assert_eq!(client.set("BookFile", book.path().display()), ["info string the book has 3 positions"]);
    // Not without `OwnBook`.
    assert!(client.best_move("go depth 1 searchmoves e2e4") == "e2e4");
    assert!(!client.search("go depth 1").iter().any(|line| line.contains("book")));
    client.silent(&["setoption name OwnBook value true"]);
    let mut drawn = [0, 0];
    for _ in 0..100 {
        let lines = client.search("go wtime 600000 btime 600000");
        match lines.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["info string book move a2a3, weight 1", "bestmove a2a3"] => drawn[0] += 1,
            ["info string book move h2h3, weight 3", "bestmove h2h3"] => drawn[1] += 1,
            _ => panic!("{lines:#?}"),
        }
    }
    // By weight: both are played within a hundred tries, the second one more often.
    assert!(drawn[0] > 0 && drawn[1] > drawn[0], "{drawn:?}");
    client.ask("position startpos moves a2a3");
    for go in ["go depth 5", "go nodes 100", "go movetime 1000", "go wtime 1 btime 1"] {
        assert_eq!(client.best_move(go), "h7f5", "{go}");
    }
    // Outside of the book, and in the other variant.
    client.ask("position startpos moves a2a3 h7f5");
    assert!(count(&client.search("go depth 2"), "info depth 2 ") > 0);
    client.set("UCI_Variant", "chess");
    assert_eq!(client.best_move("go depth 3"), "b1a3");
    client.quit();
}

/// Without a book of the user, the engine plays opening theory.
#[test]
fn theory_is_played_without_a_book() {
    let mut client = Client::start();
    // Not without `OwnBook`.
    assert!(!is_from_book(&client.search("go depth 1")));
    client.set("OwnBook", true);
    let theory = Theory::from_bytes(theory::EMBEDDED).expect("theory");
    let drawn = |client: &mut Client, variety: u32, moves: &str| -> HashSet<String> {
        client.set("BookVariety", variety);
        client.send(&format!("position startpos moves {moves}"));
        assert!(is_from_book(&client.search("go movetime 10")), "{moves}");
        (0..40).map(|_| client.best_move("go movetime 10")).collect()
    };
    let mut moves = String::new();
    let mut board = Board::start(Variant::Spartan);
    for ply in 0..3 {
        let position = theory.get(&board).expect("a position of theory");
        let best = position.best_first()[0].mv;
        for variety in [0, 100] {
            let least = position.value() - 2 * variety as i32;
            let good = position.moves.iter().filter(|known| known.value >= least);
            let good: HashSet<String> = good.map(|known| known.mv.to_string()).collect();
            let played = drawn(&mut client, variety, &moves);
            assert!(played.is_subset(&good) && (played.len() > 1) == (good.len() > 1), "{ply}: {played:?} of {good:?}");
        }
        moves += &format!("{best} ");
        board = board.after(best);
    }
    client.ask("position fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    assert!(!is_from_book(&client.search("go depth 1")));
    client.quit();
}

/// The compact form in the program is that of the file, and the file has what it must have.
#[test]
fn the_theory_of_the_repository() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../positions/theory.epd");
    let text = std::fs::read_to_string(path).expect("the file");
    let theory = Theory::parse(&text).expect("theory");
    assert!(Theory::from_bytes(theory::EMBEDDED).as_ref() == Ok(&theory), "run `agoge-bench theory compact --force`");
    assert!(text.len() < 4_000_000 && theory.about.contains("bench ") && theory.about.contains("network agoge-"));
    let start = Board::start(Variant::Spartan);
    let first = &theory.get(&start).expect("the initial position").moves;
    assert_eq!(first.len(), start.legal_moves().len());
    for known in first {
        let mut board = start.after(known.mv);
        for _ in 1..6 {
            board = board.after(theory.get(&board).expect("six plies").moves[0].mv);
        }
    }
}

#[test]
fn analysis_does_not_use_the_book() {
    let book = small_book();
    let mut client = client_with_book(&book);
    for go in ["go infinite", "go ponder wtime 9000 btime 9000", "go", "go mate 3"] {
        client.send(go);
        let lines = client.stop();
        assert!(!lines.iter().any(|line| line.contains("book")), "{go}: {lines:#?}");
    }
    assert_eq!(client.best_move("go depth 1 searchmoves e2e4"), "e2e4");
    for (option, value, uses_book) in
        [("UCI_AnalyseMode", "true", false), ("UCI_AnalyseMode", "false", true), ("OwnBook", "false", false)]
    {
        client.set(option, value);
        let lines = client.search("go depth 2");
        assert_eq!((is_from_book(&lines), count(&lines, "info depth 2 ") == 0), (uses_book, uses_book), "{lines:#?}");
    }
    client.quit();
}

/// Byte order marks at the start and where files were joined, CRLF, Latin-1, and lines that are damaged.
#[test]
fn books_as_people_have_them() {
    let start = START.strip_suffix(" 0 1").expect("counters");
    let line = format!("{start}; a2a3 1\r\n");
    let mut client = Client::start();
    client.set("OwnBook", true);
    for (text, answers) in [
        (["\u{feff}# a book\r\n".as_bytes(), line.as_bytes()].concat(), &["the book has 1 position"][..]),
        ([line.as_bytes(), "\u{feff}# joined\n".as_bytes()].concat(), &["the book has 1 position"]),
        ([b"# Gr\xfcnfeld\n", line.as_bytes(), b"# \xdcber\n"].concat(), &["the book has 1 position"]),
        (
            [line.as_bytes(), b"nonsense\n", line.as_bytes()].concat(),
            &[
                "the book has 1 position",
                "skipped: line 2: there is no ';' after the position",
                "skipped: line 3: duplicate position",
            ],
        ),
    ] {
        let book = temporary_file(&text);
        let lines = client.set("BookFile", book.path().display());
        let expected: Vec<String> = answers.iter().map(|answer| format!("info string {answer}")).collect();
        assert_eq!(lines, expected);
        assert_eq!(client.best_move("go movetime 10"), "a2a3");
    }
    let chess = temporary_file(CHESS_START.replace(" w KQkq - 0 1", " x KQkq -; e2e4 1").as_bytes());
    let lines = client.set("BookFile", chess.path().display());
    assert!(has_error(&lines, "line 1: no position of chess: side to move"), "{lines:?}");
    client.quit();
}

#[test]
fn invalid_books_leave_the_old_one() {
    let book = small_book();
    let mut client = client_with_book(&book);
    let start = START.strip_suffix(" 0 1").expect("counters");
    for (text, cause) in [
        (String::new(), "no positions"),
        ("nonsense\n".to_owned(), "line 1: there is no ';'"),
        (format!("#\n\n{start}; e2e5 1\n"), "line 3: 'e2e5' is not a legal move"),
        (format!("{start}; e2e4 zero\n"), "line 1: 'zero' is not a weight"),
    ] {
        let wrong = temporary_file(text.as_bytes());
        let lines = client.set("BookFile", wrong.path().display());
        assert!(has_error(&lines, cause) && has_error(&lines, "cannot be used"), "{text}: {lines:?}");
    }
    for path in ["/no/such/book", "/dev/zero", "."] {
        assert!(has_error(&client.set("BookFile", path), "cannot be used"), "{path}");
    }
    assert!(is_from_book(&client.search("go depth 2")));
    client.quit();
}
