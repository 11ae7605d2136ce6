// The requested text, and the positions of its sentences in it.

import { bestTrees } from "./client.js";
import { escaped, readMarkup, sliceOf, withBracket, withoutBracket } from "./markup.js";

/** A text as it was sent; `markup`: it holds some; `language`: its language in the request, or "". */
export class Source {
  constructor(text, markup, language) {
    Object.assign(this, { text, markup, language });
    this.marked = markup ? text : escaped(text); // written with markup, whether it was or not
  }

  /** The words of a parse as they are written with markup, which says what is known of them; "" where it has none. */
  written({ tokens }) {
    if (!tokens.length) return "";
    this.read ??= readMarkup(this.marked); // once for all sentences
    return sliceOf(this.marked, ...placeOf({ tokens }, 0, tokens.length), this.read);
  }

  /**
   * The text with a bracket that says what is known of the words `start` to `end` of a parse, or without the one
   * that does where `known` is null. Throws a MarkupError.
   */
  saying(known, parse, start, end) {
    const place = placeOf(parse, start, end);
    return known === null ? withoutBracket(this.marked, ...place) : withBracket(this.marked, known, ...place);
  }

  /** The `most` best trees of a sentence, as parses of this text. Throws an Error where there are none. */
  async bestTrees({ tokens, language }, most, key) {
    const [{ start }] = tokens;
    const found = await bestTrees(this.written({ tokens }), language, most, key);
    const moved = (one, ...names) => ({ ...one, ...Object.fromEntries(names.map((name) => [name, one[name] + start])) });
    return found.map((one) => ({
      ...one,
      tokens: one.tokens.map((each) => moved(each, "start", "end")),
      constituents: one.constituents.map((each) => moved(each, "char_start", "char_end")),
    }));
  }
}

/** What the card of each parse shows, all of it: cards of the same name are the same. */
export function namesOf(parses, source) {
  return parses.map((parse, index) => {
    const { text, language, tree, error, probability } = parse;
    return JSON.stringify([index, text, source?.written(parse), language, tree, error, probability?.toPrecision(3)]);
  });
}

/** Where words stand in the text without markup, in code points. */
function placeOf({ tokens }, start, end) {
  return [tokens[start].start, tokens[end - 1].end];
}
