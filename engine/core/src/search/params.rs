//! The parameters of the search.
//!
//! Margins are in centipawns, depths in plies, reductions in 1/1024 of a ply, histories in their own units (at most
//! 16,384).
//!
//! In a normal build each is a constant. A build with the feature `tune` makes each a UCI option `Tune_<name>`, for
//! matches between two values and for SPSA.

use std::fmt::Write;

/// The prefix of the UCI options. OpenBench splits options at blanks, so there is none in it.
pub const OPTION_PREFIX: &str = "Tune_";

/// How far a won pair moves a parameter at the end of a tuning on OpenBench, in steps: its `r_end`.
const OPENBENCH_RATE: f64 = 0.002;

/// A parameter of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The name, without the prefix of the option.
    pub name: &'static str,
    /// The value in a normal build.
    pub default: i32,
    /// The least value that the option takes.
    pub min: i32,
    /// The greatest value that the option takes.
    pub max: i32,
}

impl Param {
    /// The size of the perturbation at the end of a tuning: large enough to affect games.
    pub fn step(&self) -> f64 {
        (f64::from(self.max - self.min) / 20.0).max(0.5)
    }
}

/// The parameters with these names, or all if there are none, in the format of OpenBench's form for SPSA: lines of
/// `name, int, value, min, max, c_end, r_end`.
///
/// # Errors
/// If there is no parameter of a name: returns the name.
pub fn openbench_inputs<'a>(names: &[&'a str]) -> Result<String, &'a str> {
    let find = |name: &&'a str| {
        let bare = name.strip_prefix(OPTION_PREFIX).unwrap_or(name);
        TABLE.iter().find(|param| param.name == bare).ok_or(*name)
    };
    let params: Vec<&Param> =
        if names.is_empty() { TABLE.iter().collect() } else { names.iter().map(find).collect::<Result<_, _>>()? };
    let mut text = String::new();
    for param in params {
        let Param { name, default, min, max } = param;
        let step = param.step();
        let _ = writeln!(text, "{OPTION_PREFIX}{name}, int, {default}, {min}, {max}, {step}, {OPENBENCH_RATE}");
    }
    Ok(text)
}

#[cfg(feature = "tune")]
mod store {
    use super::{COUNT, TABLE};
    use once_cell::sync::Lazy;
    use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

    static VALUES: Lazy<[AtomicI32; COUNT]> = Lazy::new(|| std::array::from_fn(|i| AtomicI32::new(TABLE[i].default)));

    #[inline]
    pub(super) fn get(index: usize) -> i32 {
        VALUES[index].load(Relaxed)
    }

    /// Sets a parameter for all future searches. Returns false if there is no parameter of that name or the value is
    /// out of range.
    pub fn set(name: &str, value: i32) -> bool {
        let Some(index) = TABLE.iter().position(|param| param.name == name) else { return false };
        let fits = (TABLE[index].min..=TABLE[index].max).contains(&value);
        if fits {
            VALUES[index].store(value, Relaxed);
        }
        fits
    }
}

#[cfg(feature = "tune")]
pub use store::set;

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $min:literal..=$max:literal;)*) => {
        #[allow(non_camel_case_types)]
        enum Index { $($name,)* }

        /// The number of parameters.
        pub const COUNT: usize = [$(Index::$name as usize),*].len();

        /// All parameters, in the order of the source.
        pub const TABLE: [Param; COUNT] =
            [$(Param { name: stringify!($name), default: $value, min: $min, max: $max }),*];

        $(
            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline]
            pub const fn $name() -> i32 {
                TABLE[Index::$name as usize].default
            }

            $(#[$doc])*
            #[cfg(feature = "tune")]
            #[inline]
            pub fn $name() -> i32 {
                store::get(Index::$name as usize)
            }
        )*
    };
}

params! {
    /// Half-width of the first aspiration window, less a quarter while the value is stable.
    aspiration_window = 18, 0..=32;
    /// Aspiration windows: the value is stable if it differs by less from the average of the last values.
    aspiration_stable = 8, 0..=64;
    /// Reverse futility pruning: maximum depth.
    rfp_depth = 9, 0..=20;
    /// Reverse futility pruning: margin per ply.
    rfp_margin = 53, 18..=225;
    /// Razoring: maximum depth.
    razor_depth = 4, 0..=12;
    /// Razoring: constant part of the margin.
    razor_base = 190, 45..=540;
    /// Razoring: margin per ply.
    razor_margin = 300, 55..=660;
    /// Null move: minimum depth.
    null_depth = 3, 0..=10;
    /// Null move: constant part of the reduction, in plies.
    null_base = 5, 0..=12;
    /// Null move: the reduction grows by one ply per this many plies of depth.
    null_divisor = 4, 1..=12;
    /// Null move: minimum depth for verification of a fail high by a search without null moves.
    null_verify_depth = 14, 0..=32;
    /// Internal iterative reduction: minimum depth.
    iir_depth = 4, 0..=12;
    /// Futility pruning: maximum depth after reduction.
    futility_depth = 8, 0..=20;
    /// Futility pruning: constant part of the margin.
    futility_base = 70, 22..=270;
    /// Futility pruning: margin per ply.
    futility_margin = 69, 21..=255;
    /// SEE pruning of quiet moves: margin times the square of the depth.
    see_quiet = 11, 0..=40;
    /// SEE pruning of captures: margin per ply.
    see_noisy = 75, 22..=270;
    /// History pruning: maximum depth.
    history_depth = 4, 0..=12;
    /// History pruning: negative history per ply.
    history_margin = 5300, 950..=11400;
    /// Late move reductions: constant part for quiet moves.
    lmr_base = 190, 75..=900;
    /// Late move reductions: factor of ln(depth) ln(move count) for quiet moves.
    lmr_factor = 425, 105..=1260;
    /// Late move reductions: history for one ply.
    lmr_history = 10000, 2200..=26400;
    /// Singular extensions: minimum depth.
    singular_depth = 5, 0..=18;
    /// Singular extensions: how far below the singular beta all other moves must be for a double extension.
    double_margin = 6, 5..=60;
    /// History bonus per ply.
    bonus_factor = 380, 40..=480;
    /// History bonus: constant part.
    bonus_offset = 80, 20..=240;
    /// History bonus: maximum, before it is scaled by the number of moves.
    bonus_max = 1500, 400..=4800;
    /// History bonus of the best move: its share in 1/16 if no quiet move was searched before it; each of up to twelve
    /// adds 1/16.
    bonus_count_base = 14, 0..=48;
    /// Quiescence: delta pruning margin, added to the static evaluation and the captured piece.
    qs_futility = 124, 35..=420;
    /// Reverse futility pruning: margin per correction (the difference of raw and corrected evaluation, by correction
    /// histories and fifty-move rule), in 1/64.
    rfp_correction = 15, 0..=512;
    /// Late move pruning: constant part of the move count.
    lmp_base = 11, 2..=30;
    /// Late move pruning: move count times the square of the depth, in 1/16.
    lmp_factor = 26, 8..=80;
    /// Futility pruning of captures: maximum depth after reduction.
    capture_futility_depth = 5, 0..=12;
    /// Futility pruning of captures: constant part of the margin.
    capture_futility_base = 150, 40..=450;
    /// Futility pruning of captures: margin per ply.
    capture_futility_margin = 134, 30..=360;
    /// Futility pruning of captures: history worth one centipawn.
    capture_futility_history = 39, 8..=256;
    /// Futility pruning: history worth one centipawn.
    futility_history = 90, 32..=512;
    /// SEE pruning of captures: history worth one centipawn.
    see_history = 39, 8..=512;
    /// Late move reductions: factor for captures and promotions, in 1/1024.
    lmr_noisy = 220, 0..=1200;
    /// Late move reductions: increase at expected cut nodes.
    lmr_cut_node = 1400, 0..=3000;
    /// Late move reductions: increase if not improving.
    lmr_not_improving = 971, 0..=2000;
    /// Late move reductions: increase if the hash move is a capture or promotion.
    lmr_noisy_hash_move = 660, 0..=2000;
    /// Late move reductions: decrease at nodes that are or once were PV nodes.
    lmr_hash_pv = 1100, 0..=3000;
    /// Late move reductions: further decrease at PV nodes.
    lmr_pv = 260, 0..=2000;
    /// Late move reductions: decrease for a move that gives check.
    lmr_gives_check = 1070, 0..=2500;
    /// Late move reductions: decrease for evasions.
    lmr_in_check = 300, 0..=2000;
    /// Late move reductions: decrease for good captures and killers.
    lmr_refutation = 480, 0..=3000;
    /// Late move reductions: decrease per correction (see `rfp_correction`), in 1/16.
    lmr_correction = 38, 0..=512;
    /// Late move reductions: decrease per centipawn that the evaluation rises by a quiet move, in 1/16.
    lmr_rise = 80, 0..=256;
    /// Late move reductions: a fall of the evaluation by this changes nothing.
    lmr_rise_offset = 50, -100..=100;
    /// Late move reductions: the largest rise or fall that counts.
    lmr_rise_max = 160, 0..=600;
    /// Late move reductions: increase for each move that has raised alpha, at most four times; only at PV nodes.
    lmr_alpha_raise = 400, 0..=1500;
    /// Late move reductions: increase if more than `lmr_cutoff_count` children have failed high.
    lmr_cutoffs = 930, 0..=3000;
    /// Late move reductions: how many children may fail high without an increase.
    lmr_cutoff_count = 2, 0..=8;
    /// Late move reductions: bonus or malus in the continuation histories after the re-search, as a share of the
    /// history bonus in 1/1024.
    lmr_history_bonus = 770, 0..=2048;
    /// Late move reductions: how far a reduced move must beat the best value for one more ply in the re-search.
    deeper_margin = 51, 10..=150;
    /// Null move: decrease of the margin above beta per ply.
    null_slope = 30, 0..=80;
    /// Null move: margin of the evaluation above beta at depth 0.
    null_margin = 138, 0..=400;
    /// Null move: evaluation above beta for one more ply of reduction.
    null_eval = 158, 60..=600;
    /// Singular extensions: how far below the hash value all other moves must be, per ply, in 1/16.
    singular_margin = 23, 4..=80;
    /// Singular extensions: how far below the singular beta all other moves must be for a triple extension.
    triple_margin = 100, 20..=300;
    /// Quiescence: after this number of captures, only those on the square of the last move are searched.
    qs_captures = 3, 1..=20;
    /// Quiescence: maximum number of quiet evasions after the first move that avoids mate.
    qs_evasions = 1, 0..=8;
    /// Quiescence: minimum SEE of a capture where the delta pruning margin alone does not reach alpha.
    qs_see = -55, -100..=100;
    /// Aspiration windows: centipawns of the last value that widen the window by one.
    aspiration_eval = 120, 16..=1000;
    /// ProbCut: margin above beta.
    probcut_margin = 100, 60..=500;
    /// ProbCut: decrease of the margin if improving.
    probcut_improving = 68, 0..=150;
    /// ProbCut: minimum depth.
    probcut_depth = 4, 3..=10;
    /// Share of the history bonus for the opponent's move when all replies fail low, in 1/1024, scaled by its number.
    prior_factor = 740, 0..=2048;
    /// The same: the scale of move n is this number plus n, at most ten, in 1/8.
    prior_count_base = 3, 0..=16;
    /// History update by evaluation difference: constant part.
    evaldiff_base = -18, -500..=1000;
    /// History update by evaluation difference: per centipawn in favour of the mover, in 1/16.
    evaldiff_factor = 140, 0..=500;
    /// History update by evaluation difference: maximum.
    evaldiff_max = 1047, 0..=3000;
    /// History update by evaluation difference: share for the continuation history, in 1/64.
    evaldiff_continuation = 64, 0..=256;
    /// Order of quiet moves: weight of the history by origin and destination, in 1/64.
    order_quiet = 24, 0..=256;
    /// Order of quiet moves: weight of the continuation history of the opponent's last move, in 1/64.
    order_cont1 = 68, 0..=256;
    /// Order of quiet moves: weight of the continuation history two plies back, in 1/64.
    order_cont2 = 68, 0..=256;
    /// Order of quiet moves: weight of the continuation history four plies back, in 1/64.
    order_cont4 = 20, 0..=256;
    /// Order of quiet moves: weight of the continuation history six plies back, in 1/64.
    order_cont6 = 30, 0..=256;
    /// Order of quiet moves: weight of the pawn history, in 1/64.
    order_pawns = 58, 0..=256;
    /// Order of quiet moves: bonus for a piece that leaves the attack of a lesser piece, times its value, in 1/16.
    order_escape = 116, 0..=1000;
    /// Order of quiet moves: malus for a piece that moves into the attack of a lesser piece, times its value, in 1/16.
    order_blunder = 14, 0..=200;
    /// Order of captures: weight of the capture history, in 1/64.
    order_noisy = 54, 0..=256;
    /// Order of captures: divisor of the score that gives the SEE a good capture may lose.
    good_noisy_divisor = 440, 32..=2000;
    /// History malus per ply.
    malus_factor = 314, 40..=480;
    /// History malus: constant part.
    malus_offset = 80, 0..=240;
    /// History malus: maximum.
    malus_max = 1500, 400..=4800;
    /// Malus of captures: share of the history bonus of the best move, in 1/1024.
    capture_malus = 1250, 0..=2048;
    /// Correction history: weight of the pawn structure.
    corr_pawn = 120, 0..=512;
    /// Correction history: weight of the pieces of each side.
    corr_non_pawn = 92, 0..=512;
    /// Correction history: weight of the last two moves.
    corr_move = 84, 0..=512;
    /// Time: share of the clock for a move, in 1/1000.
    time_share = 32, 10..=100;
    /// Time: share of the increment for a move, in 1/100.
    time_increment = 75, 0..=100;
    /// Time: maximum share of the clock for a move, in 1/100.
    time_most = 35, 10..=80;
    /// Time: hard limit as a multiple of the soft limit, in tenths.
    time_hard = 50, 15..=100;
    /// Time: factor after a change of the best move, in 1/100.
    time_unstable = 125, 80..=250;
    /// Time: decrease of that factor by each iteration with the same best move, in 1/100.
    time_stability = 6, 0..=12;
    /// Time: factor if the best move took no nodes, in 1/100.
    time_effort = 210, 100..=300;
    /// Time: decrease of that factor if the best move took all nodes, in 1/100.
    time_effort_share = 150, 0..=200;
    /// Time: drop of the value that doubles the time, in centipawns.
    time_falling = 100, 30..=1000;
}
