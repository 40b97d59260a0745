// Each request of each script to the gate of its policy; differences to the answer of `shield` are printed.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const policies = readFileSync("index.txt", "utf8").trim().split("\n").map((line) => line.split(" "));
let [different, requests] = [0, 0];
const times = new Map();
// The scripts so many times; the times are those of the last one.
const rounds = Number(process.argv[2] ?? 1);
for (let round = 0; round < rounds; round++) for (const [stem, name] of policies) {
  const { Gate } = await import(`./${stem}.js`);
  let gate = new Gate();
  const before = different;
  for (const line of readFileSync(`${stem}.script`, "utf8").split("\n")) {
    if (line === "") continue;
    if (line === "S") {
      const saved = gate.snapshot();
      gate = new Gate();
      gate.restore(saved);
      if (gate.snapshot() !== saved) throw new Error("another snapshot");
      continue;
    }
    const [request, expected] = line.split("\t");
    const start = process.hrtime.bigint();
    const text = gate.line(request);
    const took = Number(process.hrtime.bigint() - start) / 1e3;
    const [own, answer] = [JSON.parse(text), JSON.parse(expected)];
    requests += 1;
    if (answer.answer === "error" && answer.reason.includes("no event")) {
      [own.reason, own.session] = [answer.reason, answer.session];
    }
    if (round === rounds - 1 && request.includes('"event":"propose"')) {
      if (!times.has(answer.verdict)) times.set(answer.verdict, []);
      times.get(answer.verdict).push(took);
    }
    if (!isDeepStrictEqual(own, answer)) {
      different += 1;
      if (different - before <= 2) {
        console.log(name, request);
        for (const key of new Set([...Object.keys(own), ...Object.keys(answer)])) {
          if (!isDeepStrictEqual(own[key], answer[key])) {
            console.log("   ", key, "\n      own   ", own[key], "\n      shield", answer[key]);
          }
        }
      }
    }
  }
}
for (const [verdict, taken] of times) {
  taken.sort((a, b) => a - b);
  console.log(verdict, taken.length, "median", taken[taken.length >> 1].toFixed(1), "us");
}
console.log("requests", requests, "policies", policies.length, "different", different);
