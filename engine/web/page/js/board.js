/**
 * The board: shows a position and lets the user move. It knows no rules; the moves are given to it.
 *
 * Mouse and touch are in pointer.js, the keyboard in keyboard.js, arrows and circles in drawing.js.
 */
import { announce, h } from "./dom.js";
import { Drawing } from "./drawing.js";
import { t } from "./i18n.js";
import { Keyboard } from "./keyboard.js";
import { pieceName, picture } from "./pieces.js";
import { Pointer } from "./pointer.js";
import { choosePromotion } from "./promotion.js";
import { SIGNS, turnOf } from "./tree.js";

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

const colourOf = (letter) => (letter < "a" ? "white" : "black");

/** The square of the rook if a king castles by this move: a king never goes two squares otherwise. */
function castlingRook(move, letter) {
  const [from, to] = [FILES.indexOf(move[0]), FILES.indexOf(move[2])];
  return letter.toLowerCase() === "k" && Math.abs(from - to) === 2 ? `${to > from ? "h" : "a"}${move[1]}` : null;
}

export class Board {
  /** Called with a legal move in coordinates. */
  onMove = () => {};
  /** Called with two squares between which no move is legal. */
  onIllegal = () => {};
  /** Called with two squares when the user wants to move a piece although nobody can move; the second one may be null. */
  onIdle = () => {};
  /** Called by the wheel with 1 or -1 for a step in the game, or 0; returns whether there are moves to step through. */
  onStep = () => false;
  /** Called with a square when the user asks by key what the piece there can do. */
  onAsk = () => {};
  /** Called with the shapes after the user has drawn, if they are kept. */
  onShapes = () => {};
  /** While set, it gets what the user does, as `click(square)`, `drop(from, to)`, `place(letter, to)` and `erase(square)`. */
  editor = null;

  constructor(host, settings = {}) {
    this.variant = "spartan";
    this.pieces = new Map();
    this.legal = [];
    this.movable = false;
    this.premovable = null;
    this.premove = null;
    this.flipped = false;
    this.showTargets = settings.showTargets ?? (() => true);
    this.selected = null;
    this.cells = new Map();
    this.rows = h("div", { class: "rows", role: "grid", "aria-label": t("Chess board"), "aria-rowcount": 8, "aria-colcount": 8 });
    this.pieceLayer = h("div", { class: "pieces", "aria-hidden": "true" });
    this.markLayer = h("div", { class: "marks", "aria-hidden": "true" });
    this.drawing = new Drawing(this);
    this.element = h("div", { class: "board" }, this.rows, this.markLayer, this.pieceLayer, this.drawing.layer);
    this.keyboard = new Keyboard(this);
    this.pointer = new Pointer(this);
    host.append(this.keyboard.button, this.element);
    this.elements = new Map();
    this.buildCells();
  }

  /** Scrolls a narrow page to its top, so that the board and the players are visible. */
  reveal() {
    scrollTo(0, 0);
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
    this.setFocus(this.focusSquare ?? "e2", this.keyboard.active);
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
   * Shows a position: `fen`, `variant`, the `legal` moves, the `last` move, `attacked` kings and `check`, and the FEN of
   * the `previous` position. The user may move if `movable`; the pieces of the colour `premovable` can be moved in
   * advance. `others` is a function that resolves to `{moves, premoves}` of the side not to move. If there are
   * `shapes`, those that the user draws are kept.
   */
  show(position) {
    const wasPremove = this.selected && this.useOf(this.selected) === "premove";
    const isSame = this.position?.fen === position.fen && this.variant === position.variant;
    this.position = position;
    // The same letter may be another picture there.
    if (position.variant !== this.variant) this.removePieces();
    this.variant = position.variant;
    this.legal = position.legal ?? [];
    this.movable = position.movable ?? false;
    this.premovable = position.premovable ?? null;
    this.others = null;
    if (this.premove && ![position.fen, position.previous].includes(this.premove.fen)) this.premove = null;
    this.movePieces(piecesOf(position.fen));
    // Neither the opponent's move interrupts the user who has taken a piece for a premove, nor the begin of the game, which may
    // come a while after the position is shown: the piece can only be looked at then.
    const use = this.useOf(this.selected);
    const keeps = isSame ? !!use : (wasPremove || this.pointer.drag) && ["move", "premove"].includes(use);
    if (!keeps) {
      this.pointer.endDrag();
      this.closePromotion?.();
    }
    this.mark();
    this.select(keeps ? this.selected : null);
    this.drawing.show(position.shapes);
    if (this.premovable) this.loadOthers();
  }

  removePieces() {
    this.elements.forEach((element) => element.remove());
    this.elements.clear();
  }

  redraw() {
    this.removePieces();
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
          element = this.makePiece(letter);
          this.pieceLayer.append(element);
        }
        this.elements.set(square, element);
      }
      if (element !== this.pointer.drag?.element) this.slide(element, square);
    }
    for (const list of free.values()) list.forEach(({ element }) => element.remove());
    this.pieces = pieces;
  }

  makePiece(letter) {
    return h("div", { class: "piece", "data-letter": letter }, picture(letter, this.variant));
  }

  slide(element, square) {
    const [column, row] = this.place(square);
    element.style.transform = `translate(${column * 100}%, ${row * 100}%)`;
  }

  put(element, square, dx = 0, dy = 0) {
    const [column, row] = this.place(square);
    element.style.left = `${(column + dx) * 12.5}%`;
    element.style.top = `${(row + dy) * 12.5}%`;
  }

  /** Colours the squares of the last move, of a premove and of attacked kings, and puts signs on them. */
  mark() {
    const { last, attacked = [], check, glyph, kings } = this.position;
    const has = (move, square) => !!move && (move.slice(0, 2) === square || move.slice(2, 4) === square);
    this.markLayer.replaceChildren();
    for (const [square, cell] of this.cells) {
      cell.classList.toggle("last", has(last, square));
      cell.classList.toggle("premove", has(this.premove?.move, square));
      cell.classList.toggle("checked", !!check && attacked.includes(square));
      cell.classList.toggle("attacked", !check && attacked.includes(square));
    }
    for (const square of attacked) {
      const sign = h("div", { class: check ? "king-mark" : "king-mark safe", title: check ? t("in check") : t("attacked, but the other king is safe") }, check ? (kings > 1 ? "!!" : "!") : "·");
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
    this.drawing.setArrows(arrows);
  }

  /** Shows a move that the user points at, or none. */
  point(move) {
    this.drawing.point(move);
  }

  // ---- the selected piece

  get turn() {
    return this.position ? turnOf(this.position.fen) : "white";
  }

  /** Whether nobody can move: before and after a game, or in an old position. */
  get isIdle() {
    return !this.movable && !this.premovable && !this.editor;
  }

  /** For what a piece is taken: to `move` it now, to `premove` it, or to `look` where it could go. Null if there is none. */
  useOf(square) {
    const letter = this.pieces.get(square);
    if (!letter) return null;
    const colour = colourOf(letter);
    if (this.movable && colour === this.turn) return "move";
    return colour === this.premovable ? "premove" : "look";
  }

  /** The moves of a piece by the square on which it is put; a king castles by going onto the rook, too. */
  targets(square) {
    const letter = this.pieces.get(square);
    const targets = new Map();
    if (!letter) return targets;
    const ofOthers = (this.useOf(square) === "premove" ? this.others?.premoves : this.others?.moves) ?? [];
    const moves = colourOf(letter) === this.turn ? this.legal.map(({ move }) => move) : ofOthers;
    for (const move of moves.filter((item) => item.startsWith(square))) {
      for (const to of [move.slice(2, 4), castlingRook(move, letter)]) {
        if (to) targets.set(to, [...(targets.get(to) ?? []), move]);
      }
    }
    return targets;
  }

  /** Gets the moves of the side not to move. */
  async loadOthers() {
    const { position } = this;
    try {
      const others = await position.others?.();
      if (position === this.position) this.others = others;
    } catch {
      // Only a disconnected page has no answer, and that has its own message.
    }
  }

  select(square) {
    this.selected = square;
    const use = square && this.useOf(square);
    for (const [name, cell] of this.cells) {
      cell.classList.toggle("selected", name === square && use !== "look");
      cell.classList.toggle("looked", name === square && use === "look");
      cell.setAttribute("aria-selected", name === square ? "true" : "false");
    }
    this.showSelected();
    if (!use || this.others || colourOf(this.pieces.get(square)) === this.turn) return;
    this.loadOthers().then(() => this.selected === square && this.showSelected());
  }

  /** Marks the squares to which the selected piece can move, and names all squares. */
  showSelected() {
    const square = this.selected;
    const use = square && this.useOf(square);
    const targets = square ? [...this.targets(square).keys()] : [];
    this.markLayer.querySelectorAll(".target").forEach((element) => element.remove());
    if (this.position) for (const [name, cell] of this.cells) cell.setAttribute("aria-label", this.label(name, targets));
    if (!this.showTargets()) return;
    for (const target of targets) {
      const element = h("div", { class: `target ${use} ${this.pieces.has(target) ? "capture" : ""}` });
      this.put(element, target);
      this.markLayer.append(element);
    }
  }

  label(square, targets = []) {
    const letter = this.pieces.get(square);
    const words = [square, letter ? pieceName(letter, this.variant) : t("empty")];
    if (this.position.attacked?.includes(square)) words.push(t("attacked"));
    if (this.selected === square) words.push(t("selected"));
    if (targets.includes(square)) words.push(t("can be moved to"));
    return words.join(", ");
  }

  // ---- moves

  /**
   * A square was clicked or chosen by key: moves the selected piece there, or takes the piece on it. Returns whether it
   * was a move.
   */
  choose(square) {
    const { selected } = this;
    const use = selected && this.useOf(selected);
    if (selected && selected !== square) {
      const isTarget = this.targets(selected).has(square);
      if (use === "look") {
        if (isTarget && this.isIdle) this.onIdle(selected, square);
      } else if (isTarget || this.useOf(square) !== use) {
        // Later, since a click now moves the focus to the square.
        setTimeout(() => this.move(selected, square, false));
        return true;
      }
    }
    this.select(this.useOf(square) ? square : null);
    return false;
  }

  async move(from, to, dragged) {
    if (this.useOf(from) === "premove" && !this.others) await this.loadOthers();
    const moves = this.targets(from).get(to) ?? [];
    let [move] = moves;
    if (moves.length > 1) {
      move = await choosePromotion(this, to, moves, colourOf(this.pieces.get(from)) === "white");
      if (!move) return this.select(null);
    }
    this.select(null);
    const use = this.useOf(from);
    if (use === "premove") return this.setPremove(move);
    if (use !== "move") return null;
    if (!this.legal.some((item) => item.move === move)) return this.onIllegal(from, to);
    if (dragged) this.jump(from, move);
    return this.onMove(move);
  }

  /** Puts a dropped piece on its square without sliding. */
  jump(from, move) {
    const element = this.elements.get(from);
    if (!element) return;
    this.element.classList.add("still");
    this.slide(element, move.slice(2, 4));
    requestAnimationFrame(() => requestAnimationFrame(() => this.element.classList.remove("still")));
  }

  /** Notes a move for the next turn, or forgets it if null. Returns whether there was one before. */
  setPremove(move = null) {
    const had = !!this.premove;
    if (!had && !move) return false;
    this.premove = move && { move, fen: this.position.fen };
    this.mark();
    this.showSelected();
    announce(move ? t("Premove {from} to {to}.", { from: move.slice(0, 2), to: move.slice(2, 4) }) : t("Premove cancelled."));
    return had;
  }

  /** Plays the premove if it has become legal, and forgets it. To be called when the user's turn has come. */
  playPremove() {
    const { premove } = this;
    if (!premove || !this.movable) return;
    this.premove = null;
    this.mark();
    this.showSelected();
    if (premove.fen === this.position.previous && this.legal.some(({ move }) => move === premove.move)) this.onMove(premove.move);
    else announce(t("The premove is not possible."));
  }

  /** Forgets what the user has begun; returns whether there was something. */
  cancel() {
    const had = this.setPremove() || !!this.selected;
    this.select(null);
    return had;
  }

  /** Makes a square the one with the focus. */
  setFocus(square, really = true) {
    const before = this.cells.get(this.focusSquare);
    if (before) before.tabIndex = -1;
    this.focusSquare = square;
    const cell = this.cells.get(square);
    cell.tabIndex = 0;
    if (really) cell.focus();
  }
}
