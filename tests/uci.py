"""A UCI client, and what the scripts that compare implementations of the rules share."""

import argparse
import collections
import queue
import subprocess
import threading

MAX_REPORTS = 20


def parser(description):
    """A parser of arguments that shows the description of a script as it is written."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


class EngineError(Exception):
    """The engine has exited or does not respond."""


class Engine:
    """An engine with separate threads for input and output, so neither side blocks."""

    def __init__(self, *command, timeout=60):
        self.timeout = timeout
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self.outbox, self.inbox = queue.Queue(), queue.Queue()
        threading.Thread(target=self._write, daemon=True).start()
        threading.Thread(target=self._read, daemon=True).start()

    def _write(self):
        while True:
            text = self.outbox.get()
            try:
                self.process.stdin.write(text)
                self.process.stdin.flush()
            except (BrokenPipeError, ValueError):
                return

    def _read(self):
        for line in self.process.stdout:
            self.inbox.put(line.rstrip())
        self.inbox.put(None)

    def send(self, *lines):
        self.outbox.put("".join(f"{line}\n" for line in lines))

    def line(self):
        try:
            line = self.inbox.get(timeout=self.timeout)
        except queue.Empty:
            raise EngineError(f"no response from the engine for {self.timeout:g} seconds") from None
        if line is None:
            raise EngineError(f"the engine has exited with status {self.process.wait()}")
        return line

    def until(self, prefix):
        """The lines up to the first with a prefix."""
        lines = [self.line()]
        while not lines[-1].startswith(prefix):
            lines.append(self.line())
        return lines

    def best_move(self, position, limit):
        """The best move in a position, as after `position` and `go`."""
        self.send(f"position {position}", f"go {limit}")
        return self.until("bestmove")[-1].split()[1]

    def report(self):
        """The fields in the answer to `d`, and the error message before it, if any."""
        fields = {"error": None}
        # `State` is the last line.
        for line in self.until("State:"):
            name, colon, rest = line.partition(":")
            if colon:
                fields[name] = rest.strip()
            if line.startswith("info string error: "):
                fields["error"] = line
        return fields

    def start(self, variant):
        self.send("uci")
        self.until("uciok")
        self.send(f"setoption name UCI_Variant value {variant}")

    def quit(self):
        self.send("quit")
        self.end()

    def end(self):
        """Expects a clean exit."""
        try:
            status = self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise EngineError("the engine does not quit") from None
        if status != 0:
            raise EngineError(f"the engine exited with status {status}")

    def kill(self):
        self.process.kill()
        self.process.wait()


class Comparison:
    """Counts what is compared, and keeps the first differences as texts."""

    def __init__(self):
        self.differences, self.counts, self.texts = 0, collections.Counter(), []

    def compare(self, what, where, expected, found):
        if expected == found:
            return
        self.differences += 1
        if self.differences > MAX_REPORTS:
            return
        if what == "Legal moves":
            expected, found = set(expected.split()), set((found or "").split())
            expected, found = (f"only {' '.join(sorted(moves))}" for moves in (expected - found, found - expected))
        self.texts.append(f"DIFFERENCE in {what}\n  {where}\n  expected: {expected}\n  engine:   {found}")

    def add(self, other):
        """Adds the results of another one, as from a process of a pool."""
        self.differences += other.differences
        self.counts.update(other.counts)
        self.texts += other.texts

    def print(self):
        for text in self.texts[:MAX_REPORTS]:
            print(text)
        print(", ".join(f"{name} {count}" for name, count in sorted(self.counts.items())))


# ---- positions


def square(name):
    """The index of a square, a1 first."""
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def cells_of(fen):
    """The pieces by square, a1 first; '.' for an empty square."""
    rows = fen.split(" ", 1)[0]
    for gap in "12345678":
        rows = rows.replace(gap, "." * int(gap))
    return "".join(reversed(rows.split("/")))


def fen_of(cells, side, rights, halfmoves, fullmoves):
    rows = []
    for rank in range(7, -1, -1):
        row = cells[rank * 8:rank * 8 + 8]
        for gap in range(8, 0, -1):
            row = row.replace("." * gap, str(gap))
        rows.append(row)
    return f"{'/'.join(rows)} {side} {rights or '-'} - {halfmoves} {fullmoves}"


def random_fen(rng, kings=None, most=10):
    """The FEN of a random position with one or two Spartan kings and at most that many other men, perhaps with a king in
    check that must not be."""
    cells = ["."] * 64
    home = rng.random() < .2
    for at, piece in ((4, "K"), (0, "R"), (7, "R")) if home else ((rng.randrange(64), "K"),):
        cells[at] = piece
    for piece in ["k"] * (kings or rng.choice((1, 2))) + rng.choices("QRBNPPgwclhh", k=rng.randint(0, most)):
        squares = range(8, 56) if piece in "Ph" else range(64)
        cells[rng.choice([at for at in squares if cells[at] == "."])] = piece
    rights = rng.choice(("KQ", "K", "Q", "")) if home else ""
    halfmoves = rng.choice((0, rng.randint(0, 60), rng.randint(85, 99)))
    return fen_of("".join(cells), rng.choice("wb"), rights, halfmoves, rng.randint(1, 150))


def is_dead(cells):
    """Whether neither side has the material to mate."""
    if cells.count("k") != 1:
        return False
    others = [(piece, at) for at, piece in enumerate(cells) if piece not in ".Kk"]
    if len(others) < 2:
        return all(piece in "NBnbl" for piece, _ in others)
    return all(piece in "Bb" for piece, _ in others) and len({(at + at // 8) % 2 for _, at in others}) == 1
