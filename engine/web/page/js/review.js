/** The review of a whole game: evaluations, marks at the mistakes, a graph, the accuracy. The measures are those of `agoge analyse`. */
import { plain } from "./address.js";
import { button, h, s, toast, tool } from "./dom.js";
import { expected, whiteView } from "./engine.js";
import { departure } from "./explorer.js";
import { either, number, t } from "./i18n.js";
import { MARKS, addLine, isReviewed, mark, markOf, removeMarks, removeReview, setEvaluation } from "./reviewed.js";
import { sideName } from "./words.js";

/** The nodes for each position. */
export const NODES = 150_000;

/** The moves shown of a better line. */
const BETTER = 6;

/** The loss that halves the accuracy of a move. */
const HALF = 0.1;

const isDone = ({ evaluation }) => evaluation?.share !== undefined && evaluation.nodes >= NODES;

export class Review {
  /** `onBegin` is called when it needs the engine, `onEnd` when it is over, `onLearn` when the user wants to learn from the mistakes. */
  constructor(app, moves, { onBegin, onEnd, onLearn }) {
    Object.assign(this, { app, moves, onBegin, onEnd });
    /** The review that runs; null if there is none or it was stopped. */
    this.running = null;
    /** Whether one was stopped and has not ended yet. */
    this.isEnding = false;
    this.progress = h("progress", { "aria-label": t("Progress of the analysis"), hidden: true });
    this.start = tool("chart", t("Analyse the whole game"), () => (this.isEnding || this.running ? this.stop() : this.run()), { id: "review" });
    this.startText = this.start.querySelector("span");
    this.removal = button(t("Remove the review"), () => this.remove(), { id: "remove-review", class: "button quiet", hidden: true });
    this.lesson = button(t("Learn from your mistakes"), () => onLearn(), { id: "learn-mistakes", hidden: true });
    this.graph = s("svg", { class: "graph", viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img" });
    this.graph.addEventListener("click", (event) => this.jump(event));
    this.summary = h("div", {});
    this.theory = h("div", { id: "left-theory" });
    this.element = h("section", { class: "stack", "aria-label": t("Analysis of the game") }, this.progress, this.graph, this.summary, this.theory, h("div", { class: "row-of" }, this.lesson, this.removal));
  }

  /** Stops the review, which ends when the engine has answered. */
  stop() {
    if (!this.running) return;
    this.running = null;
    this.isEnding = true;
    this.app.engine.stop();
  }

  async run() {
    const { app } = this;
    const { tree } = app;
    const nodes = [tree.root, ...tree.mainLine];
    if (nodes.length < 2) return;
    const running = (this.running = Symbol("review"));
    await this.onBegin();
    // A new review replaces an earlier one; evaluations that are as good stay.
    removeMarks(tree);
    this.startText.textContent = t("Stop");
    this.element.hidden = false;
    Object.assign(this.progress, { max: nodes.length, value: 0, hidden: false });
    this.progress.scrollIntoView({ block: "nearest" });
    try {
      await this.reviewAll(nodes, tree, running);
    } catch (error) {
      toast(plain(error.message), { isError: true });
    }
    // Another one may have begun.
    if (this.running && this.running !== running) return;
    this.running = null;
    this.isEnding = false;
    this.startText.textContent = t("Analyse the whole game");
    this.progress.hidden = true;
    if (app.tree !== tree) return;
    await this.onEnd();
    this.element.scrollIntoView({ block: "nearest" });
  }

  async reviewAll(nodes, tree, running) {
    const { app } = this;
    for (const node of nodes) {
      if (this.running !== running || app.tree !== tree) break;
      // Another search may have taken the engine.
      do await this.evaluate(node, tree); while (this.running === running && !isDone(node));
      this.progress.value += 1;
      await this.judge(tree);
      this.moves.update();
      this.update();
      if (app.tree === tree) app.changed();
    }
  }

  async evaluate(node, tree) {
    const { app } = this;
    if (isDone(node)) return;
    const position = await app.position(node);
    if (position.end) {
      const share = { "1-0": 1, "0-1": 0 }[position.end.result] ?? 0.5;
      setEvaluation(node, { ...(share === 0.5 ? { cp: 0 } : { mate: 0 }), share, nodes: NODES });
      return;
    }
    let last = null;
    const answer = await app.engine.go(tree.line(node), `nodes ${NODES}`, { UCI_AnalyseMode: true }, (info) => {
      if (!info.bound) last = whiteView(info, position.turn);
    });
    if (answer && last) setEvaluation(node, { ...last.score, depth: last.depth, share: expected(last.wdl), best: answer.best, pv: last.pv?.slice(0, BETTER), nodes: NODES });
  }

  /** Marks the mistakes of the main line, and adds better moves. */
  async judge(tree) {
    const lines = [];
    for (const node of tree.mainLine) {
      const [before, after] = [node.parent.evaluation, node.evaluation];
      // Without a best move, the game was over before: by a draw after which it was played on.
      if (before?.share === undefined || after?.share === undefined || !before.best) continue;
      const sign = tree.isWhite(node) ? 1 : -1;
      const loss = before.best === node.move ? 0 : Math.max(0, Math.round(sign * (before.share - after.share) * 1e4) / 1e4);
      node.loss = loss;
      mark(node);
      lines.push(this.addBetter(node, tree));
    }
    await Promise.all(lines);
  }

  /** Adds the better move as a variation of a mistake. */
  async addBetter(node, tree) {
    const { parent } = node;
    const { pv } = parent.evaluation;
    if (!markOf(node) || node.better || !pv) return;
    node.better = true;
    const steps = await this.app.ask({ ask: "line", line: { variant: tree.variant, fen: parent.fen, moves: pv.slice(0, BETTER) } });
    // The review may be removed by now.
    if (node.better) addLine(tree, parent, steps);
  }

  async remove() {
    const { app } = this;
    const { tree } = app;
    const { study } = app.mode;
    const show = async () => {
      if (app.tree !== tree) return study.keep();
      app.changed();
      return app.show();
    };
    const bringBack = removeReview(tree);
    await show();
    const undo = () => {
      bringBack();
      return show();
    };
    toast(t("The review is removed."), { action: [t("Undo"), undo] });
  }

  update() {
    const { tree } = this.app;
    const nodes = [tree.root, ...tree.mainLine];
    // Those of a file have no winning chances.
    const known = nodes.filter(({ evaluation }) => evaluation?.share !== undefined);
    this.start.disabled = nodes.length < 2;
    this.removal.hidden = !!this.running || !isReviewed(tree);
    this.lesson.hidden = !!this.running || !tree.mainLine.some(markOf);
    this.element.hidden = !this.running && known.length < 2;
    this.graph.toggleAttribute("hidden", known.length < 2);
    this.markDeparture(tree);
    if (known.length < 2) {
      this.summary.replaceChildren();
      return;
    }
    const x = (index) => (nodes.length > 1 ? (index / (nodes.length - 1)) * 100 : 0);
    let last = 0.5;
    const points = nodes.map(({ evaluation }, index) => {
      last = evaluation?.share ?? last;
      return `${x(index).toFixed(2)},${(100 - last * 100).toFixed(2)}`;
    });
    const parts = [s("polygon", { class: "area", points: `0,100 ${points.join(" ")} 100,100` }), s("line", { class: "mid", x1: 0, x2: 100, y1: 50, y2: 50, "vector-effect": "non-scaling-stroke" })];
    const now = nodes.indexOf(tree.current);
    if (now >= 0) parts.push(s("line", { class: "now", x1: x(now), x2: x(now), y1: 0, y2: 100, "vector-effect": "non-scaling-stroke" }));
    nodes.forEach((node, index) => {
      const glyph = markOf(node);
      if (!glyph || node.evaluation?.share === undefined) return;
      // The round ends of a line without length: unlike a circle, they stay round in the stretched graph.
      const d = `M${x(index)} ${100 - node.evaluation.share * 100}h0`;
      for (const kind of ["rim", `g${glyph}`]) parts.push(s("path", { class: `dot ${kind}`, d, "vector-effect": "non-scaling-stroke" }));
    });
    this.graph.replaceChildren(...parts);
    this.graph.setAttribute("aria-label", tree.variant === "spartan" ? t("Winning chances of the Persians over the game; the table below has the mistakes") : t("Winning chances of White over the game; the table below has the mistakes"));
    this.showSummary(tree);
  }

  showSummary(tree) {
    const side = (white) => {
      const moves = tree.mainLine.filter((node) => tree.isWhite(node) === white && node.loss !== undefined);
      const accuracy = moves.reduce((sum, { loss }) => sum + 0.5 ** (loss / HALF), 0) / moves.length;
      return { accuracy: moves.length ? number(accuracy, { style: "percent" }) : "–", counts: MARKS.map(([, glyph]) => moves.filter((node) => markOf(node) === glyph).length) };
    };
    const rows = [true, false].map((white) => [sideName(white ? "white" : "black", tree.variant), side(white)]);
    const judged = tree.mainLine.filter(markOf);
    const worst = judged.reduce((most, node) => (!most || node.loss > most.loss ? node : most), null);
    const worstMove = worst && h("p", {}, t("Worst move:"), " ", h("button", { type: "button", class: "mv", id: "worst-move", onclick: () => this.show(worst) }, `${tree.number(worst)} ${worst.san}`));
    this.summary.replaceChildren(worstMove ?? "", h("table", { class: "summary" },
      h("thead", {}, h("tr", {}, [t("Side"), t("Accuracy"), "??", "?", "?!"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, rows.map(([name, { accuracy, counts }]) => h("tr", {}, h("td", {}, name), h("td", {}, accuracy), counts.map((n) => h("td", {}, String(n))))))),
      h("p", { class: "hint" }, t("?? blunder, ? mistake, ?! inaccuracy")));
  }

  /** Marks where a game that is reviewed left theory. Theory that is not at hand is loaded only if the user wants it. */
  async markDeparture(tree) {
    const { app, theory } = this;
    const isCompared = isReviewed(tree) && tree.variant === "spartan";
    const { hasTheory } = app.backend;
    const line = isCompared && hasTheory ? tree.mainLine.map(({ move }) => move).join() : "";
    if (tree.departureLine !== line) {
      tree.departureLine = line;
      tree.departure = line ? await departure(app, tree).catch(() => null) : null;
      if (app.tree !== tree || tree.departureLine !== line) return;
      this.moves.update();
    }
    theory.replaceChildren(...(isCompared && !hasTheory ? [button(t("Compare with opening theory"), () => app.explorer.open(), { class: "button quiet" })] : this.departureText(tree)));
  }

  departureText(tree) {
    const { ply, plays } = tree.departure ?? {};
    const node = tree.mainLine[ply - 1];
    if (!node) return [];
    const names = { moves: either(plays) };
    const who = tree.isWhite(node) ? t("The Persians left theory here. It plays {moves}.", names) : t("The Spartans left theory here. It plays {moves}.", names);
    return [
      h("p", {}, t("First move not in theory:"), " ", h("button", { type: "button", class: "mv", onclick: () => this.show(node) }, `${tree.number(node)} ${node.san}`)),
      h("p", { class: "hint" }, plays.length ? who : t("Theory ends with the move before it.")),
    ];
  }

  jump(event) {
    const nodes = [this.app.tree.root, ...this.app.tree.mainLine];
    const box = this.graph.getBoundingClientRect();
    this.show(nodes[Math.round(((event.clientX - box.left) / box.width) * (nodes.length - 1))]);
  }

  async show(node) {
    await this.app.goTo(node);
    this.app.board.reveal();
  }
}

