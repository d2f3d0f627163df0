/** Documents that the page has open: each is written to the store when it changes, and nothing unwritten is lost. */
import { newId } from "./store.js";

const UNSENT = "agoge-unsent-";

/** Reads an object that the browser keeps; null if there is none or the browser keeps nothing. */
export function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without space in the browser, what is unwritten lasts as long as the page.
  }
}

/**
 * A document. `read` returns the present `{summary, value}` of its content. A copy lies in the browser until the store has it, for the
 * case that the page is closed or the server ends before.
 */
export class Document {
  constructor(documents, kind, id, revision, content, read) {
    Object.assign(this, { documents, kind, id, revision, content });
    this.read = () => read(content);
    this.isChanged = false;
    this.writing = null;
  }

  get key() {
    return `${UNSENT}${this.kind}-${this.id}-${this.documents.tab}`;
  }

  /** Notes that the document has changed. Resolves when the store has it, or when it could not be written. */
  touch() {
    this.isChanged = true;
    if (this.kind !== "profile") this.documents.opened.set(this.id, this.content);
    remember(this.key, { revision: this.revision, ...this.read() });
    this.writing ??= this.write().finally(() => (this.writing = null));
    return this.writing;
  }

  /** Writes until the latest state is in the store; never twice at the same time. */
  async write() {
    const { documents, kind } = this;
    while (this.isChanged) {
      this.isChanged = false;
      const { summary, value } = this.read();
      try {
        const { revision, conflict } = await documents.store.put(kind, this.id, this.revision, summary, value);
        if (conflict) {
          remember(this.key, null);
          this.resolve(conflict);
          this.isChanged = true;
          continue;
        }
        this.revision = revision;
        // The copy of a later change must not claim the earlier revision.
        remember(this.key, this.isChanged ? { revision, ...this.read() } : null);
        documents.tell({ kind, id: this.id, revision });
        documents.hasFailed = false;
      } catch (error) {
        // The next change tries again; the copy stays.
        this.isChanged = true;
        documents.fail(error);
        return;
      }
    }
  }

  /** Another page has written the document: both are kept. If it was deleted there, it comes back. */
  resolve({ revision, value }) {
    this.revision = 0;
    if (!value && !revision) return;
    this.documents.rename(this);
  }
}

/** A document with a plain object that all pages share: settings, the record of the puzzles, the last choices. */
class Profile extends Document {
  constructor(documents, id, value, merge) {
    super(documents, "profile", id, 0, value, () => ({ summary: {}, value }));
    this.value = value;
    this.merge = merge;
    this.onChange = () => {};
  }

  /** Takes over what the store has. */
  async load() {
    const stored = await this.documents.store.get("profile", this.id);
    if (stored) this.resolve(stored);
    this.onChange();
  }

  resolve({ revision, value }) {
    this.revision = revision;
    if (value) Object.assign(this.value, this.merge(this.value, value, this.isChanged || !!this.writing));
  }
}

export class Documents {
  /** Called with a sentence when something cannot be kept. */
  onError = () => {};
  /** Called with a document that goes on as another one, because another page has changed it. */
  onConflict = () => {};
  /** Called with `{kind, id, revision}` when another page has changed a document; the revision is 0 if it was deleted. */
  onChange = () => {};

  constructor(store) {
    this.store = store;
    /** Names this page among all that are open. */
    this.tab = newId();
    this.opened = new Map();
    this.profiles = new Map();
    navigator.locks?.request(lockName(this.tab), () => new Promise(() => {}));
    this.channel = globalThis.BroadcastChannel && new BroadcastChannel("agoge-store");
    if (this.channel) this.channel.onmessage = ({ data }) => this.changedElsewhere(data);
  }

  tell(change) {
    this.channel?.postMessage(change);
  }

  changedElsewhere(change) {
    const { kind, id, revision } = change;
    if (kind === "profile") {
      const profile = this.profiles.get(id);
      if (profile && profile.revision !== revision && !profile.isChanged) profile.load().catch((error) => this.fail(error));
      return;
    }
    const document = this.opened.get(id)?.document;
    if (document && !document.isChanged && !document.writing && document.revision !== revision) this.opened.delete(id);
    this.onChange(change);
  }

  /** Tells an error, and the same one only once until something could be written again. */
  fail({ message }) {
    if (this.hasFailed === message) return;
    this.hasFailed = message;
    this.onError(message);
  }

  /** Writes what could not be written before. */
  retry() {
    for (const document of [...this.profiles.values(), ...[...this.opened.values()].map((content) => content.document)]) {
      if (document.isChanged && !document.writing) document.touch();
    }
  }

  /** Gives a document another id. */
  rename(document) {
    this.opened.delete(document.id);
    document.id = newId();
    this.opened.set(document.id, document.content);
    this.onConflict(document);
  }

  /** Makes a new document with some content, for which `read` is called with the content. */
  create(kind, content, read) {
    content.document = new Document(this, kind, newId(), 0, content, read);
    this.opened.set(content.document.id, content);
    return content;
  }

  /**
   * Opens a document: `make` makes its content from the value. The content of a document that the page has open already
   * is the same object. Resolves to null if there is no such document.
   */
  async open(kind, id, make, read) {
    if (!/^[0-9a-f]{16}$/.test(id)) return null;
    if (this.opened.has(id)) return this.opened.get(id);
    const stored = this.unsent().find((copy) => copy.kind === kind && copy.id === id) ?? (await this.store.get(kind, id));
    if (!stored) return null;
    // It may have been opened meanwhile, but then perhaps in an older state.
    const other = this.opened.get(id);
    if (other && (other.document.isChanged || other.document.writing || other.document.revision >= stored.revision)) return other;
    const content = make(stored.value);
    content.document = new Document(this, kind, id, stored.revision, content, read);
    this.opened.set(id, content);
    if (stored.key) {
      remember(stored.key, null);
      content.document.touch();
    }
    return content;
  }

  /** A profile with default values. `merge(mine, theirs, isChanged)` decides what counts; see `Profile`. */
  profile(id, value, merge = (mine, theirs, isChanged) => (isChanged ? { ...theirs, ...mine } : theirs)) {
    const profile = new Profile(this, id, value, merge);
    this.profiles.set(id, profile);
    return profile;
  }

  /** Deletes a document. Returns a function that brings it back. */
  async remove(kind, { id, summary }) {
    const stored = await this.store.get(kind, id);
    await this.store.delete(kind, id);
    this.opened.delete(id);
    this.tell({ kind, id, revision: 0 });
    return async () => {
      await this.store.put(kind, id, 0, summary, stored.value);
      this.tell({ kind, id, revision: 1 });
    };
  }

  /** The copies of documents that pages now closed could not write. */
  unsent(held = this.held ?? []) {
    let keys = [];
    try {
      keys = Object.keys(localStorage);
    } catch {
      // The browser keeps nothing.
    }
    return keys.filter((key) => key.startsWith(UNSENT)).map((key) => {
      const [kind, id, tab] = key.slice(UNSENT.length).split("-");
      return { key, kind, id, tab, ...recall(key) };
    }).filter(({ tab, value }) => value && tab !== this.tab && !held.includes(lockName(tab)));
  }

  /** Writes what was left unwritten when pages were closed. */
  async writeUnsent() {
    this.held = await heldLocks();
    for (const { key, kind, id, revision, summary, value } of this.unsent()) {
      const known = this.profiles.get(id);
      if (kind === "profile" && known) {
        Object.assign(known.value, known.merge(value, known.value, true));
        known.touch();
      } else {
        const { conflict } = await this.store.put(kind, id, revision, summary, value);
        // Deleted elsewhere or changed elsewhere: nothing is lost either way.
        if (conflict) await this.store.put(kind, conflict.revision ? newId() : id, 0, summary, value);
      }
      remember(key, null);
    }
  }
}

/** What the list of games shows of a document with a tree. */
export function summaryOf(tree, more = {}) {
  const tag = (name) => (tree.tags.find(([key]) => key === name)?.[1] ?? "").slice(0, 60);
  const [white, black, event, date] = ["White", "Black", "Event", "Date"].map(tag);
  return { white, black, event, date, result: tree.result, moves: Math.ceil(tree.mainLine.length / 2), variant: tree.variant, ...more };
}

/** The name of the lock that a page holds while it has a game or itself open. */
export const lockName = (id) => `agoge-${id}`;

/** The names of all locks that pages hold. */
export async function heldLocks() {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.map(({ name }) => name);
}
