/** The scenes in Node by `import`, with a network as argument. Prints what they measured. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import Agoge from "agoge";
import Module from "agoge/board";
import { all, ownNetwork } from "./scenes.mjs";

const file = (name) => readFile(createRequire(import.meta.url).resolve(`agoge/${name}`));
await ownNetwork(Agoge, await readFile(process.argv[2]));
console.log(JSON.stringify(await all(Agoge, Module, await file("agoge.wasm"), file("rules.wasm"))));
