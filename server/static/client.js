// Asking the service for trees, and saying in plain words why there are none.

/** Why the service gave no trees. `kind` is gone, busy, key, or refused. */
export class Refusal extends Error {
  constructor(kind, message, { retryAfter = null, requestId = null } = {}) {
    super(message);
    Object.assign(this, { kind, retryAfter, requestId });
  }
}

/** The parses of a text, one a sentence, as the service's JSON form has them. Throws a Refusal. */
export async function parse(text, key, signal) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  if (key) headers.Authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch("v1/parse", {
      method: "POST", headers, signal, body: JSON.stringify({ text: wellFormed(text), format: "json" }),
    });
    if (response.ok) return (await response.json()).parses;
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
      return new Refusal("key", key ? "This key was not accepted." : "");
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

/** A text as a sentence: a capital first, a full stop last. */
function sentence(text) {
  if (!text) return "";
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

/** The text without NUL and half surrogate pairs, which the service refuses. */
function wellFormed(text) {
  return text.replace(/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
