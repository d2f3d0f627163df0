/**
 * The engine in a worker of its own, with the interface of Fairy-Stockfish's package. A `platform` loads files and starts
 * workers, which have signals that end searches.
 */

/** Commands whose work only `stop` ends early; the best move of a search comes before it. */
const TASKS = new Set(["perft", "bench", "speedtest", "genfens"]);
/** Commands, and options, that end a search. */
const ENDING = new Set(["position", "ucinewgame", "flip", "quit"]);
const ENDING_OPTION = /^setoption\s+name\s+(hash|clear\s+hash|threads|uci_variant|use\s+nnue|evalfile|tablepath)\b/i;

/** The time after which `isready` is answered for a worker that searches, in milliseconds. */
const PATIENCE = 20;

/** Whether a line starts a search or a task, and whether it ends a running search. */
function kindOf(line) {
  const [word, next] = line.toLowerCase().split(/\s+/, 2);
  const isTask = TASKS.has(word) || (word === "go" && next === "perft");
  const isSearch = word === "go" && !isTask;
  return { word, isTask, isSearch, ends: isTask || isSearch || ENDING.has(word) || ENDING_OPTION.test(line) };
}

export class Engine {
  #platform;
  #options;
  #worker = null;
  #listeners = [];
  /** The lines that the worker has not finished, in order. */
  #pending = [];
  /** After `quit`, which waits for what came before it. */
  #isQuitting = false;
  #files = new Map();

  constructor(platform, options) {
    this.#platform = platform;
    this.#options = options;
    this.FS = {
      writeFile: (path, data) => this.#writeFile(path, data),
      readFile: (path, { encoding } = {}) => {
        const bytes = this.#files.get(path);
        if (!bytes) throw new Error(`no such file: ${path}`);
        return encoding === "utf8" ? new TextDecoder().decode(bytes) : bytes.slice();
      },
    };
    this.ready = this.#start();
  }

  async #start() {
    const { locateFile, wasmBinary } = this.#options;
    const { files, folder, workerFile } = this.#platform;
    const url = (name) => (locateFile ? locateFile(name, folder) : files[name]);
    const module = await WebAssembly.compile(wasmBinary ? await wasmBinary : await this.#platform.read(url("agoge.wasm")));
    await new Promise((resolve, reject) => {
      const onError = (message) => {
        reject(new Error(message));
        this.#fail(message);
      };
      const onMessage = (data) => {
        if (data.isReady) resolve();
        else if (data.error !== undefined) onError(data.error);
        else this.#receive(data);
      };
      this.#worker = this.#platform.start(url(workerFile), onMessage, onError);
      const { absolute, suspends } = this.#platform;
      this.#worker.post({ module, theory: absolute(url("theory.bin")), suspends });
    });
    this.#worker.hold(false);
    return this;
  }

  /** Sends a line of UCI, or several lines. */
  postMessage(text) {
    for (const line of String(text).split("\n")) this.#send(line.trim());
  }

  #send(line) {
    if (!this.#worker || this.#isQuitting || !line) return;
    const { word, isTask, isSearch, ends } = kindOf(line);
    if (word === "stop") this.#cancel(() => true);
    else if (ends) this.#cancel((pending) => pending.isSearch);
    this.#isQuitting = word === "quit";
    const signal = isTask || isSearch ? this.#worker.newSignal() : null;
    const pending = { signal, isSearch, isAnswered: false };
    if (word === "isready" && this.#pending.some((other) => other.signal)) {
      // A worker that searches reads nothing.
      pending.timer = setTimeout(() => {
        pending.isAnswered = true;
        this.#print("readyok");
      }, PATIENCE);
    }
    this.#pending.push(pending);
    this.#worker.hold(true);
    this.#worker.post({ line, signal, isSearch, releases: ends || word === "stop" || word === "ponderhit" });
  }

  /** Ends searches and tasks, also those that have not begun. */
  #cancel(isMeant) {
    for (const pending of this.#pending) {
      if (pending.signal && isMeant(pending)) this.#worker.cancel(pending.signal);
    }
  }

  #receive({ text, isDone }) {
    // What was on its way when the engine ended.
    if (!this.#worker) return;
    const done = isDone && this.#pending.shift();
    if (done?.signal) this.#worker.cancel(done.signal);
    clearTimeout(done?.timer);
    if (text !== null && !done.isAnswered) this.#print(text);
    if (this.#pending.length || !this.#worker) return;
    if (this.#isQuitting) this.#end();
    else this.#worker.hold(false);
  }

  #print(line) {
    if (!this.#listeners.length) (this.#options.print ?? console.log)(line);
    for (const listener of [...this.#listeners]) listener(line);
  }

  #fail(message) {
    if (!this.#worker) return;
    this.#end();
    this.#print(`info string error: the engine has failed: ${message}`);
    this.#options.onAbort?.(message);
  }

  #writeFile(path, data) {
    const view = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data;
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(view).slice();
    this.#files.set(String(path), bytes);
    this.#worker?.post({ path: String(path), bytes });
  }

  addMessageListener(listener) {
    this.#listeners.push(listener);
  }

  removeMessageListener(listener) {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  #end() {
    if (this.#worker) this.#cancel(() => true);
    for (const { timer } of this.#pending) clearTimeout(timer);
    this.#worker?.end();
    this.#worker = null;
    this.#pending = [];
  }

  /** Ends the engine at once. */
  terminate() {
    this.#end();
    this.#listeners = [];
  }
}

/** The factory. */
export const factory = (platform) => function Agoge(options = {}) {
  return new Engine(platform, options).ready;
};
