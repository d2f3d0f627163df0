#!/usr/bin/env python3
"""Measures what a browser loads for the board with the engine in WebAssembly, compressed by brotli.

    pip install brotli
    .ci/build_web target/web
    tests/page_size.py target/web

The network, which is loaded when the board is there, is told apart. The exit status is 1 if the rest, or the file of opening
theory, is above its limit.
"""

import argparse
import os
import sys

import brotli

# In kB.
THEORY_LIMIT = 500


def compressed(path):
    with open(path, "rb") as file:
        return len(brotli.compress(file.read(), quality=11))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder")
    arguments.add_argument("--limit", type=float, default=515, help="in kB")
    options = arguments.parse_args()
    sizes = {}
    for folder, _, names in os.walk(options.folder):
        # Only one language is loaded, and none for English; puzzles and theory are loaded when somebody wants to see them.
        if os.path.basename(folder) in ("lang", "positions"):
            continue
        for name in names:
            # The letters of one of them.
            if name == "greek.woff2":
                continue
            kind = os.path.splitext(name)[1]
            size = compressed(os.path.join(folder, name)) / 1000
            # One of two modules is loaded, if there is that with threads.
            sizes[kind] = max(sizes.get(kind, 0), size) if kind == ".wasm" else sizes.get(kind, 0) + size
    network = sizes.pop(".nnue")
    whole = sum(sizes.values())
    parts = ", ".join(f"{kind[1:]} {size:.1f}" for kind, size in sorted(sizes.items()))
    print(f"the page without the network: {whole:.1f} kB of {options.limit:.0f} ({parts})")
    print(f"the network: {network:.1f} kB")
    theory = compressed(os.path.join(options.folder, "positions", "theory.bin")) / 1000
    print(f"the opening theory: {theory:.1f} kB of {THEORY_LIMIT}")
    sys.exit(whole > options.limit or theory > THEORY_LIMIT)


if __name__ == "__main__":
    main()
