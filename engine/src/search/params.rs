//! The numbers of the search, in one place.
//!
//! Margins are in centipawns, depths in plies, reductions in 1/1024 of a ply, histories in their own
//! units (at most 16,384).
//!
//! In a usual build each is a constant. A build with the feature `tune` makes each a UCI option
//! `Tune <name>`, so that two settings can play each other, and SPSA can look for the best.

/// A number of the search, as a tuner sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// What it is called.
    pub name: &'static str,
    /// The value of a usual build.
    pub default: i32,
    /// The least value that makes sense.
    pub min: i32,
    /// The greatest value that makes sense.
    pub max: i32,
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

    /// Changes a number for all searches to come. Says whether there is one of that name, and whether
    /// the value lies within its range.
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

        /// How many there are.
        pub const COUNT: usize = [$(Index::$name as usize),*].len();

        /// All of them.
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
    /// Half-width of the first aspiration window.
    aspiration_window = 15, 0..=32;
    /// Reverse futility: depth up to which a node far above beta is cut off.
    rfp_depth = 9, 0..=20;
    /// Reverse futility: margin per ply.
    rfp_margin = 71, 18..=225;
    /// Razoring: depth up to which a node far below alpha goes to quiescence.
    razor_depth = 4, 0..=12;
    /// Razoring: constant part of the margin.
    razor_base = 190, 45..=540;
    /// Razoring: margin per ply.
    razor_margin = 223, 55..=660;
    /// Null move: least depth.
    null_depth = 3, 0..=10;
    /// Null move: constant part of the reduction, in plies.
    null_base = 5, 0..=12;
    /// Null move: plies of depth for one more ply of reduction.
    null_divisor = 4, 0..=12;
    /// Null move: depth from which a fail high is verified by a search without null moves.
    null_verify_depth = 14, 0..=32;
    /// Internal iterative reduction: least depth.
    iir_depth = 4, 0..=12;
    /// Futility: depth (after reduction) up to which quiet moves are skipped.
    futility_depth = 8, 0..=20;
    /// Futility: constant part of the margin.
    futility_base = 91, 22..=270;
    /// Futility: margin per ply.
    futility_margin = 73, 21..=255;
    /// SEE pruning of quiet moves: margin per ply squared.
    see_quiet = 14, 0..=40;
    /// SEE pruning of captures: margin per ply.
    see_noisy = 57, 22..=270;
    /// History pruning: depth up to which quiet moves with a bad record are skipped.
    history_depth = 4, 0..=12;
    /// History pruning: bad record per ply.
    history_margin = 3964, 950..=11400;
    /// Late move reductions: constant part for quiet moves.
    lmr_base = 250, 75..=900;
    /// Late move reductions: factor of ln(depth) ln(move number) for quiet moves.
    lmr_factor = 455, 105..=1260;
    /// Late move reductions: history that makes a ply.
    lmr_history = 8183, 2200..=26400;
    /// Singular extensions: least depth.
    singular_depth = 6, 0..=18;
    /// Singular extensions: how far below alpha a move must be to be extended twice.
    double_margin = 10, 5..=60;
    /// History bonus per ply.
    bonus_factor = 231, 40..=480;
    /// History bonus: constant part.
    bonus_offset = 80, 20..=240;
    /// History bonus: most.
    bonus_max = 1725, 400..=4800;
    /// Quiescence: how far above the static evaluation a capture must be able to come.
    qs_futility = 77, 35..=420;
    /// Reverse futility: share of what correction and the nearing fifty-move rule changed of the evaluation that widens the
    /// margin, in 1/64.
    rfp_complexity = 11, 0..=512;
    /// Late move pruning: moves looked at in any case.
    lmp_base = 12, 2..=30;
    /// Late move pruning: moves more per ply squared, in 1/16.
    lmp_factor = 28, 8..=80;
    /// Futility: history that counts as a centipawn.
    futility_history = 106, 32..=512;
    /// SEE pruning of captures: history that counts as a centipawn.
    see_history = 39, 32..=512;
    /// Late move reductions: share for captures and promotions, in 1/1024.
    lmr_noisy = 399, 200..=1200;
    /// Late move reductions: more at nodes expected to fail high.
    lmr_cut_node = 1332, 0..=3000;
    /// Late move reductions: more while the evaluation does not rise.
    lmr_not_improving = 971, 0..=2000;
    /// Late move reductions: more when the hash move is a capture or promotion.
    lmr_noisy_hash_move = 769, 0..=2000;
    /// Late move reductions: less where there once was an open window.
    lmr_hash_pv = 994, 0..=3000;
    /// Late move reductions: less where the window is open.
    lmr_pv = 556, 0..=2000;
    /// Late move reductions: less for a move that gives check.
    lmr_gives_check = 664, 0..=2500;
    /// Late move reductions: less for a way out of check.
    lmr_in_check = 587, 0..=2000;
    /// Late move reductions: less for killers and counter moves.
    lmr_refutation = 715, 0..=3000;
    /// Late move reductions: less per centipawn that correction and the nearing fifty-move rule changed of the evaluation,
    /// in 1/16.
    lmr_complexity = 38, 0..=512;
    /// Late move reductions: more when the child has often failed high.
    lmr_cutoffs = 1205, 0..=3000;
    /// Late move reductions: how far a reduced move must beat the best for one ply more in its second search.
    deeper_margin = 51, 10..=150;
    /// Null move: how much further below beta the evaluation may be per ply.
    null_slope = 18, 0..=80;
    /// Null move: how far above beta the evaluation must be at depth 0.
    null_margin = 158, 0..=400;
    /// Null move: evaluation above beta for one more ply of reduction.
    null_eval = 147, 60..=600;
    /// Singular extensions: how far below the hash move all others must be per ply, in 1/16.
    singular_margin = 33, 4..=80;
    /// Singular extensions: how far below alpha a move must be to be extended three times.
    triple_margin = 100, 20..=300;
    /// Quiescence: what a capture must win by exchange where material alone does not reach alpha.
    qs_see = -50, -100..=100;
    /// Aspiration: centipawns of the last value that widen the window by one.
    aspiration_eval = 112, 16..=1000;
    /// ProbCut: how far beyond beta a capture must get.
    probcut_margin = 100, 60..=500;
    /// ProbCut: less of it while the evaluation rises.
    probcut_improving = 57, 0..=150;
    /// ProbCut: least depth.
    probcut_depth = 4, 3..=10;
    /// Share of the bonus that the opponent's move gets when all replies fail, in 1/1024.
    prior_factor = 854, 0..=2048;
    /// Bonus of a quiet move by the evaluation after it: constant part.
    evaldiff_base = -18, -500..=1000;
    /// The same: per centipawn that things look better for the mover, in 1/16.
    evaldiff_factor = 156, 0..=500;
    /// The same: most.
    evaldiff_max = 1047, 0..=3000;
    /// Order of quiet moves: weight of the history by origin and destination, in 1/64.
    order_quiet = 21, 0..=256;
    /// Order of quiet moves: weight of the continuation of the opponent's last move, in 1/64.
    order_last = 41, 0..=256;
    /// Order of quiet moves: weight of the continuation two plies back, in 1/64.
    order_own = 68, 0..=256;
    /// Order of quiet moves: weight of the continuation four plies back, in 1/64.
    order_before = 20, 0..=256;
    /// Order of quiet moves: weight of the continuation six plies back, in 1/64.
    order_sixth = 30, 0..=256;
    /// Order of quiet moves: weight of the history by pawn structure, in 1/64.
    order_pawns = 79, 0..=256;
    /// Order of quiet moves: bonus for leaving the attack of a lesser piece, by the value of what leaves, in 16ths.
    order_escape = 116, 0..=1000;
    /// Order of quiet moves: malus for going where a lesser piece attacks, by the value of what goes, in 16ths.
    order_blunder = 5, 0..=1000;
    /// Order of captures: weight of their history, in 1/64.
    order_noisy = 61, 0..=256;
    /// Order of captures: the part of its score that a good capture may lose by exchange.
    good_noisy_divisor = 445, 32..=2000;
    /// History malus per ply.
    malus_factor = 314, 40..=480;
    /// History malus: constant part.
    malus_offset = 80, 0..=240;
    /// History malus: most.
    malus_max = 1625, 400..=4800;
    /// Correction of the evaluation: weight of the pawn structure.
    corr_pawn = 164, 0..=512;
    /// Correction of the evaluation: weight of the pieces of each side.
    corr_non_pawn = 79, 0..=512;
    /// Correction of the evaluation: weight of the last two moves.
    corr_move = 70, 0..=512;
    /// Time: share of the clock that a move takes, in 1/1000.
    time_share = 32, 10..=100;
    /// Time: share of the increment that a move takes, in 1/100.
    time_increment = 75, 0..=100;
    /// Time: share of the clock that a move never exceeds, in 1/100.
    time_most = 35, 10..=80;
    /// Time: how much longer than usual a move may take when the search is in trouble, in tenths.
    time_hard = 50, 15..=100;
    /// Time: factor while the best move has just changed, in 1/100.
    time_unstable = 125, 80..=250;
    /// Time: what each iteration with the same best move takes off that, in 1/100.
    time_stability = 6, 0..=12;
    /// Time: factor when the best move took no nodes, in 1/100.
    time_effort = 210, 100..=300;
    /// Time: what that loses when the best move took all nodes, in 1/100.
    time_effort_share = 150, 0..=200;
    /// Time: centipawns of a falling value that double the time.
    time_falling = 100, 30..=1000;
}
