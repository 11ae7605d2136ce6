// The page of `bnaparser annotate`: a queue of sentences, a tree to correct. Each step is saved by the program before
// the page shows it; the page itself keeps nothing.

import { onlyIn } from "./alternatives.js";
import { Drawing } from "./drawing.js";
import { button, html } from "./html.js";
import { explanation } from "./tip.js";
import { buildTree, preorder } from "./tree.js";
import { Viewport } from "./viewport.js";

const part = (id) => document.getElementById(id);
const WORDS = { open: "to do", begun: "begun", accepted: "accepted", changed: "changed since it was accepted" };

let by = ""; // the annotator
let sentences = []; // of the project: { text, probability, entropy, state }
let shown = null; // the sentence on the page, as the program says it
let drawing = null;
let selected = []; // the first and the last node that are selected
let pending = null; // what the label is for, "relabel" or "bracket"; or "move", which waits for its target
let current = null; // the number of the sentence that is shown, or on its way
let running = Promise.resolve(); // the last step
let waiting = 0; // steps that are not done yet
let beginnings = 0; // of the page, each with a name; only the last one counts

/** Asks the program; throws an Error that says why there is no answer, with the `status`, 0 where it is gone. */
async function ask(path, body) {
  const sent = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, sent);
  } catch {
    throw Object.assign(new Error("The program cannot be reached. Start it again; all steps before this one are saved."), { status: 0 });
  }
  const content = await answer.json().catch(() => ({}));
  if (answer.ok) return content;
  const { detail } = content;
  throw Object.assign(new Error(typeof detail === "string" ? detail : `The program failed (${answer.status}).`), { status: answer.status });
}

function say(message) {
  part("status").textContent = message;
}

function tell(message, ...buttons) {
  part("notice").replaceChildren(...(message ? [html("p", { textContent: message }), ...buttons] : []));
  part("notice").hidden = !message;
}

/**
 * Has a step done and saved, after those that are on their way; a step on nodes is of the tree that is shown, so it is
 * dropped where another one changes that; and so is any step while the next sentence is on its way. What could not be saved can be tried again.
 */
function step(what, number = shown?.number === current ? current : null) {
  if (number === null || (waiting && "node" in what && what.do !== "choose")) return Promise.resolve(false);
  waiting += 1;
  running = running.then(() => save(what, number)).finally(() => (waiting -= 1));
  return running;
}

async function save(what, number) {
  if (current === number) say("Saving…");
  try {
    const found = await ask(`sentences/${number}`, { by, steps: sentences[number].steps, ...what });
    tell("");
    if (current === number) show(found);
    else keep(found);
    fillQueue();
    return true;
  } catch (error) {
    if (error.status === 422) {
      say(error.message);
    } else if (error.status === 409) {
      await open(number);
      tell(`${error.message} Here is how it is now.`);
    } else {
      if (current === number) say("");
      tell(`Not saved: ${error.message}`, button("Try again", () => step(what, number)));
    }
    return false;
  }
}

/** Keeps for the queue how far a sentence is. */
function keep({ number, state, steps }) {
  Object.assign(sentences[number], { state, steps });
}

// --- the queue

/** The numbers of the sentences in the order of the queue. */
function ordered() {
  const order = part("order").value;
  const rank = { probability: (n) => sentences[n].probability ?? -1, entropy: (n) => -(sentences[n].entropy ?? Infinity), number: (n) => n }[order];
  const numbers = [...sentences.keys()].filter((n) => !part("todo").checked || sentences[n].state !== "accepted");
  return numbers.sort((a, b) => rank(a) - rank(b) || a - b);
}

function fillQueue() {
  part("queue").replaceChildren(...ordered().map((number) => {
    const { text, probability, state } = sentences[number];
    const sure = probability === null ? "" : `, ${Math.round(100 * probability)} %`;
    const made = button(`${state === "accepted" ? "✓ " : ""}${number + 1}. ${text}`, () => open(number), {
      className: state, title: `${WORDS[state]}${sure}: ${text}`, "aria-label": `Sentence ${number + 1}, ${WORDS[state]}${sure}: ${text}`,
      "aria-current": String(number === current),
    });
    return html("li", {}, made);
  }));
  const done = sentences.filter(({ state }) => state === "accepted" || state === "changed").length;
  part("progress").textContent = `${done} of ${sentences.length} accepted`;
}

/** Opens the sentence after this one in the queue, or before it; `todo`: the next that is not accepted. */
function go(by, todo = false) {
  const numbers = ordered();
  const place = numbers.indexOf(current);
  const turned = by > 0 ? [...numbers.slice(place + 1), ...numbers.slice(0, place + 1)] : [...numbers.slice(0, Math.max(place, 0)).reverse(), ...numbers.slice(place).reverse()];
  const next = turned.find((number) => !todo || sentences[number].state !== "accepted");
  if (next === undefined) say("All sentences are accepted.");
  else if (next !== current) open(next);
}

async function open(number) {
  current = number;
  leave();
  try {
    const found = await ask(`sentences/${number}?by=${encodeURIComponent(by)}`);
    if (current !== number) return;
    tell("");
    shown = null; // nothing stays folded or selected
    show(found);
    fillQueue();
    document.querySelector("#queue [aria-current=true]")?.scrollIntoView({ block: "nearest" });
    drawing.focus(drawing.root, false);
    select(drawing.root);
    say(found.error ? `The parser has no tree: ${found.error}.` : "");
  } catch (error) {
    tell(error.message, button("Try again", () => open(number)));
  }
}

// --- the tree

/** Shows a sentence; of one that is shown already, what was folded and where the selection was. */
function show(found) {
  const [same, before] = [shown?.number === found.number, drawing];
  const key = ({ label, start, end, word }) => `${label} ${start} ${end} ${word}`;
  const folded = new Set(same ? [...preorder(before.root)].filter((node) => node.folded).map(key) : []);
  const was = same && selected.length ? selected[0] : null;
  shown = found;
  keep(found);
  part("work").hidden = false;
  part("text").textContent = found.text;
  part("text").lang = found.language ?? "";
  const [best] = found.candidates;
  const tree = buildTree(found.tree, onlyIn(found.tree, best.tree), found.tree.top);
  for (const node of preorder(tree.root)) node.folded = folded.has(key(node));
  if (same) drawing.show(tree);
  else draw(tree);
  fillControls();
  const nodes = [...preorder(drawing.root, true)];
  const again = was && (nodes.find((node) => key(node) === key(was)) ?? nodes.findLast(({ start, end, word }) => start <= was.start && end >= was.end && (word === null) === (was.word === null)));
  const focus = again ?? drawing.root;
  if (same) drawing.focus(focus, false);
  select(focus);
}

function draw(tree) {
  const card = part("tree");
  const tip = explanation(card);
  let viewport = null;
  drawing = new Drawing(tree, {
    onChange: () => {
      viewport?.apply();
      if (drawing) mark();
    },
    onPoint: (node, element) => tip.show(element?.matches(":hover") ? node : null, element),
  });
  drawing.onPick = pick;
  drawing.svg.addEventListener("pointerdown", ({ target, pointerType }) => {
    drawing.dragged = pointerType === "mouse" ? target.closest?.(".node")?.tree : null;
  });
  drawing.svg.addEventListener("pointerup", ({ target }) => {
    const [node, goal] = [drawing.dragged, target.closest?.(".node")?.tree];
    if (node && goal && node !== goal) step({ do: "move", node: node.id, other: goal.id });
  });
  viewport = new Viewport(drawing);
  card.replaceChildren(viewport.element, tip.element);
}

/** Selects a node, or where there is `more` all up to it; or attaches to it what waits for its target. */
function pick(node, more) {
  if (pending === "move") {
    const [moved] = selected;
    pending = null;
    step({ do: "move", node: moved.id, other: node.id });
  } else select(node, more);
}

function select(node, more = false) {
  selected = more && selected.length ? [selected[0], node] : [node, node];
  mark();
  if (pending && pending !== "move") offer(pending);
}

/** Marks what is selected in the drawing: the nodes, and all words of them and between them. */
function mark() {
  const [start, end] = [Math.min(...selected.map((node) => node.start)), Math.max(...selected.map((node) => node.end))];
  for (const [node, { group }] of drawing.drawn) {
    group.classList.toggle("selected", selected.includes(node) || (node.word !== null && node.start >= start && node.end <= end));
  }
}

// --- the controls

const EDITS = [
  ["Relabel", "R", () => named("relabel")],
  ["Add bracket", "B", () => named("bracket")],
  ["Remove bracket", "X", () => step({ do: "remove", node: selected[0].id })],
  ["Attach", "M", () => {
    leave();
    pending = "move";
    say("Select the constituent to attach it to: click it, or go there by the arrows and press Enter. Esc leaves.");
    drawing.focus(selected[0], false);
  }],
  ["Fold", "F", () => {
    drawing.fold([selected[1]], !selected[1].folded);
  }],
];
const STEPS = [
  ["Undo", "U", () => step({ do: "undo" })],
  ["Redo", "Y", () => step({ do: "redo" })],
  ["Accept", "A", async () => await step({ do: "accept" }) && go(1, true)],
  ["Withdraw acceptance", "", () => step({ do: "withdraw" })],
  ["Previous", "P", () => go(-1)],
  ["Next", "N", () => go(1)],
];
const KEYS = new Map();

/** Makes buttons, each with its key. */
function controls(list) {
  return list.map(([name, key, act]) => {
    if (key) KEYS.set(key.toLowerCase(), act);
    return button(name, act, { title: key ? `${name} (${key})` : name, id: `do-${name.split(" ")[0].toLowerCase()}` });
  });
}

/** The labels to choose from by 1 to 9: for a word its tags; else those that the parser has for the words, by probability, then the commonest. */
function choices(what) {
  const nodes = what === "relabel" ? [selected[1]] : selected;
  const [start, end] = [Math.min(...nodes.map((node) => node.start)), Math.max(...nodes.map((node) => node.end))];
  const tags = what === "relabel" && nodes[0].word !== null;
  const over = (tree) => tree.constituents.filter((one) => one.start === start && one.end === end);
  const parsed = shown.candidates.flatMap(({ tree }) => over(tree)).sort((a, b) => b.probability - a.probability);
  const found = tags ? shown.labels.tags[start] : [...parsed.map(({ label }) => label), ...shown.labels.constituents];
  const there = tags ? [nodes[0].label] : over(shown.tree).map(({ label }) => label);
  return [...new Set(found)].filter((label) => !there.includes(label)).slice(0, 9);
}

/** Offers labels for what waits for one. */
function offer(what) {
  const offered = choices(what).map((label, place) => button(`${place + 1} ${label}`, () => named(what, label)));
  part("choices").replaceChildren(...offered);
  const found = offered.length ? `Choose ${offered.map(({ textContent }) => textContent).join(", ")}; or write` : "Write";
  say(`${found} the label${what === "relabel" ? "" : " of the new bracket"}, then Enter.`);
}

/** Does an edit with the label of the field, or where that is empty, waits for one. */
function named(what, typed = part("label").value.trim()) {
  pending = what;
  if (!typed) {
    offer(what);
    part("label").focus();
    return;
  }
  leave();
  const nodes = what === "relabel" ? { node: selected[1].id } : { node: selected[0].id, other: selected[1].id };
  step({ do: what, ...nodes, label: typed }).then(() => drawing.focus(drawing.current, false));
}

/** Waits for no label and no target any more. */
function leave() {
  pending = null;
  part("label").value = "";
  part("choices").replaceChildren();
}

function fillControls() {
  const { candidates, tree, state, undo, redo, comment } = shown;
  part("candidates").replaceChildren(...candidates.map(({ name, probability, tree: other }, place) => {
    const title = probability === null ? { file: "The file’s tree", flat: "No brackets" }[name] ?? `Accepted by ${name}` : `Tree ${name}`;
    const sure = probability === null ? "" : ` · ${(100 * probability).toFixed(probability < 0.1 ? 1 : 0)} %`;
    return button(`${title}${sure}`, () => step({ do: "choose", node: place }), { title: `Choose (${place + 1})`, "aria-pressed": String(other.tree === tree.tree) });
  }));
  part("do-undo").disabled = !undo;
  part("do-redo").disabled = !redo;
  part("do-accept").setAttribute("aria-pressed", String(state === "accepted"));
  part("do-withdraw").disabled = state !== "accepted" && state !== "changed";
  part("comment").value = comment;
  const labels = new Set(candidates.flatMap((one) => [...one.tree.constituents.map(({ label }) => label), ...one.tree.tokens.map(({ tag }) => tag)]));
  part("labels").replaceChildren(...[...labels].sort().map((value) => html("option", { value })));
  say(state === "open" ? "" : `Saved: ${WORDS[state]}.`);
}

// --- agreement

async function compare() {
  try {
    const pairs = await ask("agreement");
    part("agreement").replaceChildren(...(pairs.length ? pairs.map(pairOf) : [html("p", { textContent: "There is one annotator only." })]));
  } catch (error) {
    tell(error.message);
  }
}

function pairOf({ annotators: [one, other], sentences: count, exact, f1, tags, differing }) {
  const said = count ? `${count} sentences accepted by both, ${exact} with the same tree; F1 ${f1.toFixed(2)}, equal tags ${tags.toFixed(2)} %` : "no sentence accepted by both";
  const rows = differing.map(({ number, f1: own }) => html("tr", {},
    html("td", {}, button(`${number + 1}`, () => open(number), { "aria-label": `Open sentence ${number + 1}` })),
    html("td", { textContent: own.toFixed(2) }), html("td", { textContent: sentences[number].text })));
  const head = html("tr", {}, ...["Sentence", "F1", "Text"].map((textContent) => html("th", { textContent, scope: "col" })));
  return html("div", {}, html("p", { textContent: `${one} and ${other}: ${said}.` }), ...(rows.length ? [html("table", {}, head, ...rows)] : []));
}

// --- beginning

async function begin(name) {
  const number = (beginnings += 1);
  try {
    const found = await ask(`project${name === null ? "" : `?by=${encodeURIComponent(name)}`}`);
    if (number !== beginnings) return;
    ({ by, sentences } = found);
    part("project").textContent = found.name;
    document.title = `${found.name}: annotation`;
    if (name !== null || !part("by").value) part("by").value = by; // a name that is being written stays
    part("names").replaceChildren(...found.annotators.map((value) => html("option", { value })));
    part("export").href = `accepted.mrg?by=${encodeURIComponent(by)}`;
    tell("");
    [shown, current] = [null, null];
    fillQueue();
    if (by) go(1, true);
    else {
      say("");
      tell("Write your name as annotator first.");
      part("by").focus();
    }
  } catch (error) {
    if (number === beginnings) tell(error.message, button("Try again", () => begin(name)));
  }
}

part("edits").append(...controls(EDITS));
part("steps").append(...controls(STEPS));
part("edit").addEventListener("submit", (event) => {
  event.preventDefault();
  if (part("label").value.trim()) named(pending === "bracket" ? "bracket" : "relabel");
});
part("who").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("annotator", part("by").value.trim());
  begin(part("by").value.trim());
});
part("comment").addEventListener("change", () => step({ do: "comment", comment: part("comment").value }));
part("order").addEventListener("change", fillQueue);
part("todo").addEventListener("change", fillQueue);
part("compare").addEventListener("click", compare);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    leave();
    say("");
    if (drawing) drawing.focus(drawing.current, false);
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !shown) return;
  const [key, place] = [event.key.toLowerCase(), Number(event.key) - 1];
  const writing = event.target.matches("input, textarea, select");
  const label = part("choices").children[place];
  if (label && (!writing || (event.target === part("label") && !event.target.value))) {
    event.preventDefault();
    label.click();
  } else if (writing) {
    return;
  } else if (key.startsWith("arrow") || key === "home" || key === "end") {
    if (drawing.svg.contains(event.target) && pending !== "move") select(drawing.current, event.shiftKey);
  } else if (KEYS.has(key)) {
    event.preventDefault();
    KEYS.get(key)();
  } else if (key === "c") {
    event.preventDefault();
    part("comment").focus();
  } else if (place >= 0 && place < shown.candidates.length) step({ do: "choose", node: place });
});
document.querySelector("#who button").disabled = false; // a click before this line would send the form and reload the page
begin(sessionStorage.getItem("annotator"));
