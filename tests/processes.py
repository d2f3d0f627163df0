#!/usr/bin/env python3
"""Checks that a program works and leaves no process behind, natively or through Wine or qemu:

    tests/processes.py target/release/agoge --tools target/release/agoge-bench
    tests/processes.py target/cross/x86_64-pc-windows-gnu/release/agoge.exe \
        --tools target/cross/x86_64-pc-windows-gnu/release/agoge-bench.exe --runner .ci/wine

The engine runs from a folder whose name has blanks and letters of other scripts. Linux only: it looks into /proc.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from uci import Engine, parser

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 300


def running(name: str) -> list[int]:
    """The processes, other than this one, with a name in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if name.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
    return found


def expect_none(name: str, what: str) -> None:
    """Waits until no process with the name is left."""
    deadline = time.monotonic() + PATIENCE
    while left := running(name):
        if time.monotonic() > deadline:
            for process in left:
                os.kill(process, signal.SIGKILL)
            sys.exit(f"{what}: processes {left} are left")
        time.sleep(0.05)
    print(f"{what}: no process is left")


def check_conversations(command: list[str]) -> None:
    """A game's beginning in each protocol."""
    engine = Engine(*command, timeout=PATIENCE)
    engine.send("uci")
    assert engine.until("uciok")[0].startswith("id name Agoge ")
    engine.send("isready")
    engine.until("readyok")
    best = engine.best_move("startpos moves e2e4 h7f5\r", "nodes 5000")
    assert re.fullmatch(r"[a-h][1-8][a-h][1-8]\w?", best)
    engine.quit()
    print("UCI: a conversation")

    engine = Engine(*command, timeout=PATIENCE)
    engine.send("xboard", "protover 2")
    engine.until("feature done=1")
    engine.send("new", "variant spartan", "sd 4", "usermove e2e4")
    assert re.fullmatch(r"move [a-h][1-8][a-h][1-8]\w?", engine.until("move ")[-1])
    engine.quit()
    print("CECP: a conversation")


def check_stops(command: list[str], count: int) -> None:
    """Searches that are stopped at once or after a moment; each has exactly one best move."""
    engine = Engine(*command, timeout=PATIENCE)
    for cycle in range(count):
        engine.send("go infinite")
        time.sleep(cycle % 10 / 200)
        engine.send("stop", "isready")
        lines = engine.until("readyok")
        # The answer to isready may come first.
        if not any(line.startswith("bestmove") for line in lines):
            engine.until("bestmove")
    engine.send("isready")
    assert engine.until("readyok") == ["readyok"], "a second best move"
    engine.quit()
    print(f"{count} cycles of go and stop")


def check_killed_gui(command: list[str], name: str) -> None:
    """A GUI that is killed while its engine searches."""
    code = (
        "import subprocess, sys, time\n"
        "engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "engine.stdin.write(b'go infinite\\n')\n"
        "engine.stdin.flush()\n"
        "engine.stdout.readline()\n"
        "print('searching', flush=True)\n"
        "time.sleep(10000)\n"
    )
    gui = subprocess.Popen([sys.executable, "-c", code, *command], stdout=subprocess.PIPE)
    assert gui.stdout.readline() == b"searching\n"
    assert len(running(name)) >= 2
    gui.kill()
    gui.wait()
    expect_none(name, "the GUI was killed in a search")


def check_matches(tools: list[str], program: str, name: str, folder: Path) -> None:
    """A match, and one whose runner is killed."""
    engines = []
    for player in ["one", "two"]:
        engines += ["--engine", f"cmd={program}", f"name={player}"]
    pgn = folder / "games.pgn"
    begin = [*tools, "match", *engines, "--random-plies", "8", "--seed", "1", "--quiet"]
    subprocess.run(
        [*begin, "--each", "nodes=500", "--games", "20", "--strict", "--concurrency", "2", "--pgn", str(pgn)],
        check=True,
        timeout=PATIENCE * 4,
    )
    assert pgn.read_text().count("[Result ") == 20
    expect_none(name, "a match of 20 games")

    # Also while it starts the engines.
    for delay in [0, 0, 0.05, 0.2, 1]:
        match = subprocess.Popen([*begin, "--each", "nodes=1000000000", "--games", "2", "--stall", "10000"])
        deadline = time.monotonic() + PATIENCE
        # The engines, beside the runner, whose arguments name them, too.
        while len(running(name)) < 3:
            assert match.poll() is None and time.monotonic() < deadline, "the match does not begin"
            time.sleep(0.01)
        time.sleep(delay)
        match.kill()
        match.wait()
        expect_none(name, "the match runner was killed")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("engine", type=Path)
    options.add_argument("--tools", type=Path, help="agoge-bench for the same system")
    options.add_argument("--runner", default="", help="the command that runs the programs, such as .ci/wine")
    options.add_argument("--bench", type=int, help="the depth of bench (by default its own, with the recorded count)")
    arguments = options.parse_args()
    runner = arguments.runner.split()
    name = f"agoge-{secrets.token_hex(4)}"
    with tempfile.TemporaryDirectory(prefix="with blanks, ἀγωγή ") as temporary:
        program = str(Path(temporary) / f"{name}{arguments.engine.suffix}")
        shutil.copy(arguments.engine, program)
        command = [*runner, program]

        def output(*words: str) -> str:
            return subprocess.run([*command, *words], check=True, capture_output=True, text=True).stdout

        print(output("version"), end="")
        counted = output("bench", *([str(arguments.bench)] if arguments.bench else [])).splitlines()[-1]
        print(f"bench: {counted}")
        recorded = re.search(r"^# bench: (\d+) nodes$", (ROOT / "engine/core/data/bench.epd").read_text(), re.MULTILINE)
        if not arguments.bench and counted.split()[0] != recorded[1]:
            sys.exit(f"bench has recorded {recorded[1]} nodes")
        perft = output("perft", "5")
        assert perft.splitlines()[-1] == "Nodes searched: 11712515", perft
        print("perft 5: 11712515 nodes")

        check_conversations(command)
        check_stops(command, 100)
        check_killed_gui(command, name)
        if arguments.tools:
            check_matches([*runner, str(arguments.tools.resolve())], program, name, Path(temporary))


main()
