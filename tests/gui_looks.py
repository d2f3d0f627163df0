"""The sets of pieces, the boards, the colours and the font of the page; tests of gui_browser.py."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gui_page import COLOURS, check, looks, native_only

SETS = ("figures", "emblems", "letters")
# The lighter and the darker boards.
BOARDS = ("brown", "marble", "olive", "contrast", "walnut", "slate")
WIDTHS = ((1366, 768), (390, 844))


def choose(board, name, value):
    """Chooses a setting in the dialog, which stays open."""
    if not board.page.locator("dialog").count():
        board.page.click("#settings-button")
    board.page.check(f"dialog input[name={name}][value={value}]", force=True)


def picture_of(board, square):
    """The symbol that is drawn on a square."""
    letter = board.page.evaluate("square => agoge.board.pieces.get(square)", square)
    return board.page.locator(f".piece[data-letter={letter}] use").first.get_attribute("href")


def sets_of_pieces_can_be_chosen(board, _):
    board.open("#play")
    assert picture_of(board, "a8") == "#figures-lieutenant"
    for name in SETS:
        choose(board, "pieces", name)
        for square, kind in (("e1", "king"), ("c8", "spartan-king"), ("b8", "general"), ("a7", "hoplite")):
            assert picture_of(board, square) == f"#{name}-{kind}", (name, square)
        # The preview shows that set, whichever is chosen.
        previews = [item.get_attribute("href") for item in board.page.locator(".set-preview svg:first-child use").all()]
        assert previews == [f"#{other}-king" for other in SETS], previews
        # Every symbol that is used is there.
        assert board.page.evaluate("[...document.querySelectorAll('use')].every((use) => document.querySelector(use.getAttribute('href'))?.childNodes.length)")
    # It stays.
    board.open("#play")
    assert picture_of(board, "e1") == "#letters-king"


def a_set_that_there_is_no_more_becomes_the_default(board, _):
    board.open("#play")
    board.page.evaluate("localStorage.setItem('agoge-settings', JSON.stringify({ ...JSON.parse(localStorage.getItem('agoge-settings')), pieces: 'pictures' }))")
    board.open("#play")
    assert picture_of(board, "e1") == "#figures-king"
    # From the store, too, where it was kept by an earlier version.
    board.page.evaluate("void (agoge.profiles.settings.value.pieces = 'pictures', agoge.profiles.settings.touch())")
    board.wait("!Object.keys(localStorage).some((key) => key.startsWith('agoge-unsent'))")
    board.open("#play")
    assert picture_of(board, "e1") == "#figures-king"
    choose(board, "pieces", "emblems")
    assert picture_of(board, "e1") == "#emblems-king"


def boards_can_be_chosen(board, _):
    board.open("#play")
    colours = set()
    for name in BOARDS:
        choose(board, "board", name)
        squares = "['a1', 'b1'].map((square) => getComputedStyle(document.querySelector(`[data-square=${square}]`)).backgroundColor)"
        colours.add(tuple(board.page.evaluate(squares)))
    assert len(colours) == len(BOARDS), colours


def the_font_is_our_own(board, _):
    """All texts are in the font that comes with the page, so that it looks the same everywhere."""
    board.open("#play")
    board.page.evaluate("document.fonts.ready.then(() => {})")
    loaded = board.page.evaluate("[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family)")
    assert loaded == ["Inter"], loaded
    # The file that is preloaded is the one that the style asks for: nothing is fetched in vain or twice.
    preloaded = board.page.evaluate("[...document.querySelectorAll('link[rel=preload][as=font]')].map(({ href }) => href)")
    fetched = board.page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('.woff2'))")
    assert fetched == preloaded, (fetched, preloaded)
    board.new_game("white", time="clock:60+0")
    families = board.page.evaluate("[...new Set([...document.querySelectorAll('body *')].map((element) => getComputedStyle(element).fontFamily.split(',')[0]))]")
    assert families == ["Inter"], families


def accessibility_of_looks(board, _):
    """All boards and sets, light and dark: the coordinates, marks and choices are texts, too."""
    axe = Axe()
    for size, scheme in looks(board, WIDTHS):
        board.open("#play")
        # Colours do not depend on the size.
        for index, name in enumerate(BOARDS if size == WIDTHS[0] else BOARDS[:len(SETS)]):
            choose(board, "board", name)
            choose(board, "pieces", SETS[index % len(SETS)])
            # A board changes nothing but colours.
            rules = COLOURS if index >= len(SETS) else None
            check(axe, board, f"settings, {name}, {scheme}, {size}", rules)
            board.page.keyboard.press("Escape")
            check(axe, board, f"{name}, {scheme}, {size}", rules)


def a_question_covers_the_other_tools(board, _):
    """Resign asks in place, for a second press at the same point, and nothing moves."""
    for size in WIDTHS:
        board.resize(*size)
        board.open("#play")
        board.new_game("white")
        bar = board.page.locator(".tools").bounding_box()
        point = board.page.locator("#resign").bounding_box()
        x, y = point["x"] + point["width"] / 2, point["y"] + point["height"] / 2
        board.page.mouse.click(x, y)
        expect(board.page.locator("#resign")).to_contain_text("Really resign?")
        assert board.page.locator(".tools").bounding_box() == bar, size
        expect(board.page.locator(".confirm [aria-label=Cancel]:visible")).to_have_count(1)
        # Two clicks soon after each other are one that was meant as a double click.
        board.page.wait_for_timeout(600)
        board.page.mouse.click(x, y)
        expect(board.status()).to_contain_text("0–1")


# These do not depend on the backend.
native_only(
    sets_of_pieces_can_be_chosen, boards_can_be_chosen, the_font_is_our_own, a_question_covers_the_other_tools, accessibility_of_looks,
)

TESTS = [
    sets_of_pieces_can_be_chosen, a_set_that_there_is_no_more_becomes_the_default, boards_can_be_chosen, the_font_is_our_own,
    a_question_covers_the_other_tools, accessibility_of_looks,
]
