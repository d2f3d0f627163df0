#!/usr/bin/env python3
"""Measures how the page with the engine in WebAssembly is loaded, in a slow network and on a slow processor.

    pip install playwright brotli
    engine/web/build.sh target/web
    tests/gui_load.py target/web [another folder]

For each folder, in turn: when there is a picture, when there is a board, when somebody can move, and when the engine has
answered, in seconds; cold, and warm in the same browser: from its cache, and again when the service worker has all files. The
network is that of `--speed` and `--latency`, the processor `--processor` times as slow; 0, 0 and 1 for no limits. It needs
Chromium (--browser names its path).
"""

import argparse
import gzip
import http.server
import mimetypes
import os
import re
import statistics
import threading

import brotli
from playwright.sync_api import sync_playwright

from gui_page import TIMEOUT, add_browser

CODINGS = {"plain": (None, lambda data: data), "gzip": ("gzip", lambda data: gzip.compress(data, 9)), "br": ("br", brotli.compress)}

# Pictures and fonts are compressed already.
COMPRESSED = (".png", ".woff2")

# The times are noted in the page. A board is there when it has pieces.
WATCH = """
globalThis.times = {};
const watched = {
    board: () => document.querySelectorAll("#board .pieces > *").length >= 32,
    move: () => globalThis.agoge?.board?.movable && agoge.board.legal.length > 0,
    answer: () => /\\d/.test(document.querySelector(".pv .score")?.textContent),
};
const timer = setInterval(() => {
    for (const [name, is] of Object.entries(watched)) if (!(name in times) && is()) times[name] = performance.now() / 1000;
    if ("answer" in times) clearInterval(timer);
}, 10);
"""
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime / 1000"
STAGES = ["picture", "board", "move", "answer"]


class Server:
    """A web server that sends the files of a folder in one coding, with the headers of engine/web/servers."""

    def __init__(self, folder, coding):
        name, compress = CODINGS[coding]
        files = {}
        for path, _, names in os.walk(folder):
            for file in names:
                full = os.path.join(path, file)
                with open(full, "rb") as opened:
                    data = opened.read()
                is_compressed = name and not file.endswith(COMPRESSED)
                files["/" + os.path.relpath(full, folder)] = (compress(data) if is_compressed else data, is_compressed)
        mimetypes.add_type("text/javascript", ".js")
        mimetypes.add_type("application/wasm", ".wasm")

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = self.path.split("?")[0].replace("/./", "/")
                path = "/index.html" if path == "/" else path
                if path not in files:
                    self.send_response(404)
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                data, is_compressed = files[path]
                self.send_response(200)
                self.send_header("Content-Type", mimetypes.guess_type(path)[0] or "application/octet-stream")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Cache-Control", "no-cache" if path in ("/index.html", "/sw.js") else "max-age=31536000, immutable")
                if is_compressed:
                    self.send_header("Content-Encoding", name)
                self.end_headers()
                self.wfile.write(data)
                return None

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def visit(context, address, options):
    """Opens the analysis; returns the times, and the page, which is still open."""
    page = context.new_page()
    page.set_default_timeout(2 * TIMEOUT)
    session = context.new_cdp_session(page)
    if options.speed:
        session.send("Network.enable")
        limits = {"offline": False, "latency": options.latency, "downloadThroughput": options.speed * 1000, "uploadThroughput": options.speed * 1000}
        session.send("Network.emulateNetworkConditions", limits)
    session.send("Emulation.setCPUThrottlingRate", {"rate": options.processor})
    page.add_init_script(WATCH)
    page.goto(f"{address}#analyse")
    page.wait_for_selector(".pv .score:text-matches('[0-9]')")
    page.wait_for_timeout(300)
    return {**page.evaluate("times"), "picture": page.evaluate(PAINT)}, page


def measure(browser, address, options):
    """The times of three visits."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-US")
    # The pages are opened anew, so that the engine has to be loaded.
    visits = {}
    for name in ("cold", "cached"):
        visits[name], page = visit(context, address, options)
        if name == "cached" and page.query_selector("#files"):
            page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.close()
    if re.search('id="files"', context.request.get(address).text()):
        visits["offline"], page = visit(context, address, options)
        page.close()
    context.close()
    return visits


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folders", nargs="+")
    arguments.add_argument("--codings", default="plain,gzip,br")
    arguments.add_argument("--speed", type=float, default=180, help="kB a second")
    arguments.add_argument("--latency", type=float, default=562, help="ms for each request")
    arguments.add_argument("--processor", type=float, default=6)
    arguments.add_argument("--rounds", type=int, default=3)
    add_browser(arguments)
    options = arguments.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=["--no-sandbox"])
        print(f"{'':40}" + "".join(f"{stage:>9}" for stage in STAGES))
        for coding in options.codings.split(","):
            servers = {folder: Server(folder, coding) for folder in options.folders}
            results = {}
            for _ in range(options.rounds):
                for folder, server in servers.items():
                    for name, times in measure(browser, server.address, options).items():
                        results.setdefault((folder, name), []).append(times)
            for (folder, name), all_times in sorted(results.items()):
                times = [statistics.median(times[stage] for times in all_times) for stage in STAGES]
                print(f"{folder[-24:]:24} {coding:6} {name:8}" + "".join(f"{time:9.1f}" for time in times), flush=True)
            for server in servers.values():
                server.close()
        browser.close()


if __name__ == "__main__":
    main()
