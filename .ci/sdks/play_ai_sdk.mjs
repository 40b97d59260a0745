// The adapter for the AI SDK with a scripted model: see world.py.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [scenario, adapter, packages] = process.argv.slice(2);
const resolved = (name) => import(pathToFileURL(createRequire(join(packages, "x.js")).resolve(name)));
const { generateText, isStepCount, streamText, tool } = await resolved("ai");
const { MockLanguageModelV4 } = await resolved("ai/test");
const { z } = await resolved("zod");
const { Guard } = await import(pathToFileURL(adapter));
const { turns, tools: names, argument } = JSON.parse(readFileSync(new URL("scenarios.json", import.meta.url)))[scenario.split("-")[0]];
const effects = [];
const read = [];

async function act(name, value) {
  if (name === "make_payment") {
    if (value === "L1" && !effects.some(([what]) => what === "failed")) {
      effects.push(["failed", name, value]);
      throw new Error("the bank did not answer");
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  effects.push(["done", name, value]);
  return `${name} ${value}: done`;
}

const unit = { total: 1, noCache: 1 };

/** The next answer of the model. */
async function doGenerate({ prompt }) {
  read.push(JSON.stringify(prompt));
  const turn = turns[read.length - 1] ?? "There is nothing left.";
  const content =
    typeof turn === "string"
      ? [{ type: "text", text: turn }]
      : turn.map(([toolCallId, toolName, value]) => {
          return { type: "tool-call", toolCallId, toolName, input: JSON.stringify({ [argument]: value }) };
        });
  const unified = typeof turn === "string" ? "stop" : "tool-calls";
  return { content, finishReason: { unified, raw: unified }, usage: { inputTokens: unit, outputTokens: unit }, warnings: [] };
}

/** The same answer as a stream. */
async function doStream(options) {
  const { content, finishReason, usage } = await doGenerate(options);
  const parts = content.flatMap((part) => {
    const id = "t";
    const texts = [{ type: "text-start", id }, { type: "text-delta", id, delta: part.text }, { type: "text-end", id }];
    return part.type === "text" ? texts : [part];
  });
  const all = [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
  return { stream: ReadableStream.from(all) };
}

const model = new MockLanguageModelV4({ doGenerate, doStream });

const approves = scenario === "approved";
const guard = new Guard({ approvals: approves });
const made = names.map((name) => {
  const inputSchema = z.object({ [argument]: z.string() });
  return [name, tool({ description: "Does it.", inputSchema, execute: (input) => act(name, input[argument]) })];
});
const options = { model, tools: guard.tools(Object.fromEntries(made)), stopWhen: isStepCount(20) };
const task = { ...options, prompt: "Serve the lines." };
const streams = scenario === "telecom-stream";
const result = streams ? await streamText(task).consumeStream() : await guard.run(generateText, task);
if (approves) {
  const content = result.content
    .filter((part) => part.type === "tool-approval-request")
    .map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved: true }));
  effects.push(["approved", "", ""]);
  const messages = [{ role: "user", content: "Serve the lines." }, ...result.responseMessages, { role: "tool", content }];
  await guard.run(generateText, { ...options, messages });
}
console.log(JSON.stringify({ effects, read }));
