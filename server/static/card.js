// One sentence on the page: its tree with all that one can do with it, or why it has none.

import { Drawing } from "./drawing.js";
import { explain, family } from "./glossary.js";
import { button, html } from "./html.js";
import { legend, outline } from "./outline.js";
import { forest } from "./latex.js";
import { copy, fileName, saveJson, saveLatex, savePng, saveSvg, svgSource } from "./save.js";
import { buildTree, shortened, wordsOf } from "./tree.js";
import { Viewport } from "./viewport.js";

const LINGER = 150; // milliseconds that an explanation stays, so that the pointer can reach it

const soon = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    soon.unobserve(target);
    target.fill();
  }
}, { rootMargin: "1200px" });

/**
 * The card of a parse; it is drawn when it is about to be seen. `say` tells what was done. Its
 * `find(numbers)` marks what a search has found, `showNumber(number)` brings one of these into view.
 */
export function card(parse, say) {
  const number = html("span", { className: "number" });
  const title = html("h3", { dir: "auto" }, number, html("span", { textContent: parse.text }));
  const made = html("article", { className: "card" }, title);
  made.number = number;
  if (parse.error !== null || parse.tree === null) {
    made.append(html("p", { className: "error", textContent: failure(parse) }));
    made.find = () => {};
    return made;
  }
  const space = html("div", { className: "space" });
  made.append(space);
  let [drawing, found] = [null, new Set()];
  made.fill = () => {
    if (drawing) return;
    space.remove();
    drawing = fill(made, parse, say);
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

function failure({ error }) {
  return `No tree for this one: ${error ?? "it has no words"}.`;
}

function fill(made, parse, say) {
  const tree = buildTree(parse);
  const tip = explanation(made);
  let viewport = null;
  const drawing = new Drawing(tree, {
    onChange: () => viewport?.apply(),
    onPoint: (node, element) => tip.show(node, element),
  });
  const percent = button("100 %", () => viewport.fit(), { title: "Fit (0)", className: "percent" });
  viewport = new Viewport(drawing, (scale) => (percent.textContent = `${Math.round(scale * 100)} %`));
  const panels = {
    Labels: html("div", { hidden: true }, legend(tree)),
    Outline: html("div", { className: "unseen", role: "region", "aria-label": "Outline of the tree" }, outline(tree)),
    Brackets: html("div", { hidden: true }, html("pre", { textContent: parse.tree, dir: "auto", tabIndex: 0 })),
  };
  const tools = html("div", { className: "tools" },
    group("Zoom",
      button("−", () => viewport.zoom(viewport.scale / 1.25), { title: "Smaller (−)", "aria-label": "Smaller" }),
      percent,
      button("+", () => viewport.zoom(viewport.scale * 1.25), { title: "Larger (+)", "aria-label": "Larger" }),
      ...fullScreen(made)),
    group("Fold",
      button("Fold", () => foldOuter(drawing), { title: "Fold the main parts; then click to open them one by one" }),
      button("Unfold", () => drawing.fold(tree.nodes, false), { title: "Open everything" })),
    group("Take along", ...saving(drawing, parse, say)),
    group("Show", ...Object.entries(panels).map(([name, panel]) => toggle(name, panel))),
  );
  made.append(viewport.element, tools, ...Object.values(panels), tip.element);
  return drawing;
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

function saving(drawing, parse, say) {
  const name = fileName(parse.text);
  const source = () => svgSource(drawing, parse.text, parse.tree);
  const trying = (work) => async () => {
    try {
      say(await work());
    } catch (error) {
      say(`That did not work: ${error.message}.`);
    }
  };
  return [
    button("Copy brackets", trying(async () => {
      await copy(parse.tree);
      return "The bracketed tree is on the clipboard.";
    })),
    button("SVG", trying(async () => {
      saveSvg(source(), name);
      return `Saved as ${name}.svg.`;
    }), { title: "Save as SVG", "aria-label": "Save as SVG" }),
    button("PNG", trying(async () => {
      const scale = await savePng(source(), drawing, name);
      return scale >= 1 ? `Saved as ${name}.png.`
        : `Saved as ${name}.png, at ${Math.round(scale * 100)} % since the tree is large; the SVG is sharp at any size.`;
    }), { title: "Save as PNG", "aria-label": "Save as PNG" }),
    button("LaTeX", trying(async () => {
      saveLatex(forest(drawing.root), name);
      return `Saved as ${name}.tex, for the package forest.`;
    }), { title: "Save for LaTeX", "aria-label": "Save for LaTeX" }),
    button("JSON", trying(async () => {
      saveJson(parse, name);
      return `Saved as ${name}.json.`;
    }), { title: "Save as JSON", "aria-label": "Save as JSON" }),
  ];
}

function toggle(name, panel) {
  const hide = (hidden) =>
    name === "Outline" ? panel.classList.toggle("unseen", hidden) : (panel.hidden = hidden);
  return button(name, (pressed) => {
    const shown = pressed.getAttribute("aria-pressed") === "true";
    pressed.setAttribute("aria-pressed", String(!shown));
    hide(shown);
  }, { "aria-pressed": "false" });
}

function fullScreen(made) {
  if (!document.fullscreenEnabled) return [];
  const change = () => (document.fullscreenElement ? document.exitFullscreen() : made.requestFullscreen());
  return [button("⛶", change, { title: "Full screen", "aria-label": "Full screen" })];
}

/** The box beside a node that says what its label means. */
function explanation(made) {
  const element = html("div", { className: "tip", role: "tooltip", hidden: true });
  let timer = 0;
  const hide = () => (element.hidden = true);
  element.addEventListener("pointerenter", () => clearTimeout(timer));
  element.addEventListener("pointerleave", hide);
  made.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  const show = (node, target) => {
    clearTimeout(timer);
    if (!node) {
      timer = setTimeout(hide, LINGER);
      return;
    }
    const isTag = node.word !== null;
    element.replaceChildren(
      html("strong", { className: `name ${family(node.label, isTag)}`, textContent: node.label }),
      html("span", { textContent: explain(node.label, isTag) || "a label of this model's own" }),
      html("bdi", { textContent: shortened(node.word ?? wordsOf(node), 60) }),
    );
    element.hidden = false;
    const [place, frame] = [target.querySelector(".field"), made].map((each) => each.getBoundingClientRect());
    beside(element, place, frame);
  };
  return { element, show };
}

/** Puts the box above a node, or below it where the window has no room above. */
function beside(element, target, frame) {
  const { offsetWidth, offsetHeight } = element;
  const left = target.left + target.width / 2 - offsetWidth / 2 - frame.left;
  const above = target.top - offsetHeight - 8;
  element.style.left = `${Math.max(8, Math.min(frame.width - offsetWidth - 8, left))}px`;
  element.style.top = `${(above > 0 ? above : target.bottom + 8) - frame.top}px`;
}
