//! Decompression of a sequence of numbers with random access.
//!
//! The sequence is cut into blocks of equal length. Frequent pairs of neighbours were replaced by symbols of their own,
//! again and again ("Re-Pair", Larsson and Moffat 1999), and the symbols were coded by a canonical Huffman code. To
//! read an element, the symbols of its block are decoded up to the one that contains it.
//!
//! A compressed sequence in a file, all integers little-endian:
//!
//! | Bytes | Content |
//! | --- | --- |
//! | 4 | number of values |
//! | 4 | number of symbols: first one for each value, then one for each pair |
//! | 8 | length of the data in bytes |
//! | 2 each | the values |
//! | 2 + 2 each | the pairs: two symbols that come before |
//! | 1 each | the lengths of the codes of all symbols in bits, 0 for none, at most 24 |
//! | 4 each | for each block its offset in the data |
//! | | the data: the codes of the symbols of each block, the first bit highest; each block ends with a whole byte |
//!
//! A sequence of a single value has one symbol, without code, and no data. In the canonical code, shorter codes come
//! before longer ones, and codes of equal length are in the order of the symbols.

use super::contents::Contents;
use std::ops::Range;

/// The values of a block, which is decoded from its beginning.
pub const BLOCK: usize = 1024;

/// The most symbols of a sequence.
pub const MAX_SYMBOLS: usize = 4096;

/// The longest code of a symbol, in bits.
pub const MAX_CODE_BITS: usize = 24;

/// The length of the data of a block is at most this.
const MAX_BLOCK_BYTES: usize = (BLOCK * MAX_CODE_BITS).div_ceil(8);

/// Codes of at most this length are decoded by one lookup.
const LOOKUP_BITS: usize = 10;

/// A compressed sequence; its bytes are in a file.
#[derive(Debug)]
pub struct Sequence {
    values: Vec<u16>,
    pairs: Vec<[u16; 2]>,
    /// For each symbol the number of elements.
    spans: Vec<u32>,
    /// The symbol and the code length of each prefix; length 0 for longer codes.
    lookup: Vec<(u16, u8)>,
    /// The symbols in the order of their codes.
    by_code: Vec<u16>,
    /// For each code length the first code that is greater, as the upper bits of 32.
    limits: [u64; MAX_CODE_BITS + 1],
    /// For each code length what to subtract from a code to get its place in `by_code`.
    bases: [i64; MAX_CODE_BITS + 1],
    min_bits: usize,
    /// Where each block begins in the data.
    offsets: Vec<u32>,
    /// Where the data are in the file.
    data: Range<u64>,
}

/// Reads a file from a place on.
pub(super) struct Cursor<'a> {
    contents: &'a Contents,
    at: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(contents: &'a Contents, at: u64) -> Self {
        Self { contents, at }
    }

    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The range of the next bytes; `None` if there are fewer.
    fn skip(&mut self, count: u64) -> Option<Range<u64>> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.contents.len())?;
        let range = self.at..end;
        self.at = end;
        Some(range)
    }

    fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        let range = self.skip(count as u64)?;
        self.contents.get(range)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn u16s(&mut self, count: usize) -> Option<Vec<u16>> {
        let bytes = self.take(count.checked_mul(2)?)?;
        Some(bytes.as_chunks().0.iter().copied().map(u16::from_le_bytes).collect())
    }

    fn u32s(&mut self, count: usize) -> Option<Vec<u32>> {
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect())
    }
}

impl Sequence {
    /// The shortest and the longest that a compressed sequence of a known length can be, in bytes.
    pub(super) fn lengths(len: usize) -> (u64, u64) {
        let blocks = len.div_ceil(BLOCK) as u64;
        // A value takes two bytes, a pair four, the length of a code one.
        let (shortest, longest) = (2 + 1, (4 + 1) * MAX_SYMBOLS as u64 + blocks * (4 + MAX_BLOCK_BYTES as u64));
        (16 + shortest, 16 + longest)
    }

    /// Reads the tables of a sequence of a known length and leaves the cursor behind its data. The error names what is
    /// wrong.
    pub(super) fn read(cursor: &mut Cursor, len: usize) -> Result<Self, &'static str> {
        const SHORT: &str = "a section is longer than the file";
        let values = cursor.u32().ok_or(SHORT)? as usize;
        let symbols = cursor.u32().ok_or(SHORT)? as usize;
        let data = cursor.u64().ok_or(SHORT)?;
        if values == 0 || values > symbols || symbols > MAX_SYMBOLS {
            return Err("a section has a wrong number of symbols");
        }
        let blocks = if symbols == 1 { 0 } else { len.div_ceil(BLOCK) };
        let value_table = cursor.u16s(values).ok_or(SHORT)?;
        let pairs = cursor.u16s(2 * (symbols - values)).ok_or(SHORT)?.as_chunks::<2>().0.to_vec();
        let lengths = cursor.take(symbols).ok_or(SHORT)?;
        let offsets = cursor.u32s(blocks).ok_or(SHORT)?;
        let data = cursor.skip(data).ok_or(SHORT)?;

        let mut spans = vec![1u32; values];
        for &[left, right] in &pairs {
            let span = |symbol: u16| spans.get(usize::from(symbol)).copied();
            let sum = span(left).zip(span(right)).map(|(left, right)| left + right);
            // A longer symbol could not be part of a block. This also keeps the sums small.
            spans.push(sum.filter(|&sum| sum as usize <= BLOCK).ok_or("a pair is invalid")?);
        }
        let mut sequence = Self {
            values: value_table,
            pairs,
            spans,
            lookup: Vec::new(),
            by_code: Vec::new(),
            limits: [0; MAX_CODE_BITS + 1],
            bases: [0; MAX_CODE_BITS + 1],
            min_bits: 0,
            offsets,
            data,
        };
        if symbols > 1 {
            sequence.set_codes(&lengths)?;
        }
        Ok(sequence)
    }

    fn set_codes(&mut self, lengths: &[u8]) -> Result<(), &'static str> {
        let mut by_code: Vec<u16> = (0..lengths.len() as u16).filter(|&s| lengths[usize::from(s)] > 0).collect();
        by_code.sort_by_key(|&symbol| lengths[usize::from(symbol)]);
        self.lookup = vec![(0, 0); 1 << LOOKUP_BITS];
        let mut code = 0u64;
        let mut place = 0;
        for bits in 1..=MAX_CODE_BITS {
            self.bases[bits] = (code >> (32 - bits)) as i64 - place as i64;
            while let Some(&symbol) = by_code.get(place).filter(|&&s| usize::from(lengths[usize::from(s)]) == bits) {
                if self.min_bits == 0 {
                    self.min_bits = bits;
                }
                if bits <= LOOKUP_BITS {
                    let first = (code >> (32 - LOOKUP_BITS)) as usize;
                    let range = first..first + (1 << (LOOKUP_BITS - bits));
                    self.lookup.get_mut(range).ok_or("the codes are invalid")?.fill((symbol, bits as u8));
                }
                code += 1 << (32 - bits);
                place += 1;
            }
            self.limits[bits] = code;
        }
        // A complete code uses up all prefixes, so that every sequence of bits can be decoded.
        if place < by_code.len() || code != 1 << 32 {
            return Err("the codes are invalid");
        }
        self.by_code = by_code;
        Ok(())
    }

    /// The element at an index; `None` if the data are invalid. `contents` is the file.
    pub(super) fn get(&self, contents: &Contents, index: usize) -> Option<u16> {
        if self.values.len() == 1 && self.pairs.is_empty() {
            return self.values.first().copied();
        }
        self.read_block(contents, index / BLOCK, |bits| self.find(bits, (index % BLOCK) as u32))
    }

    /// The element of a block at an index.
    // Called from several places, which would otherwise share one `symbol` that is not inlined.
    #[inline(never)]
    fn find(&self, mut bits: Bits, index: u32) -> Option<u16> {
        let mut rest = index;
        let symbol = loop {
            let symbol = self.symbol(&mut bits)?;
            let span = self.spans[usize::from(symbol)];
            if span > rest {
                break symbol;
            }
            rest -= span;
        };
        Some(self.element(symbol, rest))
    }

    /// The elements of a block in order, if the sequence has this length; stops at invalid data.
    pub(super) fn decode_block(
        &self,
        contents: &Contents,
        block: usize,
        len: usize,
        f: &mut impl FnMut(u16),
    ) -> Option<()> {
        let rest = BLOCK.min(len.checked_sub(block * BLOCK)?) as u32;
        if self.values.len() == 1 && self.pairs.is_empty() {
            (0..rest).for_each(|_| f(self.values[0]));
            return Some(());
        }
        self.read_block(contents, block, |bits| self.decode(bits, rest, f))
    }

    /// Decodes the first elements of a block.
    #[inline(never)]
    fn decode(&self, mut bits: Bits, mut rest: u32, f: &mut impl FnMut(u16)) -> Option<()> {
        while rest > 0 {
            let symbol = self.symbol(&mut bits)?;
            rest = rest.checked_sub(self.spans[usize::from(symbol)])?;
            self.expand(symbol, f);
        }
        Some(())
    }

    fn expand(&self, symbol: u16, f: &mut impl FnMut(u16)) {
        match usize::from(symbol).checked_sub(self.values.len()) {
            None => f(self.values[usize::from(symbol)]),
            Some(pair) => {
                let [left, right] = self.pairs[pair];
                self.expand(left, f);
                self.expand(right, f);
            }
        }
    }

    /// Calls `f` with the data of a block.
    #[inline]
    fn read_block<R>(&self, contents: &Contents, block: usize, f: impl FnOnce(Bits) -> Option<R>) -> Option<R> {
        let begin = |block| self.offsets.get(block).map(|&offset| self.data.start + u64::from(offset));
        let end = begin(block + 1).unwrap_or(self.data.end).min(self.data.end);
        contents.read::<MAX_BLOCK_BYTES, _>(begin(block)?..end, |bytes| f(Bits { bytes, held: 0, count: 0 }))?
    }

    #[inline]
    fn symbol(&self, bits: &mut Bits) -> Option<u16> {
        bits.refill();
        let next = bits.held >> 32;
        let (symbol, length) = self.lookup[next as usize >> (32 - LOOKUP_BITS)];
        if length > 0 {
            return bits.consume(usize::from(length)).then_some(symbol);
        }
        let length = (self.min_bits.max(LOOKUP_BITS)..=MAX_CODE_BITS).find(|&bits| next < self.limits[bits])?;
        let place = (next >> (32 - length)) as i64 - self.bases[length];
        let symbol = *self.by_code.get(usize::try_from(place).ok()?)?;
        bits.consume(length).then_some(symbol)
    }

    fn element(&self, mut symbol: u16, mut index: u32) -> u16 {
        while let Some(pair) = usize::from(symbol).checked_sub(self.values.len()) {
            let [left, right] = self.pairs[pair];
            let span = self.spans[usize::from(left)];
            if index < span {
                symbol = left;
            } else {
                index -= span;
                symbol = right;
            }
        }
        self.values[usize::from(symbol)]
    }

    pub(super) fn values(&self) -> &[u16] {
        &self.values
    }
}

struct Bits<'a> {
    bytes: &'a [u8],
    /// The next bits, the first one highest.
    held: u64,
    /// How many of them are from `bytes`.
    count: usize,
}

impl Bits<'_> {
    #[inline]
    fn refill(&mut self) {
        if self.count >= 32 {
            return;
        }
        if let Some((word, rest)) = self.bytes.split_first_chunk::<4>() {
            self.held |= u64::from(u32::from_be_bytes(*word)) << (32 - self.count);
            self.count += 32;
            self.bytes = rest;
        } else {
            while let Some((&byte, rest)) = self.bytes.split_first() {
                self.held |= u64::from(byte) << (56 - self.count);
                self.count += 8;
                self.bytes = rest;
            }
        }
    }

    /// Removes bits; `false` if there are not as many.
    #[inline]
    fn consume(&mut self, count: usize) -> bool {
        self.held <<= count;
        match self.count.checked_sub(count) {
            Some(rest) => self.count = rest,
            None => return false,
        }
        true
    }
}
