/** The bar below the header, which says that the server is gone for as long as it is, or what could not be loaded. */
import { $, announce, button, h } from "./dom.js";
import { t } from "./i18n.js";

/** The texts are not known when this is read. */
const TEXTS = {
  lost: () => t("The connection to agoge gui is lost. If it was closed, start it again: the page will continue where it left off."),
  silent: () => t("agoge gui does not answer. The page is waiting and will then continue where it left off."),
};

let trouble = null;

/** What could not be loaded: messages, and functions that try again. */
const failures = new Set();

function draw() {
  const bar = $("connection");
  // The last one stands for all.
  const failure = [...failures].at(-1);
  if (trouble) bar.textContent = TEXTS[trouble]();
  else if (failure) bar.replaceChildren(h("span", {}, failure.message), " ", button(t("Try again"), tryAgain, { class: "button small", id: "try-again" }));
  bar.hidden = !trouble && !failure;
}

/** `now` is "lost", "silent", or null when all is well. */
export function showTrouble(now) {
  trouble = now;
  draw();
  if (!trouble) announce(t("The connection is back."));
}

/** Says that a file could not be loaded, and lets the user try again. Returns a function that takes this back. */
export function showFailure(message, retry) {
  const failure = { message, retry };
  failures.add(failure);
  draw();
  return () => failures.delete(failure) && draw();
}

/** The failure of a part of the page, which shows at most one at a time. */
export class Failure {
  show(message, retry) {
    this.withdraw();
    this.remove = showFailure(message, retry);
  }

  withdraw() {
    this.remove?.();
    this.remove = null;
  }
}

function tryAgain() {
  const all = [...failures];
  failures.clear();
  draw();
  for (const { retry } of all) retry();
}

addEventListener("online", tryAgain);
