/** The bar below the header, which says that the server is gone for as long as it is. */
import { $, announce } from "./dom.js";
import { t } from "./i18n.js";

const TEXTS = {
  lost: t("The connection to agoge gui is lost. If it was closed, start it again: the page then goes on where it was."),
  silent: t("agoge gui does not answer. The page waits for it and then goes on where it was."),
};

/** `trouble` is "lost", "silent", or null when all is well. */
export function showTrouble(trouble) {
  $("connection").textContent = TEXTS[trouble] ?? "";
  $("connection").hidden = !trouble;
  if (!trouble) announce(t("The connection is back."));
}
