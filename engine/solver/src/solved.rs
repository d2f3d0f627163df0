//! Solved classes in memory.

use agoge_core::board::{Board, Setup, Variant};
use agoge_core::tables::codec::BLOCK;
use agoge_core::tables::{Class, Numbering, Squares, Table, TableError, Value, Wdl};
use agoge_core::types::{Colour, Square};
use rayon::prelude::*;
use std::sync::OnceLock;

/// The code of an illegal position, or of an index that another one stands for.
const ILLEGAL: u16 = 7;

/// The distance to zeroing is stored above the code of win, draw or loss.
const WDL_BITS: u32 = 3;

/// The values of a slice: all positions with the same pawns and hoplites.
#[derive(Debug, Default)]
pub struct Slice {
    /// The code of win, draw or loss, and the distance to zeroing.
    codes: Vec<u16>,
    /// Distances to mate in plies.
    dtm: Vec<u16>,
}

impl Slice {
    pub const ILLEGAL: u16 = ILLEGAL;

    /// A slice of codes, which [`Slice::code`] makes, and of distances to mate.
    pub fn new(codes: Vec<u16>, dtm: Vec<u16>) -> Self {
        Self { codes, dtm }
    }

    /// The code of a result and a distance to zeroing.
    pub const fn code(wdl: Wdl, dtz: u16) -> u16 {
        dtz << WDL_BITS | wdl as u16
    }

    fn value(&self, offset: usize) -> Option<Value> {
        let code = self.codes[offset];
        let wdl = *Wdl::ALL.get(usize::from(code & 7))?;
        Some(Value { wdl, dtz: Some(code >> WDL_BITS), dtm: Some(self.dtm[offset]) })
    }
}

/// The values of all positions of a class, or of some of its slices.
#[derive(Debug)]
pub struct Solved {
    class: Class,
    numbering: Numbering,
    slices: Vec<OnceLock<Slice>>,
}

impl Solved {
    /// A class without values.
    pub fn new(class: &Class) -> Self {
        let numbering = Numbering::new(class);
        let slices = (0..numbering.slices()).map(|_| OnceLock::new()).collect();
        Self { class: class.clone(), numbering, slices }
    }

    /// Sets the values of a slice. A slice that has values keeps them.
    pub fn set(&self, slice: usize, values: Slice) {
        let _ = self.slices[slice].set(values);
    }

    /// The values of a table file. Its illegal positions get arbitrary values.
    ///
    /// # Errors
    /// If the file is invalid or has no distances to mate.
    pub fn from_table(table: &Table) -> Result<Self, TableError> {
        let solved = Self::new(table.class());
        let len = solved.numbering.slice_len();
        (0..solved.numbering.slices()).into_par_iter().try_for_each(|slice| {
            // A slice begins with a block: only classes of one slice have less than a multiple of blocks.
            let first = slice * len / BLOCK;
            let (mut codes, mut dtm) = (vec![0; len], vec![0; len]);
            let blocks = codes.par_chunks_mut(BLOCK).zip(dtm.par_chunks_mut(BLOCK)).enumerate();
            blocks.try_for_each(|(block, (codes, dtm))| {
                let values = table.block(first + block).ok_or(TableError::Contents("a block is invalid"))?;
                for ((code, dtm), value) in codes.iter_mut().zip(dtm).zip(values) {
                    *code = Slice::code(value.wdl, value.dtz.unwrap_or(0));
                    *dtm = value.dtm.ok_or(TableError::Contents("there are no distances to mate"))?;
                }
                Ok(())
            })?;
            solved.set(slice, Slice::new(codes, dtm));
            Ok(())
        })?;
        Ok(solved)
    }

    pub fn class(&self) -> &Class {
        &self.class
    }

    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The number of indices, including those without a legal position.
    pub fn indices(&self) -> usize {
        self.numbering.len()
    }

    /// The value at an index; `None` for an index without a legal position of its own.
    #[inline]
    pub fn at(&self, index: usize) -> Option<Value> {
        let len = self.numbering.slice_len();
        self.slices[index / len].get()?.value(index % len)
    }

    /// The value of a legal position.
    #[inline]
    pub fn value(&self, squares: &[Square], side: Colour) -> Option<Value> {
        self.at(self.numbering.index(squares, side))
    }

    /// The values of all indices in order.
    pub fn values(&self) -> impl Iterator<Item = Option<Value>> {
        let slices = self.slices.iter().filter_map(OnceLock::get);
        slices.flat_map(|slice| (0..slice.codes.len()).map(|offset| slice.value(offset)))
    }

    /// The position at an index and its value; `None` for an index without a legal position of its own, also if the
    /// values are from a file.
    pub fn get(&self, index: usize) -> Option<(Board, Value)> {
        let value = self.at(index)?;
        let (squares, side) = self.numbering.position(index);
        let board = board(&self.class, &squares, side)?;
        (self.numbering.index(&squares, side) == index).then_some((board, value))
    }

    pub fn memory(class: &Class) -> usize {
        Numbering::new(class).len() * 2 * size_of::<u16>()
    }
}

/// The position with men on squares; `None` if it is illegal.
pub fn board(class: &Class, squares: &Squares, side: Colour) -> Option<Board> {
    let mut setup = Setup::empty(Variant::Spartan);
    for (man, &square) in class.men().zip(squares) {
        setup.set(square, Some(man));
    }
    setup.side_to_move = side;
    let board = Board::try_from(&setup).ok()?;
    (board.occupied().count() as usize == class.len()).then_some(board)
}
