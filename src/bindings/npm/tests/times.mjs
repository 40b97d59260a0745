// A table of decision times in microseconds: proposals and commits, by the number of rules of the policy and by the
// number of calls of the session.
//
//     node times.mjs
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as native from "tsl-synth";
import { rules } from "./policies.mjs";

const TRIES = 300;
const wasm = process.argv.includes("--wasm");
const own = wasm ? await import("tsl-synth/bare") : native;
if (wasm) await own.load(readFileSync(createRequire(import.meta.url).resolve("tsl-synth/gate.wasm")));
const { Gate, Policy, Store } = own;

function microseconds(act) {
  const start = process.hrtime.bigint();
  const result = act();
  return [Number(process.hrtime.bigint() - start) / 1_000, result];
}

/** The times of the last proposals of sessions with this many calls, over several sessions. */
function measured(make, count, length) {
  const [proposals, commits] = [[], []];
  const kept = Math.max(1, Math.min(Math.floor(length / 10), 100));
  while (proposals.length < TRIES) {
    const gate = make();
    for (let n = 0; n < length; n += 1) {
      const rule = (n >> 1) % count;
      const [spent, decision] = microseconds(() => gate.propose(n % 2 === 0 ? `first_${rule}` : `then_${rule}`, { n }));
      if (!decision.allowed) throw new Error(decision.reason);
      const [also] = microseconds(() => gate.commit(decision.ticket));
      if (n >= length - kept) {
        proposals.push(spent);
        commits.push(also);
      }
    }
  }
  return [proposals, commits];
}

function row(times) {
  const ordered = times.sort((a, b) => a - b);
  const place = (share) => Math.round(ordered[Math.floor(ordered.length * share)]).toString().padStart(6);
  return `${place(0.5)} ${place(0.99)}`;
}

console.log(`${wasm ? "wasm" : native.runtime}, microseconds: median and 99th percentile`);
console.log("rules  calls  store       propose        commit   compile [ms]");
const folder = mkdtempSync(join(tmpdir(), "tsl-synth-"));
for (const count of [10, 100, 1_000]) {
  const [compiled, policy] = microseconds(() => {
    const read = Policy.parse(rules(count));
    new Gate(read);
    return read;
  });
  const stores = { memory: Store.memory(), ...(wasm || native.runtime === "wasm" ? {} : { files: Store.files(folder) }) };
  for (const [name, store] of Object.entries(stores)) {
    for (const length of [1, 100, 1_000]) {
      const [proposals, commits] = measured(() => new Gate(policy, { store }), count, length);
      const head = [String(count).padStart(5), String(length).padStart(6), ` ${name.padEnd(7)}`].join(" ");
      console.log(`${head} ${row(proposals)} ${row(commits)}   ${(compiled / 1_000).toFixed(0).padStart(6)}`);
    }
  }
}
rmSync(folder, { recursive: true });
