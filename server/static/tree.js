// A parse as nodes. Nothing here recurses: a tree may be a thousand nodes deep.

/**
 * Builds the tree of a parse. Nodes are numbered in pre-order, so those below node n are n.id + 1
 * to n.last. A leaf has `word` and its tag as `label`; only the others fold. The top node TOP is
 * left out where it has one child. `number` is a node's place among all nodes and words of the
 * brackets, from 1, as a search counts; a leaf's word has the next one. `marked` are constituents that
 * are drawn as other than in the best tree. `language`: that of the sentence, if it is known. `label`: that of the top node, which then stays in any case.
 */
export function buildTree({ tokens, constituents, tree: brackets, language }, marked = new Set(), label = null) {
  const top = node(label ?? "TOP", 0, tokens.length, null);
  const open = [top];
  let next = 0;
  tokens.forEach((token, position) => {
    while (next < constituents.length && constituents[next].start === position) {
      const one = constituents[next++];
      open.push(node(one.label, one.start, one.end, open.at(-1)));
      Object.assign(open.at(-1), { probability: one.probability ?? null, other: marked.has(one) });
    }
    node(token.tag, position, position + 1, open.at(-1)).word = token.text;
    while (open.length > 1 && open.at(-1).end === position + 1) open.pop();
  });
  const root = label === null && top.children.length === 1 ? top.children[0] : top;
  root.parent = null;
  const nodes = [...preorder(root)];
  let number = brackets.split("(").length - nodes.length; // 2 where the top node is left out
  nodes.forEach((each, id) => {
    Object.assign(each, { id, last: id, number, language });
    number += each.word === null ? 1 : 2;
  });
  for (const each of nodes.toReversed()) {
    if (each.children.length) each.last = each.children.at(-1).last;
  }
  return { root, nodes };
}

function node(label, start, end, parent) {
  const made = { label, start, end, parent, children: [], word: null, folded: false, found: false };
  Object.assign(made, { probability: null, other: false });
  parent?.children.push(made);
  return made;
}

/** Yields a node and all below it, parents first; not what is inside a folded one if `visible`. */
export function* preorder(root, visible = false) {
  const stack = [root];
  while (stack.length) {
    const each = stack.pop();
    yield each;
    if (!(visible && each.folded)) stack.push(...each.children.toReversed());
  }
}

/** The words of a node, in order, with blanks between. */
export function wordsOf(root) {
  const words = [];
  for (const each of preorder(root)) if (each.word !== null) words.push(each.word);
  return words.join(" ");
}

/** The words from `start` to `end`, half-open, with blanks between. */
export function wordsAt(tokens, start, end) {
  return tokens.slice(start, end).map(({ text }) => text).join(" ");
}

/** Words for a place with space for `most` characters: the first ones, …, and the last one. */
export function shortened(text, most) {
  if (text.length <= most) return text;
  const words = text.split(" ");
  const last = words.length > 1 ? words.at(-1) : "";
  let start = "";
  for (const word of words) {
    if (start.length + word.length + last.length + 3 > most) break;
    start += `${word} `;
  }
  const cut = start || [...text].slice(0, most - last.length - 2).join("");
  return last && last.length < most / 2 ? `${cut.trimEnd()} … ${last}` : `${cut.trimEnd()} …`;
}
