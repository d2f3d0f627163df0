"""Tests of gui_browser.py about the analysis: lines, limits, evaluations, the review, and drawings."""

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gui_page import check
from gui_hands import slow_answers
from gui_pgn import export
from gui_store import document_id, listed, load, reload, until_kept

MOVES = "agoge.tree.mainLine.map(({san}) => san)"
LINE = "[...document.querySelectorAll('.pv:first-child .pv-move')].map((key) => key.textContent.split(' ').pop())"


def stop_at(board, limit):
    """Chooses the limit of a search."""
    board.open_engine_settings()
    board.page.select_option("label:has-text('Search until') select", limit)


def until_ended(board):
    """Waits until the search of the current position is at its limit, and its lines are shown."""
    panel = "agoge.mode.enginePanel"
    board.wait(f"{panel}.node === agoge.tree.current && {panel}.hasEnded && {panel}.engineLines.node === {panel}.node && !{panel}.timer", 240)
    expect(board.page.locator("#go-deeper")).to_be_visible(timeout=60_000)


def lines_are_unfolded_and_played(board, _):
    page = board.page
    board.open("#analyse")
    stop_at(board, "depth 20")
    board.set_lines(2)
    until_ended(board)
    rows = page.locator(".pv")
    expect(rows).to_have_count(2)
    words = page.evaluate(LINE)
    assert len(words) > 8 and page.evaluate("document.querySelector('.pv-move').textContent").startswith("1. "), words
    # Unfolded, the whole line is seen, and each move is a stop of the Tab key.
    toggle = rows.first.locator(".unfold")
    expect(toggle).to_have_attribute("aria-expanded", "false")
    assert page.locator(".pv:first-child .pv-move[tabindex='0']").count() == 1
    low = rows.first.bounding_box()["height"]
    toggle.click()
    expect(toggle).to_have_attribute("aria-expanded", "true")
    assert rows.first.bounding_box()["height"] > 2 * low
    assert page.locator(".pv:first-child .pv-move[tabindex='0']").count() == len(words)
    check(Axe(), board, "an unfolded line")
    # The small board shows the position after the move.
    page.hover(".pv:first-child .pv-move >> nth=2")
    expect(page.locator(".preview")).to_be_visible()
    expect(page.locator(".preview svg.mini-board svg")).to_have_count(32)
    expect(page.locator(".preview svg.mini-board")).to_have_attribute("aria-label", words[2])
    page.mouse.move(5, 5)
    expect(page.locator(".preview")).to_have_count(0)
    # It follows the focus of the keyboard, too, and Enter plays the moves.
    page.focus("#panel")
    toggle.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(page.locator(".preview svg.mini-board")).to_have_attribute("aria-label", words[-1])
    third = page.locator(".pv:first-child .pv-move >> nth=2")
    # The line is at its end.
    third.scroll_into_view_if_needed()
    page.mouse.click(*middle(third))
    board.wait_for_ply(3)
    assert page.evaluate(MOVES) == words[:3]
    expect(page.locator(".preview")).to_have_count(0)
    until_ended(board)
    expect(toggle).to_have_attribute("aria-expanded", "true")
    assert page.locator(".pv-move").first.text_content().startswith("2... ")
    # Another line becomes a variation.
    page.keyboard.press("Home")
    board.wait_for_ply(0)
    until_ended(board)
    # They may have changed their order.
    others = page.locator(".pv-move:first-child", has_not_text=re.compile(f"^1. {re.escape(words[0])}$"))
    others.first.focus()
    page.keyboard.press("Enter")
    board.wait_for_ply(1)
    expect(page.locator(".side-line .mv")).to_have_count(1)
    assert page.evaluate("agoge.tree.root.children.length") == 2


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def a_touch_plays_a_line(board, _):
    board.open("#analyse")
    stop_at(board, "depth 20")
    until_ended(board)
    words = board.page.evaluate(LINE)
    board.page.locator(".pv-move").nth(1).tap()
    board.wait_for_ply(2)
    assert board.page.evaluate(MOVES) == words[:2]
    expect(board.page.locator(".preview")).to_have_count(0)


def a_search_ends_at_its_limit(board, _):
    page = board.page
    board.open("#analyse")
    stop_at(board, "nodes 1000000")
    until_ended(board)
    expect(page.locator(".engine-info")).to_contain_text("Ended")
    assert page.evaluate("!agoge.engine.search")
    nodes, depth = page.evaluate("[agoge.mode.enginePanel.lines[0].nodes, agoge.mode.enginePanel.lines[0].depth]")
    # These are of the last iteration that was finished; the one that the limit ended may have had most of the nodes.
    assert 100_000 < nodes < 1_500_000, nodes
    # Going deeper, the lines stay until the search is as deep again.
    page.click("#go-deeper")
    expect(page.locator("#go-deeper")).to_have_count(0)
    board.wait(f"agoge.mode.enginePanel.lines[0].nodes > {nodes}")
    assert page.evaluate("agoge.mode.enginePanel.lines[0].depth") >= depth
    expect(page.locator(".engine-info")).to_contain_text("/s")
    # The limit is kept.
    until_kept(board)
    reload(board)
    until_ended(board)


def a_hidden_tab_rests(board, _):
    page = board.page
    board.open("#analyse")
    stop_at(board, "movetime 30000")
    page.wait_for_selector(".pv .score:visible")
    page.evaluate("""void (window.hide = (hidden) => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    })""")

    def hide(hidden):
        page.evaluate("hidden => hide(hidden)", hidden)

    # Only after a while.
    assert page.evaluate("""async () => {
        hide(true);
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return !!agoge.engine.search;
    }""")
    hide(False)
    page.wait_for_timeout(5000)
    assert page.evaluate("!!agoge.engine.search")
    hide(True)
    board.wait("!agoge.engine.search")
    # The search goes on for the rest of the time, not for all of it.
    left = page.evaluate("agoge.mode.enginePanel.limit")
    assert left.startswith("movetime ") and 0 < int(left.split()[1]) < 25_000, left
    hide(False)
    board.wait("agoge.engine.search")
    until_ended(board)


def evaluations_are_kept(board, _):
    page = board.page
    ident = load(board, "1. e4 Hbd5 { [%eval 0.35] } 2. e5 *")
    stop_at(board, "depth 20")
    until_ended(board)
    page.click("[aria-label='Next move']")
    board.wait_for_ply(1)
    until_ended(board)
    expect(page.locator(".pairs > .mv .ev")).to_have_count(2)
    # That of the file stays.
    page.click("[aria-label='Next move']")
    board.wait_for_ply(2)
    until_ended(board)
    assert page.evaluate("agoge.tree.current.evaluation") == {"cp": 35}
    # On the way, too.
    stop_at(board, "infinite")
    page.click("[aria-label='Last move']")
    board.wait_for_ply(3)
    board.wait("agoge.mode.enginePanel.lines[0]?.depth > 13")
    page.click("[aria-label='First position']")
    board.wait_for_ply(0)
    expect(page.locator(".pairs > .mv .ev")).to_have_count(3)
    pgn = export(board)
    assert len(re.findall(r"\[%eval [-#0-9.]+,\d+\]", pgn)) == 3 and "[%eval 0.35]" in pgn, pgn
    board.wait(f"agoge.documents.store.get('study', '{ident}').then(({{value}}) => value.tree.nodes.every(({{evaluation}}) => evaluation) && !!value.tree.evaluation)")
    reload(board)
    expect(page.locator(".pairs > .mv .ev")).to_have_count(3)
    # If they are not wanted, nothing is written.
    stop_at(board, "depth 20")
    board.open_engine_settings()
    page.uncheck("text=Keep evaluations")
    board.load("1. d4 *")
    until_ended(board)
    assert page.evaluate("agoge.tree.root.evaluation") is None
    assert "%eval" not in export(board)


def an_evaluation_is_that_of_its_position(board, _):
    """However quickly one steps: that of the position before is not taken over."""
    page = board.page
    load(board, "1. e4 Hbd5 2. exd5 Hac5 *")
    board.wait("agoge.mode.enginePanel.lines[0]?.depth > 13")
    for ply in (1, 2, 3, 4):
        page.keyboard.press("ArrowRight")
        board.wait_for_ply(ply)
    for node in page.evaluate("agoge.tree.nodes.map(({ move, fen, evaluation }) => ({ move, fen, best: evaluation?.best }))"):
        legal = page.evaluate("fen => agoge.ask({ ask: 'position', line: { variant: 'spartan', fen, moves: [] } })", node["fen"])["legal"]
        assert not node["best"] or node["best"] in [each["move"] for each in legal], node


def looking_at_a_position_keeps_no_study(board, _):
    board.open("#analyse")
    stop_at(board, "depth 20")
    until_ended(board)
    assert board.page.evaluate("agoge.tree.root.evaluation.depth") >= 12
    board.page.wait_for_timeout(2500)
    assert listed(board, "study") == []


def review(board):
    board.page.click("#review")
    board.wait("!agoge.mode.review.running && agoge.tree.mainLine.every(({loss}) => loss !== undefined)")


def a_review_is_replaced_and_removed(board, _):
    page = board.page
    board.turn_engine_off()
    load(board, "{ Start } 1. g4! $14 (1. e4 { mine }) Wf6 $13 { [%eval 0.10] a comment } 2. f3 (2. d4) Wh4# 0-1")
    before = export(board)
    expect(page.locator("#remove-review")).to_be_hidden()
    review(board)
    # The glyph of somebody else stays. Whether 1... Wf6 is an inaccuracy is a matter of opinion.
    glyphs = page.evaluate("agoge.tree.mainLine.map(({glyphs}) => glyphs)")
    assert glyphs in ([[1, 14], [13], [4], []], [[1, 14], [6, 13], [4], []]), glyphs
    first = export(board)
    assert "$4" in first and first.count("(") > before.count("(") and "[%eval 0.10]" not in first, first
    # A second one changes nothing, also after a reload.
    review(board)
    assert export(board) == first
    until_kept(board)
    reload(board)
    review(board)
    assert export(board) == first
    check(Axe(), board, "a review")
    page.click("#remove-review")
    board.remember_undo()
    expect(page.locator("#remove-review")).to_be_hidden()
    expect(page.locator(".graph")).to_be_hidden()
    assert export(board) == before
    board.undo()
    expect(page.locator("#remove-review")).to_be_visible()
    assert export(board) == first
    # What the user wrote into a variation of the review stays with it.
    page.evaluate("agoge.tree.nodes.find((node) => node.added).comment = 'good'")
    page.click("#remove-review")
    expect(page.locator("#remove-review")).to_be_hidden()
    assert export(board).count("(") == before.count("(") + 1
    until_kept(board)
    reload(board)
    expect(page.locator("#remove-review")).to_be_hidden()


def a_review_that_is_stopped_twice_ends(board, context):
    page = board.page
    board.turn_engine_off()
    load(board, context.sample())
    page.click("#review")
    expect(page.locator("#review")).to_have_text("Stop")
    page.evaluate("document.querySelector('#review').click(); document.querySelector('#review').click()")
    expect(page.locator("#review")).to_have_text("Analyse the whole game")
    assert page.evaluate("!agoge.mode.review.running && agoge.tree.mainLine.some(({evaluation}) => !evaluation)")
    # It can be begun anew.
    load(board, "1. e4 Hbd5 2. e5 Hc4 3. d3 Lc6 4. c3 Ce6 *")
    review(board)
    expect(page.locator("#review")).to_have_text("Analyse the whole game")


def a_deeper_search_keeps_what_the_review_has_replaced(board, _):
    page = board.page
    board.turn_engine_off()
    load(board, "1. e4 { [%eval 0.10] } Hbd5 *")
    review(board)
    # How deep a review searches varies; with a warm hash table it is 20 and more.
    page.evaluate("agoge.tree.mainLine.forEach(({evaluation}) => { evaluation.depth = 15; })")
    page.check(".engine-bar input")
    stop_at(board, "depth 20")
    for ply in (1, 2):
        page.keyboard.press("ArrowRight")
        board.wait_for_ply(ply)
        until_ended(board)
    assert page.evaluate("agoge.tree.mainLine.map(({evaluation}) => evaluation.depth)") == [20, 20]
    page.click("#remove-review")
    expect(page.locator("#remove-review")).to_be_hidden()
    assert page.evaluate("agoge.tree.mainLine.map(({evaluation}) => [evaluation.cp, evaluation.depth])[0]") == [10, None]
    # What the search has found where nothing was stays.
    assert page.evaluate("agoge.tree.last.evaluation.depth") == 20


def draw(board, squares, *keys):
    page = board.page
    for key in keys:
        page.keyboard.down(key)
    page.mouse.move(*board.centre(squares[:2]))
    page.mouse.down(button="right")
    page.mouse.move(*board.centre(squares[-2:]), steps=4)
    page.mouse.up(button="right")
    for key in keys:
        page.keyboard.up(key)


def drawings_are_kept(board, _):
    page = board.page
    board.turn_engine_off()
    board.type("e4")
    board.wait_for_ply(1)
    draw(board, "d2d4")
    draw(board, "g1f3", "Shift")
    draw(board, "e4", "Control")
    draw(board, "a1a5", "Alt")
    draw(board, "b2", "Shift", "Alt")
    shapes = "agoge.tree.current.shapes.map(({from, to, colour}) => from + (to ?? '') + ' ' + colour)"
    drawn = ["d2d4 green", "g1f3 red", "e4 red", "a1a5 blue", "b2 yellow"]
    assert page.evaluate(shapes) == drawn
    expect(page.locator(".arrows circle")).to_have_count(2)
    expect(page.locator(".arrows polygon")).to_have_count(3)
    document_id(board)
    until_kept(board)
    reload(board)
    assert page.evaluate(shapes) == drawn
    expect(page.locator(".arrows polygon")).to_have_count(3)
    pgn = export(board)
    assert "[%csl Re4,Yb2]" in pgn and "[%cal Gd2d4,Rg1f3,Ba1a5]" in pgn, pgn
    # They belong to the position.
    page.keyboard.press("Home")
    board.wait_for_ply(0)
    expect(page.locator(".arrows circle, .arrows polygon")).to_have_count(0)
    page.keyboard.press("End")
    board.wait_for_ply(1)
    # The same one again removes it, another colour replaces it.
    draw(board, "d2d4")
    draw(board, "g1f3")
    assert page.evaluate(shapes) == ["e4 red", "a1a5 blue", "b2 yellow", "g1f3 green"]
    page.click("#annotate")
    page.click("#clear-drawings")
    expect(page.locator(".arrows circle, .arrows polygon")).to_have_count(0)
    expect(page.locator("#clear-drawings")).to_be_disabled()
    draw(board, "h1h8")
    expect(page.locator("#clear-drawings")).to_be_enabled()
    until_kept(board)
    reload(board)
    assert page.evaluate(shapes) == ["h1h8 green"]


def games_of_a_file_are_kept_when_they_are_changed(board, _):
    page = board.page
    board.turn_engine_off()
    page.click("text=Load a game or position")
    page.fill("#import-text", '[White "A"]\n\n1. e4 Hbd5 (1... Hac5) *\n\n[White "B"]\n\n1. d4 *\n\n[White "C"]\n\n1. c4 *\n')
    page.click("#import-load")
    page.click("table.games tbody tr >> nth=0")
    board.wait("agoge.gameFile.current === 0 && agoge.tree.mainLine.length === 2")
    first = document_id(board)
    page.click("#game-next")
    board.wait("agoge.tree.root.children[0]?.move === 'd2d4' && !agoge.isEntering")
    second = document_id(board)
    assert second != first
    # The way back leads to the game of the file, and the buttons know it.
    page.go_back()
    board.wait(f"location.hash === '#analyse/{first}' && agoge.tree.mainLine.length === 2 && !agoge.isEntering")
    expect(page.locator("#game-list")).to_have_text("Games of the file · 1/3")
    page.click("#game-next")
    board.wait(f"location.hash === '#analyse/{second}' && !agoge.isEntering")
    page.click("#game-next")
    board.wait("agoge.gameFile.current === 2 && !agoge.isEntering")
    # Who only looks at them keeps none, but a reload of the tab changes nothing.
    until_kept(board)
    assert listed(board, "study") == []
    page.click("#game-previous")
    page.click("#game-previous")
    board.wait(f"location.hash === '#analyse/{first}' && !agoge.isEntering")
    page.keyboard.press("End")
    board.wait_for_ply(2)
    reload(board)
    board.wait_for_ply(2)
    assert document_id(board) == first and page.evaluate("agoge.tree.root.children[0].children.length") == 2
    assert listed(board, "study") == []
    board.type("e5")
    board.wait_for_ply(3)
    until_kept(board)
    assert [entry["id"] for entry in listed(board, "study")] == [first]
    # A deleted one does not come back.
    page.evaluate(f"agoge.documents.remove('study', {{id: '{first}', summary: {{}}}})")
    board.wait(f"!agoge.documents.opened.has('{first}')")
    board.open(f"#analyse/{first}")
    expect(page.locator(".toast.error").last).to_contain_text("There is no such analysis")


# The position after the fourth move has occurred three times: a draw, after which White loses the queen.
AFTER_A_DRAW = """[Variant "Spartan"]
[SetUp "1"]
[FEN "k7/hhh5/8/8/8/8/5PPP/Q3Q1K1 w - - 0 1"]

1. g3 Kb8 2. Kf1 Ka8 3. Kg1 Kb8 4. Kf1 Ka8 5. Kg1 Hbc6 6. Qe2 *
"""


def moves_after_a_draw_by_rule_are_no_mistakes(board, _):
    board.open("#analyse")
    load(board, AFTER_A_DRAW)
    board.page.evaluate("agoge.mode.review.run()")
    moves = board.page.evaluate("agoge.tree.mainLine.map(({ san, loss, glyphs }) => [san, loss ?? null, glyphs.length])")
    # The move that allows the draw is one.
    draw = next(index for index, (_, loss, _) in enumerate(moves) if loss is not None and loss >= 0.4)
    assert moves[draw][2] > 0 and [move[1:] for move in moves[draw + 1:]][0] == [None, 0], moves


def a_move_that_is_answered_late_is_kept(board, _):
    """The rules answer when another place is shown."""
    page = board.page
    board.open("#analyse")
    ident = load(board, "1. e4 *")
    page.keyboard.press("End")
    board.wait_for_ply(1)
    until_kept(board)
    slow_answers(board)
    page.evaluate("void agoge.board.onMove('b7d5')")
    page.evaluate("void agoge.enter('games')")
    board.wait("agoge.modeName === 'games'")
    page.evaluate("window.goOn()")
    board.wait(f"agoge.documents.opened.get('{ident}').tree.last.ply === 2")
    until_kept(board)
    kept = page.evaluate("(ident) => agoge.documents.store.get('study', ident)", ident)
    assert [node["move"] for node in kept["value"]["tree"]["nodes"]] == ["e2e4", "b7d5"], kept


TESTS = [
    a_move_that_is_answered_late_is_kept,
    moves_after_a_draw_by_rule_are_no_mistakes,
    lines_are_unfolded_and_played, a_touch_plays_a_line, a_search_ends_at_its_limit, a_hidden_tab_rests, evaluations_are_kept,
    an_evaluation_is_that_of_its_position,
    looking_at_a_position_keeps_no_study, a_review_is_replaced_and_removed, a_review_that_is_stopped_twice_ends,
    a_deeper_search_keeps_what_the_review_has_replaced, drawings_are_kept, games_of_a_file_are_kept_when_they_are_changed,
]
