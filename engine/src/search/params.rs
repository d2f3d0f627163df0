//! The numbers of the search, in one place.
//!
//! Margins are in centipawns, depths in plies, reductions in 1/1024 of a ply, histories in their own
//! units (at most [`super::history::MAX_HISTORY`]).

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: i32 = $value;)*
    };
}

params! {
    /// Half-width of the first aspiration window.
    ASPIRATION_WINDOW = 14;
    /// Reverse futility: depth up to which a node far above beta is cut off.
    RFP_DEPTH = 8;
    /// Reverse futility: margin per ply.
    RFP_MARGIN = 75;
    /// Razoring: depth up to which a node far below alpha goes to quiescence.
    RAZOR_DEPTH = 4;
    /// Razoring: constant part of the margin.
    RAZOR_BASE = 180;
    /// Razoring: margin per ply.
    RAZOR_MARGIN = 220;
    /// Null move: least depth.
    NULL_DEPTH = 3;
    /// Null move: constant part of the reduction, in plies.
    NULL_BASE = 4;
    /// Null move: plies of depth for one more ply of reduction.
    NULL_DIVISOR = 4;
    /// Null move: depth from which a fail high is verified by a search without null moves.
    NULL_VERIFY_DEPTH = 14;
    /// Internal iterative reduction: least depth.
    IIR_DEPTH = 4;
    /// Futility: depth (after reduction) up to which quiet moves are skipped.
    FUTILITY_DEPTH = 8;
    /// Futility: constant part of the margin.
    FUTILITY_BASE = 90;
    /// Futility: margin per ply.
    FUTILITY_MARGIN = 85;
    /// SEE pruning of quiet moves: margin per ply squared.
    SEE_QUIET = 18;
    /// SEE pruning of captures: margin per ply.
    SEE_NOISY = 90;
    /// History pruning: depth up to which quiet moves with a bad record are skipped.
    HISTORY_DEPTH = 4;
    /// History pruning: bad record per ply.
    HISTORY_MARGIN = 3800;
    /// Late move reductions: constant part for quiet moves.
    LMR_BASE = 300;
    /// Late move reductions: factor of ln(depth) ln(move number) for quiet moves.
    LMR_FACTOR = 420;
    /// Late move reductions: history that makes a ply.
    LMR_HISTORY = 8800;
    /// Singular extensions: least depth.
    SINGULAR_DEPTH = 7;
    /// Singular extensions: how far below alpha a move must be to be extended twice.
    DOUBLE_MARGIN = 20;
    /// History bonus per ply.
    BONUS_FACTOR = 160;
    /// History bonus: constant part.
    BONUS_OFFSET = 80;
    /// History bonus: most.
    BONUS_MAX = 1600;
    /// Quiescence: how far above the static evaluation a capture must be able to come.
    QS_FUTILITY = 140;
}
