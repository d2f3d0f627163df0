#!/usr/bin/env python3
"""Compares the match runner's fastchess mode with fastchess itself, in orthodox chess.

Both run the same command lines. They must accept or refuse the same ones, play the same number of games with the same
openings and colours, print lines of the same form, and write games that python-chess reads alike.

    pip install chess
    python3 tests/fastchess_compare.py path/to/fastchess target/release/agoge-bench target/release/agoge
"""

import argparse
import io
import os
import re
import subprocess
import sys
import tempfile

import chess.pgn

BOOK = """\
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkb1r/pppppppp/5n2/8/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 0 2
rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3
r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3
rnbqkb1r/pppppp1p/5np1/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3
"""

PGN_BOOK = """\
[Event "a"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 *

[Event "b"]

1. d4 d5 2. c4 e6 *
"""

TWO = "-engine cmd={engine} name=A -engine cmd={engine} name=B"
THREE = TWO + " -engine cmd={engine} name=C"
EPD = "-openings file=book.epd format=epd"
SPRT = "-sprt elo0=0 elo1=5 alpha=0.05 beta=0.05"

LINES = [
    f"{TWO} -each nodes=40 -rounds 3",
    f"{TWO} -each nodes=40 -rounds 3 -repeat {EPD}",
    f"{TWO} -each nodes=40 -rounds 5 -repeat {EPD} order=random -srand 42",
    f"{TWO} -each nodes=40 -rounds 5 {EPD} order=random start=4 -srand 9876543210",
    f"{TWO} -each nodes=40 -rounds 9 {EPD} order=sequential start=6 -concurrency 2",
    f"{TWO} -each nodes=40 -rounds 4 -games 1 {EPD} order=sequential",
    f"{TWO} -each nodes=40 -games 6 -rounds 1 {EPD}",
    f"{TWO} -each depth=2 -rounds 2 -openings file=book.pgn format=pgn order=random plies=3 -srand 5",
    f"{TWO} -each plies=2 -rounds 2 -openings file=book.pgn format=pgn",
    f"{TWO} -each nodes=40 -rounds 2 -noswap {EPD}",
    f"{TWO} -each nodes=40 -rounds 2 -reverse {EPD}",
    f"{THREE} -each nodes=40 -rounds 2 {EPD}",
    f"{THREE} -each nodes=40 -rounds 2 -tournament gauntlet {EPD} -ratinginterval 1",
    f"{THREE} -each nodes=40 -rounds 1 -tournament gauntlet -seeds 2 {EPD}",
    f"{TWO} -each nodes=40 -rounds 2 -output format=cutechess {EPD}",
    f"{TWO} -each nodes=40 -rounds 2 -report penta=false -ratinginterval 1 {EPD}",
    f"{TWO} -each nodes=40 -rounds 2 {SPRT} {EPD} -ratinginterval 1",
    f"{TWO} -each nodes=40 -rounds 2 {SPRT} model=logistic -output format=cutechess {EPD}",
    f"{TWO} -each nodes=40 -rounds 2 -maxmoves 10 {EPD}",
    f"{TWO} -each nodes=40 -rounds 2 -draw movenumber=5 movecount=2 score=2000 {EPD}",
    f"{TWO} -each nodes=40 -rounds 2 -resign movecount=2 score=50 {EPD}",
    f"{TWO} -each nodes=40 -rounds 2 -resign movecount=2 score=50 twosided=true {EPD}",
    f"{TWO} -each tc=0.5+0.01 -rounds 1 -recover -variant standard -testEnv {EPD}",
    f"{TWO} -each st=0.02 timemargin=250 -rounds 1 -recover -maxmoves 10",
    f"{TWO} -each nodes=40 option.Hash=1 option.Threads=1 -rounds 1 -event test -site here -maxmoves 5",
    f"{TWO} -each nodes=40 option.NoSuchOption=1 -rounds 1 -maxmoves 5",
    f"{TWO} -each nodes=40 -rounds 1 -maxmoves 5 -wait 10 -force-concurrency -concurrency 3",
    f"{TWO} -each nodes=40 -rounds 1 -maxmoves 5 -log file=log.txt level=warn append=false",
    "-version",
    # Refused by both.
    "-colour red",
    f"{TWO}",
    f"{TWO} -each nodes=40 -rounds 0",
    f"{TWO} -each nodes=40 -rounds",
    f"{TWO} -each nodes=x",
    f"{TWO} -each tc=1/",
    f"{TWO} -each tc=1 st=1",
    f"{TWO} -each nodes=40 -recover yes",
    f"{TWO} -each nodes=40 -tournament swiss",
    f"{TWO} -each nodes=40 -openings file=missing.epd",
    f"{TWO} -each nodes=40 {EPD} order=alphabetical",
    f"{TWO} -each nodes=40 -sprt elo0=5 elo1=0 alpha=0.05 beta=0.05",
    f"{TWO} -each nodes=40 -draw score=-1",
    f"{TWO} -each nodes=40 -concurrency 100000",
    f"{TWO} -each nodes=40 -pgnout nodes=1",
    f"{TWO} -each nodes=40 restart=maybe",
    "-engine cmd={engine} name=A nodes=1",
]

# The output without numbers, names of the openings and times.
NUMBER = re.compile(r"[-+]?\b(?:\d+(?:\.\d+)?|nan|inf)\b")
RESULT = re.compile(r"(1-0|0-1|1/2-1/2) \{.*\}")


def run(program, line, folder):
    """Runs a command line and returns its exit status, its lines and its games."""
    pgn = os.path.join(folder, "games.pgn")
    if os.path.exists(pgn):
        os.remove(pgn)
    words = [word for word in line.split(" ") if word]
    if words and words[0] == "-engine":
        words += ["-pgnout", "file=games.pgn", "nodes=true", "seldepth=true"] if "-pgnout" not in words else []
    done = subprocess.run(program + words, cwd=folder, capture_output=True, text=True, timeout=300)
    games = []
    if os.path.exists(pgn):
        with open(pgn) as file:
            text = io.StringIO(file.read())
        while game := chess.pgn.read_game(text):
            if game.errors:
                sys.exit(f"{line}: {game.errors}")
            games.append(game)
    return done.returncode, done.stdout.splitlines(), games


def summary(games):
    """What must agree: the rounds, players and openings, in the order of the rounds."""
    tags = [(game.headers["Round"], game.headers["White"], game.headers["Black"], game.headers.get("FEN")) for game in games]
    return sorted(tags)


def moves(games):
    """The moves with their comments, without times."""
    return [re.sub(r"[0-9.]+s", "", str(game.mainline_moves())) for game in games]


def forms(lines):
    """The forms of the lines of a match, without numbers and results."""
    wanted = ("Started game", "Finished game", "Score of", "Elo", "SPRT", "LLR", "Results of", "LOS", "Games:", "Ptnml", "Rank")
    found = {re.sub(NUMBER, "N", re.sub(RESULT, "RESULT", line)) for line in lines if line.startswith(wanted)}
    return {" ".join(line.split()) for line in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fastchess")
    parser.add_argument("bench", help="the program agoge-bench")
    parser.add_argument("engine")
    arguments = parser.parse_args()
    fastchess, bench, engine = (os.path.abspath(path) for path in (arguments.fastchess, arguments.bench, arguments.engine))
    failures = 0
    for line in LINES:
        results = []
        for program in ([fastchess], [bench, "match"]):
            with tempfile.TemporaryDirectory() as folder:
                for name, content in (("book.epd", BOOK), ("book.pgn", PGN_BOOK)):
                    with open(os.path.join(folder, name), "w") as file:
                        file.write(content)
                # Under this name the engine plays orthodox chess by default.
                chess_engine = os.path.join(folder, "agoge-chess")
                os.symlink(engine, chess_engine)
                results.append(run(program, line.format(engine=chess_engine), folder))
        (status, lines, games), (our_status, our_lines, our_games) = results
        problems = []
        if status != our_status:
            problems.append(f"status {our_status} instead of {status}")
        if summary(games) != summary(our_games):
            problems.append(f"games {summary(our_games)} instead of {summary(games)}")
        if line != "-version" and forms(lines) != forms(our_lines):
            problems.append(f"lines {forms(our_lines) - forms(lines)} instead of {forms(lines) - forms(our_lines)}")
        # With one game at a time and no clock the games are the same, too.
        if "nodes=" in line and "-concurrency" not in line and moves(games) != moves(our_games):
            differing = next(pair for pair in zip(moves(games), moves(our_games)) if pair[0] != pair[1])
            problems.append("moves {1} instead of {0}".format(*differing))
        failures += bool(problems)
        print(f"{'FAILED' if problems else 'ok'}, {len(our_games)} games: {line}")
        for problem in problems:
            print(f"    {problem}")
    print(f"{len(LINES)} command lines, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
