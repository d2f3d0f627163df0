/**
 * Where documents are kept: in files, by the server of `agoge gui`, or in the browser's database.
 *
 * A document has a kind (`game`, `study` or `profile`), an id, a revision that grows with each change, a small summary
 * for lists, and a value. All stores have the same functions, whose promises are rejected with a sentence for the user:
 *
 * - `list(kind)`: `{id, revision, changed, summary}` of each document, the newest change first;
 * - `get(kind, id)`: `{revision, changed, value}`, or null;
 * - `put(kind, id, revision, summary, value)`: `{revision}`, or `{conflict: {revision, changed, value}}` if the
 *   document has another revision than the one told, with another value; 0 is the revision of one that does not exist;
 * - `delete(kind, id)`.
 */
import { BACKEND } from "./config.js";
import { t } from "./i18n.js";

export const openStore = (backend) => (BACKEND === "wasm" ? new IndexedStore() : new NativeStore(backend));

/** An id for a new document: 16 hexadecimal digits. */
export const newId = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

class NativeStore {
  constructor(backend) {
    this.backend = backend;
  }

  list(kind) {
    return this.backend.ask({ ask: "store-list", kind });
  }

  get(kind, id) {
    return this.backend.ask({ ask: "store-get", kind, document: id });
  }

  put(kind, id, revision, summary, value) {
    return this.backend.ask({ ask: "store-put", kind, document: id, revision, summary, value });
  }

  delete(kind, id) {
    return this.backend.ask({ ask: "store-delete", kind, document: id });
  }
}

/** The promise of a request's result. */
const resultOf = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

const DENIED = t("This browser keeps nothing for this page. Is the window private? What you play is lost when you close the page.");

class IndexedStore {
  constructor() {
    // The first use tells what is wrong.
    this.access("readonly", () => {}).catch(() => {});
  }

  async open() {
    try {
      const request = indexedDB.open("agoge", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("documents", { keyPath: ["kind", "id"] });
      const database = await resultOf(request);
      // Another tab may have a newer version of the page.
      database.onversionchange = () => database.close();
      // The browser may close it, for example when its storage is cleared.
      database.onclose = () => (this.database = null);
      return database;
    } catch {
      // The next use tries again.
      this.database = null;
      throw new Error(DENIED);
    }
  }

  /** Calls a function with the documents, and waits until its changes are kept. */
  async access(mode, act) {
    const database = await (this.database ??= this.open());
    try {
      const transaction = database.transaction("documents", mode, { durability: "strict" });
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
      const [result] = await Promise.all([act(transaction.objectStore("documents")), done]);
      return result;
    } catch (error) {
      if (error?.name === "QuotaExceededError") throw new Error(t("The browser has no space left, so this change is not kept."));
      throw new Error(t("The browser could not keep or read a game: {reason}", { reason: error?.message ?? t("the reason is unknown") }));
    }
  }

  list(kind) {
    return this.access("readonly", async (documents) => {
      const all = await resultOf(documents.getAll(IDBKeyRange.bound([kind], [kind, []])));
      return all.map(({ value, kind: _, ...rest }) => rest).sort((a, b) => b.changed - a.changed);
    });
  }

  get(kind, id) {
    return this.access("readonly", async (documents) => {
      const { revision, changed, value } = (await resultOf(documents.get([kind, id]))) ?? {};
      return revision ? { revision, changed, value } : null;
    });
  }

  put(kind, id, revision, summary, value) {
    return this.access("readwrite", async (documents) => {
      const known = (await resultOf(documents.get([kind, id]))) ?? { revision: 0, changed: 0, value: null };
      if (known.revision !== revision) {
        if (JSON.stringify(known.value) === JSON.stringify(value)) return { revision: known.revision };
        return { conflict: { revision: known.revision, changed: known.changed, value: known.value } };
      }
      const changed = Date.now();
      // One that is deleted and made anew must not have an old revision.
      const next = revision ? revision + 1 : changed;
      documents.put({ kind, id, revision: next, changed, summary, value });
      return { revision: next };
    });
  }

  delete(kind, id) {
    return this.access("readwrite", async (documents) => resultOf(documents.delete([kind, id])));
  }
}
