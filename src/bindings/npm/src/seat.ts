/** Gates for the adapters: an answer without permission is a denial. */
import { Decision, Gate, type GateOptions } from "./gate.js";
import { Policy } from "./policy.js";

/** Options of a gate behind an adapter. */
export type SeatOptions = Pick<GateOptions, "session" | "store" | "shadow">;

/** The gate of a session: a gate, or one that is made for a policy or the file of a policy. */
export function gateOf(given: Gate | Policy | string, options: SeatOptions): Gate {
  if (given instanceof Gate) return given;
  return new Gate(typeof given === "string" ? Policy.load(given) : given, options);
}

/**
 * The gate of one session, for a loop of your own: what is asked and told never throws. `judge` before a call, `tell`
 * after it, `owed` where the agent wants to stop. A gate that fails is a denial.
 */
export class Seat {
  readonly #ended = new Map<string, number>();

  constructor(readonly gate: Gate) {}

  /** The id of a call for the gate. The id of a call that has ended may be used again. */
  #name(call: string): string {
    const ended = this.#ended.get(call) ?? 0;
    return ended > 0 ? `${call} ${ended}` : call;
  }

  /** `ask`: a person must approve; `warn` of the gate is `allow`. */
  judge(tool: string, args: unknown, call: string, server?: string): { verdict: "allow" | "ask" | "deny"; reason: string } {
    let decision: Decision;
    try {
      decision = this.gate.propose(tool, args as object, { id: this.#name(call), server });
    } catch (error) {
      return { verdict: "deny", reason: `the gate was not asked: ${error instanceof Error ? error.name : "error"}` };
    }
    if (!(decision instanceof Decision)) return { verdict: "deny", reason: "the gate gave no permission" };
    if (decision.allowed === true) return { verdict: "allow", reason: "" };
    if (decision.verdict === "ask" && decision.ticket !== null) {
      return { verdict: "ask", reason: `${decision.reason}\nNobody has approved, so the call does not run.` };
    }
    return { verdict: "deny", reason: decision.reason };
  }

  /** Reports the outcome of a call: success, failure, or null if it is not known. */
  tell(call: string, ok: boolean | null, result?: unknown): void {
    const name = this.#name(call);
    this.#ended.set(call, (this.#ended.get(call) ?? 0) + 1);
    for (const told of [result, undefined]) {
      try {
        this.gate.result(name, { ok, result: told });
        return;
      } catch {
        // Without the result, which may be too long.
      }
    }
  }

  /** Reports a message of the user or the agent. */
  say(text: unknown, role: "user" | "agent"): void {
    if (typeof text !== "string" || text === "") return;
    try {
      this.gate.message(text, role);
    } catch {
      // The next proposal reports that the gate fails.
    }
  }

  /** Why the gate refuses the end, as often in a row as the policy says; null if it does not, or fails. */
  owed(): string | null {
    try {
      const decision = this.gate.end();
      return decision.allowed ? null : decision.reason || "something is owed";
    } catch {
      return null;
    }
  }
}
