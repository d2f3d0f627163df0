/** Puzzles: proven mates and tactics of the engine's test suites. */
import { button, h, select, sleep } from "./dom.js";
import { either, t } from "./i18n.js";
import { MoveList, moveInput } from "./movelist.js";
import { recallTab } from "./tab.js";
import { Tree } from "./tree.js";
import { toMove } from "./words.js";

/** Reads an EPD file with the operations `bm`, `dm`, `c0`, `c1`, `id`. */
function parse(text, kind) {
  return text.split("\n").filter((line) => line.trim() && !line.startsWith("#")).map((line) => {
    const [fen, ...operations] = line.split("#")[0].split(";").map((part) => part.trim());
    const fields = Object.fromEntries(operations.filter(Boolean).map((part) => [part.split(" ", 1)[0], part.slice(part.indexOf(" ") + 1)]));
    const mate = kind === "mates" ? Number(fields.dm) : null;
    return { fen, id: fields.id, mate, best: fields.bm.split(" "), line: mate ? fields.c1.split(" ") : [fields.c0], theme: mate ? fields.c0 : t("Find the best move") };
  });
}

/** The kinds of puzzles: a key, the name for the user, and which puzzles are of this kind. */
const THEMES = [
  ["all", t("All puzzles"), () => true],
  ["mate1", t("Mate in one"), ({ mate }) => mate === 1],
  ["mate2", t("Mate in two"), ({ mate }) => mate === 2],
  ["mate3", t("Mate in three or more"), ({ mate }) => mate >= 3],
  ["duple", t("Duple-checkmates"), ({ theme }) => theme.includes("duple")],
  ["king", t("Promotion to a king"), ({ best, line }) => best.some((san) => san.includes("=K")) || line.some((move, index) => index % 2 === 0 && move.endsWith("k"))],
  ["tactics", t("Tactics"), ({ mate }) => !mate],
];

export class Puzzles {
  constructor(app) {
    this.app = app;
    this.theme = app.profiles.setups.value.puzzles ?? "mate1";
    this.result = h("p", { class: "puzzle-result", role: "status" });
    this.moves = new MoveList(app);
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
    this.all ??= (await Promise.all(["mates", "tactics"].map(async (name) => parse(await (await fetch(`positions/${name}.epd`)).text(), name)))).flat();
    const wanted = id ?? this.puzzle?.id ?? recallTab().puzzles?.id;
    const puzzle = this.all.find((item) => item.id === wanted);
    if (!puzzle && id) throw new Error(t("There is no such puzzle."));
    return puzzle ?? this.next();
  }

  async enter(puzzle) {
    // A puzzle from an address may be of another kind than the one chosen.
    if (!this.list.includes(puzzle)) this.theme = "all";
    await this.open(puzzle);
  }

  async leave() {
    this.state = "left";
    await this.app.engine.stop();
  }

  get list() {
    const [, , isKind] = THEMES.find(([key]) => key === this.theme);
    return this.all.filter(isKind);
  }

  /** The first puzzle of the theme not solved yet, or the first one. */
  next() {
    const { list } = this;
    const after = list.slice(list.indexOf(this.puzzle) + 1);
    const fresh = (puzzle) => !this.record.solved.includes(puzzle.id);
    return after.find(fresh) ?? list.find(fresh) ?? after[0] ?? list[0];
  }

  /** Opens another puzzle, which is a step for the browser's Back. */
  go(puzzle) {
    return this.app.enter("puzzles", puzzle.id);
  }

  async open(puzzle) {
    this.puzzle = puzzle;
    this.state = "open";
    this.clean = this.shownSolution !== puzzle.id;
    this.left = puzzle.mate;
    this.app.tree = new Tree("spartan", puzzle.fen);
    this.say("", "");
    this.build();
    this.app.board.setArrows([]);
    this.app.flip(puzzle.fen.split(" ")[1] === "b");
    await this.app.show();
  }

  shown() {
    this.moves.update();
  }

  movable(position) {
    return this.state === "open" && !position.end;
  }

  status(position) {
    return position.end ? null : { text: this.state === "open" ? `${toMove(position.turn, "spartan")}: ${this.task}` : this.result.textContent };
  }

  get task() {
    return this.puzzle.mate ? t("mate in {count}", { count: this.left }) : t("find the best move");
  }

  build() {
    const { puzzle, list, record } = this;
    const theme = select(t("Kind"), THEMES, this.theme, (value) => {
      this.theme = value;
      this.app.profiles.setups.value.puzzles = value;
      this.app.profiles.setups.touch();
      this.puzzle = null;
      this.go(this.next());
    });
    const solved = list.filter(({ id }) => record.solved.includes(id)).length;
    this.app.setPanel(h("h2", {}, t("Puzzles")), theme,
      h("p", { class: "big" }, h("strong", {}, toMove(puzzle.fen.split(" ")[1] === "w" ? "white" : "black", "spartan")), `: ${this.task}`),
      h("p", { class: "hint" }, `${puzzle.theme} · ${t("puzzle {number} of {count}", { number: list.indexOf(puzzle) + 1, count: list.length })} · ${t("{count} solved", { count: solved })}`),
      this.result, this.moves.element, moveInput(this.app),
      h("div", { class: "row-of" }, button(t("Show the solution"), () => this.solve(), { id: "puzzle-solution" }), button(t("Try again"), () => this.open(this.puzzle))),
      button(t("Next puzzle"), () => this.go(this.next()), { class: "button primary", id: "puzzle-next" }),
      button(t("Analyse this position"), () => this.analyse()));
  }

  say(text, kind) {
    this.result.textContent = text;
    this.result.className = `puzzle-result ${kind}`;
  }

  async userMove(move) {
    const { puzzle, app } = this;
    const before = app.tree.current;
    const node = await app.play(move);
    if (!node) return;
    this.state = "checking";
    const position = await app.position(node);
    const verdict = await this.judge(node, position);
    if (this.puzzle !== puzzle || this.state !== "checking") return;
    if (!verdict.right) {
      this.fail();
      this.say(t("{move} is wrong. {reason}", { move: node.san, reason: verdict.why ?? t("There is something better.") }), "wrong");
      await sleep(900);
      if (this.puzzle !== puzzle || this.state !== "checking") return;
      this.state = "open";
      app.tree.current = before;
      app.tree.remove(node);
      return app.show();
    }
    if (!verdict.reply) return this.succeed();
    this.left -= 1;
    this.say(t("Right. Go on …"), "right");
    this.state = "open";
    await app.play(verdict.reply);
  }

  /** Whether a move is right, and the reply to it if the puzzle goes on. */
  async judge(node, position) {
    const { puzzle, app } = this;
    const played = node.path.map(({ move }) => move);
    const inLine = played.every((move, index) => move === puzzle.line[index]);
    const first = played.length === 1;
    const best = first && puzzle.best.some((san) => san === node.san.replace(/[+#]/, ""));
    if (!puzzle.mate) return { right: best };
    if (position.end) return { right: position.end.reason.includes("mate") && position.end.reason !== "stalemate", why: "" };
    if (this.left === 1) return { right: false, why: t("It does not mate.") };
    if (inLine) return { right: true, reply: puzzle.line[played.length] };
    if (first && !best) return { right: false, why: t("There is a mate in {count}.", { count: this.left }) };
    // Another move: the engine finds out whether it still mates in time.
    let score = null;
    const answer = await app.engine.go(app.tree.line(node), "nodes 600000", { UCI_AnalyseMode: true }, (info) => (score = info.score));
    const mates = score?.mate !== undefined && score.mate < 0 && -score.mate <= this.left - 1;
    return answer && (best || mates) ? { right: true, reply: answer.best } : { right: false, why: t("It does not mate in {count}.", { count: this.left }) };
  }

  succeed() {
    this.state = "solved";
    this.say(this.clean ? t("Solved!") : t("Solved, though not at the first try."), "right");
    if (this.clean) this.keep("solved", "failed");
    this.build();
    this.app.show();
  }

  fail() {
    this.clean = false;
    if (!this.record.solved.includes(this.puzzle.id)) this.keep("failed", "solved");
  }

  keep(name, other) {
    const { id } = this.puzzle;
    this.record[other] = this.record[other].filter((item) => item !== id);
    if (!this.record[name].includes(id)) this.record[name].push(id);
    this.app.profiles.puzzles.touch();
  }

  /** Plays the solution through. */
  async solve() {
    const { puzzle, app } = this;
    this.fail();
    this.state = "solution";
    app.tree.current = app.tree.root;
    this.shownSolution = puzzle.id;
    this.say(puzzle.line.length > 1 ? t("The solution begins with {moves}.", { moves: either(puzzle.best) }) : t("The solution is {moves}.", { moves: either(puzzle.best) }), "");
    await app.show();
    for (const move of puzzle.line) {
      await sleep(700);
      if (this.puzzle !== puzzle || this.state !== "solution") return;
      await app.play(move);
    }
  }

  analyse() {
    return this.app.enter("analyse", null, { tree: new Tree("spartan", this.puzzle.fen) });
  }
}
