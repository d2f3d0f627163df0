#!/usr/bin/env python3
"""Compares the texts of the page with those of its translations.

    tests/languages.py                 # checks all languages; the exit status is 1 if something is wrong
    tests/languages.py --missing de    # prints what German lacks, as lines for engine/web/page/lang/de.json

A file has two parts. `page` are the texts of the page: the arguments of `t(...)` and `plural(...)` in a script, and the
texts of index.html. A text with another form for other numbers has an object with a text for each plural category of the
language. `engine` are the messages of the rules and the server, which the page finds by their patterns; each message in
their sources must fit one.
"""

import argparse
import glob
import html.parser
import json
import os
import re
import sys

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "engine", "web", "page")

STRING = r'"(?:[^"\\\n]|\\.)*"'
# A comment, a character or a text of Rust.
RUST = re.compile(r"""//[^\n]*|b?'(?:\\.|[^'\\\n])'|b?"((?:[^"\\]|\\.)*)\"""", re.DOTALL)
CALL = re.compile(rf"(?<![\w.$])(t|plural)\(\s*({STRING})?(?:,\s*({STRING}))?")

# The categories of Intl.PluralRules for whole numbers below a million.
PLURALS = {"de": {"one", "other"}, "el": {"one", "other"}, "es": {"one", "other"}, "fr": {"one", "other"}, "zh": {"other"}}

# The sources of messages that reach the page, and what of them does not: questions that the page never asks, and logs.
ENGINE = os.path.join(PAGE, "..", "..")
SOURCES = [
    "core/src/board/fen.rs", "core/src/board/game.rs", "core/src/board/san.rs", "core/src/board/setup.rs", "core/src/notation/pgn/mod.rs",
    "core/src/notation/pgn/reader.rs", "web/src/json/explain.rs", "web/src/json/fen.rs", "web/src/json/list.rs", "web/src/json/mod.rs",
    "web/src/json/pgn.rs", "web/src/server/session.rs", "web/src/server/store.rs", "web/src/server/tables.rs",
]
UNSEEN = {
    "not a valid question: {error}", "not a valid question: unknown name '{name}'", "the question was withdrawn", "The {what} is not an object.",
    "info string error: this command is not allowed here", "engine ended", "from position", "setoption name TablePath value ",
    "setoption name Threads value {}\\nsetoption name Hash value {}\\nsetoption name UCI_ShowWDL value true",
    # The page has its own sentences for the ends of games.
    "threefold repetition", "fifty-move rule", "dead position",
}

# Texts of index.html that are the same in all languages.
NAMES = {"Agoge"}


class Page(html.parser.HTMLParser):
    """Collects the texts of an HTML file that people see or hear."""

    def __init__(self):
        super().__init__()
        self.texts = []
        self.tags = []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.texts += [value for name, value in attributes if name in ("aria-label", "title")]

    def handle_endtag(self, tag):
        while self.tags and self.tags.pop() != tag:
            pass

    def handle_data(self, data):
        if re.search("[A-Za-z]", data) and not {"noscript", "script", "style"}.intersection(self.tags) and data not in NAMES:
            self.texts.append(data)


def texts_of_scripts():
    """The texts of all scripts, each with its singular or None, and what is wrong with calls of `t` and `plural`."""
    texts, errors = {}, []
    for path in sorted(glob.glob(os.path.join(PAGE, "js", "**", "*.js"), recursive=True)):
        name = os.path.relpath(path, os.path.join(PAGE, "js"))
        if name == "boot.js":
            continue
        with open(path, encoding="utf-8") as file:
            script = file.read()
        for match in CALL.finditer(script):
            function, first, second = match.groups()
            line = script.count("\n", 0, match.start()) + 1
            if not first or (function == "plural" and not second):
                if name == "i18n.js":
                    continue
                errors.append(f"js/{name}, line {line}: {function}() needs its text written out")
            elif function == "plural":
                texts[json.loads(second)] = json.loads(first)
            else:
                texts.setdefault(json.loads(first), None)
    return texts, errors


def texts_of_styles():
    """What is wrong with style sheets: a text in them cannot be translated."""
    errors = []
    for path in sorted(glob.glob(os.path.join(PAGE, "css", "*.css"))):
        with open(path, encoding="utf-8") as file:
            errors += [f"css/{os.path.basename(path)} has a text: {text}" for text in re.findall(r"content:\s*(\"[^\"]*[A-Za-z]{2}[^\"]*\")", file.read())]
    return errors


def texts_of_page():
    texts, errors = texts_of_scripts()
    errors += texts_of_styles()
    page = Page()
    with open(os.path.join(PAGE, "index.html"), encoding="utf-8") as file:
        page.feed(file.read())
    for text in page.texts:
        texts.setdefault(text, None)
    return texts, errors


def languages():
    return sorted(name.removesuffix(".json") for name in os.listdir(os.path.join(PAGE, "lang")) if name.endswith(".json"))


def listed_languages():
    """The languages that the page offers, besides English."""
    with open(os.path.join(PAGE, "js", "i18n.js"), encoding="utf-8") as file:
        table = re.search(r"LANGUAGES = \{(.*?)\}", file.read(), re.DOTALL).group(1)
    return sorted(set(re.findall(r"(\w+):", table)) - {"en"})


def unique(pairs):
    """Reads an object, in which a key must not be there twice."""
    keys = [key for key, _ in pairs]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        raise ValueError(f"twice in the file: {', '.join(sorted(twice))}")
    return dict(pairs)


def read(code):
    with open(os.path.join(PAGE, "lang", f"{code}.json"), encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=unique)


def placeholders(text):
    return sorted(re.findall(r"\{(\w+)\}", text))


def errors_of(key, singular, translation, categories):
    """What is wrong with the translation of a text."""
    if singular is None:
        if not isinstance(translation, str):
            return ["must be a text"]
        forms = {"": translation}
    else:
        if not isinstance(translation, dict):
            return [f"must have the forms {', '.join(sorted(categories))}"]
        if set(translation) != categories:
            return [f"has the forms {', '.join(sorted(translation))}, not {', '.join(sorted(categories))}"]
        forms = translation
    errors = []
    for form, text in forms.items():
        if not isinstance(text, str) or not text.strip():
            errors.append("is empty")
            continue
        # "One move" needs no number.
        wanted = [name for name in placeholders(key) if not (form == "one" and name == "count")]
        if [name for name in placeholders(text) if not (form == "one" and name == "count")] != wanted:
            errors.append(f"has the placeholders {placeholders(text)}, not {placeholders(key)}")
        if text != text.strip():
            errors.append("has a space at its end")
    return errors


def check_page(part, texts, categories):
    """What is wrong with the texts of the page in a language."""
    errors = [f"missing: {json.dumps(text)}" for text in texts if text not in part]
    for key, translation in part.items():
        if key not in texts:
            errors.append(f"not on the page: {json.dumps(key)}")
            continue
        errors += [f"{json.dumps(key)} {error}" for error in errors_of(key, texts[key], translation, categories)]
    return errors


def check_engine(part, keys):
    """What is wrong with the messages of the engine in a language. `keys` are those of all languages."""
    errors = [f"missing: {json.dumps(key)}" for key in keys if key not in part]
    for key, translation in part.items():
        if not isinstance(translation, str) or not translation.strip():
            errors.append(f"{json.dumps(key)} is empty")
        elif not set(placeholders(translation)) <= set(placeholders(key)):
            errors.append(f"{json.dumps(key)} has the placeholders {placeholders(translation)}, not {placeholders(key)}")
    return errors


def messages_of(path):
    """The texts of a Rust file with more than a word, and their lines, without tests, assertions and logs."""
    with open(os.path.join(ENGINE, path), encoding="utf-8") as file:
        source = file.read().split("#[cfg(test)]")[0]
    for found in RUST.finditer(source):
        begin = source.rfind("\n", 0, found.start()) + 1
        if found.group(1) is None or re.search(r"assert|expect\(|report\(|^\s*#", source[begin:found.start()]):
            continue
        text = re.sub(r"\\\n\s*", "", found.group(1))
        if re.search(r"[a-z'}:,] [a-z{]", text):
            yield text, source.count("\n", 0, found.start()) + 1


def check_sources(keys):
    """The messages in the sources that no key fits, as wholes or as parts."""
    errors = []
    for path in SOURCES:
        for text, line in messages_of(path):
            # What stands for a placeholder may be a part of the key, as in "{army} are in check".
            parts = re.split(r"\{[^{}]*\}|\d+", re.sub(r"^line \{\}: |\\", "", text).replace("{{", "{").replace("}}", "}"))
            pattern = re.compile(".*".join(map(re.escape, parts)))
            if text not in UNSEEN and re.search("[a-z]{2}", "".join(parts)) and not any(map(pattern.search, keys)):
                errors.append(f"engine/{path}, line {line}: no language has this message: {text}")
    return errors


def check(files, texts):
    """What is wrong with the languages."""
    keys = list(dict.fromkeys(key for file in files.values() for key in file.get("engine", {})))
    errors = check_sources(keys)
    for code, file in files.items():
        if set(file) != {"page", "engine"}:
            errors.append(f"lang/{code}.json must have the parts page and engine")
            continue
        errors += [f"lang/{code}.json: {error}" for error in check_page(file["page"], texts, PLURALS[code]) + check_engine(file["engine"], keys)]
    return errors


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--missing", metavar="CODE")
    options = arguments.parse_args()
    texts, errors = texts_of_page()
    files = {code: read(code) for code in languages()}
    if options.missing:
        categories = PLURALS[options.missing]
        known = files.get(options.missing, {"page": {}, "engine": {}})
        engine = {key: None for file in files.values() for key in file["engine"]}
        for part, keys in (("page", texts), ("engine", engine)):
            missing = {key: singular for key, singular in keys.items() if key not in known[part]}
            print(f"{part}:")
            for key, singular in missing.items():
                print(f"  {json.dumps(key, ensure_ascii=False)}: {json.dumps('' if singular is None else dict.fromkeys(sorted(categories), ''))},")
        return
    if sorted(files) != listed_languages():
        errors.append(f"js/i18n.js offers {listed_languages()}, lang/ has {sorted(files)}")
    errors += check(files, texts)
    print("\n".join(errors + [f"{len(texts)} texts, {len(files)} languages, {len(errors)} errors"]))
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
