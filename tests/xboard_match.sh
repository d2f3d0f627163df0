#!/usr/bin/env bash
# A short match under XBoard, which knows the rules of Spartan Chess and judges every move and claim:
#
#     tests/xboard_match.sh target/release/agoge [opponent] [games] [minutes:seconds] [variant]
#
# The opponent is any engine for XBoard that plays the variant (sjaakii, fairymax); without one the
# engine plays itself. Needs xboard and xvfb-run. Fails when XBoard objects to anything, or when a game
# has no result. XBoard adjudicates nothing by itself, so that games end by claims of the engines.
set -euo pipefail

engine=$(realpath "${1:?usage: $0 engine [opponent] [games] [minutes:seconds] [variant]}")
opponent=${2:-$engine}
[ -e "$opponent" ] && opponent=$(realpath "$opponent")
games=${3:-2}
clock=${4:-0:05}
variant=${5:-spartan}

# Where Debian has it, which is not in every path.
PATH=$PATH:/usr/games

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

# An even number of games, in which colours change. The settings of the user stay out of it.
HOME=$directory timeout "${LIMIT:-600}" xvfb-run -a xboard \
    -variant "$variant" -fcp "$engine" -scp "$opponent" -fd "$directory" -sd "$directory" \
    -mode TwoMachines -mg "$games" -tc "$clock" -inc 0 \
    -testLegality true -testClaims true -checkMates false -materialDraws false -trivialDraws false \
    -repeatsToDraw 0 -ruleMoves 0 -soundProgram "" -size 30 \
    -sgf games.pgn -debug -nameOfDebugFile debug.txt -xexit >output.txt 2>&1 || {
    cat output.txt >&2
    exit 1
}

grep -E '^\[(White|Black) |^\{[A-Z].*\} (1-0|0-1|1/2-1/2|\*)$|\} (1-0|0-1|1/2-1/2|\*)$' games.pgn || true
grep '^xboard: Match' output.txt || true

finished=$(grep -cE '^\[Result "(1-0|0-1|1/2-1/2)"\]' games.pgn || true)
if [ "$finished" != "$games" ]; then
    echo "$finished games of $games have a result" >&2
    exit 1
fi
# What our engine complained about, and what XBoard did.
if grep -nE '<first *: (Error|Illegal|illegal|tellusererror)|False (win|draw|illegal-move) claim|exited unexpectedly' debug.txt ||
    grep -nE '\{.*(False|llegal|exited).*\}' games.pgn; then
    echo "XBoard or an engine objected" >&2
    exit 1
fi
