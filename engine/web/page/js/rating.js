/**
 * The user's record of the puzzles and the rating that follows from it, by Glicko (Glickman, "Parameter estimation in large
 * dynamic paired comparison experiments", 1999): a puzzle is an opponent with a known rating, solved at the first try or not.
 *
 * A record is `{solved, failed, attempts, start}`: ids of puzzles; the first attempt of each puzzle as `{id, at, rating, score}`
 * with the time, the puzzle's rating, and 1 if it was solved; and what attempts that are left out have led to.
 */

/** What is known of a new user. */
const BEGIN = { rating: 1200, deviation: 300, at: 0, ids: [] };

/** The deviation of the ratings of puzzles, which are known from the engine only, and the least one of a user. */
const PUZZLE_DEVIATION = 80;
const LEAST_DEVIATION = 55;

/** Of more attempts than this the oldest ones are left out. */
const MAX_ATTEMPTS = 400;

const Q = Math.LN10 / 400;

/** How much the rating of an opponent tells, by its deviation. */
const weight = (deviation) => 1 / Math.sqrt(1 + 3 * (Q * deviation / Math.PI) ** 2);

/** The rating after an attempt. */
function after({ rating, deviation }, attempt) {
  const g = weight(PUZZLE_DEVIATION);
  const expected = 1 / (1 + 10 ** (-g * (rating - attempt.rating) / 400));
  const information = 1 / deviation ** 2 + (Q * g) ** 2 * expected * (1 - expected);
  return {
    rating: rating + Q / information * g * (attempt.score - expected),
    deviation: Math.max(LEAST_DEVIATION, 1 / Math.sqrt(information)),
  };
}

export const newRecord = () => ({ solved: [], failed: [], attempts: [], start: BEGIN });

/** The rating before the first attempt and after each, `{rating, deviation}`. */
export function ratings({ attempts = [], start = BEGIN }) {
  const all = [start];
  for (const attempt of attempts) all.push(after(all.at(-1), attempt));
  return all;
}

export const hasTried = ({ attempts = [], start = BEGIN }, id) => attempts.some((attempt) => attempt.id === id) || start.ids.includes(id);

/** How many of the last attempts in a row were solved. */
export function streak({ attempts = [] }) {
  const last = attempts.findLastIndex(({ score }) => !score);
  return attempts.length - 1 - last;
}

/** Leaves out the oldest attempts if there are too many. */
function shorten(attempts, start) {
  const extra = attempts.slice(0, Math.max(0, attempts.length - MAX_ATTEMPTS));
  if (!extra.length) return { attempts, start };
  const { rating, deviation } = ratings({ attempts: extra, start }).at(-1);
  return { attempts: attempts.slice(extra.length), start: { rating, deviation, at: extra.at(-1).at, ids: [...start.ids, ...extra.map(({ id }) => id)] } };
}

/** Adds an attempt; only the first one of each puzzle counts. */
export function addAttempt(record, attempt) {
  if (hasTried(record, attempt.id)) return;
  Object.assign(record, shorten([...(record.attempts ?? []), attempt], record.start ?? BEGIN));
}

/** Of two records: what was solved in either counts as solved, and all attempts count, in the order of time. */
export function joinRecords(mine, theirs) {
  const solved = [...new Set([...(theirs.solved ?? []), ...mine.solved])];
  const failed = [...new Set([...(theirs.failed ?? []), ...mine.failed])].filter((id) => !solved.includes(id));
  const starts = [mine.start ?? BEGIN, theirs.start ?? BEGIN];
  const start = starts[0].at > starts[1].at ? starts[0] : starts[1];
  const known = new Set(start.ids);
  const all = [...(mine.attempts ?? []), ...(theirs.attempts ?? [])].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const attempts = all.filter(({ id }) => !known.has(id) && known.add(id));
  return { solved, failed, ...shorten(attempts, start) };
}
