//! Standard algebraic notation: `Nf3`, `Hbd5`, `Kab8`, `Hc1=K`, `O-O`.
//!
//! The Spartan letters are G, W, C, L, K and, for hoplites, H: hoplites change the file when they move, so the
//! destination alone would often be ambiguous. Writing is strict. Reading is lenient, because game scores come from
//! people and from programs that disagree about details.

use super::Board;
use crate::types::{CastlingSide, File, Move, MoveKind, PieceType, Rank, Square};
use std::fmt;

/// Why a text in algebraic notation is not a move of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SanError {
    /// It cannot be read.
    Notation,
    /// No legal move matches.
    Illegal,
    /// Several legal moves match.
    Ambiguous,
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Notation => "not a move in algebraic notation",
            Self::Illegal => "not a legal move",
            Self::Ambiguous => "matches more than one legal move",
        })
    }
}

impl std::error::Error for SanError {}

/// The parts of a move in algebraic notation. Missing parts match any move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pattern {
    /// The moving piece; a pawn or hoplite if missing.
    kind: Option<PieceType>,
    from_file: Option<File>,
    from_rank: Option<Rank>,
    to: Square,
    /// Whether the text has a capture sign. Without one, the move may still capture.
    captures: bool,
    captured: Option<PieceType>,
    promotion: Option<PieceType>,
}

/// The kind with an upper-case letter.
fn kind_of_capital(letter: u8) -> Option<PieceType> {
    if letter.is_ascii_uppercase() { PieceType::from_letter(letter as char) } else { None }
}

/// Removes the last byte and returns its meaning, if it has one.
fn take_last<T>(text: &mut &[u8], meaning: impl Fn(u8) -> Option<T>) -> Option<T> {
    let (&last, rest) = text.split_last()?;
    let found = meaning(last)?;
    *text = rest;
    Some(found)
}

fn file_of(letter: u8) -> Option<File> {
    File::new(letter.wrapping_sub(b'a'))
}

fn rank_of(digit: u8) -> Option<Rank> {
    Rank::new(digit.wrapping_sub(b'1'))
}

/// What a text in algebraic notation means.
pub struct SanIntent {
    /// `None` if the text does not name the kind of the piece.
    pub kind: Option<PieceType>,
    /// The pieces that it may mean.
    pub pieces: Vec<Square>,
    /// The destination.
    pub to: Square,
    /// The piece that a pawn or hoplite is to become.
    pub promotion: Option<PieceType>,
    /// Set if the text means castling, and then the only piece is a king.
    pub castling: Option<CastlingSide>,
}

impl Pattern {
    /// Parses any move except castling, from its end to its beginning.
    fn parse(text: &[u8]) -> Option<Self> {
        let mut rest = text;
        let promotion = take_promotion(&mut rest)?;
        let rank = take_last(&mut rest, rank_of)?;
        let file = take_last(&mut rest, file_of)?;
        let captured = if rest.len() > 1 && matches!(rest[rest.len() - 2], b'x' | b':' | b'-') {
            take_last(&mut rest, kind_of_capital)
        } else {
            None
        };
        let sign = take_last(&mut rest, |byte| matches!(byte, b'x' | b':' | b'-').then_some(byte));
        let from_rank = take_last(&mut rest, rank_of);
        let from_file = take_last(&mut rest, file_of);
        let kind = take_last(&mut rest, kind_of_capital);
        let captures = captured.is_some() || matches!(sign, Some(b'x' | b':'));
        let complete = rest.is_empty();
        complete.then_some(Self {
            kind,
            from_file,
            from_rank,
            to: Square::at(file, rank),
            captures,
            captured,
            promotion,
        })
    }

    fn has_whole_origin(&self) -> bool {
        self.from_file.is_some() && self.from_rank.is_some()
    }

    /// Whether a piece on a square matches.
    fn matches_piece(&self, from: Square, kind: PieceType) -> bool {
        self.from_file.is_none_or(|file| file == from.file())
            && self.from_rank.is_none_or(|rank| rank == from.rank())
            // A full origin identifies the piece. Otherwise a missing letter means a pawn or hoplite.
            && self.kind.map_or(self.has_whole_origin() || kind.is_pawn(), |wanted| wanted == kind)
    }

    fn matches(&self, board: &Board, mv: Move) -> bool {
        let from = mv.from();
        let Some(kind) = board.kind_on(from) else { return false };
        let captured = board.captured(mv);
        mv.to() == self.to
            && mv.promoted() == self.promotion
            && self.matches_piece(from, kind)
            && (!self.captures || captured.is_some())
            && self.captured.is_none_or(|wanted| captured == Some(wanted))
            // `Kg1` is not castling; `Ke1-g1` is.
            && (mv.kind() != MoveKind::Castling || self.has_whole_origin())
    }
}

/// Removes a promotion from the end of a text: `=Q`, `Q`, `(Q)`, `/Q` or `q`. The inner option is `None` without a
/// promotion, the outer one if the letter is not a promotion or a bracket is unmatched.
fn take_promotion(text: &mut &[u8]) -> Option<Option<PieceType>> {
    let closed = take_last(text, |byte| (byte == b')').then_some(())).is_some();
    let letter = take_last(text, |byte| byte.is_ascii_alphabetic().then_some(byte));
    let Some(letter) = letter else {
        return if closed { None } else { Some(None) };
    };
    let kind = PieceType::from_letter(letter as char).filter(|kind| !kind.is_pawn())?;
    if closed {
        take_last(text, |byte| (byte == b'(').then_some(()))?;
    }
    // `e8=Q`, `e8=(Q)`; the sign is optional.
    let _ = take_last(text, |byte| matches!(byte, b'=' | b'/').then_some(()));
    Some(Some(kind))
}

/// Removes suffixes: `+`, `#`, `!?`, `e.p.`.
fn without_suffixes(text: &str) -> &str {
    let is_sign = |c: char| matches!(c, '+' | '#' | '!' | '?') || c.is_ascii_whitespace();
    let text = text.trim().trim_end_matches(is_sign);
    let text = text.strip_suffix("e.p.").or_else(|| text.strip_suffix("ep")).unwrap_or(text);
    text.trim_end_matches(is_sign)
}

/// The side of castling; `None` if the text is not castling. Reads the letter O in either case, and zeros.
fn castling_side(text: &str) -> Option<CastlingSide> {
    let is = |form: &str| {
        text.len() == form.len()
            && text.bytes().zip(form.bytes()).all(|(a, b)| a == b || b == b'O' && matches!(a, b'0' | b'o'))
    };
    if is("O-O") || is("OO") {
        Some(CastlingSide::King)
    } else if is("O-O-O") || is("OOO") {
        Some(CastlingSide::Queen)
    } else {
        None
    }
}

impl Board {
    /// Writes a legal move in standard algebraic notation. File and rank of the origin disambiguate legal moves of
    /// pieces of the same kind, including two kings. `+` means that all kings of the opponent are attacked, `#` that
    /// this is mate.
    pub fn to_san(&self, mv: Move) -> String {
        let (from, to) = (mv.from(), mv.to());
        let mut text = String::with_capacity(8);
        let kind = self.kind_on(from);
        let captured = self.captured(mv);
        if mv.kind() == MoveKind::Castling {
            text.push_str(if to > from { "O-O" } else { "O-O-O" });
        } else {
            if kind == Some(PieceType::Pawn) {
                if captured.is_some() {
                    text.push(from.file().letter());
                }
            } else if let Some(kind) = kind {
                text.push(kind.letter().to_ascii_uppercase());
                self.push_origin(mv, &mut text);
            }
            if captured.is_some() {
                text.push('x');
            }
            text.push(to.file().letter());
            text.push(to.rank().digit());
            if let Some(promoted) = mv.promoted() {
                text.push('=');
                text.push(promoted.letter().to_ascii_uppercase());
            }
        }
        let next = self.after(mv);
        if next.in_check() {
            text.push(if next.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    /// Adds the file or rank that distinguishes the mover from others of its kind with the same destination.
    fn push_origin(&self, mv: Move, text: &mut String) {
        let from = mv.from();
        let (mut rivals, mut same_file, mut same_rank) = (false, false, false);
        for other in self.legal_moves() {
            let rival = other.to() == mv.to()
                && other.from() != from
                && self.kind_on(other.from()) == self.kind_on(from)
                && other.promoted() == mv.promoted();
            rivals |= rival;
            same_file |= rival && other.from().file() == from.file();
            same_rank |= rival && other.from().rank() == from.rank();
        }
        if rivals && (!same_file || same_rank) {
            text.push(from.file().letter());
        }
        if same_file {
            text.push(from.rank().digit());
        }
    }

    /// What a text in algebraic notation means, whether or not such a move is legal. `None` if it is not a move.
    pub fn san_intent(&self, text: &str) -> Option<SanIntent> {
        let text = without_suffixes(text);
        let own = self.colour(self.side_to_move());
        if let Some(side) = castling_side(text) {
            let king = self.kings(self.side_to_move()).first()?;
            let to = Square::at(side.squares(self.side_to_move()).king_to.file(), king.rank());
            let kind = Some(PieceType::King);
            return Some(SanIntent { kind, pieces: vec![king], to, promotion: None, castling: Some(side) });
        }
        let pattern = Pattern::parse(text.as_bytes())?;
        let pieces = own.filter(|&from| self.kind_on(from).is_some_and(|kind| pattern.matches_piece(from, kind)));
        let Pattern { kind, to, promotion, .. } = pattern;
        Some(SanIntent { kind, pieces: pieces.collect(), to, promotion, castling: None })
    }

    /// Reads a legal move in algebraic notation.
    ///
    /// Besides the output of [`Board::to_san`] it accepts hoplites without their letter, long forms (`Ce8-e6`,
    /// `e3xLd4`, `e2e4`), castling with zeros, promotions without a sign or in brackets, captures with `:` or without
    /// a sign, and suffixes such as `!?` and `e.p.`. `+` and `#` are optional and not verified.
    ///
    /// # Errors
    /// If the text is not a move, or matches no legal move or more than one.
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        let text = without_suffixes(text);
        let moves = self.legal_moves();
        if let Some(side) = castling_side(text) {
            let to = side.squares(self.side_to_move()).king_to;
            let castles = |mv: &Move| mv.kind() == MoveKind::Castling && mv.to() == to;
            return moves.into_iter().find(castles).ok_or(SanError::Illegal);
        }
        let pattern = Pattern::parse(text.as_bytes()).ok_or(SanError::Notation)?;
        let mut found = moves.into_iter().filter(|&mv| pattern.matches(self, mv));
        match (found.next(), found.next()) {
            (Some(mv), None) => Ok(mv),
            (None, _) => Err(SanError::Illegal),
            (Some(_), Some(_)) => Err(SanError::Ambiguous),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Variant;

    fn spartan(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Spartan).expect("a valid FEN")
    }

    fn chess(fen: &str) -> Board {
        Board::from_fen(fen, Variant::Chess).expect("a valid FEN")
    }

    /// Plays the moves of a game. Returns the final board and the moves in SAN.
    fn play(mut board: Board, score: &str) -> (Board, Vec<String>) {
        let mut written = Vec::new();
        for token in score.split_ascii_whitespace() {
            let mv = board.parse_san(token).unwrap_or_else(|error| panic!("{token}: {error}"));
            written.push(board.to_san(mv));
            board.make_move(mv);
        }
        (board, written)
    }

    /// All legal moves of a piece in SAN, in alphabetical order.
    fn moves_from(board: &Board, from: Square) -> Vec<String> {
        let mut list: Vec<_> =
            board.legal_moves().into_iter().filter(|mv| mv.from() == from).map(|mv| board.to_san(mv)).collect();
        list.sort();
        list
    }

    const SAMPLE_GAME: &str = "g3 Ce6 d4 Hbd5 Nf3 Lf6 c3 Lc6 Nbd2 Hxd4 cxd4 Hd5 e3 Hxd4 Nxd4 Lxd4 exd4 Ld5 Nb3 \
        Lxb3 axb3 Kb7 Qf3+ Ke8 Bg2 Hc6 O-O Cdd6 Qc3 Ka6 d5 Gb5 Qxg7 Wf6";
    const SAMPLE_END: &str = "4k3/h1h1h1Qh/k1hccw2/1g1P4/8/1P4P1/1P3PBP/R1B2RK1 w - - 1 18";

    #[test]
    fn the_inventors_game_reads_and_writes() {
        let (board, written) = play(Board::start(Variant::Spartan), SAMPLE_GAME);
        assert_eq!(board.to_fen(), SAMPLE_END);
        assert_eq!(written.join(" "), SAMPLE_GAME);
    }

    /// The game as the inventor prints it, with his two misprints corrected.
    #[test]
    fn the_inventors_game_reads_in_his_own_notation() {
        let score = "g2-g3 Ce8-e6 d2-d4 b7-d5 Ng1-f3 Lh8-f6 c2-c3 La8-c6 Nb1-d2 d5xd4 c3xd4 f7-d5 e2-e3 d5xd4 \
            Nf3xd4 Lf6xd4 e3xLd4 Lc6d5 Nd2-b3 Ld5xNb3 a2xLb3 Kb7 Qd1-f3+ Kf8-e8 Bf1-g2 d7-c6 0-0 Cd8-d6 Qf3-c3 \
            Kb7-a6 d4-d5 Gb8-b5 Qc3xg7 Wg8-f6";
        let (board, written) = play(Board::start(Variant::Spartan), score);
        assert_eq!(board.to_fen(), SAMPLE_END);
        assert_eq!(written.join(" "), SAMPLE_GAME);
    }

    #[test]
    fn shortest_mates() {
        for score in ["g4 Wf6 f3 Wh4#", "c4 Hac5 b3 Hxc4 bxc4 Hc5 d3 Lf6 Na3 Le5 Nf3 Lc3#"] {
            let (board, written) = play(Board::start(Variant::Spartan), score);
            assert!(board.in_check() && !board.has_legal_move());
            assert_eq!(written.join(" "), score);
        }
    }

    #[test]
    fn two_kings_are_disambiguated() {
        let board = spartan("8/1k6/8/k7/8/8/8/4K3 b - - 0 1");
        assert_eq!(moves_from(&board, Square::A5), ["Ka4", "Kaa6", "Kab6", "Kb4", "Kb5"]);
        assert_eq!(moves_from(&board, Square::B7), ["Ka7", "Ka8", "Kb8", "Kba6", "Kbb6", "Kc6", "Kc7", "Kc8"]);
        let board = spartan("k7/8/k7/8/8/8/8/4K3 b - - 0 1");
        assert_eq!(moves_from(&board, Square::A8), ["K8a7", "K8b7", "Kb8"]);
        assert_eq!(board.parse_san("Ka7"), Err(SanError::Ambiguous));
        assert_eq!(board.parse_san("Kb7"), Err(SanError::Ambiguous));
        assert_eq!(board.parse_san("K6b7").map(|mv| mv.to_string()), Ok("a6b7".into()));
    }

    #[test]
    fn illegal_king_moves_need_no_disambiguation() {
        // The king on a7 is attacked, so the one on c8 may not move to the attacked square b8.
        let board = spartan("2k5/k7/8/8/8/8/8/RR2K3 b - - 0 1");
        let san: Vec<_> = board.legal_moves().into_iter().filter(|mv| mv.to() == Square::B8).collect();
        assert_eq!(san.len(), 1);
        assert_eq!(board.to_san(san[0]), "Kb8");
    }

    #[test]
    fn files_ranks_and_squares_disambiguate() {
        let board = spartan("3k4/8/8/8/8/3l1l2/8/3lK1k1 b - - 0 1");
        assert_eq!(
            moves_from(&board, Square::D3),
            ["L3c2", "Lb1", "Lb5", "Lc3#", "Lc4", "Ld3e2", "Lde3", "Lde4", "Lf1", "Lf5"]
        );
        assert_eq!(moves_from(&board, Square::D1), ["L1c2", "L1e2", "Lb3", "Lc1"]);
        assert_eq!(board.parse_san("Lde2"), Err(SanError::Ambiguous));
        assert_eq!(board.parse_san("Le2"), Err(SanError::Ambiguous));
    }

    #[test]
    fn promotions() {
        let board = spartan("8/8/8/3k4/8/8/3h4/6K1 b - - 0 1");
        assert_eq!(
            moves_from(&board, Square::D2),
            ["Hc1=C", "Hc1=G+", "Hc1=K", "Hc1=L", "Hc1=W", "He1=C+", "He1=G+", "He1=K", "He1=L", "He1=W"]
        );
        for text in ["Hc1=K", "c1=K", "c1K", "c1k", "c1(K)", "Hc1(K)!", "c1=(K)", "Hd2-c1=K", "d2c1k", "c1/K", "dc1=k"]
        {
            assert_eq!(board.parse_san(text).map(|mv| mv.to_string()), Ok("d2c1k".into()), "{text}");
        }
        assert_eq!(board.parse_san("Hc1"), Err(SanError::Illegal));
        assert_eq!(board.parse_san("Hc1=Q"), Err(SanError::Illegal));
        assert_eq!(board.parse_san("Hc1=H"), Err(SanError::Notation));
        assert_eq!(board.parse_san("c1(K"), Err(SanError::Notation));
        assert_eq!(board.parse_san("c1K)"), Err(SanError::Notation));
        assert_eq!(board.parse_san("c1()"), Err(SanError::Notation));
    }

    #[test]
    fn hoplites_with_and_without_letter() {
        let board = spartan("2k2k2/8/2h1h3/8/8/8/8/4K3 b - - 0 1");
        assert_eq!(board.parse_san("d5"), Err(SanError::Ambiguous));
        assert_eq!(board.parse_san("Hd5"), Err(SanError::Ambiguous));
        for text in ["Hcd5", "cd5", "c6d5", "c6-d5", "Hc6-d5!?", "Hcd5 ?!"] {
            assert_eq!(board.parse_san(text).map(|mv| board.to_san(mv)), Ok("Hcd5".into()), "{text}");
        }
        assert_eq!(board.parse_san("b5").map(|mv| board.to_san(mv)), Ok("Hb5".into()));
        assert_eq!(board.parse_san("Pb5"), Err(SanError::Illegal));
        assert_eq!(board.parse_san("Hxb5"), Err(SanError::Illegal));
    }

    #[test]
    fn check_sign_only_if_all_kings_are_attacked() {
        // The king on a8 is always attacked; it is check if the king on f8 is also attacked.
        let board = spartan("k4k2/8/8/8/8/8/8/R3K2R w KQ - 0 1");
        let rook = moves_from(&board, Square::H1);
        assert_eq!(rook, ["Rf1+", "Rg1", "Rh2", "Rh3", "Rh4", "Rh5", "Rh6", "Rh7", "Rh8+"]);
        let castled = board.parse_san("0-0").map(|mv| board.to_san(mv));
        assert_eq!(castled, Ok("O-O+".into()));
    }

    #[test]
    fn orthodox_chess() {
        let score = "e4 e6 e5 d5 exd6 Bxd6 Nf3 Nf6 Bb5+ Bd7 O-O O-O Bxd7 Nbxd7 d4 e5 dxe5 Nxe5 Nxe5 Bxe5 Qxd8 Raxd8";
        let (_, written) = play(Board::start(Variant::Chess), score);
        assert_eq!(written.join(" "), score);
        let (board, written) = play(Board::start(Variant::Chess), "e2e4 a7-a6 e5 d7d5 e5xd6e.p.");
        assert_eq!(written.last().map(String::as_str), Some("exd6"));
        assert_eq!(board.parse_san("d6"), Err(SanError::Ambiguous));
        let board = chess("r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1");
        assert_eq!(board.parse_san("b8Q").map(|mv| board.to_san(mv)), Ok("b8=Q+".into()));
        assert_eq!(board.parse_san("bxa8=N").map(|mv| board.to_san(mv)), Ok("bxa8=N".into()));
        assert_eq!(board.parse_san("b:a8=N").map(|mv| board.to_san(mv)), Ok("bxa8=N".into()));
        assert_eq!(board.parse_san("0-0-0").map(|mv| mv.to_string()), Ok("e1c1".into()));
        assert_eq!(board.parse_san("Ke1-c1").map(|mv| mv.to_string()), Ok("e1c1".into()));
        assert_eq!(board.parse_san("Kc1"), Err(SanError::Illegal));
        assert_eq!(board.parse_san("Bxa8=N"), Err(SanError::Illegal));
    }

    #[test]
    fn moves_read_back() {
        let mut seen = 0;
        for (fen, variant) in [
            (SAMPLE_END, Variant::Spartan),
            ("1gk1c1k1/h2hh1lh/h1lc3h/4w1h1/3PP2P/2N5/PPP1N1B1/R1BQ1RK1 b - - 0 12", Variant::Spartan),
            ("8/8/8/3k4/8/8/h2h2h1/2N1K3 b - - 0 1", Variant::Spartan),
            ("5w1l/2h2c1P/2k3k1/2h1Nhh1/P6R/4Q3/KP4P1/5R2 w - - 1 41", Variant::Spartan),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", Variant::Chess),
            ("Q2Q3k/8/8/Q2Q4/8/8/6K1/8 w - - 0 1", Variant::Chess),
        ] {
            let Ok(board) = Board::from_fen(fen, variant) else { continue };
            for mv in board.legal_moves() {
                let san = board.to_san(mv);
                assert_eq!(board.parse_san(&san), Ok(mv), "{san} in {fen}");
                assert_eq!(board.parse_san(san.trim_end_matches(['+', '#'])), Ok(mv), "{san} in {fen}");
                assert_eq!(board.parse_san(&mv.to_string()), Ok(mv), "{mv} in {fen}");
                seen += 1;
            }
        }
        assert!(seen > 150);
    }

    #[test]
    fn no_text_causes_a_panic() {
        let board = Board::start(Variant::Spartan);
        let texts = [
            "", " ", "+", "#", "x", "=", "=Q", ")", "()", "e", "4", "e9", "i4", "é4", "eé", "e4é", "♘f3", "O", "O-",
            "O-O-O-O", "--", "0000", "e.p.", "ep", "Nf3=", "xxe4", "NNf3", "e2e4e5", "\u{0}", "😀😀", "x😀e4", "Z0",
            "e2xHe4",
        ];
        for text in texts {
            assert!(board.parse_san(text).is_err(), "{text:?}");
        }
        assert_eq!(board.parse_san("O-O"), Err(SanError::Illegal));
        // All texts of up to four significant characters, and one that is not a single byte.
        let letters = ['K', 'e', 'h', '2', '4', 'x', '-', '=', 'O', '+', '(', ')', 'é'];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            texts = texts.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))).collect();
            for text in &texts {
                if let Ok(mv) = board.parse_san(text) {
                    assert!(board.is_legal(mv));
                }
            }
        }
    }
}
