/** A small picture of a position. */
import { piecesOf, placeOf } from "./board.js";
import { s } from "./dom.js";
import { picture } from "./pieces.js";

/** `targets` are marked with dots, the squares of the move `last` with a colour. */
export function miniBoard(fen, { variant = "spartan", label, targets = [], last = "", flipped = false }) {
  const board = s("svg", { viewBox: "0 0 8 8", class: "mini-board", role: "img", "aria-label": label });
  const place = (square) => placeOf(square).map((n) => (flipped ? 7 - n : n));
  const mark = (square, name) => {
    const [x, y] = place(square);
    board.append(s("rect", { x, y, width: 1, height: 1, class: name }));
  };
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) board.append(s("rect", { x: column, y: row, width: 1.01, height: 1.01, class: (row + column) % 2 ? "mini-dark" : "mini-light" }));
  }
  if (last) [last.slice(0, 2), last.slice(2, 4)].forEach((square) => mark(square, "mini-last"));
  for (const [square, letter] of piecesOf(fen)) {
    const [x, y] = place(square);
    const image = picture(letter, variant);
    for (const [name, value] of Object.entries({ x, y, width: 1, height: 1 })) image.setAttribute(name, value);
    board.append(image);
  }
  for (const square of targets) {
    const [x, y] = place(square);
    board.append(s("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.2, class: "mini-dot" }));
  }
  return board;
}
