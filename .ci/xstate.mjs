// Plays the trace that `simulate` wrote on the machine in XState, and compares the answers.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createActor } from "xstate";

const [file, trace, spec] = process.argv.slice(2);
const { machine, names, step } = await import(`${pathToFileURL(resolve(file))}?${Date.now()}`);
const { prefix, loop = [] } = JSON.parse(readFileSync(trace, "utf8"));
const letters = [...prefix, ...loop];

const fail = (what) => {
  console.error(`${spec}: ${what}`);
  process.exit(1);
};
const cells = new Set(Object.values(names.cells));
// For a cell with a range, a trace has its value, "count = 2"; the inputs of the machine are its binary digits,
// "(count % 4) > 1" and "(count % 2) = 1", and are computed from it.
const digit = (letter, term) => {
  const [, cell, modulus, comparison, bound] = /^\(?(\S+?)(?: % (\d+)\))? (=|>) (-?\d+)$/.exec(term) ?? [];
  const said = Object.keys(letter).find((key) => key.startsWith(`${cell} = `) && letter[key] === true);
  if (cell === undefined || said === undefined) return undefined;
  const number = Number(said.slice(cell.length + 3));
  const rest = modulus === undefined ? number : number % Number(modulus);
  return comparison === "=" ? rest === Number(bound) : rest > Number(bound);
};
const value = (letter, term) => letter[cells.has(term) ? `(${term})` : term] ?? digit(letter, term);

const actor = createActor(machine);
actor.start();
for (const [number, letter] of letters.entries()) {
  const inputs = {};
  for (const [name, term] of Object.entries(names.inputs)) {
    inputs[name] = value(letter, term);
    if (typeof inputs[name] !== "boolean") fail(`step ${number}: the trace does not say ${term}`);
  }
  actor.send(step(inputs));
  const { answer } = actor.getSnapshot().context;
  for (const [name, term] of Object.entries(names.outputs)) {
    if ((answer.outputs[name] === true) !== value(letter, term)) fail(`step ${number}: ${term} differs`);
  }
  for (const [name, cell] of Object.entries(names.cells)) {
    if (answer.updates[name] !== letter[cell]) {
      fail(`step ${number}: ${cell} is set to ${answer.updates[name]} instead of ${letter[cell]}`);
    }
  }
}
