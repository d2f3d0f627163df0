/**
 * What a piece can do, shown on the board: when the mouse rests on it, when a finger stays on it, or by the key i. The
 * squares come from the rules, whoever is to move.
 */
import { announce, h } from "./dom.js";
import { t } from "./i18n.js";
import { moveText } from "./movetext.js";
import { pieceName, picture } from "./pieces.js";
import { settings } from "./settings.js";

/** How long the mouse rests, and a finger stays, on a piece before it is explained, in milliseconds. */
const REST = 600;
const PRESS = 500;

/** The movement of a finger in pixels that is no longer a press. */
const SHAKE = 8;

/** The distance of the text from the board in pixels, and the room that it needs beside it. */
const GAP = 10;
const ROOM = 240;

/** The kinds of marks, in the order of the legend. */
const KINDS = ["moves", "quiet", "captures"];

const mark = (kind, isLeap) => h("div", { class: `reach-mark to-${kind}${isLeap ? " leap" : ""}` });

/** The marks that an answer about a piece needs, with their names. */
export function legend(reach) {
  const { leaps } = reach;
  const names = { moves: t("moves or captures"), quiet: t("moves only"), captures: reach.moves.length ? t("can capture now") : t("captures") };
  const items = KINDS.filter((kind) => reach[kind].some((square) => kind === "captures" || !leaps.includes(square))).map((kind) => [kind, false, names[kind]]);
  if (leaps.length) items.push(["moves", true, t("leaps over others")]);
  return items.map(([kind, isLeap, name]) => h("span", {}, h("span", { class: "reach-sign", "aria-hidden": "true" }, mark(kind, isLeap)), name));
}

export class ReachView {
  constructor(app) {
    this.app = app;
    this.board = app.board;
    this.square = null;
    this.layer = h("div", { class: "marks reach", "aria-hidden": "true" });
    this.card = h("div", { class: "reach-card", "aria-hidden": "true", hidden: true });
    this.board.element.append(this.layer);
    document.body.append(this.card);
    const { element } = this.board;
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerleave", ({ pointerType }) => pointerType === "mouse" && this.hide());
    document.addEventListener("pointerdown", (event) => this.down(event));
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => clearTimeout(this.timer));
    addEventListener("resize", () => this.hide());
    document.addEventListener("scroll", () => this.hide(), { passive: true });
    this.board.onAsk = (square) => this.show(square, true);
  }

  /** Whether the hand does something else. */
  get isBusy() {
    const { board } = this;
    return !!(board.pointer.drag?.moved || board.drawing.current || board.closePromotion || board.editor);
  }

  later(square, delay) {
    clearTimeout(this.timer);
    if (settings.explain && this.board.pieces.has(square)) this.timer = setTimeout(() => this.isBusy || this.show(square), delay);
  }

  move(event) {
    if (event.pointerType !== "mouse") {
      if (this.pressed && Math.hypot(event.clientX - this.pressed.clientX, event.clientY - this.pressed.clientY) > SHAKE) this.hide();
      return;
    }
    const square = this.board.pointer.squareOf(event);
    if (square === this.over && !this.isBusy) return;
    this.hide();
    this.over = square;
    // Somebody who has chosen a piece knows it.
    if (!event.buttons && !this.board.selected) this.later(square, REST);
  }

  down(event) {
    this.hide();
    this.pressed = null;
    if (event.pointerType === "mouse" || !event.isPrimary || !this.board.element.contains(event.target)) return;
    this.pressed = event;
    this.later(this.board.pointer.squareOf(event), PRESS);
  }

  hide() {
    clearTimeout(this.timer);
    this.asked = this.over = this.square = null;
    this.card.hidden = true;
    this.layer.replaceChildren();
    this.board.element.classList.remove("explaining");
  }

  /** Shows what the piece on a square can do, and says it if the user has asked by a key. */
  async show(square, isSaid = false) {
    const { board, app } = this;
    const letter = board.pieces.get(square);
    if (!letter) {
      if (isSaid) announce(t("There is no piece on {square}.", { square }));
      return this.hide();
    }
    const { fen } = board.position;
    const asked = (this.asked = Symbol(square));
    // Without an answer, as for a position that is not legal, the name and the text remain.
    const reach = await app.ask({ ask: "reach", line: { variant: board.variant, fen }, from: square }).catch(() => null);
    if (this.asked !== asked || board.position.fen !== fen) return undefined;
    this.square = square;
    this.draw(letter, square, reach);
    if (isSaid) announce(this.words(letter, square, reach));
    return undefined;
  }

  draw(letter, square, reach) {
    const { board, layer } = this;
    layer.replaceChildren();
    board.element.classList.add("explaining");
    const place = (element, to) => {
      board.put(element, to);
      layer.append(element);
    };
    place(h("div", { class: "reach-mark from" }), square);
    if (reach) KINDS.forEach((kind) => reach[kind].forEach((to) => place(mark(kind, reach.leaps.includes(to)), to)));
    this.card.replaceChildren(picture(letter, board.variant), h("div", {}, h("strong", {}, pieceName(letter, board.variant)), h("p", {}, moveText(letter, board.variant)),
      h("p", { class: "reach-legend" }, reach ? legend(reach) : "")));
    this.placeCard(square);
  }

  /** Puts the text beside the board, below it, or else over the half of it without the piece. */
  placeCard(square) {
    const { card, board } = this;
    card.hidden = false;
    const box = board.element.getBoundingClientRect();
    const cell = board.cells.get(square).getBoundingClientRect();
    const { style } = card;
    const isBeside = innerWidth - box.right > ROOM;
    style.width = `${isBeside ? Math.min(innerWidth - box.right - 2 * GAP, 340) : Math.min(box.width, innerWidth - 2 * GAP)}px`;
    const { height } = card.getBoundingClientRect();
    const isBelow = innerHeight - box.bottom > height;
    style.left = `${isBeside ? box.right + GAP : Math.max(box.left, GAP)}px`;
    const over = cell.top > box.top + box.height / 2 ? box.top : box.bottom - height;
    style.top = `${isBeside ? Math.max(0, Math.min(cell.top, innerHeight - height - GAP)) : isBelow ? box.bottom : over}px`;
  }

  /** All of it in words. */
  words(letter, square, reach) {
    const name = pieceName(letter, this.board.variant);
    const parts = [t("{piece} on {square}.", { piece: `${name[0].toUpperCase()}${name.slice(1)}`, square }), moveText(letter, this.board.variant)];
    if (reach) {
      const { moves, quiet, captures, leaps } = reach;
      const goes = [...moves, ...quiet];
      const squares = (list) => ({ squares: list.join(", ") });
      if (goes.length) parts.push(t("From here it can go to {squares}.", squares(goes)));
      if (captures.length) parts.push(t("It captures on {squares}.", squares(captures)));
      if (leaps.length) parts.push(t("It leaps to {squares}.", squares(leaps)));
      if (!goes.length && !captures.length) parts.push(t("From here it cannot move."));
    }
    return parts.join(" ");
  }
}
