/** The rules on one page, with a small board for each; every position can be tried on the large board. */
import { button, h, s, sleep } from "./dom.js";
import { piecesOf, placeOf, targetsOf } from "./board.js";
import { LESSONS } from "./lessons.js";
import { picture } from "./pieces.js";
import { Tree } from "./tree.js";

/** A small picture of a position with dots on the targets of a piece. */
function miniBoard(fen, targets, label) {
  const board = s("svg", { viewBox: "0 0 8 8", class: "mini-board", role: "img", "aria-label": label });
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) board.append(s("rect", { x: column, y: row, width: 1.01, height: 1.01, class: (row + column) % 2 ? "mini-dark" : "mini-light" }));
  }
  for (const [square, letter] of piecesOf(fen)) {
    const [x, y] = placeOf(square);
    const image = picture(letter, "spartan");
    for (const [name, value] of Object.entries({ x, y, width: 1, height: 1 })) image.setAttribute(name, value);
    board.append(image);
  }
  for (const square of targets) {
    const [x, y] = placeOf(square);
    board.append(s("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.2, class: "mini-dot" }));
  }
  return board;
}

export class Learn {
  constructor(app) {
    this.app = app;
  }

  async enter() {
    const cards = await Promise.all(LESSONS.map((lesson) => this.card(lesson)));
    this.app.setPanel(h("h2", {}, "The rules of Spartan Chess"), h("div", { class: "lessons" }, cards));
    await this.open(this.lesson ?? LESSONS[0], false);
  }

  leave() {
    this.playing = null;
  }

  async card(lesson) {
    const position = await this.app.ask({ ask: "position", line: { fen: lesson.fen } });
    const targets = lesson.square ? targetsOf(lesson.square, position.legal) : [];
    return h("section", { class: "lesson" }, h("h3", {}, lesson.title),
      h("div", { class: "lesson-body" }, miniBoard(lesson.fen, targets, `${lesson.title}: ${targets.length ? `from ${lesson.square} to ${targets.join(", ")}` : "the position"}`), h("p", {}, lesson.text)),
      h("div", { class: "row-of" }, button("Try it", () => this.open(lesson)), lesson.moves && button("Show me", () => this.demonstrate(lesson))));
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
