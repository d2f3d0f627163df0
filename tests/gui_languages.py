"""The page in all its languages: choice, layout, accessibility, messages; for gui_browser.py."""

import contextlib

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import languages
from gui_looks import BOARDS
from gui_page import COLOURS, native_only, violations

SCREENS = ((1366, 768), (1920, 1080))
PHONES = ((390, 844), (844, 390))
SIZES = SCREENS + PHONES
SCHEMES = ("light", "dark")
LANGUAGES = (("en", "en-US"), ("de", "de-DE"), ("el", "el-GR"), ("es", "es-ES"), ("fr", "fr-FR"), ("zh", "zh-CN"))

# What is wrong with the layout, as texts. Text may be cut only where a table or a line of moves shortens names and moves.
LAYOUT = r"""() => {
    const SHORTENED = ".games td, .game-row strong, .pv .text, .pv-move, .strip .name";
    const SIDEWAYS = ".moves, .games-scroll, .pv";
    const problems = [];
    const describe = (element, text) => `${element.tagName.toLowerCase()}${element.id && `#${element.id}`}.${element.className.baseVal ?? element.className}: ${text.trim().slice(0, 60)}`;
    // What sticks to an edge covers what scrolls below it, and a question covers the other tools.
    const layerOf = (element) => {
        for (let box = element; box; box = box.parentElement) if (["sticky", "fixed"].includes(getComputedStyle(box).position) || box.matches(".confirm:has(.asking)")) return box;
        return null;
    };
    const dialog = document.querySelector("dialog[open]");
    const root = dialog ?? document.body;
    if (document.documentElement.scrollWidth > innerWidth) problems.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const texts = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const element = node.parentElement;
        const text = node.textContent;
        if (!text.trim() || element.closest("option, svg, script, .visually-hidden, .skip, .board, .eval-bar, .toasts, textarea, noscript") || !element.checkVisibility({ visibilityProperty: true })) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        let rects = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
        // What scrolls can be read. What is hidden cannot.
        let isVisible = true;
        for (let box = element; box && box !== document.documentElement; box = box.parentElement) {
            const style = getComputedStyle(box);
            if (style.display === "inline" || style.display === "contents") continue;
            const { left, right, top, bottom } = box.getBoundingClientRect();
            if (style.clipPath !== "none" && right - left <= 1) isVisible = false;
            const kinds = [style.overflowX, style.overflowY];
            const scrolls = kinds.some((kind) => kind === "auto" || kind === "scroll");
            const hides = kinds.some((kind) => kind === "hidden" || kind === "clip");
            if (isVisible && !scrolls && (hides || box.matches("button, .choice label, summary, th, td")) && !element.closest(SHORTENED)) {
                const out = rects.find((rect) => rect.left < left - 1 || rect.right > right + 1 || rect.top < top - 2 || rect.bottom > bottom + 2);
                if (out) problems.push(`cut, or outside of ${box === element ? "itself" : describe(box, "")}: ${describe(element, text)}`);
            }
            if (scrolls && box.scrollWidth > box.clientWidth + 1 && !element.closest(SIDEWAYS)) problems.push(`scrolls to the side: ${describe(box, "")}`);
            if (scrolls || hides) {
                rects = rects.map((rect) => ({ left: Math.max(rect.left, left), right: Math.min(rect.right, right), top: Math.max(rect.top, top), bottom: Math.min(rect.bottom, bottom) }))
                    .filter((rect) => rect.right - rect.left > 1 && rect.bottom - rect.top > 1);
            }
        }
        if (!isVisible) continue;
        // A word that has no room goes on in the next line. Chinese has no spaces, and a soft hyphen says where a word may break.
        if (element.closest("button, .choice label") && !element.closest(SHORTENED)) {
            for (const { 0: word, index } of text.matchAll(/[^\s\-\/–…]+/g)) {
                range.setStart(node, index);
                range.setEnd(node, index + word.length);
                if (!/[\p{Script=Han}\u00ad]/u.test(word) && new Set([...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => Math.round(top))).size > 1) problems.push(`broken word: ${describe(element, word)}`);
            }
        }
        for (const rect of rects) texts.push({ element, text, rect, layer: layerOf(element) });
    }
    for (let i = 0; i < texts.length; i++) {
        for (let j = i + 1; j < texts.length; j++) {
            const [a, b] = [texts[i], texts[j]];
            if (a.element === b.element || a.layer !== b.layer) continue;
            const width = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
            const height = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
            if (width > 2 && height > 4) problems.push(`overlapping: ${describe(a.element, a.text)} / ${describe(b.element, b.text)}`);
        }
    }
    // The text of lists and of empty fields is not in the tree.
    const canvas = document.createElement("canvas").getContext("2d");
    for (const control of root.querySelectorAll("select, input")) {
        const text = control.matches("select") ? control.selectedOptions[0]?.textContent : control.placeholder;
        if (!text || !control.checkVisibility()) continue;
        const style = getComputedStyle(control);
        canvas.font = style.font;
        const space = control.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - (control.matches("select") && style.appearance !== "none" ? 18 : 0);
        if (canvas.measureText(text).width > space + 1) problems.push(`too long for its field: ${describe(control, text)}`);
    }
    return [...new Set(problems)];
}"""

# Texts that are seen or heard without the marks of a translation. Moves, names and numbers are the same in all languages.
UNTRANSLATED = r"""() => {
    const SAME = /^(Agoge|Spartan Chess|English|Deutsch|Ελληνικά|Español|Français|中文|FEN|PGN|[a-h][1-8]?|[a-z]|Elo|[A-Z]|O-O(-O)?)$/;
    const isSame = (text) => !/\p{L}/u.test(text) || text.includes("⟦") || SAME.test(text) || /^([\d.…]+\s*)?[A-Z]?[a-h]?[1-8]?x?[a-h][1-8](=[A-Z])?[+#]?[!?]*$/.test(text)
        || /^(\d+\.+ )?(O-O|O-O-O)[+#]?$|Leonidas|Xerxes|Thermopylae|a comment/.test(text);
    const found = [];
    const root = document.body;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { textContent, parentElement } = walker.currentNode;
        if (parentElement.closest("script, noscript, svg, textarea, .captured") || parentElement.closest("[data-same]")) continue;
        if (!isSame(textContent.trim())) found.push(textContent.trim());
    }
    for (const element of root.querySelectorAll("[aria-label], [title], [placeholder]")) {
        for (const name of ["aria-label", "title", "placeholder"]) {
            const text = element.getAttribute(name);
            if (text && !isSame(text)) found.push(`${name}: ${text}`);
        }
    }
    if (!isSame(document.title)) found.push(`title: ${document.title}`);
    return [...new Set(found)];
}"""

GAME = """[White "Leonidas"]
[Black "Xerxes"]
[Event "Thermopylae"]
[Date "2024.03.05"]

1. e4 {a comment} Hbd5 (1... Hac5 2. Nf3) 2. exd5 Hac5 *
"""


@contextlib.contextmanager
def page_in(context, locale, problems, **options):
    """A page in a browser whose language is another one."""
    with context.other_page(problems, locale=locale, **options) as board:
        yield board


def views(board, text):
    """Goes to each view of the page in turn and yields its name. `text` translates."""
    page = board.page

    def dialog(name):
        page.wait_for_selector("dialog[open]")
        yield name
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")

    board.open("#play")
    yield "new game"
    page.select_option("select:has(option[value='clock:60+0'])", "own")
    yield "new game with another time"
    page.check("input[name=opponent][value=person]", force=True)
    yield "new game of two"
    page.check("input[name=opponent][value=engine]", force=True)
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    yield "game"
    page.click("#resign")
    yield "question"
    page.click("#resign")
    expect(board.status()).to_contain_text("0–1")
    yield "end of the game"
    page.click("#game-mistakes")
    page.wait_for_selector("[data-mode=mistakes] #mistakes-analyse")
    yield "mistakes"
    board.mode("play")
    page.click("#analyse-game")
    page.wait_for_selector(".pv .score")
    yield "analysis of the game"
    page.click(f"text={text('Load a game or position')}")
    page.wait_for_selector("#import-text")
    yield "load"
    page.fill("#import-text", GAME)
    page.click("#import-load")
    expect(page.locator(".moves .mv")).to_have_count(6)
    yield "analysis"
    page.click("#annotate")
    board.open_engine_settings()
    yield "analysis with annotations and settings"
    page.click("#edit-tags")
    yield from dialog("tags")
    page.click(f"text={text('Copy or save')} >> nth=0")
    yield from dialog("copy")
    for place in ("setup", "puzzles", "learn", "watch", "games"):
        board.mode(place)
        page.wait_for_timeout(100)
        yield place
        if place == "learn":
            page.click("#open-key")
            page.wait_for_selector("#piece-key:not([hidden])")
            yield "piece key"
            page.click("#piece-key .icon-button")
            page.click("#to-rules")
            page.wait_for_selector("#to-lessons")
            yield "rules"
    page.click("#settings-button")
    yield from dialog("settings")
    board.mode("play")
    page.keyboard.press("?")
    yield from dialog("keys")


def translations():
    return {code: languages.read(code) for code in languages.languages()}


def the_language_follows_the_browser_and_the_choice(board, context):
    problems = []
    for locale, code in (("de-CH", "de"), ("zh-CN", "zh"), ("el-GR", "el"), ("it-IT", "en"), ("en-GB", "en")):
        with page_in(context, locale, problems) as other:
            other.open("#play")
            assert other.page.evaluate("document.documentElement.lang") == code, locale
            expect(other.page.locator("#start")).to_have_text("Play" if code == "en" else translations()[code]["page"]["Play"])
    # A change keeps the game.
    board.open("#play")
    board.new_game("white")
    board.click("e2e4")
    board.wait_for_ply(2)
    board.page.click("#settings-button")
    board.page.select_option("select:has(option[value=fr])", "fr")
    board.page.wait_for_selector("html[lang=fr][data-ready]", state="attached")
    board.wait_for_ply(2)
    expect(board.page.locator("#strip-bottom")).to_contain_text("Vous")
    board.open("#games")
    expect(board.page.locator("h2")).to_have_text("Mes parties")
    # Numbers and dates by locale.
    expect(board.page.locator(".game-row")).to_contain_text(board.page.evaluate("new Date().toLocaleDateString('fr', { dateStyle: 'medium' })"))
    board.page.click("#settings-button")
    board.page.select_option("select:has(option[value=fr])", "auto")
    board.page.wait_for_selector("html[lang=en][data-ready]", state="attached")
    assert not problems, problems


def a_language_that_cannot_be_loaded(board, context):
    expected = []
    with page_in(context, "es-ES", expected) as other:
        other.page.route("**/lang/es*.json", lambda route: route.abort())
        other.open("#play")
        other.expect_failure("The texts in this language could not be loaded: Español. The page is in English.")
        assert other.page.evaluate("document.documentElement.lang") == "en"
        expect(other.page.locator("#start")).to_have_text("Play")
        other.page.unroute("**/lang/es*.json")
        other.page.click("#try-again")
        other.page.wait_for_selector("html[lang=es][data-ready]", state="attached")
        expect(other.page.locator("#connection")).to_be_hidden()
    assert all("ERR_FAILED" in text for text in expected), expected


def all_texts_are_translated(board, context):
    """With a language whose texts have marks around them, no text is without."""
    texts, _ = languages.texts_of_page()

    def mark(text):
        return f"⟦{text}⟧"

    page = {text: mark(text) if singular is None else {"one": mark(singular), "other": mark(text)} for text, singular in texts.items()}
    engine = {key: mark(key) for key in translations()["de"]["engine"]}
    with page_in(context, "de-DE", []) as other:
        other.page.route("**/lang/de*.json", lambda route: route.fulfill(json={"page": page, "engine": engine}))
        for view in views(other, mark):
            found = other.page.evaluate(UNTRANSLATED)
            assert not found, f"{view}: {found}"


def summary(found):
    """Findings by text, with the views that have them."""
    return "\n".join(f"{problem} ({', '.join(where[:3])}{' …' if len(where) > 3 else ''})" for problem, where in found.items())


def resize(board, size):
    board.resize(*size)
    board.page.wait_for_timeout(80)


# What axe-core, which is on the page, finds on each board. A board changes no colours but its own.
BOARD_COLOURS = """async (boards) => {
    const found = [];
    const { dataset } = document.documentElement;
    const chosen = dataset.board;
    for (const name of boards) {
        dataset.board = name;
        const { violations } = await axe.run("#board", { runOnly: ["color-contrast"] });
        found.push(...violations.flatMap(({ help, nodes }) => nodes.map(({ html }) => [name, `${help}: ${html.slice(0, 120)}`])));
    }
    dataset.board = chosen;
    return found;
}"""


def views_in(board, code):
    page = translations().get(code, {"page": {}})["page"]
    return views(board, lambda key: page.get(key, key))


def layout_in(code, locale):
    """No text of any view is cut or overlaps at any size; in English axe-core tries each view at one size, light or dark."""
    # The larger screen leaves more room, and differs in nothing else.
    sizes = SIZES if code == "en" else (SCREENS[0], *PHONES)

    def test(board, context):
        axe = Axe()
        found, problems = {}, []
        with page_in(context, locale, problems) as other:
            for index, view in enumerate(views_in(other, code)):
                for size in sizes:
                    resize(other, size)
                    for problem in other.page.evaluate(LAYOUT):
                        found.setdefault(f"{size}: {problem}", []).append(view)
                if code == "en":
                    size, scheme = SIZES[index % 4], SCHEMES[index // 4 % 2]
                    other.page.emulate_media(color_scheme=scheme)
                    resize(other, size)
                    for problem in violations(axe, other):
                        found.setdefault(f"{size} {scheme}: {problem}", []).append(view)
                resize(other, sizes[0])
        assert not problems, problems
        assert not found, summary(found)

    test.__name__ = f"texts_fit_in_{code}"
    # The layout does not depend on the backend.
    native_only(test)
    return test


def everything_in(code, locale, sizes):
    """All views at some sizes, light and dark, on all boards: axe-core and the layout. It takes minutes, and is run by hand."""

    def test(board, context):
        axe = Axe()
        found, problems, runs, layouts = {}, [], 0, 0
        with page_in(context, locale, problems, has_touch=sizes == PHONES) as other:
            for view in views_in(other, code):
                for size in sizes:
                    resize(other, size)
                    layouts += 1
                    for problem in other.page.evaluate(LAYOUT):
                        found.setdefault(f"{size}: {problem}", []).append(view)
                    for scheme in SCHEMES:
                        other.page.emulate_media(color_scheme=scheme)
                        # Only colours depend on the scheme.
                        for problem in violations(axe, other, COLOURS if scheme == "dark" else None):
                            found.setdefault(f"{size} {scheme}: {problem}", []).append(view)
                        runs += 1
                        if other.page.locator("#board:visible").count() and not other.page.locator("dialog[open]").count():
                            for name, problem in other.page.evaluate(BOARD_COLOURS, BOARDS):
                                found.setdefault(f"{size} {scheme} {name}: {problem}", []).append(view)
                            runs += len(BOARDS)
                resize(other, SIZES[0])
        context.note(f"{runs} runs of axe-core, {layouts} layouts")
        assert not problems, problems
        assert not found, summary(found)

    test.__name__ = f"everything_in_{code}_on_{'phones' if sizes == PHONES else 'screens'}"
    test.by_hand = True
    return test


# The texts of the page do not depend on the backend.
native_only(the_language_follows_the_browser_and_the_choice, all_texts_are_translated)

TESTS = [
    the_language_follows_the_browser_and_the_choice, a_language_that_cannot_be_loaded, all_texts_are_translated,
    *(layout_in(code, locale) for code, locale in LANGUAGES),
    *(everything_in(code, locale, sizes) for code, locale in LANGUAGES for sizes in (SCREENS, PHONES)),
]
