/** Starts the page: backend, engine, modes, and the game from the address or from the last visit. */
import { $, h, toast } from "./dom.js";
import { Analyse } from "./analyse.js";
import { App } from "./app.js";
import { connect } from "./backend.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Learn } from "./learn.js";
import { installPictures } from "./pieces.js";
import { Play } from "./play.js";
import { Puzzles } from "./puzzles.js";
import { apply, load, openSettings } from "./settings.js";
import { acceptDrops, plain } from "./share.js";
import { Tree } from "./tree.js";
import { Watch } from "./watch.js";

const MODES = [["play", "Play", Play], ["analyse", "Analyse", Analyse], ["setup", "Set up", Editor], ["puzzles", "Puzzles", Puzzles], ["learn", "Rules", Learn], ["watch", "Watch", Watch]];

/** The mode and the game in the address; the game is null if there is none. */
async function readAddress(backend) {
  const [mode, query] = location.hash.slice(1).split("?");
  if (!query) return { mode, tree: null };
  const parts = new URLSearchParams(query);
  const line = { variant: parts.get("variant") ?? "spartan", fen: parts.get("fen"), moves: parts.get("moves")?.split(".") ?? [] };
  const start = await backend.ask({ ask: "position", line: { ...line, moves: [] } });
  const steps = await backend.ask({ ask: "line", line });
  const tree = new Tree(line.variant, start.fen);
  steps.forEach((step) => tree.play(step));
  return { mode, tree };
}

/** Whether the kept game contains the position of another, so that nothing would be lost. */
const sameGame = (kept, other) => {
  const [a, b] = [kept.line(kept.current), other.line()];
  return a.variant === b.variant && a.fen === b.fen && a.moves.join() === b.moves.join();
};

async function start() {
  apply();
  installPictures();
  const backend = await connect();
  const engine = new Engine(backend);
  const app = new App(backend, engine);
  window.agoge = app;
  for (const [name, title, Mode] of MODES) {
    app.modes.set(name, new Mode(app));
    $("modes").append(h("button", { type: "button", class: "tab", "data-mode": name, onclick: () => app.enter(name) }, title));
  }
  engine.onRestart = () => toast("The engine had stopped. It has been started anew.", { isError: true });
  backend.onDisconnect = () => toast("The connection to the engine is lost. Start agoge gui again and open its new address.", { isError: true });
  backend.onProblem = (error) => toast(plain(error), { isError: true });
  $("settings-button").addEventListener("click", () => openSettings((name) => {
    if (name !== "pieces") return;
    app.board.redraw();
    app.showStrips();
  }));
  acceptDrops(app);

  const kept = load("game");
  let address = { mode: "", tree: null };
  try {
    address = await readAddress(backend);
  } catch (error) {
    toast(`The address has no valid position: ${plain(error.message)}`, { isError: true });
  }
  const keptTree = kept && Tree.fromJSON(kept.tree);
  let mode = address.mode || kept?.mode;
  if (address.tree && !(keptTree && sameGame(keptTree, address.tree))) {
    app.setGame(address.tree);
    mode = app.modes.has(address.mode) && address.mode !== "play" ? address.mode : "analyse";
  } else if (keptTree) {
    app.setGame(keptTree);
    app.modes.get("play").restore(kept.play);
    if (kept.flipped) app.board.flip(true);
  }
  await app.enter(app.modes.has(mode) ? mode : "play");
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  console.error(error);
  $("panel").replaceChildren(h("h2", {}, "The page could not start"), h("p", {}, error.message));
});
