/** The rules on one page, with a small board for each; every position can be tried on the large board. */
import { button, h, sleep } from "./dom.js";
import { targetsOf } from "./board.js";
import { t } from "./i18n.js";
import { LESSONS } from "./lessons.js";
import { miniBoard } from "./miniboard.js";
import { Tree } from "./tree.js";

export class Learn {
  constructor(app) {
    this.app = app;
  }

  async enter() {
    const cards = await Promise.all(LESSONS.map((lesson) => this.card(lesson)));
    this.app.setPanel(h("h2", {}, t("The rules of Spartan Chess")), h("div", { class: "lessons" }, cards));
    await this.open(this.lesson ?? LESSONS[0], false);
  }

  leave() {
    this.playing = null;
  }

  async card(lesson) {
    const position = await this.app.ask({ ask: "position", line: { fen: lesson.fen } });
    const targets = lesson.square ? targetsOf(lesson.square, position.legal) : [];
    return h("section", { class: "lesson" }, h("h3", {}, lesson.title),
      h("div", { class: "lesson-body" }, miniBoard(lesson.fen, { targets, label: targets.length ? t("{title}: from {square} to {targets}", { title: lesson.title, square: lesson.square, targets: targets.join(", ") }) : lesson.title }), h("p", {}, lesson.text)),
      h("div", { class: "row-of" }, button(t("Try it"), () => this.open(lesson)), lesson.moves && button(t("Show me"), () => this.demonstrate(lesson))));
  }

  movable(position) {
    return !position.end;
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
    await this.open(lesson);
    const playing = (this.playing = Symbol("lesson"));
    for (const move of lesson.moves) {
      await sleep(1000);
      if (this.playing !== playing) return;
      await this.app.play(move);
    }
  }
}
