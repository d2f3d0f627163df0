//! Compression of tables. [`agoge_core::tables::codec`] describes the format.

use agoge_core::tables::codec::{BLOCK, MAX_CODE_BITS, MAX_SYMBOLS};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An element that may have any value.
pub const ANY: u16 = u16::MAX;

/// Frequent pairs are looked for in about as many elements.
const SAMPLE: usize = 1 << 20;

/// The pairs that become symbols in one round.
const PAIRS_PER_ROUND: usize = 96;

/// A pair must be this frequent in the sample to become a symbol.
const MIN_COUNT: u32 = 24;

/// A symbol for each pair, of one round: for each left symbol, the right ones and the symbols of the pairs.
#[derive(Default)]
struct Round {
    pairs: Vec<Vec<(u16, u16)>>,
    len: usize,
}

impl Round {
    fn insert(&mut self, [left, right]: [u16; 2], symbol: u16) {
        let left = usize::from(left);
        if self.pairs.len() <= left {
            self.pairs.resize_with(left + 1, Vec::new);
        }
        self.pairs[left].push((right, symbol));
        self.len += 1;
    }

    fn get(&self, left: u16, right: u16) -> Option<u16> {
        let pairs = self.pairs.get(usize::from(left))?;
        pairs.iter().find(|&&(other, _)| other == right).map(|&(_, symbol)| symbol)
    }
}

/// Compresses a sequence. Elements of [`u16::MAX`] may have any value: it is chosen so that the others take little
/// space.
pub fn encode(elements: &[u16]) -> Vec<u8> {
    let mut values: Vec<u16> = distinct(elements);
    if values.is_empty() {
        values.push(0);
    }
    let mut symbol_of = vec![0u16; usize::from(values[values.len() - 1]) + 1];
    for (symbol, &value) in values.iter().enumerate() {
        symbol_of[usize::from(value)] = symbol as u16;
    }
    let symbols_of = |block: &[u16]| fill(block).into_iter().map(|value| symbol_of[usize::from(value)]).collect();
    let (pairs, rounds) = find_pairs(elements, values.len(), &symbols_of);
    let blocks: Vec<Vec<u16>> = elements
        .par_chunks(BLOCK)
        .map(|block| rounds.iter().fold(symbols_of(block), |symbols, round| replace(&symbols, round)))
        .collect();

    let count = values.len() + pairs.len();
    let mut frequencies = vec![0u64; count];
    for &symbol in blocks.iter().flatten() {
        frequencies[usize::from(symbol)] += 1;
    }
    let lengths = if count == 1 { vec![0] } else { code_lengths(frequencies) };
    let codes = canonical_codes(&lengths);
    let data: Vec<Vec<u8>> = if count == 1 {
        Vec::new()
    } else {
        blocks.par_iter().map(|symbols| write_block(symbols, &codes, &lengths)).collect()
    };

    let mut out = Vec::new();
    out.extend((values.len() as u32).to_le_bytes());
    out.extend((count as u32).to_le_bytes());
    out.extend((data.iter().map(Vec::len).sum::<usize>() as u64).to_le_bytes());
    out.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    out.extend(pairs.iter().flatten().flat_map(|symbol| symbol.to_le_bytes()));
    out.extend(&lengths);
    let mut offset = 0u32;
    for block in &data {
        out.extend(offset.to_le_bytes());
        offset += block.len() as u32;
    }
    out.extend(data.into_iter().flatten());
    out
}

/// The values that occur, in order.
fn distinct(elements: &[u16]) -> Vec<u16> {
    let mut occurs = vec![false; usize::from(ANY) + 1];
    elements.iter().for_each(|&element| occurs[usize::from(element)] = true);
    (0..ANY).filter(|&value| occurs[usize::from(value)]).collect()
}

/// Gives elements that may have any value that of the one before, at the beginning that of the first other one.
fn fill(block: &[u16]) -> Vec<u16> {
    let mut last = block.iter().copied().find(|&element| element != ANY).unwrap_or(ANY);
    let filled = block.iter().map(|&element| {
        if element != ANY {
            last = element;
        }
        last
    });
    // A block without any value.
    filled.map(|element| if element == ANY { 0 } else { element }).collect()
}

/// Finds frequent pairs in a sample, several in each round, and replaces them by symbols.
fn find_pairs(
    elements: &[u16],
    values: usize,
    symbols_of: &impl Fn(&[u16]) -> Vec<u16>,
) -> (Vec<[u16; 2]>, Vec<Round>) {
    let step = elements.len().div_ceil(SAMPLE).max(1);
    let mut sample: Vec<Vec<u16>> = elements.chunks(BLOCK).step_by(step).map(symbols_of).collect();
    let mut pairs = Vec::new();
    let mut spans = vec![1usize; values];
    let mut rounds = Vec::new();
    while spans.len() < MAX_SYMBOLS {
        let size = spans.len();
        let mut counts = vec![0u32; size * size];
        for block in &sample {
            let mut last = None;
            for pair in block.windows(2) {
                // In a run of equal symbols, every second pair counts.
                let key = usize::from(pair[0]) * size + usize::from(pair[1]);
                if last == Some(key) && pair[0] == pair[1] {
                    last = None;
                    continue;
                }
                counts[key] += 1;
                last = Some(key);
            }
        }
        let mut found: Vec<(u32, usize)> = counts
            .iter()
            .zip(0..)
            .filter(|&(&count, _)| count >= MIN_COUNT)
            .map(|(&count, key)| (count, key))
            .collect();
        found.sort_unstable_by_key(|&(count, key)| (Reverse(count), key));
        let best = found.first().map_or(0, |&(count, _)| count);
        let mut round = Round::default();
        let (mut is_left, mut is_right) = (vec![false; size], vec![false; size]);
        for (count, key) in found {
            let (left, right) = (key / size, key % size);
            if round.len == PAIRS_PER_ROUND || spans.len() == MAX_SYMBOLS || count < best / 8 {
                break;
            }
            // Pairs of one round must not overlap each other.
            if spans[left] + spans[right] > BLOCK || is_right[left] || is_left[right] {
                continue;
            }
            (is_left[left], is_right[right]) = (true, true);
            round.insert([left as u16, right as u16], spans.len() as u16);
            pairs.push([left as u16, right as u16]);
            spans.push(spans[left] + spans[right]);
        }
        if round.len == 0 {
            break;
        }
        sample.par_iter_mut().for_each(|block| *block = replace(block, &round));
        rounds.push(round);
    }
    (pairs, rounds)
}

/// Replaces the pairs of a round, from left to right.
fn replace(symbols: &[u16], round: &Round) -> Vec<u16> {
    let mut out = Vec::with_capacity(symbols.len());
    let mut at = 0;
    while at < symbols.len() {
        let pair = symbols.get(at + 1).and_then(|&right| round.get(symbols[at], right));
        out.push(pair.unwrap_or(symbols[at]));
        at += if pair.is_some() { 2 } else { 1 };
    }
    out
}

/// The lengths of the codes of a Huffman code. Symbols that do not occur have no code, unless fewer than two occur.
fn code_lengths(mut frequencies: Vec<u64>) -> Vec<u8> {
    let missing = 2usize.saturating_sub(frequencies.iter().filter(|&&frequency| frequency > 0).count());
    frequencies.iter_mut().filter(|frequency| **frequency == 0).take(missing).for_each(|frequency| *frequency = 1);
    loop {
        let lengths = huffman(&frequencies);
        if lengths.iter().all(|&length| usize::from(length) <= MAX_CODE_BITS) {
            return lengths;
        }
        // Flatten the distribution until the longest code is short enough.
        frequencies
            .iter_mut()
            .filter(|frequency| **frequency > 0)
            .for_each(|frequency| *frequency = *frequency / 2 + 1);
    }
}

fn huffman(frequencies: &[u64]) -> Vec<u8> {
    let mut parents: Vec<usize> = vec![0; frequencies.len()];
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = frequencies
        .iter()
        .zip(0..)
        .filter(|&(&frequency, _)| frequency > 0)
        .map(|(&f, node)| Reverse((f, node)))
        .collect();
    while let (Some(Reverse((first, a))), Some(Reverse((second, b)))) = (heap.pop(), heap.pop()) {
        let parent = parents.len();
        parents.push(0);
        (parents[a], parents[b]) = (parent, parent);
        heap.push(Reverse((first + second, parent)));
        if heap.len() == 1 {
            break;
        }
    }
    // Parents come after their children.
    let mut depths = vec![0u8; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        if parents[node] > 0 {
            depths[node] = depths[parents[node]].saturating_add(1);
        }
    }
    depths.truncate(frequencies.len());
    depths
}

/// The canonical codes for some lengths.
fn canonical_codes(lengths: &[u8]) -> Vec<u32> {
    let mut symbols: Vec<usize> = (0..lengths.len()).filter(|&symbol| lengths[symbol] > 0).collect();
    symbols.sort_by_key(|&symbol| lengths[symbol]);
    let mut codes = vec![0; lengths.len()];
    let (mut code, mut last) = (0u32, 0);
    for symbol in symbols {
        code <<= lengths[symbol] - last;
        last = lengths[symbol];
        codes[symbol] = code;
        code += 1;
    }
    codes
}

fn write_block(symbols: &[u16], codes: &[u32], lengths: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut held, mut count) = (0u64, 0u32);
    for &symbol in symbols {
        let length = u32::from(lengths[usize::from(symbol)]);
        held = held << length | u64::from(codes[usize::from(symbol)]);
        count += length;
        while count >= 8 {
            count -= 8;
            out.push((held >> count) as u8);
        }
    }
    if count > 0 {
        out.push((held << (8 - count)) as u8);
    }
    out
}
