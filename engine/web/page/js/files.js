/** The files beside the page. */
import { t } from "./i18n.js";

/** Their names, by those in the source: a page for web servers has hashes of the contents in them. */
const names = JSON.parse(document.getElementById("files")?.textContent ?? "{}");

export const addressOf = (name) => new URL(names[name] ?? name, document.baseURI);

export const cannotLoad = (name) => t("The file {name} could not be loaded.", { name });

/** Loads a file; rejected with a message for the user. */
export async function load(name, options) {
  let response;
  try {
    response = await fetch(addressOf(name), options);
  } catch (error) {
    throw new Error(cannotLoad(name), { cause: error });
  }
  if (!response.ok) throw new Error(cannotLoad(name));
  return response;
}

/** Reads a response as bytes. `onProgress` gets the share of it that is there; `size` is that of the file without compression. */
export async function readBytes(response, name, size, onProgress) {
  let done = 0;
  const count = new TransformStream({
    transform(chunk, controller) {
      done += chunk.length;
      onProgress(Math.min(done / size, 1));
      controller.enqueue(chunk);
    },
  });
  try {
    return await new Response(response.body.pipeThrough(count)).arrayBuffer();
  } catch (error) {
    throw new Error(cannotLoad(name), { cause: error });
  }
}
