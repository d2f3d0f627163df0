#!/usr/bin/env python3
"""Measures the engine in WebAssembly against the native one, and the page in the browser.

    pip install playwright
    .ci/build_web target/web --threads
    tests/gui_speed.py target/release/agoge target/web [--other FOLDER]

- nodes a second of processor time on the positions of `agoge bench`, one thread, natively and in the browser, in turn
  (on Linux);
- with --other, the unpacked npm package fairy-stockfish-nnue.wasm: its nodes a second without a network and those of
  our engine in its worker, in turn, on Spartan openings with one second a move;
- nodes a second of `go` in the page without shared memory against those with it, in turn, also in browsers that cannot
  suspend WebAssembly; and on two threads against one;
- the time from `stop` to `bestmove` in the worker, for each of these;
- the page: first paint, time until it can be used, memory and bytes.

It needs Chromium (Debian's package chromium-headless-shell or chromium; --browser names another path). The figures only make sense on an idle
machine.
"""

import gzip
import os
import re
import resource
import shutil
import statistics
import subprocess

from playwright.sync_api import sync_playwright

from gui_page import Board, StaticServer, add_browser, stop_times, without_suspension
from uci import parser

FENS = [
    "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
    "lgk1ckwl/hhhhhhhh/3c4/8/3PP3/8/PPP2PPP/RNBQKBNR w KQ - 1 3",
    "1gkcckwl/hhhhhhhh/2l5/8/3P4/5N2/PPP1PPPP/RNBQKB1R b KQ - 2 2",
    "lgkcckwl/hhh1hhhh/8/3h4/4P3/2N5/PPPP1PPP/R1BQKBNR w KQ - 0 3",
]

SPEED = """(depth) => new Promise((resolve) => {
    const { onLine } = agoge.backend;
    agoge.backend.onLine = (line) => {
        if (!/^[0-9]+ nodes/.test(line)) return;
        agoge.backend.onLine = onLine;
        resolve(line);
    };
    agoge.backend.send(`bench ${depth}`);
})"""

OURS = """async ([fens, time, threads]) => {
    agoge.engine.threads = threads;
    const speeds = [];
    for (const fen of fens) {
        let speed = 0;
        const position = { variant: "spartan", fen, moves: [] };
        await agoge.engine.go(position, `movetime ${time}`, {}, (info) => { speed = info.nps ?? speed; });
        speeds.push(speed);
    }
    return speeds;
}"""

THEIRS = """async ([fens, time]) => {
    const engine = await (globalThis.engine ??= Stockfish());
    const answer = (wanted, ...commands) => new Promise((resolve) => {
        let last = "";
        const listener = (line) => {
            if (line.includes(" nps ")) last = line;
            if (!line.startsWith(wanted)) return;
            engine.removeMessageListener(listener);
            resolve(last);
        };
        engine.addMessageListener(listener);
        for (const command of commands) engine.postMessage(command);
    });
    await answer("uciok", "uci");
    for (const [name, value] of [["Use NNUE", "false"], ["Threads", 1], ["Hash", 32], ["UCI_Variant", "spartan"]]) {
        engine.postMessage(`setoption name ${name} value ${value}`);
    }
    await answer("readyok", "isready");
    const speeds = [];
    for (const fen of fens) {
        const line = await answer("bestmove", "ucinewgame", `position fen ${fen}`, `go movetime ${time}`);
        speeds.push(Number(/ nps (\\d+)/.exec(line)?.[1] ?? 0));
    }
    return speeds;
}"""


def nodes_of(text):
    """The nodes of the last line of a bench."""
    return int(re.findall(r"(\d+) nodes", text)[-1])


def renderers():
    """The processor time of all renderers of Chromium, in seconds: it hardly depends on what else the machine does."""
    time = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline") as cmdline, open(f"/proc/{process}/stat") as stat:
                if "--type=renderer" in cmdline.read():
                    time += sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        except OSError:
            pass
    return time / os.sysconf("SC_CLK_TCK")


def compare_speed(browser, server, program, depth, rounds):
    page = open_board(browser, server)
    page.evaluate("agoge.backend.ready")
    # Until the compiler has optimised the code.
    page.evaluate(SPEED, depth)
    ratios = []
    for _ in range(rounds):
        begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        native = subprocess.run([program, "bench", str(depth)], capture_output=True, text=True, check=True).stdout
        fast = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
        begin = renderers()
        other = page.evaluate(SPEED, depth)
        slow = renderers() - begin
        assert nodes_of(native) == nodes_of(other), (native, other)
        ratios.append(fast / slow)
    page.close()
    print(f"WebAssembly / native: {statistics.median(ratios):.2f} (of {', '.join(f'{ratio:.2f}' for ratio in ratios)})")


def compare_engines(browser, server, folder, rounds):
    other = StaticServer(folder, isolated=True)
    theirs = browser.new_page()
    with open(os.path.join(folder, "page.html"), "w") as file:
        file.write('<!doctype html><script src="stockfish.js"></script>')
    theirs.goto(other.address + "page.html")
    ours = open_board(browser, server)
    ratios = []
    for _ in range(rounds):
        slow = theirs.evaluate(THEIRS, [FENS, 1000])
        ratios.append(search_speed(ours) / statistics.geometric_mean(slow))
    for page in (ours, theirs):
        page.close()
    os.remove(os.path.join(folder, "page.html"))
    print(f"nodes a second / fairy-stockfish-nnue.wasm's: {statistics.median(ratios):.2f} (of {', '.join(f'{ratio:.2f}' for ratio in ratios)})")


def search_speed(page, threads=1):
    return statistics.geometric_mean(page.evaluate(OURS, [FENS, 1000, threads]))


def compare_searches(browser, plain, isolated, rounds):
    """What it costs to stop searches without shared memory, and what a second thread is worth."""
    pages = open_board(browser, isolated), open_board(browser, plain), open_board(browser, plain, is_old=True)
    shared, suspended, asking = pages
    has_threads = shared.evaluate("agoge.backend.threadLimit") > 1
    ratios = {}
    for _ in range(rounds):
        one = search_speed(shared)
        ratios.setdefault("go without / with shared memory", []).append(search_speed(suspended) / one)
        ratios.setdefault("go by requests / with shared memory", []).append(search_speed(asking) / one)
        if has_threads:
            ratios.setdefault("go on two threads / on one", []).append(search_speed(shared, 2) / search_speed(shared))
    for page in pages:
        page.close()
    for name, found in ratios.items():
        print(f"{name}: {statistics.median(found):.2f} (of {', '.join(f'{ratio:.2f}' for ratio in found)})")
    if not has_threads:
        print("no threads: this needs two processors and a page built by .ci/build_web --threads")


def open_board(browser, server, is_old=False):
    """A page; if it is old, as in browsers that cannot suspend WebAssembly."""
    page = browser.new_page()
    if is_old:
        without_suspension(page)
    Board(page, server.address).open("#setup")
    return page


def measure_stops(page, count, how):
    times = stop_times(page, count)
    page.close()
    share = sum(time <= 20 for time in times) / count
    print(f"stop to bestmove, {count} times{how}: median {times[count // 2]:.1f} ms, longest {times[-1]:.1f} ms, {share:.0%} within 20 ms")


def measure_page(browser, server, folder):
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    page.goto(server.address)
    page.wait_for_selector("html[data-ready]", state="attached")
    ready = page.evaluate("performance.now()")
    paint = page.evaluate("Object.fromEntries(performance.getEntriesByType('paint').map((e) => [e.name, e.startTime]))")
    shift = page.evaluate("""() => new Promise((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => { sum += entry.value; }))
            .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(sum), 500);
    })""")
    metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    page.close()
    sizes = {}
    for directory, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(directory, name), "rb") as file:
                data = file.read()
            sizes[name] = (len(data), compressed(data))
    whole, small = (sum(column) for column in zip(*sizes.values()))
    print(f"first paint {paint.get('first-contentful-paint', 0):.0f} ms, ready after {ready:.0f} ms, layout shift {shift:.3f}")
    print(f"JavaScript heap {metrics['JSHeapUsedSize'] / 1e6:.1f} MB, {metrics['Nodes']:.0f} nodes in the document")
    module = next(size for name, size in sizes.items() if re.fullmatch(r"agoge-[0-9a-f]+\.wasm", name))
    print(f"{len(sizes)} files, {whole} bytes, {small} compressed; agoge.wasm {module[0]} and {module[1]}")


def compressed(data):
    """The size by brotli, or by gzip where brotli is not installed."""
    if shutil.which("brotli"):
        return len(subprocess.run(["brotli", "-c", "-q", "11"], input=data, capture_output=True, check=True).stdout)
    return len(gzip.compress(data, 9))


def main():
    arguments = parser(__doc__)
    arguments.add_argument("program")
    arguments.add_argument("folder")
    arguments.add_argument("--other", metavar="FOLDER")
    arguments.add_argument("--depth", type=int, default=9, help="of the bench")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--stops", type=int, default=100)
    add_browser(arguments)
    options = arguments.parse_args()
    server = StaticServer(options.folder)
    isolated = StaticServer(options.folder, isolated=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=["--no-sandbox"])
        measure_page(browser, server, options.folder)
        measure_stops(open_board(browser, server), options.stops, "")
        measure_stops(open_board(browser, server, is_old=True), options.stops, ", by requests")
        measure_stops(open_board(browser, isolated), options.stops, ", with shared memory")
        compare_searches(browser, server, isolated, options.rounds)
        compare_speed(browser, server, options.program, options.depth, options.rounds)
        if options.other:
            compare_engines(browser, isolated, options.other, options.rounds)
        browser.close()


if __name__ == "__main__":
    main()
