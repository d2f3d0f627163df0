//! Histograms as SVG files.

use super::record::GameResult;
use crate::files;
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;
use std::path::Path;

/// File, title and unit of each chart.
const CHARTS: [(&str, &str, &str); 3] = [
    ("lengths.svg", "Games by length", "plies"),
    ("men.svg", "Positions by men on the board", "men"),
    ("scores.svg", "Positions by score", "centipawns, from White's view"),
];

/// The number of positions or games by result, see [`GameResult::index`].
pub type Results = [u64; 3];

#[derive(Clone, Debug)]
pub struct Histogram {
    first: i32,
    width: i32,
    bins: Vec<Results>,
}

impl Histogram {
    /// A histogram for values from `first` on. Values out of range count in the outermost bins.
    pub fn new(first: i32, width: i32, bins: usize) -> Self {
        Self { first, width, bins: vec![[0; 3]; bins] }
    }

    pub fn add(&mut self, value: i32, result: GameResult) {
        let bin = (value - self.first).div_euclid(self.width).clamp(0, self.bins.len() as i32 - 1);
        self.bins[bin as usize][result.index()] += 1;
    }

    fn counts(&self) -> impl Iterator<Item = (Range<i32>, u64)> {
        self.rows().map(|(values, results)| (values, results.iter().sum()))
    }

    pub fn rows(&self) -> impl Iterator<Item = (Range<i32>, &Results)> {
        let begin = |index: usize| self.first + index as i32 * self.width;
        self.bins.iter().enumerate().map(move |(index, results)| (begin(index)..begin(index + 1), results))
    }
}

/// Checks that [`draw`] will not overwrite files without permission.
pub fn check(directory: &Path, force: bool) -> Result<(), String> {
    if !directory.exists() {
        return Ok(());
    }
    CHARTS.iter().try_for_each(|(file, ..)| files::check_new(&directory.join(file), force, files::FORCE_HINT))
}

/// Draws the histograms of lengths, men and scores into a directory, which is created if necessary. `force` overwrites
/// files.
pub fn draw(directory: &Path, histograms: [&Histogram; 3], force: bool) -> Result<(), String> {
    std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    for ((file, title, unit), histogram) in CHARTS.into_iter().zip(histograms) {
        let path = directory.join(file);
        bars(&path, title, unit, histogram, force).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Draws one histogram. The file is not written by the drawing crate, because it does not report write errors.
fn bars(path: &Path, title: &str, unit: &str, histogram: &Histogram, force: bool) -> Result<(), Box<dyn Error>> {
    let counts: Vec<_> = histogram.counts().collect();
    let (begin, end) = match (counts.first(), counts.last()) {
        (Some((first, _)), Some((last, _))) => (first.start, last.end),
        _ => return Ok(()),
    };
    let most = counts.iter().map(|&(_, count)| count).max().unwrap_or(0).max(1);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (900, 450)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 22))
            .margin(12)
            .x_label_area_size(45)
            .y_label_area_size(80)
            .build_cartesian_2d(begin..end, 0..most + most / 20)?;
        chart.configure_mesh().disable_x_mesh().x_desc(unit).label_style(("sans-serif", 13)).draw()?;
        let bar = |(values, count): (Range<i32>, u64)| {
            Rectangle::new([(values.start, 0), (values.end, count)], BLUE.mix(0.6).filled())
        };
        chart.draw_series(counts.into_iter().map(bar))?;
        area.present()?;
    }
    files::write_new(path, text.as_bytes(), force)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_in_bins() {
        let mut histogram = Histogram::new(-50, 100, 3);
        for value in [-1000, -50, 49, 50, 150, 249, 250, 9999] {
            histogram.add(value, GameResult::Draw);
        }
        let counts: Vec<_> = histogram.counts().collect();
        assert_eq!(counts, [(-50..50, 3), (50..150, 1), (150..250, 4)]);
    }
}
