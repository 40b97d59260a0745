// A page that runs an emitted controller: `synthesized` is the controller, `world` its environment, and `panel` has the
// names of its signals. The drawing follows the letters that the controller writes.

const { Controller, machineId } = synthesized;
const table = JSON.parse($("data").textContent);
const machines = table === null ? [] : [new Machine(table)];
const env = typeof world === "undefined" ? undefined : world;

// A control for each input, for each predicate that is a call, and for each other method with values to choose from.
const control = (source, name) => ({
  source, name, kind: source.kind, values: source.values,
  value: { boolean: false, number: source.low ?? 0, enum: source.values[0], text: source.name }[source.kind],
});
const inputControls = panel.inputs.map((input) => control(input, input.name));
const methodControls = panel.methods.flatMap((method) => {
  if (method.kind === "text") return [];
  return method.terms.length > 0 ? method.terms.map((term) => control(method, term)) : [control(method, `${method.name}(…)`)];
});
const controls = [...inputControls, ...methodControls];

// How often each method was called in this step, and the number of the next value of a sort that is not known here.
let calls = new Map();
let fresh = 0;
panel.answer = (ident, args) => {
  const method = panel.methods.find((one) => one.ident === ident);
  if (method.kind === "text") {
    const text = `${method.name}(${args.map(String).join(", ")})`;
    if (text.length <= 300) return text;
    fresh += 1;
    return `${method.name}(…)#${fresh}`;
  }
  const own = methodControls.filter(({ source }) => source === method);
  const call = calls.get(method) ?? 0;
  calls.set(method, call + 1);
  return own[Math.min(call, own.length - 1)].value;
};

let controller;
let play;
let letter = null;
let last = null;
let changedCells = new Set();
// The snapshots before each step and the letters.
let past = [];

const options = { trace: (written) => (letter = written) };

// The name of the present state in the drawing.
function place() {
  return (play && machine().places?.[drawnPath().pop()]?.name) || controller.state;
}

function reset() {
  const cells = Object.fromEntries(panel.cells.filter(({ initial }) => initial !== undefined).map(({ ident, initial }) => [ident, initial]));
  controller = new Controller({ env, cells, options });
  play = machines.length > 0 ? new Play(machine()) : null;
  past = [];
  last = null;
  changedCells = new Set();
  show("At the start");
}

// Follows a letter of the controller in the drawing.
function follow(written) {
  if (!play || written === null) return;
  const { atoms, inputs, outputs, cells } = machine();
  const word = new Array(atoms.length).fill(0);
  for (const atom of [...inputs, ...outputs]) word[atom] = written[atoms[atom].key] === true ? 1 : 0;
  for (const cell of cells) {
    const option = cell.texts.indexOf(written[cell.name]);
    if (option >= 0) word[cell.options[option]] = 1;
  }
  play.step(word);
  const state = panel.states.indexOf(controller.state);
  // After a broken assumption the controller may go on elsewhere.
  if (play.now.state !== state && state >= 0) play.now.state = state;
}

function step() {
  const inputs = Object.fromEntries(inputControls.map(({ source, value }) => [source.ident, value]));
  const before = controller.save();
  const values = controller.cells;
  const from = place();
  calls = new Map();
  letter = null;
  try {
    last = controller.step(inputs);
  } catch (error) {
    show(`No step: ${error.message}`, true);
    return;
  }
  changedCells = new Set(panel.cells.filter(({ ident }) => values[ident] !== controller.cells[ident]));
  follow(letter);
  past.push({ before, letter, last, from, to: place() });
  if (last.broken === undefined) show(`Step ${past.length - 1}: ${from} to ${place()}`);
  else show(`The environment broke the assumption ${last.broken}`, true);
}

function undo() {
  const gone = past.pop();
  if (!gone) return;
  controller = Controller.restore(gone.before, ...(env === undefined ? [] : [env]), options);
  if (play && gone.letter !== null && play.letters.length > 0) play.undo();
  last = past.length > 0 ? past[past.length - 1].last : null;
  changedCells = new Set();
  show("One step back");
}

const valueText = (value) => {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};

function field(one, number) {
  const id = `choice-${number}`;
  const set = (value) => {
    one.value = value;
  };
  let made;
  if (one.kind === "boolean") {
    made = element("input", { type: "checkbox", id, checked: one.value, on: { change: (event) => set(event.target.checked) } });
  } else if (one.kind === "number") {
    made = element("input", { type: "number", id, step: "any", min: one.source.low ?? "", max: one.source.high ?? "", value: String(one.value), on: { change: (event) => set(Number(event.target.value)) } });
  } else if (one.kind === "enum") {
    made = element("select", { id, on: { change: (event) => set(one.values[Number(event.target.value)]) } });
    one.values.forEach((value, i) => made.append(element("option", { value: String(i) }, value)));
    made.value = String(one.values.indexOf(one.value));
  } else {
    made = element("input", { type: "text", id, value: one.value, on: { change: (event) => set(event.target.value) } });
  }
  const label = element("label", { for: id }, one.name);
  return element("div", { class: "choice" }, ...(one.kind === "boolean" ? [made, label] : [label, made]));
}

function showControls() {
  $("choices").replaceChildren(...controls.map(field));
  $("nothing").hidden = controls.length > 0;
}

function show(text, isTrouble = false) {
  $("now").textContent = `Step ${past.length}, in state ${place()}`;
  $("now").dataset.state = controller.state;
  const { cells } = controller;
  $("cells").replaceChildren(...panel.cells.flatMap((cell) => {
    const isChanged = changedCells.has(cell);
    return [element("dt", {}, cell.name), element("dd", isChanged ? { class: "changed" } : {}, valueText(cells[cell.ident]))];
  }));
  $("outputs").replaceChildren(...panel.outputs.flatMap(({ ident, name }) => {
    const isOn = last !== null && last.updates[ident];
    return [element("dt", {}, name), element("dd", isOn ? { class: "changed" } : {}, last === null ? "–" : String(isOn))];
  }));
  $("values").hidden = panel.cells.length === 0;
  $("lamps").hidden = panel.outputs.length === 0;
  $("history").replaceChildren(...past.map(({ letter: written, from, to }, i) => {
    const told = written === null ? "" : Object.entries(written).flatMap(([key, value]) => {
      if (typeof value === "boolean") return value ? [key] : [];
      return value === key ? [] : [`${key} <- ${value}`];
    }).join(", ");
    return element("li", {}, `${i}  ${from} → ${to}  `, element("code", {}, told || "–"));
  }));
  $("history").scrollTop = $("history").scrollHeight;
  $("empty").hidden = past.length > 0;
  for (const id of ["undo", "reset", "export"]) $(id).disabled = past.length === 0;
  $("end").hidden = !isTrouble;
  $("end").textContent = isTrouble ? text : "";
  if (play) {
    mark(null, null);
    reveal(drawing()?.querySelector(".state.here"));
  }
  say(text);
}

function save() {
  const letters = past.flatMap(({ letter: written }) => (written === null ? [] : [written]));
  const document = { spec: $("export").dataset.spec, machineId, prefix: letters };
  const link = element("a", { href: URL.createObjectURL(new Blob([`${JSON.stringify(document, null, 2)}\n`], { type: "application/json" })) });
  link.download = "trace.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say("The trace was saved as trace.json");
}

const clicks = {
  step, undo, reset, export: save, theme,
  "zoom-in": () => zoom(1.25), "zoom-out": () => zoom(0.8),
  "zoom-fit": () => { const found = view(); if (found) { fit(found); look(); } },
};
for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
$("choices").addEventListener("submit", (event) => event.preventDefault());
const keys = {
  Enter: step, " ": step, u: undo, Backspace: undo, Home: reset,
  "0": clicks["zoom-fit"], "+": clicks["zoom-in"], "-": clicks["zoom-out"],
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
  if ((event.key === "Enter" || event.key === " ") && event.target.closest("button, input, a, summary, label")) return;
  const act = keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
document.documentElement.classList.add("live");
showControls();
reset();
look();
