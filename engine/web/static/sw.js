/**
 * Keeps the page for use without a network. It loads all files in the background, and serves them from then on. A new
 * version is loaded while the old one is in use, and is taken at the next start: the page of a version asks for files with
 * the hashes of their contents in their names, so that versions never mix.
 *
 * The copies have the headers that isolate the page, so that it has shared memory without help of the web server.
 */

/** Both are written by the build. The page has its version in it, too. */
const VERSION = "";
const FILES = [];

/** The address of a file with the hash of its contents in its name, or in that of its folder. */
const HASHED = /-[0-9a-f]{10}[./][^?#]*$/;

/** Other pages of this web server may have their own caches. */
const PREFIX = `agoge ${registration.scope} `;
const CACHE = PREFIX + VERSION;

/** The page itself. */
const PAGE = new URL("./", location).href;

const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

const ownCaches = async () => (await caches.keys()).filter((name) => name.startsWith(PREFIX));

/** Loads the page, unless the web server has another version of it. */
async function loadPage() {
  const text = await (await load(PAGE, "no-cache")).text();
  if (!text.includes(VERSION)) throw new Error("the web server has another version of the page");
  return copyOf(text, "text/html; charset=utf-8");
}

/** Loads a file, or takes it from the version before. */
async function loadFile(address, old) {
  for (const cache of old) {
    const known = await cache.match(address);
    if (known) return known;
  }
  const response = await load(address, "default");
  return copyOf(await response.blob(), response.headers.get("Content-Type") ?? "application/octet-stream");
}

async function load(address, cache) {
  const response = await fetch(address, { cache });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response;
}

const copyOf = (body, type) => new Response(body, { headers: { "Content-Type": type, ...ISOLATION } });

async function install() {
  const old = await Promise.all((await ownCaches()).map((name) => caches.open(name)));
  const cache = await caches.open(CACHE);
  // One after the other, to leave the network to the page. If one fails, the next visit goes on from there.
  for (const name of FILES) {
    const address = new URL(name, location).href;
    if (!(await cache.match(address))) await cache.put(address, await loadFile(address, old));
  }
  await cache.put(PAGE, await loadPage());
  await skipWaiting();
}

/** Pages that were opened before still ask for files of the version before. */
async function activate() {
  const names = (await ownCaches()).filter((name) => name !== CACHE);
  await Promise.all(names.slice(0, -1).map((name) => caches.delete(name)));
  await clients.claim();
}

const pageOf = async (request) => (await (await caches.open(CACHE)).match(PAGE)) ?? fetch(request);

const fileOf = async (request) => (await caches.match(request.url)) ?? fetch(request);

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const [address] = request.url.split(/[?#]/);
  if (request.method !== "GET" || !address.startsWith(PAGE)) return;
  if (request.mode === "navigate") {
    if ([PAGE, `${PAGE}index.html`].includes(address)) event.respondWith(pageOf(request));
  } else if (HASHED.test(request.url)) event.respondWith(fileOf(request));
});
