// The text that was asked for, and where its sentences stand in it.

import { bestTrees } from "./client.js";
import { escaped, sliceOf, withBracket, withoutBracket } from "./markup.js";

/** A text as it was sent; `markup`: it holds some; `language`: what it was said to be in, or "". */
export class Source {
  constructor(text, markup, language) {
    Object.assign(this, { text, markup, language });
  }

  /** The text written with markup, whether it was or not. */
  get marked() {
    return this.markup ? this.text : escaped(this.text);
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
    const [start, end] = placeOf({ tokens }, 0, tokens.length);
    const found = await bestTrees(sliceOf(this.marked, start, end), language, most, key);
    const moved = (one, ...names) => ({ ...one, ...Object.fromEntries(names.map((name) => [name, one[name] + start])) });
    return found.map((one) => ({
      ...one,
      tokens: one.tokens.map((each) => moved(each, "start", "end")),
      constituents: one.constituents.map((each) => moved(each, "char_start", "char_end")),
    }));
  }
}

/** Where words stand in the text without markup, in code points. */
function placeOf({ tokens }, start, end) {
  return [tokens[start].start, tokens[end - 1].end];
}
