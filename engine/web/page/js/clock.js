/** The clocks of two players. */
import { h } from "./dom.js";
import { play as sound } from "./sound.js";

/** The state of a clock from its text: "180+2" are three minutes and two seconds a move. */
export function clockState(text) {
  const [base, increment] = text.split("+").map((seconds) => Number(seconds) * 1000);
  return { white: base, black: base, increment };
}

/** The state has the time of both sides in milliseconds, and `running` with `since` while a clock runs. */
export class Clock {
  /** `onFlag` gets the end of the game when a player has no time left. */
  constructor(onFlag) {
    this.onFlag = onFlag;
    this.elements = {};
    this.state = null;
  }

  /** Takes a state, which is kept up to date; null for no clock. A running clock does not go on before `run`. */
  set(state) {
    this.pause();
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

  /** Lets the clock of a side run. If it ran before a reload, the time between is counted. */
  run(colour) {
    const { state } = this;
    if (!state) return;
    if (state.running !== colour) {
      this.count();
      Object.assign(state, { running: colour, since: Date.now() });
    }
    this.timer ??= setInterval(() => this.tick(), 100);
    this.draw();
  }

  /** A player has moved. */
  press(colour) {
    if (this.state?.running !== colour) return;
    this.count();
    this.state[colour] += this.state.increment;
    this.draw();
  }

  stop() {
    this.count();
    if (this.state) this.state.running = null;
    this.pause();
    this.draw();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
  }

  count() {
    const { state } = this;
    if (!state?.running) return;
    // The time of the system goes on over a reload, but it may be set back.
    const now = Date.now();
    state[state.running] = Math.max(0, state[state.running] - Math.max(0, now - state.since));
    state.since = now;
  }

  tick() {
    const { running } = this.state;
    const before = this.state[running];
    this.count();
    const after = this.state[running];
    if (before > 10_000 && after <= 10_000) sound("low");
    this.draw();
    if (after <= 0) {
      this.stop();
      this.onFlag({ result: running === "white" ? "0-1" : "1-0", reason: "time" });
    }
  }

  draw() {
    for (const [colour, element] of Object.entries(this.elements)) {
      const left = this.state?.[colour] ?? 0;
      element.textContent = timeText(left);
      element.classList.toggle("running", this.state?.running === colour);
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
