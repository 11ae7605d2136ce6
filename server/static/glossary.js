// What labels and tags mean in plain words, and the family that each is coloured as.
// The words are those of bnaparser/trees/drawing/glossary.py, which the service sends as labels.json.

const words = await (await fetch(new URL("labels.json", import.meta.url))).json();

/** Each family's colours on paper: [of its labels, of the field behind them]. */
export const colours = words.colours;

function base(label, known) {
  return known[label] ? label : label.split(/[-=|]/, 1)[0];
}

/** The family of a phrase label, or of a tag: clause, nominal, verbal, ... or other. */
export function family(label, isTag) {
  const known = isTag ? words.tags : words.phrases;
  return known[base(label, known)]?.[0] ?? "other";
}

/** A label in plain words, such as "noun phrase, subject" for NP-SBJ; "" for one not known. */
export function explain(label, isTag) {
  const known = isTag ? words.tags : words.phrases;
  const stem = base(label, known);
  if (!known[stem]) return "";
  const functions = label.slice(stem.length).split(/[-=|]/).map((part) => words.functions[part]);
  return [known[stem][1], ...functions.filter(Boolean)].join(", ");
}
