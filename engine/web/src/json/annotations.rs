//! What a file notes about a position: comment, glyphs, clock, evaluation and shapes. Commands such as
//! `[%clk 0:01:23]` in a comment become fields; those that are unknown or damaged stay in its text.

use agoge_core::notation::pgn::{Writer, words};
use agoge_core::types::Square;
use serde::{Deserialize, Serialize};

/// What is noted about the position after a move, or about the first one.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Annotations {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Numeric annotation glyphs, such as 4 for a blunder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub glyphs: Vec<u8>,
    /// The time left to the side that has moved: `[%clk 0:01:23]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Time>,
    /// The time spent on the move: `[%emt 0:00:07]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// The arrows and circles drawn on the board: `[%cal Gd4h2]` and `[%csl Ya4]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<Shape>,
}

/// A time as written in the file: hours, minutes and seconds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Time(String);

impl TryFrom<String> for Time {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        const MAX_LENGTH: usize = 20;
        let is_part = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
        if text.len() <= MAX_LENGTH && is_part(fraction) && whole.split(':').all(is_part) {
            Ok(Self(text))
        } else {
            Err("not a time".to_owned())
        }
    }
}

/// An evaluation from White's point of view: `[%eval 0.35]`, `[%eval #-3]`, `[%eval 0.35,12]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Evaluation {
    #[serde(flatten)]
    score: Score,
    /// The depth of the search in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Score {
    /// In hundredths of a pawn.
    Cp(i32),
    /// Moves to mate; negative if Black mates.
    Mate(i32),
}

impl Evaluation {
    fn read(text: &str) -> Option<Self> {
        let (score, depth) = match text.split_once(',') {
            Some((score, depth)) => (score.trim(), Some(depth.trim().parse().ok()?)),
            None => (text, None),
        };
        let score = match score.strip_prefix('#') {
            // Whose mate it is would be lost.
            Some("-0") => None,
            Some(mate) => mate.parse().ok().map(Score::Mate),
            None => centipawns(score).map(Score::Cp),
        };
        Some(Self { score: score?, depth })
    }

    fn write(self) -> String {
        let depth = self.depth.map_or_else(String::new, |depth| format!(",{depth}"));
        match self.score {
            Score::Cp(cp) => {
                let (sign, size) = (if cp < 0 { "-" } else { "" }, cp.unsigned_abs());
                format!("[%eval {sign}{}.{:02}{depth}]", size / 100, size % 100)
            }
            Score::Mate(mate) => format!("[%eval #{mate}{depth}]"),
        }
    }
}

/// The hundredths of a number such as `-1.5`; `None` if it has further digits, which would be lost.
fn centipawns(text: &str) -> Option<i32> {
    let (minus, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = size.split_once('.').unwrap_or((size, "0"));
    let fraction = if fraction.len() > 2 { fraction.trim_end_matches('0') } else { fraction };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 6 || fraction.len() > 2 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let size = format!("{whole}{fraction:0<2}").parse::<i32>().ok()?;
    Some(if minus { -size } else { size })
}

/// A square, as `e4` in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Place(Square);

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::read(&text).ok_or_else(|| "not a square".to_owned())
    }
}

impl From<Place> for String {
    fn from(Place(square): Place) -> Self {
        square.to_string()
    }
}

impl Place {
    fn read(text: &str) -> Option<Self> {
        let [file, rank] = *text.as_bytes() else { return None };
        Square::from_ascii(file, rank).map(Self)
    }
}

/// An arrow between two squares, or a circle around one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    from: Place,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Place>,
    colour: ShapeColour,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ShapeColour {
    Green,
    Red,
    Yellow,
    Blue,
}

impl ShapeColour {
    const LETTERS: [(char, Self); 4] = [('G', Self::Green), ('R', Self::Red), ('Y', Self::Yellow), ('B', Self::Blue)];

    fn from_letter(letter: char) -> Option<Self> {
        Self::LETTERS.iter().find(|(other, _)| *other == letter).map(|&(_, colour)| colour)
    }

    fn letter(self) -> char {
        Self::LETTERS.iter().find(|(_, colour)| *colour == self).map_or('G', |&(letter, _)| letter)
    }
}

impl Shape {
    /// Reads `Gd4h2` or `Ya4`.
    fn read(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let colour = ShapeColour::from_letter(letters.next()?)?;
        let squares = letters.as_str();
        let from = Place::read(squares.get(..2)?)?;
        let to = match &squares[2..] {
            "" => None,
            to => Some(Place::read(to)?),
        };
        Some(Self { from, to, colour })
    }

    fn write(&self) -> String {
        let to = self.to.map_or_else(String::new, String::from);
        format!("{}{}{to}", self.colour.letter(), String::from(self.from))
    }
}

impl Annotations {
    /// Adds a comment with its commands. A line break means a space.
    pub fn add_comment(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = lines.join(" ");
        let mut rest = text.as_str();
        let mut kept = String::new();
        while let Some((before, command, after)) = next_command(rest) {
            if self.read_command(command) {
                append(&mut kept, before.trim());
            } else {
                append(&mut kept, rest[..rest.len() - after.len()].trim());
            }
            rest = after;
        }
        append(&mut kept, rest.trim());
        append(&mut self.comment, &kept);
    }

    /// Reads a command such as `clk 0:01:23`. Returns false if its text must be kept.
    fn read_command(&mut self, command: &str) -> bool {
        let (name, value) = command.split_once(|letter: char| letter.is_whitespace()).unwrap_or((command, ""));
        let value = value.trim();
        match name {
            "clk" => fill(&mut self.clock, Time::try_from(value.to_owned()).ok()),
            "emt" => fill(&mut self.elapsed, Time::try_from(value.to_owned()).ok()),
            "eval" => fill(&mut self.evaluation, Evaluation::read(value)),
            "cal" | "csl" => {
                let is_arrow = name == "cal";
                let read = |text: &str| Shape::read(text.trim()).filter(|shape| shape.to.is_some() == is_arrow);
                let Some(shapes) = value.split(',').map(read).collect::<Option<Vec<_>>>() else { return false };
                self.shapes.extend(shapes);
                true
            }
            _ => false,
        }
    }

    /// Writes the glyphs, and the comment with its commands.
    pub fn write(&self, writer: &mut Writer) {
        self.glyphs.iter().for_each(|&glyph| writer.glyph(glyph));
        let mut parts = self.commands();
        parts.extend(words(&without_braces(&self.comment)));
        writer.comment_of(parts);
    }

    /// Glyphs, commands and comment as the text of one comment.
    pub fn into_text(self) -> String {
        let mut words: Vec<String> = self.glyphs.iter().map(|glyph| format!("${glyph}")).collect();
        words.extend(self.commands());
        let mut text = words.join(" ");
        append(&mut text, &self.comment);
        text
    }

    fn commands(&self) -> Vec<String> {
        let shapes = |name: &str, is_arrow: bool| {
            let shapes = self.shapes.iter().filter(|shape| shape.to.is_some() == is_arrow);
            let texts: Vec<String> = shapes.map(Shape::write).collect();
            (!texts.is_empty()).then(|| format!("[%{name} {}]", texts.join(",")))
        };
        let evaluation = self.evaluation.map(Evaluation::write);
        let clock = self.clock.as_ref().map(|time| format!("[%clk {}]", time.0));
        let elapsed = self.elapsed.as_ref().map(|time| format!("[%emt {}]", time.0));
        [evaluation, clock, elapsed, shapes("csl", false), shapes("cal", true)].into_iter().flatten().collect()
    }
}

/// Fills an empty field. Returns whether it now has this value.
fn fill<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let is_read = field.is_none() && value.is_some();
    if is_read {
        *field = value;
    }
    is_read
}

/// The text before the first command, the command without its brackets, and the text after it.
fn next_command(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("[%")?;
    let (command, after) = rest.split_once(']')?;
    Some((before, command, after))
}

/// Appends a text to a comment.
pub fn append(comment: &mut String, text: &str) {
    if !comment.is_empty() && !text.is_empty() {
        comment.push(' ');
    }
    comment.push_str(text);
}

/// The text of a comment that is in another one.
pub fn without_braces(text: &str) -> String {
    text.replace(['{', '}'], "|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(text: &str) -> Annotations {
        let mut notes = Annotations::default();
        notes.add_comment(text);
        notes
    }

    fn json_of(notes: &Annotations) -> Value {
        serde_json::to_value(notes).expect("JSON")
    }

    fn written(notes: &Annotations) -> String {
        let mut writer = Writer::default();
        notes.write(&mut writer);
        writer.finish("*").trim_end().trim_end_matches('*').trim_end().to_owned()
    }

    #[test]
    fn commands_become_fields() {
        for (text, fields) in [
            ("[%clk 0:01:23]", json!({"clock": "0:01:23"})),
            ("good [%clk 1:01:23.4] move", json!({"clock": "1:01:23.4", "comment": "good move"})),
            ("[%emt 0:00:07][%clk 59]", json!({"clock": "59", "elapsed": "0:00:07"})),
            ("[%eval 0.35]", json!({"evaluation": {"cp": 35}})),
            ("[%eval -12.3,20]", json!({"evaluation": {"cp": -1230, "depth": 20}})),
            ("[%eval #-3,7]", json!({"evaluation": {"mate": -3, "depth": 7}})),
            ("[%eval +1] x", json!({"evaluation": {"cp": 100}, "comment": "x"})),
            (
                "[%csl Ya4] [%cal Gd4h2, Rb1c3]",
                json!({"shapes": [{"from": "a4", "colour": "yellow"}, {"from": "d4", "to": "h2", "colour": "green"},
                    {"from": "b1", "to": "c3", "colour": "red"}]}),
            ),
            (
                "a [%cal Bb7a8] b [%cal Ga1a2]",
                json!({"comment": "a b", "shapes": [
                {"from": "b7", "to": "a8", "colour": "blue"}, {"from": "a1", "to": "a2", "colour": "green"}]}),
            ),
        ] {
            let notes = read(text);
            assert_eq!(json_of(&notes), fields, "{text}");
            let again = written(&notes);
            assert_eq!(json_of(&read(again.trim_matches(['{', '}']))), fields, "{text}: {again}");
            assert_eq!(json_of(&serde_json::from_value(fields.clone()).expect("fields")), fields);
        }
    }

    #[test]
    fn what_is_unknown_or_damaged_stays_in_the_text() {
        for text in [
            "[%tqu \"En\",\"\",\"\",\"\",\"e2e4\",\"\",10]",
            "x [%clk soon] y",
            "[%clk 1::2]",
            "[%clk 0:01:23",
            "[%clk]",
            "[%eval #-0]",
            "[%eval 0.355]",
            "[%eval nan]",
            "[%eval 99999999.00]",
            "[%eval 1,x]",
            "[%cal Gd4]",
            "[%csl Gd4h2]",
            "[%csl Gi9]",
            "[%cal Gd4h2,Xa1a2]",
            "[%csl Gé4]",
            "[%csl ]",
            "a [% b",
            "%]",
        ] {
            let notes = read(text);
            assert_eq!(json_of(&notes), json!({"comment": text}), "{text}");
            assert_eq!(json_of(&read(written(&notes).trim_matches(['{', '}'])))["comment"], text);
        }
        // The first of two counts, and the other one is kept.
        let notes = read("[%clk 0:00:02] [%clk 0:00:01]");
        assert_eq!(written(&notes), "{[%clk 0:00:02] [%clk 0:00:01]}");
        assert_eq!(notes.comment, "[%clk 0:00:01]");
    }

    #[test]
    fn commands_are_not_broken_over_lines() {
        let notes = read(&format!("{} [%mark a b] [%eval 0.35]", "word ".repeat(14)));
        let text = written(&notes);
        assert!(text.contains("[%mark a b]") && text.starts_with("{[%eval 0.35] word"), "{text}");
    }

    #[test]
    fn odd_fields_of_the_page_are_refused() {
        for fields in [
            json!({"clock": "0:00] }"}),
            json!({"shapes": [{"from": "e9", "colour": "red"}]}),
            json!({"shapes": [{"from": "e4", "colour": "pink"}]}),
            json!({"evaluation": {"depth": 3}}),
        ] {
            assert!(serde_json::from_value::<Annotations>(fields.clone()).is_err(), "{fields}");
        }
    }
}
