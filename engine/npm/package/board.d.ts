import type * as types from "./lib/board-types.cjs";

export type { Board, FairyStockfish, Game, ModuleOptions, Rules } from "./lib/board-types.cjs";

export declare const Notation: types.Notations;
export type Notation = types.Notation;
export declare const Termination: types.Terminations;
export type Termination = types.Termination;

/** Loads the rules. */
export default function Module(options?: types.ModuleOptions): Promise<types.Rules>;
