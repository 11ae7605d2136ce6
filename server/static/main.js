// The page: text in, trees out, the text in the address.

import { BracketError, readBrackets } from "./brackets.js";
import { card } from "./card.js";
import { classify, findModels, parse } from "./client.js";
import { button, html } from "./html.js";
import { showModels } from "./models.js";
import { A_PAGE, fillPages, pageOf } from "./pages.js";
import { copy } from "./save.js";
import { Search } from "./search.js";
import { inShort, showVerdict } from "./verdict.js";

const PAUSE = 350; // milliseconds without a key before the text is parsed
const LIVE_CHARACTERS = 2000; // longer texts wait for the button
const MOST_RETRIES = 5;
const LINK_CHARACTERS = 8000; // what mail programs and browsers carry whole
const KEY = "bnaparser-key";

// The model `en` parses each of them as the Penn Treebank would.
const EXAMPLES = [
  "The cat that the dog chased ran away.",
  "Colorless green ideas sleep furiously.",
  "The horse raced past the barn fell.",
  "The committee, which met on Monday, rejected the plan.",
  "What did the children find under the old bridge?",
  "It rained all night. By morning the river had burst its banks.",
];

const part = (id) => document.getElementById(id);
const [text, status, notice, trees] = ["text", "status", "notice", "trees"].map(part);
let shown = { wanted: "", parses: [], first: 0 }; // the text that the trees are of; the first on this page
let cards = new Map(); // by what they show, so that a tree that stays is not drawn again
let asked = null; // the text that was asked for last, unless it was taken back
let running = null; // its request
let timer = 0; // until a text that is typed is asked for
let retry = 0; // until one that was refused is asked for again
let describing = null; // what the service says of its models, or is being asked
let busy = false;
const search = new Search(part("search"), {
  key: () => sessionStorage.getItem(KEY),
  onFound: markFound,
  onPattern: () => remember(shown.wanted),
  onKey: () => (part("key-form").hidden = false),
  onJump: (index, number) => {
    if (pageOf(index, shown.parses.length) !== shown.first) turn(pageOf(index, shown.parses.length));
    cards.get(nameOf(shown.parses, index)).showNumber(number);
  },
});

function say(message) {
  status.textContent = message;
}

function tell(message, ...buttons) {
  notice.replaceChildren(...(message ? [html("p", { textContent: message }), ...buttons] : []));
  notice.hidden = !message;
}

/** Parses what the field holds and shows it; `force` also when it is what is shown already. */
async function ask({ force = false, tries = 0 } = {}) {
  const wanted = text.value.trim();
  if (wanted === asked && !force) return;
  stop();
  asked = wanted;
  tell("");
  remember(wanted);
  if (!wanted) {
    show(wanted, []);
    showVerdict(part("verdict"), null, null);
    say("");
    return;
  }
  if (draw(wanted)) return;
  const request = new AbortController();
  running = request;
  setBusy(true);
  const started = performance.now();
  try {
    const asking = [text.value, sessionStorage.getItem(KEY), request.signal];
    const judging = classified(...asking);
    const parses = await parse(...asking);
    const time = performance.now() - started;
    part("key-form").hidden = true;
    show(wanted, parses);
    say(summary(parses, null, time));
    const { classifier, verdict } = await judging; // the trees do not wait for it
    if (running !== request) return;
    showVerdict(part("verdict"), classifier, parses.length ? verdict : null, parses);
    if (verdict) say(summary(parses, verdict, time));
  } catch (error) {
    if (error.name !== "AbortError") refused(error, tries);
  } finally {
    if (running === request) {
      running = null;
      setBusy(false);
    }
  }
}

/** Draws a text that is brackets, or says what is wrong with them; returns whether it is some. */
function draw(wanted) {
  try {
    const parses = readBrackets(wanted);
    if (!parses) return false;
    show(wanted, parses);
    showVerdict(part("verdict"), null, null);
    say(`Drawn from the brackets: ${inTotal(parses)}.`);
  } catch (error) {
    if (!(error instanceof BracketError)) throw error;
    tell(error.message);
    markStale();
  }
  return true;
}

/** Takes back what is being asked, or waits to be asked; it may be asked for again. */
function stop() {
  clearTimeout(timer);
  timer = 0;
  if (retry) tell("");
  clearTimeout(retry);
  running?.abort();
  running = null;
  asked = null;
  retry = 0;
  setBusy(false);
}

function setBusy(now) {
  busy = now;
  for (const section of [trees, part("verdict")]) {
    if (busy) section.setAttribute("aria-busy", "true");
    else section.removeAttribute("aria-busy");
  }
  markStale();
}

/** Dims trees that are not of the text in the field, and says so. */
function markStale() {
  const stale = shown.parses.length > 0 && text.value.trim() !== shown.wanted;
  for (const section of [trees, part("verdict")]) section.classList.toggle("stale", stale);
  if (!stale) return;
  const what = shown.parses.length === 1 ? "The tree below is" : "The trees below are";
  say(`${what} of the text before this one${busy || timer ? "; the new one is on its way" : ""}.`);
}

/** The service's models; it is asked until it has answered. Throws a Refusal. */
function describe(key) {
  describing ??= findModels(key).then((found) => {
    showModels(part("models"), found);
    return found;
  }).catch((error) => {
    describing = null;
    throw error;
  });
  return describing;
}

/** The classifier, and what it says or why it says nothing; both null where there is none. Never throws. */
async function classified(wanted, key, signal) {
  let classifier = null;
  try {
    classifier = (await describe(key)).classifiers[0] ?? null;
    return { classifier, verdict: classifier && await classify(wanted, classifier, key, signal) };
  } catch (error) {
    return { classifier, verdict: classifier && error.name !== "AbortError" ? { error: error.message } : null };
  }
}

/** Shows the parses of a text, from the page on that was shown if that begins as before. */
function show(wanted, parses) {
  const { first } = shown;
  const stays = parses.length > first && nameOf(parses, first) === nameOf(shown.parses, first);
  shown = { wanted, parses, first: stays ? first : 0 };
  const names = new Set(parses.map((_, index) => nameOf(parses, index)));
  cards = new Map([...cards].filter(([name]) => names.has(name)));
  trees.classList.toggle("single", parses.length === 1 && parses[0].text === wanted);
  turn(shown.first);
  search.over(parses);
  markStale();
}

/** Marks on this page what the search has found. */
function markFound() {
  shown.parses.slice(shown.first, shown.first + A_PAGE).forEach((_, place) => {
    const index = shown.first + place;
    cards.get(nameOf(shown.parses, index))?.find(search.numbersOf(index));
  });
}

function nameOf(parses, index) {
  const { text: sentence, tree, error } = parses[index] ?? {};
  return JSON.stringify([index, sentence, tree, error]);
}

/** Shows the page that begins with this sentence. */
function turn(first) {
  const { parses } = shown;
  shown.first = first;
  const page = parses.slice(first, first + A_PAGE).map((one, place) => {
    const name = nameOf(parses, first + place);
    const made = cards.get(name) ?? card(one, say);
    cards.set(name, made);
    made.number.textContent = parses.length > 1 ? `${first + place + 1}` : "";
    return made;
  });
  trees.replaceChildren(...page);
  markFound();
  for (const nav of document.querySelectorAll(".pages")) {
    fillPages(nav, { first, count: parses.length, turn: turnTo });
  }
}

function turnTo(first) {
  turn(first);
  part("status").scrollIntoView();
}

function summary(parses, verdict, time) {
  if (!parses.length) return "There is no word in this text.";
  const said = inShort(verdict);
  return `${said && `${said}; `}${inTotal(parses)}, ${Math.round(time)} ms`;
}

function inTotal(parses) {
  const failed = parses.filter((one) => one.error !== null).length;
  const words = parses.reduce((sum, one) => sum + one.tokens.length, 0);
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const trouble = failed ? `, ${count(failed, "sentence")} without a tree` : "";
  return `${count(parses.length - failed, "tree")}${trouble}, ${count(words, "word")}`;
}

function refused(error, tries) {
  say("");
  setBusy(false);
  const again = button("Try again", () => ask({ force: true }));
  if (error.kind === "key") {
    part("key-form").hidden = false;
    if (error.message) tell(error.message);
    part("key").focus();
  } else if (error.kind === "busy" && tries < MOST_RETRIES) {
    countDown(error, Math.ceil(error.retryAfter), tries, again);
  } else {
    const known = error.kind ? error.message : `This page failed: ${error.message}.`;
    tell(error.requestId ? `${known} (request ${error.requestId})` : known, again);
    if (!error.kind) console.error(error);
  }
}

function countDown(error, seconds, tries, again) {
  if (seconds <= 0) {
    ask({ force: true, tries: tries + 1 });
    return;
  }
  tell(`${error.message} Trying again in ${seconds} s.`, again);
  retry = setTimeout(() => countDown(error, seconds - 1, tries, again), 1000);
}

/** Puts the text, and the pattern, into the address, behind #, which browsers do not send: no log holds it. */
function remember(wanted) {
  const held = new URLSearchParams(search.pattern ? { text: wanted, search: search.pattern } : { text: wanted });
  const address = `${location.pathname}${wanted ? `#${held}` : ""}`;
  const fits = address.length <= LINK_CHARACTERS;
  part("link").hidden = !wanted;
  part("link").disabled = !fits;
  part("link").title = fits ? "" : "This text is too long for a link";
  history.replaceState(null, "", fits ? address : location.pathname);
}

/** The text that the address holds, or the pattern, behind # or behind ?. */
function linked(name = "text") {
  const found = (from) => new URLSearchParams(from.slice(1)).get(name);
  return found(location.hash) ?? found(location.search) ?? "";
}

function grow() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
}

function set(value) {
  text.value = value;
  grow();
  ask();
}

text.addEventListener("input", () => {
  grow();
  if (text.value.trim() === asked) return; // shown, or on its way
  stop();
  if (text.value.length <= LIVE_CHARACTERS) timer = setTimeout(ask, PAUSE);
  markStale();
  if (!timer) say("This is a long text: press Parse when it is complete. Trees below are of the text before.");
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask({ force: true });
});
part("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask({ force: true });
});
part("link").addEventListener("click", async () => {
  await copy(location.href);
  say("The link is on the clipboard.");
});
part("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, part("key").value);
  part("key").value = "";
  ask({ force: true });
});
addEventListener("hashchange", () => linked() !== asked && set(linked()));
part("examples").append(...EXAMPLES.map((example) => html("li", {}, button(example, () => {
  history.pushState(null, "", location.href);
  set(example);
}))));
search.pattern = linked("search");
describe(sessionStorage.getItem(KEY)).catch(() => {}); // it is asked again with the first text
set(linked() || text.value); // a text may have been typed before this ran, or kept over a reload
if (!text.value && matchMedia("(hover: hover)").matches) text.focus();
