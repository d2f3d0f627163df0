#!/usr/bin/env python3
"""Measures what a browser loads for the board with the engine in WebAssembly, compressed by brotli.

    pip install brotli
    .ci/build_web target/web
    tests/page_size.py target/web

What is loaded when the board is there, or when it is needed, is told apart. The exit status is 1 if the rest, or the file of
opening theory, is above its limit.
"""

import argparse
import os
import re
import sys

import brotli

# In kB.
THEORY_LIMIT = 500

# Only one language is loaded, and none for English, with letters of its own for Greek; puzzles and theory are loaded when
# somebody wants to see them, icons when the page is installed. The network, the table of three men and the engine
# with threads come after the board.
LATER = re.compile(r"(^|/)(lang|positions|tables)/|greek|\.(png|nnue|dtm)$|^agoge-threads|^(sw\.js|manifest)")


def compressed(path):
    with open(path, "rb") as file:
        return len(brotli.compress(file.read(), quality=11))


def parts(sizes):
    return ", ".join(f"{kind[1:]} {size:.1f}" for kind, size in sorted(sizes.items()))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder")
    arguments.add_argument("--limit", type=float, default=515, help="in kB")
    options = arguments.parse_args()
    sizes, later = {}, {}
    for folder, _, names in os.walk(options.folder):
        for name in names:
            path = os.path.join(folder, name)
            kind = os.path.splitext(name)[1]
            name = os.path.relpath(path, options.folder)
            where = later if LATER.search(name) else sizes
            where[kind] = where.get(kind, 0) + compressed(path) / 1000
            if name.startswith("positions/theory"):
                theory = compressed(path) / 1000
    whole = sum(sizes.values())
    print(f"the page before the network: {whole:.1f} kB of {options.limit:.0f} ({parts(sizes)})")
    print(f"later: {parts(later)}")
    print(f"the opening theory: {theory:.1f} kB of {THEORY_LIMIT}")
    sys.exit(whole > options.limit or theory > THEORY_LIMIT)


if __name__ == "__main__":
    main()
