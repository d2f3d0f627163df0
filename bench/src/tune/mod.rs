//! Tuning: the weights of the hand-made evaluation by regression, the parameters of the search by games.

pub mod spsa;
pub mod texel;
