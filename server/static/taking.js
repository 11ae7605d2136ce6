// The buttons that take a tree along.

import { button } from "./html.js";
import { forest } from "./latex.js";
import { copy, fileName, saveJson, saveLatex, savePng, saveSvg, svgSource } from "./save.js";

/** What a button does: some work, of which it says what was done or why that did not work. */
export function trying(say, work) {
  return async () => {
    try {
      say(await work());
    } catch (error) {
      say(`That did not work: ${error.message}.`);
    }
  };
}

/** Buttons that take the tree along that is shown: `shown()` is its parse. `say` tells what was done. */
export function saving(drawing, shown, say) {
  const name = fileName(shown().text);
  const source = () => svgSource(drawing, shown().text, shown().tree);
  return [
    button("Copy brackets", trying(say, async () => {
      await copy(shown().tree);
      return "The bracketed tree is on the clipboard.";
    })),
    button("SVG", trying(say, async () => {
      saveSvg(source(), name);
      return `Saved as ${name}.svg.`;
    }), { title: "Save as SVG", "aria-label": "Save as SVG" }),
    button("PNG", trying(say, async () => {
      const scale = await savePng(source(), drawing, name);
      return scale >= 1 ? `Saved as ${name}.png.`
        : `Saved as ${name}.png, at ${Math.round(scale * 100)} % since the tree is large; the SVG is sharp at any size.`;
    }), { title: "Save as PNG", "aria-label": "Save as PNG" }),
    button("LaTeX", trying(say, async () => {
      saveLatex(forest(drawing.root), name);
      return `Saved as ${name}.tex, for the package forest.`;
    }), { title: "Save for LaTeX", "aria-label": "Save for LaTeX" }),
    button("JSON", trying(say, async () => {
      saveJson(shown(), name);
      return `Saved as ${name}.json.`;
    }), { title: "Save as JSON", "aria-label": "Save as JSON" }),
  ];
}
