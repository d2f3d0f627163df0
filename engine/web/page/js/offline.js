/** Lets the page work without a network from the next start on. */

/** The page leaves the network to what the user does first. */
const PAUSE = 3000;

/** The service worker loads all files. Pages of `agoge gui`, and browsers without it, go without. */
export function keepOffline() {
  if (!document.getElementById("files") || !navigator.serviceWorker) return;
  // It may be forbidden, as in a private window.
  setTimeout(() => navigator.serviceWorker.register(new URL("sw.js", document.baseURI)).catch(console.info), PAUSE);
}
