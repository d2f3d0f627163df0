/**
 * Starts the page in the user's language: the modules of the page translate their texts when they are read. The engine in
 * WebAssembly is loaded meanwhile.
 */
import { BACKEND } from "./config.js";
import { loadLanguage, t } from "./i18n.js";
import { WasmBackend } from "./wasmbackend.js";

/** Translates what is in the HTML. */
function translateDocument() {
  for (const element of document.querySelectorAll("title, body :not(noscript)")) {
    for (const name of ["aria-label", "title"]) if (element.hasAttribute(name)) element.setAttribute(name, t(element.getAttribute(name)));
    if (!element.childElementCount && element.textContent.trim()) element.textContent = t(element.textContent);
  }
}

const backend = BACKEND === "wasm" ? WasmBackend.start() : null;
const trouble = await loadLanguage();
translateDocument();
const { start } = await import("./main.js");
await start(trouble, backend);
