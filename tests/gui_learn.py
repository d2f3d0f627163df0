"""Learning in the browser: the piece key, the lessons and one's own mistakes; tests of gui_browser.py."""

import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gui_page import TIMEOUT, check, looks, native_only
from gui_hands import slow_answers
from gui_store import until_kept

START = "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1"

# For each lesson, moves that lead to each of the reasons why a move fails, in their order.
FAILURES = {
    "step": ["b8a8", "d5c4 c4b3"],
    "leap": ["b8a8", "d7c6", "d7b5"],
    "take": ["b8a8", "d6c5"],
    "lieutenant": ["b8a8", "d5c6"],
    "sideways": ["b8a8", "d5c6", "d5c5 c5b5"],
    "captain": ["b8a8", "d5d6"],
    "general": ["b8a8", "d6d5"],
    "warlord": ["f8e8", "d5g2 g2h1"],
    "two-kings": ["b8a8", "c4c5"],
    "king-for-queen": ["h8g7", "c6b6"],
    "free-a-king": ["c8b8"],
    "promotion": ["b8a8", "e2d1c"],
    "second-king": ["a8b8", "e2d1c"],
    "king-gives-check": ["e4d5", "f3f2", "g8h8"],
    "sacrifice": ["c2c3", "c2d1 e8e2"],
    "ladder": ["g8f8", "h4h2 g8f8"],
    "warlords": ["g4h4", "c2a3 g4h4"],
    "dead-draw": ["h1g1", "c5d6"],
    "castling": ["e1f1", "h1g1"],
    "no-en-passant": ["e5e6", "g1h1"],
    "regicide": ["g1h1"],
    "last-king": ["g1h1", "f5e7"],
    "stalemate": ["c1f4", "c1a1", "c1b1"],
    "duple-check": ["b1b8", "b1a1", "d3d1"],
    "fork": ["h1h8", "b4c6 c6b4"],
    "duple-mate": ["a1a8", "b6b7", "e1f1"],
    "take-and-mate": ["d2e2", "h2h5 d2e2"],
}

# Other ways to the goal than the solution that the page shows.
OTHER_WAYS = {
    "step": "d5e4 e4d3", "sideways": "d5e5 e5d6", "warlord": "d5c7 c7f4 f4g2", "free-a-king": "e8d7", "promotion": "e2f1c",
    "second-king": "e2f1k", "warlords": "c2b3", "no-en-passant": "f1f5", "regicide": "e2b5", "last-king": "e1e8",
    "duple-check": "d3d8", "duple-mate": "d1d8",
}


def open_lesson(board, name):
    board.page.evaluate("name => agoge.enter('learn', name)", name)
    board.wait(f"agoge.mode.course.lesson.id === '{name}' && agoge.tree.current.ply === agoge.tree.root.ply && agoge.board.movable && !agoge.isEntering")


def play_in_lesson(board, moves):
    """Plays own moves; waits for the replies between them. After the last given move the engine's own ones solve a lesson."""
    for index, move in enumerate(moves):
        if index:
            board.wait(f"agoge.tree.current.path.length === {2 * index} && agoge.board.movable && agoge.board.position.fen === agoge.shown.fen")
        board.click(move)
        board.wait(f"agoge.tree.current.path.length >= {2 * index + 1} || agoge.mode.course.result.textContent")


def result(board):
    return board.page.locator(".puzzle-result")


def all_lessons_are_solved_and_failed(board, context):
    """By their solutions and other ways, and by each of the reasons that they tell."""
    board.open("#learn")
    lessons = board.page.evaluate("agoge.mode.course.lessons.map(({id, solution, moves, done, fails}) => ({id, solution, moves, done, fails: fails.map(([, text]) => text)}))")
    assert len(lessons) >= 20 and [lesson["id"] for lesson in lessons] == list(FAILURES), [lesson["id"] for lesson in lessons]
    for lesson in lessons:
        name = lesson["id"]
        attempts = FAILURES[name]
        assert len(attempts) == len(lesson["fails"]), name
        for moves, reason in zip(attempts, lesson["fails"]):
            open_lesson(board, name)
            play_in_lesson(board, moves.split())
            expect(result(board), f"{name}: {moves}").to_have_text(reason)
            assert name not in board.page.evaluate("agoge.profiles.lessons.value.solved"), name
        for way in (OTHER_WAYS.get(name, "").split(), lesson["solution"]):
            if way:
                solve(board, context, lesson, way)
        assert name in board.page.evaluate("agoge.profiles.lessons.value.solved"), name
    solved = len(lessons)
    expect(board.page.locator("#lessons-solved")).to_have_text(f"{solved} of {solved} lessons solved")
    context.note(f"{solved} lessons, {sum(map(len, FAILURES.values()))} failures")


def solve(board, context, lesson, way):
    open_lesson(board, lesson["id"])
    play_in_lesson(board, way)
    for index in range(len(way), lesson.get("moves") or 1):
        # The mating moves depend on the reply.
        board.wait(f"agoge.tree.current.path.length === {2 * index} && agoge.board.movable && agoge.board.position.fen === agoge.shown.fen")
        board.click(context.chooser.best_move(f"fen {board.fen()}", "nodes 20000"))
    expect(result(board), f"{lesson['id']}: {way}").to_have_text(f"Solved! {lesson['done']}", timeout=TIMEOUT)


def a_failed_lesson_begins_again(board, _):
    board.open("#learn/take")
    play_in_lesson(board, ["d6d5", "d5c4"])
    expect(result(board)).to_contain_text("A diagonal step takes nothing")
    board.wait("agoge.tree.current.path.length === 0 && agoge.board.movable")
    expect(result(board)).to_contain_text("A diagonal step takes nothing")
    # Illegal moves are explained as everywhere.
    board.drag("d6d4")
    board.wait_for_message("A hoplite moves one square diagonally ahead")
    # The solution can be shown, and does not count.
    board.page.click("#lesson-show")
    expect(result(board)).to_contain_text("Remember: it moves diagonally", timeout=TIMEOUT)
    assert board.page.evaluate("agoge.profiles.lessons.value.solved.length") == 0
    board.page.click("#lesson-again")
    board.wait("agoge.board.movable && agoge.tree.current.path.length === 0")
    play_in_lesson(board, ["d6d5", "d5d4"])
    expect(result(board)).to_contain_text("Solved!")
    board.page.click("#lesson-next")
    board.wait("location.hash === '#learn/lieutenant' && agoge.board.movable")
    board.page.go_back()
    board.wait("location.hash === '#learn/take' && agoge.board.movable")


def the_opponent_of_a_lesson_is_not_moved(board, _):
    board.open("#learn/step")
    play_in_lesson(board, ["d5e4"])
    board.wait("agoge.tree.current.path.length === 2 && agoge.board.movable")
    board.page.keyboard.press("ArrowLeft")
    board.wait("agoge.tree.current.path.length === 1 && agoge.board.position.last === agoge.tree.current.move")
    assert not board.page.evaluate("agoge.board.movable")
    board.page.keyboard.press("ArrowRight")
    board.wait("agoge.tree.current.path.length === 2 && agoge.board.movable")
    board.click("e4d3")
    expect(result(board)).to_contain_text("Solved!")


def a_shown_lesson_goes_on_from_its_last_move(board, _):
    """Also if the user steps back meanwhile."""
    open_lesson(board, "take-and-mate")
    board.page.click("#lesson-show")
    board.wait("agoge.mode.course.state === 'shown' && agoge.tree.current.ply === 1")
    board.wait("agoge.tree.last.ply === 2")
    board.page.keyboard.press("ArrowLeft")
    board.wait("agoge.tree.last.ply === 3")
    expect(result(board)).not_to_be_empty()


def lessons_by_keys(board, _):
    board.open("#learn/leap")
    page = board.page
    page.fill("#move-input", "Hf5")
    page.press("#move-input", "Enter")
    expect(result(board)).to_contain_text("Solved!")
    page.focus("#lesson-next")
    page.keyboard.press("Enter")
    board.wait("location.hash === '#learn/take'")
    page.locator(".course-list button").nth(2).focus()
    page.keyboard.press("Enter")
    board.wait("location.hash === '#learn/take' && !agoge.isEntering")
    expect(page.locator(".course-list button").nth(1)).to_have_attribute("aria-label", "Lesson 2: The hoplite's leap, solved")
    page.focus("#to-rules")
    page.keyboard.press("Enter")
    board.wait("location.hash === '#learn/rules'")
    expect(page.locator(".lesson")).to_have_count(12)
    page.click("#to-lessons")
    board.wait("location.hash === '#learn/take'")


def progress_of_two_tabs_is_joined(board, _):
    board.open("#learn/leap")
    with board.page.context.expect_page() as opened:
        board.page.evaluate("void window.open(location.href)")
    other = type(board)(opened.value, board.address)
    other.wait_until_ready()
    other.page.evaluate("agoge.enter('learn', 'castling')")
    other.wait("agoge.mode.course.lesson.id === 'castling' && agoge.board.movable")
    board.click("d7f5")
    other.click("e1g1")
    for tab in (board, other):
        expect(result(tab)).to_contain_text("Solved!")
        tab.wait("['leap', 'castling'].every((id) => agoge.profiles.lessons.value.solved.includes(id))")
    board.page.reload()
    board.wait_until_ready()
    assert sorted(board.page.evaluate("agoge.profiles.lessons.value.solved")) == ["castling", "leap"]
    # The next one is the first that is not solved.
    board.open("#learn/promotion")
    assert board.page.evaluate("agoge.mode.course.next().id") == "step"
    # Who comes back goes on after the lesson that was solved.
    board.open("#learn/leap")
    board.open("#play")
    board.page.evaluate("agoge.enter('learn')")
    board.wait("agoge.modeName === 'learn' && agoge.mode.course.lesson.id === 'take'")


def rest_on(board, square):
    board.page.mouse.move(*board.centre("e5"))
    board.page.mouse.move(*board.centre(square), steps=2)


def marks(board):
    """The squares of the marks by their kinds."""
    return board.page.evaluate("""() => {
        const box = agoge.board.element.getBoundingClientRect();
        const found = {};
        for (const element of document.querySelectorAll(".reach .reach-mark:not(.from)")) {
            const place = element.getBoundingClientRect();
            const at = [place.left + place.width / 2 - box.left, place.top + place.height / 2 - box.top].map((n) => Math.floor(n / box.width * 8));
            const kind = element.className.replace("reach-mark to-", "");
            found[kind] = [...(found[kind] ?? []), agoge.board.squareAt(...at)].sort();
        }
        return found;
    }""")


def a_resting_mouse_explains_pieces(board, _):
    board.open("#learn/captain")
    page, card = board.page, board.page.locator(".reach-card")
    rest_on(board, "d5")
    expect(card).to_contain_text("captain")
    expect(card).to_contain_text("One or two squares along a rank or file, also leaping.")
    assert marks(board) == {"moves": ["c5", "d6", "e5"], "moves leap": ["b5", "d7", "f5"], "captures leap": ["d3"]}, marks(board)
    # Pieces of the other side, too.
    rest_on(board, "d3")
    expect(card).to_contain_text("Persian pawn")
    assert marks(board) == {"captures": ["c4", "e4"]}, marks(board)
    rest_on(board, "e3")
    expect(card).to_contain_text("Spartan hoplite")
    assert marks(board) == {"quiet": ["d2", "f2"], "captures": ["e2"]}, marks(board)
    page.mouse.move(*board.centre("h8"))
    expect(card).to_be_hidden()
    assert marks(board) == {}
    # Neither a piece that is held, nor one after another was chosen, nor a drawing is disturbed.
    page.mouse.move(*board.centre("d5"))
    page.mouse.down()
    page.mouse.move(*board.centre("d7"), steps=3)
    page.wait_for_timeout(900)
    expect(card).to_be_hidden()
    page.mouse.move(*board.centre("d5"), steps=3)
    page.mouse.up()
    page.mouse.move(*board.centre("e3"))
    page.wait_for_timeout(900)
    expect(card).to_be_hidden()
    page.keyboard.press("Escape")
    page.mouse.move(*board.centre("d3"))
    page.mouse.down(button="right")
    page.wait_for_timeout(900)
    expect(card).to_be_hidden()
    page.mouse.up(button="right")
    # It can be turned off.
    page.click("#settings-button")
    page.uncheck("text=Explain a piece")
    page.keyboard.press("Escape")
    rest_on(board, "d5")
    page.wait_for_timeout(900)
    expect(card).to_be_hidden()


def a_finger_that_stays_explains_pieces(board, _):
    board.open("#learn/leap")
    page, card = board.page, board.page.locator(".reach-card")
    session = page.context.new_cdp_session(page)

    def touch(kind, square=None):
        points = [] if square is None else [dict(zip("xy", board.centre(square)))]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", "d7")
    expect(card).to_contain_text("Spartan hoplite")
    touch("touchEnd")
    expect(card).to_be_visible()
    assert marks(board) == {"quiet": ["c6"], "quiet leap": ["b5", "f5"], "captures": ["d6"]}, marks(board)
    # The next tap ends it, and the piece is still chosen: this is a move.
    touch("touchStart", "f5")
    time.sleep(0.1)
    touch("touchEnd")
    expect(card).to_be_hidden()
    expect(result(board)).to_contain_text("Solved!")
    # A piece that is dragged at once is not explained.
    open_lesson(board, "take")
    touch("touchStart", "d6")
    touch("touchMove", "d5")
    time.sleep(0.8)
    expect(card).to_be_hidden()
    touch("touchEnd")
    board.wait("agoge.tree.current.path.length >= 1")
    session.detach()


def pieces_are_explained_by_key(board, _):
    board.open("#learn/lieutenant")
    page, live = board.page, board.page.locator("#live")
    page.keyboard.press("b")
    page.evaluate("agoge.board.setFocus('d5')")
    page.keyboard.press("i")
    expect(live).to_have_text(
        "Spartan lieutenant on d5. One or two squares diagonally, also leaping; one square sideways without capturing."
        " From here it can go to c4, c6, e6, b7, f7, b3, c5, e5. It captures on f3. It leaps to b3, f3, b7, f7."
        .replace("c4, c6, e6, b7, f7, b3, c5, e5", page.evaluate(GOES)).replace("b3, f3, b7, f7", page.evaluate(LEAPS)))
    expect(page.locator(".reach-card")).to_be_visible()
    page.evaluate("agoge.board.setFocus('a8')")
    page.keyboard.press("i")
    expect(live).to_have_text("There is no piece on a8.")
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_contain_text("what the piece on the square can do")
    page.keyboard.press("Escape")


REACH = "agoge.ask({ask: 'reach', line: {fen: agoge.shown.fen}, from: 'd5'}).then((reach) => "
GOES = f"{REACH}[...reach.moves, ...reach.quiet].join(', '))"
LEAPS = f"{REACH}reach.leaps.join(', '))"


def the_piece_key_is_closed_and_opened(board, _):
    board.open("#play")
    page, key = board.page, board.page.locator("#piece-key")
    expect(key).to_be_visible()
    expect(key.locator("li")).to_have_count(12)
    names = key.locator("li strong").all_inner_texts()
    names += key.locator("li strong").all_text_contents()
    for name in ("Hoplite", "Lieutenant", "Captain", "General", "Warlord", "King", "Pawn", "Knight", "Bishop", "Rook", "Queen"):
        assert name in names, (name, names)
    expect(key.locator("li:visible")).to_have_count(6)
    expect(key.locator("li[data-letter=c] .key-moves.leap")).to_have_count(4)
    expect(key.locator("li[data-letter=h] .key-captures")).to_have_count(1)
    expect(key.locator("li[data-letter=l] .key-quiet")).to_have_count(2)
    # A hoplite goes down the board, and up in the diagram of a board that is turned.
    heights = [key.locator(f"li[data-letter=h] .key-diagram > {part}") for part in ("svg", ".key-captures")]
    assert heights[0].bounding_box()["y"] < heights[1].bounding_box()["y"]
    page.click("[aria-label='Turn the board']")
    assert heights[0].bounding_box()["y"] > heights[1].bounding_box()["y"]
    key.locator("[data-army=white]").click()
    expect(key.locator("li:visible")).to_have_count(6)
    expect(key.locator("li[data-letter=N]")).to_contain_text("Leaps two squares along a rank or file")
    # It stays during a game, and its closing outlasts the page.
    board.new_game("white")
    expect(key).to_be_visible()
    key.locator("[aria-label='Close the piece key']").click()
    expect(key).to_be_hidden()
    until_kept(board)
    board.open("#learn")
    expect(key).to_be_hidden()
    page.focus("#open-key")
    page.keyboard.press("Enter")
    expect(key).to_be_visible()
    # Not where the other army is orthodox.
    board.mode("analyse")
    expect(key).to_be_hidden()


STALEMATE = '[Variant "Spartan"]\n[SetUp "1"]\n[FEN "k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"]\n[White "You"]\n[Black "Agoge"]\n\n1. Qc7 1/2-1/2'


def mistakes_are_corrected_by_judgement(board, _):
    board.load(STALEMATE)
    page = board.page
    page.click("#review")
    page.wait_for_selector("#learn-mistakes", timeout=TIMEOUT)
    page.click("#learn-mistakes")
    board.wait("document.body.dataset.mode === 'mistakes' && agoge.mode.state === 'open' && agoge.board.movable")
    assert page.evaluate("agoge.mode.side") == "white"
    expect(page.locator(".task-text")).to_have_text("1. Qc7?? was played. Find a better move.")
    expect(page.locator(".arrow-bad")).not_to_have_count(0)

    def attempt(move, text):
        board.click(move)
        expect(result(board)).to_contain_text(text, timeout=TIMEOUT)

    attempt("c1c7", "This is the move of the game.")
    board.wait("agoge.board.movable && agoge.tree.current.ply === agoge.tree.root.ply")
    attempt("c1f4", "Qf4 gives away 50 % of the expected score.")
    board.wait("agoge.board.movable && agoge.tree.current.ply === agoge.tree.root.ply")
    # Not the best move, but it wins as well.
    attempt("c1h1", "Qh1+ is good.")
    page.click("#mistakes-next")
    expect(page.locator("#mistakes-score")).to_have_text("You found 0 of 1 better moves at the first try.")
    page.click("#mistakes-again")
    board.wait("agoge.mode.state === 'open' && agoge.board.movable")
    attempt("c1c8", "Qc8# is the best move.")
    page.click("#mistakes-next")
    expect(page.locator("#mistakes-score")).to_have_text("You found 1 of 1 better moves at the first try.")
    # The solution, and what does not count.
    page.click("#mistakes-again")
    board.wait("agoge.mode.state === 'open' && agoge.board.movable")
    page.click("#mistakes-solution")
    expect(result(board)).to_have_text("The best move was Qc8#.")
    page.click("#mistakes-next")
    expect(page.locator("#mistakes-score")).to_contain_text("You found 0 of 1")
    # The other side made none.
    page.select_option("#panel select", "black")
    expect(page.locator("#mistakes-score")).to_contain_text("The engine finds no mistake of this side in the game.")
    # A reload stays there; the analysis has the review and nothing else.
    page.reload()
    board.wait_until_ready()
    board.wait("agoge.mode.state === 'open' && agoge.board.movable")
    page.click("#mistakes-analyse")
    board.wait("document.body.dataset.mode === 'analyse'")
    assert page.evaluate("agoge.tree.mainLine.map(({san}) => san)") == ["Qc7"]


def mistakes_after_a_game(board, _):
    board.open("#play")
    board.new_game("white")
    board.click("g2g4")
    board.wait_for_ply(2)
    board.resign()
    board.page.click("#game-mistakes")
    board.wait("document.body.dataset.mode === 'mistakes'")
    board.wait("['open', 'end'].includes(agoge.mode.state)")
    assert board.page.evaluate("agoge.mode.side") == "white"
    assert board.page.evaluate("agoge.mode.study.tree.mainLine.length") == 2
    board.page.go_back()
    board.wait("document.body.dataset.mode === 'play' && agoge.mode.isShown")


def mistakes_after_a_game_in_another_language(board, context):
    """The side is known whatever the user is called in the tags."""
    with context.other_page(locale="de-DE") as other:
        other.open("#play")
        other.new_game("black")
        other.wait("agoge.tree.last.ply === 1 && agoge.board.movable")
        other.page.click("#resign")
        other.page.click("#resign")
        other.page.click("#game-mistakes")
        other.wait("document.body.dataset.mode === 'mistakes' && ['open', 'end'].includes(agoge.mode.state)")
        assert other.page.evaluate("[agoge.tree.variant, agoge.mode.side]") == ["spartan", "black"]


def learning_on_small_screens(board, _):
    """Nothing is wider than the page, and the text of a lesson is beside or below the board."""
    for width, height in ((1366, 768), (1920, 1080), (390, 844), (844, 390)):
        board.resize(width, height)
        board.open("#learn/captain")
        rest_on(board, "d5")
        card = board.page.locator(".reach-card")
        expect(card).to_be_visible()
        box, place = card.bounding_box(), board.square("d5").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] >= 0 and box["y"] + box["height"] <= height, (width, box)
        covers = box["x"] < place["x"] + place["width"] and place["x"] < box["x"] + box["width"] and box["y"] < place["y"] + place["height"] and place["y"] < box["y"] + box["height"]
        assert not covers, (width, box, place)
        wide, whole = board.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= whole, (width, wide)
        board.page.mouse.move(0, 0)
        play_in_lesson(board, ["d5d3", "d3f3"])
        expect(result(board)).to_contain_text("Solved!")


def learning_is_accessible(board, _):
    axe = Axe()
    for (width, _), scheme in looks(board, ((1366, 768), (390, 844))):
        board.open("#learn/captain")
        rest_on(board, "d5")
        expect(board.page.locator(".reach-card")).to_be_visible()
        check(axe, board, f"lesson {scheme} {width}")
        play_in_lesson(board, ["d5d3", "d3f3"])
        expect(result(board)).to_contain_text("Solved!")
        check(axe, board, f"solved lesson {scheme} {width}")
        board.open("#learn/rules")
        check(axe, board, f"rules {scheme} {width}")
        board.load(STALEMATE)
        board.page.evaluate("agoge.mode.learnFromMistakes()")
        board.wait("agoge.mode.state === 'open'")
        check(axe, board, f"mistake {scheme} {width}")
        board.page.click("#mistakes-next")
        check(axe, board, f"score {scheme} {width}")


# These do not depend on the backend.
native_only(
    all_lessons_are_solved_and_failed, a_shown_lesson_goes_on_from_its_last_move, lessons_by_keys, the_opponent_of_a_lesson_is_not_moved, pieces_are_explained_by_key,
    a_resting_mouse_explains_pieces, the_piece_key_is_closed_and_opened, learning_on_small_screens, learning_is_accessible,
)

def places_that_are_left_early_change_nothing(board, _):
    """The rules answer only when another place is shown."""
    page = board.page
    page.evaluate("agoge.enter('games')")
    board.wait("agoge.modeName === 'games' && !agoge.isEntering")
    slow_answers(board)
    page.evaluate("void agoge.enter('learn', 'rules')")
    board.wait("agoge.modeName === 'learn'")
    page.evaluate("void agoge.enter('analyse')")
    board.wait("agoge.modeName === 'analyse'")
    page.evaluate("window.goOn()")
    board.wait("!agoge.isEntering && agoge.board.movable")
    page.wait_for_timeout(500)
    assert page.evaluate("agoge.tree === agoge.mode.study.tree")
    expect(page.locator(".lessons")).to_have_count(0)
    # Another lesson is begun while a solution is shown.
    page.evaluate("agoge.enter('learn', 'step')")
    board.wait("agoge.mode.course?.lesson?.id === 'step' && agoge.board.movable")
    page.click("#lesson-show")
    board.wait("agoge.tree.last.ply === 1")
    page.click("#lesson-next")
    board.wait("agoge.mode.course.lesson.id !== 'step' && agoge.board.movable")
    page.wait_for_timeout(1500)
    assert page.evaluate("agoge.mode.course.state") == "open"


TESTS = [
    places_that_are_left_early_change_nothing,
    all_lessons_are_solved_and_failed, a_failed_lesson_begins_again, a_shown_lesson_goes_on_from_its_last_move, the_opponent_of_a_lesson_is_not_moved, lessons_by_keys, progress_of_two_tabs_is_joined, a_resting_mouse_explains_pieces,
    a_finger_that_stays_explains_pieces, pieces_are_explained_by_key, the_piece_key_is_closed_and_opened, mistakes_are_corrected_by_judgement,
    mistakes_after_a_game, mistakes_after_a_game_in_another_language, learning_on_small_screens, learning_is_accessible,
]
