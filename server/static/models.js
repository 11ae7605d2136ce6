// What the service's models are, and what one may do with them.

import { html } from "./html.js";

/** Fills the footer's part on the models, each as `v1/models` describes it. */
export function showModels(section, { models, classifiers }) {
  section.replaceChildren(...[...models, ...classifiers].map(entry));
}

function entry({ name, license, license_note: note }) {
  const said = `Model ${name}${license ? `: ${license}` : ""}`;
  if (!note) return html("p", { textContent: said });
  return html("details", {}, html("summary", { textContent: said }), html("p", { textContent: note }));
}
