/**
 * The board: shows a position and lets the user move by mouse, touch or keyboard. It knows no rules; the legal moves
 * are given to it.
 */
import { h, s } from "./dom.js";
import { picture, pieceName } from "./pieces.js";
import { choosePromotion } from "./promotion.js";
import { SIGNS } from "./tree.js";

export const FILES = "abcdefgh";

/** The column and row of a square with White at the bottom. */
export const placeOf = (square) => [FILES.indexOf(square[0]), 8 - Number(square[1])];

/** The squares to which a piece can move. */
export const targetsOf = (square, legal) =>
  [...new Set(legal.filter(({ move }) => move.startsWith(square)).map(({ move }) => move.slice(2, 4)))];

/** The pieces of a FEN by square. */
export function piecesOf(fen) {
  const pieces = new Map();
  fen.split(" ")[0].split("/").forEach((row, index) => {
    let file = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) file += Number(letter);
      else pieces.set(`${FILES[file++]}${8 - index}`, letter);
    }
  });
  return pieces;
}

export class Board {
  /** Called with a legal move in coordinates. */
  onMove = () => {};
  /** Called with two squares between which no move is legal. */
  onIllegal = () => {};
  /** If set, called with a square instead of selecting it: the editor. */
  onSquare = null;

  constructor(host, settings = {}) {
    this.variant = "spartan";
    this.pieces = new Map();
    this.legal = [];
    this.movable = false;
    this.flipped = false;
    this.showTargets = settings.showTargets ?? (() => true);
    this.selected = null;
    this.userMarks = [];
    this.arrows = [];
    this.cells = new Map();
    this.rows = h("div", { class: "rows", role: "grid", "aria-label": "Chess board", "aria-rowcount": 8, "aria-colcount": 8 });
    this.pieceLayer = h("div", { class: "pieces", "aria-hidden": "true" });
    this.markLayer = h("div", { class: "marks", "aria-hidden": "true" });
    this.arrowLayer = s("svg", { class: "arrows", viewBox: "0 0 8 8", "aria-hidden": "true" });
    this.element = h("div", { class: "board" }, this.rows, this.markLayer, this.pieceLayer, this.arrowLayer);
    host.append(this.element);
    this.elements = new Map();
    this.buildCells();
    this.element.addEventListener("pointerdown", (event) => this.pointerDown(event));
    this.element.addEventListener("pointermove", (event) => this.pointerMove(event));
    this.element.addEventListener("pointerup", (event) => this.pointerUp(event));
    this.element.addEventListener("pointercancel", () => this.endDrag());
    this.element.addEventListener("touchend", (event) => this.touchEnd(event));
    this.element.addEventListener("contextmenu", (event) => event.preventDefault());
    this.element.addEventListener("keydown", (event) => this.keyDown(event));
  }

  /** Scrolls the page so that the whole board is visible. */
  reveal() {
    this.element.scrollIntoView({ block: "nearest" });
  }

  buildCells() {
    this.rows.replaceChildren();
    this.cells.clear();
    for (let row = 0; row < 8; row++) {
      const line = h("div", { class: "row", role: "row" });
      for (let column = 0; column < 8; column++) {
        const square = this.squareAt(column, row);
        const dark = (FILES.indexOf(square[0]) + Number(square[1])) % 2 === 1;
        const cell = h("div", { class: dark ? "cell dark" : "cell", role: "gridcell", tabindex: -1, "data-square": square },
          row === 7 && h("span", { class: "coord file", "aria-hidden": "true" }, square[0]),
          column === 0 && h("span", { class: "coord rank", "aria-hidden": "true" }, square[1]));
        this.cells.set(square, cell);
        line.append(cell);
      }
      this.rows.append(line);
    }
    this.focusSquare ??= "e2";
    this.cells.get(this.focusSquare).tabIndex = 0;
  }

  squareAt(column, row) {
    return this.flipped ? `${FILES[7 - column]}${row + 1}` : `${FILES[column]}${8 - row}`;
  }

  /** The column and row of a square on the screen. */
  place(square) {
    const [column, row] = placeOf(square);
    return this.flipped ? [7 - column, 7 - row] : [column, row];
  }

  flip(flipped = !this.flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    this.buildCells();
    this.redraw();
  }

  /**
   * Shows a position: `fen`, `variant`, the `legal` moves, the `last` move, `attacked` kings and `check`. The user may
   * move if `movable`.
   */
  show(position) {
    this.position = position;
    this.variant = position.variant;
    this.legal = position.legal ?? [];
    this.movable = position.movable ?? false;
    this.userMarks = [];
    this.closePromotion?.();
    this.select(null);
    this.movePieces(piecesOf(position.fen));
    this.mark();
    this.drawArrows();
  }

  redraw() {
    this.elements.forEach((element) => element.remove());
    this.elements.clear();
    if (this.position) this.show(this.position);
  }

  /** Moves the elements of pieces that have moved, so that they slide. */
  movePieces(pieces) {
    const free = new Map();
    for (const [square, element] of this.elements) {
      if (pieces.get(square) === element.dataset.letter) continue;
      const list = free.get(element.dataset.letter) ?? [];
      free.set(element.dataset.letter, [...list, { square, element }]);
      this.elements.delete(square);
    }
    const moved = this.position.last?.slice(0, 2);
    for (const [square, letter] of pieces) {
      let element = this.elements.get(square);
      if (!element) {
        const list = free.get(letter) ?? [];
        const at = Math.max(0, list.findIndex((item) => item.square === moved));
        element = list.splice(at, 1)[0]?.element;
        if (!element) {
          element = h("div", { class: "piece", "data-letter": letter }, picture(letter, this.variant));
          this.pieceLayer.append(element);
        }
        this.elements.set(square, element);
      }
      this.slide(element, square);
    }
    for (const list of free.values()) list.forEach(({ element }) => element.remove());
    this.pieces = pieces;
    for (const [square, cell] of this.cells) this.label(square, cell);
  }

  slide(element, square) {
    const [column, row] = this.place(square);
    element.style.transform = `translate(${column * 100}%, ${row * 100}%)`;
  }

  label(square, cell) {
    const letter = this.pieces.get(square);
    const attacked = this.position.attacked?.includes(square);
    const words = [square, letter ? pieceName(letter, this.variant) : "empty"];
    if (attacked) words.push("attacked");
    if (this.selected === square) words.push("selected");
    if (this.selected && targetsOf(this.selected, this.legal).includes(square)) words.push("can be moved to");
    cell.setAttribute("aria-label", words.join(", "));
  }

  select(square) {
    this.selected = square;
    this.markLayer.querySelectorAll(".target").forEach((element) => element.remove());
    for (const [name, cell] of this.cells) {
      cell.classList.toggle("selected", name === square);
      cell.setAttribute("aria-selected", name === square ? "true" : "false");
      if (this.position) this.label(name, cell);
    }
    if (!square || !this.showTargets()) return;
    for (const target of targetsOf(square, this.legal)) {
      const element = h("div", { class: this.pieces.has(target) ? "target capture" : "target" });
      this.put(element, target);
      this.markLayer.append(element);
    }
  }

  put(element, square, dx = 0, dy = 0) {
    const [column, row] = this.place(square);
    element.style.left = `${(column + dx) * 12.5}%`;
    element.style.top = `${(row + dy) * 12.5}%`;
  }

  /** Colours the squares of the last move and of attacked kings, and puts signs on them. */
  mark() {
    const { last, attacked = [], check, glyph, kings } = this.position;
    this.markLayer.replaceChildren();
    for (const [square, cell] of this.cells) {
      cell.classList.toggle("last", !!last && (last.slice(0, 2) === square || last.slice(2, 4) === square));
      cell.classList.toggle("checked", !!check && attacked.includes(square));
      cell.classList.toggle("attacked", !check && attacked.includes(square));
    }
    for (const square of attacked) {
      const sign = h("div", { class: check ? "king-mark" : "king-mark safe", title: check ? "in check" : "attacked, but the other king is safe" }, check ? (kings > 1 ? "‼" : "!") : "·");
      this.put(sign, square, 0.02, 0.66);
      this.markLayer.append(sign);
    }
    if (last && SIGNS[glyph]) {
      const sign = h("div", { class: `glyph-mark g${glyph}` }, SIGNS[glyph]);
      this.put(sign, last.slice(2, 4), 0.6, -0.08);
      this.markLayer.append(sign);
    }
  }

  /** Shows arrows: a list of `{move, kind}` with kind best, other or hint. */
  setArrows(arrows) {
    this.arrows = arrows;
    this.drawArrows();
  }

  drawArrows() {
    const all = [...this.arrows, ...this.userMarks.map((move) => ({ move, kind: "user" }))];
    this.arrowLayer.replaceChildren(...all.flatMap(({ move, kind }) => this.arrow(move, kind)));
  }

  arrow(move, kind) {
    const [from, to] = [move.slice(0, 2), move.slice(2, 4)].map((square) => this.place(square).map((n) => n + 0.5));
    if (move.slice(0, 2) === move.slice(2, 4)) return [s("circle", { class: `arrow-${kind}`, cx: from[0], cy: from[1], r: 0.42, "stroke-width": 0.08 })];
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const [x, y] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    const tip = [to[0] - x * 0.1, to[1] - y * 0.1];
    const base = [tip[0] - x * 0.42, tip[1] - y * 0.42];
    const points = `${tip} ${base[0] - y * 0.25},${base[1] + x * 0.25} ${base[0] + y * 0.25},${base[1] - x * 0.25}`;
    return [
      s("line", { class: `arrow-${kind}`, x1: from[0] + x * 0.3, y1: from[1] + y * 0.3, x2: base[0], y2: base[1], "stroke-width": 0.17 }),
      s("polygon", { class: `arrow-${kind} arrow-head`, points }),
    ];
  }

  // ---- the pointer

  squareOf(event) {
    const box = this.element.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * 8);
    const row = Math.floor(((event.clientY - box.top) / box.height) * 8);
    return column >= 0 && column < 8 && row >= 0 && row < 8 ? this.squareAt(column, row) : null;
  }

  pointerDown(event) {
    const square = this.squareOf(event);
    if (!square || event.target.closest(".promotion")) return;
    if (event.button === 2) {
      this.drawing = square;
      return;
    }
    if (event.button !== 0) return;
    this.tapped = false;
    this.userMarks = [];
    this.drawArrows();
    this.setFocus(square, false);
    if (this.onSquare) {
      this.onSquare(square, event);
      return;
    }
    if (!this.movable) return;
    if (this.selected && this.selected !== square && !this.isOwn(square)) {
      // Later, since the browser now moves the focus to the square.
      const { selected } = this;
      this.tapped = true;
      setTimeout(() => this.move(selected, square, false));
      return;
    }
    if (!this.isOwn(square)) {
      this.select(null);
      return;
    }
    const again = this.selected === square;
    this.select(square);
    const element = this.elements.get(square);
    this.element.setPointerCapture(event.pointerId);
    this.drag = { square, element, again, moved: false, x: event.clientX, y: event.clientY };
  }

  pointerMove(event) {
    const { drag } = this;
    if (!drag) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 5) return;
    drag.moved = true;
    drag.element.classList.add("dragging");
    const box = this.element.getBoundingClientRect();
    const size = box.width / 8;
    drag.element.style.transform = `translate(${event.clientX - box.left - size / 2}px, ${event.clientY - box.top - size / 2}px)`;
    const over = this.squareOf(event);
    for (const [square, cell] of this.cells) cell.classList.toggle("drop", square === over && square !== drag.square);
  }

  pointerUp(event) {
    const square = this.squareOf(event);
    if (event.button === 2 && this.drawing) {
      const mark = square && `${this.drawing}${square}`;
      this.drawing = null;
      if (!mark) return;
      this.userMarks = this.userMarks.includes(mark) ? this.userMarks.filter((other) => other !== mark) : [...this.userMarks, mark];
      this.drawArrows();
      return;
    }
    const { drag } = this;
    if (!drag) return;
    this.endDrag();
    if (drag.moved && square && square !== drag.square) this.move(drag.square, square, true);
    else if (drag.again && !drag.moved) this.select(null);
  }

  /** Suppresses the click of a tap that moves: it would hit the choice of a promotion, which appears under the finger. */
  touchEnd(event) {
    if ((this.tapped || this.closePromotion) && !event.target.closest(".promotion")) event.preventDefault();
  }

  endDrag() {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    drag.element.classList.remove("dragging");
    this.cells.forEach((cell) => cell.classList.remove("drop"));
    this.slide(drag.element, drag.square);
  }

  get whiteToMove() {
    return this.position?.fen.split(" ")[1] === "w";
  }

  isOwn(square) {
    const letter = this.pieces.get(square);
    return !!letter && (letter === letter.toUpperCase()) === this.whiteToMove;
  }

  // ---- moves

  async move(from, to, dragged) {
    const moves = this.legal.filter(({ move }) => move.startsWith(from + to));
    if (!moves.length) {
      this.select(null);
      this.onIllegal(from, to);
      return;
    }
    let { move } = moves[0];
    if (moves.length > 1) {
      move = await choosePromotion(this, to, moves.map((item) => item.move), this.whiteToMove);
      if (!move) return this.select(null);
    }
    if (dragged) this.jump(from, move);
    this.select(null);
    this.onMove(move);
  }

  /** Puts a dropped piece on its square without sliding. */
  jump(from, move) {
    const element = this.elements.get(from);
    if (!element) return;
    this.element.classList.add("still");
    this.slide(element, move.slice(2, 4));
    requestAnimationFrame(() => requestAnimationFrame(() => this.element.classList.remove("still")));
  }

  // ---- the keyboard

  setFocus(square, really = true) {
    this.cells.get(this.focusSquare).tabIndex = -1;
    this.focusSquare = square;
    const cell = this.cells.get(square);
    cell.tabIndex = 0;
    if (really) cell.focus();
  }

  keyDown(event) {
    if (event.target.closest(".promotion")) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    if (step) {
      const [column, row] = this.place(this.focusSquare);
      const at = [column + step[0], row + step[1]].map((n) => Math.min(7, Math.max(0, n)));
      this.setFocus(this.squareAt(...at));
    } else if (event.key === "Enter" || event.key === " ") {
      const square = this.focusSquare;
      if (this.onSquare) this.onSquare(square, event);
      else if (!this.movable) return;
      else if (this.selected === square) this.select(null);
      else if (this.selected && !this.isOwn(square)) this.move(this.selected, square, false);
      else if (this.isOwn(square)) this.select(square);
    } else if (event.key === "Escape") this.select(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
