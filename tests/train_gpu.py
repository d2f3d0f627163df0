#!/usr/bin/env python3
"""Compares bench/train_gpu.py with `agoge-bench train`: the same data, weights, losses and files.

Usage: train_gpu.py AGOGE_BENCH. Needs JAX and NumPy.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
NETWORK = ROOT / "engine/core/nets/agoge.nnue"
OPTIONS = ["--batch", "512", "--final-rate", "1e-30", "--scale", "200", "--even", "30", "--wdl", "0.3"]


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {result.stdout}{result.stderr}")
    return result.stdout


def losses(printed):
    """The training and the validation loss of each epoch."""
    return np.array(re.findall(r"epoch +\d+: loss ([\d.]+), in validation ([\d.]+)", printed), float)


def check(name, holds, found):
    print(f"{'ok' if holds else 'FAILED'}: {name}: {found}")
    return holds


def main(bench):
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        games, packed = work / "games.bin", work / "packed"
        run(bench, "datagen", "play", "--out", games, "--games", 800, "--nodes", 50, "--hash", 1)
        split = ["--validation", "0.2"]
        run(bench, "datagen", "pack", games, "--out", packed, *split)

        def both(name, *options):
            slow = run(bench, "train", games, "--out", work / name, "--name", name, *split, *OPTIONS, *options)
            out = work / f"{name}.nnue"
            script = ROOT / "bench/train_gpu.py"
            fast = run(sys.executable, script, packed, "--out", out, "--name", name, *OPTIONS, *options)
            return losses(slow), losses(fast), out

        still = ["--init", NETWORK, "--epochs", 1, "--rate", "1e-30", "--decay", 0]
        slow, fast, out = both("same", *still)
        difference = np.abs(slow[:, 1] / fast[:, 1] - 1).max()
        before, after = (np.frombuffer(path.read_bytes()[128:], "<i2") for path in (NETWORK, out))
        heads = 2 * 128
        same = bool((before[:-heads] == after[:-heads]).all())
        learnt_slow, learnt_fast, _ = both("random", "--epochs", 6, "--rate", "2e-3", "--decay", "0.01")
        ratio = learnt_fast[-1, 1] / learnt_slow[-1, 1]
        results = [
            check("validation losses with the same weights differ by less than 0.2 %", difference < 2e-3, difference),
            check("weights that did not learn are written as they were read", same, len(before)),
            check("the training loss falls", learnt_fast[-1, 0] < learnt_fast[0, 0] / 2, learnt_fast[:, 0]),
            check("validation losses after learning differ by less than 5 %", abs(ratio - 1) < 0.05, ratio),
        ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
