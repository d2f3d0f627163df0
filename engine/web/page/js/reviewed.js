/** What a review writes into a tree: marks, better moves and evaluations. They can be removed; what others wrote stays. */
import { SIGNS } from "./tree.js";

/** The loss from which a move gets a glyph: blunder, mistake, inaccuracy. */
export const MARKS = [[0.2, 4], [0.1, 2], [0.05, 6]];

/** The glyph that a move deserves by its loss, if any. */
export const markOf = ({ loss }) => MARKS.find(([limit]) => loss >= limit)?.[1];

export const isReviewed = (tree) => tree.nodes.some(({ loss, added, evaluation }) => loss !== undefined || added || evaluation?.isReview);

/** Gives a move its glyph, unless somebody else gave it one. */
export function mark(node) {
  unmark(node);
  const glyph = markOf(node);
  if (!glyph || node.glyphs.some((other) => SIGNS[other])) return;
  node.glyphs = [glyph, ...node.glyphs];
  node.mark = glyph;
}

function unmark(node) {
  node.glyphs = node.glyphs.filter((glyph) => glyph !== node.mark);
  node.mark = undefined;
}

/** Sets an evaluation of the review. It remembers the one it replaces. */
export function setEvaluation(node, evaluation) {
  const old = node.evaluation;
  node.evaluation = { ...evaluation, isReview: true, replaced: old?.isReview ? old.replaced : old };
}

/** Adds a better line after a node. */
export function addLine(tree, node, steps) {
  const { current } = tree;
  let at = node;
  for (const step of steps) {
    const isNew = !at.children.some(({ move }) => move === step.move);
    at = tree.add(at, step);
    if (isNew) at.added = true;
  }
  tree.current = current;
}

const isBare = ({ children, comment, before, glyphs, shapes }) => !children.length && !comment && !before && !glyphs.length && !shapes.length;

/** Removes the marks and the moves added; of the moves those with something of others stay. */
export function removeMarks(tree) {
  // Children before their parents.
  for (const node of tree.nodes.reverse()) {
    unmark(node);
    node.loss = node.better = undefined;
    if (node.added && isBare(node)) tree.remove(node);
    node.added = undefined;
  }
}

/** Removes everything that a review wrote. Returns a function that brings it back. */
export function removeReview(tree) {
  const saved = tree.nodes.map((node) => {
    const { glyphs, evaluation, loss, better, mark: own, added, children } = node;
    return [node, { glyphs, evaluation, loss, better, mark: own, added }, [...children]];
  });
  removeMarks(tree);
  for (const node of tree.nodes) if (node.evaluation?.isReview) node.evaluation = node.evaluation.replaced;
  return () => {
    for (const [node, notes, children] of saved) {
      Object.assign(node, notes);
      node.children = [...children, ...node.children.filter((child) => !children.includes(child))];
    }
  };
}
