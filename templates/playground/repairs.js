// Repairs of unrealizable specifications: in words, and as changes of the text.

import { h, prose } from "./dom.js";

const quoted = (text) => `\`${text}\``;
const list = (parts) => parts.join(" and ");

/** A repair in a sentence; code is in backticks. */
function repairWords({ assume, weaken, idle }) {
  const parts = [];
  if (assume.length > 0) parts.push(`${assume[0].endsWith("}") ? "add" : "assume"} ${list(assume.map(quoted))}`);
  for (const { clause, with: other } of weaken) {
    if (other !== undefined) parts.push(`write ${quoted(other)} instead of ${quoted(clause.text)}`);
  }
  const dropped = weaken.filter((change) => change.with === undefined);
  if (dropped.length > 0) parts.push(`drop ${list(dropped.map(({ clause }) => quoted(clause.text)))}`);
  const vacuous = idle.length > 0 ? ` (this makes ${list(idle.map(({ text }) => quoted(text)))} vacuous)` : "";
  const sentence = `${parts.join(", and ")}${vacuous}`;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}

/** The range of a whole clause with its semicolon; `null` where the clause is only a part of what is written there. */
function whole(text, { from, to }) {
  const before = text.slice(0, from).replaceAll(/\/\/.*$/gm, "").replaceAll(/\/\*[^]*?\*\//g, "");
  const end = /^\s*;/.exec(text.slice(to));
  if (!/(^|[{};])\s*$/.test(before) || end === null) return null;
  return { from, to: to + end[0].length };
}

/** The changes of a text that make a repair; `null` where they are not known. */
function applied({ assume, weaken }, { text, name, range }) {
  const added = [...assume, ...weaken.flatMap((change) => change.with ?? [])];
  // In TLSF what is added has a section of its own.
  if (name.endsWith(".tlsf") || added.some((section) => !section.endsWith("}"))) return null;
  const changes = [];
  for (const { clause } of weaken) {
    const place = clause.start && clause.file === name ? whole(text, range(clause)) : null;
    if (place === null) return null;
    changes.push({ ...place, insert: "" });
  }
  if (added.length > 0) {
    changes.push({ from: text.length, insert: `${text.endsWith("\n") ? "" : "\n"}\n${added.join("\n")}\n` });
  }
  return changes;
}

/** A repair as an item of a list, with a button that applies it to the text if that is possible. */
export function repairItem(repair, tool) {
  const changes = applied(repair, tool);
  const button = h("button", { type: "button", onclick: () => tool.apply(changes) }, "Apply");
  return h("li", {}, h("span", {}, ...prose(repairWords(repair))), changes === null ? "" : button);
}
