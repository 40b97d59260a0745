// The page: sessions event by event, as a time line and as a table, and the automata that read them.

const data = JSON.parse($("data").textContent);
const automata = data.automata.map((automaton, number) => new Followed(automaton, number));
const sessions = data.sessions.map((session) => new Session(session, automata));
if (data.kind !== "plan") sessions.push(new Session({ name: "By hand", events: [] }, automata, true));
const isLaw = data.kind === "law";
const happening = data.kind === "plan" ? "Step" : "Event";

// Columns of the time line and rows of the table that are shown at once.
const WINDOW = 80;
const ROWS = 400;
const signs = { violated: "✗", "currently-violated": "○", "currently-satisfied": "–", satisfied: "✓" };
const rulings = { allow: "✓", warn: "!", ask: "?", deny: "✗" };
const said = { allow: "allowed", warn: "allowed with a warning", ask: "a person is asked", deny: "refused" };
const plainWord = (standing) => standing.replaceAll("-", " ");
const sign = (standing) => signs[standing] ?? (isLaw ? "?" : "●");
let session = sessions[0];
let mode = "line";
let ticked = new Set();

const letterText = ({ holds, bound }) => {
  const names = holds.map((atom) => data.atoms[atom]).join(" & ") || "(nothing)";
  return bound ? `${names} [${bound.map(([name, value]) => `${name}=${value}`).join(", ")}]` : names;
};
const lawName = (number) => automata[number].name;

// The parts of the page.

function showNow() {
  const { last } = session;
  const count = session.events.length;
  const word = happening.toLowerCase();
  if (count === 0) $("now").textContent = session.isByHand ? "By hand, at the beginning" : session.name;
  else if (last === null) $("now").textContent = `Before the first of ${count} ${word}${count === 1 ? "" : "s"}`;
  else $("now").textContent = `${happening} ${session.at} of ${count}${session.isByHand || !isLaw ? "" : `, line ${last.line}`}`;
  const lines = [];
  const line = (title, ...parts) => lines.push(element("dt", {}, title), element("dd", {}, ...parts));
  if (last !== null) {
    line(last.kind, last.what);
    for (const letter of last.letters ?? []) line("letter", letterText(letter));
    for (const note of last.notes ?? []) line("note", note);
    if (last.aside) line("note", "this is no part of the session");
    if (last.owed) line("owed", last.owed.length > 0 ? last.owed.map(lawName).join(", ") : "nothing");
  }
  $("happened").replaceChildren(...lines);
  const broken = last?.violated ?? [];
  $("violated").hidden = broken.length === 0;
  $("violated").textContent = broken.length === 0 ? "" : `✗ Violates ${broken.map(lawName).join(", ")}`;
  const ruling = last?.ruling;
  $("gate").hidden = !ruling;
  if (ruling) {
    const by = ruling.by ? ` by ${ruling.by.join(", ")}` : "";
    $("gate-said").textContent = `${rulings[ruling.verdict] ?? ""} ${ruling.then ? "It said" : "It would say"}: ${said[ruling.verdict] ?? ruling.verdict}${by}`;
    $("gate-said").className = ruling.verdict;
    $("gate-reason").textContent = ruling.reason ?? "";
  }
  for (const id of ["back", "first"]) $(id).disabled = session.at === 0;
  for (const id of ["next", "last"]) $(id).disabled = session.at === count;
  $("bad").disabled = !session.events.slice(session.at).some((event) => session.isBad(event));
  showHand();
}

// The input of the user: the atoms that some automaton tests, or the edges from the present state.
function showHand() {
  $("hand").hidden = !session.isByHand;
  if (!session.isByHand) return;
  const form = $("choices");
  const focused = document.activeElement?.id;
  if (!isLaw) {
    const [automaton] = automata;
    const { state } = session.now.moves[0].at[0];
    const edges = automaton.edges.filter((edge) => edge.from === state);
    form.replaceChildren(...edges.map((edge, i) => element("button", {
      type: "button", id: `edge-${i}`, class: "past", on: { click: () => follow(edge) },
    }, element("kbd", {}, String(i + 1)), ` ${automaton.states[edge.to].name}`)));
    if (edges.length === 0) form.append(element("p", { class: "quiet" }, "Nothing follows."));
    $("take").hidden = true;
    return;
  }
  form.replaceChildren(...data.offered.map((atom) => {
    const box = element("input", {
      type: "checkbox", id: `atom-${atom}`, checked: ticked.has(atom),
      on: { change: (event) => tick(atom, event.target.checked) },
    });
    return element("div", { class: "choice" }, box, element("label", { for: `atom-${atom}` }, data.atoms[atom]));
  }));
  if (focused?.startsWith("atom-")) $(focused)?.focus();
}

// Sets or clears an atom; atoms that conflict with a true one are cleared.
function tick(atom, holds) {
  if (!holds) ticked.delete(atom);
  else {
    ticked.add(atom);
    for (const [a, b] of data.conflicts) {
      if (a === atom) ticked.delete(b);
      if (b === atom) ticked.delete(a);
    }
  }
  showHand();
}

// A list of the automata with their standings.
function showLaws() {
  const list = $("laws");
  const focused = document.activeElement?.id;
  list.replaceChildren();
  for (const number of session.shown) {
    const automaton = automata[number];
    const move = session.now.moves[number];
    const [, says] = automaton.about[0] ?? ["", ""];
    const parts = [
      element("span", { class: "sign", "aria-hidden": "true" }, sign(move.standing)),
      element("span", {},
        element("span", { class: "role" }, isLaw ? `${automaton.role}, ${plainWord(move.standing)}` : plainWord(move.standing)),
        element("span", { class: "name" }, automaton.name),
        says ? element("span", { class: "says" }, ...coded(says)) : null,
        owing(automaton, move)),
    ];
    const button = element("button", {
      type: "button", id: `law-${number}`, class: `law ${move.standing.split(" ")[0]}`, "aria-pressed": String(number === shown),
      on: { click: () => choose(number) },
    }, ...parts);
    list.append(element("li", {}, button));
  }
  if (focused?.startsWith("law-")) $(focused)?.focus();
}

// The shortest continuation that fulfills the open obligation of a law.
function owing(automaton, move) {
  if (!isLaw || !move.standing.startsWith("currently-violated")) return null;
  const owed = move.at.find(({ state }) => automaton.states[state].standing === "currently-violated");
  const way = owed && automaton.wayOut(owed.state);
  if (!way) return null;
  const of = owed.copies && owed.copies.length > 0 ? ` (${owed.copies.join("; ")}${owed.more ? ` and ${owed.more} more` : ""})` : "";
  const steps = way.flatMap((when, i) => [i > 0 ? ", then " : "", element("code", {}, when)]);
  return element("span", { class: "rest" }, `owed${of}: `, ...steps);
}

function showAbout() {
  const automaton = automata[shown];
  $("about-title").textContent = automaton.name;
  const lines = automaton.about.flatMap(([title, text]) => [element("dt", {}, title), element("dd", {}, ...coded(text))]);
  if (automaton.each.length > 0) lines.push(element("dt", {}, "For each"), element("dd", {}, automaton.each.join(", ")));
  $("about-law").replaceChildren(...lines);
  const { at } = session.now.moves[shown];
  const places = at.map(({ state, copies, more }) => {
    const { name, standing } = automaton.states[state];
    const of = copies ? `: ${copies.join("; ")}${more ? ` and ${more} more` : ""}` : "";
    return element("li", {}, element("code", {}, name), `${standing && isLaw ? ` ${plainWord(standing)}` : ""}${of}`);
  });
  $("places").replaceChildren(...places);
}

// Marks the present states and the edges of the last step in the drawing.
function mark() {
  const svg = drawing();
  if (!svg) return;
  const automaton = automata[shown];
  const here = new Set(session.now.moves[shown].at.map(({ state }) => state));
  const before = new Set(session.at === 0 ? [] : session.point(session.at - 1).moves[shown].at.map(({ state }) => state));
  const moved = session.last?.moves?.some((move) => move.of === shown);
  svg.querySelectorAll(".state").forEach((group) => {
    const state = Number(group.dataset.state);
    group.classList.toggle("here", here.has(state));
    group.dataset.standing = automaton.states[state].standing;
  });
  svg.querySelectorAll(".edge").forEach((group) => {
    const [from, to] = [Number(group.dataset.from), Number(group.dataset.to)];
    group.classList.toggle("taken", Boolean(moved) && before.has(from) && here.has(to) && !before.has(to));
    group.classList.toggle("open", group.dataset.from !== undefined && here.has(from));
  });
}

// The time line: a column for each event, a row for each automaton.
function showLine() {
  const from = Math.max(0, Math.min(session.at - WINDOW / 2, session.events.length - WINDOW));
  const events = session.events.slice(from, from + WINDOW).map((event, i) => ({ event, count: from + i + 1 }));
  if (from === 0) events.unshift({ event: { kind: "", what: "before the first event" }, count: 0 });
  const column = ({ event, count }, ...content) => element("td", {
    class: `${count === session.at ? "at" : ""}${event.aside ? " aside" : ""}`, "data-count": String(count),
  }, ...content);
  const head = element("tr", {}, element("th", { scope: "col" }, happening), ...events.map(({ event, count }) => element("th", {
    scope: "col", class: count === session.at ? "at" : "", "data-count": String(count), title: `${event.kind}: ${event.what}`,
  }, String(count))));
  const kinds = element("tr", { class: "kinds" }, element("th", { scope: "row" }, "What"),
    ...events.map((one) => column(one, element("span", { class: "kind" }, one.event.kind))));
  const rows = data.kind === "plan" ? [] : [kinds];
  if (events.some(({ event }) => event.ruling)) {
    rows.push(element("tr", { class: "gate" }, element("th", { scope: "row" }, "The gate"), ...events.map((one) => {
      const verdict = one.event.ruling?.verdict;
      if (!verdict) return column(one);
      const cell = column(one, element("span", { "aria-hidden": "true" }, rulings[verdict] ?? verdict), element("span", { class: "sr" }, said[verdict] ?? verdict));
      cell.classList.add(verdict);
      return cell;
    })));
  }
  const standing = (one, word, isNew) => {
    if (word === "") return column(one);
    const cell = column(one, element("span", { "aria-hidden": "true" }, sign(word)), element("span", { class: "sr" }, plainWord(word)));
    cell.classList.add(word.split(" ")[0]);
    if (isNew) cell.classList.add("since");
    return cell;
  };
  if (isLaw && automata.length > 1 && !session.isByHand) {
    rows.push(element("tr", { class: "joint" }, element("th", { scope: "row" }, "All hard laws"),
      ...events.map((one) => standing(one, session.point(one.count).joint, false))));
  }
  for (const number of session.shown) {
    const name = element("th", { scope: "row", class: number === shown ? "at" : "" }, automata[number].name);
    rows.push(element("tr", { "data-law": String(number) }, name, ...events.map((one) => {
      const move = session.point(one.count).moves[number];
      if (!isLaw) {
        const state = move.at[0].state;
        const changed = one.event.moves?.some(({ of }) => of === number);
        return column(one, changed ? automata[number].states[state].name : "");
      }
      return standing(one, move.standing, one.event.violated?.includes(number));
    })));
  }
  $("line-head").replaceChildren(head);
  $("line-rows").replaceChildren(...rows);
  $("key").textContent = session.events.length === 0
    ? (session.isByHand ? "Nothing happened yet." : "")
    : `${session.events.length > WINDOW ? `Events ${events[0].count} to ${events[events.length - 1].count} of ${session.events.length}. ` : ""}${isLaw ? "✗ violated, ○ currently violated (owed), – currently satisfied, ✓ satisfied for ever; the gate: ✓ allowed, ! warned, ? asked, ✗ refused." : ""}`;
  const current = $("line-head").querySelector(".at");
  if (current) {
    const box = $("line");
    const left = current.offsetLeft - box.clientWidth / 2;
    box.scrollLeft = Math.max(0, left);
  }
}

// The table of events.
function showTable() {
  const query = $("search").value.trim().toLowerCase();
  const body = $("rows");
  body.replaceChildren();
  let found = 0;
  session.events.forEach((event, i) => {
    const letters = (event.letters ?? []).map(letterText).join("; ");
    const verdict = event.ruling?.verdict ?? "";
    const broken = (event.violated ?? []).map(lawName).join(", ");
    const texts = [String(event.line), event.kind, event.what, letters, said[verdict] ?? verdict, broken];
    if (query && !texts.some((text) => text.toLowerCase().includes(query))) return;
    found += 1;
    if (found > ROWS) return;
    const row = element("tr", { class: i + 1 === session.at ? "here" : "", "data-count": String(i + 1) },
      element("th", { scope: "row" }, String(i + 1)), element("td", {}, event.kind), element("td", {}, event.what),
      element("td", {}, element("code", {}, letters || "–")));
    if (isLaw) {
      row.append(element("td", { class: verdict }, verdict ? `${rulings[verdict] ?? ""} ${said[verdict] ?? verdict}` : "–"),
        element("td", { class: broken ? "loss" : "" }, broken ? `✗ ${broken}` : "–"));
    }
    body.append(row);
  });
  $("more").textContent = found > ROWS ? `${found} events, the first ${ROWS} of them: narrow the search` : `${found} event${found === 1 ? "" : "s"}`;
  body.querySelector(".here")?.scrollIntoView({ block: "nearest" });
}

function showAs(next) {
  mode = next;
  for (const [name, part] of [["line", "line"], ["table", "table"]]) {
    $(`as-${name}`).setAttribute("aria-pressed", String(name === mode));
    $(part).hidden = name !== mode;
  }
  if (mode === "table") showTable();
  else showLine();
}

// Actions of the user.

function changed(text) {
  showNow();
  showLaws();
  showAbout();
  showAs(mode);
  mark();
  reveal(drawing()?.querySelector(".state.here"));
  if (text) say(text);
}

function told() {
  const { last } = session;
  if (last === null) return `Before the first ${happening.toLowerCase()}`;
  const broken = (last.violated ?? []).map((law) => `; violates ${lawName(law)}`).join("");
  const verdict = last.ruling ? `; the gate: ${said[last.ruling.verdict] ?? last.ruling.verdict}` : "";
  return `${happening} ${session.at}: ${last.what}${broken}${verdict}`;
}

function go(count) {
  session.go(count);
  // If the automata are not laws, an automaton that moved is shown.
  const moved = session.last?.moves?.map((move) => move.of) ?? [];
  if (!isLaw && moved.length > 0 && !moved.includes(shown)) show(moved[0]);
  changed(told());
}

function nextBad() {
  const place = session.events.findIndex((event, i) => i >= session.at && session.isBad(event));
  if (place < 0) return say("Nothing goes wrong after this event");
  const [law] = session.events[place].violated ?? [];
  if (law !== undefined) show(law);
  return go(place + 1);
}

function take() {
  if (!isLaw) return;
  const atoms = [...ticked].sort((a, b) => a - b);
  session.take(atoms, atoms.map((atom) => data.atoms[atom]));
  ticked = new Set();
  changed(told());
}

function follow(edge) {
  session.follow(automata[0], edge);
  changed(told());
}

// Enter and Space: the next event, or at the end of the session by hand the letter that is chosen.
const forward = () => (session.isByHand && session.at === session.events.length ? take() : go(session.at + 1));

function show(number) {
  shown = number;
  document.querySelectorAll(".drawing").forEach((part) => (part.hidden = part.id !== `drawing-${shown}`));
  look();
}

function choose(number) {
  if (!session.shown.includes(number)) return;
  show(number);
  changed(`${automata[number].name}: ${plainWord(session.now.moves[number].standing)}`);
}

function open(number) {
  session = sessions[number];
  $("session").value = String(number);
  if (!session.shown.includes(shown)) show(session.shown[0]);
  changed(`Session ${session.name}`);
}

function find() {
  if (mode !== "table") showAs("table");
  else showTable();
}

const clicks = {
  next: forward, back: () => go(session.at - 1), first: () => go(0), last: () => go(session.events.length), bad: nextBad, take, theme,
  "as-table": () => showAs("table"), "as-line": () => showAs("line"),
  "zoom-in": () => zoom(1.25), "zoom-out": () => zoom(0.8),
  "zoom-fit": () => { const found = view(); if (found) { fit(found); look(); } },
};
for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
$("search").addEventListener("input", find);
$("choices").addEventListener("submit", (event) => event.preventDefault());
$("session").replaceChildren(...sessions.map(({ name }, i) => element("option", { value: String(i) }, name)));
$("session").addEventListener("change", (event) => open(Number(event.target.value)));
$("sessions").hidden = sessions.length < 2;
for (const id of ["line", "rows"]) {
  $(id).addEventListener("click", (event) => {
    const cell = event.target.closest("[data-count]");
    const law = event.target.closest("[data-law]");
    if (law) show(Number(law.dataset.law));
    if (cell) go(Number(cell.dataset.count));
    else if (law) choose(Number(law.dataset.law));
  });
}

const back = clicks.back;
const keys = {
  Enter: forward, " ": forward, ArrowRight: forward, ArrowLeft: back, u: back, Backspace: back, r: () => go(session.at + 1),
  Home: clicks.first, End: clicks.last, v: nextBad, h: () => data.kind !== "plan" && open(sessions.length - 1),
  s: () => open((sessions.indexOf(session) + 1) % sessions.length),
  "0": clicks["zoom-fit"], "+": clicks["zoom-in"], "-": clicks["zoom-out"],
  t: () => showAs("table"), i: () => showAs("line"),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && event.target === $("search")) {
    $("search").value = "";
    find();
    $("search").blur();
    return;
  }
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
  if (event.key === "/") {
    event.preventDefault();
    $("search").focus();
    return;
  }
  const pressed = event.target.closest("button, input, a, summary, label");
  if ((event.key === "Enter" || event.key === " ") && pressed) return;
  if (/^[1-9]$/.test(event.key)) {
    if (session.isByHand && !isLaw) {
      $(`edge-${Number(event.key) - 1}`)?.click();
      return;
    }
    const law = session.shown[Number(event.key) - 1];
    if (law !== undefined) choose(law);
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
  if (!session.isByHand || isLaw) return;
  const { state } = session.now.moves[shown].at[0];
  const to = Number(group.dataset.to ?? group.dataset.state);
  const edge = automata[shown].edges.find((one) => one.from === state && one.to === to);
  if (edge) follow(edge);
};

for (const note of $("notes").children) note.replaceChildren(...coded(note.textContent));
document.documentElement.classList.add("live");
show(session.shown[0]);
open(0);
