/** The rules for pages and their workers. */

import { read } from "./lib/read.js";
import { factory } from "./lib/rules.js";

export { Notation, Termination } from "./lib/rules.js";
export default factory(read, new URL("./rules.wasm", import.meta.url).href);
