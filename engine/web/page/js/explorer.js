/** The opening theory at the position on the board: its moves with their values and games. */
import { Failure } from "./connection.js";
import { h } from "./dom.js";
import { FileError } from "./files.js";
import { number, t } from "./i18n.js";
import { apply, settings } from "./settings.js";
import { sideName } from "./words.js";

/** The least share of a bar in which its percentage is written, and that of a narrow one. */
const WRITTEN = 0.2;
const WRITTEN_IF_NARROW = 0.4;

/** The moves of theory that are named where a game left it. */
const NAMED = 3;

const RESULTS = ["white", "draws", "black"];

const percent = (share, digits = 0) => number(share, { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits });

const written = (node, tree) => `${tree.number(node)} ${node.san}`;

const count = ({ white, draws, black }) => white + draws + black;

export class Explorer {
  /** Called when theory has been loaded. */
  onLoad = () => {};

  constructor(app) {
    this.app = app;
    this.failure = new Failure();
    this.body = h("div", {});
    this.element = h("details", { class: "theory", id: "theory", open: settings.theory, ontoggle: () => this.toggled() }, h("summary", {}, t("Opening theory")), this.body);
  }

  open() {
    this.element.open = true;
  }

  /** The panel stays open or closed. */
  async toggled() {
    const { element, node } = this;
    const { open } = element;
    const isNew = settings.theory !== open;
    if (isNew) {
      settings.theory = open;
      apply();
      this.app.profiles.settings.touch();
    }
    if (node) await this.update(node);
    if (isNew && open) element.scrollIntoView({ block: "nearest" });
  }

  /** Shows the theory at a node, if the panel is open. */
  async update(node) {
    const { app, element, body } = this;
    const { tree } = app;
    this.node = node;
    element.hidden = tree.variant !== "spartan";
    if (!element.open || element.hidden) return;
    const wasLoaded = app.backend.hasTheory;
    let rows;
    try {
      // A failure is not kept: the next position tries again.
      node.theory ??= await app.backend.theory(tree.line(node));
      // The failure may be that of a later position.
      if (this.node !== node) return;
      rows = this.rows(node.theory, node, tree);
      this.failure.withdraw();
    } catch (error) {
      if (this.node !== node) return;
      if (error instanceof FileError) this.failure.show(error.message, () => this.update(this.node));
      else this.failure.withdraw();
      rows = [h("p", { class: "hint" }, t("The opening theory could not be loaded."))];
    }
    const hadFocus = body.querySelector(":focus-visible");
    body.replaceChildren(...rows);
    // What is gone gets no further event.
    app.board.point(null);
    if (hadFocus) (body.querySelector("button") ?? element.firstChild).focus();
    if (!wasLoaded && app.backend.hasTheory) this.onLoad();
  }

  rows({ plies, theory }, node, tree) {
    if (theory?.plies !== plies) return [h("p", { class: "hint" }, theory ? t("Not in theory since {move}", { move: written(node.path[theory.plies], tree) }) : t("This position is not in theory."))];
    const { moves, games, depth, nodes, turn } = theory;
    const searches = depth ? [h("span", {}, t("Depth {depth}", { depth })), h("span", {}, t("{count} nodes", { count: number(nodes, { notation: "compact" }) }))] : [];
    const all = h("div", { class: "theory-row" }, h("span", {}, t("All games")), h("span", {}), h("span", {}, number(count(games))), bar(games));
    return [
      h("div", { class: "theory-row theory-head", "aria-hidden": "true" }, h("span", {}, t("Move")), h("span", { title: t("The expected score") }, sideName(turn, tree.variant)), h("span", {}, t("Games"))),
      h("ol", { class: "theory-moves" }, moves.map((move) => h("li", {}, this.move(move)))), all, h("div", { class: "theory-info" }, searches),
    ];
  }

  move({ move, san, expected, games }) {
    const { board } = this.app;
    const share = percent(expected, 1);
    const label = games && count(games)
      ? t("{move}: expected score {share}; games {count}, Persians won {white}, drawn {draws}, Spartans won {black}", { move: san, share, count: count(games), ...games })
      : t("{move}: expected score {share}; no games", { move: san, share });
    return h("button", {
      type: "button", class: "theory-row", "aria-label": label, "data-move": move, onclick: () => this.play(move),
      // Not when another position comes under a pointer that rests.
      onpointermove: ({ pointerType, movementX, movementY }) => pointerType !== "touch" && (movementX || movementY) && board.point(move),
      onpointerleave: () => board.point(null),
      onfocus: ({ target }) => target.matches(":focus-visible") && board.point(move),
      onblur: () => board.point(null),
    }, h("span", {}, san), h("span", {}, share), h("span", {}, games ? number(count(games)) : "–"), games ? bar(games) : "");
  }

  /** Plays a move: in the analysis, also of a game that is over. */
  async play(move) {
    const { app } = this;
    const { fen } = app.tree.current;
    if (app.modeName !== "analyse") await app.enter("analyse", null, { game: app.mode.document.id });
    if (app.modeName === "analyse" && app.tree.current.fen === fen) await app.play(move);
  }
}

/** The shares of White's victories, draws and Black's victories. */
function bar(games) {
  const all = count(games);
  if (!all) return "";
  const parts = RESULTS.filter((name) => games[name]).map((name) => {
    const share = games[name] / all;
    const part = h("span", { class: `theory-${name}${share < WRITTEN_IF_NARROW ? " theory-small" : ""}` }, share >= WRITTEN ? percent(share) : "");
    part.style.flexGrow = games[name];
    return part;
  });
  return h("span", { class: "theory-bar", title: t("Persians won {white}, drawn {draws}, Spartans won {black}", games) }, parts);
}

/**
 * Where the main line of a tree leaves theory: `{ply, plays}`, the ply of its first move that theory does not know, and
 * what theory plays there; null if it does not leave it.
 */
export async function departure(app, tree) {
  const { theory } = await app.backend.theory(tree.line(tree.last));
  const next = theory && tree.mainLine[theory.plies];
  if (!next) return null;
  const { moves } = theory;
  if (!moves.some(({ move }) => move === next.move)) return { ply: next.ply, plays: moves.slice(0, NAMED).map(({ san }) => san) };
  // Theory has the move, but nothing after it.
  return next.children.length ? { ply: next.ply + 1, plays: [] } : null;
}
