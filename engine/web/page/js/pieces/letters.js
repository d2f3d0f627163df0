/** The letters of a FEN: on tiles for the Persians and on round shields for the Spartans, on crowns for all kings. */
import { body, disc } from "./shapes.js";

/** The strokes of the letters in a field of 28 by 36. */
const STROKES = {
  K: "M1 0v36M26 0L2 21M10 14l17 22", Q: "M14 0a14 18 0 1 0 .1 0zM17 24l10 12", R: "M1 36V0h13a10 10 0 0 1 0 20H1M14 20l12 16",
  B: "M1 0v36h14a9.5 9.5 0 0 0 0-19H1M1 0h12a8.5 8.5 0 0 1 0 17", N: "M1 36V0l26 36V0", P: "M3 36V0h13a10 10 0 0 1 0 20H3",
  G: "M26 8A14 18 0 1 0 27 28v-8H17", W: "M-3 0l8 36 9-26 9 26 8-36", C: "M26 8A14 18 0 1 0 26 28", L: "M4 0v36h21", H: "M1 0v36M27 0v36M1 17h26",
};

/** A letter about the height `y`. */
const letter = (name, y, scale = 1) => `<path class="d l" transform="translate(${50 - 14 * scale} ${y - 18 * scale}) scale(${scale})" d="${STROKES[name]}"/>`;

/** A piece and a line of enamel along its rim. */
const tile = (name, half) => `<rect class="b" x="${50 - half}" y="${92 - 2 * half}" width="${2 * half}" height="${2 * half}" rx="11"/>` +
  `<rect class="r" x="${54 - half}" y="${96 - 2 * half}" width="${2 * half - 8}" height="${2 * half - 8}" rx="7"/>` + letter(name, 92 - half, half / 34);
const shield = (name, radius) => disc(50, 92 - radius, radius) + disc(50, 92 - radius, radius - 4, "r") + letter(name, 92 - radius, radius / 38);
const CROWN = body("M22 92L12 36l20 13L50 17l18 32 20-13-10 56z") + '<path class="r" d="M25 88h50"/>' +
  disc(12, 31, 5, "c") + disc(50, 13, 6, "c") + disc(88, 31, 5, "c") + letter("K", 65, 0.9);

export const LETTERS = {
  pawn: tile("P", 27), knight: tile("N", 30), bishop: tile("B", 30), rook: tile("R", 34), queen: tile("Q", 34),
  king: CROWN,
  hoplite: shield("H", 31), lieutenant: shield("L", 34), captain: shield("C", 34), general: shield("G", 38), warlord: shield("W", 38),
  "spartan-king": CROWN,
};
