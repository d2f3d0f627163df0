//! `theory write`: the file `positions/theory.epd`, and the compact form of it that the program embeds.

use super::build::Growth;
use super::compact;
use super::searches;
use super::tree::Tree;
use crate::data::read_games;
use crate::data::record::GameRecord;
use crate::outln;
use crate::terminal::{CommandResult, Status, check_output, failed, unreadable, usage, write_text};
use agoge_core::board::Board;
use agoge_core::notation::pgn::Writer;
use agoge_core::theory::{Theory, ValueText};
use agoge_core::types::Colour;
use agoge_core::types::score::Score;
use clap::Args;
use indicatif::HumanCount;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(Args)]
pub struct Arguments {
    /// The file of searches
    tree: PathBuf,
    /// The files of games whose results are counted
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// The EPD to write; - for stdout
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The file for the compact form
    #[arg(long, value_name = "FILE")]
    compact: Option<PathBuf>,
    /// A file for the games as PGN
    #[arg(long, value_name = "FILE", requires = "games")]
    pgn: Option<PathBuf>,
    /// Overwrite the files
    #[arg(long)]
    force: bool,
}

/// Games that the side to move has won, drawn and lost, for each position of a tree.
type Counts = Vec<[u32; 3]>;

/// Counts the result of a game for all positions of the tree that it passes through; a position that comes twice counts
/// once.
fn count(tree: &Tree, counts: &mut Counts, game: &GameRecord) -> Result<(), String> {
    let mut seen = HashSet::new();
    let mut visit = |board: &Board| {
        if let Some(index) = tree.find(board).filter(|&index| seen.insert(index)) {
            let white = game.result.index();
            counts[index][if board.side_to_move() == Colour::White { white } else { 2 - white }] += 1;
        }
    };
    let last = game.replay(|board, _| visit(board))?;
    visit(&last);
    Ok(())
}

/// A game as PGN, which must be legal.
fn to_pgn(game: &GameRecord) -> String {
    let mut writer = Writer::default();
    let number = game.number.to_string();
    let result = game.result.to_string();
    let name = crate::PROGRAM;
    for (tag, value) in [
        ("Event", "Opening theory"),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", &number),
        ("White", name),
        ("Black", name),
        ("Result", &result),
        ("Variant", "Spartan"),
    ] {
        writer.tag(tag, value);
    }
    writer.begin_moves();
    let mut board = game.start.clone();
    for ply in &game.plies {
        writer.mv(&board, ply.mv);
        board.make_move(ply.mv);
    }
    writer.finish(&result)
}

/// The EPD of a position that has moves.
fn line(tree: &Tree, index: usize, games: [u32; 3]) -> String {
    let position = &tree.positions[index];
    let fen = position.board.to_fen();
    let mut text: String = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
    let _ = match Score::from(position.value) {
        Score::Cp(value) => write!(text, " ce {value};"),
        Score::Mate(moves) => write!(text, " dm {moves};"),
    };
    let _ = write!(text, " acd {}; acn {}; mv", position.depth, position.nodes);
    for edge in &position.edges {
        // Those of the initial position have no values before the first searches.
        if let Some(value) = tree.edge_value(edge) {
            let _ = write!(text, " {} {}", edge.mv, ValueText(value));
        }
    }
    let [won, drawn, lost] = games;
    text.push(';');
    if games != [0; 3] {
        let _ = write!(text, " wdl {won} {drawn} {lost};");
    }
    text.push('\n');
    text
}

pub fn run(arguments: &Arguments) -> CommandResult {
    check_output(&arguments.out, arguments.force)?;
    for path in [&arguments.compact, &arguments.pgn].into_iter().flatten() {
        check_output(path, arguments.force)?;
    }
    let (origin, known) = searches::read(&arguments.tree).map_err(usage)?;
    let growth = Growth::new(&origin.settings, known, usize::MAX).map_err(unreadable(&arguments.tree))?;
    let tree = &growth.tree;
    let (mut counts, mut games, mut settings) = (vec![[0; 3]; tree.positions.len()], 0u64, String::new());
    let mut pgn = String::new();
    for path in &arguments.games {
        let (header, records) = read_games(path)?;
        for record in records {
            let record = record?;
            count(tree, &mut counts, &record).map_err(unreadable(path))?;
            games += 1;
            if arguments.pgn.is_some() {
                pgn += &to_pgn(&record);
            }
        }
        let _ = writeln!(settings, "games: seed {}, {}", header.seed, header.settings);
    }
    let lines: Vec<String> = (0..tree.positions.len())
        .filter(|&index| {
            let position = &tree.positions[index];
            position.is_searched && position.edges.iter().any(|edge| tree.edge_value(edge).is_some())
        })
        .map(|index| line(tree, index, counts[index]))
        .collect();
    let about = format!(
        "Opening theory of Spartan Chess, made by `agoge-bench theory`; see positions/README.md.\n{}{settings}\
         size: {} positions, {games} games\n\
         check: agoge-bench theory check positions/theory.epd --sample 50 --seed 1\n",
        origin.text(),
        lines.len(),
    );
    let head: String = about.lines().map(|line| format!("# {line}\n")).collect();
    let text = head + &lines.concat();
    let theory = Theory::parse(&text).map_err(failed)?;
    write_text(&arguments.out, &text, arguments.force).map_err(failed)?;
    if let Some(path) = &arguments.pgn {
        write_text(path, &pgn, arguments.force).map_err(failed)?;
    }
    if let Some(path) = &arguments.compact {
        compact::write(&theory, path, arguments.force)?;
    }
    let outputs = [Some(&arguments.out), arguments.pgn.as_ref(), arguments.compact.as_ref()];
    if !outputs.into_iter().flatten().any(|path| crate::terminal::is_stdout(path)) {
        outln!("{} positions, {} games, {} bytes", HumanCount(theory.len() as u64), HumanCount(games), text.len());
    }
    Ok(Status::Success.after_printing())
}
