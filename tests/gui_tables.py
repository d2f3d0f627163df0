"""Tests of gui_browser.py about the endgame tables on the board. What is shown is compared with the program's own answers."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gui_page import Board, StaticServer, check
from gui_store import until_kept

# The longest win of a class of four men, and of one of the three men that are embedded; each with its best moves.
FOUR_MEN = "8/8/8/8/8/4k2B/1k6/3K4 b - - 0 1", "KBvkk", ["Kc3"], 20
THREE_MEN = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "KRvk", "Rb1 Ra2 Rg2 Rh2 Rb7 Rb8 Kb1 Ka2".split(), 16
# With the clock of the fifty-move rule, a win that comes too late.
LATE = "8/8/8/8/8/4k2B/1k6/3K4 b - - 90 100"

ARROW = ".arrows .arrow-best"

ROWS = """[...document.querySelectorAll('.exact .pv')].map((row) => [row.querySelector('.score').textContent,
    row.querySelector('.pv-move').textContent.split(' ').pop()])"""


@contextlib.contextmanager
def tables(board, context, name):
    """Lets the page find the tables of a class and all that it leads to."""
    if context.native:
        folder = os.path.join(context.server.folder.name, "tables")
        make(context, folder, name)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="agoge-test-") as parent:
        folder = os.path.join(parent, "tables")
        make(context, folder, name)
        board.loaded.context.route("**/tables/*", lambda route: send_part(route, folder))
        yield folder


def make(context, folder, name):
    subprocess.run([context.options.program, "tables", "--out", folder, name], check=True, capture_output=True)


@contextlib.contextmanager
def remote_tables(board, context, answer):
    """A copy of the page with tables of KBvkk beside it on a web server of its own. `answer` may answer a request in its place."""
    with tempfile.TemporaryDirectory(prefix="agoge-test-") as site:
        shutil.copytree(context.options.static, site, dirs_exist_ok=True)
        folder = os.path.join(site, "tables")
        make(context, folder, FOUR_MEN[1])
        server = StaticServer(site)
        requests = []

        def handle(route):
            requests.append(route.request.url.split("/")[-1])
            if not answer(route, folder):
                route.continue_()

        board.loaded.context.route("**/tables/*", handle)
        try:
            yield Board(board.loaded, server.address), folder, requests
        finally:
            server.close()


def a_web_server_may_send_whole_tables(board, context):
    """It ignores ranges. Each file is loaded once, unless it is large."""
    with remote_tables(board, context, lambda *_: False) as (other, folder, requests):
        other.turn_engine_off()
        other.load_position(FOUR_MEN[0])
        rows = until_shown(other)
        assert [move for text, move in rows if text == "Mate in 20"] == FOUR_MEN[2], rows
        other.page.locator(".exact .pv .unfold").first.click()
        expect(other.page.locator(".exact .pv").first.locator(".pv-move")).to_have_count(39)
        assert len(requests) == len(set(requests)) and "KBvkk.agt" in requests, requests
        # More than 4 MB.
        os.truncate(os.path.join(folder, "KBvkk.agt"), 5_000_000)
        other.open("#analyse")
        other.load_position(FOUR_MEN[0])
        expect(other.page.locator(".tables")).to_contain_text("There is no endgame table for these pieces.")
        expect(other.page.locator("#connection")).to_be_hidden()


TRY_UNTIL_SHOWN = """() => {
    const { answer, list } = agoge.mode.tablesPanel;
    if (answer?.value && list.node === agoge.tree.current) return true;
    document.querySelector("#connection:not([hidden]) #try-again")?.click();
    return false;
}"""


def a_web_server_of_tables_may_fail(board, context):
    """At the beginning of a file or within it. The page says so, goes on without, and tries again."""
    context.expects_failures = True
    failing = {}

    def answer(route, folder):
        part = "rest" if int(re.match(r"bytes=(\d+)", route.request.headers["range"])[1]) else "begin"
        how = failing.get(part) if "KBvkk" in route.request.url else None
        if how == "gone":
            route.abort()
        elif how == "busy":
            route.fulfill(status=503, body="busy")
        else:
            send_part(route, folder)
        return True

    message = "The file tables/KBvkk.agt could not be loaded."
    with remote_tables(board, context, answer) as (other, *_):
        page = other.loaded
        other.turn_engine_off()
        for part in ("begin", "rest"):
            for how in ("busy", "gone"):
                failing[part] = how
                other.open("#analyse")
                other.load_position(FOUR_MEN[0])
                other.expect_failure(message)
                expect(page.locator(".tables")).to_contain_text("There is no endgame table for these pieces.")
                # Other tables are shown, and the next position tries again.
                other.load_position(THREE_MEN[0])
                until_shown(other)
                expect(page.locator("#connection")).to_be_hidden()
                other.load_position(FOUR_MEN[0])
                other.expect_failure(message)
                del failing[part]
                # A request that was sent before may fail after the first click, or another question load the file without one.
                page.wait_for_function(TRY_UNTIL_SHOWN, polling=500)
                rows = until_shown(other)
                expect(page.locator("#connection")).to_be_hidden()
                assert [move for text, move in rows if text == "Mate in 20"] == FOUR_MEN[2], rows


ANSWER_LATE = """() => {
    const { backend } = agoge;
    const endgame = backend.endgame.bind(backend);
    backend.endgame = async (line) => {
        const answer = await endgame(line);
        if (agoge.answerLate) return { ...answer, failed: "tables/KQvk.agt" };
        await new Promise((resolve) => (agoge.answerLate = resolve));
        return answer;
    };
}"""


def a_late_answer_about_another_position_keeps_the_message(board, context):
    context.expects_failures = True
    board.open("#analyse")
    board.turn_engine_off()
    board.page.evaluate(ANSWER_LATE)
    board.load_position(THREE_MEN[0])
    board.wait("!!agoge.answerLate")
    board.load_position(LATE)
    message = "The file tables/KQvk.agt could not be loaded."
    board.expect_failure(message)
    board.page.evaluate("async () => { agoge.answerLate(); await new Promise((resolve) => setTimeout(resolve)); }")
    board.expect_failure(message)


def send_part(route, folder):
    """Answers as a web server that knows ranges."""
    with open(os.path.join(folder, route.request.url.split("/")[-1]), "rb") as file:
        whole = file.read()
    begin, end = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", route.request.headers["range"]).groups())
    part = whole[begin : end + 1]
    route.fulfill(status=206, body=part, headers={"Content-Range": f"bytes {begin}-{begin + len(part) - 1}/{len(whole)}"})


def told(context, folder, fens):
    """What the program says about some positions: the result for the side to move, and the moves to mate."""
    commands = "".join(f"position fen {fen}\nd\n" for fen in fens)
    command = f"setoption name TablePath value {folder}\n{commands}quit\n"
    output = subprocess.run([context.options.program], input=command, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^Tables: (win|cursed win|draw|blessed loss|loss)(?:, mate in (\d+))?", output, re.MULTILINE)
    assert len(found) == len(fens), output
    return found


def until_shown(board):
    board.wait("agoge.mode.tablesPanel.node === agoge.tree.current && agoge.mode.tablesPanel.answer?.value")
    board.wait("document.querySelectorAll('.exact .pv').length === agoge.shown.legal.length")
    board.wait("agoge.mode.tablesPanel.list.node === agoge.tree.current")
    return board.page.evaluate(ROWS)


def text_of(result, mate):
    """How a row says what the position after its move is for the other side."""
    if result == "draw":
        return "Draw"
    if " " in result:
        return "50-move draw"
    return f"Mate in {int(mate) + 1}" if result == "loss" else f"Mated in {mate}"


def tables_list_every_move(board, context):
    """Against the program's own answers, with three embedded men and with tables of four."""
    page = board.page
    board.turn_engine_off()
    board.load_position(THREE_MEN[0])
    rows = until_shown(board)
    assert sorted(move for text, move in rows if text == "Mate in 16") == sorted(THREE_MEN[2]), rows
    expect(page.locator(".verdict")).to_have_text("Persians win: mate in 16")
    with tables(board, context, FOUR_MEN[1]) as folder:
        # The server looks again after some seconds.
        board.open("#analyse")
        board.wait("agoge.mode.tablesPanel")
        if context.native:
            page.wait_for_timeout(5500)
        board.load_position(FOUR_MEN[0])
        rows = until_shown(board)
        assert [move for text, move in rows if text == "Mate in 20"] == FOUR_MEN[2], rows
        fens = page.evaluate("agoge.mode.tablesPanel.answer.moves.map(({fen}) => fen)")
        expected = [text_of(*answer) for answer in told(context, folder, fens)]
        assert [text for text, _ in rows] == expected, (rows, expected)
        check(Axe(), board, "the tables")
        # The line of best play ends with mate.
        page.locator(".exact .pv .unfold").first.click()
        expect(page.locator(".exact .pv").first.locator(".pv-move")).to_have_count(39)
        expect(page.locator(".exact .pv").first.locator(".pv-move").last).to_have_text(re.compile("#$"))
        assert page.locator(".exact .pv").first.bounding_box()["height"] > 100
        # The side that loses sees its longest resistance first.
        page.locator(".exact .pv-move").first.click()
        board.wait_for_ply(1)
        rows = until_shown(board)
        mates = [int(text.split()[-1]) for text, _ in rows]
        assert mates == sorted(mates, reverse=True) and mates[0] == 19 and rows[0][0].startswith("Mated in"), rows
        # Near the end of the fifty moves the win is a draw.
        board.load_position(LATE)
        rows = until_shown(board)
        assert {text for text, _ in rows} <= {"50-move draw", "Draw"} and rows[0][0] == "50-move draw", rows
        expect(page.locator(".verdict")).to_contain_text("too late for the fifty-move rule")


def a_pointed_move_has_an_arrow(board, _):
    board.turn_engine_off()
    board.load_position(THREE_MEN[0])
    until_shown(board)
    assert board.page.locator(ARROW).count() == 0
    board.page.hover(".exact .pv-move >> nth=0")
    expect(board.page.locator(ARROW)).not_to_have_count(0)
    board.page.mouse.move(5, 5)
    expect(board.page.locator(ARROW)).to_have_count(0)


def tables_of_a_game_lead_to_its_analysis(board, _):
    """To the position of the game, even if the analysis was left at another one after as many moves."""
    page = board.page
    board.turn_engine_off()
    board.load_position("k7/8/8/8/8/8/4P3/4K3 w - - 0 1")
    page.click("text=Play on from here")
    page.check("input[name=opponent][value=person]", force=True)
    page.click("#start")
    board.wait("agoge.mode.isShown && agoge.board.movable")
    board.click("e2e4")
    board.wait("agoge.tree.last.ply === 1 && agoge.board.movable")
    board.analyse_game()
    board.type("Ka7")
    board.wait_for_ply(2)
    until_kept(board)
    board.mode("play")
    board.wait("agoge.board.movable")
    board.click("a8b8")
    board.wait("agoge.tree.last.ply === 2 && agoge.board.movable")
    board.agree_to_a_draw()
    page.wait_for_selector(".exact .pv-move")
    page.click(".exact .pv-move >> nth=0")
    board.wait("agoge.modeName === 'analyse' && agoge.tree.current.ply === 3")
    assert page.evaluate("agoge.tree.current.path.map(({move}) => move).slice(0, 2)") == ["e2e4", "a8b8"]


def tables_are_made_on_the_board(board, context):
    """The button begins, its progress is seen, and what is stopped goes on later."""
    page = board.page
    board.turn_engine_off()
    # Of a class that no other test makes.
    board.load_position("8/8/8/3k4/8/3l4/8/KQ6 w - - 0 1")
    expect(page.locator(".tables")).to_contain_text("There is no endgame table for these pieces.")
    if not context.native:
        expect(page.locator("#make-tables")).to_have_count(0)
        return
    folder = os.path.join(context.server.folder.name, "tables")
    expect(page.locator(".tables")).to_contain_text(folder)
    page.click("#make-tables")
    expect(page.locator(".tables progress")).to_be_visible()
    expect(page.locator(".tables .hint")).to_contain_text("of 77 endgame tables are made")
    check(Axe(), board, "the progress of the tables")
    end = time.monotonic() + 240
    while not os.path.exists(os.path.join(folder, "Kvk.agt")) and time.monotonic() < end:
        time.sleep(0.1)
    page.click("#stop-tables")
    expect(page.locator("#make-tables")).to_be_visible(timeout=60_000)
    assert os.path.exists(os.path.join(folder, "Kvk.agt")), os.listdir(folder)


a_web_server_may_send_whole_tables.static_only = a_web_server_of_tables_may_fail.static_only = True

TESTS = [
    tables_list_every_move, a_pointed_move_has_an_arrow, tables_of_a_game_lead_to_its_analysis, tables_are_made_on_the_board, a_web_server_may_send_whole_tables,
    a_web_server_of_tables_may_fail, a_late_answer_about_another_position_keeps_the_message,
]
