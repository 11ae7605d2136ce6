// What labels and tags mean, in English, and the family that each is coloured as.
// The tables and rules are those of bnaparser/trees/labels/, which the service sends as labels.json.

const known = await (await fetch(new URL("labels.json", import.meta.url))).json();
const ROOTS = new Set(["TOP", "ROOT", "S1", "VROOT", ""]);

/** Each family's colours on paper: [of its labels, of their background]. */
export const colours = known.colours;

/** The family of a phrase label, or of a tag: clause, nominal, verbal, ... or other. */
export function family(label, isTag, language) {
  return known.families[isTag ? "tags" : "phrases"][find(label, isTag, language)?.[0]] ?? "other";
}

/** The meaning of a label, such as "noun phrase, subject" for NP-SBJ; "" for one not known. */
export function explain(label, isTag, language) {
  return find(label, isTag, language)?.[1] ?? "";
}

/** [class, explanation] of a label in a language; without one, in the first language whose table has it. */
function find(label, isTag, language) {
  const tables = known.languages[language] ? [language] : Object.keys(known.languages);
  const kind = isTag ? "tags" : "phrases";
  const code = tables.find((each) => own(known.languages[each][kind], label));
  if (code) return known.languages[code][kind][label];
  for (const each of tables) {
    const found = composed(label, isTag, each);
    if (found) return found;
  }
  return null;
}

function own(table, label) {
  return Object.hasOwn(table, label);
}

/** The meaning of a label that its table lacks, by its parts. */
function composed(label, isTag, language) {
  const table = known.languages[language];
  if (!isTag && ROOTS.has(label)) return ["root", "root of the tree"];
  const inner = (part) => (own(table[isTag ? "tags" : "phrases"], part)
    ? table[isTag ? "tags" : "phrases"][part] : composed(part, isTag, language));
  const over = (found, change) => found && [found[0], change(found[1])];
  const [stem, ...functions] = label.split(/[-=|]|\.(?=co\b)/);
  if (label.includes("‧")) {
    const [first, last] = label.split("‧");
    if (first === "得") return over(inner(last), (words) => `complement after 得: ${words}`);
    return over(inner(first), (words) => `${words}, with ${last}`);
  }
  if (stem && functions.length) {
    const named = functions.filter((each) => own(table.functions, each)).map((each) => table.functions[each]);
    return over(inner(stem), (words) => [words, ...named].join(", "));
  }
  if (label.includes("+")) {
    const parts = label.split("+").map(inner);
    return parts.every(Boolean) ? [parts.at(-1)[0], parts.map((each) => each[1]).join(" + ")] : null;
  }
  const part = /^(.+?)([2-9])([1-9])$/.exec(label);
  if (part && own(table[isTag ? "tags" : "phrases"], part[1])) {
    return over(inner(part[1]), (words) => `${words} (part ${part[3]} of ${part[2]})`);
  }
  if (!isTag) {
    if (!own(table.tags, label)) return null;
    const [kind, words] = table.tags[label];
    return [known.words[kind] ?? "other", `coordinated words: ${words}`];
  }
  if (own(table.phrases, label)) return ["other", `a label of phrases on a word: ${table.phrases[label][1]}`];
  if (!new RegExp(`^(${known.prefixed[language] ?? "(?!)"})$`).test(label)) return null;
  for (let length = label.length - 1; length > 0; length -= 1) {
    if (own(table.tags, label.slice(0, length))) return table.tags[label.slice(0, length)];
  }
  return null;
}
