#!/usr/bin/env python3
"""A UCI engine for many variants made of two: Agoge plays Spartan Chess, the other engine everything else.

    engine/examples/router.py target/release/agoge fairy-stockfish

For clients that want one engine for all variants, such as fairyfishnet. The handshake is that of the other engine, with
`spartan` among its variants. Options go to both, except for networks, which are those of the engine that plays.
"""

import subprocess
import sys
import threading


class Engine:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.is_shown = False
        self.ready = threading.Event()
        threading.Thread(target=self.show, daemon=True).start()

    def send(self, line):
        self.process.stdin.write(line + "\n")

    def show(self):
        """Passes on what the engine says, if it is the one that plays."""
        for line in self.process.stdout:
            if self.is_shown:
                print(line, end="", flush=True)
            if line.strip() == "uciok":
                self.ready.set()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    agoge, other = map(Engine, sys.argv[1:])
    other.is_shown = True
    playing = other
    for line in map(str.strip, sys.stdin):
        words = line.split()
        if line == "uci":
            agoge.send(line)
            agoge.ready.wait()
            other.send(line)
        elif words[:3] == ["setoption", "name", "UCI_Variant"]:
            playing = agoge if words[-1].lower() == "spartan" else other
            agoge.is_shown, other.is_shown = playing is agoge, playing is other
            playing.send(line)
        elif line == "quit" or words[:1] == ["setoption"] and words[2:3] != ["EvalFile"]:
            agoge.send(line)
            other.send(line)
        else:
            playing.send(line)
        if line == "quit":
            break
    for engine in (agoge, other):
        engine.process.stdin.close()
        engine.process.wait()


if __name__ == "__main__":
    main()
