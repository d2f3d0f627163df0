//! The loss and its gradient: the hot part of training.
//!
//! The loss of a position is the squared difference between the expected result, the sigmoid of the scaled output of
//! the network, and the target.
//!
//! The first layer has 3072 inputs, of which about 25 are one and the others zero. So its output is a sum of rows, and
//! its gradient is nonzero in those rows only. Neurons interact only in the output. The hidden layer is therefore split
//! into tiles of [`LANES`](super::net::LANES) neurons, each processed by one thread at a time: the most used
//! weights of a tile and their gradient stay in a core's cache, no two threads write to the same memory, and no
//! reduction over threads is necessary. Positions are processed in blocks. All sums are over fixed blocks in a fixed
//! order, so results do not depend on the number of threads. No fused multiply-add is used, so they do not depend on
//! the machine either.

use super::net::{BIAS, FIRST_HEAD, HeadBiases, ROWS, Row, Tile, VECTORS, Weights, zeroed_tile};
use super::position::{Objective, Position};
use agoge_core::nnue::arch::INPUTS;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use wide::{f32x4, f32x8, f32x16};

pub const BLOCK: usize = 1024;

/// A block of positions with the features of each position and, transposed, the positions of each feature.
#[derive(Default)]
struct Block {
    positions: Vec<Position>,
    features: Vec<u16>,
    /// The ends of the features of each position.
    ends: Vec<u32>,
    /// The positions of the first feature, then those of the second, and so on.
    transposed: Vec<u16>,
    /// The start of the positions of each feature, and the end of the last.
    starts: Vec<u32>,
    heads: Vec<u8>,
    targets: Vec<f32>,
}

impl Block {
    fn fill(&mut self, positions: impl Iterator<Item = Position>, objective: Objective) {
        // Copying first lets the cache misses of scattered positions overlap.
        self.positions.clear();
        self.positions.extend(positions);
        self.features.clear();
        self.ends.clear();
        self.heads.clear();
        self.targets.clear();
        self.starts.clear();
        self.starts.resize(INPUTS + 1, 0);
        for position in &self.positions {
            let features = position.features();
            for &feature in &features {
                self.starts[usize::from(feature) + 1] += 1;
            }
            self.features.extend_from_slice(&features);
            self.ends.push(self.features.len() as u32);
            self.heads.push(position.head() as u8);
            self.targets.push(position.target(objective));
        }
        // Counting sort: from the number of positions of each feature to their start.
        for i in 0..INPUTS {
            self.starts[i + 1] += self.starts[i];
        }
        self.transposed.resize(self.features.len(), 0);
        let mut next = self.starts.clone();
        let mut begin = 0;
        for (position, &end) in self.ends.iter().enumerate() {
            for &feature in &self.features[begin..end as usize] {
                let place = &mut next[usize::from(feature)];
                self.transposed[*place as usize] = position as u16;
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

    fn positions_with(&self, feature: usize) -> &[u16] {
        &self.transposed[self.starts[feature] as usize..self.starts[feature + 1] as usize]
    }
}

/// The working memory of a tile.
struct Scratch {
    gradient: Tile,
    /// The accumulator of each position of a block, later replaced by the gradient with respect to it.
    sums: Vec<Row>,
    /// The contribution of the tile to the output of each position of a block.
    outputs: Vec<f32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    pub sum: f64,
    pub count: u64,
}

impl Loss {
    /// The mean loss; 0 if there are no positions.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    pub fn add(&mut self, more: Self) {
        self.sum += more.sum;
        self.count += more.count;
    }
}

/// Computes losses and gradients, reusing its memory.
pub struct Calculator {
    blocks: Vec<Block>,
    scratches: Vec<Scratch>,
    /// The derivative of the loss with respect to the output of each position of a block, and its loss.
    slopes: Vec<[f32; 2]>,
    output_gradient: HeadBiases,
}

impl Calculator {
    /// A calculator for networks of `tiles` tiles.
    pub fn new(tiles: usize) -> Self {
        let scratch = || Scratch { gradient: zeroed_tile(), sums: vec![Row::ZERO; BLOCK], outputs: vec![0.0; BLOCK] };
        Self {
            blocks: Vec::new(),
            scratches: std::iter::repeat_with(scratch).take(tiles).collect(),
            slopes: Vec::new(),
            output_gradient: HeadBiases::ZERO,
        }
    }

    /// The gradient of the mean loss of the last batch: of each tile, and of the biases of the heads.
    pub fn gradient(&self) -> (impl IndexedParallelIterator<Item = &Tile>, &HeadBiases) {
        (self.scratches.par_iter().map(|scratch| &scratch.gradient), &self.output_gradient)
    }

    /// Computes the loss and the gradient over the positions with the indices in `order`.
    pub fn learn(&mut self, weights: &Weights, positions: &[Position], order: &[u32], objective: Objective) -> Loss {
        for scratch in &mut self.scratches {
            scratch.gradient.fill(Row::ZERO);
        }
        self.output_gradient = HeadBiases::ZERO;
        self.fill_blocks(order.chunks(BLOCK), objective, |&index| positions[index as usize]);
        let blocks = std::mem::take(&mut self.blocks);
        let mut loss = Loss::default();
        for block in &blocks[..order.len().div_ceil(BLOCK)] {
            loss.add(self.forward(weights, block, order.len(), objective));
            for (&head, &[slope, _]) in block.heads.iter().zip(&self.slopes) {
                self.output_gradient.numbers_mut()[usize::from(head)] += slope;
            }
            let slopes = &self.slopes;
            self.scratches.par_iter_mut().zip(&weights.tiles).with_max_len(1).for_each(|(scratch, tile)| {
                backpropagate(tile, block, slopes, scratch);
                add_feature_gradient(block, scratch);
            });
        }
        self.blocks = blocks;
        loss
    }

    pub fn measure(&mut self, weights: &Weights, positions: &[Position], objective: Objective) -> Loss {
        let mut loss = Loss::default();
        // About as many blocks at a time as in a batch, to limit the memory.
        for part in positions.chunks(16 * BLOCK) {
            self.fill_blocks(part.chunks(BLOCK), objective, |&position| position);
            let blocks = std::mem::take(&mut self.blocks);
            for block in &blocks[..part.len().div_ceil(BLOCK)] {
                loss.add(self.forward(weights, block, part.len(), objective));
            }
            self.blocks = blocks;
        }
        loss
    }

    fn fill_blocks<'a, T: Sync + 'a>(
        &mut self,
        chunks: std::slice::Chunks<'a, T>,
        objective: Objective,
        position: impl Fn(&T) -> Position + Sync,
    ) {
        if self.blocks.len() < chunks.len() {
            self.blocks.resize_with(chunks.len(), Block::default);
        }
        let work: Vec<_> = self.blocks.iter_mut().zip(chunks).collect();
        work.into_par_iter().for_each(|(block, chunk)| block.fill(chunk.iter().map(&position), objective));
    }

    /// Computes accumulators, outputs, and the derivatives of the mean loss of a batch of `count` positions.
    fn forward(&mut self, weights: &Weights, block: &Block, count: usize, objective: Objective) -> Loss {
        self.scratches
            .par_iter_mut()
            .zip(&weights.tiles)
            .with_max_len(1)
            .for_each(|(scratch, tile)| compute_accumulators(tile, block, scratch));
        let output_biases = weights.output_biases.numbers();
        let scratches = &self.scratches;
        let slope = |position: usize| {
            let start = output_biases[usize::from(block.heads[position])];
            let output = scratches.iter().fold(start, |sum, scratch| sum + scratch.outputs[position]);
            let expected = objective.expected(output);
            let error = expected - block.targets[position];
            [2.0 * objective.steepness() * error * expected * (1.0 - expected) / count as f32, error * error]
        };
        (0..block.len()).into_par_iter().with_min_len(BLOCK / 8).map(slope).collect_into_vec(&mut self.slopes);
        Loss { sum: self.slopes.iter().map(|&[_, loss]| f64::from(loss)).sum(), count: block.len() as u64 }
    }
}

/// Clips numbers to the range 0 to 1.
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

/// Adds two rows. `sums` is passed by value, so that it stays in registers from row to row.
#[inline(always)]
pub fn add(mut sums: Row, more: &Row) -> Row {
    for v in 0..VECTORS {
        sums.0[v] += more.0[v];
    }
    sums
}

/// Computes the accumulators of a tile and their contributions to the outputs.
#[inline(never)]
fn compute_accumulators(tile: &[Row; ROWS], block: &Block, scratch: &mut Scratch) {
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

/// Replaces the accumulators of a block by the gradients with respect to them, and accumulates the gradients of the
/// output weights and the biases.
#[inline(never)]
fn backpropagate(tile: &[Row; ROWS], block: &Block, slopes: &[[f32; 2]], scratch: &mut Scratch) {
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
            // Below 0, `clipped` is zero and so is the derivative.
            let along = slope * weights.0[v] * (clipped + clipped);
            let along = sum.simd_lt(f32x16::ONE).select(along, f32x16::ZERO);
            bias_gradient.0[v] += along;
            sums.0[v] = along;
        }
    }
}

/// Accumulates the gradient of the feature weights, feature by feature, so that the sums stay in registers.
#[inline(never)]
fn add_feature_gradient(block: &Block, scratch: &mut Scratch) {
    for feature in 0..INPUTS {
        let positions = block.positions_with(feature);
        if !positions.is_empty() {
            let slopes = positions.iter().map(|&position| &scratch.sums[usize::from(position)]);
            scratch.gradient[feature] = slopes.fold(scratch.gradient[feature], add);
        }
    }
}

#[cfg(test)]
mod tests;
