/**
 * The engine in WebAssembly in its worker: texts go in and out, and a search can be ended. The package for npm has this file, too.
 *
 * A search blocks the worker, so that no message reaches it. Its clock calls `now`, which looks at the signal of the search:
 * a function that tells whether the search is to end, or an address. The function may look at shared memory. Where there is
 * none, the module is suspended now and then, so that messages come in. Where the browser cannot do that ("JavaScript Promise
 * Integration"), there is the address of a blob, which the other side revokes: `now` asks for it, synchronously, and the request
 * then fails.
 */

/** The time after which the module is suspended for messages, in milliseconds. */
const INTERVAL = 10;

/**
 * A request takes some milliseconds, during which the engine waits. The next one comes after this many times as long, so
 * that the search keeps its speed, but within the limits, in milliseconds, so that it stops soon.
 */
const PAUSE = 12;
const SHORTEST_PAUSE = 10;
const LONGEST_PAUSE = 50;

/** Searches that go on until a command ends them. */
const ENDLESS = /\s(infinite|ponder)\b/;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function isRevoked(address) {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", address, false);
    request.send();
    return request.status !== 200;
  } catch {
    return true;
  }
}

export class Host {
  #onLine;
  #uci;
  #memory;
  /** For messages to itself, if the module can be suspended. */
  #channel = null;
  #signal = null;
  #isStopped = false;
  #lastCheck = 0;
  /** How long a request takes, in milliseconds: a moving average. */
  #requestTime = LONGEST_PAUSE / PAUSE;
  /** Whether the best move is kept back until the search is ended. */
  #waits = false;
  #keptBack = null;

  /** `onLine` gets the lines of the output. */
  constructor(onLine) {
    this.#onLine = onLine;
  }

  /** Starts a compiled module. `suspends` tells whether it is suspended for messages, `memory` is what it imports, if it does. */
  async open(module, suspends, memory = null) {
    const now = () => this.#now();
    const print = (address, length) => this.#print(address, length);
    const agoge = { now: suspends ? new WebAssembly.Suspending(now) : now, print };
    this.wasm = (await WebAssembly.instantiate(module, { agoge, env: { memory } })).exports;
    this.#memory = memory ?? this.wasm.memory;
    this.#uci = suspends ? WebAssembly.promising(this.wasm.agoge_uci) : this.wasm.agoge_uci;
    if (suspends) this.#channel = new MessageChannel();
  }

  /** Writes a message for the module. */
  write(text, more = []) {
    const bytes = encoder.encode(text);
    const length = bytes.length + more.length;
    // First, because the memory may grow.
    const address = this.wasm.agoge_buffer(length);
    const buffer = new Uint8Array(this.#memory.buffer, address, length);
    buffer.set(bytes);
    buffer.set(more, bytes.length);
  }

  /** Executes a line of UCI; what can be stopped has a signal. Resolves at the end. */
  async run(line, signal = null) {
    if (signal) {
      this.#isStopped = false;
      this.#lastCheck = performance.now();
      this.#waits = ENDLESS.test(line);
    }
    this.write(line);
    this.#signal = signal;
    await this.#uci();
    this.#signal = null;
  }

  /** The best move that was kept back, if there is one: the search was ended. */
  release() {
    const line = this.#keptBack;
    this.#keptBack = null;
    return line;
  }

  /** Without a system, the module has no random numbers. */
  seed() {
    this.wasm.agoge_seed(Math.floor(Math.random() * 2 ** 32));
  }

  #now() {
    const time = performance.now();
    const signal = this.#signal;
    if (!signal || this.#isStopped) return time;
    if (typeof signal === "string") this.#ask(time);
    else if (signal()) this.#stop();
    else if (this.#channel && time - this.#lastCheck > INTERVAL) return this.#readMessages();
    return time;
  }

  #ask(time) {
    const pause = Math.min(Math.max(PAUSE * this.#requestTime, SHORTEST_PAUSE), LONGEST_PAUSE);
    if (time - this.#lastCheck <= pause) return;
    if (isRevoked(this.#signal)) this.#stop();
    this.#lastCheck = performance.now();
    this.#requestTime += (this.#lastCheck - time - this.#requestTime) / 8;
  }

  /** Suspends the module until the messages that have arrived are read. */
  #readMessages() {
    const { port1, port2 } = this.#channel;
    return new Promise((resolve) => {
      port1.onmessage = () => {
        this.#lastCheck = performance.now();
        resolve(this.#now());
      };
      port2.postMessage(null);
    });
  }

  #stop() {
    this.#isStopped = true;
    this.wasm.agoge_stop();
  }

  #print(address, length) {
    // A copy, because shared memory cannot be decoded.
    const text = decoder.decode(new Uint8Array(this.#memory.buffer, address, length).slice());
    for (const line of text.split("\n")) {
      if (this.#waits && !this.#isStopped && line.startsWith("bestmove")) this.#keptBack = line;
      else this.#onLine(line);
    }
  }
}
