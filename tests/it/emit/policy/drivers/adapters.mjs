// The adapter for the AI SDK, which imports nothing but the gate: each line of index.txt is the name of one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

let count = 0;
for (const line of readFileSync("index.txt", "utf8").trim().split("\n")) {
  const { Guard } = await import(`./${JSON.parse(line)}`);
  const effects = [];
  const act = (name) => async (input) => {
    if (input.fails) throw new Error("no money");
    effects.push(`${name} ${input.line_id}`);
    return "done";
  };
  const parts = {
    async *execute(input) {
      yield "half";
      effects.push(`make_payment ${input.line_id}`);
      yield "all";
    },
  };
  const guard = new Guard();
  const tools = guard.tools({ make_payment: { execute: act("make_payment") }, resume_line: { execute: act("resume_line") } });
  const call = (tool, input, toolCallId) => Promise.resolve().then(() => tool.execute(input, { toolCallId, messages: [] }));
  await assert.rejects(call(tools.resume_line, { line_id: "L1" }, "a"), /paid-before-lift/);
  await assert.rejects(call(tools.make_payment, { line_id: "L1", fails: true }, "b"), /no money/);
  await assert.rejects(call(tools.resume_line, { line_id: "L1" }, "c"), /paid-before-lift/);
  const pending = call(tools.make_payment, { line_id: "L1" }, "b");
  await assert.rejects(call(tools.resume_line, { line_id: "L1" }, "d"), /paid-before-lift/);
  assert.equal(await pending, "done");
  assert.equal(await call(tools.resume_line, { line_id: "L1" }, "e"), "done");
  assert.deepEqual(effects, ["make_payment L1", "resume_line L1"]);
  // Results in parts.
  const streaming = guard.tools({ make_payment: parts });
  const seen = [];
  for await (const part of await call(streaming.make_payment, { line_id: "L2" }, "f")) seen.push(part);
  assert.deepEqual(seen, ["half", "all"]);
  assert.equal(await call(tools.resume_line, { line_id: "L2" }, "g"), "done");
  // What cannot be written as JSON is refused, and so is what the gate does not answer.
  const endless = {};
  endless.endless = endless;
  await assert.rejects(call(tools.make_payment, endless, "h"), /not asked/);
  await assert.rejects(call(tools.make_payment, { line_id: 1n }, "i"), /not asked/);
  for (const answer of ["", "null", "[]", '"allow"', '{"verdict":"maybe"}', '{"verdict":["allow"]}', '{"verdict":"ask"}']) {
    guard.seat.gate = { line: () => answer };
    await assert.rejects(call(tools.make_payment, { line_id: "L1" }, "j"), Error, answer);
  }
  assert.throws(() => guard.tools({ elsewhere: {} }), TypeError);
  assert.equal(effects.length, 4);
  count += 1;
}
console.log(`adapters ${count}`);
