/**
 * Translations. The English text is the key, as in gettext; what a language lacks stays English. The texts of a language
 * are in lang/CODE.json.
 */
let texts = {};

/** The language of the page, a code of BCP 47. */
export let language = "en";

/** A text in the language of the page. `{name}` in it is replaced by the value of that name. */
export function t(text, values = {}) {
  return (texts[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

/** Takes the texts of a language, as in its file. */
export function useLanguage(code, translations) {
  language = code;
  texts = translations;
}
