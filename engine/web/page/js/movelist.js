/** The list of moves, with variations, comments and evaluations. */
import { h } from "./dom.js";
import { scoreText } from "./engine.js";
import { t } from "./i18n.js";
import { signsOf } from "./tree.js";
import { endText } from "./words.js";

/** A time as `0:01:23` without the hours that it has not. */
export const shortTime = (text) => text.replace(/^0+:0?(?=\d+:)/, "");

export class MoveList {
  constructor(app, { evaluations = false } = {}) {
    this.app = app;
    this.evaluations = evaluations;
    /** The buttons of the moves by their nodes. */
    this.buttons = new Map();
    this.element = h("div", { class: "moves", role: "group", "aria-label": t("Moves") });
    new ResizeObserver(() => this.reveal()).observe(this.element);
  }

  update() {
    const { tree } = this.app;
    const [focused] = [...this.buttons].find(([, item]) => item === document.activeElement) ?? [];
    this.buttons.clear();
    const grid = h("div", { class: "pairs" });
    if (tree.root.comment) grid.append(h("div", { class: "comment" }, tree.root.comment));
    this.line(grid, tree.root, tree);
    const end = tree.result !== "*" && h("div", { class: "end" }, tree.endText ?? endText(tree, tree.variant));
    this.element.replaceChildren(grid, end || "");
    if (!tree.root.children.length) grid.append(h("span", { class: "comment" }, t("No moves yet")));
    this.buttons.get(focused)?.focus({ preventScroll: true });
    this.reveal();
  }

  /** Scrolls to the current move: the list goes down, and on small screens to the right. */
  reveal() {
    const { element } = this;
    const now = element.querySelector("[aria-current]");
    if (!now) return element.scrollTo(0, 0);
    const [box, place] = [element, now].map((item) => item.getBoundingClientRect());
    element.scrollBy(place.left - box.left - box.width / 2, place.top - box.top - box.height / 2);
    return undefined;
  }

  /** The main line in two columns; variations and comments go across. */
  line(grid, parent, tree) {
    let open = false;
    for (let at = parent; at.children.length; at = at.children[0]) {
      const [node, ...others] = at.children;
      if (this.evaluations && node.ply === tree.departure?.ply) {
        if (open) grid.append(h("span", {}));
        grid.append(h("div", { class: "theory-end" }, h("span", {}, t("Theory ends here"))));
        open = false;
      }
      if (tree.isWhite(node) || !open) grid.append(h("span", { class: "num" }, tree.number(node).replace("...", ".")));
      if (!tree.isWhite(node) && !open) grid.append(h("span", {}, "…"));
      grid.append(this.move(node));
      open = tree.isWhite(node);
      if (others.length || node.comment) {
        if (open) grid.append(h("span", {}));
        if (node.comment) grid.append(h("div", { class: "comment" }, node.comment));
        for (const other of others) grid.append(h("div", { class: "side-line" }, this.variation(other, tree)));
        open = false;
      }
    }
  }

  variation(first, tree) {
    const parts = [];
    let number = true;
    if (first.before) parts.push(`${first.before} `);
    for (let node = first; node; [node] = node.children) {
      if (number || tree.isWhite(node)) parts.push(`${tree.number(node)} `);
      parts.push(this.move(node));
      number = !!node.comment;
      if (node.comment) parts.push(` ${node.comment} `);
      const others = node === first ? [] : node.parent.children.slice(1).filter((child) => child !== node);
      for (const other of others) {
        parts.push(" (", ...this.variation(other, tree), ") ");
        number = true;
      }
    }
    return parts;
  }

  move(node) {
    const signs = signsOf(node).map(([glyph, sign]) => h("span", { class: `nag${glyph}` }, sign));
    const evaluation = this.evaluations && node.evaluation && [" ", h("span", { class: "ev" }, scoreText(node.evaluation))];
    const clock = node.clock && [" ", h("span", { class: "clk", title: t("Time left") }, shortTime(node.clock))];
    const item = h("button", { type: "button", class: "mv", "aria-current": node === this.app.tree.current ? "true" : null, onclick: () => this.app.goTo(node) },
      node.san, signs, evaluation, clock);
    this.buttons.set(node, item);
    return item;
  }
}

/** A field for typing moves. */
export function moveInput(app) {
  const error = h("p", { class: "error-text", role: "alert", id: "move-error" });
  const input = h("input", { type: "text", id: "move-input", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "move-error", oninput: () => clear(), placeholder: t("Type a move: {examples}", { examples: "Nf3, e2e4, Hc1=K" }) });
  const submit = async (event) => {
    event.preventDefault();
    if (!input.value.trim()) return;
    const text = input.value;
    const message = await app.typed(text);
    // What was typed meanwhile is another move.
    if (input.value !== text) return;
    error.textContent = message ?? "";
    if (!message) input.value = "";
  };
  const leave = ({ key }) => {
    if (key !== "Escape") return;
    input.value = "";
    clear();
    input.blur();
  };
  input.addEventListener("keydown", leave);
  // An error is about the position and the text for which it was shown.
  const clear = () => (error.textContent = "");
  app.clearMoveError = clear;
  return h("form", { class: "field move-form", onsubmit: submit }, h("label", { class: "visually-hidden", for: "move-input" }, t("Type a move")), input, error);
}
