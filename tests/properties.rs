//! Properties of all positions, tested on positions of random games and random placements. Each run uses new
//! positions; a failing case is shrunk and printed.
//!
//! `PROPTEST_CASES=10000 cargo test --release --test engine properties` tests about forty times as many cases.

use crate::common::mailbox::Mailbox;
use crate::common::{check_encodings, check_move_lists, sorted};
use agoge_core::board::{Board, Setup, Variant};
use agoge_core::eval::evaluate;
use agoge_core::nnue::arch::ThreatStates;
use agoge_core::nnue::{self, Accumulators, Kernels, Level, evaluate_full};
use agoge_core::rng::Rng;
use agoge_core::search::{Hints, Histories, HistoryTables, MovePicker, Stage};
use agoge_core::types::{Bitboard, CastlingRights, Colour, Move, MoveKind, MoveList, Piece, PieceType, Square};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::fmt;
use std::sync::LazyLock;

/// Empty histories.
static HISTORIES: LazyLock<Histories> =
    LazyLock::new(|| Box::leak(Box::new(HistoryTables::new().expect("memory"))).histories());

/// A position and moves from it.
#[derive(Clone)]
struct Line {
    start: Board,
    moves: Vec<Move>,
}

impl Line {
    /// Every position of the line, the start first.
    fn boards(&self) -> Vec<Board> {
        let mut boards = vec![self.start.clone()];
        for &mv in &self.moves {
            boards.push(boards[boards.len() - 1].after(mv));
        }
        boards
    }

    fn end(&self) -> Board {
        self.moves.iter().fold(self.start.clone(), |board, &mv| board.after(mv))
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position fen {} moves", self.start)?;
        self.moves.iter().try_for_each(|mv| write!(f, " {mv}"))
    }
}

/// A position whose debug output is its FEN.
#[derive(Clone)]
struct Position(Board);

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The men of random placements besides kings, repeated by frequency.
const fn letters(variant: Variant) -> &'static [u8] {
    match variant {
        Variant::Spartan => b"PPPPQRBNhhhhhgwccll",
        Variant::Chess => b"PPPPQRBNppppqrbn",
    }
}

/// Puts a piece on a square if that is empty and the piece is allowed there.
fn put(setup: &mut Setup, square: usize, letter: char) {
    let piece = Piece::from_letter(letter).expect("a piece");
    if setup.pieces[square].is_none() && (!piece.kind.is_pawn() || (8..56).contains(&square)) {
        setup.pieces[square] = Some(piece);
    }
}

/// Valid positions of a variant with few or many pieces, reachable in a game or not.
fn placements(variant: Variant) -> impl Strategy<Value = Position> {
    let kings = (0..64usize, 0..64usize, proptest::option::of(0..64usize));
    let pieces = vec((0..64usize, 0..letters(variant).len()), 0..32);
    // Whether kings and rooks are on their initial squares, and the castling rights.
    let castling = (proptest::bool::weighted(0.3), 0..16usize);
    let counters = (0..120u16, 1..200u16);
    (kings, pieces, castling, any::<bool>(), counters).prop_filter_map(
        "not a position",
        move |((white, black, second), pieces, (at_home, rights), white_to_move, (halfmoves, fullmoves))| {
            let mut setup = Setup { halfmove_clock: halfmoves, fullmove_number: fullmoves, ..Setup::empty(variant) };
            let mut put = |square: usize, letter: char| put(&mut setup, square, letter);
            put(if at_home { 4 } else { white }, 'K');
            put(if at_home && variant == Variant::Chess { 60 } else { black }, 'k');
            if let Some(second) = second.filter(|_| variant == Variant::Spartan) {
                put(second, 'k');
            }
            if at_home {
                [0, 7].into_iter().for_each(|square| put(square, 'R'));
                if variant == Variant::Chess {
                    [56, 63].into_iter().for_each(|square| put(square, 'r'));
                }
            }
            pieces.into_iter().for_each(|(square, index)| put(square, letters(variant)[index].into()));
            setup.grant_castling();
            for (bit, (colour, side)) in CastlingRights::EACH.into_iter().enumerate() {
                if rights >> bit & 1 == 0 {
                    setup.castling = setup.castling.without(colour, side);
                }
            }
            let first = if white_to_move { Colour::White } else { Colour::Black };
            [first, !first].into_iter().find_map(|side| {
                setup.side_to_move = side;
                Board::try_from(&setup).ok().map(Position)
            })
        },
    )
}

/// Lines of a variant, from the initial position or any other. Captures and promotions are more frequent than others,
/// which leads to all kinds of endgames.
fn lines_of(variant: Variant) -> impl Strategy<Value = Line> {
    let start = prop_oneof![Just(Position(Board::start(variant))), placements(variant)];
    (start, vec(any::<(u16, bool)>(), 0..120)).prop_map(|(Position(start), choices)| {
        let mut board = start.clone();
        let mut moves = Vec::new();
        for (index, quiet) in choices {
            let mut list = MoveList::new();
            if !quiet {
                board.noisy_moves(&mut list);
            }
            if list.is_empty() {
                list = board.legal_moves();
            }
            let Some(&mv) = list.get(usize::from(index) % list.len().max(1)) else { break };
            board.make_move(mv);
            moves.push(mv);
        }
        Line { start, moves }
    })
}

fn lines() -> impl Strategy<Value = Line> {
    prop_oneof![3 => lines_of(Variant::Spartan), 1 => lines_of(Variant::Chess)]
}

/// Positions of all kinds: ends of lines, and random placements.
fn positions() -> impl Strategy<Value = Position> {
    prop_oneof![
        3 => lines().prop_map(|line| Position(line.end())),
        2 => placements(Variant::Spartan),
        1 => placements(Variant::Chess),
    ]
}

fn spartan_lines() -> impl Strategy<Value = Line> {
    lines_of(Variant::Spartan)
}

/// The position changed by a function, without castling rights and move counters.
fn transformed(board: &Board, change: impl Fn(&Setup) -> Setup) -> Board {
    let castling = CastlingRights::NONE;
    let setup = change(&Setup { castling, halfmove_clock: 0, fullmove_number: 1, ..Setup::from(board) });
    Board::try_from(&setup).unwrap_or_else(|error| panic!("{setup}: {error}"))
}

/// The legal moves with all squares mapped, without castling.
fn transformed_moves(board: &Board, to: impl Fn(Square) -> Square) -> Vec<String> {
    let moves = board.legal_moves().into_iter().filter(|mv| mv.kind() != MoveKind::Castling);
    let mut moves: Vec<String> = moves
        .map(|mv| {
            let promotion = mv.promoted().map_or(String::new(), |kind| kind.letter().to_string());
            format!("{}{}{promotion}", to(mv.from()), to(mv.to()))
        })
        .collect();
    moves.sort_unstable();
    moves
}

/// Asserts that a symmetry of the game changes neither the legal moves nor check nor the evaluation of a position.
/// Returns the position and its image.
fn check_symmetry(board: &Board, change: fn(&Setup) -> Setup, to: fn(Square) -> Square) -> [Board; 2] {
    let (plain, image) = (transformed(board, Setup::clone), transformed(board, change));
    assert_eq!(transformed_moves(&image, |square| square), transformed_moves(&plain, to), "{board}");
    assert_eq!(plain.in_check(), image.in_check());
    assert_eq!(evaluate(&plain), evaluate(&image), "{board}");
    [plain, image]
}

/// Random move ordering hints: legal moves, and encodings that may be invalid.
fn hints(board: &Board, random: &mut Rng) -> Hints {
    let legal = board.legal_moves();
    let mut mv = || match random.below(3) {
        0 => None,
        1 => Move::from_bits(random.next() as u16),
        _ => (!legal.is_empty()).then(|| legal[random.below(legal.len())]),
    };
    let (hash_move, mut killers, counter) = (mv(), [mv(), mv()], mv());
    if killers[0] == killers[1] {
        killers[1] = None;
    }
    Hints { hash_move, killers, counter, threats: board.threats_of(!board.side_to_move()), earlier: [None; 4] }
}

/// Perft with the move picker; checks at each node that it yields exactly the legal moves.
fn perft_by_picker(board: &Board, depth: u32, random: &mut Rng) -> Result<u64, TestCaseError> {
    if depth == 0 {
        return Ok(1);
    }
    let mut picker = MovePicker::new(board, hints(board, random));
    let mut picked = Vec::new();
    let mut nodes = 0;
    while let Some(mv) = picker.next(board, &HISTORIES) {
        picked.push(mv);
        nodes += perft_by_picker(&board.after(mv), depth - 1, random)?;
    }
    prop_assert_eq!(sorted(picked), sorted(board.legal_moves()), "{}", board);
    Ok(nodes)
}

/// A thousand cases of each property by default. Failures are printed and not saved: they belong into tests of their
/// own.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: 4 * default.cases, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]

    /// After each move all incrementally updated fields (keys, pieces, king states) equal those of the position read
    /// from its FEN.
    #[test]
    fn incremental_updates_match_the_fen(line in lines()) {
        for board in line.boards() {
            let fen = board.to_fen();
            let again = Board::from_fen(&fen, board.variant());
            prop_assert_eq!(again.as_ref(), Ok(&board), "{}", fen);
            prop_assert_eq!(board.keys(), board.recomputed_keys(), "{}", fen);
            for &mv in &board.legal_moves() {
                let after = board.after(mv);
                if let Some(key) = board.key_after(mv) {
                    prop_assert_eq!(key, after.key(), "{} in {}", mv, fen);
                }
                prop_assert_eq!(board.is_irreversible(mv), after.halfmove_clock() == 0, "{} in {}", mv, fen);
                prop_assert_eq!(board.gives_check(mv), after.in_check(), "{} in {}", mv, fen);
            }
            for square in Square::all() {
                let piece = board.piece_on(square);
                prop_assert_eq!(piece.is_some(), board.occupied().has(square), "{} of {}", square, fen);
                for (colour, kind) in Colour::ALL.into_iter().flat_map(|c| PieceType::ALL.map(|kind| (c, kind))) {
                    let here = piece.is_some_and(|piece| piece.colour == colour && piece.kind == kind);
                    prop_assert_eq!(board.coloured(colour, kind).has(square), here, "{} of {}", square, fen);
                }
            }
        }
    }

    /// A null move changes the key, and a second one restores it.
    #[test]
    fn null_moves_restore_the_keys(Position(board) in positions()) {
        prop_assume!(!board.in_check());
        let mut passed = board.clone();
        passed.make_null_move();
        prop_assert_eq!(passed.keys(), passed.recomputed_keys());
        prop_assert_ne!(passed.key(), board.key());
        prop_assert_eq!(passed.side_to_move(), !board.side_to_move());
        prop_assert_eq!(passed.en_passant(), None);
        let again = Board::from_fen(&passed.to_fen(), board.variant());
        prop_assert_eq!(again.as_ref(), Ok(&passed));
        prop_assume!(!passed.in_check());
        passed.make_null_move();
        prop_assert_eq!(passed.keys(), passed.recomputed_keys());
        prop_assert_eq!(passed.key() == board.key(), board.en_passant().is_none());
    }

    /// The threat states from the attackers of each piece.
    #[test]
    fn threat_states_follow_from_attackers(Position(board) in positions()) {
        use PieceType::{Bishop, Captain, General, Hoplite, King, Knight, Lieutenant, Pawn, Queen, Rook, Warlord};
        let states = ThreatStates::of(&board);
        for square in board.occupied() {
            let piece = board.piece_on(square).expect("a piece");
            let attackers = board.attackers_of(!piece.colour, square, board.occupied());
            let lesser: &[PieceType] = match piece.kind {
                Pawn | Hoplite => &[],
                Knight | Bishop | Captain | Lieutenant => &[Pawn, Hoplite],
                Rook | King => &[Pawn, Hoplite, Knight, Bishop, Captain, Lieutenant],
                Queen | General | Warlord => {
                    &[Pawn, Hoplite, Knight, Bishop, Captain, Lieutenant, Rook, General, Warlord]
                }
            };
            let is_defended = board.attackers_of(piece.colour, square, board.occupied()).nonempty();
            let by_lesser = attackers.into_iter().filter_map(|from| board.kind_on(from)).any(|kind| lesser.contains(&kind));
            let expected = match (attackers.is_empty(), by_lesser, is_defended) {
                (true, ..) => 0,
                (_, true, _) => 3,
                (_, _, false) => 1,
                (_, _, true) => 2,
            };
            prop_assert_eq!(states.on(square), expected, "{:?} in {}", square, board);
        }
    }

    /// Along a line and back, at every SIMD level.
    #[test]
    fn accumulators_match_the_full_evaluation(line in spartan_lines(), asked in any::<u64>()) {
        let network = nnue::embedded().expect("a network");
        for kernels in Level::ALL.into_iter().filter_map(Kernels::new) {
            let boards = line.boards();
            let mut accumulators = Accumulators::new(network.clone(), kernels);
            for (ply, board) in boards.iter().enumerate() {
                // Not after each move, to test updates by several moves.
                if asked >> (ply % 64) & 1 != 0 {
                    prop_assert_eq!(accumulators.evaluate(board), evaluate_full(&network, board), "{}", board);
                }
            }
            for board in boards.iter().rev() {
                prop_assert_eq!(accumulators.evaluate(board), evaluate_full(&network, board), "{}", board);
            }
        }
    }

    /// The simple mailbox implementation against the bitboard generator: moves, check, and the position after each
    /// move.
    #[test]
    fn legal_moves_match_the_mailbox(Position(board) in positions()) {
        let fen = board.to_fen();
        let mailbox = Mailbox::new(&board);
        let mut texts: Vec<String> = board.legal_moves().iter().map(Move::to_string).collect();
        texts.sort();
        prop_assert_eq!(texts, mailbox.legal_moves(), "{}", fen);
        prop_assert_eq!(board.in_check(), mailbox.in_check(), "{}", fen);
        for (text, next) in mailbox.successors() {
            let mv = board.parse_move(&text);
            prop_assert!(mv.is_ok(), "{} in {}", text, fen);
            prop_assert_eq!(Setup::from(&board.after(mv.expect("a move"))), next.setup(), "{} in {}", text, fen);
        }
    }

    /// All functions for legal moves agree, including `is_legal` for each encoding.
    #[test]
    fn all_generators_agree(Position(board) in positions()) {
        check_move_lists(&board);
        check_encodings(&board);
    }

    /// SEE against a recursive implementation on the mailbox, including x-rays.
    #[test]
    fn see_matches_a_plain_recursion(Position(board) in positions()) {
        let fen = board.to_fen();
        let mailbox = Mailbox::new(&board);
        let value = |letter: u8| PieceType::from_letter(letter as char).map_or(0, PieceType::exchange_value);
        for mv in board.legal_moves() {
            let expected = mailbox.exchange(&mv.to_string(), &value);
            for threshold in [expected - 100, expected, expected + 1, expected + 100] {
                prop_assert_eq!(board.see_ge(mv, threshold), expected >= threshold, "{} ({}) by {} in {}", mv, expected, threshold, fen);
            }
        }
    }

    /// SAN survives a round trip, with correct `+` and `#`.
    #[test]
    fn notation_reads_back(Position(board) in positions()) {
        for mv in board.legal_moves() {
            let san = board.to_san(mv);
            prop_assert_eq!(board.parse_san(&san), Ok(mv), "{} in {}", san, board);
            prop_assert_eq!(board.parse_move(&mv.to_string()), Ok(mv));
            let next = board.after(mv);
            let mate = next.in_check() && !next.has_legal_move();
            prop_assert_eq!(san.ends_with('#'), mate, "{} in {}", san, board);
            prop_assert_eq!(san.ends_with(['+', '#']), next.in_check(), "{} in {}", san, board);
        }
    }

    /// Except for castling, mirroring the files changes neither the legal moves nor the evaluations.
    #[test]
    fn mirror_images_have_the_same_moves_and_value(Position(board) in positions()) {
        let [plain, mirrored] = check_symmetry(&board, Setup::mirrored, Square::flip_file);
        if board.variant() == Variant::Spartan {
            let network = nnue::embedded().expect("a network");
            prop_assert_eq!(evaluate_full(&network, &plain), evaluate_full(&network, &mirrored), "{}", board);
        }
    }

    /// In orthodox chess, exchanging colours changes neither the legal moves nor the evaluation.
    #[test]
    fn colours_of_chess_have_the_same_moves_and_value(Position(board) in placements(Variant::Chess)) {
        check_symmetry(&board, Setup::swapped, Square::flip_rank);
    }

    /// With any hash move, killers and counter move, the picker yields each legal move once.
    #[test]
    fn the_picker_yields_the_legal_moves(line in lines(), seed in any::<u64>()) {
        let board = line.end();
        let depth = if board.count_moves() > 60 { 1 } else { 2 };
        let nodes = perft_by_picker(&board, depth, &mut Rng::new(seed))?;
        prop_assert_eq!(nodes, board.perft(depth));
    }

    /// The noisy picker respects its SEE margin, and no quiet move follows `skip_quiets`.
    #[test]
    fn the_picker_skips_moves(Position(board) in positions(), seed in any::<u64>(), margin in -500..500) {
        let mut random = Rng::new(seed);
        let hints = hints(&board, &mut random);
        let mut picker = MovePicker::noisy(&board, hints, margin);
        let picked: Vec<Move> = std::iter::from_fn(|| picker.next(&board, &HISTORIES)).collect();
        let mut noisy = MoveList::new();
        board.noisy_moves(&mut noisy);
        let wanted = noisy.into_iter().filter(|&mv| Some(mv) == hints.hash_move || board.see_ge(mv, margin));
        prop_assert_eq!(sorted(picked), sorted(wanted), "{}", board);

        let mut picker = MovePicker::new(&board, hints);
        for _ in 0..random.below(8) {
            picker.next(&board, &HISTORIES);
        }
        picker.skip_quiets();
        while let Some(mv) = picker.next(&board, &HISTORIES) {
            prop_assert!(board.is_noisy(mv) || picker.stage() <= Stage::GenerateNoisy, "{} in {}", mv, board);
        }
    }

    /// The threats of a side are exactly the squares that have attackers.
    #[test]
    fn attacked_squares_have_attackers(Position(board) in positions()) {
        for colour in Colour::ALL {
            let attacked = Square::all().filter(|&s| board.attackers_of(colour, s, board.occupied()).nonempty());
            let attacked = attacked.fold(Bitboard::EMPTY, Bitboard::with);
            prop_assert_eq!(board.threats_of(colour).all, attacked, "{:?} of {}", colour, board);
        }
    }
}

/// FENs with characters replaced, inserted, removed or swapped are either rejected or read; those that are read
/// survive a round trip.
#[test]
fn damaged_fens() {
    let mut random = Rng::new(12);
    let letters: Vec<char> = "KQRBNPkgwclhqrnp12345678/ wb-KQkqHAhae36019é♔\u{0}\t;".chars().collect();
    let mut valid = 0;
    let mut runner = TestRunner::deterministic();
    for _ in 0..600 {
        let Position(board) = positions().new_tree(&mut runner).expect("a position").current();
        for _ in 0..100 {
            let mut text: Vec<char> = board.to_fen().chars().collect();
            for _ in 0..1 + random.below(3) {
                let at = random.below(text.len());
                match random.below(4) {
                    0 => text[at] = random.pick(&letters),
                    1 => text.insert(at, random.pick(&letters)),
                    2 if text.len() > 1 => {
                        text.remove(at);
                    }
                    _ => {
                        let other = random.below(text.len());
                        text.swap(at, other);
                    }
                }
            }
            let text: String = text.into_iter().collect();
            if let Ok(board) = Board::from_fen(&text, board.variant()) {
                valid += 1;
                assert_eq!(Board::from_fen(&board.to_fen(), board.variant()).as_ref(), Ok(&board), "{text}");
                assert_eq!(board.count_moves() as usize, board.legal_moves().len());
            }
        }
    }
    assert!(valid > 1_000, "only {valid} damaged FENs were valid");
}
