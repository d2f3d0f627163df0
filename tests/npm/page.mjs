/**
 * The scenes in a page, or in a worker of it: `page.html?worker`. With `?blob`, as in a browser that cannot suspend a
 * module. Puts what they measured, or an error, into the title.
 */

import Module from "./node_modules/agoge/board.js";
import { all } from "./scenes.mjs";

if (location.search === "?blob") delete WebAssembly.Suspending;
const { default: Agoge } = await import("./node_modules/agoge/index.js");

/** Loads a file as a page would that keeps it elsewhere. */
const file = async (name) => (await fetch(new URL(`./node_modules/agoge/${name}`, import.meta.url))).arrayBuffer();

async function run() {
  try {
    const measured = await all(Agoge, Module, await file("agoge.wasm"), file("rules.wasm"));
    return JSON.stringify({ ...measured, isolated: globalThis.crossOriginIsolated });
  } catch (error) {
    return `error: ${error.message}`;
  }
}

if (typeof document === "undefined") {
  postMessage(await run());
} else if (location.search === "?worker") {
  const worker = new Worker(new URL("./page.mjs", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => (document.title = data);
  worker.onerror = (event) => (document.title = `error: ${event.message}`);
} else {
  document.title = await run();
}
