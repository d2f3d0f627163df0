/** The clocks of two players. */
import { h } from "./dom.js";
import { play as sound } from "./sound.js";

export class Clock {
  constructor(onFlag) {
    this.onFlag = onFlag;
    this.elements = {};
    this.state = null;
    this.fallen = null;
  }

  /** Starts anew from `{white, black, increment}` in milliseconds, which is kept up to date; null for no clock. */
  set(state) {
    this.stop();
    this.state = state;
    this.fallen = null;
    this.draw();
  }

  element(colour) {
    this.elements[colour] ??= h("span", { class: "clock", role: "timer", "aria-label": `Clock of ${colour}` });
    this.draw();
    return this.elements[colour];
  }

  get left() {
    this.count();
    return this.state;
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
      this.fallen = this.running;
      this.stop();
      this.onFlag();
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
