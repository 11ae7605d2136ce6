// What the classifier says of the whole text, above the trees.

import { html } from "./html.js";

const MOST = 6; // classes that are shown: a model may have hundreds

/** Fills the section with an answer of the service's classifier, and hides it when there is none. */
export function showVerdict(section, classifier, answer, parses) {
  section.hidden = !answer;
  if (!answer) {
    section.replaceChildren();
    return;
  }
  const title = html("h2", { id: "verdict-title", textContent: `What ${classifier.name} says` });
  const said = html("div", { className: "said" }, ...content(answer, parses));
  const error = answer.error ? [html("p", { className: "error", textContent: answer.error })] : [];
  section.replaceChildren(title, said, ...error);
}

/** The answer in a few words, for the line that a screen reader reads out; "" where there is none. */
export function inShort(answer) {
  if (!answer) return "";
  if (typeof answer.score === "number") return shownScore(answer.score);
  return typeof answer.answer === "string" ? shownAnswer(answer.answer) : answer.label ?? "";
}

function content(answer, parses) {
  if (typeof answer.score === "number") {
    return [html("p", { className: "label-said", textContent: shownScore(answer.score) })];
  }
  if (answer.tags) return [tagged(answer.tags, parses)];
  if (typeof answer.answer === "string") {
    const given = answer.answers.slice(0, MOST).map((one) => bar(one.text, one.probability));
    return said(shownAnswer(answer.answer), given);
  }
  if (!answer.label) return [];
  const classes = Object.entries(answer.probabilities).sort(([, a], [, b]) => b - a);
  const shown = classes.slice(0, MOST).map(([name, share]) => bar(name, share));
  const rest = classes.length - shown.length;
  if (rest > 0) shown.push(html("li", { className: "rest", textContent: `and ${rest} more` }));
  return said(answer.label, shown);
}

function said(best, shares) {
  return [
    html("p", { className: "label-said", dir: "auto", textContent: best }),
    html("ul", { className: "shares", "aria-label": "Probabilities" }, ...shares),
  ];
}

function shownAnswer(text) {
  return text || "The passage does not say.";
}

function bar(name, share) {
  const filled = html("span", { className: "filled" });
  filled.style.inlineSize = `${100 * share}%`;
  return html("li", {},
    html("bdi", { className: "class", textContent: name }),
    html("span", { className: "bar", "aria-hidden": "true" }, filled),
    html("span", { className: "share", textContent: percent(share) }));
}

/** A fraction in percent; a value near 0 or 100 is not rounded to it. */
function percent(share) {
  const shown = (100 * share).toFixed(1);
  if (shown === "100.0" && share < 1) return "> 99.9 %";
  return shown === "0.0" && share > 0 ? "< 0.1 %" : `${shown} %`;
}

function shownScore(score) {
  return score.toFixed(2);
}

function tagged(tags, parses) {
  const words = parses.flatMap((parse) => parse.tokens);
  return html("p", { className: "tagged", dir: "auto" }, ...tags.flatMap((tag, place) => {
    const word = words[place]?.text ?? "";
    return [tag === "O" ? word : html("span", { className: "entity" }, `${word} `, html("small", { textContent: tag })), " "];
  }));
}
