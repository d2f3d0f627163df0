/** The engine in the analysis: a search up to a limit, its lines, the arrows of the best moves and the evaluation bar. */
import { $, button, checkbox, h, iconButton, opener, select } from "./dom.js";
import { expected, scoreText, whiteView } from "./engine.js";
import { decimal, number, t } from "./i18n.js";
import { EngineLines } from "./lines.js";

/** The limits of a search, as words after `go`. */
const LIMITS = [
  ["infinite", t("No limit")], ["movetime 10000", t("10 seconds")], ["movetime 30000", t("30 seconds")], ["movetime 120000", t("2 minutes")], ["movetime 600000", t("10 minutes")],
  ["depth 20", t("Depth 20")], ["depth 30", t("Depth 30")], ["nodes 1000000", t("1 million nodes")], ["nodes 10000000", t("10 million nodes")], ["nodes 100000000", t("100 million nodes")],
];

const DEFAULTS = { on: true, lines: 1, arrows: true, limit: "movetime 120000", keep: true, threads: 1 };

/** How long a search goes on in a hidden tab, in milliseconds. */
const REST = 5000;

/** The least depth of an evaluation that is kept, and the moves kept of its line. */
const KEPT_DEPTH = 12;
const KEPT_MOVES = 6;

/** The time between two pictures of the lines, in milliseconds. */
const PAUSE = 120;

export class EnginePanel {
  /** `onPlay` gets a node and the moves after it that the user chooses, `onKeep` a node that got an evaluation. */
  constructor(app, { onPlay, onKeep }) {
    Object.assign(this, { app, onKeep });
    const setup = { ...DEFAULTS, ...app.profiles.setups.value.analyse };
    if (!LIMITS.some(([limit]) => limit === setup.limit)) setup.limit = DEFAULTS.limit;
    this.setup = setup;
    app.engine.threads = setup.threads;
    this.lines = [];
    this.engineLines = new EngineLines(app, onPlay);
    this.info = h("div", { class: "engine-info" });
    this.deeper = button(t("Go deeper"), () => this.goDeeper(), { id: "go-deeper", class: "button small", title: t("The search has reached its limit") });
    this.section = h("section", { "aria-label": t("Lines of the engine"), class: "stack" }, this.engineLines.element);
    this.buildSettings();
    document.addEventListener("visibilitychange", () => this.visibilityChanged());
  }

  /** The controls and the lines. */
  build() {
    return [h("div", { class: "engine-bar" }, checkbox(t("Engine"), this.setup.on, this.set("on")), this.info, this.opener), this.settings, this.section];
  }

  /** Controls that are rarely used, behind a button. They stay open when the user goes elsewhere. */
  buildSettings() {
    const { setup, app: { backend: { threadLimit } } } = this;
    const threads = Array.from({ length: threadLimit }, (_, index) => [String(index + 1), String(index + 1)]);
    this.settings = h("section", { class: "stack box", "aria-label": t("Settings of the engine"), id: "engine-settings", hidden: true },
      h("div", { class: "two" }, select(t("Lines"), [1, 2, 3, 4, 5].map((n) => [String(n), String(n)]), String(setup.lines), this.set("lines", Number)),
        select(t("Search until"), LIMITS, setup.limit, this.set("limit")),
        threadLimit > 1 && select(t("Threads"), threads, String(Math.min(setup.threads, threadLimit)), this.set("threads", Number))),
      checkbox(t("Arrows"), setup.arrows, this.set("arrows")), checkbox(t("Keep evaluations in the list of moves"), setup.keep, this.set("keep")));
    this.opener = opener(iconButton("settings", t("Settings of the engine"), null, { id: "open-engine-settings" }), this.settings);
  }

  set(name, read = (value) => value) {
    return (value) => {
      this.setup[name] = read(value);
      this.app.profiles.setups.value.analyse = this.setup;
      this.app.profiles.setups.touch();
      this.app.engine.threads = this.setup.threads;
      if (["on", "lines", "threads"].includes(name)) this.begin();
      else if (name === "limit" && this.node) this.search();
      else this.draw();
    };
  }

  /** Analyses a node. */
  show(node, position) {
    if (this.node === node) return;
    this.keep();
    // The lines of the node before must not count as those of this one.
    Object.assign(this, { node, position, lines: [], pointed: null });
    this.begin();
  }

  begin() {
    const { position } = this;
    if (!position) return;
    this.keep();
    this.lines = [];
    this.draw();
    if (this.setup.on && position.legal.length) this.search();
    else this.halt();
    this.beginBar();
  }

  /** Without a search the bar shows what is known. */
  beginBar() {
    const { node: { evaluation }, position, setup } = this;
    const isOver = !position.legal.length;
    const isKnown = evaluation && (evaluation.share ?? evaluation.mate) !== undefined;
    $("eval-bar").hidden = !setup.on && !isOver && !isKnown;
    if (isOver) this.showBar({ score: { mate: 0, winner: position.end.result } });
    else if (!setup.on && isKnown) this.showBar({ score: evaluation, share: evaluation.share });
  }

  /** Ends the analysis of the node; the next one shown is searched even if it is the same. */
  leave() {
    this.keep();
    this.node = this.position = null;
    this.engineLines.clear();
    this.info.replaceChildren();
    this.app.board.setArrows([]);
    return this.halt();
  }

  halt() {
    this.searching = null;
    this.hasEnded = false;
    return this.app.engine.stop();
  }

  goDeeper() {
    this.search("infinite");
    // The button goes away.
    this.engineLines.focus();
  }

  /** Searches the node. Until the search is as deep as an earlier one, the lines of that stay. */
  async search(limit = this.setup.limit) {
    const { node, position, lines } = this;
    if (!this.setup.on || !position.legal.length) return;
    this.isResting = document.hidden && this.isResting;
    this.limit = limit;
    if (this.isResting) return;
    const searching = (this.searching = Symbol("search"));
    this.began = performance.now();
    const depth = lines[0]?.depth ?? 0;
    this.hasEnded = false;
    this.draw();
    const { engine, tree } = this.app;
    const answer = await engine.go(tree.line(node), limit, { MultiPV: this.setup.lines, UCI_AnalyseMode: true }, (info) => {
      if (this.searching !== searching || info.depth < depth || (info.bound && info.multipv === 1 && this.lines.length)) return;
      this.lines[info.multipv - 1] = whiteView(info, position.turn);
      this.draw();
    });
    if (this.searching !== searching || !answer) return;
    this.searching = null;
    this.hasEnded = true;
    this.keep();
    this.draw();
  }

  /** A hidden tab leaves the processor to others after a while, and goes on when it is seen again. */
  visibilityChanged() {
    clearTimeout(this.restTimer);
    if (document.hidden) this.restTimer = setTimeout(() => this.rest(), REST);
    else if (this.isResting) {
      this.isResting = false;
      if (this.node) this.search(this.limit);
    }
  }

  rest() {
    if (!this.searching) return;
    this.isResting = true;
    this.limit = whatIsLeft(this.limit, performance.now() - this.began, this.lines[0]?.nodes ?? 0);
    this.keep();
    this.halt();
  }

  /** Writes the evaluation to the node if it is deeper than the one there. One without a depth, from a file, stays. */
  keep() {
    const { node, lines: [best], setup } = this;
    if (!setup.keep || !node || !best?.wdl || best.bound || best.depth < KEPT_DEPTH) return;
    const { evaluation } = node;
    if (evaluation && !(evaluation.depth < best.depth)) return;
    const { score, depth, wdl, pv, nodes } = best;
    const found = { ...score, depth, share: expected(wdl), best: pv[0], pv: pv.slice(0, KEPT_MOVES), nodes };
    // What the review has replaced comes back when it is removed, unless this is deeper than that, too.
    const { isReview, replaced } = evaluation ?? {};
    node.evaluation = replaced && !(replaced.depth < depth) ? { ...found, isReview, replaced } : found;
    this.onKeep(node);
  }

  /** Shows the lines, a few times a second. */
  draw() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.drawNow();
    }, PAUSE);
  }

  async drawNow() {
    const { node, setup, app } = this;
    if (!node) return;
    const shown = this.lines.slice(0, setup.lines);
    await this.engineLines.update(node, shown, setup.lines);
    if (node !== this.node) return;
    const [best] = shown;
    this.showInfo(best);
    if (best) this.showBar(best);
    this.drawArrows();
  }

  /** The arrows of the lines, or of the move that is pointed at elsewhere. */
  drawArrows() {
    const { setup, pointed } = this;
    const shown = setup.arrows && setup.on ? this.lines.slice(0, setup.lines) : [];
    this.app.board.setArrows(pointed ? [{ move: pointed, kind: "best" }] : shown.map(({ pv }, index) => ({ move: pv[0], kind: index ? "other" : "best" })));
  }

  /** Shows an arrow for a move instead of those of the lines; with null these again. */
  point(move) {
    this.pointed = move;
    if (this.node) this.drawArrows();
  }

  showInfo(best) {
    const work = () => (this.hasEnded ? [t("Ended")] : [t("{count} nodes", { count: short(best.nodes) }), t("{count}/s", { count: short(best.nps) })]);
    const texts = best ? [t("Depth {depth}", best), ...work()] : [this.setup.on ? this.app.progressText() || "…" : t("The engine is off")];
    this.info.replaceChildren(...texts.map((text) => h("span", {}, text)), this.hasEnded ? this.deeper : "");
  }

  showBar({ score, wdl, share = wdl ? expected(wdl) : 0.5 }) {
    const bar = $("eval-bar");
    if (score.mate) share = score.mate > 0 ? 1 : 0;
    if (score.winner) share = { "1-0": 1, "0-1": 0 }[score.winner] ?? 0.5;
    // A transform is no change of the layout, so the browser need not lay out the page for each step of its animation.
    bar.querySelector(".eval-fill").style.transform = `scaleY(${Math.round(share * 1000) / 1000})`;
    const text = score.winner ? "" : score.mate !== undefined ? `#${Math.abs(score.mate)}` : decimal(Math.abs(score.cp / 100), 1);
    const label = bar.querySelector(".eval-text");
    label.textContent = text;
    const whiteAhead = share >= 0.5;
    label.classList.toggle("at-top", whiteAhead === this.app.board.flipped);
    label.classList.toggle("on-black", !whiteAhead);
    bar.setAttribute("aria-label", t("Evaluation {score}", { score: score.winner ?? scoreText(score) }));
  }
}

/** The limit of the rest of a search that has ended after some milliseconds and nodes. */
function whatIsLeft(limit, time, nodes) {
  const [kind, most] = limit.split(" ");
  const done = { movetime: time, nodes }[kind];
  return done === undefined ? limit : `${kind} ${Math.max(1, Math.round(most - done))}`;
}

const short = (count = 0) => number(count, { notation: "compact", maximumSignificantDigits: 3 });
