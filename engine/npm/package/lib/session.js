/**
 * The worker's side: one session of UCI in WebAssembly.
 *
 * The signal of a search is shared memory where there is any; else a number, which the other side cancels by a message, or the
 * address of a blob, which it revokes (see host.js).
 */

import { Host } from "./host.js";

class Session {
  isSearching = false;
  /** The last line of an answer, which is sent when it is known to be the last one. */
  last = null;
  /** The numbers of searches that were cancelled, and of the last one that has ended. */
  cancelled = new Set();
  ended = 0;

  constructor(post, read) {
    this.post = post;
    this.read = read;
    this.host = new Host((line) => this.print(line));
  }

  async open({ module, theory, suspends }) {
    this.theory = theory;
    await this.host.open(module, suspends);
    // What `uci` lists as the default.
    await this.host.run("setoption name Hash value 16");
    this.host.seed();
    this.post({ isReady: true });
  }

  print(line) {
    this.flush();
    // A search tells of its progress at once.
    if (line.startsWith("bestmove") || !this.isSearching) this.last = line;
    else this.post({ text: line, isDone: false });
  }

  flush() {
    if (this.last !== null) this.post({ text: this.last, isDone: false });
    this.last = null;
  }

  file(path, bytes) {
    this.host.write(`${path}\n`, bytes);
    this.host.wasm.agoge_file();
  }

  /** What the host is to look at. */
  signalOf(signal) {
    if (typeof signal === "number") return () => this.cancelled.has(signal);
    return typeof signal === "string" || !signal ? signal : () => Atomics.load(signal, 0) !== 0;
  }

  async execute({ line, signal, isSearch, releases }) {
    if (releases) this.last = this.host.release();
    // The opening theory is loaded when it is first needed.
    if (this.theory && /^setoption\s+name\s+ownbook\s+value\s+true$/i.test(line)) {
      try {
        this.file("theory.bin", new Uint8Array(await this.read(this.theory)));
        this.theory = null;
      } catch (error) {
        this.print(`info string error: theory.bin: ${error.message ?? error}`);
      }
    }
    this.isSearching = isSearch;
    await this.host.run(line, this.signalOf(signal));
    if (typeof signal === "number") {
      this.ended = signal;
      this.cancelled.delete(signal);
    }
    if (/^(ucinewgame|setoption)\b/i.test(line)) this.host.seed();
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
