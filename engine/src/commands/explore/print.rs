//! What `agoge explore` prints for people.

use agoge_core::board::{Game, diagram};
use agoge_core::notation::pgn::numbered;
use agoge_web::exact::ExactMove;
use agoge_web::explorer::{Explored, Games, Known, KnownMove, ScoreJson, Searches, Worth};
use std::fmt::Write as _;

/// The width of a terminal, and of the bar of games.
const WIDTH: usize = 80;
const BAR: usize = 20;

/// The signs of the bar: won, drawn, lost.
const SIGNS: [char; 3] = ['█', '▒', '░'];

/// The text about the last position of a game.
pub fn text(game: &Game, explored: &Explored) -> String {
    let mut text = diagram(game.board()).trim_end().to_owned();
    let _ = write!(text, "\n\nFEN: {}\n", explored.fen);
    let moves = sans(game, explored.plies);
    if !moves.is_empty() {
        text += &wrapped(&format!("Moves: {moves}"));
    }
    text.push('\n');
    match &explored.theory {
        Some(known) if explored.is_known() => text += &table(known),
        last => text += &outside(game, last.as_ref()),
    }
    if !explored.exact.is_empty() {
        text += &exact(&explored.exact);
    }
    text
}

/// The first moves of a game with their numbers.
fn sans(game: &Game, plies: usize) -> String {
    numbered(game.initial_board(), &game.moves()[..plies]).join(" ")
}

/// A text in lines that fit into a terminal.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            lines.push('\n');
            width = 0;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines += word;
        width += length;
    }
    lines + "\n"
}

/// Where the line was in theory, if it was.
fn outside(game: &Game, last: Option<&Known>) -> String {
    let Some(known) = last else {
        let text = if game.moves().is_empty() {
            "This position is not in the opening theory."
        } else {
            "This position is not in the opening theory, nor is any position before it."
        };
        return format!("{text}\n");
    };
    let place = match known.plies {
        0 => "at the first move".to_owned(),
        plies => format!("after {}", sans(game, plies)),
    };
    let plays = known.moves.iter().take(5).map(|mv| format!("{} ({})", mv.san, score(mv.worth.score)));
    let plays = plays.collect::<Vec<_>>().join(", ");
    let played = game.moves()[known.plies].to_string();
    let end = match known.moves.iter().find(|mv| mv.mv == played) {
        Some(mv) => format!("Theory ends {place} with {}, of which only the value is known.", mv.san),
        None => format!("The line left it {place}, where theory plays {plays}."),
    };
    wrapped(&format!("This position is not in the opening theory. {end}"))
        + &format!("The last position in theory: {}\n", known.fen)
}

/// The moves of theory.
fn table(known: &Known) -> String {
    let name = if known.turn == "white" { "White" } else { "Black" };
    let Worth { score: value, expected } = known.worth;
    let mut text = format!("{name} to move: {}, expected score {:.1} %", score(value), 100.0 * expected);
    if let Some(Searches { depth, nodes }) = known.searches {
        let _ = write!(text, ", depth {depth}, {} nodes", grouped(nodes));
    }
    let _ = write!(
        text,
        "\n\n{:<15} {:>6} {:>9} {:>5} {:>10} {:>7}  Won, drawn, lost\n",
        "Move", "Value", "Expected", "Depth", "Nodes", "Games"
    );
    for mv in &known.moves {
        text += &row(mv, known.turn);
    }
    let total = format!(
        "{:<49} {:>7}  {}",
        "Games from this position",
        grouped(known.games.count()),
        bar(known.games, known.turn)
    );
    text + total.trim_end() + "\n"
}

fn row(mv: &KnownMove, turn: &str) -> String {
    let Worth { score: value, expected } = mv.worth;
    let expected = format!("{:.1} %", 100.0 * expected);
    let (depth, nodes) = match mv.searches {
        Some(Searches { depth, nodes }) => (depth.to_string(), grouped(nodes)),
        None => ("-".to_owned(), "-".to_owned()),
    };
    let (games, bar) = match mv.games {
        Some(games) => (grouped(games.count()), bar(games, turn)),
        None => ("-".to_owned(), String::new()),
    };
    let line = format!(
        "{:<9} {:<5} {:>6} {expected:>9} {depth:>5} {nodes:>10} {games:>7}  {bar}",
        mv.san,
        mv.mv,
        score(value)
    );
    line.trim_end().to_owned() + "\n"
}

/// A score in pawns, or as moves to mate.
fn score(score: ScoreJson) -> String {
    match score {
        ScoreJson::Cp(value) => format!("{:+.2}", f64::from(value) / 100.0),
        ScoreJson::Mate(moves) if moves < 0 => format!("-M{}", -moves),
        ScoreJson::Mate(moves) => format!("M{moves}"),
    }
}

/// The shares of the games that the side to move has won, drawn and lost; empty without games.
fn bar(Games { white, draws, black }: Games, turn: &str) -> String {
    let results = if turn == "white" { [white, draws, black] } else { [black, draws, white] };
    let total: u64 = results.iter().copied().map(u64::from).sum();
    if total == 0 {
        return String::new();
    }
    let mut bar = String::new();
    let (mut sum, mut drawn) = (0, 0);
    for (games, sign) in results.into_iter().zip(SIGNS) {
        sum += u64::from(games);
        // Rounded ends, so that the parts add up.
        let end = ((sum * BAR as u64 + total / 2) / total) as usize;
        bar.extend(std::iter::repeat_n(sign, end - drawn));
        drawn = end;
    }
    bar
}

/// A number with separators.
fn grouped(number: u32) -> String {
    indicatif::HumanCount(number.into()).to_string()
}

/// The results of all moves.
fn exact(moves: &[ExactMove]) -> String {
    let mut text = "\nExact results, for the side to move:\n".to_owned();
    for mv in moves {
        let ExactMove { step, exact, .. } = mv;
        let _ = write!(text, "{:<9} {:<5}  {}", step.san, step.mv, exact.result.unwrap_or("not in the tables"));
        if let Some(moves) = exact.mate {
            let _ = write!(text, ", mate in {moves}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_has_the_shares_of_the_side_to_move() {
        let games = Games { white: 5, draws: 10, black: 5 };
        assert_eq!(bar(games, "white"), "█████▒▒▒▒▒▒▒▒▒▒░░░░░");
        assert_eq!(bar(Games { white: 1, draws: 0, black: 3 }, "black"), "███████████████░░░░░");
        assert_eq!(bar(Games { white: 0, draws: 0, black: 0 }, "white"), "");
        let odd = bar(Games { white: u32::MAX, draws: 1, black: u32::MAX }, "white");
        assert_eq!(odd.chars().count(), BAR);
    }

    #[test]
    fn lines_are_wrapped() {
        let text = wrapped(&"word ".repeat(40));
        assert!(
            text.lines().count() == 3 && text.lines().all(|line| line.len() <= WIDTH && line.starts_with("word")),
            "{text}"
        );
    }
}
