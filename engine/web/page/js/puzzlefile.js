/** The files of puzzles and their themes. */
import { load } from "./files.js";
import { t } from "./i18n.js";

/** The themes of bench/src/suites/puzzles/themes.rs by name. */
const THEMES = {
  "duple-checkmate": t("Duple-checkmate"), "duple-check": t("Duple-check"), "king-fork": t("King fork"), fork: t("Fork"), regicide: t("Regicide"),
  "promotion-to-king": t("Promotion to a king"), promotion: t("Promotion"), sacrifice: t("Sacrifice"), quiet: t("Quiet move"), defence: t("Defence"),
  endgame: t("Endgame"),
};

/** The number of moves of a theme such as `mate-in-2`, or 0. */
const mateIn = (theme) => Number(/^mate-in-(\d+)$/.exec(theme)?.[1] ?? 0);

export const themeName = (theme) => THEMES[theme] ?? t("Mate in {count}", { count: mateIn(theme) });

/** The themes of puzzles, each with the number of its puzzles: mates by their length, then the others as above. */
export function themesOf(puzzles) {
  const counts = new Map();
  for (const theme of puzzles.flatMap(({ themes }) => themes)) counts.set(theme, (counts.get(theme) ?? 0) + 1);
  const names = Object.keys(THEMES);
  const rank = (theme) => mateIn(theme) || 100 + names.indexOf(theme);
  return [...counts].sort(([a], [b]) => rank(a) - rank(b));
}

/**
 * Reads an EPD file. A puzzle is `{fen, id, line, best, mate, rating, themes}`: its solution, all good first moves in SAN, the
 * number of moves to mate or null, and its rating, which those of the test suites have not.
 */
function parse(text, kind) {
  return text.split("\n").filter((line) => line.trim() && !line.startsWith("#")).map((line) => {
    const [fen, ...operations] = line.split("#")[0].split(";").map((part) => part.trim());
    const fields = Object.fromEntries(operations.filter(Boolean).map((part) => [part.split(" ", 1)[0], part.slice(part.indexOf(" ") + 1)]));
    const { id, bm, pv, dm, c0, c1, c2 } = fields;
    const puzzle = { fen, id, best: bm.split(" "), mate: dm ? Number(dm) : null, rating: null, themes: [] };
    if (kind === "puzzles") return { ...puzzle, line: pv.split(" "), rating: Number(c2), themes: c0 ? c0.split(" ") : [] };
    return { ...puzzle, line: dm ? c1.split(" ") : [c0], themes: dm ? [`mate-in-${dm}`] : [] };
  });
}

const files = {};

/** The puzzles of a file. It is loaded once. */
export async function readPuzzles(name) {
  files[name] ??= (async () => {
    const puzzles = parse(await (await load(`positions/${name}.epd`)).text(), name);
    if (!puzzles.length) throw new Error("no puzzles");
    return puzzles;
  })();
  try {
    return await files[name];
  } catch {
    // The next visit tries again.
    delete files[name];
    throw new Error(t("The puzzles could not be loaded."));
  }
}

/** The files whose positions were the puzzles of earlier versions, by the beginning of their ids. Their addresses stay valid. */
const SUITES = { mate: "mates", tactic: "tactics" };

/** Finds a puzzle by its id; undefined if there is none. */
export async function findPuzzle(id) {
  for (const name of ["puzzles", SUITES[id.split(".")[0]]]) {
    const puzzle = name && (await readPuzzles(name)).find((item) => item.id === id);
    if (puzzle) return puzzle;
  }
  return undefined;
}
