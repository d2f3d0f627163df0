"""Tests of games on the board in the browser: clocks, premoves, two people, and what asks before it acts.

They are run by gui_browser.py. Each gets the board and the context, as there.
"""

import os
import re
import time

from playwright.sync_api import expect

from gui_hands import a_game_for_premoves, answer, slow_engine, wait_for_the_turn
from gui_page import native_only
from gui_store import STEPS, document_id, reload, second_tab, stored, toast, until_kept

CLOCK = "agoge.mode.clock.state"
CLOCK_OF_WATCH = "agoge.modes.get('watch').clock.state"


def start(board):
    board.page.click("#start")
    board.wait("!document.querySelector('#start') && agoge.mode.isShown && !agoge.isEntering")


def own_time(board, *numbers):
    """Chooses another time than those of the list: minutes and seconds, of one or both sides."""
    board.page.select_option("select:has(option[value=own])", "own")
    board.page.set_checked("#own-time >> text=Different times", len(numbers) > 2)
    for index, number in enumerate(numbers):
        board.page.fill(f"#own-time input[type=number] >> nth={index}", str(number))


def saved_pgn(board):
    """The text of all games, as the list saves it."""
    until_kept(board)
    board.mode("games")
    with board.page.expect_download() as download:
        board.page.click("#games-save")
    with open(download.value.path()) as file:
        return file.read()


def two_people(board, time="none", names=("Xerxes", "Leonidas")):
    board.open("#play")
    page = board.page
    page.check("input[name=opponent][value=person]", force=True)
    for side, name in zip(("white", "black"), names):
        page.fill(f"[name=name-{side}]", name)
    page.select_option("select:has(option[value=own])", time)
    start(board)
    board.wait("agoge.board.movable")


# ---- time


def any_time_can_be_chosen(board, _):
    page = board.page
    board.open("#play")
    own_time(board, 0, 0)
    page.click("#start")
    expect(page.locator("#time-error")).to_have_text("A clock needs minutes or seconds.")
    own_time(board, 601, 0)
    page.click("#start")
    expect(page.locator("#time-error")).to_have_text("Minutes and seconds are numbers from 0 to 600.")
    # Half a minute and seven seconds a move.
    own_time(board, 0.5, 7)
    expect(page.locator("#time-error")).to_be_empty()
    start(board)
    assert page.evaluate(f"[{CLOCK}.white, {CLOCK}.black]") == [30_000, 30_000]
    expect(page.locator("#strip-bottom .clock")).to_have_text("0:30")
    board.click("e2e4")
    board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")
    board.click("d2d4")
    board.wait("agoge.tree.last.ply >= 3")
    assert 30_000 < page.evaluate(f"{CLOCK}.white") <= 37_000
    assert "0:00:3" in page.evaluate("agoge.tree.last.path[2].clock")
    board.resign()
    # The choice is remembered; the user's time goes with the user's side. Only seconds: one begins with those of a move.
    board.open()
    page.click("#new-game")
    assert page.locator("#own-time input[type=number]").evaluate_all("fields => fields.map(({value}) => value)") == ["0.5", "7"]
    own_time(board, 90, 0, 0, 2)
    page.check("input[name=side][value=black]", force=True)
    start(board)
    board.wait("agoge.tree.last.ply === 1 && agoge.board.movable")
    expect(page.locator("#strip-bottom .clock")).to_contain_text("1:29:5")
    assert page.evaluate(f"[{CLOCK}.start.white, {CLOCK}.start.black]") == [2_000, 5_400_000]
    board.resign()
    # The rematch, with sides changed.
    page.click("text=Rematch")
    board.wait(f"agoge.mode.state.side === 'white' && {CLOCK}.white === 5_400_000 && {CLOCK}.black === 2_000")
    board.resign()
    pgn = saved_pgn(board)
    assert '[TimeControl "30+7"]' in pgn and '[WhiteTimeControl "2+2"]' in pgn and '[BlackTimeControl "5400+0"]' in pgn, pgn
    assert re.search(r"1\. e4 \{\[%clk 0:00:30\]\} 1\.\.\. \S+ \{\[%clk 0:00:3", pgn) and '[Termination "normal"]' in pgn, pgn


def a_flag_falls_and_a_move_is_taken_back(board, _):
    page = board.page
    board.open("#play")
    board.new_game("white", time="clock:300+3")
    for move, ply in (("e2e4", 2), ("d2d4", 4)):
        board.click(move)
        board.wait(f"agoge.tree.last.ply === {ply} && agoge.board.movable")
    ident = document_id(board)
    times = page.evaluate("agoge.tree.mainLine.map(({clock}) => clock)")
    assert len(times) == 4 and all(re.fullmatch(r"0:0[45]:\d\d(\.\d)?", text) for text in times), times
    page.evaluate(f"void ({CLOCK}.white = 300)")
    expect(board.status()).to_have_text("0–1 · Spartans win on time")
    until_kept(board)
    assert '[Termination "time forfeit"]' in saved_pgn(board)
    expect(page.locator(f"[data-id='{ident}']")).to_contain_text("0–1")
    board.mode("play")
    expect(board.status()).to_have_text("0–1 · Spartans win on time")
    page.click("text=Take back")
    board.wait("agoge.mode.isRunning && agoge.tree.last.ply === 2 && agoge.board.movable")
    white, black = page.evaluate(f"[{CLOCK}.white, {CLOCK}.black]")
    # The first move costs nothing, and the clock runs again.
    assert 240_000 < white <= 300_000 and abs(black - seconds(times[1]) * 1000) < 1, (white, black, times)
    expect(page.locator("#strip-bottom .clock")).to_have_class(re.compile("running"))
    until_kept(board)
    assert "Termination" not in str(stored(board, "game", ident)["value"]["tree"]["tags"])
    page.click("text=Take back")
    board.wait("agoge.tree.last.ply === 0")
    page.wait_for_timeout(300)
    assert page.evaluate(f"[{CLOCK}.white, {CLOCK}.black, {CLOCK}.running]") == [300_000, 300_000, None]
    board.resign()


def nobody_wins_on_time_with_a_bare_king(board, _):
    page = board.page
    # A hoplite may become a king or more, so it wins; a king alone cannot mate.
    for fen, text in (("k7/8/8/8/8/8/4P3/4K3 w - - 0 1", "½–½ · Draw on time against a bare king"), ("k7/7h/8/8/8/8/4P3/4K3 w - - 0 1", "0–1 · Spartans win on time"),
                      ("kk6/8/8/8/8/8/4P3/4K3 w - - 0 1", "0–1 · Spartans win on time")):
        board.load_position(fen)
        page.click("text=Play on from here")
        page.check("input[name=opponent][value=person]", force=True)
        page.select_option("select:has(option[value=own])", "clock:180+2")
        start(board)
        for move in ("e2e4", page.evaluate("agoge.tree.fen.startsWith('kk') ? 'b8c8' : 'a8b8'")):
            board.click(move)
            board.wait(f"agoge.tree.current.move === '{move}' && agoge.board.movable")
        page.evaluate(f"void ({CLOCK}.white = 100)")
        expect(board.status()).to_have_text(text)
    until_kept(board)
    assert '[Termination "time forfeit"]' in saved_pgn(board)


def seconds(text):
    hours, minutes, rest = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def nothing_stops_the_clock_of_the_user(board, _):
    """Neither another place, a second page, a frozen tab, a reload nor a closed page; and nothing gives time back."""
    page = board.page
    board.open("#play")
    board.new_game("white", time="clock:300+3")
    board.click("e2e4")
    board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")
    ident = document_id(board)

    def read():
        """The clock, and when it was read at the earliest and at the latest, in milliseconds."""
        begin = time.monotonic()
        left = page.evaluate("agoge.modes.get('play').clock.state.white")
        return left, 1000 * begin, 1000 * time.monotonic()

    first, begin, end = read()

    def compare(how):
        # A busy machine shows the time late for a moment; an error would stay.
        deadline = time.monotonic() + 20
        while True:
            left, earliest, latest = read()
            if earliest - end - 700 < first - left < latest - begin + 700:
                return
            assert time.monotonic() < deadline, (how, first, left, earliest - end, latest - begin)
            time.sleep(0.1)

    board.mode("learn")
    page.wait_for_timeout(1000)
    compare("another place")
    board.mode("play")
    compare("back again")
    page.click("#new-game")
    page.wait_for_timeout(500)
    compare("the choice of a new game")
    page.click("#cancel-new")
    with second_tab(board) as other:
        other.open(f"#play/{ident}")
        clock = other.page.locator("#strip-bottom .clock")
        text = clock.inner_text()
        # It runs there, too, but only to look at.
        expect(clock).not_to_have_text(text)
        assert not other.page.evaluate("agoge.mode.game.isHeld")
        page.bring_to_front()
        compare("a second page")
    session = page.context.new_cdp_session(page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    time.sleep(1.5)
    session.send("Page.setWebLifecycleState", {"state": "active"})
    session.detach()
    page.wait_for_timeout(300)
    compare("a frozen tab")
    reload(board)
    board.wait(f"{CLOCK}.running === 'white'")
    page.wait_for_timeout(200)
    compare("a reload")
    page.goto("about:blank")
    time.sleep(1)
    board.open(f"#play/{ident}")
    page.wait_for_timeout(200)
    compare("a closed page")
    # As if the machine had slept for an hour.
    page.evaluate(f"void ({CLOCK}.since -= 3_600_000)")
    expect(board.status()).to_have_text("0–1 · Spartans win on time")


def a_sleep_does_not_cost_the_engine_the_game(board, _):
    page = board.page
    board.open("#play")
    board.new_game("white", time="clock:60+0")
    slow_engine(board)
    board.click("e2e4")
    board.wait(f"{CLOCK}.running === 'black'")
    page.evaluate(f"void ({CLOCK}.since -= 3_600_000)")
    page.wait_for_timeout(300)
    assert page.evaluate(f"agoge.mode.isRunning && {CLOCK}.black > 50_000")
    answer(board)
    board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")


def a_sleep_does_not_end_a_watched_game(board, _):
    board.open("#watch")
    board.start_watching()
    board.wait(f"{CLOCK_OF_WATCH}.running && ({CLOCK_OF_WATCH}.since -= 3_600_000)")
    board.wait("agoge.mode.end || agoge.tree.last.ply >= 4")
    assert board.page.evaluate("!agoge.mode.end")


def a_game_costs_a_watched_one_no_time(board, _):
    page = board.page
    board.open("#watch")
    board.start_watching()
    board.wait(f"{CLOCK_OF_WATCH}.running")
    # As if a game used the engine.
    page.evaluate("void (agoge.engine.game = new Promise((resolve) => (window.free = resolve)))")
    page.wait_for_timeout(300)
    before = page.evaluate(CLOCK_OF_WATCH)
    page.wait_for_timeout(1500)
    after = page.evaluate(CLOCK_OF_WATCH)
    assert [after["white"], after["black"]] == [before["white"], before["black"]], (before, after)
    ply = page.evaluate("agoge.tree.last.ply")
    page.evaluate("agoge.engine.game = null, free()")
    board.wait(f"agoge.tree.last.ply > {ply}")


def a_game_that_waits_for_the_engine_costs_it_no_time(board, _):
    page = board.page
    board.open("#play")
    board.new_game("white", time="clock:180+2")
    # The engine thinks about the first game until it is told to stop.
    page.evaluate("""() => {
        const { engine } = agoge;
        const begin = engine.begin.bind(engine);
        engine.begin = (line, limits, ...rest) => begin(line, window.isFree ? limits : "infinite", ...rest);
    }""")
    board.click("e2e4")
    board.wait("!!agoge.engine.search && !!agoge.engine.game")
    page.evaluate("window.first = agoge.mode.game")
    board.new_game("white", time="clock:180+2")
    board.click("d2d4")
    board.wait("agoge.mode.game.isWaiting")
    read = f"first.clock.count(), agoge.mode.clock.count(), [{CLOCK}.black, first.state.clock.black]"
    before = page.evaluate(read)
    page.wait_for_timeout(2500)
    after = page.evaluate(read)
    # In the first game it does think.
    assert before[0] == after[0] and before[1] > after[1] + 2000, (before, after)
    page.evaluate("window.isFree = true, agoge.backend.send('stop')")
    board.wait("agoge.tree.last.ply === 2 && first.tree.last.ply === 2")
    # That its answer took has been counted.
    assert page.evaluate(f"{CLOCK}.black") < before[0] + 2000


def a_pause_before_a_move_costs_no_time(board, _):
    """The engine answers at once, with little time left."""
    little = "Object.assign(clock, { [clock.running]: 200, since: Date.now() })"
    board.open("#play")
    board.new_game("white", time="clock:60+0")
    board.page.evaluate(f"""void (agoge.engine.goInGame = async () => {{
        const clock = {CLOCK};
        {little};
        return {{ best: "b7d5" }};
    }})""")
    board.click("e2e4")
    board.wait("agoge.mode.state.end || agoge.tree.last.ply === 2 && agoge.board.movable")
    assert board.page.evaluate(f"agoge.mode.isRunning && {CLOCK}.black > 0")
    board.resign()
    board.open("#watch")
    board.page.evaluate(f"""void (agoge.engine.go = async ({{ moves }}) => {{
        if (moves.length > 2) return agoge.mode.rest();
        const clock = {CLOCK_OF_WATCH};
        {little};
        return {{ best: ["e2e4", "b7d5", "g1f3"][moves.length] }};
    }})""")
    board.page.click("#watch-start")
    board.wait("agoge.mode.end || agoge.tree.last.ply === 3")
    # Each has got its increment.
    assert board.page.evaluate("!agoge.mode.end && agoge.tree.mainLine.every(({clock}) => clock.startsWith('0:00:01'))")


# ---- what asks first


def resigning_asks_first(board, _):
    page = board.page
    board.open("#play")
    board.new_game("white")
    button, cancel = page.locator("#resign"), page.locator(".confirm [aria-label=Cancel]")
    for undo in (lambda: page.keyboard.press("Escape"), cancel.click, lambda: board.square("e4").click()):
        button.click()
        expect(button).to_have_text("Really resign?")
        undo()
        expect(button).to_have_text("Resign")
        expect(cancel).to_be_hidden()
    # A double click is one press.
    button.dblclick()
    expect(button).to_have_text("Really resign?")
    assert page.evaluate("agoge.mode.isRunning")
    page.keyboard.press("Enter")
    expect(board.status()).to_have_text("0–1 · Spartans win by resignation")
    # The button that had the focus is gone; the next one is near.
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('#panel').contains(document.activeElement)")


def a_new_game_can_be_cancelled(board, _):
    page = board.page
    a_game_for_premoves(board)
    ident = document_id(board)
    page.click("#new-game")
    expect(page.locator("#panel")).to_contain_text("Your game goes on meanwhile.")
    page.check("input[name=variant][value=chess]", force=True)
    assert page.evaluate("document.activeElement.value") == "chess"
    # The engine's move does not close the panel.
    answer(board, "b7d5")
    board.wait("agoge.tree.current.ply === 2 && agoge.board.movable")
    expect(page.locator("#start")).to_be_visible()
    page.click("#cancel-new")
    expect(page.locator("#resign")).to_be_visible()
    assert document_id(board) == ident and board.moves() == ["e4", "Hbd5"]
    board.click("e4d5")
    board.wait("agoge.tree.last.ply >= 3")
    # From another place it goes back there.
    board.load("1. d4 *")
    page.keyboard.press("End")
    board.wait_for_ply(1)
    study = document_id(board)
    page.click("text=Play on from here")
    page.click("#cancel-new")
    board.wait(f"location.hash === '#analyse/{study}' && agoge.tree.current.ply === 1")
    assert page.evaluate("[...agoge.modes.get('play').games].filter(({isRunning}) => isRunning).length") == 1


def a_tap_right_after_play_counts(board, _):
    """However long the game takes to begin."""
    page = board.page
    for delay in (0, 900):
        for between in (False, True):
            page.evaluate("sessionStorage.clear()")
            board.open("#play")
            page.evaluate("""delay => {
                const { locks } = navigator;
                const request = locks.request.bind(locks);
                locks.request = (...all) => new Promise((resolve) => setTimeout(resolve, delay)).then(() => request(...all));
            }""", delay)
            if between:
                board.square("e2").click()
            page.click("#start")
            if not between:
                board.square("e2").click()
            board.square("e4").click()
            board.wait("agoge.tree.mainLine[0]?.move === 'e2e4'")
            board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")
            board.resign()


def the_levels_have_the_ratings_of_the_engine(board, _):
    page = board.page
    with open(os.path.join(os.path.dirname(__file__), "../engine/README.md")) as file:
        ladder = re.findall(r"^\| (\d+) \| (\d+) \| \d+ \| [\d.]+ \|", file.read(), re.MULTILINE)
    assert [int(level) for level, _ in ladder] == list(range(20)), ladder
    board.mode("play")
    texts = page.locator("select:has(option[value='20']) option").all_inner_texts()
    assert len(texts) == 21 and texts[-1] == "Level 21 · full strength", texts
    assert [re.search(r"(\d+) Elo", text)[1] for text in texts[:20]] == [elo for _, elo in ladder], (texts, ladder)
    page.select_option("select:has(option[value='20'])", "7")
    start(board)
    expect(page.locator(".strip", has_text="Agoge")).to_contain_text(f"{ladder[7][1]} Elo")
    board.resign()


# ---- two people


def two_people_play_at_one_board(board, _):
    page = board.page
    two_people(board, "clock:300+3")
    ident = document_id(board)
    assert page.title() == "Agoge – Spartan Chess"
    expect(page.locator("#strip-bottom")).to_contain_text("Xerxes Persians")
    expect(page.locator("#strip-top")).to_contain_text("Leonidas Spartans")
    expect(page.locator("#panel select")).to_have_count(0)
    board.click("e2e4")
    board.wait_for_ply(1)
    # Both sides move by hand; nothing is moved in advance.
    board.drag("d2d4")
    assert page.evaluate("agoge.board.premove === null")
    board.click("b7d5")
    board.wait_for_ply(2)
    board.wait(f"{CLOCK}.running === 'white'")
    board.type("exd5")
    board.wait_for_ply(3)
    page.click("text=Hint")
    page.wait_for_selector(".arrow-hint", state="attached")
    # Only the last move is taken back.
    page.click("text=Take back")
    board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")
    page.check("text=Turn the board after each move")
    board.click("g1f3")
    board.wait("agoge.tree.last.ply === 3 && agoge.board.flipped")
    board.click("g8f6")
    board.wait("agoge.tree.last.ply === 4 && !agoge.board.flipped")
    moves = page.evaluate(STEPS)
    until_kept(board)
    reload(board)
    assert document_id(board) == ident and page.evaluate(STEPS) == moves
    board.wait(f"agoge.board.movable && {CLOCK}.running === 'white'")
    expect(page.locator("text=Turn the board after each move")).to_be_checked()
    # The one to move resigns, or both agree.
    page.click("#resign")
    expect(page.locator("#resign")).to_have_text("Persians resign?")
    page.keyboard.press("Escape")
    page.click("#draw")
    expect(page.locator("#draw")).to_have_text("Do both agree?")
    page.keyboard.press("Enter")
    expect(board.status()).to_have_text("½–½ · Draw by agreement")
    page.click("text=Rematch")
    board.wait("agoge.mode.isRunning && agoge.board.movable && agoge.tree.last.ply === 0")
    expect(page.locator("#strip-bottom")).to_contain_text("Leonidas Persians")
    board.click("e2e4")
    board.wait_for_ply(1)
    page.click("#resign")
    page.click("#resign:has-text('Spartans resign?')")
    expect(board.status()).to_have_text("1–0 · Persians win by resignation")
    pgn = saved_pgn(board)
    for part in ('[White "Xerxes"]', '[Black "Leonidas"]', "1/2-1/2", "1-0", '[TimeControl "300+3"]'):
        assert part in pgn, (part, pgn)
    expect(page.locator(f"[data-id='{ident}']")).to_contain_text("Xerxes – Leonidas")


def two_people_end_a_game_by_mate_and_by_the_clock(board, _):
    page = board.page
    two_people(board, names=("", ""))
    for text, ply in (("g4", 1), ("Wf6", 2), ("f3", 3), ("Wh4", 4)):
        board.type(text)
        board.wait_for_ply(ply)
    expect(board.status()).to_have_text("0–1 · Spartans win by checkmate")
    page.click("#new-game")
    page.select_option("select:has(option[value=own])", "clock:180+2")
    start(board)
    board.click("e2e4")
    board.wait(f"{CLOCK}.running === 'black'")
    # Both clocks are those of people: a closed page does not stop them.
    page.evaluate(f"void ({CLOCK}.black = 4000)")
    page.evaluate("agoge.mode.document.touch()")
    until_kept(board)
    page.goto("about:blank")
    time.sleep(4)
    board.open()
    expect(board.status()).to_have_text("1–0 · Persians win on time")


# ---- hands in a real game


def premoves_against_the_engine(board, _):
    page = board.page
    board.open("#play")
    board.new_game("white", level="20", time="move:1")
    # The engine moves when all is done that comes before.
    page.evaluate("""() => {
        const { engine } = agoge;
        const go = engine.goInGame.bind(engine);
        engine.goInGame = async (...all) => {
            await new Promise((resolve) => (window.go = resolve));
            return go(...all);
        };
    }""")
    board.click("e2e4")
    board.wait("agoge.board.premovable === 'white' && agoge.board.others")
    board.drag("g1f3")
    expect(page.locator(".cell.premove")).to_have_count(2)
    page.evaluate("go()")
    board.wait("agoge.tree.last.ply === 3 && agoge.board.others")
    page.evaluate("go()")
    board.wait("agoge.tree.mainLine[2]?.move === 'g1f3'")
    board.wait("agoge.tree.last.ply === 4 && agoge.board.movable")
    # A capture of nothing is dropped, by the click elsewhere and by Escape nothing is left to play.
    for move, cancel in (("f3a3", None), ("d2d4", lambda: page.keyboard.press("Escape")), ("d2d4", lambda: page.mouse.click(*board.centre("h5"), button="right"))):
        ply = page.evaluate("agoge.tree.last.ply")
        board.click(page.evaluate("agoge.shown.legal.find(({move}) => /^[abgh]2/.test(move)).move"))
        board.wait(f"agoge.tree.last.ply === {ply + 1} && agoge.board.others")
        board.drag(move)
        if cancel:
            cancel()
        page.evaluate("go()")
        wait_for_the_turn(board)
        assert page.evaluate("agoge.tree.last.ply") == ply + 2


def no_premove_in_an_earlier_position(board, _):
    page = board.page
    a_game_for_premoves(board)
    page.keyboard.press("Home")
    board.wait_for_ply(0)
    board.drag("g1f3")
    expect(toast(board)).to_have_text("This is an earlier position. Go to the last move to play on.")
    answer(board, "b7d5")
    board.wait("agoge.tree.last.ply === 2")
    # The page stays there, and the user plays on at the last move.
    assert page.evaluate("agoge.tree.current.ply") == 0 and not page.evaluate("agoge.board.movable")
    page.keyboard.press("End")
    wait_for_the_turn(board)
    board.click("e4d5")
    board.wait("agoge.tree.last.path[2]?.move === 'e4d5'")


def the_king_castles_onto_the_rook_in_a_game(board, _):
    for act, move, result in ((board.drag, "e1h1", "O-O"), (board.click, "e1a1", "O-O-O")):
        board.load_position("1k6/8/8/8/8/8/8/R3K2R w KQ - 0 1")
        board.page.click("text=Play on from here")
        start(board)
        board.wait("agoge.board.movable")
        act(move)
        board.wait(f"agoge.tree.mainLine[0]?.san.startsWith('{result}')")
        board.wait("agoge.tree.last.ply >= 2")
        board.resign()


# ---- the analysis of a game


def back_to_the_game(board):
    until_kept(board)
    board.mode("play")
    board.wait("agoge.mode.isShown && agoge.board.position.fen === agoge.tree.last.fen")


def play_move(board, move):
    board.wait("agoge.board.movable")
    board.click(move)
    board.wait(f"agoge.tree.last.move === '{move}' && agoge.tree.current === agoge.tree.last")


def the_analysis_has_the_game_as_its_main_line(board, _):
    """Whatever was tried in it while the game was running, and with the times."""
    page = board.page
    board.turn_engine_off()
    two_people(board, "clock:300+3")
    for move in ("e2e4", "b7d5", "g1f3"):
        play_move(board, move)
    board.analyse_game()
    board.type("Wf6")
    board.wait_for_ply(4)
    back_to_the_game(board)
    # A move that is taken back, and one that was tried before.
    page.click("text=Take back")
    board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")
    for move in ("g1f3", "g8f6", "b1c3"):
        play_move(board, move)
    page.click("text=Take back")
    board.wait("agoge.tree.last.ply === 4 && agoge.board.movable")
    board.analyse_game()
    board.type("d3")
    board.wait_for_ply(5)
    back_to_the_game(board)
    play_move(board, "e4d5")
    moves = page.evaluate("agoge.tree.mainLine.map(({move, clock}) => [move, clock])")
    assert len(moves) == 5 and all(clock for _, clock in moves), moves
    board.analyse_game()
    assert page.evaluate("agoge.tree.mainLine.map(({move, clock}) => [move, clock])") == moves
    assert page.evaluate("agoge.tree.last.parent.children.map(({san}) => san)") == ["exd5", "d3"]


def names_and_result_of_an_analysis_stay(board, _):
    page = board.page
    board.turn_engine_off()
    two_people(board)
    play_move(board, "e2e4")
    board.analyse_game()
    page.click("#annotate")
    page.click("#edit-tags")
    page.fill("dialog [name=White]", "Anna")
    page.click("#save-tags")
    back_to_the_game(board)
    board.agree_to_a_draw()
    board.analyse_game()
    header, end = page.locator(".game-header strong"), page.locator(".moves .end")
    expect(header).to_have_text("Anna – Leonidas")
    expect(end).to_have_text("½–½ · Draw by agreement")
    assert ["Termination", "normal"] in page.evaluate("agoge.tree.tags")
    # Another result has not the reason of the first one.
    page.click("#edit-tags")
    page.select_option("dialog select", "1-0")
    page.click("#save-tags")
    expect(end).to_have_text("1–0")
    back_to_the_game(board)
    board.analyse_game()
    expect(header).to_have_text("Anna – Leonidas")
    expect(end).to_have_text("1–0")


# These do not depend on the backend.
native_only(
    any_time_can_be_chosen, resigning_asks_first, a_new_game_can_be_cancelled, two_people_play_at_one_board, two_people_end_a_game_by_mate_and_by_the_clock,
    no_premove_in_an_earlier_position, the_king_castles_onto_the_rook_in_a_game, names_and_result_of_an_analysis_stay,
)

TESTS = [
    any_time_can_be_chosen, a_flag_falls_and_a_move_is_taken_back, nobody_wins_on_time_with_a_bare_king, nothing_stops_the_clock_of_the_user, a_sleep_does_not_cost_the_engine_the_game,
    a_sleep_does_not_end_a_watched_game, a_game_costs_a_watched_one_no_time, a_game_that_waits_for_the_engine_costs_it_no_time, a_pause_before_a_move_costs_no_time, resigning_asks_first, a_new_game_can_be_cancelled, the_levels_have_the_ratings_of_the_engine, a_tap_right_after_play_counts, two_people_play_at_one_board,
    two_people_end_a_game_by_mate_and_by_the_clock, premoves_against_the_engine, no_premove_in_an_earlier_position, the_king_castles_onto_the_rook_in_a_game,
    the_analysis_has_the_game_as_its_main_line, names_and_result_of_an_analysis_stay,
]
