/** The gate where neither files nor addresses of modules are at hand: its module of WebAssembly is given to `load`. */
import { use } from "./backend.js";
import { moduleOf, wasmGate, type Source } from "./wasm.js";

export { Decision, Gate } from "./gate.js";
export type { Approve, Arguments, GateDocument, GateOptions, Heard, Outcome, ToolOptions, Verdict } from "./gate.js";
export { ApprovalNeeded, Denied, GateError, PolicyError, TslSynthError } from "./errors.js";
export type { Finding } from "./errors.js";
export { Policy, Store } from "./policy.js";
export { Seat } from "./seat.js";
export type { Source } from "./wasm.js";

const WITHOUT_FILES = "there are no files here, so sessions are in memory only: `Store.memory()`";

/** Loads the gate from `gate.wasm` of this package: a module, its bytes, or a response that has them. */
export async function load(source: Source | Promise<Source>): Promise<void> {
  use(wasmGate(await moduleOf(source), WITHOUT_FILES, { newName: () => crypto.randomUUID() }));
}
