/** The title and the icon of the page, which say when it is the user's turn. */
import { $ } from "./dom.js";
import { addressOf } from "./files.js";
import { t } from "./i18n.js";

const TITLE = document.title;

export function showTurn(isMyTurn) {
  document.title = isMyTurn ? t("Your turn – Agoge") : TITLE;
  const icon = addressOf(isMyTurn ? "icon-turn.svg" : "icon.svg").href;
  if ($("icon").href !== icon) $("icon").href = icon;
}
