/** The engine for Node. */

import { Worker } from "node:worker_threads";
import { factory } from "./lib/engine.js";
import { read } from "./lib/read-node.js";

const folder = new URL(".", import.meta.url).href;
const WORKER = "worker-node.js";

export default factory({
  files: Object.fromEntries(["agoge.wasm", "theory.bin", WORKER].map((name) => [name, folder + name])),
  folder,
  workerFile: WORKER,
  read,
  suspends: false,
  absolute: (url) => url,

  start(url, onMessage, onError) {
    const worker = new Worker(/^[a-z]{2,}:/.test(url) ? new URL(url) : url);
    worker.on("message", onMessage);
    worker.on("error", (error) => onError(error.message));
    return {
      post: (data) => worker.postMessage(data),
      end: () => worker.terminate(),
      // An idle engine does not keep the process alive.
      hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
      newSignal: () => new Int32Array(new SharedArrayBuffer(4)),
      cancel: (signal) => Atomics.store(signal, 0, 1),
    };
  },
});
