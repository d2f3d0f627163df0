/** What is analysed: a tree, kept as a document from the first change on. */
import { queryOf, readQuery } from "./address.js";
import { summaryOf } from "./documents.js";
import { withoutTermination } from "./game.js";
import { t } from "./i18n.js";
import { recallDraft, recallTab, rememberDraft } from "./tab.js";
import { Tree } from "./tree.js";

const contentOf = ({ tree, game }) => ({ summary: summaryOf(tree, { place: "analyse", game }), value: { tree: tree.toJSON(), game } });

/** The delay in milliseconds before evaluations are written: one steps through many positions at once. */
const DELAY = 2000;

let count = 0;

/** The studies by the trees with which they were made. */
const studies = new WeakMap();

/** What is kept of a game; undefined if there is no such game. */
async function valueOfGame({ documents: { opened, store } }, id) {
  return opened.has(id) ? opened.get(id).document.read().value : (await store.get("game", id))?.value;
}

export class Study {
  document = null;
  /** Whether it has an id, but is kept only when it is changed. */
  isDraft = false;

  /** `game` is the id of the game of which it is a copy. */
  constructor(app, tree, game = undefined) {
    Object.assign(this, { app, tree, game });
    this.number = ++count;
    studies.set(tree, this);
  }

  /**
   * Finds what to analyse: the study with an id; a `tree`, kept at once if `isKept`, or as a draft; a `game`, by its id; what
   * a `query` of an address says; or else the study that the page shows or this tab had last.
   */
  static async find(app, id, { tree, isKept, isDraft, game, query }, shown) {
    if (id) return Study.open(app, id);
    if (tree) {
      const known = await Study.ofTree(app, tree);
      if (known) return known;
      const study = new Study(app, tree);
      if (isKept) study.keep();
      else if (isDraft) study.lay();
      return study;
    }
    // Back to what is no document yet.
    if (query && shown?.address === location.hash.slice("#analyse".length)) return shown;
    if (game || query?.has("game")) return Study.ofGame(app, game ?? query.get("game"));
    if (query) return new Study(app, await readQuery(app, query));
    if (shown) return shown;
    const last = recallTab().analyse?.id;
    return (last && (await Study.open(app, last).catch(() => null))) || new Study(app, new Tree());
  }

  static async open(app, id) {
    const study = (await app.documents.open("study", id, ({ tree, game }) => new Study(app, Tree.fromJSON(tree), game), contentOf)) ?? Study.draft(app, id);
    if (!(study instanceof Study)) throw new Error(t("There is no such analysis. It may have been deleted."));
    return study;
  }

  /** The draft with an id that this tab had before a reload, or null. */
  static draft(app, id) {
    const draft = recallDraft();
    if (draft.id !== id) return null;
    const study = new Study(app, Tree.fromJSON(draft.tree));
    study.lay(id);
    return study;
  }

  /** The study made before with a tree, as other pages may have changed it; null if there is none or it was deleted. */
  static async ofTree(app, tree) {
    const id = studies.get(tree)?.document?.id;
    return id ? Study.open(app, id).catch(() => null) : null;
  }

  /** The analysis of a game: the one made before, with the moves since then, or a new copy. */
  static async ofGame(app, id) {
    const { documents } = app;
    const value = await valueOfGame(app, id);
    if (!value) throw new Error(t("There is no such game. It may have been deleted."));
    const played = Tree.fromJSON(value.tree);
    const listed = await documents.store.list("study").catch(() => []);
    const known = listed.find(({ summary }) => summary.game === id);
    if (!known) return new Study(app, played, id);
    const study = await Study.open(app, known.id);
    const { tree } = study;
    const before = JSON.stringify(tree);
    tree.join(played);
    study.takeEnd(played);
    if (JSON.stringify(tree) !== before) study.keep();
    tree.current = tree.follow(played.line().moves);
    return study;
  }

  /** The side of the user in the game, if it is one against the engine that is still there; else undefined. */
  async sideOfUser() {
    const { play } = (this.game && (await valueOfGame(this.app, this.game).catch(() => null))) ?? {};
    return play?.opponent === "person" ? undefined : play?.side;
  }

  /** Takes over the end of the game. A result that the user has chosen stays: it has no reason. */
  takeEnd({ tags, result, reason }) {
    const { tree } = this;
    const isChosen = tree.result !== "*" && !tree.reason;
    if (isChosen || (result === tree.result && reason === tree.reason)) return;
    const termination = tags.filter(([name]) => name === "Termination");
    Object.assign(tree, { tags: [...withoutTermination(tree), ...termination], result, reason });
  }

  /** Writes it to the store. */
  keep() {
    if (!this.document) this.app.documents.create("study", this, contentOf);
    if (this.isDraft) rememberDraft({});
    this.isDraft = false;
    return this.document.touch();
  }

  /** Makes it a draft. */
  lay(id) {
    this.isDraft = true;
    this.app.documents.create("study", this, contentOf, id);
  }

  /** Remembers a draft for a reload of this tab. */
  remember() {
    if (this.isDraft) rememberDraft({ id: this.document.id, tree: this.tree });
  }

  /** Takes over what another page has written. */
  adopt({ tree, game }) {
    this.game = game;
    this.tree.adopt(Tree.fromJSON(tree));
  }

  /** Writes evaluations after a while, but not of what is no document, or was changed by another page. */
  keepSoon() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      const { document, app } = this;
      if (document && !this.isDraft && app.documents.opened.get(document.id) === this) document.touch();
    }, DELAY);
  }

  /** What follows the place in the address. */
  get address() {
    if (this.document) return `/${this.document.id}`;
    return this.game ? `?game=${this.game}` : queryOf(this.tree);
  }

  /** Distinguishes it from other studies. */
  get key() {
    return this.document?.id ?? String(this.number);
  }
}
