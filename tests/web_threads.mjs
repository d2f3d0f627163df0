/**
 * Tests the engine in WebAssembly with threads, as the page uses it, in Node:
 *
 *     node tests/web_threads.mjs MODULE [NETWORK]
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const MEMORY = { initial: 512, maximum: 16_384, shared: true };
const file = (name) => readFileSync(new URL(name, import.meta.url));

/** Searches in this worker whenever the main thread wants it; never returns. */
function beThread({ module, memory, address, origin }) {
  const offset = performance.timeOrigin - origin;
  const host = { now: () => performance.now() + offset, print: () => parentPort.postMessage("ready") };
  const wasm = new WebAssembly.Instance(module, { env: { memory }, agoge: host }).exports;
  wasm.__stack_pointer.value = address;
  wasm.__wasm_init_tls(address);
  wasm.agoge_thread();
}

class Engine {
  lines = [];
  /** When the search is to be stopped, and when it was. */
  stopAt = Infinity;
  stopped = NaN;
  workers = [];

  constructor(bytes, network) {
    this.module = new WebAssembly.Module(bytes);
    this.memory = new WebAssembly.Memory(MEMORY);
    const print = (address, length) => this.lines.push(...decoder.decode(this.bytes(address, length).slice()).split("\n"));
    const host = { now: () => this.now(), print };
    this.wasm = new WebAssembly.Instance(this.module, { env: { memory: this.memory }, agoge: host }).exports;
    this.write(network);
    assert.equal(this.wasm.agoge_network(), 1, "the network is taken");
    this.write(file("../engine/core/data/three-men.dtm"));
    this.wasm.agoge_three_men();
  }

  bytes(address, length) {
    return new Uint8Array(this.memory.buffer, address, length);
  }

  now() {
    const time = performance.now();
    if (time >= this.stopAt) {
      [this.stopAt, this.stopped] = [Infinity, time];
      this.wasm.agoge_stop();
    }
    return time;
  }

  write(bytes) {
    const address = this.wasm.agoge_buffer(bytes.length);
    this.bytes(address, bytes.length).set(bytes);
  }

  /** Executes lines and returns what the last one printed. */
  send(...lines) {
    for (const line of lines) {
      this.lines = [];
      this.write(encoder.encode(line));
      this.wasm.agoge_uci();
    }
    return this.lines;
  }

  /** Adds a thread. */
  async lend() {
    const address = this.wasm.agoge_new_thread(this.wasm.__tls_size.value);
    assert.notEqual(address, 0, "there is memory");
    const data = { module: this.module, memory: this.memory, address, origin: performance.timeOrigin };
    const worker = new Worker(new URL(import.meta.url), { workerData: data });
    this.workers.push(worker);
    await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
  }

  /** Searches; the best move must be legal. Returns the nodes. */
  search(limits) {
    const legal = this.send("d").find((line) => line.startsWith("Legal moves: ")).split(" ").slice(2);
    const lines = this.send(`go ${limits}`);
    const [, best] = lines.at(-1).split(" ");
    assert.ok(lines.at(-1).startsWith("bestmove ") && legal.includes(best), lines.at(-1));
    return Number(/ nodes (\d+)/.exec(lines.findLast((line) => line.includes(" nodes ")))[1]);
  }
}

async function main([path, network = new URL("../engine/core/nets/agoge.nnue", import.meta.url)]) {
  const engine = new Engine(readFileSync(path), readFileSync(network));
  const [, recorded] = /# bench: (\d+) nodes/.exec(file("../engine/core/data/bench.epd"));
  assert.equal(engine.send("bench").at(-1).split(" ")[0], recorded, "the nodes of the bench");

  // Without further threads the option changes nothing.
  assert.deepEqual(engine.send("setoption name Threads value 3"), []);
  engine.send("position startpos moves e2e4");
  assert.equal(engine.search("nodes 20000"), 20_000);

  await engine.lend();
  await engine.lend();
  for (let round = 0; round < 40; round++) {
    const threads = 1 + ((round * 7) % 5);
    assert.deepEqual(engine.send(`setoption name Threads value ${threads}`), []);
    const limits = ["nodes 5000", "depth 6", "movetime 40"][round % 3];
    assert.ok(engine.search(limits) > 100);
    if (round % 4 === 0) engine.send("ucinewgame", "position startpos moves d2d4");
  }

  engine.send("setoption name Threads value 3", "position startpos");
  const times = [];
  for (let round = 0; round < 20; round++) {
    engine.stopAt = performance.now() + 50 + round;
    engine.search("infinite");
    times.push(performance.now() - engine.stopped);
  }
  times.sort((a, b) => a - b);
  assert.ok(times[10] < 60, `stopped after ${times} ms`);

  const speed = (threads) => {
    engine.send(`setoption name Threads value ${threads}`, "ucinewgame", "position startpos");
    return engine.search("movetime 1000");
  };
  const ratios = [0, 1, 2, 3, 4].map(() => speed(2) / speed(1)).sort((a, b) => a - b);
  const text = `stopped within ${times.at(-1).toFixed(1)} ms; two threads search ${ratios[2].toFixed(2)} times as fast as one`;
  console.log(`${text} (${ratios.map((ratio) => ratio.toFixed(2)).join(", ")})`);
  // They must end although they wait.
  await Promise.all(engine.workers.map((worker) => worker.terminate()));
}

if (isMainThread) await main(process.argv.slice(2));
else beThread(workerData);
