#!/usr/bin/env python3
"""Compares the engine with a simple implementation of the rules where Fairy-Stockfish deviates from them.

    tests/oracle_compare.py target/release/agoge spartan_oracle.py --seed 1

`pyffish_compare.py` compares moves, check and positions with Fairy-Stockfish, which accepts FENs of
impossible positions, scores a mate on the fiftieth move as a draw, defines dead positions differently, and
writes no check signs. This script compares these with the oracle, a Python module with a class `Position`
that implements the rules on a mailbox of letters. The oracle is not part of this repository. Compared are:

- FENs of random positions, most of them with errors: whether they are accepted, and how they are printed;
- the state of random games with few pieces, near the fiftieth move and with repetitions: legal moves,
  check, mate, stalemate, dead positions, the fifty-move rule, threefold repetition;
- the notation of random games: `agoge analyse` reads moves in several notations, and must write the
  oracle's notation, including `+` and `#`.

The last line is a summary; the exit status is 1 on any difference.
"""

import importlib.util
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from uci import Comparison, Engine, parser, random_fen


def load_oracle(path):
    specification = importlib.util.spec_from_file_location("spartan_oracle", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def ask(engine, command):
    """The engine's report after a command that sets up a position."""
    engine.send(command, "d")
    return engine.report()


def random_position(oracle, rng, kings=None, most=None):
    """The oracle's FEN of a random valid position."""
    while True:
        fen = random_fen(rng, kings, rng.choice((2, 6, 20)) if most is None else most)
        try:
            return oracle.Position(fen).fen()
        except oracle.FenError:
            continue


def spoil(rng, fen):
    """Changes something in a FEN, which usually makes it invalid."""
    fields = fen.split(" ")
    if len(fields) != 6:
        return fen
    kind = rng.randrange(12)
    if kind <= 3:
        # A piece added, removed or replaced: kings, pawns on the back ranks, pieces of the other army.
        at = rng.randrange(len(fields[0]))
        letter = rng.choice("KQRBNPkgwclhqrbnpGWCLHx.12345678/")
        fields[0] = fields[0][:at] + letter + fields[0][at + rng.randrange(2):]
    elif kind == 4:
        fields[1] = rng.choice("wbWB-x")
    elif kind == 5:
        fields[2] = rng.choice(("-", "K", "Q", "KQ", "QK", "HA", "A", "h", "KK", "KQkq", "kq", "KQX", "--", "ha", "AH"))
    elif kind == 6:
        fields[3] = rng.choice(("-", "e3", "a6", "e4", "i3", "e", "--", "3e", "E3"))
    elif kind == 7:
        fields[4] = rng.choice(("0", "99", "100", "-1", "x", "1.5", "+3", "", "007", "120"))
    elif kind == 8:
        fields[5] = rng.choice(("0", "1", "-1", "x", "9999", "1e3", "+1", "012"))
    elif kind == 9:
        fields = fields[:rng.randint(1, 6)]
    elif kind == 10:
        fields.append(rng.choice(("1", "extra")))
    else:
        rows = fields[0].split("/")
        rng.shuffle(rows)
        fields[0] = "/".join(rows[:rng.choice((7, 8, 8, 8, 8))])
    return " ".join(fields)


def without_black_castling(fen):
    """Removes Black's castling rights, which the engine ignores and the oracle rejects."""
    fields = fen.split()
    if len(fields) > 2 and re.fullmatch("[KQHAkq]+", fields[2]):
        fields[2] = re.sub("[kq]", "", fields[2]) or "-"
    return " ".join(fields)


def compare_fens(oracle, engine, rng, number, comparison):
    before = oracle.START_FEN
    ask(engine, "position startpos")
    for _ in range(number):
        fen = random_position(oracle, rng)
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            fen = spoil(rng, fen)
        try:
            expected = oracle.Position(without_black_castling(fen)).fen()
        except oracle.FenError:
            expected = None
        comparison.counts["FENs accepted" if expected else "FENs refused"] += 1
        report = ask(engine, "position fen " + fen)
        comparison.compare("whether a FEN is refused", fen, expected is None, report["error"] is not None)
        # A refused FEN leaves the position unchanged.
        comparison.compare("the position", fen, expected or before, report["Fen"])
        before = report["Fen"]


def compare_games(oracle, engine, rng, number, comparison):
    for _ in range(number):
        # Few pieces lead to mates or repetitions.
        fen = random_position(oracle, rng, kings=rng.choice((1, 1, 2)), most=rng.choice((2, 3, 5, 8)))
        position, moves, last = oracle.Position(fen), [], {}
        while True:
            result, why = position.result()
            expected = {
                "Fen": position.fen(),
                "Legal moves": " ".join(position.legal_moves()),
                "Check": "yes" if position.in_check() else "no",
                "State": "checkmate" if why == "duple-checkmate" else why or "-",
            }
            command = "position fen " + fen + (" moves " + " ".join(moves) if moves else "")
            report = ask(engine, command)
            for name, value in expected.items():
                comparison.compare(name, command, value, report[name])
            comparison.compare("errors", command, None, report["error"])
            comparison.counts["positions"] += 1
            if why:
                late = " on the fiftieth move" if why.endswith("checkmate") and position.halfmove >= 100 else ""
                comparison.counts[expected["State"] + late] += 1
            if result != "*" or len(moves) >= 40:
                break
            legal = position.legal_moves()
            # Prefer a mate if there is one, else reversing the last move to repeat positions.
            back = last.get(position.white_to_move)
            back = back and back[2:4] + back[:2]
            mates = [move for move in legal if position.san(move).endswith("#")]
            if mates and rng.random() < .7:
                move = rng.choice(mates)
            else:
                move = back if back in legal and rng.random() < .6 else rng.choice(legal)
            last[position.white_to_move] = move
            position.push(move)
            moves.append(move)


def alternative_notation(oracle, rng, position, move):
    """A move in one of the accepted notations."""
    san = position.san(move)
    kind = rng.randrange(6)
    if kind == 0:
        return san.rstrip("+#")
    if kind == 1:
        return san + rng.choice(("!", "?", "!?", "??"))
    if kind == 2:
        return san.replace("O", "0")
    if kind == 3 and san[0] != "O":
        # The long form.
        piece = position.board[oracle.sq_of(move[:2])].upper()
        taken = position.board[oracle.sq_of(move[2:4])]
        sign = "-" if taken == "." else "x"
        promotion = "=" + move[4:].upper() if move[4:] else ""
        return ("" if piece == "P" else piece) + move[:2] + sign + move[2:4] + promotion
    if kind == 4:
        return move
    return san


def compare_notation(oracle, program, rng, number, comparison):
    games, expected = [], []
    for _ in range(number):
        fen = oracle.START_FEN if rng.random() < .5 else random_position(oracle, rng)
        position, written, sans = oracle.Position(fen), [], []
        while position.result()[0] == "*" and len(sans) < 80:
            move = rng.choice(position.legal_moves())
            number_of_move = "%d%s" % (position.fullmove, "." if position.white_to_move else "...")
            written.append(number_of_move + " " + alternative_notation(oracle, rng, position, move))
            sans.append(position.san(move))
            position.push(move)
        tags = '[Variant "Spartan"]\n[SetUp "1"]\n[FEN "%s"]\n' % fen
        games.append("%s\n%s *\n" % (tags, "\n".join(written)))
        expected.append(sans)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "games.pgn")
        file.write_text("\n".join(games), encoding="utf-8")
        run = subprocess.run([program, "analyse", "--nodes", "1", "--hash", "1", file], capture_output=True, text=True)
        comparison.compare("the exit status of analyse", run.stderr[:500], 0, run.returncode)
        text = file.with_suffix(".analysed.pgn").read_text(encoding="utf-8")
    found = []
    for part in text.split("[Variant ")[1:]:
        moves = part[part.rindex("]\n\n") + 3:]
        while re.search(r"[({]", moves):
            moves = re.sub(r"\{[^{}]*\}|\([^(){}]*\)", " ", moves)
        words = (re.sub(r"^\d+\.*", "", word) for word in moves.split())
        found.append([word for word in words if word and word[0] not in "$*"])
    comparison.compare("the number of games", "analyse", len(expected), len(found))
    for game, sans, again in zip(games, expected, found):
        comparison.compare("notation", game, sans, again)
        for san in sans:
            comparison.counts["moves"] += 1
            if san[-1] in "+#":
                comparison.counts["moves with " + san[-1]] += 1


def main():
    arguments = parser(__doc__)
    arguments.add_argument("engine", help="path of the engine")
    arguments.add_argument("oracle", help="path of the oracle's Python file")
    arguments.add_argument("--fens", type=int, default=3000)
    arguments.add_argument("--games", type=int, default=300, help="number of games for outcomes, and for notation")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    oracle = load_oracle(options.oracle)
    rng, comparison = random.Random(options.seed), Comparison()
    engine = Engine(options.engine)
    engine.start("spartan")
    compare_fens(oracle, engine, rng, options.fens, comparison)
    compare_games(oracle, engine, rng, options.games, comparison)
    engine.quit()
    compare_notation(oracle, options.engine, rng, options.games, comparison)
    comparison.print()
    print(f"seed {options.seed}: {comparison.differences} differences")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
