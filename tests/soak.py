#!/usr/bin/env python3
"""Drives the engine by UCI at random for a long time, by a seed:

    tests/soak.py target/release/agoge --tables FOLDER --seconds 3600 --seed 1

Each round sets options (variants, levels, books, tables, networks, hash sizes, threads), then sends a storm of commands,
many of them during searches. It checks that each `go` has exactly one `bestmove`, that the moves are legal, that
`isready` is answered within a second during a search, and that the memory stays level. The machine should be idle.
"""

import random
import re
import sys
import tempfile
import time
from pathlib import Path

from uci import Engine, parser, random_fen


# A book of the user: moves with weights.
BOOK = """lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ -; e2e4 3 d2d4 1
lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ -; h7f5 2 a7c5 1
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -; e2e4 1
"""

# What the engine must answer with an error or ignore.
NONSENSE = ("xyzzy", "position fen 8/8 w", "setoption name Hash value -1", "perft", "\ufeff", "d d",
            "setoption name EvalFile value /nowhere", "setoption name TablePath value /nowhere", "position startpos moves a1a1")


class Soak:
    def __init__(self, program, tables, seed):
        self.random = random.Random(seed)
        self.engine = Engine(program)
        self.tables = tables
        folder = tempfile.TemporaryDirectory(prefix="agoge-soak-")
        self.folder, self.book = folder, Path(folder.name, "book.epd")
        self.book.write_text(BOOK)
        self.searches = self.ready = self.rounds = 0
        self.slowest = 0.0
        self.memory = []
        self.variant = "spartan"
        self.tell("uci")
        self.engine.until("uciok")

    def tell(self, *lines):
        self.engine.send(*lines)

    def set(self, name, value):
        self.tell(f"setoption name {name} value {value}")

    def ask_ready(self, keep):
        """Lines up to `readyok` go to `keep`."""
        begin = time.monotonic()
        self.tell("isready")
        while (line := self.engine.line()) != "readyok":
            keep(line)
        self.ready += 1
        return time.monotonic() - begin

    def options(self):
        rng = self.random
        self.variant = rng.choice(("spartan", "spartan", "spartan", "chess"))
        self.set("UCI_Variant", self.variant)
        self.set("Threads", rng.choice((1, 1, 2, 3)))
        self.set("Hash", rng.choice((1, 8, 16, 64)))
        self.set("MultiPV", rng.choice((1, 1, 1, 2, 4)))
        self.set("Skill Level", rng.choice((20, 20, rng.randint(0, 19))))
        self.set("UCI_LimitStrength", rng.choice(("false", "false", "true")))
        self.set("UCI_Elo", rng.randint(500, 2850))
        self.set("OwnBook", rng.choice(("false", "true")))
        self.set("BookVariety", rng.choice((0, 10, 100)))
        self.set("BookFile", rng.choice(("<empty>", self.book)))
        self.set("TablePath", rng.choice(("<empty>", self.tables)) if self.tables else "<empty>")
        self.set("Use NNUE", rng.choice(("true", "true", "false")))
        self.set("UCI_ShowWDL", rng.choice(("false", "true")))
        self.set("UCI_AnalyseMode", rng.choice(("false", "true")))
        self.set("Move Overhead", rng.choice((0, 10, 100)))
        if rng.random() < 0.3:
            self.tell("setoption name Clear Hash")
        if rng.random() < 0.5:
            self.tell("ucinewgame")

    def position(self):
        """A position in which there is a legal move, as the engine reads it."""
        rng = self.random
        while True:
            text = "startpos"
            if rng.random() < 0.6 and self.variant == "spartan":
                text = f"fen {random_fen(rng, most=rng.choice((1, 2, 10, 24)))}"
            moves = []
            for _ in range(rng.randint(0, 12) if text == "startpos" else 2):
                legal = self.legal_moves(text, moves)
                if not legal:
                    break
                moves.append(rng.choice(legal))
            line = f"{text} moves {' '.join(moves)}" if moves else text
            if self.legal_moves(text, moves):
                return line

    def legal_moves(self, text, moves):
        """The legal moves after some moves; none if the position is not valid."""
        self.tell(f"position {text} moves {' '.join(moves)}" if moves else f"position {text}", "go perft 1")
        lines = self.engine.until("Nodes searched")
        if any("error" in line for line in lines):
            return []
        return [line.split(":")[0] for line in lines[:-1] if re.match(r"[a-h][1-8][a-h][1-8]\w?: 1$", line)]

    def limit(self):
        rng = self.random
        return rng.choice((
            f"depth {rng.randint(1, 9)}", f"nodes {rng.randint(1, 30_000)}", f"movetime {rng.randint(1, 100)}",
            f"wtime {rng.randint(1, 3000)} btime {rng.randint(1, 3000)} winc {rng.randint(0, 50)} binc 5",
            f"wtime {rng.randint(-10, 500)} btime 400 movestogo {rng.randint(1, 5)}", f"mate {rng.randint(1, 4)} nodes 20000",
            # A limit that cannot be read is none.
            "depth x", "infinite", f"ponder wtime {rng.randint(50, 2000)} btime 500",
        ))

    def storm(self):
        """Many commands without waiting for anything but the answers to `isready` and, at the end, all moves."""
        rng = self.random
        positions = [self.position() for _ in range(rng.randint(1, 4))]
        expected, answers = [], []

        def keep(line):
            if line.startswith("bestmove"):
                answers.append(line.split()[1])

        for _ in range(rng.randint(5, 40)):
            at = rng.choice(positions)
            endless = False
            match rng.choice("gggggrrnsho"):
                case "g":
                    limit = self.limit()
                    endless = limit.startswith(("depth x", "infinite", "ponder"))
                    self.tell(f"position {at}", f"go {limit}")
                    expected.append(at)
                case "r":
                    self.slowest = max(self.slowest, self.ask_ready(keep))
                case "n":
                    self.tell(rng.choice(NONSENSE))
                case "s":
                    self.tell("stop")
                case "h":
                    self.tell("ponderhit")
                case "o":
                    self.set("MultiPV", rng.randint(1, 3))
            if endless:
                if rng.random() < 0.5:
                    time.sleep(rng.random() / 10)
                    self.slowest = max(self.slowest, self.ask_ready(keep))
                self.tell(rng.choice(("stop", "stop", "ponderhit\nstop")))
        self.tell("stop")
        while len(answers) < len(expected):
            keep(self.engine.line())
        self.tell("wait", "stop")
        self.ask_ready(keep)
        if len(answers) != len(expected):
            sys.exit(f"{len(expected)} searches, {len(answers)} moves")
        for at, move in zip(expected, answers):
            self.tell(f"position {at}{' ' if ' moves ' in at else ' moves '}{move}")
        lines = []
        self.ask_ready(lines.append)
        if errors := [line for line in lines if "error" in line]:
            sys.exit(f"an illegal move: {errors[0]}, of {list(zip(expected, answers))}")
        self.searches += len(expected)

    def note_memory(self):
        """The memory in MiB with the smallest table and one thread."""
        for name, value in (("TablePath", "<empty>"), ("Hash", 1), ("Threads", 1), ("BookFile", "<empty>")):
            self.set(name, value)
        self.ask_ready(lambda line: None)
        with open(f"/proc/{self.engine.process.pid}/status") as file:
            kib = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        self.memory.append(kib / 1024)

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.options()
            for _ in range(5):
                self.storm()
            self.note_memory()
            self.rounds += 1
        self.engine.quit()


def main():
    arguments = parser(__doc__)
    arguments.add_argument("program")
    arguments.add_argument("--tables", help="a folder with tables of endgames")
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    arguments = arguments.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    soak = Soak(arguments.program, arguments.tables, arguments.seed)
    soak.run(arguments.seconds)
    quarter = len(soak.memory) // 4 or 1
    first, last = (max(part) for part in (soak.memory[quarter:2 * quarter] or soak.memory, soak.memory[-quarter:]))
    print(f"{soak.rounds} rounds, {soak.searches} searches, a move for each; isready {soak.ready} times, at most "
          f"{soak.slowest * 1000:.0f} ms; memory {first:.1f} MiB in the second quarter, {last:.1f} in the last")
    if soak.slowest > 1:
        sys.exit("isready took more than a second")
    if last > first * 1.1 + 4:
        sys.exit("the memory has grown")


if __name__ == "__main__":
    main()
