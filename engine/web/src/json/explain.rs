//! Explains in plain words why a move is illegal.

use super::fen::capitalised;
use agoge_core::attacks::tables;
use agoge_core::board::{Board, Game, Roster, SanIntent};
use agoge_core::types::{Bitboard, CastlingSide, CastlingSquares, PieceType, Square};

/// Why a move between two squares is illegal, as a sentence; `None` if it is legal.
pub fn explain(game: &Game, from: Square, to: Square) -> Option<String> {
    let board = game.board();
    let side = board.side_to_move();
    if board.legal_moves().iter().any(|mv| mv.from() == from && mv.to() == to) {
        return None;
    }
    let Some(piece) = board.piece_on(from) else { return Some(format!("There is no piece on {from}.")) };
    let name = piece.kind.name();
    if piece.colour != side {
        return Some(format!("{} to move; the {name} belongs to the other side.", capitalised(army(board).name)));
    }
    if from == to {
        return Some("A piece must move to another square.".to_owned());
    }
    if piece.kind == PieceType::King
        && let Some(castling_side) = castling_side(board, from, to)
    {
        return Some(castling(game, castling_side));
    }
    if board.colour(side).has(to) {
        return Some(format!("Your own piece stands on {to}."));
    }
    if !board.reachable(from, board.occupied()).has(to) {
        let alone = Bitboard::of(from) | Bitboard::of(to);
        if !piece.kind.is_pawn() && board.reachable(from, alone).has(to) {
            return Some(format!("Another piece stands in the way of the {name}."));
        }
        if piece.kind == PieceType::Hoplite && board.reachable(from, Bitboard::of(from)).has(to) {
            return Some(format!("There is a piece on {to}; a hoplite captures only one square straight ahead."));
        }
        return Some(rule(piece.kind).to_owned());
    }
    Some(exposure(board, from, to))
}

/// Why a move in algebraic notation is illegal, as a sentence; `None` if the text is not a move, or legal.
pub fn explain_san(game: &Game, text: &str) -> Option<String> {
    let board = game.board();
    let SanIntent { kind, pieces, to, promotion, castling: side } = board.san_intent(text)?;
    if let Some(side) = side {
        return Some(castling(game, side));
    }
    let name = kind.or_else(|| board.kind_on(*pieces.first()?)).unwrap_or(PieceType::Pawn).name();
    let reaching = pieces.iter().find(|&&from| board.reachable(from, board.occupied()).has(to));
    let from = match (reaching, pieces.as_slice()) {
        (Some(&from), _) | (None, &[from]) => from,
        (None, []) => return Some(format!("You have no such {name}.")),
        (None, _) if board.colour(board.side_to_move()).has(to) => {
            return Some(format!("Your own piece stands on {to}."));
        }
        (None, _) => return Some(format!("No {name} of yours reaches {to}.")),
    };
    explain(game, from, to).or_else(|| {
        let is_promotion = |wanted: Option<PieceType>| {
            let moves = board.legal_moves();
            moves.iter().any(|mv| mv.from() == from && mv.to() == to && mv.promoted() == wanted)
        };
        match promotion {
            _ if is_promotion(promotion) => None,
            None => {
                let letter = if board.kind_on(from) == Some(PieceType::Hoplite) { 'G' } else { 'Q' };
                Some(format!("Name the new piece, as in {}={letter}.", text.trim()))
            }
            Some(_) if is_promotion(None) => Some(format!("The {name} is not promoted there.")),
            Some(PieceType::King) if board.kings(board.side_to_move()).count() > 1 => {
                Some(format!("You have two kings; a {name} becomes a king only when there is one."))
            }
            Some(kind) => Some(format!("A {name} cannot become a {}.", kind.name())),
        }
    })
}

/// The side on which a king of the side to move would castle, from the squares alone: it goes two squares along its
/// rank, or onto its rook on the first square of it.
fn castling_side(board: &Board, from: Square, to: Square) -> Option<CastlingSide> {
    let side = board.side_to_move();
    CastlingSide::ALL.into_iter().find(|castling_side| {
        let CastlingSquares { king_from, king_to, rook_from, .. } = castling_side.squares(side);
        if board.colour(side).has(to) {
            return from == king_from && to == rook_from && board.coloured(side, PieceType::Rook).has(to);
        }
        from.rank() == to.rank() && from.file().index().abs_diff(to.file().index()) == 2 && to.file() == king_to.file()
    })
}

/// Why castling is illegal.
fn castling(game: &Game, castling_side: CastlingSide) -> String {
    let board = game.board();
    let side = board.side_to_move();
    if !army(board).castles {
        return "Spartan kings do not castle; they move one square in any direction.".to_owned();
    }
    if !board.castling().has(side, castling_side) {
        return lost_right(game, castling_side);
    }
    if board.in_check() {
        return "A king may not castle out of check.".to_owned();
    }
    let CastlingSquares { king_from, king_to, rook_from, .. } = castling_side.squares(side);
    if (tables().between(king_from, rook_from) & board.occupied()).nonempty() {
        return "A piece stands between king and rook.".to_owned();
    }
    let rule = "a king may not castle over or onto an attacked square";
    let mut path = tables().between(king_from, king_to).with(king_to);
    let attacked = path.find_map(|square| {
        let attacker = board.attackers_of(!side, square, board.occupied()).first()?;
        Some(format!("{square} is attacked by the {} on {attacker}; {rule}.", board.kind_on(attacker)?.name()))
    });
    attacked.unwrap_or_else(|| format!("Here {rule}."))
}

/// Why there is no right to castle.
fn lost_right(game: &Game, castling_side: CastlingSide) -> String {
    let board = game.board();
    let side = board.side_to_move();
    let CastlingSquares { king_from, rook_from, .. } = castling_side.squares(side);
    let lost = "The right to castle on this side is lost:";
    if game.initial_board().castling().has(side, castling_side) {
        let mut moves = game.moves().iter();
        return match moves.find(|mv| [mv.from(), mv.to()].iter().any(|square| [king_from, rook_from].contains(square)))
        {
            Some(mv) if mv.from() == king_from => format!("{lost} the king has moved."),
            Some(mv) if mv.from() == rook_from => format!("{lost} the rook on {rook_from} has moved."),
            _ => format!("{lost} the rook on {rook_from} was captured."),
        };
    }
    let has = |kind, square| board.coloured(side, kind).has(square);
    if !has(PieceType::King, king_from) {
        format!("{lost} the king is not on {king_from}.")
    } else if !has(PieceType::Rook, rook_from) {
        format!("{lost} there is no rook on {rook_from}.")
    } else {
        format!("{lost} the king or the rook has moved.")
    }
}

/// What is wrong with a move after which all kings would be attacked.
fn exposure(board: &Board, from: Square, to: Square) -> String {
    let side = board.side_to_move();
    let occupied = board.occupied().without(from).with(to);
    let mut kings = board.kings(side);
    if kings.has(from) {
        kings = kings.without(from).with(to);
    }
    let attack = |king: Square| {
        let attacker = board.attackers_of(!side, king, occupied).without(to).first()?;
        Some(format!("the king on {king} would be attacked by the {} on {attacker}", board.kind_on(attacker)?.name()))
    };
    let attacks: Vec<String> = kings.filter_map(attack).collect();
    let reason = attacks.join(", and ");
    let rule = match attacks.len() {
        2 => " One of the two kings must be safe.",
        _ => "",
    };
    if board.in_check() {
        format!("This does not answer the check: {reason}.{rule}")
    } else {
        format!("After this move {reason}.{rule}")
    }
}

/// The army to move.
fn army(board: &Board) -> &'static Roster {
    board.variant().army(board.side_to_move())
}

/// How a piece moves.
const fn rule(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => {
            "A pawn moves one square straight ahead, two from its first square, and captures one square diagonally ahead."
        }
        PieceType::Knight => "A knight leaps two squares along a rank or file and one to the side.",
        PieceType::Bishop => "A bishop moves diagonally.",
        PieceType::Rook => "A rook moves along ranks and files.",
        PieceType::Queen => "A queen moves along ranks, files and diagonals.",
        PieceType::King => "A king moves one square in any direction.",
        PieceType::Hoplite => {
            "A hoplite moves one square diagonally ahead, or leaps two squares diagonally ahead from its first one, \
             and captures only one square straight ahead."
        }
        PieceType::Lieutenant => {
            "A lieutenant moves or leaps one or two squares diagonally, and one square sideways without capturing."
        }
        PieceType::Captain => "A captain moves or leaps one or two squares along a rank or file.",
        PieceType::Warlord => "A warlord moves as a bishop or a knight.",
        PieceType::General => "A general moves as a rook, or one square diagonally.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn why(fen: &str, squares: &str) -> Option<String> {
        let variant = if fen.contains(['q', 'p', 'n']) { Variant::Chess } else { Variant::Spartan };
        let game = Game::new(Board::from_fen(fen, variant).expect("a valid FEN"));
        let bytes = squares.as_bytes();
        let square = |at: usize| Square::from_ascii(bytes[at], bytes[at + 1]).expect("a square");
        explain(&game, square(0), square(2))
    }

    #[test]
    fn every_reason() {
        let start = Variant::Spartan.start_fen();
        let spartans = "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1";
        for (fen, squares, part) in [
            (start, "e4e5", "There is no piece on e4."),
            (start, "e7e6", "The Persians to move; the hoplite belongs to the other side."),
            (start, "d1d2", "Your own piece stands on d2."),
            (start, "d1d4", "Another piece stands in the way of the queen."),
            (start, "e2e5", "A pawn moves"),
            (start, "e1g1", "Your own piece stands on g1."),
            (start, "e1h1", "A piece stands between king and rook."),
            ("1k6/8/8/8/8/8/8/RN2K3 w Q - 0 1", "e1c1", "A piece stands between king and rook."),
            (spartans, "e7e6", "A hoplite moves"),
            (spartans, "c8a6", "A king moves one square"),
            (spartans, "c8e8", "Your own piece"),
            (spartans, "a8a6", "A lieutenant moves"),
            ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "e1g1", "right to castle"),
            ("1k2g3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "out of check"),
            (
                "1k3g2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "e1g1",
                "f1 is attacked by the general on f8; a king may not castle over",
            ),
            (
                "1k6/hhhhhhhh/8/3P4/8/8/8/4K3 b - - 0 1",
                "b7d5",
                "There is a piece on d5; a hoplite captures only one square",
            ),
            ("k7/8/8/8/8/8/8/R3K3 b - - 0 1", "a8a7", "does not answer the check: the king on a7"),
            ("k1g4R/8/8/8/8/8/8/4K3 b - - 0 1", "c8c1", "After this move the king on a8 would be attacked by the rook"),
            ("k6k/7h/8/8/8/8/8/R3K1R1 b - - 0 1", "h8g8", "One of the two kings must be safe"),
            ("rnbqkbnr/pppp1ppp/8/4p3/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1", "e5d4", "A pawn moves"),
        ] {
            let text = why(fen, squares).unwrap_or_default();
            assert!(text.contains(part), "{fen} {squares}: '{text}'");
        }
    }

    #[test]
    fn castling_by_letters_is_explained() {
        let opening = "e2e4 b7d5 g1f3 a7c5 f1e2 h7f5";
        for (moves, text, reason) in [
            (format!("{opening} e1f1 c5b4 f1e1 b4a3"), "O-O", "is lost: the king has moved."),
            (format!("{opening} e1f1 c5b4"), "o-o", "is lost: the king has moved."),
            (format!("{opening} h1g1 c5b4 g1h1 b4a3"), "0-0", "is lost: the rook on h1 has moved."),
            (opening.to_owned(), "O-O-O", "A piece stands between king and rook."),
            ("e2e4".to_owned(), "O-O", "Spartan kings do not castle"),
        ] {
            let mut game = Game::start(Variant::Spartan);
            for mv in moves.split(' ') {
                game.push(game.board().parse_move(mv).expect("a move")).expect("a legal move");
            }
            let answer = explain_san(&game, text).unwrap_or_default();
            assert!(answer.contains(reason), "{moves} {text}: '{answer}'");
        }
    }

    #[test]
    fn legal_moves_need_no_reason() {
        let fen = Variant::Spartan.start_fen();
        assert_eq!((why(fen, "e2e4"), why(fen, "g1f3")), (None, None));
        // One of two kings may be left attacked.
        assert_eq!(why("k6k/7h/8/8/8/8/8/R3K3 b - - 0 1", "h7g6"), None);
    }

    /// Every illegal move has a reason, and no reason is given for the wrong cause: a piece that seems to reach its
    /// square must expose the kings.
    #[test]
    fn reasons_agree_with_the_rules() {
        let mut rng = agoge_core::rng::Rng::new(5);
        for variant in Variant::ALL {
            for _ in 0..6 {
                let mut game = Game::start(variant);
                while game.outcome().is_none() && game.moves().len() < 120 {
                    let board = game.board();
                    for (from, to) in
                        board.colour(board.side_to_move()).flat_map(|from| Square::all().map(move |to| (from, to)))
                    {
                        let Some(text) = explain(&game, from, to) else { continue };
                        assert!(!text.contains("this move ."), "{} {from}{to}: {text}", board.to_fen());
                        assert!(!text.contains("check: ."), "{} {from}{to}: {text}", board.to_fen());
                    }
                    let mv = rng.pick(&board.legal_moves());
                    game.push(mv).expect("a legal move");
                }
            }
        }
    }
}
