/** The endgame tables: the exact result of every move in a position of few pieces, and making tables that are not there. */
import { Failure } from "./connection.js";
import { button, h } from "./dom.js";
import { FileError, cannotLoad } from "./files.js";
import { number, t, translate } from "./i18n.js";
import { EngineLines } from "./lines.js";

/** The most pieces of a position that tables may have, and of those that the button makes. */
const MOST = 5;
const MADE = 4;

/** The time between two looks at the progress, in milliseconds. */
const PAUSE = 1000;

const WINS = {
  spartan: { white: (values) => t("Persians win: mate in {count}", values), black: (values) => t("Spartans win: mate in {count}", values) },
  chess: { white: (values) => t("White wins: mate in {count}", values), black: (values) => t("Black wins: mate in {count}", values) },
};

const OTHER = { white: "black", black: "white" };

const isLost = ({ result }) => result === "loss" || result === "blessed loss";

/** Who mates if there is no fifty-move rule; undefined in draws. */
const winner = (told, turn) => (told.mate === null ? undefined : isLost(told) ? OTHER[turn] : turn);

function verdict(told, turn, variant) {
  if (!told) return "";
  if (told.result === "draw") return t("Draw with best play");
  const count = { count: told.mate };
  return told.result.includes(" ") ? t("Draw with best play: mate in {count} comes too late for the fifty-move rule", count) : WINS[variant][winner(told, turn)](count);
}

/** The result of a move in few words. */
function label({ result, mate }) {
  if (!result) return "?";
  if (result === "draw") return t("Draw");
  if (result.includes(" ")) return t("50-move draw");
  return result === "win" ? t("Mate in {count}", { count: mate }) : t("Mated in {count}", { count: mate });
}

/** A time in whole minutes, or in seconds if it is short. */
const duration = (seconds) => (seconds < 60 ? number(Math.ceil(seconds), { style: "unit", unit: "second", unitDisplay: "long" }) : number(Math.ceil(seconds / 60), { style: "unit", unit: "minute", unitDisplay: "long" }));

const megabytes = (bytes) => number(Math.ceil(bytes / 1e6), { style: "unit", unit: "megabyte" });

export class TablesPanel {
  /** `onPlay` gets a node and the moves after it that the user chooses, `onPoint` a move that is pointed at, or null; `onMade` is called when there are more tables. */
  constructor(app, { onPlay, onPoint = () => {}, onMade = () => {} }) {
    Object.assign(this, { app, onMade, failure: new Failure() });
    this.list = new EngineLines(app, onPlay);
    this.list.element.classList.add("exact");
    this.list.onOpen = (index) => this.readLine(index);
    this.list.onPoint = onPoint;
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.maker = h("div", { class: "stack" });
    this.bar = h("progress", { "aria-label": t("Progress of the endgame tables") });
    this.left = h("p", { class: "hint" });
    this.running = [this.bar, this.left, button(t("Stop"), () => this.drawMaker("stop"), { id: "stop-tables" })];
    this.element = h("section", { class: "stack tables", "aria-label": t("Endgame tables"), hidden: true }, this.verdict, this.list.element, this.maker);
  }

  /** Shows what the tables say about a node, unless that is shown. */
  async show(node, position) {
    if (this.node === node) return;
    Object.assign(this, { node, position });
    this.list.items.forEach((item) => item.unfold(false));
    await this.read();
  }

  async read() {
    const { node, position } = this;
    clearTimeout(this.timer);
    const { app, element } = this;
    const men = node.fen.split(" ")[0].replace(/[^a-z]/gi, "").length;
    const answer = men <= MOST && position.legal.length ? await this.ask(node) : null;
    if (node !== this.node) return;
    element.hidden = !answer;
    if (!answer) return;
    this.answer = answer;
    const { turn } = position;
    this.verdict.textContent = verdict(answer.value, turn, app.tree.variant);
    this.rows = answer.moves.map((told) => row(told, turn));
    // Without a table for the position most moves are unknown.
    if (!answer.value && !answer.moves[0].result) this.rows = [];
    await this.list.update(node, this.rows, this.rows.length);
    if (node === this.node) await this.drawMaker();
  }

  /** What the tables say; null if not even those of three men are here. */
  async ask(node) {
    const { app, failure } = this;
    const retry = () => this.node && this.read();
    try {
      const answer = await app.backend.endgame(app.tree.line(node));
      // The failure may be that of a later position.
      if (node !== this.node) return null;
      if (answer?.failed) failure.show(cannotLoad(answer.failed), retry);
      else failure.withdraw();
      return answer;
    } catch (error) {
      if (node === this.node) this.fail(error, retry);
      return null;
    }
  }

  /** Says that a file could not be loaded, and offers to try again. */
  fail(error, retry) {
    this.failure.withdraw();
    if (!(error instanceof FileError)) throw error;
    this.failure.show(error.message, retry);
  }

  leave() {
    clearTimeout(this.timer);
    this.node = null;
    this.list.clear();
  }

  /** Reads the line of best play after a move when it is unfolded. */
  async readLine(index) {
    const { app, node, rows } = this;
    const known = rows?.[index];
    if (!known || known.isWhole) return;
    const { steps } = known;
    Object.assign(known, { isWhole: true, steps: app.backend.endgameLine(app.tree.line(node), known.pv[0]) });
    try {
      await known.steps;
    } catch (error) {
      // It can be unfolded again.
      Object.assign(known, { isWhole: false, steps });
      return this.fail(error, () => rows === this.rows && this.readLine(index));
    }
    if (node === this.node && rows === this.rows) await this.list.update(node, rows, rows.length);
  }

  /** Offers to make the tables that are missing, or shows how far that is. `act` is what the server is to do. */
  async drawMaker(act = "state") {
    const { answer, maker, node } = this;
    const { missing } = answer;
    clearTimeout(this.timer);
    const { state, wasRunning } = { wasRunning: this.isRunning, state: missing.length ? await this.app.backend.tables(act) : null };
    if (node !== this.node || answer !== this.answer) return;
    this.isRunning = !!state?.running;
    if (wasRunning && !this.isRunning && !state?.error) {
      this.onMade();
      return this.read();
    }
    if (!this.isRunning) return maker.replaceChildren(...(missing.length ? this.offer(state) : []));
    this.bar.value = state.share;
    this.left.textContent = t("{made} of {all} endgame tables are made; time left: {time}", { ...state, time: state.left === null ? "…" : duration(state.left) });
    // The button keeps the focus.
    if (!this.bar.isConnected) maker.replaceChildren(...this.running);
    this.timer = setTimeout(() => this.drawMaker(), PAUSE);
    return undefined;
  }

  /** What can be done about missing tables. */
  offer(state) {
    const { class: men, missing, value } = this.answer;
    const none = value ? [] : [h("p", {}, t("There is no endgame table for these pieces."))];
    if (!state?.folder) return none;
    const error = state.error ? [h("p", { class: "error-text", role: "alert" }, translate(state.error))] : [];
    if (men.length - 1 > MADE) return [...none, ...error, h("p", { class: "hint" }, t("The command {command} makes it.", { command: `agoge tables ${missing[0]}` }))];
    const text = t("All endgames of four pieces can be solved. This takes about {time} and {size} of disk space, in {folder}.", { time: duration(state.time), size: megabytes(state.disk), folder: state.folder });
    return [...none, ...error, h("p", { class: "hint" }, text), button(t("Make endgame tables"), () => this.drawMaker("make"), { id: "make-tables" })];
  }
}

/** A move of the tables as a line of the list; nobody needs the line after a draw. */
function row(told, turn) {
  const { move, san, fen } = told;
  const side = told.result && !told.result.includes(" ") ? winner(told, turn) : undefined;
  return { score: { cp: { white: 1, black: -1 }[side] ?? 0 }, text: label(told), pv: [move], steps: Promise.resolve([{ move, san, fen }]), isWhole: told.mate === null };
}
