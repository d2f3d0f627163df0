/** A file of many games. It is read in parts to list its games; the moves of a game are read when it is opened. */
import { mebibytes, t, translate } from "./i18n.js";
import { Tree } from "./tree.js";

/** The longest file in bytes, and the most games that are listed. */
const MAX_SIZE = 64 << 20;
const MAX_GAMES = 200_000;

/** The text of a file: UTF-8, else what older programs wrote. */
function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The text of a file or text; throws an error with a message for the user if it is too long. */
export async function textOf(source) {
  const isFile = source instanceof Blob;
  const blob = isFile ? source : new Blob([source]);
  const sizes = { size: mebibytes(blob.size), limit: mebibytes(MAX_SIZE) };
  if (blob.size > MAX_SIZE) throw new Error(isFile ? t("The file is {size}; the limit is {limit}.", sizes) : t("The text is {size}; the limit is {limit}.", sizes));
  return isFile ? decode(await blob.arrayBuffer()) : source;
}

export class GameFile {
  /** What the user has chosen in the table of the games. */
  view = { filter: "", damaged: false, column: "number", descending: false };
  /** The game that is open. */
  current = null;
  /** What was left out, as sentences. */
  warnings = [];

  constructor(backend, text) {
    this.backend = backend;
    // Offsets of games are those of UTF-8.
    this.blob = new Blob([text]);
    this.games = [];
  }

  /** Lists the games of a text. `onProgress` gets the share that is done. */
  static async read(backend, text, onProgress = () => {}) {
    const file = new GameFile(backend, text);
    const { size } = file.blob;
    for (let part = { at: 0, line: 1, cut: false }; part.at < size;) {
      onProgress(part.at / size);
      part = await file.readPart(part);
      if (file.games.length > MAX_GAMES) {
        file.games.length = MAX_GAMES;
        file.warnings.push(t("Only the first {count} games are listed.", { count: MAX_GAMES }));
        break;
      }
    }
    file.order = file.games.map((_, index) => index);
    return file;
  }

  /** Lists the games of a part and returns where the next one begins. */
  async readPart({ at, line, cut }) {
    const limit = this.backend.limits.text;
    const bytes = new Uint8Array(await this.blob.slice(at, at + limit + 1).arrayBuffer());
    const more = bytes.length > limit;
    let end = Math.min(bytes.length, limit);
    // Not within a character.
    if (more) while ((bytes[end] & 0xc0) === 0x80) end -= 1;
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, end));
    try {
      const answer = await this.backend.ask({ ask: "list-pgn", text, line, cut, more });
      for (const game of answer.games) {
        const moves = Math.ceil(game.plies / 2);
        this.games.push({ ...game, moves, begin: at + game.begin, end: at + game.end, number: this.games.length + 1 });
      }
      return { at: at + answer.end, line: answer.line, cut: answer.cut };
    } catch (error) {
      if (!this.games.length) throw error;
      this.warnings.push(error.message);
      return { at: Infinity };
    }
  }

  /** The tree of a game. It stays the same, so that what is changed in it is there when the user comes back. */
  async open(index) {
    const game = this.games[index];
    game.tree ??= await this.readGame(game);
    return game.tree;
  }

  async readGame({ begin, end, line, number }) {
    const text = await this.blob.slice(begin, end).text();
    const [game] = await this.backend.ask({ ask: "read-pgn", text, line, number });
    const tree = Tree.fromJSON(game);
    tree.current = tree.root;
    tree.warnings = [...(game.warnings ?? []).map(translate), ...(this.games.length === 1 ? this.warnings : [])];
    return tree;
  }

  /** Makes the game with a tree the current one, if it is one of this file. */
  follow(tree) {
    const index = this.games.findIndex((game) => game.tree === tree);
    if (index >= 0) this.current = index;
  }

  /** The game before or after the current one, in the order of the table; undefined at its end. */
  neighbour(step) {
    const at = this.order.indexOf(this.current);
    return at < 0 ? this.order[0] : this.order[at + step];
  }
}
