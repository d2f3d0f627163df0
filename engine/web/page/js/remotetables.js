/** Endgame tables in a folder beside the page without a server of ours, read in the parts that are needed. */

const FOLDER = "tables/";

/** A class that every folder of tables has. */
const FIRST = "Kvk";

/** The bytes that are read first of a file. */
const HEAD = 1 << 16;

/** The most bytes of a file that is loaded as a whole, if the web server sends no parts. */
const WHOLE = 4e6;

/** The most rounds of reading for an answer, or to open a file: each one may find what else is needed. */
const ROUNDS = 100;

export class RemoteTables {
  /** The classes whose files were opened, or that the web server does not have. */
  known = new Set();

  /** `add` passes a part of a file on, and resolves to the ranges that are needed to open it. */
  constructor(add) {
    this.add = add;
  }

  /** Asks anew until nothing is missing in the answer that the folder has. */
  async complete(ask) {
    for (let round = 0; ; round++) {
      const answer = await ask();
      const { wanted = [], missing = [] } = answer ?? {};
      const unknown = missing.filter((name) => !this.known.has(name));
      if (round === ROUNDS || !(wanted.length || unknown.length)) return answer;
      // A folder that is not there costs one request.
      this.folder ??= this.open(FIRST);
      if (!(await this.folder)) {
        if (!this.known.has(FIRST)) this.folder = null;
        return answer;
      }
      const loaded = await Promise.all([...unknown.map((name) => this.open(name)), ...wanted.map((part) => this.load(part.class, part.from, part.to))]);
      if (!loaded.some(Boolean)) return answer;
    }
  }

  /** Loads what is needed to read a file. Resolves to whether there is one. */
  async open(name) {
    this.known.add(name);
    let ranges = [[0, HEAD]];
    // A web server that sends other parts than those asked for would never be done.
    for (let round = 0; ranges?.length && round < ROUNDS; round++) ranges = await this.load(name, ...ranges[0]);
    // Without an answer, the next position tries again.
    if (ranges === undefined) this.known.delete(name);
    return !!ranges;
  }

  /** Loads a part of a file; null if the web server does not send it, undefined if there is no answer. */
  async load(name, from, to) {
    try {
      const response = await fetch(new URL(`${FOLDER}${name}.agt`, document.baseURI), { headers: { Range: `bytes=${from}-${to - 1}` } });
      const isPart = response.status === 206;
      const found = isPart ? /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get("Content-Range")) : [null, 0, response.headers.get("Content-Length")];
      const [, offset, length] = found.map(Number);
      if (!response.ok || !length || ![offset, length].every(Number.isSafeInteger) || (!isPart && length > WHOLE)) {
        await response.body?.cancel();
        return null;
      }
      return await this.add({ class: name, length, offset }, await response.arrayBuffer());
    } catch {
      return undefined;
    }
  }
}
