// The page: text in, trees out, the text in the address.

import { card } from "./card.js";
import { classify, findClassifier, parse } from "./client.js";
import { button, html } from "./html.js";
import { copy } from "./save.js";
import { inShort, showVerdict } from "./verdict.js";

const PAUSE = 350; // milliseconds without a key before the text is parsed
const LIVE_CHARACTERS = 2000; // longer texts wait for the button
const MOST_RETRIES = 5;
const LINK_CHARACTERS = 8000; // what mail programs and browsers carry whole
const KEY = "bnaparser-key";

const EXAMPLES = [
  "I saw the man with the telescope.",
  "Colorless green ideas sleep furiously.",
  "Which book did you say that she wanted to read?",
  "Time flies like an arrow; fruit flies like a banana.",
  "The linguist who taught us drew every tree.",
  "It rained all night. By morning the river had burst its banks.",
];

const part = (id) => document.getElementById(id);
const [text, status, notice, trees] = ["text", "status", "notice", "trees"].map(part);
const shown = new Map(); // cards by what they show, so that a tree that stays is not drawn again
let asked = null; // the text that was asked for last, unless it was taken back
let running = null; // its request
let timer = 0; // until a text that is typed is asked for
let retry = 0; // until one that was refused is asked for again
let classifier; // the service's; null where it has none, undefined until it is known

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
    show([]);
    showVerdict(part("verdict"), null, null);
    say("");
    return;
  }
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
    show(parses);
    say(summary(parses, null, time));
    const verdict = await judging; // the trees do not wait for it
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

/** Takes back what is being asked, or waits to be asked; it may be asked for again. */
function stop() {
  clearTimeout(timer);
  if (retry) tell("");
  clearTimeout(retry);
  running?.abort();
  running = null;
  asked = null;
  retry = 0;
  setBusy(false);
}

function setBusy(busy) {
  for (const section of [trees, part("verdict")]) {
    if (busy) section.setAttribute("aria-busy", "true");
    else section.removeAttribute("aria-busy");
  }
}

/** What the classifier says, or why it says nothing; null where there is none. Never throws. */
async function classified(wanted, key, signal) {
  try {
    if (classifier === undefined) classifier = await findClassifier(key, signal);
    return classifier && await classify(wanted, classifier, key, signal);
  } catch (error) {
    return classifier && error.name !== "AbortError" ? { error: error.message } : null;
  }
}

function show(parses) {
  const cards = parses.map((one, index) => {
    const name = JSON.stringify([index, one.text, one.tree, one.error]);
    return [name, shown.get(name) ?? card(one, say)];
  });
  shown.clear();
  cards.forEach(([name, made], index) => {
    shown.set(name, made);
    made.number.textContent = cards.length > 1 ? `${index + 1}` : "";
  });
  trees.classList.toggle("single", cards.length === 1 && parses[0].text === text.value.trim());
  trees.replaceChildren(...shown.values());
}

function summary(parses, verdict, time) {
  const failed = parses.filter((one) => one.error !== null).length;
  const words = parses.reduce((sum, one) => sum + one.tokens.length, 0);
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  if (!parses.length) return "There is no word in this text.";
  const trouble = failed ? `, ${count(failed, "sentence")} without a tree` : "";
  const said = inShort(verdict);
  return `${said && `${said}; `}${count(parses.length - failed, "tree")}${trouble}, ${count(words, "word")}, ${Math.round(time)} ms`;
}

function refused(error, tries) {
  say("");
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

/** Puts the text into the address, behind #, which browsers do not send: no log holds it. */
function remember(wanted) {
  const address = `${location.pathname}${wanted ? `#${new URLSearchParams({ text: wanted })}` : ""}`;
  const fits = address.length <= LINK_CHARACTERS;
  part("link").hidden = !wanted;
  part("link").disabled = !fits;
  part("link").title = fits ? "" : "This text is too long for a link";
  history.replaceState(null, "", fits ? address : location.pathname);
}

/** The text that the address holds, behind # or behind ?. */
function linked() {
  const found = (from) => new URLSearchParams(from.slice(1)).get("text");
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
  else say("This is a long text: press Parse when it is complete.");
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
set(linked() || text.value); // a text may have been typed before this ran, or kept over a reload
if (!text.value && matchMedia("(hover: hover)").matches) text.focus();
