/**
 * What this tab of the browser remembers over a reload: the place, the document of each place, and where the user was
 * in it. Other tabs know nothing of it.
 */
const KEY = "agoge-tab";

export function recallTab() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** Changes some of it. */
export function rememberTab(change) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...recallTab(), ...change }));
  } catch {
    // The tab then begins anew after a reload.
  }
}
