/**
 * Compares the answers of `agoge/board` with those of ffish:
 *
 *     node ffish.mjs CORNER_CASES GAMES SEED
 *
 * They are equal but for what the rules of this repository, written by the inventor, say otherwise:
 *
 * - SAN: in Spartan Chess ffish writes no `#`, and `+` only if a move gives check to a single king; it reads neither sign.
 * - Dead positions: ffish knows none in Spartan Chess.
 *
 * A mate on the last move of the fifty is a mate to both here, while pyffish calls it a draw that can be claimed.
 *
 * With `--speed` in place of the arguments, measures perft by the functions of both.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Module from "agoge/board";

// ffish would load its file by `fetch`, which in Node takes no paths.
delete globalThis.fetch;
const theirs = createRequire(import.meta.url)("ffish");
await new Promise((resolve) => (theirs.onRuntimeInitialized = resolve));
const ours = await Module();

let calls = 0;
const departures = { "signs of SAN": 0, "dead positions": 0 };
const failures = [];

/** A generator of random numbers below 1 (mulberry32). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), bits | 61)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const sorted = (text) => text.split(" ").sort().join(" ");
const unsigned = (text) => text.replace(/[+#]/g, "");

/** Two boards with the same game. */
class Pair {
  constructor(variant, fen = "") {
    this.variant = variant;
    this.boards = [new ours.Board(variant, fen), new theirs.Board(variant, fen)];
  }

  /** Compares what a function makes of the boards. A departure has a name, and a rule for both answers. */
  same(what, ask, departure = null, isKnown = () => false) {
    const [us, them] = [[this.boards[0], ours], [this.boards[1], theirs]].map(([board, library]) => ask(board, library));
    calls += 1;
    if (us === them) return us;
    if (departure && isKnown(us, them)) departures[departure] += 1;
    else failures.push(`${what} in ${this.boards[0].fen()} after ${this.boards[0].moveStack()}: '${us}', ffish says '${them}'`);
    return us;
  }

  /** Everything about the position. */
  position() {
    const [board] = this.boards;
    const isDead = this.variant === "spartan" && board.isInsufficientMaterial();
    const isSpartan = this.variant === "spartan";
    const signs = "signs of SAN";
    for (const name of ["fen", "turn", "gamePly", "fullmoveNumber", "halfmoveClock", "numberLegalMoves", "isCheck",
      "isBikjang", "is960", "moveStack", "variant", "toString"]) {
      this.same(name, (other) => other[name]());
    }
    this.same("legalMoves", (other) => sorted(other.legalMoves()));
    this.same("checkedPieces", (other) => sorted(other.checkedPieces()));
    this.same("legalMovesSan", (other) => sorted(other.legalMovesSan()), signs,
      (us, them) => isSpartan && sorted(unsigned(us)) === sorted(unsigned(them)));
    const dead = "dead positions";
    for (const claim of [false, true]) {
      this.same(`isGameOver(${claim})`, (other) => other.isGameOver(claim), dead, (us) => isDead && us);
      this.same(`result(${claim})`, (other) => other.result(claim), dead, (us) => isDead && us === "1/2-1/2");
    }
    for (const side of [true, false]) {
      this.same(`hasInsufficientMaterial(${side})`, (other) => other.hasInsufficientMaterial(side), dead, (us) => isDead && us);
      this.same(`pocket(${side})`, (other) => other.pocket(side));
    }
    for (const move of board.legalMoves().split(" ").filter(Boolean).slice(0, 8)) {
      this.same(`isCapture(${move})`, (other) => other.isCapture(move));
      const sign = this.signOf(move);
      const hasSigns = (us, them) => isSpartan && sign && us === unsigned(them) + sign;
      this.same(`sanMove(${move})`, (other) => other.sanMove(move), signs, hasSigns);
      this.same(`variationSan(${move})`, (other) => other.variationSan(move), signs, hasSigns);
      for (const name of ["SAN", "LAN"]) {
        this.same(`sanMove(${move}, ${name})`, (other, { Notation }) => other.sanMove(move, Notation[name]), signs, hasSigns);
        this.same(`variationSan(${move}, ${name}, false)`,
          (other, { Notation }) => other.variationSan(move, Notation[name], false), signs, hasSigns);
      }
    }
    this.same("illegal moves", (other) => [other.push("e1e1"), other.pushSan("Xx9"), other.sanMove("a1h7")].join());
  }

  /** What SAN says at the end of a move. */
  signOf(move) {
    const [board] = this.boards;
    board.push(move);
    const sign = board.termination() === ours.Termination.CHECKMATE ? "#" : board.isCheck() ? "+" : "";
    board.pop();
    return sign;
  }

  /** Makes a move on both, by coordinates or by the SAN of ffish, which reads no other. */
  push(move, bySan) {
    const san = bySan && this.boards[1].sanMove(move);
    this.same(`push ${move}`, (other) => (bySan ? other.pushSan(san) : other.push(move)));
    this.same(`fen after ${move}`, (other) => other.fen());
    this.same(`isCheck after ${move}`, (other) => other.isCheck());
  }

  delete() {
    for (const board of this.boards) board.delete();
  }
}

function cornerCases(file) {
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => line.trim() && !line.startsWith("#"));
  for (const line of lines) {
    const [fen] = line.split(" ;");
    const pair = new Pair("spartan", fen.trim());
    pair.position();
    pair.delete();
    if (ours.validateFen(fen.trim(), "spartan") !== 1) failures.push(`validateFen of ${fen}`);
  }
  const late = new Pair("spartan", "k7/8/1K6/8/8/8/8/2Q5 w - - 99 80");
  late.push("c1c8", false);
  late.position();
  if (late.boards[0].result(true) !== "1-0") failures.push("a mate on the last move of the fifty");
  return lines.length;
}

/** Plays random games. All moves and results are compared, and everything in some positions and in the last one. */
function randomGames(count, seed) {
  const random = generator(seed);
  const any = (list) => list[Math.floor(random() * list.length)];
  let plies = 0;
  for (let number = 0; number < count; number++) {
    const pair = new Pair(number % 5 === 4 ? "chess" : "spartan");
    const [board] = pair.boards;
    while (!board.isGameOver(true) && board.gamePly() < 160) {
      pair.same("legalMoves", (other) => sorted(other.legalMoves()));
      if (random() < 0.03) pair.position();
      const moves = board.legalMoves().split(" ");
      const captures = moves.filter((move) => board.isCapture(move));
      pair.push(any(captures.length && random() < 0.3 ? captures : moves), random() < 0.5);
      if (random() < 0.02) {
        for (const other of pair.boards) other.pop();
        pair.same("fen after pop", (other) => other.fen());
      }
      plies += 1;
    }
    pair.position();
    readBack(pair);
    pair.delete();
  }
  return plies;
}

/** Both read the game that we write, with the SAN of ffish, which reads no other. */
function readBack(pair) {
  const [board] = pair.boards;
  const pgn = board.pgn({ Event: "a test", White: "Xerxes", Black: "Leonidas" });
  if (ours.readGamePGN(pgn).mainlineMoves() !== board.moveStack()) failures.push(`the moves of ${pgn}`);
  const start = new theirs.Board(pair.variant);
  const text = `${pgn.slice(0, pgn.indexOf("\n\n"))}\n\n${start.variationSan(board.moveStack())} ${board.result(true)}\n`;
  start.delete();
  pair.same("readGamePGN", (_, library) => {
    const game = library.readGamePGN(text);
    const read = [game.mainlineMoves(), game.headers("White"), game.headers("Nosuch"), sorted(game.headerKeys())].join("|");
    game.delete();
    return read;
  });
}

function functions() {
  for (const variant of ["spartan", "chess"]) {
    for (const name of ["startingFen", "capturesToHand"]) {
      if (ours[name](variant) !== theirs[name](variant)) failures.push(`${name} of ${variant}`);
    }
    const start = ours.startingFen(variant);
    for (const fen of ["", start, start.replace(" w ", " x "), start.replace(" KQ", " KZ"), ours.startingFen("chess")]) {
      const [us, them] = [ours, theirs].map((library) => library.validateFen(fen, variant));
      if ((us === 1) !== (them === 1) || (us === 0) !== (them === 0)) failures.push(`validateFen(${fen}): ${us}, ${them}`);
    }
  }
  for (const [variant, expected] of [["", "chess"], ["Standard", "chess"], ["spartan", "spartan"]]) {
    if (new ours.Board(variant).variant() !== expected) failures.push(`the variant ${variant}`);
  }
  for (const [what, act] of [
    ["an unknown variant", () => new ours.Board("shogi")],
    ["an invalid FEN", () => new ours.Board("spartan", "8/8 w")],
    ["an invalid FEN later", () => new ours.Board("spartan").setFen("8/8 w")],
    ["a deleted board", () => { const board = new ours.Board(); board.delete(); board.fen(); }],
    ["a notation", () => new ours.Board().sanMove("e2e4", 6)],
    ["Chess960", () => new ours.Board("chess", "", true)],
    ...[-1, 101, 1.5, 2 ** 40, undefined].map((depth) => [`perft(${depth})`, () => new ours.Board().perft(depth)]),
  ]) {
    try {
      act();
      failures.push(`no error for ${what}`);
    } catch (error) {
      if (!error.message) failures.push(`no message for ${what}`);
    }
  }
  // A board without moves keeps its position.
  const board = new ours.Board("spartan");
  board.pop();
  board.pushMoves("e2e4 nonsense b7d5");
  board.setOption?.("a", "b");
  if (board.moveStack() !== "e2e4 b7d5" || board.perft(3) < 10_000) failures.push("moves");
  // Boards that nobody deletes are freed, or at least cost little: 20,000 of them fit.
  for (let i = 0; i < 20_000; i++) new ours.Board("spartan").push("e2e4");
}

function speed() {
  const perft = (board, depth) => {
    if (depth === 0) return 1;
    let nodes = 0;
    for (const move of board.legalMoves().split(" ")) {
      board.push(move);
      nodes += perft(board, depth - 1);
      board.pop();
    }
    return nodes;
  };
  const seconds = (count) => {
    const begin = performance.now();
    if (count() !== 14_244) throw new Error("perft 3");
    return (performance.now() - begin) / 1000;
  };
  for (let round = 0; round < 5; round++) {
    const [us, them] = [ours, theirs].map((library) => {
      const board = new library.Board("spartan");
      return seconds(() => perft(board, 3));
    });
    const board = new ours.Board("spartan");
    const own = seconds(() => board.perft(3));
    console.log(`perft 3: ${(them / us).toFixed(1)} times as fast by the functions, ${(them / own).toFixed(0)} by Board.perft`);
  }
}

const [file, games, seed] = process.argv.slice(2);
if (file === "--speed") {
  speed();
} else {
  const cases = cornerCases(file);
  const plies = randomGames(Number(games), Number(seed));
  functions();
  for (const failure of failures.slice(0, 20)) console.log(`FAIL ${failure}`);
  console.log(`${cases} cases, ${games} games of ${plies} plies: ${calls} answers compared, ${failures.length} differ`);
  for (const [name, count] of Object.entries(departures)) console.log(`departures, ${name}: ${count}`);
}
// ffish keeps the process alive.
process.exit(failures.length ? 1 : 0);
