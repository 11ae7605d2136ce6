// The panel in which one says what one knows of a sentence: words are marked, and brackets written around them.

import { button, html } from "./html.js";
import { wordsAt } from "./tree.js";

let panels = 0;

/**
 * The panel of a sentence; `write(known, start, end)` puts a bracket around its words, or takes one away
 * where `known` is null, and throws an Error where it cannot.
 */
export class KnownPanel {
  constructor({ tokens }, write) {
    Object.assign(this, { tokens, write, start: 0, end: 0 });
    const id = `words-${(panels += 1)}`;
    this.buttons = tokens.map(({ text }, place) => button(text, (_, event) =>
      this.mark(place, place + 1, event.shiftKey || this.one()), { "aria-pressed": "false" }));
    this.label = html("input", { placeholder: "any", autocapitalize: "off", spellcheck: false, maxLength: 40 });
    this.label.setAttribute("list", "labels");
    this.said = html("p", { className: "hint", id, textContent: "Mark the first word and the last, or click a constituent of the drawing." });
    this.said.setAttribute("aria-live", "polite");
    this.acts = [
      ["is a constituent", () => this.label.value.trim() || "*"],
      ["is none", () => `!${this.label.value.trim() || "*"}`],
      ["nothing crosses", () => "~"],
      ["forget", () => null],
    ].map(([name, known]) => button(name, () => this.act(known()), { disabled: true, "aria-describedby": id }));
    this.element = html("div", { className: "known", hidden: true },
      html("div", { className: "words", role: "group", "aria-label": "Words", dir: "auto" }, ...this.buttons),
      this.said,
      html("div", { className: "row" }, html("label", {}, "Label ", this.label), ...this.acts));
  }

  /** Marks words; `more`: with those that are marked, and those between. */
  mark(start, end, more = false) {
    const marked = more && this.end > 0;
    this.start = marked ? Math.min(this.start, start) : start;
    this.end = marked ? Math.max(this.end, end) : end;
    this.buttons.forEach((each, place) =>
      each.setAttribute("aria-pressed", String(place >= this.start && place < this.end)));
    for (const each of this.acts) each.disabled = false;
    this.tell(`“${wordsAt(this.tokens, this.start, this.end)}” …`, false);
  }

  /** Whether one word is marked, so that another one makes a range. */
  one() {
    return this.end - this.start === 1;
  }

  act(known) {
    try {
      if (/\s|[[\]]/.test(known ?? "")) throw new Error("A label has no blanks and no brackets.");
      this.write(known, this.start, this.end);
    } catch (error) {
      this.tell(error.message, true);
    }
  }

  tell(message, wrong) {
    this.said.textContent = message;
    this.said.classList.toggle("error", wrong);
  }
}
