/** The user's settings, kept by the browser. */
import { checkbox, choice, dialog, select } from "./dom.js";

const DEFAULTS = { theme: "auto", board: "brown", pieces: "pictures", sound: true, targets: true };

/** Reads a stored object; null if there is none or the browser keeps nothing. */
export function load(key) {
  try {
    return JSON.parse(localStorage.getItem(`agoge-${key}`));
  } catch {
    return null;
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(`agoge-${key}`, JSON.stringify(value));
  } catch {
    // Without storage the page works until it is closed.
  }
}

export const settings = { ...DEFAULTS, ...load("settings") };

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Applies the settings to the page. */
export function apply() {
  const root = document.documentElement.dataset;
  root.theme = settings.theme === "auto" ? (dark.matches ? "dark" : "light") : settings.theme;
  root.board = settings.board;
  root.pieces = settings.pieces;
}
dark.addEventListener("change", apply);

export function openSettings(onChange) {
  const set = (name) => (value) => {
    settings[name] = value;
    store("settings", settings);
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
