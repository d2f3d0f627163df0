/** Writes comments and glyphs to the current move. */
import { button, h, opener, tool } from "./dom.js";
import { t } from "./i18n.js";
import { editTags } from "./tags.js";
import { POSITION_SIGNS, SIGNS } from "./tree.js";

const NAMES = {
  1: t("Good move"), 2: t("Mistake"), 3: t("Brilliant move"), 4: t("Blunder"), 5: t("Interesting move"), 6: t("Dubious move"),
  10: t("Equal position"), 13: t("Unclear position"), 14: t("White is slightly better"), 15: t("Black is slightly better"),
  16: t("White is better"), 17: t("Black is better"), 18: t("White is winning"), 19: t("Black is winning"),
};

/** How long the list of moves waits for further letters, in milliseconds. */
const PAUSE = 250;

export class Annotator {
  constructor(app, moves) {
    Object.assign(this, { app, moves });
    this.label = h("span", {});
    this.comment = this.area("comment");
    this.before = this.area("before");
    this.beforeField = h("label", { class: "field" }, h("span", {}, t("Comment before the move")), this.before);
    this.remove = button(t("Delete comment"), () => this.clear(), { id: "delete-comment" });
    this.removeShapes = button(t("Clear drawings"), () => this.clearShapes(), { id: "clear-drawings", title: t("Arrows and circles are drawn with the right mouse button") });
    this.glyphs = [[SIGNS, t("Glyphs of the move")], [POSITION_SIGNS, t("Glyphs of the position")]].map(([signs, label]) => this.group(signs, label));
    this.element = h("section", { class: "stack box", "aria-label": t("Comment, glyphs, drawings"), id: "annotations", hidden: true }, this.glyphs, this.beforeField, h("label", { class: "field" }, this.label, this.comment),
      h("div", { class: "row-of" }, this.remove, this.removeShapes, button(t("Names, event and date"), () => editTags(app), { id: "edit-tags" })));
    this.opener = opener(tool("comment", t("Annotate"), null, { id: "annotate" }), this.element);
  }

  area(name) {
    const area = h("textarea", { rows: 2, id: `node-${name}`, oninput: () => this.write(name, area.value) });
    return area;
  }

  group(signs, label) {
    const one = (glyph) => button(signs[glyph], () => this.toggle(Number(glyph), signs), { "data-glyph": glyph, "aria-label": NAMES[glyph], title: NAMES[glyph], "aria-pressed": "false" });
    return h("div", { class: "glyphs", role: "group", "aria-label": label }, Object.keys(NAMES).filter((glyph) => signs[glyph]).map(one));
  }

  write(name, text) {
    this.node[name] = text;
    this.remove.disabled = !this.node.comment && !this.node.before;
    this.app.changed();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.moves.update(), PAUSE);
  }

  clear() {
    Object.assign(this.node, { comment: "", before: "" });
    this.changed();
  }

  clearShapes() {
    this.node.shapes = [];
    this.changed();
  }

  /** Sets a glyph instead of another one of its kind, or removes it. */
  toggle(glyph, signs) {
    const { node } = this;
    const others = node.glyphs.filter((other) => !signs[other]);
    if (node.glyphs.includes(glyph)) node.glyphs = others;
    else node.glyphs = signs === SIGNS ? [glyph, ...others] : [...others, glyph];
    this.changed();
  }

  changed() {
    this.app.changed();
    this.app.show();
  }

  /** Shows what is written about a node. */
  update(node, tree) {
    this.node = node;
    this.label.textContent = node.parent ? t("Comment on {move}", { move: `${tree.number(node)} ${node.san}` }) : t("Comment before the first move");
    for (const name of ["comment", "before"]) if (this[name].value !== node[name]) this[name].value = node[name];
    this.beforeField.hidden = !node.before;
    this.remove.disabled = !node.comment && !node.before;
    this.removeShapes.disabled = !node.shapes.length;
    for (const key of this.element.querySelectorAll("[data-glyph]")) {
      const glyph = Number(key.dataset.glyph);
      key.setAttribute("aria-pressed", node.glyphs.includes(glyph) ? "true" : "false");
      key.disabled = !node.parent && !!SIGNS[glyph];
    }
  }
}
