/**
 * The engine in WebAssembly, in a worker of its own. To stop a search, the page increments a counter in shared memory, which
 * needs special headers of the web server. Without them, the messages that come in count, or the page revokes the address of a
 * blob: see host.js.
 */
import { Host } from "./host.js";
import { Threads, beThread, memoryFor } from "./threads.js";

/** The functions of the module that take files, by the names of the messages. */
const TAKE = { network: "agoge_network", threeMen: "agoge_three_men", theory: "agoge_theory" };

const THREADS = /^setoption name Threads value (\d+)$/;

const host = new Host((line) => postMessage(line));
let threads = null;
/** The counter of stops; null if the page revokes addresses. */
let stops = null;
/** Whether the engine is suspended for messages. Their counter is then in this worker. */
let suspends = false;

/** What ends a search that begins with a message. */
function signalOf({ line, signal, count }) {
  if (!line.startsWith("go")) return null;
  return stops ? () => Atomics.load(stops, 0) !== count : signal;
}

async function execute(data) {
  const { line } = data;
  if (line === "stop") {
    const best = host.release();
    if (best) postMessage(best);
    return;
  }
  await threads?.provide(Number(THREADS.exec(line)?.[1] ?? 1));
  await host.run(line, signalOf(data));
  // The seed of a new game is not random.
  if (line === "ucinewgame") host.seed();
}

async function receive(data) {
  const { wasm } = host;
  const taken = Object.keys(TAKE).find((kind) => data[kind]);
  if (taken) {
    host.write("", new Uint8Array(data[taken]));
    postMessage({ taken, isGood: wasm[TAKE[taken]]() === 1 });
  } else if (data.question) {
    host.write(data.question);
    wasm.agoge_ask();
  } else if (data.part) {
    host.write(`${data.part}\n`, new Uint8Array(data.bytes));
    wasm.agoge_add();
  } else {
    await execute(data);
  }
}

async function start(data) {
  ({ stops } = data);
  suspends = self.name === "engine" && !stops && "Suspending" in WebAssembly;
  if (suspends) stops = new Int32Array(1);
  const memory = memoryFor(data.module);
  await host.open(data.module, suspends, memory);
  if (memory) threads = new Threads(data.module, memory, host.wasm);
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
