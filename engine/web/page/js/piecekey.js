/** The piece key: the name of each kind of piece and how it moves, with a small diagram, beside the board until it is closed. */
import { $, h, iconButton, s } from "./dom.js";
import { t } from "./i18n.js";
import { moveText } from "./movetext.js";
import { armies, kindName, picture } from "./pieces.js";
import { settings } from "./settings.js";

/** The places where the key is shown: those for newcomers. */
const PLACES = ["play", "puzzles", "learn"];

/**
 * Whether there is room for it on the free side of a board that is as high as the window, beside which the controls must
 * fit. Elsewhere it is below them.
 */
const hasRoom = () => innerHeight >= 600 && innerWidth - innerHeight >= 590;

/** Pawns and hoplites are shown on their first squares, others amid the board. Nothing else stands within two squares. */
const SQUARES = { P: "d2", h: "d7" };

const squareOf = (letter) => SQUARES[letter] ?? "d4";

/** A position with a piece to move, and with kings that are not in its way. */
function positionOf(letter) {
  const square = squareOf(letter);
  const rows = Array.from({ length: 8 }, () => Array(8).fill(1));
  const put = (piece, name) => (rows[8 - Number(name[1])]["abcdefgh".indexOf(name[0])] = piece);
  const isWhite = letter < "a";
  put(isWhite ? "k" : "K", "h7");
  if (letter.toLowerCase() !== "k") put(isWhite ? "K" : "k", "h1");
  put(letter, square);
  // Digits that follow each other are not FEN.
  const text = rows.map((row) => row.join("").replace(/1+/g, (ones) => ones.length)).join("/");
  return `${text} ${isWhite ? "w" : "b"} - - 0 1`;
}

/** A diagram of five by five squares, as the board is turned: a hoplite moves to the same side as there. */
function diagram(letter, reach, flipped) {
  const square = squareOf(letter);
  const [column, row] = [square.charCodeAt(0), Number(square[1])];
  // The board ends below a pawn and above a hoplite.
  const top = letter === "P" ? 5 : letter === "h" ? 8 : row + 2;
  const picture5 = s("svg", { class: "key-diagram", viewBox: "0 0 5 5", "aria-hidden": "true" });
  const place = (name) => [name.charCodeAt(0) - column + 2, top - Number(name[1])].map((n) => (flipped ? 4 - n : n));
  for (let y = 0; y < 5; y++) {
    for (let x = 0; x < 5; x++) picture5.append(s("rect", { x, y, width: 1.01, height: 1.01, class: (column - 97 + x - 2 + top - y - 1) % 2 ? "mini-light" : "mini-dark" }));
  }
  for (const kind of ["moves", "quiet", "captures"]) {
    for (const to of reach[kind]) {
      const [x, y] = place(to);
      if (x < 0 || x > 4 || y < 0 || y > 4) continue;
      const isLeap = reach.leaps.includes(to);
      picture5.append(s("path", { class: `key-${kind}${isLeap ? " leap" : ""}`, d: shape(kind, isLeap, x + 0.5, y + 0.5) }));
    }
  }
  const piece = picture(letter, "spartan");
  const [x, y] = place(square);
  for (const [name, value] of Object.entries({ x, y, width: 1, height: 1 })) piece.setAttribute(name, value);
  picture5.append(piece);
  return picture5;
}

/** A cross for a capture, a diamond for a leap, a disc for other moves. */
function shape(kind, isLeap, x, y) {
  if (kind === "captures") return `M${x - 0.25} ${y - 0.25}l.5 .5m0 -.5l-.5 .5`;
  if (isLeap) return `M${x} ${y - 0.33}l.33 .33l-.33 .33l-.33 -.33z`;
  return `M${x - 0.2} ${y}a.2 .2 0 1 0 .4 0a.2 .2 0 1 0 -.4 0z`;
}

export class PieceKey {
  constructor(app) {
    this.app = app;
    this.army = "black";
    this.element = h("section", { class: "piece-key", id: "piece-key", "aria-labelledby": "piece-key-title", hidden: true });
    addEventListener("resize", () => this.place());
    this.place();
  }

  place() {
    const { element } = this;
    const parent = hasRoom() ? document.querySelector("main") : $("panel");
    element.classList.toggle("beside", parent !== $("panel"));
    // What is moved within the document loses the focus.
    if (element.parentElement !== parent) parent.append(element);
  }

  /** Shows or hides it, for the present place and setting. */
  update() {
    const isShown = settings.key && PLACES.includes(this.app.modeName) && this.app.tree.variant === "spartan";
    this.element.hidden = !isShown;
    if (!isShown) return;
    if (!this.element.firstChild) this.build();
    else if (this.flipped !== this.app.board.flipped) this.turn();
  }

  async open() {
    this.set(true);
    this.element.scrollIntoView({ block: "nearest" });
    this.element.querySelector("button")?.focus();
  }

  set(isOpen) {
    settings.key = isOpen;
    this.app.profiles.settings.touch();
    this.update();
  }

  /** Builds it anew, for another set of pieces. */
  redraw() {
    this.element.replaceChildren();
    this.update();
  }

  /** Draws the diagrams as the board is turned now. */
  turn() {
    this.flipped = this.app.board.flipped;
    for (const [letter, reach] of this.reaches) this.element.querySelector(`[data-letter=${letter}] .key-diagram`)?.replaceWith(diagram(letter, reach, this.flipped));
  }

  async build() {
    const { element } = this;
    this.flipped = this.app.board.flipped;
    this.reaches = [];
    const tab = (army, text) => h("button", { type: "button", class: "button small", "aria-pressed": String(army === this.army), onclick: () => this.choose(army), "data-army": army }, text);
    const head = h("div", { class: "piece-key-head" }, h("h3", { id: "piece-key-title" }, t("Piece key")), iconButton("close", t("Close the piece key"), () => this.set(false)),
      h("div", { class: "row-of" }, tab("black", t("Spartans")), tab("white", t("Persians"))));
    this.lists = { white: h("ul", {}), black: h("ul", {}) };
    element.replaceChildren(head, ...Object.values(this.lists), h("p", { class: "key-legend hint" }, legendText()));
    const letters = armies("spartan");
    const reaches = await Promise.all(letters.map((letter) => this.app.ask({ ask: "reach", line: { fen: positionOf(letter) }, from: squareOf(letter) })));
    if (!element.contains(head)) return;
    this.reaches = letters.map((letter, index) => [letter, reaches[index]]);
    for (const [letter, reach] of this.reaches) this.lists[letter < "a" ? "white" : "black"].append(this.item(letter, reach));
    this.choose(this.army);
  }

  item(letter, reach) {
    const name = kindName(letter);
    return h("li", { "data-letter": letter }, diagram(letter, reach, this.flipped), h("div", {}, h("strong", { class: "key-name" }, picture(letter, "spartan"), `${name[0].toUpperCase()}${name.slice(1)}`), h("p", {}, moveText(letter, "spartan"))));
  }

  choose(army) {
    this.army = army;
    for (const [name, list] of Object.entries(this.lists)) list.hidden = name !== army;
    for (const button of this.element.querySelectorAll("[data-army]")) button.setAttribute("aria-pressed", String(button.dataset.army === army));
  }
}

function legendText() {
  const sign = (kind, isLeap = false) => s("svg", { viewBox: "0 0 1 1", "aria-hidden": "true" }, s("path", { class: `key-${kind}${isLeap ? " leap" : ""}`, d: shape(kind, isLeap, 0.5, 0.5) }));
  return [[sign("moves"), t("moves or captures")], [sign("quiet"), t("moves only")], [sign("captures"), t("captures")], [sign("moves", true), t("leaps over others")]]
    .map((item) => h("span", {}, ...item));
}
