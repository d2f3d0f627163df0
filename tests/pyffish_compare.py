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

import functools
import multiprocessing
import os
import random
import sys

import pyffish

from uci import Comparison, Engine, EngineError, cells_of, fen_of, is_dead, parser, random_fen, square

VARIANT = "spartan"
START = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
MODES = ("uniform", "biased", "endgame", "shuffle")
GAMES_IN_PART = 25
# Interval in plies at which positions are also given as FENs and all pyffish queries are made.
SAMPLE = 12


@functools.lru_cache(maxsize=1 << 12)
def in_check(fen):
    return pyffish.gives_check(VARIANT, fen, [])


def random_endgame(rng):
    """A valid position with few pieces and one or two Spartan kings."""
    while True:
        fen = random_fen(rng)
        # The side not to move must not be in check.
        other = fen.replace(" w ", " b ") if " w " in fen else fen.replace(" b ", " w ")
        if not pyffish.gives_check(VARIANT, other, []):
            return fen


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

        commands += [f"position fen {game.start} moves {' '.join(game.history)}", "d"]
        expected.append(here)
        if plies and sample:
            commands += [f"position fen {fen}", "d"]
            expected.append(dict(answer, State=state(1), start=fen, history=[]))
        if last:
            return commands, expected, plies
        game.push(choose(rng, mode, moves, game.cells, game.history[-2] if plies > 1 else None))


class Keys:
    """Checks that positions have the same key if and only if they are the same."""

    def __init__(self):
        self.key_of, self.place_of = {}, {}

    def compare(self, comparison, where, key, place):
        known = self.key_of.setdefault(place, key)
        comparison.compare("Key", where, known or "a key", key)
        if known == key:
            comparison.compare("Key, shared with another position", where, place, self.place_of.setdefault(key, place))


def compare(comparison, keys, case, answer):
    """Compares the engine's report of a position with the expected one."""
    where = f"position fen {case['start']} moves {' '.join(case['history'])}\n  FEN {case['Fen']}"
    for name in ("Fen", "Legal moves", "State"):
        comparison.compare(name, where, case[name], answer.get(name))
    if answer.get("Check") != "no" or case["sample"]:
        comparison.compare("Check", where, "yes" if in_check(case["Fen"]) else "no", answer.get("Check"))
    comparison.compare("FEN, computed here against pyffish", where, case.get("FEN by pyffish", case["Fen"]), case["Fen"])
    comparison.compare("outcome, rules against pyffish", where, case.get("claim by pyffish"), case.get("claim"))
    keys.compare(comparison, where, answer.get("Key"), case["place"])
    if case["State"] != "-":
        comparison.counts[case["State"]] += 1
    elif answer.get("Check") == "yes":
        comparison.counts["check"] += 1


def play_part(task):
    """Plays and compares some games with a new engine process."""
    options, part, games = task
    rng = random.Random(f"{options.seed}/{part}")
    comparison, keys, plies, done = Comparison(), Keys(), 0, 0
    waiting = []

    def collect():
        nonlocal plies, done
        expected, length = waiting.pop(0)
        for case in expected:
            compare(comparison, keys, case, engine.report())
        plies += length
        done += 1

    engine = Engine(options.engine, timeout=options.timeout)
    try:
        engine.start(VARIANT)
        for game in range(games):
            mode = MODES[game % len(MODES)] if options.mode == "mix" else options.mode
            commands, expected, length = play(rng, mode, options.plies)
            engine.send("ucinewgame", *commands)
            waiting.append((expected, length))
            # The engine processes a game while the next one is played.
            if len(waiting) > 2:
                collect()
        while waiting:
            collect()
        engine.quit()
    except EngineError as error:
        comparison.differences += 1
        comparison.texts.append(f"FAILURE: {error}")
        engine.kill()
    return done, plies, comparison


def main():
    arguments = parser(__doc__)
    arguments.add_argument("engine", help="path of the engine")
    arguments.add_argument("--games", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--mode", choices=MODES + ("mix",), default="mix")
    arguments.add_argument("--plies", type=int, default=100, help="maximum length of a game")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of parallel processes")
    arguments.add_argument("--timeout", type=float, default=60, help="response timeout in seconds")
    options = arguments.parse_args()

    games, plies, whole = 0, 0, Comparison()
    sizes = [min(GAMES_IN_PART, options.games - first) for first in range(0, options.games, GAMES_IN_PART)]
    tasks = [(options, part, size) for part, size in enumerate(sizes)]
    with multiprocessing.Pool(max(1, options.jobs)) as pool:
        for more_games, more_plies, comparison in pool.imap_unordered(play_part, tasks):
            games, plies = games + more_games, plies + more_plies
            whole.add(comparison)
    whole.print()
    print(f"{games} games, {plies} plies, {whole.differences} differences")
    return 1 if whole.differences or games != options.games else 0


if __name__ == "__main__":
    sys.exit(main())
