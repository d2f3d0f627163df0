/** A game in Node by `require`. An idle engine, and boards, do not keep the process alive. */

const Agoge = require("agoge");
const Module = require("agoge/board");

(async () => {
  const { gameToMate } = await import("./scenes.mjs");
  console.log(JSON.stringify({ plies: await gameToMate(Agoge, Module) }));
  const engine = await new Agoge.default();
  engine.addMessageListener((line) => line.startsWith("bestmove") && console.log("answered"));
  // The search that is running does.
  engine.postMessage("go movetime 100");
  new (await new Module()).Board("spartan");
})();
