"""Tests of gui_browser.py about PGN: comments, glyphs and shapes by hand, and files of many games."""

import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gui_page import check, native_only

TAGS = '[Event "{event}"]\n[White "{white}"]\n[Black "{black}"]\n[Date "{date}"]\n[Result "{result}"]\n[Variant "Spartan"]\n\n'

# What other programs write.
ANNOTATED = """[White "Smith, John"]
[Black "Doe"]
[WhiteElo "2100"]
[Event "Spring cup"]
[Date "2026.05.??"]
[Variant "Spartan"]

{ [%csl Ge4] A start } 1. e4 { [%clk 0:09:58] [%eval 0.35] } 1... Hbd5 $6 $14 { [%clk 0:09:50] a plan }
({ or } 1... Hac5 $18 { [%eval #-3] }) 2. exd5 { [%cal Gd1h5,Rb1c3] [%mark x] } *
"""


def game(number, moves="1. e4 Hbd5 2. Nf3 1-0", event="Cup"):
    return TAGS.format(event=f"{event} {number % 7}", white=f"White {number}", black=f"Black {number * 7 % 1000}", date=f"2020.01.{number % 28 + 1:02}", result="1-0") + moves + "\n\n"


def export(board):
    board.page.click("text=Copy or save")
    pgn = board.page.input_value("#export-pgn")
    board.page.keyboard.press("Escape")
    return pgn


def load_file(board, text):
    """Loads a file of several games; returns the seconds until its table is there."""
    board.mode("analyse")
    board.page.click("text=Load a game or position")
    begin = time.monotonic()
    board.page.set_input_files("#import-file", {"name": "games.pgn", "mimeType": "text/plain", "buffer": text.encode()})
    board.page.wait_for_selector("table.games tbody tr")
    return time.monotonic() - begin


def notes(board):
    return board.page.evaluate("JSON.stringify(agoge.tree.toJSON().nodes)")


def comments_and_glyphs_by_hand(board, _):
    page = board.page
    board.turn_engine_off()
    board.load("1. e4 Hbd5 2. exd5 *")
    page.click("#annotate")
    # About the first position there are no glyphs of a move.
    expect(page.locator("[data-glyph='1']")).to_be_disabled()
    page.fill("#node-comment", "A start")
    page.click("[aria-label='Next move']")
    board.wait_for_ply(1)
    page.click("[data-glyph='1']")
    page.click("[data-glyph='5']")
    page.click("[data-glyph='14']")
    page.fill("#node-comment", "My comment {1}")
    expect(page.locator(".pairs .comment")).to_have_text(["A start", "My comment {1}"])
    assert board.moves()[0].split() == ["e4!?+/="], board.moves()
    assert page.evaluate("agoge.tree.current.glyphs") == [5, 14]
    expect(page.locator("[data-glyph='5']")).to_have_attribute("aria-pressed", "true")
    pgn = export(board)
    assert "{A start} 1. e4 $5 $14 {My comment |1|} 1... Hbd5" in pgn, pgn
    board.load(pgn)
    board.page.click("[aria-label='Next move']")
    board.wait_for_ply(1)
    expect(page.locator("#node-comment")).to_have_value("My comment |1|")
    page.click("[data-glyph='5']")
    page.click("#delete-comment")
    expect(page.locator("#node-comment")).to_have_value("")
    expect(page.locator(".pairs .comment")).to_have_text(["A start"])
    assert "{A start} 1. e4 $14 Hbd5" in export(board)
    check(Axe(), board, "comment and glyphs")


def annotations_of_files_are_kept(board, _):
    page = board.page
    board.turn_engine_off()
    board.load(ANNOTATED)
    expect(page.locator(".game-header")).to_have_text("Smith, John (2100) – DoeSpring cup, 2026.05")
    assert [move.split() for move in board.moves()[:2]] == [["e4", "+0.35", "9:58"], ["Hbd5?!+/=", "9:50"]], board.moves()
    expect(page.locator(".side-line")).to_contain_text("Hac5+− #-3")
    assert page.evaluate("agoge.tree.root.shapes") == [{"from": "e4", "colour": "green"}]
    before = notes(board)
    pgn = export(board)
    assert '[%mark x]' in pgn and "[%cal Gd1h5,Rb1c3]" in pgn and "[%clk 0:09:58]" in pgn, pgn
    board.load(pgn)
    assert notes(board) == before
    page.click("[aria-label='Last move']")
    board.wait_for_ply(3)
    expect(page.locator("#strip-top .clock")).to_have_text("9:50")
    # The names can be changed; other tags stay.
    page.click("#annotate")
    page.click("#edit-tags")
    page.fill("dialog [name=White]", "Anna")
    page.fill("dialog [name=Event]", "")
    page.select_option("dialog select", "1-0")
    check(Axe(), board, "tags")
    page.click("#save-tags")
    expect(page.locator(".game-header strong")).to_have_text("Anna (2100) – Doe")
    pgn = export(board)
    assert '[White "Anna"]' in pgn and "[Event" not in pgn and '[WhiteElo "2100"]' in pgn and pgn.rstrip().endswith("1-0"), pgn


def a_tag_that_comes_twice_stays(board, _):
    page = board.page
    board.turn_engine_off()
    board.load('[White "A"]\n[White "B"]\n[Annotator "x \\"y\\" \\\\ z"]\n[Variant "Spartan"]\n\n1. e4 *')
    page.click("#annotate")
    page.click("#edit-tags")
    page.fill("dialog [name=White]", "C")
    page.press("dialog [name=Annotator]", "Enter")
    expect(page.locator(".game-header strong")).to_have_text("C – ?")
    assert export(board).startswith('[White "C"]\n[White "B"]\n[Annotator "x \\"y\\" \\\\ z"]\n'), export(board)


def shapes_are_kept(board, _):
    board.turn_engine_off()
    board.load("1. e4 *")
    board.page.evaluate("agoge.board.onShapes([{from: 'a4', colour: 'yellow'}, {from: 'd4', to: 'h2', colour: 'blue'}])")
    pgn = export(board)
    assert "{[%csl Ya4] [%cal Bd4h2]} 1. e4" in pgn, pgn
    board.load(pgn)
    assert board.page.evaluate("agoge.tree.root.shapes.length") == 2


def evaluations_of_the_review_are_written(board, _):
    board.load("1. g4 Wf6 2. f3 Wh4# 0-1")
    board.page.click("#review")
    board.wait("!agoge.modes.get('analyse').review.running && agoge.tree.mainLine.every(({evaluation}) => evaluation)")
    pgn = export(board)
    assert pgn.count("[%eval ") >= 4, pgn
    board.load(pgn)
    board.wait("agoge.tree.mainLine.every(({evaluation}) => evaluation)")


def a_table_of_a_thousand_games(board, context):
    page = board.page
    load_file(board, "".join(game(number, f"1. e4 Hbd5 2. {'Qh9' if number % 100 == 50 else 'Nf3'} 1-0") for number in range(1, 1001)))
    count = page.locator("dialog [role=status]")
    expect(count).to_have_text("1,000 games · 10 damaged")
    assert page.locator("table.games tbody tr").count() < 100
    check(Axe(), board, "table of games")
    page.fill("#game-filter", "white 77")
    page.click("dialog th[data-column=black] button")
    expect(page.locator("th[data-column=black]")).to_have_attribute("aria-sort", "ascending")
    shown = page.evaluate("[...document.querySelectorAll('.games tbody tr')].map((row) => row.cells[2].textContent)")
    assert shown == sorted(shown, key=lambda name: int(name.split()[1])) and len(shown) > 10, shown
    page.click("dialog th[data-column=number] button")
    # By the keyboard alone.
    page.focus("#game-filter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    _, first, second = page.evaluate("agoge.gameFile.order.slice(0, 3)")
    assert first < second and first > 0, (first, second)
    board.wait(f"agoge.gameFile.current === {first} && agoge.tree.mainLine.length === 3")
    expect(page.locator(".game-header strong")).to_contain_text(f"White {first + 1} – ")
    expect(page.locator("#game-list")).to_have_text(f"Games of the file · {first + 1}/1,000")
    # The next one is that of the filtered table.
    page.click("#game-next")
    board.wait(f"agoge.gameFile.current === {second}")
    page.click("#game-previous")
    board.wait(f"agoge.gameFile.current === {first}")
    page.click("#game-list")
    expect(page.locator("tr[aria-selected=true]")).to_contain_text(f"White {first + 1}")
    # A damaged game is marked, and opens with its warning.
    page.fill("#game-filter", "")
    page.check("text=Only damaged games")
    expect(count).to_have_text("10 of 1,000 games · 10 damaged")
    row = page.locator("table.games tbody tr").nth(1)
    expect(row.locator(".damaged")).to_have_attribute("aria-label", "damaged: line 1349: 2.Qh9: not a move in algebraic notation")
    row.click()
    board.wait("agoge.gameFile.current === 149 && agoge.tree.mainLine.length === 2")
    expect(page.locator(".toast.error").last).to_have_text("Game 150, line 1349: 2.Qh9: not a move in algebraic notation.")
    # What is written into a game is there when one comes back to it.
    page.evaluate("agoge.tree.root.comment = 'mine'")
    page.click("#game-next")
    board.wait("agoge.gameFile.current === 249")
    page.click("#game-previous")
    expect(page.locator(".pairs .comment")).to_have_text("mine")


def a_file_of_five_megabytes(board, context):
    moves = " ".join(f"{number}. Nf3 Wf6 {number + 1}. Ng1 Wg8" for number in range(1, 60, 2)) + " 1/2-1/2"
    one = game(1, moves)
    total = (5 << 20) // len(one) + 1
    text = "".join(game(number, moves) for number in range(1, total)) + game(total, "1. é4 *", "Last")
    seconds = load_file(board, text)
    expect(board.page.locator("dialog [role=status]")).to_have_text(f"{total:,} games · 1 damaged")
    context.note(f"{total} games listed in {seconds:.1f} s")
    board.page.fill("#game-filter", "last")
    board.page.keyboard.press("Enter")
    board.wait(f"agoge.gameFile.current === {total - 1} && document.body.dataset.mode === 'analyse'")
    expect(board.page.locator(".game-header strong")).to_contain_text(f"White {total} ")
    # A file that is too long is refused in a sentence.
    board.page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(65 << 20)], "games.pgn"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }""")
    expect(board.page.locator(".toast.error").last).to_have_text("The file is 65.0 MiB; the limit is 64.0 MiB.")


# These do not depend on the backend.
native_only(
    comments_and_glyphs_by_hand, a_tag_that_comes_twice_stays, shapes_are_kept,
)

TESTS = [
    comments_and_glyphs_by_hand, annotations_of_files_are_kept, a_tag_that_comes_twice_stays, shapes_are_kept, evaluations_of_the_review_are_written,
    a_table_of_a_thousand_games, a_file_of_five_megabytes,
]
