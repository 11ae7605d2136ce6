// How sure the parser is of a constituent, in words and in the drawing: as bnaparser/trees/drawing/svg.py.

const UNSURE = 0.95; // a constituent that is less probable is drawn faint, and said to be unsure
const FAINTEST = 0.15;

/** Whether a probability is known and so low that one should see it. */
export function isUnsure(probability) {
  return probability !== null && probability < UNSURE;
}

/** How strongly a constituent of this probability is drawn, 0 to 1. */
export function strength(probability) {
  return isUnsure(probability) ? Math.max(FAINTEST, probability) : 1;
}

/** A probability in words; what is not quite sure, or not quite impossible, does not look so. */
export function sureness(probability) {
  const percent = Math.floor(100 * probability + 0.5);
  if (percent >= 100 && probability < 1) return "over 99 % sure";
  return percent <= 0 ? "under 1 % sure" : `${percent} % sure`;
}

/** The places of sentences in the order in which they are shown: as in the text, or the unsurest first. */
export function orderOf(parses, unsurestFirst) {
  const places = [...parses.keys()];
  const sure = ({ error, confidence }) => (error !== null ? -1 : confidence ?? 2);
  return unsurestFirst ? places.sort((a, b) => sure(parses[a]) - sure(parses[b])) : places;
}
