//! Plain data: squares, bitboards, pieces, moves, castling rights.
//!
//! This module does not depend on the rules of the game; every other module may use it.

mod bitboard;
mod castling;
mod colour;
mod moves;
mod piece;
pub mod score;
mod square;

pub use bitboard::Bitboard;
pub use castling::{CastlingRights, CastlingSide, CastlingSquares};
pub use colour::Colour;
pub use moves::{MAX_MOVES, Move, MoveKind, MoveList};
pub use piece::{Piece, PieceType, Role, Worth};
pub use square::{File, Rank, Square};
