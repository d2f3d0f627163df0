/** The worker of the engine in pages. */

import { read } from "./lib/read.js";
import { serve } from "./lib/session.js";

const receive = serve((data) => postMessage(data), read);
addEventListener("message", ({ data }) => receive(data));
