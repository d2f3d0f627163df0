/** The time of a new game: what can be chosen, and the clock that comes of it. */
import { checkbox, field, h, select } from "./dom.js";
import { t } from "./i18n.js";

const OWN = "own";

const TIMES = [
  ["none", t("No clock")], ["move:1", t("Engine: 1 second per move")], ["move:5", t("Engine: 5 seconds per move")],
  ["clock:60+0", t("1 minute")], ["clock:180+2", t("3 minutes + 2 seconds")], ["clock:300+3", t("5 minutes + 3 seconds")],
  ["clock:600+5", t("10 minutes + 5 seconds")], ["clock:900+10", t("15 minutes + 10 seconds")], ["clock:1800+20", t("30 minutes + 20 seconds")],
  [OWN, t("Other time …")],
];

/** The most minutes, and the most seconds a move. */
const MOST = 600;

/** Minutes and seconds a move: of both sides, or if `isUneven`, of the user or White and of the other side. */
const DEFAULT = { first: [5, 3], second: [1, 1], isUneven: false };

const isTime = (number) => number >= 0 && number <= MOST;

const partsOf = ({ own: { first, second, isUneven } }) => (isUneven ? [first, second] : [first]);

/** What is wrong with the time that was chosen, as a sentence; null if nothing is. */
export function timeError(setup) {
  if (setup.time !== OWN) return null;
  const parts = partsOf(setup);
  if (!parts.flat().every(isTime)) return t("Minutes and seconds are numbers from 0 to {most}.", { most: MOST });
  return parts.every(([minutes, seconds]) => minutes || seconds) ? null : t("A clock needs minutes or seconds.");
}

/**
 * The time of a game if the user has a side: "none", "move:5" for the engine's seconds a move, or "clock:" with the text
 * of a clock. The engine's time means nothing in a game of two people.
 */
export function timeOf(setup, side) {
  if (setup.time !== OWN) return setup.opponent === "person" && setup.time.startsWith("move") ? "none" : setup.time;
  // Who has only the seconds of each move begins with those of one.
  const texts = partsOf(setup).map(([minutes, seconds]) => `${Math.round(minutes * 600) / 10 || seconds}+${seconds}`);
  return `clock:${(side === "black" ? texts.reverse() : texts).join(" ")}`;
}

/** The list of times with the fields for another one; what is chosen goes into `setup`. `names` are those of both sides. */
export function timeFields(setup, [first, second]) {
  setup.own ??= structuredClone(DEFAULT);
  const { own } = setup;
  const times = setup.opponent === "person" ? TIMES.filter(([key]) => !key.startsWith("move")) : TIMES;
  const number = (label, values, index) => {
    const input = h("input", { type: "number", min: 0, max: MOST, step: "any", inputmode: "decimal", value: values[index], required: true, oninput: () => {
      values[index] = input.value === "" ? NaN : input.valueAsNumber;
      error.textContent = "";
    } });
    return field(label, input);
  };
  const pair = (values, name) => h("div", { class: "two" },
    number(name ? t("{name}: minutes", { name }) : t("Minutes"), values, 0), number(name ? t("{name}: seconds", { name }) : t("Seconds per move"), values, 1));
  const error = h("p", { class: "error-text", role: "alert", id: "time-error" });
  const pairs = h("div", { class: "stack" });
  const fields = h("div", { class: "stack", id: "own-time" }, pairs, error, checkbox(t("Different times"), own.isUneven, (value) => {
    own.isUneven = value;
    show();
  }));
  const show = () => {
    fields.hidden = setup.time !== OWN;
    pairs.replaceChildren(pair(own.first, own.isUneven && first), own.isUneven ? pair(own.second, second) : "");
  };
  show();
  const time = times.some(([key]) => key === setup.time) ? setup.time : "none";
  return [select(t("Time"), times, time, (value) => {
    setup.time = value;
    show();
  }), fields];
}

/** The choice of a game in which both sides have changed their players. */
export function withSidesChanged(setup) {
  const { names = {}, own } = setup;
  const isPerson = setup.opponent === "person";
  return {
    ...setup, side: setup.side === "white" ? "black" : "white", names: { white: names.black, black: names.white },
    own: isPerson && own?.isUneven ? { ...own, first: own.second, second: own.first } : own,
  };
}
