// Trees that are pasted in as brackets: read here, drawn without the parser.

const ROOTS = new Set(["TOP", "ROOT", "S1", "VROOT", ""]); // labels of a top node that is no constituent
const TOKEN = /[()]|[^ \t\n\r\f\v()]+/g;
const LABELS = /^(\s*\(\s*(?!\s)[^\s()\p{Ll}]*(?![^\s()])){2}/u; // "(NP (DT", and "(NATO (NAC) met.)", too
const TAGGED_WORD = /\(\s*[^\s()\p{Ll}]+\s+[^\s()]+\s*\)/u;
const SENTENCE = /^\s*\(\s*(?:(?:TOP|ROOT|VROOT|S1?)\s*)?\(/;
const WRITTEN = { "-LRB-": "(", "-RRB-": ")" };

/** What is wrong with brackets, and where. */
export class BracketError extends Error {}

/**
 * The trees in a text that is brackets, each as the service would answer a parse; null where it is a
 * text of another kind. It is brackets if it begins as a treebank does, "(S (NP ...", or with other capitals and
 * tagged words in it, and also with labels of any kind if it can be read to its end. Throws a BracketError with line and column.
 */
export function readBrackets(text) {
  if (!/^\s*\(\s*(?:[^\s()]+\s*)?\(/.test(text)) return null;
  const sure = LABELS.test(text) && (TAGGED_WORD.test(text) || SENTENCE.test(text));
  try {
    return roots(text).map(parseOf);
  } catch (error) {
    if (sure || !(error instanceof BracketError)) throw error;
    return null;
  }
}

/** The top nodes: { label, children, word }. */
function roots(text) {
  const [found, open] = [[], []];
  let labelled = true; // whether the node that opened last has got its label, or can have none
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const node = open.at(-1);
    if (token === "(") {
      if (node?.word) fail(text, index, beside(node));
      open.push({ label: "", children: [], word: null, index });
      labelled = false;
      continue;
    }
    if (token === ")") close(open, found, text, index);
    else if (!labelled) node.label = token;
    else if (!node) fail(text, index, `“${token}” stands outside all brackets: a tree begins like (TOP (S`);
    else if (node.word !== null || node.children.length) fail(text, index, beside(node));
    else if (!node.label) fail(text, index, `“${token}” has no tag: write it like (NN word)`);
    else node.word = WRITTEN[token] ?? token;
    labelled = true;
  }
  if (open.length) {
    fail(text, open[0].index, `the tree that begins here is never closed: ${open.length} “)” missing at the end`);
  }
  return found;
}

function close(open, found, text, index) {
  const node = open.pop();
  if (!node) fail(text, index, "this “)” has no opening bracket: remove the bracket, or write -RRB- for a bracket that is a word");
  if (node.word === null && !node.children.length) {
    fail(text, index, `the node “${node.label}” is empty: put a word or nodes into it`);
  }
  (open.at(-1)?.children ?? found).push(node);
}

function beside({ label }) {
  return `the node “${label}” has a word and other nodes: give each word a tag of its own, like (NN word)`;
}

function fail(text, index, reason) {
  const before = text.slice(0, index).split("\n");
  throw new BracketError(`Line ${before.length}, column ${[...before.at(-1)].length + 1}: ${reason}.`);
}

/** A tree in the service's JSON form. */
function parseOf(root) {
  const [tokens, constituents] = [[], []];
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    if (node.closes) {
      node.closes.end = tokens.length;
    } else if (node.word !== null) {
      tokens.push({ text: node.word, tag: node.label });
    } else {
      const isConstituent = node.label && !(node === root && ROOTS.has(node.label));
      const constituent = { label: node.label, start: tokens.length, end: 0 };
      if (isConstituent) constituents.push(constituent);
      stack.push({ closes: constituent }, ...node.children.toReversed());
    }
  }
  const text = tokens.map((token) => token.text).join(" ");
  return { text, tree: written(root), tokens, constituents, error: null };
}

/** The brackets on one line. */
function written(root) {
  const parts = [];
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    if (typeof node === "string") parts.push(node);
    else if (node.word !== null) parts.push(` (${node.label} ${escaped(node.word)})`);
    else {
      parts.push(` (${node.label}`);
      stack.push(")", ...node.children.toReversed());
    }
  }
  return parts.join("").slice(1);
}

function escaped(word) {
  return word === "(" ? "-LRB-" : word === ")" ? "-RRB-" : word;
}
