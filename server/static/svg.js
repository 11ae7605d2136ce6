// SVG elements, and the constituents, leaves and branches made of them. Colours and fonts stand in
// attributes, so that a saved drawing needs no style sheet; the page's own may override them.

import { colours, explain, family } from "./glossary.js";
import { LABEL, SANS, SERIF, TAG, WORD } from "./layout.js";
import { isUncertain, strength, percentage } from "./probability.js";
import { wordsOf } from "./tree.js";

const FOUND = "#d97706"; // around what a search has found
const OTHER = "#0e8f86"; // around what is not in the best tree
const UNCERTAIN = "#86817a"; // around what is drawn faint; it can be seen on paper of any colour

/** Makes an SVG element with these attributes, and appends these children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The empty drawing: its parts in the order in which they are painted. */
export function canvas() {
  const branches = element("g", {
    class: "branches", fill: "none", stroke: "#b9b5aa", "stroke-width": 1.5, "stroke-linejoin": "round",
  });
  const nodes = element("g", { "text-anchor": "middle", "font-family": SANS });
  const mark = element("rect", { class: "mark", height: 3, rx: 1.5 });
  const svg = element("svg", { class: "tree", role: "group" }, mark, branches, nodes);
  return { svg, branches, nodes, mark };
}

/** The element of a node, around the point (0, 0), for its box of the layout. */
export function nodeElement(node, box) {
  const isTag = node.word !== null;
  const kind = family(node.label, isTag, node.language);
  const [ink, field] = colours[kind];
  const made = element("g", { class: `node ${isTag ? "leaf" : "phrase"} ${kind}`, tabindex: -1 });
  const edge = edgeOf(node);
  if (node.found) made.classList.add("found");
  if (isUncertain(node.probability)) made.classList.add("uncertain");
  made.setAttribute("role", isTag ? "img" : "button");
  made.setAttribute("aria-label", node.found ? `${spoken(node)}; found` : spoken(node));
  if (isTag) {
    const width = box.width - WORD.gap / 2;
    made.append(element("rect", {
      class: "field", x: -width / 2, y: -12, width, height: TAG.rise + 22, rx: 6, fill: "none", ...edge,
    }));
    if (!untagged(node)) made.append(text(node.label, 4, { class: "tag", "font-size": TAG.size, fill: ink }));
    made.append(wordText(box.text, TAG.rise));
    return made;
  }
  made.setAttribute("aria-expanded", String(!node.folded));
  if (node.folded) made.append(triangle(box), wordText(box.text, box.drop + TAG.rise));
  const [x, y] = [-box.label / 2, -LABEL.height / 2];
  made.append(
    element("rect", { class: "field", x, y, width: box.label, height: LABEL.height, rx: 6, fill: field, "fill-opacity": strength(node.probability), ...edge }),
    text(node.label, 4.5, { class: "label", "font-size": LABEL.size, "font-weight": 600, fill: ink }),
  );
  return made;
}

/** The line around a node: what was found, what the best tree has not, what has a low probability, the stronger the lower. */
function edgeOf({ found, other, probability }) {
  if (found) return { stroke: FOUND, "stroke-width": 2.5 };
  if (other) return { stroke: OTHER, "stroke-width": 2 };
  if (!isUncertain(probability)) return {};
  return { stroke: UNCERTAIN, "stroke-dasharray": "3 2", "stroke-opacity": Math.min(1, 2 * (1 - probability)) };
}

/** What a screen reader says of a node: label, its meaning, a low probability, its words. */
export function spoken(node) {
  const said = [node.label, explain(node.label, node.word !== null, node.language)];
  if (isUncertain(node.probability)) said.push(`probability ${percentage(node.probability)}`);
  if (node.other) said.push("not in the best tree");
  return `${said.filter(Boolean).join(", ")}: ${node.word ?? wordsOf(node)}`;
}

/** Draws the line to a constituent as strongly as the constituent. */
export function fadeBranch(branch, { probability }) {
  if (isUncertain(probability)) branch.setAttribute("stroke-opacity", strength(probability));
}

/** Whether a leaf is shown without its tag: punctuation that is its own tag. */
function untagged(node) {
  return node.label === node.word;
}

/** The line from a parent's place to that of a child, slanted within one row, then straight down. */
export function branchPath(parent, child, node, drop) {
  const top = parent.y + LABEL.height / 2;
  const bend = top + drop - LABEL.height;
  const bottom = child.y + (untagged(node) ? LABEL.height / 4 : -LABEL.height / 2);
  return `M${parent.x} ${top}L${child.x} ${Math.min(bend, bottom)}V${bottom}`;
}

function text(content, y, attributes) {
  const made = element("text", { y, ...attributes });
  made.textContent = content;
  return made;
}

function wordText(content, rise) {
  return text(content, rise + 3, {
    class: "word", "font-family": SERIF, "font-size": WORD.size, fill: "#1c1a17",
  });
}

function triangle(box) {
  const [half, top, bottom] = [Math.max(box.word / 2, 10), LABEL.height / 2, box.drop + TAG.rise - 16];
  return element("path", {
    class: "triangle", d: `M0 ${top}L${half} ${bottom}H${-half}Z`, fill: "none",
    stroke: "#b9b5aa", "stroke-width": 1.5, "stroke-linejoin": "round",
  });
}
