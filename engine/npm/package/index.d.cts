import type { AgogeEngine, AgogeOptions, MessageListener } from "./lib/engine-types.cjs";

/** Starts an engine in a worker of its own. */
declare function Agoge(options?: AgogeOptions): Promise<AgogeEngine>;
declare namespace Agoge {
  export { Agoge as default, AgogeEngine, AgogeOptions, MessageListener };
}
export = Agoge;
