/**
 * The worker's side: one session of UCI in WebAssembly.
 *
 * A search blocks the worker, so that no message reaches it. Its clock calls `now`, which looks at the signal of the
 * search: shared memory where there is any, else a number that the other side cancels by a message, for which `now`
 * suspends the module now and then ("JavaScript Promise Integration"). Where the browser cannot do that, it is the address
 * of a blob, which the other side revokes.
 */

/** The time after which the module is suspended, in milliseconds. */
const INTERVAL = 10;

/**
 * A request for a blob takes some milliseconds, during which the engine waits. The next one comes after this many times
 * as long, so that the search keeps its speed, but within the limits, in milliseconds, so that it stops soon.
 */
const PAUSE = 12;
const SHORTEST_PAUSE = 10;
const LONGEST_PAUSE = 50;

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

class Session {
  signal = null;
  isSearching = false;
  isStopped = false;
  lastCheck = 0;
  /** How long a request takes: a moving average. */
  requestTime = LONGEST_PAUSE / PAUSE;
  /** Whether the search goes on until a command ends it: its best move is kept back till then. */
  waits = false;
  keptBack = null;
  /** The last line of an answer, which is sent when it is known to be the last one. */
  last = null;
  /** The numbers of searches that were cancelled, and of the last one that has ended. */
  cancelled = new Set();
  ended = 0;
  decoder = new TextDecoder();
  encoder = new TextEncoder();

  constructor(post, read) {
    this.post = post;
    this.read = read;
  }

  async open({ module, theory, suspends }) {
    this.theory = theory;
    const now = () => this.now();
    const print = (address, length) => this.print(address, length);
    const agoge = { now: suspends ? new WebAssembly.Suspending(now) : now, print };
    this.wasm = (await WebAssembly.instantiate(module, { agoge })).exports;
    this.uci = suspends ? WebAssembly.promising(this.wasm.agoge_uci) : this.wasm.agoge_uci;
    if (suspends) this.channel = new MessageChannel();
    // What `uci` lists as the default.
    await this.run("setoption name Hash value 16");
    this.seed();
    this.post({ isReady: true });
  }

  /** Without a system, the module has no random numbers. */
  seed() {
    this.wasm.agoge_seed(Math.floor(Math.random() * 2 ** 32));
  }

  now() {
    const time = performance.now();
    if (!this.signal || this.isStopped) return time;
    if (typeof this.signal === "number") {
      if (this.cancelled.has(this.signal)) this.stop();
      else if (time - this.lastCheck > INTERVAL) return this.readMessages();
      return time;
    }
    if (typeof this.signal !== "string") {
      if (Atomics.load(this.signal, 0)) this.stop();
      return time;
    }
    const pause = Math.min(Math.max(PAUSE * this.requestTime, SHORTEST_PAUSE), LONGEST_PAUSE);
    if (time - this.lastCheck > pause) {
      if (isRevoked(this.signal)) this.stop();
      this.lastCheck = performance.now();
      this.requestTime += (this.lastCheck - time - this.requestTime) / 8;
    }
    return time;
  }

  /** Suspends the module until the messages that have arrived are read. */
  readMessages() {
    return new Promise((resolve) => {
      this.channel.port1.onmessage = () => {
        this.lastCheck = performance.now();
        resolve(this.now());
      };
      this.channel.port2.postMessage(null);
    });
  }

  stop() {
    this.isStopped = true;
    this.wasm.agoge_stop();
  }

  print(address, length) {
    const text = this.decoder.decode(new Uint8Array(this.wasm.memory.buffer, address, length));
    for (const line of text.split("\n")) {
      const isBest = line.startsWith("bestmove");
      if (isBest && this.waits && !this.isStopped) {
        this.keptBack = line;
      } else {
        this.flush();
        // A search tells of its progress at once.
        if (isBest || !this.isSearching) this.last = line;
        else this.post({ text: line, isDone: false });
      }
    }
  }

  flush() {
    if (this.last !== null) this.post({ text: this.last, isDone: false });
    this.last = null;
  }

  /** Writes a message for the module. */
  write(text, more = []) {
    const bytes = this.encoder.encode(text);
    const length = bytes.length + more.length;
    // First, because the memory may grow.
    const address = this.wasm.agoge_buffer(length);
    const buffer = new Uint8Array(this.wasm.memory.buffer, address, length);
    buffer.set(bytes);
    buffer.set(more, bytes.length);
  }

  /** Executes a line. If the module can be suspended, resolves at the end. */
  run(line) {
    this.write(line);
    return this.uci();
  }

  release() {
    this.last = this.keptBack;
    this.keptBack = null;
  }

  file(path, bytes) {
    this.write(`${path}\n`, bytes);
    this.wasm.agoge_file();
  }

  async execute({ line, signal, isSearch, releases }) {
    if (releases) this.release();
    if (signal) {
      this.waits = /\s(infinite|ponder)\b/.test(line);
      this.isStopped = false;
      this.lastCheck = performance.now();
    }
    // The opening theory is loaded when it is first needed.
    if (this.theory && /^setoption\s+name\s+ownbook\s+value\s+true$/i.test(line)) {
      this.file("theory.bin", new Uint8Array(await this.read(this.theory)));
      this.theory = null;
    }
    this.signal = signal;
    this.isSearching = isSearch;
    await this.run(line);
    this.signal = null;
    if (typeof signal === "number") {
      this.ended = signal;
      this.cancelled.delete(signal);
    }
    if (/^(ucinewgame|setoption)\b/i.test(line)) this.seed();
  }

  async receive(data) {
    if (data.module) return this.open(data);
    if (data.path !== undefined) return this.file(data.path, data.bytes);
    await this.execute(data);
    this.post({ text: this.last, isDone: true });
    this.last = null;
  }
}

/** A function that serves messages one after another. `post` sends an answer, `read` loads a file. */
export function serve(post, read) {
  const session = new Session(post, read);
  let queue = Promise.resolve();
  return (data) => {
    if (data.cancelled !== undefined) {
      if (data.cancelled > session.ended) session.cancelled.add(data.cancelled);
      return;
    }
    queue = queue.then(() => session.receive(data));
    queue.catch((error) => post({ error: String(error.message ?? error) }));
  };
}
