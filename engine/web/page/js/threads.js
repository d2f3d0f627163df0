/**
 * Threads of the engine in WebAssembly: each is a worker with an instance of the module on the same shared memory, which a
 * browser grants to a page only with special headers of the web server.
 */

/** The sizes of the memory in pages of 64 KiB: those that the module is linked with (.ci/build_web). */
const INITIAL = 512;
const MAXIMUM = 16_384;

/** More would not fit into the memory. */
const MOST_THREADS = 32;

const newMemory = () => new WebAssembly.Memory({ initial: INITIAL, maximum: MAXIMUM, shared: true });

/** How many threads the browser can run: 1 if it shares no memory, or not as much. */
export function threadLimit() {
  if (!globalThis.crossOriginIsolated) return 1;
  try {
    newMemory();
  } catch {
    return 1;
  }
  return Math.min(navigator.hardwareConcurrency ?? 1, MOST_THREADS);
}

/** The memory that a module imports, if it does. */
export function memoryFor(module) {
  return WebAssembly.Module.imports(module).some(({ kind }) => kind === "memory") ? newMemory() : null;
}

/** In the worker of the engine: the other threads. They end with it. */
export class Threads {
  count = 1;

  constructor(module, memory, wasm) {
    Object.assign(this, { module, memory, wasm });
  }

  /** Starts more threads until there are as many as wanted, or no more can be started. */
  async provide(wanted) {
    while (this.count < wanted && (await this.add())) this.count += 1;
  }

  async add() {
    const { module, memory, wasm } = this;
    const address = wasm.agoge_new_thread(wasm.__tls_size.value);
    if (!address) return false;
    const worker = new Worker(location.href, { type: "module", name: "thread" });
    const isReady = new Promise((resolve) => {
      worker.onmessage = () => resolve(true);
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(false);
      };
    });
    worker.postMessage({ thread: { module, memory, address, origin: performance.timeOrigin } });
    if (!(await isReady)) {
      worker.terminate();
      return false;
    }
    worker.onerror = null;
    return true;
  }
}

/** Makes this worker such a thread. It then searches or waits, and reads no messages. */
export async function beThread({ module, memory, address, origin }) {
  // The clocks of all threads must agree.
  const offset = performance.timeOrigin - origin;
  const host = { now: () => performance.now() + offset, print: () => postMessage("ready") };
  const wasm = (await WebAssembly.instantiate(module, { env: { memory }, agoge: host })).exports;
  wasm.__stack_pointer.value = address;
  wasm.__wasm_init_tls(address);
  wasm.agoge_thread();
}
