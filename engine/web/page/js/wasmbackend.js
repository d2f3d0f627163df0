/** The engine in WebAssembly: one worker answers questions; another searches, and is busy meanwhile. */
import { Backend } from "./backend.js";
import { RATINGS, THREADS } from "./config.js";
import { showFailure } from "./connection.js";
import { FileError, addressOf, cannotLoad, damage, load, readBytes } from "./files.js";
import { t } from "./i18n.js";
import { setRatings } from "./levels.js";
import { RemoteTables } from "./remotetables.js";
import { threadLimit } from "./threads.js";

const MODULE = "agoge.wasm";
const MODULE_WITH_THREADS = "agoge-threads.wasm";
/** What the modules take, by the names of the messages (worker.js). */
const FILES = { network: "agoge.nnue", threeMen: "three-men.dtm", theory: "positions/theory.bin" };
const WORKER = "js/worker.js";

/** Compiles the module, while it is loaded if the web server tells its type. */
const compile = (name) => load(name, async (response) => {
  if (response.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
});

/**
 * The rules come first, then the network, without which the engine cannot search, then the table of three men. What fails
 * is told, and begins anew from there when the user tries again.
 */
export class WasmBackend extends Backend {
  progress = 0;
  /** There is no engine before there is a network. */
  isConnected = false;
  /** The modules of the workers, by their names. */
  modules = { rules: null, engine: null };
  /** The files for the modules, and the promises of those that are being loaded. */
  files = {};
  loading = {};
  /** Called with whether the module of a worker has taken a file. */
  onTaken = {};

  static start() {
    const backend = new WasmBackend();
    if (globalThis.crossOriginIsolated) backend.stops = new Int32Array(new SharedArrayBuffer(4));
    if (THREADS) backend.threadLimit = threadLimit();
    setRatings(RATINGS);
    backend.ready = new Promise((resolve) => (backend.beReady = resolve));
    backend.startRules();
    backend.startEngine();
    backend.load();
    return backend;
  }

  async load() {
    try {
      await this.loadModule("rules", MODULE);
      this.limits = await this.ask({ ask: "limits" });
      await this.loadModule("engine", this.threadLimit > 1 ? MODULE_WITH_THREADS : MODULE);
      await this.loadNetwork();
      // If it fails, it is loaded when somebody asks for it.
      await this.loadFile("threeMen").catch(() => {});
    } catch (error) {
      showFailure(error.message, () => this.load());
    }
  }

  /** Loads the module of a worker. The one of the rules has no threads: it is the same wherever the page is, and comes first. */
  async loadModule(worker, name) {
    if (this.modules[worker]) return;
    this.modules[worker] = name === MODULE && this.modules.rules ? this.modules.rules : await compile(name);
    this.passModule(worker, this[worker]);
  }

  passModule(name, worker) {
    worker.postMessage({ module: this.modules[name], stops: this.stops });
  }

  async loadNetwork() {
    if (this.isConnected) return;
    await this.loadFile("network", (response) => readBytes(response, this.limits.network, (share) => {
      this.progress = share;
      this.onProgress();
    }));
    this.isConnected = true;
    this.progress = null;
    this.beReady();
    this.onProgress();
  }

  /** Loads a file of the modules once, and passes it on; a failure is not kept. */
  loadFile(kind, read) {
    this.loading[kind] ??= this.files[kind] ? null : this.takeFile(kind, read).finally(() => delete this.loading[kind]);
    return this.loading[kind];
  }

  async takeFile(kind, read) {
    const file = await load(FILES[kind], read);
    this.files[kind] = file;
    const isTaken = new Promise((resolve) => (this.onTaken[kind] = resolve));
    (kind === "network" ? this.engine : this.rules).postMessage({ [kind]: file });
    if (await isTaken) {
      if (kind === "threeMen") this.engine.postMessage({ threeMen: file });
      return;
    }
    delete this.files[kind];
    throw damage(FILES[kind]);
  }

  get hasTheory() {
    return !!this.files.theory;
  }

  async theory(line) {
    await this.loadFile("theory");
    return super.theory(line);
  }

  /** Passes all files that a worker needs on. */
  passFiles(worker, kinds) {
    for (const kind of kinds) if (this.files[kind]) worker.postMessage({ [kind]: this.files[kind] });
  }

  /** `onFail` is called once, if the worker fails; it is then ended. */
  newWorker(name, onText, onFail) {
    const worker = new Worker(addressOf(WORKER), { type: "module", name });
    let hasFailed = false;
    worker.onmessage = ({ data }) => (typeof data === "string" ? onText(data) : this.onTaken[data.taken]?.(data.isGood));
    worker.onerror = (event) => {
      event.preventDefault();
      if (hasFailed) return;
      hasFailed = true;
      worker.terminate();
      // Another event tells that its script could not be loaded.
      if (event instanceof ErrorEvent) onFail();
      else showFailure(cannotLoad(WORKER), onFail);
    };
    if (this.modules[name]) this.passModule(name, worker);
    return worker;
  }

  post(question) {
    this.rules.postMessage({ question });
  }

  /** If the worker fails, the question that it was at has no answer, and the others are asked anew. */
  startRules() {
    this.remote = new RemoteTables((part, bytes) => this.addTable(part, bytes));
    this.rules = this.newWorker("rules", (text) => this.answer(text), () => {
      this.startRules();
      if (this.modules.rules) this.rejectFirst();
      for (const { text } of this.waiting.values()) this.post(text);
    });
    this.passFiles(this.rules, ["threeMen", "theory"]);
  }

  rejectFirst() {
    const [[id, first] = []] = this.waiting;
    this.waiting.delete(id);
    first?.reject(new Error(t("The rules of the game have failed at this. There may be too little memory.")));
  }

  /** Adds a part of the file of an endgame table. */
  addTable(part, bytes) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      // It is not repeated if the worker fails.
      this.waiting.set(id, { resolve, reject, text: JSON.stringify({ id }) });
      this.rules.postMessage({ part: JSON.stringify({ id, ...part }), bytes }, [bytes]);
    });
  }

  async endgame(line) {
    await this.loadFile("threeMen");
    return this.remote.complete(() => super.endgame(line));
  }

  async endgameLine(line, move) {
    const { steps, failed } = await this.remote.complete(() => this.ask({ ask: "tables-line", line, move }));
    if (failed) throw new FileError(cannotLoad(failed));
    return steps;
  }

  /** There is nothing that could make tables. */
  tables() {
    return null;
  }

  startEngine() {
    this.engine = this.newWorker("engine", (line) => this.onLine(line), () => this.onEnd());
    this.passFiles(this.engine, ["threeMen", "network"]);
    this.send("setoption name UCI_ShowWDL value true");
  }

  /** A searching worker may read no messages, but it notices a counter in shared memory, or an address revoked by us. */
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
