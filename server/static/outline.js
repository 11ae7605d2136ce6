// The tree in words: a nested list for those who do not see the drawing, and the labels explained.

import { explain, family } from "./glossary.js";
import { html } from "./html.js";
import { isUncertain, percentage } from "./probability.js";
import { preorder, wordsOf } from "./tree.js";

const DEEPEST = 40; // levels that are lists in lists; what is deeper stands in the last of them

/** The tree as a list of lists, labels spelled out. */
export function outline({ root }) {
  const top = html("ul", { className: "outline" });
  const lists = new Map([[null, { list: top, depth: 0 }]]);
  for (const node of preorder(root)) {
    const { list, depth } = lists.get(node.parent);
    const item = html("li", {}, ...line(node));
    list.append(item);
    if (!node.children.length) continue;
    const inner = depth < DEEPEST ? html("ul") : list;
    if (inner !== list) item.append(inner);
    lists.set(node, { list: inner, depth: depth + 1 });
  }
  return top;
}

function line(node) {
  const isTag = node.word !== null;
  const meaning = explain(node.label, isTag, node.language);
  const words = html("bdi", { textContent: node.word ?? wordsOf(node) });
  const label = html("span", { className: `name ${family(node.label, isTag, node.language)}`, textContent: node.label });
  const probability = isUncertain(node.probability) ? `, probability ${percentage(node.probability)}` : "";
  return isTag ? [words, " ", label, ` ${meaning}`] : [label, ` ${meaning}${probability}: `, words];
}

/** The labels and tags of a tree, each once, with what they mean. */
export function legend({ root }) {
  const seen = new Map();
  for (const { label, word, language } of preorder(root)) {
    seen.set(`${word !== null}${label}`, { label, isTag: word !== null, language });
  }
  const ordered = [...seen.values()].sort((a, b) => a.isTag - b.isTag || a.label.localeCompare(b.label));
  const entries = ordered.map(({ label, isTag, language }) => html("div", {},
    html("dt", { className: `name ${family(label, isTag, language)}`, textContent: label }),
    html("dd", { textContent: explain(label, isTag, language) || "a label of this model's own" }),
  ));
  return html("dl", { className: "legend" }, ...entries);
}
