//! Positions of played games as the tuner reads them: lines `FEN | score | result`, score (in
//! centipawns) and result (1.0, 0.5 or 0.0) from White's view. The score may be missing.

use agoge::board::{Board, Variant};
use std::fmt;

/// A position, what a search thought of it, and how the game ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The position.
    pub board: Board,
    /// In centipawns from White's view.
    pub score: Option<i32>,
    /// 1 if White won, 0.5 for a draw, 0 if Black won.
    pub result: f32,
}

impl Sample {
    /// Reads a line of text.
    ///
    /// # Errors
    /// Tells what is wrong with the line.
    pub fn parse(line: &str, variant: Variant) -> Result<Self, String> {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let (fen, score, result) = match *fields {
            [fen, result] => (fen, "", result),
            [fen, score, result] => (fen, score, result),
            _ => return Err(format!("{} fields, not 2 or 3", fields.len())),
        };
        let board = Board::from_fen(fen, variant).map_err(|error| error.to_string())?;
        let score = match score {
            "" => None,
            score => Some(score.parse().map_err(|_| format!("'{score}' is not a score in centipawns"))?),
        };
        let result = match result {
            "1.0" | "1" | "1-0" => 1.0,
            "0.5" | "1/2-1/2" => 0.5,
            "0.0" | "0" | "0-1" => 0.0,
            _ => return Err(format!("'{result}' is not a result")),
        };
        Ok(Self { board, score, result })
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | ", self.board)?;
        if let Some(score) = self.score {
            write!(f, "{score} ")?;
        }
        write!(f, "| {:.1}", self.result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written() {
        let start = Variant::Spartan.start_fen();
        for line in [format!("{start} | -12 | 0.5"), format!("{start} | | 1.0")] {
            assert_eq!(Sample::parse(&line, Variant::Spartan).unwrap().to_string(), line);
        }
        assert_eq!(Sample::parse(&format!("{start}|0.0"), Variant::Spartan).unwrap().score, None);
        for line in ["", start, "x | 1 | 1.0", &format!("{start} | one | 1.0"), &format!("{start} | 1 | 2.0")] {
            assert!(Sample::parse(line, Variant::Spartan).is_err(), "{line}");
        }
    }
}
