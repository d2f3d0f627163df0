/** Puzzles: from the engine's own games, with a rating of the user. */
import { $, announce, button, h, s, select, sleep, tool, toolBar } from "./dom.js";
import { number, plural, t } from "./i18n.js";
import { MoveList, moveInput } from "./movelist.js";
import { kindName } from "./pieces.js";
import { findPuzzle, readPuzzles, themeName, themesOf } from "./puzzlefile.js";
import { addAttempt, hasTried, ratings, streak } from "./rating.js";
import { recallTab } from "./tab.js";
import { Tree, turnOf } from "./tree.js";
import { endText, toMove } from "./words.js";

/** How long a wrong move and the reply to it are shown, in milliseconds. */
const REFUTATION = 1800;

/** The limit of the engine when it refutes a move. */
const LIMIT = "nodes 40000";

/** A score for the opponent from which the move has lost, in centipawns. */
const LOSING = 150;

/** Of how many puzzles that are nearest to the user's rating the next one is drawn. */
const NEAREST = 12;

/** A rating as a text. It has no separators, as ratings of players have none. */
const rounded = (rating) => String(Math.round(rating));

export class Puzzles {
  constructor(app) {
    this.app = app;
    this.theme = app.profiles.setups.value.puzzles ?? "all";
    this.result = h("p", { class: "puzzle-result", role: "status" });
    this.moves = new MoveList(app);
    this.standing = h("section", { class: "stack", "aria-label": t("Your rating") });
  }

  get record() {
    return this.app.profiles.puzzles.value;
  }

  /** The puzzle in the address is its document. */
  get document() {
    return this.puzzle;
  }

  get address() {
    return `/${encodeURIComponent(this.puzzle.id)}`;
  }

  async find(id) {
    this.all ??= await readPuzzles("puzzles");
    const wanted = id ?? this.puzzle?.id ?? recallTab().puzzles?.id;
    const puzzle = wanted && (await findPuzzle(wanted));
    if (!puzzle && id) throw new Error(t("There is no such puzzle."));
    return puzzle || this.next();
  }

  async enter(puzzle) {
    // A puzzle from an address may have other themes than the one chosen.
    if (!this.list.includes(puzzle)) this.theme = "all";
    await this.open(puzzle);
  }

  async leave() {
    this.state = "left";
    await this.app.engine.stop();
  }

  get list() {
    const list = this.all.filter(({ themes }) => themes.includes(this.theme));
    return list.length ? list : this.all;
  }

  /** A puzzle of the theme near the user's rating: a new one; if there is none, one not solved yet. */
  next() {
    const { record, list, puzzle: present } = this;
    const others = list.filter((puzzle) => puzzle !== present);
    const fresh = others.filter(({ id }) => !hasTried(record, id) && !record.solved.includes(id));
    const unsolved = others.filter(({ id }) => !record.solved.includes(id));
    const pool = [fresh, unsolved, others, list].find(({ length }) => length);
    const { rating } = ratings(record).at(-1);
    const near = [...pool].sort((a, b) => Math.abs(a.rating - rating) - Math.abs(b.rating - rating)).slice(0, NEAREST);
    return near[Math.floor(Math.random() * near.length)];
  }

  /** Opens another puzzle, which is a step for the browser's Back. */
  go(puzzle) {
    return this.app.enter("puzzles", puzzle.id);
  }

  async open(puzzle) {
    this.puzzle = puzzle;
    this.state = "open";
    // What is known already cannot be found.
    this.clean = !this.helped?.has(puzzle.id);
    this.hints = 0;
    this.left = puzzle.mate;
    this.app.tree = new Tree("spartan", puzzle.fen);
    this.say("", "");
    this.build();
    this.app.board.setArrows([]);
    this.app.flip(this.side === "black");
    await this.app.show();
  }

  shown() {
    this.moves.update();
  }

  get side() {
    return turnOf(this.puzzle.fen);
  }

  /** Earlier positions can be looked at, but only the last one can be played on. */
  movable(position) {
    return this.state === "open" && !position.end && position.turn === this.side && this.app.tree.isAtLast;
  }

  status(position) {
    return position.end ? null : { text: this.state === "open" ? `${toMove(position.turn, "spartan")}: ${this.task(this.left)}` : this.result.textContent };
  }

  /** What is to be done; `left` is the number of moves left to mate. */
  task(left) {
    return this.puzzle.mate ? t("mate in {count}", { count: left }) : t("find the best move");
  }

  /** Whether the puzzle is over, so that its themes and its rating give nothing away. */
  get isOver() {
    return this.state === "solved" || this.state === "solution";
  }

  // ---- the panel

  build() {
    const { puzzle, isOver } = this;
    const themes = [["all", t("All puzzles")], ...themesOf(this.all).map(([theme, count]) => [theme, t("{theme} ({count})", { theme: themeName(theme), count })])];
    const theme = select(t("Theme"), themes, this.theme, (value) => {
      this.theme = value;
      this.app.profiles.setups.value.puzzles = value;
      this.app.profiles.setups.touch();
      this.puzzle = null;
      this.go(this.next());
    });
    const next = () => this.go(this.next());
    const during = () => [tool("hint", t("Hint"), () => this.hint(), { id: "puzzle-hint" }), tool("eye", t("Show the solution"), () => this.solve(), { id: "puzzle-solution" }), tool("next", t("Another puzzle"), next, { id: "puzzle-next" })];
    const over = () => [tool("again", t("Try again"), () => this.open(this.puzzle)), tool("search", t("Analyse"), () => this.analyse(), { id: "puzzle-analyse" })];
    const side = toMove(this.side, "spartan");
    this.app.setPanel(h("div", { class: "puzzle-head" }, h("h2", {}, t("Puzzles")), theme),
      h("p", { class: "big" }, h("strong", {}, side), `: ${this.task(puzzle.mate)}`), this.result, isOver ? this.facts() : "",
      isOver ? button(t("Next puzzle"), next, { class: "button primary", id: "puzzle-next" }) : "", toolBar(...(isOver ? over() : during())), this.standing, this.moves.element, moveInput(this.app));
    this.showStanding();
  }

  /** What a puzzle was about. */
  facts() {
    const { rating, themes } = this.puzzle;
    const names = themes.map(themeName).join(", ");
    return h("p", { class: "hint", id: "puzzle-facts" }, [rating && t("Rating of the puzzle: {rating}", { rating: String(rating) }), names].filter(Boolean).join(" · "));
  }

  /** The user's rating, and how it went. */
  showStanding() {
    const { record } = this;
    const all = ratings(record);
    const { rating, deviation } = all.at(-1);
    const row = streak(record);
    const texts = [t("Your rating: {rating} ± {deviation}", { rating: rounded(rating), deviation: rounded(deviation) }), t("{count} solved", { count: record.solved.length })];
    if (row > 1) texts.push(t("{count} in a row", { count: row }));
    this.standing.replaceChildren(h("p", { class: "hint", id: "puzzle-rating" }, texts.join(" · ")), all.length > 2 ? this.curve(all.slice(-60)) : "");
  }

  curve(all) {
    const values = all.map(({ rating }) => rating);
    const [low, high] = [Math.min(...values) - 20, Math.max(...values) + 20];
    const points = values.map((value, index) => `${index / (values.length - 1) * 100},${(high - value) / (high - low) * 100}`);
    const label = t("Your rating went from {first} to {last}.", { first: rounded(values[0]), last: rounded(values.at(-1)) });
    return s("svg", { class: "curve", viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": label }, s("polyline", { points: points.join(" ") }));
  }

  say(text, kind) {
    this.result.textContent = text;
    this.result.className = `puzzle-result ${kind}`;
    // On small screens the panel may have to be scrolled.
    if (this.state === "checking") $("status").textContent = text;
  }

  // ---- solving

  async userMove(move) {
    if (this.state !== "open") return;
    const { puzzle, app } = this;
    const before = app.tree.current;
    this.state = "checking";
    app.board.setArrows([]);
    const node = await app.play(move);
    if (!this.isStill(puzzle, "checking")) return;
    if (!node) {
      this.state = "open";
      return;
    }
    const position = await app.position(node);
    const verdict = await this.judge(node, position);
    if (!this.isStill(puzzle, "checking")) return;
    if (!verdict.right) {
      await this.refute(node, position, verdict.why);
      if (!this.isStill(puzzle, "checking")) return;
      this.state = "open";
      app.tree.current = before;
      app.tree.remove(node);
      await app.show();
      return;
    }
    this.hints = 0;
    if (!verdict.reply) {
      this.succeed();
      return;
    }
    this.left -= 1;
    this.say(t("Right. Go on …"), "right");
    this.state = "open";
    await app.play(verdict.reply, node);
  }

  isStill(puzzle, state) {
    return this.puzzle === puzzle && this.state === state;
  }

  /** Whether a move is right, and the reply to it if the puzzle goes on. `why` says what is wrong with it. */
  async judge(node, position) {
    const { puzzle, app } = this;
    const played = node.path.map(({ move }) => move);
    if (position.end?.reason.endsWith("checkmate")) return { right: true };
    if (played.every((move, index) => move === puzzle.line[index])) return { right: true, reply: puzzle.line[played.length] };
    if (!puzzle.mate || position.end) return { right: false };
    if (this.left === 1) return { right: false, why: t("It does not mate.") };
    if (puzzle.rating) return { right: false, why: t("It does not mate in {count}.", { count: this.left }) };
    // Mates of the test suites have more than one solution: the engine finds out whether another move mates in time.
    let score = null;
    const answer = await app.engine.go(app.tree.line(node), "nodes 600000", { UCI_AnalyseMode: true }, (info) => (score = info.score));
    const mates = score?.mate !== undefined && score.mate < 0 && -score.mate <= this.left - 1;
    return answer && mates ? { right: true, reply: answer.best } : { right: false, why: t("It does not mate in {count}.", { count: this.left }) };
  }

  /** Plays the reply that shows what is wrong with a move, and says so. */
  async refute(node, position, why) {
    const { puzzle, app } = this;
    this.fail();
    const move = node.san;
    if (position.end) {
      this.say(t("{move} is wrong: {end}.", { move, end: endText(position.end, "spartan") }), "wrong");
      await sleep(REFUTATION);
      return;
    }
    this.say(why ? t("{move} is wrong. {reason}", { move, reason: why }) : t("{move} is wrong.", { move }), "wrong");
    let score = {};
    const answer = await app.engine.go(app.tree.line(node), LIMIT, { UCI_AnalyseMode: true }, (info) => (score = info.score));
    if (!answer?.best || !this.isStill(puzzle, "checking")) return;
    await sleep(REFUTATION / 3);
    if (!this.isStill(puzzle, "checking")) return;
    const reply = await app.play(answer.best, node);
    if (!reply) return;
    const values = { move, reply: reply.san, count: score.mate };
    let text = t("{move} is wrong: after {reply} it has achieved too little.", values);
    if (puzzle.mate) {
      text = this.left > 1
        ? t("{move} is wrong: after {reply} there is no mate in {count}.", { ...values, count: this.left - 1 })
        : t("{move} does not mate: the answer is {reply}.", values);
    }
    if (score.mate > 0) text = plural("{move} is wrong: {reply} mates.", "{move} is wrong: {reply} mates in {count} moves.", values);
    else if (score.cp >= LOSING) text = t("{move} is wrong: {reply} wins for the opponent.", values);
    this.say(text, "wrong");
    announce(text);
    await sleep(REFUTATION);
  }

  succeed() {
    this.state = "solved";
    const change = this.clean ? this.rate(1) : null;
    if (this.clean) this.keep("solved", "failed");
    const text = this.clean ? t("Solved!") : t("Solved, though not at the first try.");
    this.say(change ? t("{result} Your rating: {rating} ({change})", { result: text, ...change }) : text, "right");
    this.build();
    this.app.show();
  }

  fail() {
    if (this.clean) this.rate(0);
    this.clean = false;
    if (!this.record.solved.includes(this.puzzle.id)) this.keep("failed", "solved");
  }

  /** Counts the attempt, if it is the first one at this puzzle. Returns the rating and its change as texts. */
  rate(score) {
    const { record, puzzle } = this;
    if (!puzzle.rating || hasTried(record, puzzle.id)) return null;
    const before = ratings(record).at(-1).rating;
    addAttempt(record, { id: puzzle.id, at: Date.now(), rating: puzzle.rating, score });
    this.app.profiles.puzzles.touch();
    this.showStanding();
    const { rating } = ratings(record).at(-1);
    return { rating: rounded(rating), change: number(Math.round(rating) - Math.round(before), { signDisplay: "exceptZero" }) };
  }

  keep(name, other) {
    const { id } = this.puzzle;
    this.record[other] = this.record[other].filter((item) => item !== id);
    if (!this.record[name].includes(id)) this.record[name].push(id);
    this.app.profiles.puzzles.touch();
  }

  // ---- help

  /** The move of the solution in the present position, or undefined. */
  get nextMove() {
    const played = this.app.tree.current.path.map(({ move }) => move);
    return played.every((move, index) => move === this.puzzle.line[index]) ? this.puzzle.line[played.length] : undefined;
  }

  /** Helps: the puzzle does not count as solved any more. */
  help() {
    this.fail();
    this.helped ??= new Set();
    this.helped.add(this.puzzle.id);
  }

  /** Tells the piece to move; the second time its move, too. */
  async hint() {
    const { app } = this;
    if (this.state !== "open") return;
    await app.goTo(app.tree.last);
    const { nextMove } = this;
    if (!nextMove) return;
    const { legal } = await app.position();
    if (this.state !== "open" || this.nextMove !== nextMove) return;
    this.help();
    this.hints += 1;
    const { san } = legal.find(({ move }) => move === nextMove);
    const piece = kindName(san.startsWith("O") ? "k" : /^[A-Z]/.exec(san)?.[0] ?? "p");
    if (this.hints === 1) this.say(t("Look at the {piece} on {square}.", { piece, square: nextMove.slice(0, 2) }), "");
    else {
      this.say(t("The move is {move}.", { move: san }), "");
      app.board.setArrows([{ move: nextMove, kind: "hint" }]);
    }
  }

  /** Plays the solution through. */
  async solve() {
    const { puzzle, app } = this;
    this.help();
    this.state = "solution";
    app.tree = new Tree("spartan", puzzle.fen);
    app.board.setArrows([]);
    await app.show();
    for (const [index, move] of puzzle.line.entries()) {
      await sleep(700);
      if (!this.isStill(puzzle, "solution")) return;
      const node = await app.play(move, app.tree.last);
      if (!index && node) this.say(puzzle.line.length > 1 ? t("The solution begins with {move}.", { move: node.san }) : t("The solution is {move}.", { move: node.san }), "");
    }
    if (this.isStill(puzzle, "solution")) this.build();
  }

  /** Analyses the puzzle with the moves that were played. */
  analyse() {
    const tree = Tree.fromJSON(this.app.tree.toJSON());
    tree.current = tree.root;
    return this.app.enter("analyse", null, { tree });
  }
}
