/**
 * The engine in WebAssembly, in a worker of its own.
 *
 * A search blocks the worker, so that no message reaches it. To stop a search, the page increments a counter in shared
 * memory, which the clock of the engine reads. Shared memory needs special headers of the web server. Without them, the
 * clock suspends the engine now and then, so that messages come in. Where the browser cannot do that ("JavaScript Promise
 * Integration"), the page revokes the address of a blob: the clock asks for it, synchronously, and the request then fails.
 */
import { Threads, beThread, memoryFor } from "./threads.js";

/** The time after which the engine is suspended for messages, in milliseconds. */
const INTERVAL = 10;

/**
 * A request takes some milliseconds, during which the engine waits. The next one comes after this many times as long, so
 * that the search keeps its speed, but within the limits, in milliseconds, so that it stops soon.
 */
const PAUSE = 12;
const SHORTEST_PAUSE = 10;
const LONGEST_PAUSE = 50;

const THREADS = /^setoption name Threads value (\d+)$/;

let wasm = null;
/** The exported memory of the module, or the shared one. */
let memory = null;
let threads = null;
/** Executes a line of UCI. */
let run = null;
/** The counter of stops, and its value when the search began. Without shared memory, the messages that come in count. */
let stops = null;
let count = 0;
/** Whether the engine can be suspended. */
let suspends = false;
let isExecuting = false;
let resume = null;
const messages = new MessageChannel();
messages.port1.onmessage = () => resume();
let signal = null;
let lastCheck = 0;
/** How long a request takes, in milliseconds: a moving average. */
let requestTime = LONGEST_PAUSE / PAUSE;
let isStopped = false;
/** The best move of an infinite search that has ended, kept back until it is stopped. */
let keptBack = null;
let isInfinite = false;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function isRevoked() {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", signal, false);
    request.send();
    return request.status !== 200;
  } catch {
    return true;
  }
}

/** Suspends the engine until the messages that have arrived are read. */
function readMessages() {
  return new Promise((resolve) => {
    resume = () => {
      lastCheck = performance.now();
      resolve(now());
    };
    messages.port2.postMessage(null);
  });
}

function now() {
  const time = performance.now();
  if (stops) {
    if (!isStopped && Atomics.load(stops, 0) !== count) {
      isStopped = true;
      wasm.agoge_stop();
    }
    return suspends && isExecuting && !isStopped && time - lastCheck > INTERVAL ? readMessages() : time;
  }
  const pause = Math.min(Math.max(PAUSE * requestTime, SHORTEST_PAUSE), LONGEST_PAUSE);
  if (signal && !isStopped && time - lastCheck > pause) {
    isStopped = isRevoked();
    if (isStopped) wasm.agoge_stop();
    lastCheck = performance.now();
    requestTime += (lastCheck - time - requestTime) / 8;
  }
  return time;
}

function print(address, length) {
  // A copy, because shared memory cannot be decoded.
  const text = decoder.decode(new Uint8Array(memory.buffer, address, length).slice());
  for (const line of text.split("\n")) {
    if (isInfinite && !isStopped && line.startsWith("bestmove")) keptBack = line;
    else postMessage(line);
  }
}

function write(text, more = []) {
  const bytes = encoder.encode(text);
  const length = bytes.length + more.length;
  // First, because the memory may grow.
  const address = wasm.agoge_buffer(length);
  const buffer = new Uint8Array(memory.buffer, address, length);
  buffer.set(bytes);
  buffer.set(more, bytes.length);
}

async function execute(line) {
  if (line === "stop") {
    isStopped = true;
    if (keptBack) postMessage(keptBack);
    keptBack = null;
    return;
  }
  if (line.startsWith("go")) {
    isStopped = false;
    isInfinite = line.includes("infinite");
    lastCheck = performance.now();
  }
  await threads?.provide(Number(THREADS.exec(line)?.[1] ?? 1));
  write(line);
  isExecuting = true;
  await run();
  isExecuting = false;
  // Without a system, the seed of a new game is not random.
  if (line === "ucinewgame") wasm.agoge_seed(Math.floor(Math.random() * 2 ** 32));
}

async function receive(data) {
  if (data.network) {
    write("", new Uint8Array(data.network));
    postMessage({ network: wasm.agoge_network() === 1 });
  } else if (data.threeMen) {
    write("", new Uint8Array(data.threeMen));
    wasm.agoge_three_men();
  } else if (data.theory) {
    write("", new Uint8Array(data.theory));
    wasm.agoge_theory();
  } else if (data.question) {
    write(data.question);
    wasm.agoge_ask();
  } else if (data.part) {
    write(`${data.part}\n`, new Uint8Array(data.bytes));
    wasm.agoge_add();
  } else {
    if (data.line.startsWith("go")) ({ signal, count } = data);
    await execute(data.line);
  }
}

async function start(data) {
  ({ stops } = data);
  suspends = self.name === "engine" && !stops && "Suspending" in WebAssembly;
  if (suspends) stops = new Int32Array(1);
  memory = memoryFor(data.module);
  const host = { now: suspends ? new WebAssembly.Suspending(now) : now, print };
  wasm = (await WebAssembly.instantiate(data.module, { agoge: host, env: { memory } })).exports;
  if (memory) threads = new Threads(data.module, memory, wasm);
  else ({ memory } = wasm);
  run = suspends ? WebAssembly.promising(wasm.agoge_uci) : wasm.agoge_uci;
}

// The other messages wait for the module.
let begin;
let queue = new Promise((resolve) => (begin = resolve));
addEventListener("message", ({ data }) => {
  if (suspends && /^(go|stop|ponderhit)/.test(data.line)) data.count = stops[0] += 1;
  if (data.thread) begin(beThread(data.thread));
  else if (data.module) begin(start(data));
  else queue = queue.then(() => receive(data));
  // Only an error outside of a promise reaches the page.
  queue.catch((error) => setTimeout(() => {
    throw error;
  }));
});
