"""Tests of what the board in the browser keeps: documents, places, addresses, tabs, and the connection.

They are run by gui_browser.py. Each gets the board and the context, as there.
"""

import contextlib
import os
import re
import signal

from playwright.sync_api import expect

from gui_hands import answer, slow_answers, slow_engine
from gui_page import TIMEOUT, Board

# All documents and profiles are in the store.
SETTLED = "!agoge.documents.all.some(({ isChanged, writing }) => isChanged || writing)"
STEPS = "agoge.tree.mainLine.map(({move}) => move)"


@contextlib.contextmanager
def second_tab(board):
    """Another tab of the same browser."""
    page = board.page.context.new_page()
    page.set_default_timeout(TIMEOUT)
    try:
        yield Board(page, board.address)
    finally:
        page.close()


def stored(board, kind, ident):
    return board.page.evaluate("([kind, id]) => agoge.documents.store.get(kind, id)", [kind, ident])


def listed(board, kind):
    return board.page.evaluate("kind => agoge.documents.store.list(kind)", kind)


def until_kept(board):
    """Waits until all documents are in the store."""
    board.wait(SETTLED)


def document_id(board):
    """The id in the address, once there is one."""
    # Playwright knows the address only later.
    return board.wait("location.hash.match(/^#\\w+\\/([0-9a-f]{16})$/)?.[1]")


def load(board, pgn):
    """Loads a game into a new study; returns its id."""
    before = board.page.evaluate("location.href")
    board.load(pgn)
    board.wait(f"location.href !== '{before}'")
    return document_id(board)


def reload(board):
    board.page.reload()
    board.wait_until_ready()


def toast(board):
    return board.page.locator(".toast").last


# ---- games


def a_game_is_kept_with_its_state(board, _):
    board.open("#play")
    board.new_game("black", level="2", time="clock:300+3")
    board.wait("agoge.tree.last.ply === 1 && agoge.board.movable")
    ident = document_id(board)
    board.page.keyboard.press("f")
    board.click("h7g6") if "h7g6" in board.page.evaluate("agoge.shown.legal.map(({move}) => move)") else board.click(board.page.evaluate("agoge.shown.legal[0].move"))
    board.wait("agoge.tree.last.ply === 3 && agoge.board.movable")
    moves = board.page.evaluate(STEPS)
    until_kept(board)
    value = stored(board, "game", ident)["value"]
    assert [node["move"] for node in value["tree"]["nodes"]] == moves, value
    assert value["play"]["side"] == "black" and value["play"]["level"] == "2" and value["play"]["end"] is None, value["play"]
    before = board.page.evaluate("agoge.mode.clock.state.black")
    board.page.wait_for_timeout(1200)
    reload(board)
    assert document_id(board) == ident and board.page.evaluate(STEPS) == moves
    # The clock ran on, and the board is turned as before.
    board.wait("agoge.mode.clock.state.running === 'black'")
    board.wait(f"agoge.mode.clock.state.black < {before} - 1200")
    assert not board.page.evaluate("agoge.board.flipped")
    board.resign()
    until_kept(board)
    reload(board)
    expect(board.status()).to_contain_text("win by resignation")


def a_game_goes_on_while_another_place_is_shown(board, _):
    board.open("#play")
    # Long enough to go to another place on a busy machine.
    board.new_game("white", level="20", time="move:5")
    board.click("e2e4")
    board.mode("learn")
    # The engine answers all the same, and says so.
    expect(toast(board)).to_contain_text("Agoge has played", timeout=TIMEOUT)
    assert board.page.title() == "Your turn – Agoge"
    assert board.page.get_attribute("#icon", "href").endswith(board.file("icon-turn.svg"))
    board.page.click(".toast button")
    board.wait("agoge.mode.isRunning && agoge.tree.current.ply === 2 && agoge.board.movable")
    # An analysis waits for the move of the game.
    board.click("d2d4")
    board.mode("analyse")
    board.page.wait_for_selector(".pv .score", timeout=TIMEOUT)
    board.mode("play")
    board.wait("agoge.tree.current.ply === 4 && agoge.board.movable")


def title_and_icon_say_whose_turn_it_is(board, _):
    board.open("#play")
    assert board.page.title() == "Agoge – Spartan Chess"
    slow_engine(board)
    board.new_game("white", level="20", time="move:1")
    board.wait("document.title === 'Your turn – Agoge'")
    board.click("e2e4")
    board.wait(f"document.title === 'Agoge – Spartan Chess' && document.querySelector('#icon').href.endsWith('{board.file('icon.svg')}')")
    answer(board)
    board.wait("document.title === 'Your turn – Agoge'")
    # An old position says whose turn it was, not that the engine thinks.
    board.page.click("[aria-label='Previous move']")
    board.wait("agoge.tree.current.ply === 1")
    expect(board.status()).to_have_text("Spartans to move")
    board.resign()
    board.wait("document.title === 'Agoge – Spartan Chess'")


def nothing_replaces_a_running_game(board, context):
    board.open("#play")
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    board.wait("agoge.board.movable")
    ident = document_id(board)
    moves = board.page.evaluate(STEPS)
    # The analysis of a running game is a copy with all its moves.
    board.page.click("[aria-label='Previous move']")
    board.wait("agoge.tree.current.ply === 1")
    board.analyse_game()
    board.wait(f"{STEPS}.join() === '{','.join(moves)}'")
    board.page.click("[aria-label='First position']")
    board.wait_for_ply(0)
    board.type("d4")
    board.wait("agoge.tree.root.children.length === 2 && location.hash.startsWith('#analyse/')")
    study = document_id(board)
    board.load(context.sample())
    board.mode("watch")
    board.page.click("#watch-start")
    board.wait("agoge.tree.last.ply >= 1")
    board.mode("puzzles")
    board.wait("agoge.board.movable && agoge.board.position.fen === agoge.tree.current.fen")
    board.page.click("#puzzle-solution")
    board.page.click("#puzzle-analyse")
    board.wait("agoge.modeName === 'analyse' && agoge.shown?.fen === agoge.modes.get('puzzles').puzzle.fen")
    # Playing on asks first.
    board.page.click("text=Play on from here")
    board.page.click("#start")
    expect(board.page.locator("dialog")).to_contain_text("A game is running")
    board.page.keyboard.press("Escape")
    expect(board.page.locator("#start")).to_be_visible()
    board.page.click("text=Go on with")
    board.wait("agoge.mode.isRunning && agoge.board.movable")
    assert document_id(board) == ident and board.page.evaluate(STEPS) == moves
    assert board.page.evaluate("agoge.tree.root.children.length") == 1
    # The same analysis is found again, with the moves played since then.
    board.click("d2d4")
    board.wait_for_ply(4)
    board.analyse_game()
    board.wait("agoge.tree.mainLine.length === 4 && location.hash.startsWith('#analyse/')")
    assert document_id(board) == study and board.page.evaluate("agoge.tree.root.children.length") == 2


def two_tabs_have_a_game_each(board, _):
    board.open("#play")
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    first = document_id(board)
    with second_tab(board) as other:
        other.open()
        # It does not take the game of the other tab.
        assert other.page.evaluate("agoge.modeName") == "play" and not other.page.locator(".resume").count()
        other.new_game("black")
        other.wait("agoge.tree.last.ply === 1 && agoge.board.movable")
        second = document_id(other)
        assert second != first
        for tab, ident in ((board, first), (other, second)):
            reload(tab)
            assert document_id(tab) == ident and tab.page.evaluate("agoge.mode.isRunning && agoge.mode.game.isHeld")
        # The same game twice: the second tab only shows it, until the first one is closed.
        other.open(f"#play/{first}")
        expect(other.status()).to_have_text("This game is open in another tab.")
        assert not other.page.evaluate("agoge.board.movable")
        board.click("d2d4")
        board.wait_for_ply(4)
        other.wait("agoge.tree.last.ply === 4")
        # The user goes on in this one; the first tab then shows it, and takes it back.
        other.page.click("#take-over")
        other.wait("agoge.board.movable && agoge.mode.game.isHeld")
        expect(board.status()).to_contain_text("This game is open in another tab")
        other.click("c2c3")
        other.wait_for_ply(6)
        board.wait("agoge.tree.last.ply === 6 && !agoge.board.movable")
        board.page.click("#take-over")
        board.wait("agoge.board.movable && agoge.mode.game.isHeld")
        expect(other.page.locator("#take-over")).to_be_visible()
        # A move in one tab does not end the choice of a new game in the other.
        other.page.click("#new-game")
        board.click("b2b3")
        board.wait_for_ply(8)
        until_kept(board)
        other.page.click("#cancel-new")
        other.wait("agoge.tree.last.ply === 8")
        expect(other.page.locator("#take-over")).to_be_visible()
        assert len(listed(board, "game")) == 2
        board.open("#learn")
        other.wait("agoge.board.movable && agoge.mode.game.isHeld")
        other.open(f"#play/{second}")
        assert other.page.evaluate("agoge.mode.isRunning")
    # A game that no tab has open is offered.
    with second_tab(board) as other:
        other.open()
        offers = other.page.locator(".resume")
        expect(offers).to_have_count(2)
        offers.first.click()
        other.wait("agoge.mode.isRunning && agoge.mode.game.isHeld")


def enter_on_play_moves_the_focus_to_the_board(board, _):
    board.open("#play")
    board.page.focus("#start")
    board.page.keyboard.press("Enter")
    board.wait("agoge.mode.isRunning && !!document.activeElement.dataset.square")


# ---- places and addresses


def back_and_forward(board, _):
    board.open("#play")
    board.new_game("white")
    game = document_id(board)
    first = load(board, "1. e4 Hbd5 *")
    second = load(board, "1. d4 *")
    board.page.click("[aria-label='Last move']")
    board.wait_for_ply(1)
    assert first != second
    board.type("Hbd5")
    board.wait_for_ply(2)
    board.mode("puzzles")
    puzzle = board.wait("location.hash.match(/^#(puzzles\\/.+)/)?.[1]")
    board.page.click("#puzzle-next")
    board.wait(f"location.hash !== '#{puzzle}' && agoge.board.movable")
    for address in (puzzle, f"analyse/{second}", f"analyse/{first}"):
        board.page.go_back()
        board.wait(f"location.hash === '#{address}'")
    board.wait(f"{STEPS}.join() === 'e2e4,b7d5'")
    # On the way back lies the empty analysis.
    board.page.go_back()
    board.wait("location.hash === '#analyse' && agoge.tree.mainLine.length === 0")
    board.page.go_back()
    board.wait(f"location.hash === '#play/{game}' && agoge.mode.isRunning")
    board.page.go_forward()
    board.page.go_forward()
    board.wait(f"location.hash === '#analyse/{first}' && agoge.tree.mainLine.length === 2")
    board.page.go_forward()
    board.wait(f"location.hash === '#analyse/{second}' && {STEPS}.join() === 'd2d4,b7d5'")
    # What does not exist is said, and the page stays where it is.
    board.page.evaluate("location.hash = '#play/0123456789abcdef'")
    expect(toast(board)).to_contain_text("There is no such game")
    board.wait(f"location.hash === '#analyse/{second}'")


def a_study_survives_a_reload(board, _):
    board.load("1. g4 Wf6 2. f3 Wh4# 0-1")
    board.page.click("#review")
    board.wait("!agoge.mode.review.running && agoge.tree.mainLine.every(({evaluation}) => evaluation)")
    board.type("d4")
    board.wait_for_ply(1)
    board.page.evaluate("agoge.tree.current.comment = 'quiet'; agoge.changed()")
    until_kept(board)
    state = """(() => {
        const all = (node) => [node.move, node.comment, node.glyphs, node.evaluation, node.loss, node.children.map(all)];
        return JSON.stringify([all(agoge.tree.root), agoge.tree.current.path.map(({move}) => move)]);
    })()"""
    before = board.page.evaluate(state)
    assert "quiet" in before and "share" in before
    reload(board)
    assert board.page.evaluate(state) == before
    expect(board.page.locator("table.summary tbody tr")).to_have_count(2)
    expect(board.page.locator(".moves")).to_contain_text("quiet")


def a_watched_game_goes_on_after_a_reload(board, _):
    board.open("#watch")
    # Another kind of game shows its pieces and names at once.
    board.page.select_option("#panel select >> nth=0", "chess")
    board.wait("agoge.shown?.fen.startsWith('rnbqkbnr')")
    expect(board.page.locator("#strip-top")).to_contain_text("Black")
    expect(board.page.locator("[data-square=e8]")).to_have_attribute("aria-label", re.compile("black king"))
    expect(board.page.locator(".piece[data-letter=k] use")).to_have_attribute("href", "#figures-king")
    board.start_watching()
    board.wait("agoge.tree.last.ply >= 3")
    ident = document_id(board)
    until_kept(board)
    reload(board)
    assert document_id(board) == ident
    ply = board.page.evaluate("agoge.tree.last.ply")
    assert ply >= 3
    board.wait(f"agoge.tree.last.ply > {ply}")
    board.page.click("#watch-start")
    expect(board.page.locator("#watch-start")).to_have_text("Go on")
    until_kept(board)
    reload(board)
    expect(board.page.locator("#watch-start")).to_have_text("Go on")
    # The times are in the game.
    tree = stored(board, "game", ident)["value"]["tree"]
    assert ["TimeControl", "60+1"] in tree["tags"] and all(re.fullmatch(r"0:0[01]:\d\d(\.\d)?", node["clock"]) for node in tree["nodes"]), tree


def only_one_tab_plays_a_watched_game(board, _):
    board.open("#watch")
    board.start_watching()
    board.wait("agoge.tree.last.ply >= 1")
    ident = document_id(board)
    until_kept(board)
    with second_tab(board) as other:
        other.open(f"#watch/{ident}")
        expect(other.status()).to_have_text("This game is open in another tab.")
        expect(other.page.locator("#panel")).to_contain_text("This game is open in another tab or window.")
        expect(other.page.locator("#watch-start")).to_have_count(0)
        # It follows the game.
        ply = other.page.evaluate("agoge.tree.last.ply")
        other.wait(f"agoge.tree.last.ply > {ply}")
        assert not other.page.evaluate("!!agoge.mode.running")
        # When the first tab has left the game, this one goes on.
        board.mode("learn")
        other.wait("agoge.mode.game?.isHeld && !!agoge.mode.running")
        ply = other.page.evaluate("agoge.tree.last.ply")
        other.wait(f"agoge.tree.last.ply > {ply}")
        board.mode("watch")
        expect(board.status()).to_have_text("This game is open in another tab.")
        assert document_id(board) == document_id(other) == ident
        # A page that is closed leaves the game, which is paused, to the other one.
        other.page.click("#watch-start")
        until_kept(other)
    board.page.click("#watch-start:has-text('Go on')")
    expect(board.page.locator("#watch-start")).to_have_text("Pause")
    board.page.click("#watch-start")
    until_kept(board)
    assert len(listed(board, "game")) == 1


def a_watched_game_that_is_left_stays_one(board, _):
    page = board.page
    board.open("#watch")
    board.start_watching()
    board.wait("agoge.tree.last.ply >= 1")
    ident = document_id(board)
    # The place is left while a move is being played, slowly.
    page.evaluate("""() => {
        const extend = agoge.extend.bind(agoge);
        agoge.extend = async (...args) => {
            window.isMoving = true;
            await new Promise((resolve) => setTimeout(resolve, 3000));
            const node = await extend(...args);
            window.isMoving = false;
            return node;
        };
    }""")
    with second_tab(board) as other:
        other.open(f"#watch/{ident}")
        expect(other.status()).to_have_text("This game is open in another tab.")
        board.wait("window.isMoving")
        board.mode("learn")
        other.wait("agoge.mode.game?.isHeld && !!agoge.mode.running")
        # The game is free only after the move.
        assert not page.evaluate("window.isMoving")
        ply = other.page.evaluate("agoge.tree.last.ply")
        other.wait(f"agoge.tree.last.ply > {ply}")
        other.page.click("#watch-start")
        until_kept(other)
        assert document_id(other) == ident
    assert len(listed(board, "game")) == 1
    # A change of the document while the page asks for the game does not make it ask twice.
    page.evaluate("agoge.enter('watch').then(() => { agoge.mode.game.state.isOn = true; })")
    page.evaluate("""(ident) => agoge.enter("learn").then(() => agoge.enter("watch")).then(() => agoge.documents.onChange({ kind: "game", id: ident, revision: 1 }))""", ident)
    board.wait("agoge.mode.game.isHeld && !!agoge.mode.running")
    page.wait_for_timeout(1000)
    assert not page.evaluate("agoge.mode.isElsewhere")
    expect(page.locator("#watch-start")).to_have_text("Pause")


def slow_writes(board, delay):
    board.page.evaluate("""(delay) => {
        const { store } = agoge.documents;
        const put = store.put.bind(store);
        store.put = async (...all) => {
            await new Promise((resolve) => setTimeout(resolve, delay));
            return put(...all);
        };
    }""", delay)


def follow_a_game(board, other):
    """Begins a game, and opens it in another tab; returns its id."""
    board.open("#play")
    reload(board)
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    until_kept(board)
    ident = document_id(board)
    other.open(f"#play/{ident}")
    expect(other.page.locator("#take-over")).to_be_visible()
    return ident


def the_end_of_a_game_reaches_another_tab(board, _):
    """Even if it is written slowly: the other tab must not play on."""
    with second_tab(board) as other:
        follow_a_game(board, other)
        slow_writes(board, 1500)
        board.page.evaluate("agoge.mode.game.resign()")
        expect(other.status()).to_contain_text("win by resignation")
        other.page.wait_for_timeout(1000)
        assert not other.page.evaluate("agoge.mode.isRunning")
        until_kept(board)
        assert [entry["summary"]["running"] for entry in listed(board, "game")] == [False]


def a_game_taken_over_in_a_move_stays_one(board, _):
    with second_tab(board) as other:
        for number in (1, 2):
            ident = follow_a_game(board, other)
            if number == 1:
                slow_answers(board)
            else:
                slow_writes(board, 1500)
            board.page.evaluate("void agoge.board.onMove('d2d4')")
            if number == 2:
                board.wait("!!agoge.mode.game.document.writing")
            other.page.click("#take-over")
            other.wait("agoge.mode.game?.isHeld && agoge.board.movable")
            # A move that was being written is taken over; one without an answer of the rules is dropped.
            ply = other.page.evaluate("agoge.tree.last.ply")
            assert number == 1 or other.page.evaluate("agoge.tree.last.path[2].move") == "d2d4"
            if number == 1:
                board.page.evaluate("window.goOn()")
            other.click("a2a3")
            other.wait(f"agoge.tree.last.ply === {2 * (ply // 2) + 2}")
            until_kept(other)
            expect(board.page.locator("#take-over")).to_be_visible()
            board.wait(f"agoge.tree.last.ply === {2 * (ply // 2) + 2}")
            until_kept(board)
            assert len(listed(board, "game")) == number and document_id(other) == document_id(board) == ident


def a_place_left_while_a_game_is_waited_for_stays_left(board, _):
    with second_tab(board) as other:
        ident = follow_a_game(board, other)
        other.open("#analyse")
        other.page.evaluate("(ident) => void agoge.enter('play', ident)", ident)
        other.wait("agoge.modeName === 'play'")
        other.page.evaluate("void agoge.enter('puzzles')")
        other.wait("agoge.modeName === 'puzzles' && !agoge.isEntering && agoge.mode.puzzle")
        # Twice as long as a game is waited for.
        other.page.wait_for_timeout(1000)
        expect(other.page.locator("#take-over")).to_have_count(0)
        expect(other.page.locator("#puzzle-next")).to_be_visible()


def a_puzzle_and_the_record_survive_a_reload(board, _):
    board.open("#puzzles")
    board.page.click("#puzzle-next")
    board.page.click("#puzzle-next")
    # The second one is shown, and in the address.
    board.wait("agoge.board.movable && agoge.board.position.fen === agoge.tree.current.fen && location.hash === `#puzzles/${agoge.mode.puzzle.id}`")
    puzzle = board.page.evaluate("agoge.mode.puzzle.id")
    reload(board)
    assert board.page.evaluate("agoge.mode.puzzle.id") == puzzle
    line = board.page.evaluate("agoge.mode.puzzle.line")
    for ply in range(0, len(line), 2):
        board.click(line[ply])
        board.wait_for_ply(min(ply + 2, len(line)))
    expect(board.page.locator(".puzzle-result")).to_contain_text("Solved!")
    until_kept(board)
    reload(board)
    assert board.page.evaluate("agoge.profiles.puzzles.value.solved") == [puzzle]
    # Another tab adds to the same record.
    with second_tab(board) as other:
        other.open("#puzzles")
        other.wait("agoge.board.movable")
        other.page.evaluate("agoge.mode.keep('solved', 'failed')")
        until_kept(other)
        board.wait("agoge.profiles.puzzles.value.solved.length === 2")


def settings_reach_other_tabs_and_the_next_visit(board, _):
    board.page.click("#settings-button")
    board.page.check("text=Dark", force=True)
    board.page.keyboard.press("Escape")
    until_kept(board)
    assert board.page.evaluate("document.documentElement.dataset.theme") == "dark"
    with second_tab(board) as other:
        other.open()
        assert other.page.evaluate("document.documentElement.dataset.theme") == "dark"
        other.page.click("#settings-button")
        other.page.check("text=Letters", force=True)
        other.page.keyboard.press("Escape")
        board.wait("document.documentElement.dataset.pieces === 'letters'")
    # The copy in the browser is not needed.
    board.page.evaluate("localStorage.clear()")
    reload(board)
    board.wait("document.documentElement.dataset.theme === 'dark' && document.documentElement.dataset.pieces === 'letters'")


# ---- the list


def my_games_are_found_deleted_and_saved(board, _):
    # Its evaluations would be written later, and change the order.
    board.turn_engine_off()
    for white, moves in (("Leonidas", "1. e4 Hbd5"), ("Xerxes", "1. d4"), ("Cyrus", "1. c4")):
        load(board, f'[White "{white}"]\n[Black "Agoge"]\n[Variant "Spartan"]\n\n{moves} *')
    until_kept(board)
    board.mode("games")
    rows = board.page.locator(".games li")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Cyrus – Agoge")
    board.page.fill("#games-search", "leon agoge")
    expect(rows).to_have_count(1)
    board.page.click("[aria-label='Delete Leonidas – Agoge']")
    expect(rows).to_have_count(0)
    assert len(listed(board, "study")) == 2
    board.page.click(".toast >> text=Undo")
    expect(rows).to_have_count(1)
    assert len(listed(board, "study")) == 3
    board.page.fill("#games-search", "")
    with board.page.expect_download() as download:
        board.page.click("#games-save")
    with open(download.value.path()) as file:
        text = file.read()
    assert text.count("[White ") == 3 and "1. e4 Hbd5 *" in text, text
    rows.nth(0).locator(".game-row").click()
    board.wait("agoge.modeName === 'analyse' && agoge.tree.mainLine.length > 0")
    # A deleted study leaves the place empty, and its address says that it is gone.
    ident = document_id(board)
    board.mode("games")
    # Also if it is shown again before the store has deleted it.
    board.page.evaluate("""() => {
        const { store } = agoge.documents;
        const remove = store.delete.bind(store);
        store.delete = (...all) => new Promise((resolve) => (window.go = resolve)).then(() => remove(...all));
    }""")
    board.page.click(f"[data-id='{ident}'] [aria-label^=Delete]")
    board.mode("analyse")
    board.wait("!!window.go")
    board.page.evaluate("go()")
    board.wait("agoge.tree.mainLine.length === 0 && !agoge.isEntering")
    board.page.evaluate("delete agoge.documents.store.delete")
    board.page.evaluate(f"location.hash = '#analyse/{ident}'")
    expect(toast(board)).to_contain_text("There is no such analysis")


def a_damaged_game_does_not_stop_the_others(board, _):
    board.turn_engine_off()
    for moves in ("1. e4", "1. d4"):
        load(board, f"{moves} *")
    until_kept(board)
    summary = {"white": "A", "black": "B", "result": "*", "moves": 1, "variant": "spartan", "place": "analyse"}
    tree = {"variant": "spartan", "nodes": [{"move": "e2e5", "san": "e5"}]}
    board.page.evaluate("([summary, tree]) => agoge.documents.store.put('study', '0123456789abcdef', 0, summary, { tree })", [summary, tree])
    board.mode("games")
    expect(board.page.locator(".games li")).to_have_count(3)
    with board.page.expect_download() as download:
        board.page.click("#games-save")
    with open(download.value.path()) as file:
        text = file.read()
    assert "1. e4 *" in text and "1. d4 *" in text, text
    expect(board.page.locator(".toast.error")).to_have_text("1 game could not be saved.")
    expect(board.page.locator("#games-save")).to_have_text("Save all as PGN")


# ---- conflicts and errors


def two_tabs_with_one_study_keep_both_versions(board, _):
    ident = load(board, "1. e4 Hbd5 *")
    until_kept(board)
    with second_tab(board) as other:
        other.open(f"#analyse/{ident}")
        # As in another browser, it hears nothing of the change.
        other.page.evaluate("void (agoge.documents.channel.onmessage = null)")
        board.type("d4")
        board.wait("agoge.tree.root.children.length === 2")
        until_kept(board)
        other.type("c4")
        other.wait("agoge.tree.root.children.length === 2")
        expect(toast(other)).to_contain_text("Both versions are in My games")
        until_kept(other)
        other.wait(f"location.hash !== '#analyse/{ident}'")
        copy = document_id(other)
        firsts = [[first["move"] for first in [value["nodes"][0], *[line[0] for line in value["nodes"][0]["variations"]]]] for value in (stored(board, "study", each)["value"]["tree"] for each in (ident, copy))]
        assert firsts == [["e2e4", "d2d4"], ["e2e4", "c2c4"]], firsts


def a_followed_game_leaves_the_user_where_he_is(board, _):
    with second_tab(board) as other:
        follow_a_game(board, other)
        other.page.click("#settings-button")
        expect(other.page.locator("dialog[open]")).to_be_visible()
        board.click("d2d4")
        board.wait_for_ply(4)
        other.wait("agoge.tree.last.ply === 4 && agoge.board.position.fen === agoge.tree.last.fen")
        expect(other.page.locator("dialog[open]")).to_be_visible()
        other.page.keyboard.press("Escape")
        other.page.click("[aria-label='First position']")
        other.wait_for_ply(0)
        board.click("a2a3")
        board.wait_for_ply(6)
        other.wait("agoge.tree.last.ply === 6")
        expect(other.page.locator(".moves")).to_contain_text("a3")
        assert other.page.evaluate("agoge.tree.current.ply") == 0
        # The end changes the panel.
        board.page.evaluate("agoge.mode.game.resign()")
        other.wait("!agoge.mode.isRunning")
        expect(other.page.locator("#take-over")).to_have_count(0)
        expect(other.page.locator("text=Rematch")).to_be_visible()
        other.page.keyboard.press("End")
        expect(other.status()).to_contain_text("win by resignation")


def write_as_another_page(board, ident):
    """Writes a game, of which the page that has it learns nothing."""
    board.page.evaluate("""async (ident) => {
        const { store } = agoge.documents;
        const { revision, value } = await store.get("game", ident);
        await store.put("game", ident, revision, {}, { ...value, writer: { page: "another", change: 1 } });
    }""", ident)


def a_game_gets_another_id_without_locks(board, _):
    """A page that is not on a secure origin has none."""
    board.page.evaluate("Object.defineProperty(navigator, 'locks', { value: undefined })")
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    until_kept(board)
    ident = document_id(board)
    write_as_another_page(board, ident)
    board.click("d2d4")
    board.wait_for_ply(4)
    until_kept(board)
    assert document_id(board) != ident and board.page.evaluate("agoge.mode.game.isHeld")


def a_game_with_another_id_stays_held(board, _):
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    until_kept(board)
    ident = document_id(board)
    locks = "navigator.locks.query().then(({ held }) => held.map(({ name }) => name))"
    assert f"agoge-{ident}" in board.page.evaluate(locks)
    with second_tab(board) as other:
        write_as_another_page(other, ident)
        board.click("d2d4")
        board.wait_for_ply(4)
        until_kept(board)
        copy = document_id(board)
        assert copy != ident
        board.wait(f"{locks}.then((names) => names.includes('agoge-{copy}') && !names.includes('agoge-{ident}'))")
        other.open(f"#play/{copy}")
        expect(other.page.locator("#take-over")).to_be_visible()
        other.open("#analyse")
        other.open(f"#play/{ident}")
        other.wait("agoge.mode.game?.isHeld && agoge.board.movable")
        # A place that is left gives back the new one.
        board.page.evaluate("agoge.mode.game.release()")
        board.wait(f"{locks}.then((names) => !names.includes('agoge-{copy}'))")


def load_to_the_end(board, text, ply):
    """Loads a game without the engine and goes to its last position; returns its id when it is kept."""
    board.turn_engine_off()
    ident = load(board, text)
    board.page.keyboard.press("End")
    board.wait_for_ply(ply)
    until_kept(board)
    return ident


def a_study_in_two_tabs_is_the_same(board, _):
    """What is changed in one tab is seen in the other, where the user goes on: there is one study, not two."""
    ident = load_to_the_end(board, "1. e4 Hbd5 (1... Hac5) *", 2)
    with second_tab(board) as other:
        other.open(f"#analyse/{ident}")
        other.page.keyboard.press("End")
        other.wait_for_ply(2)
        other.type("d4")
        other.wait_for_ply(3)
        other.page.click("#annotate")
        other.page.fill("#node-comment", "from the other tab")
        until_kept(other)
        board.wait("agoge.tree.last.comment === 'from the other tab'")
        expect(board.page.locator(".moves")).to_contain_text("from the other tab")
        # The user is where he was, and goes on in the same study.
        assert board.page.evaluate("agoge.tree.current.ply") == 2
        board.type("c4")
        board.wait_for_ply(3)
        until_kept(board)
        other.wait("agoge.tree.root.children[0].children[0].children.length === 2")
        # A deleted move goes from both; who was behind it is before it now.
        board.page.click("[aria-label='First position']")
        board.wait_for_ply(0)
        board.page.click("[aria-label='Next move']")
        board.wait_for_ply(1)
        board.page.click("text=Delete from here on")
        until_kept(board)
        other.wait("!agoge.tree.root.children.length && agoge.tree.current === agoge.tree.root && agoge.board.position.fen === agoge.tree.fen")
        assert len(listed(other, "study")) == 1 and document_id(other) == ident


def a_deletion_is_not_undone_where_nothing_is_left(board, _):
    """The other tab has deleted the position from which the move was deleted here."""
    ident = load_to_the_end(board, "1. e4 Hbd5 2. exd5 *", 3)
    with second_tab(board) as other:
        other.open(f"#analyse/{ident}")
        other.page.keyboard.press("ArrowRight")
        other.wait_for_ply(1)
        board.page.click("text=Delete from here on")
        board.wait_for_ply(2)
        until_kept(board)
        other.wait("agoge.tree.mainLine.length === 2")
        other.page.click("text=Delete from here on")
        board.wait("!agoge.tree.root.children.length && agoge.tree.current === agoge.tree.root")
        board.page.click(".toast:has-text('exd5') button")
        expect(board.page.locator(".toast:has-text('exd5')")).to_have_count(0)
        assert board.page.evaluate("agoge.tree.current === agoge.tree.root")


def a_deletion_is_undone_from_another_place(board, _):
    ident = load_to_the_end(board, "1. e4 Hbd5 2. exd5 *", 3)
    board.page.click("text=Delete from here on")
    board.wait_for_ply(2)
    until_kept(board)
    board.remember_undo()
    board.mode("games")
    board.undo()
    until_kept(board)
    assert len(stored(board, "study", ident)["value"]["tree"]["nodes"]) == 3


def moves_of_the_game_are_kept_in_its_analysis(board, _):
    """Without any change by the user."""
    board.turn_engine_off()
    board.open("#play")
    board.new_game("white")
    board.analyse_game()
    board.page.evaluate("agoge.tree.root.comment = 'a game'; agoge.changed()")
    until_kept(board)
    ident = document_id(board)
    board.mode("play")
    board.click("e2e4")
    board.wait_for_ply(2)
    board.analyse_game()
    assert document_id(board) == ident
    until_kept(board)
    assert len(stored(board, "study", ident)["value"]["tree"]["nodes"]) >= 2


def a_game_that_could_not_be_written_stays(board, _):
    """Also if the choice of a new game is left."""
    board.open("#play")
    board.new_game("white")
    until_kept(board)
    board.page.evaluate("void (agoge.documents.store.put = async () => { throw new Error('the disk is full') })")
    board.resign()
    expect(board.page.locator(".toast.error")).to_have_count(1)
    board.page.click("#new-game")
    board.page.click("#cancel-new")
    expect(board.status()).to_contain_text("0–1")
    board.page.evaluate("delete agoge.documents.store.put")
    until_kept(board)
    assert stored(board, "game", document_id(board))["value"]["play"]["end"]["result"] == "0-1"


def what_is_unwritten_is_written_at_the_next_start(board, _):
    ident = load(board, "1. e4 *")
    board.page.click("[aria-label='Last move']")
    board.wait_for_ply(1)
    until_kept(board)
    # The store does not answer any more.
    board.page.evaluate("void (agoge.documents.store.put = () => new Promise(() => {}))")
    board.type("Hbd5")
    board.wait_for_ply(2)
    reload(board)
    board.wait("agoge.tree.mainLine.length === 2")
    until_kept(board)
    nodes = stored(board, "study", ident)["value"]["tree"]["nodes"]
    assert [node["move"] for node in nodes] == ["e2e4", "b7d5"], nodes
    assert board.page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('agoge-unsent')).length") == 0


def an_answer_that_gets_lost_doubles_nothing(board, _):
    """The store has a first change, whose answer does not come, and the page is closed after a second one."""
    ident = load(board, "1. e4 *")
    board.page.click("[aria-label='Last move']")
    board.wait_for_ply(1)
    until_kept(board)
    board.page.evaluate("""() => {
        const { store } = agoge.documents;
        const put = store.put.bind(store);
        store.put = (...all) => put(...all).then(() => { window.written = true; return new Promise(() => {}); });
    }""")
    board.type("Hbd5")
    board.wait("window.written")
    board.type("exd5")
    board.wait_for_ply(3)
    reload(board)
    until_kept(board)
    assert [entry["id"] for entry in listed(board, "study")] == [ident]
    assert [node["move"] for node in stored(board, "study", ident)["value"]["tree"]["nodes"]] == ["e2e4", "b7d5", "e4d5"]
    assert board.page.evaluate(STEPS) == ["e2e4", "b7d5", "e4d5"]


def copies_that_cannot_be_written_stop_no_others(board, _):
    ident = load(board, "1. e4 *")
    until_kept(board)
    value = stored(board, "study", ident)["value"]
    copies = {
        "nonsense-0123456789abcdef-0123456789abcdef": {"revision": 0, "summary": {}, "value": 7},
        "study-0000000000000001-0123456789abcdef": {"revision": 0, "summary": {}, "value": value},
        # Changed elsewhere since: it becomes another analysis, but only one, even if the page is closed before it notes that.
        f"study-{ident}-0000000000000002": {"revision": 1, "summary": {}, "value": {**value, "writer": {"page": "2", "change": 1}}},
    }
    for _ in range(2):
        board.page.evaluate("copies => Object.entries(copies).forEach(([key, copy]) => localStorage.setItem(`agoge-unsent-${key}`, JSON.stringify(copy)))", copies)
        reload(board)
        board.wait("agoge.modeName === 'analyse'")
        ids = {entry["id"] for entry in listed(board, "study")}
        assert ids >= {ident, "0000000000000001"} and len(ids) == 3, ids


def a_deleted_game_does_not_come_back(board, _):
    """Not even if the engine was thinking in it; but by Undo it does."""
    board.open("#play")
    board.new_game("white")
    first = document_id(board)
    board.new_game("black", level="20", time="move:5")
    second = document_id(board)
    board.mode("games")
    for ident in (first, second):
        board.page.click(f"[data-id='{ident}'] [aria-label^=Delete]")
        expect(board.page.locator(f"[data-id='{ident}']")).to_have_count(0)
    board.remember_undo()
    board.page.wait_for_timeout(6000)
    assert listed(board, "game") == [] and board.page.title() == "Agoge – Spartan Chess"
    board.undo()
    expect(board.page.locator(f"[data-id='{second}']")).to_have_count(1)
    board.page.click(f"[data-id='{second}'] .game-row")
    board.wait("agoge.modeName === 'play' && agoge.tree.last.ply === 1 && agoge.board.movable")


def undo_brings_back_what_could_not_be_written(board, _):
    """And the message with it is not gone while a later one hides it."""
    board.turn_engine_off()
    ident = load(board, "1. e4 *")
    board.page.keyboard.press("End")
    board.wait_for_ply(1)
    until_kept(board)
    board.page.evaluate("void (agoge.documents.store.put = async () => { throw new Error('the disk is full') })")
    board.type("Hbd5")
    board.wait_for_ply(2)
    expect(board.page.locator(".toast.error")).to_have_count(1)
    board.mode("games")
    board.page.click(f"[data-id='{ident}'] [aria-label^=Delete]")
    undo = board.page.locator(".toast >> text=Undo")
    expect(undo).to_be_visible()
    board.page.evaluate("delete agoge.documents.store.put")
    board.page.wait_for_timeout(5000)
    board.page.evaluate("agoge.toast('Something else.')")
    expect(undo).to_be_hidden()
    undo.click(timeout=TIMEOUT)
    expect(board.page.locator(f"[data-id='{ident}']")).to_have_count(1)
    assert len(stored(board, "study", ident)["value"]["tree"]["nodes"]) == 2


def a_place_that_is_not_found_leaves_the_last_one(board, _):
    """Even if that one was still being entered."""
    board.open("#play")
    board.page.evaluate("""async () => {
        const mode = agoge.modes.get("analyse");
        const enter = mode.enter.bind(mode);
        let go;
        mode.enter = async (...all) => {
            await new Promise((resolve) => (go = resolve));
            return enter(...all);
        };
        const entered = agoge.enter("analyse");
        while (!go) await new Promise((resolve) => setTimeout(resolve));
        const other = agoge.enter("analyse", "0000000000000000");
        go();
        await Promise.all([entered, other]);
        delete mode.enter;
    }""")
    board.wait("!agoge.isEntering")
    board.wait_for_message("There is no such analysis")
    board.type("e4")
    board.wait_for_ply(1)
    ident = document_id(board)
    reload(board)
    board.wait("agoge.tree.mainLine.length === 1")
    assert document_id(board) == ident


def long_and_odd_names_fit_in_the_list(board, _):
    board.page.evaluate("""async () => {
        agoge.tree.tags = ["White", "Black", "Event", "Date"].map((name) => [name, name + "\\u0001\\u{1f600}漢".repeat(100)]);
        await agoge.enter("analyse", null, { tree: agoge.tree, isKept: true });
    }""")
    until_kept(board)
    board.mode("games")
    expect(board.page.locator(".games li")).to_contain_text("White")


def errors_of_the_store_are_told_once(board, _):
    board.open("#analyse")
    board.page.evaluate("void (agoge.documents.store.put = async () => { throw new Error('the disk is full') })")
    board.type("e4")
    board.wait_for_ply(1)
    expect(board.page.locator(".toast.error")).to_have_text("The disk is full.")
    board.type("Hbd5")
    board.wait_for_ply(2)
    expect(board.page.locator(".toast.error")).to_have_count(1)
    # When there is space again, the latest state is written.
    board.page.evaluate("delete agoge.documents.store.put")
    board.type("d4")
    board.wait_for_ply(3)
    until_kept(board)
    assert len(stored(board, "study", document_id(board))["value"]["tree"]["nodes"]) == 3


def a_browser_that_keeps_nothing(board, context):
    if context.native:
        return
    board.page.add_init_script("Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('denied') } })")
    board.open("#play")
    expect(board.page.locator(".toast.error")).to_have_count(1)
    expect(board.page.locator(".toast.error")).to_contain_text("This browser keeps nothing")
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    board.mode("games")
    expect(board.page.locator("#panel")).to_contain_text("This browser keeps nothing")


def what_earlier_versions_kept_is_taken_over(board, _):
    tree = {"variant": "spartan", "fen": "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", "tags": [["White", "You"], ["Black", "Agoge (1310 Elo)"]], "result": "*", "comment": "",
            "nodes": [{"move": "e2e4", "san": "e4", "fen": "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQ - 0 1"}], "at": ["e2e4"]}
    old = {"agoge-game": {"tree": tree, "mode": "play", "flipped": False, "play": {"side": "white", "level": "3", "moveTime": None, "clock": None, "end": None, "moves": ["e2e4"]}},
           "agoge-puzzles": {"solved": ["x"], "failed": []}, "agoge-play-setup": {"level": "7"}, "agoge-analysis": {"lines": 3}}
    board.page.evaluate("old => Object.entries(old).forEach(([key, value]) => localStorage.setItem(key, JSON.stringify(value)))", old)
    board.page.evaluate("sessionStorage.clear()")
    board.open()
    assert board.page.evaluate("[agoge.modes.get('play').setup.level, agoge.modes.get('analyse').enginePanel.setup.lines, agoge.profiles.puzzles.value.solved]") == ["7", 3, ["x"]]
    board.page.click(".resume")
    board.wait("agoge.mode.isRunning && agoge.tree.last.ply === 2")
    until_kept(board)
    assert board.page.evaluate("Object.keys(localStorage)") == ["agoge-settings"]
    reload(board)
    assert len(listed(board, "game")) == 1


# ---- the connection


def a_suspended_server_is_noticed(board, context):
    if not context.native:
        return
    board.open("#learn")
    bar = board.page.locator("#connection")
    expect(bar).to_be_hidden()
    os.kill(context.server.process.pid, signal.SIGSTOP)
    try:
        expect(bar).to_contain_text("does not answer")
    finally:
        os.kill(context.server.process.pid, signal.SIGCONT)
    expect(bar).to_be_hidden()


def a_killed_server_is_said_and_the_page_goes_on(board, context):
    """In a game while the engine thinks, in an analysis, and in a new tab, over restarts of the server."""
    if not context.native:
        return
    context.expects_disconnect = True
    bar = board.page.locator("#connection")
    board.open("#play")
    board.new_game("white", level="20", time="move:1")
    board.click("e2e4")
    context.server.stop()
    expect(bar).to_contain_text("The connection to agoge gui is lost")
    board.page.wait_for_timeout(1500)
    expect(bar).to_be_visible()
    context.server.start()
    expect(bar).to_be_hidden()
    board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")
    game = document_id(board)
    study = load(board, "1. e4 Hbd5 2. d4 *")
    board.page.wait_for_selector(".pv .score", timeout=TIMEOUT)
    context.server.stop()
    expect(bar).to_be_visible()
    # A move during the interruption is played when the server is back.
    board.type("c4")
    context.server.start()
    board.wait_for_ply(1)
    expect(bar).to_be_hidden()
    board.page.wait_for_selector(".pv .score", timeout=TIMEOUT)
    until_kept(board)
    context.server.restart()
    expect(bar).to_be_hidden()
    reload(board)
    assert board.page.evaluate("agoge.tree.root.children.map(({move}) => move)") == ["e2e4", "c2c4"]
    assert document_id(board) == study
    with context.other_page() as other:
        # Another browser finds everything, too.
        other.open(f"#analyse/{study}")
        assert other.page.evaluate("agoge.tree.root.children.length") == 2
        other.mode("games")
        expect(other.page.locator(".games li")).to_have_count(2)
        assert other.page.locator(f"[data-id='{game}']").count() == 1


def a_large_question_may_take_longer(board, context):
    """The page says that the server does not answer, but not while that reads a large file."""
    if not context.native:
        return
    silent = "(() => { const { backend } = agoge; backend.asked = null; backend.heard = Date.now() - 20_000; backend.watch(); return !!backend.asked; })()"
    board.open("#learn")
    assert board.page.evaluate(silent)
    os.kill(context.server.process.pid, signal.SIGSTOP)
    try:
        board.page.evaluate("void agoge.ask({ ask: 'list-pgn', text: '1. e4 *\\n\\n'.repeat(20_000), line: 1, cut: false, more: false })")
        assert not board.page.evaluate(silent)
    finally:
        os.kill(context.server.process.pid, signal.SIGCONT)
    board.wait("!agoge.backend.waiting.size")


def impatient_moves_are_played_once(board, context):
    if not context.native:
        return
    context.expects_disconnect = True
    board.open("#play")
    board.new_game("white")
    board.wait("agoge.board.movable")
    context.server.stop()
    board.click("e2e4")
    board.click("d2d4")
    context.server.start()
    board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")
    until_kept(board)
    nodes = stored(board, "game", document_id(board))["value"]["tree"]["nodes"]
    assert [node["move"] for node in nodes][0] == "e2e4" and not any("variations" in node for node in nodes), nodes


def an_updated_server_gets_a_new_page(board, context):
    if not context.native:
        return
    context.expects_disconnect = True
    ident = load(board, "1. e4 *")
    board.page.evaluate("void (agoge.backend.limits.page = 'of another version')")
    with board.page.expect_event("load"):
        context.server.restart()
    board.wait_until_ready()
    assert document_id(board) == ident and board.page.evaluate(STEPS) == ["e2e4"]


def an_engine_that_cannot_start_is_tried_after_pauses(board, _):
    board.open("#learn")
    times = board.page.evaluate("""async () => {
        const { engine, backend } = agoge;
        const begin = performance.now(), times = [];
        // Each engine ends at once.
        backend.restart = () => { times.push(performance.now() - begin); setTimeout(() => engine.ended()); };
        engine.ended();
        await new Promise((resolve) => setTimeout(resolve, 4000));
        delete backend.restart;
        return times;
    }""")
    assert 2 <= len(times) <= 3 and times[0] < 100 and times[1] > 900, times


def failed_workers_are_replaced(board, context):
    if context.native:
        return
    board.open("#learn")
    # A message of no kind; a question behind it is asked anew.
    answer = board.page.evaluate("""async () => {
        agoge.backend.rules.postMessage({});
        const lost = agoge.ask({ ask: "limits" }).catch((error) => error.message);
        const next = agoge.ask({ ask: "limits" });
        return [await lost, (await next).document];
    }""")
    assert "The rules of the game have failed" in answer[0] and answer[1] > 0, answer
    # The lines of the engine, too.
    board.page.evaluate("""() => {
        const ask = agoge.ask.bind(agoge);
        agoge.ask = async (question) => {
            if (question.ask !== "line") return ask(question);
            delete agoge.ask;
            throw new Error("lost");
        };
    }""")
    board.mode("analyse")
    board.page.wait_for_selector(".pv .pv-move", timeout=TIMEOUT)
    # The worker reads no messages while it searches.
    board.page.evaluate("agoge.engine.stop().then(() => agoge.backend.engine.postMessage({}))")
    expect(toast(board)).to_contain_text("The engine stopped")
    board.type("e4")
    board.wait("agoge.tree.current.ply === 1 && document.querySelector('.pv .score')")


def two_browsers_change_different_settings(board, context):
    """They share a server, but hear nothing of each other."""
    if not context.native:
        return
    with context.other_page() as other:
        other.open()
        for each, text in ((board, "Dark"), (other, "Letters")):
            each.page.click("#settings-button")
            each.page.check(f"text={text}", force=True)
            each.page.keyboard.press("Escape")
            until_kept(each)
    value = stored(board, "profile", "settings")["value"]
    assert (value["theme"], value["pieces"]) == ("dark", "letters"), value


TESTS = [
    a_game_is_kept_with_its_state, a_game_goes_on_while_another_place_is_shown, title_and_icon_say_whose_turn_it_is,
    nothing_replaces_a_running_game, two_tabs_have_a_game_each, enter_on_play_moves_the_focus_to_the_board,
    back_and_forward, a_study_survives_a_reload, a_watched_game_goes_on_after_a_reload, only_one_tab_plays_a_watched_game, a_watched_game_that_is_left_stays_one,
    the_end_of_a_game_reaches_another_tab, a_game_taken_over_in_a_move_stays_one, a_place_left_while_a_game_is_waited_for_stays_left, a_game_with_another_id_stays_held, a_game_gets_another_id_without_locks, a_followed_game_leaves_the_user_where_he_is, a_puzzle_and_the_record_survive_a_reload,
    settings_reach_other_tabs_and_the_next_visit, my_games_are_found_deleted_and_saved, a_damaged_game_does_not_stop_the_others, two_tabs_with_one_study_keep_both_versions, a_study_in_two_tabs_is_the_same,
    a_deletion_is_not_undone_where_nothing_is_left, a_deletion_is_undone_from_another_place,
    moves_of_the_game_are_kept_in_its_analysis, a_game_that_could_not_be_written_stays,
    undo_brings_back_what_could_not_be_written, a_place_that_is_not_found_leaves_the_last_one,
    what_is_unwritten_is_written_at_the_next_start, an_answer_that_gets_lost_doubles_nothing,
    copies_that_cannot_be_written_stop_no_others, a_deleted_game_does_not_come_back, long_and_odd_names_fit_in_the_list, errors_of_the_store_are_told_once, a_browser_that_keeps_nothing,
    what_earlier_versions_kept_is_taken_over, a_suspended_server_is_noticed,
    a_killed_server_is_said_and_the_page_goes_on, a_large_question_may_take_longer, impatient_moves_are_played_once, an_updated_server_gets_a_new_page,
    an_engine_that_cannot_start_is_tried_after_pauses, failed_workers_are_replaced, two_browsers_change_different_settings,
]
