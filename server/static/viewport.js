// The window on a drawing: it scrolls, and zooms by buttons, keys, Ctrl and wheel, or two fingers.

const [LEAST, MOST] = [0.1, 4];
const ALL = "all";
const READABLE = 0.62; // a drawing is not made smaller than this on its own; it scrolls instead

/** A scrolling element around a drawing; `onZoom(scale)` is called at each change. */
export class Viewport {
  constructor(drawing, onZoom) {
    this.drawing = drawing;
    this.onZoom = onZoom;
    this.chosen = null; // the scale that the user chose; ALL: as fits; null: as fits and is readable
    this.opened = false; // whether it was seen since it came onto the page
    this.element = document.createElement("div");
    this.element.className = "viewport";
    this.element.append(drawing.svg);
    new ResizeObserver(() => this.apply()).observe(this.element);
    this.listen();
  }

  get scale() {
    if (this.chosen === ALL) return this.fitting();
    return this.chosen ?? Math.max(this.fitting(), READABLE);
  }

  /** The scale at which all of the drawing is seen; larger than 1 only on a full screen. */
  fitting() {
    const { clientWidth, clientHeight } = this.element;
    const full = this.element.closest(":fullscreen");
    const wide = (clientWidth || 1) / this.drawing.width;
    return full ? Math.min(wide, clientHeight / this.drawing.height, 3) : Math.min(wide, 1);
  }

  apply() {
    const { svg, width, height } = this.drawing;
    svg.style.width = `${width * this.scale}px`;
    svg.style.height = `${height * this.scale}px`;
    this.onZoom?.(this.scale);
    if (!this.element.clientWidth) this.opened = false; // taken off the page, it forgets how far it is scrolled
    else if (!this.opened) this.open();
  }

  /** Begins at the root, which stands in the middle of what may be wider than the window. */
  open() {
    this.opened = true;
    this.element.scrollLeft = this.drawing.rootX * this.scale - this.element.clientWidth / 2;
  }

  /** Sets the scale, or null or ALL, and keeps the point (x, y) of the window still. */
  zoom(scale, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2) {
    const { element } = this;
    const before = this.scale;
    const [left, top] = [element.scrollLeft + x, element.scrollTop + y];
    this.chosen = typeof scale === "number" ? Math.min(MOST, Math.max(LEAST, scale)) : scale;
    this.apply();
    element.scrollLeft = (left * this.scale) / before - x;
    element.scrollTop = (top * this.scale) / before - y;
  }

  /** Shows all of the drawing, however small; a second time, as it was at first. */
  fit() {
    this.zoom(this.chosen === ALL ? null : ALL);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") this.zoom(this.scale * 1.25);
    else if (event.key === "-") this.zoom(this.scale / 1.25);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  listen() {
    const { element } = this;
    const at = (event) => {
      const { left, top } = element.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top];
    };
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(this.scale * Math.exp(-event.deltaY / 300), ...at(event));
    }, { passive: false });
    this.drag(element);
    this.pinch(element);
  }

  /** Lets a mouse move the drawing; fingers scroll it as they do everything. */
  drag(element) {
    let last = null;
    element.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button || event.target.closest(".node")) return;
      last = [event.clientX, event.clientY];
      element.setPointerCapture(event.pointerId);
      element.classList.add("dragged");
    });
    element.addEventListener("pointermove", (event) => {
      if (!last) return;
      element.scrollBy(last[0] - event.clientX, last[1] - event.clientY);
      last = [event.clientX, event.clientY];
    });
    const end = () => {
      last = null;
      element.classList.remove("dragged");
    };
    element.addEventListener("pointerup", end);
    element.addEventListener("pointercancel", end);
  }

  pinch(element) {
    let start = null;
    const distance = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    element.addEventListener("touchstart", ({ touches }) => {
      start = touches.length === 2 ? { distance: distance(touches), scale: this.scale } : null;
    }, { passive: true });
    element.addEventListener("touchmove", (event) => {
      if (!start || event.touches.length !== 2) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const [a, b] = event.touches;
      const [x, y] = [(a.clientX + b.clientX) / 2 - left, (a.clientY + b.clientY) / 2 - top];
      this.zoom((start.scale * distance(event.touches)) / start.distance, x, y);
    }, { passive: false });
  }
}
