// The page: text in, trees out, the text in the address.

import { hold, linked } from "./address.js";
import { BracketError, readBrackets } from "./brackets.js";
import { card } from "./card.js";
import { classify, findModels, parse } from "./client.js";
import { examplesIn } from "./examples.js";
import { button, html } from "./html.js";
import { choose, offerLanguages } from "./languages.js";
import { plain } from "./markup.js";
import { showModels } from "./models.js";
import { A_PAGE, fillPages, pageOf, putCards } from "./pages.js";
import { copy } from "./save.js";
import { Search } from "./search.js";
import { namesOf, Source } from "./source.js";
import { orderOf, percentage } from "./probability.js";
import { trying } from "./taking.js";
import { inShort, showVerdict } from "./verdict.js";

const PAUSE = 350; // milliseconds without a key before the text is parsed
const LIVE_CHARACTERS = 2000; // longer texts wait for the button
const MOST_RETRIES = 5;
const MOST_TREES = 5; // of a sentence, to step through
const KEY = "bnaparser-key";

const part = (id) => document.getElementById(id);
const [text, status, notice, trees] = ["text", "status", "notice", "trees"].map(part);
const [markup, language, leastConfident] = ["markup", "language", "least-confident"].map(part);
// The text that the trees are of, the names of their cards, their order, the first place on this page, and the text
// as it was sent: null where trees were drawn from brackets.
let shown = { wanted: "", parses: [], names: [], order: [], first: 0, source: null };
let cards = new Map(); // by their names, so that a tree that stays is not drawn again
let asked = null; // the text of the last request, unless it was cancelled
let running = null; // its request
let timer = 0; // until a typed text is requested
let retry = 0; // until a refused request is repeated
let describing = null; // the service's models, or the request for them
let busy = false;
const search = new Search(part("search"), {
  key: () => sessionStorage.getItem(KEY),
  onFound: markFound,
  onPattern: remember,
  onKey: () => (part("key-form").hidden = false),
  onJump: (index, number) => {
    const page = pageOf(shown.order.indexOf(index), shown.parses.length);
    if (page !== shown.first) turn(page);
    cardOf(index)?.showNumber(number);
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
  remember();
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
    const source = new Source(text.value, markup.checked, language.value);
    const asking = [sessionStorage.getItem(KEY), request.signal];
    const judging = classified(source.markup ? plain(source.text) : source.text, ...asking);
    const parses = await parse(source, ...asking);
    const time = performance.now() - started;
    part("key-form").hidden = true;
    show(wanted, parses, source);
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

/** Cancels the current or waiting request; it may be repeated. */
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

/** Offers texts to try in the languages of these codes. */
function offerExamples(codes) {
  part("examples").replaceChildren(...examplesIn(codes).map(([lang, example]) => html("li", { lang }, button(example, () => {
    remember(); // a text that was not requested yet
    history.pushState(null, "", location.href);
    set(example, false);
  }))));
}

/** The service's models; the request is repeated until it is answered. Throws a Refusal. */
function describe(key) {
  describing ??= findModels(key).then((found) => {
    showModels(part("models"), found);
    offerLanguages(language, found.models);
    offerExamples([...new Set(found.models.flatMap(({ languages }) => languages))]);
    const labels = new Set(found.models.flatMap((one) => one.labels.flatMap((label) => label.split("::"))));
    part("labels").replaceChildren(...[...labels].filter(Boolean).sort().map((value) => html("option", { value })));
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
function show(wanted, parses, source = null) {
  const { first, ...before } = shown;
  const order = orderOf(parses, leastConfidentFirst());
  const stays = parses.length > first && parses[order[first]].text === before.parses[before.order[first]]?.text;
  const names = namesOf(parses, source);
  shown = { wanted, parses, names, order, first: stays ? first : 0, source };
  const kept = new Set(names);
  cards = new Map([...cards].filter(([name]) => kept.has(name)));
  trees.classList.toggle("single", parses.length === 1 && parses[0].text === wanted);
  leastConfident.hidden = parses.length < 2 || !parses.some((one) => typeof one.confidence === "number");
  searchShown(); // what was found before is not in these
  turn(shown.first);
  markStale();
}

/** Searches the trees that are shown: of each sentence the best one, or the one that was stepped to. */
function searchShown() {
  search.over(shown.parses.map((one, index) => cardOf(index)?.shown ?? one));
}

/** The indices of the sentences on the page that begins with this place. */
function onPage(first) {
  return shown.order.slice(first, first + A_PAGE);
}

/** Marks on this page what the search has found. */
function markFound() {
  for (const index of onPage(shown.first)) cardOf(index)?.find(search.numbersOf(index));
}

/** The card of the sentence of this index, where it is made. */
function cardOf(index) {
  return cards.get(shown.names[index]);
}

/** What can be done with the sentence of this index. */
function actsOn(index) {
  const acts = { say, onShow: searchShown };
  if (!shown.source) return acts;
  return { ...acts, trees: () => otherTrees(index), write: (...said) => write(index, ...said) };
}

async function otherTrees(index) {
  const key = sessionStorage.getItem(KEY);
  const most = Math.min(MOST_TREES, (await describe(key)).models[0].limits.n_best);
  return shown.source.bestTrees(shown.parses[index], most, key);
}

/** Writes into the text what is known of words of a sentence, and parses it again. Throws an Error. */
function write(index, known, start, end) {
  if (text.value.trimEnd() !== shown.source?.text.trimEnd()) throw new Error("The text has changed: parse it first.");
  const written = shown.source.saying(known, shown.parses[index], start, end);
  history.pushState(null, "", location.href);
  set(written, true).then(() => {
    if (document.activeElement === document.body) cardOf(index)?.focus({ preventScroll: true });
  });
}

/** Shows the page that begins with this sentence. */
function turn(first) {
  const { parses } = shown;
  shown.first = first;
  const page = onPage(first).map((index) => {
    const made = cardOf(index) ?? card(parses[index], actsOn(index));
    cards.set(shown.names[index], made);
    made.now = parses[index];
    made.number.textContent = parses.length > 1 ? `${index + 1}` : "";
    return made;
  });
  putCards(trees, page);
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
  return `${said && `${said}; `}${inTotal(parses)}${lowestConfidence(parses)}, ${Math.round(time)} ms`;
}

/** Return the confidence of the sentence, or the sentence with the lowest one. */
function lowestConfidence(parses) {
  const [least] = orderOf(parses, true).filter((index) => typeof parses[index].confidence === "number");
  if (least === undefined) return "";
  const confidence = percentage(parses[least].confidence);
  return parses.length > 1 ? `, lowest confidence: sentence ${least + 1} (${confidence})` : `, confidence ${confidence}`;
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

/** Puts the text of the field into the address, and the rest of the state. */
function remember() {
  const wanted = text.value.trim();
  const [marked, first] = [markup.checked ? "1" : "", leastConfidentFirst() ? "least-confident" : ""];
  const fits = hold({ text: wanted, search: search.pattern, markup: marked, language: language.value, first });
  part("link").hidden = !wanted;
  part("link").disabled = !fits;
  part("link").title = fits ? "" : "This text is too long for a link";
}

/** Say whether the sentences are ordered by confidence, not as in the text. */
function leastConfidentFirst() {
  return leastConfident.getAttribute("aria-pressed") === "true";
}

/** Order the sentences by confidence, or as in the text, and show the first page of them. */
function putInOrder(byConfidence) {
  leastConfident.setAttribute("aria-pressed", String(byConfidence));
  shown.order = orderOf(shown.parses, byConfidence);
  turn(0);
}

function grow() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
}

function set(value, marked) {
  text.value = value;
  markup.checked = marked;
  part("markup-help").hidden = !marked;
  grow();
  return ask({ force: true });
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
part("link").addEventListener("click", trying(say, async () => {
  await copy(location.href);
  return "The link is on the clipboard.";
}));
part("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEY, part("key").value);
  part("key").value = "";
  ask({ force: true });
});
markup.addEventListener("change", () => set(text.value, markup.checked));
language.addEventListener("change", () => ask({ force: true }));
leastConfident.addEventListener("click", () => {
  putInOrder(!leastConfidentFirst());
  remember();
});
addEventListener("popstate", () => { // back, forward, or another address after #
  const [marked, byConfidence] = [Boolean(linked("markup")), linked("first") === "least-confident"];
  search.pattern = linked("search");
  if (byConfidence !== leastConfidentFirst()) putInOrder(byConfidence);
  if (linked() === asked && marked === markup.checked && linked("language") === language.value) return;
  choose(language, linked("language"));
  set(linked(), marked);
});
offerExamples([]);
search.pattern = linked("search");
choose(language, linked("language"));
describe(sessionStorage.getItem(KEY)).catch(() => {}); // the request is repeated with the first text
putInOrder(linked("first") === "least-confident");
set(linked() || text.value, Boolean(linked("markup"))); // a text may have been typed before this ran, or kept over a reload
if (!text.value && matchMedia("(hover: hover)").matches) text.focus();
