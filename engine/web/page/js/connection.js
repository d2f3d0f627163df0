/** The bar below the header, which says that the server is gone for as long as it is, or what could not be loaded. */
import { $, announce, button, h } from "./dom.js";
import { t } from "./i18n.js";

/** The texts are not known when this is read. */
const TEXTS = {
  lost: () => t("The connection to agoge gui is lost. If it was closed, start it again: the page then goes on where it was."),
  silent: () => t("agoge gui does not answer. The page waits for it and then goes on where it was."),
};

/** `trouble` is "lost", "silent", or null when all is well. */
export function showTrouble(trouble) {
  $("connection").textContent = TEXTS[trouble]?.() ?? "";
  $("connection").hidden = !trouble;
  if (!trouble) announce(t("The connection is back."));
}

/** The functions that try again what could not be loaded. */
let retries = [];

/** Says that a file could not be loaded, and lets the user try again. */
export function showFailure(message, retry) {
  retries.push(retry);
  $("connection").replaceChildren(h("span", {}, message), " ", button(t("Try again"), tryAgain, { class: "button small", id: "try-again" }));
  $("connection").hidden = false;
}

function tryAgain() {
  if (!retries.length) return;
  $("connection").hidden = true;
  const all = retries;
  retries = [];
  for (const retry of all) retry();
}

addEventListener("online", tryAgain);
