#!/usr/bin/env python3
"""Tests the package agoge of npm as its users would: installed from its file into an empty folder.

    pip install playwright
    .ci/build_npm target/npm
    tests/npm_package.py target/release/agoge target/npm/agoge-*.tgz

The scenes of tests/npm/scenes.mjs run in Node by `import` and by `require`, in a page in Chromium and in a worker of it,
with and without the headers that shared memory needs; one plays games to mate, another uses the engine as pychess.org
does. UCI is compared with the native program line by line, and the rules with npm's ffish in random games (`--games`, 500).

`--types` compiles the example of the README with TypeScript, `--speed` measures perft against ffish instead. The exit
status is 1 on failure.
"""

import argparse
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from playwright.sync_api import sync_playwright

from gui_page import add_browser

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCRIPTS = os.path.join(ROOT, "tests", "npm")
NETWORK = os.path.join(ROOT, "engine", "core", "nets", "agoge.nnue")
FFISH = "ffish@0.7.10"
TYPESCRIPT = ["typescript@5", "@types/node@18"]

POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' blob:"

failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print(f"FAIL {what}", flush=True)


def install(folder, packages):
    with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as file:
        file.write('{"private": true}\n')
    options = ["--no-audit", "--no-fund", "--silent"]
    subprocess.run(["npm", "install", *options, *packages], cwd=folder, check=True, timeout=300)
    for name in os.listdir(SCRIPTS):
        shutil.copy(os.path.join(SCRIPTS, name), folder)
    with open(os.path.join(folder, "page.html"), "w", encoding="utf-8") as file:
        file.write('<!doctype html><title>running</title><script type="module" src="page.mjs"></script>\n')


def node(folder, *arguments, timeout=600):
    """Runs a script. Prints the last lines of what it says; Fairy-Stockfish also says much about illegal moves."""
    begin = time.monotonic()
    try:
        done = subprocess.run(
            ["node", *arguments], cwd=folder, timeout=timeout, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return check(False, f"node {' '.join(arguments)} does not end")
    print(f"node {arguments[0]}, {time.monotonic() - begin:.1f} s:", flush=True)
    print("".join(f"  {line}\n" for line in done.stdout.splitlines()[-24:]), end="", flush=True)
    if done.returncode:
        print(done.stderr[-2000:], flush=True)
    check(done.returncode == 0, f"node {' '.join(arguments)} exits with {done.returncode}")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the folder, with the headers of an isolated page below /isolated/."""

    extensions_map = {".mjs": "text/javascript", ".js": "text/javascript", ".html": "text/html"}

    def translate_path(self, path):
        return super().translate_path(re.sub("^/(isolated|plain)/", "/", path))

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        if self.path.startswith("/isolated/"):
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def log_message(self, *_):
        pass


def in_pages(folder, executable):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for isolation, places in (("isolated", ["", "?worker"]), ("plain", ["", "?worker", "?blob"])):
            for place in places:
                name = f"{isolation} page{place.replace('?', ', ')}"
                page = browser.new_page()
                page.goto(f"http://127.0.0.1:{server.server_port}/{isolation}/page.html{place}")
                # The policy of the page forbids to wait by a function.
                end = time.monotonic() + 120
                while (title := page.title()) == "running" and time.monotonic() < end:
                    page.wait_for_timeout(100)
                print(f"{name}: {title}", flush=True)
                good = title.startswith("{") and json.loads(title)["isolated"] == (isolation == "isolated")
                check(good, f"{name}: {title}")
                page.close()
        browser.close()
    server.shutdown()


def readme_examples():
    """The examples of the README by their languages."""
    with open(os.path.join(ROOT, "engine", "npm", "README.md"), encoding="utf-8") as file:
        return re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)


def readme(folder):
    scripts = [text for language, text in readme_examples() if language == "js"]
    check(len(scripts) >= 2, "the README has examples")
    for number, text in enumerate(scripts):
        name = f"readme{number}.mjs"
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        node(folder, name, timeout=60)


def types(folder):
    """Compiles the examples of the README, and a script that uses `require`, with all checks."""
    with open(os.path.join(folder, "types.cts"), "w", encoding="utf-8") as file:
        file.write(
            'import Agoge = require("agoge");\nimport Module = require("agoge/board");\n'
            "export async function first(): Promise<string> {\n"
            "  const engine: Agoge.AgogeEngine = await Agoge({ print: (line: string) => console.log(line) });\n"
            "  const rules: Module.Rules = await Module();\n"
            '  const board: Module.Board = new rules.Board("spartan");\n'
            '  engine.FS.writeFile("a", new Uint8Array(1));\n'
            "  return board.sanMove(board.legalMoves(), rules.Notation.LAN);\n}\n"
        )
    names = ["types.cts"]
    for number, (language, text) in enumerate(readme_examples()):
        if language == "js":
            names.append(f"example{number}.mts")
            with open(os.path.join(folder, names[-1]), "w", encoding="utf-8") as file:
                file.write(text)
    for resolution in ("node16", "bundler"):
        module = "node16" if resolution == "node16" else "esnext"
        files = [name for name in names if resolution == "node16" or name.endswith(".mts")]
        # In Node there are no types of pages.
        libraries = "es2022" if resolution == "node16" else "es2022,dom"
        options = ["--strict", "--noEmit", "--target", "es2022", "--lib", libraries, "--types", "node"]
        command = ["npx", "--no-install", "tsc", *options, "--module", module, "--moduleResolution", resolution, *files]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        check(done.returncode == 0, f"tsc --moduleResolution {resolution}: {done.stdout}")
    print("the types fit", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Tests the package agoge of npm.")
    parser.add_argument("engine", help="path of the native program")
    parser.add_argument("package", help="path of the package's file")
    parser.add_argument("--games", type=int, default=500, help="random games to compare with ffish (500)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random games (1)")
    add_browser(parser)
    parser.add_argument("--types", action="store_true", help="test the types with TypeScript, too")
    parser.add_argument("--speed", action="store_true", help="measure the speed of perft instead")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        packages = [os.path.abspath(arguments.package), FFISH, *(TYPESCRIPT if arguments.types else [])]
        install(folder, packages)
        if arguments.speed:
            node(folder, "ffish.mjs", "--speed")
        else:
            node(folder, "node.mjs", NETWORK, timeout=120)
            node(folder, "node.cjs", timeout=120)
            readme(folder)
            node(folder, "uci.mjs", os.path.abspath(arguments.engine), timeout=120)
            cases = os.path.join(ROOT, "positions", "corner_cases.epd")
            node(folder, "ffish.mjs", cases, str(arguments.games), str(arguments.seed))
            in_pages(folder, arguments.browser)
            if arguments.types:
                types(folder)
    print(f"{len(failures)} failures", flush=True)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
