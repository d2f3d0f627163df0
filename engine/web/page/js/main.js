/** Starts the page: backend, engine, documents, places, and what the address says. */
import { $, h, toast } from "./dom.js";
import { Analyse } from "./analyse.js";
import { plain } from "./address.js";
import { App } from "./app.js";
import { connect } from "./backend.js";
import { showTrouble } from "./connection.js";
import { Documents } from "./documents.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Games } from "./games.js";
import { Learn } from "./learn.js";
import { installPictures } from "./pieces.js";
import { Play } from "./play.js";
import { Puzzles } from "./puzzles.js";
import { apply, openSettings, settings } from "./settings.js";
import { acceptDrops } from "./share.js";
import { openStore } from "./store.js";
import { takeOver } from "./takeover.js";
import { Watch } from "./watch.js";

const MODES = [["play", "Play", Play], ["analyse", "Analyse", Analyse], ["setup", "Set up", Editor], ["puzzles", "Puzzles", Puzzles], ["learn", "Rules", Learn], ["watch", "Watch", Watch], ["games", "My games", Games]];

/** Of two records, what was solved in either counts as solved. */
function joinRecords(mine, { solved: theirs = [], failed: missed = [] }) {
  const solved = [...new Set([...theirs, ...mine.solved])];
  const failed = [...new Set([...missed, ...mine.failed])].filter((id) => !solved.includes(id));
  return { solved, failed };
}

/** Reads the profiles, after writing what was left unwritten. An error is told, and the page goes on without. */
async function readProfiles(documents) {
  const profiles = {
    settings: documents.profile("settings", settings),
    puzzles: documents.profile("puzzles", { solved: [], failed: [] }, joinRecords),
    setups: documents.profile("setups", {}),
  };
  profiles.settings.onChange = apply;
  try {
    await Promise.all(Object.values(profiles).map((profile) => profile.load()));
    await documents.writeUnsent();
    await takeOver(documents, profiles);
  } catch (error) {
    documents.fail(error);
  }
  return profiles;
}

async function start() {
  apply();
  installPictures();
  const backend = await connect();
  const engine = new Engine(backend);
  const documents = new Documents(openStore(backend));
  documents.onError = (message) => toast(plain(message), { isError: true });
  backend.onTrouble = showTrouble;
  backend.onReconnect = () => {
    engine.beginAnew();
    documents.retry();
  };
  backend.onUpdate = async () => {
    if (await documents.settle()) location.reload();
    else toast("agoge gui was updated. Load this page anew to use the new version.", { isError: true });
  };
  backend.onProblem = (error) => toast(plain(error), { isError: true });
  engine.onRestart = () => toast("The engine had stopped. It has been started anew.", { isError: true });

  const app = new App(backend, engine, documents, await readProfiles(documents));
  // For tests and the browser's console.
  window.agoge = Object.assign(app, { toast });
  for (const [name, title, Mode] of MODES) {
    app.modes.set(name, new Mode(app));
    $("modes").append(h("button", { type: "button", class: "tab", "data-mode": name, onclick: () => app.enter(name) }, title));
  }
  documents.onChange = (change) => {
    for (const mode of app.modes.values()) mode.changedElsewhere?.(change);
  };
  documents.onConflict = () => {
    app.writeAddress();
    app.keepPlace();
    toast("Another tab has changed this, too. Both versions are in My games.");
  };
  $("settings-button").addEventListener("click", () => openSettings((name) => {
    app.profiles.settings.touch();
    if (name === "pieces") app.redraw();
  }));
  app.profiles.settings.onChange = () => {
    apply();
    app.redraw();
  };
  acceptDrops(app);
  await app.followAddress();
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  console.error(error);
  $("panel").replaceChildren(h("h2", {}, "The page could not start"), h("p", {}, error.message));
});
