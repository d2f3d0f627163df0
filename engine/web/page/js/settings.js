/** The user's settings. They are a profile of the store, see documents.js. */
import { recall, remember } from "./documents.js";
import { checkbox, choice, dialog, h, select } from "./dom.js";
import { LANGUAGES, t } from "./i18n.js";
import { SETS, picture } from "./pieces.js";

const DEFAULTS = { theme: "auto", board: "brown", pieces: "figures", sound: true, targets: true, explain: true, key: true, theory: false, language: "auto" };

/** The copy in the browser: the page looks right before the store has answered. */
const COPY = "agoge-settings";

export const settings = { ...DEFAULTS, ...recall(COPY) };

/** Who does not understand the language of the page finds the choice of another one. */
const LANGUAGE = [...new Set([t("Language"), "Language"])].join(" · ");

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Applies the settings to the page. What earlier versions had and this one has not becomes the default. */
export function apply() {
  if (!SETS.includes(settings.pieces)) settings.pieces = DEFAULTS.pieces;
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
  const boards = [["brown", t("Brown")], ["marble", t("Marble")], ["olive", t("Olive")], ["contrast", t("High contrast")], ["walnut", t("Walnut")], ["slate", t("Slate")]];
  const sets = [["figures", t("Figures")], ["emblems", t("Emblems")], ["letters", t("Letters")]];
  dialog(t("Settings"),
    choice(t("Pieces"), "pieces", sets.map(([name, text]) => [name, text, setPreview(name)]), settings.pieces, set("pieces")),
    choice(t("Board"), "board", boards.map(([name, text]) => [name, text, boardPreview(name)]), settings.board, set("board"), "boards"),
    choice(t("Colours"), "theme", [["auto", t("Same as the system")], ["light", t("Light")], ["dark", t("Dark")]], settings.theme, set("theme")),
    checkbox(t("Show legal moves"), settings.targets, set("targets")),
    checkbox(t("Explain a piece when the mouse rests or a finger stays on it"), settings.explain, set("explain")),
    checkbox(t("Show the piece key beside the board"), settings.key, set("key")),
    checkbox(t("Sounds"), settings.sound, set("sound")),
    select(LANGUAGE, [["auto", t("Same as the browser")], ...Object.entries(LANGUAGES)], settings.language, set("language")));
}

/** Some pieces of a set on squares of the board. */
const setPreview = (set) => h("span", { class: "set-preview" }, [..."Kkgw"].map((letter) => picture(letter, "spartan", set)));

/** Squares of a board. */
const boardPreview = (name) => h("span", { class: "board-preview", "data-board": name }, [0, 1, 2, 3].map(() => h("span", {})));
