"""Puzzles in the browser; tests of gui_browser.py."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gui_page import check, looks, native_only
from gui_hands import slow_answers
from gui_store import second_tab, until_kept

OPEN = "agoge.mode.state === 'open' && !agoge.isEntering && agoge.board.movable && agoge.board.position.fen === agoge.tree.current.fen"
SIZES = ((1366, 768), (1920, 1080), (390, 844), (844, 390))


def result(board):
    return board.page.locator(".puzzle-result")


def facts(board):
    return board.page.locator("#puzzle-facts")


def begin(board, condition="true"):
    """Opens a puzzle of the file for which an expression of `puzzle` is true."""
    board.open("#puzzles")
    board.wait(OPEN)
    ident = board.page.evaluate(f"agoge.mode.all.find((puzzle) => {condition}).id")
    board.page.evaluate(f"agoge.enter('puzzles', '{ident}')")
    board.wait(f"agoge.mode.puzzle.id === '{ident}' && {OPEN}")
    return ident


def solve(board):
    """Plays the solution of the puzzle from the present position."""
    line, ply = board.page.evaluate("[agoge.mode.puzzle.line, agoge.tree.current.ply]")
    for index in range(ply, len(line), 2):
        board.click(line[index])
        board.wait_for_ply(min(index + 2, len(line)))
    board.wait("agoge.mode.state === 'solved'")


def fail(board):
    """Plays a wrong move that does not promote or mate, and waits until it is taken back. Returns its notation."""
    move, san = board.page.evaluate("""(() => {
        const wrong = ({ move, san }) => move.length === 4 && !san.endsWith("#") && !agoge.mode.puzzle.line.includes(move);
        const { move, san } = agoge.shown.legal.find(wrong);
        return [move, san];
    })()""")
    ply = board.page.evaluate("agoge.tree.current.ply")
    # The same move may have been wrong before.
    board.page.evaluate("agoge.mode.say('', '')")
    board.click(move)
    # With the engine's reply, which is on the board until both are taken back.
    expect(result(board)).to_contain_text(re.compile(f"{re.escape(san)} (is wrong|does not mate): "))
    board.wait(f"agoge.tree.current.ply === {ply} && {OPEN}")
    assert not board.page.evaluate("agoge.tree.current.children.length")
    return san


def rating(board):
    """The user's rating as shown."""
    return int(board.page.locator("#puzzle-rating").inner_text().split(":")[1].split("±")[0])


def record(board):
    return board.page.evaluate("structuredClone(agoge.profiles.puzzles.value)")


def a_solved_puzzle_raises_the_rating(board, _):
    ident = begin(board, "puzzle.line.length === 3")
    assert rating(board) == 1200
    expect(facts(board)).to_have_count(0)
    solve(board)
    expect(result(board)).to_contain_text("Solved! Your rating:")
    assert rating(board) > 1200
    shown = board.page.evaluate("agoge.mode.puzzle.rating")
    expect(facts(board)).to_contain_text(f"Rating of the puzzle: {shown}")
    kept = record(board)
    assert kept["solved"] == [ident] and [attempt["score"] for attempt in kept["attempts"]] == [1], kept
    # The same puzzle once more counts no more.
    before = rating(board)
    board.page.click("text=Try again")
    board.wait(OPEN)
    solve(board)
    expect(result(board)).to_have_text("Solved!")
    assert rating(board) == before
    # The next one is a new one near the rating.
    board.page.click("#puzzle-next")
    board.wait(OPEN)
    distances = board.page.evaluate(f"agoge.mode.all.map((puzzle) => Math.abs(puzzle.rating - {before})).sort((a, b) => a - b)")
    chosen = board.page.evaluate("[agoge.mode.puzzle.id, agoge.mode.puzzle.rating]")
    assert chosen[0] != ident and abs(chosen[1] - before) <= distances[15] + 1, (chosen, before, distances[:16])


def a_wrong_move_is_refuted_and_lowers_the_rating(board, _):
    ident = begin(board, "puzzle.line.length > 1 && !puzzle.themes.includes('defence')")
    fail(board)
    assert rating(board) < 1200
    expect(result(board)).to_contain_text("is wrong: ")
    once = rating(board)
    fail(board)
    assert rating(board) == once, "a second wrong move counts no more"
    assert record(board)["failed"] == [ident]
    solve(board)
    expect(result(board)).to_have_text("Solved, though not at the first try.")
    kept = record(board)
    assert (kept["solved"], kept["failed"], [attempt["score"] for attempt in kept["attempts"]]) == ([], [ident], [0]), kept
    # Later moves can be wrong, too.
    begin(board, f"puzzle.line.length > 2 && puzzle.id !== '{ident}' && puzzle.themes.every((theme) => !theme.startsWith('mate'))")
    board.click(board.page.evaluate("agoge.mode.puzzle.line[0]"))
    board.wait_for_ply(2)
    expect(result(board)).to_contain_text("Right. Go on")
    fail(board)
    solve(board)
    # A move that wins later is refuted by the move that delays the mate.
    begin(board, "puzzle.id === 'mate.10.40'")
    fail(board)
    expect(result(board)).to_contain_text("does not mate: the answer is")


def impatient_moves_count_once(board, _):
    """While the rules do not answer, the user tries another move, or another puzzle."""
    begin(board, "puzzle.line.length === 1")
    right, wrong = board.page.evaluate("""(() => {
        const { line } = agoge.mode.puzzle;
        return [line[0], agoge.board.legal.find(({ move, san }) => move !== line[0] && !san.endsWith("#")).move];
    })()""")
    slow_answers(board)
    for move in (right, wrong):
        board.page.evaluate("(move) => void agoge.board.onMove(move)", move)
    board.page.evaluate("window.goOn()")
    board.wait("agoge.mode.state === 'solved'")
    board.page.wait_for_timeout(500)
    assert board.page.evaluate("agoge.mode.state") == "solved"
    assert [attempt["score"] for attempt in record(board)["attempts"]] == [1]
    begin(board, "puzzle.line.length > 1")
    slow_answers(board)
    board.page.evaluate("void agoge.board.onMove(agoge.mode.puzzle.line[0])")
    before = board.page.evaluate("agoge.mode.puzzle.id")
    board.page.click("#puzzle-next")
    board.page.evaluate("window.goOn()")
    board.wait(f"agoge.mode.puzzle.id !== '{before}' && {OPEN}")
    board.page.wait_for_timeout(500)
    assert board.page.evaluate(f"{OPEN} && !agoge.tree.root.children.length")


def earlier_positions_can_only_be_looked_at(board, _):
    """The move of the opponent is not the user's, and costs no rating."""
    begin(board, "puzzle.line.length > 2")
    board.click(board.page.evaluate("agoge.mode.puzzle.line[0]"))
    board.wait_for_ply(2)
    board.wait(OPEN)
    for ply in (1, 0):
        board.page.keyboard.press("ArrowLeft")
        board.wait_for_ply(ply)
        assert not board.page.evaluate("agoge.board.movable")
        board.type(board.page.evaluate("agoge.shown.legal[0].san"))
        expect(board.page.locator("#move-error")).to_have_text("It is not your turn.")
        board.page.fill("#move-input", "")
    assert board.page.evaluate("agoge.tree.nodes.length") == 3 and record(board)["attempts"] == [] and rating(board) == 1200
    board.page.keyboard.press("End")
    board.wait_for_ply(2)
    solve(board)
    expect(result(board)).to_contain_text("Solved! Your rating:")
    # A hint is about the last position.
    begin(board, "puzzle.line.length > 4")
    board.click(board.page.evaluate("agoge.mode.puzzle.line[0]"))
    board.wait_for_ply(2)
    board.wait(OPEN)
    board.page.keyboard.press("ArrowLeft")
    board.wait_for_ply(1)
    board.page.click("#puzzle-hint")
    expect(result(board)).to_contain_text(f"on {board.page.evaluate('agoge.mode.puzzle.line[2].slice(0, 2)')}.")
    board.wait_for_ply(2)


def hints_and_the_solution_count_as_failed(board, _):
    begin(board, "puzzle.line.length > 2")
    board.page.click("#puzzle-hint")
    square = board.page.evaluate("agoge.mode.puzzle.line[0].slice(0, 2)")
    expect(result(board)).to_contain_text(f"on {square}.")
    lost = rating(board)
    assert lost < 1200
    board.page.click("#puzzle-hint")
    expect(result(board)).to_contain_text("The move is")
    expect(board.page.locator(".arrows .hint, .arrows [class*=hint]")).not_to_have_count(0)
    board.page.click("#puzzle-solution")
    expect(result(board)).to_contain_text("The solution begins with")
    expect(facts(board)).to_be_visible()
    board.wait("agoge.tree.current.ply === agoge.mode.puzzle.line.length")
    assert rating(board) == lost
    board.page.click("text=Try again")
    board.wait(OPEN)
    solve(board)
    expect(result(board)).to_contain_text("not at the first try")
    # Stepping back meanwhile does not.
    begin(board, "puzzle.line.length > 2")
    board.page.click("#puzzle-solution")
    board.wait("agoge.tree.last.ply === 1")
    board.page.keyboard.press("ArrowLeft")
    board.wait("agoge.tree.last.ply === agoge.mode.puzzle.line.length")
    # Leaving while the solution is played ends it.
    begin(board, "puzzle.line.length > 4")
    board.page.click("#puzzle-solution")
    board.mode("learn")
    before = board.page.evaluate("agoge.tree.fen")
    board.page.wait_for_timeout(1600)
    assert board.page.evaluate("agoge.tree.fen") == before


def puzzles_are_chosen_by_theme(board, _):
    board.open("#puzzles")
    board.wait(OPEN)
    assert board.page.evaluate("agoge.mode.all.length") >= 1500
    themes = board.page.locator("#panel select option").evaluate_all("options => options.map(({ value }) => value)")
    for theme in ("duple-check", "king-fork", "promotion", "regicide", "mate-in-1", "mate-in-2", "endgame"):
        assert theme in themes, (theme, themes)
        board.page.select_option("#panel select", theme)
        board.wait(f"agoge.mode.puzzle?.themes.includes('{theme}') && {OPEN}")
        assert board.page.locator("#panel select").input_value() == theme
    # The choice is kept; an address of another theme shows all.
    until_kept(board)
    other = board.page.evaluate("agoge.mode.all.find(({ themes }) => !themes.includes('endgame')).id")
    board.open("#puzzles")
    board.wait(OPEN)
    assert board.page.locator("#panel select").input_value() == "endgame"
    board.open(f"#puzzles/{other}")
    board.wait(OPEN)
    assert board.page.locator("#panel select").input_value() == "all"


def the_puzzle_is_analysed(board, _):
    begin(board, "puzzle.line.length === 3")
    solve(board)
    fen, line = board.page.evaluate("[agoge.mode.puzzle.fen, agoge.mode.puzzle.line]")
    board.page.click("#puzzle-analyse")
    board.wait("agoge.modeName === 'analyse' && !agoge.isEntering")
    assert board.page.evaluate("[agoge.tree.fen, agoge.tree.current.ply, agoge.tree.mainLine.map(({ move }) => move)]") == [fen, 0, line]


def addresses_of_puzzles_stay_valid(board, _):
    board.open("#puzzles")
    board.wait(OPEN)
    # A mate of the test suite with two solutions, which has no rating.
    known = f"((await (await fetch('{board.file('positions/mates.epd')}')).text()).split('\\n').find((line) => / dm 2 ; bm \\S+ \\S+ ;/.test(line)))"
    line = board.page.evaluate(f"(async () => {known})()")
    ident = line.split("; id ")[1].strip()
    board.open(f"#puzzles/{ident}")
    board.wait(f"agoge.mode.puzzle?.id === '{ident}' && {OPEN}")
    assert not board.page.evaluate("agoge.mode.all.some(({ id }) => id === agoge.mode.puzzle.id)")
    san = line.split("; bm ")[1].split(" ;")[0].split()
    for name in san:
        board.type(name)
        board.wait("agoge.tree.current.ply === 2 && agoge.board.movable")
        expect(result(board)).to_contain_text("Right. Go on")
        board.page.click("#puzzle-solution")
        board.wait("agoge.tree.current.ply === 3")
        board.page.click("text=Try again")
        board.wait(OPEN)
    solve(board)
    assert record(board)["attempts"] == []
    # One that is a puzzle of the file, too.
    board.open("#puzzles/mate.0.8")
    board.wait(OPEN)
    assert board.page.evaluate("[agoge.mode.puzzle.id, agoge.mode.puzzle.line]") == ["mate.0.8", ["g4e6"]]
    board.click("g4e6")
    expect(result(board)).to_contain_text("Solved!")
    assert record(board)["solved"] == ["mate.0.8"]
    board.open("#puzzles/tactic.2.63")
    board.wait(OPEN)
    board.click("b3b4")
    expect(result(board)).to_have_text("Solved!")
    ident = begin(board)
    board.open(f"#puzzles/{ident}")
    board.wait(f"agoge.mode.puzzle.id === '{ident}' && {OPEN}")
    board.open("#puzzles/puzzle.x")
    expect(board.page.locator(".toast.error")).to_have_text("There is no such puzzle.")


def two_tabs_have_one_rating(board, _):
    first = begin(board, "puzzle.line.length === 3")
    with second_tab(board) as other:
        second = begin(other, f"puzzle.line.length > 1 && puzzle.id !== '{first}'")
        # Neither knows of the other's attempt when it begins its own.
        board.page.evaluate("void agoge.mode.rate(1)")
        other.page.evaluate("void agoge.mode.rate(0)")
        for tab in (board, other):
            until_kept(tab)
            tab.wait("agoge.profiles.puzzles.value.attempts.length === 2")
        assert record(board)["attempts"] == record(other)["attempts"]
        assert {attempt["id"] for attempt in record(board)["attempts"]} == {first, second}
    ratings = []
    for _ in range(2):
        board.open("#puzzles")
        board.wait(OPEN)
        ratings.append(rating(board))
    assert ratings[0] == ratings[1] != 1200, ratings


def many_attempts_stay_small(board, _):
    """The oldest attempts are left out, but not what they have led to."""
    ident = begin(board)
    board.page.evaluate("""void (async () => {
        const { puzzles } = agoge.profiles;
        puzzles.value.attempts = Array.from({ length: 400 }, (_, at) => ({ id: `old.${at}`, at, rating: 1500, score: at % 2 }));
        await puzzles.touch();
    })()""")
    until_kept(board)
    board.open(f"#puzzles/{ident}")
    board.wait(OPEN)
    before = rating(board)
    solve(board)
    kept = record(board)
    assert len(kept["attempts"]) == 400 and kept["start"]["ids"] == ["old.0"], (len(kept["attempts"]), kept["start"])
    assert abs(rating(board) - before) < 40, (before, rating(board))


def puzzles_are_loaded_when_they_are_needed(board, context):
    context.expects_failures = True
    requests = []
    board.page.on("request", lambda request: requests.append(request.url))
    board.open("#play")
    assert not [url for url in requests if "positions/" in url], requests
    board.mode("puzzles")
    board.wait(OPEN)
    assert [url.rsplit("/", 1)[1] for url in requests if "positions/" in url] == [board.file("positions/puzzles.epd").rsplit("/", 1)[1]]
    # Without them the page stays where it is, and tries again.
    files = "**/positions/*"
    board.open("#play")
    board.page.route(files, lambda route: route.abort())
    board.page.click(".tab[data-mode=puzzles]")
    board.expect_failure("The file positions/puzzles.epd could not be loaded.")
    board.page.unroute(files)
    board.page.route(files, lambda route: route.fulfill(body="damaged"))
    board.page.click("#try-again")
    board.expect_failure("The file positions/puzzles.epd is damaged.")
    assert board.page.evaluate("document.body.dataset.mode") == "play"
    board.page.unroute(files)
    board.try_again()
    board.wait(OPEN)
    assert board.page.evaluate("location.hash").startswith("#puzzles/")
    # An address of a puzzle leads to a game until then. Whoever goes elsewhere has no use for them.
    board.page.route(files, lambda route: route.abort())
    board.open("#puzzles")
    board.expect_failure("The file positions/puzzles.epd could not be loaded.")
    assert board.page.evaluate("document.body.dataset.mode") == "play"
    board.mode("learn")
    expect(board.page.locator("#connection")).to_be_hidden()


def puzzles_are_accessible(board, _):
    axe = Axe()
    begin(board, "puzzle.line.length === 3")
    solve(board)
    for size, scheme in looks(board, SIZES):
        begin(board, "puzzle.line.length > 3")
        check(axe, board, f"open {scheme} {size}")
        fail(board)
        check(axe, board, f"failed {scheme} {size}")
        board.page.click("#puzzle-hint")
        solve(board)
        check(axe, board, f"solved {scheme} {size}")


# These do not depend on the backend.
native_only(
    hints_and_the_solution_count_as_failed, puzzles_are_chosen_by_theme, addresses_of_puzzles_stay_valid, puzzles_are_accessible,
)

TESTS = [
    a_solved_puzzle_raises_the_rating, a_wrong_move_is_refuted_and_lowers_the_rating, impatient_moves_count_once, earlier_positions_can_only_be_looked_at,
    hints_and_the_solution_count_as_failed,
    puzzles_are_chosen_by_theme, the_puzzle_is_analysed, addresses_of_puzzles_stay_valid, two_tabs_have_one_rating,
    many_attempts_stay_small, puzzles_are_loaded_when_they_are_needed, puzzles_are_accessible,
]
