/** The course: lessons with a goal, one after the other. What they are is in coursedata.js. */
import { button, h, sleep, tool, toolBar } from "./dom.js";
import { piecesOf } from "./board.js";
import { t } from "./i18n.js";
import { moveInput } from "./movelist.js";
import { Tree, turnOf } from "./tree.js";
import { toMove } from "./words.js";

/** The nodes of a search that judges a move, or answers it. */
const NODES = 60_000;

/** The pauses, in milliseconds, before a move that failed is taken back, and before a reply. */
const READ = 1800;
const REPLY = 500;

/** A move of the user in a lesson, for the conditions of coursedata.js. */
class Step {
  constructor(app, lesson, node, before, position) {
    Object.assign(this, { app, lesson, node, position });
    this.move = node.move;
    this.san = node.san;
    this.letter = before.get(node.move.slice(0, 2));
    this.captured = before.get(node.move.slice(2, 4));
    this.promoted = node.move[4];
    this.pieces = piecesOf(position.fen);
    this.number = Math.ceil(node.ply / 2);
    this.last = this.number >= (lesson.moves ?? 1);
    const king = turnOf(lesson.fen) === "black" ? "K" : "k";
    /** Where the opponent's king stood in the beginning. */
    this.home = [...piecesOf(lesson.fen)].find(([, letter]) => letter === king)?.[0];
  }

  /** The best move of the opponent and its score, from a search. */
  search() {
    const { app, node } = this;
    const find = async () => {
      let score = {};
      const answer = await app.engine.go(app.tree.line(node), `nodes ${NODES}`, { UCI_AnalyseMode: true }, (info) => (score = info.score));
      return { best: answer?.best, score };
    };
    return (this.found ??= find());
  }

  /** Whether the user can mate in the moves that are left. */
  async matesInTime() {
    const { mate } = (await this.search()).score;
    return mate < 0 && -mate <= (this.lesson.moves ?? 1) - this.number;
  }

  async reply() {
    return this.lesson.reply?.(this) ?? (await this.search()).best;
  }

  /** What is told of the move: `{solved}`, or a reason in `why`, or neither if the lesson goes on. */
  async verdict() {
    const { goal, fails } = this.lesson;
    if (await goal(this)) return { solved: true };
    for (const [condition, why] of fails) if (await condition(this)) return { why };
    return {};
  }
}

export class Course {
  /** `onGo` opens another lesson. */
  constructor(app, lessons, onGo) {
    Object.assign(this, { app, lessons, onGo });
    this.result = h("p", { class: "puzzle-result", role: "status" });
  }

  get record() {
    return this.app.profiles.lessons.value;
  }

  /** The first lesson that is not solved yet, after a given one if there is one. */
  next(after = null) {
    const { lessons } = this;
    const order = [...lessons.slice(lessons.indexOf(after) + 1), ...lessons];
    return order.find(({ id }) => !this.record.solved.includes(id)) ?? order[0];
  }

  get side() {
    return turnOf(this.lesson.fen);
  }

  async open(lesson) {
    this.lesson = lesson;
    this.say("", "");
    await this.restart();
  }

  async restart() {
    const { app, lesson } = this;
    this.state = "open";
    this.turn = Symbol(lesson.id);
    app.tree = new Tree("spartan", lesson.fen);
    this.build();
    app.flip(this.side === "black");
    await app.show();
  }

  leave() {
    this.state = "left";
    this.turn = null;
  }

  /** Earlier positions can be looked at, but only the last one can be played on. */
  movable(position) {
    return this.state === "open" && !position.end && position.turn === this.side && this.app.tree.isAtLast;
  }

  get status() {
    return this.state === "solved" ? t("Lesson solved") : toMove(this.side, "spartan");
  }

  build() {
    const { lesson, lessons, record } = this;
    const isSolved = this.state === "solved";
    const done = lessons.filter(({ id }) => record.solved.includes(id)).length;
    const item = (other, index) => {
      const solved = record.solved.includes(other.id);
      const label = solved ? t("Lesson {number}: {title}, solved", { number: index + 1, title: other.title }) : t("Lesson {number}: {title}", { number: index + 1, title: other.title });
      return h("li", {}, h("button", { type: "button", class: solved ? "solved" : "", "aria-label": label, title: other.title, "aria-current": other === lesson && "step", onclick: () => this.onGo(other) }, String(index + 1)));
    };
    const go = [() => this.onGo(this.next(lesson)), { id: "lesson-next", class: isSolved ? "button primary" : "tool" }];
    const tools = [tool("again", t("Again"), () => this.open(lesson), { id: "lesson-again" }), tool("eye", t("Show me"), () => this.show(), { id: "lesson-show" })];
    if (!isSolved) tools.push(tool("next", t("Next lesson"), ...go));
    this.app.setPanel(...this.head,
      h("h3", { id: "lesson-title" }, t("{number}. {title}", { number: lessons.indexOf(lesson) + 1, title: lesson.title })), h("p", { class: "task-text" }, lesson.text), this.result,
      isSolved ? button(t("Next lesson"), ...go) : "", toolBar(...tools),
      moveInput(this.app),
      h("p", { class: "hint", id: "lessons-solved" }, t("{solved} of {all} lessons solved", { solved: done, all: lessons.length })),
      h("progress", { max: lessons.length, value: done, "aria-labelledby": "lessons-solved" }),
      h("ol", { class: "course-list" }, lessons.map(item)));
  }

  say(text, kind) {
    this.result.textContent = text;
    this.result.className = `puzzle-result ${kind}`;
  }

  async userMove(move) {
    if (this.state !== "open") return;
    const { app, lesson } = this;
    const turn = (this.turn = Symbol(move));
    const isOver = () => turn !== this.turn;
    const before = piecesOf(app.tree.current.fen);
    this.state = "checking";
    const node = await app.play(move);
    if (!node || isOver()) return;
    const step = new Step(app, lesson, node, before, await app.position(node));
    const { solved, why } = await step.verdict();
    if (isOver()) return;
    if (solved) return this.succeed();
    if (why) {
      this.say(why, "wrong");
      await sleep(READ);
      return isOver() || this.restart();
    }
    this.say(t("Right. Go on …"), "right");
    await this.answer(step, isOver);
  }

  /** Plays the reply of the opponent. */
  async answer(step, isOver) {
    const [reply] = await Promise.all([step.reply(), sleep(REPLY)]);
    if (isOver()) return;
    this.state = "open";
    await this.app.play(reply, step.node);
  }

  succeed() {
    const { record, lesson, app } = this;
    this.state = "solved";
    this.say(t("Solved! {text}", { text: lesson.done }), "right");
    if (!record.solved.includes(lesson.id)) {
      record.solved.push(lesson.id);
      app.profiles.lessons.touch();
    }
    this.build();
    app.show();
  }

  /** Plays a solution through. It does not count as solved. */
  async show() {
    const { app, lesson } = this;
    const opened = this.open(lesson);
    const turn = (this.turn = Symbol("show"));
    const isOver = () => turn !== this.turn;
    this.state = "shown";
    await opened;
    if (isOver()) return;
    app.show();
    for (let number = 0; number < (lesson.moves ?? 1); number++) {
      const planned = lesson.solution[number] ?? (await app.engine.go(app.tree.line(app.tree.last), `nodes ${NODES}`))?.best;
      await sleep(2 * REPLY);
      if (isOver()) return;
      const before = piecesOf(app.tree.last.fen);
      const node = await app.play(planned, app.tree.last);
      if (!node) return;
      const step = new Step(app, lesson, node, before, await app.position(node));
      if (isOver() || (await step.verdict()).solved) break;
      await this.answer(step, isOver);
      if (isOver()) return;
      this.state = "shown";
    }
    if (!isOver()) this.say(lesson.done, "");
  }
}
