//! The rules as a WebAssembly module without imports, for `agoge/board` of the package for JavaScript.
//!
//! Boards are numbers. Text goes in through the module's memory: the host writes a message to [`rules_buffer`] before a
//! call that takes one. Functions that answer with text return its length, and [`rules_text`] its address; the answer
//! is valid until the next call.

mod answers;

use agoge_core::board::{Board, Game, Variant};
use agoge_core::fairy;
use agoge_core::uci::{AUTHOR, NAME};
use std::cell::RefCell;

/// Between the parts of a message or an answer: no notation has it.
const SEPARATOR: char = '\0';

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
    /// The games by their numbers; `None` for a number that is free.
    static GAMES: RefCell<Vec<Option<Game>>> = const { RefCell::new(Vec::new()) };
}

/// Makes room for a message of at most this length and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn rules_buffer(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// The address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn rules_text() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

fn answer(text: impl Into<String>) -> usize {
    ANSWER.with_borrow_mut(|answer| {
        *answer = text.into();
        answer.len()
    })
}

/// What a function makes of the message.
fn with_message<T>(length: usize, read: impl FnOnce(&str) -> T) -> T {
    BUFFER.with_borrow(|buffer| read(&String::from_utf8_lossy(buffer.get(..length).unwrap_or_default())))
}

/// What a function makes of a game; the default if there is none with the number, which the host prevents.
fn with_game<T: Default>(number: usize, read: impl FnOnce(&mut Game) -> T) -> T {
    GAMES.with_borrow_mut(|games| games.get_mut(number).and_then(Option::as_mut).map(read)).unwrap_or_default()
}

/// The name of the engine and its authors.
#[unsafe(no_mangle)]
pub extern "C" fn rules_info() -> usize {
    answer(format!("{NAME} by {AUTHOR}"))
}

/// The names of the variants.
#[unsafe(no_mangle)]
pub extern "C" fn rules_variants() -> usize {
    answer(Variant::ALL.map(Variant::name).join(" "))
}

/// A new board from a message: variant and FEN, which may be empty. Returns its number; if it is negative, the length
/// of the error follows from it: -1 - length.
#[unsafe(no_mangle)]
pub extern "C" fn rules_new(length: usize) -> isize {
    let made = with_message(length, |text| {
        let (name, fen) = text.split_once(SEPARATOR).unwrap_or((text, ""));
        answers::board(answers::variant(name)?, fen)
    });
    match made {
        Ok(board) => GAMES.with_borrow_mut(|games| {
            let number = games.iter().position(Option::is_none).unwrap_or_else(|| {
                games.push(None);
                games.len() - 1
            });
            games[number] = Some(Game::new(board));
            number.cast_signed()
        }),
        Err(error) => -1 - answer(error).cast_signed(),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_delete(game: usize) {
    GAMES.with_borrow_mut(|games| games.get_mut(game).map(Option::take));
}

/// Sets up the FEN of the message, without earlier moves. Returns the length of an error; 0 for none.
#[unsafe(no_mangle)]
pub extern "C" fn rules_set_fen(game: usize, length: usize) -> usize {
    let set = |fen: &str| {
        with_game(game, |game| match answers::board(game.board().variant(), fen) {
            Ok(board) => {
                *game = Game::new(board);
                None
            }
            Err(error) => Some(error),
        })
    };
    with_message(length, set).map_or(0, answer)
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_fen(game: usize) -> usize {
    answer(with_game(game, |game| game.board().to_fen()))
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_variant(game: usize) -> usize {
    answer(with_game(game, |game| game.board().variant().name()))
}

/// The legal moves in coordinate notation.
#[unsafe(no_mangle)]
pub extern "C" fn rules_legal_moves(game: usize) -> usize {
    answer(with_game(game, |game| answers::coordinates(&game.board().legal_moves())))
}

/// The legal moves in SAN, in the same order.
#[unsafe(no_mangle)]
pub extern "C" fn rules_legal_sans(game: usize) -> usize {
    let sans = |board: &Board| board.legal_moves().iter().map(|&mv| board.to_san(mv)).collect::<Vec<_>>().join(" ");
    answer(with_game(game, |game| sans(game.board())))
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_count(game: usize) -> u32 {
    with_game(game, |game| game.board().count_moves())
}

/// Makes the move of the message, in coordinate notation. Returns whether it is legal.
#[unsafe(no_mangle)]
pub extern "C" fn rules_push(game: usize, length: usize) -> bool {
    with_message(length, |text| {
        with_game(game, |game| game.board().parse_move(text).and_then(|mv| game.push(mv)).is_ok())
    })
}

/// Makes the move of the message, in SAN. Returns whether it is legal.
#[unsafe(no_mangle)]
pub extern "C" fn rules_push_san(game: usize, length: usize) -> bool {
    with_message(length, |text| {
        with_game(game, |game| game.board().parse_san(text).is_ok_and(|mv| game.push(mv).is_ok()))
    })
}

/// Takes back the last move, if there is one.
#[unsafe(no_mangle)]
pub extern "C" fn rules_pop(game: usize) -> bool {
    with_game(game, |game| game.undo(1))
}

/// The moves made, in coordinate notation.
#[unsafe(no_mangle)]
pub extern "C" fn rules_moves(game: usize) -> usize {
    answer(with_game(game, |game| answers::coordinates(game.moves())))
}

/// The move of the message in SAN or LAN; empty if it is illegal.
#[unsafe(no_mangle)]
pub extern "C" fn rules_san(game: usize, length: usize, long: bool) -> usize {
    answer(with_message(length, |text| {
        with_game(game, |game| {
            let mv = game.board().parse_move(text).ok()?;
            Some(fairy::written(game.board(), mv, long))
        })
        .unwrap_or_default()
    }))
}

/// The moves of the message in SAN or LAN, with or without numbers; empty if one is illegal.
#[unsafe(no_mangle)]
pub extern "C" fn rules_variation(game: usize, length: usize, long: bool, numbers: bool) -> usize {
    answer(with_message(length, |text| with_game(game, |game| answers::variation(game.board(), text, long, numbers))))
}

/// Whether the move of the message is a legal capture.
#[unsafe(no_mangle)]
pub extern "C" fn rules_is_capture(game: usize, length: usize) -> bool {
    with_message(length, |text| {
        with_game(game, |game| game.board().parse_move(text).is_ok_and(|mv| game.board().captured(mv).is_some()))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_is_check(game: usize) -> bool {
    with_game(game, |game| game.board().in_check())
}

/// The squares of the kings that are in check.
#[unsafe(no_mangle)]
pub extern "C" fn rules_checked(game: usize) -> usize {
    answer(with_game(game, |game| answers::checked(game.board())))
}

/// Whether the game is over, and why, as a number of ffish's `Termination`. Draws by the fifty-move rule and by
/// repetition count only if they are claimed.
#[unsafe(no_mangle)]
pub extern "C" fn rules_termination(game: usize, claim: bool) -> u32 {
    with_game(game, |game| answers::termination(game, claim))
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_has_insufficient_material(game: usize, white: bool) -> bool {
    with_game(game, |game| fairy::has_insufficient_material(game.board(), answers::colour(white)))
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_turn(game: usize) -> bool {
    with_game(game, |game| game.board().side_to_move() == answers::colour(true))
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_halfmove_clock(game: usize) -> u32 {
    with_game(game, |game| game.board().halfmove_clock().into())
}

#[unsafe(no_mangle)]
pub extern "C" fn rules_fullmove_number(game: usize) -> u32 {
    with_game(game, |game| game.board().fullmove_number().into())
}

/// The number of plies before the position, by its move number.
#[unsafe(no_mangle)]
pub extern "C" fn rules_ply(game: usize) -> usize {
    with_game(game, |game| fairy::ply(game.board()))
}

/// The board in text: pieces and points, or a diagram with FEN, key and checked kings.
#[unsafe(no_mangle)]
pub extern "C" fn rules_diagram(game: usize, verbose: bool) -> usize {
    answer(with_game(
        game,
        |game| if verbose { answers::verbose(game.board()) } else { answers::compact(game.board()) },
    ))
}

/// The number of lines of some plies.
#[unsafe(no_mangle)]
pub extern "C" fn rules_perft(game: usize, depth: u32) -> f64 {
    with_game(game, |game| game.board().perft(depth) as f64)
}

/// The game in PGN. The message has names and values of tags.
#[unsafe(no_mangle)]
pub extern "C" fn rules_pgn(game: usize, length: usize) -> usize {
    answer(with_message(length, |tags| with_game(game, |game| answers::pgn(game, &parts(tags)))))
}

/// Reads the first game of the PGN in the message. The answer: the moves of the main line, the first warning, and names
/// and values of the tags.
#[unsafe(no_mangle)]
pub extern "C" fn rules_read_pgn(length: usize) -> usize {
    answer(with_message(length, |text| answers::read_pgn(text).join("\0")))
}

/// Checks a FEN. The message: the variant and the FEN. Returns 1 if it is valid, otherwise the code of ffish.
#[unsafe(no_mangle)]
pub extern "C" fn rules_validate_fen(length: usize) -> i32 {
    with_message(length, |text| {
        let (name, fen) = text.split_once(SEPARATOR).unwrap_or((text, ""));
        answers::variant(name).map_or(-10, |variant| fairy::validate_fen(fen, variant))
    })
}

/// The FEN of the initial position of the variant in the message; empty if it is unknown.
#[unsafe(no_mangle)]
pub extern "C" fn rules_starting_fen(length: usize) -> usize {
    answer(with_message(length, |name| answers::variant(name).map_or("", Variant::start_fen)))
}

/// The parts of a message.
fn parts(text: &str) -> Vec<&str> {
    text.split(SEPARATOR).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a message as the host does, and returns its length.
    fn write(text: &str) -> usize {
        let address = rules_buffer(text.len());
        // SAFETY: there is room for the message, and nothing else uses the buffer now.
        unsafe { address.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        text.len()
    }

    fn text(length: usize) -> String {
        ANSWER.with_borrow(|answer| answer[..length].to_owned())
    }

    #[test]
    fn a_game() {
        let game = rules_new(write("spartan\0")).cast_unsigned();
        assert!(
            rules_push(game, write("e2e4")) && rules_push_san(game, write("Hbd5")) && !rules_push(game, write("e4e6"))
        );
        assert_eq!(text(rules_moves(game)), "e2e4 b7d5");
        assert_eq!(text(rules_fen(game)), "lgkcckwl/h1hhhhhh/8/3h4/4P3/8/PPPP1PPP/RNBQKBNR w KQ - 0 2");
        assert_eq!((rules_count(game), rules_ply(game), rules_turn(game)), (rules_perft(game, 1) as u32, 2, true));
        assert_eq!(text(rules_san(game, write("e4d5"), true)), "e4xd5");
        assert_eq!(text(rules_variation(game, write("e4d5 c7b6"), false, true)), "2. exd5 Hcb6");
        assert!(rules_is_capture(game, write("e4d5")) && !rules_is_check(game));
        let other = rules_new(write("chess\0")).cast_unsigned();
        assert_ne!(game, other);
        rules_delete(game);
        assert_eq!(rules_new(write("chess\0")).cast_unsigned(), game);
        assert!(rules_pop(other).eq(&false) && rules_fullmove_number(other) == 1);
    }

    #[test]
    fn errors_are_told() {
        for (message, expected) in [("shogi\0", "variant"), ("spartan\x008/8 w", "FEN")] {
            let length = (-1 - rules_new(write(message))).cast_unsigned();
            assert!(text(length).contains(expected), "{}", text(length));
        }
        let game = rules_new(write("chess\0")).cast_unsigned();
        assert!(text(rules_set_fen(game, write("x"))).contains("FEN"));
        assert_eq!(rules_set_fen(game, write("4k3/8/8/8/8/8/8/4K3 w - - 0 1")), 0);
        assert_eq!(rules_termination(game, false), 3);
        assert_eq!(rules_count(99), 0);
    }
}
