#!/usr/bin/env python3
"""Checks the pictures of the pieces of the board in the browser, and makes sheets of them.

    pip install playwright axe-playwright-python
    tests/gui_pieces.py                          # checks
    tests/gui_pieces.py --sheets target/pictures # and writes a picture of each set

The silhouettes of two kinds are compared at 24 pixels by intersection over union, with the parts of pixels that they
cover. Kings must differ from all other kinds of both armies. No picture comes near the edge of its square or hides a
coordinate, all stand on one line, and their outlines or bodies stand out from the squares of all boards.
"""

import argparse
import base64
import itertools
import os
import re
import sys

from playwright.sync_api import sync_playwright

from gui_page import StaticServer, add_browser

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "engine", "web", "page")
PIECES = {"K": "Persian king", "Q": "queen", "R": "rook", "B": "bishop", "N": "knight", "P": "pawn",
          "k": "Spartan king", "g": "general", "w": "warlord", "c": "captain", "l": "lieutenant", "h": "hoplite"}
LIKE_A_KING = 0.75
MARGIN = 0.04
# Where the coordinates are: the parts of a square from the left, the top, the right and the bottom.
COORDINATES = ((0.0, 0.0, 0.14, 0.21), (0.86, 0.79, 1.0, 1.0))
CONTRAST = 3
TEXT_CONTRAST = 4.5

SCRIPT = """async () => {
    const { installPictures, picture, SETS } = await import("/js/pieces.js");
    installPictures();
    const css = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    // A piece as an image of its own, with the colours that the page gives it, or all black.
    const source = (letter, variant, set, isBlack) => {
        const svg = picture(letter, variant, set);
        document.body.append(svg);
        const use = svg.querySelector("use");
        const shape = document.querySelector(use.getAttribute("href")).cloneNode(true);
        const drawn = document.createElementNS(svg.namespaceURI, "g");
        drawn.append(...shape.childNodes);
        use.replaceWith(drawn);
        for (const part of drawn.querySelectorAll("*")) {
            const style = getComputedStyle(part);
            for (const name of ["fill", "stroke", "stroke-width", "stroke-linejoin", "stroke-linecap"]) part.setAttribute(name, style.getPropertyValue(name));
            if (isBlack) for (const name of ["fill", "stroke"]) if (part.getAttribute(name) !== "none") part.setAttribute(name, "#000");
        }
        svg.prepend(...[...document.querySelectorAll("linearGradient")].map((item) => item.cloneNode(true)));
        svg.remove();
        return new XMLSerializer().serializeToString(svg);
    };
    const images = new Map();
    const load = async (letter, variant, set, isBlack) => {
        const key = [letter, variant, set, isBlack].join();
        if (!images.has(key)) {
            const text = source(letter, variant, set, isBlack).replace("<svg", '<svg width="480" height="480"');
            const image = new Image();
            image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
            await image.decode();
            images.set(key, image);
        }
        return images.get(key);
    };
    const raster = async (size, ...piece) => {
        const context = Object.assign(document.createElement("canvas"), { width: size, height: size }).getContext("2d");
        context.drawImage(await load(...piece), 0, 0, size, size);
        return [...context.getImageData(0, 0, size, size).data];
    };
    // What is inked: its bounds as parts of the square, whether it is in one of some boxes, and its extreme colours.
    const measure = async (boxes, ...piece) => {
        const size = 200;
        const data = await raster(size, ...piece);
        const luminance = (at) => 0.2126 * data[at] + 0.7152 * data[at + 1] + 0.0722 * data[at + 2];
        let [left, top, right, bottom, hides, darkest, lightest] = [1, 1, 0, 0, false, null, null];
        for (let index = 0; index < size * size; index++) {
            if (data[4 * index + 3] < 80) continue;
            const [x, y] = [(index % size) / size, Math.floor(index / size) / size];
            [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
            hides ||= boxes.some(([x1, y1, x2, y2]) => x >= x1 && x < x2 && y >= y1 && y < y2);
            if (data[4 * index + 3] < 255) continue;
            if (darkest === null || luminance(4 * index) < luminance(darkest)) darkest = 4 * index;
            if (lightest === null || luminance(4 * index) > luminance(lightest)) lightest = 4 * index;
        }
        return { edges: [left, top, 1 - right, 1 - bottom], hides, ends: [darkest, lightest].map((at) => data.slice(at, at + 3)) };
    };
    window.pieces = { measure, raster, load, picture, sets: SETS, boards: () => css.map(({ cssText }) => cssText).filter((text) => text.includes("--dark:")) };
}"""

SHEET = """async ([set, letters, sizes, squares]) => {
    const width = Math.max(...sizes) * letters.length;
    const rows = sizes.flatMap((size) => [0, 1, 2].map((kind) => [size, kind]));
    const height = rows.reduce((sum, [size]) => sum + size + 4, 0);
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    let y = 0;
    for (const [size, kind] of rows) {
        for (const [index, letter] of letters.entries()) {
            context.fillStyle = kind === 2 ? "#fff" : squares[(index + kind) % 2];
            context.fillRect(index * size, y, size, size);
            context.drawImage(await pieces.load(letter, "spartan", set, kind === 2), index * size, y, size, size);
        }
        y += size + 4;
    }
    return canvas.toDataURL();
}"""


def alpha(pixels):
    return [value / 255 for value in pixels[3::4]]


def likeness(one, other):
    """Intersection over union of two shapes."""
    return sum(map(min, one, other)) / sum(map(max, one, other))


def luminance(colour):
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def check_likeness(shapes, fail):
    pairs = sorted(((likeness(shapes[one], shapes[other]), one, other) for one, other in itertools.combinations(shapes, 2)), reverse=True)
    kings = [pair for pair in pairs if (pair[1] in "Kk") != (pair[2] in "Kk")]

    def name(pair):
        return f"{PIECES[pair[1]]} and {PIECES[pair[2]]} {pair[0]:.2f}"

    print(f"  most alike: {name(pairs[0])}; of a king: {name(kings[0])}")
    if kings[0][0] > LIKE_A_KING:
        fail(f"too much alike: {name(kings[0])}")


def colour_in(text, name):
    return tuple(int(part, 16) for part in re.findall("..", re.search(rf"--{name}: #(\w+)", text)[1]))


def colours_of_boards(texts, fail):
    """The light and the dark colour of all boards. The coordinates on them must be readable."""
    boards = {}
    for text in texts:
        name = re.findall(r'data-board="(\w+)"', text)[-1]
        boards[name] = [colour_in(text, kind) for kind in ("light", "dark")]
        for kind, square in zip(("light", "dark"), boards[name]):
            ratio = contrast(colour_in(text, f"coord-{kind}"), square)
            if ratio < TEXT_CONTRAST:
                fail(f"the coordinates on {kind} squares of {name}: contrast {ratio:.1f}")
    return boards


def check_piece(letter, measure, boards, fail):
    """The edges of the square, the coordinates, and the darkest and lightest colour against each square of a board."""
    name, is_persian = PIECES[letter], letter.isupper()
    if min(measure["edges"]) < MARGIN:
        fail(f"{name} is {min(measure['edges']):.1%} from an edge")
    if measure["hides"]:
        fail(f"{name} hides a coordinate")
    for board, squares in boards.items():
        for square in squares:
            # The lightest colour of the Spartans is that of small parts.
            best = max(contrast(end, square) for end in measure["ends"][:2 if is_persian else 1])
            if best < CONTRAST:
                fail(f"{name} on {board}: contrast {best:.1f}")


def check_set(page, name, boards, fail):
    print(f"{name}:")
    shapes = {letter: alpha(page.evaluate("piece => pieces.raster(24, ...piece)", [letter, "spartan", name, True])) for letter in PIECES}
    check_likeness(shapes, fail)
    measures = {letter: page.evaluate("([boxes, piece]) => pieces.measure(boxes, ...piece)", [COORDINATES, [letter, "spartan", name, False]]) for letter in PIECES}
    for letter, measure in measures.items():
        check_piece(letter, measure, boards, fail)
    feet = {letter: measure["edges"][3] for letter, measure in measures.items()}
    if max(feet.values()) - min(feet.values()) > 0.011:
        fail(f"they do not stand on one line: {feet}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--page", metavar="FOLDER", default=PAGE)
    arguments.add_argument("--sheets", metavar="FOLDER")
    add_browser(arguments)
    options = arguments.parse_args()
    failures = []
    server = StaticServer(options.page)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.browser, args=["--no-sandbox"])
        page = browser.new_page()
        styles = "".join(f'<link rel="stylesheet" href="css/{name}.css">' for name in ("theme", "board"))
        page.route("**/pieces.html", lambda route: route.fulfill(content_type="text/html", body=f"<!doctype html>{styles}"))
        page.goto(f"{server.address}pieces.html")
        page.evaluate(SCRIPT)
        boards = colours_of_boards(page.evaluate("pieces.boards()"), failures.append)
        assert len(boards) >= 4, boards
        for name in page.evaluate("pieces.sets"):
            check_set(page, name, boards, lambda text, name=name: failures.append(f"{name}: {text}"))
            if options.sheets:
                os.makedirs(options.sheets, exist_ok=True)
                for board, squares in boards.items():
                    colours = ["#" + "".join(f"{part:02x}" for part in square) for square in squares]
                    data = page.evaluate(SHEET, [name, list(PIECES), [80, 45, 24], colours])
                    with open(os.path.join(options.sheets, f"pieces-{name}-{board}.png"), "wb") as file:
                        file.write(base64.b64decode(data.split(",")[1]))
        browser.close()
    server.close()
    for failure in failures:
        print(f"FAILED {failure}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
