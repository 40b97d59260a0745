// Counterfactual runs: beside the actual run of a trace another one, whose inputs can be changed one by one. The
// machine of the page computes its outputs, and formulas are evaluated on both runs.

// Columns of the time line, at most.
const COLUMNS = 120;
// Steps over which runs are compared, at most.
const COMPARED = 20000;
// Events that are listed beside the time line.
const LISTED = 40;

const divisor = (a, b) => (b === 0 ? a : divisor(b, a % b));
const multiple = (a, b) => (a / divisor(a, b)) * b;

// The letter of a step of a run that repeats from `back` on; of one that stops, none after its end.
function letterAt(run, step) {
  const { letters, back } = run;
  if (step < letters.length || back === null) return letters[step];
  return letters[back + ((step - back) % (letters.length - back))];
}

// The rows of the time line: inputs, cells, outputs.
function rowsOf(machine) {
  const truth = (atom) => ({ name: machine.atoms[atom].name, atom, value: (letter) => (letter[atom] === 1 ? 1 : 0), text: (value) => String(value) });
  const shown = (atom) => !machine.atoms[atom].hidden;
  const cells = machine.cells.map((cell, number) => {
    const own = cell.terms.findIndex((term) => keeps(term, number));
    const value = (letter) => {
      const chosen = cell.options.flatMap((atom, i) => (letter[atom] === 1 ? [i] : []));
      return chosen.length === 1 ? chosen[0] : chosen.length === 0 ? own : -1;
    };
    return { name: `${cell.name} <-`, cell, value, text: (option) => cell.texts[option] ?? "?" };
  });
  return [...machine.inputs.filter(shown).map(truth), ...cells.filter(({ cell }) => !cell.hidden), ...machine.outputs.filter(shown).map(truth)];
}

class WhatIf {
  constructor(machine, data) {
    this.machine = machine;
    this.data = data;
    this.moves = machine.counter ? "moves" : "inputs";
    this.rows = rowsOf(machine);
    const free = new Set(data.free);
    const isFree = (row) => (row.cell ? row.cell.options.every((atom) => free.has(atom)) : free.has(row.atom));
    for (const row of this.rows) {
      const choice = machine.choices.find((one) => (row.cell ? one.cell === row.cell : one.atom === row.atom));
      row.choice = choice && isFree(row) ? choice : null;
    }
    this.open = this.rows.filter((row) => row.choice !== null);
    // From step `from` on the inputs repeat every `every` steps; all marked events are before it.
    const given = [data.actual, ...data.runs];
    const ends = data.marks.flatMap(({ prefix, period }) => [...prefix, ...period]).map((step) => step + 1);
    this.every = given.reduce((all, { cycle }) => multiple(all, cycle.length), 1);
    this.from = Math.max(1, data.ended ?? 0, ...given.map(({ prefix }) => prefix.length), ...ends);
    this.length = this.from + this.every;
    this.actual = this.letters(data.actual);
    this.presets = [];
    this.isFixed = !data.answers || this.open.length === 0 || this.length > COLUMNS || !this.agrees();
    this.words = new Map();
    if (this.isFixed) {
      const other = data.runs.find((run) => run.whole);
      this.other = other ? this.letters(other) : null;
    } else {
      this.actual = this.run(this.presets[0].word);
      this.choose(Math.min(1, this.presets.length - 1));
    }
  }
  // A given run as letters of the machine.
  letters({ prefix, cycle }) {
    const letter = (holds) => {
      const all = new Array(this.machine.atoms.length).fill(0);
      for (const atom of holds) all[atom] = 1;
      return all;
    };
    return { letters: [...prefix, ...cycle].map(letter), back: prefix.length };
  }
  // The values of the rows that can be changed, in each step.
  word(run) {
    return Array.from({ length: this.length }, (_, i) => this.open.map((row) => row.value(letterAt(run, i))));
  }
  // Whether the machine of this page has the given runs.
  agrees() {
    for (const given of [this.data.actual, ...this.data.runs]) {
      const told = this.letters(given);
      const word = this.word(told);
      if (word.some((values) => values.includes(-1))) return false;
      if (given.whole) {
        const run = this.run(word);
        if (run.back === null || this.difference(run, told, this.rows) !== null) return false;
      }
      this.presets.push({ text: given.text, word });
    }
    return true;
  }
  // The run of the machine on a word; `back` is null if it stops or is not found to repeat.
  run(word) {
    const play = new Play(this.machine);
    const begun = [];
    for (let i = 0; ; i += 1) {
      if (i >= this.from && (i - this.from) % this.every === 0) {
        const back = play.recurrences().find((step) => begun.includes(step));
        if (back !== undefined) {
          play.back = back;
          return { letters: play.letters, back, play };
        }
        if (begun.length === ROUNDS) return { letters: play.letters, back: null, play };
        begun.push(i);
      }
      const values = word[this.position(i)];
      const letter = play.complete(new Map(this.open.map((row, number) => [row.choice, values[number]])));
      if (!letter) return { letters: play.letters, back: null, play, stuck: i };
      play.step(letter);
    }
  }
  // The position of the inputs of a step in a word.
  position(step) {
    return step < this.length ? step : this.from + ((step - this.from) % this.every);
  }
  // The first step in which two runs differ in some of these rows; null if there is none, undefined if that is not known.
  difference(one, other, rows) {
    const whole = one.back !== null && other.back !== null;
    const rounds = whole ? multiple(one.letters.length - one.back, other.letters.length - other.back) : 0;
    const all = whole ? Math.max(one.back, other.back) + rounds : Math.min(one.letters.length, other.letters.length);
    for (let i = 0; i < Math.min(all, COMPARED); i += 1) {
      const [a, b] = [letterAt(one, i), letterAt(other, i)];
      if (rows.some((row) => row.value(a) !== row.value(b))) return i;
    }
    return whole && all <= COMPARED ? null : undefined;
  }
  take(word) {
    this.now = word;
    this.other = this.run(word);
  }
  choose(number) {
    this.take(this.presets[number].word.map((values) => [...values]));
  }
  // Changes a row in a step to its next value.
  change(step, number) {
    const { choice } = this.open[number];
    const values = this.now[this.position(step)];
    const next = choice.values[(choice.values.indexOf(values[number]) + 1) % choice.values.length];
    values[number] = next;
    this.take(this.now);
  }
  isChanged(step, number) {
    const position = this.position(step);
    return this.now[position][number] !== this.presets[0].word[position][number];
  }
  is(number) {
    const { word } = this.presets[number];
    return word.every((values, i) => values.every((value, j) => value === this.now[i][j]));
  }
  // Whether a property holds on a run; null if that is not known.
  holds(property, run) {
    const { logic } = this.machine;
    return property.formula === null || run.back === null ? null : logic.holds(logic.given[property.formula], run.letters, run.back);
  }
  // The meaning of the mark at a row in a step; null if there is none.
  mark(row, step) {
    let found = null;
    for (const { atom, needed, prefix, period, every } of this.data.marks) {
      const isHere = row.cell ? row.cell.options.includes(atom) : row.atom === atom;
      const inPeriod = every > 0 && period.some((first) => step >= first && (step - first) % every === 0);
      if (isHere && (prefix.includes(step) || inPeriod)) found = needed || found ? "needed" : "one of several that were needed";
    }
    return found;
  }
  // The sentences about the other run.
  verdict() {
    const { actual, other, data } = this;
    if (!other) return "There is no run to compare this one with.";
    if (!this.isFixed && this.is(0)) return "This is the actual run: change a step to see what would have been.";
    if (other.stuck !== undefined) {
      return `The run stops before step ${other.stuck}: with these ${this.moves} no step was found that the machine and the facts of the specification allow.`;
    }
    if (other.back === null) return "The run was not followed to where it repeats, so nothing is said of the effect.";
    const [effect] = data.properties;
    const [was, is] = [this.holds(effect, actual), this.holds(effect, other)];
    const told = was === null || is === null
      ? "Whether the effect happens is not evaluated on this page."
      : is ? (was ? "The effect still happens." : "Here the effect happens.") : was ? "The effect does not happen." : "The effect does not happen here either.";
    const done = this.rows.filter((row) => (row.cell ? true : this.machine.outputs.includes(row.atom)) !== this.machine.counter);
    const first = this.difference(actual, other, done);
    const does = first === null ? " The machine does the same in every step." : first === undefined ? "" : ` What the machine does is first different in step ${first}.`;
    return `${told}${does}${this.isFixed ? ` The ${this.moves} cannot be changed on this page.` : ""}`;
  }
  // The events that are listed: those of the cause, and those that are changed.
  events() {
    const all = [];
    for (let step = 0; step < this.length; step += 1) {
      this.open.forEach((row, number) => {
        const mark = this.mark(row, step);
        const isChanged = this.isChanged(step, number);
        if (isChanged || (mark && step < this.from)) all.push({ step, number, row, mark, isChanged });
      });
    }
    return all;
  }
}

// The display of the runs.

let whatIf = null;
let isCompared = true;
// The input from which arrow keys move.
let cursor = null;

const valueText = (row, value) => (row.cell ? row.text(value) : value === 1 ? "true" : "false");
const signOf = (mark) => (mark === "needed" ? "▲" : "△");
const rounds = (step) => (step < whatIf.from ? "" : whatIf.every === 1 ? " and every one after it" : ` and every ${whatIf.every} steps after it`);

// Whether the play is the one in the data of the page.
const isGiven = () => whatIf !== null && shown === 0 && JSON.stringify(play.letters) === marked;

// The values in each step: inputs, cells, outputs.
function showLine() {
  const compared = isGiven() ? whatIf : null;
  const rows = compared ? compared.rows : rowsOf(machine());
  const other = compared && isCompared ? compared.other : null;
  const actual = compared ? compared.actual : play;
  const count = compared
    ? Math.min(COLUMNS, Math.max(compared.length, actual.letters.length, other?.letters.length ?? 0))
    : play.letters.length;
  const steps = Array.from({ length: count }, (_, i) => i);
  const back = compared ? compared.from : play.back;
  $("line-head").replaceChildren(
    element("th", { scope: "col" }, "Step"),
    ...steps.map((i) => element("th", { scope: "col", class: back !== null && i >= back ? "repeats" : "" }, String(i))),
  );
  const title = (text) => element("tr", { class: "title" }, element("th", { scope: "rowgroup", colspan: String(count + 1) }, text));
  const made = (row, cell) => element("tr", {}, element("th", { scope: "row" }, row.name), ...steps.map(cell));
  const base = (row, value) => (row.cell ? "" : value === 1 ? "on" : "off");
  const body = rows.map((row) => made(row, (i) => {
    const value = row.value(letterAt(actual, i));
    const mark = compared?.mark(row, i);
    const cell = element("td", { class: `${base(row, value)}${mark ? " cause" : ""}` }, row.text(value));
    if (mark) cell.append(signOf(mark), element("span", { class: "sr" }, ` (${mark})`));
    return cell;
  }));
  if (other) body.unshift(title("Actual run"));
  $("line-rows").replaceChildren(...body);
  const focused = $("if-rows").contains(document.activeElement);
  $("if-rows").replaceChildren(...(other ? [title(compared.isFixed ? compared.data.runs[0].text : "What if"), ...otherRows(compared, made, base)] : []));
  if (focused) (buttonAt(cursor) ?? document.querySelector("#if-rows button"))?.focus();
  const key = [];
  if (count > 0) key.push("1 is true, 0 is false.");
  else key.push("No step was taken.");
  if (!compared && back !== null) key.push(`The play repeats from step ${back}.`);
  if (compared) {
    if (compared.data.ended !== undefined) key.push(`The trace ends after step ${compared.data.ended - 1}; after that its last input is taken to be repeated.`);
    key.push(compared.every === 1 ? `From step ${compared.from} on the ${compared.moves} stay the same.` : `From step ${compared.from} on the ${compared.moves} repeat every ${compared.every} steps.`);
    if (count < Math.max(actual.letters.length, other?.letters.length ?? 0)) key.push(`The first ${count} steps are shown.`);
    const marks = rows.flatMap((row) => steps.map((i) => compared.mark(row, i)));
    if (marks.includes("needed")) key.push("▲ was needed for the effect.");
    if (marks.some((mark) => mark && mark !== "needed")) key.push("△ is one of several of which at least one was needed.");
    if (other) key.push("≠ is not as in the actual run.");
  }
  $("key").textContent = key.join(" ");
}

// The rows of the other run; values that can be changed are buttons.
function otherRows(compared, made, base) {
  const { actual, other, isFixed, open } = compared;
  if (!isFixed && buttonless(compared)) cursor = { step: 0, number: 0 };
  return compared.rows.map((row) => {
    const number = isFixed ? -1 : open.indexOf(row);
    return made(row, (i) => {
      const letter = letterAt(other, i);
      if (number < 0 && letter === undefined) return element("td", {}, "–");
      const value = number < 0 ? row.value(letter) : compared.now[compared.position(i)][number];
      const was = row.value(letterAt(actual, i));
      const isOther = value !== was;
      const cell = element("td", { class: `${base(row, value)}${isOther ? " other" : ""}` });
      if (number < 0) {
        cell.append(row.text(value));
        if (isOther) cell.append(element("span", { class: "sr" }, ` (was ${valueText(row, was)})`));
        return cell;
      }
      const told = isOther ? `, changed from ${valueText(row, was)}` : "";
      const isHere = cursor.step === i && cursor.number === number;
      cell.append(element("button", {
        type: "button", class: "value", tabindex: isHere ? "0" : "-1", "data-step": String(i), "data-number": String(number),
        "aria-pressed": String(isOther), "aria-label": `${row.name}, step ${i}${rounds(i)}: ${row.cell ? "" : `${row.text(value)}, `}${valueText(row, value)}${told}`,
        on: { click: () => { cursor = { step: i, number }; change(i, number); } },
      }, row.text(value)));
      return cell;
    });
  });
}

const buttonless = (compared) => cursor === null || cursor.step >= COLUMNS || cursor.number >= compared.open.length;
const buttonAt = (place) => place && document.querySelector(`#if-rows button[data-step="${place.step}"][data-number="${place.number}"]`);

function change(step, number) {
  if (whatIf === null || whatIf.isFixed) return;
  whatIf.change(step, number);
  showIf();
  if (mode === "line") showLine();
  const row = whatIf.open[number];
  const value = whatIf.now[whatIf.position(step)][number];
  say(`${row.name} is ${valueText(row, value)} in step ${step}${rounds(step)}. ${whatIf.verdict()}`);
}

function choosePreset(number) {
  if (whatIf === null || whatIf.isFixed) return;
  whatIf.choose(number);
  showIf();
  if (mode === "line") showLine();
  say(`${whatIf.presets[number].text}. ${whatIf.verdict()}`);
}

// Shows the other run or hides it.
function compare() {
  if (!isGiven() || !whatIf.other) return;
  isCompared = !isCompared;
  showAs("line");
  showIf();
  say(isCompared ? `The other run is shown. ${whatIf.verdict()}` : "Only the actual run is shown.");
}

// The part of the page beside the time line.
function showIf() {
  const section = $("what-if");
  if (section === null || whatIf === null) return;
  const focused = document.activeElement?.id;
  const given = isGiven();
  section.hidden = shown !== 0;
  $("if-given").hidden = !given;
  $("if-away").hidden = given;
  const { other, isFixed, data } = whatIf;
  $("if-change").hidden = isFixed;
  $("verdict").textContent = whatIf.verdict();
  $("compare").setAttribute("aria-pressed", String(isCompared));
  $("compare").disabled = !other;
  const isRun = !isFixed && other.back !== null && !whatIf.is(0);
  $("if-play").disabled = !isRun;
  $("if-save").disabled = !isRun;
  const words = { true: "holds", false: "does not hold", null: "not evaluated" };
  const sign = { true: "✓", false: "✗", null: "–" };
  $("properties").replaceChildren(...data.properties.map((property) => {
    const runs = [["actual run", whatIf.actual], ["here", other]].filter(([, run]) => run);
    const truths = runs.map(([name, run]) => {
      const value = whatIf.holds(property, run);
      return element("span", { class: "truth" }, element("span", { "aria-hidden": "true" }, `${sign[value]} `), `${name}: ${words[value]}`);
    });
    return element("li", { class: "property" }, element("span", { class: "role" }, property.role), element("code", {}, property.text), ...truths);
  }));
  const button = (properties, ...parts) => element("button", { type: "button", ...properties }, ...parts);
  $("presets").replaceChildren(...(isFixed ? [] : whatIf.presets.map(({ text }, number) =>
    button({ id: `preset-${number}`, "aria-pressed": String(whatIf.is(number)), on: { click: () => choosePreset(number) } }, number === 0 ? "As it was" : text))));
  const events = isFixed ? [] : whatIf.events();
  $("events").replaceChildren(...events.slice(0, LISTED).map(({ step, number, row, mark, isChanged }) => {
    const position = whatIf.position(step);
    const [was, is] = [whatIf.presets[0].word[position][number], whatIf.now[position][number]].map((value) => valueText(row, value));
    return element("li", {}, button({
      id: `event-${step}-${number}`, class: "past", "aria-pressed": String(isChanged), on: { click: () => change(step, number) },
    }, mark ? element("span", { "aria-hidden": "true" }, `${signOf(mark)} `) : null, `step ${step}${rounds(step)}: `, element("code", {}, row.name),
    isChanged ? ` ${is}, was ${was}` : ` ${was}`, mark ? element("span", { class: "sr" }, `; ${mark}`) : null));
  }), ...(events.length > LISTED ? [element("li", { class: "quiet" }, `${events.length - LISTED} more are in the time line.`)] : []));
  if (focused && /^(preset|event)-/.test(focused)) $(focused)?.focus();
}

const otherDocument = () => whatIf.other.play.document(data);

const ifClicks = {
  compare,
  "if-play": () => { load(JSON.stringify(otherDocument())); showAs(machine().drawn ? "drawing" : "line"); },
  "if-save": () => saveAs(otherDocument(), "what-if.json"),
  "if-back": () => { load(JSON.stringify(data.trace)); showAs("line"); },
};
for (const [id, act] of Object.entries(ifClicks)) $(id)?.addEventListener("click", act);

// Arrow keys go from input to input.
$("if-rows").addEventListener("keydown", (event) => {
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  if (!event.target.dataset.step || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[1-9]$/.test(event.key)) event.stopPropagation();
  if (!(event.key in moves)) return;
  const [right, down] = moves[event.key];
  event.preventDefault();
  event.stopPropagation();
  const place = { step: Number(event.target.dataset.step) + right, number: Number(event.target.dataset.number) + down };
  const next = buttonAt(place);
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  cursor = place;
  next.focus();
});
