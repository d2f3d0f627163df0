/** Starts the page: backend, engine, documents, places, and what the address says. */
import { $, button, h, toast } from "./dom.js";
import { Analyse } from "./analyse.js";
import { plain } from "./address.js";
import { App } from "./app.js";
import { NativeBackend } from "./backend.js";
import { showFailure, showTrouble } from "./connection.js";
import { Documents } from "./documents.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Explorer } from "./explorer.js";
import { Games } from "./games.js";
import { isChanged, t } from "./i18n.js";
import { Learn } from "./learn.js";
import { Mistakes } from "./mistakes.js";
import { keepOffline } from "./offline.js";
import { installPictures } from "./pieces.js";
import { Play } from "./play.js";
import { Puzzles } from "./puzzles.js";
import { joinRecords, newRecord } from "./rating.js";
import { apply, openSettings, settings } from "./settings.js";
import { acceptDrops } from "./share.js";
import { openStore } from "./store.js";
import { showTabs } from "./tabs.js";
import { takeOver } from "./takeover.js";
import { Watch } from "./watch.js";

const MODES = [
  ["play", t("Play"), Play], ["analyse", t("Analyse"), Analyse], ["setup", t("Set up"), Editor], ["puzzles", t("Puzzles"), Puzzles],
  ["learn", t("Learn"), Learn], ["watch", t("Watch"), Watch], ["games", t("My games"), Games],
];

/** Reads the profiles, after writing what was left unwritten. An error is told, and the page goes on without. */
async function readProfiles(documents) {
  const profiles = {
    settings: documents.profile("settings", settings),
    puzzles: documents.profile("puzzles", newRecord(), joinRecords),
    lessons: documents.profile("lessons", { solved: [] }, (mine, { solved = [] }) => ({ solved: [...new Set([...solved, ...mine.solved])] })),
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

/** `trouble` is a message for the user, `started` the engine in WebAssembly. */
async function open(trouble, started) {
  apply();
  installPictures();
  const backend = started ?? (await NativeBackend.start());
  const engine = new Engine(backend);
  const documents = new Documents(openStore(backend));
  documents.onError = (message) => toast(plain(message), { isError: true });
  backend.onTrouble = showTrouble;
  backend.onReconnect = () => {
    engine.beginAnew();
    documents.retry();
  };
  /** Loads the page anew if that loses nothing. */
  const reload = async (message) => {
    if (await documents.settle()) location.reload();
    else toast(message, { isError: true });
  };
  backend.onUpdate = () => reload(t("agoge gui was updated. Reload this page to use the new version."));
  backend.onProblem = (error) => toast(plain(error), { isError: true });
  engine.onRestart = () => toast(t("The engine stopped and has been restarted."), { isError: true });

  const app = new App(backend, engine, documents, await readProfiles(documents));
  // For tests and the browser's console.
  window.agoge = Object.assign(app, { toast });
  backend.onProgress = engine.onWait = () => app.showProgress();
  app.explorer = new Explorer(app);
  for (const [name, , Mode] of MODES) app.modes.set(name, new Mode(app));
  // It is reached from a game or an analysis.
  app.modes.set("mistakes", new Mistakes(app));
  showTabs(MODES, (name) => app.enter(name));
  documents.onChange = (change) => {
    for (const mode of app.modes.values()) mode.changedElsewhere?.(change);
  };
  documents.onConflict = () => {
    app.writeAddress();
    app.keepPlace();
    toast(t("Another tab has changed this, too. Both versions are in My games."));
  };
  const changeLanguage = () => {
    if (isChanged()) reload(t("Reload this page to see it in the other language."));
  };
  changeLanguage();
  $("settings-button").addEventListener("click", () => openSettings((name) => {
    app.profiles.settings.touch();
    if (["pieces", "key"].includes(name)) app.redraw();
    if (name === "language") changeLanguage();
  }));
  app.profiles.settings.onChange = () => {
    apply();
    app.redraw();
    changeLanguage();
  };
  acceptDrops(app);
  await app.followAddress();
  document.documentElement.dataset.ready = "true";
  if (trouble) showFailure(trouble, () => reload(t("Reload this page to see it in the other language.")));
  await backend.ready;
  keepOffline();
}

export async function start(trouble, backend) {
  try {
    await open(trouble, backend);
  } catch (error) {
    console.error(error);
    $("panel").replaceChildren(h("h2", {}, t("The page could not start")), h("p", {}, error.message),
      button(t("Try again"), () => location.reload(), { class: "button primary" }));
  }
}
