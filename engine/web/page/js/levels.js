/** The strengths of the engine. */
import { t } from "./i18n.js";

/** The Elo rating of each limited level; the level after them is full strength. */
let ratings = [];

/** Called once, with what the engine says about itself. */
export const setRatings = (numbers) => (ratings = numbers);

function textOf(elo, index) {
  const level = index + 1;
  return [String(index), index ? t("Level {level} · {elo} Elo", { level, elo: String(elo) }) : t("Level {level} · {elo} Elo · beginner", { level, elo: String(elo) })];
}

/** The levels to choose from, with their texts. */
export const levels = () => [...ratings.map(textOf), [String(ratings.length), t("Level {level} · full strength", { level: ratings.length + 1 })]];

export const levelName = (level) => (Number(level) < ratings.length ? t("{elo} Elo", { elo: String(ratings[level]) }) : t("full strength"));
