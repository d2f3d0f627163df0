#!/usr/bin/env python3
"""Makes a folder that web servers can serve out of the files of the page; the last step of build.sh.

    engine/web/finish.py FILES FOLDER

Each file gets the hash of its contents in its name, so that browsers keep it for as long as they want and never mix two
versions. The page, the service worker and the manifest keep their names, and list the others. Files of an earlier build
are deleted from the folder; what else is in it stays.
"""

import hashlib
import json
import os
import re
import shutil
import sys
from pathlib import Path

# They keep their names; licences of fonts do, too.
FIXED = {"index.html", "sw.js", "manifest.webmanifest"}

DIGITS = 10
HASHED = re.compile(rf"-[0-9a-f]{{{DIGITS}}}([./]|$)")

# What the page asks for by name, see js/files.js; the others are named in the page, a style or the manifest.
LISTED = re.compile(r"^(js/worker\.js|.*\.(wasm|nnue|dtm|json|bin|epd)|icon[a-z-]*\.svg)$")

# Browsers begin to load it with the page.
PRELOADED = ["agoge.wasm"]

# The native server sends this policy as a header.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self' blob:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)


def digest(*contents):
    return hashlib.sha256(b"\0".join(contents)).hexdigest()[:DIGITS]


def with_hash(name, contents):
    stem, end = os.path.splitext(name)
    return f"{stem}-{digest(contents)}{end}"


def files_of(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def name_scripts(files):
    """The scripts refer to each other, unless they were made two files: their folder gets the hash."""
    scripts = [name for name in files if name.startswith("js/") and name != "js/early.js"]
    if len(scripts) <= 2:
        return {name: with_hash(name, files[name]) for name in scripts}
    folder = f"js-{digest(*(files[name] for name in scripts))}"
    return {name: folder + name.removeprefix("js") for name in scripts}


def rewrite_style(name, style, names):
    """Replaces the names in a style, which are relative to it."""
    def replace(match):
        target = os.path.normpath(os.path.join(os.path.dirname(name), match[1]))
        return f'url("{os.path.relpath(names[target], os.path.dirname(name))}")' if target in names else match[0]

    return re.sub(r"""url\(["']?([^"')]+)["']?\)""", replace, style.decode()).encode()


def rewrite_page(page, names, version):
    page = re.sub(r'(href|src)="([^"]+)"', lambda match: f'{match[1]}="{names.get(match[2], match[2])}"', page)
    listed = {name: new for name, new in names.items() if LISTED.match(name)}
    preloads = [f'<link rel="preload" href="{names[name]}" as="fetch" type="application/wasm" crossorigin>' for name in PRELOADED]
    head = "\n".join([
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f'<meta name="version" content="{version}">',
        '<meta name="theme-color" content="#8c1c20">',
        '<link rel="manifest" href="manifest.webmanifest">',
        f'<link rel="apple-touch-icon" href="{names["icon-192.png"]}">',
        *preloads,
        f'<script type="application/json" id="files">{json.dumps(listed, separators=(",", ":"))}</script>',
    ])
    return page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{head}', 1)


def finish(source):
    """The contents of the folder by name."""
    files = {name: (source / name).read_bytes() for name in files_of(source)}
    styles = [name for name in files if name.endswith(".css")]
    names = name_scripts(files)
    for name, contents in files.items():
        if name not in FIXED and name not in names and name not in styles and not name.endswith(".txt"):
            names[name] = with_hash(name, contents)
    for name in styles:
        files[name] = rewrite_style(name, files[name], names)
        names[name] = with_hash(name, files[name])
    out = {names.get(name, name): contents for name, contents in files.items()}
    version = digest(*(name.encode() for name in sorted(out)), *(files[name] for name in sorted(FIXED)))
    out["index.html"] = rewrite_page(files["index.html"].decode(), names, version).encode()
    manifest = json.loads(files["manifest.webmanifest"])
    for icon in manifest["icons"]:
        icon["src"] = names[icon["src"]]
    out["manifest.webmanifest"] = json.dumps(manifest, ensure_ascii=False, separators=(",", ":")).encode()
    kept = sorted(new for name, new in names.items() if not name.endswith(".png"))
    worker = files["sw.js"].decode()
    for constant, value in (("VERSION", version), ("FILES", kept)):
        worker, count = re.subn(rf"\b{constant} ?= ?(\"\"|\[\])", f"{constant} = {json.dumps(value)}", worker)
        assert count == 1, constant
    out["sw.js"] = worker.encode()
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, folder = map(Path, sys.argv[1:])
    out = finish(source)
    folder.mkdir(parents=True, exist_ok=True)
    for name in files_of(folder):
        if HASHED.search(name) and name not in out:
            (folder / name).unlink()
    for name, contents in out.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
    for path in folder.glob("js-*"):
        if path.is_dir() and not any(path.rglob("*.js")):
            shutil.rmtree(path)


if __name__ == "__main__":
    main()
