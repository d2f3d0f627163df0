/** Playing against the engine. */
import { announce, button, checkbox, choice, h, icon, select, sleep, toast } from "./dom.js";
import { endText, sideName } from "./app.js";
import { Clock, clockState } from "./clock.js";
import { MoveList, moveInput } from "./movelist.js";
import { VARIANTS, picture } from "./pieces.js";
import { load, store } from "./settings.js";
import { play as sound } from "./sound.js";
import { Tree } from "./tree.js";

/** The Elo of each level, as measured (README, "Levels"). */
const ELO = [880, 1040, 1190, 1310, 1450, 1555, 1675, 1830, 1920, 2060, 2270, 2430, 2615, 2810, 3015, 3240, 3365, 3650, 3840, 4010];

export const LEVELS = [...ELO.map((elo, level) => [String(level), `Level ${level + 1} · ${elo} Elo${level === 0 ? " · beginner" : ""}`]), ["20", "Level 21 · full strength"]];

export const levelName = (level) => (Number(level) < 20 ? `${ELO[level]} Elo` : "full strength");

const TIMES = [["none", "No clock"], ["move:1", "Engine: 1 second a move"], ["move:5", "Engine: 5 seconds a move"], ["clock:180+2", "3 minutes + 2 seconds"], ["clock:300+3", "5 minutes + 3 seconds"], ["clock:600+5", "10 minutes + 5 seconds"], ["clock:1800+20", "30 minutes + 20 seconds"]];

export class Play {
  constructor(app) {
    this.app = app;
    this.setup = { variant: "spartan", side: "white", level: "3", time: "none", fromHere: false, ...load("play-setup") };
    this.state = null;
    this.moves = new MoveList(app);
    this.clock = new Clock((end) => this.flagFell(end));
  }

  // ---- the mode

  async enter({ setup = false } = {}) {
    this.app.setGame(this.app.game);
    this.realign();
    if (setup || !this.state) this.showSetup();
    else this.showGame();
    await this.app.show();
    if (this.isRunning) this.resume();
  }

  /** Returns to the moves of the game, which the analysis may have left or changed. */
  realign() {
    if (!this.state?.moves) return;
    const { tree } = this.app;
    const node = tree.follow(this.state.moves);
    tree.promote(node);
    tree.cut(node);
  }

  /** Offers a game from the position on the board. */
  offer(side) {
    this.state = null;
    Object.assign(this.setup, { fromHere: true, side, variant: this.app.tree.variant });
    return this.app.enter("play", { setup: true });
  }

  /** Notes the moves of the game. */
  note() {
    this.state.moves = this.app.tree.line(this.app.tree.last).moves;
    this.app.save();
  }

  async leave() {
    this.clock.stop();
    this.thinking = null;
    await this.app.engine.stop();
  }

  get isRunning() {
    return !!this.state && !this.state.end;
  }

  /** While a game runs, old positions can be looked at, but only the last one can be played on. */
  movable(position) {
    if (!this.isRunning) return false;
    return !position.end && position.turn === this.state.side && this.app.tree.current === this.app.tree.last;
  }

  /** The side that can move in advance while the engine thinks. */
  premovable(position) {
    const isLast = this.app.tree.current === this.app.tree.last;
    return this.isRunning && isLast && !position.end && position.turn !== this.state.side ? this.state.side : null;
  }

  /** What to do if nobody can move. */
  idleHint() {
    if (this.isRunning) return "This is an earlier position. Go to the last move to play on.";
    return this.state ? "The game is over. Press New game or Rematch to play again." : "Press Play to begin the game.";
  }

  status(position) {
    if (this.state?.end && this.app.tree.current === this.app.tree.last) return { text: endText(this.state.end, this.app.tree.variant) };
    if (this.isRunning && position.turn !== this.state.side && !position.end) return { text: "The engine is thinking …" };
    return null;
  }

  player(white) {
    if (!this.state) return null;
    const colour = white ? "white" : "black";
    const side = sideName(colour, this.app.tree.variant);
    const human = colour === this.state.side;
    return { name: human ? `You` : "Agoge", detail: human ? side : `${side} · ${levelName(this.state.level)}`, clock: this.state.clock && this.clock.element(colour) };
  }

  shown() {
    this.moves.update();
    if (this.undoButton) this.undoButton.disabled = !this.hasMoved();
  }

  /** Whether the user has a move to take back. */
  hasMoved() {
    const { tree } = this.app;
    return tree.last.path.some((node) => tree.isWhite(node) === (this.state?.side === "white"));
  }

  // ---- a new game

  showSetup() {
    const set = (name) => (value) => {
      this.setup[name] = value;
      if (name === "variant") this.showSetup();
    };
    const { setup } = this;
    const hasPosition = this.app.game.current.parent || this.app.game.fen !== new Tree(this.app.game.variant).fen;
    const side = (colour, king) => [colour, sideName(colour, setup.variant), picture(king, setup.variant)];
    const sides = [side("white", "K"), ["random", "Either"], side("black", "k")];
    this.app.setPanel(
      h("h2", {}, "New game"),
      choice("Game", "variant", VARIANTS, setup.variant, set("variant")),
      choice("Your side", "side", sides, setup.side, set("side")),
      select("Strength of the engine", LEVELS, setup.level, set("level")),
      select("Time", TIMES, setup.time, set("time")),
      hasPosition ? checkbox("Start from the position on the board", setup.fromHere, set("fromHere")) : "",
      button("Play", () => this.start(), { class: "button primary big", id: "start" }),
      h("p", { class: "hint" }, "New to Spartan Chess? The Persians have the usual pieces and move first. The Spartans have two kings: losing one is not the end. ",
        h("button", { type: "button", class: "mv", onclick: () => this.app.enter("learn") }, "Read the rules")));
  }

  async start(setup = this.setup) {
    store("play-setup", setup);
    const { app } = this;
    // A move for the game before would be played in this one.
    this.thinking = null;
    let tree = new Tree(setup.variant);
    if (setup.fromHere && app.shown) tree = new Tree(app.tree.variant, app.shown.fen);
    setup.fromHere = false;
    const side = setup.side === "random" ? (Math.random() < 0.5 ? "white" : "black") : setup.side;
    const [kind, time] = setup.time.split(":");
    const clock = kind === "clock" ? clockState(time) : null;
    this.state = { side, level: setup.level, moveTime: kind === "move" ? Number(time) * 1000 : null, clock, end: null, moves: [] };
    tree.tags = [["Event", "Casual game"], ["Site", "Agoge"], ["Date", new Date().toISOString().slice(0, 10).replaceAll("-", ".")], ["Round", "-"],
      ["White", side === "white" ? "You" : `Agoge (${levelName(setup.level)})`], ["Black", side === "black" ? "You" : `Agoge (${levelName(setup.level)})`]];
    app.setGame(tree);
    this.clock.set(clock);
    app.flip(side === "black");
    await app.engine.newGame();
    this.showGame();
    await app.show();
    app.board.reveal();
    announce(`New game. You play the ${sideName(side, tree.variant)}.`);
    this.resume();
  }

  showGame() {
    this.undoButton = button("Take back", () => this.takeBack());
    this.undoButton.prepend(icon("back"));
    const hint = button("Hint", () => this.hint());
    hint.prepend(icon("hint"));
    const { undoButton } = this;
    const rest = this.isRunning
      ? [h("div", { class: "row-of" }, undoButton, hint),
        h("div", { class: "row-of" }, button("Offer a draw", () => this.offerDraw()), button("Resign", () => this.resign())),
        moveInput(this.app)]
      : [h("div", { class: "row-of" }, button("Rematch", () => this.rematch(), { class: "button primary" }), button("Analyse", () => this.app.enter("analyse"))), undoButton];
    this.app.setPanel(h("h2", {}, this.isRunning ? "Your game" : "Game over"), this.moves.element,
      ...rest, button("New game", () => this.showSetup(), { id: "new-game" }));
    this.moves.update();
  }

  rematch() {
    const side = this.state.side === "white" ? "black" : "white";
    this.start({ ...this.setup, side, variant: this.app.tree.variant });
  }

  // ---- the game

  async userMove(move) {
    this.app.board.setArrows([]);
    const node = await this.app.play(move);
    if (node) await this.moved();
  }

  /** After a move: the clock changes sides, or the game is over. */
  async moved() {
    this.note();
    const position = await this.app.position(this.app.tree.last);
    this.clock.press(position.turn === "white" ? "black" : "white");
    if (position.end) this.finish(position.end);
    else this.resume();
  }

  /** Lets the clock run and the engine think if it is its turn. */
  async resume() {
    const { app } = this;
    const position = await app.position(app.tree.last);
    if (position.end) return this.finish(position.end);
    if (app.mode !== this) return;
    if (app.tree.last.parent) this.clock.run(position.turn);
    if (position.turn === this.state.side) return app.board.playPremove();
    if (this.thinking === app.tree.last) return;
    const node = (this.thinking = app.tree.last);
    app.showStatus(position);
    const began = performance.now();
    const answer = await app.engine.go(app.tree.line(node), this.limits(), { "Skill Level": this.state.level }, (info) => (this.lastScore = info.score));
    if (this.thinking !== node || !answer?.best || !this.isRunning) return;
    // A move at once looks as if nothing had happened.
    await sleep(350 - (performance.now() - began));
    if (this.thinking !== node || !this.isRunning) return;
    this.thinking = null;
    app.tree.current = node;
    if (await app.play(answer.best)) await this.moved();
  }

  limits() {
    const { clock, moveTime, level } = this.state;
    return clock ? this.clock.limits : `movetime ${moveTime ?? (Number(level) < 20 ? 1000 : 2000)}`;
  }

  finish(end) {
    if (!this.isRunning) return;
    this.state.end = end;
    this.thinking = null;
    this.clock.stop();
    this.app.tree.result = end.result;
    this.app.tree.endText = endText(end, this.app.tree.variant);
    announce(this.app.tree.endText);
    this.app.engine.stop();
    if (this.app.mode === this) {
      this.showGame();
      this.app.show();
    }
  }

  flagFell(end) {
    if (!this.isRunning) return;
    sound("end");
    this.finish(end);
  }

  resign() {
    this.finish({ result: this.state.side === "white" ? "0-1" : "1-0", reason: "resignation" });
  }

  offerDraw() {
    const { cp } = this.lastScore ?? {};
    // The score is from the engine's view.
    if (cp !== undefined && cp <= 0 && this.app.tree.last.ply >= 20) this.finish({ result: "1/2-1/2", reason: "agreement" });
    else toast("The engine declines: it would rather play on.");
  }

  /** Takes back moves until it is the user's turn before another move. */
  async takeBack() {
    const { app } = this;
    this.thinking = null;
    await app.engine.stop();
    let node = app.tree.last;
    if (!node.parent) return;
    do node = node.parent; while (node.parent && (await app.position(node)).turn !== this.state.side);
    app.tree.cut(node);
    this.state.end = null;
    app.tree.result = "*";
    app.tree.endText = undefined;
    this.note();
    this.showGame();
    await app.show();
    announce("Moves taken back.");
    this.resume();
  }

  async hint() {
    const { app } = this;
    const position = await app.position();
    if (!this.movable(position)) return toast("Hints are for your own moves.");
    const node = app.tree.current;
    const answer = await app.engine.go(app.tree.line(), "movetime 800");
    if (!answer?.best || app.tree.current !== node) return;
    app.board.setArrows([{ move: answer.best, kind: "hint" }]);
    announce(`Hint: ${position.legal.find(({ move }) => move === answer.best)?.san}`);
  }

  flipped() {
    this.app.save();
  }

  /** Continues a game after a reload. */
  restore(state) {
    this.state = state;
    if (state?.clock) this.clock.set(state.clock);
  }
}
