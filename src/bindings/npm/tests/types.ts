// Uses the types of the package as programs do; compiled with `tsc --strict`, and not run.
import { generateText, tool } from "ai";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import { Denied, Gate, Policy, Store, runtime, type Decision, type Heard, type Verdict } from "tsl-synth";
import { Guard } from "tsl-synth/ai-sdk";
import { load } from "tsl-synth/bare";
import { check, synthesize, type Answer } from "tsl-synth/engine";
import { guard } from "tsl-synth/mcp";

const policy: Policy = Policy.load("policy.toml");
const gate = new Gate(policy, { session: "s", store: Store.files("state", { durable: true }), approve: async () => true });
const decision: Decision = gate.propose("refund", { order: 7 }, { id: "c1" });
const verdict: Verdict = decision.verdict;
if (decision.allowed && decision.ticket !== null) {
  const heard: Heard = gate.commit(decision.ticket, { ok: null, result: { done: true } });
  console.log(heard.broken.length, verdict, runtime === "native");
}
const refund = gate.tool(async ({ order }: { order: number }) => order + 1, { name: "refund" });
const refunded: Promise<number> = refund({ order: 7 });
const explained: Promise<number | string> = gate.tool(({ order }: { order: number }) => order, { name: "r", explain: true })({ order: 7 });
// @ts-expect-error -- the argument has another type.
void refund({ order: "seven" });
// @ts-expect-error -- policies are made by `load` and `parse`.
void new Policy();
// @ts-expect-error -- a list of actions is no permission.
const instead: boolean = decision.instead;
const answer: Answer = check("always guarantee { a; }", { language: "tsl" });
console.log(refunded, explained, instead, answer.realizable, synthesize("always guarantee { a; }").text, Denied, load);

const ai = new Guard(policy, { approvals: true });
const tools = ai.tools({ refund: tool({ inputSchema: z.object({ order: z.number() }), execute: ({ order }) => order }) });
export const later = (model: Parameters<typeof generateText>[0]["model"]) => ai.run(generateText, { model, tools, prompt: "hello" });
export const text = async (model: Parameters<typeof generateText>[0]["model"]): Promise<string> => (await later(model)).text;

const [transport] = InMemoryTransport.createLinkedPair();
export const guarded: Transport = guard(transport, policy, { server: "shop", side: "client" });
