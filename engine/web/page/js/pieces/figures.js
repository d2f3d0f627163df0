/** Figures in the manner of Staunton's set: the Spartans stand on the same foot as the orthodox men. */
import { band, body, dark, disc, hole, line, metal, turned } from "./shapes.js";

const FOOT = body("M22 92v-5q0-6 6-6h44q6 0 6 6v5z");
const SMALL_FOOT = body("M26 92v-5q0-6 6-6h36q6 0 6 6v5z");

/** A stem from a neck of this half width at a height down to the foot. */
function stem(half, y, foot = 20) {
  const [wide, high] = [foot - half, 81 - y];
  return body(`M${50 - half} ${y}c0 ${high * 0.55}-4 ${high * 0.7}-${wide} ${high}h${2 * foot}c-${wide - 4}-${high * 0.3}-${wide}-${high * 0.45}-${wide}-${high}z`);
}

/** The opening of a helmet seen from the front: the eyes at a height, and the gap between the cheeks down to `bottom`. */
const face = (y, bottom) => hole(`M37 ${y}q8-3 13 3q5-6 13-3q-1 7-10 7V${bottom}h-6V${y + 7}q-9 0-10-7z`);

/** A laurel wreath, open at the top. */
const WREATH = [149, 115, 81, 47].flatMap((angle) => [angle, -angle]).map((angle) =>
  turned(angle, turned(angle > 0 ? 62 : -62, '<ellipse class="c" cx="50" cy="53" rx="5.5" ry="10"/>', 50, 53), 50, 33)).join("");

export const FIGURES = {
  pawn: stem(7, 50, 18) + disc(50, 36, 13) + band(15, 48) + SMALL_FOOT,
  rook: body("M36 42l-4 39h36l-4-39z") + body("M27 20h11v7h7v-7h10v7h7v-7h11v15l-7 8H34l-7-8z") + band(18, 42) + hole("M47 70v-8a3 3 0 0 1 6 0v8z") + FOOT,
  knight: body("M36 81c0-12 7-19 13-28-5 4-10 4-13 9-3 4-9 2-11-4-1-4 1-6 3-10 4-8 6-14 10-20l1-12 9 6c14 1 21 15 22 34 0 10-1 18-2 25z") + disc(41, 37, 3, "o") +
    metal("M49 22l8-4c12 4 18 19 18 37l-6 4c0-17-7-32-20-37z") + FOOT,
  bishop: stem(8, 56) + body("M50 21c-10 7-18 15-17 24 0 6 5 8 9 8h16c4 0 9-2 9-8 1-9-7-17-17-24z") + disc(50, 16, 5, "c") + line("M56 30L46 43") + band(17, 53) + FOOT,
  queen: stem(10, 48, 22) + body("M36 47L23 22l13 11 3-18 11 16 11-16 3 18 13-11-13 25z") + disc(23, 20, 5, "c") + disc(38, 13, 5, "c") + disc(62, 13, 5, "c") + disc(77, 20, 5, "c") + band(16, 47) + FOOT,
  king: metal("M46 6h8v8h8v8h-8v18h-8V22h-8v-8h8z") + body("M50 39c-8-10-32-8-33 7-1 9 8 14 11 20l-2 15h48l-2-15c3-6 12-11 11-20-1-15-25-17-33-7z") + line("M50 41v15") + band(23, 63) + FOOT,
  hoplite: body("M36 48V32c0-12 5-18 14-18s14 6 14 18v16z") + face(31, 44) + disc(50, 59, 22) + disc(50, 59, 18, "r") + line("M41 67l9-17 9 17") + SMALL_FOOT,
  lieutenant: stem(8, 62) + metal("M20 27h6v56h-6z") + metal("M23 8l6 12-6 10-6-10z") + metal("M34 24c8-12 22-15 34-9 14 7 18 25 16 43l-9-3c1-13-1-23-11-29-8-5-17-4-23 4z") +
    body("M33 46c0-16 9-24 20-24 13 0 20 10 20 22 0 10 2 14 6 19l-17 3c-4 1-6 3-8 6l-13-1-1-10-9-3z") + hole("M35 43q8-2 14 3l-2 8-7-3-6 2z") + FOOT,
  captain: stem(9, 60) + metal("M14 48C12 22 28 8 50 8s38 14 36 40l-14-2c-2-11-9-18-22-18s-20 7-22 18z") +
    body("M33 42c0-12 7-18 17-18s17 6 17 18v13c0 6-4 11-9 13H42c-5-2-9-7-9-13z") + face(41, 66) + FOOT,
  general: body("M36 58l-4 23h36l-4-23z") + hole("M47 77v-6a3 3 0 0 1 6 0v6z") + metal("M45 30C39 12 51 5 64 7c15 2 21 17 18 36-4-9-9-14-15-16-6-2-11-1-15 3z") +
    body("M34 47c0-15 6-23 16-23s16 8 16 23z") + body("M25 41h12v6h8v-6h10v6h8v-6h12v11l-7 7H32l-7-7z") + band(18, 59) + FOOT,
  warlord: stem(10, 50, 20) + body("M36 47c0-14 5-24 14-33 9 9 14 19 14 33z") + band(17, 47) + dark("M29 14v64") + metal("M27 10c8 1 8 7 4 10C18 30 18 60 31 71c4 3 4 9-4 10C7 66 7 26 27 10z") + FOOT,
  "spartan-king": stem(11, 60, 20) + WREATH + band(16, 55) + FOOT,
};
