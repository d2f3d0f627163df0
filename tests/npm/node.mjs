/** The scenes in Node by `import`. Prints what they measured. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import Agoge from "agoge";
import Module from "agoge/board";
import { all } from "./scenes.mjs";

const file = (name) => readFile(createRequire(import.meta.url).resolve(`agoge/${name}`));
console.log(JSON.stringify(await all(Agoge, Module, await file("agoge.wasm"), file("rules.wasm"))));
