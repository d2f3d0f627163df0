/** The rules of Spartan Chess as lessons: a text, a position, and moves that are played through. */
import { t } from "./i18n.js";

export const LESSONS = [
  { title: t("The armies"), text: t("The Persians, at the bottom, have the orthodox army and move first. The Spartans have two kings, a general, a warlord, two captains, two lieutenants and eight hoplites."), fen: "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1" },
  { title: t("Hoplite"), piece: "h", square: "d5", text: t("Moves one square diagonally ahead and captures one square straight ahead: the reverse of a pawn. Here it may capture on d4, but not on c4 or e4."), fen: "3kk3/8/8/3h4/3P4/8/8/4K3 b - - 0 1" },
  { title: t("The hoplite's leap"), piece: "h", square: "d7", text: t("From its first square a hoplite may also move two squares diagonally, and leaps over whatever stands between. There is no en passant in this game."), fen: "3kk3/3h4/2P1P3/8/8/8/8/4K3 b - - 0 1", moves: ["d7b5"] },
  { title: t("Lieutenant"), piece: "l", square: "d4", text: t("Moves or leaps one or two squares diagonally. It may also step one square sideways, without capturing."), fen: "3kk3/8/8/2P5/3l4/8/5P2/4K3 b - - 0 1" },
  { title: t("Captain"), piece: "c", square: "d4", text: t("Moves or leaps one or two squares along a rank or file."), fen: "3kk3/8/3P4/8/2Pc4/8/8/6K1 b - - 0 1" },
  { title: t("General"), piece: "g", square: "d4", text: t("Moves as a rook, or one square diagonally."), fen: "3kk3/8/8/3P4/3g4/2P5/8/6K1 b - - 0 1" },
  { title: t("Warlord"), piece: "w", square: "d4", text: t("Moves as a bishop or as a knight."), fen: "3kk3/8/8/4P3/3w4/8/2P5/7K b - - 0 1" },
  { title: t("Two kings"), piece: "k", square: "b8", text: t("With two kings, one may be attacked, left attacked, and even captured: that is no check. The Persian rook attacks the king on b8, and the Spartans may do what they like. They have lost when their last king is mated."), fen: "1k4k1/5hhh/8/8/8/8/5PPP/1R4K1 b - - 0 1", moves: ["f7e6", "b1b8"] },
  { title: t("Duple-check"), piece: "k", square: "g8", text: t("If both kings are attacked at once it is duple-check, and at least one king must be freed: by moving it, by capturing the attacker or by blocking. If that cannot be done, it is duple-checkmate."), fen: "1k4k1/8/8/8/8/3Q4/8/1R4K1 w - - 0 1", moves: ["d3g3", "g8f8"] },
  { title: t("The last king"), piece: "k", square: "b6", text: t("A single king has the usual duties: it must not stay or move into attack. An attack on it is check."), fen: "8/8/1k6/8/8/8/8/R3K3 w - - 0 1", moves: ["a1a6", "b6a6"] },
  { title: t("Promotion"), piece: "h", square: "e2", text: t("A hoplite that reaches the last rank becomes a general, warlord, captain or lieutenant. If only one Spartan king is left, it may become a second king."), fen: "k7/8/8/8/8/8/4h1K1/8 b - - 0 1", moves: ["e2d1k"] },
  { title: t("Checkmate"), text: t("The Spartans win by mating the Persian king. The Persians win by duple-checkmate, or by taking one king and mating the other. Stalemate, threefold repetition and fifty moves without a capture or a move of a pawn or hoplite are draws."), fen: "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", moves: ["g2g4", "g8f6", "f2f3", "f6h4"] },
];
