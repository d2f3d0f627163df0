//! The graph of a game: White's winning chances move by move, as SVG.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

/// The height of the graph in pixels.
const HEIGHT: u32 = 460;
/// The approximate width of a letter of a label in pixels, to detect overlaps.
const LETTER: f64 = 6.6;
/// The height of a label in pixels.
const LINE: i32 = 14;
const BACKGROUND: RGBColor = RGBColor(250, 250, 250);
const CURVE: RGBColor = RGBColor(40, 80, 160);
const AREA: RGBColor = RGBColor(214, 224, 240);
const TEXT: RGBColor = RGBColor(60, 60, 60);

#[derive(Clone, Debug)]
pub struct Mark {
    /// The position after it, as an index of [`Graph::chances`].
    pub ply: usize,
    /// The points that it lost, 0 to 1. If there is no space for all labels, the worst moves get theirs first.
    pub loss: f64,
    /// Its number and SAN: `16...Gb5??`.
    pub label: String,
    /// The kind of mistake, as an index of [`Graph::kinds`].
    pub kind: usize,
}

#[derive(Clone, Debug)]
pub struct Graph<'a> {
    pub title: &'a str,
    /// A line below it.
    pub subtitle: &'a str,
    /// Twice the number of the first move, plus one if it is Black's.
    pub first: usize,
    /// White's expected score, 0 to 1, in each position; `None` where unknown.
    pub chances: &'a [Option<f64>],
    pub marks: &'a [Mark],
    /// The names and colours of the kinds of mistakes.
    pub kinds: &'a [(&'a str, RGBColor)],
}

/// An area of the graph in pixels.
#[derive(Clone, Copy, Debug)]
struct Rectangle {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Rectangle {
    const fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }

    /// The end of a leader line from a point to the rectangle; `None` if the point is too near for one.
    fn leader(&self, (x, y): (i32, i32)) -> Option<(i32, i32)> {
        let end = (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom));
        ((x - end.0).abs() + (y - end.1).abs() > 12).then_some(end)
    }

    /// Whether a point is inside or at most `distance` pixels away from each side.
    const fn is_near(&self, (x, y): (i32, i32), distance: i32) -> bool {
        self.left - distance <= x
            && x <= self.right + distance
            && self.top - distance <= y
            && y <= self.bottom + distance
    }
}

impl Graph<'_> {
    /// The graph as SVG.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(&self) -> Result<String, Box<dyn Error>> {
        let mut text = String::new();
        self.draw(&mut text)?;
        Ok(text)
    }

    /// The width in pixels: wider for long games, up to a limit.
    fn width(&self) -> u32 {
        (self.chances.len() as u32).saturating_mul(8).clamp(900, 1800)
    }

    /// The x coordinate of the position after `ply` plies: the number of the move that led to it, plus a half for
    /// Black's moves.
    fn x(&self, ply: usize) -> f64 {
        (self.first + ply) as f64 / 2.0 - 0.5
    }

    fn draw(&self, text: &mut String) -> Result<(), Box<dyn Error>> {
        let width = self.width();
        let root = SVGBackend::with_string(text, (width, HEIGHT)).into_drawing_area();
        root.fill(&BACKGROUND)?;
        self.draw_head(&root)?;
        let chart = Rectangle { left: 64, right: width as i32 - 24, top: 78, bottom: HEIGHT as i32 - 66 };
        let frame = Rectangle { top: chart.top - 18, bottom: chart.bottom + 18, ..chart };
        let (begin, end) = (self.x(0), self.x(self.chances.len().max(2) - 1));
        let across = |x: f64| chart.left + ((x - begin) / (end - begin) * f64::from(chart.right - chart.left)) as i32;
        let up = |chance: f64| chart.bottom - (chance * f64::from(chart.bottom - chart.top)) as i32;
        let at = |ply: usize| Some((across(self.x(ply)), up((*self.chances.get(ply)?)?)));

        let curve: Vec<(i32, i32)> = (0..self.chances.len()).filter_map(at).collect();
        if let (Some(first), Some(last)) = (curve.first(), curve.last()) {
            let corners = [(last.0, frame.bottom), (first.0, frame.bottom)];
            root.draw(&Polygon::new([&curve[..], &corners].concat(), AREA))?;
        }
        let style = |h, v| ("sans-serif", 12).into_font().color(&TEXT).pos(Pos::new(h, v));
        for percent in [0, 25, 50, 75, 100] {
            let y = up(f64::from(percent) / 100.0);
            let grid = BLACK.mix(if percent == 50 { 0.5 } else { 0.12 });
            root.draw(&PathElement::new([(chart.left, y), (chart.right, y)], grid))?;
            root.draw(&Text::new(format!("{percent} %"), (chart.left - 8, y), style(HPos::Right, VPos::Center)))?;
        }
        for number in numbers(begin, end, width) {
            let x = across(number);
            root.draw(&PathElement::new([(x, frame.top), (x, frame.bottom)], BLACK.mix(0.12)))?;
            root.draw(&Text::new(format!("{number}"), (x, frame.bottom + 6), style(HPos::Center, VPos::Top)))?;
        }
        let below = ((chart.left + chart.right) / 2, frame.bottom + 26);
        root.draw(&Text::new("move", below, style(HPos::Center, VPos::Top)))?;
        let aside = (14, (chart.top + chart.bottom) / 2);
        let turned = style(HPos::Center, VPos::Center).transform(FontTransform::Rotate270);
        root.draw(&Text::new("White's winning chances", aside, turned))?;

        root.draw(&PathElement::new(curve.clone(), CURVE.stroke_width(2)))?;
        let marks: Vec<_> = self.marks.iter().filter_map(|mark| Some((mark, at(mark.ply)?))).collect();
        let labels = labels(&marks, &curve, frame);
        for Label { at, area, .. } in &labels {
            if let Some(end) = area.leader(*at) {
                root.draw(&PathElement::new([*at, end], TEXT.mix(0.5)))?;
            }
            // A translucent background keeps the label readable over the curve.
            let corners = [(area.left, area.top), (area.right, area.bottom)];
            root.draw(&plotters::element::Rectangle::new(corners, BACKGROUND.mix(0.6).filled()))?;
        }
        for (mark, at) in &marks {
            root.draw(&Circle::new(*at, 4, self.colour(mark).filled()))?;
        }
        for Label { mark, area, .. } in &labels {
            let middle = ((area.left + area.right) / 2, (area.top + area.bottom) / 2);
            root.draw(&Text::new(mark.label.clone(), middle, style(HPos::Center, VPos::Center)))?;
        }
        root.present()?;
        Ok(())
    }

    fn colour(&self, mark: &Mark) -> RGBColor {
        self.kinds.get(mark.kind).map_or(BLACK, |kind| kind.1)
    }

    /// The title, the line below it and the legend.
    fn draw_head<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        let style = |size: i32| ("sans-serif", size).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
        let longest = self.width() as usize / 11;
        root.draw(&Text::new(printable(self.title, longest), (16, 20), style(18)))?;
        root.draw(&Text::new(printable(self.subtitle, longest), (16, 43), style(13)))?;
        let mut x = self.width() as i32 - 20;
        for (name, colour) in self.kinds.iter().rev() {
            x -= (name.chars().count() as f64 * (LETTER + 0.6)) as i32;
            root.draw(&Text::new(*name, (x, 43), style(13)))?;
            x -= 10;
            root.draw(&Circle::new((x, 43), 4, colour.filled()))?;
            x -= 18;
        }
        Ok(())
    }
}

/// Truncates a text to `longest` characters and replaces those that XML forbids.
fn printable(text: &str, longest: usize) -> String {
    let allowed = |c: char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let text: String = text.chars().map(|c| if allowed(c) { c } else { ' ' }).collect();
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The move numbers to print at the axis, as many as fit.
fn numbers(begin: f64, end: f64, width: u32) -> Vec<f64> {
    let limit = f64::from(width / 36);
    let steps = (0..).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
    let step = steps.take(30).find(|step| (end - begin) / step <= limit).unwrap_or(f64::INFINITY);
    let first = (begin / step).ceil() as u64;
    (first..).map(|i| i as f64 * step).take_while(|&x| x <= end).take(limit as usize + 1).collect()
}

/// A placed label.
#[derive(Clone, Copy, Debug)]
struct Label<'a> {
    mark: &'a Mark,
    /// The position of the mark in pixels.
    at: (i32, i32),
    area: Rectangle,
}

/// Places the labels of marks at the given points: near the mark, inside the frame, and not over another mark or label.
/// The worst moves come first; labels that do not fit are omitted.
fn labels<'a>(marks: &[(&'a Mark, (i32, i32))], curve: &[(i32, i32)], frame: Rectangle) -> Vec<Label<'a>> {
    // Enough to fill the frame; this makes the work linear instead of quadratic in the length of the game.
    let most = usize::try_from((frame.right - frame.left) / 12).unwrap_or(0);
    let mut worst: Vec<_> = marks.iter().collect();
    worst.sort_by(|(a, _), (b, _)| b.loss.total_cmp(&a.loss));
    let mut placed: Vec<Label> = Vec::new();
    for &&(mark, at) in worst.iter().take(most) {
        let (x, y) = at;
        let width = (mark.label.chars().count() as f64 * LETTER).ceil() as i32;
        let above_and_below = [7, 20, 33, 46].into_iter().flat_map(|distance| {
            let left = (x - width / 2).clamp(frame.left, (frame.right - width).max(frame.left));
            [y - distance - LINE, y + distance].map(|top| (distance, left, top))
        });
        let beside = [x + 9, x - 9 - width]
            .into_iter()
            .flat_map(|left| [(10, 0), (14, -10), (14, 10)].map(|(cost, shift)| (cost, left, y - LINE / 2 + shift)));
        let free = above_and_below.chain(beside).filter_map(|(distance, left, top)| {
            let area = Rectangle { left, right: left + width, top, bottom: top + LINE };
            let inside = frame.left <= area.left
                && area.right <= frame.right
                && frame.top <= area.top
                && area.bottom <= frame.bottom;
            let on_label = placed.iter().any(|other| area.overlaps(&other.area));
            let marks_within = |distance| marks.iter().filter(|(_, other)| area.is_near(*other, distance)).count();
            let on_mark = marks_within(5) > 0;
            // Avoid ambiguity about the mark that a label belongs to.
            let others = marks_within(16).saturating_sub(1) as i32;
            // Covering the curve costs more than moving a line further away.
            (inside && !on_label && !on_mark).then(|| (16 * crossings(curve, &area) + 12 * others + distance, area))
        });
        if let Some((_, area)) = free.min_by_key(|(cost, _)| *cost) {
            placed.push(Label { mark, at, area });
        }
    }
    placed
}

/// The number of segments of the curve that cross a rectangle.
fn crossings(curve: &[(i32, i32)], label: &Rectangle) -> i32 {
    /// The number of steps per segment at which it is tested.
    const STEPS: i32 = 8;
    let begin = curve.partition_point(|&(x, _)| x < label.left).saturating_sub(1);
    let near = curve[begin..].windows(2).take_while(|segment| segment[0].0 <= label.right);
    let crosses = |segment: &[(i32, i32)]| {
        let ((x0, y0), (x1, y1)) = (segment[0], segment[1]);
        (0..=STEPS).any(|i| label.is_near((x0 + (x1 - x0) * i / STEPS, y0 + (y1 - y0) * i / STEPS), 0))
    };
    near.filter(|segment| crosses(segment)).count() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [(&str, RGBColor); 2] = [("mistake ?", YELLOW), ("blunder ??", RED)];

    fn graph<'a>(chances: &'a [Option<f64>], marks: &'a [Mark]) -> Graph<'a> {
        Graph { title: "A & B", subtitle: "", first: 2, chances, marks, kinds: &KINDS }
    }

    #[test]
    fn black_moves_are_half_a_move_later() {
        let graph = graph(&[None; 5], &[]);
        // The first position, 1. and 1..., 2. and 2....
        assert_eq!([0, 1, 2, 3, 4].map(|ply| graph.x(ply)), [0.5, 1.0, 1.5, 2.0, 2.5]);
        assert_eq!(Graph { first: 25, ..graph }.x(1), 12.5);
    }

    #[test]
    fn axes_have_numbers_of_moves() {
        assert_eq!(numbers(0.5, 3.0, 900), [1.0, 2.0, 3.0]);
        assert_eq!(
            numbers(11.5, 52.0, 900),
            [
                12.0, 14.0, 16.0, 18.0, 20.0, 22.0, 24.0, 26.0, 28.0, 30.0, 32.0, 34.0, 36.0, 38.0, 40.0, 42.0, 44.0,
                46.0, 48.0, 50.0, 52.0
            ]
        );
        for end in [1.0, 100.0, 65_536.0, 1e9] {
            assert!((1..=26).contains(&numbers(0.5, end, 900).len()), "{end}");
        }
    }

    #[test]
    fn labels_do_not_overlap() {
        let marks: Vec<Mark> = (0..300)
            .map(|ply| Mark { ply, loss: f64::from(ply as u32 % 7) / 10.0, label: format!("{ply}.Qxe4??"), kind: 0 })
            .collect();
        let at = |mark: &Mark| (60 + 3 * mark.ply as i32, 60 + 97 * mark.ply as i32 % 380);
        let placed_marks: Vec<_> = marks.iter().map(|mark| (mark, at(mark))).collect();
        let chart = Rectangle { left: 60, right: 960, top: 60, bottom: 440 };
        let placed = labels(&placed_marks[..6], &[], chart);
        assert_eq!(placed.len(), 6);
        let placed = labels(&placed_marks, &[], chart);
        assert!(!placed.is_empty());
        for (i, Label { area, .. }) in placed.iter().enumerate() {
            assert!(placed[..i].iter().all(|other| !area.overlaps(&other.area)));
            assert!(chart.is_near((area.left, area.top), 0) && chart.is_near((area.right, area.bottom), 0));
        }
    }

    #[test]
    fn any_game_can_be_drawn() {
        let known = [Some(0.5), Some(1.0), None, Some(0.0)];
        let mark = Mark { ply: 3, loss: 1.0, label: "2.<e4>".into(), kind: 1 };
        for chances in [&[][..], &known[..1], &known[2..3], &known] {
            let svg = graph(chances, std::slice::from_ref(&mark)).svg().expect("a graph");
            assert!(svg.contains("A &amp; B") && svg.trim_end().ends_with("</svg>"), "{svg}");
            assert_eq!(svg.contains("2.&lt;e4&gt;"), chances.len() == 4);
        }
    }

    #[test]
    fn titles_fit_and_are_valid_xml() {
        assert_eq!(printable("a\u{0}b\tc", 9), "a b c");
        assert_eq!(printable("äöü", 2), "äö…");
    }
}
