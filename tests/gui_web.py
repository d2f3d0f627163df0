"""How the page for web servers is loaded, and goes on without a network; for gui_browser.py."""

import contextlib
import os
import re
import shutil
import tempfile

from playwright.sync_api import expect

from gui_page import TIMEOUT, StaticServer
from gui_tables import THREE_MEN

HASHED = re.compile(r"-[0-9a-f]{10}[./]")

TROUBLE = "#connection"


def begin_game(board):
    board.new_game("white")
    board.click("e2e4")
    # The engine may have answered already.
    board.wait("agoge.tree.last.ply >= 1")


def hold_network(board):
    """Holds the network back. Returns a list for its request, which goes on when the test lets it."""
    held = []
    board.loaded.route("**/*.nnue", lambda route: held.append(route))
    return held


def the_board_is_there_before_the_network(board, _):
    held = hold_network(board)
    board.open("#play")
    begin_game(board)
    expect(board.status()).to_contain_text("Loading the engine")
    # A clock of the engine does not run meanwhile, and other places wait, too.
    board.mode("analyse")
    expect(board.page.locator(".engine-info")).to_contain_text("Loading the engine")
    board.mode("play")
    held[0].continue_()
    board.wait_for_ply(2)
    board.wait("!document.querySelector('#status').classList.contains('loading')")


def a_hint_asked_while_the_engine_is_loaded_is_no_move(board, _):
    """The game comes first, although the hint was asked earlier."""
    held = hold_network(board)
    board.open("#play")
    board.new_game("white")
    board.page.click("text=Hint")
    board.click("e2e4")
    board.wait("agoge.tree.last.ply === 1")
    held[0].continue_()
    board.wait_for_ply(2)
    board.wait("agoge.board.movable")


def the_engine_is_loaded_while_the_list_is_shown(board, _):
    """After the editor, whose position is not known to be one."""
    held = hold_network(board)
    board.open("#setup")
    expect(board.page.locator("#setup-fen")).not_to_have_value("")
    board.mode("games")
    held[0].continue_()
    board.wait("agoge.backend.progress === null")
    expect(board.loaded.locator(TROUBLE)).to_be_hidden()
    board.mode("analyse")
    board.page.wait_for_selector(".pv .score", timeout=TIMEOUT)


def what_cannot_be_loaded_is_said_and_tried_again(board, context):
    context.expects_failures = True
    page = board.loaded
    page.route("**/*.nnue", lambda route: route.abort())
    board.open("#play")
    begin_game(board)
    bar = page.locator(TROUBLE)
    expect(bar).to_contain_text("The file agoge.nnue could not be loaded.")
    page.unroute("**/*.nnue")
    # Never the hand-made evaluation instead of a network that is damaged.
    page.route("**/*.nnue", lambda route: route.fulfill(body=damaged(route.fetch().body())))
    page.click("#try-again")
    expect(bar).to_contain_text("The file agoge.nnue is damaged.", timeout=TIMEOUT)
    assert page.evaluate("agoge.tree.current.ply") == 1
    page.unroute("**/*.nnue")
    page.click("#try-again")
    board.wait_for_ply(2)
    expect(bar).to_be_hidden()
    for name, file in (("agoge.wasm", "**/*.wasm"), ("js/worker.js", "**/worker-*.js")):
        page.route(file, lambda route: route.abort())
        page.goto("about:blank")
        page.goto(board.address)
        expect(bar).to_contain_text(f"The file {name} could not be loaded.", timeout=TIMEOUT)
        page.unroute(file)
        page.click("#try-again")
        board.wait_until_ready()
    for name in ("boot", "panel"):
        page.route(f"**/{name}-*", lambda route: route.abort())
        page.goto("about:blank")
        page.goto(board.address)
        expect(bar).to_contain_text(f"The file {name}-")
        page.unroute(f"**/{name}-*")
        page.click(f"{TROUBLE} button")
        board.wait_until_ready()
        expect(bar).to_be_hidden()


def the_table_of_three_men_is_tried_again(board, context):
    context.expects_failures = True
    page = board.loaded
    page.route("**/*.dtm", lambda route: route.abort())
    board.open("#analyse")
    board.load_position(THREE_MEN[0])
    board.expect_failure("The file three-men.dtm could not be loaded.")
    page.unroute("**/*.dtm")
    page.route("**/*.dtm", lambda route: route.fulfill(body=damaged(route.fetch().body())))
    page.click("#try-again")
    board.expect_failure("The file three-men.dtm is damaged.")
    page.unroute("**/*.dtm")
    board.try_again()
    expect(page.locator(".verdict")).to_have_text("Persians win: mate in 16")


def damaged(data):
    return data[:-1] + bytes([data[-1] ^ 1])


def a_page_from_a_file_says_what_it_needs(board, context):
    context.expects_failures = True
    problems = []
    with context.other_page() as other:
        other.loaded.on("pageerror", lambda error: problems.append(error))
        other.loaded.goto(f"file://{os.path.abspath(context.options.static)}/index.html")
        expect(other.loaded.locator(TROUBLE)).to_contain_text("only works on a web server")
    assert not problems, problems


def names(folder):
    for path, _, files in os.walk(folder):
        yield from (os.path.relpath(os.path.join(path, file), folder) for file in files)


def edit(folder, name, change):
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(change(text))


def update(folder):
    """Makes another version of the page, with another main script. The hash is in its name or, if there are many, in their folder's."""
    (boot,) = (name for name in names(folder) if re.match(r"js.*/boot\b.*\.js$", name))
    path = boot if boot.startswith("js/") else os.path.dirname(boot)
    new = re.sub("-[0-9a-f]{10}", "-0123456789", path)
    edit(folder, boot, lambda text: f"globalThis.isNew = true;\n{text}")
    os.rename(os.path.join(folder, path), os.path.join(folder, new))
    version = re.search(r'VERSION = "(\w+)"', open(os.path.join(folder, "sw.js"), encoding="utf-8").read())[1]
    for name in ("index.html", "sw.js"):
        edit(folder, name, lambda text: text.replace(path, new).replace(version, "9876543210"))


@contextlib.contextmanager
def served(folder, port=0):
    server = StaticServer(folder, port=port)
    try:
        yield server
    finally:
        server.close()


def wait_for_copies(board, version=""):
    """Waits until the service worker of a version has all files. If a busy machine did not give it one, the next visit goes on."""
    has_all = ("navigator.serviceWorker.getRegistration().then(async (it) => it?.active?.state === 'activated' && !it.installing && !it.waiting"
               f" && (await caches.keys()).some((name) => name.endsWith('{version}')))")
    for _ in range(2):
        with contextlib.suppress(TimeoutError):
            return board.wait(has_all, 30)
        board.open("#play")
    return board.wait(has_all)


def after_a_visit_the_page_needs_no_network(board, context):
    """Below a folder of the web server, as on GitHub Pages. An update is taken at the next start, and versions do not mix."""
    context.expects_failures = context.expects_disconnect = True
    assert all(HASHED.search(name) for name in names(context.options.static) if not re.search(r"(index\.html|sw\.js|\.webmanifest|\.txt)(\.br|\.gz)?$|^tables/", name))
    folder = tempfile.mkdtemp(prefix="agoge-web-")
    site = os.path.join(folder, "spartan")
    shutil.copytree(context.options.static, site)
    with context.other_page(service_workers="allow") as other:
        page = other.loaded
        with served(folder) as server:
            other.address = server.address + "spartan/"
            other.open("#play")
            assert not page.evaluate("crossOriginIsolated")
            wait_for_copies(other)
        other.open("#play")
        begin_game(other)
        other.wait_for_ply(2)
        other.mode("puzzles")
        other.wait("!!agoge.mode.puzzle")
        # Theory, languages and all that is loaded when it is needed. The copies isolate the page.
        statuses = page.evaluate("""Promise.all(Object.values(JSON.parse(document.getElementById('files').textContent))
            .map(async (name) => (await fetch(name)).status))""")
        assert len(statuses) > 10 and set(statuses) == {200}, statuses
        assert page.evaluate("crossOriginIsolated")
        update(site)
        with served(folder, server.port):
            other.open("#play")
            assert not page.evaluate("globalThis.isNew")
            wait_for_copies(other, "9876543210")
            # The server has this file no more.
            assert page.evaluate("fetch(document.querySelector('script[type=module]').src).then(({ ok }) => ok)")
            other.open("#play")
            assert page.evaluate("isNew && crossOriginIsolated")
        other.open("#play")
        assert page.evaluate("isNew")
    shutil.rmtree(folder)


TESTS = [
    the_board_is_there_before_the_network, a_hint_asked_while_the_engine_is_loaded_is_no_move,
    the_engine_is_loaded_while_the_list_is_shown, what_cannot_be_loaded_is_said_and_tried_again, a_page_from_a_file_says_what_it_needs,
    the_table_of_three_men_is_tried_again, after_a_visit_the_page_needs_no_network,
]
for test in TESTS:
    test.static_only = True
