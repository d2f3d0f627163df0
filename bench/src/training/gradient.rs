//! The value and the slope of the loss: the part of training that takes the time.
//!
//! The loss of a position is the squared difference between the expected result, the sigmoid of the
//! network's output, and the target.
//!
//! The first layer has 768 inputs of which about 25 are one and the others zero, so it is a sum of
//! rows, and its gradient adds to those rows only. Neurons meet only in the output. The hidden layer
//! is therefore cut into tiles of [`LANES`](super::net::LANES) neurons, on each of which one thread
//! works at a time: the weights of a tile and their gradient fit a core's cache, no two threads write to
//! the same place, and nothing has to be added up over threads. Positions come in blocks. All sums are
//! over fixed blocks in a fixed order, so that the number of threads does not change a bit of the
//! results; there is no fused multiplication, so that the kind of the machine does not, either.

use super::net::{BIAS, FIRST_HEAD, ROWS, Row, Tile, VECTORS, Weights, zeroed_tile};
use super::position::{Position, sigmoid};
use agoge::nnue::arch::INPUTS;
use rayon::prelude::*;
use wide::{f32x4, f32x8, f32x16};

/// Positions that are worked on together.
pub const BLOCK: usize = 1024;

/// Positions with their features, seen from both sides: the features of each position, and for each
/// feature the positions that have it.
#[derive(Default)]
struct Block {
    positions: Vec<Position>,
    features: Vec<u16>,
    /// Where the features of each position end.
    ends: Vec<u32>,
    /// The positions of the first feature, then those of the second, and so on.
    holders: Vec<u16>,
    /// Where the positions of each feature begin, and the end of the last.
    begins: Vec<u32>,
    heads: Vec<u8>,
    targets: Vec<f32>,
}

impl Block {
    fn fill(&mut self, positions: impl Iterator<Item = Position>, wdl: f32) {
        // First of all copied, for they lie all over the memory: so many are on their way at a time.
        self.positions.clear();
        self.positions.extend(positions);
        self.features.clear();
        self.ends.clear();
        self.heads.clear();
        self.targets.clear();
        self.begins.clear();
        self.begins.resize(INPUTS + 1, 0);
        for position in &self.positions {
            let features = position.features();
            for &feature in &features {
                self.begins[usize::from(feature) + 1] += 1;
            }
            self.features.extend_from_slice(&features);
            self.ends.push(self.features.len() as u32);
            self.heads.push(position.head() as u8);
            self.targets.push(position.target(wdl));
        }
        // A counting sort: from the numbers of positions to where those of each feature begin.
        for i in 0..INPUTS {
            self.begins[i + 1] += self.begins[i];
        }
        self.holders.resize(self.features.len(), 0);
        let mut next = self.begins.clone();
        let mut begin = 0;
        for (position, &end) in self.ends.iter().enumerate() {
            for &feature in &self.features[begin..end as usize] {
                let place = &mut next[usize::from(feature)];
                self.holders[*place as usize] = position as u16;
                *place += 1;
            }
            begin = end as usize;
        }
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn features_of(&self, position: usize) -> &[u16] {
        let begin = if position == 0 { 0 } else { self.ends[position - 1] };
        &self.features[begin as usize..self.ends[position] as usize]
    }

    fn holders_of(&self, feature: usize) -> &[u16] {
        &self.holders[self.begins[feature] as usize..self.begins[feature + 1] as usize]
    }
}

/// What a tile needs besides its weights.
struct Scratch {
    /// Of all positions of a batch.
    gradient: Tile,
    /// For each position of a block the accumulator, and then the slope of the loss along it.
    sums: Vec<Row>,
    /// What the tile adds to the output of each position of a block.
    outputs: Vec<f32>,
}

/// What comes out of a batch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loss {
    /// The sum over the positions.
    pub sum: f64,
    /// The number of positions.
    pub count: u64,
}

impl Loss {
    /// The loss of a position on average; 0 if there is none.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Adds the loss of more positions.
    pub fn add(&mut self, more: Self) {
        self.sum += more.sum;
        self.count += more.count;
    }
}

/// The memory of the computations, so that it is asked for only once.
pub struct Calculator {
    blocks: Vec<Block>,
    scratches: Vec<Scratch>,
    /// The slope of the loss along the output of each position of a block, and its loss.
    slopes: Vec<[f32; 2]>,
    output_gradient: f32x16,
}

impl Calculator {
    /// For networks of so many tiles.
    pub fn new(tiles: usize) -> Self {
        let scratch = || Scratch { gradient: zeroed_tile(), sums: vec![Row::ZERO; BLOCK], outputs: vec![0.0; BLOCK] };
        Self {
            blocks: Vec::new(),
            scratches: std::iter::repeat_with(scratch).take(tiles).collect(),
            slopes: Vec::new(),
            output_gradient: f32x16::ZERO,
        }
    }

    /// The gradient of the mean loss of a batch: of each tile, and of the biases of the heads. It is
    /// left here until the next call.
    pub fn gradient(&self) -> (impl IndexedParallelIterator<Item = &Tile>, &f32x16) {
        (self.scratches.par_iter().map(|scratch| &scratch.gradient), &self.output_gradient)
    }

    /// Computes loss and gradient over some of the positions, of which `order` gives the indices,
    /// with a share `wdl` of the results in the targets.
    pub fn learn(&mut self, weights: &Weights, positions: &[Position], order: &[u32], wdl: f32) -> Loss {
        for scratch in &mut self.scratches {
            scratch.gradient.fill(Row::ZERO);
        }
        self.output_gradient = f32x16::ZERO;
        self.fill_blocks(order.chunks(BLOCK), wdl, |&index| positions[index as usize]);
        let blocks = std::mem::take(&mut self.blocks);
        let mut loss = Loss::default();
        for block in &blocks[..order.len().div_ceil(BLOCK)] {
            loss.add(self.forward(weights, block, order.len()));
            for (&head, &[slope, _]) in block.heads.iter().zip(&self.slopes) {
                self.output_gradient.as_mut_array()[usize::from(head)] += slope;
            }
            let slopes = &self.slopes;
            self.scratches.par_iter_mut().zip(&weights.tiles).with_max_len(1).for_each(|(scratch, tile)| {
                slope_sums(tile, block, slopes, scratch);
                add_gradient(block, scratch);
            });
        }
        self.blocks = blocks;
        loss
    }

    /// Computes the loss only.
    pub fn measure(&mut self, weights: &Weights, positions: &[Position], wdl: f32) -> Loss {
        let mut loss = Loss::default();
        // So many blocks at a time as in a batch or so, to need no more memory than there.
        for part in positions.chunks(16 * BLOCK) {
            self.fill_blocks(part.chunks(BLOCK), wdl, |&position| position);
            let blocks = std::mem::take(&mut self.blocks);
            for block in &blocks[..part.len().div_ceil(BLOCK)] {
                loss.add(self.forward(weights, block, part.len()));
            }
            self.blocks = blocks;
        }
        loss
    }

    fn fill_blocks<'a, T: Sync + 'a>(
        &mut self,
        chunks: std::slice::Chunks<'a, T>,
        wdl: f32,
        position: impl Fn(&T) -> Position + Sync,
    ) {
        if self.blocks.len() < chunks.len() {
            self.blocks.resize_with(chunks.len(), Block::default);
        }
        let work: Vec<_> = self.blocks.iter_mut().zip(chunks).collect();
        work.into_par_iter().for_each(|(block, chunk)| block.fill(chunk.iter().map(&position), wdl));
    }

    /// Computes sums, outputs, and slopes of the mean loss of a batch of `count` positions.
    fn forward(&mut self, weights: &Weights, block: &Block, count: usize) -> Loss {
        self.scratches
            .par_iter_mut()
            .zip(&weights.tiles)
            .with_max_len(1)
            .for_each(|(scratch, tile)| add_features(tile, block, scratch));
        let output_biases = weights.output_biases.to_array();
        let scratches = &self.scratches;
        let slope = |position: usize| {
            let start = output_biases[usize::from(block.heads[position])];
            let output = scratches.iter().fold(start, |sum, scratch| sum + scratch.outputs[position]);
            let expected = sigmoid(output);
            let error = expected - block.targets[position];
            [2.0 * error * expected * (1.0 - expected) / count as f32, error * error]
        };
        (0..block.len()).into_par_iter().with_min_len(BLOCK / 8).map(slope).collect_into_vec(&mut self.slopes);
        Loss { sum: self.slopes.iter().map(|&[_, loss]| f64::from(loss)).sum(), count: block.len() as u64 }
    }
}

/// Numbers clipped to 0 to 1.
#[inline(always)]
fn clip(x: f32x16) -> f32x16 {
    x.fast_max(f32x16::ZERO).fast_min(f32x16::ONE)
}

/// The sum of all numbers, in the same order on every machine.
#[inline(always)]
fn total(row: &Row) -> f32 {
    let [a, b, c, d] = row.0;
    let [low, high]: [f32x8; 2] = bytemuck::cast((a + b) + (c + d));
    let [low, high]: [f32x4; 2] = bytemuck::cast(low + high);
    let [a, b, c, d] = (low + high).to_array();
    (a + b) + (c + d)
}

/// By value, so that sums stay in registers from row to row.
#[inline(always)]
fn add(mut sums: Row, more: &Row) -> Row {
    for v in 0..VECTORS {
        sums.0[v] += more.0[v];
    }
    sums
}

/// The accumulators of a block, and what they add to the outputs.
#[inline(never)]
fn add_features(tile: &[Row; ROWS], block: &Block, scratch: &mut Scratch) {
    for position in 0..block.len() {
        let features = block.features_of(position).iter();
        let sums = features.fold(tile[BIAS], |sums, &feature| add(sums, &tile[usize::from(feature)]));
        scratch.sums[position] = sums;
        let weights = &tile[FIRST_HEAD + usize::from(block.heads[position])];
        let mut products = Row::ZERO;
        for v in 0..VECTORS {
            let clipped = clip(sums.0[v]);
            products.0[v] = clipped * clipped * weights.0[v];
        }
        scratch.outputs[position] = total(&products);
    }
}

/// Replaces the accumulators of a block by the slopes of the loss along them, and adds to the
/// gradient of the output weights and of the biases.
#[inline(never)]
fn slope_sums(tile: &[Row; ROWS], block: &Block, slopes: &[[f32; 2]], scratch: &mut Scratch) {
    let (below, head_gradients) = scratch.gradient.split_at_mut(FIRST_HEAD);
    let bias_gradient = &mut below[BIAS];
    for ((sums, &head), &[slope, _]) in scratch.sums.iter_mut().zip(&block.heads).zip(slopes) {
        let weights = &tile[FIRST_HEAD + usize::from(head)];
        let head_gradient = &mut head_gradients[usize::from(head)];
        let slope = f32x16::splat(slope);
        for v in 0..VECTORS {
            let sum = sums.0[v];
            let clipped = clip(sum);
            head_gradient.0[v] += slope * (clipped * clipped);
            // Below 0 the activation is flat as well, and `clipped` says so.
            let along = slope * weights.0[v] * (clipped + clipped);
            let along = sum.simd_lt(f32x16::ONE).select(along, f32x16::ZERO);
            bias_gradient.0[v] += along;
            sums.0[v] = along;
        }
    }
}

/// Adds to the gradient of the feature weights. Feature by feature, so that the sums stay in
/// registers.
#[inline(never)]
fn add_gradient(block: &Block, scratch: &mut Scratch) {
    for feature in 0..INPUTS {
        let holders = block.holders_of(feature);
        if !holders.is_empty() {
            let slopes = holders.iter().map(|&position| &scratch.sums[usize::from(position)]);
            scratch.gradient[feature] = slopes.fold(scratch.gradient[feature], add);
        }
    }
}

#[cfg(test)]
mod tests;
