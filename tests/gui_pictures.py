#!/usr/bin/env python3
"""Makes pictures of the board in the browser: of its pages, sets of pieces and boards, in all sizes and colours.

    pip install playwright pyffish axe-playwright-python
    tests/gui_pictures.py target/release/agoge target/pictures          # everything, some 200 pictures
    tests/gui_pictures.py target/release/agoge target/pictures --only analyse
    tests/gui_pictures.py target/release/agoge --readme                 # those in tests/ that the README files show

`--page FOLDER` takes the page's files from a folder instead of the program. tests/gui_pieces.py makes sheets of the pieces.
"""

import contextlib
import os

from playwright.sync_api import sync_playwright

from gui_browser import Context
from gui_page import TIMEOUT, add_browser, browser_flags
from uci import parser

ROOT = os.path.dirname(os.path.abspath(__file__))
SCREENS = ((1366, 768), (1920, 1080))
PHONES = ((390, 844), (844, 390))
SCHEMES = ("light", "dark")
GAME = "1. e4 Hbd5 (1... Wf6 2. Nf3 Hbd5) 2. e5 Hc4 3. d3 Lc6 {The lieutenant leaves the last rank.} 4. c3 Ce6 5. Nf3 *"


@contextlib.contextmanager
def page(context, size, **options):
    """A board in a page of its own. Only on phones there is a finger."""
    with context.other_page(viewport=dict(zip(("width", "height"), size)), has_touch=size in PHONES, **options) as board:
        board.page.set_default_timeout(TIMEOUT)
        board.open()
        yield board


def resize(board, size):
    board.resize(*size)
    board.page.evaluate("scrollTo(0, 0)")
    # The list of moves and the lines of the engine follow a moment later.
    board.page.wait_for_timeout(250)


def choose(board, settings):
    """Changes settings as the dialog does."""
    board.page.evaluate("""async (chosen) => {
        Object.assign(agoge.profiles.settings.value, chosen);
        agoge.profiles.settings.onChange();
    }""", settings)


# ---- the pages, each as one sees it most


def new_game(board):
    board.open("#play")


def play(board):
    board.new_game("white", level="3", time="clock:600+5")
    for move in ("e2e4", "d2d4", "b1c3"):
        board.wait("agoge.board.movable && agoge.tree.current === agoge.tree.last")
        board.click(move)
        board.wait("agoge.tree.last.ply % 2 === 0")
    board.square("g1").click()


def game_over(board):
    play(board)
    board.wait("agoge.board.movable")
    board.resign()


def analyse(board):
    board.load(GAME)
    board.set_lines(3)
    board.page.click("#open-engine-settings")
    board.page.keyboard.press("End")
    board.wait_for_ply(9)
    board.wait("document.querySelectorAll('.pv .score').length === 3")
    board.page.wait_for_timeout(1500)


def review(board):
    board.load("1. g4 Wf6 2. f3 Wh4# 0-1")
    board.page.click("#review")
    board.wait("!agoge.mode.review.running && agoge.tree.mainLine.every(({ evaluation }) => evaluation)")


def watch(board):
    board.open("#watch")
    board.start_watching()
    board.wait("agoge.tree.last.ply >= 6")
    board.page.click("#watch-start")


def games(board):
    for text in (GAME, "1. g4 Wf6 2. f3 Wh4# 0-1"):
        board.load(text)
        board.wait("agoge.mode.address")
    board.mode("games")


def settings(board):
    board.open("#play")
    board.page.click("#settings-button")


def place(name):
    return lambda board: board.open(f"#{name}")


PAGES = {
    "new-game": new_game, "play": play, "game-over": game_over, "analyse": analyse, "review": review, "setup": place("setup"),
    "puzzles": place("puzzles"), "learn": place("learn"), "watch": watch, "games": games, "settings": settings,
}


def pictures_of_pages(context, folder, only):
    for name, show in PAGES.items():
        if only not in name:
            continue
        for sizes in (SCREENS, PHONES):
            with page(context, sizes[0]) as board:
                show(board)
                for size in sizes:
                    resize(board, size)
                    for scheme in SCHEMES:
                        board.page.emulate_media(color_scheme=scheme)
                        board.page.wait_for_timeout(100)
                        board.page.screenshot(path=os.path.join(folder, f"{name}-{size[0]}x{size[1]}-{scheme}.png"))


def pictures_of_sets(context, folder, only):
    """A game with each set of pieces on each board."""
    if only not in "sets":
        return
    for sizes in (SCREENS, PHONES):
        with page(context, sizes[0]) as board:
            board.page.click("#settings-button")
            sets, boards = [[item.get_attribute("value") for item in board.page.locator(f"dialog input[name={name}]").all()] for name in ("pieces", "board")]
            assert len(sets) > 1 and len(boards) > 1, (sets, boards)
            board.page.keyboard.press("Escape")
            play(board)
            for size in sizes:
                resize(board, size)
                for pieces in sets:
                    for theme in boards:
                        choose(board, {"pieces": pieces, "board": theme})
                        board.page.wait_for_timeout(100)
                        board.page.screenshot(path=os.path.join(folder, f"sets-{pieces}-{theme}-{size[0]}x{size[1]}.png"))


# ---- the pictures of the README files


def readme_play(board):
    board.new_game("white", level="5", time="clock:600+5")
    for move in ("e2e4", "d2d4", "b1c3", "g1f3"):
        board.wait("agoge.board.movable && agoge.tree.current === agoge.tree.last")
        if move in board.page.evaluate("agoge.shown.legal.map(({ move }) => move)"):
            board.click(move)
            board.wait("agoge.tree.last.ply % 2 === 0")
    board.square("d1").click()


def readme_analysis(board):
    with open(os.path.join(ROOT, "..", "positions", "sample.pgn")) as file:
        board.load(file.read())
    board.page.click("#review")
    board.wait("!agoge.mode.review.running && agoge.tree.mainLine.every(({ evaluation }) => evaluation)", seconds=600)
    board.set_lines(3)
    board.page.click("#open-engine-settings")
    board.page.evaluate("agoge.goTo(agoge.tree.mainLine[22])")
    board.wait("document.querySelectorAll('.pv .score').length === 3")
    board.page.evaluate("document.querySelector('#panel').scrollTop = 0")
    board.page.mouse.move(5, 5)
    board.page.wait_for_timeout(6000)


def readme_phone(board):
    board.new_game("black", level="5", time="clock:600+5")
    for move in ("g8f6", "f7d6"):
        board.wait("agoge.board.movable && agoge.tree.current === agoge.tree.last")
        if move in board.page.evaluate("agoge.shown.legal.map(({ move }) => move)"):
            board.tap(move)
            board.wait("agoge.tree.last.ply % 2 === 1")
    board.wait("agoge.board.movable")
    board.page.touchscreen.tap(*board.centre("b8"))


README = {"gui_play": (readme_play, (1280, 800)), "gui_analysis": (readme_analysis, (1280, 800)), "gui_phone": (readme_phone, PHONES[0])}


def pictures_of_readme(context, only):
    for name, (show, size) in README.items():
        if only not in name:
            continue
        with page(context, size) as board:
            show(board)
            # The messages are gone by then.
            board.wait("!document.querySelector('.toast')")
            board.page.screenshot(path=os.path.join(ROOT, f"{name}.png"))


def main():
    arguments = parser(__doc__)
    arguments.add_argument("program")
    arguments.add_argument("folder", nargs="?")
    arguments.add_argument("--static", metavar="FOLDER")
    arguments.add_argument("--page", metavar="FOLDER")
    arguments.add_argument("--only", default="", help="pictures whose name contains this, or `sets`")
    arguments.add_argument("--readme", action="store_true")
    add_browser(arguments)
    options = arguments.parse_args()
    if not options.folder and not options.readme:
        arguments.error("a folder is missing")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=browser_flags(options))
        context = Context(options, browser)
        if options.folder:
            os.makedirs(options.folder, exist_ok=True)
            pictures_of_pages(context, options.folder, options.only)
            pictures_of_sets(context, options.folder, options.only)
        if options.readme:
            pictures_of_readme(context, options.only)
        context.close()
        browser.close()


if __name__ == "__main__":
    main()
