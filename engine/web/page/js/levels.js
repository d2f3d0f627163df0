/** The strengths of the engine. */
import { t } from "./i18n.js";

/** The Elo of each level, as measured (README, "Levels"). */
const ELO = [880, 1040, 1190, 1310, 1450, 1555, 1675, 1830, 1920, 2060, 2270, 2430, 2615, 2810, 3015, 3240, 3365, 3650, 3840, 4010];

function textOf(elo, index) {
  const level = index + 1;
  return [String(index), index ? t("Level {level} · {elo} Elo", { level, elo: String(elo) }) : t("Level {level} · {elo} Elo · beginner", { level, elo: String(elo) })];
}

export const LEVELS = [...ELO.map(textOf), ["20", t("Level {level} · full strength", { level: 21 })]];

export const levelName = (level) => (Number(level) < 20 ? t("{elo} Elo", { elo: String(ELO[level]) }) : t("full strength"));
