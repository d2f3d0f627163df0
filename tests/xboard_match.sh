#!/usr/bin/env bash
# A match under XBoard, which knows the rules of Spartan Chess and judges every move, claim and clock:
#
#     tests/xboard_match.sh [--uci] [--claims] [--keep FOLDER] engine [opponent [games [clock [variant]]]]
#
# The opponent is any engine for XBoard that plays the variant (sjaakii, fairymax), or "-": then the engine
# plays itself. The clock is minutes:seconds, with +seconds behind it for an increment. Fails when a game has
# no result, when a move was illegal, when the engine loses on time, or when XBoard or the engine objects to
# anything.
#
#   --uci     runs the engine through uci2wb, which makes a CECP engine of a UCI one
#   --claims  XBoard adjudicates nothing by itself, so that games end by claims of the engines
#   --keep    copies the games and XBoard's log to a folder
#
# Needs xboard, xvfb-run and, with --uci, uci2wb. The whole match may take LIMIT seconds (600).
set -euo pipefail

usage="usage: $0 [--uci] [--claims] [--keep FOLDER] engine [opponent [games [clock [variant]]]]"
uci=false claims=false keep=
while [[ ${1:-} == --* ]]; do
    case $1 in
    --uci) uci=true ;;
    --claims) claims=true ;;
    --keep) keep=$(mkdir -p "${2:?$usage}" && realpath "$2") && shift ;;
    *) echo "$usage" >&2 && exit 2 ;;
    esac
    shift
done
engine=$(realpath "${1:?$usage}")
opponent=${2:--}
games=${3:-2}
clock=${4:-0:05}
variant=${5:-spartan}

# Where Debian has it, which is not in every path.
PATH=$PATH:/usr/games

directory=$(mktemp -d)
finish() {
    [ -z "$keep" ] || cp "$directory"/*.txt "$directory"/games.pgn "$keep" 2>/dev/null || true
    rm -rf "$directory"
}
trap finish EXIT

# XBoard and the adapter cut commands at blanks: a name without them.
ln -s "$engine" "$directory/agoge"
first=$directory/agoge
if $uci; then
    first="uci2wb debug $first"
fi
if [ "$opponent" = - ]; then
    opponent=$directory/agoge
elif [ -e "$opponent" ]; then
    ln -s "$(realpath "$opponent")" "$directory/opponent"
    opponent=$directory/opponent
fi
if $claims; then
    adjudication=(-checkMates false -materialDraws false -repeatsToDraw 0 -ruleMoves 0)
else
    adjudication=(-checkMates true -materialDraws true -repeatsToDraw 3 -ruleMoves 50)
fi
increment=0
if [[ $clock == *+* ]]; then
    increment=${clock#*+}
fi

# The settings of the user stay out of it, and as they are: XBoard takes `~` from the list of users and not from
# HOME, so that it is given files of its own. Flags fall only if that is asked for. The clocks are those of XBoard:
# what it and the adapter need for a move on a busy machine goes to the engine's account.
cd "$directory"
: >settings
HOME=$directory timeout "${LIMIT:-600}" xvfb-run -a xboard \
    -settingsFile "$directory/settings" -saveSettingsFile "$directory/settings" -saveSettingsOnExit false \
    -variant "$variant" -fcp "$first" -scp "$opponent" -fd "$directory" -sd "$directory" \
    -mode TwoMachines -mg "$games" -tc "${clock%+*}" -inc "$increment" -autoCallFlag true -ponderNextMove false \
    -firstOptions "Move Overhead=200" -secondOptions "Move Overhead=200" \
    -testLegality true -testClaims true -trivialDraws false "${adjudication[@]}" \
    -soundProgram "" -size 30 -sgf games.pgn -debug -nameOfDebugFile debug.txt -xexit >output.txt 2>&1 || {
    cat output.txt >&2
    exit 1
}

# One line for each game: the players, how it ended, and how.
ends=$(awk -F'"' '
    /^\[White / { white = $2 }
    /^\[Black / { black = $2 }
    /^\{/ || / (1-0|0-1|1\/2-1\/2|\*)$/ { text = text " " $0 }
    / (1-0|0-1|1\/2-1\/2|\*)$/ { sub(/^.*\{/, "{", text); print white " v " black ": " text; text = "" }
    ' games.pgn)
echo "$ends"
grep '^xboard: Match' output.txt || true

fail() {
    echo "$1" >&2
    exit 1
}
finished=$(grep -cE '^\[Result "(1-0|0-1|1/2-1/2)"\]' games.pgn || true)
[ "$finished" = "$games" ] || fail "$finished games of $games have a result"
if grep -E '^Agoge.* v .*\{Black wins on time|v Agoge.*\{White wins on time' <<<"$ends"; then
    fail "the engine lost on time"
fi
# What the engine complained about, and what XBoard did. The adapter does not know all of CECP, and says so;
# the words of the engine come as comments from it.
objections='False (win|draw|illegal-move) claim|exited unexpectedly|<(first|second) *: (tellusererror|Illegal)'
if $uci; then
    objections+='|engine said: info string error'
else
    objections+='|<first *: Error'
fi
if [ "$opponent" = "$directory/agoge" ]; then
    objections+='|<second *: Error'
fi
if grep -nE "$objections" debug.txt || grep -E '\{.*(False|llegal|invalid|Forfeit|exited|resigns).*\}' <<<"$ends"; then
    fail "XBoard or an engine objected"
fi
