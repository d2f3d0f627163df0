/** The clocks of two players. */
import { h } from "./dom.js";
import { play as sound } from "./sound.js";

/** The state of a clock from its text: "180+2" are three minutes and two seconds a move. */
export function clockState(text) {
  const [base, increment] = text.split("+").map((seconds) => Number(seconds) * 1000);
  return { white: base, black: base, increment };
}

export class Clock {
  /** `onFlag` gets the end of the game when a player has no time left. */
  constructor(onFlag) {
    this.onFlag = onFlag;
    this.elements = {};
    this.state = null;
  }

  /** Starts anew from `{white, black, increment}` in milliseconds, which is kept up to date; null for no clock. */
  set(state) {
    this.stop();
    this.state = state;
    this.draw();
  }

  element(colour) {
    this.elements[colour] ??= h("span", { class: "clock", role: "timer", "aria-label": `Clock of ${colour}` });
    this.draw();
    return this.elements[colour];
  }

  /** The time as limits of a search, in the words of UCI. */
  get limits() {
    this.count();
    const { white, black, increment } = this.state;
    return `wtime ${Math.max(1, Math.round(white))} btime ${Math.max(1, Math.round(black))} winc ${increment} binc ${increment}`;
  }

  run(colour) {
    if (!this.state || this.running === colour) return;
    this.count();
    this.running = colour;
    this.since = performance.now();
    this.timer ??= setInterval(() => this.tick(), 100);
    this.draw();
  }

  /** A player has moved. */
  press(colour) {
    if (!this.state || this.running !== colour) return;
    this.count();
    this.state[colour] += this.state.increment;
    this.draw();
  }

  stop() {
    this.count();
    clearInterval(this.timer);
    this.timer = null;
    this.running = null;
    this.draw();
  }

  count() {
    if (!this.running) return;
    const now = performance.now();
    this.state[this.running] = Math.max(0, this.state[this.running] - (now - this.since));
    this.since = now;
  }

  tick() {
    const before = this.state[this.running];
    this.count();
    const after = this.state[this.running];
    if (before > 10_000 && after <= 10_000) sound("low");
    this.draw();
    if (after <= 0) {
      const result = this.running === "white" ? "0-1" : "1-0";
      this.stop();
      this.onFlag({ result, reason: "time" });
    }
  }

  draw() {
    for (const [colour, element] of Object.entries(this.elements)) {
      const left = this.state?.[colour] ?? 0;
      element.textContent = timeText(left);
      element.classList.toggle("running", this.running === colour);
      element.classList.toggle("low", !!this.state && left < 10_000);
    }
  }
}

function timeText(milliseconds) {
  const tenths = Math.ceil(milliseconds / 100);
  const [minutes, seconds] = [Math.floor(tenths / 600), Math.floor((tenths % 600) / 10)];
  const text = `${minutes}:${String(seconds).padStart(2, "0")}`;
  return tenths < 100 ? `${text}.${tenths % 10}` : text;
}
