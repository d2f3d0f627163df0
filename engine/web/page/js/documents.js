/** Documents that the page has open: each is written to the store when it changes, and nothing unwritten is lost. */
import { sleep } from "./dom.js";
import { newId } from "./store.js";

const UNSENT = "agoge-unsent-";

/** The time after which what could not be written is tried again, in milliseconds. */
const RETRY = 15_000;

/** How long a page that is just being closed is waited for at the start, in milliseconds. */
const PATIENCE = 500;

/** How long a page from which a game is taken may take to write its last move, in milliseconds: it may be frozen. */
const HANDOVER = 2000;

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
    if (value !== null) return localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without space in the browser, what is unwritten lasts as long as the page. An older copy would be wrong.
  }
  try {
    localStorage.removeItem(key);
  } catch {
    // The browser keeps nothing.
  }
  return undefined;
}

/** Whether two values of a document were written by the same page. */
const haveSameWriter = (a, b) => !!a?.writer && a.writer.page === b?.writer?.page;

/**
 * A document. `read` returns the present `{summary, value}` of its content. A copy lies in the browser until the store has it, for the
 * case that the page is closed or the server ends before. A value that is written has in `writer` the page and the number of
 * its change there, which tell an earlier state of the same page from the change of another one.
 */
export class Document {
  constructor(documents, kind, id, revision, content, read) {
    Object.assign(this, { documents, kind, id, revision, content });
    this.read = () => read(content);
    this.changes = 0;
    this.isChanged = false;
    this.isDeleted = false;
    this.writing = null;
  }

  /** Whether the store may not have the latest state. */
  get isUnwritten() {
    return this.isChanged || !!this.writing;
  }

  get key() {
    return `${UNSENT}${this.kind}-${this.id}-${this.documents.tab}`;
  }

  /** What is written. */
  get state() {
    const { summary, value } = this.read();
    return { summary, value: { ...value, writer: { page: this.documents.tab, change: this.changes } } };
  }

  /** Notes that the document has changed. Resolves when the store has it, or when it could not be written. */
  touch() {
    if (this.isDeleted) return Promise.resolve();
    this.isChanged = true;
    this.changes += 1;
    if (this.kind !== "profile") this.documents.opened.set(this.id, this.content);
    this.copy();
    this.writing ??= this.write().finally(() => (this.writing = null));
    return this.writing;
  }

  /** Keeps a copy in the browser. */
  copy() {
    remember(this.key, { revision: this.revision, ...this.state });
  }

  /** Writes until the latest state is in the store; never twice at the same time. */
  async write() {
    const { documents, kind } = this;
    while (this.isChanged && !this.isDeleted) {
      this.isChanged = false;
      const { summary, value } = this.state;
      this.beginWrite?.(value);
      try {
        const { revision, conflict } = await documents.store.put(kind, this.id, this.revision, summary, value);
        if (conflict) {
          // The page that has taken the game has not waited for the last move.
          if (this.content.isLost && !documents.hasFailed) {
            remember(this.key, null);
            return;
          }
          const { key } = this;
          this.resolve(conflict);
          this.isChanged = true;
          this.copy();
          if (key !== this.key) remember(key, null);
          continue;
        }
        this.revision = revision;
        this.endWrite?.();
        // The copy of a later change must not claim the earlier revision.
        if (this.isChanged) this.copy();
        else remember(this.key, null);
        documents.tell({ kind, id: this.id, revision });
        documents.hasFailed = false;
      } catch (error) {
        // It is tried again later, or after the next change; the copy stays.
        this.isChanged = true;
        documents.fail(error);
        documents.retryLater();
        return;
      }
    }
  }

  /** Another page has written the document: both are kept. If it was deleted there, it comes back. */
  resolve({ revision, value }) {
    const isOwn = haveSameWriter(value, this.state.value);
    this.revision = isOwn ? revision : 0;
    if (isOwn || (!value && !revision)) return;
    this.documents.rename(this);
  }
}

/** A document with a plain object that all pages share: settings, the record of the puzzles, the last choices. */
class Profile extends Document {
  constructor(documents, id, value, merge) {
    super(documents, "profile", id, 0, value, () => ({ summary: {}, value }));
    this.value = value;
    this.merge = merge;
    /** The value that the store had last. What differs from it was changed in this page. */
    this.base = structuredClone(value);
    this.onChange = () => {};
  }

  get state() {
    return this.read();
  }

  copy() {
    const { revision, value, base } = this;
    remember(this.key, { revision, base, value });
  }

  /** Takes over what the store has. */
  async load() {
    const stored = await this.documents.store.get("profile", this.id);
    if (stored) this.resolve(stored);
    this.onChange();
  }

  resolve({ revision, value }) {
    this.revision = revision;
    if (!value) return;
    Object.assign(this.value, this.merge(this.value, value, this.base));
    this.base = structuredClone(value);
  }

  beginWrite(value) {
    this.sent = structuredClone(value);
  }

  endWrite() {
    this.base = this.sent;
  }
}

/** Of two values, the fields of `theirs` but for those that `mine` has changed since `base`. */
function mergeFields(mine, theirs, base) {
  const changed = Object.entries(mine).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(base[name]));
  return { ...theirs, ...Object.fromEntries(changed) };
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
    /** Called when another page gives away the document with an id. */
    this.takers = new Map();
    this.profiles = new Map();
    navigator.locks?.request(lockName(this.tab), () => new Promise(() => {}));
    this.channel = globalThis.BroadcastChannel && new BroadcastChannel("agoge-store");
    if (this.channel) this.channel.onmessage = ({ data }) => this.changedElsewhere(data);
  }

  tell(change) {
    this.channel?.postMessage(change);
  }

  changedElsewhere(change) {
    const { kind, id, revision, isGiven } = change;
    if (isGiven) return this.takers.get(id)?.();
    if (kind === "profile") {
      const profile = this.profiles.get(id);
      if (profile && profile.revision !== revision && !profile.isChanged) profile.load().catch((error) => this.fail(error));
      return undefined;
    }
    const document = this.opened.get(id)?.document;
    const isStale = document && !document.isChanged && !document.writing && document.revision !== revision;
    // A game that this page plays is not replaced: the next write finds the conflict.
    const canAdopt = document?.content.adopt && !document.content.isHeld;
    if (isStale && revision && canAdopt) return this.refresh(document, change);
    if (isStale) this.opened.delete(id);
    return this.onChange(change);
  }

  /** Resolves when another page has written a document for the last time, or does not answer. To be called before it is taken. */
  given(id) {
    const given = new Promise((resolve) => this.takers.set(id, resolve));
    return Promise.race([given, sleep(HANDOVER)]).finally(() => this.takers.delete(id));
  }

  /** Takes over what another page has written. */
  async refresh(document, change) {
    const stored = await this.store.get(document.kind, document.id).catch(() => null);
    // What was changed here meanwhile is a conflict, which is noticed when it is written.
    if (!stored || document.isChanged || document.writing) return;
    document.revision = stored.revision;
    document.content.adopt(stored.value);
    this.onChange(change);
  }

  /** Tells an error, and the same one only once until something could be written again. */
  fail({ message }) {
    if (this.hasFailed === message) return;
    this.hasFailed = message;
    this.onError(message);
  }

  /** The documents that are open, and the profiles. */
  get all() {
    return [...this.profiles.values(), ...[...this.opened.values()].map(({ document }) => document)];
  }

  /** Resolves to whether all is in the store, when nothing is being written any more. */
  async settle() {
    const { all } = this;
    await Promise.all(all.map(({ writing }) => writing));
    return !all.some(({ isChanged }) => isChanged);
  }

  /** Tries again after a while what could not be written. */
  retryLater() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.retry(), RETRY);
  }

  /** Writes what could not be written before. */
  retry() {
    for (const document of this.all) {
      if (document.isChanged && !document.writing) document.touch();
    }
  }

  /** Gives a document another id. */
  rename(document) {
    this.opened.delete(document.id);
    document.id = newId();
    this.opened.set(document.id, document.content);
    document.content.renamed?.();
    this.onConflict(document);
  }

  /** Makes a new document with some content, for which `read` is called with the content. It is kept from its first change on. */
  create(kind, content, read, id = newId()) {
    content.document = new Document(this, kind, id, 0, content, read);
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
    const copy = (await this.unsent()).find((other) => !other.isHeld && other.kind === kind && other.id === id);
    await this.writeCopy(copy);
    const isLeft = copy && recall(copy.key);
    const stored = isLeft ? copy : await this.store.get(kind, id);
    if (!stored) return null;
    // It may have been opened meanwhile, but then perhaps in an older state.
    const other = this.opened.get(id);
    if (other && (other.document.isChanged || other.document.writing || other.document.revision >= stored.revision)) return other;
    const content = make(stored.value);
    content.document = new Document(this, kind, id, stored.revision, content, read);
    this.opened.set(id, content);
    if (isLeft) {
      remember(copy.key, null);
      content.document.touch();
    }
    return content;
  }

  /** A profile with default values. `merge(mine, theirs, base)` decides what counts; see `mergeFields`. */
  profile(id, value, merge = mergeFields) {
    const profile = new Profile(this, id, value, merge);
    this.profiles.set(id, profile);
    return profile;
  }

  /** Deletes a document. Returns a function that brings it back. */
  async remove(kind, { id, summary }) {
    const content = this.opened.get(id);
    const { document } = content ?? {};
    let value;
    try {
      // What is being written must not bring it back.
      if (document) {
        document.isDeleted = true;
        await document.writing;
      }
      // The last change may not have been written.
      value = document?.isChanged ? document.state.value : ((await this.store.get(kind, id))?.value ?? document?.state.value);
      summary = document?.read().summary ?? summary;
      await this.store.delete(kind, id);
    } catch (error) {
      if (document) document.isDeleted = false;
      throw error;
    }
    if (document) remember(document.key, null);
    content?.stop?.();
    this.opened.delete(id);
    this.tell({ kind, id, revision: 0 });
    return async () => {
      if (!value) return;
      const { revision = 1 } = await this.store.put(kind, id, 0, summary, value);
      this.tell({ kind, id, revision });
    };
  }

  /** The copies of documents that other pages could not write. `isHeld` tells that the page is still open. */
  async unsent() {
    const held = await heldLocks();
    let keys = [];
    try {
      keys = Object.keys(localStorage);
    } catch {
      // The browser keeps nothing.
    }
    return keys.filter((key) => key.startsWith(UNSENT)).map((key) => {
      const [kind, id, tab] = key.slice(UNSENT.length).split("-");
      return { key, kind, id, tab, isHeld: held.includes(lockName(tab)), ...recall(key) };
    }).filter(({ tab, value }) => value && tab !== this.tab);
  }

  /** Writes what was left unwritten when pages were closed; also later, when those that are still open are closed. */
  async writeUnsent() {
    const held = (await this.unsent()).filter(({ isHeld }) => isHeld).map(({ tab }) => tab);
    const closed = new Map(held.map((tab) => [tab, navigator.locks.request(lockName(tab), () => {})]));
    // A page that is reloaded may have its lock a moment longer.
    if (closed.size) await Promise.race([Promise.all(closed.values()), sleep(PATIENCE)]);
    for (const copy of await this.unsent()) {
      if (!copy.isHeld) await this.writeCopy(copy);
      else closed.get(copy.tab)?.then(() => this.writeCopy(recall(copy.key) && { ...copy, ...recall(copy.key) }));
    }
  }

  /** Writes a copy, unless another page has done so. */
  async writeCopy(copy) {
    try {
      if (copy && recall(copy.key)) await this.putCopy(copy);
    } catch (error) {
      this.fail(error);
    }
  }

  async putCopy({ key, kind, id, tab, revision, base, summary, value }) {
    const known = this.profiles.get(id);
    if (kind === "profile" && known) {
      Object.assign(known.value, known.merge(value, known.value, base ?? {}));
      known.touch();
    } else {
      const put = (name, number) => this.store.put(kind, name, number, summary, value);
      let { conflict } = await put(id, revision);
      if (conflict && haveSameWriter(conflict.value, value)) {
        // The store has an earlier state, whose answer did not reach the page, or a later one.
        const isEarlier = conflict.value.writer.change < value.writer.change;
        ({ conflict } = isEarlier ? await put(id, conflict.revision) : {});
      }
      // Deleted elsewhere or changed elsewhere: nothing is lost either way. The same copy gets the same id each time.
      if (conflict) await put(conflict.revision ? mixIds(id, tab) : id, 0);
    }
    remember(key, null);
  }
}

/** An id made of two others. */
const mixIds = (a, b) => (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(16).padStart(16, "0");

/** What the list of games shows of a document with a tree. */
export function summaryOf(tree, more = {}) {
  // What takes six bytes in JSON would make the summary too long: controls, and half a character at the end.
  const tag = (name) => (tree.tags.find(([key]) => key === name)?.[1] ?? "").slice(0, 60).replace(/[\p{Cc}\p{Cs}]/gu, "");
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
