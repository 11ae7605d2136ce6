// Where each visible node stands: words on one line, a phrase one row above the highest of what is
// below it, every node in the columns of its own words. The same drawing as bnaparser/trees/drawing/layout.py,
// with widths measured instead of estimated.

import { preorder, shortened, wordsOf } from "./tree.js";

export const LABEL = { size: 13, height: 22, padding: 8, gap: 10 };
export const TAG = { size: 12, rise: 25 };
export const WORD = { size: 17, gap: 16 };
export const ROW = 52;
const [FLATTEST, MOST_EXTRA] = [16, 48]; // a row grows by a pixel for so many that a branch reaches aside
const MARGIN = 16;
const FOLDED_CHARACTERS = 28;

export const SANS =
  "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif";
export const SERIF =
  "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, 'Noto Serif', Georgia, serif";

const pen = document.createElement("canvas").getContext("2d");

function measure(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

/** Places the visible nodes: { boxes: Map from node to box, width, height }. */
export function arrange(root, mirrored) {
  const nodes = [...preorder(root, true)];
  const boxes = new Map(nodes.map((node) => [node, boxOf(node)]));
  for (const node of nodes.toReversed()) {
    const box = boxes.get(node);
    const below = childrenOf(node, boxes);
    box.slot = Math.max(box.width, below.reduce((sum, child) => sum + child.slot, 0));
    if (below.length) box.row = 1 + Math.max(...below.map((child) => child.row));
  }
  place(nodes, boxes);
  const top = boxes.get(root);
  const width = Math.ceil(top.slot + 2 * MARGIN);
  if (mirrored) for (const box of boxes.values()) box.x = width - box.x;
  const bottom = stack(boxes, top.row);
  return { boxes, width, height: bottom + LABEL.height / 2 + TAG.rise + MARGIN };
}

/** Gives each box its y and the height of its row; returns the y of the words' row. */
function stack(boxes, highest) {
  const drops = Array(highest + 1).fill(ROW);
  for (const [{ parent }, { x }] of boxes) {
    const above = boxes.get(parent);
    if (!above) continue;
    const extra = Math.floor(Math.abs(x - above.x) / FLATTEST);
    drops[above.row] = Math.max(drops[above.row], ROW + Math.min(MOST_EXTRA, extra));
  }
  const heights = [MARGIN + LABEL.height / 2];
  for (let row = highest; row > 0; row--) heights.push(heights.at(-1) + drops[row]);
  for (const box of boxes.values()) {
    box.y = heights[highest - box.row];
    box.drop = drops[box.row];
  }
  return heights.at(-1);
}

function childrenOf(node, boxes) {
  return node.folded ? [] : node.children.map((child) => boxes.get(child));
}

function boxOf(node) {
  const label = measure(node.label, `600 ${LABEL.size}px ${SANS}`) + 2 * LABEL.padding;
  if (node.word === null && !node.folded) return { label, width: label + LABEL.gap, row: 0 };
  const text = node.folded ? shortened(wordsOf(node), FOLDED_CHARACTERS) : node.word;
  const word = measure(text, `${WORD.size}px ${SERIF}`);
  const above = node.folded ? label : measure(node.label, `${TAG.size}px ${SANS}`);
  return { label, text, word, width: Math.max(word, above) + WORD.gap, row: node.folded ? 1 : 0 };
}

function place(nodes, boxes) {
  boxes.get(nodes[0]).left = MARGIN;
  for (const node of nodes) {
    const box = boxes.get(node);
    const below = childrenOf(node, boxes);
    const spare = box.slot - below.reduce((sum, child) => sum + child.slot, 0);
    let left = box.left;
    for (const child of below) {
      child.slot += spare / below.length;
      child.left = left;
      left += child.slot;
    }
  }
  for (const node of nodes.toReversed()) {
    const box = boxes.get(node);
    const below = childrenOf(node, boxes);
    const middle = below.length ? (below[0].x + below.at(-1).x) / 2 : box.left + box.slot / 2;
    const [first, last] = [box.left + box.width / 2, box.left + box.slot - box.width / 2];
    box.x = Math.min(last, Math.max(first, middle));
  }
}

/** Whether a sentence is written from right to left: most of its letters are. */
export function rightToLeft(text) {
  const right = text.match(/[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu);
  const letters = text.match(/\p{L}/gu);
  return (right?.length ?? 0) > (letters?.length ?? 0) / 2;
}
