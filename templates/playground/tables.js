// Plays as tables, and explanations of unrealizable specifications.

import { h, prose } from "./dom.js";

const cell = (value) => {
  if (value === true) return h("td", { class: "on" }, "●", h("span", { class: "sr" }, "true"));
  if (value === false) return h("td", { class: "off" }, "·", h("span", { class: "sr" }, "false"));
  return h("td", {}, value === undefined ? "" : h("code", {}, String(value)));
};

function table(caption, letters, repeats) {
  const columns = [...new Set(letters.flatMap((letter) => Object.keys(letter)))];
  // A cell has an update in its column; `(x)` is the test of a cell x.
  const isCell = (column) => letters.some((letter) => typeof letter[column] === "string");
  const heading = (column) => {
    const tested = /^\((.*)\)$/.exec(column)?.[1];
    if (isCell(column)) return `${column} <-`;
    return tested !== undefined && isCell(tested) ? tested : column;
  };
  const row = (letter, i) =>
    h(
      "tr",
      { class: repeats !== undefined && i >= repeats ? "repeats" : undefined },
      h("th", { scope: "row" }, repeats === i ? `${i} ↻` : String(i)),
      columns.map((column) => cell(Object.hasOwn(letter, column) ? letter[column] : undefined)),
    );
  return h(
    "table",
    {},
    h("caption", { class: repeats === undefined ? "sr" : undefined }, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Step"), columns.map((column) => h("th", { scope: "col" }, h("code", {}, heading(column)))))),
    h("tbody", {}, letters.map(row)),
  );
}

const loops = (from) => `The steps from ${from} on (↻) repeat for ever.`;

/** An effect to explain: that an update of a cell in the trace, else the last output, finally happens. */
export function effectOf({ prefix = [], loop = [] }) {
  const [found] = [...loop, ...prefix].flatMap((letter) => {
    const update = Object.entries(letter).find(([cell, value]) => typeof value === "string" && value !== cell);
    return update ? [`F [${update[0]} <- ${update[1]}]`] : [];
  });
  const last = Object.keys({ ...prefix.at(-1), ...loop.at(-1) }).at(-1);
  return found ?? (last === undefined ? null : `F ${last}`);
}

/** A trace as a table. */
export function playTable({ prefix = [], loop = [] }) {
  const from = loop.length > 0 ? prefix.length : undefined;
  return table(from === undefined ? "The play" : `The play. ${loops(from)}`, [...prefix, ...loop], from);
}

function clauses(list, tool) {
  const item = (one, i) => {
    const text = [h("span", { class: "where" }, `${list.length > 1 ? `${i + 1}.` : ""} ${one.start ? `${one.start.line}:${one.start.column}` : ""} `.trimStart()), h("code", {}, one.text)];
    return h("li", {}, one.start ? h("button", { type: "button", class: "finding", onclick: () => tool.show(one) }, text) : text);
  };
  return h("ol", { class: "clauses" }, list.map(item));
}

/** Clauses at fault. They are numbered, because sentences cite long ones by their numbers. */
export function core({ minimal, guarantees, assumptions }, tool) {
  const many = guarantees.length > 1;
  const words = many ? `These ${guarantees.length} guarantees cannot be kept together` : "This guarantee cannot be kept";
  const parts = [h("p", {}, minimal && many ? `${words}; without any one of them the others can:` : `${words}:`), clauses(guarantees, tool)];
  if (assumptions.length > 0) parts.push(h("p", {}, "The environment keeps these assumptions all the same:"), clauses(assumptions, tool));
  return parts;
}

/** Why there is no controller; `item` makes a repair an item of a list. */
export function explanation(answer, item, tool) {
  const parts = [];
  if (answer.sentence) parts.push(h("p", { class: "reason" }, ...prose(answer.sentence)));
  for (const one of answer.cores) parts.push(h("h2", {}, "Clauses at fault"), ...core(one, tool));
  if (answer.repairs.length > 0) {
    parts.push(h("h2", {}, "What would help"), h("p", {}, "Each of these was checked: with it there is a controller."), h("ul", { class: "repairs" }, answer.repairs.map(item)));
  }
  if (answer.play) {
    // A cell may be tested and updated in one step.
    const cells = new Set(answer.play.steps.flatMap(({ updates }) => Object.keys(updates)));
    const tests = (inputs) => Object.fromEntries(Object.entries(inputs).map(([name, value]) => [cells.has(name) ? `(${name})` : name, value]));
    const letters = answer.play.steps.map(({ inputs, updates, outputs }) => ({ ...tests(inputs), ...updates, ...outputs }));
    const from = answer.play.loop;
    parts.push(h("h2", {}, "A play that the environment wins"), table(from === undefined ? "The play" : `The play. ${loops(from)}`, letters, from));
    for (const { clause: failed, answer: given } of answer.play.failures) {
      const how = given === undefined ? "whatever the answer is" : `with the answer ${given}, for one`;
      parts.push(h("p", {}, h("code", {}, failed.text), ` fails: ${from === undefined ? `in the last step, ${how}` : "the loop never fulfills it"}.`));
    }
  }
  return parts.length > 0 ? parts : [h("p", {}, "There is nothing to explain.")];
}
