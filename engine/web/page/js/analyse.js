/** Analysis: lines, evaluation bar, arrows, variations, and the review of the whole game. */
import { $, button, checkbox, h, select, toast } from "./dom.js";
import { expected, scoreText, whiteView } from "./engine.js";
import { Annotator } from "./annotate.js";
import { GameButtons } from "./gametable.js";
import { sideName } from "./app.js";
import { MoveList, moveInput, shortTime } from "./movelist.js";
import { Review } from "./review.js";
import { exportDialog, importDialog, openGame, showFile } from "./share.js";
import { Study } from "./study.js";
import { GameHeader, tagOf } from "./tags.js";
import { Tree } from "./tree.js";

export class Analyse {
  keepsShapes = true;

  constructor(app) {
    this.app = app;
    this.setup = { on: true, lines: 1, arrows: true, ...app.profiles.setups.value.analyse };
    /** What is analysed. */
    this.study = null;
    this.moves = new MoveList(app, { evaluations: true });
    this.header = new GameHeader(app);
    this.annotator = new Annotator(app, this.moves);
    this.games = new GameButtons(() => showFile(app), (index) => openGame(app, index));
    this.review = new Review(app, this.moves);
    this.linesElement = h("div", { class: "lines" });
    this.info = h("div", { class: "engine-info" });
  }

  get document() {
    return this.study?.document;
  }

  /** The study was deleted. */
  forget() {
    this.study = null;
  }

  get address() {
    return this.study.address;
  }

  get key() {
    return this.study.key;
  }

  /** Finds a study by its id or what else is told; see `Study.find`. */
  find(id, options) {
    return Study.find(this.app, id, options, this.study);
  }

  async enter(study) {
    const { app } = this;
    const isNew = this.study !== study;
    this.study = study;
    app.tree = study.tree;
    const flipped = app.recallPlace("analyse", study);
    if (isNew || flipped !== undefined) app.board.flip(flipped ?? false);
    this.build();
    $("eval-bar").hidden = false;
    $("eval-bar").classList.toggle("flipped", this.app.board.flipped);
    await app.show();
  }

  /** Keeps the study, and gives it an address if it has none. */
  changed() {
    this.study.keep();
    this.app.writeAddress();
    this.app.keepPlace();
  }

  async leave() {
    this.node = null;
    this.review.stop();
    await this.app.engine.stop();
  }

  build() {
    const { app } = this;
    const set = (name) => (value) => {
      this.setup[name] = name === "lines" ? Number(value) : value;
      app.profiles.setups.value.analyse = this.setup;
      app.profiles.setups.touch();
      this.node = null;
      this.shown(this.app.shown, this.app.tree.current);
    };
    const editing = h("div", { class: "row-of" },
      (this.removeButton = button("Delete to the end", () => this.remove())), (this.promoteButton = button("Make main line", () => this.promote())));
    app.setPanel(
      h("div", { class: "row-of spread" }, checkbox("Engine", this.setup.on, set("on")), checkbox("Arrows", this.setup.arrows, set("arrows")),
        select("Lines", [1, 2, 3, 4, 5].map((n) => [String(n), String(n)]), String(this.setup.lines), set("lines"))),
      h("section", { "aria-label": "Lines of the engine", class: "stack" }, this.info, this.linesElement),
      this.games.element, this.header.element, this.moves.element, this.annotator.element, moveInput(app), editing, this.review.element,
      h("div", { class: "row-of" }, button("Load a game or position", () => importDialog(app)), button("Copy or save", () => exportDialog(app))),
      h("div", { class: "row-of" }, button("Play on from here", () => this.playFromHere()), button("New analysis", () => app.enter("analyse", null, { tree: new Tree(app.tree.variant) }))));
    this.moves.update();
  }

  movable(position) {
    return !position.end || position.legal.length > 0;
  }

  /** A player's name, rating and time left, if the game has them. */
  player(white) {
    const { tree } = this.app;
    const side = white ? "White" : "Black";
    const [name, rating] = [tagOf(tree, side), tagOf(tree, `${side}Elo`)];
    const { current } = tree;
    const mover = !current.parent || tree.isWhite(current) === white ? current : current.parent;
    const clock = mover.clock && h("span", { class: "clock" }, shortTime(mover.clock));
    const role = sideName(white ? "white" : "black", tree.variant);
    return { name: name || role, detail: [name && name !== role && role, rating].filter(Boolean).join(", "), clock };
  }

  shown(position, node) {
    const { tree, gameFile } = this.app;
    this.moves.update();
    this.header.update();
    this.annotator.update(node, tree);
    this.games.update(gameFile);
    this.review.update();
    this.removeButton.disabled = !node.parent;
    this.promoteButton.disabled = node.isMain;
    if (this.review.running || this.node === node) return;
    this.node = node;
    this.lines = [];
    this.position = position;
    this.draw();
    if (this.setup.on && position.legal.length) this.search(node, position);
    else this.app.engine.stop();
    if (!position.legal.length) this.showBar({ score: { mate: 0, winner: position.end.result } });
  }

  search(node, position) {
    const { engine, tree } = this.app;
    engine.go(tree.line(node), "infinite", { MultiPV: this.setup.lines, UCI_AnalyseMode: true }, (info) => {
      if (this.node !== node || (info.bound && info.multipv === 1 && this.lines.length)) return;
      this.lines[info.multipv - 1] = whiteView(info, position.turn);
      this.draw();
    });
  }

  /** Shows the lines, a few times a second. */
  draw() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.drawNow();
    }, 120);
  }

  async drawNow() {
    const { node, lines, app } = this;
    if (!node || app.mode !== this) return;
    const shown = lines.slice(0, this.setup.lines);
    const line = app.tree.line(node);
    const texts = await Promise.all(shown.map((item) => app.ask({ ask: "san", line, more: item.pv.slice(0, 16) })));
    if (node !== this.node || app.mode !== this) return;
    const best = shown[0];
    this.info.replaceChildren(...(best
      ? [`Depth ${best.depth}`, `${short(best.nodes)} nodes`, `${short(best.nps)}/s`]
      : [this.setup.on ? "…" : "The engine is off"]).map((text) => h("span", {}, text)));
    while (this.linesElement.children.length > this.setup.lines) this.linesElement.lastChild.remove();
    while (this.linesElement.children.length < this.setup.lines) this.linesElement.append(h("button", { type: "button", class: "pv", disabled: true }));
    [...this.linesElement.children].forEach((element, index) => {
      const item = shown[index];
      element.disabled = !item;
      if (!item) return element.replaceChildren();
      const { score } = item;
      const minus = (score.cp ?? score.mate) < 0;
      element.replaceChildren(h("span", { class: minus ? "score minus" : "score" }, scoreText(score)), h("span", { class: "text" }, numbered(texts[index], app.tree, node)));
      element.onclick = () => app.play(item.pv[0]);
      element.title = "Play the first move of this line";
    });
    if (best) this.showBar(best);
    const arrows = this.setup.arrows && this.setup.on ? shown.map((item, index) => ({ move: item.pv[0], kind: index ? "other" : "best" })) : [];
    app.board.setArrows(arrows);
  }

  showBar({ score, wdl }) {
    const bar = $("eval-bar");
    let share = wdl ? expected(wdl) : 0.5;
    if (score.mate) share = score.mate > 0 ? 1 : 0;
    if (score.winner) share = { "1-0": 1, "0-1": 0 }[score.winner] ?? 0.5;
    bar.querySelector(".eval-fill").style.height = `${Math.round(share * 1000) / 10}%`;
    const text = score.winner ? "" : score.mate !== undefined ? `#${Math.abs(score.mate)}` : Math.abs(score.cp / 100).toFixed(1);
    const label = bar.querySelector(".eval-text");
    label.textContent = text;
    const whiteAhead = share >= 0.5;
    label.classList.toggle("at-top", whiteAhead === this.app.board.flipped);
    label.classList.toggle("on-black", !whiteAhead);
    bar.setAttribute("aria-label", `Evaluation ${score.winner ?? scoreText(score)}`);
  }

  flipped() {
    this.drawNow();
  }

  async remove() {
    const { app } = this;
    const { tree } = app;
    const node = tree.current;
    const { parent } = node;
    if (!parent) return;
    const at = parent.children.indexOf(node);
    tree.remove(node);
    this.changed();
    await app.show();
    const undo = async () => {
      if (app.tree !== tree || parent.children.includes(node)) return;
      parent.children.splice(at, 0, node);
      tree.current = node;
      this.changed();
      await app.show();
    };
    toast(`${node.san} and the moves after it are deleted.`, { action: ["Undo", undo] });
  }

  async promote() {
    this.app.tree.promote(this.app.tree.current);
    this.changed();
    await this.app.show();
  }

  playFromHere() {
    const { app } = this;
    return app.modes.get("play").offer(app.shown.turn, app.tree.variant, app.shown.fen);
  }
}

/** Moves in SAN with their numbers. */
function numbered(sans, tree, node) {
  const words = sans.flatMap((san, index) => {
    const number = tree.numberAt(node.ply + index);
    return index && number.endsWith("...") ? [san] : [number, san];
  });
  return words.join(" ");
}

function short(number = 0) {
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  return number >= 1e3 ? `${(number / 1e3).toFixed(0)} k` : String(number);
}
