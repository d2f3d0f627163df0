/** Learning: lessons with a goal, and the rules on one page, with a small board for each that can be tried on the large one. */
import { button, h, sleep } from "./dom.js";
import { targetsOf } from "./board.js";
import { Course } from "./course.js";
import { t } from "./i18n.js";
import { LESSONS } from "./lessons.js";
import { miniBoard } from "./miniboard.js";
import { recallTab } from "./tab.js";
import { Tree } from "./tree.js";

export class Learn {
  constructor(app) {
    this.app = app;
  }

  /** What is shown: a lesson of the course, or the rules. */
  get document() {
    return this.isRules ? { id: "rules" } : this.course?.lesson;
  }

  get address() {
    return `/${this.document.id}`;
  }

  /** Finds a lesson, or the rules. */
  async find(id) {
    if (!this.course) {
      const { COURSE } = await import("./coursedata.js");
      this.course = new Course(this.app, COURSE, (lesson) => this.app.enter("learn", lesson.id));
    }
    const { course } = this;
    const wanted = id ?? (this.shownBefore ? this.document.id : recallTab().learn?.id);
    if (wanted === "rules") return null;
    const lesson = course.lessons.find((item) => item.id === wanted);
    if (!lesson && id) throw new Error(t("There is no such lesson."));
    // Who comes back goes on after a lesson that is solved.
    return lesson && (id || !course.record.solved.includes(lesson.id)) ? lesson : course.next(lesson);
  }

  /** Shows a lesson, or the rules if there is none. */
  async enter(lesson) {
    this.shownBefore = true;
    this.isRules = !lesson;
    if (lesson) {
      this.course.head = this.head(t("Learn"));
      return this.course.open(lesson);
    }
    const cards = await Promise.all(LESSONS.map((item) => this.card(item)));
    if (this.app.mode !== this || !this.isRules) return;
    this.app.setPanel(...this.head(t("The rules of Spartan Chess")), h("div", { class: "lessons" }, cards));
    await this.open(this.lesson ?? LESSONS[0], false);
  }

  leave() {
    this.playing = null;
    this.course.leave();
    return this.app.engine.stop();
  }

  head(title) {
    const { app, course } = this;
    const other = this.isRules ? button(t("Lessons"), () => app.enter("learn", (course.lesson ?? course.next()).id), { id: "to-lessons" }) : button(t("Rules"), () => app.enter("learn", "rules"), { id: "to-rules" });
    return [h("div", { class: "course-head" }, h("h2", {}, title), other, button(t("Piece key"), () => app.key.open(), { id: "open-key" }))];
  }

  userMove(move) {
    return this.isRules ? this.app.play(move) : this.course.userMove(move);
  }

  status(position) {
    return this.isRules || position.end ? null : { text: this.course.status };
  }

  async card(lesson) {
    const position = await this.app.ask({ ask: "position", line: { fen: lesson.fen } });
    const targets = lesson.square ? targetsOf(lesson.square, position.legal) : [];
    return h("section", { class: "lesson" }, h("h3", {}, lesson.title),
      h("div", { class: "lesson-body" }, miniBoard(lesson.fen, { targets, label: targets.length ? t("{title}: from {square} to {targets}", { title: lesson.title, square: lesson.square, targets: targets.join(", ") }) : lesson.title }), h("p", {}, lesson.text)),
      h("div", { class: "row-of" }, button(t("Try it"), () => this.open(lesson)), lesson.moves && button(t("Show me"), () => this.demonstrate(lesson))));
  }

  movable(position) {
    return this.isRules ? !position.end : this.course.movable(position);
  }

  async open(lesson, scroll = true) {
    this.lesson = lesson;
    this.playing = null;
    this.app.tree = new Tree("spartan", lesson.fen);
    this.app.flip(false);
    if (scroll) this.app.board.reveal();
    await this.app.show();
  }

  async demonstrate(lesson) {
    const opened = this.open(lesson);
    const playing = (this.playing = Symbol("lesson"));
    await opened;
    for (const move of lesson.moves) {
      await sleep(1000);
      if (this.playing !== playing) return;
      await this.app.play(move, this.app.tree.last);
    }
  }
}
