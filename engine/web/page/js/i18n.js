/**
 * Translations. The English text is the key, as in gettext; what a language lacks stays English. The texts of a language
 * are in lang/CODE.json. The language is known before any other module is read, see boot.js.
 */
import { load } from "./files.js";

let texts = {};

/** The messages of the rules, the engine and the server. */
let messages = {};
let patterns = [];

/** The languages of the page by their code of BCP 47, each by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch", el: "Ελληνικά", es: "Español", fr: "Français", zh: "中文" };

/** The language of the page. */
export let language = "en";

/** How numbers and dates are written: in the user's variant of the language. */
export let locale = "en";

/** The language that was to be loaded. */
let asked = "en";

let rules;
let formats = {};

function useLanguage(code, { page, engine }) {
  language = code;
  [texts, messages] = [page, engine];
  patterns = Object.entries(engine).filter(([message]) => /{\w/.test(message)).map(patternOf).sort((a, b) => b.rank - a.rank);
  locale = navigator.languages.find((name) => isOf(name, code)) ?? code;
  formats = {};
  rules = new Intl.PluralRules(code);
  document.documentElement.lang = code;
}

const isOf = (name, code) => name.toLowerCase().split("-")[0] === code;

/** The language that the user has chosen, or "auto". It is read from the copy of the settings, see settings.js. */
function choice() {
  try {
    return JSON.parse(localStorage.getItem("agoge-settings")).language;
  } catch {
    return "auto";
  }
}

/** The language to load: the chosen one, or the first one of the browser that there is. */
function wanted() {
  const codes = Object.keys(LANGUAGES);
  const chosen = choice();
  if (codes.includes(chosen)) return chosen;
  return navigator.languages.map((name) => codes.find((code) => isOf(name, code))).find(Boolean) ?? "en";
}

/** Whether the user has chosen another language since the page was loaded. */
export const isChanged = () => wanted() !== asked;

/** Loads the texts. If that fails, the page stays English, and it resolves to a message for the user. */
export async function loadLanguage() {
  asked = wanted();
  useLanguage("en", { page: {}, engine: {} });
  if (asked === "en") return null;
  try {
    useLanguage(asked, await load(`lang/${asked}.json`, (response) => response.json()));
    return null;
  } catch {
    return `The texts in this language could not be loaded: ${LANGUAGES[asked]}. The page is in English.`;
  }
}

/**
 * A text in the language of the page. `{name}` in it is replaced by the value of that name. The text is always written
 * out where it is translated, so that tests/languages.py finds it.
 */
export const t = (text, values = {}) => fill(texts[text] ?? text, values);

/** A text that depends on a number, the value `count`: English has two forms, other languages as many as in their files. */
export function plural(one, other, values) {
  const forms = texts[other] ?? { one, other };
  return fill(forms[rules.select(values.count)] ?? forms.other, values);
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => (typeof values[name] === "number" ? number(values[name]) : values[name] ?? all));
}

/** What can stand for a placeholder of a message. */
const PARTS = { number: "(\\d+)", letter: "(.)", line: "(\\d+)", rank: "(\\d)", size: "(\\d+)", square: "([a-h][1-8])", from: "([a-h][1-8])" };

/** Of several patterns the one is right that begins with a word and is the longest. */
function patternOf([message, translation]) {
  const words = message.split(/\{\w+\}/);
  const names = message.match(/\{\w+\}/g).map((name) => name.slice(1, -1));
  const parts = words.map((word, index) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + (index < names.length ? PARTS[names[index]] ?? "(.+)" : ""));
  return { pattern: new RegExp(`^${parts.join("")}$`), names, translation, rank: (words[0] ? 1000 : 0) + words.join("").length };
}

/**
 * A message of the rules, the engine or the server in the language of the page. They are English; what stands in them
 * for a placeholder, such as a piece or another message, is translated, too.
 */
export function translate(message) {
  const known = messages[message] ?? messages[message[0]?.toLowerCase() + message.slice(1)] ?? texts[message];
  if (typeof known === "string") return known;
  for (const { pattern, names, translation } of patterns) {
    const [, ...values] = pattern.exec(message) ?? [];
    if (values.length) return fill(translation, Object.fromEntries(names.map((name, index) => [name, translatePart(name, values[index])])));
  }
  return message;
}

function translatePart(name, value) {
  if (name === "moves") return either(value.split(" or "));
  return ["text", "path"].includes(name) ? value : translate(value);
}

/** A number, with options of Intl.NumberFormat. */
export function number(value, options = {}) {
  const key = JSON.stringify(options);
  formats[key] ??= new Intl.NumberFormat(locale, options);
  return formats[key].format(value);
}

/** A number with a fixed number of digits after the point. */
export const decimal = (value, digits) => number(value, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Words with an "or" between them. */
export const either = (words) => new Intl.ListFormat(locale, { type: "disjunction" }).format(words);

/** A size in bytes. */
export const mebibytes = (bytes) => t("{size} MiB", { size: decimal(bytes / 2 ** 20, 1) });
