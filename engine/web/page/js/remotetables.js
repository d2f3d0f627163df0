/** Endgame tables in a folder beside the page without a server of ours, read in the parts that are needed. */

const FOLDER = "tables/";

/** A class that every folder of tables has. */
const FIRST = "Kvk";

/** The bytes that are read first of a file. */
const HEAD = 1 << 16;

/** The most bytes of a file that is loaded as a whole, if the web server sends no parts. */
const WHOLE = 4e6;

/** The states of HTTP that say that a file is not there. The others are of a web server that fails. */
const ABSENT = new Set([403, 404, 410]);

/** The most rounds of reading for an answer, or to open a file: each one may find what else is needed. */
const ROUNDS = 100;

const fileOf = (name) => `${FOLDER}${name}.agt`;

export class RemoteTables {
  /** The classes whose files were opened, or that the web server does not have. */
  known = new Set();

  /** The files that are being opened: several answers may wait for one. */
  opening = new Map();

  /** `add` passes a part of a file on, and resolves to the ranges that are needed to open it. */
  constructor(add) {
    this.add = add;
  }

  /**
   * Asks anew until nothing is missing in the answer that the folder has. If the web server does not send a file that it
   * should have, that is `failed` in the answer, and is asked for again the next time.
   */
  async complete(ask) {
    const failed = new Set();
    for (let round = 0; ; round++) {
      const answer = await ask();
      const wanted = (answer?.wanted ?? []).filter((part) => !failed.has(part.class));
      const unknown = (answer?.missing ?? []).filter((name) => !this.known.has(name) && !failed.has(name));
      const done = () => (failed.size ? { ...answer, failed: fileOf([...failed][0]) } : answer);
      if (round === ROUNDS || !(wanted.length || unknown.length)) return done();
      // A folder that is not there costs one request. If there is no answer, there may be none.
      this.folder ??= this.open(FIRST);
      if (!(await this.folder)) {
        if (!this.known.has(FIRST)) this.folder = null;
        return answer;
      }
      const load = async (name, loading) => {
        const loaded = await loading;
        if (loaded === undefined) failed.add(name);
        return loaded;
      };
      const loaded = await Promise.all([...unknown.map((name) => load(name, this.open(name))), ...wanted.map((part) => load(part.class, this.load(part.class, part.from, part.to)))]);
      if (!loaded.some(Boolean)) return done();
    }
  }

  /** Loads what is needed to read a file. Resolves to whether there is one; undefined if there is no answer. */
  open(name) {
    if (!this.opening.has(name)) this.opening.set(name, this.begin(name).finally(() => this.opening.delete(name)));
    return this.opening.get(name);
  }

  async begin(name) {
    let ranges = [[0, HEAD]];
    // A web server that sends other parts than those asked for would never be done.
    for (let round = 0; ranges?.length && round < ROUNDS; round++) ranges = await this.load(name, ...ranges[0]);
    if (ranges === undefined) return undefined;
    this.known.add(name);
    return !!ranges;
  }

  /** Loads a part of a file; null if the web server does not have it, or cannot send parts, undefined if there is no answer. */
  async load(name, from, to) {
    try {
      const response = await fetch(new URL(fileOf(name), document.baseURI), { headers: { Range: `bytes=${from}-${to - 1}` } });
      const isPart = response.status === 206;
      const found = isPart ? /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("Content-Range")) : [null, 0, response.headers.get("Content-Length")];
      const [, offset, length] = (found ?? []).map(Number);
      if (!response.ok || !length || ![offset, length].every(Number.isSafeInteger) || (!isPart && length > WHOLE)) {
        await response.body?.cancel();
        return response.ok || ABSENT.has(response.status) ? null : undefined;
      }
      return await this.add({ class: name, length, offset }, await response.arrayBuffer());
    } catch {
      return undefined;
    }
  }
}
