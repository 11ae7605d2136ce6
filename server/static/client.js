// Asking the service, and saying in plain words why there is no answer.

const UNSENT = /[^ -~\xa0-\xff]/; // such a character no header carries, and no key holds

/** Why the service gave no answer. `kind` is gone, busy, key, or refused. */
export class Refusal extends Error {
  constructor(kind, message, { retryAfter = null, requestId = null } = {}) {
    super(message);
    Object.assign(this, { kind, retryAfter, requestId });
  }
}

/**
 * The parses of a text, one a sentence, as the service's JSON form has them, with probabilities; `markup`:
 * the text holds some; `language`: what all of it is in, "" to guess. Throws a Refusal.
 */
export async function parse({ text, markup, language }, key, signal) {
  const known = { ...(markup && { markup }), ...(language && { language }) };
  const body = { text: wellFormed(text), format: "json", probabilities: true, ...known };
  return (await ask("v1/parse", key, signal, body)).parses;
}

/**
 * The `most` best trees of a text with markup that is one sentence, in a language or in what the service takes it
 * for, each as a parse of its own. Throws an Error.
 */
export async function bestTrees(text, language, most, key) {
  const asked = { split: "line", n_best: most, probabilities: true, ...(language && { language }) };
  const body = { text: wellFormed(text), markup: true, ...asked };
  const [{ alternatives = [], ...best }] = (await ask("v1/parse", key, undefined, body)).parses;
  if (best.error !== null) throw new Error(`${best.error}.`);
  return [best, ...alternatives.map((one) => ({ ...best, ...one }))];
}

/** The service's models as `v1/models` describes them: { models, classifiers }. Throws a Refusal. */
export async function findModels(key) {
  return ask("v1/models", key);
}

/** What the classifier says of a text; a pair stands on two lines. Throws a Refusal. */
export async function classify(text, classifier, key, signal) {
  const lines = wellFormed(text).trim().split(/\s*\n\s*/);
  if (classifier.pairs && lines.length !== 2) {
    return { error: "This model reads two texts, such as a question and a passage: write each on a line of its own." };
  }
  const body = { text: classifier.pairs ? lines : wellFormed(text) };
  return (await ask("v1/classify", key, signal, body)).answers[0];
}

/** What a pattern finds in bracketed trees: { count, hits, trees, error, column }. Throws a Refusal. */
export async function search(pattern, trees, key, signal) {
  return ask("v1/search", key, signal, { pattern: wellFormed(pattern), trees });
}

/** The JSON that the service answers, to GET, or to POST where there is a body. */
async function ask(path, key, signal, body) {
  if (key && UNSENT.test(key)) throw notAccepted();
  const headers = { Accept: "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  const sent = body && { method: "POST", body: JSON.stringify(body) };
  if (body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { headers, signal, ...sent });
    if (response.ok) return await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("gone", response
      ? "The service's answer was cut off."
      : "The service cannot be reached. Your text is kept; is the service still running?");
  }
  throw await refusal(response, key);
}

async function refusal(response, key) {
  const problem = await response.json().catch(() => ({}));
  const requestId = problem.request_id ?? response.headers.get("X-Request-ID");
  const detail = sentence(problem.detail);
  const wait = Number(response.headers.get("Retry-After"));
  switch (response.status) {
    case 401:
      return key ? notAccepted() : new Refusal("key", "");
    case 413:
      return new Refusal("refused", `The text is too long. ${detail}`, { requestId });
    case 502:
    case 503:
      return new Refusal("busy", "The service is busy.", { retryAfter: wait || 2, requestId });
    case 504:
      return new Refusal("refused", `This took too long. ${detail}`, { requestId });
    default:
      return new Refusal("refused", [sentence(problem.title ?? `The service failed (${response.status})`), detail].join(" "), { requestId });
  }
}

function notAccepted() {
  return new Refusal("key", "This key was not accepted.");
}

/** A text as a sentence: a capital first, a full stop last. */
function sentence(text) {
  if (!text) return "";
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/** The text without half surrogate pairs, which the service refuses. */
function wellFormed(text) {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
