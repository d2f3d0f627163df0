/** Pictures and names of the pieces. All pictures are our own, drawn in a square of 100. */
import { s } from "./dom.js";
import { t } from "./i18n.js";
import { START_FEN } from "./tree.js";

const BASE = '<path class="b" d="M24 77h52q6 0 6 6v7H18v-7q0-6 6-6z"/>';
const HELMET = '<path class="b" d="M50 27C31 27 23 41 23 55c0 14 5 25 11 35h12V68h8v22h12c6-10 11-21 11-35 0-14-8-28-27-28z"/>' +
  '<path class="e" d="M29 53c7-5 13-3 17 4-6 5-13 3-17-4zM71 53c-7-5-13-3-17 4 6 5 13 3 17-4z"/>';

const PICTURES = {
  pawn: '<path class="b" d="M41 48c0 14-6 20-13 29h44c-7-9-13-15-13-29z"/><circle class="b" cx="50" cy="33" r="16"/>' + BASE,
  rook: '<path class="b" d="M34 46h32l4 31H30z"/><path class="b" d="M24 16h13v9h8v-9h10v9h8v-9h13v20l-9 10H33l-9-10z"/>' + BASE,
  knight: '<path class="b" d="M30 77c-1-15 7-21 14-32-5 5-10 7-16 9-5 1-11-3-10-9 4-10 12-17 18-23l2-12 10 7c18 2 29 18 29 38 0 9-2 15-2 22z"/>' +
    '<circle class="e" cx="40" cy="30" r="4"/><path class="d" d="M56 26c9 5 13 15 13 28"/>' + BASE,
  bishop: '<path class="b" d="M38 60h24l6 17H32z"/><path class="b" d="M50 17C35 28 27 38 30 51c2 8 9 11 20 11s18-3 20-11c3-13-5-23-20-34z"/><circle class="b" cx="50" cy="13" r="6"/>' +
    '<path class="d" d="M50 32v18M42 40h16"/>' + BASE,
  queen: '<path class="b" d="M18 32l13 45h38l13-45-18 21-4-32-10 30-10-30-4 32z"/>' +
    '<circle class="b" cx="17" cy="27" r="6"/><circle class="b" cx="39" cy="17" r="6"/><circle class="b" cx="61" cy="17" r="6"/><circle class="b" cx="83" cy="27" r="6"/>' + BASE,
  king: '<path class="b" d="M46 5h8v8h8v8h-8v12h-8V21h-8v-8h8z"/><path class="b" d="M50 41C40 25 15 31 17 50c1 12 12 17 14 27h38c2-10 13-15 14-27 2-19-23-25-33-9z"/>' +
    '<path class="d" d="M50 45v22M29 52c0-8 8-10 14-4M71 52c0-8-8-10-14-4"/>' + BASE,
  hoplite: '<path class="c" d="M84 18h4v74h-4z"/><path class="c" d="M86 3l7 19H79z"/><path class="c" d="M44 9h12l3 14H41z"/>' +
    '<path class="b" d="M33 40c0-15 6-22 17-22s17 7 17 22z"/><circle class="b" cx="48" cy="62" r="28"/><path class="d" d="M36 76l12-29 12 29"/>',
  lieutenant: '<path class="c" d="M11 95 84 22l-3-3L8 92zM89 95 16 22l3-3 73 73z"/><path class="c" d="M96 4 90 27 77 14zM4 4l6 23 13-13z"/>' + HELMET,
  captain: '<path class="c" d="M7 47C7 3 93 3 93 47L76 42C70 26 30 26 24 42z"/>' + HELMET,
  warlord: '<path class="c" d="M31 38C13 37 3 22 10 3c4 13 14 18 29 23zM69 38c18-1 28-16 21-35-4 13-14 18-29 23z"/>' + HELMET,
  general: '<path class="c" d="M16 30C22 2 78-2 88 34c5 20 2 38-5 54H69c7-20 6-36-1-46-10-14-27-12-39-1z"/>' +
    '<path class="b" d="M28 42c10-14 33-14 39 2 5 14 3 30-1 46H46c2-8 1-13-4-17l-8 11-10-5c-1-9 0-15 3-20h20l-2-8H25c0-4 1-6 3-9z"/>',
  "spartan-king": '<path class="c" d="M24 41 15 8l20 14L50 3l15 19L85 8l-9 33z"/>' + HELMET,
};

/** The pictures of pieces by their letter in a FEN. */
const PERSIANS = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const SPARTANS = { k: "king", g: "general", w: "warlord", c: "captain", l: "lieutenant", h: "hoplite" };
const KINDS = { ...PERSIANS, ...SPARTANS };

/** The variants to choose from. */
export const VARIANTS = [["spartan", t("Spartan Chess")], ["chess", t("Orthodox chess")]];

/** The letters of both armies. */
export const armies = (variant) =>
  [...Object.keys(PERSIANS).map((letter) => letter.toUpperCase()), ...Object.keys(variant === "spartan" ? SPARTANS : PERSIANS)];

const KIND_NAMES = {
  k: t("king"), q: t("queen"), r: t("rook"), b: t("bishop"), n: t("knight"), p: t("pawn"),
  g: t("general"), w: t("warlord"), c: t("captain"), l: t("lieutenant"), h: t("hoplite"),
};

export const kindName = (letter) => KIND_NAMES[letter.toLowerCase()];

const NAMES = {
  spartan: {
    K: t("Persian king"), Q: t("Persian queen"), R: t("Persian rook"), B: t("Persian bishop"), N: t("Persian knight"), P: t("Persian pawn"),
    k: t("Spartan king"), g: t("Spartan general"), w: t("Spartan warlord"), c: t("Spartan captain"), l: t("Spartan lieutenant"),
    h: t("Spartan hoplite"),
  },
  chess: {
    K: t("white king"), Q: t("white queen"), R: t("white rook"), B: t("white bishop"), N: t("white knight"), P: t("white pawn"),
    k: t("black king"), q: t("black queen"), r: t("black rook"), b: t("black bishop"), n: t("black knight"), p: t("black pawn"),
  },
};

/** The name of a piece, such as "Spartan general" or "white queen". */
export const pieceName = (letter, variant) => NAMES[variant][letter];

/** Puts the pictures into the document. */
export function installPictures() {
  const symbols = Object.entries(PICTURES).map(([name, body]) => `<symbol id="piece-${name}" viewBox="0 0 100 100">${body}</symbol>`);
  for (const letter of Object.keys(KINDS)) {
    symbols.push(`<symbol id="letter-${letter}" viewBox="0 0 100 100"><circle class="b" cx="50" cy="50" r="38"/>` +
      `<text class="l" x="50" y="68">${letter.toUpperCase()}</text></symbol>`);
  }
  const text = `<svg xmlns="http://www.w3.org/2000/svg" class="sprite" aria-hidden="true">${symbols.join("")}</svg>`;
  const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  document.body.prepend(document.importNode(sprite, true));
}

/** A picture of a piece in the set chosen by the user. */
export function picture(letter, variant) {
  const low = letter.toLowerCase();
  const white = letter !== low;
  const spartan = variant === "spartan" && !white;
  const kind = spartan && low === "k" ? "spartan-king" : KINDS[low];
  const id = document.documentElement.dataset.pieces === "letters" ? `letter-${low}` : `piece-${kind}`;
  const colour = white ? "white" : spartan ? "black" : "black orthodox";
  return s("svg", { class: colour, viewBox: "0 0 100 100", "aria-hidden": "true" }, s("use", { href: `#${id}` }));
}

/** Whether a side has nothing but one king in a position. */
export const isBare = (fen, white) => fen.split(" ")[0].match(white ? /[A-Z]/g : /[a-z]/g).length === 1;

const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1, g: 7, w: 8, c: 3, l: 3, h: 1, k: 5 };

/** The pieces of a side that are missing from a position, as letters, for the strips beside the board. */
export function captured(fen, variant, white) {
  const missing = START_FEN[variant].split(" ")[0].match(white ? /[A-Z]/g : /[a-z]/g);
  for (const letter of fen.split(" ")[0]) {
    const at = missing.indexOf(letter);
    if (at >= 0) missing.splice(at, 1);
  }
  return missing.sort((a, b) => VALUES[b.toLowerCase()] - VALUES[a.toLowerCase()]);
}
