// Probabilities of constituents as text and in the drawing, as in bnaparser/trees/drawing/svg.py.

const UNCERTAIN = 0.95; // a constituent with a lower probability is drawn faint, and its probability is named
const FAINTEST = 0.15;

/** Say whether a probability is known and so low that the drawing shows it. */
export function isUncertain(probability) {
  return probability !== null && probability < UNCERTAIN;
}

/** How strongly a constituent of this probability is drawn, 0 to 1. */
export function strength(probability) {
  return isUncertain(probability) ? Math.max(FAINTEST, probability) : 1;
}

/** Return a probability as a percentage; only exact 1 is 100 %, and nothing is 0 %. */
export function percentage(probability) {
  const percent = Math.floor(100 * probability + 0.5);
  if (percent >= 100 && probability < 1) return "over 99 %";
  return percent <= 0 ? "under 1 %" : `${percent} %`;
}

/** The places of sentences in the order in which they are shown: as in the text, or by rising confidence. */
export function orderOf(parses, leastConfidentFirst) {
  const places = [...parses.keys()];
  const confidenceOf = ({ error, confidence }) => (error !== null ? -1 : confidence ?? 2);
  return leastConfidentFirst ? places.sort((a, b) => confidenceOf(parses[a]) - confidenceOf(parses[b])) : places;
}
