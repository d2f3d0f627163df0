/** A game against the engine. It goes on whatever the page shows, until it is over or the page is closed. */
import { announce, sleep, toast } from "./dom.js";
import { endText, sideName } from "./app.js";
import { Clock, clockState } from "./clock.js";
import { lockName, summaryOf } from "./documents.js";
import { levelName } from "./levels.js";
import { play as sound } from "./sound.js";
import { Tree } from "./tree.js";

/** How long a game that another page has open is waited for, in milliseconds: that page may just be closing. */
const PATIENCE = 500;

const contentOf = ({ tree, state }) => ({ summary: summaryOf(tree, { place: "play", running: !state.end }), value: { tree: tree.toJSON(), play: state } });

/** The date in the form of PGN. */
export const today = () => {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((number) => String(number).padStart(2, "0")).join(".");
};

export class Game {
  /** Called when it begins, moves or ends. */
  onChange = () => {};

  /** `state` has the side of the user, the level, the time for a move or the clock, and the end of the game. */
  constructor(app, tree, state) {
    Object.assign(this, { app, tree, state });
    this.clock = new Clock((end) => this.flagFell(end));
    this.clock.set(state.clock);
    this.isMyTurn = false;
    this.isHeld = false;
  }

  /** Makes a new game from what the user has chosen. */
  static create(app, tree, { side, level, time }) {
    const colour = side === "random" ? (Math.random() < 0.5 ? "white" : "black") : side;
    const [kind, value] = time.split(":");
    const engine = `Agoge (${levelName(level)})`;
    tree.tags = [["Event", "Casual game"], ["Site", "Agoge"], ["Date", today()], ["Round", "-"],
      ["White", colour === "white" ? "You" : engine], ["Black", colour === "black" ? "You" : engine]];
    const state = { side: colour, level, time, moveTime: kind === "move" ? Number(value) * 1000 : null, clock: kind === "clock" ? clockState(value) : null, end: null };
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

  /** Whether the page shows it. */
  get isShown() {
    return this.app.tree === this.tree && this.app.modeName === "play";
  }

  // ---- pages

  /** Takes the game for this page, so that no other one plays on in it. Resolves to whether it could. */
  async hold() {
    if (this.isHeld) return true;
    if (!navigator.locks) return (this.isHeld = true);
    if (this.hasAsked) return false;
    this.hasAsked = new AbortController();
    let isLate = false;
    const held = new Promise((resolve) => {
      navigator.locks.request(lockName(this.document.id), { signal: this.hasAsked.signal }, () => {
        if (isLate) return this.onFree();
        this.isHeld = true;
        resolve();
        return new Promise((release) => (this.unlock = release));
      }).catch(() => {});
    });
    await Promise.race([held, sleep(PATIENCE)]);
    isLate = !this.isHeld;
    return this.isHeld;
  }

  release() {
    if (!this.isHeld) this.hasAsked?.abort();
    this.unlock?.();
    this.isHeld = false;
    this.hasAsked = null;
  }

  // ---- moves

  /** Begins, or goes on after a reload. While the page was closed, only the user's clock ran. */
  async start() {
    const { clock } = this.state;
    if (this.hasStarted || !this.isRunning) return;
    this.hasStarted = true;
    if (clock?.running && clock.running !== this.state.side) clock.since = Date.now();
    await this.resume();
  }

  /** Lets the clock run, and the engine think if it is its turn. */
  async resume() {
    const { app, tree } = this;
    const node = tree.last;
    const position = await app.position(node, tree);
    if (!this.isRunning || node !== tree.last) return;
    if (position.end) return this.finish(position.end);
    if (node.parent) this.clock.run(position.turn);
    this.isMyTurn = position.turn === this.state.side;
    if (!this.isMyTurn && !this.order) this.think(node);
    this.onChange();
    if (!this.isShown) return;
    app.showStatus(app.shown ?? position);
    if (this.isMyTurn) app.board.playPremove();
  }

  async think(node) {
    const { app, tree } = this;
    const order = (this.order = {});
    const began = performance.now();
    const answer = await app.engine.goInGame(order, tree.line(node), () => this.limits, { "Skill Level": this.state.level }, (info) => (this.lastScore = info.score));
    // A move at once looks as if nothing had happened.
    if (answer) await sleep(350 - (performance.now() - began));
    if (this.order !== order) return;
    this.order = null;
    if (!answer?.best || !this.isRunning) return;
    const next = await this.add(answer.best);
    if (next && !this.isShown && this.isRunning) this.tell(`Agoge has played ${next.san} in your game.`);
  }

  /** Tells something about the game while another place is shown. */
  tell(text) {
    toast(text, { action: ["Go to the game", () => this.app.enter("play", this.document.id)] });
  }

  get limits() {
    const { clock, moveTime, level } = this.state;
    return clock ? this.clock.limits : `movetime ${moveTime ?? (Number(level) < 20 ? 1000 : 2000)}`;
  }

  /** Plays a move after the last one. Resolves to its node, or to null if it cannot be played. */
  async add(move) {
    // Without a connection a move waits, and the user may try another one.
    if (this.isAdding) return null;
    this.isAdding = true;
    const next = await this.append(move).finally(() => (this.isAdding = false));
    if (!next) return null;
    this.app.clearMoveError?.();
    if (this.isShown) await this.app.show();
    await this.resume();
    return next;
  }

  async append(move) {
    const { app, tree } = this;
    const node = tree.last;
    const { turn } = await app.position(node, tree);
    const next = await app.extend(tree, node, move);
    if (!next) return null;
    // Meanwhile the time may have run out, or moves were taken back.
    if (!this.isRunning || tree.last !== next) {
      tree.remove(next);
      if (this.isShown) app.show();
      return null;
    }
    this.clock.press(turn);
    const position = await app.position(next, tree);
    if (position.end) this.finish(position.end);
    else {
      this.clock.run(position.turn);
      this.document.touch();
    }
    return next;
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
  }

  finish(end) {
    if (!this.isRunning) return;
    const { tree } = this;
    this.state.end = end;
    this.isMyTurn = false;
    this.cancel();
    this.clock.stop();
    tree.result = end.result;
    tree.endText = endText(end, tree.variant);
    this.document.touch();
    this.release();
    announce(tree.endText);
    this.onChange();
    if (this.isShown) this.app.show();
    else this.tell(`Your game is over. ${tree.endText}`);
  }

  flagFell(end) {
    if (!this.isRunning) return;
    sound("end");
    this.finish(end);
  }

  resign() {
    this.finish({ result: this.state.side === "white" ? "0-1" : "1-0", reason: "resignation" });
  }

  /** Whether the engine takes a draw. The score is from its view. */
  offerDraw() {
    const { cp } = this.lastScore ?? {};
    if (cp === undefined || cp > 0 || this.tree.last.ply < 20) return false;
    this.finish({ result: "1/2-1/2", reason: "agreement" });
    return true;
  }

  /** Whether the user has a move to take back. */
  get hasMoved() {
    return this.tree.last.path.some((node) => this.tree.isWhite(node) === (this.state.side === "white"));
  }

  /** Takes back moves until it is the user's turn before another move. */
  async takeBack() {
    const { app, tree } = this;
    await this.cancel();
    let node = tree.last;
    if (!node.parent) return;
    do node = node.parent; while (node.parent && (await app.position(node, tree)).turn !== this.state.side);
    tree.cut(node);
    this.state.end = null;
    tree.result = "*";
    tree.endText = undefined;
    this.hasStarted = true;
    await this.hold();
    this.document.touch();
    this.onChange();
    if (this.isShown) await app.show();
    announce("Moves taken back.");
    await this.resume();
  }

  /** The side of the user in words. */
  get sideText() {
    return sideName(this.state.side, this.tree.variant);
  }
}
