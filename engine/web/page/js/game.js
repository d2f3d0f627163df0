/** A game against the engine or of two people. It goes on whatever the page shows, until it is over or the page is closed. */
import { announce, sleep, toast } from "./dom.js";
import { Clock, clockState } from "./clock.js";
import { summaryOf } from "./documents.js";
import { HeldGame } from "./heldgame.js";
import { t } from "./i18n.js";
import { levelName } from "./levels.js";
import { isBare } from "./pieces.js";
import { play as sound } from "./sound.js";
import { timeOf } from "./timecontrol.js";
import { Tree, turnOf } from "./tree.js";
import { endText, sideName } from "./words.js";

/** After a longer time without a tick of the clock, in milliseconds, the machine has slept, and the engine with it. */
const NAP = 90_000;

/** Whether the engine could not think in the milliseconds since the last tick of its clock. */
export const wasEngineAway = (app, passed) => passed > NAP || !app.backend.isConnected || !!app.backend.trouble;

const contentOf = ({ tree, state }) => ({ summary: summaryOf(tree, { place: "play", running: !state.end }), value: { tree: tree.toJSON(), play: state } });

/** The date in the form of PGN. */
export const today = () => {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((number) => String(number).padStart(2, "0")).join(".");
};

/** The side that has made a move. */
const colourOf = (tree, node) => (tree.isWhite(node) ? "white" : "black");

export const withoutTermination = ({ tags }) => tags.filter(([name]) => name !== "Termination");

/** The end of a game whose clock has ended it: a draw if the other side has a bare king, which cannot mate (FIDE, 6.9). */
export function endOnTime(end, tree) {
  return isBare(tree.last.fen, end.result === "1-0") ? { result: "1/2-1/2", reason: "time, bare king" } : end;
}

/** The tags of a clock. PGN has one for both sides; programs that give them different times write two. */
export function timeTags(text) {
  const [white, black] = text.split(" ");
  return black && black !== white ? [["WhiteTimeControl", white], ["BlackTimeControl", black]] : [["TimeControl", white]];
}

export class Game extends HeldGame {
  /** Called when it begins, moves or ends. */
  onChange = () => {};

  /**
   * `state` has the opponent, "engine" or "person", the side of the user, the level, the time for a move or the clock,
   * the end of the game, and the `setup` from which it was made.
   */
  constructor(app, tree, state) {
    super();
    Object.assign(this, { app, tree, state });
    this.clock = new Clock((end) => this.flagFell(end));
    this.clock.isExcused = (colour, passed) => !this.isByHand(colour) && (this.isWaiting || wasEngineAway(app, passed));
    this.clock.set(state.clock);
    this.isMyTurn = false;
  }

  /** Makes a new game from what the user has chosen. */
  static create(app, tree, setup) {
    const { opponent, level } = setup;
    const colour = opponent === "person" ? "white" : setup.side === "random" ? (Math.random() < 0.5 ? "white" : "black") : setup.side;
    const [kind, value] = timeOf(setup, colour).split(":");
    const nameOf = (side) => {
      if (opponent === "person") return setup.names[side]?.trim() || sideName(side, tree.variant);
      return side === colour ? t("You") : t("Agoge ({level})", { level: levelName(level) });
    };
    tree.tags = [["Event", t("Casual game")], ["Site", "Agoge"], ["Date", today()], ["Round", "-"], ["White", nameOf("white")], ["Black", nameOf("black")],
      ...(kind === "clock" ? timeTags(value) : [["TimeControl", "-"]])];
    const state = { opponent, side: colour, level, setup: structuredClone(setup), moveTime: kind === "move" ? Number(value) * 1000 : null, clock: kind === "clock" ? clockState(value) : null, end: null };
    const game = app.documents.create("game", new Game(app, tree, state), contentOf);
    game.document.touch();
    return game;
  }

  /** Opens a game that is kept; null if there is none with this id. */
  static async open(app, id) {
    const make = ({ tree, play }) => new Game(app, Tree.fromJSON(tree), play ?? { side: "white", end: { result: "*", reason: "" } });
    const game = await app.documents.open("game", id, make, contentOf);
    return game instanceof Game ? game : null;
  }

  get isRunning() {
    return !this.state.end;
  }

  /** Whether two people play at this board. */
  get isOfTwo() {
    return this.state.opponent === "person";
  }

  /** Whether a side is moved on the board, and not by the engine. */
  isByHand(colour) {
    return this.isOfTwo || colour === this.state.side;
  }

  /** The side to move after the last move. */
  get turn() {
    return turnOf(this.tree.last.fen);
  }

  /** Whether the engine has still to be loaded, or thinks about another game, before it can think about this one. */
  get isWaiting() {
    return !!this.order && !this.order.hasBegun;
  }

  /** Whether the page shows it. */
  get isShown() {
    return this.app.tree === this.tree && this.app.modeName === "play";
  }

  /** Another page takes the game, and waits until what was played here is written. A move that is just being made is dropped. */
  async lose() {
    const { app, document } = this;
    this.isLost = true;
    this.isHeld = false;
    this.isMyTurn = false;
    this.cancel();
    this.clock.pause();
    await document.writing;
    app.documents.tell({ kind: "game", id: document.id, isGiven: true });
    super.lose();
  }

  /** Takes over what another page has written. */
  adopt({ tree, play }) {
    this.replace(tree, play);
    this.clock.set(play.clock);
    if (!this.isRunning) this.release();
  }

  /** Takes over what the page wrote that had the game. */
  async refresh() {
    const { app: { documents }, document, tree } = this;
    const stored = await documents.store.get("game", document.id);
    if (!stored) return;
    document.revision = stored.revision;
    documents.opened.set(document.id, this);
    this.adopt(stored.value);
    tree.current = tree.last;
  }

  // ---- moves

  /** Begins, or goes on after a reload. While the page was closed, the engine's clock did not run. */
  async start() {
    const { clock } = this.state;
    if (this.hasStarted || !this.isRunning) return;
    this.hasStarted = true;
    if (clock?.running && !this.isByHand(clock.running)) clock.since = Date.now();
    await this.resume();
  }

  /** Lets the clock run, and the engine think if it is its turn. */
  async resume() {
    const { app, tree } = this;
    const node = tree.last;
    const position = await app.position(node, tree);
    if (!this.isRunning || this.isLost || node !== tree.last) return;
    if (position.end) return this.finish(position.end);
    if (node.parent) this.clock.run(position.turn);
    const isByHand = this.isByHand(position.turn);
    this.isMyTurn = isByHand && !this.isOfTwo;
    if (!isByHand && !this.order) this.think(node);
    this.onChange();
    if (!this.isShown) return;
    this.turnBoard();
    app.showStatus(app.shown ?? position);
    if (isByHand) app.board.playPremove();
  }

  /** Turns the board to who is to move, if two people want that. */
  turnBoard() {
    const { tree } = this;
    if (this.isOfTwo && this.state.turns && this.isRunning && tree.isAtLast) this.app.flip(this.turn === "black");
  }

  async think(node) {
    const { app, tree } = this;
    const order = (this.order = {});
    const began = performance.now();
    const answer = await app.engine.goInGame(order, tree.line(node), () => this.limits, { "Skill Level": this.state.level }, (info) => (this.lastScore = info.score));
    if (answer?.best && this.order === order) {
      // The pause before the move is shown is not the engine's time.
      this.clock.press(this.turn);
      // A move at once looks as if nothing had happened.
      await sleep(350 - (performance.now() - began));
    }
    if (this.order !== order) return;
    this.order = null;
    if (!answer?.best || !this.isRunning) return;
    const next = await this.add(answer.best);
    if (next && !this.isShown && this.isRunning) this.tell(t("Agoge has played {move} in your game.", { move: next.san }));
  }

  /** Tells something about the game while another place is shown. */
  tell(text) {
    toast(text, { action: [t("Go to the game"), () => this.app.enter("play", this.document.id)] });
  }

  get limits() {
    const { clock, moveTime, level } = this.state;
    return clock ? this.clock.limits : `movetime ${moveTime ?? (Number(level) < 20 ? 1000 : 2000)}`;
  }

  /** Plays a move after the last one. Resolves to its node, or to null if it is not legal or the game is over. */
  async add(move) {
    const { app, tree } = this;
    const node = tree.last;
    const { turn, legal } = await app.position(node, tree);
    if (this.isMoving || this.isLost || !this.isRunning || node !== tree.last || !legal.some((item) => item.move === move)) return null;
    this.isMoving = true;
    let next = null;
    try {
      next = await this.extend(node, move, turn);
    } finally {
      this.isMoving = false;
      if (!next && this.isRunning) await this.resume();
    }
    if (!next) return null;
    app.clearMoveError?.();
    const position = await app.position(next, tree);
    if (this.isLost) return null;
    if (position.end) this.finish(position.end);
    else {
      this.clock.run(position.turn);
      this.document.touch();
    }
    if (this.isShown) await app.show();
    await this.resume();
    return next;
  }

  /** Adds a move to the tree. The clock stops at once, not only when the rules have answered. */
  async extend(node, move, turn) {
    const { app, tree } = this;
    const clock = this.clock.press(turn);
    if (!this.isRunning) return null;
    const next = await app.extend(tree, node, move);
    // Meanwhile the user may have resigned, or another page has taken the game.
    if (this.isRunning && !this.isLost) return Object.assign(next, { clock });
    tree.remove(next);
    return null;
  }

  cancel() {
    const { order } = this;
    this.order = null;
    return this.app.engine.cancel(order);
  }

  /** The game was deleted. */
  stop() {
    this.cancel();
    this.clock.stop();
    this.release();
    this.isMyTurn = false;
    this.onChange();
  }

  finish(end) {
    if (!this.isRunning || this.isLost) return;
    const { tree } = this;
    this.state.end = end;
    this.isMyTurn = false;
    this.cancel();
    this.clock.stop();
    tree.result = end.result;
    tree.tags = [...withoutTermination(tree), ["Termination", end.reason.startsWith("time") ? "time forfeit" : "normal"]];
    tree.reason = end.reason;
    // Another page that waits for the game reads its end.
    this.document.touch().then(() => this.isRunning || this.release());
    const text = endText(end, tree.variant);
    announce(text);
    this.onChange();
    if (this.isShown) this.app.show();
    else this.tell(t("Your game is over. {end}", { end: text }));
  }

  flagFell(end) {
    if (!this.isRunning) return;
    sound("end");
    this.finish(endOnTime(end, this.tree));
  }

  /** The user resigns, or of two people the one to move. */
  resign() {
    const side = this.isOfTwo ? this.turn : this.state.side;
    this.finish({ result: side === "white" ? "0-1" : "1-0", reason: "resignation" });
  }

  /** Ends the game of two people who agree. */
  agreeToDraw() {
    this.finish({ result: "1/2-1/2", reason: "agreement" });
  }

  /** Whether the engine takes a draw. The score is from its view. */
  offerDraw() {
    const { cp, mate } = this.lastScore ?? {};
    const isGlad = cp !== undefined ? cp <= 0 : mate < 0;
    if (!isGlad || this.tree.last.ply < 20) return false;
    this.agreeToDraw();
    return true;
  }

  /** Whether there is a move by hand to take back. */
  get hasMoved() {
    return this.tree.last.path.some((node) => this.isByHand(colourOf(this.tree, node)));
  }

  /** Takes back the last move by hand and what came after it, also after the end. The clocks have the times of before. */
  async takeBack() {
    const { app, tree } = this;
    if (this.isMoving || this.isLost || !this.hasMoved) return;
    await this.cancel();
    if (!(await this.hold())) return toast(t("This game is open in another tab."));
    let node = tree.last;
    while (!this.isByHand(colourOf(tree, node))) node = node.parent;
    node = node.parent;
    tree.cut(node);
    tree.tags = withoutTermination(tree);
    this.clock.restore(Object.fromEntries(node.path.map((step) => [colourOf(tree, step), step.clock])));
    this.state.end = null;
    tree.result = "*";
    tree.reason = tree.endText = undefined;
    this.hasStarted = true;
    this.document.touch();
    this.onChange();
    if (this.isShown) await app.show();
    announce(t("Moves taken back."));
    await this.resume();
    return undefined;
  }

}
