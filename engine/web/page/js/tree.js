/** A game with variations. */

/** The signs of PGN's glyphs. */
export const SIGNS = { 1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!" };

/** The signs of glyphs about the position. Few systems have ⩲ and ⩱ in a font. */
export const POSITION_SIGNS = { 10: "=", 14: "+/=", 15: "=/+", 16: "±", 17: "∓", 18: "+−", 19: "−+", 13: "∞" };

/** Further signs that files have. */
const MORE_SIGNS = { 7: "□", 36: "↑", 40: "→", 132: "⇆", 146: "N" };

/** The signs of a node's glyphs that have one, as pairs of glyph and sign. */
export const signsOf = ({ glyphs }) => glyphs.map((glyph) => [glyph, SIGNS[glyph] ?? POSITION_SIGNS[glyph] ?? MORE_SIGNS[glyph]]).filter(([, sign]) => sign);

/**
 * A position and the move to it. Besides comments and glyphs it has, if they are known: `clock`, the time left as text;
 * `elapsed`, the time of the move; `evaluation`, `{cp}` or `{mate}` of White's view with `depth` and, from a review,
 * more; `shapes`, arrows and circles as `{from, to, colour}`; from a review `loss`, what the move loses of the expected score,
 * `better` if the better move was added, `mark`, the glyph that it added, and `added` in the nodes that it added.
 */
class Node {
  constructor(parent, { move, san, fen, ...notes }) {
    Object.assign(this, { parent, move, san, fen, children: [] });
    this.annotate(notes);
    this.ply = parent ? parent.ply + 1 : 0;
  }

  annotate({ comment = "", before = "", glyphs = [], clock, elapsed, evaluation, shapes = [], loss, better, mark, added }) {
    Object.assign(this, { comment, before, glyphs, clock, elapsed, evaluation, shapes, loss, better, mark, added });
  }

  /** What is noted about the position; what is empty is left out. */
  get notes() {
    const { comment, before, glyphs, clock, elapsed, evaluation, shapes, loss, better, mark, added } = this;
    return {
      comment: comment || undefined, before: before || undefined, glyphs: glyphs.length ? glyphs : undefined, clock, elapsed, evaluation,
      shapes: shapes.length ? shapes : undefined, loss, better, mark, added,
    };
  }

  /** The nodes from the root to this one, without the root. */
  get path() {
    const path = [];
    for (let node = this; node.parent; node = node.parent) path.push(node);
    return path.reverse();
  }

  /** The last node of the main line from here. */
  get end() {
    let node = this;
    while (node.children.length) [node] = node.children;
    return node;
  }

  get isMain() {
    return this.path.every((node) => node.parent.children[0] === node);
  }
}

export const START_FEN = {
  spartan: "lgkcckwl/hhhhhhhh/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1",
  chess: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
};

/** The side to move in a position. */
export const turnOf = (fen) => (fen.split(" ")[1] === "b" ? "black" : "white");

export class Tree {
  constructor(variant = "spartan", fen = START_FEN[variant]) {
    this.variant = variant;
    this.root = new Node(null, { fen });
    this.current = this.root;
    this.tags = [];
    this.result = "*";
  }

  get fen() {
    return this.root.fen;
  }

  /** The start and the moves up to a node, as the rules and the engine want it. */
  line(node = this.current) {
    const fen = this.fen === START_FEN[this.variant] ? null : this.fen;
    return { variant: this.variant, fen, moves: node.path.map(({ move }) => move) };
  }

  /** Adds a move after the current position, or finds it there, and goes to it. */
  play(step) {
    return this.add(this.current, step);
  }

  /** Adds a move after a node, or finds it there; goes to it if the node is the current one. */
  add(node, step) {
    let next = node.children.find(({ move }) => move === step.move);
    if (!next) {
      next = new Node(node, step);
      node.children.push(next);
    }
    if (node === this.current) this.current = next;
    return next;
  }

  /** The node after moves from the start, or the last one known. */
  follow(moves) {
    let at = this.root;
    for (const move of moves) {
      const next = at.children.find((node) => node.move === move);
      if (!next) break;
      at = next;
    }
    return at;
  }

  /** Adds the main line of another tree with the same start, where it is missing, and makes it the main line. */
  join(other) {
    let at = this.root;
    const { current } = this;
    for (const node of other.mainLine) {
      at = this.add(at, allFields(node));
      at.clock = node.clock ?? at.clock;
    }
    this.promote(at);
    this.current = current;
  }

  /** Becomes like another tree with the same start. Positions that both have stay the same nodes. */
  adopt(other) {
    const { moves } = this.line();
    const pairs = [[this.root, other.root]];
    for (const [node, from] of pairs) {
      node.annotate(from.notes);
      node.children = from.children.map((child) => {
        const known = node.children.find(({ move }) => move === child.move);
        if (known) pairs.push([known, child]);
        return known ?? Object.assign(child, { parent: node });
      });
    }
    const { tags, result, reason, endText } = other;
    Object.assign(this, { tags, result, reason, endText, current: this.follow(moves) });
  }

  /** Goes to a node and removes everything after it. */
  cut(node) {
    node.children = [];
    this.current = node;
  }

  /** Removes a node with everything after it. */
  remove(node) {
    if (!node.parent) return;
    node.parent.children = node.parent.children.filter((child) => child !== node);
    if (this.current.path.includes(node)) this.current = node.parent;
  }

  /** Makes the line to a node the main line. What a review added is then no longer an addition. */
  promote(node) {
    for (const step of node.path) {
      step.added = undefined;
      const { children } = step.parent;
      children.splice(children.indexOf(step), 1);
      children.unshift(step);
    }
  }

  /** All nodes; parents come before their children. */
  get nodes() {
    const nodes = [this.root];
    for (const { children } of nodes) nodes.push(...children);
    return nodes;
  }

  get mainLine() {
    return this.last.path;
  }

  get last() {
    return this.root.end;
  }

  /** Whether the current position is the last one of the main line. */
  get isAtLast() {
    return this.current === this.last;
  }

  /** The plies before the first position, for move numbers. */
  get firstPly() {
    const [, side, , , , number] = this.fen.split(" ");
    return (Number(number) - 1) * 2 + (side === "b" ? 1 : 0);
  }

  /** The number as written before a node's move, such as "12." or "12...". */
  number(node) {
    return this.numberAt(node.ply - 1);
  }

  /** The number as written before the move after some plies of the game. */
  numberAt(plies) {
    const ply = this.firstPly + plies;
    return `${Math.floor(ply / 2) + 1}${ply % 2 ? "..." : "."}`;
  }

  isWhite(node) {
    return (this.firstPly + node.ply - 1) % 2 === 0;
  }

  /** The moves as nested lists, the form of PGN answers, with some fields of each node. */
  toNodes(fields = allFields) {
    const write = (parent) => {
      const nodes = [];
      for (let at = parent; at.children.length; at = at.children[0]) {
        const [main, ...others] = at.children;
        nodes.push({ ...fields(main), variations: others.length ? others.map((other) => [fields(other), ...write(other)]) : undefined });
      }
      return nodes;
    };
    return write(this.root);
  }

  addNodes(nodes, parent = this.root) {
    let at = parent;
    for (const { variations = [], ...step } of nodes) {
      const next = new Node(at, step);
      at.children.push(next);
      for (const variation of variations) this.addNodes(variation, at);
      at = next;
    }
  }

  toJSON() {
    const { variant, fen, tags, result, reason, endText, root: { notes } } = this;
    return { variant, fen, tags, result, reason, endText, ...notes, nodes: this.toNodes(), at: this.current.path.map(({ move }) => move) };
  }

  static fromJSON({ variant, fen, tags = [], result = "*", reason, endText, nodes, at, ...notes }) {
    const tree = new Tree(variant, fen);
    tree.root.annotate(notes);
    tree.addNodes(nodes);
    Object.assign(tree, { tags, result, reason, endText });
    tree.current = at ? tree.follow(at) : tree.last;
    return tree;
  }
}

/** Everything of a node that is kept. */
const allFields = ({ move, san, fen, notes }) => ({ move, san, fen, ...notes });
