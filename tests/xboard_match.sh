#!/usr/bin/env bash
# Plays a match in XBoard, which knows the rules of Spartan Chess and checks every move, claim and clock:
#
#     tests/xboard_match.sh [--uci] [--claims] [--keep FOLDER] engine [opponent [games [clock [variant]]]]
#
# The opponent is any CECP engine that plays the variant (sjaakii, fairymax), or "-" for the engine itself. The
# clock is minutes:seconds, optionally followed by +seconds for an increment. Fails if a game has no result, a
# move is illegal, the engine loses on time, or XBoard or an engine reports an error.
#
#   --uci     runs the engine through uci2wb, an adapter from UCI to CECP
#   --claims  turns off adjudication by XBoard, so games end by claims of the engines
#   --keep    copies the games and XBoard's log to a folder
#
# Needs xboard, xvfb-run and, with --uci, uci2wb. The timeout of the match is LIMIT seconds (default 600). If uci2wb
# sends the engine other moves than those of the game, the match is played again, at most twice.
set -euo pipefail
script=$(realpath "$0") arguments=("$@")

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

# Debian installs xboard here, which is not in every PATH.
PATH=$PATH:/usr/games

directory=$(mktemp -d)
finish() {
    [ -z "$keep" ] || cp "$directory"/*.txt "$directory"/games.pgn "$keep" 2>/dev/null || true
    rm -rf "$directory"
}
trap finish EXIT

# XBoard and the adapter split commands at blanks, so use a path without them.
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

# Use separate settings files to ignore and preserve the user's settings; HOME is not enough, since XBoard takes `~`
# from the user database. Time forfeits need -autoCallFlag. XBoard's clocks include the time that it and the adapter
# need for a move: on a busy machine up to 0.7 s were seen, which Move Overhead must cover.
cd "$directory"
: >settings
HOME=$directory timeout "${LIMIT:-600}" xvfb-run -a xboard \
    -settingsFile "$directory/settings" -saveSettingsFile "$directory/settings" -saveSettingsOnExit false \
    -variant "$variant" -fcp "$first" -scp "$opponent" -fd "$directory" -sd "$directory" \
    -mode TwoMachines -mg "$games" -tc "${clock%+*}" -inc "$increment" -autoCallFlag true -ponderNextMove false \
    -firstOptions "Move Overhead=1000" -secondOptions "Move Overhead=1000" \
    -testLegality true -testClaims true -trivialDraws false "${adjudication[@]}" \
    -soundProgram "" -size 30 -sgf games.pgn -debug -nameOfDebugFile debug.txt -xexit >output.txt 2>&1 || {
    cat output.txt >&2
    exit 1
}

# One line per game: the players, the result and its reason.
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

# The adapter has a race: it sometimes adds the first move of a game twice.
if $uci && ! awk '
    />first *: new/ { game = "" }
    />first *: usermove|<first *: move / { game = game " " $NF }
    /<first *: # position startpos moves/ {
        sent = $0
        sub(/.* moves/, "", sent)
        if (sent != game) {
            print "uci2wb sent" sent " instead of" game
            exit 1
        }
    }' debug.txt >&2; then
    attempt=${ATTEMPT:-1}
    [ "$attempt" -lt 3 ] || fail "uci2wb sent wrong moves in $attempt matches"
    cd "$OLDPWD"
    finish
    ATTEMPT=$((attempt + 1)) exec "$script" "${arguments[@]}"
fi

finished=$(grep -cE '^\[Result "(1-0|0-1|1/2-1/2)"\]' games.pgn || true)
[ "$finished" = "$games" ] || fail "$finished games of $games have a result"
if grep -E '^Agoge.* v .*\{Black wins on time|v Agoge.*\{White wins on time' <<<"$ends"; then
    fail "the engine lost on time"
fi
# Errors reported by the engine or XBoard. With the adapter, the engine's messages are comments, and the adapter's own
# errors about unsupported CECP commands are ignored.
errors='False (win|draw|illegal-move) claim|exited unexpectedly|<(first|second) *: (tellusererror|Illegal)'
if $uci; then
    errors+='|engine said: info string error'
else
    errors+='|<first *: Error'
fi
if [ "$opponent" = "$directory/agoge" ]; then
    errors+='|<second *: Error'
fi
if grep -nE "$errors" debug.txt || grep -E '\{.*(False|llegal|invalid|Forfeit|exited|resigns).*\}' <<<"$ends"; then
    fail "XBoard or an engine reported an error"
fi
