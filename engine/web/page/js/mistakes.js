/**
 * Learning from one's mistakes: the positions of a game in which a review marked the move of a side with ? or ??, one after
 * the other. Any move is accepted that loses little in the judgement of the engine.
 */
import { announce, button, h, select, sleep, tool, toolBar } from "./dom.js";
import { expected, whiteView } from "./engine.js";
import { t } from "./i18n.js";
import { moveInput } from "./movelist.js";
import { NODES, Review } from "./review.js";
import { MARKS, markOf } from "./reviewed.js";
import { Study } from "./study.js";
import { recallTab } from "./tab.js";
import { tagOf } from "./tags.js";
import { SIGNS, Tree } from "./tree.js";
import { sideName, toMove } from "./words.js";

/** The glyphs of the mistakes that are shown: ?? and ?. */
const SHOWN = [4, 2];

/** A move that loses less of the expected score than this is accepted: it would get no mark. */
const BOUND = MARKS.at(-1)[0];

/** The pause in milliseconds before a wrong move is taken back, and between the moves of a solution. */
const READ = 1500;
const STEP = 800;

/** The moves shown of a solution. */
const LENGTH = 3;

/** The side that is called "You" in the tags, as in a file of such a game; undefined if there is none. */
const sideOfTags = (tree) => ["White", "Black"].find((name) => ["You", t("You")].includes(tagOf(tree, name)))?.toLowerCase();

export class Mistakes {
  constructor(app) {
    this.app = app;
    this.study = null;
    this.result = h("p", { class: "puzzle-result", role: "status" });
    this.review = new Review(app, { update() {} }, { onBegin: () => {}, onEnd: () => this.begin() });
  }

  get document() {
    return this.study?.document;
  }

  get address() {
    return this.study ? `/${this.study.document.id}` : "";
  }

  /** Finds the analysis with an id, or that of a `game`; null if there is none. */
  async find(id, { game }) {
    const wanted = id ?? recallTab().mistakes?.id;
    const study = game ? await Study.ofGame(this.app, game) : id ? await Study.open(this.app, id) : wanted ? await Study.open(this.app, wanted).catch(() => null) : null;
    if (study && !study.document) await study.keep();
    if (study) study.side = (await study.sideOfUser()) ?? sideOfTags(study.tree);
    return study;
  }

  forget() {
    this.study = null;
  }

  async enter(study) {
    const { app } = this;
    this.study = study;
    this.state = "none";
    if (!study) {
      app.tree = new Tree();
      app.setPanel(this.title, h("p", {}, t("Play a game, or choose one in My games, and learn from the mistakes in it.")));
      return app.show();
    }
    this.side = study.side;
    return this.prepare();
  }

  async leave() {
    this.turn = null;
    this.state = "left";
    this.review.stop();
    await this.app.engine.stop();
  }

  get title() {
    return h("h2", {}, t("Learn from your mistakes"));
  }

  // ---- the review

  /** Reviews the game, as far as that was not done before. */
  async prepare() {
    const { app, study, review } = this;
    this.state = "review";
    app.tree = study.tree;
    app.tree.current = app.tree.root;
    app.setPanel(this.title, h("p", { role: "status" }, t("The engine looks for mistakes in the game.")), review.progress, toolBar(this.analyseButton));
    await app.show();
    if (this.state !== "review" || app.tree !== study.tree) return;
    if (study.tree.mainLine.length) review.run();
    else this.begin();
  }

  /** The review writes into the analysis. */
  changed() {
    if (this.state === "review") this.study.keepSoon();
  }

  /** Begins with the first mistake, unless the review was stopped. */
  async begin() {
    if (this.state !== "review") return;
    const { tree } = this.study;
    const all = tree.mainLine.filter((node) => SHOWN.includes(markOf(node)));
    const of = (side) => all.filter((node) => tree.isWhite(node) === (side === "white"));
    this.side ??= of("black").length > of("white").length ? "black" : "white";
    this.mistakes = of(this.side);
    this.found = 0;
    this.index = 0;
    await this.open();
  }

  choose(side) {
    this.side = side;
    this.state = "review";
    return this.begin();
  }

  // ---- a mistake

  get mistake() {
    return this.mistakes[this.index];
  }

  async open() {
    const { app, study, mistake } = this;
    const turn = (this.turn = Symbol("mistake"));
    if (!mistake) return this.finish();
    this.state = "open";
    this.clean = true;
    app.tree = new Tree(study.tree.variant, mistake.parent.fen);
    this.say("", "");
    this.build();
    app.flip(this.side === "black");
    await app.show();
    if (turn === this.turn) this.drawMistake();
  }

  drawMistake() {
    this.app.board.setArrows([{ move: this.mistake.move, kind: "bad" }]);
  }

  movable(position) {
    return this.state === "open" && !position.end;
  }

  status(position) {
    return this.state === "open" ? { text: toMove(position.turn, this.app.tree.variant) } : null;
  }

  get analyseButton() {
    return tool("search", t("Analyse the game"), () => this.analyse(), { id: "mistakes-analyse" });
  }

  sideChoice() {
    const { variant } = this.study.tree;
    return select(t("Mistakes of"), [["white", sideName("white", variant)], ["black", sideName("black", variant)]], this.side, (side) => this.choose(side));
  }

  build() {
    const { mistake, study, mistakes, index } = this;
    const isOpen = ["open", "checking"].includes(this.state);
    const move = `${study.tree.number(mistake)} ${mistake.san}${SIGNS[markOf(mistake)]}`;
    const next = isOpen ? tool("next", t("Skip"), () => this.next(), { id: "mistakes-next" }) : button(t("Next"), () => this.next(), { id: "mistakes-next", class: "button primary" });
    const tools = [tool("eye", t("Show the solution"), () => this.solve(), { id: "mistakes-solution" }), isOpen && next, this.analyseButton].filter(Boolean);
    this.app.setPanel(this.title,
      h("p", { class: "hint" }, t("Mistake {number} of {all}", { number: index + 1, all: mistakes.length })),
      h("p", { class: "task-text" }, t("{move} was played. Find a better move.", { move })), this.result,
      isOpen ? "" : next, toolBar(...tools), moveInput(this.app), this.sideChoice());
  }

  say(text, kind) {
    this.result.textContent = text;
    this.result.className = `puzzle-result ${kind}`;
  }

  async userMove(move) {
    if (this.state !== "open") return;
    const { app } = this;
    const turn = (this.turn = Symbol(move));
    const isOver = () => turn !== this.turn;
    this.state = "checking";
    app.board.setArrows([]);
    const node = await app.play(move);
    if (!node || isOver()) return;
    const wrong = await this.judge(node, await app.position(node));
    if (isOver()) return;
    if (wrong === null) return this.succeed(node);
    this.clean = false;
    this.say(wrong, "wrong");
    await sleep(READ);
    if (isOver()) return;
    this.state = "open";
    app.tree.current = app.tree.root;
    app.tree.remove(node);
    await app.show();
    this.drawMistake();
  }

  /** Why a move is not accepted; null if it is. */
  async judge(node, position) {
    const { mistake, app } = this;
    const { evaluation } = mistake.parent;
    if (node.move === mistake.move) return t("This is the move of the game.");
    if (node.move === evaluation.best) return null;
    const { share, reply } = await this.evaluate(node, position);
    const loss = (evaluation.share - share) * (this.side === "white" ? 1 : -1);
    if (loss < BOUND) return null;
    const percent = Math.round(loss * 100);
    const san = position.legal.find(({ move }) => move === reply)?.san;
    if (app.tree.current !== node || !san) return t("{move} gives away {percent} % of the expected score. Look again.", { move: node.san, percent });
    return t("{move} gives away {percent} % of the expected score. A strong answer is {reply}.", { move: node.san, percent, reply: san });
  }

  /** White's expected score after a move, and the best reply. */
  async evaluate(node, position) {
    if (position.end) return { share: { "1-0": 1, "0-1": 0 }[position.end.result] ?? 0.5 };
    const { app } = this;
    let last = null;
    const answer = await app.engine.go(app.tree.line(node), `nodes ${NODES}`, { UCI_AnalyseMode: true }, (info) => {
      if (!info.bound) last = whiteView(info, position.turn);
    });
    return { share: expected(last?.wdl ?? [0, 1000, 0]), reply: answer?.best };
  }

  succeed(node) {
    this.state = "solved";
    const isBest = node.move === this.mistake.parent.evaluation.best;
    this.say(isBest ? t("{move} is the best move.", { move: node.san }) : t("{move} is good.", { move: node.san }), "right");
    if (this.clean) this.found += 1;
    this.build();
    this.app.showStatus(this.app.shown);
  }

  /** Plays the engine's line. */
  async solve() {
    const { app, mistake } = this;
    const turn = (this.turn = Symbol("solution"));
    this.state = "shown";
    this.clean = false;
    app.tree.current = app.tree.root;
    app.board.setArrows([]);
    this.build();
    await app.show();
    // The user may step through the moves meanwhile.
    let last = app.tree.root;
    for (const move of mistake.parent.evaluation.pv?.slice(0, LENGTH) ?? []) {
      if (turn !== this.turn) return;
      const node = await app.play(move, last);
      if (!node) return;
      last = node;
      if (node.parent === app.tree.root) this.say(t("The best move was {move}.", { move: node.san }), "");
      await sleep(STEP);
    }
  }

  next() {
    this.index += 1;
    return this.open();
  }

  /** The end: how many better moves were found. */
  async finish() {
    const { app, study, mistakes, found } = this;
    this.state = "end";
    app.tree = study.tree;
    const text = mistakes.length
      ? t("You found {found} of {all} better moves at the first try.", { found, all: mistakes.length })
      : t("The engine finds no mistake of this side in the game. Well played!");
    const again = mistakes.length ? button(t("Again"), () => this.choose(this.side), { id: "mistakes-again", class: "button primary" }) : "";
    app.setPanel(this.title, this.sideChoice(), h("p", { class: "big", id: "mistakes-score" }, text), again, toolBar(this.analyseButton));
    announce(text);
    await app.show();
  }

  analyse() {
    return this.app.enter("analyse", this.study.document.id);
  }
}
