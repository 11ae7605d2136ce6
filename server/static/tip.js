// The box beside a node that explains it.

import { explain, family } from "./glossary.js";
import { html } from "./html.js";
import { percentage } from "./probability.js";
import { shortened, wordsOf } from "./tree.js";

const LINGER = 150; // milliseconds that an explanation stays, so that the pointer can reach it

/** The box beside a node that has the meaning of its label and its probability. */
export function explanation(made) {
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
      html("strong", { className: `name ${family(node.label, isTag, node.language)}`, textContent: node.label }),
      html("span", { textContent: explain(node.label, isTag, node.language) || "a label of this model's own" }),
      ...(node.probability === null ? [] : [html("span", { className: "probability", textContent: `probability ${percentage(node.probability)}` })]),
      ...(node.other ? [html("span", { className: "probability", textContent: "not in the best tree" })] : []),
      html("bdi", { textContent: shortened(node.word ?? wordsOf(node), 60) }),
    );
    element.hidden = false;
    const [place, frame] = [target.querySelector(".field"), made].map((each) => each.getBoundingClientRect());
    beside(element, place, frame);
  };
  return { element, show };
}

/** Puts the box above a node, or below it if the window has no space above. */
function beside(element, target, frame) {
  const { offsetWidth, offsetHeight } = element;
  const left = target.left + target.width / 2 - offsetWidth / 2 - frame.left;
  const above = target.top - offsetHeight - 8;
  element.style.left = `${Math.max(8, Math.min(frame.width - offsetWidth - 8, left))}px`;
  element.style.top = `${(above > 0 ? above : target.bottom + 8) - frame.top}px`;
}
