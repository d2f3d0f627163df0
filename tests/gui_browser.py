#!/usr/bin/env python3
"""Uses the board in the browser as a person would, and checks what it shows.

    pip install playwright axe-playwright-python pyffish
    tests/gui_browser.py target/release/agoge                  # the page of `agoge gui`
    tests/gui_browser.py target/release/agoge --static FOLDER  # the page with the engine in WebAssembly

It needs Chromium (Debian's package chromium-headless-shell or chromium; --browser names another path). `--page FOLDER` takes the page's
files from a folder instead of the program, while one works on them; `--only NAME` runs some of the tests;
`--jobs 3` runs as many at the same time, each job with a server and a browser of its own.

The last line is a summary; the exit status is 1 if a test failed. A test fails, too, if the page writes an
error or a warning to the console.
"""

import contextlib
import multiprocessing
import os
import queue
import random
import signal
import sys
import threading
import time
import traceback

import pyffish
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

import gui_analysis
import gui_chaos
import gui_explorer
import gui_hands
import gui_languages
import gui_layout
import gui_learn
import gui_looks
import gui_messages
import gui_pgn
import gui_play
import gui_puzzles
import gui_store
import gui_tables
import gui_threads
import gui_web
from gui_page import BROWSERS, MESSAGES, TIMEOUT, Board, NativeServer, StaticServer, add_browser, browser_flags, check, children_of, native_only
from uci import Engine, parser

START = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
MODES = ("play", "analyse", "setup", "puzzles", "learn", "watch")
PLACES = (*MODES, "games")
# How many seconds a test may take. Some calls of Playwright would wait for a stuck browser for ever.
LIMIT = 600


# ---- the tests: each gets the board and the program's options


def mouse_game_as_the_persians(board, context):
    board.open("#play")
    board.new_game("white")
    expect(board.page.locator("#strip-bottom")).to_contain_text("You")
    actions = [board.drag, board.click]
    text = board.play_to_the_end(context.chooser, "white", lambda move: random.choice(actions)(move))
    assert text.startswith("1–0") and "checkmate" in text, text
    expect(board.status()).to_have_text(text)


def keyboard_game_as_the_spartans(board, context):
    board.open("#play")
    board.new_game("black")
    assert board.page.evaluate("agoge.board.flipped")

    def act(move):
        # From the square with the focus to that of the piece, and on to the target.
        page = board.page
        page.keyboard.press("b")
        for square in (move[:2], move[2:4]):
            column, row = page.evaluate("square => agoge.board.place(square)", square)
            now = page.evaluate("agoge.board.place(agoge.board.focusSquare)")
            for key, steps in (("ArrowRight", column - now[0]), ("ArrowLeft", now[0] - column), ("ArrowDown", row - now[1]), ("ArrowUp", now[1] - row)):
                for _ in range(max(0, steps)):
                    page.keyboard.press(key)
            assert page.evaluate("agoge.board.focusSquare") == square
            page.keyboard.press("Enter")
        if len(move) == 5:
            page.wait_for_selector(".promotion")
            page.keyboard.press(move[4])

    text = board.play_to_the_end(context.chooser, "black", act)
    assert text.startswith("0–1"), text


def touch_game_as_the_spartans(board, context):
    board.open("#play")
    board.new_game("black")
    text = board.play_to_the_end(context.chooser, "black", board.tap)
    assert text.startswith("0–1") and "checkmate" in text, text


def touch_mates_both_kings(board, _):
    """A duple-checkmate, by touch, and the way to it."""
    board.load_position("k1k5/8/1Q6/8/8/8/7R/R2RK3 w - - 0 1")
    board.tap("h2c2")
    board.wait_for_ply(1)
    expect(board.status()).to_have_text("1–0 · Persians win by duple-checkmate")
    expect(board.page.locator(".cell.checked")).to_have_count(2)


def touch_chooses_a_promotion(board, _):
    """The finger that taps the last rank must not choose the piece that appears under it."""
    for busy in (0, 400):
        board.load_position("8/P3k3/8/8/k7/8/8/4K3 w - - 0 1")
        # A busy page gets all events of the tap at once.
        board.page.evaluate(f"setTimeout(() => {{ const end = performance.now() + {busy}; while (performance.now() < end); }}, 10)")
        board.tap("a7a8n")
        board.wait_for_ply(1)
        assert board.page.evaluate("agoge.tree.current.move") == "a7a8n"


def typed_moves_and_reasons(board, _):
    board.turn_engine_off()
    for text, ply in (("g4", 1), ("g8f6", 2), ("f3", 3)):
        board.type(text)
        board.wait_for_ply(ply)
    board.type("h7h6")
    expect(board.page.locator("#move-error")).to_contain_text("A hoplite moves one square diagonally ahead")
    board.type("d5")
    expect(board.page.locator("#move-error")).to_have_text("'d5' could mean Hbd5 or Hfd5.")
    board.type("Gb4")
    expect(board.page.locator("#move-error")).to_have_text("Another piece stands in the way of the general.")
    board.type("Wh4")
    board.wait_for_ply(4)
    expect(board.status()).to_have_text("0–1 · Spartans win by checkmate")
    assert board.moves() == ["g4", "Wf6", "f3", "Wh4#"]
    # An illegal move by mouse is explained, too.
    board.page.click("[aria-label='First position']")
    board.wait_for_ply(0)
    board.drag("e2e5")
    board.wait_for_message("A pawn moves one square straight ahead")


def check_and_attacked_kings_are_shown(board, _):
    board.load_position("1k4k1/8/8/8/8/3Q4/8/1R4K1 w - - 0 1")
    # One of two kings is attacked: no check.
    board.type("Qd5")
    board.wait_for_ply(1)
    expect(board.page.locator(".cell.checked")).to_have_count(2)
    expect(board.status()).to_contain_text("Duple-check: both kings are attacked")
    board.load_position("1k4k1/8/8/8/8/3Q4/8/1R4K1 b - - 0 1")
    expect(board.page.locator(".cell.attacked")).to_have_count(1)
    expect(board.status()).to_contain_text("Spartans to move. The king on b8 is attacked; it may stay so")


def promotion_to_a_king(board, _):
    board.load_position("k7/8/8/8/8/8/4h1K1/8 b - - 0 1")
    board.square("e2").click()
    board.square("d1").click()
    buttons = board.page.locator(".promotion [data-letter]")
    expect(buttons).to_have_count(5)
    expect(board.page.locator(".promotion [aria-label='Promote to king']")).to_be_visible()
    board.page.keyboard.press("Escape")
    expect(buttons).to_have_count(0)
    board.square("e2").click()
    board.square("d1").click()
    # The name beside a piece belongs to its button.
    board.page.locator(".promotion .label", has_text="king").click()
    board.wait_for_ply(1)
    assert board.moves()[0].startswith("Hd1=K"), board.moves()
    # With two kings there is no third.
    board.load_position("k1k5/8/8/8/8/8/4h1K1/8 b - - 0 1")
    board.square("e2").click()
    board.square("d1").click()
    expect(buttons).to_have_count(4)
    board.page.keyboard.press("Escape")


def take_back_hint_and_resign(board, _):
    board.open("#play")
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    board.page.click("text=Take back")
    board.wait("agoge.tree.current.ply === 0 && !agoge.tree.root.children.length")
    board.click("d2d4")
    board.wait_for_ply(2)
    assert board.moves()[0] == "d4"
    board.page.click("text=Hint")
    board.page.wait_for_selector(".arrow-hint", state="attached", timeout=TIMEOUT)
    board.page.click("text=Offer a draw")
    board.wait_for_message("declines")
    board.resign()
    expect(board.status()).to_have_text("0–1 · Spartans win by resignation")
    board.page.click("text=Rematch")
    # Sides are changed, and the engine begins.
    board.wait("agoge.mode.state.side === 'black' && agoge.tree.last.ply === 1")


def a_reload_in_mid_game(board, _):
    board.open("#play")
    board.new_game("white", time="clock:600+5")
    board.click("e2e4")
    board.wait_for_ply(2)
    before = board.moves()
    board.page.reload()
    board.wait_until_ready()
    assert board.moves() == before
    assert board.page.evaluate("agoge.mode.isRunning")
    board.wait("agoge.board.movable")
    # While the engine thinks: it begins again.
    board.click("d2d4")
    board.wait("agoge.tree.last.ply >= 3")
    board.page.reload()
    board.wait_until_ready()
    board.wait_for_ply(4)
    assert board.page.evaluate("agoge.mode.clock.state.white > 500000")


def pgn_and_fen_round_trips(board, context):
    board.turn_engine_off()
    board.load(context.sample())
    board.wait("agoge.tree.mainLine.length > 30")
    moves = board.page.evaluate("agoge.tree.mainLine.map(({move}) => move)")
    # A variation and a comment survive as well.
    board.type("e4")
    board.wait_for_ply(1)
    board.page.evaluate("agoge.tree.current.comment = 'a { comment'")
    board.page.click("text=Copy or save")
    pgn = board.page.input_value("#export-pgn")
    # The address of `agoge gui` has its secret, so that only a page of the web offers its own.
    expect(board.page.locator("#export-link")).to_have_count(0 if context.native else 1)
    link = board.page.evaluate("agoge.shared") if context.native else board.page.input_value("#export-link")
    fen = board.page.input_value("#export-fen")
    board.page.keyboard.press("Escape")
    assert '[Variant "Spartan"]' in pgn and "( 1. e4 {a | comment}" in pgn, pgn
    board.load(pgn)
    board.wait("agoge.tree.root.children.length === 2")
    assert board.page.evaluate("agoge.tree.mainLine.map(({move}) => move)") == moves
    board.load(fen)
    board.wait("!agoge.tree.root.children.length")
    assert board.fen() == fen
    # The address opens the same position in another browser.
    with context.other_page() as other:
        other.open("#" + link.split("#")[1])
        assert other.fen() == fen and other.moves()[0].startswith("e4")
    # Orthodox chess is recognised by its moves and pieces.
    board.load("1. e4 e5 2. Nf3 Nc6 *")
    board.wait("agoge.tree.variant === 'chess' && agoge.tree.mainLine.length === 4")
    # A game is read up to an illegal move.
    board.load("1. e4 Hbd5 2. Qh9 *")
    board.wait("agoge.tree.variant === 'spartan' && agoge.tree.mainLine.length === 2")
    expect(board.page.locator("#toasts .error")).to_contain_text("2.Qh9")
    # Comments before the first move of the game and of a variation are shown and saved.
    board.load("{ Find it } 1. e4 ({ slowly } 1. a3) *")
    board.wait("agoge.tree.root.comment === 'Find it'")
    expect(board.page.locator(".pairs")).to_contain_text("Find it")
    expect(board.page.locator(".side-line")).to_contain_text("slowly")
    board.page.click("text=Copy or save")
    pgn = board.page.input_value("#export-pgn")
    board.page.keyboard.press("Escape")
    assert "{Find it} 1. e4" in pgn and "( {slowly} 1. a3" in pgn, pgn
    for bad, part in (("hello", "hello"), ("8/8/8/8/8/8/8/8 w - - 0 1", "king")):
        board.mode("analyse")
        board.page.click("text=Load a game or position")
        board.page.fill("#import-text", bad)
        board.page.click("#import-load")
        expect(board.page.locator("dialog .error-text")).to_contain_text(part)
        board.page.keyboard.press("Escape")


def long_games_and_large_analyses(board, context):
    """An analysis of a thousand variations, a long game, and what is too much."""
    board.turn_engine_off()

    def load(text):
        board.mode("analyse")
        board.page.evaluate("void (window.before = agoge.tree)")
        board.page.click("text=Load a game or position")
        # Playwright's `fill` takes minutes.
        board.page.evaluate("""text => {
            const data = new DataTransfer();
            data.setData("text", text);
            const field = document.querySelector("#import-text");
            const isLeft = field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
            if (isLeft) field.value = text;
        }""", text)
        board.page.click("#import-load")

    variant = '[Variant "Spartan"]\n\n'
    knights = "Nf3 Wf6 Ng1 Wg8 "
    for text, count in ((f"{variant}{knights * 1500}*", 6000), (f"{variant}1. e4 {f'(1. {knights * 5}) ' * 1000}Hbd5 *", 2)):
        load(text)
        board.wait(f"agoge.tree !== before && agoge.tree.mainLine.length === {count} && agoge.board.position.fen === agoge.tree.current.fen", 240)
        board.page.click("text=Copy or save")
        pgn = board.page.input_value("#export-pgn")
        board.page.keyboard.press("Escape")
        assert pgn.count("Nf3") == text.count("Nf3"), len(pgn)
    # A long text without a game, in lines and as one word: it is not shown, and can be removed.
    for text in (f"{'x' * 70}\n" * (3 << 14), "x" * (3 << 20)):
        load(text)
        # Playwright's `expect` would describe the thousand variations behind the dialog, which takes minutes.
        board.wait(f"document.querySelector('#import-long p').textContent === 'Pasted: {len(text) / 2 ** 20:.1f} MiB of text'")
        board.wait("document.querySelector('dialog .error-text').textContent.includes('not a move')")
        board.page.click("text=Remove the text")
        board.wait("document.activeElement.id === 'import-text'")
        board.page.keyboard.press("Escape")
    # A message that is sent all the same is answered, with a note.
    if context.native:
        board.page.evaluate("agoge.backend.socket.send('{' + 'x'.repeat(9 * 2 ** 20))")
        board.wait("document.querySelector('.toast:last-child')?.textContent === 'The message has more than 8 MiB.'")
    board.load("1. e4 e5 *")
    board.wait("agoge.tree.mainLine.length === 2")


def files_can_be_dropped(board, context):
    board.open("#play")
    board.page.evaluate("""text => {
        const data = new DataTransfer();
        data.items.add(new File([text], "game.pgn"));
        for (const kind of ["dragenter", "dragover", "drop"]) {
            document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
        }
    }""", context.sample())
    board.wait("document.body.dataset.mode === 'analyse' && agoge.tree.mainLine.length > 30")


def a_text_field_takes_a_dragged_text(board, _):
    """A text on the board is a game to load, and a file is one everywhere."""
    board.turn_engine_off()
    page = board.page
    page.click("#annotate")
    drag = """([selector, text, isFile]) => {
        const data = new DataTransfer();
        if (isFile) data.items.add(new File([text], "game.pgn"));
        else data.setData("text/plain", text);
        const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
        // Whether the browser does what it does by itself.
        return ["dragenter", "dragover", "drop"].map((kind) => document.querySelector(selector).dispatchEvent(event(kind)));
    }"""
    page.evaluate("void (window.before = agoge.tree)")
    assert page.evaluate(drag, ["#node-comment", "1. e4 *", False]) == [True] * 3
    assert page.evaluate("agoge.tree === before && !document.body.classList.contains('drop-target')")
    for selector, text, is_file, count in (("#board", "1. e4 *", False, 1), ("#node-comment", "1. e4 e5 *", True, 2)):
        assert page.evaluate(drag, [selector, text, is_file]) == [False] * 3
        board.wait(f"agoge.tree.mainLine.length === {count} && !agoge.isEntering")


def set_up_errors_are_explained(board, _):
    board.open("#setup")
    message = board.page.locator("#setup-message")
    board.page.click("text=Empty board")
    expect(message).to_contain_text("must have one king")
    expect(board.page.locator("#setup-analyse")).to_be_disabled()
    board.page.click(".palette [data-letter=K]")
    board.square("e1").click()
    expect(message).to_contain_text("The Spartans must have one or two kings")
    board.page.click(".palette [data-letter=k]")
    for square in ("a8", "b8", "c8"):
        board.square(square).click()
    expect(message).to_contain_text("kings")
    board.square("c8").click()
    expect(message).to_be_empty()
    board.page.click(".palette [data-letter=P]")
    board.square("h8").click()
    expect(message).not_to_be_empty()
    board.page.click(".palette [data-letter=erase]")
    board.square("h8").click()
    board.page.check("text=Persians O-O >> nth=0")
    expect(message).not_to_be_empty()
    board.page.uncheck("text=Persians O-O >> nth=0")
    expect(message).to_be_empty()
    board.page.click("#setup-analyse")
    board.wait("agoge.shown?.fen === 'kk6/8/8/8/8/8/8/4K3 w - - 0 1'")


def the_editor_keeps_the_variant(board, _):
    """Of the place before, and of what is typed: some positions are of both variants."""
    page = board.page
    page.evaluate("sessionStorage.removeItem('agoge-setup')")
    board.open("#analyse?variant=chess&moves=e2e4")
    board.mode("games")
    board.mode("setup")
    expect(page.locator("#setup-fen")).to_have_value("lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1")
    expect(page.locator("#setup-message")).to_be_empty()
    board.open("#analyse?variant=chess&moves=e2e4")
    board.mode("setup")
    page.click("#setup-game")
    fen = "8/8/8/8/8/4k3/8/R3K3 b Q - 0 1"
    page.fill("#setup-fen", fen)
    page.press("#setup-fen", "Enter")
    board.wait(f"agoge.shown.fen === '{fen}'")
    assert page.evaluate("agoge.mode.variant") == "chess"


def analysis_with_lines_arrows_and_variations(board, _):
    board.open("#analyse")
    board.set_lines(3)
    board.wait("document.querySelectorAll('.pv .score').length === 3")
    expect(board.page.locator("polygon.arrow-best")).to_have_count(1)
    expect(board.page.locator("#eval-bar")).to_be_visible()
    board.type("e4")
    board.wait_for_ply(1)
    board.wait("document.querySelectorAll('.pv .score').length === 3")
    board.page.click("[aria-label='Previous move']")
    board.wait_for_ply(0)
    board.drag("d2d4")
    board.wait_for_ply(1)
    expect(board.page.locator(".side-line .mv")).to_have_count(1)
    board.page.click("text=Make main line")
    board.wait("agoge.tree.mainLine[0].san === 'd4'")
    board.page.click("text=Delete from here on")
    board.wait("agoge.tree.mainLine[0].san === 'e4'")


def the_review_marks_mistakes(board, context):
    board.load("1. g4 Wf6 2. f3 Wh4# 0-1")
    board.wait("agoge.tree.mainLine.length === 4")
    board.page.click("#review")
    board.wait("!agoge.modes.get('analyse').review.running && agoge.tree.mainLine.every(({evaluation}) => evaluation)")
    glyphs = board.page.evaluate("agoge.tree.mainLine.map(({glyphs}) => glyphs[0] ?? 0)")
    assert glyphs[2] == 4, glyphs
    expect(board.page.locator("table.summary tbody tr")).to_have_count(2)
    expect(board.page.locator(".graph .dot.g4")).to_have_count(1)
    board.page.locator(".graph").click(position={"x": 2, "y": 40})
    board.wait_for_ply(0)
    # It can be stopped.
    board.load(context.sample())
    board.page.click("#review")
    board.page.click("#review:has-text('Stop')")
    board.wait("!agoge.modes.get('analyse').review.running")
    assert board.page.evaluate("agoge.tree.mainLine.some(({evaluation}) => !evaluation)")


def the_rules_can_be_tried(board, _):
    board.open("#learn/rules")
    lessons = board.page.locator(".lesson")
    assert lessons.count() >= 12
    for index in range(lessons.count()):
        lessons.nth(index).locator("text=Try it").click()
        board.wait("agoge.shown.legal.length > 0")
    for index in range(lessons.count()):
        show = lessons.nth(index).locator("text=Show me")
        if show.count():
            show.click()
            count = board.page.evaluate("agoge.mode.lesson.moves.length")
            board.wait_for_ply(count)


def the_engine_plays_against_itself(board, _):
    board.open("#watch")
    board.start_watching()
    board.page.click("#watch-start:has-text('Pause')")
    expect(board.page.locator("#watch-start")).to_have_text("Go on")
    board.page.click("#watch-start")
    board.wait("agoge.tree.last.ply >= 6")
    board.page.evaluate("agoge.mode.pause()")
    ply = board.page.evaluate("agoge.tree.last.ply")
    board.page.wait_for_timeout(800)
    assert board.page.evaluate("agoge.tree.last.ply") <= ply + 1


def a_dead_engine_is_started_anew(board, context):
    board.open("#analyse")
    board.page.wait_for_selector(".pv .score", timeout=TIMEOUT)
    kill_engines(board, context)
    expect(board.page.locator(".toast.error")).to_contain_text("The engine stopped and has been restarted.", timeout=TIMEOUT)
    board.type("e4")
    board.wait_for_ply(1)
    board.wait("document.querySelector('.pv .text')?.textContent.startsWith('1...')")
    # In a game it thinks again about the same move.
    board.new_game("black", level="20", time="move:5")
    board.wait("agoge.engine.search || agoge.tree.last.ply")
    kill_engines(board, context)
    board.wait_for_ply(1)


def kill_engines(board, context):
    if context.native:
        for engine in context.server.engines():
            os.kill(engine, signal.SIGKILL)
    else:
        board.page.evaluate("agoge.backend.engine.onerror(new ErrorEvent('error', {cancelable: true}))")


def a_search_stops_at_once(board, context):
    stop_searches(board, context, "")
    if not context.native:
        server = StaticServer(context.options.static, isolated=True)
        stop_searches(Board(board.page, server.address), context, " with shared memory")
        assert board.page.evaluate("crossOriginIsolated")
        server.close()


def stop_searches(board, context, how):
    board.open("#analyse")
    board.page.wait_for_selector(".pv .score", timeout=TIMEOUT)
    times = board.stop_times(10)
    context.note(f"stop to bestmove{how}: median {times[5]:.1f} ms, longest {times[-1]:.1f} ms")
    assert times[5] < 2000, times


def narrow_screens_fit(board, context):
    for width, height in ((320, 640), (390, 844), (768, 1024), (1280, 720), (1920, 1080)):
        board.resize(width, height)
        board.open("#play")
        for mode in MODES:
            board.mode(mode)
            board.page.wait_for_timeout(100)
            wide, whole = board.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide <= whole, f"{mode} at {width}: {wide} wide"
            box = board.page.locator("#board").bounding_box()
            assert box["width"] > 0.7 * min(width, 600) and abs(box["width"] - box["height"]) < 2, (mode, width, box)
            assert box["x"] >= 0 and box["x"] + box["width"] <= width, (mode, width, box)
    board.resize(320, 640)
    board.open("#play")
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)


def accessibility(board, context):
    axe = Axe()
    for scheme in ("light", "dark"):
        board.page.emulate_media(color_scheme=scheme)
        for mode in PLACES:
            board.open(f"#{mode}")
            if mode == "play":
                if board.page.locator("#new-game").count():
                    board.page.click("#new-game")
                check(axe, board, f"{mode} setup {scheme}")
                board.page.check("input[name=opponent][value=person]", force=True)
                board.page.select_option("select:has(option[value=own])", "own")
                check(axe, board, f"{mode} setup of two {scheme}")
                board.new_game("white")
                board.click("e2e4")
                board.wait_for_ply(2)
                board.page.click("#resign")
            if mode == "analyse":
                board.page.wait_for_selector(".pv .score", timeout=TIMEOUT)
            check(axe, board, f"{mode} {scheme}")
        board.page.click("#settings-button")
        check(axe, board, f"settings {scheme}")
        board.page.keyboard.press("Escape")
        board.page.keyboard.press("?")
        check(axe, board, f"keys {scheme}")
        board.page.keyboard.press("Escape")
        board.mode("watch")
        board.page.keyboard.press("b")
        board.page.keyboard.press("Enter")
        check(axe, board, f"keyboard mode {scheme}")
        board.load_position("k7/8/8/8/8/8/4h1K1/8 b - - 0 1")
        board.drag("e2d1")
        check(axe, board, f"promotion {scheme}")
        board.page.keyboard.press("Escape")


def legal_moves_equal_pyffish(board, context):
    """The lists that the page gets over whole random games."""
    board.open("#play")
    rng = random.Random(context.seed)
    positions = 0
    for _ in range(context.games):
        moves, lists, fen = [], [], START
        while True:
            legal = pyffish.legal_moves("spartan", fen, [])
            lists.append(sorted(legal))
            if not legal or len(moves) == 160:
                break
            moves.append(rng.choice(legal))
            # From the start it would play all moves again.
            fen = pyffish.get_fen("spartan", fen, moves[-1:])
        shown = board.page.evaluate("""moves => Promise.all(["", ...moves].map(async (_, ply) => {
            const line = { variant: "spartan", moves: moves.slice(0, ply) };
            return (await agoge.ask({ ask: "position", line })).legal.map(({ move }) => move).sort();
        }))""", moves)
        assert len(shown) == len(lists), (len(shown), len(lists), moves)
        for ply, (ours, theirs) in enumerate(zip(shown, lists)):
            assert ours == theirs, f"after {moves[:ply]}: {set(ours) ^ set(theirs)}"
        positions += len(lists)
    context.note(f"{context.games} games, {positions} positions")


# These do not depend on the backend.
native_only(
    keyboard_game_as_the_spartans, touch_mates_both_kings, touch_chooses_a_promotion, check_and_attacked_kings_are_shown, promotion_to_a_king,
    files_can_be_dropped, a_text_field_takes_a_dragged_text, narrow_screens_fit, accessibility, the_editor_keeps_the_variant,
)

TESTS = [
    mouse_game_as_the_persians, keyboard_game_as_the_spartans, touch_game_as_the_spartans, touch_mates_both_kings,
    touch_chooses_a_promotion, typed_moves_and_reasons, check_and_attacked_kings_are_shown, promotion_to_a_king,
    take_back_hint_and_resign, a_reload_in_mid_game, pgn_and_fen_round_trips, long_games_and_large_analyses, files_can_be_dropped,
    a_text_field_takes_a_dragged_text,
    set_up_errors_are_explained, the_editor_keeps_the_variant, analysis_with_lines_arrows_and_variations, the_review_marks_mistakes,
    the_rules_can_be_tried, the_engine_plays_against_itself, a_dead_engine_is_started_anew, a_search_stops_at_once,
    narrow_screens_fit, accessibility, legal_moves_equal_pyffish,
    *gui_analysis.TESTS, *gui_chaos.TESTS, *gui_explorer.TESTS, *gui_hands.TESTS, *gui_languages.TESTS, *gui_layout.TESTS,
    *gui_learn.TESTS, *gui_looks.TESTS, *gui_messages.TESTS, *gui_pgn.TESTS, *gui_play.TESTS, *gui_puzzles.TESTS, *gui_store.TESTS, *gui_tables.TESTS, *gui_threads.TESTS, *gui_web.TESTS,
]


class Context:
    """What the tests share."""

    def __init__(self, options, browser, games=0, seed=1):
        self.root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
        self.options = options
        self.browser = browser
        self.native = not options.static
        self.server = NativeServer(options.program) if self.native else StaticServer(options.static)
        self.chooser = Engine(options.program)
        self.games = games
        self.seed = seed
        self.notes = []
        self.expects_disconnect = False
        self.expects_failures = False

    def sample(self):
        with open(os.path.join(self.root, "positions", "sample.pgn")) as file:
            return file.read()

    def note(self, text):
        self.notes.append(text)

    @contextlib.contextmanager
    def other_page(self, problems=None, **settings):
        """A page with a store of its own, if the store is the browser's; `settings` are those of Playwright's contexts."""
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "has_touch": True, "reduced_motion": "reduce", "locale": "en-US", "service_workers": "block", **settings})
        context.add_init_script(MESSAGES)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        if problems is not None:
            page.on("console", lambda message: message.type in ("error", "warning") and not self.is_expected(message) and problems.append(message.text))
            page.on("pageerror", lambda error: problems.append(str(error)))
        if self.options.page:
            context.route("**/*", self.from_folder)
        try:
            yield Board(page, self.server.address)
        finally:
            context.close()

    def is_expected(self, message):
        """Browsers write an error for each attempt to reach a server that is gone, and for tables that are not there."""
        is_lost = any(text in message.text for text in ("WebSocket connection", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET"))
        is_unused = "was preloaded using link preload" in message.text
        # A module that could not be loaded leaves those for it unused.
        if self.expects_failures and (is_unused or "Failed to load resource" in message.text):
            return True
        # On a busy machine the page draws its first text late; `the_font_is_our_own` tests that the font is used.
        if is_unused and ".woff2" in message.text:
            return True
        # Most tests go without the service worker, which loads all files.
        is_blocked = "Service Worker registration blocked" in message.text
        return is_blocked or (self.expects_disconnect and is_lost) or "/tables/" in message.location["url"]

    def from_folder(self, route):
        path = route.request.url[len(self.server.address):].split("#")[0].split("?")[0] or "index.html"
        file = os.path.join(self.options.page, path)
        if (path == "js/config.js" and self.options.static) or not os.path.exists(file):
            return route.continue_()
        return route.fulfill(path=file)

    def close(self):
        self.chooser.kill()
        self.server.close()


def run_test(test, context):
    """Runs a test on a page of its own; returns what is wrong, or None."""
    problems, context.notes = [], []
    context.server.clear()
    context.expects_disconnect = context.expects_failures = False
    # The same in whatever order and process the tests run.
    random.seed(f"{context.seed} {test.__name__}")
    try:
        with context.other_page(problems) as board:
            expect.set_options(timeout=20_000)
            try:
                test(board, context)
                # Even if the test does nothing with it.
                assert board.page
                # What it writes must not be there in the next test.
                with contextlib.suppress(Exception):
                    board.page.evaluate("Promise.race([agoge.documents.settle(), new Promise((resolve) => setTimeout(resolve, 3000))])")
            except Exception:
                with contextlib.suppress(Exception):
                    os.makedirs("target", exist_ok=True)
                    board.page.screenshot(path=f"target/gui-{test.__name__}.png")
                raise
        assert not problems, f"in the console: {problems}"
    except Exception:
        return traceback.format_exc()
    return None


def run_tests(options, numbers, results):
    """Runs the tests whose numbers are in a queue, with a browser and a server of their own, and reports each one."""
    # Closed also if no browser can be started: the server would keep this process alive.
    with sync_playwright() as playwright, contextlib.closing(Context(options, None, options.games, options.seed)) as context:
        while (number := numbers.get()) is not None:
            if not (context.browser and context.browser.is_connected()):
                context.browser = playwright.chromium.launch(executable_path=options.browser, args=browser_flags(options))
            begin = time.monotonic()
            # The call that waits for the browser then fails.
            timer = threading.Timer(LIMIT, kill_browsers)
            timer.start()
            error = run_test(TESTS[number], context)
            timer.cancel()
            notes = f" ({'; '.join(context.notes)})" if context.notes else ""
            results.put((number, error, f"{time.monotonic() - begin:.1f} s{notes}"))
        if context.browser:
            context.browser.close()


def kill_browsers():
    """Kills the browsers that this process has started."""
    left = [os.getpid()]
    for process in left:
        left += children_of(process)
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{process}/comm") as file:
            # The name of a process is cut.
            if any(name.startswith(file.read().strip()) for name in BROWSERS):
                os.kill(process, signal.SIGKILL)


def main():
    arguments = parser(__doc__)
    arguments.add_argument("program")
    arguments.add_argument("--static", metavar="FOLDER")
    arguments.add_argument("--page", metavar="FOLDER")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--all", action="store_true", help="also what is tried by hand: all views in all languages, sizes and colours")
    arguments.add_argument("--jobs", type=int, default=1, help="tests that run at the same time")
    arguments.add_argument("--games", type=int, default=12, help="random games compared with pyffish")
    arguments.add_argument("--seed", type=int, default=1)
    add_browser(arguments)
    options = arguments.parse_args()
    left_out = {test for test in TESTS if getattr(test, "native_only" if options.static else "static_only", False) or not options.all and getattr(test, "by_hand", False)}
    chosen = [number for number, test in enumerate(TESTS) if options.only in test.__name__ and test not in left_out]
    numbers, results = multiprocessing.Queue(), multiprocessing.Queue()
    for number in chosen + [None] * options.jobs:
        numbers.put(number)
    workers = [multiprocessing.Process(target=run_tests, args=(options, numbers, results), daemon=True) for _ in range(options.jobs)]
    for worker in workers:
        worker.start()
    failed, errors = set(chosen), {}
    for _ in chosen:
        try:
            number, error, text = wait_for(results, workers)
        except EOFError:
            break
        print(f"{error or ''}{TESTS[number].__name__} ... {'FAILED' if error else 'ok'}, {text}", flush=True)
        if error:
            errors[number] = error
        else:
            failed.remove(number)
    # Those that are still at work at the end are killed, and their servers would be left.
    for worker in workers:
        worker.join(timeout=30)
    # Again at the end, where a reader of a long or a shortened log looks; the message follows the innermost call.
    for number, error in errors.items():
        message = error.splitlines()
        innermost = max(index for index, line in enumerate(message) if line.startswith("  File"))
        print(f"{TESTS[number].__name__} FAILED:", *message[innermost:][:30], sep="\n")
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    sys.exit(bool(failed))


def wait_for(results, workers):
    """The next result; EOFError if no worker is left that could have one."""
    while True:
        try:
            return results.get(timeout=1)
        except queue.Empty:
            if not any(worker.is_alive() for worker in workers) and results.empty():
                raise EOFError from None


if __name__ == "__main__":
    main()
