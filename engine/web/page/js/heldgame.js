/** A game that only one page plays on in at a time. */
import { sleep } from "./dom.js";
import { heldLocks, lockName } from "./documents.js";
import { Tree } from "./tree.js";

/** How long a game that another page has open is waited for, in milliseconds: that page may just be closing. */
const PATIENCE = 500;

export class HeldGame {
  isHeld = false;

  /** Called when another page has closed the game, or has taken it. */
  onFree = () => {};

  /**
   * Takes the game for this page, so that no other one plays on in it; from another one that has it only if `steal` is set.
   * Resolves to whether it could.
   */
  async hold({ steal = false } = {}) {
    if (this.isHeld) return true;
    if (!navigator.locks) return (this.isHeld = true);
    // Once asked, all get the same answer.
    if (!this.hasAsked || steal) this.answer = this.ask(steal);
    return this.answer;
  }

  /** Resolves to whether the game is this page's, as soon as that is certain. */
  async ask(steal) {
    this.hasAsked?.abort();
    const asked = (this.hasAsked = new AbortController());
    let isLate = false;
    let isRefused = false;
    const answered = new Promise((resolve) => {
      navigator.locks.request(lockName(this.document.id), steal ? { steal } : { signal: asked.signal }, () => {
        if (isLate) return this.onFree();
        this.isHeld = true;
        resolve();
        return new Promise((release) => (this.unlock = release));
      }).catch(() => {
        isRefused = true;
        resolve();
        // Another page has taken the game.
        if (this.isHeld && this.hasAsked === asked) this.lose();
      });
    });
    // A busy browser may take longer, although no page has the game.
    do {
      await Promise.race([answered, sleep(PATIENCE)]);
    } while (!this.isHeld && !isRefused && !(await heldLocks()).includes(lockName(this.document.id)));
    isLate = !this.isHeld;
    return this.isHeld;
  }

  /** Another page has taken the game. */
  lose() {
    this.onFree();
  }

  /** The game goes on with another id. */
  async renamed() {
    if (!this.isHeld || !navigator.locks) return;
    const { unlock } = this;
    await this.ask(false);
    unlock();
  }

  /** Takes over what another page has written. At the last position the user goes on to the new one. */
  replace(kept, state) {
    const { tree } = this;
    const { isAtLast } = tree;
    tree.adopt(Tree.fromJSON(kept));
    if (isAtLast) tree.current = tree.last;
    this.state = state;
  }

  release() {
    this.hasAsked?.abort();
    this.unlock?.();
    this.isHeld = false;
    this.hasAsked = null;
  }
}
