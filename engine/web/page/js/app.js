/** What all places share: the board, the tree on it, the address, and the strips and buttons around the board. */
import { $, announce, h, iconButton, toast } from "./dom.js";
import { parseAddress, plain, sharedAddress } from "./address.js";
import { Board } from "./board.js";
import { Failure } from "./connection.js";
import { FileError } from "./files.js";
import { number, t, translate } from "./i18n.js";
import { keysDialog } from "./keyboard.js";
import { PieceKey } from "./piecekey.js";
import { captured, kindName, picture } from "./pieces.js";
import { ReachView } from "./reach.js";
import { settings } from "./settings.js";
import { play as sound } from "./sound.js";
import { recallTab, rememberTab } from "./tab.js";
import { SIGNS, START_FEN, Tree } from "./tree.js";
import { sayMove, sideName, stateText } from "./words.js";

export class App {
  /** `profiles` has the last choices and the record of the puzzles, see documents.js. */
  constructor(backend, engine, documents, profiles) {
    Object.assign(this, { backend, engine, documents, profiles });
    this.tree = new Tree();
    this.modes = new Map();
    this.failure = new Failure();
    this.mode = null;
    this.board = new Board($("board"), { showTargets: () => settings.targets });
    this.board.onMove = (move) => this.userMove(move);
    this.board.onIllegal = (from, to) => this.explain(from, to);
    this.board.onIdle = (from, to) => this.idleMove(from, to);
    this.board.onStep = (step) => this.step(step);
    this.board.onShapes = (shapes) => this.keepShapes(shapes);
    this.reach = new ReachView(this);
    this.key = new PieceKey(this);
    this.buttons = {
      first: iconButton("first", t("First position"), () => this.goTo(this.tree.root)),
      previous: iconButton("previous", t("Previous move"), () => this.goTo(this.tree.current.parent)),
      next: iconButton("next", t("Next move"), () => this.goTo(this.tree.current.children[0])),
      last: iconButton("last", t("Last move"), () => this.goTo(this.tree.current.end)),
      flip: iconButton("flip", t("Turn the board"), () => this.flip()),
      keys: iconButton("keys", t("List of keys"), () => keysDialog(), { class: "icon-button keys-button" }),
    };
    $("controls").append(...Object.values(this.buttons));
    document.addEventListener("keydown", (event) => this.keyDown(event));
    addEventListener("popstate", () => this.followAddress());
  }

  // ---- places

  /**
   * Goes to a place, and there to a document, or to the one that was open there last. The place first finds what it
   * shows; if that fails, the page stays where it is. `isBack` tells that the address is there already.
   */
  async enter(name, id = null, { isBack = false, ...options } = {}) {
    const before = this.entering;
    const turn = (this.entering = Symbol(name));
    this.failure.withdraw();
    // Those that are opened meanwhile stay.
    const dialogs = document.querySelectorAll("dialog");
    const mode = this.modes.get(name);
    let found;
    try {
      found = await mode.find?.(id, options);
    } catch (error) {
      if (error instanceof FileError) return turn === this.entering && this.stay(error.message, () => this.enter(name, id, options));
      toast(plain(error.message), { isError: true });
      if (this.mode) {
        // What was entered before goes on.
        if (turn === this.entering) this.entering = before;
        return isBack && this.writeAddress();
      }
      found = await mode.find(null, {});
    }
    if (turn !== this.entering) return;
    await this.mode?.leave?.();
    if (turn !== this.entering) return;
    dialogs.forEach((element) => element.close());
    this.isEntering = turn;
    this.mode = mode;
    document.body.dataset.mode = name;
    this.board.setArrows([]);
    $("eval-bar").hidden = true;
    for (const tab of document.querySelectorAll(".tab")) {
      if (tab.dataset.mode === name) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    try {
      await mode.enter(found, options);
    } finally {
      if (turn === this.isEntering) this.isEntering = null;
    }
    if (turn !== this.entering) return;
    this.writeAddress(!isBack);
    this.keepPlace();
    this.board.reveal();
  }

  /** Stays in the place, or begins in another one, until a file of the next place can be loaded. */
  async stay(message, retry) {
    if (this.mode) this.writeAddress();
    else await this.enter("play", null, { isBack: true });
    this.failure.show(message, retry);
  }

  /** Goes to where the address says. */
  followAddress() {
    const { place, id, query } = parseAddress(location.hash);
    const known = this.modes.has(place);
    if (!known) return this.enter(recallTab().place ?? "play", null, { isBack: true });
    return this.enter(place, id, { query: query ?? new URLSearchParams(), isBack: true });
  }

  /** Writes the address of what is shown. A new entry of the history is made if it is of another document. */
  writeAddress(isNew = false) {
    const { mode } = this;
    const address = `#${this.modeName}${mode.address || ""}`;
    const key = `${this.modeName}/${mode.key ?? mode.address}`;
    if (address !== location.hash) {
      if (isNew && key !== this.addressKey) history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    }
    this.addressKey = key;
  }

  /** Remembers, for a reload of this tab, what is shown. */
  keepPlace() {
    if (this.isEntering) return;
    const { modeName: place, tree, mode } = this;
    rememberTab({ place, [place]: { id: mode.document?.id ?? null, at: tree.line().moves, flipped: this.board.flipped } });
  }

  /** Goes to where the tab was in a document; returns how the board was turned, or undefined. */
  recallPlace(place, { document, tree }) {
    const { id, at, flipped } = recallTab()[place] ?? {};
    if (!id || id !== document?.id) return undefined;
    tree.current = tree.follow(at);
    return flipped;
  }

  /** Shows everything anew, after a change of the settings. */
  redraw() {
    this.board.redraw();
    this.showStrips();
    this.key.redraw();
  }

  /** A document was deleted: no place shows it any more. */
  forget(id) {
    for (const mode of this.modes.values()) {
      if (mode.document?.id !== id) continue;
      mode.forget?.();
      // The user may have gone there while it was being deleted.
      if (mode === this.mode) this.enter(this.modeName);
    }
  }

  /** The tree of the place was changed. */
  changed() {
    this.mode?.changed?.();
  }

  setPanel(...children) {
    const panel = $("panel");
    const { activeElement } = document;
    const hadFocus = panel.contains(activeElement);
    panel.replaceChildren(...children);
    this.key.place();
    this.key.update();
    panel.scrollTop = 0;
    // For the keyboard and screen readers: what had the focus may be there again.
    if (hadFocus) ((activeElement.id && $(activeElement.id)) || panel).focus({ preventScroll: true });
  }

  // ---- positions

  ask(question) {
    return this.backend.ask(question);
  }

  /** The position at a node of a tree, from the rules. */
  async position(node = this.tree.current, tree = this.tree) {
    node.position ??= this.ask({ ask: "position", line: tree.line(node) });
    return node.position;
  }

  /** Shows the current position. */
  async show() {
    const { tree } = this;
    const node = tree.current;
    // The rules may still be loading.
    if (!this.shown) this.board.show({ fen: node.fen, variant: tree.variant, last: node.move });
    const position = await this.position(node);
    if (tree !== this.tree || node !== this.tree.current) return;
    this.shown = position;
    this.reach.hide();
    this.board.show({
      fen: position.fen, variant: tree.variant, legal: position.legal, last: node.move, attacked: position.attacked,
      check: position.check, kings: position.kings, glyph: node.glyphs.find((glyph) => SIGNS[glyph]), movable: this.mode.movable?.(position),
      premovable: this.mode.premovable?.(position), previous: node.parent?.fen, shapes: this.mode.keepsShapes ? node.shapes ?? [] : undefined,
      others: () => (node.others ??= this.ask({ ask: "other-side", line: tree.line(node) })),
    });
    this.key.update();
    this.showStrips();
    this.showStatus(position);
    this.updateButtons();
    this.mode.shown?.(position, node);
    if (this.isEntering) return;
    this.writeAddress();
    this.keepPlace();
  }

  updateButtons() {
    const { current } = this.tree;
    const locked = this.mode.locked === true;
    this.buttons.first.disabled = this.buttons.previous.disabled = locked || !current.parent;
    this.buttons.next.disabled = this.buttons.last.disabled = locked || !current.children.length;
  }

  showStatus(position) {
    const waiting = this.engine.isWaiting ? this.progressText() : "";
    const { text, alert } = waiting ? { text: waiting } : this.mode.status?.(position) ?? this.describe(position);
    $("status").textContent = text;
    $("status").classList.toggle("alert", !!alert);
  }

  /** How far the engine is loaded, in words; empty when it is there. */
  progressText() {
    const { progress } = this.backend;
    return progress === null ? "" : t("Loading the engine … {share}", { share: number(progress, { style: "percent" }) });
  }

  /** Shows how far the engine is loaded. */
  showProgress() {
    const { progress } = this.backend;
    $("status").classList.toggle("loading", progress !== null);
    $("status").style.setProperty("--progress", progress);
    if (this.shown) this.showStatus(this.shown);
    this.mode?.showProgress?.();
  }

  /** The state of a position in words. */
  describe(position, variant = this.tree.variant) {
    return stateText(position, variant);
  }

  async userMove(move) {
    if (this.mode.userMove) await this.mode.userMove(move);
    else await this.play(move);
  }

  /** Plays a legal move after a position, the current one or another. Resolves to its node, or to null. */
  async play(move, after = this.tree.current) {
    const { tree } = this;
    tree.current = after;
    const isKnown = after.children.some((node) => node.move === move);
    const next = await this.extend(tree, after, move);
    if (!next) return null;
    this.clearMoveError?.();
    if (tree !== this.tree) return next;
    if (!isKnown) this.changed();
    await this.show();
    return next;
  }

  /** Adds a legal move after a node. Resolves to the new node, or to null. */
  async extend(tree, node, move) {
    const before = await this.position(node, tree);
    const legal = before.legal.find((item) => item.move === move);
    if (!legal) return null;
    const line = tree.line(node);
    const position = await this.ask({ ask: "position", line: { ...line, moves: [...line.moves, move] } });
    const next = tree.add(node, { move, san: legal.san, fen: position.fen });
    next.position = Promise.resolve(position);
    this.announceMove(next, before, position, tree.variant);
    return next;
  }

  announceMove(node, before, position, variant) {
    const capture = node.san.includes("x");
    sound(position.end ? "end" : position.check ? "check" : capture ? "capture" : "move");
    const { text } = this.describe(position, variant);
    announce(t("{side}: {move}. {state}.", { side: sideName(before.turn, variant), move: sayMove(node.san), state: text }));
  }

  async goTo(node) {
    if (!node || this.mode.locked === true) return;
    this.tree.current = node;
    await this.show();
  }

  /** A step by the wheel; returns whether there are moves to step through. */
  step(by) {
    const { current, root } = this.tree;
    if (this.mode.locked === true || !root.children.length) return false;
    if (by) this.goTo(by < 0 ? current.parent : current.children[0]);
    return true;
  }

  /** Tells why nobody can move, unless the place keeps the move for later. */
  idleMove(from, to) {
    const { mode } = this;
    if (!mode.idleMove?.(from, to) && mode.idleHint) toast(mode.idleHint());
  }

  keepShapes(shapes) {
    this.tree.current.shapes = shapes;
    this.changed();
  }

  async explain(from, to) {
    try {
      const text = await this.ask({ ask: "explain", line: this.tree.line(), from, to });
      if (text) {
        toast(translate(text));
        announce(translate(text));
      }
    } catch {
      // Only a disconnected page has no answer, and that has its own message.
    }
  }

  /** Plays a move typed by the user. Returns an error message or null. */
  async typed(text) {
    if (!this.mode.movable?.(this.shown)) return t("It is not your turn.");
    try {
      const { move } = await this.ask({ ask: "move", line: this.tree.line(), text });
      await this.userMove(move);
      return null;
    } catch (error) {
      const squares = /^\s*([a-h][1-8])-?([a-h][1-8])/i.exec(text);
      const [, from, to] = squares ?? [];
      const why = squares && (await this.ask({ ask: "explain", line: this.tree.line(), from: from.toLowerCase(), to: to.toLowerCase() }));
      return why ? translate(why) : error.message;
    }
  }

  // ---- around the board

  flip(flipped = !this.board.flipped) {
    this.board.flip(flipped);
    this.key.update();
    this.showStrips();
    $("eval-bar").classList.toggle("flipped", flipped);
    this.mode.flipped?.();
    this.keepPlace();
  }

  showStrips() {
    const { variant } = this.tree;
    const fen = this.shown?.fen ?? this.tree.fen;
    // Of a position that was set up, nobody knows what was captured.
    const known = this.mode !== this.modes.get("setup") && this.tree.fen === START_FEN[variant];
    const strip = (white) => {
      const { name, detail, clock } = this.mode.player?.(white) ?? { name: sideName(white ? "white" : "black", variant) };
      const lost = known ? captured(fen, variant, !white) : [];
      return [h("span", { class: white ? "swatch" : "swatch black", "aria-hidden": "true" }), h("span", { class: "name" }, name, " ", h("span", { class: "elo" }, detail ?? "")),
        h("span", { class: "captured", role: "img", "aria-label": lost.length ? t("Captured: {pieces}", { pieces: lost.map((letter) => kindName(letter)).join(", ") }) : t("Nothing captured") }, lost.map((letter) => picture(letter, variant))), clock];
    };
    const white = !this.board.flipped;
    $("strip-bottom").replaceChildren(...strip(white).filter(Boolean));
    $("strip-top").replaceChildren(...strip(!white).filter(Boolean));
  }

  keyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { current, root } = this.tree;
    const nodes = { ArrowLeft: current.parent, ArrowRight: current.children[0], ArrowUp: root, ArrowDown: current.end, Home: root, End: current.end };
    // In the field for moves there is nothing to go through while it is empty.
    const isFree = event.target.id === "move-input" && !event.target.value && event.key in nodes;
    if (!isFree && event.target.closest("input, textarea, select, dialog, .promotion")) return;
    if (event.key in nodes) {
      if (event.target.closest("[role=tablist], nav")) return;
      this.goTo(nodes[event.key]);
      event.preventDefault();
      return;
    }
    const acts = { f: () => this.flip(), b: () => this.board.element.checkVisibility() && this.board.keyboard.enter(), "?": keysDialog, Escape: () => this.board.cancel() };
    acts[event.key]?.();
  }

  get modeName() {
    return document.body.dataset.mode;
  }

  /** The address of the current position, for anybody. */
  get shared() {
    return sharedAddress(this.tree);
  }
}
