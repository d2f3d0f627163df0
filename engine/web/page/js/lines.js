/** The lines of the engine: their scores and moves, each of which can be played, with a small board of the position after it. */
import { h } from "./dom.js";
import { scoreText } from "./engine.js";
import { t } from "./i18n.js";
import { miniBoard } from "./miniboard.js";

/** The distance in pixels of the small board from the move. */
const GAP = 10;

/** One line. Its buttons stay while the line changes, so that focus and pointer stay on them. */
class Line {
  constructor(lines, index) {
    Object.assign(this, { lines, index, steps: [] });
    this.score = h("span", { class: "score" });
    this.moves = h("span", { class: "text" });
    this.toggle = h("button", { type: "button", class: "unfold", "aria-label": t("Whole line {number}", { number: index + 1 }), title: t("Show the whole line"), onclick: () => this.unfold() }, "▾");
    this.element = h("li", { class: "pv" }, this.score, this.moves, this.toggle);
    this.unfold(false);
  }

  unfold(isOpen = !this.isOpen) {
    this.isOpen = isOpen;
    this.element.classList.toggle("open", isOpen);
    this.toggle.setAttribute("aria-expanded", isOpen ? "true" : "false");
    if (isOpen) this.lines.onOpen(this.index);
    this.moves.scrollTop = this.moves.scrollLeft = 0;
    this.setTabStops();
  }

  /** What is cut off is no stop of the Tab key. */
  setTabStops() {
    [...this.moves.children].forEach((key, index) => (key.tabIndex = this.isOpen || !index ? 0 : -1));
  }

  /** Shows a score, or a text instead, and the moves with their SAN; without them the line is empty. */
  update({ score, text, isWhole } = {}, steps = [], words = []) {
    const { element, moves } = this;
    if (score) {
      this.score.textContent = text ?? scoreText(score);
      // A draw of the tables is neither side's.
      this.score.classList.toggle("even", !!text && !score.cp);
      this.score.classList.toggle("minus", (score.cp ?? score.mate) < 0);
    }
    this.score.hidden = !score;
    // A line of one move that is whole has nothing to unfold.
    this.toggle.disabled = !score || (isWhole && steps.length === 1);
    if (this.steps === steps) return;
    this.steps = steps;
    const hadFocus = moves.contains(document.activeElement);
    while (moves.children.length > words.length) moves.lastChild.remove();
    while (moves.children.length < words.length) moves.append(this.move(moves.children.length));
    words.forEach((word, index) => (moves.children[index].textContent = word));
    this.setTabStops();
    // A move that had the focus may be gone, and the next line comes later.
    this.lostFocus ||= hadFocus && !element.contains(document.activeElement);
    if (this.lostFocus && words.length) {
      if (document.activeElement === document.body) moves.firstChild.focus();
      this.lostFocus = false;
    }
  }

  move(index) {
    const key = h("button", {
      type: "button", class: "pv-move", onclick: () => this.lines.play(this.steps.slice(0, index + 1)),
      // Not when the line changes under a pointer that rests.
      onpointermove: ({ pointerType, movementX, movementY }) => pointerType !== "touch" && (movementX || movementY) && this.lines.preview(this, index, key),
      onpointerleave: () => this.lines.preview(null),
      onfocus: () => key.matches(":focus-visible") && this.lines.preview(this, index, key),
      onblur: () => this.lines.preview(null),
    });
    return key;
  }
}

export class EngineLines {
  /** Called with the number of a line that is unfolded. */
  onOpen = () => {};
  /** Called with the first move of a line while the pointer is on one of its moves, then with null. */
  onPoint = () => {};

  /** `onPlay` gets a node and the moves to play after it as `{move, san, fen}`. */
  constructor(app, onPlay) {
    Object.assign(this, { app, onPlay });
    this.items = [];
    this.element = h("ol", { class: "lines" });
    this.board = h("div", { class: "preview", "aria-hidden": "true", hidden: true });
  }

  /** Shows lines of a node, as many as `count`; those that the engine has not told yet are empty. */
  async update(node, lines, count) {
    const { tree } = this.app;
    const turn = (this.turn = Symbol("update"));
    const steps = await Promise.all(lines.map((line) => this.read(node, line, tree.variant)));
    if (turn !== this.turn) return;
    this.node = node;
    while (this.items.length > count) this.items.pop().element.remove();
    while (this.items.length < count) this.add();
    this.items.forEach((item, index) => item.update(lines[index], steps[index], steps[index] && numbered(steps[index], tree, node)));
    this.previewAgain();
  }

  clear() {
    this.turn = null;
    this.preview(null);
    this.items.forEach((item) => item.update());
  }

  add() {
    const line = new Line(this, this.items.length);
    this.items.push(line);
    this.element.append(line.element);
  }

  /** The steps of a line. They stay the same as long as the line does; after a failure they are asked for again. */
  read(node, line, variant) {
    line.steps ??= this.app.ask({ ask: "line", line: { variant, fen: node.fen, moves: line.pv ?? [] } }).catch(() => {
      line.steps = undefined;
      return [];
    });
    return line.steps;
  }

  focus() {
    this.items[0]?.toggle.focus();
  }

  play(steps) {
    this.preview(null);
    if (steps.length) this.onPlay(this.node, steps);
  }

  /** Shows the position after a move of a line beside its button; without a line it shows nothing. */
  preview(line, index, key) {
    if (line && this.shown?.key === key) return;
    this.shown = line && { line, index, key };
    this.onPoint(line?.steps[0]?.move ?? null);
    this.previewAgain();
  }

  previewAgain() {
    const { board, shown, app } = this;
    const step = shown?.key.isConnected && shown.line.steps[shown.index];
    board.hidden = !step;
    if (!step) return board.remove();
    if (!board.isConnected) document.body.append(board);
    if (this.previewed !== step || !board.firstChild) {
      board.replaceChildren(miniBoard(step.fen, { variant: app.tree.variant, label: step.san, last: step.move, flipped: app.board.flipped }));
      this.previewed = step;
    }
    this.place(shown.key.getBoundingClientRect());
    return undefined;
  }

  /** Below the move, or above it where there is no space. */
  place(key) {
    const { offsetWidth, offsetHeight, style } = this.board;
    const below = key.bottom + GAP;
    style.left = `${Math.max(GAP, Math.min(innerWidth - offsetWidth - GAP, key.left))}px`;
    style.top = `${below + offsetHeight < innerHeight ? below : key.top - GAP - offsetHeight}px`;
  }
}

/** Moves in SAN, with the numbers of those of White and of the first one. */
function numbered(steps, tree, node) {
  return steps.map(({ san }, index) => {
    const number = tree.numberAt(node.ply + index);
    return index && number.endsWith("...") ? san : `${number} ${san}`;
  });
}
