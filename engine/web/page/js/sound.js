/** Short sounds, made without files. */
import { settings } from "./settings.js";

let context = null;

const NOTES = { move: [[180, 0.05]], capture: [[140, 0.05], [90, 0.07]], check: [[520, 0.08], [660, 0.1]], end: [[392, 0.15], [330, 0.15], [262, 0.3]], low: [[880, 0.06]] };

export function play(name) {
  if (!settings.sound || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  let at = context.currentTime;
  for (const [frequency, length] of NOTES[name]) {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.25, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(volume).connect(context.destination);
    tone.start(at);
    tone.stop(at + length);
    at += length * 0.8;
  }
}
