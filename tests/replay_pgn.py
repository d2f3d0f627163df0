#!/usr/bin/env python3
"""Replays the games of a PGN file move by move with pyffish, Fairy-Stockfish's rules.

    pip install pyffish
    tests/replay_pgn.py games.pgn --jobs 2 --games 200

The checks: each move is the correct notation of exactly one legal move; `+` if all kings of the opponent
are attacked, and `#` if that is mate; the result and the tags Result, PlyCount and Termination against the
last position; no game continues after its end. With --games, the number of games must match, and no two
games may have the same Round, White and Black.

The notation is generated here from the legal moves and FENs of pyffish, since pyffish writes hoplite moves
without a letter. Where Fairy-Stockfish deviates from the rules, the rules apply: mate takes precedence over
the fifty-move rule, and dead positions end a game.

The last line is a summary. The exit status is 1 if anything is wrong, and 2 if the file cannot be read.
"""

import argparse
import multiprocessing
import re
import sys

import pyffish

from uci import MAX_REPORTS, cells_of, is_dead, square

TOKEN = re.compile(r'\{[^}]*\}|;[^\n]*|\(|\)|\$\d+|[^\s{}();]+')
TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\\n]|\\.)*)"\s*\]')
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")


class Bad(Exception):
    """A game is wrong."""


def read_games(text):
    """Yields (line number, tags, moves, result) of each game; the result may be None."""
    at = 0
    while True:
        match = re.compile(r"\s*").match(text, at)
        at = match.end()
        if at == len(text):
            return
        line = 1 + text.count("\n", 0, at)
        tags = {}
        while at < len(text) and text[at] == "[":
            match = TAG.match(text, at)
            if not match:
                raise Bad(f"line {1 + text.count(chr(10), 0, at)}: not a tag")
            tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
            at = re.compile(r"\s*").match(text, match.end()).end()
        moves, result, depth = [], None, 0
        while at < len(text) and text[at] != "[":
            match = TOKEN.match(text, at)
            if not match:
                raise Bad(f"line {1 + text.count(chr(10), 0, at)}: not a move")
            token = match[0]
            at = re.compile(r"\s*").match(text, match.end()).end()
            if token[0] in "{;$":
                continue
            if token in "()":
                depth += 1 if token == "(" else -1
            elif depth == 0:
                if token in RESULTS:
                    result = token
                    break
                token = re.sub(r"^\d+\.+|^\d+$", "", token)
                if token:
                    moves.append(token)
        yield line, tags, moves, result


def notation(cells, legal, move):
    """The algebraic notation of a legal move, without `+` and `#`."""
    origin, target, promotion = move[:2], move[2:4], move[4:]
    piece = cells[square(origin)]
    if piece + move in ("Ke1g1", "ke8g8"):
        return "O-O"
    if piece + move in ("Ke1c1", "ke8c8"):
        return "O-O-O"
    captures = cells[square(target)] != "." or (piece in "Pp" and origin[0] != target[0])
    if piece in "Pp":
        text = origin[0] if captures else ""
    else:
        others = [other[:2] for other in legal if other[2:] == move[2:] and other[:2] != origin]
        rivals = [other for other in others if cells[square(other)] == piece]
        text = piece.upper()
        same_file = any(rival[0] == origin[0] for rival in rivals)
        same_rank = any(rival[1] == origin[1] for rival in rivals)
        if rivals and (not same_file or same_rank):
            text += origin[0]
        if same_file:
            text += origin[1]
    return text + ("x" if captures else "") + target + ("=" + promotion.upper() if promotion else "")


def replay(game):
    """Replays a game. Returns the number of plies, or raises Bad."""
    _, tags, moves, result = game
    variant = {"spartan": "spartan", "spartan chess": "spartan"}.get(tags.get("Variant", "chess").lower(), "chess")
    fen = tags.get("FEN", pyffish.start_fen(variant))
    if "FEN" in tags and tags.get("SetUp") != "1":
        raise Bad("a FEN without SetUp")
    if pyffish.validate_fen(fen, variant) != pyffish.FEN_OK:
        raise Bad("not a FEN")
    if result is None:
        raise Bad("no result")
    if tags.get("Result") != result:
        raise Bad(f"the tag Result is {tags.get('Result')}, the moves end with {result}")
    if "PlyCount" in tags and tags["PlyCount"] != str(len(moves)):
        raise Bad(f"PlyCount is {tags['PlyCount']}, there are {len(moves)} plies")

    seen, end = {}, None

    def count(fen):
        key = " ".join(fen.split()[:4])
        seen[key] = seen.get(key, 0) + 1
        return seen[key]

    count(pyffish.get_fen(variant, fen, []))
    # pyffish gets one move at a time; the history is maintained here.
    legal = pyffish.legal_moves(variant, fen, [])
    for ply, written in enumerate(moves, 1):
        where = f"ply {ply}, {written}"
        cells = cells_of(fen)
        bare = written.rstrip("+#!?")
        found = [move for move in legal if notation(cells, legal, move) == bare]
        if len(found) != 1:
            raise Bad(f"{where}: {len(found)} legal moves match in {fen}")
        check = pyffish.gives_check(variant, fen, found)
        fen = pyffish.get_fen(variant, fen, found)
        legal = pyffish.legal_moves(variant, fen, [])
        sign = ("+" if legal else "#") if check else ""
        if written[len(bare):].rstrip("!?") != sign:
            raise Bad(f"{where}: the sign should be '{sign}' in {fen}")
        repetitions = count(fen)
        fifty = int(fen.split()[4]) >= 100
        if not legal:
            mated = "white" if fen.split()[1] == "w" else "black"
            end = ("checkmate", "0-1" if mated == "white" else "1-0") if check else ("stalemate", "1/2-1/2")
        elif is_dead(cells_of(fen)):
            end = ("dead position", "1/2-1/2")
        elif fifty:
            end = ("fifty-move rule", "1/2-1/2")
        elif repetitions >= 3:
            end = ("threefold repetition", "1/2-1/2")
        else:
            end = None
        if end and ply < len(moves):
            raise Bad(f"{where}: the game continues after its end, {end[0]}, in {fen}")
    termination = tags.get("Termination", "normal")
    if end:
        if end[1] != result:
            raise Bad(f"the result is {result}, but {end[0]} makes it {end[1]} in {fen}")
        if termination != "normal":
            raise Bad(f"Termination is '{termination}', but it ends with {end[0]} in {fen}")
        if tags.get("TerminationDetails", end[0]) != end[0]:
            raise Bad(f"it ends with {end[0]}, not {tags['TerminationDetails']}, in {fen}")
    elif termination == "normal":
        raise Bad(f"Termination is normal, but the game is not over in {fen}")
    return len(moves)


def replay_safely(game):
    """The number of plies, the error if any, and the termination."""
    termination = game[1].get("Termination", "normal")
    try:
        return replay(game), None, termination
    except Bad as error:
        tags = game[1]
        name = f"line {game[0]}, {tags.get('Round')} {tags.get('White')} - {tags.get('Black')}"
        return 0, f"{name}: {error}", termination


def main():
    """Reads the arguments and replays the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pgn")
    parser.add_argument("--games", type=int, help="required number of games")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    try:
        with open(arguments.pgn, encoding="utf-8") as file:
            games = list(read_games(file.read()))
    except (OSError, UnicodeDecodeError, Bad) as error:
        print(f"{arguments.pgn}: {error}", file=sys.stderr)
        return 2
    errors = []
    if arguments.games is not None and len(games) != arguments.games:
        errors.append(f"{len(games)} games, not {arguments.games}")
    names = [tuple(game[1].get(tag) for tag in ("Round", "White", "Black")) for game in games]
    if arguments.games is not None and len(set(names)) != len(names):
        errors.append(f"{len(names) - len(set(names))} games are duplicates")
    plies, terminations = 0, {}
    with multiprocessing.Pool(arguments.jobs) as pool:
        for count, error, termination in pool.imap(replay_safely, games, chunksize=1):
            plies += count
            terminations[termination] = terminations.get(termination, 0) + 1
            if error:
                errors.append(error)
    for error in errors[:MAX_REPORTS]:
        print(error, file=sys.stderr)
    summary = ", ".join(f"{count} {name}" for name, count in sorted(terminations.items()))
    print(f"{len(games)} games, {plies} plies replayed; {summary or 'none'}; {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
