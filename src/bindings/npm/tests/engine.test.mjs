// Questions about specifications.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import * as node from "tsl-synth/engine";
import { load } from "tsl-synth/engine-bare";

const LAMP = "always guarantee { press -> [lamp <- on()]; !press -> [lamp <- lamp]; }";
const IMPOSSIBLE = "always guarantee { [x <- a()]; p -> [x <- b()]; }";
const bytes = readFileSync(createRequire(import.meta.url).resolve("tsl-synth/engine.wasm"));

for (const [name, engine] of [["node", node], ["bare", await load(bytes)]]) {
  const { check, explain, synthesize } = engine;

  test(`verdicts (${name})`, () => {
    assert.equal(check(LAMP).realizable, true);
    const answer = check(IMPOSSIBLE);
    assert.deepEqual([answer.verdict, answer.realizable], ["UNREALIZABLE", false]);
    assert.match(answer.reason, /\[x <- b\(\)\]/);
    const formula = check("G (request -> X grant) && G (grant -> X !grant)", { language: "ltl", outputs: ["grant"] });
    assert.equal(formula.verdict, "UNREALIZABLE");
    assert(explain(IMPOSSIBLE).document.cores.length > 0);
    assert.equal(check({ name: "formula.ltl", text: "G (a -> b)" }, { outputs: ["b"] }).realizable, true);
    assert.equal(check(LAMP, { work: 1 }).verdict, "UNKNOWN");
  });

  test(`errors of a text (${name})`, () => {
    const answer = check("always guarantee { a && ; }");
    assert.equal(answer.verdict, "ERROR");
    assert(answer.findings.length > 0);
  });

  test(`code (${name})`, () => {
    const { text, files } = synthesize(LAMP, "js");
    assert.match(text, /class Controller/);
    assert(Object.values(files).includes(text));
    assert.throws(() => synthesize(IMPOSSIBLE), node.SpecificationError);
    assert.throws(() => synthesize(LAMP, "cobol"), node.SpecificationError);
  });

  test(`pages (${name})`, () => assert.match(check(LAMP).page(), /<html/));
}
