//! Reading and writing of PGN.

use crate::board::PyBoard;
use crate::moves::PyMove;
use crate::variant_of;
use agoge_core::board::Game;
use agoge_core::notation::pgn::{ParsedMove, Reader, Remark, Writer, split_remarks};
use pyo3::prelude::*;

/// The comments, glyphs and variations of a move. Glyphs are bytes, but Python would take a `Vec<u8>` for `bytes`.
type Remarks = (Vec<String>, Vec<u16>, Vec<String>);

/// A game: tags, first position, moves with remarks, remarks before them, result, and warnings.
type ReadGame = (Vec<(String, String)>, PyBoard, Vec<(PyMove, String, Remarks)>, Remarks, String, Vec<String>);

fn remarks_of(text: &str) -> Remarks {
    let mut remarks = Remarks::default();
    for remark in split_remarks(text) {
        match remark {
            Remark::Comment(comment) => remarks.0.push(comment.trim().to_owned()),
            Remark::Variation(variation) => remarks.2.push(variation.trim().to_owned()),
            Remark::Word(word) => {
                remarks.1.extend(word.strip_prefix('$').and_then(|word| word.parse::<u8>().ok()).map(u16::from))
            }
        }
    }
    remarks
}

fn remarks_of_move(parsed: &ParsedMove) -> Remarks {
    let mut remarks = remarks_of(&parsed.remarks);
    remarks.1.splice(0..0, parsed.suffix().map(u16::from));
    remarks
}

/// Reads all games of a file. Games that cannot be read to the end have warnings.
#[pyfunction]
pub fn read_games(py: Python<'_>, bytes: &[u8], variant: Option<&str>) -> PyResult<Vec<ReadGame>> {
    let variant = variant.map(variant_of).transpose()?;
    Ok(py.detach(|| {
        let mut reader = Reader::new(bytes);
        std::iter::from_fn(|| reader.next_game())
            .map(|parsed| {
                let mut warnings: Vec<String> = Vec::new();
                let replay = parsed.replay_legal(variant);
                let (board, moves) = match replay {
                    Ok(replay) => {
                        warnings.extend(parsed.all_warnings(replay.end.as_ref()).iter().map(ToString::to_string));
                        (replay.start, replay.moves)
                    }
                    Err(error) => {
                        warnings.push(format!("line {}: {error}", parsed.line));
                        (agoge_core::board::Board::start(variant.unwrap_or_default()), Vec::new())
                    }
                };
                let mut after = board.clone();
                let nodes = moves.into_iter().zip(&parsed.moves).map(|(mv, written)| {
                    let san = after.to_san(mv);
                    after.make_move(mv);
                    (mv.into(), san, remarks_of_move(written))
                });
                let nodes = nodes.collect();
                let result = parsed.result().to_owned();
                let before = remarks_of(&parsed.remarks);
                (parsed.tags, PyBoard { game: Game::new(board) }, nodes, before, result, warnings)
            })
            .collect()
    }))
}

fn write_remarks(writer: &mut Writer, (comments, glyphs, variations): &Remarks) {
    glyphs.iter().filter_map(|&glyph| u8::try_from(glyph).ok()).for_each(|glyph| writer.glyph(glyph));
    comments.iter().for_each(|comment| writer.comment(comment));
    variations.iter().for_each(|variation| writer.remarks(&format!("({variation})")));
}

/// Writes a game.
///
/// # Errors
/// `ValueError` if a move is illegal.
#[pyfunction]
pub fn write_game(
    tags: Vec<(String, String)>,
    start: &PyBoard,
    nodes: Vec<(PyMove, Remarks)>,
    before: Remarks,
    result: &str,
) -> PyResult<String> {
    let mut writer = Writer::default();
    tags.iter().for_each(|(name, value)| writer.tag(name, value));
    writer.begin_moves();
    write_remarks(&mut writer, &before);
    let mut board = start.game.board().clone();
    for (mv, remarks) in &nodes {
        let mv = mv.on(&board)?;
        writer.mv(&board, mv);
        write_remarks(&mut writer, remarks);
        board.make_move(mv);
    }
    Ok(writer.finish(result))
}
