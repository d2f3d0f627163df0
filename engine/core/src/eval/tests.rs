use super::endgame::is_mop_up;
use super::layout::COUNT;
use super::*;
use crate::board::Setup;
use crate::rng::Rng;
use crate::types::{CastlingRights, Colour, Piece, PieceType, Square};

/// Positions of random games, seven plies apart, from the initial position to bare kings.
fn positions(variant: Variant) -> Vec<Board> {
    let mut rng = Rng::new(1);
    let mut positions = Vec::new();
    for _ in 0..60 {
        let mut board = Board::start(variant);
        for ply in 0..400 {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            board.make_move(rng.pick(&moves));
            if ply % 7 == 0 {
                positions.push(board.clone());
            }
        }
    }
    positions
}

/// A changed position, without castling rights and en passant.
fn changed(board: &Board, change: impl Fn(Setup) -> Setup) -> Board {
    let setup = Setup { castling: CastlingRights::NONE, en_passant: None, ..Setup::from(board) };
    Board::try_from(&change(setup)).unwrap_or_else(|error| panic!("{board}: {error}"))
}

/// Without castling rights and en passant.
fn plain(board: &Board) -> Board {
    changed(board, |setup| setup)
}

fn mirrored(board: &Board) -> Board {
    changed(board, |setup| setup.mirrored())
}

fn flipped(board: &Board) -> Board {
    changed(board, |setup| setup.swapped())
}

fn spartan(fen: &str) -> Board {
    Board::from_fen(fen, Variant::Spartan).unwrap()
}

/// From White's view.
fn white(fen: &str) -> Value {
    traced(&spartan(fen)).value
}

#[test]
fn mirrored_files_change_nothing() {
    for variant in Variant::ALL {
        for board in positions(variant) {
            assert_eq!(evaluate(&plain(&board)), evaluate(&mirrored(&board)), "{board}");
        }
    }
}

#[test]
fn orthodox_chess_is_colour_symmetric() {
    for board in positions(Variant::Chess) {
        assert_eq!(evaluate(&plain(&board)), evaluate(&flipped(&board)), "{board}");
    }
}

#[test]
fn the_trace_adds_up() {
    let numbers = PARAMS.flat();
    for variant in Variant::ALL {
        for board in positions(variant) {
            let traced = traced(&board);
            let (mut mg, mut eg) = (0, 0);
            for (i, number) in numbers.iter().enumerate() {
                mg += traced.coefficients.balance(i) * i32::from(number.mg);
                eg += traced.coefficients.balance(i) * i32::from(number.eg);
            }
            let tapered = (mg * traced.phase + eg * (FULL_PHASE - traced.phase)) / FULL_PHASE;
            let value = tapered * traced.scale / FULL_SCALE + traced.bonus;
            assert_eq!(value, traced.value, "{board}");
            assert_eq!(if board.side_to_move() == Colour::White { value } else { -value }, evaluate(&board), "{board}");
        }
    }
}

#[test]
fn every_group_is_used() {
    let mut used = vec![false; COUNT];
    let endings =
        ["k7/8/1n6/8/8/8/8/7K w - - 0 1", "3k4/8/8/2PPP3/8/3K4/8/8 w - - 0 1", "8/3P4/8/k7/8/8/2p5/7K w - - 0 1"];
    let endings = endings.iter().filter_map(|fen| Board::from_fen(fen, Variant::Chess).ok());
    for board in Variant::ALL.into_iter().flat_map(positions).chain(endings) {
        let traced = traced(&board);
        for (i, used) in used.iter_mut().enumerate() {
            *used |= Colour::ALL.iter().any(|&colour| traced.coefficients.count(colour, i) != 0);
        }
    }
    // A rare weight may be missed by chance, but not a whole group.
    for group in GROUPS {
        assert!(used[group.first..group.first + group.len].contains(&true), "{}", group.name);
    }
}

#[test]
fn groups_fill_the_array() {
    let mut next = 0;
    for group in GROUPS {
        assert_eq!(group.first, next, "{}", group.name);
        next += group.len;
    }
    assert_eq!(next, COUNT);
}

#[test]
fn values_stay_in_range() {
    let full = "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/1QQQQQQQ/k1QQQQQK w - - 0 1";
    for fen in [full, "kwwwwwww/wwwwwwww/wwwwwwww/wwwwwwww/wwwwwwww/wwwwwwww/wwwwww2/wwwwww1K b - - 0 1"] {
        if let Ok(board) = Board::from_fen(fen, Variant::Spartan) {
            assert!(evaluate(&board).abs() < MAX_EVAL);
        }
    }
    for variant in Variant::ALL {
        for board in positions(variant) {
            assert!(evaluate(&board).abs() < MAX_EVAL);
        }
    }
}

#[test]
fn the_start_is_about_even() {
    for variant in Variant::ALL {
        let value = evaluate(&Board::start(variant));
        assert!(value.abs() < 120, "{variant:?}: {value}");
    }
}

#[test]
fn draws_look_like_draws() {
    for fen in [
        "4k3/8/8/8/8/8/4N3/4K3 w - - 0 1",
        "4k3/8/2l5/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/4NN2/8/4K3 w - - 0 1",
        "3kk3/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "3kg3/8/8/8/8/8/4R3/4K3 w - - 0 1",
    ] {
        assert!(white(fen).abs() < 100, "{fen}: {}", white(fen));
    }
}

#[test]
fn won_endings_look_won() {
    for fen in
        ["4k3/4k3/8/8/8/8/8/4K3 w - - 0 1", "4k3/4c3/8/8/8/8/8/4K3 w - - 0 1", "4k3/4w3/8/8/8/8/8/4KB2 w - - 0 1"]
    {
        assert!(white(fen) < -250, "{fen}: {}", white(fen));
    }
    assert!(white("4k3/2l5/8/8/8/8/8/3QK3 w - - 0 1") > 250);
}

#[test]
fn a_lone_king_is_driven_to_the_corner() {
    let centre = white("8/8/2kk4/8/3K4/8/8/8 w - - 0 1");
    let edge = white("8/8/8/8/8/2kk4/8/3K4 w - - 0 1");
    let corner = white("8/8/8/8/8/1kk5/8/K7 w - - 0 1");
    assert!(corner < edge && edge < centre, "{corner} {edge} {centre}");
}

#[test]
fn bishop_and_knight_drive_to_the_corner_of_the_bishop() {
    // The bishop is on dark squares: a1 and h8 are the corners.
    let place = |fen: &str| white(&format!("{fen} w - - 0 1"));
    let (wrong, edge, near, right) = (
        place("k7/8/1K6/8/8/4BN2/8/8"),
        place("3k4/8/4K3/8/8/4BN2/8/8"),
        place("6k1/8/5K2/8/8/4BN2/8/8"),
        place("7k/8/6K1/8/8/4BN2/8/8"),
    );
    assert!(wrong + 30 < edge && edge + 30 < near && near < right, "{wrong} {edge} {near} {right}");
}

#[test]
fn faster_mates_are_worth_more() {
    let with = |piece: &str| white(&format!("8/8/8/3K4/8/3k4/8/{piece}7 w - - 0 1"));
    let values = ["g", "w", "k", "c"].map(with);
    assert!(values.is_sorted() && values[3] < -800, "{values:?}");
    // The promoted piece is worth more than the pawn before promotion.
    assert!(values[2] < white("8/8/8/3K4/8/3k4/h7/8 b - - 0 1"));
}

#[test]
fn winning_the_last_piece_is_worth_more_than_any_place() {
    let mut rng = Rng::new(1);
    let (mut most, mut least, mut count) = (i32::MIN, i32::MAX, 0);
    while count < 2000 {
        let mut setup = Setup { side_to_move: Colour::Black, ..Setup::empty(Variant::Spartan) };
        for letter in ['k', 'K', 'w', 'B'] {
            setup.set(Square::new(rng.below(64) as u8), Piece::from_letter(letter));
        }
        let boards = ['-', 'B'].map(|left_out| {
            let pieces = setup.pieces.map(|piece| piece.filter(|piece| piece.letter() != left_out));
            Board::try_from(&Setup { pieces, ..setup.clone() })
        });
        if let [Ok(with), Ok(without)] = boards
            && with.occupied().count() == 4
        {
            assert!(is_mop_up(&with) && is_mop_up(&without));
            most = most.max(evaluate(&with));
            least = least.min(evaluate(&without));
            count += 1;
        }
    }
    assert!(most < least, "{most} {least}");
}

#[test]
fn only_won_endings_are_mop_up() {
    for (fen, expected) in [
        ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", true),
        ("4k3/2l5/8/8/8/8/8/3QK3 w - - 0 1", true),
        ("4k3/2w5/8/8/8/8/8/3BK3 w - - 0 1", true),
        ("4k3/4k3/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/4k3/8/8/8/8/8/3QK3 w - - 0 1", false),
        ("4k3/2l5/8/8/8/8/8/3RK3 w - - 0 1", false),
        ("4k3/2w5/8/8/8/8/8/3QK3 w - - 0 1", false),
        ("4k3/2w5/8/8/8/8/P7/3BK3 w - - 0 1", false),
        ("4k3/2h5/8/8/8/8/8/3QK3 w - - 0 1", false),
        ("4k3/2l5/8/8/8/8/8/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", false),
    ] {
        assert_eq!(is_mop_up(&spartan(fen)), expected, "{fen}");
    }
}

#[test]
fn a_second_king_is_worth_about_five_pawns() {
    let one = traced(&spartan("lg1cckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1")).value;
    let two = traced(&spartan("lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1")).value;
    assert!((300..700).contains(&(one - two)), "{one} {two}");
}

#[test]
fn hoplites_are_passed_by_their_own_rules() {
    let passed = |fen: &str| {
        let traced = traced(&spartan(fen));
        let group = GROUPS.iter().find(|group| group.name == "passed_hoplite").unwrap();
        (group.first..group.first + group.len).map(|i| traced.coefficients.count(Colour::Black, i)).sum::<i32>()
    };
    // A pawn directly in front of a hoplite neither blocks nor captures it.
    assert_eq!(passed("4k3/8/8/8/8/4h3/4P3/4K3 w - - 0 1"), 1);
    // One rank further away it attacks both squares in front of the hoplite, as two pawns may together.
    assert_eq!(passed("4k3/8/8/8/4h3/8/4P3/4K3 w - - 0 1"), 0);
    assert_eq!(passed("4k3/8/8/8/4h3/8/2P3P1/4K3 w - - 0 1"), 0);
    // Pawns on both squares.
    assert_eq!(passed("4k3/8/8/8/4h3/3P1P2/8/4K3 w - - 0 1"), 0);
    // On the edge the only path is attacked; in the centre the other one is open.
    assert_eq!(passed("4k3/8/8/h7/8/2P5/8/4K3 w - - 0 1"), 0);
    assert_eq!(passed("4k3/8/8/4h3/8/6P1/8/4K3 w - - 0 1"), 1);
}

#[test]
fn the_explanation_has_every_term() {
    let text = explain(&Board::start(Variant::Spartan));
    for term in Term::ALL {
        assert!(text.lines().any(|line| line.starts_with(term.title())), "{text}");
    }
    assert!(text.lines().all(|line| line.len() < 80));
    assert_eq!(PieceType::COUNT, PARAMS.material.len());
}
