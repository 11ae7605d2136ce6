// The state of the page in its address, after #, which browsers do not send: no log has it.

const LINK_CHARACTERS = 8000; // what mail programs and browsers carry whole
const KEPT_CHARACTERS = 1e6; // of a longer text, what the browser's history keeps

/** Puts the text and the rest of the state into the address; returns whether they fit. */
export function hold({ text, ...rest }) {
  const held = new URLSearchParams({ text });
  for (const [name, value] of Object.entries(rest)) if (value) held.set(name, value);
  const address = `${location.pathname}${text ? `#${held}` : ""}`;
  const fits = address.length <= LINK_CHARACTERS;
  const kept = fits || text.length > KEPT_CHARACTERS ? null : { held: `${held}` };
  history.replaceState(kept, "", fits ? address : location.pathname);
  return fits;
}

/** The text that the address holds, or another part of the state, after # or ?; or that was too long for it. */
export function linked(name = "text") {
  const found = (from) => new URLSearchParams(from).get(name);
  return found(history.state?.held ?? "") ?? found(location.hash.slice(1)) ?? found(location.search.slice(1)) ?? "";
}
