// The playground: the text, its verdict while it is edited, and the panels.

import gallery from "gallery";
import { byId, copied, h, prose, seen } from "./dom.js";
import { Editor } from "./editor.js";
import { Engine, Stopped, compiled } from "./engine.js";
import { packed, unpacked } from "./link.js";
import { Panels } from "./panels.js";
import { repairItem } from "./repairs.js";
import { core } from "./tables.js";

/** A check begins when nothing was typed for so many milliseconds. */
const PAUSE = 60;
/** Work that takes longer, in milliseconds, is shown as going on. */
const LONG = 250;
const FIRST = "machines/toggle.tsl";

const SAID = {
  REALIZABLE: ["✓", "there is a controller"],
  UNREALIZABLE: ["✗", "there is no controller"],
  UNKNOWN: ["?", "no answer within the limits"],
  ERROR: ["!", "the text has errors"],
};

let judge = null;
let maker = null;
let panels = null;
/** Changes with every text and name; answers for earlier ones are not shown. */
let generation = 0;
let typed = 0;
let pause = 0;
let ticking = 0;
/** The example that is shown unchanged. */
let example = null;

const editor = new Editor(byId("editor"), { changed, now: () => checkNow() });

const name = () => `${byId("name").value.trim().replaceAll(/[/\\]/g, "_") || "spec"}${byId("ending").value}`;

function rename(full) {
  const found = /^(.*?)(\.tsl|\.tlsf|\.ltl)$/.exec(full);
  byId("name").value = (found ? found[1] : full).slice(0, 80) || "spec";
  byId("ending").value = found ? found[2] : ".tsl";
  editor.ending = byId("ending").value.slice(1);
}

const spec = () => ({ texts: [{ name: name(), text: editor.text }] });

let saying = 0;

/** Shows a message for a few seconds. */
function say(text) {
  byId("said").replaceChildren(h("span", {}, text));
  clearTimeout(saying);
  saying = setTimeout(() => byId("said").replaceChildren(), 6000);
}

// ---- checking

function changed() {
  generation += 1;
  typed = performance.now();
  if (editor.text !== (example?.text ?? "")) {
    example = null;
    byId("gallery").value = "own";
  }
  if (judge === null) return;
  judge.stop();
  maker.stop();
  clearTimeout(pause);
  pause = setTimeout(check, PAUSE);
}

function checkNow() {
  if (judge === null) return;
  generation += 1;
  typed = performance.now();
  judge.stop();
  maker.stop();
  clearTimeout(pause);
  check();
}

/** Shows that work is going on, once it takes long. */
function tick(begun, mine) {
  clearInterval(ticking);
  ticking = setInterval(() => {
    if (mine !== generation || !judge.busy) return clearInterval(ticking);
    const seconds = (performance.now() - begun) / 1000;
    if (seconds * 1000 < LONG) return;
    const clock = byId("verdict").querySelector(".clock");
    if (clock) clock.textContent = `${Math.floor(seconds)} s`;
    else {
      verdict("busy", "…", "Checking", h("span", { class: "clock", "aria-hidden": "true" }, `${Math.floor(seconds)} s`));
      byId("told").replaceChildren();
      editor.mark([]);
      panels.nothing("There is no verdict yet.");
    }
  }, LONG);
}

function verdict(kind, sign, word, ...rest) {
  const line = byId("verdict");
  line.dataset.verdict = kind;
  line.replaceChildren(h("span", { class: "sign", "aria-hidden": "true" }, sign), h("strong", {}, word), ...rest);
}

async function check() {
  const mine = generation;
  const asked = spec();
  remember(mine);
  if (asked.texts[0].text.trim() === "") {
    verdict("none", "·", "Empty", h("span", {}, "Write a specification, or choose an example."));
    byId("told").replaceChildren();
    editor.mark([]);
    panels.nothing("There is no specification yet.");
    return;
  }
  const begun = performance.now();
  tick(begun, mine);
  let again = null;
  try {
    const first = await judge.ask({ ask: "check", spec: asked, hints: "none" });
    if (mine !== generation) return;
    clearInterval(ticking);
    const now = performance.now();
    const { verdict: found } = first.results?.[0] ?? {};
    const decided = found === "REALIZABLE" || found === "UNREALIZABLE";
    const time = { own: now - begun, all: now - typed };
    show(first, asked, time, !decided);
    if (!decided) return;
    again = () => show(first, asked, time, true);
    const more = await judge.ask({ ask: "check", spec: asked });
    if (mine === generation) show(more.error === undefined ? more : first, asked, time, true);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    if (mine !== generation) return;
    if (again !== null) {
      // The verdict stays; only its explanation is missing.
      again();
      return;
    }
    verdict("stopped", "■", "Stopped", h("span", {}, "Change the text, or check again."));
    panels.nothing("The check was stopped.");
  } finally {
    if (mine === generation) clearInterval(ticking);
  }
}

/** Converts byte offsets in a text to offsets of the editor, in UTF-16 code units. */
function units(text) {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return (byte) => decoder.decode(bytes.subarray(0, byte)).length;
}

/** Shows an answer; `last` if no further question about the text follows. */
function show(answer, asked, time, last) {
  const result = answer.results?.[0];
  const line = byId("verdict");
  line.dataset.generation = String(generation);
  line.dataset.milliseconds = String(Math.round(time.all));
  line.dataset.complete = String(last);
  if (result === undefined) {
    verdict("UNKNOWN", "?", "UNKNOWN", h("span", {}, answer.error));
    byId("told").replaceChildren();
    editor.mark([]);
    panels.nothing("There is no answer to show.");
    return;
  }
  const { text } = asked.texts[0];
  const at = units(text);
  const range = (place) => (place.start ? { from: at(place.start.byte), to: at(place.end.byte) } : null);
  const [sign, words] = SAID[result.verdict] ?? ["?", ""];
  const ltl = result.notion === "ltl" ? "none was found, and one may exist: unrealizable as LTL (notion ltl)" : null;
  const said = result.verdict === "UNKNOWN" || result.verdict === "ERROR" ? (result.reason ?? words) : (ltl ?? words);
  const facts = [`${Math.round(time.own)} ms`];
  if (result.certificate?.checked) facts.push(`certified: ${result.certificate.by}`);
  if (!last) facts.push("explaining…");
  verdict(result.verdict, sign, result.verdict, h("span", {}, said), h("span", { class: "facts" }, facts.join(" · ")));
  const findings = result.diagnostics.map((one) => ({ ...one, ...(range(one) ?? {}) }));
  const blamed = (result.core?.guarantees ?? []).filter((clause) => clause.start);
  const marks = findings.filter((one) => one.from !== undefined);
  for (const clause of blamed) {
    marks.push({ ...range(clause), severity: "note", code: "", message: "At fault: this cannot be kept, or not together with the others at fault.", hints: [] });
  }
  editor.mark(marks);
  const tool = { text, name: asked.texts[0].name, range, show: (clause) => editor.show(range(clause)), apply: (changes) => (editor.edit(changes), editor.focus()) };
  const parts = [];
  if (result.verdict === "UNREALIZABLE" && result.reason) parts.push(h("p", { class: "reason" }, ...prose(result.reason)));
  if (result.core) parts.push(...core(result.core, tool));
  if (findings.length > 0) parts.push(h("ol", { class: "findings", "aria-label": "Findings" }, findings.map(finding)));
  if (result.hints?.length > 0) {
    parts.push(h("h2", {}, "What would help"), h("ul", { class: "repairs" }, result.hints.map((repair) => repairItem(repair, tool))));
  }
  byId("told").replaceChildren(...parts);
  panels.answered(asked, result, tool, generation);
}

function finding(one) {
  const where = one.start ? `${one.start.line}:${one.start.column} ` : "";
  const head = [h("span", { class: "where" }, where), h("span", { class: "severity" }, one.severity), ` ${one.code}: `, ...prose(one.message)];
  return h(
    "li",
    { class: one.severity },
    one.start ? h("button", { type: "button", class: "finding", onclick: () => editor.show(one) }, head) : h("span", { class: "finding" }, head),
    (one.labels ?? []).filter(({ text }) => text !== "").map(({ start, text }) => h("p", { class: "hint" }, h("span", { class: "where" }, `${start.line}:${start.column} `), ...prose(text))),
    one.hints.map((hint) => h("p", { class: "hint" }, "Hint: ", ...prose(hint))),
  );
}

// ---- examples, names, links

function fillGallery() {
  const groups = new Map();
  for (const one of gallery) {
    const group = one.path.split("/")[0];
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(one);
  }
  for (const [group, list] of groups) {
    const option = ({ path, expect }) => {
      const stem = path.slice(group.length + 1);
      return h("option", { value: path }, expect === "UNREALIZABLE" ? `${stem} (unrealizable)` : stem);
    };
    byId("gallery").append(h("optgroup", { label: group }, list.map(option)));
  }
}

function choose(path) {
  example = gallery.find((one) => one.path === path) ?? null;
  const file = example === null ? "spec.tsl" : example.path.split("/").at(-1);
  rename(file);
  const text = example?.text ?? "";
  byId("gallery").value = example === null ? "" : example.path;
  if (editor.text === text) changed();
  else editor.text = text;
}

/** Keeps the text in the address, so that it is still there after the page is loaded again. */
async function remember(mine) {
  const plain = example !== null && name() === example.path.split("/").at(-1);
  const fragment = plain ? `#example=${example.path}` : editor.text === "" ? "#" : await packed({ name: name(), text: editor.text });
  if (mine !== generation || location.hash === fragment || (fragment === "#" && location.hash === "")) return;
  try {
    history.replaceState(null, "", fragment);
  } catch {
    // Some browsers refuse many changes in a short time; the next one will do.
  }
}

async function restore() {
  const { hash } = location;
  if (hash.startsWith("#example=")) {
    const path = decodeURIComponent(hash.slice("#example=".length));
    choose(gallery.some((one) => one.path === path) ? path : FIRST);
  } else if (hash.startsWith("#s=")) {
    try {
      const { name: full, text } = await unpacked(hash);
      example = null;
      byId("gallery").value = "own";
      rename(full);
      if (editor.text === text) changed();
      else editor.text = text;
    } catch (error) {
      choose(FIRST);
      say(`The link is damaged, so an example is shown instead: ${error.message}.`);
    }
  } else {
    choose(FIRST);
  }
}

async function share() {
  const fragment = await packed({ name: name(), text: editor.text });
  const link = new URL(fragment, location.href).href;
  history.replaceState(null, "", fragment);
  const done = await copied(link);
  say(done ? `The link is on the clipboard: ${link.length} characters with the whole text.` : "The link is in the address bar.");
}

// ---- the page

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  panels?.recolor();
}

function stop() {
  judge?.stop();
  maker?.stop();
}

async function start() {
  fillGallery();
  byId("gallery").addEventListener("change", (event) => choose(event.target.value));
  byId("name").addEventListener("change", changed);
  byId("ending").addEventListener("change", () => {
    editor.ending = byId("ending").value.slice(1);
    changed();
  });
  byId("share").addEventListener("click", share);
  byId("theme").addEventListener("click", theme);
  byId("stop").addEventListener("click", stop);
  byId("check").addEventListener("click", checkNow);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && document.activeElement !== byId("editor")) stop();
  });
  addEventListener("hashchange", restore);
  await restore();
  let module;
  try {
    module = await compiled("tsl-synth.wasm.gz");
  } catch (error) {
    verdict("ERROR", "!", "The engine does not load", h("span", {}, seen(error.message)));
    return;
  }
  const busy = () => {
    byId("stop").disabled = !(judge?.busy || maker?.busy);
  };
  const engine = new Engine(module, busy);
  maker = new Engine(module, busy);
  panels = new Panels(maker);
  const { tool, langs } = await engine.ask({ ask: "about" });
  byId("version").textContent = `tsl-synth ${tool.version}`;
  panels.langs(langs);
  judge = engine;
  checkNow();
}

// For tests.
globalThis.playground = { editor, generation: () => String(generation) };
start();
