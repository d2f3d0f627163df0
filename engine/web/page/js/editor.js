/** The editor of positions. */
import { plain } from "./address.js";
import { button, checkbox, choice, field, h, icon, tool, toolBar } from "./dom.js";
import { FILES, piecesOf } from "./board.js";
import { t } from "./i18n.js";
import { VARIANTS, armies, picture, pieceName } from "./pieces.js";
import { exportDialog, importDialog, open, readFen } from "./share.js";
import { START_FEN, Tree } from "./tree.js";
import { sideName } from "./words.js";

/** The first field of a FEN. */
function placement(pieces) {
  const rows = [];
  for (let rank = 8; rank >= 1; rank--) {
    let row = "";
    for (const file of FILES) row += pieces.get(`${file}${rank}`) ?? " ";
    rows.push(row.replace(/ +/g, (gap) => gap.length));
  }
  return rows.join("/");
}

/** Where the edited position is kept while the tab is open. */
const KEY = "agoge-setup";

export class Editor {
  locked = true;

  constructor(app) {
    this.app = app;
    this.message = h("p", { class: "error-text", role: "alert", id: "setup-message" });
    this.field = h("input", { type: "text", id: "setup-fen", spellcheck: "false", autocomplete: "off", onchange: () => this.readField() });
    this.palette = h("div", { class: "palette", role: "group", "aria-label": t("Pieces") });
    this.castling = h("div", { class: "row-of" });
    this.brush = "K";
  }

  /** Goes on with what was edited last in this tab, or begins with the position that was on the board. */
  enter() {
    const { app } = this;
    this.before = { fen: app.tree.current.fen, variant: app.tree.variant };
    app.board.editor = this;
    const { fen, variant } = this.kept ?? this.before;
    this.load(fen, variant);
  }

  leave() {
    this.app.board.editor = null;
    // What was edited is not known to be a position.
    this.app.shown = null;
  }

  get kept() {
    try {
      return JSON.parse(sessionStorage.getItem(KEY));
    } catch {
      return null;
    }
  }

  keep() {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ variant: this.variant, fen: this.fen }));
    } catch {
      // Without storage it lasts until the place is left.
    }
  }

  load(fen, variant) {
    const [, turn, castling] = fen.split(" ");
    this.variant = variant;
    this.pieces = piecesOf(fen);
    this.turn = turn === "b" ? "b" : "w";
    this.rights = new Set(castling === "-" ? [] : castling);
    if (!armies(variant).includes(this.brush)) this.brush = "K";
    this.build();
    this.refresh();
  }

  status() {
    if (this.brush === "erase") return { text: t("Drag pieces, or click squares to empty them") };
    return { text: t("Drag pieces, or click squares to place this one: {piece}", { piece: pieceName(this.brush, this.variant) }) };
  }

  build() {
    const { variant } = this;
    this.tools = armies(variant).map((letter) => this.tool(letter, pieceName(letter, variant), picture(letter, variant),
      { onpointerdown: (event) => this.app.board.pointer.carry(letter, event) }));
    this.tools.push(this.tool("erase", t("Erase"), icon("bin"), { class: "erase" }));
    this.palette.replaceChildren(...this.tools);
    const [white, black] = ["white", "black"].map((side) => sideName(side, variant));
    const rights = [["K", `${white} O-O`], ["Q", `${white} O-O-O`]];
    if (variant === "chess") rights.push(["k", `${black} O-O`], ["q", `${black} O-O-O`]);
    this.castling.replaceChildren(...rights.map(([right, text]) => checkbox(text, this.rights.has(right), (on) => {
      if (on) this.rights.add(right);
      else this.rights.delete(right);
      this.edited();
    })));
    this.analyse = button(t("Analyse"), () => this.use("analyse"), { class: "button primary", id: "setup-analyse" });
    this.play = button(t("Play"), () => this.use("play"), { id: "setup-play" });
    this.app.setPanel(
      h("h2", {}, t("Set up a position")),
      this.palette,
      h("div", { class: "form" },
        choice(t("Variant"), "setup-variant", VARIANTS, variant, (other) => this.open(START_FEN[other], other)),
        choice(t("To move"), "setup-turn", [["w", white], ["b", black]], this.turn, (turn) => {
          this.turn = turn;
          this.edited();
        }),
        h("fieldset", {}, h("legend", {}, t("Castling")), this.castling), field("FEN", this.field)),
      this.message,
      h("div", { class: "row-of" }, this.analyse, this.play),
      toolBar(tool("again", t("Initial position"), () => this.open(START_FEN[variant], variant)), tool("bin", t("Empty board"), () => this.open("8/8/8/8/8/8/8/8 w - - 0 1", variant)),
        tool("back", t("Position of the game"), () => this.open(this.before.fen, this.before.variant), { id: "setup-game" }),
        tool("open", t("Load a game or position"), () => importDialog(this.app)), tool("save", t("Copy or save the game"), () => exportDialog(this.app))));
  }

  tool(letter, name, content, properties) {
    return h("button", { type: "button", "aria-label": name, title: name, "data-letter": letter, "aria-pressed": String(letter === this.brush),
      onclick: () => this.choose(letter), ...properties }, content);
  }

  choose(letter) {
    this.brush = letter;
    this.tools.forEach((tool) => tool.setAttribute("aria-pressed", String(tool.dataset.letter === letter)));
    this.app.showStatus({});
  }

  // ---- what the board tells

  /** A click puts the chosen piece on a square, or removes it if it is there already. */
  click(square) {
    if (this.brush === "erase" || this.pieces.get(square) === this.brush) this.erase(square);
    else this.place(this.brush, square);
  }

  /** A piece was moved, or taken off the board if `to` is null. */
  drop(from, to) {
    const letter = this.pieces.get(from);
    this.pieces.delete(from);
    if (to) this.pieces.set(to, letter);
    this.edited();
  }

  place(letter, square) {
    this.pieces.set(square, letter);
    this.edited();
  }

  erase(square) {
    if (this.pieces.delete(square)) this.edited();
  }

  edited() {
    this.keep();
    this.refresh();
  }

  /** Replaces what was edited. */
  open(fen, variant) {
    this.load(fen, variant);
    this.keep();
  }

  get fen() {
    const order = "KQkq";
    const rights = [...order].filter((right) => this.rights.has(right)).join("");
    return `${placement(this.pieces)} ${this.turn} ${rights || "-"} - 0 1`;
  }

  async refresh() {
    const { fen } = this;
    this.field.value = fen;
    this.app.shown = { fen };
    this.app.board.show({ fen, variant: this.variant });
    this.app.showStatus({});
    this.app.updateButtons();
    let error = null;
    try {
      await this.app.ask({ ask: "position", line: { variant: this.variant, fen } });
    } catch (problem) {
      error = problem.message;
    }
    if (fen !== this.fen) return;
    this.message.textContent = error ?? "";
    this.analyse.disabled = this.play.disabled = !!error;
  }

  async readField() {
    try {
      const tree = await readFen(this.app, this.field.value, this.variant);
      this.open(tree.fen, tree.variant);
    } catch (error) {
      this.message.textContent = plain(error.message);
    }
  }

  async use(mode) {
    const tree = new Tree(this.variant, this.fen);
    if (mode === "analyse") return open(this.app, tree);
    return this.app.modes.get("play").offer(this.turn === "w" ? "white" : "black", tree.variant, tree.fen);
  }
}
