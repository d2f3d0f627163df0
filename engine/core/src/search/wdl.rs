//! Win, draw and loss chances of a value, for display.

use crate::types::score::Value;

/// The value, in centipawns, at which the winning chance is 50 %.
const HALF_WON: f64 = 130.0;
/// The scale of the logistic curves, in centipawns.
const SPREAD: f64 = 75.0;

/// The chances to win, draw and lose of a side with this value, in thousandths that add up to 1000: two logistic
/// curves, for winning and for losing.
pub fn win_draw_loss(value: Value) -> [u32; 3] {
    let chance = |value: Value| (1000.0 / (1.0 + ((HALF_WON - f64::from(value)) / SPREAD).exp())).round() as u32;
    let (win, loss) = (chance(value), chance(-value));
    [win, 1000u32.saturating_sub(win + loss), loss]
}

/// The expected score of a side with this value, from 0 to 1.
pub fn expectation(value: Value) -> f64 {
    expected_score(win_draw_loss(value))
}

/// The chance to win plus half of that to draw, from 0 to 1.
pub(super) fn expected_score([win, draw, _]: [u32; 3]) -> f64 {
    (f64::from(win) + f64::from(draw) / 2.0) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_and_is_symmetric() {
        for value in -32_000..=32_000 {
            let [win, draw, loss] = win_draw_loss(value);
            assert_eq!(win + draw + loss, 1000);
            let [w, d, l] = win_draw_loss(-value);
            assert_eq!([win, draw, loss], [l, d, w]);
        }
    }
}
