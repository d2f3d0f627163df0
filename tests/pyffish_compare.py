#!/usr/bin/env python3
"""Compares the engine with Fairy-Stockfish's rules in random games, ply by ply.

    pip install pyffish
    tests/pyffish_compare.py target/release/agoge --games 2000 --seed 1

The moves are chosen from those of pyffish. The engine, driven over UCI, gets each position as a list
of moves and sometimes as a FEN, and reports it with `d`. The comparison covers the legal moves, check,
the FEN, the state of the game and the key: positions have the same key if and only if board, side to
move and castling rights are the same.

A call of pyffish takes one or two milliseconds because it initializes its tables each time; 2000 games
take about six minutes on one core. Therefore only the legal moves are queried at every ply. The FENs
are computed here and compared with those of pyffish every few plies, since an error in them would
persist. Check is queried wherever the engine reports it, wherever there is no legal move, and every
few plies.

Fairy-Stockfish deviates from the rules of Spartan Chess in some outcomes. The rules used here are: mate
takes precedence over the fifty-move rule, and positions with one Spartan king are dead with bare kings,
a single knight or lieutenant, or bishops on squares of one colour.

Modes (--mode): `uniform` plays random legal moves from the initial position; `biased` prefers captures and
promotions (especially of and to kings) and castling; `endgame` does the same from random positions with
few pieces; `shuffle` moves back and forth in such positions to repeat them; `mix` alternates between all.

Games are played in parts of 25, each with its own engine process and random numbers, so they do not
depend on the number of jobs. The last line is a summary; the exit status is 1 on any difference.
"""

import argparse
import functools
import multiprocessing
import os
import random
import sys

import pyffish

from reported_positions import Engine, EngineError

VARIANT = "spartan"
START = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
MODES = ("uniform", "biased", "endgame", "shuffle")
GAMES_IN_PART = 25
# Interval in plies at which positions are also given as FENs and all pyffish queries are made.
SAMPLE = 12
MAX_REPORTS = 20


@functools.lru_cache(maxsize=1 << 12)
def in_check(fen):
    return pyffish.gives_check(VARIANT, fen, [])


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
    """Whether the material is dead."""
    if cells.count("k") != 1:
        return False
    others = [(piece, at) for at, piece in enumerate(cells) if piece not in ".Kk"]
    if len(others) < 2:
        return all(piece in "NBl" for piece, _ in others)
    return all(piece == "B" for piece, _ in others) and len({(at + at // 8) % 2 for _, at in others}) == 1


def random_endgame(rng):
    """A valid position with few pieces and one or two Spartan kings."""
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
        # The side not to move must not be in check.
        if not pyffish.gives_check(VARIANT, fens["b" if side == "w" else "w"], []):
            return fens[side]


def choose(rng, mode, moves, cells, before):
    """The next move; `before` is the mover's previous one."""
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


class Game:
    """A position and its history, maintained without pyffish."""

    def __init__(self, fen):
        self.start, self.history, self.seen = fen, [], {}
        # The start position and moves for pyffish.
        self.base, self.since = fen, []
        _, self.side, rights, _, halfmoves, fullmoves = fen.split(" ")
        self.cells, self.rights = cells_of(fen), rights.replace("-", "")
        self.halfmoves, self.fullmoves = int(halfmoves), int(fullmoves)
        self.arrive()

    def arrive(self):
        self.fen = fen_of(self.cells, self.side, self.rights, self.halfmoves, self.fullmoves)
        # Identifies the position.
        self.place = " ".join(self.fen.split(" ")[:3])
        self.seen[self.place] = self.seen.get(self.place, 0) + 1

    def push(self, move):
        cells = list(self.cells)
        origin, target, promotion = square(move), square(move[2:]), move[4:]
        piece, taken = cells[origin], cells[target]
        cells[origin] = "."
        cells[target] = (promotion.upper() if piece == "P" else promotion) if promotion else piece
        if piece == "K" and origin == 4 and target in (2, 6):
            corner, beside = (7, 5) if target == 6 else (0, 3)
            cells[corner], cells[beside] = ".", "R"
        for at, lost in ((4, "KQ"), (7, "K"), (0, "Q")):
            if at in (origin, target):
                self.rights = "".join(right for right in self.rights if right not in lost)
        self.cells = "".join(cells)
        self.halfmoves = 0 if piece in "Ph" or taken != "." else self.halfmoves + 1
        self.fullmoves += self.side == "b"
        self.side = "b" if self.side == "w" else "w"
        self.history.append(move)
        self.since.append(move)
        self.arrive()
        if self.halfmoves == 0:
            self.base, self.since = self.fen, []


def play(rng, mode, most_plies):
    """Plays a game. Returns the commands for the engine and the expected answer to each."""
    game = Game(START if mode in ("uniform", "biased") else random_endgame(rng))
    commands, expected, claimed = [], [], False
    while True:
        moves = sorted(pyffish.legal_moves(VARIANT, game.fen, []))
        plies, fen = len(game.history), game.fen
        last = not moves or game.halfmoves > 102 or plies >= most_plies or is_dead(game.cells)
        sample = last or plies % SAMPLE == 0
        pyffish_says = {}

        def state(occurrences):
            if not moves:
                return "checkmate" if in_check(fen) else "stalemate"
            if is_dead(game.cells):
                return "dead position"
            if game.halfmoves >= 100:
                return "fifty-move rule"
            return "threefold repetition" if occurrences >= 3 else "-"

        answer = {"Fen": fen, "Legal moves": " ".join(moves), "place": game.place, "sample": sample}
        here = dict(answer, State=state(game.seen[game.place]), start=game.start, history=list(game.history))
        if sample and plies:
            here["FEN by pyffish"] = pyffish.get_fen(VARIANT, game.base, game.since)
        # Draw claims must agree with Fairy-Stockfish.
        claim = game.seen[game.place] >= 3 or game.halfmoves >= 100
        if moves and (claim != claimed or sample):
            here["claim"] = claim
            here["claim by pyffish"] = pyffish.is_optional_game_end(VARIANT, game.base, game.since)[0]
        elif not moves and game.halfmoves < 100:
            result = pyffish.game_result(VARIANT, fen, [])
            here["claim"] = here["State"]
            here["claim by pyffish"] = "checkmate" if result == -pyffish.VALUE_MATE else "stalemate"
        claimed = claim

        path = "position fen " + game.start + (" moves " + " ".join(game.history) if plies else "")
        commands.append(path + "\nd\n")
        expected.append(here)
        if plies and sample:
            commands.append("position fen %s\nd\n" % fen)
            expected.append(dict(answer, State=state(1), start=fen, history=[]))
        if last:
            return commands, expected, plies
        game.push(choose(rng, mode, moves, game.cells, game.history[-2] if plies > 1 else None))


class Comparison:
    """Statistics and differences of the comparison."""

    def __init__(self):
        self.differences, self.counts, self.text = 0, {}, []
        self.key_of, self.place_of = {}, {}

    def differ(self, what, want, got, case):
        self.differences += 1
        if self.differences <= MAX_REPORTS:
            self.text.append("DIFFERENCE in %s\n  position fen %s moves %s\n  FEN %s" % (
                what, case["start"], " ".join(case["history"]), case["Fen"]))
            if what == "Legal moves":
                want, got = set(want.split()), set((got or "").split())
                want, got = " ".join(sorted(want - got)), " ".join(sorted(got - want))
                self.text.append("  pyffish only: %s\n  engine only:  %s" % (want, got))
            else:
                self.text.append("  expected: %s\n  actual:   %s" % (want, got))

    def compare(self, case, answer):
        for name in ("Fen", "Legal moves", "State"):
            if answer.get(name) != case[name]:
                self.differ(name, case[name], answer.get(name), case)
        if answer.get("Check") != "no" or case["sample"]:
            check = "yes" if in_check(case["Fen"]) else "no"
            if answer.get("Check") != check:
                self.differ("Check", check, answer.get("Check"), case)
        if case.get("FEN by pyffish", case["Fen"]) != case["Fen"]:
            self.differ("FEN, computed here against pyffish", case["FEN by pyffish"], case["Fen"], case)
        if case.get("claim") != case.get("claim by pyffish"):
            self.differ("outcome, rules against pyffish", case["claim by pyffish"], case["claim"], case)
        key, place = answer.get("Key"), case["place"]
        if self.key_of.setdefault(place, key) != key:
            self.differ("Key", self.key_of[place], key, case)
        elif key is None or self.place_of.setdefault(key, place) != place:
            self.differ("Key, shared with another position", place, self.place_of.get(key), case)
        if case["State"] != "-":
            self.counts[case["State"]] = self.counts.get(case["State"], 0) + 1
        elif answer.get("Check") == "yes":
            self.counts["check"] = self.counts.get("check", 0) + 1


def play_part(task):
    """Plays and compares some games with a new engine process."""
    options, part, games = task
    rng = random.Random("%d/%d" % (options.seed, part))
    comparison, plies, done = Comparison(), 0, 0
    waiting = []

    def collect():
        nonlocal plies, done
        expected, length = waiting.pop(0)
        for case in expected:
            comparison.compare(case, engine.receive())
        plies += length
        done += 1

    engine = Engine(options.engine, options.timeout)
    try:
        engine.start(VARIANT)
        for game in range(games):
            mode = MODES[game % len(MODES)] if options.mode == "mix" else options.mode
            commands, expected, length = play(rng, mode, options.plies)
            engine.send("ucinewgame\n" + "".join(commands))
            waiting.append((expected, length))
            # The engine processes a game while the next one is played.
            if len(waiting) > 2:
                collect()
        while waiting:
            collect()
        engine.quit()
    except EngineError as error:
        comparison.differences += 1
        comparison.text.append("FAILURE: %s" % error)
        engine.process.kill()
    return done, plies, comparison.differences, comparison.counts, comparison.text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", help="path of the engine")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mode", choices=MODES + ("mix",), default="mix")
    parser.add_argument("--plies", type=int, default=100, help="maximum length of a game")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of parallel processes")
    parser.add_argument("--timeout", type=float, default=60, help="response timeout in seconds")
    options = parser.parse_args()

    games = plies = differences = shown = 0
    counts = {}
    sizes = [min(GAMES_IN_PART, options.games - first) for first in range(0, options.games, GAMES_IN_PART)]
    tasks = [(options, part, size) for part, size in enumerate(sizes)]
    with multiprocessing.Pool(max(1, options.jobs)) as pool:
        for more_games, more_plies, more_differences, more_counts, text in pool.imap_unordered(play_part, tasks):
            games, plies, differences = games + more_games, plies + more_plies, differences + more_differences
            for name, count in more_counts.items():
                counts[name] = counts.get(name, 0) + count
            for line in text[:max(0, 2 * MAX_REPORTS - shown)]:
                print(line, flush=True)
                shown += 1
    print(", ".join("%s %d" % item for item in sorted(counts.items())))
    print("%d games, %d plies, %d differences" % (games, plies, differences))
    return 1 if differences or games != options.games else 0


if __name__ == "__main__":
    sys.exit(main())
