//! The values of positions.

use crate::board::FIFTY_MOVES;
use std::fmt::Write;

/// Win, draw or loss (WDL) for the side to move with best play, starting with a halfmove clock of 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Lost, but drawn by the fifty-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but drawn by the fifty-move rule.
    CursedWin,
    /// Won.
    Win,
}

impl Wdl {
    /// All results, from the worst to the best.
    pub const ALL: [Self; 5] = [Self::Loss, Self::BlessedLoss, Self::Draw, Self::CursedWin, Self::Win];

    /// The result for the other side.
    pub const fn negated(self) -> Self {
        Self::ALL[4 - self as usize]
    }

    /// Whether the side to move wins without the fifty-move rule.
    pub const fn is_win(self) -> bool {
        self as u8 > Self::Draw as u8
    }

    /// Whether the side to move loses without the fifty-move rule.
    pub const fn is_loss(self) -> bool {
        (self as u8) < Self::Draw as u8
    }

    /// The result in words, such as `cursed win`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::BlessedLoss => "blessed loss",
            Self::Draw => "draw",
            Self::CursedWin => "cursed win",
            Self::Win => "win",
        }
    }
}

/// The value of a position for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// The result.
    pub wdl: Wdl,
    /// The distance to zeroing (DTZ): the plies to the next capture, pawn move or hoplite move that keeps the value, or
    /// to mate, if the winner hurries and the loser delays; 0 in draws. It is at most [`FIFTY_MOVES`] in wins and
    /// losses; in cursed wins and blessed losses it ignores the fifty-move rule. The embedded tables do not have it.
    pub dtz: Option<u16>,
    /// The distance to mate (DTM) in plies without the fifty-move rule, if it is known; 0 in draws.
    pub dtm: Option<u16>,
}

impl Value {
    /// A draw with best play.
    pub const DRAW: Self = Self { wdl: Wdl::Draw, dtz: Some(0), dtm: Some(0) };

    /// The value in words, such as "win, mate in 12, 7 plies to zeroing", with a halfmove clock.
    pub fn describe(self, halfmove_clock: u16) -> String {
        let result = self.result_at(halfmove_clock).unwrap_or(self.wdl);
        let mut text = result.name().to_owned();
        if result == Wdl::Draw {
            return text;
        }
        if let Some(plies) = self.dtm {
            let _ = write!(text, ", mate in {}", plies.div_ceil(2));
        }
        if let Some(dtz) = self.dtz {
            let _ = write!(text, ", {dtz} {} to zeroing", if dtz == 1 { "ply" } else { "plies" });
        } else if self.result_at(halfmove_clock).is_none() {
            text.push_str(", unless the fifty-move rule comes first");
        }
        text
    }

    /// The result with best play from a halfmove clock on; `None` if it depends on an unknown distance to zeroing. Mate
    /// on the last possible move counts.
    pub fn result_at(self, halfmove_clock: u16) -> Option<Wdl> {
        // Zeroing takes no longer than mate.
        let is_late = halfmove_clock.saturating_add(self.dtz.or(self.dtm)?) > FIFTY_MOVES;
        match self.wdl {
            Wdl::Win if is_late => self.dtz.map(|_| Wdl::CursedWin),
            Wdl::Loss if is_late => self.dtz.map(|_| Wdl::BlessedLoss),
            wdl => Some(wdl),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_can_turn_a_win_into_a_draw() {
        let win = Value { wdl: Wdl::Win, dtz: Some(1), dtm: Some(1) };
        assert_eq!([99, 100].map(|clock| win.result_at(clock)), [Some(Wdl::Win), Some(Wdl::CursedWin)]);
        let loss = Value { wdl: Wdl::Loss, dtz: Some(20), dtm: Some(30) };
        assert_eq!([80, 81].map(|clock| loss.result_at(clock)), [Some(Wdl::Loss), Some(Wdl::BlessedLoss)]);
        let embedded = Value { dtz: None, ..loss };
        assert_eq!([70, 71].map(|clock| embedded.result_at(clock)), [Some(Wdl::Loss), None]);
        assert_eq!(embedded.describe(70), "loss, mate in 15");
        assert_eq!(embedded.describe(71), "loss, mate in 15, unless the fifty-move rule comes first");
        assert_eq!(Value::DRAW.result_at(u16::MAX), Some(Wdl::Draw));
    }

    #[test]
    fn values_are_symmetric() {
        for wdl in Wdl::ALL {
            assert_eq!(wdl.negated().negated(), wdl);
            assert_eq!(wdl.is_win(), wdl.negated().is_loss());
        }
    }
}
