import { readFile } from "node:fs/promises";
import { read as fetchFile } from "./read.js";

/** Loads a file of the package by its URL or path. */
export async function read(url) {
  if (/^https?:/.test(url)) return fetchFile(url);
  return readFile(url.startsWith("file:") ? new URL(url) : url);
}
