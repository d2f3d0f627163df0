/** Analysis: lines, evaluation bar, arrows, variations, and the review of the whole game. */
import { $, h, toast, tool, toolBar } from "./dom.js";
import { Annotator } from "./annotate.js";
import { EnginePanel } from "./enginepanel.js";
import { GameButtons } from "./gametable.js";
import { t } from "./i18n.js";
import { MoveList, moveInput, shortTime } from "./movelist.js";
import { Review } from "./review.js";
import { exportDialog, importDialog, openGame, showFile } from "./share.js";
import { Study } from "./study.js";
import { TablesPanel } from "./tablespanel.js";
import { GameHeader, tagOf } from "./tags.js";
import { Tree, turnOf } from "./tree.js";
import { sideName } from "./words.js";

export class Analyse {
  keepsShapes = true;

  constructor(app) {
    this.app = app;
    /** What is analysed. */
    this.study = null;
    this.moves = new MoveList(app, { evaluations: true });
    this.header = new GameHeader(app);
    this.annotator = new Annotator(app, this.moves);
    this.games = new GameButtons(() => showFile(app), (index) => openGame(app, index));
    this.review = new Review(app, this.moves, { onBegin: () => this.enginePanel.leave(), onEnd: () => app.mode === this && app.show(), onLearn: () => this.learnFromMistakes() });
    app.explorer.onLoad = () => app.mode === this && this.review.update();
    this.enginePanel = new EnginePanel(app, { onPlay: (node, steps) => this.playLine(node, steps), onKeep: () => this.keepEvaluation() });
    this.tablesPanel = new TablesPanel(app, { onPlay: (node, steps) => this.playLine(node, steps), onPoint: (move) => this.enginePanel.point(move), onMade: () => this.enginePanel.begin() });
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

  async enter(study, { game } = {}) {
    const { app } = this;
    const isNew = this.study !== study;
    this.study = study;
    app.tree = study.tree;
    app.gameFile?.follow(study.tree);
    study.remember();
    const { current } = study.tree;
    const flipped = app.recallPlace("analyse", study);
    // The position that the game shows counts, not the one where the user left the analysis.
    if (game) study.tree.current = current;
    if (isNew || flipped !== undefined) app.board.flip(flipped ?? false);
    this.build();
    $("eval-bar").classList.toggle("flipped", this.app.board.flipped);
    await app.show();
  }

  /** Another page has changed the study. */
  changedElsewhere({ id, revision }) {
    if (revision && this.document?.id === id && this.app.mode === this) this.app.show();
  }

  async userMove(move) {
    const { app, study } = this;
    const { tree } = study;
    const { length } = tree.nodes;
    await app.play(move);
    // The rules may answer only when another place is shown.
    if (app.tree !== tree && tree.nodes.length > length) study.keep();
  }

  /** Keeps the study, and gives it an address if it has none. */
  changed() {
    this.study.keep();
    this.annotator.update(this.app.tree.current, this.app.tree);
    this.app.writeAddress();
    this.app.keepPlace();
  }

  async leave() {
    this.review.stop();
    this.tablesPanel.leave();
    await this.enginePanel.leave();
  }

  /** An evaluation was added to a node. */
  keepEvaluation() {
    this.study?.keepSoon();
    // Otherwise the node is left, and the list is shown anew with the next one.
    if (this.enginePanel.hasEnded) this.moves.update();
  }

  build() {
    const { app } = this;
    this.promoteButton = tool("up", t("Make main line"), () => this.promote());
    this.removeButton = tool("bin", t("Delete from here on"), () => this.remove());
    app.setPanel(
      ...this.enginePanel.build(), this.tablesPanel.element,
      this.games.element, this.header.element, this.moves.element,
      toolBar(this.annotator.opener, this.promoteButton, this.removeButton, this.review.start, tool("open", t("Load a game or position"), () => importDialog(app)), tool("save", t("Copy or save"), () => exportDialog(app)),
        tool("play", t("Play on from here"), () => this.playFromHere()), tool("add", t("New analysis"), () => app.enter("analyse", null, { tree: new Tree(app.tree.variant) }))),
      this.annotator.element, app.explorer.element, moveInput(app), this.review.element);
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
    const { app } = this;
    const { tree, gameFile } = app;
    if (!this.review.running) this.enginePanel.show(node, position);
    this.tablesPanel.show(node, position);
    this.moves.update();
    this.header.update();
    this.annotator.update(node, tree);
    this.games.update(gameFile);
    this.review.update();
    app.explorer.update(node);
    this.removeButton.disabled = !node.parent;
    this.promoteButton.disabled = node.isMain;
  }

  /** Plays the moves of a line, as a variation if others were played. */
  async playLine(node, steps) {
    const { app } = this;
    const { tree } = app;
    // Another position may be on the board already.
    if (node !== tree.current) return;
    const { move } = steps.at(-1);
    await app.play(move, steps.slice(0, -1).reduce((at, step) => tree.add(at, step), node));
  }

  flipped() {
    this.enginePanel.draw();
  }

  showProgress() {
    this.enginePanel.draw();
  }

  async remove() {
    const { app, study } = this;
    const { tree } = app;
    const node = tree.current;
    const { parent } = node;
    if (!parent) return;
    const at = parent.children.indexOf(node);
    tree.remove(node);
    this.changed();
    await app.show();
    const undo = async () => {
      if (parent.children.includes(node)) return;
      parent.children.splice(at, 0, node);
      // If the parent was deleted later, here or in another tab, the node comes back only with it.
      if (!tree.nodes.includes(parent)) return;
      tree.current = node;
      if (app.tree !== tree) return study.keep();
      this.changed();
      return app.show();
    };
    toast(t("{move} and the moves after it are deleted.", { move: node.san }), { action: [t("Undo"), undo] });
  }

  async promote() {
    this.app.tree.promote(this.app.tree.current);
    this.changed();
    await this.app.show();
  }

  async learnFromMistakes() {
    if (!this.document) await this.study.keep();
    return this.app.enter("mistakes", this.document.id);
  }

  playFromHere() {
    const { variant, current } = this.app.tree;
    return this.app.modes.get("play").offer(turnOf(current.fen), variant, current.fen);
  }
}
