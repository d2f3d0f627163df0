//! Games and positions as text: PGN, EPD, opening books, and starting positions for self-play.

pub mod book;
pub mod epd;
pub mod pgn;
pub mod starts;
