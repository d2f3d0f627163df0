export type Bytes = ArrayBuffer | ArrayBufferView;

export interface ModuleOptions {
  /** The URL, or in Node also the path, of `rules.wasm`. */
  locateFile?: (file: string, prefix: string) => string;
  /** The contents of `rules.wasm`. */
  wasmBinary?: Bytes | Promise<Bytes>;
  onRuntimeInitialized?: (loaded: Rules) => void;
}

/** Numbers of notations. */
export interface Notations {
  readonly DEFAULT: 0;
  readonly SAN: 1;
  readonly LAN: 2;
}
export type Notation = Notations[keyof Notations];

/** Numbers of how a game ended. */
export interface Terminations {
  readonly ONGOING: 0;
  readonly CHECKMATE: 1;
  readonly STALEMATE: 2;
  readonly INSUFFICIENT_MATERIAL: 3;
  readonly N_MOVE_RULE: 4;
  readonly N_FOLD_REPETITION: 5;
  readonly VARIANT_END: 6;
}
export type Termination = Terminations[keyof Terminations];

/** A position with the moves that led to it. White is `true`. Lists are strings separated by spaces. */
export interface Board {
  /** Frees the memory; without it, that is done when the board is garbage. */
  delete(): void;
  /** `spartan` or `chess`. */
  variant(): string;
  /** The legal moves in coordinate notation, such as `e2e4`. */
  legalMoves(): string;
  /** The legal moves in SAN, in the same order. */
  legalMovesSan(): string;
  numberLegalMoves(): number;
  /** Makes a move. Returns false, and changes nothing, if it is illegal. */
  push(uciMove: string): boolean;
  pushSan(sanMove: string, notation?: Notation): boolean;
  /** Makes moves; illegal ones are left out. */
  pushMoves(uciMoves: string): void;
  pushSanMoves(sanMoves: string, notation?: Notation): void;
  /** Takes back the last move, if there is one. */
  pop(): void;
  /** Sets up the initial position. */
  reset(): void;
  /** Always false. */
  is960(): boolean;
  fen(showPromoted?: boolean, countStarted?: number): string;
  /** Sets up a position without earlier moves. Throws if the FEN is invalid. */
  setFen(fen: string): void;
  /** A move in SAN; empty if it is illegal. */
  sanMove(uciMove: string, notation?: Notation): string;
  /** A line of moves in SAN; empty if one is illegal. */
  variationSan(uciMoves: string, notation?: Notation, moveNumbers?: boolean): string;
  /** Whether White is to move. */
  turn(): boolean;
  fullmoveNumber(): number;
  halfmoveClock(): number;
  gamePly(): number;
  hasInsufficientMaterial(side: boolean): boolean;
  isInsufficientMaterial(): boolean;
  /** Whether and how the game is over. Draws by repetition and by the fifty-move rule count only if they are claimed. */
  termination(claimDraw?: boolean): Termination;
  isGameOver(claimDraw?: boolean): boolean;
  /** `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result(claimDraw?: boolean): string;
  /** The squares of the kings that are in check: of two Spartan kings both or none. */
  checkedPieces(): string;
  isCheck(): boolean;
  /** Always false. */
  isBikjang(): boolean;
  isCapture(uciMove: string): boolean;
  /** The moves made. */
  moveStack(): string;
  /** Always empty. */
  pocket(side: boolean): string;
  toString(): string;
  toVerboseString(): string;
  /** The game in PGN, with these tags. Without a tag `Result`, draws by repetition and by the fifty-move rule count. */
  pgn(tags?: Record<string, string>): string;
  /** The number of lines of some plies. Throws a `RangeError` unless the depth is a whole number from 0 to 100. */
  perft(depth: number): number;
}

/** A game read from PGN. */
export interface Game {
  /** The names of the tags. */
  headerKeys(): string;
  /** The value of a tag; empty if there is none. */
  headers(name: string): string;
  /** The moves in coordinate notation, up to the first illegal one. */
  mainlineMoves(): string;
  /** What is wrong with the text; empty if nothing is. */
  warning(): string;
  delete(): void;
}

export interface Rules {
  /** A board of a variant, `chess` if it is not given. Throws if the variant is unknown, the FEN is invalid, or for Chess960. */
  Board: new (uciVariant?: string, fen?: string, is960?: boolean) => Board;
  Notation: Notations;
  Termination: Terminations;
  /** Name and version. */
  info(): string;
  /** The names of the variants. */
  variants(): string;
  startingFen(uciVariant: string): string;
  /** Always false. */
  capturesToHand(uciVariant: string): boolean;
  /** 1 if the FEN is valid, otherwise the code of ffish for the wrong field. */
  validateFen(fen: string, uciVariant?: string, chess960?: boolean): number;
  /** The first game of a text. */
  readGamePGN(pgn: string): Game;
  /** Has no effect, nor have the next ones. */
  setOption<T>(name: string, value: T): void;
  setOptionInt(name: string, value: number): void;
  setOptionBool(name: string, value: boolean): void;
  loadVariantConfig(config: string): void;
}

/** The name that it has in ffish. */
export type FairyStockfish = Rules;
