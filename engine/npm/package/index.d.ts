import type { AgogeEngine, AgogeOptions, MessageListener } from "./lib/engine-types.cjs";

export type { AgogeEngine, AgogeOptions, MessageListener };

/** Starts an engine in a worker of its own. */
export default function Agoge(options?: AgogeOptions): Promise<AgogeEngine>;
