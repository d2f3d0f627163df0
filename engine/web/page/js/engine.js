/** A client of UCI: one search at a time, each a promise of its best move. */

import { sleep } from "./dom.js";
import { decimal } from "./i18n.js";

/** An engine that ends again within this time, in milliseconds, is started anew only after a pause. */
const QUICK = 30_000;

/** Numbers and words of an `info` line; null if it has no score and no line. */
function parseInfo(line) {
  const words = line.split(" ");
  const info = { multipv: 1 };
  for (let i = 1; i < words.length; i++) {
    const word = words[i];
    if (word === "pv") {
      info.pv = words.slice(i + 1);
      break;
    } else if (word === "score") {
      info.score = { [words[i + 1]]: Number(words[i + 2]) };
      i += 2;
    } else if (word === "wdl") {
      info.wdl = words.slice(i + 1, i + 4).map(Number);
      i += 3;
    } else if (word === "lowerbound" || word === "upperbound") info.bound = word;
    else if (word === "string") return null;
    else info[word] = Number(words[++i]);
  }
  return info.score ? info : null;
}

/** The score of White's view from that of the side to move. */
export function whiteView({ score, wdl, ...rest }, turn) {
  if (turn === "white") return { score, wdl, ...rest };
  const minus = Object.fromEntries(Object.entries(score).map(([kind, value]) => [kind, -value]));
  return { score: minus, wdl: wdl && [wdl[2], wdl[1], wdl[0]], ...rest };
}

/** The expected score of a side from its chances, 0 to 1. */
export const expected = (wdl) => (wdl[0] + wdl[1] / 2) / 1000;

/** A score for people: +0.35, +12.3, #-3. */
export function scoreText({ cp, mate }) {
  if (mate !== undefined) return `#${mate}`;
  return `${cp > 0 ? "+" : cp < 0 ? "−" : ""}${decimal(Math.abs(cp) / 100, Math.abs(cp) < 1000 ? 2 : 1)}`;
}

export class Engine {
  /** The number of threads, as far as the page may choose it. */
  threads = 1;
  /** The number of searches that wait until the engine is loaded. */
  waiting = 0;
  /** Called when a search begins to wait for that. */
  onWait = () => {};
  /** Called when the engine has ended unexpectedly and was started anew. */
  onRestart = () => {};

  constructor(backend) {
    this.backend = backend;
    this.options = new Map();
    this.search = null;
    backend.onLine = (line) => this.read(line);
    backend.onEnd = () => this.ended();
    backend.send("uci");
  }

  read(line) {
    if (!this.search) return;
    if (line.startsWith("info ")) {
      const info = parseInfo(line);
      if (info) this.search.onInfo(info);
    } else if (line.startsWith("bestmove ")) {
      const [, best] = line.split(" ");
      this.finish({ best: best === "(none)" ? null : best });
    }
  }

  async ended() {
    const now = Date.now();
    this.failures = now - this.lastEnd < QUICK ? this.failures + 1 : 0;
    this.lastEnd = now;
    // One that cannot start would end again and again.
    if (this.failures) await sleep(Math.min(500 * 2 ** this.failures, 15_000));
    this.backend.restart();
    this.beginAnew();
    this.onRestart();
  }

  /** Goes on with another process of the engine: it knows no options, and has no search. */
  beginAnew() {
    this.options.clear();
    this.backend.send("uci");
    this.finish(null);
  }

  finish(answer) {
    const { search } = this;
    this.search = null;
    search?.resolve(answer);
  }

  set(name, value) {
    if (this.options.get(name) === String(value)) return;
    this.options.set(name, String(value));
    this.backend.send(`setoption name ${name} value ${value}`);
  }

  /**
   * Searches the end of a line. `limits` are the words after `go`; `options` are those of UCI. A running search is
   * stopped first, but the move of a game is waited for. If the engine ends or a game needs it meanwhile, the search
   * begins again. Resolves to `{best}`, or to null if another search or `stop` came before the end of this one.
   */
  async go(line, limits, options = {}, onInfo = () => {}) {
    const turn = (this.turn = Symbol("turn"));
    await this.halt();
    for (;;) {
      await this.ready();
      // Last: a game may have begun while the engine was loaded.
      while (this.game) await this.game;
      if (turn !== this.turn) return null;
      const answer = await this.begin(line, limits, options, onInfo);
      if (turn !== this.turn) return null;
      if (answer && !this.game) return answer;
    }
  }

  /**
   * Searches the engine's move in a game. It comes before all other searches; games wait for each other. `limits` is a
   * function. Sets `order.hasBegun` when the search begins. Resolves to `{best}`, or to null if `order.isCancelled` was set
   * by `cancel`.
   */
  async goInGame(order, line, limits, options, onInfo) {
    while (this.game) await this.game;
    let done;
    this.game = new Promise((resolve) => (done = resolve));
    try {
      await this.halt();
      await this.ready();
      let answer = null;
      while (!answer && !order.isCancelled) answer = await this.begin(line, limits(), options, onInfo, order);
      return order.isCancelled ? null : answer;
    } finally {
      this.game = null;
      done();
    }
  }

  /** Waits until the engine is loaded. */
  async ready() {
    this.waiting += 1;
    if (this.backend.progress !== null) this.onWait();
    await this.backend.ready;
    this.waiting -= 1;
  }

  get isWaiting() {
    return this.waiting > 0;
  }

  /** Stops a search for a game. */
  async cancel(order) {
    if (!order) return;
    order.isCancelled = true;
    if (this.search?.order === order) await this.halt(order);
  }

  /** Resolves to null if the engine ends. */
  begin(line, limits, options, onInfo, order = null) {
    const threads = this.backend.threadLimit > 1 && { Threads: Math.min(this.threads, this.backend.threadLimit) };
    const defaults = { ...threads, "UCI_Variant": line.variant, MultiPV: 1, "Skill Level": 20, UCI_AnalyseMode: false };
    for (const [name, value] of Object.entries({ ...defaults, ...options })) this.set(name, value);
    const start = line.fen ? `fen ${line.fen}` : "startpos";
    this.backend.send(`position ${start}${line.moves.length ? ` moves ${line.moves.join(" ")}` : ""}`);
    if (order) order.hasBegun = true;
    this.finished = new Promise((resolve) => (this.search = { onInfo, resolve, order }));
    this.backend.send(`go ${limits}`);
    return this.finished;
  }

  /** Stops the running search, unless it is for a game, and waits for its best move. */
  async stop() {
    this.turn = null;
    await this.halt();
  }

  async halt(order = null) {
    if (!this.search || this.search.order !== order) return;
    this.search.onInfo = () => {};
    // Without a connection there is no search any more.
    if (!this.backend.isConnected) return this.finish(null);
    this.backend.send("stop");
    await this.finished;
  }

  /** Forgets earlier games. */
  async newGame() {
    await this.stop();
    if (!this.search) this.backend.send("ucinewgame");
  }
}
