/**
 * Moves by keys on the board, in a mode of their own: otherwise the arrow keys step through the game wherever the focus
 * is.
 */
import { announce, dialog, h } from "./dom.js";
import { t } from "./i18n.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Keyboard {
  active = false;

  constructor(board) {
    this.board = board;
    this.button = h("button", { type: "button", class: "skip", onclick: () => this.enter() }, t("Move on the board by keys (b)"));
    board.element.addEventListener("keydown", (event) => this.keyDown(event));
  }

  enter() {
    const { board } = this;
    this.set(true);
    board.setFocus(board.focusSquare);
    const square = board.cells.get(board.focusSquare).ariaLabel;
    announce(board.editor ? t("Keyboard mode. Arrow keys go from square to square, Enter places a piece, Delete removes it, Escape leaves. {square}.", { square })
      : t("Keyboard mode. Arrow keys go from square to square, Enter takes a piece and puts it down, Escape leaves. {square}.", { square }));
  }

  leave() {
    if (!this.active) return;
    this.set(false);
    announce(t("Left keyboard mode. Arrow keys step through the game."));
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
    else if (event.key === "i") board.onAsk(board.focusSquare);
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
  [t("← →, wheel"), t("One move back or forward")],
  [t("↑ ↓, Home End"), t("To the start or the end")],
  ["f", t("Turn the board")],
  ["b", t("Move on the board by keys: arrow keys, Enter; Escape leaves")],
  ["i", t("On the board by keys: what the piece on the square can do")],
  [t("Escape"), t("Cancel a premove or a chosen piece")],
  [t("Right button"), t("Draw circles and arrows; with Shift red, with Alt blue, with both yellow")],
  ["?", t("This list")],
];

/** Shows the keys. */
export function keysDialog() {
  dialog(t("Keys"), h("table", { class: "keys" }, h("tbody", {}, KEYS.map(([key, text]) => h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, text))))));
}
