/** Arrows and circles on the board: those of the engine, and the shapes that the user draws. */
import { s } from "./dom.js";

/** The colour that the keys held down choose. */
function colourOf(event) {
  const [first, second] = [event.shiftKey || event.ctrlKey, event.altKey || event.metaKey];
  if (first) return second ? "yellow" : "red";
  return second ? "blue" : "green";
}

const isSame = (a, b) => a.from === b.from && a.to === b.to;

/** A shape is `{from, to, colour}`: an arrow, or a circle if `to` is missing. */
export class Drawing {
  constructor(board) {
    this.board = board;
    this.layer = s("svg", { class: "arrows", viewBox: "0 0 8 8", "aria-hidden": "true" });
    this.arrows = [];
    this.shapes = [];
    this.current = null;
  }

  setArrows(arrows) {
    this.arrows = arrows;
    this.draw();
  }

  /** Shows a move that the user points at, or none. */
  point(move) {
    if (this.pointed === move) return;
    this.pointed = move;
    this.draw();
  }

  /** Shows the shapes of a position; without a list, those of the user last until the next position. */
  show(shapes) {
    this.pointed = null;
    this.isKept = !!shapes;
    this.shapes = shapes ?? [];
    this.current = null;
    this.draw();
  }

  /** Removes the shapes unless they are kept. */
  clear() {
    if (this.isKept || !this.shapes.length) return;
    this.shapes = [];
    this.draw();
  }

  begin(square, event) {
    this.current = { from: square, colour: colourOf(event) };
    this.draw();
  }

  /** The pointer is over a square, or outside the board if null. */
  move(square) {
    const { from, to, colour } = this.current;
    const target = square && square !== from ? square : undefined;
    this.isOutside = !square;
    if (target === to) return;
    this.current = target ? { from, to: target, colour } : { from, colour };
    this.draw();
  }

  /** Adds the drawn shape; the same shape again removes it. */
  end() {
    const { current, isOutside } = this;
    this.current = null;
    this.isOutside = false;
    if (!isOutside) {
      const old = this.shapes.find((shape) => isSame(shape, current));
      const rest = this.shapes.filter((shape) => shape !== old);
      this.shapes = old?.colour === current.colour ? rest : [...rest, current];
      if (this.isKept) this.board.onShapes(this.shapes);
    }
    this.draw();
  }

  draw() {
    const shapes = this.current ? [...this.shapes, this.current] : this.shapes;
    const arrows = this.pointed ? [...this.arrows, { move: this.pointed, kind: "hint" }] : this.arrows;
    this.layer.replaceChildren(
      ...arrows.flatMap(({ move, kind }) => this.arrow(move.slice(0, 2), move.slice(2, 4), `arrow-${kind}`)),
      ...shapes.flatMap(({ from, to, colour }) => (to ? this.arrow(from, to, `shape-${colour}`) : [this.circle(from, `shape-${colour}`)])));
  }

  circle(square, name) {
    const [x, y] = this.centre(square);
    return s("circle", { class: name, cx: x, cy: y, r: 0.45, "stroke-width": 0.07 });
  }

  arrow(from, to, name) {
    const [start, end] = [this.centre(from), this.centre(to)];
    const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
    const [x, y] = [(end[0] - start[0]) / length, (end[1] - start[1]) / length];
    const tip = [end[0] - x * 0.1, end[1] - y * 0.1];
    const base = [tip[0] - x * 0.42, tip[1] - y * 0.42];
    const points = `${tip} ${base[0] - y * 0.25},${base[1] + x * 0.25} ${base[0] + y * 0.25},${base[1] - x * 0.25}`;
    return [
      s("line", { class: name, x1: start[0] + x * 0.3, y1: start[1] + y * 0.3, x2: base[0], y2: base[1], "stroke-width": 0.17 }),
      s("polygon", { class: `${name} arrow-head`, points }),
    ];
  }

  centre(square) {
    return this.board.place(square).map((n) => n + 0.5);
  }
}
