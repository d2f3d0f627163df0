/** Engine against engine. */
import { button, h, select, sleep, tool, toolBar } from "./dom.js";
import { Clock, clockState } from "./clock.js";
import { heldLocks, lockName, summaryOf } from "./documents.js";
import { endOnTime, timeTags, today, wasEngineAway } from "./game.js";
import { HeldGame } from "./heldgame.js";
import { t } from "./i18n.js";
import { levelName, levels } from "./levels.js";
import { MoveList } from "./movelist.js";
import { VARIANTS } from "./pieces.js";
import { recallTab } from "./tab.js";
import { Tree } from "./tree.js";
import { endText, sideName } from "./words.js";

const TIMES = [["60+1", t("1 minute + 1 second")], ["180+2", t("3 minutes + 2 seconds")], ["600+5", t("10 minutes + 5 seconds")]];

const contentOf = ({ tree, state }) => ({ summary: summaryOf(tree, { place: "watch" }), value: { tree: tree.toJSON(), watch: state } });

const nameOf = (level) => t("Agoge ({level})", { level: levelName(level) });

/** A game: its tree, and a state with the levels, the clock, whether it is to go on, and its end. */
class WatchedGame extends HeldGame {
  constructor(tree, state) {
    super();
    Object.assign(this, { tree, state });
  }

  /** Takes over what another page has written. */
  adopt({ tree, watch }) {
    this.replace(tree, watch);
  }
}

export class Watch {
  constructor(app) {
    this.app = app;
    this.setup = { variant: "spartan", white: "20", black: "20", time: "60+1", ...app.profiles.setups.value.watch };
    this.moves = new MoveList(app);
    this.clock = new Clock((end) => this.finish(endOnTime(end, this.game.tree)));
    this.clock.isExcused = (_, passed) => !!app.engine.game || wasEngineAway(app, passed);
    this.game = null;
    /** Whether another page plays it. */
    this.isElsewhere = false;
  }

  get document() {
    return this.game?.document ?? null;
  }

  get address() {
    return this.document ? `/${this.document.id}` : "";
  }

  get end() {
    return this.game?.state.end;
  }

  /** The game was deleted. */
  forget() {
    this.game = null;
  }

  async find(id) {
    const wanted = id ?? this.document?.id ?? recallTab().watch?.id;
    if (!wanted || wanted === this.document?.id) return this.game;
    const game = await this.app.documents.open("game", wanted, ({ tree, watch }) => new WatchedGame(Tree.fromJSON(tree), watch), contentOf);
    if (!game?.state?.levels && id) throw new Error(t("There is no such game. It may have been deleted."));
    return game?.state?.levels ? game : null;
  }

  async enter(game) {
    const { app } = this;
    this.game = game;
    this.entered = Symbol("entered");
    this.isElsewhere = false;
    app.tree = game?.tree ?? new Tree(this.setup.variant);
    if (game) {
      this.clock.set(game.state.clock);
      app.board.flip(app.recallPlace("watch", game) ?? false);
    }
    this.build();
    await app.show();
    if (game?.state.isOn && !this.end) this.goOn();
  }

  async leave() {
    const { game } = this;
    this.rest();
    await this.app.engine.stop();
    // A move that has been found is still played, and written before another page goes on.
    await this.moving?.catch(() => {});
    if (game) this.free(game);
  }

  /** Another page has played on in a game. */
  changedElsewhere({ id, revision }) {
    const { app, game } = this;
    if (!revision || this.document?.id !== id || game.isHeld || app.mode !== this) return;
    this.clock.set(game.state.clock);
    if (this.end) this.isElsewhere = false;
    if (this.isElsewhere) this.clock.follow();
    else if (game.state.isOn && !this.end) this.goOn();
    this.build();
    app.show();
  }

  /** Reads a game anew that another page has closed. */
  reopen(game) {
    game.release();
    if (this.game !== game) return;
    this.clock.pause();
    this.app.documents.opened.delete(game.document.id);
    this.game = null;
    if (this.app.mode === this) this.app.enter("watch", game.document.id, { isBack: true });
  }

  status() {
    if (this.isElsewhere) return { text: t("This game is open in another tab.") };
    return this.end && this.app.tree.isAtLast ? { text: endText(this.end, this.app.tree.variant) } : null;
  }

  player(white) {
    const colour = white ? "white" : "black";
    const levels = this.game?.state.levels ?? this.setup;
    return { name: sideName(colour, this.app.tree.variant), detail: `Agoge · ${levelName(levels[colour])}`, clock: this.game && this.clock.element(colour) };
  }

  shown(position, node) {
    this.moves.update();
    if (this.end) this.app.explorer.update(node);
  }

  build() {
    const { app } = this;
    if (!this.game) return this.buildSetup();
    const toggle = button(this.running ? t("Pause") : t("Go on"), () => (this.running ? this.pause() : this.goOn()), { class: "button primary", id: "watch-start" });
    const elsewhere = h("p", {}, t("This game is open in another tab or window."));
    app.setPanel(h("h2", {}, t("Engine against engine")), this.moves.element, this.end ? this.app.explorer.element : this.isElsewhere ? elsewhere : toggle,
      toolBar(tool("search", t("Analyse this game"), () => app.enter("analyse", null, { game: this.document.id })), tool("add", t("New game"), () => this.reset())));
    this.moves.update();
    return undefined;
  }

  buildSetup() {
    const { app, setup } = this;
    const set = (name) => (value) => {
      setup[name] = value;
      if (name === "variant") this.enter(null);
      else app.showStrips();
    };
    app.setPanel(h("h2", {}, t("Engine against engine")),
      h("div", { class: "form" }, select(t("Variant"), VARIANTS, setup.variant, set("variant")),
        ["white", "black"].map((colour) => select(sideName(colour, setup.variant), levels(), setup[colour], set(colour))), select(t("Time"), TIMES, setup.time, set("time"))),
      button(t("Start"), () => this.start(), { class: "button primary", id: "watch-start" }));
  }

  /** Goes back to the choice of a game; the one shown is kept. */
  async reset() {
    await this.leave();
    await this.enter(null);
    this.app.writeAddress(true);
    this.app.keepPlace();
  }

  async start() {
    const { app, setup } = this;
    const { variant, white, black, time } = setup;
    app.profiles.setups.value.watch = { ...setup };
    app.profiles.setups.touch();
    const tree = new Tree(variant);
    tree.tags = [["Event", t("Engine against engine")], ["Site", "Agoge"], ["Date", today()], ["Round", "-"], ["White", nameOf(white)], ["Black", nameOf(black)], ...timeTags(time)];
    this.game = app.documents.create("game", new WatchedGame(tree, { levels: { white, black }, clock: clockState(time), isOn: true, end: null }), contentOf);
    this.clock.set(this.game.state.clock);
    app.tree = tree;
    await app.engine.newGame();
    const played = this.goOn();
    app.writeAddress(true);
    await played;
  }

  /** Stops until the user goes on. */
  pause() {
    this.rest();
    this.app.engine.stop();
    this.game.state.isOn = false;
    this.document.touch();
    this.build();
  }

  /** Stops until the place is entered again. */
  rest() {
    this.running = null;
    this.clock.stop();
  }

  /** Lets other pages play a game that was left, when the store has its last move. */
  async free(game) {
    const { entered } = this;
    await game.document.writing;
    if (this.game !== game || this.entered === entered) game.release();
  }

  /** Plays on, unless another page does. */
  async goOn() {
    const { app, game, entered } = this;
    // The answer may be on its way.
    if (this.asking === entered) return undefined;
    this.asking = entered;
    game.onFree = () => this.reopen(game);
    const isTaken = !game.isHeld && (await heldLocks()).includes(lockName(game.document.id));
    const isHeld = await game.hold();
    if (this.asking === entered) this.asking = null;
    if (this.game !== game || app.mode !== this) return this.free(game);
    // The place was left and entered again, and asks itself.
    if (this.entered !== entered) return undefined;
    // Until the other page closed the game, it may have played on.
    if (isHeld) return isTaken ? this.reopen(game) : this.run();
    this.isElsewhere = true;
    this.clock.follow();
    this.build();
    return app.show();
  }

  /** Plays until the end or a pause. */
  async run() {
    const { app, game } = this;
    const { tree, state } = game;
    const running = (this.running = Symbol("game"));
    state.isOn = true;
    this.document.touch();
    tree.current = tree.last;
    // While the page was closed, no clock ran.
    if (state.clock.running) state.clock.since = Date.now();
    this.build();
    await app.show();
    // No clock runs while the engine is loaded, or works for another game.
    await app.engine.ready();
    while (app.engine.game) await app.engine.game;
    while (this.running === running) {
      const node = tree.last;
      const position = await app.position(node, tree);
      if (position.end) return this.finish(position.end);
      this.clock.run(position.turn);
      const answer = await app.engine.go(tree.line(node), this.clock.limits, { "Skill Level": state.levels[position.turn] });
      if (this.running !== running) return undefined;
      if (!answer?.best) {
        // Another search has stopped this one.
        await sleep(250);
        continue;
      }
      const clock = this.clock.press(position.turn);
      if (this.running !== running) return undefined;
      const next = await (this.moving = app.extend(tree, node, answer.best));
      if (next) next.clock = clock;
      this.document.touch();
      if (app.tree === tree) await app.show();
      // No clock runs in the pause that lets people follow.
      await sleep(250);
    }
    return undefined;
  }

  finish(end) {
    const { tree, state } = this.game;
    state.end = end;
    tree.result = end.result;
    tree.reason = end.reason;
    this.rest();
    this.app.engine.stop();
    this.document.touch();
    if (this.app.mode !== this) return;
    this.build();
    this.app.show();
  }
}
