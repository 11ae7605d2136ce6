// The next best trees of a sentence: the control that steps through them, and how they differ from the best.

import { button, html } from "./html.js";
import { wordsAt } from "./tree.js";

/** The constituents of a parse that another one of the same words has not. */
export function onlyIn({ constituents }, { constituents: others }) {
  const key = ({ label, start, end }) => `${start} ${end} ${label}`;
  const left = new Map();
  for (const one of others) left.set(key(one), (left.get(key(one)) ?? 0) + 1);
  return new Set(constituents.filter((one) => {
    const count = left.get(key(one)) ?? 0;
    left.set(key(one), count - 1);
    return count <= 0;
  }));
}

/** What is other in a tree than in the best one, in words. */
export function differences(parse, best) {
  const told = (title, one, other) => {
    const found = [...onlyIn(one, other)].map(({ label, start, end }) =>
      html("li", {}, `${label} `, html("bdi", { textContent: wordsAt(one.tokens, start, end) })));
    return found.length ? [html("p", { textContent: title }), html("ul", {}, ...found)] : [];
  };
  return [...told("Only in this tree:", parse, best), ...told("Only in the best one:", best, parse)];
}

/** How probable a tree is beside the best one; "" where that is not known. */
export function besideBest(parse, best) {
  if (!parse.probability || !best.probability) return "";
  const share = parse.probability / best.probability;
  return `, ${share < 0.01 ? "less than 0.01" : share.toFixed(2)} times as probable as the best`;
}

/**
 * Steps through the trees of a sentence, of which `find()` gives all, the best first, when the second is
 * requested; `onShow(parse, place, trees)` shows one, `say` reports why that does not work.
 */
export class Stepper {
  constructor({ find, onShow, say }) {
    Object.assign(this, { find, onShow, say, trees: null, place: 0, waits: false });
    this.said = html("span", { className: "which", textContent: "Best tree" });
    this.element = html("div", { className: "group", role: "group", "aria-label": "Trees" },
      button("‹", () => this.step(-1), { title: "The tree before (P)", "aria-label": "The tree before" }),
      this.said,
      button("›", () => this.step(1), { title: "The next tree (N)", "aria-label": "The next tree" }));
  }

  /** Shows the next tree, or the one before; after the last one comes the first. */
  async step(by) {
    if (this.waits) return;
    this.waits = true;
    try {
      this.trees ??= await this.find();
    } catch (error) {
      this.say(`There are no other trees to see: ${error.message}`);
      return;
    } finally {
      this.waits = false;
    }
    const count = this.trees.length;
    this.place = (this.place + by + count) % count;
    this.said.textContent = `Tree ${this.place + 1} of ${count}`;
    this.onShow(this.trees[this.place], this.place, this.trees);
  }
}
