/** The files beside the page. */
import { t } from "./i18n.js";

/** Their names, by those in the source: a page for web servers has hashes of the contents in them. */
const names = JSON.parse(document.getElementById("files")?.textContent ?? "{}");

/** Those that were damaged: the browser's copies are, too. */
const damaged = new Set();

export const addressOf = (name) => new URL(names[name] ?? name, document.baseURI);

export const cannotLoad = (name) => t("The file {name} could not be loaded.", { name });

/** A file that is not here, with a message for the user. */
export class FileError extends Error {}

/** An error about a file that is not what it should be. It is loaded anew the next time. */
export function damage(name) {
  damaged.add(name);
  return new FileError(t("The file {name} is damaged.", { name }));
}

/** Loads a file. `read` makes something of the response, by default bytes. Rejected with a FileError. */
export async function load(name, read = (response) => response.arrayBuffer()) {
  try {
    const response = await fetch(addressOf(name), { cache: damaged.has(name) ? "reload" : "default" });
    if (response.ok) return await read(response);
  } catch (error) {
    throw new FileError(cannotLoad(name), { cause: error });
  }
  throw new FileError(cannotLoad(name));
}

/** Reads a response as bytes. `onProgress` gets the share of it that is there; `size` is that of the file without compression. */
export function readBytes(response, size, onProgress) {
  let done = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      done += chunk.length;
      onProgress(Math.min(done / size, 1));
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(count)).arrayBuffer();
}
