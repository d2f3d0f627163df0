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
WIDTH, HEADS, SCALE, PADDING = 512, 32, 400.0, 4 * 768

ORTHOGONAL = [(0, 1), (1, 0), (0, -1), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
KNIGHT = [(a * x, b * y) for x, y in ((1, 2), (2, 1)) for a in (-1, 1) for b in (-1, 1)]
# The steps of each piece that attack, and the directions in which it slides.
ATTACKS = {
    "P": ([(-1, 1), (1, 1)], []),
    "N": (KNIGHT, []),
    "B": ([], DIAGONAL),
    "R": ([], ORTHOGONAL),
    "Q": ([], ORTHOGONAL + DIAGONAL),
    "K": (ORTHOGONAL + DIAGONAL, []),
    "h": ([(0, -1)], []),
    "l": (DIAGONAL + [(2 * x, 2 * y) for x, y in DIAGONAL], []),
    "c": (ORTHOGONAL + [(2 * x, 2 * y) for x, y in ORTHOGONAL], []),
    "g": (DIAGONAL, ORTHOGONAL),
    "w": (KNIGHT, DIAGONAL),
    "k": (ORTHOGONAL + DIAGONAL, []),
}
# The class of each piece by its value as an attacker.
CLASS = {piece: index for index, pieces in enumerate(("Ph", "NBlc", "Rgw", "QKk")) for piece in pieces}
# An attacker of a lower class than this is less valuable than the piece.
SAFE_FROM = {piece: index for index, pieces in enumerate(("Ph", "NBlc", "RKk", "Qgw")) for piece in pieces}


def threats(board):
    """Returns the state of each piece, as in `agoge::nnue::arch::ThreatStates`; `board` has letters by square."""
    attackers = {}
    for square, piece in board.items():
        steps, slides = ATTACKS[piece]
        for moves, reach in ((steps, 1), (slides, 7)):
            for x, y in moves:
                for distance in range(1, reach + 1):
                    file, rank = square % 8 + distance * x, square // 8 + distance * y
                    if not (0 <= file < 8 and 0 <= rank < 8):
                        break
                    attackers.setdefault(8 * rank + file, []).append(piece)
                    if 8 * rank + file in board:
                        break
    states = {}
    for square, piece in board.items():
        enemies = [other for other in attackers.get(square, []) if other.isupper() != piece.isupper()]
        defended = len(enemies) < len(attackers.get(square, []))
        if any(CLASS[enemy] < SAFE_FROM[piece] for enemy in enemies):
            states[square] = 3
        else:
            states[square] = 0 if not enemies else 2 if defended else 1
    return states


def read(path, limit):
    """Returns features (padded to 32), heads, scores and results, the last two from the mover's view."""
    features, heads, scores, results = [], [], [], []
    with open(path) as lines:
        for number, line in enumerate(lines):
            if number == limit:
                break
            fen, score, result = line.split("|")
            placement, side = fen.split()[:2]
            board, square = {}, 56
            for letter in placement:
                if letter == "/":
                    square -= 16
                elif letter.isdigit():
                    square += int(letter)
                else:
                    board[square] = letter
                    square += 1
            king = next(square for square, piece in board.items() if piece == "K")
            flip, states = 7 if king % 8 > 3 else 0, threats(board)
            row = [(states[square] * 12 + PIECES[piece]) * 64 + (square ^ flip) for square, piece in board.items()]
            black = side == "b"
            features.append(row + [PADDING] * (32 - len(row)))
            two_kings = sum(piece == "k" for piece in board.values()) > 1
            heads.append((len(row) - 1) // 4 + 8 * two_kings + 16 * black)
            scores.append(-float(score) if black else float(score))
            results.append(1 - float(result) if black else float(result))
    tensor = lambda values, kind: torch.from_numpy(np.array(values, dtype=kind))
    return (tensor(features, np.int32), tensor(heads, np.int64), tensor(scores, np.float32),
            tensor(results, np.float32))


class Net(torch.nn.Module):
    """3072 features, 512 neurons with squared clipped ReLU, one of 32 outputs."""

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
