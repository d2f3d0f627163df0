/**
 * The engine and its rules, natively through a WebSocket or as WebAssembly in workers.
 *
 * Both kinds have `send(line)` for a line of UCI, `ask(question)` for a promise of an answer about the rules (see
 * engine/web/src/json), and `restart()`; they call `onLine` for each line of the engine and `onEnd` when it has ended.
 * `limits` are the sizes of the longest question and of the longest PGN in it.
 */
import { BACKEND } from "./config.js";

export async function connect() {
  const backend = await (BACKEND === "wasm" ? WasmBackend.start() : NativeBackend.start());
  backend.limits = await backend.ask({ ask: "limits" });
  return backend;
}

/** The size of a text in bytes. */
const size = (text) => new TextEncoder().encode(text).length;

/** Throws an error with a message for the user if something is too large. */
function check(bytes, limit, what) {
  const mebibytes = (number) => `${(number / 2 ** 20).toFixed(1)} MiB`;
  if (bytes > limit) throw new Error(`${what} has ${mebibytes(bytes)}, more than ${mebibytes(limit)}.`);
}

class Backend {
  onLine = () => {};
  onEnd = () => {};
  onDisconnect = () => {};
  onProblem = () => {};
  /** The promises of answers by the number of the question. */
  waiting = new Map();
  last = 0;
  limits = { question: Infinity, text: Infinity };

  async ask(question) {
    const id = ++this.last;
    const text = JSON.stringify({ id, ...question });
    check(size(text), this.limits.question, "The game");
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.post(text);
    });
  }

  answer(text) {
    const { id, ok, error } = JSON.parse(text);
    const promise = this.waiting.get(id);
    this.waiting.delete(id);
    if (!promise) {
      // An error without number is about a question that was not even read.
      if (error !== undefined) this.onProblem(error);
      return;
    }
    if (error === undefined) promise.resolve(ok);
    else promise.reject(new Error(error));
  }
}

class NativeBackend extends Backend {
  static start() {
    return new Promise((resolve, reject) => {
      const backend = new NativeBackend();
      const address = new URL("engine", document.baseURI);
      address.protocol = "ws:";
      address.hash = "";
      const socket = new WebSocket(address);
      backend.socket = socket;
      socket.onmessage = ({ data }) => {
        if (data.startsWith("{")) backend.answer(data);
        else if (data === "engine ended") backend.onEnd();
        else backend.onLine(data);
      };
      socket.onopen = () => resolve(backend);
      socket.onclose = () => {
        reject(new Error("The engine cannot be reached. Is agoge gui still running?"));
        backend.giveUp();
        backend.onDisconnect();
      };
    });
  }

  post(text) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
    else this.giveUp();
  }

  /** Nobody answers any more. */
  giveUp() {
    for (const { reject } of this.waiting.values()) reject(new Error("The connection to the engine is lost."));
    this.waiting.clear();
  }

  send(line) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(line);
  }

  restart() {
    this.send("restart");
  }
}

/** One worker answers questions; another searches, and is busy meanwhile. */
class WasmBackend extends Backend {
  static async start() {
    const backend = new WasmBackend();
    if (globalThis.crossOriginIsolated) backend.stops = new Int32Array(new SharedArrayBuffer(4));
    const response = await fetch(new URL("agoge.wasm", document.baseURI));
    if (!response.ok) throw new Error("The engine, agoge.wasm, cannot be loaded.");
    backend.module = await WebAssembly.compile(await response.arrayBuffer());
    backend.rules = backend.newWorker((text) => backend.answer(text));
    backend.startEngine();
    return backend;
  }

  newWorker(onText) {
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => onText(data);
    worker.postMessage({ module: this.module, stops: this.stops });
    return worker;
  }

  post(question) {
    this.rules.postMessage({ question });
  }

  startEngine() {
    this.engine = this.newWorker((line) => this.onLine(line));
    this.engine.onerror = (event) => {
      event.preventDefault();
      this.engine.terminate();
      this.onEnd();
    };
    this.send("setoption name UCI_ShowWDL value true");
  }

  /** A searching worker reads no messages, but it notices a counter in shared memory, or an address revoked by us. */
  send(line) {
    if (this.stops) {
      if (line === "stop" || line === "ponderhit" || line.startsWith("go")) Atomics.add(this.stops, 0, 1);
      this.engine.postMessage({ line, count: this.stops[0] });
      return;
    }
    if (line === "stop" || line === "ponderhit") {
      if (this.signal) URL.revokeObjectURL(this.signal);
      this.signal = null;
    } else if (line.startsWith("go")) {
      if (this.signal) URL.revokeObjectURL(this.signal);
      this.signal = URL.createObjectURL(new Blob(["go on"]));
    }
    this.engine.postMessage({ line, signal: this.signal });
  }

  restart() {
    this.engine.terminate();
    this.startEngine();
  }
}
