//! Histograms as SVG files.

use super::stats::{Counts, Histogram};
use crate::files;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

const FILES: [&str; 3] = ["lengths.svg", "men.svg", "scores.svg"];

/// Checks that [`draw`] will not overwrite files without permission.
pub fn check(directory: &Path, force: bool) -> Result<(), String> {
    if !directory.exists() {
        return Ok(());
    }
    FILES.iter().try_for_each(|file| files::check_new(&directory.join(file), force, files::FORCE_HINT))
}

/// Draws all histograms into a directory, which is created if necessary. `force` overwrites files.
pub fn draw(directory: &Path, counts: &Counts, force: bool) -> Result<(), String> {
    std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let charts = [
        ("Games by length", "plies", &counts.lengths),
        ("Positions by men on the board", "men", &counts.men),
        ("Positions by score", "centipawns, from White's view", &counts.scores),
    ];
    for (file, (title, unit, histogram)) in FILES.iter().zip(charts) {
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
        let bar = |(values, count): (std::ops::Range<i32>, u64)| {
            Rectangle::new([(values.start, 0), (values.end, count)], BLUE.mix(0.6).filled())
        };
        chart.draw_series(counts.into_iter().map(bar))?;
        area.present()?;
    }
    files::write_new(path, text.as_bytes(), force)?;
    Ok(())
}
