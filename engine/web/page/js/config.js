/** Where the engine runs: "native", on the server of `agoge gui`, or "wasm", in a worker of this page. */
export const BACKEND = "native";
