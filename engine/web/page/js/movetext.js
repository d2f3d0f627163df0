/** How each kind of piece moves, in a line. */
import { t } from "./i18n.js";

/** `letter` is that of a FEN. */
export function moveText(letter, variant) {
  const isSpartan = variant === "spartan" && letter >= "a";
  switch (letter.toLowerCase()) {
    case "p": return t("One square straight ahead, two from its first square. Captures one square diagonally ahead.");
    case "n": return t("Leaps two squares along a rank or file and one to the side.");
    case "b": return t("Any number of squares diagonally.");
    case "r": return t("Any number of squares along a rank or file.");
    case "q": return t("As a rook or a bishop.");
    case "h": return t("One square diagonally ahead, from its first square also a leap of two. Captures straight ahead.");
    case "l": return t("One or two squares diagonally, also leaping; one square sideways without capturing.");
    case "c": return t("One or two squares along a rank or file, also leaping.");
    case "g": return t("As a rook, or one square diagonally.");
    case "w": return t("As a bishop or a knight.");
    default: return isSpartan ? t("One square in any direction. One of two kings may stay attacked.") : t("One square in any direction. It may castle with a rook.");
  }
}
