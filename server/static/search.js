// Finding nodes in the trees that are shown, by a pattern as tregex writes them.

import { search } from "./client.js";

const PAUSE = 350; // milliseconds without a key before the pattern is searched for
const NONE = new Set();

/**
 * The field for patterns. `options.key()` is the service's key; `onFound()` is called when what was
 * found has changed, `onPattern()` when the pattern has, `onKey()` when the key is missing,
 * `onJump(index, number)` to show node `number` of tree `index`.
 */
export class Search {
  constructor(form, options) {
    const [field, said, jump] = ["input", "p", "button"].map((name) => form.querySelector(name));
    Object.assign(this, options, { form, field, said, jump });
    this.parses = [];
    this.clear();
    field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.run(), PAUSE);
      this.onPattern();
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.timer) this.run();
      else this.next();
    });
  }

  get pattern() {
    return this.field.value.trim();
  }

  /** Searches for this pattern, unless it is what the field holds. */
  set pattern(value) {
    if (value === this.pattern) return;
    this.field.value = value;
    this.run();
  }

  /** Searches these parses from now on. */
  over(parses) {
    this.parses = parses;
    this.form.hidden = !parses.some(({ tree }) => tree);
    this.tell("", false);
    this.run();
  }

  /** The numbers of the nodes that were found in parse `index`. */
  numbersOf(index) {
    return this.numbers.get(index) ?? NONE;
  }

  async run() {
    this.running?.abort();
    clearTimeout(this.timer);
    this.timer = 0;
    const asked = [...this.parses.entries()].filter(([, { tree }]) => tree);
    if (!this.pattern || !asked.length) {
      this.tell("", false);
      return;
    }
    const request = new AbortController();
    this.running = request;
    try {
      const trees = asked.map(([, { tree }]) => tree);
      const found = await search(this.pattern, trees, this.key(), request.signal);
      if (this.running !== request) return;
      if (found.error !== null) this.tell(`Column ${found.column}: ${found.error}.`, true);
      else this.take(found, asked.map(([index]) => index));
    } catch (error) {
      if (error.name === "AbortError" || this.running !== request) return;
      if (error.kind === "key") this.onKey();
      const known = error.kind ? error.message : `This page failed: ${error.message}.`;
      this.tell(known || "This service needs a key.", true);
      if (!error.kind) console.error(error);
    }
  }

  /** Takes over what was found in the parses with these indices. */
  take({ count, hits, trees, notes }, indices) {
    const numbers = trees.map(({ matches }) => matches.map(({ number }) => number));
    this.clear();
    numbers.forEach((each, place) => each.length && this.numbers.set(indices[place], new Set(each)));
    this.places = numbers.flatMap((each, place) => each.map((number) => [indices[place], number]));
    const shown = this.places.length < count ? `; the first ${this.places.length} are marked` : "";
    const where = indices.length > 1 ? ` in ${hits} of ${indices.length} trees` : "";
    this.show(count ? `${count} match${count === 1 ? "" : "es"}${where}${shown}` : ["No match", ...notes].join("; "), false);
  }

  tell(message, wrong) {
    this.clear();
    this.show(message, wrong);
  }

  clear() {
    this.numbers = new Map(); // of each parse in which something was found, by its index
    this.places = []; // [index, number] of each node that was found
    this.place = -1; // the one that was jumped to last
  }

  show(message, wrong) {
    this.said.textContent = message;
    this.said.classList.toggle("error", wrong);
    this.field.setAttribute("aria-invalid", String(wrong));
    this.jump.disabled = !this.places.length;
    this.onFound();
  }

  /** Jumps to what was found after the last one. */
  next() {
    if (!this.places.length) return;
    this.place = (this.place + 1) % this.places.length;
    this.onJump(...this.places[this.place]);
  }
}
