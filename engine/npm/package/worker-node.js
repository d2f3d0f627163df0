/** The worker of the engine in Node. */

import { parentPort } from "node:worker_threads";
import { read } from "./lib/read-node.js";
import { serve } from "./lib/session.js";

parentPort.on("message", serve((data) => parentPort.postMessage(data), read));
