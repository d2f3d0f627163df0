/** The clocks of two players. */
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { play as sound } from "./sound.js";

/**
 * The state of a clock from its text: "180+2" are three minutes and two seconds a move. Of two such parts, with a space
 * between, the first one is White's.
 */
export function clockState(text) {
  const [white, black = white] = text.split(" ").map((part) => part.split("+").map((seconds) => Number(seconds) * 1000));
  const start = { white: white[0], black: black[0] };
  return { ...start, start, increment: { white: white[1], black: black[1] } };
}

/** Both sides had the same increment, as a number, in earlier versions. */
const incrementOf = ({ increment }, colour) => increment[colour] ?? increment;

/**
 * The state has the time of both sides in milliseconds, their times at the `start` and their `increment`, and `running`
 * with `since` while a clock runs.
 */
export class Clock {
  /** Gets a side whose clock runs and the milliseconds since it was last counted; returns whether they do not count. */
  isExcused = () => false;

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
    this.elements[colour] ??= h("span", { class: "clock", role: "timer", "aria-label": colour === "white" ? t("Clock of White") : t("Clock of Black") });
    this.draw();
    return this.elements[colour];
  }

  /** The time as limits of a search, in the words of UCI. */
  get limits() {
    this.count();
    const { white, black } = this.state;
    const increment = (colour) => incrementOf(this.state, colour);
    return `wtime ${Math.max(1, Math.round(white))} btime ${Math.max(1, Math.round(black))} winc ${increment("white")} binc ${increment("black")}`;
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

  /** Shows the clock of a game that another page plays. */
  follow() {
    if (this.state?.running) this.timer ??= setInterval(() => this.draw(), 100);
  }

  /** A player has moved: no clock runs until `run`. Returns the time left as in PGN; undefined without a clock. */
  press(colour) {
    const { state } = this;
    if (!state) return undefined;
    if (state.running === colour) {
      this.count();
      if (this.hasFallen(colour)) return undefined;
      state[colour] += incrementOf(state, colour);
      state.running = null;
    }
    this.draw();
    return clockText(state[colour]);
  }

  /** Goes back to times as `press` has returned them; a side without one has the time of the start. */
  restore(times) {
    const { state } = this;
    if (!state) return;
    this.stop();
    for (const colour of ["white", "black"]) state[colour] = times[colour] ? milliseconds(times[colour]) : state.start?.[colour] ?? state[colour];
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
    const passed = Math.max(0, now - state.since);
    if (!this.isExcused(state.running, passed)) state[state.running] = Math.max(0, state[state.running] - passed);
    state.since = now;
  }

  tick() {
    const { running } = this.state;
    if (!running) return;
    const before = this.state[running];
    this.count();
    if (before > 10_000 && this.state[running] <= 10_000) sound("low");
    this.draw();
    this.hasFallen(running);
  }

  hasFallen(colour) {
    if (this.state[colour] > 0) return false;
    this.stop();
    this.onFlag({ result: colour === "white" ? "0-1" : "1-0", reason: "time" });
    return true;
  }

  draw() {
    const { state } = this;
    for (const [colour, element] of Object.entries(this.elements)) {
      const isRunning = state?.running === colour;
      const left = Math.max(0, (state?.[colour] ?? 0) - (isRunning && this.timer ? Math.max(0, Date.now() - state.since) : 0));
      element.textContent = timeText(left);
      element.classList.toggle("running", isRunning);
      element.classList.toggle("low", !!state && left < 10_000);
    }
  }
}

function timeText(time) {
  const tenths = Math.ceil(time / 100);
  const [minutes, seconds] = [Math.floor(tenths / 600), Math.floor((tenths % 600) / 10)];
  const two = (number) => String(number).padStart(2, "0");
  const text = minutes < 60 ? `${minutes}:${two(seconds)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds)}`;
  return tenths < 100 ? `${text}.${tenths % 10}` : text;
}

/** A time as in PGN: hours, minutes, seconds, and tenths if there are some. */
function clockText(time) {
  const tenths = Math.floor(time / 100);
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${Math.floor(tenths / 36_000)}:${two((tenths / 600) % 60)}:${two((tenths / 10) % 60)}${tenths % 10 ? `.${tenths % 10}` : ""}`;
}

const milliseconds = (text) => Math.round(text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000);
