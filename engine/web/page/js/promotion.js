/** The choice of the piece to which a pawn or hoplite promotes. */
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { kindName, picture } from "./pieces.js";

/** Shows a button for each move beside the square; resolves to the chosen move or null. */
export function choosePromotion(board, square, moves, white) {
  return new Promise((resolve) => {
    const done = (move, refocus = true) => {
      overlay.remove();
      board.closePromotion = null;
      resolve(move);
      if (refocus) board.setFocus(square);
    };
    const [column, row] = board.place(square);
    const step = row === 0 ? 1 : -1;
    const put = (element, index) => {
      board.put(element, square, 0, step * index);
      return element;
    };
    const buttons = moves.map((move, index) => {
      const letter = white ? move[4].toUpperCase() : move[4];
      const kind = kindName(letter);
      const name = t("Promote to {piece}", { piece: kind });
      return put(h("button", { type: "button", "aria-label": name, title: name, "data-letter": move[4], onclick: () => done(move) },
        picture(letter, board.variant), h("span", { class: column < 4 ? "label" : "label left", "aria-hidden": "true" }, kind)), index);
    });
    const cancel = put(h("button", { type: "button", class: "cancel", "aria-label": t("Cancel"), onclick: () => done(null) }, "✕"), moves.length);
    const all = [...buttons, cancel];
    const overlay = h("div", { class: "promotion", role: "dialog", "aria-modal": "true", "aria-label": t("Choose a piece") }, all);
    overlay.addEventListener("pointerdown", (event) => {
      if (event.target === overlay) done(null);
    });
    overlay.addEventListener("keydown", (event) => {
      const at = all.indexOf(document.activeElement);
      const move = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") done(null);
      else if (move) all[(at + move + all.length) % all.length].focus();
      else if (event.key === "Tab") all[(at + (event.shiftKey ? -1 : 1) + all.length) % all.length].focus();
      else if (event.key.length === 1 && moves.some((m) => m[4] === event.key.toLowerCase())) done(moves.find((m) => m[4] === event.key.toLowerCase()));
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    board.closePromotion = () => done(null, false);
    board.element.append(overlay);
    buttons[0].focus();
  });
}
