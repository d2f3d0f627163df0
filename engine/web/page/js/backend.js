/**
 * The engine and its rules, natively through a WebSocket or as WebAssembly in workers (see wasmbackend.js).
 *
 * Both kinds have `send(line)` for a line of UCI, `ask(question)` for a promise of an answer about the rules (see
 * engine/web/src/json), and `restart()`; they call `onLine` for each line of the engine and `onEnd` when it has ended.
 * A question asked without a connection, or whose answer is lost with it, is answered when the connection is back.
 * `limits` is its answer to that question: sizes, and the ratings of the levels.
 */
import { mebibytes, t, translate } from "./i18n.js";
import { setRatings } from "./levels.js";

/** The size of a text in bytes. */
const size = (text) => new TextEncoder().encode(text).length;

export class Backend {
  onLine = () => {};
  onEnd = () => {};
  /** Called with "lost" or "silent" while the server is gone or does not answer, and with null when it is back. */
  onTrouble = () => {};
  /** Called when a lost connection is there again, with another engine behind it. */
  onReconnect = () => {};
  /** Called when the connection is back, but the server has another version of the page. */
  onUpdate = () => {};
  onProblem = () => {};
  /** Called as a file is loaded without which the engine cannot play. */
  onProgress = () => {};
  /** The loaded share of that file, 0 to 1; null when there is nothing to wait for. */
  progress = null;
  /** Resolved when the engine can search. */
  ready = Promise.resolve();
  isConnected = true;
  /** The most threads that the page may let the engine use. Those of the native one are for its server to say. */
  threadLimit = 1;
  /** The promises of answers by the number of the question. */
  waiting = new Map();
  last = 0;
  limits = { question: Infinity, text: Infinity };

  async ask(question) {
    const id = ++this.last;
    const text = JSON.stringify({ id, ...question });
    const bytes = size(text);
    const limit = this.limits.question;
    if (bytes > limit) throw new Error(t("The game is {size}; the limit is {limit}.", { size: mebibytes(bytes), limit: mebibytes(limit) }));
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, text });
      this.post(text);
    });
  }

  /** Whether the opening theory is at hand. */
  get hasTheory() {
    return true;
  }

  /** The opening theory at the end of a line. */
  theory(line) {
    return this.ask({ ask: "theory", line });
  }

  /** What the endgame tables say about the end of a line; null if it has too many pieces. */
  endgame(line) {
    return this.ask({ ask: "tables-moves", line });
  }

  /** The line of best play after a move at the end of a line. */
  async endgameLine(line, move) {
    return (await this.ask({ ask: "tables-line", line, move })).steps;
  }

  answer(text) {
    const { id, ok, error } = JSON.parse(text);
    const promise = this.waiting.get(id);
    this.waiting.delete(id);
    if (!promise) {
      // An error without number is about a question that was not even read.
      if (error !== undefined) this.onProblem(translate(error));
      return;
    }
    if (error === undefined) promise.resolve(ok);
    else promise.reject(new Error(translate(error)));
  }
}

/** The pauses before the connection is tried again, in milliseconds; the last one is repeated. */
const PAUSES = [500, 1000, 2000, 4000, 8000, 15_000];

/** The time after which a server that answers nothing is noticed, in milliseconds; while it has a large question, longer. */
const PATIENCE = 6000;
const LONG_PATIENCE = 60_000;

/** The length of a question that takes long. */
const LARGE = 100_000;

export class NativeBackend extends Backend {
  isConnected = false;
  attempts = 0;
  heard = Date.now();

  static async start() {
    const backend = new NativeBackend();
    await backend.connect();
    backend.limits = await backend.ask({ ask: "limits" });
    setRatings(backend.limits.ratings);
    for (const [target, name] of [[document, "visibilitychange"], [window, "online"], [window, "pageshow"]]) {
      target.addEventListener(name, () => document.visibilityState === "visible" && backend.retry());
    }
    setInterval(() => backend.watch(), 2000);
    return backend;
  }

  /** Connects; rejected if the server cannot be reached. */
  connect() {
    return new Promise((resolve, reject) => {
      const address = new URL("engine", document.baseURI);
      address.protocol = "ws:";
      address.hash = "";
      const socket = new WebSocket(address);
      this.socket = socket;
      socket.onmessage = ({ data }) => {
        this.attempts = 0;
        this.hear();
        if (data.startsWith("{")) this.answer(data);
        else if (data === "engine ended") this.onEnd();
        else this.onLine(data);
      };
      socket.onopen = () => {
        this.isConnected = true;
        this.hear();
        resolve();
      };
      socket.onclose = () => {
        reject(new Error(t("The engine cannot be reached. Is agoge gui still running?")));
        if (this.isConnected) this.lose();
      };
    });
  }

  lose() {
    this.isConnected = false;
    this.trouble = true;
    this.onTrouble("lost");
    this.wait();
  }

  /** Tries again after a pause. */
  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.retry(), PAUSES[Math.min(this.attempts, PAUSES.length - 1)]);
    this.attempts += 1;
  }

  /** Tries to connect at once, if there is no connection, and goes on where the last one ended. */
  async retry() {
    if (this.isConnected || this.isTrying) return;
    clearTimeout(this.timer);
    this.isTrying = true;
    try {
      await this.connect();
      for (const { text } of this.waiting.values()) this.socket.send(text);
      this.onReconnect();
      this.compareVersions();
    } catch {
      this.wait();
    } finally {
      this.isTrying = false;
    }
  }

  /** The server may have been updated while it was away. */
  async compareVersions() {
    const limits = await this.ask({ ask: "limits" });
    if (limits.page !== this.limits.page) this.onUpdate();
  }

  /** Notes that the server lives. */
  hear() {
    this.heard = Date.now();
    this.asked = null;
    if (!this.isConnected || !this.trouble) return;
    this.trouble = false;
    this.onTrouble(null);
  }

  /** Notices a server that is suspended: asks something if it has said nothing for a while. */
  watch() {
    if (!this.isConnected) return;
    const silence = Date.now() - this.heard;
    const patience = [...this.waiting.values()].some(({ text }) => text.length > LARGE) ? LONG_PATIENCE : PATIENCE;
    if (silence < patience / 2) return;
    // After a sleep of the machine, or of the tab, the answer may be on its way.
    if (!this.asked) {
      this.asked = Date.now();
      this.ask({ ask: "limits" });
    } else if (Date.now() - this.asked > patience / 2) {
      this.trouble = true;
      this.onTrouble("silent");
    }
  }

  /** Sends a question; without a connection it is sent when there is one. */
  post(text) {
    if (this.isConnected) this.socket.send(text);
  }

  send(line) {
    if (this.isConnected) this.socket.send(line);
  }

  restart() {
    this.send("restart");
  }

  /** The state of the tables of the server; `act` may also be "make" or "stop". */
  tables(act) {
    return this.ask({ ask: `tables-${act}` });
  }
}
