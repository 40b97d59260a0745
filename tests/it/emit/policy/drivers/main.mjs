// Runs scripts through emitted monitors: letters, what follows them, snapshots.

import assert from "node:assert";
import { readFileSync } from "node:fs";

const text = (code) => Buffer.from(code.slice(1), "hex").toString("utf8");
const words = (field) => field.split(" ").filter((word) => word !== "");
const pairs = (field, value) =>
  Object.fromEntries(words(field).map((pair) => pair.split("=")).map(([name, rest]) => [text(name), value(rest)]));

function shown(module, state) {
  const digit = (word) => module.VERDICTS.indexOf(word);
  const laws = module.LAWS.map((_, law) => digit(module.verdict(state, law))).join("");
  return `${laws} ${digit(module.joint(state))} ${Number(state.overflowed)}`;
}

function refuses(monitor, module, snapshot) {
  const before = monitor.snapshot();
  assert.throws(() => monitor.restore(snapshot), module.ForeignSnapshot);
  assert.equal(monitor.snapshot(), before);
}

let total = 0;
const stems = words(readFileSync("index.txt", "utf8").replaceAll("\n", " "));
const modules = await Promise.all(stems.map((stem) => import(`./${stem}.js`)));
for (const [number, module] of modules.entries()) {
  const other = modules[(number + 1) % modules.length];
  let monitor = new module.Monitor();
  for (const line of readFileSync(`${stems[number]}.script`, "utf8").trimEnd().split("\n")) {
    if (line === "R") {
      monitor.reset();
      continue;
    }
    if (line === "S") {
      const saved = monitor.snapshot();
      monitor = new module.Monitor();
      for (const bad of [new other.Monitor().snapshot(), "", "[]", "{}", "null", '{"machine": 1}']) {
        refuses(monitor, module, bad);
      }
      const broken = JSON.parse(saved);
      broken.laws[0][0].state = 2 ** 40;
      refuses(monitor, module, JSON.stringify(broken));
      monitor.restore(saved);
      assert.equal(monitor.snapshot(), saved);
      continue;
    }
    const [atoms, time, bindings, amounts, expected] = line.split("\t");
    const letter = {
      true: words(atoms).map(text),
      bindings: pairs(bindings, text),
      amounts: pairs(amounts, (amount) => amount),
      time: time === "-" ? undefined : Number(time),
    };
    let pure;
    if (total % 7 === 0) {
      const before = monitor.snapshot();
      pure = module.step(monitor.state, letter);
      assert.equal(monitor.snapshot(), before);
      assert.throws(() => monitor.step({ true: [module.ATOMS[0][0], "no such atom"] }), module.BadLetter);
      assert.equal(monitor.snapshot(), before);
    }
    const joint = monitor.step(letter);
    assert.equal(shown(module, monitor.state), expected, `${stems[number]}: ${line}`);
    assert.equal(joint, monitor.joint());
    if (pure !== undefined) assert.deepEqual(pure, monitor.state);
    const violated = monitor.verdicts().filter(([, verdict]) => verdict === "violated");
    assert.equal(violated.length, monitor.violations().length);
    total += 1;
  }
  for (const [amount, tenths] of [["0.1", 1n], ["1e3", 10000n], [2, 20n], [0.5, 5n], ["1.50", 15n], [3n, 30n]]) {
    assert.equal(module.units(amount) * 10n, tenths * 10n ** BigInt(module.SCALE));
  }
  for (const amount of ["-1", NaN, "1.", ".5", "", "1e-30", true, "1e99999", "٣"]) {
    assert.throws(() => module.units(amount), module.BadLetter);
  }
}
console.log("letters", total);
