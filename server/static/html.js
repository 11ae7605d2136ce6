// Making HTML elements.

/** Makes an element with these properties and children; `data-` and `aria-` are attributes. */
export function html(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-")) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** Makes a button that does something when it is pressed. */
export function button(label, onClick, properties = {}) {
  const made = html("button", { type: "button", textContent: label, ...properties });
  made.addEventListener("click", (event) => onClick(made, event));
  return made;
}
