/** Sides, moves and the ends of games in words. */
import { t } from "./i18n.js";
import { kindName } from "./pieces.js";

const SIDES = { spartan: { white: t("Persians"), black: t("Spartans") }, chess: { white: t("White"), black: t("Black") } };

const TURNS = {
  spartan: { white: t("Persians to move"), black: t("Spartans to move") },
  chess: { white: t("White to move"), black: t("Black to move") },
};

const CHECKS = {
  spartan: { white: t("Check: Persians must answer"), black: t("Check: Spartans must answer") },
  chess: { white: t("Check: White must answer"), black: t("Check: Black must answer") },
};

const ENDS = {
  spartan: {
    "1-0": {
      checkmate: t("Persians win by checkmate"), "duple-checkmate": t("Persians win by duple-checkmate"), time: t("Persians win on time"),
      resignation: t("Persians win by resignation"),
    },
    "0-1": { checkmate: t("Spartans win by checkmate"), time: t("Spartans win on time"), resignation: t("Spartans win by resignation") },
  },
  chess: {
    "1-0": { checkmate: t("White wins by checkmate"), time: t("White wins on time"), resignation: t("White wins by resignation") },
    "0-1": { checkmate: t("Black wins by checkmate"), time: t("Black wins on time"), resignation: t("Black wins by resignation") },
  },
};

const DRAWS = {
  stalemate: t("Draw by stalemate"), "threefold repetition": t("Draw by threefold repetition"), "fifty-move rule": t("Draw by the fifty-move rule"),
  "dead position": t("Draw: neither side can mate"), agreement: t("Draw by agreement"),
  "time, bare king": t("Draw on time against a bare king"),
};

export const sideName = (turn, variant) => SIDES[variant][turn];

/** Who is to move. */
export const toMove = (turn, variant) => TURNS[variant][turn];

/** The state of a position in words, and whether it needs attention. */
export function stateText({ end, check, kings, attacked, turn }, variant) {
  if (end) return { text: endText(end, variant) };
  if (check && kings > 1) return { text: t("Duple-check: both kings are attacked; Spartans must free one"), alert: true };
  if (check) return { text: CHECKS[variant][turn], alert: true };
  if (attacked.length) return { text: t("Spartans to move. The king on {square} is attacked; it may stay so while the other is safe", { square: attacked[0] }) };
  return { text: toMove(turn, variant) };
}

/** A result of PGN for people; empty if there is none. */
export const resultText = (result) => (result === "*" ? "" : result.replaceAll("1/2", "½").replace("-", "–"));

/** The end of a game in words. */
export function endText({ result, reason }, variant) {
  const why = result === "1/2-1/2" ? DRAWS[reason] : ENDS[variant][result]?.[reason];
  return [resultText(result), why].filter(Boolean).join(" · ");
}

/** A move in words, for screen readers. */
export function sayMove(san) {
  if (san.startsWith("O-O-O")) return t("castles queen-side");
  if (san.startsWith("O-O")) return t("castles king-side");
  const [, letter, from, capture, to, promotion] = /^([A-Z]?)([a-h]?[1-8]?)(x?)([a-h][1-8])(?:=([A-Z]))?/.exec(san);
  const piece = [kindName(letter || "p"), from].filter(Boolean).join(" ");
  const move = capture ? t("{piece} takes on {square}", { piece, square: to }) : `${piece} ${to}`;
  return promotion ? t("{move}, becomes {piece}", { move, piece: kindName(promotion) }) : move;
}
