//! The obsolete command `edit`, which sets up a position piece by piece.

use agoge_core::board::{Board, Setup};
use agoge_core::text::split_word;
use agoge_core::types::{Colour, Piece, PieceType, Square};

#[derive(Clone, Debug)]
pub(super) struct Editor {
    setup: Setup,
    /// The colour of the pieces being placed.
    colour: Colour,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Done,
    Unknown,
    Finished,
}

impl Editor {
    /// Starts from a position. The side to move will not change.
    pub(super) fn new(board: &Board) -> Self {
        let setup = Setup { en_passant: None, halfmove_clock: 0, fullmove_number: 1, ..Setup::from(board) };
        Self { setup, colour: Colour::White }
    }

    /// Executes a line: `c` switches the colour, `#` clears the board, a piece and a square (`Pa4`) places a piece, `x`
    /// and a square clears the square, `.` finishes.
    pub(super) fn line(&mut self, line: &str) -> Step {
        let (word, rest) = split_word(line);
        if !rest.is_empty() {
            return Step::Unknown;
        }
        match *word.as_bytes() {
            [] => {}
            [b'c'] => self.colour = !self.colour,
            [b'#'] => self.setup.pieces = [None; 64],
            [b'.'] => return Step::Finished,
            [letter, file, rank] => {
                let piece = if letter == b'x' {
                    None
                } else {
                    let Some(kind) = PieceType::from_letter(letter.into()) else { return Step::Unknown };
                    Some(Piece { colour: self.colour, kind })
                };
                let Some(square) = Square::from_ascii(file, rank) else { return Step::Unknown };
                self.setup.set(square, piece);
            }
            _ => return Step::Unknown,
        }
        Step::Done
    }

    /// The position, which may be illegal. Kings and rooks on their initial squares have castling rights.
    pub(super) fn finish(mut self) -> Setup {
        self.setup.grant_castling();
        self.setup
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agoge_core::board::Variant;

    fn edited(variant: Variant, lines: &str) -> String {
        let mut editor = Editor::new(&Board::start(variant));
        for line in lines.split_ascii_whitespace() {
            assert_eq!(editor.line(line), Step::Done, "{line}");
        }
        assert_eq!(editor.line("."), Step::Finished);
        editor.finish().to_string()
    }

    #[test]
    fn both_armies() {
        assert_eq!(edited(Variant::Spartan, ""), Board::start(Variant::Spartan).to_fen());
        assert_eq!(edited(Variant::Chess, ""), Board::start(Variant::Chess).to_fen());
        let lines = "# Ke1 Rh1 Pa2 c Kc8 Kf8 Ga8 We7 Cd6 Lh5 Hb7";
        assert_eq!(edited(Variant::Spartan, lines), "g1k2k2/1h2w3/3c4/7l/8/8/P7/4K2R w K - 0 1");
        assert_eq!(edited(Variant::Spartan, "xe2 xa1 Pe4 c c Pe5"), {
            "lgkcckwl/hhhhhhhh/8/4P3/4P3/8/PPPP1PPP/1NBQKBNR w K - 0 1"
        });
        assert_eq!(edited(Variant::Chess, "xa8 xh1"), "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qk - 0 1");
    }

    #[test]
    fn invalid_lines_change_nothing() {
        let start = Board::start(Variant::Spartan);
        let mut editor = Editor::new(&start);
        for line in ["Pa9", "Pi1", "Za1", "P", "Pa", "Pa44", "x", "xx", "..", "cc", "éa1", "Pa4 Pa5", "\0"] {
            assert_eq!(editor.line(line), Step::Unknown, "{line:?}");
        }
        assert_eq!(editor.line(" "), Step::Done);
        assert_eq!(editor.finish(), Setup::from(&start));
    }
}
