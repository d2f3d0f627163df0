//! Reports of a training: a table, a chart and the quantisation error.

use super::net::Weights;
use super::position::{Objective, Position};
use super::trainer::Epoch;
use agoge_core::nnue::arch::SCALE;
use agoge_core::nnue::{Network, accumulate, output};
use plotters::prelude::*;
use rayon::prelude::*;
use std::fmt::Write as _;

/// The history as comma-separated values with a header line.
pub fn table(history: &[Epoch]) -> String {
    let mut text = "epoch,steps,rate,wdl,training_loss,validation_loss,gradient\n".to_owned();
    for Epoch { epoch, steps, rate, wdl, training, validation, gradient } in history {
        let validation = validation.map_or_else(String::new, |loss| format!("{loss:.6}"));
        let _ = writeln!(text, "{epoch},{steps},{rate:.3e},{wdl:.3},{training:.6},{validation},{gradient:.4}");
    }
    text
}

/// The chart of the losses by epoch, as SVG.
///
/// # Errors
/// If it cannot be drawn.
pub fn picture(history: &[Epoch], title: &str) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, history, title).map_err(|error| error.to_string())?;
    Ok(svg)
}

fn draw(svg: &mut String, history: &[Epoch], title: &str) -> Result<(), Box<dyn std::error::Error>> {
    let x = |epoch: &Epoch| epoch.epoch as f64;
    let training: Vec<(f64, f64)> = history.iter().map(|epoch| (x(epoch), epoch.training)).collect();
    let validation: Vec<(f64, f64)> = history.iter().filter_map(|epoch| Some((x(epoch), epoch.validation?))).collect();
    let losses = training.iter().chain(&validation).map(|&(_, loss)| loss);
    let (low, high) = losses.fold((f64::MAX, f64::MIN), |(low, high), loss| (low.min(loss), high.max(loss)));
    if low > high {
        return Err("no epoch has finished yet".into());
    }
    let margin = ((high - low) * 0.05).max(high.abs() * 1e-3 + 1e-9);
    let root = SVGBackend::with_string(svg, (900, 540)).into_drawing_area();
    root.fill(&WHITE)?;
    let last = history.len().max(2) as f64;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(72)
        .build_cartesian_2d(1.0..last, low - margin..high + margin)?;
    chart
        .configure_mesh()
        .x_desc("epoch")
        .y_desc("loss")
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.4}"))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (name, points, colour) in [("training", training, BLUE), ("validation", validation, RED)] {
        if !points.is_empty() {
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 16, y)], colour.stroke_width(2)));
        }
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}

/// The comparison of a quantised network with its original.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quantisation {
    pub exact: f64,
    pub quantised: f64,
    /// The mean absolute difference of their values, in centipawns.
    pub mean: f64,
    /// The largest absolute difference, in centipawns.
    pub largest: f64,
}

/// The mean absolute value of a network for `positions`, in centipawns.
pub fn mean_value(network: &Network, positions: &[Position]) -> f64 {
    let size = |position: &Position| {
        let accumulator = accumulate(network, &position.features());
        u64::from(output(network, &accumulator, position.head()).unsigned_abs())
    };
    positions.par_iter().map(size).sum::<u64>() as f64 / positions.len().max(1) as f64
}

/// Compares a quantised network with its original on `positions`.
pub fn quantisation(
    network: &Network,
    weights: &Weights,
    positions: &[Position],
    objective: Objective,
) -> Quantisation {
    let compare = |position: &Position| {
        let accumulator = accumulate(network, &position.features());
        let value = output(network, &accumulator, position.head()) as f32;
        let exact = weights.output(position);
        let target = position.target(objective);
        let loss = |output| f64::from(objective.expected(output) - target).powi(2);
        [loss(exact), loss(value / SCALE as f32), f64::from((value - exact * SCALE as f32).abs())]
    };
    let all: Vec<[f64; 3]> = positions.par_iter().map(compare).collect();
    let mean = |i: usize| all.iter().map(|one| one[i]).sum::<f64>() / all.len().max(1) as f64;
    let largest = all.iter().map(|one| one[2]).fold(0.0, f64::max);
    Quantisation { exact: mean(0), quantised: mean(1), mean: mean(2), largest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> Vec<Epoch> {
        (1..=3)
            .map(|epoch| Epoch {
                epoch,
                steps: 10 * epoch,
                rate: 1e-3,
                wdl: 0.3,
                training: 0.1 / epoch as f64,
                validation: (epoch > 1).then_some(0.125),
                gradient: 0.01,
            })
            .collect()
    }

    #[test]
    fn the_table_has_a_line_for_each_epoch() {
        let table = table(&history());
        assert_eq!(table.lines().nth(1), Some("1,10,1.000e-3,0.300,0.100000,,0.0100"));
        assert_eq!(table.lines().nth(2), Some("2,20,1.000e-3,0.300,0.050000,0.125000,0.0100"));
        assert_eq!(table.lines().count(), 4);
    }

    #[test]
    fn the_chart_shows_both_lines() {
        let picture = picture(&history(), "a title").expect("a picture");
        assert!(picture.starts_with("<svg") && picture.contains("a title"));
        assert!(picture.contains("training") && picture.contains("validation"));
        assert!(super::picture(&history()[..1], "one epoch").is_ok());
        assert!(super::picture(&[], "none").is_err());
    }
}
