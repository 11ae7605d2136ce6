// Many sentences, a page of them at a time.

import { button, html } from "./html.js";

export const A_PAGE = 20; // sentences

/** Fills the navigation of sentences that begin with number `first`, of `count`; `turn(first)` turns. */
export function fillPages(nav, { first, count, turn }) {
  nav.hidden = count <= A_PAGE;
  const last = Math.min(count, first + A_PAGE);
  const place = html("input", { type: "number", min: 1, max: count, value: first + 1, "aria-label": "First sentence" });
  place.addEventListener("change", () => turn(pageOf(Number(place.value) - 1, count)));
  nav.replaceChildren(
    button("Previous", () => turn(first - A_PAGE), { disabled: first === 0 }),
    html("span", {}, `Sentences ${first + 1} to ${last} of ${count}; go to `, place),
    button("Next", () => turn(last), { disabled: last === count }),
  );
}

/** The first sentence of the page that a sentence is on, of `count`; from 0. */
export function pageOf(sentence, count) {
  const wanted = Math.min(Math.max(0, Math.floor(sentence) || 0), count - 1);
  return wanted - (wanted % A_PAGE);
}
