//! The values of solved classes, in memory or in files.

use super::solved::Solved;
use agoge_core::tables::codec::BLOCK;
use agoge_core::tables::{Table, Value};
use agoge_core::types::{Colour, Square};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub enum Known {
    Memory(Arc<Solved>),
    /// In a compressed file: slower, but it takes no memory.
    File(CachedTable),
}

impl Known {
    /// The value of a legal position.
    #[inline]
    pub fn value(&self, squares: &[Square], side: Colour) -> Option<Value> {
        match self {
            Self::Memory(solved) => solved.value(squares, side),
            Self::File(table) => table.value(squares, side),
        }
    }
}

/// A table file of which each thread keeps the blocks that it has read last, because neighbouring positions lead to
/// neighbouring indices.
pub struct CachedTable {
    table: Arc<Table>,
    /// The number of this object, since another table may later have the same address.
    id: u64,
}

struct Block {
    table: u64,
    number: usize,
    values: Vec<Value>,
}

/// The number of blocks that each thread keeps: about a megabyte.
const SLOTS: usize = 128;

thread_local! {
    static BLOCKS: RefCell<[Option<Block>; SLOTS]> = const { RefCell::new([const { None }; SLOTS]) };
}

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

impl CachedTable {
    /// A table without kept blocks.
    pub fn new(table: Arc<Table>) -> Self {
        Self { table, id: NEXT_ID.fetch_add(1, Ordering::Relaxed) }
    }

    fn value(&self, squares: &[Square], side: Colour) -> Option<Value> {
        let index = self.table.numbering().index(squares, side);
        let number = index / BLOCK;
        BLOCKS.with_borrow_mut(|blocks| {
            // Tables of one run start at different slots.
            let slot = &mut blocks[(number + 37 * self.id as usize) % SLOTS];
            if slot.as_ref().is_none_or(|block| (block.table, block.number) != (self.id, number)) {
                let values = self.table.block(number)?;
                *slot = Some(Block { table: self.id, number, values });
            }
            slot.as_ref()?.values.get(index % BLOCK).copied()
        })
    }
}
