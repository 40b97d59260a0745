// Code of all pages: elements, the visible part of the drawing, and the theme.

const $ = (id) => document.getElementById(id);

// An element with properties and children; texts are never parsed as HTML.
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") made.className = value;
    else if (key === "on") Object.entries(value).forEach(([event, act]) => made.addEventListener(event, act));
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A text whose parts between backticks are code.
const coded = (text) => text.split("`").map((part, i) => (i % 2 === 1 ? element("code", {}, part) : part));

// The number of the drawing that is shown, and the function that handles a click on a part of it.
let shown = 0;
let clicked = () => {};

function say(text) {
  $("status").textContent = text;
}

// The drawing.

const drawing = () => document.querySelector(`#drawing-${shown} svg`);

// The visible part of each drawing.
const views = new Map();

function view() {
  const svg = drawing();
  if (!svg) return null;
  if (!views.has(shown)) {
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    views.set(shown, { width, height, x: 0, y: 0, scale: 0 });
  }
  const found = views.get(shown);
  if (found.scale === 0) fit(found);
  return found;
}

function fit(found) {
  const { clientWidth, clientHeight } = $(`drawing-${shown}`);
  found.isMoved = false;
  found.scale = Math.min(1.5, Math.max(clientWidth / found.width, 0.55), Math.max(clientHeight / found.height, 0.4)) || 1;
  const whole = found.width * found.scale <= clientWidth;
  found.x = whole ? (found.width - clientWidth / found.scale) / 2 : 0;
  found.y = (found.height - clientHeight / found.scale) / 2;
  if (found.height * found.scale > clientHeight) found.y = 0;
}

function look() {
  const found = view();
  if (!found) return;
  const svg = drawing();
  const { clientWidth, clientHeight } = $(`drawing-${shown}`);
  if (clientWidth === 0) return;
  const { x, y, scale } = found;
  svg.setAttribute("width", clientWidth);
  svg.setAttribute("height", clientHeight);
  svg.setAttribute("viewBox", `${x} ${y} ${clientWidth / scale} ${clientHeight / scale}`);
}

function zoom(factor, at) {
  const found = view();
  if (!found) return;
  const box = $(`drawing-${shown}`).getBoundingClientRect();
  const [px, py] = at ? [at.clientX - box.left, at.clientY - box.top] : [box.width / 2, box.height / 2];
  const scale = Math.min(6, Math.max(0.05, found.scale * factor));
  found.x += px / found.scale - px / scale;
  found.y += py / found.scale - py / scale;
  found.scale = scale;
  found.isMoved = true;
  look();
}

function pan(dx, dy) {
  const found = view();
  if (!found) return;
  found.x -= dx / found.scale;
  found.y -= dy / found.scale;
  found.isMoved = true;
  look();
}

// Moves the view so that a part of the drawing is visible.
function reveal(group) {
  const found = view();
  if (!found || !group) return;
  const { clientWidth, clientHeight } = $(`drawing-${shown}`);
  // A hidden drawing has no size.
  if (clientWidth === 0) return;
  const box = group.getBBox();
  const [wide, high] = [clientWidth / found.scale, clientHeight / found.scale];
  if (box.x < found.x || box.x + box.width > found.x + wide) found.x = box.x + box.width / 2 - wide / 2;
  if (box.y < found.y || box.y + box.height > found.y + high) found.y = box.y + box.height / 2 - high / 2;
  look();
}

const theme = () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
};

let grabbed = null;
$("canvas").addEventListener("pointerdown", (event) => {
  if (event.button === 0 && !event.target.closest("button")) grabbed = { x: event.clientX, y: event.clientY, moved: false, id: event.pointerId };
});
$("canvas").addEventListener("pointermove", (event) => {
  if (!grabbed || grabbed.id !== event.pointerId) return;
  const [dx, dy] = [event.clientX - grabbed.x, event.clientY - grabbed.y];
  if (!grabbed.moved && Math.hypot(dx, dy) < 4) return;
  if (!grabbed.moved) $("canvas").setPointerCapture(event.pointerId);
  pan(dx, dy);
  grabbed = { ...grabbed, x: event.clientX, y: event.clientY, moved: true };
});
$("canvas").addEventListener("pointerup", (event) => {
  const moved = grabbed?.moved;
  grabbed = null;
  if (moved) return;
  const group = event.target.closest?.(".edge[data-from], .state");
  if (!group) return;
  clicked(group);
});
$("canvas").addEventListener("pointercancel", () => (grabbed = null));
$("canvas").addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * 0.002), event);
}, { passive: false });
// A drawing that the user did not move is fitted again when the canvas changes its size.
new ResizeObserver(() => {
  if ($("canvas").clientWidth === 0) return;
  const found = views.get(shown);
  if (found && !found.isMoved) {
    fit(found);
    reveal(drawing()?.querySelector(".state.here"));
  }
  look();
}).observe($("canvas"));
