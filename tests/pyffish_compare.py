#!/usr/bin/env python3
"""Compares the engine with Fairy-Stockfish's rules, ply by ply, in random games.

    pip install pyffish
    tests/pyffish_compare.py target/release/agoge --games 2000 --seed 1

The games are played by pyffish; the engine, driven over UCI, is given each position as the moves
that led to it and, now and then, as a FEN, and says with `d` what it sees. Compared are the legal
moves, check, the FEN, the state of the game and the key: the same board, side and castling rights
must always have the same key, and no others.

Fairy-Stockfish departs from the rules of Spartan Chess in some ends of games; there the rules hold:
mate goes before the fifty-move rule, and positions are dead with kings only, with a single knight
or lieutenant, or with bishops of one colour of squares, against one Spartan king.

Kinds of games (--mode): `uniform` from the start, any legal move; `biased` prefers captures,
promotions, kings and castling; `endgame` the same from random positions with few pieces; `shuffle`
goes back and forth in such positions, so that they repeat; `mix` all of them in turn.

The last line sums up; the exit status is 1 where anything differed.
"""

import argparse
import queue
import random
import subprocess
import sys
import threading

import pyffish

VARIANT = "spartan"
START = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
MODES = ("uniform", "biased", "endgame", "shuffle")
MAX_PLIES = 400
# Every so many plies the position is also given as a FEN alone.
FEN_EVERY = 4
MAX_REPORTS = 20


class EngineError(Exception):
    """The engine has ended or says nothing."""


class Engine:
    """A UCI engine that is written to and read from by threads, so that neither side waits."""

    def __init__(self, path, timeout):
        self.timeout = timeout
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1 << 16)
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
        report = {}
        for line in self.process.stdout:
            name, colon, rest = line.rstrip("\n").partition(":")
            if colon and name in ("Fen", "Key", "Check", "Legal moves", "State"):
                report[name] = rest.strip()
                # The last line of a report.
                if name == "State":
                    self.inbox.put(report)
                    report = {}
            elif line.strip() == "uciok":
                self.inbox.put("uciok")
        self.inbox.put(None)

    def send(self, text):
        self.outbox.put(text)

    def receive(self):
        try:
            answer = self.inbox.get(timeout=self.timeout)
        except queue.Empty:
            raise EngineError("the engine says nothing for %g seconds" % self.timeout) from None
        if answer is None:
            raise EngineError("the engine has ended with status %s" % self.process.wait())
        return answer

    def start(self):
        self.send("uci\n")
        while self.receive() != "uciok":
            pass
        self.send("setoption name UCI_Variant value %s\n" % VARIANT)

    def quit(self):
        self.send("quit\n")
        try:
            status = self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise EngineError("the engine does not quit") from None
        if status != 0:
            raise EngineError("the engine quits with status %d" % status)


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
    return "%s %s %s - %d %d" % ("/".join(rows), side, rights or "-", halfmoves, fullmoves)


def square(name):
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def is_dead(cells):
    """Whether the rules call the material dead."""
    if cells.count("k") != 1:
        return False
    others = [(piece, at) for at, piece in enumerate(cells) if piece not in ".Kk"]
    if len(others) < 2:
        return all(piece in "NBl" for piece, _ in others)
    return all(piece == "B" for piece, _ in others) and len({(at + at // 8) % 2 for _, at in others}) == 1


def random_endgame(rng):
    """A valid position with a few pieces, one Spartan king or two."""
    while True:
        pieces = ["K", "k"] + ["k"] * (rng.random() < .6)
        pieces += rng.choices("QRBNP", k=rng.randint(0, 5)) + rng.choices("gwclh", k=rng.randint(0, 5))
        pieces += rng.choices("Ph", k=rng.choice((0, 0, 3)))
        cells = ["."] * 64
        home = rng.random() < .2
        if home:
            for at, piece in ((4, "K"), (0, "R"), (7, "R")):
                cells[at] = piece
            pieces.remove("K")
        for piece in pieces:
            low, high = (8, 55) if piece in "Ph" else (0, 63)
            at = rng.randint(low, high)
            while cells[at] != ".":
                at = rng.randint(low, high)
            cells[at] = piece
        cells = "".join(cells)
        rights = rng.choice(("KQ", "K", "Q", "")) if home else ""
        halfmoves = rng.choice((rng.randint(0, 60), rng.randint(85, 99)))
        fens = {side: fen_of(cells, side, rights, halfmoves, rng.randint(50, 120)) for side in "wb"}
        side = rng.choice("wb")
        # The side that is not to move must not be in check.
        if not pyffish.gives_check(VARIANT, fens["b" if side == "w" else "w"], []):
            return fens[side]


def choose(rng, mode, moves, cells, before):
    """The next move; `before` is the mover's last one."""
    if mode == "shuffle" and before and rng.random() < .7:
        back = before[2:4] + before[:2]
        if back in moves:
            return back
    if mode == "uniform" or mode == "shuffle" or rng.random() < .3:
        return rng.choice(moves)
    weights = []
    for move in moves:
        piece, target = cells[square(move)], cells[square(move[2:])]
        weight = 1
        if target != ".":
            weight *= 6 if target == "k" else 3
        if move[4:]:
            weight *= 20 if move[4:] == "k" else 4
        if piece in "Phk":
            weight *= 2
        if piece == "K" and move in ("e1g1", "e1c1"):
            weight *= 30
        weights.append(weight)
    return rng.choices(moves, weights)[0]


def play(rng, mode):
    """Plays a game. Gives the commands for the engine and, for each, what it must answer."""
    fen = start = START if mode in ("uniform", "biased") else random_endgame(rng)
    history, seen, commands, expected = [], {}, [], []
    while True:
        cells = cells_of(fen)
        moves = sorted(pyffish.legal_moves(VARIANT, fen, []))
        check = pyffish.gives_check(VARIANT, fen, [])
        fields = fen.split(" ")
        halfmoves = int(fields[4])
        place = " ".join(fields[:3])
        seen[place] = seen.get(place, 0) + 1
        claims = {}

        def state(occurrences):
            if not moves:
                return "checkmate" if check else "stalemate"
            if is_dead(cells):
                return "dead position"
            if halfmoves >= 100:
                return "fifty-move rule"
            return "threefold repetition" if occurrences >= 3 else "-"

        if moves:
            # What these rules say of a claim, Fairy-Stockfish must say, too.
            claims["claim"] = seen[place] >= 3 or halfmoves >= 100
            claims["claim by pyffish"] = pyffish.is_optional_game_end(VARIANT, start, history)[0]
        elif halfmoves < 100:
            result = pyffish.game_result(VARIANT, fen, [])
            claims["claim"] = "checkmate" if check else "stalemate"
            claims["claim by pyffish"] = "checkmate" if result == -pyffish.VALUE_MATE else "stalemate"

        answer = {"Fen": fen, "Check": "yes" if check else "no", "Legal moves": " ".join(moves)}
        commands.append("position fen %s moves %s\nd\n" % (start, " ".join(history)) if history else "position fen %s\nd\n" % fen)
        expected.append(dict(answer, State=state(seen[place]), place=place, start=start, history=list(history), **claims))
        if history and len(history) % FEN_EVERY == 0:
            commands.append("position fen %s\nd\n" % fen)
            expected.append(dict(answer, State=state(1), place=place, start=fen, history=[]))
        if not moves or halfmoves > 102 or len(history) >= MAX_PLIES or is_dead(cells):
            return commands, expected, len(history)
        move = choose(rng, mode, moves, cells, history[-2] if len(history) > 1 else None)
        history.append(move)
        fen = pyffish.get_fen(VARIANT, fen, [move])


class Comparison:
    """What was compared so far, and what differed."""

    def __init__(self):
        self.differences, self.counts = 0, {}
        self.key_of, self.place_of = {}, {}

    def differ(self, what, want, got, case):
        self.differences += 1
        if self.differences <= MAX_REPORTS:
            print("DIFFERENCE in %s\n  position fen %s moves %s\n  there %s" % (
                what, case["start"], " ".join(case["history"]), case["Fen"]))
            if what == "Legal moves":
                want, got = set(want.split()), set((got or "").split())
                print("  pyffish only: %s\n  engine only: %s" % (" ".join(sorted(want - got)), " ".join(sorted(got - want))))
            else:
                print("  expected: %s\n  engine:   %s" % (want, got))

    def compare(self, case, answer):
        for name in ("Fen", "Check", "Legal moves", "State"):
            if answer.get(name) != case[name]:
                self.differ(name, case[name], answer.get(name), case)
        if case.get("claim") != case.get("claim by pyffish"):
            self.differ("end of the game, rules against pyffish", case["claim by pyffish"], case["claim"], case)
        key, place = answer.get("Key"), case["place"]
        if self.key_of.setdefault(place, key) != key:
            self.differ("Key", self.key_of[place], key, case)
        elif key is None or self.place_of.setdefault(key, place) != place:
            self.differ("Key, which another position has", place, self.place_of.get(key), case)
        if case["State"] != "-":
            self.counts[case["State"]] = self.counts.get(case["State"], 0) + 1
        elif case["Check"] == "yes":
            self.counts["check"] = self.counts.get("check", 0) + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", help="the program")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", choices=MODES + ("mix",), default="mix")
    parser.add_argument("--timeout", type=float, default=60, help="seconds without an answer that count as a failure")
    options = parser.parse_args()

    rng = random.Random(options.seed)
    comparison, plies, games = Comparison(), 0, 0
    engine = Engine(options.engine, options.timeout)
    waiting = []

    def collect():
        nonlocal plies, games
        expected, length = waiting.pop(0)
        for case in expected:
            comparison.compare(case, engine.receive())
        plies += length
        games += 1

    try:
        engine.start()
        for game in range(options.games):
            mode = MODES[game % len(MODES)] if options.mode == "mix" else options.mode
            commands, expected, length = play(rng, mode)
            engine.send("ucinewgame\n" + "".join(commands))
            waiting.append((expected, length))
            # The engine works on a game while the next one is played.
            if len(waiting) > 2:
                collect()
        while waiting:
            collect()
        engine.quit()
    except EngineError as error:
        comparison.differences += 1
        print("FAILURE: %s" % error)
        engine.process.kill()
    print(", ".join("%s %d" % item for item in sorted(comparison.counts.items())))
    print("%d games, %d plies, %d differences" % (games, plies, comparison.differences))
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
