/** Games and positions in and out: by text, file, drop and address. */
import { $, button, dialog, field, h, toast } from "./dom.js";
import { plain } from "./address.js";
import { BACKEND } from "./config.js";
import { GameFile, textOf } from "./gamefile.js";
import { showGames } from "./gametable.js";
import { mebibytes, plural, t } from "./i18n.js";
import { Tree } from "./tree.js";

/** What is longer is no FEN. */
const MAX_FEN = 200;

/** A pasted text of this length is not shown. */
const LONG = 2 ** 16;

/**
 * Loads a FEN or PGN from a file or text. A single game is opened; of several, the table is shown and stays at hand.
 * Throws an error with a message for the user.
 */
async function load(app, source, onProgress) {
  const text = await textOf(source);
  const trimmed = text.length < MAX_FEN ? text.trim() : text;
  if (!trimmed) throw new Error(t("There is no text."));
  if (trimmed.length < MAX_FEN && /^[1-8a-zA-Z]+(\/[1-8a-zA-Z]+){7}\s/.test(`${trimmed} `)) return open(app, await readFen(app, trimmed));
  const file = await GameFile.read(app.backend, text, onProgress);
  if (!file.games.length) throw new Error(t("There is no game in this text."));
  if (file.games.length === 1) return open(app, await file.open(0));
  app.gameFile = file;
  app.modes.get("analyse").games.update(file);
  return showFile(app);
}

/** The position of a FEN of one of the two variants; `first` is the one that counts if it is of both. */
export async function readFen(app, fen, first = "spartan") {
  const fields = fen.split(/\s+/);
  const full = fields.length === 1 ? `${fen} w - - 0 1` : fen;
  let reason = null;
  for (const name of [first, first === "spartan" ? "chess" : "spartan"]) {
    try {
      const position = await app.ask({ ask: "position", line: { variant: name, fen: full } });
      return new Tree(name, position.fen);
    } catch (error) {
      reason ??= error;
    }
  }
  throw reason;
}

/** Shows the games of the loaded file. */
export const showFile = (app) => showGames(app.gameFile, (index) => openGame(app, index));

/** Opens a game of the loaded file. */
export async function openGame(app, index) {
  try {
    await open(app, await app.gameFile.open(index), { isOfFile: true });
  } catch (error) {
    toast(plain(error.message), { isError: true });
  }
}

/** Shows a game in the analysis. It is kept; one of a file of many only when it is changed. */
export async function open(app, tree, { isOfFile = false } = {}) {
  await app.enter("analyse", null, { tree, isKept: !isOfFile && tree.root.children.length > 0, isDraft: isOfFile });
  const count = Math.ceil(tree.mainLine.length / 2);
  if (!isOfFile) toast(count ? plural("Game loaded: {count} move.", "Game loaded: {count} moves.", { count }) : t("Position loaded."));
  showWarnings(tree.warnings ?? []);
  delete tree.warnings;
}

/** Tells what could not be read. */
function showWarnings(warnings) {
  const [first, ...more] = warnings;
  if (!first) return;
  const all = () => dialog(t("Not everything could be read"), h("ul", {}, warnings.map((text) => h("li", {}, plain(text)))));
  toast(plain(first), { isError: true, action: more.length ? [t("{count} more", { count: more.length }), all] : null });
}

export function importDialog(app) {
  const error = h("p", { class: "error-text", role: "alert" });
  const text = h("textarea", { rows: 8, id: "import-text", spellcheck: "false", placeholder: t("Paste a PGN or a FEN here"), onpaste: (event) => {
    // Browsers take long to lay out a long text, minutes if it is one word, so that is not shown.
    const pasted = event.clipboardData.getData("text");
    if (pasted.length < LONG) return;
    event.preventDefault();
    keep(pasted);
  } });
  let long = null;
  const note = h("p", { role: "status" });
  const kept = h("div", { class: "row-of spread", id: "import-long", hidden: true }, note, button(t("Remove the text"), () => keep(null), { class: "button small" }));
  const keep = (pasted) => {
    long = pasted;
    text.hidden = !!pasted;
    kept.hidden = !pasted;
    note.textContent = pasted ? t("Pasted: {size} of text", { size: mebibytes(pasted.length) }) : "";
    (pasted ? element.querySelector("#import-load") : text).focus();
  };
  const progress = h("progress", { max: 1, hidden: true, "aria-label": t("Progress of reading") });
  let isReading = false;
  const read = async (source) => {
    // A second click must not keep the game twice.
    if (isReading) return;
    isReading = true;
    try {
      await load(app, source, (share) => Object.assign(progress, { value: share, hidden: false }));
      element.close();
    } catch (problem) {
      error.textContent = plain(problem.message);
    }
    progress.hidden = true;
    isReading = false;
  };
  const file = h("input", { type: "file", accept: ".pgn,.fen,.txt,text/plain", class: "visually-hidden", id: "import-file", tabindex: -1, "aria-label": t("A file with a game"), onchange: () => file.files[0] && read(file.files[0]) });
  const element = dialog(t("Load a game or position"), h("label", { class: "field", for: "import-text" }, h("span", {}, t("PGN or FEN"))), text, kept, error, progress, file,
    h("div", { class: "row-of" }, button(t("Load"), () => read(long ?? text.value), { class: "button primary", id: "import-load" }), button(t("Open a file …"), () => file.click())));
}

/** What is written of a node. The rest would make a question several times as long. */
const forWriting = ({ move, notes: { evaluation, loss, better, mark, added, ...notes } }) => {
  const { cp, mate, depth } = evaluation ?? {};
  return { move, ...notes, evaluation: evaluation && { cp, mate, depth } };
};

/** The PGN of a tree. */
export async function pgnOf(app, tree = app.tree) {
  const { variant, fen } = tree.line(tree.root);
  return app.ask({ ask: "write-pgn", line: { variant, fen, moves: [] }, tags: tree.tags, ...forWriting(tree.root), nodes: tree.toNodes(forWriting), result: tree.result });
}

/** Saves a text as a file. */
export function saveFile(name, text) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "application/x-chess-pgn" })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

export async function exportDialog(app) {
  let fen, pgn;
  try {
    [fen, pgn] = [(await app.position()).fen, await pgnOf(app)];
  } catch (error) {
    toast(plain(error.message), { isError: true });
    return;
  }
  const copy = (id, label, done) => button(label, async () => {
    const source = $(id);
    source.select();
    try {
      await navigator.clipboard.writeText(source.value);
    } catch {
      document.execCommand("copy");
    }
    toast(done);
  });
  const save = () => saveFile("game.pgn", pgn);
  const line = (id, value) => h("input", { type: "text", readonly: true, id, value });
  // That of agoge gui has a secret, and is of no use on other machines.
  const address = BACKEND === "native" ? [] : [field(t("Address of this position"), line("export-link", app.shared)), copy("export-link", t("Copy address"), t("Address copied."))];
  dialog(t("Copy or save"),
    field(t("FEN of the position"), line("export-fen", fen)), copy("export-fen", t("Copy FEN"), t("FEN copied.")),
    field(t("PGN of the game"), h("textarea", { rows: 8, readonly: true, id: "export-pgn" }, pgn)),
    h("div", { class: "row-of" }, copy("export-pgn", t("Copy PGN"), t("PGN copied.")), button(t("Save as a file"), save)), ...address);
}

/** Whether a text is dragged over a text field, which takes it itself. */
const isOverField = ({ dataTransfer, target }) => !dataTransfer.types.includes("Files") && target.closest?.("input, textarea");

/** Lets files and texts be dropped anywhere on the page. */
export function acceptDrops(app) {
  const root = document.documentElement;
  document.body.dataset.drop = t("Drop a PGN or FEN file here");
  let depth = 0;
  root.addEventListener("dragenter", (event) => {
    if (isOverField(event)) return;
    event.preventDefault();
    depth += 1;
    document.body.classList.add("drop-target");
  });
  root.addEventListener("dragleave", (event) => {
    if (isOverField(event)) return;
    depth -= 1;
    if (depth <= 0) document.body.classList.remove("drop-target");
  });
  root.addEventListener("dragover", (event) => isOverField(event) || event.preventDefault());
  root.addEventListener("drop", async (event) => {
    depth = 0;
    document.body.classList.remove("drop-target");
    if (isOverField(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    try {
      await load(app, file ?? event.dataTransfer.getData("text"));
    } catch (error) {
      toast(plain(error.message), { isError: true });
    }
  });
}
