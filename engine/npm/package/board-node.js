/** The rules for Node. */

import { read } from "./lib/read-node.js";
import { factory } from "./lib/rules.js";

export { Notation, Termination } from "./lib/rules.js";
export default factory(read, new URL("./rules.wasm", import.meta.url).href);
