/**
 * The parts of the pictures, which are drawn in a square of 100. All lines are 4 wide; the colours are in css/board.css.
 * The lowest line of a piece is at 92, and what is highest at 6, so that nothing touches the edge of the square.
 */
const path = (name) => (d) => `<path class="${name}" d="${d}"/>`;

/** What is of the piece's colour, with a dark outline. */
export const body = path("b");
/** What is of metal or enamel, with a dark outline. */
export const metal = path("c");
/** A line of the colour of the metal on a body; on the other army a dark one. */
export const line = path("d");
/** An opening. */
export const hole = path("o");
/** A dark line. */
export const dark = path("k");

export const disc = (x, y, r, name = "b") => `<circle class="${name}" cx="${x}" cy="${y}" r="${r}"/>`;

/** A band with round ends about the middle: half its width and its upper edge. */
export const band = (half, y, name = "c", height = 6) => `<rect class="${name}" x="${50 - half}" y="${y}" width="${2 * half}" height="${height}" rx="${height / 2}"/>`;

/** A part that is turned about a point. */
export const turned = (angle, part, x = 50, y = 50) => `<g transform="rotate(${angle} ${x} ${y})">${part}</g>`;

/** A part and its mirror image. */
export const twice = (part) => `${part}<g transform="matrix(-1 0 0 1 100 0)">${part}</g>`;
