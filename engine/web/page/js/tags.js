/** Names, event and date of the game: a line above the moves, and a dialog to change them. */
import { button, dialog, field, h, select } from "./dom.js";

/** The tags that can always be filled in. */
const FIELDS = [["White", "White"], ["Black", "Black"], ["WhiteElo", "Rating of White"], ["BlackElo", "Rating of Black"], ["Event", "Event"], ["Site", "Site"], ["Date", "Date"], ["Round", "Round"]];

/** Those that follow from the game. */
const OWN = ["Result", "Variant", "FEN", "SetUp"];

const RESULTS = [["*", "Not finished"], ["1-0", "1–0"], ["0-1", "0–1"], ["1/2-1/2", "½–½"]];

/** The value of a tag; empty if it is unknown. */
export function tagOf(tree, name) {
  const value = tree.tags.find(([key]) => key === name)?.[1] ?? "";
  return /^[?.\-\s]*$/.test(value) ? "" : value;
}

export class GameHeader {
  constructor(app) {
    this.app = app;
    this.players = h("strong", {});
    this.event = h("span", {});
    this.edit = button("", () => editTags(app), { id: "edit-tags", class: "button small" });
    this.element = h("div", { class: "game-header" }, h("p", {}, this.players, this.event), this.edit);
  }

  update() {
    const { tree } = this.app;
    const tag = (name) => tagOf(tree, name);
    const player = (side) => [tag(side) || "?", tag(`${side}Elo`) && `(${tag(`${side}Elo`)})`].filter(Boolean).join(" ");
    const isNamed = tag("White") || tag("Black");
    this.players.textContent = isNamed ? `${player("White")} – ${player("Black")}` : "";
    const round = tag("Round") && `round ${tag("Round")}`;
    this.event.textContent = [tag("Event"), tag("Site"), round, tag("Date").replace(/\.\?\?/g, "")].filter(Boolean).join(", ");
    this.edit.textContent = isNamed || this.event.textContent ? "Edit" : "Add names, event and date";
  }
}

/** Lets the user change the tags and the result. */
function editTags(app) {
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
    // The order of the file stays.
    const kept = tree.tags.map(([name, value]) => [name, values.get(name) ?? value]);
    const added = [...values].filter(([name]) => !tree.tags.some(([key]) => key === name));
    tree.tags = [...kept, ...added].filter(([name, value]) => value || !values.has(name));
    tree.result = result;
    element.close();
    app.changed();
    app.show();
  };
  const element = dialog("Names, event and date", h("form", { onsubmit: save },
    h("div", { class: "two" }, inputs.map((control) => field(title(control.name), control)), select("Result", RESULTS, result, (value) => (result = value))),
    h("button", { type: "submit", class: "button primary", id: "save-tags" }, "Save")));
}
