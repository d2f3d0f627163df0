"""What the rules say about moves, positions and games, in another language; a test of gui_browser.py."""

from gui_page import native_only

# Positions and games of which the rules say what is wrong.
FENS = [
    "", "8/8", "8/8 w - - 0 1 2 3", "8/8/8 w - - 0 1", "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR x KQ - 0 1", "9/8/8/8/8/8/8/8 w - - 0 1",
    "44k/8/8/8/8/8/8/8 w - - 0 1", "x7/8/8/8/8/8/8/8 w - - 0 1", "7/8/8/8/8/8/8/8 w - - 0 1", "k7/8/8/8/8/8/8/4K3 w X - 0 1", "k7/8/8/8/8/8/8/4K3 w KK - 0 1",
    "k7/8/8/8/8/8/8/4K3 w - e4 0 1", "k7/8/8/8/8/8/8/4K3 w - - x 1", "k7/8/8/8/8/8/8/4K3 w - - 99999 1", "k7/8/8/8/8/8/8/4K3 w - - 0 y", "8/8/8/8/8/8/8/4K3 w - - 0 1",
    "kk6/8/k7/8/8/8/8/4K3 w - - 0 1", "k7/8/8/8/8/8/8/8 w - - 0 1", "k7/8/8/8/8/8/8/KK6 w - - 0 1", "k3g3/8/8/8/8/8/8/4K3 b - - 0 1", "k2g3P/8/8/8/8/8/8/4K3 w - - 0 1",
    "k7/8/8/8/8/8/8/4K3 w K - 0 1", "k2g4/8/8/8/8/8/8/K2G4 w - - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1", "k3r3/8/8/8/8/8/8/4K3 b - - 0 1", "l7/8/8/8/8/8/8/4K3 w - - 0 1",
]
PGNS = [
    "hello", "1. Qh9 *", "1. e4 e4 *", "1. e4 -- *", "1. e4 Hbd5 (1... Qh9) 2. Qh9 *", "1. e4 (1. d4 Qh9) 1... Hbd5", "[FEN \"8/8\"]\n\n*", "[Variant \"shogi\"]\n\n1. e4 *",
    "[FEN \"k3g3/8/8/8/8/8/8/4K3 b - - 0 1\"]\n\n*", "[Event \"x]\n\n1. e4 *", "[Event x]\n\n1. e4 *", "[Event \"x\"\n\n1. e4 *", "[Event]\n\n1. e4 *", "[]\n\n1. e4 *",
    "1. e4 { open", "1. e4 { a { b } *", "1. e4 ( 1. d4 *", "1. e4 ) *", "1. e4 [ *", "1-0 1. e4 *", "[White \"a \"b\" c\"]\n\n1. e4 *", "Event \"x\"]\n\n1. e4 *",
    *(f"[Variant \"{name}\"]\n[FEN \"{fen}\"]\n\n*" for name in ("spartan", "chess") for fen in FENS if fen), *(f"[FEN \"{fen}\"]\n\n*" for fen in FENS if fen),
]

# Asks the rules for everything that they have to say, and returns what stays in English.
MESSAGES = r"""async ({ fens, pgns, seed }) => {
    const { translate } = await import(new URL("js/i18n.js", document.baseURI));
    const seen = new Set();
    const random = (n) => Math.floor((seed = (seed * 16807) % 2147483647) / 2147483647 * n);
    const ask = (question) => {
        const id = ++agoge.backend.last;
        return new Promise((resolve) => {
            agoge.backend.waiting.set(id, { resolve, reject: resolve, text: "" });
            agoge.backend.post(JSON.stringify({ id, ...question }));
        });
    };
    const answers = agoge.backend.answer;
    // The errors as the server has sent them.
    agoge.backend.answer = function (text) {
        const { id, ok, error } = JSON.parse(text);
        if (error !== undefined) seen.add(error);
        this.waiting.get(id)?.resolve(ok);
        this.waiting.delete(id);
    };
    const squares = [..."abcdefgh"].flatMap((file) => [..."12345678"].map((rank) => file + rank));
    const explore = async (line) => {
        const position = await ask({ ask: "position", line });
        const pairs = [...squares.flatMap((from) => [from, ...Array.from({ length: 4 }, () => squares[random(64)])].map((to) => [from, to])),
            ...["g1", "c1", "h1", "a1"].map((to) => ["e1", to]), ["e8", "g8"], ["e8", "c8"], ["c8", "e8"]];
        const texts = Array.from({ length: 40 }, () => `${"KGWCLHQRBN"[random(10)]}${squares[random(64)]}${["", "=K", "=G", "=Q"][random(4)]}`);
        for (const text of await Promise.all(pairs.map(([from, to]) => ask({ ask: "explain", line, from, to })))) if (text) seen.add(text);
        await Promise.all([...texts, "O-O", "O-O-O", "xyz", "e9", "Ke5", "d5", "a8"].map((text) => ask({ ask: "move", line, text })));
        return position?.legal ?? [];
    };
    for (const variant of ["spartan", "chess"]) {
        for (let game = 0; game < 2; game++) {
            const line = { variant, fen: null, moves: [] };
            for (let ply = 0; ply < 60; ply++) {
                const legal = ply % 6 ? (await ask({ ask: "position", line }))?.legal ?? [] : await explore(line);
                if (!legal.length) break;
                line.moves.push(legal[random(legal.length)].move);
            }
        }
    }
    const special = ["r3k2r/8/8/8/4R3/8/8/R3K2R w KQkq - 0 1", "k7/8/8/8/8/8/4h1K1/8 b - - 0 1", "k1k5/8/8/8/8/8/4h1K1/8 b - - 0 1", "k6k/7h/8/8/8/8/8/R3K1R1 b - - 0 1",
        "k6k/8/8/8/8/8/8/R3K2R b KQ - 0 1", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "1k2g3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/4P3/RN2K2R w Q - 0 1", "1k6/8/8/8/8/5g2/8/R3K2R w KQ - 0 1"];
    for (const fen of special) for (const variant of ["spartan", "chess"]) await explore({ variant, fen, moves: [] });
    for (const fen of fens) for (const variant of ["spartan", "chess"]) await ask({ ask: "position", line: { variant, fen } });
    await ask({ ask: "position", line: { variant: "shogi" } });
    await ask({ ask: "position", line: { moves: ["e2e5"] } });
    await ask({ ask: "position", line: { moves: ["hello"] } });
    for (const text of pgns) {
        const games = await ask({ ask: "read-pgn", text, line: 1, number: 1 });
        games?.forEach?.(({ warnings = [] }) => warnings.forEach((warning) => seen.add(warning)));
        const list = await ask({ ask: "list-pgn", text, line: 1, cut: false, more: false });
        list?.games?.forEach(({ warnings = [] }) => warnings.forEach((warning) => seen.add(warning)));
    }
    agoge.backend.answer = answers;
    // What the user has written stays as it is, and so do moves.
    const bare = (text) => text.replace(/[“「'][^”」']*[”」']|[A-Z]?[a-h]?[1-8]?x?[a-h][1-8]|hello|spartan|chess|[(（]\w+[)）]/g, "");
    return { count: seen.size, left: [...seen].filter((message) => /[a-z]{3}/.test(bare(translate(message)))).map((message) => `${message} -> ${translate(message)}`) };
}"""


def messages_of_the_rules_are_translated(board, context):
    with context.other_page(locale="zh-CN") as other:
        other.open("#play")
        result = other.page.evaluate(MESSAGES, {"fens": FENS, "pgns": PGNS, "seed": context.seed})
        context.note(f"{result['count']} messages")
        assert result["count"] > 300 and not result["left"], "\n".join(result["left"][:20])


# The messages of the rules do not depend on the backend.
native_only(messages_of_the_rules_are_translated)

TESTS = [messages_of_the_rules_are_translated]
