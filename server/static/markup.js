// Brackets in the text that say what is known, as bnaparser/parsing/markup.py reads them: where they stand,
// what the text is without them, and the text with one more.

const TOKEN = /\\[[\]\\]|\[((?:[^\s\x1c-\x1f\x85[]|\ufeff)*)(?:[ \t]+|(?=[\n[])|$)|\]|[^[\]\\]+|[[\\]/g;
const SAYS = /^(~|\*|[+-]\d*\.?\d+(:\S+)?|[=!].+|\?(?!\*$).+|\p{L}.*)$/su;
const BLANK = /^(?!\ufeff)[\s\x1c-\x1f\x85]$/; // what Python takes for one

/** Why a bracket cannot be written. */
export class MarkupError extends Error {}

/** A text that holds no markup, written so that it is read with markup and stays what it is. */
export function escaped(text) {
  return text.replace(/[[\]\\]/g, "\\$&");
}

/**
 * Reads a text with markup, line by line; one that is wrong holds none, as for the service. `places` are
 * those of the plain text's code points: [begin, end] in `text`. `brackets` have { known, open, inside,
 * close } in `text`, of the bracket, what comes after its opening, and its end; and the words { start, end }
 * in the plain text.
 */
export function readMarkup(text) {
  const [places, brackets] = [[], []];
  let start = 0;
  for (const line of text.split(/(?<=\n)/)) {
    const read = readLine(line, start, places.length) ?? { places: plainPlaces(line, start), brackets: [] };
    for (const place of read.places) places.push(place);
    brackets.push(...read.brackets);
    start += line.length;
  }
  return { places, brackets };
}

/** The text without its markup. */
export function plain(text) {
  return readMarkup(text).places.map(([begin, end]) => character(text, begin, end)).join("");
}

/** The text with a bracket around the code points `start` to `end` of the plain one. Throws a MarkupError. */
export function withBracket(text, known, start, end) {
  const { places, brackets } = readMarkup(text);
  let [from, to] = [places[start][0], places[end - 1][1]];
  for (const one of brackets) {
    if (one.end <= start || one.start >= end) continue;
    if (one.start >= start && one.end <= end) {
      [from, to] = [Math.min(from, one.open), Math.max(to, one.close)];
    } else if (one.start > start || one.end < end) {
      throw new MarkupError(`These words cross the bracket [${one.known} …]: take that one out first.`);
    }
  }
  return `${text.slice(0, from)}[${known} ${text.slice(from, to)}]${text.slice(to)}`;
}

/** The text without the innermost bracket around exactly these code points. Throws a MarkupError. */
export function withoutBracket(text, start, end) {
  const found = readMarkup(text).brackets.filter((one) => one.start === start && one.end === end);
  if (!found.length) throw new MarkupError("No bracket stands around exactly these words.");
  const { open, inside, close } = found.reduce((a, b) => (a.open > b.open ? a : b));
  return text.slice(0, open) + text.slice(inside, close - 1) + text.slice(close);
}

/**
 * The part of the text that holds these code points of the plain one, with the brackets around them; the text is
 * read here unless it was before.
 */
export function sliceOf(text, start, end, { places, brackets } = readMarkup(text)) {
  const [first, last] = [start, end].map((place) => endingUpTo(place, brackets));
  const within = brackets.slice(first, last).filter((one) => one.start >= start);
  const from = Math.min(places[start][0], ...within.map((one) => one.open));
  return text.slice(from, Math.max(places[end - 1][1], ...within.map((one) => one.close)));
}

/** How many of the brackets end up to a place; they stand in the order of their ends. */
function endingUpTo(place, brackets) {
  let [low, high] = [0, brackets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (brackets[middle].end <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The places and brackets of a line that begins at `start`, `before` code points into the plain text; null if it is wrong. */
function readLine(line, start, before) {
  const [places, brackets, open] = [[], [], []];
  let last = 0; // where the last word ends
  for (const { 0: token, 1: known, index } of line.matchAll(TOKEN)) {
    const place = start + index;
    if (known !== undefined) {
      open.push({ known, open: place, inside: place + token.length, start: null });
    } else if (token === "]") {
      const bracket = open.pop();
      if (!bracket || bracket.start === null || !SAYS.test(bracket.known)) return null;
      brackets.push({ ...bracket, close: place + 1, end: last });
    } else {
      const found = token.length === 2 && token[0] === "\\" ? [[place, place + 2]] : plainPlaces(token, place);
      for (const [begin, end] of found) {
        places.push([begin, end]);
        if (BLANK.test(character(line, begin - start, end - start))) continue;
        last = before + places.length;
        for (let each = open.length - 1; each >= 0 && open[each].start === null; each--) open[each].start = last - 1;
      }
    }
  }
  return open.length ? null : { places, brackets };
}

function plainPlaces(text, start) {
  let place = start;
  return [...text].map((each) => [place, (place += each.length)]);
}

/** The character that stands at a place, escaped or not. */
function character(text, begin, end) {
  const written = text.slice(begin, end);
  return written.length === 2 && written[0] === "\\" ? written[1] : written;
}
