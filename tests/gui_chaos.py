#!/usr/bin/env python3
"""Uses the board in the browser while pages, browser, server and engine end at random moments: nothing may be lost.

    tests/gui_chaos.py target/release/agoge --events 30 --seed 1
    tests/gui_chaos.py target/release/agoge --static FOLDER --events 30 --seed 1
    tests/gui_chaos.py target/release/agoge --events 30 --seed 1 --tabs 2

It prints what it does; the same seed does the same again, apart from what the engine plays. gui_browser.py runs a short
version. After each event, all that the page had shown before is compared with what it shows now and with what is kept.
"""

import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time

from playwright.sync_api import Error, expect, sync_playwright

from gui_hands import right_drag
from gui_page import TIMEOUT, Board, add_browser, browser_flags
from gui_store import SETTLED
from uci import parser

# All documents that the page has open, the profiles, and what it shows.
SNAPSHOT = """() => {
    const { documents, profiles } = agoge;
    const opened = Object.fromEntries([...documents.opened.values()].map(({ document }) => [document.id, { kind: document.kind, ...document.read() }]));
    return { opened: structuredClone(opened), puzzles: structuredClone(profiles.puzzles.value), settings: { ...profiles.settings.value },
        hash: location.hash, place: agoge.modeName, tab: documents.tab, time: Date.now() };
}"""
# The documents whose ids are given, as they are kept, the numbers of documents of each kind, and the profiles.
KEPT = """async (ids) => {
    const { store } = agoge.documents;
    const all = await Promise.all(ids.map(async ([kind, id]) => [id, (await store.get(kind, id))?.value ?? null]));
    const lists = await Promise.all(["game", "study"].map((kind) => store.list(kind)));
    const profiles = await Promise.all(["puzzles", "settings"].map(async (id) => [id, (await store.get("profile", id))?.value ?? null]));
    return { documents: Object.fromEntries(all), ids: lists.flat().map(({ id }) => id).sort(), ...Object.fromEntries(profiles) };
}"""
# Nothing is on its way, and a clock that runs has been counted.
CALM = f"""!agoge.isEntering && {SETTLED} && !agoge.modes.get("play").game?.isMoving
    && ((clock) => !clock?.running || Date.now() - clock.since < 1000)(agoge.modes.get("play").game?.state.clock)"""
# Questions to the store and its answers are slow at times, so that what happens falls in the midst of a change.
SLOW_STORE = """() => {
    const { store } = agoge.documents;
    const put = store.put.bind(store);
    const pause = () => Math.random() < 0.5 ? null : new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    store.put = async (...all) => {
        const copy = structuredClone(all);
        await pause();
        const answer = await put(...copy);
        await pause();
        return answer;
    };
}"""
# The user may move in the game that is shown.
MY_TURN = "agoge.modeName === 'play' && agoge.board.movable && agoge.tree.current === agoge.tree.last && agoge.shown.fen === agoge.board.position.fen"


def moves_of(value):
    """The moves of the main line of a tree."""
    return [node["move"] for node in value["tree"]["nodes"]]


def lines_of(value):
    """All that a user has made of a tree: each node by its moves, with comment, glyphs and shapes."""
    lines = {}

    def read(nodes, path):
        for node in nodes:
            for variation in node.get("variations") or []:
                read(variation, path)
            path = (*path, node["move"])
            lines[path] = (node.get("comment"), node.get("glyphs"), node.get("shapes"))

    tree = value["tree"]
    lines[()] = (tree.get("comment"), tree.get("glyphs"), tree.get("shapes"))
    read(tree["nodes"], ())
    return lines


def compare(ident, kind, before, now, where):
    """Checks that a document has all that it had before. A game may have gone on."""
    assert now is not None, f"{kind} {ident} is missing {where}"
    if kind == "game":
        old, new = moves_of(before), moves_of(now)
        assert new[:len(old)] == old, f"game {ident} {where}: {old} became {new}"
        assert not any(node.get("variations") for node in now["tree"]["nodes"]), f"game {ident} {where} has a move twice: {now['tree']}"
        state, other = (value.get("play") or value["watch"] for value in (before, now))
        assert not state["end"] or state["end"] == other["end"], f"game {ident} {where}: {state['end']} became {other['end']}"
        return
    old, new = lines_of(before), lines_of(now)
    for path, notes in old.items():
        assert path in new, f"study {ident} {where} has lost {path}: {list(new)}"
        assert new[path] == notes, f"study {ident} {where}: {notes} at {path} became {new[path]}"
    # Only a move that was on its way may have come.
    assert len(new) <= len(old) + 1, f"study {ident} {where} has too much: {set(new) - set(old)}"


class Chaos:
    """`context` is that of gui_browser.py: its server, and how to serve a page from a folder."""

    def __init__(self, context, seed, browser_type, log=print):
        self.context = context
        self.random = random.Random(seed)
        self.type = browser_type
        self.log = log
        self.folder = tempfile.TemporaryDirectory(prefix="agoge-browser-", ignore_cleanup_errors=True)
        self.errors = []
        self.browser = None
        # What the page showed: documents by id, and the profiles.
        self.documents, self.solved, self.settings, self.deleted = {}, set(), {}, set()
        self.before = None

    # ---- browser and page

    def start_browser(self, address=""):
        options = self.context.options
        self.browser = self.type.launch_persistent_context(
            self.folder.name, executable_path=options.browser, args=browser_flags(options), viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        if options.page:
            self.browser.route("**/*", self.context.from_folder)
        self.new_page(address)

    def new_page(self, address=""):
        page = self.browser.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: self.is_expected(str(error)) or self.errors.append(str(error)))
        self.board = Board(page, self.context.server.address)
        self.board.open(address)
        page.evaluate(SLOW_STORE)

    def is_expected(self, error):
        """What a question says that was being answered when `kill_worker` came."""
        return not self.context.native and "The rules of the game have failed" in error

    @property
    def page(self):
        return self.board.page

    def choose(self, items):
        return self.random.choice(list(items))

    # ---- what the page shows

    def note(self):
        """Notes what the page shows."""
        shown = self.page.evaluate(SNAPSHOT)
        for ident, document in shown["opened"].items():
            if ident not in self.deleted:
                self.documents[ident] = document
        self.solved |= set(shown["puzzles"]["solved"])
        self.settings = shown["settings"]
        self.before = shown
        return shown

    def check(self):
        """Compares what the page showed with what it shows now, and with what is kept."""
        before = self.before
        expect(self.page.locator("#connection")).to_be_hidden()
        now = self.board.wait(f"{CALM} ? ({SNAPSHOT})() : null")
        self.check_place(before, now)
        kept = self.page.evaluate(KEPT, [[document["kind"], ident] for ident, document in self.documents.items()])
        for ident, document in self.documents.items():
            compare(ident, document["kind"], document["value"], kept["documents"][ident], "in the store")
            if ident in now["opened"]:
                compare(ident, document["kind"], document["value"], now["opened"][ident]["value"], "in the page")
        self.check_list(kept)
        self.check_profiles(now, kept)
        if self.context.native:
            self.check_files()
        self.check_clock(before, now)
        # The engine goes on: while the page writes what it has found, there is a copy.
        left = self.page.evaluate(f"{SETTLED} ? Object.keys(localStorage).filter((key) => key.startsWith('agoge-unsent')) : []")
        assert not left, f"unwritten copies are left: {left}"
        assert not self.errors, self.errors
        self.note()

    def check_place(self, before, now):
        if before["hash"].count("/"):
            assert now["hash"] == before["hash"], f"{before['hash']} became {now['hash']}"
        assert now["place"] == before["place"], (before["place"], now["place"])

    def check_list(self, kept):
        extra = set(kept["ids"]) - set(self.documents)
        assert not extra and len(kept["ids"]) == len(self.documents), f"the store has {sorted(extra)} besides {sorted(self.documents)}"

    def check_profiles(self, now, kept):
        for place, solved in (("page", now["puzzles"]["solved"]), ("store", (kept["puzzles"] or {"solved": []})["solved"])):
            assert self.solved <= set(solved) and len(solved) == len(set(solved)), f"{self.solved} solved, {solved} in the {place}"
        assert now["settings"] == self.settings and kept["settings"] == self.settings, (self.settings, now["settings"], kept["settings"])

    def check_files(self):
        files = {}
        for kind in ("games", "studies"):
            folder = os.path.join(self.context.server.folder.name, kind)
            with contextlib.suppress(FileNotFoundError):
                files.update((name, os.path.join(folder, name)) for name in os.listdir(folder))
        whole = {name for name in files if not name.startswith(".agoge-")}
        assert whole == {f"{ident}.json" for ident in self.documents}, (whole, self.documents.keys())
        for ident, document in self.documents.items():
            with open(files[f"{ident}.json"]) as file:
                compare(ident, document["kind"], document["value"], json.load(file)["value"], "in its file")

    def check_clock(self, before, now):
        """A running clock of the user has run on; it was neither stopped nor refunded."""
        for ident, document in before["opened"].items():
            state = document["value"].get("play")
            other = now["opened"].get(ident, {}).get("value", {}).get("play")
            if not state or not other or not state["clock"] or other["end"] or state["clock"].get("running") != state["side"]:
                continue
            if moves_of(document["value"]) != moves_of(now["opened"][ident]["value"]):
                continue
            old, new = state["clock"], other["clock"]
            assert new["running"] == old["running"], f"the clock of {ident} has stopped: {old} became {new}"
            # Both states count up to `since`.
            error = old[state["side"]] - new[state["side"]] - (new["since"] - old["since"])
            assert abs(error) < 50 and now["time"] - new["since"] < 2000, f"the clock of {ident} is wrong by {error} ms: {old} became {new}"
            self.log(f"    the clock ran {(new['since'] - old['since']) / 1000:.1f} s")

    # ---- what the user does

    def place(self, name):
        if self.page.evaluate("agoge.modeName") != name:
            self.board.mode(name)

    def game_move(self):
        self.place("play")
        self.board.wait("!agoge.mode.game || agoge.mode.game.state.end || agoge.mode.isShown || !!document.querySelector('#start')")
        if not self.page.evaluate("agoge.mode.isRunning && agoge.mode.isShown"):
            return self.new_game()
        self.board.wait(f"({MY_TURN}) || !!agoge.mode.state.end")
        if self.page.evaluate("!!agoge.mode.state.end"):
            return self.new_game()
        move = self.choose(sorted(self.page.evaluate("agoge.shown.legal.map(({move}) => move)")))
        ply = self.page.evaluate("agoge.tree.last.ply")
        self.log(f"  plays {move}")
        self.board.click(move)
        self.board.wait(f"agoge.tree.last.ply > {ply}")

    def new_game(self):
        side, time_text = self.choose(("white", "black")), self.choose(("none", "move:1", "clock:300+3", "clock:600+5"))
        self.log(f"  begins a game as {side}, {time_text}")
        self.board.new_game(side, level="0", time=time_text)

    def study(self):
        self.place("analyse")
        self.board.wait("agoge.shown && agoge.shown.fen === agoge.board.position.fen && agoge.tree.current.position")

    def go_somewhere(self):
        """To any node of the tree, as by a click in the list of moves."""
        path = self.page.evaluate("""() => {
            const all = (node) => [node, ...node.children.flatMap(all)];
            return all(agoge.tree.root).map((node) => node.path.map(({ move }) => move));
        }""")
        target = self.choose(path)
        self.page.evaluate("moves => agoge.goTo(agoge.tree.follow(moves))", target)
        self.board.wait("agoge.shown.fen === agoge.tree.current.fen && agoge.board.position.fen === agoge.shown.fen")

    def study_move(self):
        self.study()
        self.go_somewhere()
        legal = sorted(self.page.evaluate("agoge.shown.legal.map(({move}) => move)"))
        if not legal:
            return
        move = self.choose(legal)
        self.log(f"  analyses {move} after {self.page.evaluate('agoge.tree.line().moves')}")
        self.board.click(move)
        self.board.wait(f"agoge.tree.current.move === '{move}' && agoge.board.position.last === '{move}'")

    def study_comment(self):
        self.study()
        self.go_somewhere()
        text = f"comment {self.random.randrange(10**6)} “Ξέρξης” \U0001f600"
        self.log(f"  comments {text}")
        if not self.page.locator("#annotations").is_visible():
            self.page.click("#annotate")
        self.page.fill("#node-comment", text)
        self.board.wait("agoge.tree.current.comment.startsWith('comment')")

    def study_shapes(self):
        self.study()
        self.go_somewhere()
        start, end = (self.choose("abcdefgh") + self.choose("12345678") for _ in range(2))
        self.log(f"  draws {start}{end}")
        right_drag(self.board, start, end)

    def new_study(self):
        self.study()
        self.log("  begins an analysis")
        self.page.evaluate("void (window.before = agoge.tree)")
        self.page.click("text=New analysis")
        self.board.wait("agoge.tree !== before && !agoge.isEntering")
        self.study_move()

    def puzzle(self):
        self.place("puzzles")
        if self.page.evaluate("agoge.mode.state") != "open":
            self.page.evaluate("void (window.before = agoge.tree)")
            self.page.click("#puzzle-next")
            self.board.wait("agoge.tree !== before && !agoge.isEntering")
        self.board.wait("agoge.board.movable && agoge.shown.fen === agoge.board.position.fen && agoge.tree.current === agoge.tree.root")
        name, line = self.page.evaluate("[agoge.mode.puzzle.id, agoge.mode.puzzle.line]")
        self.log(f"  solves {name}")
        for ply in range(0, len(line), 2):
            self.board.click(line[ply])
            self.board.wait_for_ply(min(ply + 2, len(line)))
        expect(self.page.locator(".puzzle-result")).to_contain_text("olved")

    def watch(self):
        self.place("watch")
        if self.page.evaluate("!agoge.mode.game"):
            self.board.start_watching()
        elif self.page.evaluate("!!agoge.mode.end"):
            self.page.click("text=New game")
            return
        self.log("  watches")
        ply = self.page.evaluate("agoge.tree.last.ply")
        if self.page.evaluate("!!agoge.mode.game?.state.isOn"):
            self.board.wait(f"agoge.tree.last.ply > {ply} || !!agoge.mode.end")

    def setting(self):
        board = self.choose(("brown", "marble", "olive"))
        self.log(f"  chooses the board {board}")
        self.page.click("#settings-button")
        self.page.check(f"dialog input[name=board][value={board}]", force=True)
        self.page.keyboard.press("Escape")

    def delete(self):
        """Deletes a document, and brings it back or not."""
        if len(self.may_be_deleted()) < 3:
            return
        # The list has what is written.
        self.board.wait(SETTLED)
        self.place("games")
        ident, undo = self.choose(sorted(self.may_be_deleted())), self.random.random() < 0.5
        row = self.page.locator(f"[data-id='{ident}']")
        self.log(f"  deletes {ident}{', and brings it back' if undo else ''}")
        row.locator("[aria-label^=Delete]").click()
        expect(row).to_have_count(0)
        if undo:
            self.page.locator(".toast >> text=Undo").last.click()
            expect(row).to_have_count(1)
        else:
            self.deleted.add(ident)
            del self.documents[ident]

    def may_be_deleted(self):
        return self.documents

    # ---- what happens

    def reload(self):
        self.page.reload()
        self.board.wait_until_ready()
        self.page.evaluate(SLOW_STORE)

    def close_tab(self):
        """Without the memory of the tab: only the address is known."""
        page = self.page
        self.new_page_after(lambda: page.close(run_before_unload=False))

    def crash_tab(self):
        page = self.page
        with contextlib.suppress(Error):
            page.goto("chrome://crash")
        self.new_page_after(page.close)

    def new_page_after(self, act):
        address = self.before["hash"]
        # The browser would end with its last page.
        self.browser.new_page()
        act()
        for page in self.browser.pages[:-1]:
            page.close()
        blank = self.browser.pages[-1]
        self.new_page(address)
        blank.close()

    def close_browser(self):
        self.browser.close()
        self.start_browser(self.before["hash"])

    def kill_server(self):
        self.context.server.stop()
        self.while_gone()
        self.context.server.start()

    def restart_server(self):
        server = self.context.server
        server.process.send_signal(signal.SIGINT)
        server.process.wait(timeout=20)
        server.process.stdout.close()
        self.while_gone()
        server.start()

    def suspend_server(self):
        process = self.context.server.process
        os.kill(process.pid, signal.SIGSTOP)
        try:
            self.while_gone()
            time.sleep(self.random.choice((0.2, 1, 8)))
        finally:
            os.kill(process.pid, signal.SIGCONT)

    def while_gone(self):
        """The user goes on without a server, if the board lets him, and impatiently tries again."""
        time.sleep(self.random.random())
        if not self.page.evaluate("agoge.modeName === 'play' && !!agoge.board.movable"):
            return
        move = self.page.evaluate("agoge.shown.legal.find(({move}) => move.length === 4)?.move")
        other = self.page.evaluate("agoge.shown.legal.findLast(({move}) => move.length === 4)?.move")
        self.log(f"    plays {move} and {other} meanwhile")
        for each in (move, other):
            if each:
                self.board.square(each[:2]).click()
                self.board.square(each[2:4]).click()

    def kill_engine(self):
        for engine in self.context.server.engines():
            os.kill(engine, signal.SIGKILL)

    def kill_worker(self):
        """The worker of the engine, or that of the rules, fails at a message without a question or line."""
        self.page.evaluate(f"agoge.backend.{self.choose(('engine', 'rules'))}.postMessage({{}})")

    # ---- all of it

    @property
    def acts(self):
        return [self.game_move] * 6 + [self.study_move] * 5 + [self.study_comment] * 3 + [self.study_shapes] * 2 + [
            self.new_study, self.puzzle, self.watch, self.setting, self.delete]

    def run(self, events):
        acts = self.acts
        troubles = [self.reload, self.reload, self.close_tab, self.crash_tab, self.close_browser]
        troubles += [self.kill_server, self.restart_server, self.suspend_server, self.kill_engine] if self.context.native else [self.kill_worker]
        order = []
        try:
            self.start_browser()
            for number in range(1, events + 1):
                for _ in range(self.random.randrange(1, 5)):
                    self.choose(acts)()
                    self.note()
                # Each kind comes before any comes again.
                if not order:
                    order = self.random.sample(troubles, len(troubles))
                trouble = order.pop()
                if self.random.random() < 0.7:
                    time.sleep(self.random.random() * self.choose((0.01, 0.1, 0.5)))
                self.note()
                self.log(f"{number}. {trouble.__name__} at {self.before['hash']}")
                trouble()
                self.check()
        except Exception:
            with contextlib.suppress(Error):
                os.makedirs("target", exist_ok=True)
                self.page.screenshot(path="target/gui-chaos.png")
            raise
        finally:
            if self.browser:
                self.browser.close()
            self.folder.cleanup()
        self.log(f"{events} events, {len(self.documents)} documents, {len(self.solved)} puzzles solved: nothing lost")


class TwoTabs(Chaos):
    """Two tabs, sometimes with the same game or analysis. The user is in one of them; the other one goes on."""

    other = other_before = None

    def __init__(self, *all):
        super().__init__(*all)
        # What each tab showed of the analyses, and the latest state of each line by the tab in which it was changed.
        self.seen, self.lines, self.tabs = {}, {}, set()

    def swap(self):
        self.board, self.other = self.other, self.board
        self.before, self.other_before = self.other_before, self.before

    def start_browser(self, address=""):
        super().start_browser(address)
        self.swap()
        self.new_page(self.before["hash"] if self.before else "")
        self.swap()
        self.page.bring_to_front()

    def new_page_after(self, act):
        address = self.before["hash"]
        act()
        self.new_page(address)

    def note(self):
        for _ in range(2):
            self.swap()
            known = dict(self.documents)
            shown = super().note()
            self.tabs.add(shown["tab"])
            for ident, document in shown["opened"].items():
                if document["kind"] == "study":
                    self.note_lines(ident, document["value"])
                elif ident in known and len(moves_of(known[ident]["value"])) > len(moves_of(document["value"])):
                    # The other tab plays this game.
                    self.documents[ident] = known[ident]
        return shown

    def note_lines(self, ident, value):
        lines = lines_of(value)
        old = self.seen.get((self.page, ident), {})
        latest = self.lines.setdefault(ident, {})
        latest.update((path, notes) for path, notes in lines.items() if old.get(path) != notes)
        self.seen[self.page, ident] = lines

    def check(self):
        """What is on its way from tab to tab comes a little later."""
        before, end = (self.before, self.other_before), time.monotonic() + 20
        while True:
            try:
                return self.check_once(*before)
            except AssertionError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def check_list(self, kept):
        # What a tab could not write before its end is kept beside what the other one has written.
        versions = {f"{int(ident, 16) ^ int(tab, 16):016x}" for ident, known in self.documents.items() if known["kind"] == "study" for tab in self.tabs}
        for ident in (versions & set(kept["ids"])) - set(self.documents):
            value = self.page.evaluate("async (id) => (await agoge.documents.store.get('study', id)).value", ident)
            self.documents[ident] = {"kind": "study", "value": value}
            kept["documents"][ident] = value
        super().check_list(kept)

    def check_once(self, before_here, before_there):
        boards = (self.board, self.other)
        for board in boards:
            expect(board.page.locator("#connection")).to_be_hidden()
        # What one tab writes may be a change in the other.
        for board in (*boards, *boards):
            board.wait(f"!agoge.isEntering && {SETTLED}")
            board.page.wait_for_timeout(200)
        snapshots = [board.page.evaluate(SNAPSHOT) for board in boards]
        # A version besides that of the other tab has an address of its own.
        for before, now in zip((before_here, before_there), snapshots):
            assert now["place"] == before["place"], (before["place"], now["place"])
            if now["hash"] != before["hash"] and before["hash"].count("/"):
                assert now["place"] == "analyse" and now["hash"].split("/")[1] not in self.documents, (before["hash"], now["hash"])
        # Games go on meanwhile, and their latest moves are on their way.
        games = {ident: document["value"] for ident, document in self.documents.items() if document["kind"] == "game"}
        self.note()
        kept = self.page.evaluate(KEPT, [[document["kind"], ident] for ident, document in self.documents.items()])
        self.check_list(kept)
        studies = {ident: lines_of(value) for ident, value in kept["documents"].items() if self.documents[ident]["kind"] == "study" and value}
        for ident, value in games.items():
            compare(ident, "game", value, kept["documents"][ident], "in the store")
        for ident in self.documents:
            for path, notes in self.lines.get(ident, {}).items():
                assert any(lines.get(path) == notes for lines in studies.values()), f"{notes} at {path} of {ident} is lost: {studies.get(ident)}"
        for now in snapshots:
            self.check_profiles(now, kept)
        assert not self.errors, self.errors

    # ---- what the user does

    @property
    def acts(self):
        return super().acts + [self.change_tab] * 6 + [self.same_in_both] * 2

    def change_tab(self):
        self.swap()
        self.page.bring_to_front()
        self.log(f"  goes to the tab with {self.page.evaluate('location.hash')}")

    def same_in_both(self):
        """Opens what the other tab shows."""
        self.other.wait(f"!agoge.isEntering && {SETTLED}")
        address = self.other.page.evaluate("location.hash")
        if not address.startswith(("#analyse/", "#play/")):
            return
        self.log(f"  opens {address} in both")
        self.page.evaluate("address => { location.hash = address; }", address)
        place, ident = address[1:].split("/")
        self.board.wait(f"location.hash === '{address}' && agoge.modeName === '{place}' && agoge.mode.document?.id === '{ident}' && !agoge.isEntering")

    def game_move(self):
        self.place("play")
        if self.page.evaluate("!!agoge.mode.game && agoge.mode.isRunning && !agoge.mode.game.isHeld"):
            return self.new_game()
        return super().game_move()

    def may_be_deleted(self):
        return set(self.documents) - set(self.other.page.evaluate("[...agoge.documents.opened.keys()]"))


def run_short(kind, board, context):
    """The browser is another one, because it ends, too."""
    context.expects_disconnect = True
    board.page.goto("about:blank")
    lines = []
    try:
        kind(context, context.seed, context.browser.browser_type, lines.append).run(6)
    except Exception:
        print("\n".join(lines))
        raise


def nothing_is_lost_at_random_events(board, context):
    run_short(Chaos, board, context)


def nothing_is_lost_in_two_tabs(board, context):
    run_short(TwoTabs, board, context)


TESTS = [nothing_is_lost_at_random_events, nothing_is_lost_in_two_tabs]


def main():
    from gui_browser import Context

    arguments = parser(__doc__)
    arguments.add_argument("program")
    arguments.add_argument("--static", metavar="FOLDER")
    arguments.add_argument("--page", metavar="FOLDER")
    arguments.add_argument("--events", type=int, default=30)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--tabs", type=int, default=1, choices=(1, 2))
    add_browser(arguments)
    options = arguments.parse_args()
    with sync_playwright() as playwright:
        context = Context(options, None)
        expect.set_options(timeout=20_000)
        try:
            (TwoTabs if options.tabs == 2 else Chaos)(context, options.seed, playwright.chromium, lambda text: print(text, flush=True)).run(options.events)
        finally:
            context.close()


if __name__ == "__main__":
    sys.exit(main())
