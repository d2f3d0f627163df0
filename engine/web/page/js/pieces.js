/** Pictures and names of the pieces. All pictures are our own. */
import { s } from "./dom.js";
import { t } from "./i18n.js";
import { EMBLEMS } from "./pieces/emblems.js";
import { FIGURES } from "./pieces/figures.js";
import { LETTERS } from "./pieces/letters.js";
import { START_FEN } from "./tree.js";

const PICTURES = { figures: FIGURES, emblems: EMBLEMS, letters: LETTERS };

/** The sets to choose from. */
export const SETS = Object.keys(PICTURES);

/** The light falls from the left: the colours of the bodies there, in the middle and on the right. */
const LIGHTS = { white: ["#fffefa", "#fbf3e0", "#dac8a4"], black: ["#c42e37", "#a81f29", "#74121b"], orthodox: ["#625951", "#463f39", "#2a2521"] };

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
  const lights = Object.entries(LIGHTS).map(([name, colours]) => `<linearGradient id="light-${name}" gradientUnits="userSpaceOnUse" x1="22" x2="80" y1="0" y2="14">` +
    `${colours.map((colour, index) => `<stop offset="${[0, 0.45, 1][index]}" stop-color="${colour}"/>`).join("")}</linearGradient>`);
  const symbols = Object.entries(PICTURES).flatMap(([set, pictures]) =>
    Object.entries(pictures).map(([kind, body]) => `<symbol id="${set}-${kind}" viewBox="0 0 100 100">${body}</symbol>`));
  const text = `<svg xmlns="http://www.w3.org/2000/svg" class="sprite" aria-hidden="true">${lights.join("")}${symbols.join("")}</svg>`;
  const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  document.body.prepend(document.importNode(sprite, true));
}

/** A picture of a piece, usually of the set chosen by the user. */
export function picture(letter, variant, set = document.documentElement.dataset.pieces) {
  const low = letter.toLowerCase();
  const white = letter !== low;
  const spartan = variant === "spartan" && !white;
  const kind = spartan && low === "k" ? "spartan-king" : KINDS[low];
  const colour = white ? "white" : spartan ? "black" : "orthodox";
  return s("svg", { class: colour, fill: `url(#light-${colour})`, viewBox: "0 0 100 100", "aria-hidden": "true" }, s("use", { href: `#${set}-${kind}` }));
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
