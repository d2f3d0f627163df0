#!/usr/bin/env python3
"""Writes compressed copies beside the files of a folder, which web servers send as they are.

    pip install brotli
    engine/web/compress.py target/web
"""

import gzip
import sys
from pathlib import Path

import brotli

# These are compressed already.
LEFT_OUT = {".br", ".gz", ".png", ".woff2", ".txt"}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    for path in [*folder.rglob("*.br"), *folder.rglob("*.gz")]:
        path.unlink()
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix in LEFT_OUT:
            continue
        data = path.read_bytes()
        # The same file at the same contents: no time of today in it.
        for end, compressed in ((".br", brotli.compress(data, quality=11)), (".gz", gzip.compress(data, 9, mtime=0))):
            if len(compressed) < len(data):
                path.with_name(path.name + end).write_bytes(compressed)


if __name__ == "__main__":
    main()
