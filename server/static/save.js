// Taking a tree along: onto the clipboard, as a file: SVG, PNG, LaTeX, JSON.

import { element } from "./svg.js";

const PNG_SCALE = 2; // pixels of the picture for one of the drawing
const [MOST_SIDE, MOST_AREA] = [16_000, 16_000_000]; // what every browser's canvas can hold

/** Puts text onto the clipboard; also where the page came by plain HTTP. */
export async function copy(text) {
  if (navigator.clipboard && isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("the browser does not let this page copy");
}

/** The drawing as a document of its own, on white, without what only this page needs. */
export function svgSource({ svg, width, height }, title, bracket) {
  const copied = svg.cloneNode(true);
  copied.querySelector(".mark").remove();
  for (const each of [copied, ...copied.querySelectorAll("*")]) {
    for (const name of ["class", "style", "tabindex", "role", "aria-label", "aria-expanded", "data-family"]) {
      each.removeAttribute(name);
    }
  }
  copied.setAttribute("role", "img");
  copied.setAttribute("width", width);
  copied.setAttribute("height", height);
  const [name, description] = [element("title"), element("desc")];
  name.textContent = title;
  description.textContent = bracket;
  copied.prepend(name, description, element("rect", { width, height, fill: "#ffffff" }));
  return cleaned(new XMLSerializer().serializeToString(copied));
}

/** Text with each character that XML forbids replaced by a visible one. */
function cleaned(text) {
  return text
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/** Saves an SVG document. */
export function saveSvg(source, name) {
  download(new Blob([source], { type: "image/svg+xml" }), `${name}.svg`);
}

/** Saves an SVG document as a picture; returns pixels for one of the drawing, less if it is huge. */
export async function savePng(source, { width, height }, name) {
  const area = Math.sqrt(MOST_AREA / (width * height));
  const scale = Math.min(PNG_SCALE, area, MOST_SIDE / width, MOST_SIDE / height);
  const address = URL.createObjectURL(new Blob([source], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("the picture is too large for this browser: save it as SVG");
    download(blob, `${name}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
  return scale;
}

/** Saves a tree for LaTeX. */
export function saveLatex(source, name) {
  download(new Blob([source], { type: "text/x-tex" }), `${name}.tex`);
}

/** Saves a parse in the form in which the service answers it. */
export function saveJson(parse, name) {
  download(new Blob([`${JSON.stringify(parse, null, 2)}\n`], { type: "application/json" }), `${name}.json`);
}

/** A file name for a sentence: its first words. */
export function fileName(sentence) {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return `tree-${words.slice(0, 6).join("-").slice(0, 60)}`.replace(/-$/, "");
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
