/**
 * What this tab of the browser remembers over a reload: the place, the document of each place, and where the user was
 * in it. Other tabs know nothing of it.
 */
const KEY = "agoge-tab";
const DRAFT = "agoge-draft";

export const recallTab = () => read(KEY);

/** Changes some of it. */
export const rememberTab = (change) => write(KEY, { ...recallTab(), ...change });

/** The `id` and the `tree` of what is analysed without being kept; empty if there is none. */
export const recallDraft = () => read(DRAFT);

export const rememberDraft = (draft) => write(DRAFT, draft);

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}

function write(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The tab then begins anew after a reload.
  }
}
