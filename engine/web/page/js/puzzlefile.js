/** The files of puzzles and their themes. */
import { damage, load } from "./files.js";
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
 * Reads an EPD file. A puzzle is `{fen, id, line, mate, rating, themes}`: its solution, the number of moves to mate or null, and
 * its rating, which those of the test suites have not.
 */
function parse(text, kind) {
  return text.split("\n").filter((line) => line.trim() && !line.startsWith("#")).map((line) => {
    const [fen, ...operations] = line.split("#")[0].split(";").map((part) => part.trim());
    const fields = Object.fromEntries(operations.filter(Boolean).map((part) => [part.split(" ", 1)[0], part.slice(part.indexOf(" ") + 1)]));
    const { id, pv, dm, c0, c1, c2 } = fields;
    const puzzle = { fen, id, mate: dm ? Number(dm) : null, rating: null, themes: [] };
    if (kind === "puzzles") return { ...puzzle, line: pv.split(" "), rating: Number(c2), themes: c0 ? c0.split(" ") : [] };
    return { ...puzzle, line: dm ? c1.split(" ") : [c0], themes: dm ? [`mate-in-${dm}`] : [] };
  });
}

const files = {};

async function loadPuzzles(kind) {
  const name = `positions/${kind}.epd`;
  const text = await load(name, (response) => response.text());
  try {
    const puzzles = parse(text, kind);
    if (puzzles.length) return puzzles;
  } catch {
    // The error of an empty file is that of others.
  }
  throw damage(name);
}

/** The puzzles of a file. It is loaded once; a failure is not kept. */
export async function readPuzzles(kind) {
  files[kind] ??= loadPuzzles(kind);
  try {
    return await files[kind];
  } catch (error) {
    delete files[kind];
    throw error;
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
