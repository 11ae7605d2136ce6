// Many sentences, a page of their cards at a time.

import { button, html } from "./html.js";

export const A_PAGE = 20; // sentences

/** Fills the navigation of sentences that begin with number `first`, of `count`; `turn(first)` turns. */
export function fillPages(nav, { first, count, turn }) {
  nav.hidden = count <= A_PAGE;
  const { previous, said, place, next } = (nav.controls ??= controlsOf(nav)); // they stay, and so does the focus
  const last = Math.min(count, first + A_PAGE);
  Object.assign(nav, { first, count, turn });
  said.textContent = `Sentences ${first + 1} to ${last} of ${count}; go to `;
  place.max = count;
  if (pageOf(Number(place.value) - 1, count) !== first || !place.value) place.value = first + 1;
  const end = [first === 0 && previous, last === count && next];
  if (end.includes(document.activeElement)) place.focus();
  previous.disabled = first === 0;
  next.disabled = last === count;
}

/** Puts these cards into the section; those that are there already keep how far their drawings are scrolled. */
export function putCards(section, cards) {
  const scrolled = [...section.querySelectorAll(".viewport")].map((one) => [one, one.scrollLeft, one.scrollTop]);
  for (const one of [...section.children]) if (!cards.includes(one)) one.remove();
  cards.forEach((one, place) => {
    const there = section.children[place] ?? null;
    if (one !== there) section.insertBefore(one, there); // what is not moved keeps the focus, too
  });
  for (const [one, left, top] of scrolled) one.scrollTo(left, top);
}

function controlsOf(nav) {
  const previous = button("Previous", () => nav.turn(nav.first - A_PAGE));
  const next = button("Next", () => nav.turn(nav.first + A_PAGE));
  const place = html("input", { type: "number", min: 1, "aria-label": "First sentence" });
  place.addEventListener("change", () => {
    const wanted = pageOf(Number(place.value) - 1, nav.count);
    if (wanted !== nav.first) nav.turn(wanted);
  });
  const said = html("span");
  nav.replaceChildren(previous, html("span", {}, said, place), next);
  return { previous, said, place, next };
}

/** The first sentence of the page that a sentence is on, of `count`; from 0. */
export function pageOf(sentence, count) {
  const wanted = Math.min(Math.max(0, Math.floor(sentence) || 0), count - 1);
  return wanted - (wanted % A_PAGE);
}
