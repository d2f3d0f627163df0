"""Tests of the engine in WebAssembly that searches on several threads, and of searches that are stopped without."""

import time

from gui_page import TIMEOUT, Board, StaticServer, without_suspension

SEARCH = """async ([threads, limits]) => {
    Object.assign(agoge.engine, { threads });
    let best = {};
    const answer = await agoge.engine.go({ variant: "spartan", fen: null, moves: [] }, limits, {}, (info) => { best = info; });
    return { move: answer?.best, line: best.pv?.[0], nodes: best.nodes };
}"""


def threads_search_together(board, context):
    """The page offers as many threads as there are processors; those that it starts end with their engine."""
    if context.native:
        return
    server = StaticServer(context.options.static, isolated=True)
    page = board.page
    isolated = Board(page, server.address)
    isolated.open("#analyse")
    limit = page.evaluate("agoge.backend.threadLimit")
    if limit == 1:
        context.note("skipped: this needs two processors and a page built by .ci/build_web --threads")
        server.close()
        return
    page.click("#open-engine-settings")
    choice = page.locator("#engine-settings label", has_text="Threads").locator("select")
    assert choice.locator("option").count() == limit and choice.input_value() == "1"
    wait_for_workers(page, 2)
    choice.select_option("2")
    wait_for_workers(page, 3)
    page.wait_for_selector(".pv .score", timeout=TIMEOUT)
    # The choice is kept.
    isolated.open("#analyse")
    assert choice.input_value() == "2"
    isolated.turn_engine_off()
    for limits in ("depth 8", "nodes 20000", "movetime 300"):
        answer = page.evaluate(SEARCH, [2, limits])
        assert answer["move"] == answer["line"] and answer["nodes"] > 100, answer
    times = isolated.stop_times(10)
    context.note(f"stop to bestmove with two threads: median {times[5]:.1f} ms, longest {times[-1]:.1f} ms")
    assert times[5] < 2000, times
    # An engine that ends in a search leaves no thread behind, and the next one goes on with as many. The browser takes two
    # seconds to end them.
    page.evaluate(f"void ({SEARCH})([2, 'infinite'])")
    page.wait_for_timeout(300)
    page.evaluate("agoge.backend.engine.onerror(new ErrorEvent('error', {cancelable: true}))")
    page.wait_for_timeout(500)
    page.evaluate("agoge.engine.stop()")
    wait_for_workers(page, 3)
    server.close()


def wait_for_workers(page, count):
    """Waits until the page has so many workers: that of the rules, that of the engine, and further threads."""
    session = page.context.browser.new_browser_cdp_session()
    end = time.monotonic() + 20
    while (found := sum(target["type"] == "worker" for target in session.send("Target.getTargets")["targetInfos"])) != count:
        assert time.monotonic() < end, f"{found} workers, not {count}"
        page.wait_for_timeout(100)
    session.detach()


def old_browsers_stop_searches(board, context):
    """Browsers that cannot suspend WebAssembly ask the page whether a search is to stop."""
    if context.native:
        return
    asked = []
    without_suspension(board.loaded)
    board.loaded.on("request", lambda request: request.url.startswith("blob:") and asked.append(request.url))
    board.open("#setup")
    times = board.stop_times(10)
    context.note(f"stop to bestmove by requests: median {times[5]:.1f} ms, longest {times[-1]:.1f} ms")
    assert times[5] < 2000 and asked, times


TESTS = [threads_search_together, old_browsers_stop_searches]
