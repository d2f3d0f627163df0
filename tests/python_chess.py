#!/usr/bin/env python3
"""Drives the engine through python-chess, as scripts and analysis tools do.

    pip install chess target/wheels/agoge_chess-*.whl
    tests/python_chess.py target/release/agoge

Orthodox chess is played with python-chess's own board, over UCI and CECP; Spartan Chess over UCI, with a
board of the package agoge-chess. python-chess checks every move and PV that it receives. Any warning
in its log, even about an unexpected line, is a failure. The exit status is 1 on failure.
"""

import argparse
import logging
import sys

import chess
import chess.engine
from chess.engine import Limit

from agoge_chess.python_chess import SpartanBoard

MAX_PLIES = 400

# CECP that python-chess does not support: a feature, and the answer to `.`.
XBOARD_ONLY = ("Rejecting feature sigterm=0", "'stat01: ")


class ChessBoard(chess.Board):
    """An orthodox board whose draws need no claim, as in SpartanBoard."""

    def is_game_over(self, **_):
        return super().is_game_over(claim_draw=True)


class Warnings(logging.Handler):
    """Collects warnings of python-chess."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


failures = 0


def check(good, what):
    global failures
    if not good:
        failures += 1
        print(f"FAIL {what}", flush=True)


def play_game(engine, board, limit, **options):
    """Plays a game of the engine against itself. Returns the number of plies."""
    game = object()
    while not board.is_game_over() and len(board.move_stack) < MAX_PLIES:
        result = engine.play(board, limit, game=game, **options)
        check(result.move is not None, f"a move in {board.fen()}")
        if result.move is None:
            break
        board.push(result.move)
    return len(board.move_stack)


def analyse(engine, board, name):
    """Analyses a position in all supported ways."""
    info = engine.analyse(board, Limit(depth=8))
    check(info["depth"] >= 8 and info["nodes"] > 0 and info["pv"] and "score" in info, f"{name}: analysis {info}")
    lines = engine.analyse(board, Limit(nodes=5000), multipv=3)
    check(len(lines) == 3 and len({line["pv"][0] for line in lines}) == 3, f"{name}: three lines {lines}")
    with engine.analysis(board) as analysis:
        depths = set()
        for info in analysis:
            depths.update([info["depth"]] if "depth" in info else [])
            if len(depths) >= 6:
                break
    check(analysis.wait().move is not None, f"{name}: endless analysis gives a move")
    timed = engine.play(board, Limit(white_clock=5, black_clock=5, white_inc=0.05, black_inc=0.05))
    check(timed.move is not None, f"{name}: a move on the clock")
    check(len(list(next_best_moves(engine, board))) == 5, f"{name}: moves of the root one by one")


def next_best_moves(engine, board):
    """The best move, then repeatedly the best of the remaining moves, up to five moves."""
    left = sorted(board.legal_moves, key=lambda move: move.uci())
    for _ in range(5):
        best = engine.play(board, Limit(nodes=500), root_moves=left).move
        if best not in left:
            return
        left.remove(best)
        yield best


def over_uci(path):
    with chess.engine.SimpleEngine.popen_uci(path, timeout=30) as engine:
        engine.configure({"Hash": 8, "Threads": 2})
        check(engine.id["name"].startswith("Agoge"), f"name {engine.id}")
        for name, board, mate in [
            ("chess", ChessBoard(), ChessBoard("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")),
            ("spartan", SpartanBoard(), SpartanBoard("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1")),
        ]:
            analyse(engine, board, name)
            info = engine.analyse(mate, Limit(depth=4))
            check(info["score"].relative == chess.engine.Mate(1), f"{name}: mate in one {info}")
            mate.push(info["pv"][0])
            check(engine.play(mate, Limit(depth=4)).move is None, f"{name}: no move after mate")
            info = engine.analyse(mate, Limit(depth=4))
            check(info["score"].relative == chess.engine.MateGiven or info["score"].relative.mate() == 0,
                  f"{name}: score of the mated side {info}")
            plies = play_game(engine, board, Limit(nodes=1000))
            print(f"{name}: {plies} plies over UCI", flush=True)
            check(plies >= 10, f"{name}: a game of {plies} plies")
            board = type(board)()
            for _ in range(8):
                board.push(engine.play(board, Limit(time=0.05), ponder=True).move)
            engine.ping()


def over_xboard(path):
    with chess.engine.SimpleEngine.popen_xboard([path, "xboard"], timeout=30) as engine:
        board = ChessBoard()
        info = engine.analyse(board, Limit(depth=6))
        check("score" in info and info["pv"], f"xboard: analysis {info}")
        plies = play_game(engine, board, Limit(depth=4))
        print(f"chess: {plies} plies over CECP", flush=True)
        check(plies >= 10, f"xboard: a game of {plies} plies")


def methods_of_another_board():
    """What would answer for the board of python-chess is refused."""
    board = SpartanBoard()
    for method in (board.piece_at, board.attackers, board.status, board.is_en_passant, SpartanBoard.empty, SpartanBoard.from_epd):
        try:
            answer = method()
        except NotImplementedError:
            continue
        check(False, f"{method.__name__} answers {answer}")
    board.push_uci("e2e4")
    check((board.turn, board.fullmove_number, len(board.move_stack)) == (chess.BLACK, 1, 1), "the state after a move")
    board.pop()
    check((board.turn, board.fen()) == (chess.WHITE, SpartanBoard.starting_fen), "the state after a move taken back")


def main():
    parser = argparse.ArgumentParser(description="Drives the engine through python-chess.")
    parser.add_argument("engine", help="path of the program")
    path = parser.parse_args().engine
    warnings = Warnings()
    logging.getLogger("chess.engine").addHandler(warnings)
    methods_of_another_board()
    over_uci(path)
    over_xboard(path)
    for line in warnings.lines:
        check(any(known in line for known in XBOARD_ONLY), f"warning of python-chess: {line}")
    print("failed" if failures else "passed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
