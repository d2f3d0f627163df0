#!/usr/bin/env python3
"""Compares the texts of the page with those of its translations.

    tests/languages.py                 # checks all languages; the exit status is 1 if something is wrong
    tests/languages.py --missing de    # prints what German lacks, as lines for engine/web/page/lang/de.json

A text of the page is the argument of `t(...)` or `plural(...)` in a script, or a text of index.html. A text with another
form for other numbers has an object with a text for each plural category of the language in its file.
"""

import argparse
import html.parser
import json
import os
import re
import sys

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "engine", "web", "page")

STRING = r'"(?:[^"\\\n]|\\.)*"'
CALL = re.compile(rf"(?<![\w.$])(t|plural)\(\s*({STRING})?(?:,\s*({STRING}))?")

# The categories of Intl.PluralRules for whole numbers below a million.
PLURALS = {"de": {"one", "other"}, "el": {"one", "other"}, "es": {"one", "other"}, "fr": {"one", "other"}, "zh": {"other"}}

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
    for name in sorted(os.listdir(os.path.join(PAGE, "js"))):
        if name in ("i18n.js", "boot.js") or not name.endswith(".js"):
            continue
        with open(os.path.join(PAGE, "js", name), encoding="utf-8") as file:
            script = file.read()
        for match in CALL.finditer(script):
            function, first, second = match.groups()
            line = script.count("\n", 0, match.start()) + 1
            if not first or (function == "plural" and not second):
                errors.append(f"js/{name}, line {line}: {function}() needs its text written out")
            elif function == "plural":
                texts[json.loads(second)] = json.loads(first)
            else:
                texts.setdefault(json.loads(first), None)
    return texts, errors


def texts_of_page():
    texts, errors = texts_of_scripts()
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


def check(code, texts):
    """What is wrong with a language."""
    try:
        translations = read(code)
    except ValueError as error:
        return [f"lang/{code}.json: {error}"]
    errors = [f"lang/{code}.json: missing: {json.dumps(text)}" for text in texts if text not in translations]
    for key, translation in translations.items():
        if key not in texts:
            errors.append(f"lang/{code}.json: not on the page: {json.dumps(key)}")
            continue
        errors += [f"lang/{code}.json: {json.dumps(key)} {error}" for error in errors_of(key, texts[key], translation, PLURALS[code])]
    return errors


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--missing", metavar="CODE")
    options = arguments.parse_args()
    texts, errors = texts_of_page()
    if options.missing:
        known = read(options.missing) if options.missing in languages() else {}
        for text, singular in texts.items():
            if text not in known:
                print(f"  {json.dumps(text, ensure_ascii=False)}: {json.dumps('' if singular is None else {form: '' for form in PLURALS[options.missing]})},")
        return
    if languages() != listed_languages():
        errors.append(f"js/i18n.js offers {listed_languages()}, lang/ has {languages()}")
    for code in languages():
        errors += check(code, texts)
    print("\n".join(errors + [f"{len(texts)} texts, {len(languages())} languages, {len(errors)} errors"]))
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
