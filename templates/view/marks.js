// Where a play is in the drawing: `machines` and `play` are those of the page.

const machine = () => machines[shown];
const stateName = (state) => machine().states[state].name;

// A step in one line: its inputs, its updates and outputs.
function stepText(i) {
  const { atoms, inputs, outputs, cells } = machine();
  const letter = play.letters[i];
  const truth = (atom) => (atoms[atom].hidden ? [] : [`${letter[atom] === 1 ? "" : "!"}${atoms[atom].name}`]);
  const given = inputs.flatMap(truth);
  const updates = cells.flatMap((cell, number) => {
    const option = cell.options.findIndex((atom) => letter[atom] === 1);
    return cell.hidden || option < 0 || keeps(cell.terms[option], number) ? [] : [atoms[cell.options[option]].name];
  });
  const done = updates.concat(outputs.flatMap((atom) => (letter[atom] === 1 ? [atoms[atom].name] : [])));
  return `${given.join(", ") || "–"} / ${done.join(", ") || "–"}`;
}

// The state of the drawing after each step: that of the machine, or a state with values of cells.
function drawnPath() {
  const { places } = machine();
  const states = play.points.slice(0, play.letters.length + 1).map(({ state }) => state);
  if (!places) return states;
  let here = 0;
  const path = [here];
  play.letters.forEach((letter, i) => {
    const edge = places[here]?.edges.find(({ guard }) => machine().contains(guard, letter));
    // An input that breaks an assumption has no edge.
    here = edge ? edge.next : places.findIndex(({ state }) => state === states[i + 1]);
    path.push(here);
  });
  return path;
}

function mark(next, letter) {
  const svg = drawing();
  if (!svg) return;
  const path = drawnPath();
  const state = path[path.length - 1];
  const last = path.length > 1 ? [path[path.length - 2], state] : null;
  const { places } = machine();
  const chosen = places && letter ? places[state]?.edges.find(({ guard }) => machine().contains(guard, letter)) : next;
  svg.querySelectorAll(".state").forEach((group) => {
    group.classList.toggle("here", Number(group.dataset.state) === state);
  });
  svg.querySelectorAll(".edge").forEach((group) => {
    const [from, to] = [Number(group.dataset.from), Number(group.dataset.to)];
    group.classList.toggle("taken", last !== null && from === last[0] && to === last[1]);
    group.classList.toggle("open", from === state);
    group.classList.toggle("next", Boolean(chosen) && from === state && to === chosen.next);
  });
}
