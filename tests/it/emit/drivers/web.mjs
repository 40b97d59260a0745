// Runs pages with a small model of a browser.
import { readFileSync } from "node:fs";
import vm from "node:vm";
import assert from "node:assert/strict";

const TAGS = new Set("html head meta title style body header h1 h2 p button main section div svg g path rect text tspan title defs marker polygon polyline line circle ellipse aside noscript form dl dt dd ol ul li code details summary script desc a".split(" "));

class ClassList {
  names = new Set();
  add(name) { this.names.add(name); }
  toggle(name, on) { on ? this.names.add(name) : this.names.delete(name); }
  contains(name) { return this.names.has(name); }
}
class Element {
  constructor(tag, id = "") {
    Object.assign(this, { tag, id, children: [], dataset: {}, listeners: {}, classList: new ClassList(), textContent: "", hidden: false, disabled: false, checked: false, clientWidth: 800, clientHeight: 600 });
    this.attributes = {};
  }
  append(...parts) { this.children.push(...parts); }
  replaceChildren(...parts) { this.children = parts; }
  addEventListener(event, act) { this.listeners[event] = act; }
  setAttribute(name, value) { this.attributes[name] = value; if (name === "value") this.value = value; if (name === "type") this.type = value; }
  getAttribute(name) { return this.attributes[name]; }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  querySelectorAll() { return []; }
  getBoundingClientRect() { return { left: 0, top: 0, width: 800, height: 600 }; }
  getBBox() { return { x: 0, y: 0, width: 1, height: 1 }; }
  fire(event) { this.listeners[event]({ target: this, preventDefault() {} }); }
  get text() { return this.textContent + this.children.map((child) => (typeof child === "string" ? child : child.text)).join(""); }
}

function load(folder) {
  const html = readFileSync(`${folder}/index.html`, "utf8");
  for (const [, tag] of html.replace(/<style>.*?<\/style>/s, "").replace("<!doctype html>", "").matchAll(/<\/?([a-zA-Z!][a-zA-Z0-9]*)/g)) assert(TAGS.has(tag), `${folder}: <${tag}>`);
  const scripts = [...html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)];
  const data = scripts.find(([, attributes]) => attributes.includes("application/json"))[2];
  const sources = scripts.filter(([, attributes]) => attributes.includes("src=")).map(([, attributes]) => attributes.match(/src="([^"]*)"/)[1]);
  assert.equal(scripts.length, sources.length + 1, "there are no other scripts");
  const ids = new Map([...html.matchAll(/<(\w+)[^>]* id="([\w-]+)"/g)].map(([, tag, id]) => [id, new Element(tag, id)]));
  ids.get("data").textContent = data;
  const groups = (kind) => [...html.matchAll(new RegExp(`<g class="${kind}[^"]*"([^>]*)>`, "g"))].map(([, attributes]) => {
    const group = new Element("g");
    for (const [, key, value] of attributes.matchAll(/data-(\w+)="(\d+)"/g)) group.dataset[key] = value;
    return group;
  });
  const drawn = { ".state": groups("state"), ".edge": groups("edge") };
  let svg = null;
  if (html.includes("<svg")) {
    svg = new Element("svg");
    svg.setAttribute("viewBox", "0 0 100 100");
    svg.querySelectorAll = (selector) => drawn[selector] ?? drawn[".state"].filter((group) => group.classList.contains("here"));
  }
  const document = {
    getElementById: (id) => ids.get(id) ?? null,
    createElement: (tag) => new Element(tag),
    querySelector: () => svg,
    querySelectorAll: () => [],
    documentElement: new Element("html"),
    addEventListener() {},
  };
  const context = vm.createContext({ document, console, ResizeObserver: class { observe() {} }, matchMedia: () => ({ matches: false }) });
  for (const source of sources) vm.runInContext(readFileSync(`${folder}/${source}`, "utf8"), context, { filename: source });
  const { places = [] } = JSON.parse(data) ?? {};
  return { ids, drawn, svg, places, panel: vm.runInContext("panel", context) };
}

let seed = 1n;
const random = (below) => {
  seed = (seed * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((seed >> 33n) % BigInt(below));
};

async function play(folder) {
  const { ids, drawn, svg, places, panel } = load(folder);
  const $ = (id) => ids.get(id);
  const M = await import(`./${folder}/reference.mjs`);
  const controls = $("choices").children.map((row) => ({ input: row.children.find(({ tag }) => tag !== "label"), name: row.children.find(({ tag }) => tag === "label").text }));
  const kinds = [...panel.inputs, ...panel.methods.filter(({ kind }) => kind !== "text").flatMap((m) => (m.terms.length > 0 ? m.terms : [""]).map(() => m))];
  assert.equal(controls.length, kinds.length);
  const values = kinds.map(({ kind, values, name }) => ({ boolean: false, number: 0, enum: values[0], text: name })[kind]);
  // The environment of the reference: the same values.
  let calls = new Map();
  let fresh = 0;
  const env = {};
  for (const method of panel.methods) {
    env[method.ident] = (...args) => {
      if (method.kind === "text") {
        const text = `${method.name}(${args.map(String).join(", ")})`;
        return text.length <= 300 ? text : `${method.name}(…)#${(fresh += 1)}`;
      }
      const own = kinds.flatMap((kind, i) => (kind === method ? [i] : []));
      const call = calls.get(method) ?? 0;
      calls.set(method, call + 1);
      return values[own[Math.min(call, own.length - 1)]];
    };
  }
  let letter = null;
  const cells = Object.fromEntries(panel.cells.filter(({ initial }) => initial !== undefined).map(({ ident, initial }) => [ident, initial]));
  const create = () => new M.Controller({ env, cells, options: { trace: (written) => (letter = written) } });
  let reference = create();
  let taken = 0;
  let steps = 0;
  const saved = [];
  for (let round = 0; round < 150; round += 1) {
    controls.forEach(({ input }, i) => {
      const { kind, values: choices } = kinds[i];
      if (kind === "boolean") { input.checked = random(2) === 1; values[i] = input.checked; }
      else if (kind === "number") { values[i] = random(9) - 2; input.value = String(values[i]); }
      else if (kind === "enum") { const at = random(choices.length); input.value = String(at); values[i] = choices[at]; }
      else { values[i] = `v${random(3)}`; input.value = values[i]; }
      input.fire("change");
    });
    const before = reference.save();
    let result = null;
    let trouble = null;
    calls = new Map();
    letter = null;
    try { result = reference.step(Object.fromEntries(panel.inputs.map(({ ident }, i) => [ident, values[i]]))); } catch (error) { trouble = error; }
    $("step").fire("click");
    const where = `${folder}, round ${round}`;
    if (trouble === null) { steps += 1; saved.push(before); }
    assert.equal($("now").dataset.state, reference.state, where);
    assert($("now").textContent.startsWith(`Step ${steps}, in state `), where);
    assert.equal(!$("end").hidden, trouble !== null || result.broken !== undefined, `${where}: ${$("end").textContent}`);
    if (trouble !== null) assert($("end").textContent.includes(trouble.message), where);
    const shown = $("cells").children.filter(({ tag }) => tag === "dd").map(({ text }) => text);
    const short = (text) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
    assert.deepEqual(shown, Array.from(panel.cells, ({ ident }) => short(String(reference.cells[ident]))), where);
    if (result !== null) {
      const lit = $("outputs").children.filter(({ tag }) => tag === "dd").map(({ text }) => text);
      assert.deepEqual(lit, Array.from(panel.outputs, ({ ident }) => String(result.updates[ident])), where);
    }
    // Each switch of a predicate sets that predicate.
    if (letter !== null) {
      kinds.forEach((kind, i) => {
        if (kind.terms !== undefined && Object.hasOwn(letter, controls[i].name)) assert.equal(letter[controls[i].name], values[i], `${where}: ${controls[i].name}`);
      });
    }
    if (svg) {
      const here = drawn[".state"].filter((group) => group.classList.contains("here"));
      assert.equal(here.length, 1, `${where}: the present state is drawn`);
      // A drawing by values shows what behaves alike as one state.
      if (places.length === 0) assert.equal(panel.states[Number(here[0].dataset.state)], reference.state, where);
      taken += drawn[".edge"].filter((group) => group.classList.contains("taken")).length > 0 ? 1 : 0;
    }
    if (random(10) === 0 && saved.length > 0) {
      $("undo").fire("click");
      steps -= 1;
      reference = M.Controller.restore(saved.pop(), ...(panel.methods.length > 0 ? [env] : []), { trace: (written) => (letter = written) });
      assert.equal($("now").dataset.state, reference.state, where);
    }
    if (random(40) === 0) {
      $("reset").fire("click");
      reference = create();
      steps = 0;
      saved.length = 0;
    }
  }
  if (svg) assert(taken > 0, `${folder}: no edge was drawn as taken`);
}

const folders = readFileSync("index.txt", "utf8").trim().split("\n");
for (const folder of folders) await play(folder);
console.log(`${folders.length} pages`);
