/** The user's settings. They are a profile of the store, see documents.js. */
import { recall, remember } from "./documents.js";
import { checkbox, choice, dialog, select } from "./dom.js";
import { LANGUAGES, t } from "./i18n.js";

const DEFAULTS = { theme: "auto", board: "brown", pieces: "pictures", sound: true, targets: true, language: "auto" };

/** The copy in the browser: the page looks right before the store has answered. */
const COPY = "agoge-settings";

export const settings = { ...DEFAULTS, ...recall(COPY) };

/** Who does not understand the language of the page finds the choice of another one. */
const LANGUAGE = [...new Set([t("Language"), "Language"])].join(" · ");

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
  dialog(t("Settings"),
    choice(t("Colours"), "theme", [["auto", t("As the system")], ["light", t("Light")], ["dark", t("Dark")]], settings.theme, set("theme")),
    select(t("Board"), [["brown", t("Brown")], ["marble", t("Marble")], ["olive", t("Olive")], ["contrast", t("High contrast")]], settings.board, set("board")),
    choice(t("Pieces"), "pieces", [["pictures", t("Pictures")], ["letters", t("Letters")]], settings.pieces, set("pieces")),
    checkbox(t("Show legal moves"), settings.targets, set("targets")),
    checkbox(t("Sounds"), settings.sound, set("sound")),
    select(LANGUAGE, [["auto", t("As the browser")], ...Object.entries(LANGUAGES)], settings.language, set("language")));
}
