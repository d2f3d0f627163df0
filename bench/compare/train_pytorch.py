#!/usr/bin/env python3
"""Trains the network of agoge in PyTorch, to compare its speed and loss with `train` on the same machine.

    pip install torch numpy
    python3 bench/compare/train_pytorch.py positions.txt --epochs 3 --threads 2
    cargo run --release -p agoge-bench -- train positions.txt --out /tmp/net --epochs 3 --warmup 0 \
        --threads 2

Layers, loss, optimiser, schedule and batch size are the same. The input has lines `FEN | score | result`.
All positions are loaded into tensors first, so only the training is timed. The first layer is either a sum
of rows (`--layer bag`, EmbeddingBag) or a product with a 0/1 matrix (`--layer dense`); use whichever is
faster on your machine.
"""

import argparse
import math
import time

import numpy as np
import torch

PIECES = {piece: index for index, piece in enumerate("PNBRQKhlcgwk")}
WIDTH, HEADS, SCALE, PADDING = 512, 32, 400.0, 768


def read(path, limit):
    """Returns features (padded to 32), heads, scores and results, the last two from the mover's view."""
    features, heads, scores, results = [], [], [], []
    with open(path) as lines:
        for number, line in enumerate(lines):
            if number == limit:
                break
            fen, score, result = line.split("|")
            placement, side = fen.split()[:2]
            pieces, square = [], 56
            for letter in placement:
                if letter == "/":
                    square -= 16
                elif letter.isdigit():
                    square += int(letter)
                else:
                    pieces.append((PIECES[letter], square))
                    square += 1
            king = next(square for piece, square in pieces if piece == PIECES["K"])
            flip = 7 if king % 8 > 3 else 0
            row = [piece * 64 + (square ^ flip) for piece, square in pieces]
            black = side == "b"
            features.append(row + [PADDING] * (32 - len(row)))
            two_kings = sum(piece == PIECES["k"] for piece, _ in pieces) > 1
            heads.append((len(row) - 1) // 4 + 8 * two_kings + 16 * black)
            scores.append(-float(score) if black else float(score))
            results.append(1 - float(result) if black else float(result))
    tensor = lambda values, kind: torch.from_numpy(np.array(values, dtype=kind))
    return (tensor(features, np.int32), tensor(heads, np.int64), tensor(scores, np.float32),
            tensor(results, np.float32))


class Net(torch.nn.Module):
    """768 features, 512 neurons with squared clipped ReLU, one of 32 outputs."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        if layer == "bag":
            self.features = torch.nn.EmbeddingBag(PADDING + 1, WIDTH, mode="sum", padding_idx=PADDING)
            torch.nn.init.uniform_(self.features.weight, -0.1, 0.1)
        else:
            self.features = torch.nn.Parameter(torch.empty(PADDING, WIDTH).uniform_(-0.1, 0.1))
        self.bias = torch.nn.Parameter(torch.empty(WIDTH).uniform_(0.2, 0.4))
        self.heads = torch.nn.Linear(WIDTH, HEADS)

    def forward(self, features, heads):
        if self.layer == "bag":
            sums = self.features(features)
        else:
            ones = torch.zeros(len(features), PADDING + 1).scatter_(1, features.long(), 1.0)
            sums = ones[:, :PADDING] @ self.features
        hidden = (sums + self.bias).clamp(0, 1).square()
        return self.heads(hidden).gather(1, heads.unsqueeze(1)).squeeze(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("positions")
    parser.add_argument("--layer", choices=["bag", "dense"], default="bag")
    parser.add_argument("--batch", type=int, default=16384)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=int, default=-1)
    parser.add_argument("--wdl", type=float, default=0.3)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    features, heads, scores, results = read(arguments.positions, arguments.limit)
    targets = arguments.wdl * results + (1 - arguments.wdl) * torch.sigmoid(scores / SCALE)
    net = Net(arguments.layer)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01, fused=True)
    batches = len(features) // arguments.batch
    steps = batches * arguments.epochs
    rate = lambda step: 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * step / max(1, steps - 1)))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    print(f"{len(features)} positions, torch {torch.__version__}, {arguments.threads} threads, {arguments.layer}")
    for epoch in range(1, arguments.epochs + 1):
        begin, total = time.time(), 0.0
        cpu = time.process_time()
        order = torch.randperm(len(features))
        for batch in range(batches):
            rows = order[batch * arguments.batch:(batch + 1) * arguments.batch]
            output = net(features[rows], heads[rows])
            loss = (torch.sigmoid(output) - targets[rows]).square().mean()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item()
        count = batches * arguments.batch
        print(f"epoch {epoch}: loss {total / batches:.6f}, {count / (time.time() - begin):.0f} positions/s, "
              f"{count / (time.process_time() - cpu):.0f} per second of CPU time")


if __name__ == "__main__":
    main()
