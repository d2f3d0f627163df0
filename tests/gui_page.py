"""The page of `agoge gui` in a browser, and what a person does with it; for gui_browser.py and gui_speed.py."""

import contextlib
import functools
import http.server
import json
import mimetypes
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from playwright.sync_api import expect

TIMEOUT = 60_000
# Chromium with windows, although nobody sees them, at times draws no more after a change of the size.
BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
# Two frames of the page, or false after a while.
FRAMES = """new Promise((resolve) => {
    setTimeout(() => resolve(false), 30000);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)));
})"""
# All messages that the page has shown: they leave after a few seconds.
MESSAGES = """(() => {
    window.messages = [];
    addEventListener("DOMContentLoaded", () => {
        const note = (records) => records.forEach(({ addedNodes }) => addedNodes.forEach(({ textContent }) => messages.push(textContent)));
        const toasts = document.getElementById("toasts");
        if (toasts) new MutationObserver(note).observe(toasts, { childList: true });
    });
})()"""


def add_browser(parser):
    """Adds the argument that names the browser."""
    parser.add_argument("--browser", default=next(filter(None, map(shutil.which, BROWSERS)), None))


def browser_flags(options):
    """The arguments of the browser. With `--page`, files from a folder do not count as files of this machine's server."""
    # Playwright has such a list, too, which this one replaces.
    return ["--no-sandbox", *(["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"] if options.page else [])]


# The rule of axe-core that depends on colours.
COLOURS = ["color-contrast"]
# Asks axe-core, and brings back only what is shown.
VIOLATIONS = """async (rules) => {
    const { violations } = await axe.run(document.querySelector("dialog[open]") ?? document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(" ")}`);
}"""


def violations(axe, board, rules=None):
    """What axe-core finds on the page, or in the dialog in front of it: the rest cannot be reached then. By default it tries all rules."""
    # Colours that are still changing would be judged.
    board.page.wait_for_timeout(150)
    if not board.page.evaluate("!!window.axe"):
        board.page.evaluate(axe.axe_script)
    return board.page.evaluate(VIOLATIONS, rules)


def check(axe, board, name, rules=None):
    """Fails if axe-core finds something. Of a dark page it tries only the colours: all views are tried light, too."""
    if board.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"):
        rules = COLOURS
    texts = violations(axe, board, rules)
    assert not texts, f"{name}: {texts}"


def native_only(*tests):
    """Marks tests that need not be repeated with WebAssembly, since they do not depend on the backend."""
    for test in tests:
        test.native_only = True


def looks(board, sizes):
    """The page at each size with light colours, and at the first one with dark ones: colours do not depend on the size."""
    for size, scheme in [*((size, "light") for size in sizes), (sizes[0], "dark")]:
        board.page.emulate_media(color_scheme=scheme)
        board.resize(*size)
        yield size, scheme


def children_of(process):
    """The processes that a process has started."""
    children = ""
    with contextlib.suppress(FileNotFoundError):
        for task in os.listdir(f"/proc/{process}/task"):
            with contextlib.suppress(FileNotFoundError), open(f"/proc/{process}/task/{task}/children") as file:
                children += file.read()
    return [int(child) for child in children.split()]


class NativeServer:
    """`agoge gui`, with a data folder of its own that lives as long as this object."""

    def __init__(self, program):
        self.program = program
        # A shell lets its jobs in the background ignore SIGINT, and the server would inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.folder = tempfile.TemporaryDirectory(prefix="agoge-test-", ignore_cleanup_errors=True)
        self.port = 0
        self.start()

    def start(self):
        """Starts the server; after a stop at the same port and with the same folder, so that the address stays the same."""
        command = [self.program, "gui", "--no-open", "--port", str(self.port), "--data", self.folder.name]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = re.search(r"http://\S+", self.process.stdout.readline()).group(0)
        self.port = int(re.search(r":(\d+)/", self.address).group(1))

    def stop(self):
        """Kills the server. Its folder stays."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def restart(self):
        self.stop()
        self.start()

    def clear(self):
        """Deletes all documents."""
        for folder in ("games", "studies", "profile"):
            shutil.rmtree(os.path.join(self.folder.name, folder), ignore_errors=True)

    def engines(self):
        return children_of(self.process.pid)

    def close(self):
        self.stop()
        self.folder.cleanup()


class StaticServer:
    """A web server of static files, without any special headers or, if isolated, with those that shared memory needs."""

    def __init__(self, folder, isolated=False, port=0):
        mimetypes.add_type("text/javascript", ".js")

        class Handler(http.server.SimpleHTTPRequestHandler):
            def end_headers(self):
                if isolated:
                    self.send_header("Cross-Origin-Opener-Policy", "same-origin")
                    self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
                super().end_headers()

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            # A page asks for dozens of files at once.
            request_queue_size = 128

        self.server = Server(("127.0.0.1", port), functools.partial(Handler, directory=folder))
        # A browser may leave before it has everything.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.port = self.server.server_port
        self.address = f"http://127.0.0.1:{self.port}/"

    def clear(self):
        """Each browser context of a test begins without documents."""

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def without_suspension(page):
    """Makes a page behave as in browsers that cannot suspend WebAssembly ("JavaScript Promise Integration")."""
    page.route("**/worker*.js", lambda route: route.fulfill(
        body="delete WebAssembly.Suspending;" + route.fetch().text(), content_type="text/javascript"))


def stop_times(page, count):
    """The milliseconds from `stop` to `bestmove`, in order, for searches of different lengths."""
    return page.evaluate("""async (count) => {
        const times = [];
        for (let i = 0; i < count; i++) {
            const search = agoge.engine.go({ variant: "spartan", fen: null, moves: [] }, "infinite", {}, () => {});
            await new Promise((resolve) => setTimeout(resolve, 100 + 7 * (i % 10)));
            const begin = performance.now();
            await agoge.engine.stop();
            times.push(performance.now() - begin);
            await search;
        }
        return times.sort((a, b) => a - b);
    }""", count)


class Board:
    """A page and what a person does with it. It is loaded when it is used first, if `open` has not done so."""

    def __init__(self, page, address, is_loaded=False):
        self.address = address
        self.loaded = page
        self.is_loaded = is_loaded

    @property
    def page(self):
        if not self.is_loaded:
            self.open()
        return self.loaded

    def open(self, fragment=""):
        self.is_loaded = True
        # A change of the fragment alone would not load the page anew.
        self.page.goto("about:blank")
        self.page.goto(self.address + fragment)
        self.wait_until_ready()

    def wait_until_ready(self):
        self.page.wait_for_selector("html[data-ready]", state="attached", timeout=TIMEOUT)

    def wait(self, expression, seconds=TIMEOUT / 1000):
        """Waits until an expression is true; returns its value. Playwright's own function would break the page's security policy."""
        end = time.monotonic() + seconds
        while not (value := self.page.evaluate(expression)):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.03)
        return value

    def file(self, name):
        """The name of a file of the page: that of a page for web servers has a hash in it."""
        return self.page.evaluate("(name) => JSON.parse(document.getElementById('files')?.textContent ?? '{}')[name] ?? name", name)

    def resize(self, width, height):
        """Changes the size of the page, and waits until all is drawn at it: on a busy machine that is later."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.wait(f"innerWidth === {width} && innerHeight === {height}")
        assert self.page.evaluate(FRAMES), "the browser draws no more"

    def remember_undo(self):
        """Notes the button of the last message: on a busy machine the message may leave before it is pressed."""
        self.page.evaluate("void (window.undo = [...document.querySelectorAll('.toast button')].at(-1))")

    def undo(self):
        """Presses the button that was noted."""
        self.page.evaluate("undo.click()")

    def wait_for_message(self, text):
        """Waits until the page has shown a message with a text."""
        self.wait(f"messages.some((message) => message.includes({json.dumps(text)}))")

    def mode(self, name):
        if not self.page.locator(f".tab[data-mode={name}]").is_visible():
            self.page.click("#more-tabs")
        self.page.click(f".tab[data-mode={name}]")
        self.wait(f"document.querySelector('.tab[data-mode={name}]').hasAttribute('aria-current') && !agoge.isEntering")

    def square(self, name):
        return self.page.locator(f"[data-square={name}]")

    def centre(self, name):
        box = self.square(name).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def click(self, move):
        self.square(move[:2]).click()
        self.square(move[2:4]).click()
        self.promote(move)

    def drag(self, move):
        self.page.mouse.move(*self.centre(move[:2]))
        self.page.mouse.down()
        self.page.mouse.move(*self.centre(move[2:4]), steps=4)
        self.page.mouse.up()
        self.promote(move)

    def tap(self, move):
        """Taps both squares; the finger stays on each for a moment, as that of a person does."""
        session = self.page.context.new_cdp_session(self.page)
        for square in (move[:2], move[2:4]):
            x, y = self.centre(square)
            session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
            time.sleep(0.1)
            session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        session.detach()
        self.promote(move)

    def type(self, text):
        self.page.fill("#move-input", text)
        self.page.press("#move-input", "Enter")

    def promote(self, move):
        if len(move) == 5:
            self.page.click(f".promotion [data-letter={move[4]}]")

    def fen(self):
        return self.page.evaluate("agoge.shown.fen")

    def wait_for_ply(self, ply):
        self.wait(f"agoge.tree.current.ply === {ply} && agoge.board.position?.last === agoge.tree.current.move")

    def status(self):
        return self.page.locator("#status")

    def moves(self):
        return self.page.locator(".moves .pairs > .mv").all_inner_texts()

    def load_position(self, fen):
        self.load(fen)
        self.wait_for_ply(0)

    def load(self, text):
        self.mode("analyse")
        self.page.evaluate("void (window.before = agoge.tree)")
        self.page.click("text=Load a game or position")
        self.page.fill("#import-text", text)
        self.page.click("#import-load")
        self.wait("agoge.tree !== before && agoge.tree.current.position && agoge.board.position.fen === agoge.tree.current.fen")

    def open_engine_settings(self):
        """Shows the settings of the engine of the analysis."""
        if not self.page.locator("#engine-settings").is_visible():
            self.page.click("#open-engine-settings")

    def set_lines(self, count):
        self.open_engine_settings()
        self.page.select_option("#engine-settings select >> nth=0", str(count))

    def expect_failure(self, text):
        """The bar that says what could not be loaded, and offers to try again."""
        expect(self.page.locator("#connection span")).to_have_text(text)
        expect(self.page.locator("#connection")).to_be_visible()

    def try_again(self):
        self.page.click("#try-again")
        expect(self.page.locator("#connection")).to_be_hidden()

    def turn_engine_off(self):
        """Turns the engine of the analysis off. Its evaluations would be in the list of moves and in the PGN."""
        self.mode("analyse")
        self.page.uncheck(".engine-bar input")

    def new_game(self, side, level="0", time="none"):
        self.mode("play")
        if self.page.locator("#new-game").count():
            self.page.click("#new-game")
        self.page.check("input[name=opponent][value=engine]", force=True)
        self.page.check(f"input[name=side][value={side}]", force=True)
        self.page.select_option("select >> nth=0", level)
        self.page.select_option("select >> nth=1", time)
        self.page.click("#start")
        # Another game may be running.
        if self.page.locator("#confirm").count():
            self.page.click("#confirm")
        self.wait("!document.querySelector('#start') && agoge.mode.isShown")
        self.page.wait_for_selector("#move-input")
        self.wait("!agoge.isEntering")

    def start_watching(self):
        """Starts a game of the engine against itself, at a level that moves at once but blunders into no early mate."""
        for index in (1, 2):
            self.page.select_option(f"#panel select >> nth={index}", "10")
        self.page.click("#watch-start")

    def analyse_game(self):
        """Opens the analysis of the game that is shown."""
        self.page.click("#analyse-game")
        self.wait("agoge.modeName === 'analyse' && !agoge.isEntering")

    def agree_to_a_draw(self):
        self.page.click("#draw")
        self.page.click("#draw:has-text('Do both agree?')")

    def resign(self):
        self.page.click("#resign")
        self.page.click("#resign:has-text('Really resign')")

    def stop_times(self, count):
        return stop_times(self.page, count)

    def play_to_the_end(self, chooser, side, act):
        """Plays against the engine, with the moves of another one, until the game is over; returns the text of the result."""
        white = side == "white"
        while True:
            self.wait(
                f"agoge.mode.state.end || agoge.tree.current === agoge.tree.last && agoge.shown.turn === '{side}' && agoge.board.movable"
                " && agoge.shown.fen === agoge.board.position.fen")
            if self.page.evaluate("!!agoge.mode.state.end"):
                expect(self.status()).to_contain_text(" · ")
                return self.status().inner_text()
            fen = self.fen()
            assert (fen.split()[1] == "w") == white, fen
            start, moves = self.page.evaluate("[agoge.tree.root.fen, agoge.tree.current.path.map(node => node.move)]")
            # Without the moves it could repeat positions until a won game is drawn.
            act(chooser.best_move(f"fen {start} moves {' '.join(moves)}", "nodes 30000"))
            self.wait(f"agoge.shown.fen !== '{fen}'")
