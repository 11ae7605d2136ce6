// One sentence on the page: its tree with all that one can do with it, or why it has none.

import { Stepper, besideBest, differences, onlyIn } from "./alternatives.js";
import { Drawing } from "./drawing.js";
import { button, html } from "./html.js";
import { KnownPanel } from "./known.js";
import { legend, outline } from "./outline.js";
import { percentage } from "./probability.js";
import { saving } from "./taking.js";
import { explanation } from "./tip.js";
import { buildTree, preorder } from "./tree.js";
import { Viewport } from "./viewport.js";

const MEANING = "Mean probability of the constituents: the expected fraction of correct constituents";

const soon = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    soon.unobserve(target);
    target.fill();
  }
}, { rootMargin: "1200px" });

/**
 * The card of a parse; it is drawn when it is about to be seen. Its `find(numbers)` marks what a search has
 * found, `showNumber(number)` brings one of these into view; `shown` is the parse whose tree is drawn, the best
 * one or another; `now` is to be the parse of the same words in the text as it is now. `acts.say(message)` tells what was done, `acts.onShow()` that another tree is drawn.
 * Where the parser is at hand, `acts.trees()` gives the best trees of the sentence, and
 * `acts.write(known, start, end)` writes into the text what is known of its words.
 */
export function card(parse, acts) {
  const number = html("span", { className: "number" });
  const title = html("h3", { dir: "auto", ...inLanguage(parse) }, number, html("span", { textContent: parse.text }));
  const confidence = html("p", { className: "confidence", title: MEANING });
  const made = html("article", { className: "card", tabIndex: -1 }, html("header", { className: "head" }, title, confidence));
  Object.assign(made, { number, confidence, shown: parse, now: parse });
  if (parse.error !== null || parse.tree === null) {
    made.append(html("p", { className: "error", textContent: failure(parse) }));
    made.find = () => {};
    return made;
  }
  made.showConfidence = () => (confidence.textContent = typeof made.shown.confidence === "number" ? `confidence ${percentage(made.shown.confidence)}` : "");
  made.showConfidence();
  const space = html("div", { className: "space" });
  made.append(space);
  let [drawing, found] = [null, new Set()];
  made.fill = () => {
    if (drawing) return;
    space.remove();
    drawing = fill(made, parse, acts);
    if (found.size) drawing.find(found);
  };
  made.find = (numbers) => {
    if (found.size || numbers.size) drawing?.find(numbers);
    found = numbers;
  };
  made.showNumber = (number) => {
    made.fill();
    drawing.showNumber(number);
  };
  soon.observe(made);
  return made;
}

/** A parse with the places in the text that those of the same words, `now`, have. */
function placedAs(parse, now) {
  const tokens = parse.tokens.map((token, index) => ({ ...token, start: now.tokens[index].start, end: now.tokens[index].end }));
  const constituents = parse.constituents.map((one) => ({ ...one, char_start: tokens[one.start].start, char_end: tokens[one.end - 1].end }));
  return { ...parse, tokens, constituents };
}

function failure({ error }) {
  return `No tree for this one: ${error ?? "it has no words"}.`;
}

/** What browsers choose the shapes of characters by: the same ones differ in Chinese and Japanese. */
function inLanguage({ language }) {
  return language ? { lang: language } : {};
}

function fill(made, parse, acts) {
  const tip = explanation(made);
  let viewport = null;
  const drawing = new Drawing(buildTree(parse), {
    onChange: () => viewport?.apply(),
    onPoint: (node, element) => tip.show(node, element),
  });
  const percent = button("100 %", () => viewport.fit(), { title: "Fit (0)", className: "percent" });
  viewport = new Viewport(drawing, (scale) => (percent.textContent = `${Math.round(scale * 100)} %`));
  const panels = panelsOf(parse, drawing, acts);
  const caption = html("div", { className: "differs", hidden: true, "aria-live": "polite" });
  if (acts.trees) made.confidence.before(steps(made, { drawing, panels, caption, acts }));
  const tools = html("div", { className: "tools" },
    group("Zoom",
      button("−", () => viewport.zoom(viewport.scale / 1.25), { title: "Smaller (−)", "aria-label": "Smaller" }),
      percent,
      button("+", () => viewport.zoom(viewport.scale * 1.25), { title: "Larger (+)", "aria-label": "Larger" }),
      ...fullScreen(made)),
    group("Fold",
      button("Fold", () => foldOuter(drawing), { title: "Fold the main parts; then click to open them one by one" }),
      button("Unfold", () => drawing.fold(preorder(drawing.root), false), { title: "Open everything" })),
    group("Take along", ...saving(drawing, () => placedAs(made.shown, made.now), acts.say)),
    group("Show", ...Object.entries(panels).map(([name, panel]) => toggle(name, panel))),
  );
  const elements = Object.values(panels).map(({ element }) => element);
  Object.assign(viewport.element, inLanguage(parse));
  made.append(caption, viewport.element, tools, ...elements, tip.element);
  fillPanels(panels, drawing, parse);
  return drawing;
}

/** The panels below the drawing; `Correct` is there where the parser is at hand. */
function panelsOf(parse, drawing, { write }) {
  const brackets = html("pre", { dir: "auto", tabIndex: 0 });
  const panels = {
    Labels: { element: html("div", { hidden: true }) },
    Outline: { element: html("div", { className: "unseen", role: "region", "aria-label": "Outline of the tree" }) },
    Brackets: { element: html("div", { hidden: true }, brackets), brackets },
  };
  if (!write) return panels;
  const known = new KnownPanel(parse, write);
  const pick = ({ start, end }, more) => known.mark(start, end, more);
  panels.Correct = { element: known.element, onToggle: (open) => (drawing.onPick = open ? pick : null) };
  return panels;
}

/** Fills the panels that say something of the tree that is drawn. */
function fillPanels({ Labels, Outline, Brackets }, drawing, shown) {
  Labels.element.replaceChildren(legend(drawing));
  Outline.element.replaceChildren(outline(drawing));
  Brackets.brackets.textContent = shown.tree;
}

/** The control that steps through the trees of the sentence; also by the keys N and P in the drawing. */
function steps(made, { drawing, panels, caption, acts }) {
  const onShow = (shown, place, [best]) => {
    made.shown = shown;
    drawing.show(buildTree(shown, onlyIn(shown, best)));
    fillPanels(panels, drawing, shown);
    made.showConfidence();
    caption.hidden = place === 0;
    caption.replaceChildren(...(place ? [html("p", { textContent: `Tree ${place + 1}${besideBest(shown, best)}.` }), ...differences(shown, best)] : []));
    acts.onShow();
  };
  const stepper = new Stepper({ find: acts.trees, onShow, say: acts.say });
  drawing.svg.addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey }) => {
    if (ctrlKey || metaKey || altKey) return;
    if (key === "n" || key === "N") stepper.step(1);
    if (key === "p" || key === "P") stepper.step(-1);
  });
  return stepper.element;
}

function group(label, ...buttons) {
  return html("div", { className: "group", role: "group", "aria-label": label }, ...buttons);
}

/** Folds the parts of the first node that branches, so that a lecture can open them in turn. */
function foldOuter(drawing) {
  let node = drawing.root;
  while (node.children.length === 1) node = node.children[0];
  drawing.fold(node.children, true);
}

function toggle(name, { element, onToggle }) {
  return button(name, (pressed) => {
    const open = pressed.getAttribute("aria-pressed") !== "true";
    pressed.setAttribute("aria-pressed", String(open));
    if (name === "Outline") element.classList.toggle("unseen", !open);
    else element.hidden = !open;
    onToggle?.(open);
  }, { "aria-pressed": "false" });
}

function fullScreen(made) {
  if (!document.fullscreenEnabled) return [];
  const change = () => (document.fullscreenElement ? document.exitFullscreen() : made.requestFullscreen());
  return [button("Full screen", change)];
}
