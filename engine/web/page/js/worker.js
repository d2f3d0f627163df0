/**
 * The engine in WebAssembly, in a worker of its own.
 *
 * A search blocks the worker, so that no message reaches it. To stop a search, the page increments a counter in shared
 * memory, which the clock of the engine reads. Shared memory needs special headers of the web server. Without them, the
 * page revokes the address of a blob: now and then the clock asks for it, synchronously, and the request then fails.
 */

/**
 * A request takes some milliseconds, during which the engine waits. The next one comes after this many times as long, so
 * that the search keeps its speed, but within the limits, in milliseconds, so that it stops soon.
 */
const PAUSE = 12;
const SHORTEST_PAUSE = 10;
const LONGEST_PAUSE = 50;

let wasm = null;
/** The counter of stops in shared memory, if there is any, and its value when the search began. */
let stops = null;
let count = 0;
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

function now() {
  const time = performance.now();
  if (stops) {
    if (!isStopped && Atomics.load(stops, 0) !== count) {
      isStopped = true;
      wasm.agoge_stop();
    }
    return time;
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
  const text = decoder.decode(new Uint8Array(wasm.memory.buffer, address, length));
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
  const buffer = new Uint8Array(wasm.memory.buffer, address, length);
  buffer.set(bytes);
  buffer.set(more, bytes.length);
}

function execute(line) {
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
  write(line);
  wasm.agoge_uci();
  // Without a system, the seed of a new game is not random.
  if (line === "ucinewgame") wasm.agoge_seed(Math.floor(Math.random() * 2 ** 32));
}

function receive(data) {
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
    execute(data.line);
  }
}

async function start(data) {
  ({ stops } = data);
  wasm = (await WebAssembly.instantiate(data.module, { agoge: { now, print } })).exports;
}

// The other messages wait for the module.
let begin;
let queue = new Promise((resolve) => (begin = resolve));
addEventListener("message", ({ data }) => {
  if (data.module) begin(start(data));
  else queue = queue.then(() => receive(data));
  // Only an error outside of a promise reaches the page.
  queue.catch((error) => setTimeout(() => {
    throw error;
  }));
});
