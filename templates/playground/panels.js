// The panels of a specification: the machine, code, plays, explanations. Each is computed when it is opened.

import { byId, copied, download, h, prose } from "./dom.js";
import { Stopped } from "./engine.js";
import { repairItem } from "./repairs.js";
import { effectOf, explanation, playTable } from "./tables.js";

const NAMES = {
  rust: "Rust", js: "JavaScript", ts: "TypeScript", python: "Python", c: "C", dot: "Graphviz (DOT)", mermaid: "Mermaid",
  svg: "SVG", text: "Drawing in text", hoa: "HOA", aiger: "AIGER", json: "JSON", verilog: "Verilog", xstate: "XState",
};
const TABS = ["machine", "code", "simulate", "explain"];
/** Work that takes longer, in milliseconds, is shown as going on. */
const LONG = 300;

export class Panels {
  #maker;
  #tab = "machine";
  #now = null;
  #shown = {};
  #turn = 0;
  #files = [];
  #html = null;
  #trace = null;
  #played = null;
  #targets = [];

  constructor(maker) {
    this.#maker = maker;
    const tabs = TABS.map((tab) => byId(`tab-${tab}`));
    tabs.forEach((button, i) => {
      button.addEventListener("click", () => this.#choose(TABS[i]));
      button.addEventListener("keydown", ({ key }) => {
        const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: TABS.length - 1 }[key];
        if (to === undefined) return;
        const other = (to + TABS.length) % TABS.length;
        this.#choose(TABS[other]);
        tabs[other].focus();
      });
    });
    byId("lang").addEventListener("change", () => this.#again("code"));
    byId("file").addEventListener("change", () => this.#file());
    byId("copy").addEventListener("click", async () => {
      const done = await copied(this.#files[Number(byId("file").value)].text);
      this.#note(done ? "Copied." : "The browser has no clipboard here.");
    });
    byId("download").addEventListener("click", () => {
      const { path, text } = this.#files[Number(byId("file").value)];
      download(path.split("/").at(-1), text);
    });
    byId("play").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#again("simulate");
    });
    byId("ask-why").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#because();
    });
    byId("another").addEventListener("click", () => {
      byId("seed").value = String((Number(byId("seed").value) + 1) % 4294967296);
      this.#again("simulate");
    });
    byId("save-trace").addEventListener("click", () => {
      download("trace.json", `${JSON.stringify(this.#trace, null, 2)}\n`, "application/json");
    });
  }

  /** Sets the available targets. */
  langs(langs) {
    this.#targets = langs;
    const option = ({ name }) => h("option", { value: name }, NAMES[name] ?? name);
    const group = (label, list) => h("optgroup", { label }, list.map(option));
    byId("lang").replaceChildren(
      group("Code that runs", langs.filter(({ code }) => code)),
      group("Pictures, automata, circuits", langs.filter(({ code }) => !code)),
    );
    byId("lang").value = "js";
  }

  /** Shows why there is nothing to show. */
  nothing(why) {
    this.#now = { why };
    this.#fill();
  }

  /** Takes an answer with a verdict. */
  answered(spec, result, tool, generation) {
    const before = this.#now;
    const broken = result.verdict === "ERROR" || result.verdict === "UNKNOWN";
    this.#now = {
      spec, result, tool, generation,
      why: broken ? (result.verdict === "ERROR" ? "The text has errors, so there is nothing new to show." : "There is no verdict, so there is nothing new to show.") : null,
    };
    // The second answer about the same text explains the first one.
    if (before?.generation === generation && before.result) return;
    this.#shown = {};
    this.#fill();
  }

  recolor() {
    if (this.#html !== null) this.#frame();
  }

  #choose(tab) {
    this.#tab = tab;
    for (const one of TABS) {
      byId(`tab-${one}`).setAttribute("aria-selected", String(one === tab));
      byId(`tab-${one}`).tabIndex = one === tab ? 0 : -1;
      byId(`panel-${one}`).hidden = one !== tab;
    }
    this.#fill();
  }

  #again(tab) {
    this.#shown[tab] = undefined;
    this.#fill();
  }

  #note(text) {
    byId("note").hidden = text === null;
    byId("note").textContent = text ?? "";
  }

  /** Fills the open panel, unless it already shows this text. */
  async #fill() {
    const [tab, now] = [this.#tab, this.#now];
    if (now === null) return;
    if (now.why) {
      this.#note(this.#files.length > 0 || this.#html !== null || this.#trace !== null ? `${now.why} What is below is of an earlier text.` : now.why);
      return;
    }
    if (this.#shown[tab] === now.generation) {
      this.#note(null);
      return;
    }
    this.#shown[tab] = now.generation;
    this.#turn += 1;
    const turn = this.#turn;
    const working = setTimeout(() => this.#tab === tab && this.#note("Working…"), LONG);
    const current = () => turn === this.#turn && this.#now?.generation === now.generation && this.#now.why === null;
    try {
      this.#maker.stop();
      const done = await this[`_${tab}`](now, current);
      if (current() && this.#tab === tab) this.#note(done ?? null);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      if (turn === this.#turn) this.#shown[tab] = undefined;
      if (current() && this.#tab === tab) this.#note("Stopped. Choose the tab again to go on.");
    } finally {
      clearTimeout(working);
    }
  }

  // ---- one for each tab; the text that they return is shown as a note

  async _machine({ spec }, current) {
    const answer = await this.#maker.ask({ ask: "view", spec });
    if (!current()) return null;
    if (answer.error !== undefined) {
      this.#html = null;
      byId("panel-machine").replaceChildren(h("p", { class: "notice" }, `There is no picture: ${answer.error}`));
      return null;
    }
    this.#html = answer.html;
    this.#frame();
    return null;
  }

  /** The page of the machine, in a frame of its own without access to this page. */
  #frame() {
    const { theme } = document.documentElement.dataset;
    const colored = theme ? this.#html.replace('<html lang="en">', `<html lang="en" data-theme="${theme}">`) : this.#html;
    const frame = h("iframe", { title: "The machine, drawn and played", sandbox: "allow-scripts allow-downloads", referrerpolicy: "no-referrer" });
    frame.srcdoc = colored;
    byId("panel-machine").replaceChildren(frame);
  }

  async _code({ spec, result }, current) {
    const lang = byId("lang").value;
    const target = this.#targets.find(({ name }) => name === lang);
    if (target === undefined) {
      this.#shown.code = undefined;
      return null;
    }
    const counter = result.verdict === "UNREALIZABLE";
    const show = (files, text) => {
      this.#files = files;
      const options = files.map(({ path }, i) => h("option", { value: String(i) }, path));
      byId("file").replaceChildren(...options);
      byId("file-field").hidden = files.length < 2;
      for (const id of ["copy", "download"]) byId(id).disabled = files.length === 0;
      byId("code").textContent = text;
    };
    if (counter && !target.counter) {
      show([], "");
      return `There is no controller, so there is no ${NAMES[lang] ?? lang}. The strategy of the environment can be had as a picture, an automaton, a circuit or JSON.`;
    }
    const answer = await this.#maker.ask({ ask: "emit", spec, lang, counter });
    if (!current() || byId("lang").value !== lang) return null;
    if (answer.error !== undefined) {
      show([], "");
      return `There is no code: ${answer.error}`;
    }
    show(answer.files, answer.files[0].text);
    return counter ? "This is the strategy of the environment, against which no controller wins." : null;
  }

  #file() {
    byId("code").textContent = this.#files[Number(byId("file").value)].text;
  }

  async _simulate({ spec, result }, current) {
    const number = (id, least, most) => Math.min(most, Math.max(least, Math.round(Number(byId(id).value)) || 0));
    const [random, seed] = [number("steps", 1, 500), number("seed", 0, 4294967295)];
    const answer = await this.#maker.ask({ ask: "simulate", spec, random, seed });
    if (!current()) return null;
    this.#trace = answer.error === undefined ? answer : null;
    this.#played = spec;
    byId("save-trace").disabled = this.#trace === null;
    // Causes are among the inputs of a controller.
    const effect = result.verdict === "REALIZABLE" && this.#trace !== null ? effectOf(this.#trace) : null;
    for (const id of ["effect", "ask"]) byId(id).disabled = effect === null;
    byId("effect").placeholder = effect ?? "";
    byId("because").hidden = true;
    byId("trace").replaceChildren(answer.error === undefined ? playTable(answer) : h("p", { class: "notice" }, `There is no play: ${answer.error}`));
    return result.verdict === "UNREALIZABLE" ? "Random answers of the system against the strategy of the environment. The machine tab lets you choose them." : null;
  }

  /** Explains why an effect happened in the play: the effect in the field, else its placeholder. */
  async #because() {
    const effect = byId("effect").value.trim() || byId("effect").placeholder;
    const [spec, trace] = [this.#played, this.#trace];
    const said = byId("because");
    said.hidden = false;
    said.replaceChildren("Working…");
    try {
      const answer = await this.#maker.ask({ ask: "explain", spec, trace: JSON.stringify(trace), effect });
      if (this.#trace === trace) said.replaceChildren(...prose(answer.error ?? answer.sentence));
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      said.replaceChildren("Stopped.");
    }
  }

  async _explain(now, current) {
    const { spec, result } = now;
    if (result.verdict === "REALIZABLE") {
      const text = "There is a controller, so there is nothing that stands in its way. Warnings about what the specification says, if there are any, are listed below the editor.";
      byId("why").replaceChildren(h("p", {}, text));
      return null;
    }
    const answer = await this.#maker.ask({ ask: "explain", spec });
    if (!current()) return null;
    const item = (repair) => repairItem(repair, now.tool);
    byId("why").replaceChildren(...(answer.error === undefined ? explanation(answer, item, now.tool) : [h("p", { class: "notice" }, answer.error)]));
    return null;
  }
}
