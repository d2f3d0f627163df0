import type * as types from "./lib/board-types.cjs";

/** Loads the rules. */
declare function Module(options?: types.ModuleOptions): Promise<types.Rules>;
declare namespace Module {
  export { Module as default };
  export type Board = types.Board;
  export type FairyStockfish = types.FairyStockfish;
  export type Game = types.Game;
  export type ModuleOptions = types.ModuleOptions;
  export type Notation = types.Notation;
  export type Rules = types.Rules;
  export type Termination = types.Termination;
}
export = Module;
