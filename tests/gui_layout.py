"""How the board in the browser looks on phones and screens, and what a screen reader gets; tests of gui_browser.py."""

import re

import pyffish
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gui_page import TIMEOUT, check, looks, native_only
from gui_pgn import game, load_file

PHONES = ((390, 844), (360, 640), (844, 390), (640, 360))
SCREENS = ((1366, 768), (1920, 1080))
START = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"
TABS = "#modes .tab, #settings-button"
LONG = "Spartans to move. The king on b8 is attacked; it may stay so while the other is safe"


def box(board, selector):
    found = board.page.locator(selector).first.bounding_box()
    assert found, selector
    return found


def overlap(one, other):
    """Whether two boxes have more than a pixel in common."""
    return all(min(one[at] + one[size], other[at] + other[size]) - max(one[at], other[at]) > 1 for at, size in (("x", "width"), ("y", "height")))


def open_place(board, place):
    """Opens a place as one sees it most: with a game, if it has games."""
    board.open(f"#{place}")
    if place == "play":
        board.new_game("white", time="clock:600+5")
        board.click("e2e4")
        board.wait_for_ply(2)
    elif place == "watch" and board.page.locator("#panel select").count():
        board.start_watching()
        board.wait("agoge.tree.last.ply >= 2")
        # The game may be over.
        board.page.evaluate("agoge.mode.running && agoge.mode.pause()")
    elif place == "analyse":
        board.load("1. e4 Hbd5 (1... Wf6 2. e5) 2. e5 Hc4 3. d3 Lc6 *")
        board.page.keyboard.press("End")
        board.wait_for_ply(6)
        board.page.wait_for_selector(".pv .score", timeout=TIMEOUT)


def check_screen(board, size, place):
    """The players, the whole board, the moves, the status and the buttons are visible, and none covers another."""
    width, height = size
    scroll = board.page.evaluate("[scrollX, scrollY, document.documentElement.scrollWidth]")
    assert scroll[:2] == [0, 0] and scroll[2] <= width, (place, size, scroll)
    parts = {name: box(board, name) for name in (".top", "#strip-top", "#board", "#strip-bottom", "#status", "#controls", ".moves")}
    for name, part in parts.items():
        inside = part["x"] >= 0 and part["y"] >= 0 and part["x"] + part["width"] <= width + 1 and part["y"] + part["height"] <= height + 1
        assert inside, (place, size, name, part)
        for other, that in parts.items():
            assert name == other or not overlap(part, that), (place, size, name, other)
    assert abs(parts["#board"]["width"] - parts["#board"]["height"]) < 1
    return parts


def a_phone_shows_all_at_once(board, _):
    for place in ("play", "analyse", "watch", "puzzles"):
        board.resize(390, 844)
        open_place(board, place)
        for size in PHONES:
            board.resize(*size)
            board.page.evaluate("scrollTo(0, 0)")
            parts = check_screen(board, size, place)
            # Upright the board is as wide as the screen, on its side as high as the header leaves room.
            if size[0] < size[1]:
                assert parts["#board"]["width"] > 0.94 * size[0], (place, size, parts["#board"])
            else:
                assert parts["#board"]["height"] > 0.8 * size[1], (place, size, parts["#board"])
            if place != "puzzles":
                move = box(board, ".mv[aria-current]")
                assert overlap(move, parts[".moves"]), (place, size, move)


def the_board_is_large_on_a_screen(board, _):
    for place in ("play", "analyse", "watch", "puzzles"):
        board.resize(*SCREENS[0])
        open_place(board, place)
        for size in SCREENS:
            board.resize(*size)
            parts = check_screen(board, size, place)
            assert parts["#board"]["height"] >= 0.84 * size[1], (place, size, parts["#board"])
            assert board.page.evaluate("document.documentElement.scrollHeight <= innerHeight"), (place, size)
    # A long panel scrolls by itself.
    board.open("#learn/rules")
    board.page.locator(".lesson").last.scroll_into_view_if_needed()
    assert board.page.evaluate("document.querySelector('#panel').scrollTop > 0 && scrollY === 0")


def a_page_enlarged_twice_is_usable(board, _):
    """A browser that shows a page twice as large gives it half as many pixels."""
    for width, height in ((683, 384), (640, 400), (960, 540), (512, 384)):
        board.resize(width, height)
        open_place(board, "play")
        assert board.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        for name in (".controls button >> nth=0", "text=Resign", "#new-game"):
            board.page.locator(name).first.scroll_into_view_if_needed()
            expect(board.page.locator(name).first).to_be_in_viewport()


def all_places_are_reached_on_a_phone(board, _):
    for width, height in (*PHONES, (320, 640)):
        board.resize(width, height)
        board.open("#play")
        places = ["play", "analyse", "setup", "puzzles", "learn", "watch", "games"]
        for place in places:
            board.mode(place)
        if width < 700:
            board.page.click("#more-tabs")
        assert board.page.locator(".tab[data-mode]:visible").count() == len(places)
        boxes = [found.bounding_box() for found in board.page.locator(TABS).all() if found.is_visible()]
        for index, found in enumerate(boxes):
            assert found["x"] >= 0 and found["x"] + found["width"] <= width + 0.5, (width, found)
            assert not any(overlap(found, other) for other in boxes[:index]), (width, boxes)
        # Texts are large enough to read and fit into their tabs.
        fits = "([...document.querySelectorAll('.tab')]).every((tab) => tab.scrollWidth <= tab.clientWidth + 1 && parseFloat(getComputedStyle(tab).fontSize) >= 14)"
        assert board.page.evaluate(fits), width
        board.page.keyboard.press("Escape")
        assert board.page.locator(".minor-tabs.open").count() == 0


def what_a_new_game_needs_is_in_sight(board, _):
    """The button that begins a game is visible at once, and covers no choice of the first three rows."""
    for size in (*PHONES[::2], *SCREENS):
        board.resize(*size)
        board.open("#play")
        begin = box(board, "#start")
        assert begin["y"] + begin["height"] <= size[1], (size, begin)
        for name in ("variant", "opponent", "side"):
            label = box(board, f"label:has(input[name={name}])")
            assert not overlap(label, begin) and label["y"] + label["height"] <= begin["y"], (size, name, label, begin)


def a_finger_finds_its_target(board, _):
    assert board.page.evaluate("matchMedia('(pointer: coarse)').matches")
    for size in ((390, 844), (844, 390)):
        for place in ("play", "analyse", "watch", "puzzles", "setup", "learn", "games"):
            board.resize(*size)
            open_place(board, place)
            # A link within a text is as high as its line.
            small = board.page.evaluate("""() => [...document.querySelectorAll("button, select, input[type=text], input[type=search], label.check, .choice label, summary")]
                .filter((element) => element.checkVisibility() && !element.closest(".hint, .side-line, .skip") && !element.matches(".skip"))
                .map((element) => [element.textContent || element.ariaLabel || element.id, element.getBoundingClientRect()])
                .filter(([, { width, height }]) => width < 43.5 || height < 43.5)
                .map(([text, { width, height }]) => `${text.slice(0, 20)}: ${width.toFixed(1)} x ${height.toFixed(1)}`)""")
            assert not small, (place, size, small)


def watch_shifts(board):
    """Begins to sum up the layout shifts, and to note what moved. The moves of the engine's lines may: their text changes as long as it searches."""
    board.page.evaluate("""() => {
        window.shifts = { sum: 0, moved: [] };
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) {
                // The sources are those parts that moved most.
                if (entry.sources.length && entry.sources.every(({ node }) => node?.parentElement?.closest(".pv .text"))) continue;
                shifts.sum += entry.value;
                shifts.moved.push(...entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName));
            }
        }).observe({ type: "layout-shift" });
    }""")


def nothing_moves_by_itself(board, _):
    for size in (*PHONES[::2], SCREENS[0]):
        board.resize(*size)
        open_place(board, "analyse")
        board.page.evaluate("scrollTo(0, 0)")
        watch_shifts(board)
        for key in ("ArrowLeft", "ArrowLeft", "Home", "End"):
            board.page.keyboard.press(key)
            board.page.wait_for_timeout(400)
        shifts = board.page.evaluate("shifts")
        assert shifts["sum"] < 0.01 and "eval-fill" not in shifts["moved"], ("analyse", size, shifts)
        open_place(board, "play")
        watch_shifts(board)
        board.click("d2d4")
        board.wait_for_ply(4)
        board.page.wait_for_timeout(300)
        shifts = board.page.evaluate("shifts")
        assert shifts["sum"] < 0.01, ("play", size, shifts)
        # Whatever the status says.
        before = box(board, "#board"), box(board, "#controls"), box(board, "#panel")
        for text in ("", LONG):
            board.page.evaluate("text => { document.querySelector('#status').textContent = text; }", text)
            assert (box(board, "#board"), box(board, "#controls"), box(board, "#panel")) == before, (size, text)
        assert board.page.evaluate("(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight + 2)(document.querySelector('#status'))"), size


def messages_cover_nothing(board, _):
    texts = ("Game loaded: 5 moves.", LONG, f"{LONG}. {LONG}")
    open_place(board, "play")
    for size in (*PHONES, *SCREENS, (768, 1024), (320, 640)):
        board.resize(*size)
        board.page.evaluate("texts => texts.forEach((text) => agoge.toast(text, { action: ['Undo', () => {}] }))", texts)
        shown = [found.bounding_box() for found in board.page.locator(".toast:visible").all()]
        assert shown, size
        for message in shown:
            assert message["x"] >= 0 and message["x"] + message["width"] <= size[0], (size, message)
            assert message["y"] + message["height"] <= size[1], (size, message)
            for name in (".top", "#board", "#strip-top", "#strip-bottom"):
                assert not overlap(message, box(board, name)), (size, name, message)
        board.page.locator(".toast:visible .button").last.click()
        board.page.evaluate("document.getElementById('toasts').replaceChildren()")


def motion_can_be_reduced(board, _):
    board.open("#analyse")
    durations = "['.piece', '.eval-fill'].map((name) => getComputedStyle(document.querySelector(name)).transitionDuration)"
    board.page.emulate_media(reduced_motion="no-preference")
    assert board.page.evaluate(durations) == ["0.18s", "0.4s"], board.page.evaluate(durations)
    # An animated height would be a layout shift.
    assert board.page.evaluate("getComputedStyle(document.querySelector('.eval-fill')).transitionProperty") == "transform"
    board.page.emulate_media(reduced_motion="reduce")
    assert board.page.evaluate(durations) == ["0s", "0s"], board.page.evaluate(durations)


def accessibility_on_a_phone(board, _):
    axe = Axe()
    for size in ((390, 844), (844, 390)):
        for place in ("play", "analyse", "watch", "puzzles", "setup", "learn", "games"):
            board.resize(*size)
            open_place(board, place)
            check(axe, board, f"{place} {size}")


def accessibility_of_dialogs(board, _):
    axe, page = Axe(), board.page
    for size, scheme in looks(board, (SCREENS[0], PHONES[0])):
        name = f"{scheme} {size}"
        open_place(board, "analyse")
        page.click("#annotate")
        for button in ("#settings-button", "text=Load a game or position", "text=Copy or save", "#edit-tags"):
            page.click(button)
            page.wait_for_selector("dialog[open]")
            check(axe, board, f"{button} {name}")
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog", state="detached")
        page.keyboard.press("?")
        check(axe, board, f"keys {name}")
        page.keyboard.press("Escape")
        load_file(board, game(1) + game(2, "1. e4 Qh9 *"))
        check(axe, board, f"table of games {name}")
        page.locator("table.games tbody tr").nth(1).click()
        page.click("#annotate")
        board.open_engine_settings()
        check(axe, board, f"comment, glyphs and limit {name}")
        # A new game while one is running.
        open_place(board, "play")
        page.click("#new-game")
        check(axe, board, f"new game {name}")
        page.click("#start")
        page.wait_for_selector("#confirm")
        check(axe, board, f"confirmation {name}")
        page.keyboard.press("Escape")


def the_focus_stays_when_a_panel_changes(board, _):
    """Otherwise the next key of the keyboard begins at the top of the page."""
    page = board.page
    focused = "document.activeElement"
    board.turn_engine_off()
    board.load("1. e4 Hbd5 2. exd5 *")
    page.focus(".moves .mv >> nth=1")
    page.keyboard.press("Enter")
    board.wait_for_ply(2)
    board.wait(f"{focused}.textContent.startsWith('Hbd5') && {focused}.isConnected")
    board.mode("puzzles")
    page.focus("#puzzle-solution")
    page.keyboard.press("Enter")
    board.wait("agoge.mode.state === 'solution' && agoge.tree.last.ply === agoge.mode.puzzle.line.length")
    board.wait(f"document.querySelector('#panel').contains({focused})")
    page.evaluate("agoge.enter('learn', 'captain')")
    board.wait("agoge.modeName === 'learn' && !agoge.isEntering")
    page.fill("#move-input", "Cd6")
    page.press("#move-input", "Enter")
    board.wait("agoge.mode.course.state !== 'open' || agoge.tree.last.ply > 0")
    board.wait(f"agoge.mode.course.state === 'open' && agoge.tree.current.ply === 0 && {focused}.id === 'move-input'")


# ---- a game by what a screen reader says


class Reader:
    """What a screen reader says, and the position as somebody knows it who hears only that."""

    KINDS = {"king": "k", "queen": "q", "rook": "r", "bishop": "b", "knight": "n", "pawn": "p",
             "general": "g", "warlord": "w", "captain": "c", "lieutenant": "l", "hoplite": "h"}
    MOVE = re.compile(r"(?P<kind>[a-z]+) (?P<origin>[a-h]?[1-8]?) ?(?:takes on )?(?P<square>[a-h][1-8])(?:, becomes (?P<new>[a-z]+))?$")

    def __init__(self, board):
        self.board = board
        self.moves = []
        self.read = 0
        board.page.evaluate("""() => {
            window.said = [];
            const live = document.querySelector("#live");
            new MutationObserver(() => live.textContent && said.push(live.textContent)).observe(live, { childList: true, characterData: true, subtree: true });
        }""")

    def next(self):
        """The next text that is said."""
        self.board.wait(f"said.length > {self.read}")
        self.read += 1
        return self.board.page.evaluate(f"said[{self.read - 1}]")

    def focus(self):
        """What is said of the element with the focus: its name, or its text."""
        return self.board.page.evaluate("(({ ariaLabel, labels, textContent }) => ariaLabel ?? labels?.[0]?.textContent ?? textContent)(document.activeElement)")

    @property
    def fen(self):
        return pyffish.get_fen("spartan", START, self.moves)

    def piece(self, square):
        row = self.fen.split()[0].split("/")[8 - int(square[1])]
        return re.sub(r"\d", lambda digit: "." * int(digit.group()), row)["abcdefgh".index(square[0])]

    def hear(self, text):
        """Plays the only legal move that a text such as `Spartans: hoplite f d5. Persians to move.` can mean; returns the rest."""
        side, words, state = re.match(r"(Persians|Spartans): (.+?)\. (.*)$", text).groups()
        assert (side == "Persians") == (self.fen.split()[1] == "w"), (text, self.fen)
        legal = pyffish.legal_moves("spartan", START, self.moves)
        if words.startswith("castles"):
            fits = [move for move in legal if self.piece(move[:2]).lower() == "k" and move in (("e1g1",) if "king" in words else ("e1c1",))]
        else:
            said = self.MOVE.match(words)
            assert said, text
            fits = [move for move in legal if self.piece(move[:2]).lower() == self.KINDS[said["kind"]] and said["origin"] in (move[:2], move[0], move[1], "")
                    and move[2:4] == said["square"] and move[4:] == self.KINDS.get(said["new"], "")]
        assert len(fits) == 1, (text, fits, self.fen)
        self.moves += fits
        return state


def press_until(board, reader, key, text):
    """Presses a key until something with a text has the focus."""
    for _ in range(80):
        if (reader.focus() or "").startswith(text):
            return
        board.page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {text}")


def move_by_ear(board, reader, move):
    """Moves in keyboard mode, where each square says its name and piece."""
    keys = board.page.keyboard
    for square in (move[:2], move[2:4]):
        for place in (0, 1):
            up, down = (("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown"))[place]
            while (now := reader.focus()[:2])[place] != square[place]:
                keys.press(up if now[place] < square[place] else down)
        keys.press("Enter")
    if len(move) == 5:
        name = next(kind for kind, letter in reader.KINDS.items() if letter == move[4])
        press_until(board, reader, "Tab", f"Promote to {name}")
        keys.press("Enter")


def a_game_by_keyboard_and_screen_reader(board, context):
    board.open("#play")
    reader = Reader(board)
    press_until(board, reader, "Tab", "Strength of the engine")
    board.page.keyboard.press("Home")
    press_until(board, reader, "Tab", "Play")
    board.page.keyboard.press("Enter")
    assert reader.next() == "New game. You play the Persians."
    board.page.keyboard.press("b")
    assert reader.next().startswith("Keyboard mode."), "the keys are explained"
    state = ""
    while " win by " not in state and "Draw" not in state:
        move = context.chooser.best_move(f"fen {START} moves {' '.join(reader.moves)}", "nodes 30000")
        assert reader.piece(move[:2]).isupper(), (move, reader.fen)
        move_by_ear(board, reader, move)
        state = reader.hear(reader.next())
        assert reader.moves[-1] == move, (reader.moves, move)
        if " win by " in state or "Draw" in state:
            break
        state = reader.hear(reader.next())
    shown = board.fen().split()[:3]
    assert reader.fen.split()[:3] == shown, (reader.fen, shown)
    assert "Persians win by" in state, state
    expect(board.status()).to_have_text(state.rstrip("."))
    context.note(f"{len(reader.moves)} moves")


TESTS = [
    a_phone_shows_all_at_once, the_board_is_large_on_a_screen, a_page_enlarged_twice_is_usable, all_places_are_reached_on_a_phone, what_a_new_game_needs_is_in_sight,
    a_finger_finds_its_target, nothing_moves_by_itself, messages_cover_nothing, motion_can_be_reduced, accessibility_on_a_phone, accessibility_of_dialogs,
    the_focus_stays_when_a_panel_changes, a_game_by_keyboard_and_screen_reader,
]
# The layout and what is said do not depend on the backend.
native_only(*TESTS)
