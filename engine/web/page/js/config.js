/** Where the engine runs: "native", on the server of `agoge gui`, or "wasm", in a worker of this page. */
export const BACKEND = "native";

/** The ratings of the levels of the engine in WebAssembly, which the build writes here: the page shows them before the engine is there. */
export const RATINGS = [];

/** Whether there is a second module, agoge-threads.wasm, for browsers that share memory between threads. */
export const THREADS = false;
