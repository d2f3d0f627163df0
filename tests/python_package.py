#!/usr/bin/env python3
"""Tests the Python package agoge-chess as scripts use it, with pyffish as the other side.

    pip install maturin pyffish chess
    maturin build --release -m engine/python/Cargo.toml -o target/wheels
    pip install target/wheels/agoge_chess-*.whl
    tests/python_package.py target/release/agoge

The functions of pyffish are compared on positions/corner_cases.epd and in random games (`--games`, 500). The answers are
equal but for what the rules of this repository, written by the inventor, say otherwise:

- SAN: in Spartan Chess pyffish writes no `#`, and `+` only if a move gives check to a single king.
- Dead positions: pyffish knows none in Spartan Chess.
- A mate on the last move of the fifty: pyffish also calls that an optional end.

`--speed` measures how many times faster perft is than by the functions of pyffish. The exit status is 1 on failure.
"""

import argparse
import contextlib
import copy
import doctest
import functools
import gc
import importlib
import io
import logging
import os
import pickle
import random
import re
import signal
import sys
import tempfile
import threading
import time

import chess
import chess.engine
import pyffish

import agoge_chess
from agoge_chess import Board, Engine, Move, Tables, pgn
from agoge_chess.python_chess import SpartanBoard

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
POSITIONS = os.path.join(ROOT, "positions")

failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print(f"FAIL {what}", flush=True)


def raises(error, function, *arguments, **named):
    """Checks that a call raises an error with a message."""
    try:
        result = function(*arguments, **named)
    except error as raised:
        check(str(raised) or error is KeyboardInterrupt, f"a message of {error.__name__} by {function}")
    else:
        check(False, f"{function} with {arguments} {named} gives {result}, no {error.__name__}")


# ---- pyffish


class Comparison:
    """Compares our answers with those of pyffish, and counts them and the known departures."""

    def __init__(self):
        self.calls = self.departures = 0

    def same(self, name, *arguments, view=lambda answer: answer, allowed=lambda ours, theirs: False):
        """Compares what `view` makes of the answers."""
        ours = view(getattr(agoge_chess, name)(*arguments))
        theirs = view(getattr(pyffish, name)(*arguments))
        self.calls += 1
        if ours == theirs:
            return
        if allowed(ours, theirs):
            self.departures += 1
        else:
            check(False, f"{name}{arguments}: {ours}, pyffish says {theirs}")

    def position(self, variant, fen, moves=()):
        moves = list(moves)
        board = Board(fen, variant)
        for uci in moves:
            board.push_uci(uci)
        spartan = variant == "spartan"
        self.same("legal_moves", variant, fen, moves, view=sorted)
        self.same("get_fen", variant, fen, moves)
        self.same("gives_check", variant, fen, moves)
        # What pyffish says of the result of a game that goes on has no meaning.
        if not board.legal_moves:
            self.same("game_result", variant, fen, moves)
        end = {"view": lambda answer: answer if answer[0] else False}
        self.same("is_immediate_game_end", variant, fen, moves, **end)
        is_late_mate = board.is_checkmate() and board.halfmove_clock >= 100
        self.same(
            "is_optional_game_end", variant, fen, moves, **end, allowed=lambda ours, _: is_late_mate and not ours
        )
        is_dead = spartan and board.is_insufficient_material()
        self.same("has_insufficient_material", variant, fen, moves, allowed=lambda ours, _: is_dead and all(ours))
        here = board.fen()
        for move in board.legal_moves[:12]:
            self.same("is_capture", variant, fen, moves, move.uci())
            self.move(variant, here, board, move)

    def move(self, variant, fen, board, move):
        after = board.copy(stack=False)
        after.push(move)
        sign = "#" if after.is_checkmate() else "+" if after.is_check() else ""

        def known(ours, theirs):
            return variant == "spartan" and sign and ours == theirs.rstrip("+#") + sign

        for notation in (agoge_chess.NOTATION_SAN, agoge_chess.NOTATION_LAN):
            self.same("get_san", variant, fen, move.uci(), False, notation, allowed=known)


def corner_cases(comparison):
    with open(os.path.join(POSITIONS, "corner_cases.epd"), encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    for line in lines:
        comparison.position("spartan", line.split(" ;")[0].strip())
    return len(lines)


def random_games(comparison, count, seed):
    """Plays random games. Every position is compared by its moves, some by all functions."""
    rng = random.Random(seed)
    plies = 0
    for number in range(count):
        variant = "chess" if number % 5 == 4 else "spartan"
        start = agoge_chess.start_fen(variant)
        board = Board(variant=variant)
        while not board.is_game_over() and board.ply() < 160:
            fen = board.fen()
            comparison.same("legal_moves", variant, fen, [], view=sorted)
            if rng.random() < 0.02:
                comparison.position(variant, start, [move.uci() for move in board.move_stack])
            captures = [move for move in board.legal_moves if board.is_capture(move)]
            board.push(rng.choice(captures if captures and rng.random() < 0.3 else board.legal_moves))
            plies += 1
        comparison.position(variant, start, [move.uci() for move in board.move_stack])
        moves = [move.uci() for move in board.move_stack]
        check(agoge_chess.get_fen(variant, start, moves) == board.fen(), f"the FEN of {moves}")
    return plies


def other_functions():
    for variant in ("spartan", "chess"):
        check(agoge_chess.start_fen(variant) == pyffish.start_fen(variant), f"the start of {variant}")
        check(variant in agoge_chess.variants(), f"{variant} is a variant")
        check(not agoge_chess.two_boards(variant) and not agoge_chess.captures_to_hand(variant), f"{variant} is plain")
    start = agoge_chess.start_fen("spartan")
    for fen in (
        "",
        start,
        start.replace(" w ", " x "),
        pyffish.start_fen("chess"),
    ):
        ours, theirs = agoge_chess.validate_fen(fen, "spartan"), pyffish.validate_fen(fen, "spartan")
        check((ours == 1, ours == 0) == (theirs == 1, theirs == 0), f"validate_fen({fen!r}): {ours}, {theirs}")
    # Where pyffish crashes or answers at random, there is an error.
    raises(ValueError, agoge_chess.legal_moves, "nosuch", "startpos", [])
    raises(ValueError, agoge_chess.legal_moves, "spartan", "garbage", [])
    raises(ValueError, agoge_chess.legal_moves, "spartan", start, ["e2e5"])
    raises(ValueError, agoge_chess.get_san, "spartan", start, "e2e5")
    raises(ValueError, agoge_chess.legal_moves, "chess", "startpos", [], True)
    raises(ValueError, agoge_chess.get_san, "spartan", start, "e2e4", False, 5)
    agoge_chess.set_option("VariantPath", "")
    agoge_chess.load_variant_config("[mine:chess]")
    raises(agoge_chess.error, agoge_chess.get_fog_fen, start, "spartan", 0)
    for flag in (0, None, False):
        check(agoge_chess.legal_moves("spartan", start, [], flag), f"chess960 {flag}")
    raises(ValueError, agoge_chess.legal_moves, "spartan", start, [], 1)


def puzzler(seed):
    """What chess-variant-puzzler asks of pyffish: games to draw positions from, and solutions in SAN."""
    rng = random.Random(seed)
    start, moves = agoge_chess.start_fen("spartan"), []
    while agoge_chess.legal_moves("spartan", start, moves):
        if agoge_chess.is_optional_game_end("spartan", start, moves)[0] or len(moves) > 200:
            break
        moves.append(rng.choice(agoge_chess.legal_moves("spartan", start, moves)))
    texts = agoge_chess.get_san_moves("spartan", start, moves)
    check(len(texts) == len(moves) > 20, "a game in SAN")
    board = Board()
    for ply, san in enumerate(texts):
        fen = agoge_chess.get_fen("spartan", start, moves[:ply])
        check(fen == board.fen(), f"the FEN at ply {ply}")
        board.push_san(san)


# ---- the board


def board_methods():
    board = Board()
    check(board.perft(4) == 473_282, "perft 4")
    check(Board(variant="chess").perft(3) == 8_902, "perft 3 of chess")
    for text in ("e4", "Hbd5", "1.Nf3"[2:], "Lf6"):
        board.push_san(text)
    check([move.uci() for move in board.move_stack] == ["e2e4", "b7d5", "g1f3", "h8f6"], "the moves")
    check(copy.copy(board) == board == pickle.loads(pickle.dumps(board)), "copies")
    check(pickle.loads(pickle.dumps(board)).move_stack == board.move_stack, "the moves of a copy")
    check(board.root() == Board() and not board.copy(stack=False).move_stack, "the first position")
    check(board.pop() == Move.from_uci("h8f6") and not board.turn, "a move taken back")
    check(len({Move.from_uci("e2e4"), Move(12, 28), Move.from_uci("e7e8q")}) == 2, "moves as keys")
    check(Move.from_uci("e2e1k").promotion == "k", "a promotion to a king")
    check(board.piece_at(agoge_chess.parse_square("e8")) == "c" and len(board.piece_map()) == 32, "pieces")
    check(len(board.kings(agoge_chess.BLACK)) == 2 and board.castling_rights == "KQ", "kings and rights")
    raises(ValueError, board.push, Move.from_uci("a1a8"))
    raises(ValueError, board.push_san, "Qh9")
    for square in (64, 300, -1):
        raises(ValueError, board.piece_at, square)
        raises(ValueError, Move, square, 0)
    for depth in (1_000_000, 2**40, -1):
        raises(ValueError, board.perft, depth)
    raises(ValueError, Move.from_uci, "e2e2")
    raises(ValueError, Move, 12, 12)
    raises(ValueError, Board, "8/8 w")
    raises(ValueError, Board, None, "shogi")
    raises(IndexError, Board().pop)

    lone = Board("k1k5/8/1Q6/8/8/8/8/K7 b - - 0 1")
    check(lone.attacked_kings() == [] and not lone.is_check(), "no king is attacked")
    one = Board("k1k5/8/8/8/8/8/8/K1R5 b - - 0 1")
    check(one.attacked_kings() == [agoge_chess.parse_square("c8")] and not one.is_check(), "one king is attacked")
    mate = Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1")
    mate.push_san("Qc8")
    end = agoge_chess.outcome(mate)
    check(end.termination == "checkmate" and end.winner is True and mate.result() == end.result() == "1-0", "mate")
    shuffle = Board()
    for uci in ("g1f3", "h8f6", "f3g1", "f6h8") * 2:
        shuffle.push_uci(uci)
    check(agoge_chess.outcome(shuffle).termination == "threefold repetition", "a repetition")
    check(agoge_chess.outcome(Board()) is None, "the game goes on")


def memory():
    """The resident memory of the process in bytes; 0 where it is unknown."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def no_leak():
    def use(count):
        for _ in range(count):
            board = Board()
            for move in [board.legal_moves[0] for _ in range(3)]:
                if board.is_legal(move):
                    board.push(move)
            pickle.loads(pickle.dumps(board)).fen()
        gc.collect()

    use(1000)
    before = memory()
    use(20_000)
    check(memory() - before < 4 << 20, f"memory grows by {memory() - before} bytes in 20,000 boards")


def notation():
    games = pgn.load(os.path.join(POSITIONS, "sample.pgn"))
    check(len(games) == 1 and len(games[0].nodes) > 30 and not games[0].warnings, "the sample game")
    again = pgn.read(str(games[0]))[0]
    check(again.mainline_moves() == games[0].mainline_moves() and again.headers == games[0].headers, "written and read")
    board = Board()
    for san in ("e4", "Hbd5"):
        board.push_san(san)
    game = pgn.Game.from_board(board, {"White": 'A "quoted" name'})
    game.nodes[0].comments.append("a comment")
    game.nodes[0].nags.append(1)
    game.nodes[1].variations.append("1... Hd6 2. d4")
    read = pgn.read(str(game))[0]
    check(read.nodes[0].comments == ["a comment"] and read.nodes[0].nags == [1], f"remarks of {read.nodes[0]}")
    check(read.nodes[1].variations == ["1... Hd6 2. d4"] and read.headers["White"] == 'A "quoted" name', "a variation")
    check(read.end() == board, "the last position")
    damaged = pgn.read("[White \"A\"]\n\n1. e4 Qh9 2. d4 *\n\n[White \"B\"]\n\n1. d4 *\n")
    check([len(game.nodes) for game in damaged] == [1, 1] and damaged[0].warnings, "damage costs one game")
    from_fen = pgn.Game.from_board(Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"))
    check(pgn.read(str(from_fen))[0].board().fen() == "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "a game from a position")
    mating = [pgn.Node(Move.from_uci("c1c8"))]
    alone = pgn.Game(start=Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"), nodes=mating, result="1-0")
    read, = pgn.read(str(alone))
    check((read.board(), len(read.nodes), read.warnings) == (alone.start, 1, []), "a position without a tag")
    check(read.headers["Result"] == "1-0", "a result without a tag")
    read.start, read.nodes, read.result = Board(), [], "*"
    check("FEN" not in str(read) and '[Result "*"]' in str(read), "tags of another position and result")
    raises(OSError, pgn.load, os.path.join(POSITIONS, "nosuch.pgn"))


def refused_games():
    """What could not be read again is not written."""

    def game(headers=None, result="*", **remarks):
        return pgn.Game(headers or {}, nodes=[pgn.Node(Move.from_uci("e2e4"), **remarks)], result=result)

    good = game({"White_Elo-2": "a\nb"}, nags=[0, 255], comments=["a {comment}"], variations=["1. d4 {;)} (1. c4) Hd6"])
    again, = pgn.read(str(good))
    check(again.nodes[0].nags == [0, 255] and again.headers["White_Elo-2"] == "a b", f"a game with remarks: {again}")
    check(again.nodes[0].variations == good.nodes[0].variations, f"its variation: {again}")
    for name in ("", "Two words", "1st", "A]", 'A"', "A\nB"):
        raises(ValueError, str, game({name: "x"}))
    for nag in (256, -1):
        raises(ValueError, str, game(nags=[nag]))
    for variation in ("1. d4) 1. c4 (", "1. d4 (", "1. d4 {open", "1. d4 ; 1. c4"):
        raises(ValueError, str, game(variations=[variation]))
    raises(ValueError, str, game(result="won"))
    # The tag of the variant is that of the first position, and stays if it names it in another way.
    for start, tag, written in (
        (Board(), "chess", "spartan"), (Board(), "shogi", "spartan"), (Board(), "Spartan", "Spartan"), (Board(), "?", "spartan"),
        (Board(variant="chess"), "Spartan", "chess"), (Board(variant="chess"), "Standard", "Standard"),
    ):
        again, = pgn.read(str(pgn.Game({"Variant": tag}, start)))
        check(again.headers["Variant"] == written and again.start == start, f"the variant {tag}: {again.headers}")
    check(pgn.Game.from_board(Board()).headers["Date"] == "????.??.??", "an unknown date")
    raises(ValueError, str, pgn.Game(nodes=[pgn.Node(Move.from_uci("e2e5"))]))


class Dripping(io.BytesIO):
    """A file that gives less than it is asked for."""

    def read(self, size=-1):
        return super().read(min(size, 777) if size > 0 else size)


def streaming():
    """Files are read game by game, in parts that end anywhere."""
    start = '[Event "{number}"]\n[Variant "Spartan"]\n\n'
    texts = [
        start + "1. e4 {a comment\n\n[not a tag} Hbd5 2. d4 1-0\n\n",
        start + "1. e4 Qh9 {damage} *\n\n",
        "1. c4 Hbd5 0-1\n\n% escaped\n",
        start.replace("\n", "\r\n") + "1. d4 Hac5 (1... Hd6 2. e4) 2. Nf3 $1\r\n\r\n",
        start + "{never closed 1. e4\n\n",
        start + "1. g4 ½-½\n",
    ]
    text = "".join(texts[number % len(texts)].replace("{number}", str(number)) for number in range(2000))
    texts = text.encode()

    def facts(games):
        return [(game.headers.get("Event"), game.result, [node.san for node in game.nodes], game.warnings) for game in games]

    read = facts(pgn.read(texts))
    check(len(read) == 2000 and sum(bool(game[3]) for game in read) > 900, f"{len(read)} games")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "games.pgn")
        with open(path, "wb") as file:
            file.write(texts)
        check(facts(pgn.read_games(path)) == read, "games of a path")
        with open(path, encoding="utf-8", newline="") as file:
            check(facts(pgn.read_games(file)) == read, "games of a file")
    check(facts(pgn.read_games(Dripping(texts))) == read, "games in small parts")
    raises(OSError, lambda: list(pgn.read_games("nosuch.pgn")))

    # The rest of a game that is too long is no game.
    long = b'[Event "long"]\n\n1. e4 ' + b"{a long comment} " * 1_200_000 + b'Hbd5 *\n\n[Event "next"]\n\n1. d4 *\n'
    games = list(pgn.read_games(io.BytesIO(long)))
    check([game.headers["Event"] for game in games] == ["long", "next"], f"{len(games)} games")
    check("longer than 4 MiB" in games[0].warnings[0] and not games[1].warnings, f"{games[0].warnings} {games[1].warnings}")
    check([len(game.nodes) for game in games] == [1, 1], "moves of a long game")

    # A file of any size takes little memory.
    class Endless(io.RawIOBase):
        left = 64

        def read(self, size=-1):
            self.left -= 1
            return texts[: len(texts) // 2] if self.left > 0 else b""

    before, most = memory(), 0
    for number, _ in enumerate(pgn.read_games(Endless())):
        if number % 5000 == 0:
            most = max(most, memory() - before)
    check(number > 50_000 and most < 24 << 20, f"{number} games take {most >> 20} MiB")


# ---- the engine


def searches():
    with Engine(threads=2, hash=8) as engine:
        board = Board()
        lines = engine.analyse(board, nodes=20_000, multipv=3)
        check([info.multipv for info in lines] == [1, 2, 3], "three lines")
        check(len({info.pv[0] for info in lines}) == 3 and sum(lines[0].wdl) == 1000, "three moves")
        check(lines[0].score.white() == lines[0].score and lines[0].score.black().cp == -lines[0].score.cp, "views")
        only = [Move.from_uci("a2a3"), Move.from_uci("h2h3")]
        check(engine.play(board, nodes=2000, root_moves=only).move in only, "root moves")
        mate = engine.analyse(Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"), depth=4)[0]
        check(mate.score.mate == 1 and str(mate.score.black()) == "#-1", f"mate in one: {mate}")
        check(engine.play(Board(variant="chess"), depth=4).move is not None, "a move in chess")
        over = Board("k1Q5/8/1K6/8/8/8/8/8 b - - 0 1")
        check(engine.play(over, depth=4).move is None, "no move after mate")
        check(engine.play(board, white_clock=5, black_clock=5, white_inc=0.05).move is not None, "a clock")
        check(engine.play(board, black_clock=0.5).move is not None, "the opponent's clock")

        check(engine.play(board, white_clock=1e19, white_inc=1e19, nodes=1000).move is not None, "a very long time")

        search = engine.start(board)
        timer = threading.Timer(0.2, engine.stop)
        timer.start()
        check(search.wait().move is not None and not search.is_running(), "a search stopped by another thread")

        # Other threads go on while this one searches.
        counted = []
        thread = threading.Thread(target=lambda: counted.append(sum(1 for _ in range(100_000))))
        thread.start()
        engine.analyse(board, nodes=50_000)
        thread.join()
        check(counted == [100_000], "another thread")

        with engine.start(board) as search:
            depths = [info.depth for info, _ in zip(search, range(8))]
        check(depths == sorted(depths) and not search.is_running(), f"infos while it searches: {depths}")

        if hasattr(signal, "pthread_kill"):
            # Programs in the background of a shell ignore Ctrl-C.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            me = threading.get_ident()
            threading.Timer(0.2, lambda: signal.pthread_kill(me, signal.SIGINT)).start()
            raises(KeyboardInterrupt, lambda: (engine.start(board).wait(), time.sleep(5)))
            check(engine.play(board, nodes=1000).move is not None, "a search after Ctrl-C")

        raises(ValueError, engine.analyse, board)
        raises(TypeError, engine.analyse, board, depth=3, depht=4)
        raises(OverflowError, engine.analyse, board, depth=-1)
        raises(ValueError, engine.analyse, board, time=-1)
        raises(ValueError, engine.analyse, board, depth=3, root_moves=[Move.from_uci("e7e5")])
        raises(ValueError, engine.analyse, board, depth=3, multipv=0)
        raises(ValueError, engine.configure, {"Nosuch": 1})
        raises(ValueError, engine.configure, {"Hash": "much"})
        raises(OSError, engine.configure, {"EvalFile": "nosuch.nnue"})
        engine.configure({"Skill Level": 0, "UCI_LimitStrength": False, "Hash": 4})
        engine.new_game()
        check(engine.play(board, nodes=1000).move is not None, "a search with other options")
        for wrong in ({"hash": 2**40}, {"hash": -1}, {"threads": -1}, {"threads": 0}):
            raises(ValueError, Engine, **wrong)
        raises(ValueError, engine.configure, {"TablePath": "auto"})
        # Systems promise more memory than they have.
        with contextlib.suppress(FileNotFoundError), open("/proc/meminfo") as file:
            total = int(re.search(r"MemTotal: *(\d+) kB", file.read()).group(1)) >> 10
            raises(MemoryError, engine.configure, {"Hash": total})
            check(engine.play(board, nodes=1000).move is not None, "a search with the old hash table")
        end = engine.analyse(Board("k1Q5/8/1K6/8/8/8/8/8 b - - 0 1"), depth=1)
        views = [(str(info.score.black()), str(info.score.white()), str(info.score.white().black())) for info in end]
        check(views == [("#-0", "#+0", "#-0")], f"the score of a mate on the board: {views}")


def tables():
    known = Tables()
    value = known.probe(Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"))
    check(value.result == "win" and value.dtm == 1 and known.max_men == 3, f"{value}")
    check(known.probe(Board()) is None, "the initial position is not in the tables")
    check(known.probe(Board("8/8/8/3k4/8/8/8/KQ6 w - - 95 80")) is None, "the fifty-move rule may come first")
    best = known.best_moves(Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"))
    check(Move.from_uci("c1c8") in best, f"the best moves are {best}")
    check(Tables("no such folder").problems, "a missing folder is told")
    check(bool(known) and len(known) == 0, "the embedded table is there")


# ---- python-chess


def with_python_chess(path):
    """The board for python-chess's engine module drives the program, and python-chess checks all that it receives."""
    warnings = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: warnings.append(record.getMessage())
    logging.getLogger("chess.engine").addHandler(handler)
    with chess.engine.SimpleEngine.popen_uci(path, timeout=60) as engine:
        board = SpartanBoard()
        lines = engine.analyse(board, chess.engine.Limit(nodes=5000), multipv=3)
        check(len({line["pv"][0] for line in lines}) == 3, "three lines by python-chess")
        while not board.is_game_over() and len(board.move_stack) < 300:
            board.push(engine.play(board, chess.engine.Limit(nodes=500), game=board.starting_fen).move)
        check(len(board.move_stack) > 20, "a game by python-chess")
        check(board.root() == SpartanBoard() and board.copy() == board, "copies of the board")
        check(board.is_checkmate() == board.spartan.is_checkmate() and not board.legal_moves, "the end by the board")
        check(str(board) == str(board.spartan) and board.ply() == len(board.move_stack), "the board in text")
        check(board.fullmove_number == board.spartan.fullmove_number > 1, "the number of the move")
        raises(NotImplementedError, board.piece_at, 0)
        raises(NotImplementedError, board.status)
        last = board.pop()
        check(last in board.legal_moves and board.legal_moves.count() == len(list(board.legal_moves)) > 0, "legal moves")
        check(last not in board.move_stack[-1:] and board.is_legal(last), "a move taken back")
        raises(chess.IllegalMoveError, board.parse_uci, "a1a8")
    check(not warnings, f"warnings of python-chess: {warnings}")


def speed():
    """How many times as fast as pyffish's functions our own, and the board, count perft."""

    def by(module, depth, fen):
        moves = module.legal_moves("spartan", fen, [])
        if depth == 1:
            return len(moves)
        return sum(by(module, depth - 1, module.get_fen("spartan", fen, [move])) for move in moves)

    def seconds(function):
        begin = time.perf_counter()
        check(function() == 14_244, "perft 3")
        return time.perf_counter() - begin

    start = agoge_chess.start_fen("spartan")
    for _ in range(3):
        theirs = seconds(functools.partial(by, pyffish, 3, start))
        functions = seconds(functools.partial(by, agoge_chess, 3, start))
        board = seconds(functools.partial(Board().perft, 3))
        print(f"perft 3: {theirs / functions:.0f} times as fast by the functions, {theirs / board:.0f} by Board.perft")


def main():
    parser = argparse.ArgumentParser(description="Tests the Python package agoge-chess.")
    parser.add_argument("engine", help="path of the program")
    parser.add_argument("--games", type=int, default=500, help="random games to compare with pyffish (500)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random games (1)")
    parser.add_argument("--speed", action="store_true", help="measure the speed of perft instead")
    arguments = parser.parse_args()
    if arguments.speed:
        speed()
    else:
        for name in ("agoge_chess", "agoge_chess.engine", "agoge_chess.pgn", "agoge_chess.tables"):
            tried = doctest.testmod(importlib.import_module(name))
            check(tried.failed == 0 and tried.attempted, f"examples of {name}")
        board_methods()
        notation()
        refused_games()
        streaming()
        tables()
        other_functions()
        puzzler(arguments.seed)
        no_leak()
        searches()
        with_python_chess(arguments.engine)
        comparison = Comparison()
        cases = corner_cases(comparison)
        plies = random_games(comparison, arguments.games, arguments.seed)
        print(f"pyffish: {cases} cases, {arguments.games} games of {plies} plies, {comparison.calls} answers, "
              f"{comparison.departures} known departures")
    print("failed" if failures else "passed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
