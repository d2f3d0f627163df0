/** The strengths of the engine. */

/** The Elo of each level, as measured (README, "Levels"). */
const ELO = [880, 1040, 1190, 1310, 1450, 1555, 1675, 1830, 1920, 2060, 2270, 2430, 2615, 2810, 3015, 3240, 3365, 3650, 3840, 4010];

export const LEVELS = [...ELO.map((elo, level) => [String(level), `Level ${level + 1} · ${elo} Elo${level === 0 ? " · beginner" : ""}`]), ["20", "Level 21 · full strength"]];

export const levelName = (level) => (Number(level) < 20 ? `${ELO[level]} Elo` : "full strength");
