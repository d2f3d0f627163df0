/** The letters of a FEN: on tiles for the Persians and on round shields for the Spartans, on crowns for all kings. */
import { body, disc } from "./shapes.js";

/** The strokes of the letters in a field of 28 by 36. */
const STROKES = {
  K: "M1 0v36M26 0L2 21M10 14l17 22", Q: "M14 0a14 18 0 1 0 .1 0zM17 24l10 12", R: "M1 36V0h13a10 10 0 0 1 0 20H1M14 20l12 16",
  B: "M1 0v36h14a9.5 9.5 0 0 0 0-19H1M1 0h12a8.5 8.5 0 0 1 0 17", N: "M1 36V0l26 36V0", P: "M3 36V0h13a10 10 0 0 1 0 20H3",
  G: "M26 8A14 18 0 1 0 27 28v-8H17", W: "M-3 0l8 36 9-26 9 26 8-36", C: "M26 8A14 18 0 1 0 26 28", L: "M4 0v36h21", H: "M1 0v36M27 0v36M1 17h26",
};

/** A letter about the height `y`. */
const letter = (name, y) => `<path class="d l" transform="translate(38 ${y - 15.5}) scale(.86)" d="${STROKES[name]}"/>`;

const tile = (name, half) => `<rect class="b" x="${50 - half}" y="${92 - 2 * half}" width="${2 * half}" height="${2 * half}" rx="10"/>` + letter(name, 92 - half);
const shield = (name, radius) => disc(50, 92 - radius, radius) + letter(name, 92 - radius);
const CROWN = body("M20 92L7 28l22 20L50 7l21 41 22-20-13 64z") + letter("K", 70);

export const LETTERS = {
  pawn: tile("P", 26), knight: tile("N", 29), bishop: tile("B", 29), rook: tile("R", 32), queen: tile("Q", 32),
  king: CROWN,
  hoplite: shield("H", 30), lieutenant: shield("L", 34), captain: shield("C", 34), general: shield("G", 38), warlord: shield("W", 38),
  "spartan-king": CROWN,
};
