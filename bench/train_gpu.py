#!/usr/bin/env python3
"""Trains the network with JAX, on a GPU if there is one.

The same network, loss and optimiser as `agoge-bench train` (see TRAINING.md), many times as fast, but without shared
steps and training with rounded weights. Sums are in another order and products have 11 bits of precision, so the
network is a similar one, not the same. It needs JAX and NumPy, and positions that `agoge-bench datagen pack` has
written:

    agoge-bench datagen pack games.bin --out packed
    python3 bench/train_gpu.py packed --out new.nnue --name new --epochs 16 --batch 16384
"""

import argparse
import struct
import sys
import time
import zlib
from functools import partial
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# The shape and the quantisation of the network, as in engine/core/src/nnue/arch.rs.
KINDS = 48  # twelve pieces in four threat states
INPUTS = KINDS * 64
SPARTAN_KING = 11
BUCKETS = 8
DANGERS = 4
HEADS = 4 * DANGERS * BUCKETS
QA, QB, SHIFT, SCALE = 960, 4096, 10, 400
ACTIVATION_ONE = QA * QA >> SHIFT
OUTPUT_ONE = ACTIVATION_ONE * QB
MAX_HEAD_SUM = (2**31 - 1) // ACTIVATION_ONE
BOUNDS = {"features": 1008 / QA, "biases": 1022 / QA, "heads": 32767 / QB, "head_biases": 50.0}
HEADER_BYTES, CHECKSUM_AT, NAME_AT, VERSION = 128, 40, 64, 2

RECORD_WORDS = 9
# Gradients in half precision are scaled by this factor, so that small ones do not vanish.
GRADIENT_SCALE = 256.0
STEPS_AT_ONCE = 64


def architecture(hidden):
    return (
        f"4 threat states x 12 pieces x 64 squares, white king on a-d -> {hidden} squared clipped relu"
        " -> side x Spartan kings x kings in danger x (pieces - 1) / 4"
    ).encode()


# Positions


def read_positions(path):
    """The packed positions of a file: occupied squares, pieces, threat states; score, result, side, kings in danger."""
    data = np.fromfile(path, dtype="<u4")
    if data.size % RECORD_WORDS:
        sys.exit(f"{path}: not a whole number of positions")
    return data.reshape(-1, RECORD_WORDS)


def decode(records):
    """The inputs of the network, the heads, the scores in centipawns and the results of packed positions."""
    squares = jnp.arange(64)
    bits = records[:, squares // 32] >> (squares % 32).astype(jnp.uint32) & 1
    occupied = bits.astype(jnp.int32)
    rank = jnp.cumsum(occupied, axis=1) - occupied
    rank = jnp.minimum(rank, 31)

    def field(first, per_word, width):
        words = jnp.take_along_axis(records, first + rank // per_word, axis=1)
        shift = (width * (rank % per_word)).astype(jnp.uint32)
        return (words >> shift & (2**width - 1)).astype(jnp.int32)

    pieces, states = field(2, 8, 4), field(6, 16, 2)
    kinds = jnp.where(occupied == 1, states * 12 + pieces, -1)
    inputs = kinds[:, None, :] == jnp.arange(KINDS)[None, :, None]
    men = occupied.sum(axis=1)
    kings = jnp.where(occupied == 1, pieces == SPARTAN_KING, False).sum(axis=1)
    last = records[:, 8]
    black, danger = (last >> 24 & 1).astype(jnp.int32), (last >> 25).astype(jnp.int32)
    heads = ((2 * black + (kings > 1)) * DANGERS + danger) * BUCKETS + jnp.minimum((men - 1) // 4, BUCKETS - 1)
    scores = (last & 0xFFFF).astype(jnp.int32)
    scores = jnp.where(scores > 32767, scores - 65536, scores).astype(jnp.float32)
    results = (last >> 16 & 0xFF).astype(jnp.float32) / 2
    return inputs.reshape(-1, INPUTS), heads, scores, results


# Network


def random_weights(hidden, seed):
    """Threat states and buckets start equal, and Black's heads with the opposite sign of White's."""
    rng = np.random.default_rng(seed)
    features = np.tile(rng.uniform(-0.03, 0.03, (INPUTS // 4, hidden)), (4, 1))
    biases = rng.uniform(0.0, 0.2, hidden)
    white = np.tile(rng.uniform(-0.2, 0.2, hidden) * (512 / hidden) ** 0.5, (HEADS // 2, 1))
    heads = np.concatenate([white, -white])
    weights = {"features": features, "biases": biases, "heads": heads, "head_biases": np.zeros(HEADS)}
    return {name: jnp.asarray(value, jnp.float32) for name, value in weights.items()}


@jax.custom_vjp
def product(inputs, weights):
    """Inputs of 0 and 1 times weights, in half precision with sums in single precision."""
    return jnp.matmul(inputs.astype(jnp.float16), weights.astype(jnp.float16), preferred_element_type=jnp.float32)


def product_forward(inputs, weights):
    return product(inputs, weights), inputs


def product_backward(inputs, gradient):
    scaled = (gradient * (GRADIENT_SCALE * len(gradient))).astype(jnp.float16)
    total = jnp.matmul(inputs.astype(jnp.float16).T, scaled, preferred_element_type=jnp.float32)
    return None, total / (GRADIENT_SCALE * len(gradient))


product.defvjp(product_forward, product_backward)


def outputs(weights, inputs, heads):
    """The outputs of the network, in units of SCALE centipawns."""
    clipped = jnp.clip(product(inputs, weights["features"]) + weights["biases"], 0.0, 1.0)
    every = jnp.matmul(clipped * clipped, weights["heads"].T) + weights["head_biases"]
    return jnp.take_along_axis(every, heads[:, None], axis=1)[:, 0]


class Objective(NamedTuple):
    """What the network learns; see the options of these names."""

    wdl: float
    scale: float
    even: float


def errors(weights, records, objective):
    """The differences between expected and wanted results, and the outputs."""
    inputs, heads, scores, results = decode(records)
    output = outputs(weights, inputs, heads)
    even = jnp.where(heads < HEADS // 2, objective.even, -objective.even)
    expected = jax.nn.sigmoid((scores - even) / objective.scale)
    target = objective.wdl * results + (1 - objective.wdl) * expected
    return jax.nn.sigmoid(output * SCALE / objective.scale) - target, output


# Training


def bounded(weights):
    """Weights that can be quantised: each within its bound, and the sums of each head and of each neuron."""
    weights = {name: jnp.clip(value, -BOUNDS[name], BOUNDS[name]) for name, value in weights.items()}
    heads = weights["heads"]
    limit = (MAX_HEAD_SUM - heads.shape[1] / 2) / QB
    largest = jnp.maximum(jnp.maximum(heads, 0).sum(axis=1), jnp.maximum(-heads, 0).sum(axis=1))
    factor = jnp.where(largest > limit, limit / largest * 0.9999, 1.0)
    features = weights["features"]
    limit = (2**15 - 1 - 65 / 2) / QA
    for sign in (1, -1):
        total = jnp.maximum(sign * features, 0).reshape(KINDS, 64, -1).max(axis=0).sum(axis=0)
        room = limit - sign * weights["biases"]
        scale = jnp.where(total > room, room / total * 0.9999, 1.0)
        features = jnp.where(sign * features > 0, features * scale, features)
    return weights | {"heads": heads * factor[:, None], "features": features}


def adamw(weights, means, squares, gradient, number, rate, options):
    """A step of AdamW with a clipped gradient."""
    norm = jnp.sqrt(sum((part * part).sum() for part in gradient.values()))
    factor = jnp.minimum(1.0, options.clip / jnp.maximum(norm, 1e-30))
    new = ({}, {}, {})
    for name, weight in weights.items():
        slope = gradient[name] * factor
        mean = 0.9 * means[name] + 0.1 * slope
        square = 0.999 * squares[name] + 0.001 * slope * slope
        step = mean / (1 - 0.9**number) / (jnp.sqrt(square / (1 - 0.999**number)) + options.epsilon)
        new[0][name], new[1][name], new[2][name] = weight * (1 - rate * options.decay) - rate * step, mean, square
    return bounded(new[0]), new[1], new[2]


def rate_at(step, steps, options):
    warmup = min(options.warmup, steps // 10)
    if step < warmup:
        return options.rate * (step + 1) / warmup
    progress = min((step - warmup) / max(steps - warmup - 1, 1), 1.0)
    return options.final_rate + (options.rate - options.final_rate) * 0.5 * (1 + np.cos(np.pi * progress))


def trainer(options, batch):
    """A function for some steps of training: the state, all positions, and for each step its indices, rate and share."""

    def step(positions, state, now):
        weights, means, squares, number = state
        indices, rate, wdl = now

        def loss(weights):
            objective = Objective(wdl, options.scale, options.even)
            error, _ = errors(weights, positions[indices], objective)
            return (error * error).mean()

        value, gradient = jax.value_and_grad(loss)(weights)
        weights, means, squares = adamw(weights, means, squares, gradient, number + 1, rate, options)
        return (weights, means, squares, number + 1), value

    @partial(jax.jit, donate_argnums=0)
    def steps(state, positions, order, first, rates, wdls):
        order = lax.dynamic_slice(order, (first * batch,), (len(rates) * batch,)).reshape(len(rates), batch)
        state, losses = lax.scan(partial(step, positions), state, (order, rates, wdls))
        return state, losses.sum()

    return steps


@jax.jit
def sums(weights, records, objective):
    """The sums of the losses and of the absolute outputs."""
    error, output = errors(weights, records, objective)
    return (error * error).sum(), jnp.abs(output).sum()


def measure(weights, positions, objective, batch=16384):
    """The mean loss, and the mean absolute value in centipawns."""
    parts = [sums(weights, positions[at : at + batch], objective) for at in range(0, len(positions), batch)]
    loss, size = (float(sum(numbers)) / max(len(positions), 1) for numbers in zip(*parts))
    return loss, size * SCALE


def train(weights, training, validation, options):
    batch = min(options.batch, len(training))
    per_epoch = len(training) // batch
    total = per_epoch * options.epochs
    rates = np.array([rate_at(step, total, options) for step in range(total)], np.float32)
    wdls = np.linspace(options.wdl, options.final_wdl, total, dtype=np.float32)
    steps = trainer(options, batch)
    zero = jax.tree.map(jnp.zeros_like, weights)
    state = (weights, zero, jax.tree.map(jnp.copy, zero), jnp.float32(0))
    shuffle = jax.jit(jax.random.permutation, static_argnums=1)
    begin = time.time()
    for epoch in range(options.epochs):
        order = shuffle(jax.random.key(options.seed * 1000 + epoch), len(training))
        losses = []
        for first in range(0, per_epoch, STEPS_AT_ONCE):
            now = slice(epoch * per_epoch + first, epoch * per_epoch + min(first + STEPS_AT_ONCE, per_epoch))
            state, loss = steps(state, training, order, first, rates[now], wdls[now])
            losses.append(loss)
        loss = float(sum(losses)) / per_epoch
        objective = Objective(float(wdls[(epoch + 1) * per_epoch - 1]), options.scale, options.even)
        text = f", in validation {measure(state[0], validation, objective)[0]:.6f}" if len(validation) else ""
        speed = (epoch + 1) * per_epoch * batch / (time.time() - begin)
        print(f"epoch {epoch + 1:3}: loss {loss:.6f}{text}, {speed:.0f} positions/s", flush=True)
    return state[0]


# Files


def read_network(path):
    """The weights of a network file."""
    data = Path(path).read_bytes()
    magic, version, hash_, inputs, hidden, heads = struct.unpack("<8s5I", data[:28])
    if (magic, version, inputs, heads) != (b"AGOGENET", VERSION, INPUTS, HEADS) or hash_ != zlib.crc32(architecture(hidden)):
        sys.exit(f"{path}: not a network of this architecture")
    numbers = np.frombuffer(data, "<i2", (INPUTS + 1 + HEADS) * hidden, HEADER_BYTES).reshape(-1, hidden)
    biases = np.frombuffer(data, "<i4", HEADS, len(data) - 4 * HEADS)
    quantised = numbers[INPUTS + 1 :]
    weights = {
        "features": numbers[:INPUTS] / QA,
        "biases": numbers[INPUTS] / QA,
        "heads": quantised / QB,
        "head_biases": (biases - rounding_losses(quantised)) / OUTPUT_ONE,
    }
    return {name: jnp.asarray(value, jnp.float32) for name, value in weights.items()}


def rounding_losses(heads):
    """What each head loses on average because activations are rounded down: half a unit of each."""
    return (heads.astype(np.int64).sum(axis=1) / 2).astype(np.int64)


def write_network(path, weights, name):
    weights = {key: np.asarray(value, np.float64) for key, value in weights.items()}
    hidden = len(weights["biases"])
    heads = np.rint(weights["heads"] * QB)
    rows = [np.rint(weights["features"] * QA), np.rint(weights["biases"][None] * QA), heads]
    biases = np.rint(weights["head_biases"] * OUTPUT_ONE) + rounding_losses(heads)
    shape = struct.pack("<6I", INPUTS, hidden, HEADS, QA, QB, SCALE)
    head = b"AGOGENET" + struct.pack("<2I", VERSION, zlib.crc32(architecture(hidden))) + shape
    head = head.ljust(NAME_AT, b"\0") + name.encode().ljust(HEADER_BYTES - NAME_AT, b"\0")
    data = head + np.concatenate(rows).astype("<i2").tobytes() + biases.astype("<i4").tobytes()
    checksum = struct.pack("<I", zlib.crc32(data))
    Path(path).write_bytes(data[:CHECKSUM_AT] + checksum + data[CHECKSUM_AT + 4 :])


def scaled(weights, factor):
    return bounded({name: value * factor if "head" in name else value for name, value in weights.items()})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions", type=Path, help="the directory written by datagen pack")
    parser.add_argument("--out", type=Path, required=True, help="the network file")
    parser.add_argument("--name", default="agoge", help="the name of the network")
    parser.add_argument("--init", type=Path, help="start from the weights of this network")
    parser.add_argument("--hidden", type=int, default=512, help="neurons of a network with random weights")
    parser.add_argument("--reference", type=Path, help="rescale values to be as large as those of this network")
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--batch", type=int, default=16384)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--final-rate", type=float, default=2.4e-6)
    parser.add_argument("--warmup", type=int, default=100)
    parser.add_argument("--decay", type=float, default=0.01)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--epsilon", type=float, default=1e-8)
    parser.add_argument("--wdl", type=float, default=0.0)
    parser.add_argument("--final-wdl", type=float)
    parser.add_argument("--scale", type=float, default=400.0)
    parser.add_argument("--even", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.final_wdl is None:
        options.final_wdl = options.wdl
    if not 0 < len(options.name.encode()) <= HEADER_BYTES - NAME_AT:
        parser.error("the name is empty or too long")
    return options


def main():
    options = arguments()
    training, validation = (
        jnp.asarray(read_positions(options.positions / f"{name}.positions")) for name in ("training", "validation")
    )
    print(f"{len(training)} training positions, {len(validation)} validation positions, on {jax.devices()[0]}")
    if not len(training):
        sys.exit("there are no training positions")
    weights = read_network(options.init) if options.init else random_weights(options.hidden, options.seed)
    weights = train(weights, training, validation, options)
    judged = validation if len(validation) else training
    objective = Objective(options.final_wdl, options.scale, options.even)
    loss, size = measure(weights, judged, objective)
    print(f"loss {loss:.6f}, values of {size:.1f} centipawns on average")
    if options.reference:
        wanted = measure(read_network(options.reference), judged, objective)[1]
        print(f"those of the reference are of {wanted:.1f}: ratio {size / wanted:.3f}")
        weights = scaled(weights, wanted / size)
    write_network(options.out, weights, options.name)


if __name__ == "__main__":
    main()
