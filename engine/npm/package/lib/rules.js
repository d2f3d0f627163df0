/** The rules in WebAssembly, in the calling thread, with the interface of ffish.js. */

export const Notation = Object.freeze({ DEFAULT: 0, SAN: 1, LAN: 2 });

export const Termination = Object.freeze({
  ONGOING: 0,
  CHECKMATE: 1,
  STALEMATE: 2,
  INSUFFICIENT_MATERIAL: 3,
  N_MOVE_RULE: 4,
  N_FOLD_REPETITION: 5,
  VARIANT_END: 6,
});

/** The greatest depth that a board counts. */
const MAX_PERFT = 100;

/** Between the parts of a message. */
const SEPARATOR = "\0";

/** Passes text to and from the module. */
class Texts {
  #wasm;
  #view = new Uint8Array(0);
  #encoder = new TextEncoder();
  #decoder = new TextDecoder();

  constructor(wasm) {
    this.#wasm = wasm;
    this.#reserve(1024);
  }

  #reserve(length) {
    const address = this.#wasm.rules_buffer(length);
    this.#view = new Uint8Array(this.#wasm.memory.buffer, address, length);
  }

  /** Writes a message and returns its length. */
  write(text) {
    const string = String(text);
    // The memory may have grown, or the text may not fit.
    if (this.#view.length < 3 * string.length || this.#view.buffer !== this.#wasm.memory.buffer) {
      this.#reserve(Math.max(this.#view.length, 3 * string.length, 1024));
    }
    return this.#encoder.encodeInto(string, this.#view).written;
  }

  /** The answer of a length. */
  read(length) {
    if (!length) return "";
    return this.#decoder.decode(new Uint8Array(this.#wasm.memory.buffer, this.#wasm.rules_text(), length));
  }
}

/** Whether a notation is the long one. */
function isLong(notation = Notation.DEFAULT) {
  if (![Notation.DEFAULT, Notation.SAN, Notation.LAN].includes(notation)) {
    throw new Error(`notation ${notation} is not supported`);
  }
  return notation === Notation.LAN;
}

function refuse960(is960) {
  if (is960) throw new Error("Chess960 is not supported");
}

const words = (text) => String(text).split(/\s+/).filter(Boolean);

/** The class of boards of a module. */
function boardClass(wasm, texts) {
  const lost = new FinalizationRegistry((number) => wasm.rules_delete(number));

  return class Board {
    #number;

    constructor(variant = "", fen = "", is960 = false) {
      refuse960(is960);
      const number = wasm.rules_new(texts.write(`${variant}${SEPARATOR}${fen}`));
      if (number < 0) throw new Error(texts.read(-1 - number));
      this.#number = number;
      lost.register(this, number, this);
    }

    get #id() {
      if (this.#number === null) throw new Error("the board was deleted");
      return this.#number;
    }

    delete() {
      wasm.rules_delete(this.#id);
      lost.unregister(this);
      this.#number = null;
    }

    variant() {
      return texts.read(wasm.rules_variant(this.#id));
    }

    legalMoves() {
      return texts.read(wasm.rules_legal_moves(this.#id));
    }

    legalMovesSan() {
      return texts.read(wasm.rules_legal_sans(this.#id));
    }

    numberLegalMoves() {
      return wasm.rules_count(this.#id);
    }

    push(move) {
      return !!wasm.rules_push(this.#id, texts.write(move));
    }

    pushSan(san, notation) {
      isLong(notation);
      return !!wasm.rules_push_san(this.#id, texts.write(san));
    }

    pushMoves(moves) {
      for (const move of words(moves)) this.push(move);
    }

    pushSanMoves(sans, notation) {
      for (const san of words(sans)) this.pushSan(san, notation);
    }

    pop() {
      wasm.rules_pop(this.#id);
    }

    reset() {
      this.setFen("");
    }

    is960() {
      return false;
    }

    fen() {
      return texts.read(wasm.rules_fen(this.#id));
    }

    setFen(fen) {
      const length = wasm.rules_set_fen(this.#id, texts.write(fen));
      if (length) throw new Error(texts.read(length));
    }

    sanMove(move, notation) {
      const long = isLong(notation);
      return texts.read(wasm.rules_san(this.#id, texts.write(move), long));
    }

    variationSan(moves, notation, moveNumbers = true) {
      const long = isLong(notation);
      return texts.read(wasm.rules_variation(this.#id, texts.write(moves), long, moveNumbers));
    }

    turn() {
      return !!wasm.rules_turn(this.#id);
    }

    fullmoveNumber() {
      return wasm.rules_fullmove_number(this.#id);
    }

    halfmoveClock() {
      return wasm.rules_halfmove_clock(this.#id);
    }

    gamePly() {
      return wasm.rules_ply(this.#id);
    }

    hasInsufficientMaterial(side) {
      return !!wasm.rules_has_insufficient_material(this.#id, side);
    }

    isInsufficientMaterial() {
      return this.hasInsufficientMaterial(true) && this.hasInsufficientMaterial(false);
    }

    termination(claimDraw = false) {
      return wasm.rules_termination(this.#id, claimDraw);
    }

    isGameOver(claimDraw = false) {
      return this.termination(claimDraw) !== Termination.ONGOING;
    }

    result(claimDraw = false) {
      const termination = this.termination(claimDraw);
      if (termination === Termination.ONGOING) return "*";
      if (termination !== Termination.CHECKMATE) return "1/2-1/2";
      return this.turn() ? "0-1" : "1-0";
    }

    checkedPieces() {
      return texts.read(wasm.rules_checked(this.#id));
    }

    isCheck() {
      return !!wasm.rules_is_check(this.#id);
    }

    isBikjang() {
      return false;
    }

    isCapture(move) {
      return !!wasm.rules_is_capture(this.#id, texts.write(move));
    }

    moveStack() {
      return texts.read(wasm.rules_moves(this.#id));
    }

    pocket() {
      return "";
    }

    toString() {
      return texts.read(wasm.rules_diagram(this.#id, false));
    }

    toVerboseString() {
      return texts.read(wasm.rules_diagram(this.#id, true));
    }

    pgn(tags = {}) {
      const parts = Object.entries(tags).flat().map((part) => String(part).replaceAll(SEPARATOR, " "));
      return texts.read(wasm.rules_pgn(this.#id, texts.write(parts.join(SEPARATOR))));
    }

    perft(depth) {
      if (!Number.isInteger(depth) || depth < 0 || depth > MAX_PERFT) throw new RangeError(`${depth} is not a depth from 0 to ${MAX_PERFT}`);
      return wasm.rules_perft(this.#id, depth);
    }
  };
}

/** A game read from PGN. */
class Game {
  #moves;
  #warning;
  #tags = new Map();

  constructor(answer) {
    const [moves, warning, ...tags] = answer.split(SEPARATOR);
    this.#moves = moves;
    this.#warning = warning;
    for (let i = 0; i < tags.length; i += 2) this.#tags.set(tags[i], tags[i + 1]);
  }

  headerKeys() {
    return [...this.#tags.keys()].join(" ");
  }

  headers(name) {
    return this.#tags.get(name) ?? "";
  }

  mainlineMoves() {
    return this.#moves;
  }

  warning() {
    return this.#warning;
  }

  delete() {}
}

async function load(read, own, { locateFile, wasmBinary, onRuntimeInitialized }) {
  const url = locateFile ? locateFile("rules.wasm", own.replace(/[^/]*$/, "")) : own;
  const module = await WebAssembly.compile(wasmBinary ? await wasmBinary : await read(url));
  const wasm = (await WebAssembly.instantiate(module)).exports;
  const texts = new Texts(wasm);
  const loaded = {
    Board: boardClass(wasm, texts),
    Game,
    Notation,
    Termination,
    info: () => texts.read(wasm.rules_info()),
    variants: () => texts.read(wasm.rules_variants()),
    startingFen: (variant) => texts.read(wasm.rules_starting_fen(texts.write(variant))),
    capturesToHand: () => false,
    readGamePGN: (text) => new Game(texts.read(wasm.rules_read_pgn(texts.write(text)))),
    validateFen(fen, variant = "chess", is960 = false) {
      refuse960(is960);
      return wasm.rules_validate_fen(texts.write(`${variant}${SEPARATOR}${fen}`));
    },
    // These concern other engines and variants.
    setOption() {},
    setOptionInt() {},
    setOptionBool() {},
    loadVariantConfig() {},
  };
  onRuntimeInitialized?.(loaded);
  return loaded;
}

/** The factory. */
export const factory = (read, url) => function Module(options = {}) {
  return load(read, url, options);
};
