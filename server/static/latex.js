// A tree for LaTeX's forest package: the same text as bnaparser/trees/render/latex.py writes.

// Commands for characters that TeX takes for something else.
const ESCAPES = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "%": "\\%", "_": "\\_",
  "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}",
  "|": "\\textbar{}", "`": "\\textasciigrave{}", '"': "\\char34{}",
};
const INDENTS = 60; // deeper levels are not indented further

/** The tree as a `forest` environment; a node over nothing but words takes one line. */
export function forest(root) {
  const lines = ["\\begin{forest}", "  for tree={if n children=0{tier=word}{}}"];
  const stack = [{ node: root, depth: 1, closing: 0 }]; // brackets to close after the node
  while (stack.length) {
    const { node, depth, closing } = stack.pop();
    const indent = "  ".repeat(Math.min(depth, INDENTS));
    if (node.children.every((child) => child.word !== null)) {
      lines.push(`${indent}${oneLine(node)}${"]".repeat(closing)}`);
      continue;
    }
    lines.push(`${indent}[${content(node.label)}`);
    const below = node.children.map((child) => ({ node: child, depth: depth + 1, closing: 0 }));
    below.at(-1).closing = closing + 1;
    stack.push(...below.toReversed());
  }
  return [...lines, "\\end{forest}", ""].join("\n");
}

function oneLine(node) {
  if (node.word !== null) return `[${content(node.label)} [${content(node.word)}]]`;
  return `[${content(node.label)} ${node.children.map(oneLine).join(" ")}]`;
}

/** A node's text, in braces unless it is plain: forest reads brackets, commas and = itself. */
function content(text) {
  const shown = visible(text);
  if (/^[A-Za-z0-9]+$/.test(shown)) return shown;
  const escaped = shown.replace(/[\\{}$&#%_^~<>|`"]/g, (special) => ESCAPES[special]);
  // The empty groups keep TeX from making one sign of several: -- is no dash.
  return `{${escaped.replace(/(?<=([-',]))(?=\1)/g, "{}")}}`;
}

/** Text with characters that nobody sees made visible. */
function visible(text) {
  return text.replace(/[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/gu, (character) => {
    const code = character.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}
