/** The engine for pages and their workers. */

import { factory } from "./lib/engine.js";
import { read } from "./lib/read.js";

const WORKER = "worker.js";

const isIsolated = !!globalThis.crossOriginIsolated;
/** Without shared memory, the module is suspended for messages, if the browser can do that. */
const suspends = !isIsolated && "Suspending" in WebAssembly;

/** A worker may not come from another origin, but one of this origin may import it. */
function foreignWorker(url) {
  const blob = new Blob([`import ${JSON.stringify(String(url))};`], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(blob), { type: "module" });
}

function newWorker(url) {
  const own = new URL(import.meta.url);
  const address = url ? new URL(url, location.href) : new URL(WORKER, own);
  const isForeign = address.protocol.startsWith("http") && address.origin !== location.origin;
  if (isForeign) return foreignWorker(address);
  // Bundlers look for these words.
  return url ? new Worker(address, { type: "module" }) : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}

export default factory({
  files: {
    "agoge.wasm": new URL("./agoge.wasm", import.meta.url).href,
    "theory.bin": new URL("./theory.bin", import.meta.url).href,
  },
  folder: import.meta.url.replace(/[^/]*$/, ""),
  workerFile: WORKER,
  read,
  suspends,
  absolute: (url) => new URL(url, location.href).href,

  start(url, onMessage, onError) {
    const worker = newWorker(url);
    worker.onmessage = ({ data }) => onMessage(data);
    worker.onerror = (event) => {
      event.preventDefault();
      onError(event.message || "its worker cannot be loaded");
    };
    let last = 0;
    return {
      post: (data) => worker.postMessage(data),
      end: () => worker.terminate(),
      hold() {},
      newSignal() {
        if (isIsolated) return new Int32Array(new SharedArrayBuffer(4));
        return suspends ? (last += 1) : URL.createObjectURL(new Blob(["go on"]));
      },
      cancel(signal) {
        if (typeof signal === "number") worker.postMessage({ cancelled: signal });
        else if (typeof signal === "string") URL.revokeObjectURL(signal);
        else Atomics.store(signal, 0, 1);
      },
    };
  },
});
