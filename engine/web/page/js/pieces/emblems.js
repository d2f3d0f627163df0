/** Emblems: arms and signs of both armies. */
import { band, body, dark, disc, hole, line, metal, turned, twice } from "./shapes.js";

const SPEAR = body("M45 30h10v54H45z") + metal("M50 7l9 17-5 11h-8l-5-11z");
const SWORD = body("M50 3c7 10 8 19 5 29l-2 35h-6l-2-35c-3-10-2-19 5-29z") + line("M50 18v44") + body("M46 72h8v18h-8z") + metal("M37 66h26v6H37z") + disc(50, 94, 6, "c");

const LEAF = '<path class="c" d="M50 62q13 12 0 26q-13-14 0-26z"/>';
const WREATH = [155, 124, 93, 62, 31].flatMap((angle) => [angle, -angle]).map((angle) => turned(angle, turned(angle > 0 ? 62 : -62, LEAF, 50, 75), 50, 45)).join("");

const PETAL = body("M50 16c12 16 12 32 0 48-12-16-12-32 0-48z");

export const EMBLEMS = {
  pawn: body("M28 38q22-16 44 0v48q0 6-6 6H34q-6 0-6-6z") + line("M39 42v42M50 40v44M61 42v42") + band(22, 57, "c", 8) + disc(50, 61, 8, "c"),
  rook: body("M24 92l4-48h44l4 48z") + body("M20 46V26h7v-7h8v7h8v-7h14v7h8v-7h8v7h7v20z") + band(30, 44) + hole("M43 92V74a7 7 0 0 1 14 0v18z"),
  knight: body("M32 92c-2-18 10-26 17-37-6 4-11 5-16 10-4 5-11 2-13-4-1-5 2-8 4-12 5-9 6-16 11-23l1-14 10 8c17 1 27 17 28 38 1 13-1 24-2 34z") + disc(40, 38, 3, "o") +
    metal("M47 21l10-6c15 5 23 24 22 48l-8 4c1-20-6-38-24-46z"),
  bishop: metal("M50 6c12 13 18 20 15 30-2 7-8 10-15 10s-13-3-15-10c-2-7 2-11 6-16 1 4 3 5 5 6 4-5 5-12 4-20z") + body("M40 60h20l4 22H36z") + body("M28 46h44v8l-8 6H36l-8-6z") + body("M26 92v-5q0-5 5-5h38q5 0 5 5v5z"),
  queen: twice(turned(-56, PETAL, 50, 68) + turned(-29, PETAL, 50, 68)) + PETAL + body("M46 66h8v16h-8z") + metal("M28 60q22 16 44 0-4 14-22 14T28 60z") + body("M32 92q0-10 18-10t18 10z"),
  king: disc(50, 16, 10, "c") + body("M28 82L12 42l12-8 12 10V34l8-8h12l8 8v10l12-10 12 8-16 40z") + line("M50 48l7 9-7 9-7-9zM32 59l2 6M68 59l-2 6") + band(27, 80, "c", 12),
  hoplite: disc(50, 61, 31) + disc(50, 61, 25, "d") + metal("M50 41L33 76h9l8-17 8 17h9z"),
  lieutenant: turned(-23, SPEAR, 50, 88) + turned(23, SPEAR, 50, 88) + SPEAR + band(13, 72) + disc(50, 87, 5, "c"),
  captain: turned(-36, SWORD, 50, 52) + turned(36, SWORD, 50, 52),
  general: metal("M36 72L8 62l2-8 30 9z") + body("M46 52l3-21q8-6 16 0l5 21z") + disc(57, 22, 9) + metal("M45 21C46 6 72 1 78 27l-8 2C67 17 59 12 52 19z") +
    body("M32 72C22 58 20 42 28 30h8q2 16 14 18h34q8 0 8 8-2 10-12 16z") + metal("M24 25h16v8H24z") + disc(60, 69, 23) + disc(60, 69, 15, "d") + line("M60 54v30M45 69h30") + disc(60, 69, 4, "c"),
  warlord: dark("M10 58L50 82 90 58") + metal("M6 60c8-4 9-13 15-22 7-9 17-14 29-14s22 5 29 14c6 9 7 18 15 22-11 4-17-2-22-11-6-9-12-13-22-13s-16 4-22 13c-5 9-11 15-22 11z") +
    body("M47 18h6v70h-6z") + metal("M50 6l8 14H42z") + metal("M50 76l8 6v10l-8-5-8 5V82z"),
  "spartan-king": body("M46 76L30 92h12l8-8 8 8h12L54 76z") + WREATH + disc(50, 76, 6, "c"),
};
