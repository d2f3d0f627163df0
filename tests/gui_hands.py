"""What the hands of a player do on the board in the browser; tests of gui_browser.py."""

import time

from playwright.sync_api import expect

from gui_page import native_only


def shapes(board):
    """The names of the classes of what is drawn by the user, in order."""
    return board.page.evaluate("[...document.querySelectorAll('.arrows line[class^=shape], .arrows circle')].map(e => e.getAttribute('class'))")


def right_drag(board, start, end, *keys):
    page = board.page
    for key in keys:
        page.keyboard.down(key)
    page.mouse.move(*board.centre(start))
    page.mouse.down(button="right")
    page.mouse.move(*board.centre(end), steps=3)
    page.mouse.up(button="right")
    for key in keys:
        page.keyboard.up(key)


def wait_for_the_turn(board):
    """Until the user may move in a game, and no premove is waiting."""
    board.wait("agoge.board.movable && !agoge.board.premove && agoge.shown.fen === agoge.board.position.fen")


def slow_engine(board):
    """Makes the engine think about its move in a game until `answer` is called."""
    board.page.evaluate("""() => {
        const { engine } = agoge;
        const go = engine.goInGame.bind(engine);
        const gate = new Promise((resolve) => (window.answer = resolve));
        engine.goInGame = async (...all) => { await gate; return typeof window.reply === "string" ? { best: window.reply } : go(...all); };
    }""")


def answer(board, move=None):
    board.page.evaluate("move => { window.reply = move ?? undefined; window.answer(); }", move)


def slow_answers(board):
    """Holds back the answers of the rules until `window.goOn` is called."""
    board.page.evaluate("""() => {
        const { backend } = agoge;
        const ask = backend.ask.bind(backend);
        const gate = new Promise((resolve) => (window.goOn = () => { backend.ask = ask; resolve(); }));
        backend.ask = async (...all) => { await gate; return ask(...all); };
    }""")


def a_game_for_premoves(board):
    board.open("#play")
    board.new_game("white")
    board.wait("agoge.board.movable && agoge.board.position.fen === agoge.tree.root.fen")
    slow_engine(board)
    board.click("e2e4")
    board.wait("agoge.tree.last.ply === 1 && agoge.board.premovable === 'white' && agoge.board.others")


def keys_step_through_the_game(board, _):
    board.load("1. e4 Hbd5 2. exd5 Hac5 *")
    page = board.page
    for place in ("body", "board"):
        if place == "board":
            board.square("d4").click()
            assert page.evaluate("document.activeElement.dataset.square") == "d4"
        for key, ply in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 4), ("ArrowUp", 0), ("ArrowDown", 4)):
            page.keyboard.press(key)
            board.wait_for_ply(ply)
    page.mouse.move(*board.centre("d4"))
    for delta, ply in ((-120, 3), (-120, 2), (120, 3)):
        page.mouse.wheel(0, delta)
        board.wait_for_ply(ply)
    page.keyboard.press("f")
    board.wait("agoge.board.flipped")
    page.keyboard.press("?")
    expect(page.locator("dialog")).to_contain_text("Turn the board")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert page.evaluate("agoge.tree.current.ply") == 3
    # Letters in a text field are text.
    page.locator("#move-input").press_sequentially("fb?")
    assert page.evaluate("agoge.board.flipped && !agoge.board.keyboard.active")
    assert page.input_value("#move-input") == "fb?"
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("agoge.tree.current.ply") == 3
    # Escape leaves it. While it is empty, the keys step from there, too.
    page.keyboard.press("Escape")
    assert page.input_value("#move-input") == "" and page.evaluate("document.activeElement === document.body")
    page.keyboard.press("ArrowLeft")
    board.wait_for_ply(2)
    page.focus("#move-input")
    page.keyboard.press("ArrowRight")
    board.wait_for_ply(3)


def squares_by_keys_are_a_mode(board, _):
    board.open("#analyse")
    page, live = board.page, board.page.locator("#live")
    page.keyboard.press("b")
    expect(live).to_contain_text("Keyboard mode. Arrow keys go from square to square")
    expect(live).to_contain_text("e2, Persian pawn")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.square") == "d2"
    page.keyboard.press("Enter")
    expect(board.square("d4")).to_have_attribute("aria-label", "d4, empty, can be moved to")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")
    board.wait_for_ply(1)
    # Turning the board keeps the square.
    page.keyboard.press("f")
    assert page.evaluate("document.activeElement.dataset.square") == "d4"
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    expect(live).to_contain_text("Left keyboard mode")
    page.keyboard.press("ArrowLeft")
    board.wait_for_ply(0)
    # The button for those who read the page by keys.
    page.focus("text=Move on the board by keys")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.square") == "d5"
    # Escape first cancels the piece.
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter", "Escape"):
        page.keyboard.press(key)
    assert page.evaluate("agoge.board.selected === null && agoge.board.keyboard.active")
    # The mouse ends the mode.
    board.square("a5").click()
    page.keyboard.press("ArrowRight")
    board.wait_for_ply(1)


def premoves(board, _):
    a_game_for_premoves(board)
    page = board.page
    # By click, with marks on all squares that may become possible: also on own pieces.
    board.square("d1").click()
    expect(page.locator(".target.premove")).to_have_count(21)
    board.square("d5").click()
    expect(page.locator(".cell.premove")).to_have_count(2)
    # Cancelled by right click, Escape, and a click elsewhere.
    page.mouse.click(*board.centre("h5"), button="right")
    expect(page.locator(".cell.premove")).to_have_count(0)
    assert shapes(board) == []
    for cancel in (lambda: page.keyboard.press("Escape"), lambda: board.square("h4").click()):
        board.drag("g1f3")
        expect(page.locator(".cell.premove")).to_have_count(2)
        cancel()
        expect(page.locator(".cell.premove")).to_have_count(0)
    # Played at once if it is legal, a capture of a piece that was not there before.
    board.drag("e4d5")
    expect(page.locator("#live")).to_have_text("Premove e4 to d5.")
    page.screenshot(path="target/gui-premove.png")
    answer(board, "b7d5")
    board.wait("agoge.tree.last.path[2]?.move === 'e4d5'")
    assert board.moves()[:3] == ["e4", "Hbd5", "exd5"], board.moves()
    # Dropped otherwise.
    a_game_for_premoves(board)
    board.drag("e4d5")
    answer(board, "h7f5")
    wait_for_the_turn(board)
    assert page.evaluate("agoge.tree.last.ply") == 2
    expect(page.locator(".cell.premove")).to_have_count(0)
    # A piece that is held when the turn comes makes an ordinary move.
    a_game_for_premoves(board)
    page.mouse.move(*board.centre("d2"))
    page.mouse.down()
    page.mouse.move(*board.centre("d4"), steps=3)
    answer(board, "h7f5")
    board.wait("agoge.board.movable")
    page.mouse.up()
    board.wait("agoge.tree.last.path[2]?.move === 'd2d4'")
    # By keys.
    a_game_for_premoves(board)
    for key in ("b", "Enter", "ArrowLeft", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#live")).to_have_text("Premove e4 to d5.")
    answer(board, "b7d5")
    board.wait("agoge.tree.last.path[2]?.move === 'e4d5'")
    # A look at an earlier position cancels it.
    a_game_for_premoves(board)
    board.drag("g1f3")
    page.keyboard.press("Home")
    board.wait_for_ply(0)
    page.keyboard.press("End")
    board.wait_for_ply(1)
    expect(page.locator(".cell.premove")).to_have_count(0)


def premoves_promote_and_castle(board, _):
    page = board.page
    # A pawn two squares from the last rank is moved there before the engine has answered.
    for fen, first, premove, reply, result in (
        ("7k/8/P6h/8/8/8/8/4K3 w - - 0 1", "a6a7", "a7a8n", "h8g7", "a7a8n"),
        ("7k/8/7h/8/8/8/P7/4K2R w K - 0 1", "a2a3", "e1h1", "h8g7", "e1g1"),
    ):
        board.load_position(fen)
        page.click("text=Play on from here")
        page.click("#start")
        page.wait_for_selector("#move-input")
        slow_engine(board)
        board.drag(first)
        board.wait("agoge.tree.last.ply === 1 && agoge.board.others")
        board.click(premove)
        expect(page.locator(".cell.premove")).to_have_count(2)
        answer(board, reply)
        board.wait(f"agoge.tree.last.path[2]?.move === '{result}'")
        board.resign()


def the_king_castles_onto_the_rook(board, _):
    page = board.page
    for act, move, result in ((board.click, "e1h1", "O-O"), (board.drag, "e1a1", "O-O-O"), (board.drag, "e1g1", "O-O"), (board.click, "e1c1", "O-O-O")):
        board.load_position("1k6/8/8/8/8/8/8/R3K2R w KQ - 0 1")
        act(move)
        board.wait_for_ply(1)
        assert page.evaluate("agoge.tree.current.san") == result
        # The pictures stand on the right squares.
        places = page.evaluate("[...agoge.board.elements].map(([square, e]) => [square, e.dataset.letter]).sort().join(' ')")
        assert ("f1,R g1,K" if result == "O-O" else "c1,K d1,R") in places, places
    # Where it is not possible, it says why.
    board.load_position("1k3g2/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    board.drag("e1h1")
    board.wait_for_message("f1 is attacked by the general on f8")
    board.load("[Variant \"Spartan\"]\n[FEN \"1k6/h7/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n\n1. Ke2 Kc8 2. Ke1 Kb8 *")
    page.keyboard.press("End")
    board.wait_for_ply(4)
    for text in ("o-o", "O-O-O", "0-0"):
        board.type(text)
        expect(page.locator("#move-error")).to_have_text("The right to castle on this side is lost: the king has moved.")


def a_click_shows_the_moves_of_the_other_side(board, _):
    page, marks = board.page, board.page.locator(".target.look")
    board.open("#analyse")
    board.square("d7").click()
    # Two single steps and two leaps; it is White's turn.
    expect(marks).to_have_count(4)
    expect(board.square("b5")).to_have_attribute("aria-label", "b5, empty, can be moved to")
    page.screenshot(path="target/gui-look.png")
    board.square("d7").click()
    expect(marks).to_have_count(0)
    board.square("d7").click()
    board.square("e5").click()
    expect(marks).to_have_count(0)
    # One's own piece moves as before.
    board.square("d7").click()
    board.click("e2e4")
    board.wait_for_ply(1)
    # During the other side's turn in a game.
    a_game_for_premoves(board)
    board.square("d7").click()
    expect(marks).to_have_count(4)


def a_piece_can_be_lifted_before_the_game(board, _):
    page = board.page
    board.open("#play")
    page.mouse.move(*board.centre("e2"))
    page.mouse.down()
    page.mouse.move(*board.centre("e4"), steps=4)
    expect(page.locator(".piece.dragging")).to_have_count(1)
    # It is under the pointer.
    box = page.locator(".piece.dragging").bounding_box()
    x, y = board.centre("e4")
    assert abs(box["x"] + box["width"] / 2 - x) < 2 and abs(box["y"] + box["height"] / 2 - y) < 2, (box, x, y)
    page.mouse.up()
    expect(page.locator(".piece.dragging")).to_have_count(0)
    board.wait_for_message("Press Play to begin the game.")
    assert page.evaluate("agoge.tree.last.ply") == 0
    assert page.evaluate("agoge.board.elements.get('e2').style.transform") == "translate(400%, 600%)"
    # A click shows the moves.
    board.square("g1").click()
    expect(page.locator(".target.look")).to_have_count(2)
    board.new_game("white")
    page.evaluate("agoge.mode.game.finish({ result: '0-1', reason: 'resignation' })")
    board.wait("!agoge.board.movable")
    board.drag("e2e4")
    board.wait_for_message("The game is over.")


def arrows_and_circles(board, _):
    page = board.page
    board.open("#learn/rules")
    right_drag(board, "e2", "e4")
    right_drag(board, "g1", "f3", "Shift")
    right_drag(board, "d7", "d7", "Alt")
    right_drag(board, "a1", "a8", "Alt", "Shift")
    assert shapes(board) == ["shape-green", "shape-red", "shape-blue", "shape-yellow"], shapes(board)
    page.screenshot(path="target/gui-shapes.png")
    # The same again removes it; another colour replaces it.
    right_drag(board, "e2", "e4")
    right_drag(board, "g1", "f3")
    assert shapes(board) == ["shape-blue", "shape-yellow", "shape-green"], shapes(board)
    # A shape that ends outside is none.
    page.mouse.move(*board.centre("a4"))
    page.mouse.down(button="right")
    page.mouse.move(board.centre("a4")[0], 5, steps=3)
    page.mouse.up(button="right")
    assert len(shapes(board)) == 3
    board.square("e5").click()
    assert shapes(board) == []
    # The analysis keeps them with the position.
    board.load("1. e4 Hbd5 *")
    page.keyboard.press("End")
    board.wait_for_ply(2)
    right_drag(board, "e4", "d5", "Shift")
    right_drag(board, "c5", "c5")
    board.square("a4").click()
    assert page.evaluate("agoge.tree.current.shapes") == [{"from": "e4", "to": "d5", "colour": "red"}, {"from": "c5", "colour": "green"}]
    page.keyboard.press("ArrowLeft")
    board.wait_for_ply(1)
    assert shapes(board) == []
    page.keyboard.press("ArrowRight")
    board.wait_for_ply(2)
    assert sorted(shapes(board)) == ["shape-green", "shape-red"]


def touch_holds_and_scrolls(board, _):
    page = board.page
    board.resize(390, 700)
    board.open("#analyse")
    session = page.context.new_cdp_session(page)

    def touch(kind, *points):
        points = [{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    # A long touch selects, and no menu, text selection or drawing comes of it.
    touch("touchStart", board.centre("e2"))
    time.sleep(1)
    touch("touchEnd")
    assert page.evaluate("agoge.board.selected") == "e2"
    assert shapes(board) == [] and page.evaluate("getSelection().toString()") == ""
    board.tap("d2d4")
    board.wait_for_ply(1)
    # Two fingers scroll the page, and put back what the first one has taken.
    x, y = board.centre("d7")
    touch("touchStart", (x, y), (x + 60, y))
    for step in range(1, 12):
        touch("touchMove", (x, y - 20 * step), (x + 60, y - 20 * step))
        time.sleep(0.02)
    touch("touchEnd")
    board.wait("scrollY > 50 && !agoge.board.pointer.drag")
    assert page.evaluate("agoge.tree.current.ply") == 1
    session.detach()


def the_editor_moves_pieces(board, _):
    page = board.page
    board.open("#setup")

    def placement():
        return page.evaluate("agoge.mode.fen").split()[0]

    board.drag("e2e4")
    assert placement() == "lgkcckwl/hhhhhhhh/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    # Off the board, by right click, and from the palette.
    page.mouse.move(*board.centre("h1"))
    page.mouse.down()
    page.mouse.move(page.viewport_size["width"] - 40, 300, steps=5)
    page.mouse.up()
    page.mouse.click(*board.centre("g1"), button="right")
    box = page.locator(".palette [data-letter=g]").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(*board.centre("d5"), steps=5)
    page.screenshot(path="target/gui-editor.png")
    page.mouse.up()
    edited = "lgkcckwl/hhhhhhhh/8/3g4/4P3/8/PPPP1PPP/RNBQKB2"
    assert placement() == edited
    assert page.locator(".piece").count() == len([letter for letter in edited if letter.isalpha()])
    # A click with the brush puts and removes.
    page.click(".palette [data-letter=Q]")
    board.square("d4").click()
    assert "/3QP3/" in placement()
    board.square("d4").click()
    assert placement() == edited
    # By keys.
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    assert "/3QP3/" in placement()
    page.keyboard.press("Delete")
    assert placement() == edited
    # Edits stay when one leaves, and over a reload.
    expect(page.locator("#setup-message")).to_contain_text("with the king on e1 and a rook on h1.")
    board.mode("learn")
    board.mode("setup")
    assert placement() == edited
    page.reload()
    board.wait_until_ready()
    assert placement() == edited
    page.fill("#setup-fen", "4k3/8/8/8/8/8/8/R3K3 b Q - 0 1")
    page.press("#setup-fen", "Tab")
    expect(page.locator("#setup-message")).to_be_empty()
    page.fill("#setup-fen", "k3g3/8/8/8/8/8/8/4K3 b - - 0 1")
    page.press("#setup-fen", "Tab")
    expect(page.locator("#setup-message")).to_have_text("The Persians are in check, but the Spartans are to move.")
    # The game that was on the board before.
    page.click("#setup-game")
    board.wait("agoge.mode.fen === agoge.mode.before.fen.replace(/ [0-9]+ [0-9]+$/, ' 0 1')")


TESTS = [
    keys_step_through_the_game, squares_by_keys_are_a_mode, premoves, premoves_promote_and_castle, the_king_castles_onto_the_rook,
    a_click_shows_the_moves_of_the_other_side, a_piece_can_be_lifted_before_the_game, arrows_and_circles, touch_holds_and_scrolls,
    the_editor_moves_pieces,
]
# What hands do does not depend on the backend.
native_only(*TESTS)
