/** Names, event and date of the game: a line above the moves, and a dialog to change them. */
import { button, dialog, field, h, select } from "./dom.js";
import { locale, t } from "./i18n.js";

/** The tags that can always be filled in. */
const FIELDS = [
  ["White", t("White")], ["Black", t("Black")], ["WhiteElo", t("Rating of White")], ["BlackElo", t("Rating of Black")],
  ["Event", t("Event")], ["Site", t("Site")], ["Date", t("Date")], ["Round", t("Round")],
];

/** Those that follow from the game. */
const OWN = ["Result", "Variant", "FEN", "SetUp"];

const DATES = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });

const RESULTS = [["*", t("Not finished")], ["1-0", "1–0"], ["0-1", "0–1"], ["1/2-1/2", "½–½"]];

/** The value of a tag; empty if it is unknown. */
export function tagOf(tree, name) {
  const value = tree.tags.find(([key]) => key === name)?.[1] ?? "";
  return /^[?.\-\s]*$/.test(value) ? "" : value;
}

/** A date of PGN for people, who write it as in their language if it is complete. */
export function dateText(date) {
  const [, year, month, day] = /^(\d{4})\.(\d\d)\.(\d\d)$/.exec(date) ?? [];
  return year ? DATES.format(new Date(year, month - 1, day)) : date.replace(/\.\?\?/g, "");
}

export class GameHeader {
  constructor(app) {
    this.app = app;
    this.players = h("strong", {});
    this.event = h("span", {});
    this.element = h("p", { class: "game-header" }, this.players, this.event);
  }

  update() {
    const { tree } = this.app;
    const tag = (name) => tagOf(tree, name);
    const player = (side) => [tag(side) || "?", tag(`${side}Elo`) && `(${tag(`${side}Elo`)})`].filter(Boolean).join(" ");
    const isNamed = tag("White") || tag("Black");
    this.players.textContent = isNamed ? `${player("White")} – ${player("Black")}` : "";
    const round = tag("Round") && t("round {round}", { round: tag("Round") });
    this.event.textContent = [tag("Event"), tag("Site"), round, dateText(tag("Date"))].filter(Boolean).join(", ");
    this.element.hidden = !this.element.textContent;
  }
}

/** Lets the user change the tags and the result. */
export function editTags(app) {
  const { tree } = app;
  const known = FIELDS.map(([name]) => name);
  const other = tree.tags.map(([name]) => name).filter((name) => !known.includes(name) && !OWN.includes(name));
  const input = (name) => h("input", { type: "text", name, value: tree.tags.find(([key]) => key === name)?.[1] ?? "", autocomplete: "off" });
  const inputs = [...known, ...new Set(other)].map(input);
  const title = (name) => FIELDS.find(([key]) => key === name)?.[1] ?? name;
  let { result } = tree;
  const save = (event) => {
    event.preventDefault();
    const values = new Map(inputs.map(({ name, value }) => [name, value.trim()]));
    // The order of the file stays. It may have a tag twice; the first one counts.
    const isFirst = (name, index) => tree.tags.findIndex(([key]) => key === name) === index;
    const kept = tree.tags.map(([name, value], index) => [name, isFirst(name, index) ? values.get(name) ?? value : value]);
    const added = [...values].filter(([name]) => !tree.tags.some(([key]) => key === name));
    tree.tags = [...kept, ...added].filter(([name, value]) => value || !values.has(name));
    if (result !== tree.result) Object.assign(tree, { result, reason: undefined, endText: undefined });
    element.close();
    app.changed();
    app.show();
  };
  const element = dialog(t("Names, event and date"), h("form", { onsubmit: save },
    h("div", { class: "two" }, inputs.map((control) => field(title(control.name), control)), select(t("Result"), RESULTS, result, (value) => (result = value))),
    h("button", { type: "submit", class: "button primary", id: "save-tags" }, t("Save"))));
}
