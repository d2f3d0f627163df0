/** Where the engine runs: "native", on the server of `agoge gui`, or "wasm", in a worker of this page. */
export const BACKEND = "native";

/** The ratings of the levels of the engine in WebAssembly, which the build writes here: the page shows them before the engine is there. */
export const RATINGS = [];
