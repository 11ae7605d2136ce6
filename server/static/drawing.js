// The tree that one sees: drawn, folded and opened, walked through by arrow keys.

import { arrange, rightToLeft } from "./layout.js";
import { branchPath, canvas, fadeBranch, nodeElement } from "./svg.js";
import { preorder, wordsOf } from "./tree.js";

const MOVE = 240; // milliseconds that folding takes
const MOST_MOVING = 400; // nodes; more are put in their places at once
const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * A drawn tree. `svg` is its element. `onChange` is called after its size has changed,
 * `onPoint(node, element)` when a node is pointed at or has the focus, `onPoint(null)` after. Where `onPick` is set,
 * `onPick(node, more)` is called when a node is clicked, instead of folding it; `more` with the shift key.
 */
export class Drawing {
  constructor(tree, { onChange, onPoint }) {
    Object.assign(this, tree, { onChange, onPoint, ...canvas() });
    this.mirrored = rightToLeft(wordsOf(this.root));
    this.nodesLayer = this.svg.lastChild;
    this.places = new Map(); // of each drawn node where it stands now
    this.drawn = new Map(); // of each drawn node its elements
    this.current = this.root;
    this.onPick = null;
    this.svg.setAttribute("aria-label", `Tree of: ${wordsOf(this.root)}`);
    this.listen();
    this.draw(false);
  }

  /** Shows another tree of the same words. */
  show(tree) {
    this.root = this.current = tree.root;
    this.places.clear();
    this.draw(false);
  }

  /** Folds or opens a node, or all in `nodes`, and shows it. */
  fold(nodes, folded) {
    for (const node of nodes) if (node.children.length) node.folded = folded;
    while (!this.visible(this.current)) this.current = this.current.parent;
    this.draw(true);
  }

  /** Marks the nodes that have these numbers, or whose words have, as found, and opens what hides them. */
  find(numbers) {
    for (const node of preorder(this.root)) {
      node.found = numbers.has(node.number) || (node.word !== null && numbers.has(node.number + 1));
      if (!node.found) continue;
      for (let above = node.parent; above; above = above.parent) above.folded = false;
    }
    this.draw(false);
  }

  /** Brings the node with this number, or whose word has it, into view, and points at it. */
  showNumber(number) {
    const node = [...preorder(this.root)].findLast((each) => each.number <= number);
    this.point(null);
    this.drawn.get(node)?.group.scrollIntoView({ block: "center", inline: "center" });
    if (this.drawn.has(node)) this.point(node);
  }

  get rootX() {
    return this.layout.boxes.get(this.root).x;
  }

  visible(node) {
    for (let above = node.parent; above; above = above.parent) if (above.folded) return false;
    return true;
  }

  draw(moving) {
    const before = new Map(this.places);
    this.layout = arrange(this.root, this.mirrored);
    const focused = this.svg.contains(document.activeElement);
    this.renew();
    const targets = this.layout.boxes;
    const start = (node) => {
      while (node && !before.has(node)) node = node.parent;
      return before.get(node) ?? null;
    };
    const { width, height } = this.layout;
    Object.assign(this, { width, height });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.onChange?.();
    const moves = moving && !still.matches && targets.size <= MOST_MOVING;
    const from = new Map([...targets].map(([node, box]) => [node, (moves && start(node)) || box]));
    cancelAnimationFrame(this.frame);
    if (moves) this.move(from, performance.now());
    else this.put(from, targets, 1);
    if (focused) this.focus(this.current, false);
  }

  /** Makes the elements anew, branches in one layer, nodes in the other, in reading order. */
  renew() {
    this.drawn.clear();
    const [branches, nodes] = [[], []];
    for (const [node, box] of this.layout.boxes) {
      const group = nodeElement(node, box);
      group.tree = node;
      nodes.push(group);
      const branch = node.parent && document.createElementNS(this.svg.namespaceURI, "path");
      if (branch) {
        fadeBranch(branch, node);
        branches.push(branch);
      }
      this.drawn.set(node, { group, branch });
    }
    this.branches.replaceChildren(...branches);
    this.nodesLayer.replaceChildren(...nodes);
    this.drawn.get(this.current).group.setAttribute("tabindex", 0);
    this.mark.setAttribute("width", 0);
    this.pointed = null;
  }

  move(from, started) {
    const step = (now) => {
      const part = Math.min(1, Math.max(0, (now - started) / MOVE));
      this.put(from, this.layout.boxes, 1 - (1 - part) ** 3);
      if (part < 1) this.frame = requestAnimationFrame(step);
    };
    step(started);
  }

  /** Puts each node the part `part` of its way. */
  put(from, to, part) {
    this.places.clear();
    for (const [node, target] of to) {
      const start = from.get(node);
      const x = start.x + (target.x - start.x) * part;
      const y = start.y + (target.y - start.y) * part;
      this.places.set(node, { x, y });
      const { group, branch } = this.drawn.get(node);
      group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      if (!branch) continue;
      const { drop } = to.get(node.parent);
      branch.setAttribute("d", branchPath(this.places.get(node.parent), { x, y }, node, drop));
    }
    if (part === 1 && this.pointed) this.light(this.pointed);
  }

  listen() {
    const nodeOf = (event) => event.target.closest?.(".node")?.tree;
    this.svg.addEventListener("click", (event) => {
      const node = nodeOf(event);
      if (!node) return;
      this.focus(node);
      this.press(node, event.shiftKey);
    });
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointerover", (event) => this.point(nodeOf(event)));
    this.svg.addEventListener("pointerleave", () => this.point(null));
    this.svg.addEventListener("focusin", (event) => this.point(nodeOf(event)));
    this.svg.addEventListener("focusout", () => this.point(null));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = this.current;
    const goals = {
      ArrowUp: () => node.parent,
      ArrowDown: () => (node.folded ? null : node.children[0]),
      ArrowLeft: () => this.beside(this.mirrored ? 1 : -1),
      ArrowRight: () => this.beside(this.mirrored ? -1 : 1),
      Home: () => this.root,
      End: () => [...this.layout.boxes.keys()].at(-1),
    };
    if (event.key === "Enter" || event.key === " ") {
      this.press(node, event.shiftKey);
    } else if (goals[event.key]) {
      const goal = goals[event.key]();
      if (goal) this.focus(goal);
    } else return;
    event.preventDefault();
  }

  /** Picks a node if picking is active, or folds or opens it. */
  press(node, more) {
    if (this.onPick) this.onPick(node, more);
    else if (node.word === null) this.fold([node], !node.folded);
  }

  /** The sibling before or after the current node; beyond the last, its parent's neighbour. */
  beside(step) {
    for (let node = this.current; node.parent; node = node.parent) {
      const row = node.parent.children;
      const next = row[row.indexOf(node) + step];
      if (next) return next;
    }
    return null;
  }

  focus(node, reveal = true) {
    this.drawn.get(this.current)?.group.setAttribute("tabindex", -1);
    this.current = node;
    const { group } = this.drawn.get(node);
    group.setAttribute("tabindex", 0);
    group.focus({ preventScroll: true });
    if (reveal) group.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Marks a node's words and branches, and says which node it is. */
  point(node) {
    if (node === this.pointed) return;
    this.pointed = node;
    for (const lit of this.svg.querySelectorAll(".lit")) lit.classList.remove("lit");
    this.mark.setAttribute("width", 0);
    if (node) this.light(node);
    this.onPoint?.(node ?? null, this.drawn.get(node)?.group);
  }

  light(node) {
    const family = this.drawn.get(node).group.classList[2];
    this.branches.setAttribute("data-family", family);
    this.mark.setAttribute("class", `mark ${family}`);
    let [left, right] = [Infinity, -Infinity];
    for (const below of preorder(node, true)) {
      if (below !== node) this.drawn.get(below).branch.classList.add("lit");
      const [{ x }, { word }] = [this.places.get(below), this.layout.boxes.get(below)];
      if (word === undefined) continue;
      left = Math.min(left, x - word / 2);
      right = Math.max(right, x + word / 2);
    }
    this.mark.setAttribute("x", left);
    this.mark.setAttribute("y", this.height - 9);
    this.mark.setAttribute("width", right - left);
  }
}
