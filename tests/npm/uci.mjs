/**
 * Compares UCI in the package with the native program:
 *
 *     node uci.mjs PROGRAM
 *
 * Both get the same lines and must answer the same, apart from times.
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import Agoge from "agoge";

const MATE = "position fen k1k5/8/1Q6/8/8/8/7R/R2RK3 w - - 0 1";

/** In each, the answers depend on nothing but the lines. */
const SESSIONS = [
  // Options, and what is wrong with them.
  ["uci", "isready", "debug on", "setoption name MultiPV value 3", "go depth 6", "setoption name multipv value 0",
    "setoption name Colour value red", "setoption name UCI_Elo value 100", "setoption name Skill Level value -4",
    "setoption name Skill Level value 20", "setoption Hash value 1", "setoption name EvalFile value", "debug off",
    "setoption name UCI_ShowWDL value true", "setoption name Clear Hash", "go depth 7", "setoption name UCI_Chess960 value false",
    "setoption name SyzygyPath value /nowhere", "setoption name Threads value 0", "setoption name Hash value 4", "go depth 7",
    "setoption name Use NNUE value false", "go depth 7", "eval", "register later", "register", "debug perhaps"],
  // Positions.
  ["position startpos moves e2e4 b7d5", "d", "eval", "position startpos moves e2e4 e4e5", "d", "position fen 8/8 w", "d",
    "position", "position startpos e2e4", MATE, "d", "flip", "d", "go depth 3", "position startpos", "flip", "d",
    "eval k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "eval 8/8 w", "position fen k7/8/1K6/8/8/8/8/2Q5 w - - 99 80 moves c1c8", "d",
    "go depth 3", "position fen 8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "d", "go depth 12", "ucinewgame", "d"],
  // Limits of searches, and wrong ones.
  ["go depth 8", "go nodes 20000", "go depth 5 searchmoves a2a3 h2h3", "go depth 4 searchmoves e2e5", "go searchmoves b1c3 depth 6",
    `${MATE}`, "go mate 1", "go mate 2", "go depth 1", "position startpos", "go depth 3 xyz", "go depth 3 nodes", "go depth 0",
    "go depth -5", "go nodes 0", "go nodes 1", "go movestogo 1 wtime 100000 btime 100000 depth 4",
    "go mate 3 nodes 3000", "go infinite infinite depth 3\nstop", "go ponder depth 3\nponderhit", "go depth 2 wtime"],
  // Tasks and other commands.
  ["go perft 1", "go perft 3", "perft 2 k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "perft", "perft x", "go perft 0", "perft 1 8/8 w",
    "bench 3", "bench 0", "bench 1 1 1 1", "genfens 1 seed 1", "genfens", "xyzzy", "", "# comment", "stop", "ponderhit",
    "spsa", "setoption", "speedtest 0"],
  // Orthodox chess.
  ["setoption name UCI_Variant value chess", "d", "go depth 7", "position startpos moves e2e4 e7e5", "go nodes 10000", "eval", "perft 3",
    "flip", "d", "setoption name UCI_Variant value standard", "setoption name UCI_Variant value atomic",
    "setoption name UCI_Variant value spartan", "go depth 6"],
];

/** What ends the answer to a line. `isready` is answered even during a search. */
function endOf(line) {
  if (line === "isready") return /^readyok$/;
  if (/^go perft [0-9]|^perft \d+$|^perft \d .* -/.test(line)) return /^Nodes searched: /;
  if (/^go\b/.test(line) && !/^go perft/.test(line)) return /^bestmove /;
  if (/^bench \d$/.test(line) && line !== "bench 0") return /^\d+ nodes /;
  if (/^genfens \d/.test(line)) return /^info string genfens .*(?:\n|$)/;
  return null;
}

/** Without times, which differ. */
const timeless = (line) => line.replace(/ (time|nps) \d+/g, "").replace(/^(\d+ nodes) .*/, "$1");

/** The answers of an engine, which `send` sends to and `listen` listens to, line by line. */
async function answers(lines, send, listen) {
  const answers = [];
  let hear = null;
  let heard = [];
  listen((line) => {
    heard.push(line);
    hear?.(line);
  });
  const until = (end) => new Promise((resolve) => (hear = (line) => end.test(line) && resolve()));
  for (const line of lines) {
    const end = endOf(line);
    const done = end && until(end);
    send(line);
    await done;
    const ready = until(/^readyok$/);
    send("isready");
    await ready;
    answers.push(heard.filter((text) => !text.includes(" currmove ")).map(timeless));
    heard = [];
  }
  return answers;
}

async function native(program, lines) {
  const process = spawn(program);
  const output = createInterface({ input: process.stdout });
  const all = await answers(lines, (line) => process.stdin.write(`${line}\n`), (hear) => output.on("line", hear));
  process.stdin.end("quit\n");
  return all;
}

async function packaged(lines) {
  const engine = await Agoge();
  const all = await answers(lines, (line) => engine.postMessage(line), (hear) => engine.addMessageListener(hear));
  engine.terminate();
  return all;
}

let count = 0;
let failures = 0;
for (const lines of SESSIONS) {
  const [theirs, ours] = [await native(process.argv[2], lines), await packaged(lines)];
  lines.forEach((line, index) => {
    count += 1;
    const [us, them] = [ours[index], theirs[index]];
    const row = us.findIndex((text, number) => text !== them[number]);
    if (row < 0 && us.length === them.length) return;
    failures += 1;
    const at = row < 0 ? us.length : row;
    console.log(`FAIL ${line}\n  line ${at + 1} of the package: ${us[at]}\n  of the program: ${them[at]}`);
  });
}
console.log(`${count} lines compared with the program, ${failures} differ`);
process.exit(failures ? 1 : 0);
