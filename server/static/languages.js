// What language a text is in, where the service's models know several.

import { html } from "./html.js";

const names = new Intl.DisplayNames(["en"], { type: "language" });

/**
 * Fills the choice with the languages of the models, as `v1/models` describes them, "" for a guess at each
 * sentence. What is chosen stays chosen. A single language leaves no choice.
 */
export function offerLanguages(select, models) {
  const codes = [...new Set(models.flatMap(({ languages }) => languages))];
  const chosen = select.value;
  choose(select, chosen, codes);
  select.parentElement.hidden = codes.length < 2 && !chosen;
}

/** Chooses a language, by its code, whether it is known or not yet. */
export function choose(select, code, codes = [...select.options].map(({ value }) => value)) {
  const all = new Set(["", ...codes, code]);
  const options = [...all].map((value) => html("option", { value, textContent: value ? nameOf(value) : "Guessed" }));
  select.replaceChildren(...options);
  select.value = code;
}

/** The English name of a language; its code where that is none. */
function nameOf(code) {
  try {
    return names.of(code);
  } catch {
    return code;
  }
}
