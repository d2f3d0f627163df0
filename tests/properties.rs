//! What must hold in every position: of random games, and set up at random. Positions are drawn anew
//! in each run; one in which something fails is made as small as possible and printed.
//!
//! `PROPTEST_CASES=10000 cargo test --release --test properties` looks at forty times as many.

use crate::common::mailbox::{Mailbox, placement};
use agoge::board::{Board, Variant};
use agoge::eval::evaluate;
use agoge::nnue::{self, Accumulators, Kernels, Level, evaluate_full};
use agoge::rng::Rng;
use agoge::search::{Hints, Histories, MovePicker, Stage};
use agoge::types::{Bitboard, Colour, Move, MoveKind, MoveList, PieceType, Square};
use once_cell::sync::Lazy;
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt;

/// Statistics of a search that has not begun.
static HISTORIES: Lazy<Histories> = Lazy::new(|| Histories::new().expect("memory"));

/// A position and moves from there on.
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

/// A position that shows as its FEN.
#[derive(Clone)]
struct SetUp(Board);

impl fmt::Debug for SetUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The pieces that a set-up may have besides kings, those that there are more of several times.
const fn letters(variant: Variant) -> &'static [u8] {
    match variant {
        Variant::Spartan => b"PPPPQRBNhhhhhgwccll",
        Variant::Chess => b"PPPPQRBNppppqrbn",
    }
}

/// Valid positions of a variant with few or many pieces, whether a game can come to them or not.
fn set_ups(variant: Variant) -> impl Strategy<Value = SetUp> {
    let kings = (0..64usize, 0..64usize, proptest::option::of(0..64usize));
    let pieces = vec((0..64usize, 0..letters(variant).len()), 0..32);
    // Kings and rooks at home in some of them; and which rights to castle are still there.
    let castling = (proptest::bool::weighted(0.3), 0..16usize);
    let counters = (0..120u16, 1..200u16);
    (kings, pieces, castling, any::<bool>(), counters).prop_filter_map(
        "not a position",
        move |((white, black, second), pieces, (at_home, rights), white_to_move, (halfmoves, fullmoves))| {
            let mut cells = [b'.'; 64];
            let mut put = |square: usize, piece: u8| {
                let pawn = matches!(piece, b'P' | b'p' | b'h');
                if cells[square] == b'.' && (!pawn || (8..56).contains(&square)) {
                    cells[square] = piece;
                }
            };
            put(if at_home { 4 } else { white }, b'K');
            put(if at_home && variant == Variant::Chess { 60 } else { black }, b'k');
            if let Some(second) = second.filter(|_| variant == Variant::Spartan) {
                put(second, b'k');
            }
            if at_home {
                [0, 7].into_iter().for_each(|square| put(square, b'R'));
                if variant == Variant::Chess {
                    [56, 63].into_iter().for_each(|square| put(square, b'r'));
                }
            }
            pieces.into_iter().for_each(|(square, index)| put(square, letters(variant)[index]));
            let possible = [
                (4, b'K', 7, b'R', 'K'),
                (4, b'K', 0, b'R', 'Q'),
                (60, b'k', 63, b'r', 'k'),
                (60, b'k', 56, b'r', 'q'),
            ];
            let kept = possible
                .into_iter()
                .enumerate()
                .filter(|&(bit, (king, k, rook, r, _))| rights >> bit & 1 != 0 && cells[king] == k && cells[rook] == r);
            let castling: String = kept.map(|(_, (.., letter))| letter).collect();
            let castling = if castling.is_empty() { "-" } else { &castling };
            let sides = if white_to_move { ["w", "b"] } else { ["b", "w"] };
            sides.into_iter().find_map(|side| {
                let fen = format!("{} {side} {castling} - {halfmoves} {fullmoves}", placement(&cells));
                Board::from_fen(&fen, variant).ok().map(SetUp)
            })
        },
    )
}

/// Lines of a variant, from the initial position or from any other. Captures and promotions are
/// preferred somewhat, so that all kinds of endings come about.
fn lines_of(variant: Variant) -> impl Strategy<Value = Line> {
    let start = prop_oneof![Just(SetUp(Board::start(variant))), set_ups(variant)];
    (start, vec(any::<(u16, bool)>(), 0..120)).prop_map(|(SetUp(start), choices)| {
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

/// Positions of all kinds: the ends of lines, and set-ups.
fn positions() -> impl Strategy<Value = SetUp> {
    prop_oneof![
        3 => lines().prop_map(|line| SetUp(line.end())),
        2 => set_ups(Variant::Spartan),
        1 => set_ups(Variant::Chess),
    ]
}

fn spartan_lines() -> impl Strategy<Value = Line> {
    lines_of(Variant::Spartan)
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
    let mut bits: Vec<u16> = moves.into_iter().map(Move::bits).collect();
    bits.sort_unstable();
    bits
}

/// The same position seen in another way: each square goes to another one, and sides may change.
fn seen(board: &Board, to: impl Fn(Square) -> Square, exchange: bool) -> Board {
    let mut cells = [b'.'; 64];
    for square in board.occupied() {
        let letter = board.piece_on(square).expect("a piece").letter() as u8;
        // Upper and lower case differ by one bit.
        cells[to(square).index()] = letter ^ if exchange { 0x20 } else { 0 };
    }
    let side = if (board.side_to_move() == Colour::White) == exchange { "b" } else { "w" };
    let en_passant = board.en_passant().map_or("-".to_owned(), |square| to(square).to_string());
    let fen = format!("{} {side} - {en_passant} 0 1", placement(&cells));
    Board::from_fen(&fen, board.variant()).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The moves with other squares, castling left out.
fn moves_seen(board: &Board, to: impl Fn(Square) -> Square) -> Vec<String> {
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

/// Hints from anywhere: encodings that may mean nothing here, and legal moves among them.
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

/// Leaf nodes of the tree of the moves that the picker hands out; at each node these are the legal ones.
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

/// A thousand cases of each property, where nothing else is asked for. What fails is printed, and has
/// its place in a test of its own.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: 4 * default.cases, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]

    /// A position is copied and not taken back, so that what must hold is that every field after a
    /// move is what it would be if the position were set up: keys, pieces, how the kings stand.
    #[test]
    fn every_field_after_a_move_is_that_of_the_position_set_up(line in lines()) {
        for board in line.boards() {
            let fen = board.to_fen();
            let again = Board::from_fen(&fen, board.variant());
            prop_assert_eq!(again.as_ref(), Ok(&board), "{}", fen);
            prop_assert_eq!(board.keys(), board.recomputed_keys(), "{}", fen);
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

    /// The key of a position is another one after each move, and two null moves give it back.
    #[test]
    fn null_moves_give_the_keys_back(SetUp(board) in positions()) {
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

    /// On the way there and on the way back, at every level of vector instructions.
    #[test]
    fn accumulators_follow_moves_and_come_back(line in spartan_lines(), asked in any::<u64>()) {
        let network = nnue::embedded().expect("a network");
        for kernels in Level::ALL.into_iter().filter_map(Kernels::new) {
            let mut board = line.start.clone();
            let mut accumulators = Accumulators::new(network.clone(), kernels, &board);
            for (ply, &mv) in line.moves.iter().enumerate() {
                accumulators.make_move(&mut board, mv);
                // Not each time, so that several moves are caught up with at once.
                if asked >> (ply % 64) & 1 != 0 {
                    prop_assert_eq!(accumulators.evaluate(&board), evaluate_full(&network, &board), "{}", board);
                }
            }
            for (back, board) in line.boards().iter().rev().enumerate() {
                if back > 0 {
                    accumulators.take_back();
                }
                prop_assert_eq!(accumulators.evaluate(board), evaluate_full(&network, board), "{}", board);
            }
        }
    }

    /// The rule in one sentence, tried out on an array of letters, against the generator with its pins
    /// and masks: moves, check, and the position after each move.
    #[test]
    fn legal_moves_are_those_of_the_one_rule(SetUp(board) in positions()) {
        let fen = board.to_fen();
        let mailbox = Mailbox::new(&fen, board.variant() == Variant::Spartan);
        let mut texts: Vec<String> = board.legal_moves().iter().map(Move::to_string).collect();
        texts.sort();
        prop_assert_eq!(texts, mailbox.legal_moves(), "{}", fen);
        prop_assert_eq!(board.in_check(), mailbox.in_check(), "{}", fen);
        for (text, next) in mailbox.successors() {
            let mv = board.parse_move(&text);
            prop_assert!(mv.is_ok(), "{} in {}", text, fen);
            prop_assert_eq!(board.after(mv.expect("a move")).to_fen(), next.fen(), "{} in {}", text, fen);
        }
    }

    /// All ways to ask for legal moves agree, `is_legal` for each of the 65,536 encodings: a move may
    /// come from a hash table or a file.
    #[test]
    fn all_generators_agree(SetUp(board) in positions()) {
        let moves = board.legal_moves();
        let all = sorted(moves.iter().copied());
        prop_assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "a move twice in {}", board);
        prop_assert_eq!(board.count_moves() as usize, moves.len());
        prop_assert_eq!(board.has_legal_move(), !moves.is_empty());
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        board.noisy_moves(&mut noisy);
        board.quiet_moves(&mut quiet);
        prop_assert!(noisy.iter().all(|&mv| board.is_noisy(mv)));
        prop_assert!(quiet.iter().all(|&mv| !board.is_noisy(mv)));
        prop_assert_eq!(sorted(noisy.into_iter().chain(quiet)), &all[..]);
        let accepted = (0..=u16::MAX).filter(|&bits| Move::from_bits(bits).is_some_and(|mv| board.is_legal(mv)));
        prop_assert_eq!(accepted.collect::<Vec<_>>(), all);
    }

    /// Exchanges against a plain recursion on an array of letters, with all that a leaving piece uncovers.
    #[test]
    fn exchanges_are_those_of_a_plain_recursion(SetUp(board) in positions()) {
        let fen = board.to_fen();
        let mailbox = Mailbox::new(&fen, board.variant() == Variant::Spartan);
        let value = |letter: u8| PieceType::from_letter(letter as char).map_or(0, PieceType::exchange_value);
        for mv in board.legal_moves() {
            let expected = mailbox.exchange(&mv.to_string(), &value);
            for threshold in [expected - 100, expected, expected + 1, expected + 100] {
                prop_assert_eq!(board.see_ge(mv, threshold), expected >= threshold, "{} ({}) by {} in {}", mv, expected, threshold, fen);
            }
        }
    }

    /// What algebraic notation writes, it reads; `+` and `#` stand where they should.
    #[test]
    fn notation_reads_back(SetUp(board) in positions()) {
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

    /// Left and right mean nothing but for castling: neither to the rules nor to either evaluation.
    #[test]
    fn mirror_images_have_the_same_moves_and_value(SetUp(board) in positions()) {
        let plain = seen(&board, |square| square, false);
        let mirrored = seen(&board, Square::flip_file, false);
        prop_assert_eq!(moves_seen(&plain, Square::flip_file), moves_seen(&mirrored, |square| square), "{}", board);
        prop_assert_eq!(plain.in_check(), mirrored.in_check());
        prop_assert_eq!(evaluate(&plain), evaluate(&mirrored), "{}", board);
        if board.variant() == Variant::Spartan {
            let network = nnue::embedded().expect("a network");
            prop_assert_eq!(evaluate_full(&network, &plain), evaluate_full(&network, &mirrored), "{}", board);
        }
    }

    /// In orthodox chess the colours mean nothing but who begins.
    #[test]
    fn colours_of_chess_have_the_same_moves_and_value(SetUp(board) in set_ups(Variant::Chess)) {
        let plain = seen(&board, |square| square, false);
        let flipped = seen(&board, Square::flip_rank, true);
        prop_assert_eq!(moves_seen(&plain, Square::flip_rank), moves_seen(&flipped, |square| square), "{}", board);
        prop_assert_eq!(plain.in_check(), flipped.in_check());
        prop_assert_eq!(evaluate(&plain), evaluate(&flipped), "{}", board);
    }

    /// Whatever hash table, killers and counter moves say: the picker hands out each legal move once.
    #[test]
    fn the_picker_hands_out_the_legal_moves(line in lines(), seed in any::<u64>()) {
        let board = line.end();
        let depth = if board.count_moves() > 60 { 1 } else { 2 };
        let nodes = perft_by_picker(&board, depth, &mut Rng::new(seed))?;
        prop_assert_eq!(nodes, board.perft(depth));
    }

    /// The picker of captures and promotions keeps to its margin; and no quiet move comes once they are
    /// not wanted any more.
    #[test]
    fn the_picker_leaves_out_what_is_not_wanted(SetUp(board) in positions(), seed in any::<u64>(), margin in -500..500) {
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

    /// The squares that a side attacks are those from which it gives check and takes.
    #[test]
    fn attacked_squares_have_attackers(SetUp(board) in positions()) {
        for colour in Colour::ALL {
            let attacked = Square::all().filter(|&s| board.attackers_of(colour, s, board.occupied()).nonempty());
            let attacked = attacked.fold(Bitboard::EMPTY, Bitboard::with);
            prop_assert_eq!(board.threats_of(colour).all, attacked, "{:?} of {}", colour, board);
        }
    }
}
