//! Reading and writing of PGN.

use crate::board::PyBoard;
use crate::moves::PyMove;
use crate::{value_error, variant_of};
use agoge_core::board::{Board, Game, Variant};
use agoge_core::notation::pgn::{self, MAX_GAME_SIZE, ParsedGame, ParsedMove, Reader, Remark, Writer, split_remarks};
use pyo3::prelude::*;

/// The comments, glyphs and variations of a move. Glyphs are bytes, but Python would take a `Vec<u8>` for `bytes`.
type Remarks = (Vec<String>, Vec<u16>, Vec<String>);

/// The same from a user, whose glyphs are any numbers.
type GivenRemarks = (Vec<String>, Vec<i64>, Vec<String>);

/// A game: tags, first position, moves with remarks, remarks before them, result, and warnings.
type ReadGame = (Vec<(String, String)>, PyBoard, Vec<(PyMove, String, Remarks)>, Remarks, String, Vec<String>);

/// The variant that a tag names.
#[pyfunction]
pub fn variant_of_tag(name: &str) -> PyResult<Option<&'static str>> {
    Ok(pgn::variant_of_tag(name).map_err(value_error)?.map(Variant::name))
}

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

/// The games of a part of a file, where the next part begins, in bytes, and whether that is within a game.
type ReadPart = (Vec<ReadGame>, usize, bool);

/// Where a part of a file that is read in parts lies.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Place {
    /// The line in the file at which it begins, from 1.
    line: usize,
    /// Whether it begins within a game that was too long.
    cut: bool,
    /// Whether more follows.
    more: bool,
}

/// How far from the end of a part a game must begin, if more follows. What looks like a new game may be the beginning
/// of something else.
const MARGIN: usize = 4096;

/// Reads the games of a part of a file. If more follows, those at the end are left for the next part, unless the first
/// one alone is too long.
#[pyfunction]
pub fn read_part(py: Python<'_>, bytes: &[u8], place: Place, variant: Option<&str>) -> PyResult<ReadPart> {
    let variant = variant.map(variant_of).transpose()?;
    Ok(py.detach(|| {
        let mut reader = Reader::new(bytes).from_line(place.line);
        let mut games: Vec<ParsedGame> = std::iter::from_fn(|| reader.next_game()).collect();
        let (mut end, mut cut) = (bytes.len(), false);
        if place.more {
            let last_begin = bytes.len().saturating_sub(MARGIN);
            let begins = |number: usize| if number == 0 { 0 } else { games[number - 1].end };
            let whole = (0..games.len()).rev().find(|&number| begins(number) < last_begin).unwrap_or(0);
            if whole > 0 || bytes.len() <= 2 * MAX_GAME_SIZE {
                end = begins(whole);
                cut = place.cut && whole == 0;
                games.truncate(whole);
            } else {
                cut = true;
            }
        }
        // The rest of a game that was too long.
        let skipped = usize::from(place.cut && games.first().is_some_and(|game| game.tags.is_empty()));
        (games.into_iter().skip(skipped).map(|parsed| read_game(parsed, variant)).collect(), end, cut)
    }))
}

/// A game that cannot be read to the end has warnings.
fn read_game(parsed: ParsedGame, variant: Option<Variant>) -> ReadGame {
    let mut warnings: Vec<String> = Vec::new();
    let (board, moves) = match parsed.replay_legal(variant) {
        Ok(replay) => {
            warnings.extend(parsed.all_warnings(replay.end.as_ref()).iter().map(ToString::to_string));
            (replay.start, replay.moves)
        }
        Err(error) => {
            warnings.push(format!("line {}: {error}", parsed.line));
            (Board::start(variant.unwrap_or_default()), Vec::new())
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
}

/// The number of line ends in a text.
#[pyfunction]
pub fn line_ends(bytes: &[u8]) -> usize {
    pgn::line_ends(bytes)
}

/// Writes remarks.
///
/// # Errors
/// `ValueError` if there is no such glyph, or if a variation would end before its end or not at all.
fn write_remarks(writer: &mut Writer, (comments, glyphs, variations): &GivenRemarks) -> PyResult<()> {
    for &glyph in glyphs {
        let known = u8::try_from(glyph).map_err(|_| value_error(format!("the NAG {glyph} is not one of 0 to 255")))?;
        writer.glyph(known);
    }
    comments.iter().for_each(|comment| writer.comment(comment));
    for variation in variations {
        let text = format!("({variation})");
        if !split_remarks(&text).eq([Remark::Variation(variation)])
            || split_remarks(variation).any(|remark| matches!(remark, Remark::Word(word) if word.contains(';')))
        {
            return Err(value_error(format!("'{variation}' cannot be written as a variation")));
        }
        writer.remarks(&text);
    }
    Ok(())
}

/// Writes a game.
///
/// # Errors
/// `ValueError` if a move is illegal, and for what could not be read again: a tag without a usual name, an unknown
/// result, and remarks as in [`write_remarks`].
#[pyfunction]
pub fn write_game(
    tags: Vec<(String, String)>,
    start: &PyBoard,
    nodes: Vec<(PyMove, GivenRemarks)>,
    before: GivenRemarks,
    result: &str,
) -> PyResult<String> {
    let mut writer = Writer::default();
    for (name, value) in &tags {
        if !pgn::is_tag_name(name) {
            return Err(value_error(format!("'{name}' cannot be the name of a tag")));
        }
        writer.tag(name, value);
    }
    if pgn::normal_result(result) != Some(result) {
        return Err(value_error(format!("the result '{result}' is none of 1-0, 0-1, 1/2-1/2 and *")));
    }
    writer.begin_moves();
    write_remarks(&mut writer, &before)?;
    let mut board = start.game.board().clone();
    for (mv, remarks) in &nodes {
        let mv = mv.on(&board)?;
        writer.mv(&board, mv);
        write_remarks(&mut writer, remarks)?;
        board.make_move(mv);
    }
    Ok(writer.finish(result))
}
