/** Engine against engine. */
import { button, h, select, sleep } from "./dom.js";
import { endText, sideName } from "./app.js";
import { Clock, clockState } from "./clock.js";
import { MoveList } from "./movelist.js";
import { VARIANTS } from "./pieces.js";
import { LEVELS, levelName } from "./play.js";
import { Tree } from "./tree.js";

const TIMES = [["60+1", "1 minute + 1 second"], ["180+2", "3 minutes + 2 seconds"], ["600+5", "10 minutes + 5 seconds"]];

export class Watch {
  constructor(app) {
    this.app = app;
    this.setup = { variant: "spartan", white: "20", black: "20", time: "60+1" };
    this.moves = new MoveList(app);
    this.clock = new Clock((end) => this.finish(end));
    this.state = null;
  }

  async enter() {
    this.app.modes.get("play").state = null;
    this.build();
    await this.app.show();
  }

  async leave() {
    this.pause();
    await this.app.engine.stop();
  }

  status() {
    return this.end && this.app.tree.current === this.app.tree.last ? { text: endText(this.end, this.app.tree.variant) } : null;
  }

  player(white) {
    const colour = white ? "white" : "black";
    return { name: sideName(colour, this.app.tree.variant), detail: `Agoge · ${levelName(this.setup[colour])}`, clock: this.state && this.clock.element(colour) };
  }

  shown() {
    this.moves.update();
  }

  build() {
    const set = (name) => (value) => {
      this.setup[name] = value;
      this.app.showStrips();
    };
    const { variant } = this.setup;
    this.toggle = button(this.running ? "Pause" : this.state && !this.end ? "Go on" : "Start", () => (this.running ? this.pause() : this.run()), { class: "button primary", id: "watch-start" });
    this.app.setPanel(h("h2", {}, "Engine against engine"),
      select("Game", VARIANTS, variant, set("variant")),
      h("div", { class: "two" }, select(sideName("white", variant), LEVELS, this.setup.white, set("white")), select(sideName("black", variant), LEVELS, this.setup.black, set("black"))),
      select("Time", TIMES, this.setup.time, set("time")),
      h("div", { class: "row-of" }, this.toggle, button("New game", () => this.reset())),
      this.moves.element, button("Analyse this game", () => this.app.enter("analyse")));
    this.moves.update();
  }

  async reset() {
    this.pause();
    this.state = null;
    await this.run();
  }

  pause() {
    this.running = null;
    this.clock.stop();
    this.app.engine.stop();
    if (this.toggle) this.toggle.textContent = this.end ? "Start" : "Go on";
  }

  /** Plays until the end or a pause. */
  async run() {
    const { app } = this;
    if (!this.state || this.end) {
      this.state = clockState(this.setup.time);
      this.end = null;
      this.clock.set(this.state);
      const tree = new Tree(this.setup.variant);
      tree.tags = [["Event", "Engine against engine"], ["Site", "Agoge"], ["White", `Agoge (${levelName(this.setup.white)})`], ["Black", `Agoge (${levelName(this.setup.black)})`]];
      app.setGame(tree);
      await app.engine.newGame();
    }
    const running = (this.running = Symbol("game"));
    this.toggle.textContent = "Pause";
    app.tree.current = app.tree.last;
    await app.show();
    while (this.running === running) {
      const position = await app.position(app.tree.last);
      if (position.end) return this.finish(position.end);
      this.clock.run(position.turn);
      const node = app.tree.last;
      const answer = await app.engine.go(app.tree.line(node), this.clock.limits, { "Skill Level": this.setup[position.turn] });
      await sleep(250);
      if (this.running !== running || !answer?.best) return;
      app.tree.current = node;
      await app.play(answer.best);
      this.clock.press(position.turn);
    }
  }

  finish(end) {
    this.end = end;
    this.app.tree.result = end.result;
    this.app.tree.endText = endText(end, this.app.tree.variant);
    this.pause();
    if (this.app.mode === this) this.app.show();
  }
}
