/**
 * Moves by keys on the board, in a mode of their own: otherwise the arrow keys step through the game wherever the focus
 * is.
 */
import { announce, dialog, h } from "./dom.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Keyboard {
  active = false;

  constructor(board) {
    this.board = board;
    this.button = h("button", { type: "button", class: "skip", onclick: () => this.enter() }, "Move on the board by keys (b)");
    board.element.addEventListener("keydown", (event) => this.keyDown(event));
  }

  enter() {
    const { board } = this;
    this.set(true);
    board.setFocus(board.focusSquare);
    const use = board.editor ? "Enter puts a piece, Delete removes it" : "Enter takes a piece and puts it down";
    announce(`Keyboard board. Arrow keys go from square to square, ${use}, Escape leaves. ${board.cells.get(board.focusSquare).ariaLabel}.`);
  }

  leave() {
    if (!this.active) return;
    this.set(false);
    announce("Left the keyboard board. Arrow keys step through the game.");
  }

  set(active) {
    this.active = active;
    this.board.element.classList.toggle("by-keys", active);
  }

  keyDown(event) {
    const { board } = this;
    if (event.target.closest(".promotion") || event.ctrlKey || event.metaKey || event.altKey) return;
    const isEnter = event.key === "Enter" || event.key === " ";
    if (!this.active) {
      // A square that the mouse has clicked has the focus, too.
      if (!isEnter || !event.target.matches(":focus-visible")) return;
      this.enter();
    } else if (event.key in STEPS) this.step(STEPS[event.key]);
    else if (isEnter) this.choose(board.focusSquare);
    else if (event.key === "Delete" && board.editor) board.editor.erase(board.focusSquare);
    else if (event.key === "Escape") {
      if (!board.cancel()) this.leave();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  step([dx, dy]) {
    const { board } = this;
    const [column, row] = board.place(board.focusSquare);
    const at = [column + dx, row + dy].map((n) => Math.min(7, Math.max(0, n)));
    board.setFocus(board.squareAt(...at));
  }

  choose(square) {
    const { board } = this;
    if (board.editor) board.editor.click(square);
    else if (board.selected === square) board.select(null);
    else {
      board.setPremove();
      board.choose(square);
    }
  }
}

const KEYS = [
  ["← →, wheel", "One move back or on"],
  ["↑ ↓, Home End", "To the start or the end"],
  ["f", "Turn the board"],
  ["b", "Move on the board by keys: arrow keys, Enter; Escape leaves"],
  ["Escape", "Cancel a premove or a chosen piece"],
  ["Right button", "Draw circles and arrows; with Shift red, with Alt blue, with both yellow"],
  ["?", "This list"],
];

/** Shows the keys. */
export function keysDialog() {
  dialog("Keys", h("table", { class: "keys" }, h("tbody", {}, KEYS.map(([key, text]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, text))))));
}
