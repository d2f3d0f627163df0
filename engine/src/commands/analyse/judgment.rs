//! What makes a move an inaccuracy, a mistake or a blunder.

use plotters::style::RGBColor;

/// A kind of bad move.
pub struct Judgment {
    /// The least number of points that it loses.
    pub loss: f64,
    /// The numeric annotation glyph of PGN.
    pub glyph: u8,
    /// The suffix equivalent to the glyph.
    pub symbol: &'static str,
    /// The name and the colour in the graph.
    pub name: &'static str,
    pub colour: RGBColor,
}

/// From the mildest to the worst.
pub const JUDGMENTS: [Judgment; 3] = [
    Judgment { loss: 0.05, glyph: 6, symbol: "?!", name: "inaccuracy ?!", colour: RGBColor(224, 176, 0) },
    Judgment { loss: 0.1, glyph: 2, symbol: "?", name: "mistake ?", colour: RGBColor(232, 116, 0) },
    Judgment { loss: 0.2, glyph: 4, symbol: "??", name: "blunder ??", colour: RGBColor(208, 24, 24) },
];

/// The judgment of a move that loses `loss` points, as an index of [`JUDGMENTS`].
pub fn judge(loss: f64) -> Option<usize> {
    JUDGMENTS.iter().rposition(|judgment| loss >= judgment.loss)
}
