/**
 * Addresses within the page: `#play/ID`, `#analyse/ID`, `#watch/ID` name documents, `#puzzles/ID` a puzzle. An address
 * for others has the game itself: `#analyse?variant=…&fen=…&moves=…`.
 */
import { t } from "./i18n.js";
import { Tree } from "./tree.js";

/** A part of an address; one that is damaged stays as it is, and is then not found. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The place, the id and the query of an address; each may be missing. */
export function parseAddress(hash) {
  const [path, query] = hash.slice(1).split("?");
  const [place, id] = path.split("/");
  return { place, id: id ? decoded(id) : null, query: query ? new URLSearchParams(query) : null };
}

/** The query for the moves up to the current position of a tree, with the question mark; empty for a start. */
export function queryOf(tree) {
  const { variant, fen, moves } = tree.line();
  const parts = new URLSearchParams();
  if (variant !== "spartan") parts.set("variant", variant);
  if (fen) parts.set("fen", fen);
  if (moves.length) parts.set("moves", moves.join("."));
  const text = parts.toString();
  return text && `?${text}`;
}

export const sharedAddress = (tree) => `${location.href.split("#")[0]}#analyse${queryOf(tree)}`;

/** The tree of a query. Throws an error with a message for the user. */
export async function readQuery(app, query) {
  const line = { variant: query.get("variant") ?? "spartan", fen: query.get("fen"), moves: query.get("moves")?.split(".") ?? [] };
  try {
    const start = await app.ask({ ask: "position", line: { ...line, moves: [] } });
    const steps = await app.ask({ ask: "line", line });
    const tree = new Tree(line.variant, start.fen);
    steps.forEach((step) => tree.play(step));
    return tree;
  } catch (error) {
    throw new Error(t("The address has no valid position: {reason}", { reason: plain(error.message) }));
  }
}

/** An error message as a sentence. */
export function plain(message) {
  const text = message.replace(/^FEN: /, "");
  return `${text[0].toUpperCase()}${text.slice(1)}${/[.!?。！？]$/.test(text) ? "" : "."}`;
}
