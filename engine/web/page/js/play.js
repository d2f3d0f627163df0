/** Playing: what the page shows of a game. */
import { announce, button, checkbox, confirm, confirmTool, h, toast, tool, toolBar } from "./dom.js";
import { Game } from "./game.js";
import { t } from "./i18n.js";
import { levelName } from "./levels.js";
import { MoveList, moveInput } from "./movelist.js";
import { NewGame } from "./newgame.js";
import { recallTab } from "./tab.js";
import { TablesPanel } from "./tablespanel.js";
import { tagOf } from "./tags.js";
import { withSidesChanged } from "./timecontrol.js";
import { showTurn } from "./title.js";
import { Tree } from "./tree.js";
import { endText, sideName, toMove } from "./words.js";

const YOURS = {
  spartan: { white: t("You play the Persians"), black: t("You play the Spartans") },
  chess: { white: t("You play White"), black: t("You play Black") },
};

const RESIGNATIONS = {
  spartan: { white: t("Persians resign?"), black: t("Spartans resign?") },
  chess: { white: t("White resigns?"), black: t("Black resigns?") },
};

export class Play {
  constructor(app) {
    this.app = app;
    this.setup = { variant: "spartan", opponent: "engine", side: "white", level: "3", time: "none", names: {}, ...app.profiles.setups.value.play };
    /** The game that the page shows, or showed last; all that run in this page are in `games`. */
    this.game = null;
    this.games = new Set();
    this.moves = new MoveList(app);
    this.tablesPanel = new TablesPanel(app, { onPlay: (node, steps) => this.tryOut(node, steps), onPoint: (move) => app.board.setArrows(move ? [{ move, kind: "best" }] : []) });
    this.newGame = new NewGame(this);
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
    const running = [...this.games].find((game) => game.isRunning && game.isHeld);
    const wanted = (this.wanted = id ?? this.game?.document.id ?? running?.document.id ?? recallTab().play?.id);
    if (!wanted) return null;
    const game = this.game?.document.id === wanted ? this.game : await Game.open(this.app, wanted);
    if (!game && id) throw new Error(t("There is no such game. It may have been deleted."));
    return game;
  }

  async enter(game, { from = null, side } = {}) {
    const { app } = this;
    if (!game) {
      app.tree = from ?? new Tree(this.setup.variant);
      if (from) Object.assign(this.setup, { side, variant: from.variant });
      this.showSetup(from);
      return app.show();
    }
    const isNew = this.game !== game;
    this.use(game);
    app.tree = game.tree;
    if (game.isRunning) await game.hold();
    if (this.game !== game) return game.release();
    // The place was left meanwhile.
    if (app.mode !== this) return game.isHeld ? game.start() : undefined;
    const flipped = app.recallPlace("play", game);
    if (game.isRunning) game.tree.current = game.tree.last;
    if (isNew || flipped !== undefined) app.board.flip(flipped ?? game.state.side === "black");
    this.showGame();
    await app.show();
    if (game.isHeld) game.start();
    else game.clock.follow();
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
    if (game === this.game && this.isShown && this.app.mode === this && this.shownRunning === !game.isRunning) this.showGame();
    this.showTurn();
  }

  /** Shows in the title whether a game waits for the user. */
  showTurn() {
    showTurn([...this.games].some(({ isRunning, isMyTurn }) => isRunning && isMyTurn));
  }

  /** Another page has closed a game, or has taken it. */
  reopen(game) {
    game.release();
    game.clock.pause();
    this.games.delete(game);
    this.showTurn();
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
    const { app, game } = this;
    if (!revision || game?.isHeld || game?.document.isUnwritten) return;
    if (!game && this.wanted === id && app.mode === this) app.enter("play", id, { isBack: true });
    if (game?.document.id !== id) return;
    game.clock.follow();
    if (!this.isShown) return;
    // What is chosen for a new game stays.
    if (this.shownRunning === !game.isRunning) this.showGame();
    app.show();
  }

  /** Offers a game from a position. */
  offer(side, variant, fen) {
    return this.app.enter("play", null, { from: new Tree(variant, fen), side });
  }

  /** While a game runs, old positions can be looked at, but only the last one can be played on. */
  movable(position) {
    if (!this.isRunning || !this.isShown || !this.game.isHeld || this.taken) return false;
    return !position.end && this.game.isByHand(position.turn) && this.app.tree.isAtLast;
  }

  /** The side that can move in advance while the engine thinks. */
  premovable(position) {
    return this.isRunning && this.game.isHeld && this.app.tree.isAtLast && !position.end && !this.game.isByHand(position.turn) ? this.state.side : null;
  }

  /** What to do if nobody can move. */
  idleHint() {
    if (this.isRunning && !this.game.isHeld) return t("This game is open in another tab.");
    if (this.isRunning) return t("This is an earlier position. Go to the last move to play on.");
    return this.state ? t("The game is over. Press New game or Rematch to play again.") : t("Press Play to begin the game.");
  }

  status(position) {
    const { tree } = this.app;
    if (!this.isShown || !tree.isAtLast) return null;
    if (this.state.end) return { text: endText(this.state.end, tree.variant) };
    if (!this.game.isHeld) return { text: t("This game is open in another tab.") };
    return !this.game.isByHand(position.turn) && !position.end ? { text: t("The engine is thinking …") } : null;
  }

  player(white) {
    if (!this.isShown) return null;
    const colour = white ? "white" : "black";
    const side = sideName(colour, this.app.tree.variant);
    const clock = this.state.clock && this.clock.element(colour);
    if (this.game.isOfTwo) {
      const name = tagOf(this.app.tree, white ? "White" : "Black") || side;
      return { name, detail: name === side ? "" : side, clock };
    }
    const human = colour === this.state.side;
    return { name: human ? t("You") : "Agoge", detail: human ? side : `${side} · ${levelName(this.state.level)}`, clock };
  }

  shown(position, node = this.app.tree.current) {
    this.moves.update();
    if (this.isShown && !this.isRunning) this.app.explorer.update(node);
    if (this.undoButton) this.undoButton.disabled = !this.game?.hasMoved;
    if (position && this.isShown && !this.isRunning) this.tablesPanel.show(node, position);
    else this.tablesPanel.leave();
  }

  /** Goes on from a position of a game that is over in the analysis. */
  async tryOut(node, steps) {
    const { app, game } = this;
    await app.enter("analyse", null, { game: game.document.id });
    if (app.modeName === "analyse" && app.tree.current.fen === node.fen) await app.mode.playLine(app.tree.current, steps);
  }

  // ---- a new game

  /** `from` is a tree with a position to start from. */
  showSetup(from = null) {
    this.shownRunning = null;
    this.newGame.show(from);
  }

  /** Leaves the choice of a new game. */
  backToGame() {
    this.showGame();
    return this.app.show();
  }

  /** Begins the game that was chosen. */
  begin(from) {
    this.keepSetup();
    return this.start(this.setup, from);
  }

  keepSetup() {
    const { setups } = this.app.profiles;
    setups.value.play = structuredClone(this.setup);
    setups.touch();
  }

  /** Begins a game, from a position or the usual one. If another one runs in this page, the user is asked. */
  async start(setup, from = null) {
    const { app } = this;
    if (this.isStarting) return;
    const running = [...this.games].filter((game) => game.isRunning && game.isHeld);
    const text = running.some(({ state }) => state.clock) ? t("You can find it in My games. Its clock keeps running.") : t("You can find it in My games.");
    if (running.length && !(await confirm(t("A game is running"), text, t("Start a new game")))) return;
    this.isStarting = true;
    this.earlyMove = null;
    try {
      const game = Game.create(app, from ? new Tree(from.variant, from.fen) : new Tree(setup.variant), setup);
      // The game need not wait for it.
      app.engine.newGame();
      await game.hold();
      await app.enter("play", game.document.id);
      // The button that had the focus is gone.
      app.board.setFocus(app.board.focusSquare);
      announce(t("New game. {state}.", { state: game.isOfTwo ? toMove(game.turn, setup.variant) : YOURS[setup.variant][game.state.side] }));
    } finally {
      this.isStarting = false;
    }
    if (this.earlyMove && this.isShown) app.board.move(...this.earlyMove);
  }

  /** A move on the board while nobody can move. Between *Play* and the game it waits for the game. */
  idleMove(from, to) {
    if (!this.isStarting) return false;
    this.earlyMove = [from, to, false];
    return true;
  }

  showGame() {
    const { app, game } = this;
    this.shownRunning = game.isRunning;
    this.undoButton = tool("back", t("Take back"), () => game.takeBack());
    const analyse = tool("search", t("Analyse"), () => app.enter("analyse", null, { game: game.document.id }), { id: "analyse-game" });
    const newGame = tool("add", t("New game"), () => this.showSetup(), { id: "new-game" });
    const learn = tool("learn", t("Learn from your mistakes"), () => app.enter("mistakes", null, { game: game.document.id }), { id: "game-mistakes" });
    let rest = [toolBar(this.undoButton, analyse, learn, newGame), button(t("Rematch"), () => this.rematch(), { class: "button primary" })];
    if (game.isRunning && !game.isHeld) {
      const takeOver = button(t("Play on here"), () => this.takeOver(), { class: "button primary", id: "take-over" });
      rest = [h("p", {}, t("This game is open in another tab or window.")), takeOver, toolBar(analyse, newGame)];
    } else if (game.isRunning) {
      rest = [toolBar(this.undoButton, tool("hint", t("Hint"), () => this.hint()), ...this.endButtons(game), analyse, newGame),
        game.isOfTwo ? this.turnBox(game) : "", moveInput(app)];
    }
    const title = game.isRunning ? (game.isOfTwo ? t("Game") : t("Your game")) : t("Game over");
    app.setPanel(h("h2", { class: "visually-hidden" }, title), this.moves.element, ...(game.isRunning ? [] : [this.tablesPanel.element, app.explorer.element]), ...rest);
    this.shown();
  }

  /** Takes the game from another page that has it. */
  async takeOver() {
    const { app, game } = this;
    if (this.taken === game) return;
    this.taken = game;
    try {
      const given = app.documents.given(game.document.id);
      if (await game.hold({ steal: true })) {
        await given;
        await game.refresh();
      }
    } finally {
      this.taken = null;
    }
    // It was opened anew meanwhile.
    if (this.game !== game) {
      game.release();
      return;
    }
    if (this.isShown) {
      this.showGame();
      await app.show();
    }
    game.start();
  }

  endButtons(game) {
    const draw = game.isOfTwo
      ? confirmTool("draw", t("Draw"), () => t("Do both agree?"), () => game.agreeToDraw(), { id: "draw" })
      : tool("draw", t("Offer a draw"), () => game.offerDraw() || toast(t("The engine declines: it would rather play on.")), { id: "draw" });
    const question = () => (game.isOfTwo ? RESIGNATIONS[game.tree.variant][game.turn] : t("Really resign?"));
    return [draw, confirmTool("flag", t("Resign"), question, () => game.resign(), { id: "resign" })];
  }

  turnBox(game) {
    return checkbox(t("Turn the board after each move"), game.state.turns, (value) => {
      game.state.turns = this.setup.turns = value;
      game.document.touch();
      this.keepSetup();
      game.turnBoard();
    });
  }

  rematch() {
    const { variant } = this.app.tree;
    const { side, level, time, setup } = this.state;
    const known = { ...this.setup, opponent: "engine", time: time ?? this.setup.time, ...setup };
    return this.start(withSidesChanged({ ...known, level, side, variant }));
  }

  // ---- the game

  async userMove(move) {
    // While another game is being opened, the board still shows the last one.
    if (!this.game?.isHeld) return;
    this.app.board.setArrows([]);
    await this.game.add(move);
  }

  async hint() {
    const { app } = this;
    const position = await app.position();
    if (!this.movable(position)) return toast(t("Hints are for your own moves."));
    const node = app.tree.current;
    const answer = await app.engine.go(app.tree.line(), "movetime 800");
    if (!answer?.best || app.tree.current !== node) return;
    app.board.setArrows([{ move: answer.best, kind: "hint" }]);
    announce(t("Hint: {move}", { move: position.legal.find(({ move }) => move === answer.best)?.san }));
  }
}
