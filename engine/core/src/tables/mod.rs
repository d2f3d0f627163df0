//! Endgame tables: exact values of all positions of classes with up to five men.
//!
//! The values of three men that can be won are embedded in the program ([`three_men`]), and those of three classes of
//! four men ([`four_men`]); the others are in files.
//!
//! The commands `agoge tables` and `agoge-bench tables` solve classes by retrograde analysis and write a file for each,
//! such as `KQvkc.agt`. [`Tables`] reads the files of several folders and looks positions up ("probing"). As in the
//! tablebases of Syzygy (de Man 2013), a value has five results, with and without the fifty-move rule, and a distance
//! to zeroing; besides, it has the distance to mate.
//!
//! # File format
//! All integers are little-endian.
//!
//! | Offset | Bytes | Content |
//! | --- | --- | --- |
//! | 0 | 8 | `AGOGETAB` |
//! | 8 | 4 | format version: 1 |
//! | 12 | 4 | CRC-32 of everything after it |
//! | 16 | 8 | length of the file in bytes |
//! | 24 | 16 | name of the class, padded with zero bytes |
//! | 40 | 4 | number of sections, 2 or 3 |
//! | 44 | 4 | zero |
//! | 48 | | the sections |
//!
//! Each section is a compressed sequence (see [`codec`]) with an element for each index of the class (see [`index`]):
//!
//! 1. win, draw or loss: 0 loss, 1 blessed loss, 2 draw, 3 cursed win, 4 win, for the side to move
//! 2. distance to zeroing in plies
//! 3. optional: distance to mate in moves of the winner
//!
//! Elements of illegal positions, and distances of draws, have no meaning: the program that writes the file chooses
//! them so that they compress well.

mod class;
pub mod codec;
mod contents;
mod file;
pub mod four_men;
pub mod index;
mod remote;
mod root;
mod set;
pub mod three_men;
mod value;

pub use class::{Class, MAX_MEN, Squares};
pub use file::{EXTENSION, HEADER_BYTES, MAGIC, MAX_DISTANCE, NAME_BYTES, Table, TableError, VERSION};
pub use index::{Neighbours, Numbering};
pub use remote::Remote;
pub use root::RankedMove;
pub use set::{Problem, Tables};
pub use value::{Value, Wdl};
