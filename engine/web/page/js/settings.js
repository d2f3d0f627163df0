/** The user's settings. They are a profile of the store, see documents.js. */
import { recall, remember } from "./documents.js";
import { checkbox, choice, dialog, select } from "./dom.js";

const DEFAULTS = { theme: "auto", board: "brown", pieces: "pictures", sound: true, targets: true };

/** The copy in the browser: the page looks right before the store has answered. */
const COPY = "agoge-settings";

export const settings = { ...DEFAULTS, ...recall(COPY) };

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Applies the settings to the page. */
export function apply() {
  remember(COPY, settings);
  const root = document.documentElement.dataset;
  root.theme = settings.theme === "auto" ? (dark.matches ? "dark" : "light") : settings.theme;
  root.board = settings.board;
  root.pieces = settings.pieces;
}
dark.addEventListener("change", apply);

export function openSettings(onChange) {
  const set = (name) => (value) => {
    settings[name] = value;
    apply();
    onChange(name);
  };
  dialog("Settings",
    choice("Colours", "theme", [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"]], settings.theme, set("theme")),
    select("Board", [["brown", "Brown"], ["marble", "Marble"], ["olive", "Olive"], ["contrast", "High contrast"]], settings.board, set("board")),
    choice("Pieces", "pieces", [["pictures", "Pictures"], ["letters", "Letters"]], settings.pieces, set("pieces")),
    checkbox("Show legal moves", settings.targets, set("targets")),
    checkbox("Sounds", settings.sound, set("sound")));
}
