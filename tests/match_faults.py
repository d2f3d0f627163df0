#!/usr/bin/env python3
"""Plays many games of the match runner against an engine that makes faults in known shares, and compares the counts.

    tests/match_faults.py target/release/agoge-bench target/release/agoge --games 10000

The engine exits or plays an illegal move in every twentieth game, and stops answering, prints without end or moves too
late in every hundredth. The counts of the report must equal those of the engine's own record, the runner's memory must not grow, and no
process may remain as a zombie. The exit status is 1 if something differs. It needs Linux.
"""

import argparse
import fcntl
import json
import os
import stat
import subprocess
import sys
import tempfile
import time

# The first game, the interval in games, what the engine does, and the fault that the match runner should count.
FAULTS = [
    (0, 20, "exits", "crashes"),
    (12, 20, "cheats", "illegal_moves"),
    (4, 100, "stalls", "stalls"),
    (8, 100, "floods", "stalls"),
    (16, 100, "dawdles", "time_losses"),
]


def fault_of(number):
    """What the engine does wrong in a game, if anything."""
    return next((kind for first, interval, kind, _ in FAULTS if number % interval == first), None)


def next_number(folder):
    """The number of the next game of all engines."""
    with open(os.path.join(folder, "number"), "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        number = int(file.read() or 0)
        file.truncate(0)
        file.write(str(number + 1))
    return number


def make_fault(kind, folder, patience):
    with open(os.path.join(folder, "record"), "a") as file:
        file.write(kind + "\n")
    match kind:
        case "exits":
            os._exit(3)
        case "stalls":
            time.sleep(1000)
        case "floods":
            while True:
                print("info string nothing" * 20, flush=True)
        case "cheats":
            print("bestmove a1a1", flush=True)
        case "dawdles":
            time.sleep(patience + 0.5)
            print("bestmove a2a3", flush=True)


def play(program, folder, nodes, patience):
    """The engine: passes everything on to a good one, except for the faults."""
    child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    ends = {"uci": "uciok", "isready": "readyok", "go": "bestmove"}
    kind, moves = None, 0
    for line in sys.stdin:
        word = line.split(" ")[0].strip()
        if word == "ucinewgame":
            kind, moves = fault_of(next_number(folder)), 0
        if word == "go":
            moves += 1
            if kind and moves == 3:
                make_fault(kind, folder, patience)
                continue
            line = f"go nodes {nodes}\n"
        child.stdin.write(line)
        if word == "quit":
            break
        while word in ends:
            answer = child.stdout.readline()
            sys.stdout.write(answer)
            if answer.startswith(ends[word]):
                break
        sys.stdout.flush()


def memory(process):
    """The resident memory in MiB."""
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def zombies(parent):
    count = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                state, ancestor = file.read().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        count += state == "Z" and int(ancestor) == parent
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runner")
    parser.add_argument("program")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--concurrency", type=int, default=2)
    parser.add_argument("--patience", type=float, default=2, help="seconds after which a move is late and an engine stalls")
    parser.add_argument("--engine", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    if options.engine:
        return play(program, options.engine, options.nodes, options.patience)
    with tempfile.TemporaryDirectory() as folder:
        faulty = os.path.join(folder, "faulty")
        with open(faulty, "w") as file:
            file.write(f"#!/bin/sh\nexec '{sys.executable}' -S '{os.path.abspath(__file__)}' x '{program}' --nodes {options.nodes} --patience {options.patience} --engine '{folder}'\n")
        os.chmod(faulty, stat.S_IRWXU)
        report = os.path.join(folder, "report.json")
        command = [os.path.abspath(options.runner), "match", "--engine", f"cmd={faulty}", "name=faulty", f"movetime={options.patience * 1000:.0f}", "margin=0"]
        command += ["--engine", f"cmd={program}", "name=good", f"nodes={options.nodes}", "--each", "option.Hash=1"]
        command += ["--games", str(options.games), "--concurrency", str(options.concurrency), "--stall", str(options.patience), "--quiet"]
        command += ["--max-moves", "40", "--json", report, "--pgn", os.path.join(folder, "games.pgn")]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        samples, most_zombies = [], 0
        while process.poll() is None:
            time.sleep(1)
            try:
                samples.append(memory(process.pid) or samples[-1])
            except (OSError, IndexError):
                break
            most_zombies = max(most_zombies, zombies(process.pid))
        process.wait()
        with open(report) as file:
            results = json.load(file)
        with open(os.path.join(folder, "record")) as file:
            made = file.read().split()
    expected = {}
    for _, _, kind, fault in FAULTS:
        expected[fault] = expected.get(fault, 0) + made.count(kind)
    counted, good = (engine["faults"] for engine in results["engines"])
    print(f"{results['games_played']} games in {results['seconds']:.0f} s; faults made: {expected}, counted: {counted}, of the good engine: {good}")
    settled = samples[len(samples) // 10:]
    print(f"memory {settled[0]:.1f} MiB at a tenth of the match, {settled[-1]:.1f} MiB at the end, at most {max(samples):.1f} MiB; zombies: {most_zombies}")
    failed = counted != expected or any(good.values()) or results["games_played"] != options.games or process.returncode
    sys.exit(bool(failed or most_zombies > options.concurrency or settled[-1] > settled[0] + 20))


if __name__ == "__main__":
    main()
