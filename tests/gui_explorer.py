"""Tests of gui_browser.py about the explorer of opening theory."""

import os
import random
import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gui_analysis import stop_at
from gui_page import check
from gui_store import reload, until_kept

THEORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "positions", "theory.epd")


def read_theory():
    """The positions of theory by the first four fields of their FEN: moves with values, and games."""
    positions = {}
    with open(THEORY, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                continue
            fields = line.split(" ", 4)
            operations = dict(part.strip().split(" ", 1) for part in fields[4].split(";") if part.strip())
            words = operations["mv"].split()
            moves = dict(zip(words[::2], words[1::2]))
            positions[" ".join(fields[:4])] = moves, [int(games) for games in operations.get("wdl", "0 0 0").split()]
    return positions


def share(value):
    """The expected score of a value in percent, as core/src/search/wdl.rs has it."""
    if value.startswith(("M", "-M")):
        return 0 if value.startswith("-") else 100
    chance = lambda value: round(1000 / (1 + 2.718281828459045 ** ((130 - value) / 75)))
    win, loss = chance(int(value)), chance(-int(value))
    return (win + max(0, 1000 - win - loss) / 2) / 10


def open_theory(board):
    board.open("#analyse")
    stop_at(board, "nodes 1000000")
    board.page.click("#theory summary")
    expect(board.page.locator("button.theory-row").first).to_be_visible()


def here(board, positions):
    """What the file has of the position on the board."""
    return positions.get(" ".join(board.page.evaluate("agoge.tree.current.fen").split()[:4]))


def rows(board):
    """The moves of the panel: coordinates, expected score, and the texts of its columns."""
    board.wait("agoge.explorer.node === agoge.tree.current && agoge.tree.current.theory")
    return board.page.evaluate("[...document.querySelectorAll('button.theory-row')].map((row) => [row.dataset.move, ...[...row.children].slice(0, 3).map((cell) => cell.textContent)])")


def assert_as_in_file(board, positions):
    moves, games = here(board, positions)
    shown = rows(board)
    assert {move for move, *_ in shown} == set(moves), shown
    shares = [share(moves[move]) for move, *_ in shown]
    assert shares == sorted(shares, reverse=True), shown
    for (_, _, text, _), expected in zip(shown, shares):
        assert abs(float(text.rstrip("%")) - expected) <= 0.06, (text, expected)
    total = board.page.locator(".theory-row", has_text="All games").locator("span").nth(2).text_content()
    assert int(re.sub(r"\D", "", total)) == sum(games), (total, games)


def theory_is_shown_as_in_its_file(board, context):
    """It is loaded only when the panel opens, which stays as it is."""
    page = board.page
    positions = read_theory()
    files = []
    page.on("request", lambda request: files.append(request.url))
    board.open("#analyse")
    stop_at(board, "nodes 1000000")
    board.type("e4")
    board.wait_for_ply(1)
    assert page.evaluate("agoge.tree.current.theory === undefined")
    assert not any("positions/theory" in url for url in files), files
    page.click("#theory summary")
    expect(page.locator("button.theory-row").first).to_be_visible()
    assert sum("positions/theory" in url for url in files) == (1 if context.options.static else 0), files
    assert_as_in_file(board, positions)
    check(Axe(), board, "the explorer")
    # At random positions, each move played by a click, as a variation if others were played.
    for _ in range(4):
        move = random.choice([move for move, *_ in rows(board)])
        before = page.evaluate("agoge.tree.current.ply")
        page.click(f"button.theory-row[data-move={move}]")
        board.wait_for_ply(before + 1)
        assert page.evaluate("agoge.tree.current.move") == move
        if here(board, positions):
            assert_as_in_file(board, positions)
        else:
            expect(page.locator("#theory .hint")).to_contain_text("Not in theory since")
            page.keyboard.press("Home")
            board.wait_for_ply(0)
    page.keyboard.press("Home")
    board.wait_for_ply(0)
    # The pointer and the focus of the keyboard show a move, and Enter plays it.
    page.mouse.move(5, 5)
    first = page.locator("button.theory-row").first
    expect(page.locator(".arrow-hint")).to_have_count(0)
    first.hover()
    expect(page.locator("line.arrow-hint")).to_have_count(1)
    page.mouse.move(5, 5)
    expect(page.locator(".arrow-hint")).to_have_count(0)
    page.focus("#theory summary")
    page.keyboard.press("Tab")
    expect(page.locator("line.arrow-hint")).to_have_count(1)
    page.keyboard.press("Enter")
    board.wait_for_ply(1)
    rows(board)
    board.wait("document.activeElement.closest('.theory-moves')")
    until_kept(board)
    reload(board)
    expect(page.locator("button.theory-row").first).to_be_visible()


def the_end_of_theory_is_marked(board, context):
    """In the list of moves of a game that was reviewed, and in its review."""
    page = board.page
    positions = read_theory()
    board.open("#analyse")
    stop_at(board, "nodes 1000000")
    board.type("e4")
    board.wait_for_ply(1)
    known, _ = here(board, positions)
    wrong = next(move for move in page.evaluate("agoge.position().then(({legal}) => legal.map(({move}) => move))") if move not in known)
    board.type(wrong)
    board.wait_for_ply(2)
    board.type("Nf3")
    board.wait_for_ply(3)
    page.click("#review")
    board.wait("!agoge.mode.review.running && agoge.tree.mainLine.every(({loss}) => loss !== undefined)", 240)
    if context.options.static:
        expect(page.locator(".theory-end")).to_have_count(0)
        page.click("text=Compare with opening theory")
    expect(page.locator(".moves .theory-end")).to_have_text("Theory ends here")
    # The mark stands before the move.
    san = page.evaluate("agoge.tree.mainLine[1].san")
    assert page.evaluate("document.querySelector('.theory-end').nextElementSibling.nextElementSibling.nextElementSibling.textContent").startswith(san)
    text = page.locator("#left-theory")
    expect(text).to_contain_text(f"First move not in theory: 1... {san}")
    best = max(known, key=lambda move: share(known[move]))
    expect(text).to_contain_text("The Spartans left theory here. It plays ")
    expect(text).to_contain_text(page.evaluate("([move]) => agoge.ask({ask: 'line', line: {moves: ['e2e4', move]}}).then((steps) => steps[1].san)", [best]))
    page.click("#left-theory button")
    board.wait_for_ply(2)


def a_page_without_theory_says_so(board, context):
    if not context.options.static:
        return
    context.expects_failures = True
    page = board.page
    theory = "**/positions/theory*"
    page.route(theory, lambda route: route.abort())
    board.open("#analyse")
    page.click("#theory summary")
    expect(page.locator("#theory .hint")).to_have_text("The opening theory could not be loaded.")
    board.expect_failure("The file positions/theory.bin could not be loaded.")
    page.unroute(theory)
    page.route(theory, lambda route: route.fulfill(body="damaged"))
    page.click("#try-again")
    board.expect_failure("The file positions/theory.bin is damaged.")
    page.unroute(theory)
    board.try_again()
    expect(page.locator("button.theory-row").first).to_be_visible()
    # The next position tries again, too.
    page.route(theory, lambda route: route.abort())
    board.open("#analyse")
    board.expect_failure("The file positions/theory.bin could not be loaded.")
    page.unroute(theory)
    board.type("e4")
    board.wait_for_ply(1)
    expect(page.locator("button.theory-row").first).to_be_visible()
    expect(page.locator("#connection")).to_be_hidden()


TESTS = [theory_is_shown_as_in_its_file, the_end_of_theory_is_marked, a_page_without_theory_says_so]
