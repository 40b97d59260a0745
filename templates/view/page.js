// The page: one machine at a time, drawn or as a table, and a play of it.

const data = JSON.parse(document.getElementById("data").textContent);
const machines = data.machines.map((machine) => new Machine(machine));

const signs = {
  fulfilled: "✓", kept: "✓", "nothing open": "–", "not begun": "–", open: "○", lost: "✗", broken: "✗",
};
let play = new Play(machines[0]);
let wishes = new Map();
let mode = "drawing";
let marked = "";
let given = [];
let verdicts = null;

// The parts of the page.

function showHead() {
  const { about, counter } = machine();
  $("about").textContent = about;
  $("opponent").hidden = !counter;
  const picks = $("machines");
  picks.replaceChildren();
  if (data.repairs.length === 0) return;
  const pick = (number, text) =>
    element("button", {
      type: "button", class: "pick", "aria-pressed": String(number === shown), on: { click: () => choose(number) },
    }, ...coded(text));
  picks.append(pick(0, "The specification as it is"));
  for (const repair of data.repairs) {
    const text = `With this repair: ${repair.sentence}`;
    if (repair.machine === null) picks.append(element("p", { class: "quiet" }, ...coded(`${text} (its controller was not found within its limits)`)));
    else picks.append(pick(repair.machine, text));
  }
}

function showNow() {
  const { now } = play;
  const { cells } = machine();
  const place = machine().places?.[drawnPath().pop()]?.name ?? stateName(now.state);
  $("now").textContent = `Step ${play.letters.length}, in state ${place}`;
  const list = $("cells");
  list.replaceChildren();
  cells.forEach((cell, i) => {
    if (!cell.hidden) list.append(element("dt", {}, cell.name), element("dd", {}, Terms.text(now.cells[i])));
  });
  const told = remarksOf(play.letters.length - 1);
  $("told").replaceChildren(...told.flatMap(([title, text]) => [element("dt", {}, title), element("dd", {}, text)]));
  $("values").hidden = list.childElementCount === 0;
}

// The remarks about a step of the play in the data of the page.
const remarksOf = (i) => (given[i] !== undefined && given[i] === play.letters[i] ? (data.remarks ?? [])[i] ?? [] : []);

// The letter of the next step: the present choices, completed.
function preview() {
  return play.complete(wishes);
}

function showChoices() {
  const { counter, atoms, states } = machine();
  const letter = preview();
  const edge = letter && machine().edge(play.now.state, letter);
  const form = $("choices");
  const focused = document.activeElement?.id;
  form.replaceChildren();
  if (counter) {
    const holds = new Set(states[play.now.state].letter);
    const given = machine().inputs
      .filter((atom) => !atoms[atom].hidden)
      .map((atom) => `${holds.has(atom) ? "" : "!"}${atoms[atom].name}`);
    form.append(element("p", { class: "given" }, "The environment gives ", element("code", {}, given.join(", ") || "nothing")));
  }
  machine().choices.forEach((choice, number) => {
    if (choice.hidden) return;
    const id = `choice-${number}`;
    if (choice.cell) {
      const select = element("select", { id, on: { change: (event) => wish(choice, Number(event.target.value)) } });
      choice.cell.texts.forEach((text, i) => select.append(element("option", { value: String(i) }, text)));
      const current = wishes.get(choice) ?? (letter ? choice.cell.options.findIndex((atom) => letter[atom] === 1) : 0);
      select.value = String(Math.max(current, 0));
      form.append(element("div", { class: "choice" }, element("label", { for: id }, `${choice.cell.name} <-`), select));
      return;
    }
    const value = wishes.get(choice) ?? (letter ? letter[choice.atom] : 0);
    const forced = !play.complete(new Map([[choice, value === 1 ? 0 : 1]]));
    const box = element("input", {
      type: "checkbox", id, checked: value === 1, disabled: forced,
      on: { change: (event) => wish(choice, event.target.checked ? 1 : 0) },
    });
    const atom = atoms[choice.atom];
    const term = atom.term ? Terms.text(Terms.value(atom.term, play.now.cells, (name) => name)) : atom.name;
    const note = forced ? "follows" : term !== atom.name ? term : null;
    form.append(
      element("div", { class: "choice" }, box, element("label", { for: id }, atom.name),
        note && element("span", { class: "quiet" }, note)),
    );
  });
  $("step").disabled = !edge;
  $("impossible").hidden = Boolean(letter);
  showEdges(edge, letter);
  if (focused && focused.startsWith("choice-")) $(focused)?.focus();
}

function wish(choice, value) {
  wishes.set(choice, value);
  showChoices();
}

// A letter of an edge: with the present choices if they allow it, else with others.
const letterOf = (edge) => play.complete(wishes, edge.guard) ?? play.complete(new Map(), edge.guard);

function showEdges(next, letter) {
  const list = $("edges");
  list.replaceChildren();
  const { places } = machine();
  const edges = edgesHere();
  const nameOf = (edge) => (places?.[drawnPath().pop()] ? places[edge.next].name : stateName(edge.next));
  const present = places && letter ? edges.find(({ guard }) => machine().contains(guard, letter)) : next;
  edges.slice(0, 60).forEach((edge, i) => {
    const possible = letterOf(edge) !== null;
    const does = edge.does.length > 0 ? ` / ${edge.does.join(", ")}` : "";
    const button = element("button", {
      type: "button", class: edge === present ? "edge-choice next" : "edge-choice", disabled: !possible,
      on: { click: () => take(letterOf(edge)) },
    },
    i < 9 ? element("kbd", {}, String(i + 1)) : null,
    element("span", {}, element("code", {}, `${edge.when}${does}`), ` → ${nameOf(edge)}`,
      edge === present ? element("span", { class: "sr" }, " (the present choice)") : null));
    list.append(element("li", {}, button));
  });
  mark(next, letter);
}

function showClauses() {
  const list = $("clauses");
  list.replaceChildren();
  let shownClauses = 0;
  machine().clauses.forEach((clause, i) => {
    if (clause.role === "fact") return;
    shownClauses += 1;
    let { word, rest } = play.standing(i);
    if (verdicts) [word, rest] = [verdicts[i] ? "kept" : clause.role === "assumption" ? "broken" : "lost", "if the play repeats like this"];
    list.append(
      element("li", { class: `clause ${word.replace(" ", "-")}` },
        element("span", { class: "sign", "aria-hidden": "true" }, signs[word]),
        element("span", {},
          element("span", { class: "role" }, `${clause.role}${clause.repaired ? " (repair)" : ""}, ${word}`),
          element("code", {}, clause.text),
          rest ? element("span", { class: "rest" }, ...(verdicts ? [rest] : ["open: ", element("code", {}, rest)])) : null)),
    );
  });
  $("obligations").hidden = shownClauses === 0;
}

function showHistory() {
  const list = $("history");
  list.replaceChildren();
  play.letters.forEach((_, i) => {
    const from = stateName(play.points[i].state);
    const to = stateName(play.points[i + 1].state);
    const lost = play.points[i + 1].lost ?? [];
    const button = element("button", {
      type: "button", class: "past", title: "Back to before this step",
      on: { click: () => { play.undo(play.letters.length - i); changed(`Back before step ${i}`); } },
    }, `${i}  ${from} → ${to}  `, element("code", {}, stepText(i)));
    const remarks = remarksOf(i).filter(([title]) => title.startsWith("✗"));
    const repeats = play.back === i ? element("span", { class: "role" }, "the play repeats from here") : null;
    list.append(element("li", {}, repeats, button, ...remarks.map(([title, text]) => element("p", { class: "loss" }, `${title} `, element("code", {}, text))), ...lost.map((clause) => {
      const { role, text } = machine().clauses[clause];
      const verb = role === "assumption" ? "is broken" : "can no longer be kept";
      return element("p", { class: "loss" }, `✗ The ${role} `, element("code", {}, text), ` ${verb}.`);
    })));
  });
  list.scrollTop = list.scrollHeight;
  const empty = play.letters.length === 0;
  for (const id of ["undo", "reset", "export"]) $(id).disabled = empty;
  $("redo").disabled = play.undone.length === 0;
  $("loop").disabled = play.recurrence() === null;
  $("empty").hidden = !empty;
}

// A message about the result of the play so far.
function showEnd() {
  const note = $("end");
  const { counter, clauses } = machine();
  const lost = play.now.remains.findIndex((f, i) => f === machine().logic.no && clauses[i].role === "guarantee");
  const broken = play.now.remains.findIndex((f, i) => f === machine().logic.no && clauses[i].role === "assumption");
  const fails = verdicts ? clauses.findIndex((clause, i) => clause.role === "guarantee" && !verdicts[i]) : -1;
  let text = "";
  if (counter && lost >= 0) text = `Lost: the guarantee ${clauses[lost].text} can no longer be kept.`;
  else if (counter && fails >= 0) text = `Lost: if the play repeats like this, the guarantee ${clauses[fails].text} fails.`;
  else if (verdicts && fails < 0 && clauses.some(({ role }) => role === "guarantee")) text = "If the play repeats like this, all guarantees are kept.";
  else if (!counter && broken >= 0) text = `You broke the assumption ${clauses[broken].text}: the guarantees are no longer promised.`;
  else if (counter && play.recurrence() !== null && play.back === null) {
    text = `Everything is as it was before step ${play.recurrence()}. “Repeat” tells what fails if you go on like this.`;
  }
  note.textContent = text;
  note.hidden = text === "";
}

// Drawing and table.

// The edges that the list offers: those of the drawing.
function edgesHere() {
  const { places, states } = machine();
  return (places?.[drawnPath().pop()] ?? states[play.now.state]).edges;
}

function showTable() {
  const query = $("search").value.trim().toLowerCase();
  const body = $("rows");
  body.replaceChildren();
  let count = 0;
  let more = 0;
  const { states } = machine();
  for (const [number, state] of states.entries()) {
    for (const edge of state.edges) {
      const does = edge.does.join(", ");
      const to = states[edge.next].name;
      if (query && ![state.name, edge.when, does, to].some((text) => text.toLowerCase().includes(query))) continue;
      if (count === 500) {
        more += 1;
        continue;
      }
      count += 1;
      body.append(
        element("tr", number === play.now.state ? { class: "here" } : {},
          element("th", { scope: "row" }, state.name), element("td", {}, element("code", {}, edge.when)),
          element("td", {}, element("code", {}, does || "–")), element("td", {}, to)),
      );
    }
  }
  $("more").textContent = more > 0 ? `${more} more edges: narrow the search` : `${count} edges`;
}

function find() {
  const query = $("search").value.trim().toLowerCase();
  if (mode === "table") return showTable();
  if (mode === "line") return undefined;
  const svg = drawing();
  if (!svg) return undefined;
  let found = 0;
  svg.classList.toggle("searched", query !== "");
  svg.querySelectorAll(".state, .edge").forEach((group) => {
    const text = group.querySelector("title")?.textContent.toLowerCase() ?? "";
    const own = text.split(": ").slice(group.classList.contains("edge") ? 1 : 0).join(": ");
    const hit = query !== "" && own.includes(query);
    group.classList.toggle("hit", hit);
    if (hit) found += 1;
    if (hit && found === 1) reveal(group);
  });
  if (query) say(`${found} found`);
  return undefined;
}

// Actions of the player.

function changed(text) {
  wishes = new Map();
  verdicts = play.back === null ? null : play.judge(play.back);
  showNow();
  showChoices();
  showClauses();
  showHistory();
  showEnd();
  showIf();
  if (mode === "table") showTable();
  else if (mode === "line") showLine();
  else reveal(drawing()?.querySelector(".state.here"));
  if (text) say(text);
}

function take(letter) {
  if (!letter) return;
  const from = stateName(play.now.state);
  const edge = play.step(letter);
  if (!edge) return;
  play.undone = [];
  const number = play.letters.length - 1;
  const lost = (play.now.lost ?? []).map((i) => `; ${machine().clauses[i].role} lost: ${machine().clauses[i].text}`);
  changed(`Step ${number}: ${from} to ${stateName(edge.next)}, ${stepText(number)}${lost.join("")}`);
}

function choose(number) {
  shown = number;
  play = new Play(machine());
  document.querySelectorAll(".drawing").forEach((part) => (part.hidden = part.id !== `drawing-${shown}`));
  showHead();
  showAs(mode === "drawing" && !machine().drawn ? "table" : mode);
  $("as-drawing").disabled = !machine().drawn;
  changed(`Now playing: ${machine().about}`);
}

function showAs(next) {
  mode = next;
  for (const [name, part] of [["drawing", "canvas"], ["table", "table"], ["line", "line"]]) {
    $(`as-${name}`).setAttribute("aria-pressed", String(name === mode));
    $(part).hidden = name !== mode;
  }
  if (mode === "table") showTable();
  else if (mode === "line") showLine();
  else look();
}

function repeat() {
  const back = play.recurrence();
  if (back === null) return;
  play.back = back;
  changed(`The play repeats from step ${back}`);
  showHistory();
}

function saveAs(document, name) {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say(`The trace was saved as ${name}`);
}

const save = () => saveAs(play.document(data), "trace.json");

function load(text) {
  const kept = play;
  play = new Play(machine());
  try {
    play.follow(JSON.parse(text));
    changed(`The trace was played: ${play.letters.length} step${play.letters.length === 1 ? "" : "s"}`);
  } catch (error) {
    play = kept;
    changed();
    say(`The trace was not played: ${error.message}`);
  }
}

const undo = () => { play.undo(); changed("One step back"); };
const redo = () => { if (play.redo()) changed("One step forward again"); };
const reset = () => { play.undo(play.letters.length); changed("Back at the start"); };
const step = () => take(preview());
const clicks = {
  step, undo, redo, reset, loop: repeat, export: save, theme,
  "as-table": () => showAs("table"), "as-drawing": () => showAs("drawing"), "as-line": () => showAs("line"),
  "zoom-in": () => zoom(1.25), "zoom-out": () => zoom(0.8),
  "zoom-fit": () => { const found = view(); if (found) { fit(found); look(); } },
};
for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
$("search").addEventListener("input", find);
$("load").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) load(await file.text());
  event.target.value = "";
});
$("choices").addEventListener("submit", (event) => event.preventDefault());

const keys = {
  Enter: step, " ": step, u: undo, Backspace: undo, r: redo, "0": clicks["zoom-fit"], "+": clicks["zoom-in"],
  "-": clicks["zoom-out"], t: () => showAs("table"), d: () => machine().drawn && showAs("drawing"), i: () => showAs("line"),
  l: repeat, e: () => !$("export").disabled && save(), Home: reset,
  c: compare, b: () => whatIf !== null && !isGiven() && ifClicks["if-back"](),
  n: () => isGiven() && !whatIf.isFixed && choosePreset((whatIf.presets.findIndex((_, i) => whatIf.is(i)) + 1) % whatIf.presets.length),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape" && event.target === $("search")) {
    $("search").value = "";
    find();
    $("search").blur();
    return;
  }
  if (typing) return;
  if (event.key === "/") {
    event.preventDefault();
    $("search").focus();
    return;
  }
  const pressed = event.target.closest("button, input, a, summary, label");
  if ((event.key === "Enter" || event.key === " ") && pressed) return;
  if (/^[1-9]$/.test(event.key)) {
    const edge = edgesHere()[Number(event.key) - 1];
    if (edge) take(letterOf(edge));
    return;
  }
  const arrows = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  if (event.key in arrows && event.target === $("canvas")) {
    event.preventDefault();
    pan(...arrows[event.key]);
    return;
  }
  const act = keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

clicked = (group) => {
  const here = drawnPath().pop();
  const { edges } = (machine().places ?? machine().states)[here] ?? { edges: [] };
  const to = Number(group.dataset.to ?? group.dataset.state);
  if (group.dataset.from !== undefined && Number(group.dataset.from) !== here) return;
  const edge = edges.find((one) => one.next === to && letterOf(one));
  if (edge) take(letterOf(edge));
};

for (const id of ["story", "happened"]) {
  const text = $(id);
  text?.replaceChildren(...coded(text.textContent));
}
document.documentElement.classList.add("live");
choose(0);
if (data.trace) {
  load(JSON.stringify(data.trace));
  marked = JSON.stringify(play.letters);
  given = [...play.letters];
  if (data.remarks) {
    changed(`${play.letters.length} turns were played: u and r step back and forth`);
  }
  if (data.whatIf && play.letters.length > 0) {
    whatIf = new WhatIf(machines[0], data.whatIf);
    showAs("line");
    showIf();
  }
}
