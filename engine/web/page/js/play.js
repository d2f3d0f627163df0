/** Playing against the engine: what the page shows of a game, and of a new one. */
import { announce, button, checkbox, choice, confirm, h, icon, select, toast } from "./dom.js";
import { endText, sideName } from "./app.js";
import { heldLocks, lockName } from "./documents.js";
import { Game } from "./game.js";
import { LEVELS, levelName } from "./levels.js";
import { MoveList, moveInput } from "./movelist.js";
import { VARIANTS, picture } from "./pieces.js";
import { recallTab } from "./tab.js";
import { showTurn } from "./title.js";
import { Tree } from "./tree.js";

const TIMES = [["none", "No clock"], ["move:1", "Engine: 1 second a move"], ["move:5", "Engine: 5 seconds a move"], ["clock:180+2", "3 minutes + 2 seconds"], ["clock:300+3", "5 minutes + 3 seconds"], ["clock:600+5", "10 minutes + 5 seconds"], ["clock:1800+20", "30 minutes + 20 seconds"]];

export class Play {
  constructor(app) {
    this.app = app;
    this.setup = { variant: "spartan", side: "white", level: "3", time: "none", ...app.profiles.setups.value.play };
    /** The game that the page shows, or showed last; all that run in this page are in `games`. */
    this.game = null;
    this.games = new Set();
    this.moves = new MoveList(app);
  }

  get state() {
    return this.game?.state ?? null;
  }

  get clock() {
    return this.game?.clock;
  }

  get document() {
    return this.game?.document ?? null;
  }

  get isRunning() {
    return !!this.game?.isRunning;
  }

  /** Whether the board has the game, and not the position for a new one. */
  get isShown() {
    return !!this.game?.isShown;
  }

  get address() {
    return this.isShown ? `/${this.document.id}` : "";
  }

  // ---- the place

  /** Finds the game with an id, or the one that this tab had last. `from`, a tree, offers a new game instead. */
  async find(id, { from } = {}) {
    if (from) return null;
    const running = [...this.games].find((game) => game.isRunning);
    const wanted = (this.wanted = id ?? this.game?.document.id ?? running?.document.id ?? recallTab().play?.id);
    if (!wanted) return null;
    const game = this.game?.document.id === wanted ? this.game : await Game.open(this.app, wanted);
    if (!game && id) throw new Error("There is no such game. It may have been deleted.");
    return game;
  }

  async enter(game, { from = null, side } = {}) {
    const { app } = this;
    if (!game) {
      app.tree = from ?? new Tree(this.setup.variant);
      if (from) Object.assign(this.setup, { side, variant: from.variant });
      this.showSetup(from && app.tree);
      return app.show();
    }
    const isNew = this.game !== game;
    this.use(game);
    app.tree = game.tree;
    if (game.isRunning) await game.hold();
    if (this.game !== game) return game.release();
    const flipped = app.recallPlace("play", game);
    if (game.isRunning) game.tree.current = game.tree.last;
    if (isNew || flipped !== undefined) app.board.flip(flipped ?? game.state.side === "black");
    this.showGame();
    await app.show();
    if (game.isHeld) game.start();
    return undefined;
  }

  /** Makes a game the one that the place shows. */
  use(game) {
    this.game = game;
    this.games.add(game);
    game.onChange = () => this.changed(game);
    game.onFree = () => this.reopen(game);
  }

  /** A game has begun, moved or ended. */
  changed(game) {
    if (game === this.game && this.isShown && this.app.mode === this && this.shownRunning !== game.isRunning) this.showGame();
    showTurn([...this.games].some(({ isRunning, isMyTurn }) => isRunning && isMyTurn));
  }

  /** Another page has closed a game, or moved in it. */
  reopen(game) {
    game.release();
    this.games.delete(game);
    this.app.documents.opened.delete(game.document.id);
    if (this.game !== game) return;
    this.game = null;
    if (this.app.mode === this) this.app.enter("play", game.document.id, { isBack: true });
  }

  /** The game was deleted. */
  forget() {
    const { game } = this;
    this.game = null;
    this.games.delete(game);
    this.changed(game);
  }

  /** A document was changed in another page. */
  changedElsewhere({ id, revision }) {
    const { game } = this;
    if (!revision || game?.isHeld) return;
    if (game?.document.id === id) this.reopen(game);
    else if (!game && this.wanted === id && this.app.mode === this) this.app.enter("play", id, { isBack: true });
  }

  /** Offers a game from a position. */
  offer(side, variant, fen) {
    return this.app.enter("play", null, { from: new Tree(variant, fen), side });
  }

  /** While a game runs, old positions can be looked at, but only the last one can be played on. */
  movable(position) {
    if (!this.isRunning || !this.isShown || !this.game.isHeld) return false;
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
    const { tree } = this.app;
    if (!this.isShown || tree.current !== tree.last) return null;
    if (this.state.end) return { text: endText(this.state.end, tree.variant) };
    if (!this.game.isHeld) return { text: "This game is open in another tab" };
    return position.turn !== this.state.side && !position.end ? { text: "The engine is thinking …" } : null;
  }

  player(white) {
    if (!this.isShown) return null;
    const colour = white ? "white" : "black";
    const side = sideName(colour, this.app.tree.variant);
    const human = colour === this.state.side;
    return { name: human ? `You` : "Agoge", detail: human ? side : `${side} · ${levelName(this.state.level)}`, clock: this.state.clock && this.clock.element(colour) };
  }

  shown() {
    this.moves.update();
    if (this.undoButton) this.undoButton.disabled = !this.game?.hasMoved;
  }

  // ---- a new game

  /** `from` is a tree with a position to start from. */
  showSetup(from = null) {
    const { setup, app } = this;
    this.shownRunning = null;
    const set = (name) => (value) => {
      setup[name] = value;
      if (name !== "variant") return;
      this.showSetup(from);
      if (this.isShown || from) return;
      app.tree = new Tree(value);
      app.show();
    };
    let fromHere = !!from;
    const start = from ?? (app.tree.current.parent || app.tree.fen !== new Tree(app.tree.variant).fen ? new Tree(app.tree.variant, app.tree.current.fen) : null);
    const side = (colour, king) => [colour, sideName(colour, setup.variant), picture(king, setup.variant)];
    const sides = [side("white", "K"), ["random", "Either"], side("black", "k")];
    this.offers = h("div", { class: "stack" });
    app.setPanel(
      h("h2", {}, "New game"), this.offers,
      choice("Game", "variant", VARIANTS, setup.variant, set("variant")),
      choice("Your side", "side", sides, setup.side, set("side")),
      select("Strength of the engine", LEVELS, setup.level, set("level")),
      select("Time", TIMES, setup.time, set("time")),
      start ? checkbox("Start from the position on the board", fromHere, (value) => (fromHere = value)) : "",
      button("Play", () => this.start(setup, fromHere ? start : null), { class: "button primary big", id: "start" }),
      h("p", { class: "hint" }, "New to Spartan Chess? The Persians have the usual pieces and move first. The Spartans have two kings: losing one is not the end. ",
        h("button", { type: "button", class: "mv", onclick: () => app.enter("learn") }, "Read the rules")));
    this.showOffers(this.offers);
  }

  /** Offers to go on with the game of this page, and with running games that no page has open. */
  async showOffers(element) {
    const { app } = this;
    const own = [...this.games].filter((game) => game.isRunning && game.isHeld).map((game) => ({ id: game.document.id, ...game.document.read() }));
    if (!own.length && this.isShown) own.push({ id: this.game.document.id, ...this.game.document.read() });
    let others = [];
    try {
      const held = await heldLocks();
      const games = await app.documents.store.list("game");
      others = games.filter(({ id, summary }) => summary.place === "play" && summary.running && !held.includes(lockName(id)) && !own.some((game) => game.id === id));
    } catch (error) {
      app.documents.fail(error);
    }
    element.replaceChildren(...[...own, ...others.slice(0, 3)].map(({ id, summary }) =>
      button(`${summary.running ? "Go on with" : "Back to"}: ${summary.white} – ${summary.black}, ${movesText(summary)}`, () => app.enter("play", id), { class: "button resume" })));
  }

  /** Begins a game, from a position or the usual one. If another one runs in this page, the user is asked. */
  async start(setup = this.setup, from = null) {
    const { app } = this;
    const running = [...this.games].some((game) => game.isRunning && game.isHeld);
    if (running && !(await confirm("A game is running", "Its clock goes on. You find it in My games.", "Start a new game"))) return;
    app.profiles.setups.value.play = { ...setup };
    app.profiles.setups.touch();
    const game = Game.create(app, from ? new Tree(from.variant, from.fen) : new Tree(setup.variant), setup);
    await game.hold();
    await app.engine.newGame();
    await app.enter("play", game.document.id);
    app.board.reveal();
    // The button that had the focus is gone.
    app.board.setFocus(app.board.focusSquare);
    announce(`New game. You play the ${game.sideText}.`);
  }

  showGame() {
    const { app, game } = this;
    this.shownRunning = game.isRunning;
    this.undoButton = button("Take back", () => game.takeBack());
    this.undoButton.prepend(icon("back"));
    const hint = button("Hint", () => this.hint());
    hint.prepend(icon("hint"));
    const { undoButton } = this;
    const analyse = button("Analyse", () => app.enter("analyse", null, { game: game.document.id }), { id: "analyse-game" });
    const newGame = button("New game", () => this.showSetup(), { id: "new-game" });
    let rest = [h("div", { class: "row-of" }, button("Rematch", () => this.rematch(), { class: "button primary" }), analyse), undoButton, newGame];
    if (game.isRunning && !game.isHeld) {
      rest = [h("p", {}, "This game is open in another tab or window. It can go on here when it is closed there."), h("div", { class: "row-of" }, analyse, newGame)];
    } else if (game.isRunning) {
      rest = [h("div", { class: "row-of" }, undoButton, hint),
        h("div", { class: "row-of" }, button("Offer a draw", () => game.offerDraw() || toast("The engine declines: it would rather play on.")), button("Resign", () => game.resign())),
        moveInput(app), h("div", { class: "row-of" }, analyse, newGame)];
    }
    app.setPanel(h("h2", {}, game.isRunning ? "Your game" : "Game over"), this.moves.element, ...rest);
    this.shown();
  }

  rematch() {
    const { variant } = this.app.tree;
    const { side, level, time } = this.state;
    return this.start({ ...this.setup, level, time: time ?? this.setup.time, variant, side: side === "white" ? "black" : "white" });
  }

  // ---- the game

  async userMove(move) {
    this.app.board.setArrows([]);
    await this.game.add(move);
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
}

export const movesText = ({ moves }) => (moves === 1 ? "1 move" : `${moves} moves`);
