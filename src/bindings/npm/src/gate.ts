/** Gates. */
import { ask, askLater, backend, owns } from "./backend.js";
import { ApprovalNeeded, Denied } from "./errors.js";
import { jsonOrNothing } from "./json.js";
import { Policy, Store } from "./policy.js";

/** `ask`: a person must approve. */
export type Verdict = "allow" | "warn" | "ask" | "deny";

/** The arguments of a call. */
export type Arguments = object;

/** The answer of the gate with all details: `tsl-synth help shield` lists its fields. */
export type GateDocument = Readonly<Record<string, unknown>>;

interface Decided {
  verdict: Verdict;
  isAllowed: boolean;
  reason: string;
  by: string[];
  allowed: string[] | null;
  owed: string[];
  ticket: string | null;
  document: GateDocument;
}

/** The decision about a call, or about the end of the session. */
export class Decision {
  readonly verdict: Verdict;
  /** Whether the call may be made without the approval of a person. */
  readonly allowed: boolean;
  /** Why, in sentences for the model and for people; empty only if the call is simply allowed. */
  readonly reason: string;
  /** The ids of the laws that the verdict is due to. */
  readonly by: readonly string[];
  /** The actions that are allowed instead of a call that is not. */
  readonly instead: readonly string[];
  /** The laws that would be violated if the session ended here, as far as they were determined. */
  readonly owed: readonly string[];
  /** Identifies the call in `commit`; null if it is denied. */
  readonly ticket: string | null;
  /** The id of the call. */
  readonly id: string | null;
  /** Whether the verdict is recorded and not enforced. */
  readonly shadow: boolean;
  /** The answer with all details. */
  readonly document: GateDocument;

  /** @internal */
  constructor(decided: Decided) {
    this.verdict = decided.verdict;
    this.allowed = decided.isAllowed === true;
    this.reason = decided.reason;
    this.by = decided.by;
    this.instead = decided.allowed ?? [];
    this.owed = decided.owed;
    this.ticket = decided.ticket;
    this.id = (decided.document["id"] as string | undefined) ?? null;
    this.shadow = decided.document["shadow"] === true;
    this.document = decided.document;
  }
}

/** What an event that is no proposal did to the session. */
export interface Heard {
  /** The laws that are violated since this event. */
  readonly broken: readonly string[];
  /** At the close of a session, the laws that are violated because of it. */
  readonly owed: readonly string[];
  /** What is wrong with the event. */
  readonly faults: readonly string[];
}

/** How a call ended: well, with a failure, or with an outcome that is not known. */
export interface Outcome {
  /** Default: true; null if it is not known. */
  ok?: boolean | null;
  /** What the call returned; it is not reported if JSON does not have it. */
  result?: unknown;
}

/** Asks a person about a call. */
export type Approve = (tool: string, args: Arguments, decision: Decision) => boolean | Promise<boolean>;

/** Options of a gate. */
export interface GateOptions {
  /** The session, which is continued if the store has it; without a name it is a new one. */
  session?: string | undefined;
  /** A store or the folder of its files; without it, the session is in the memory of this gate. */
  store?: Store | string | undefined;
  /** Calls are decided and recorded, and all are allowed. */
  shadow?: boolean | undefined;
  /** Asked by tools of this gate about calls that a person must approve. */
  approve?: Approve | undefined;
  /**
   * The folder in which commands run, for the scripts that they run (`read_scripts` in the policy) and for probes. Without it
   * scripts with relative paths are not read, and only probes with a folder of their own are run; in WebAssembly no script is
   * read and no probe is run.
   */
  folder?: string | undefined;
}

/** Options of a tool. */
export interface ToolOptions {
  /** The name of the tool; default: that of the function. */
  name?: string;
  /** The MCP server of the tool. */
  server?: string;
  /** A call that is not permitted returns the reason, for a model to read, instead of throwing `Denied`. */
  explain?: boolean;
}

/** Where a call comes from. */
export interface CallOptions {
  /** The id that the caller has for the call. */
  id?: string | undefined;
  /** The MCP server of the tool. */
  server?: string | undefined;
  /** Who proposes, if the session has several agents. */
  agent?: string | undefined;
}

/** Gates that wait for an answer, which are in use though nothing else refers to them. */
const waiting = new Map<Gate, number>();

const proposed = (tool: string, args: Arguments | string, { id, server, agent }: CallOptions) => {
  const given = typeof args === "string" ? { argumentsText: args } : { arguments: args };
  return { tool, ...given, id, server, agent };
};
const told = ({ ok = true, result }: Outcome) => ({ ok, result: jsonOrNothing(result) });

/**
 * The gate of one session. Several gates of one session agree if they have one store, also those of other processes.
 * Decisions are synchronous: nothing happens between a question and its answer. The methods with `Async` decide in another
 * thread, in no particular order, so that the program goes on while another process decides about the same session; in
 * WebAssembly they decide at once.
 */
export class Gate {
  readonly #number: number;
  readonly #approve: Approve | undefined;
  /** The name of the session. */
  readonly session: string;

  constructor(policy: Policy, { session, store, shadow = false, approve, folder }: GateOptions = {}) {
    if (!(policy instanceof Policy)) throw new TypeError("the first argument of `Gate` is a `Policy`");
    const home = store === undefined ? Store.memory() : typeof store === "string" ? Store.files(store) : store;
    this.session = session ?? backend().newName();
    const request = { ask: "gate", policy: policy.number, store: home.number, session: this.session, shadow, folder };
    this.#number = owns(this, ask<{ number: number }>(request).number);
    this.#approve = approve;
  }

  /** @internal */
  get number(): number {
    return this.#number;
  }

  #ask<Answer>(what: string, more: Record<string, unknown> = {}): Answer {
    return ask<Answer>({ ask: what, gate: this.#number, ...more });
  }

  async #askLater<Answer>(what: string, more: Record<string, unknown> = {}): Promise<Answer> {
    waiting.set(this, (waiting.get(this) ?? 0) + 1);
    try {
      return await askLater<Answer>({ ask: what, gate: this.#number, ...more });
    } finally {
      const others = (waiting.get(this) ?? 1) - 1;
      if (others > 0) waiting.set(this, others);
      else waiting.delete(this);
    }
  }

  /**
   * Decides whether a call may be made. Arguments are an object, or a text in JSON. Throws if there is no decision; the
   * call must then not be made.
   */
  propose(tool: string, args: Arguments | string = {}, options: CallOptions = {}): Decision {
    return new Decision(this.#ask("propose", proposed(tool, args, options)));
  }

  /** `propose` in another thread. */
  async proposeAsync(tool: string, args: Arguments | string = {}, options: CallOptions = {}): Promise<Decision> {
    return new Decision(await this.#askLater("propose", proposed(tool, args, options)));
  }

  /** Reports how the call with a ticket ended. */
  commit(ticket: string, outcome: Outcome = {}): Heard {
    return this.#ask("commit", { ticket, ...told(outcome) });
  }

  /** `commit` in another thread. */
  commitAsync(ticket: string, outcome: Outcome = {}): Promise<Heard> {
    return this.#askLater("commit", { ticket, ...told(outcome) });
  }

  /** Reports how the call with an id of the caller ended. */
  result(id: string, outcome: Outcome = {}): Heard {
    return this.#ask("result", { id, ...told(outcome) });
  }

  /** `result` in another thread. */
  resultAsync(id: string, outcome: Outcome = {}): Promise<Heard> {
    return this.#askLater("result", { id, ...told(outcome) });
  }

  /** Reports which propositions hold. */
  observe(truths: Record<string, boolean>): Heard {
    return this.#ask("observe", { truths });
  }

  /** `observe` in another thread. */
  observeAsync(truths: Record<string, boolean>): Promise<Heard> {
    return this.#askLater("observe", { truths });
  }

  /** Reports a message of the `user` or the `agent`. */
  message(text: string, role: "user" | "agent" | "assistant" = "user"): Heard {
    return this.#ask("message", { text, role });
  }

  /** `message` in another thread. */
  messageAsync(text: string, role: "user" | "agent" | "assistant" = "user"): Promise<Heard> {
    return this.#askLater("message", { text, role });
  }

  /** Reports that time passed. */
  tick(): Heard {
    return this.#ask("tick");
  }

  /** `tick` in another thread. */
  tickAsync(): Promise<Heard> {
    return this.#askLater("tick");
  }

  /** Decides whether the agent may stop: it may not while it owes something. */
  end(): Decision {
    return new Decision(this.#ask("end"));
  }

  /** `end` in another thread. */
  async endAsync(): Promise<Decision> {
    return new Decision(await this.#askLater("end"));
  }

  /**
   * Reports that the session is over; `owed` are the laws that are violated because of that. With `remove`, the session is
   * removed from its store, and its name is that of a new one; other gates of the session must not be in use.
   */
  close({ remove = false }: { remove?: boolean } = {}): Heard {
    return this.#ask("close", { remove });
  }

  /** `close` in another thread. */
  closeAsync({ remove = false }: { remove?: boolean } = {}): Promise<Heard> {
    return this.#askLater("close", { remove });
  }

  /** The actions that are allowed now, the laws that deny the others, and what is owed. */
  options(): GateDocument {
    return this.#ask("options");
  }

  /** Closes the session at the end of a block: `await using gate = new Gate(..)`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeAsync();
  }

  /** Closes the session at the end of a block: `using gate = new Gate(..)`. */
  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * A tool that runs only if the gate permits the call. The tool takes its arguments as one object; what follows is
   * passed on. A call that is not permitted throws `Denied`; with `explain` it returns the reason, for a model to read.
   */
  tool<Given extends Arguments, Rest extends unknown[], Result>(
    tool: (args: Given, ...rest: Rest) => Result,
    options: ToolOptions & { explain: true },
  ): (args: Given, ...rest: Rest) => Promise<Awaited<Result> | string>;
  tool<Given extends Arguments, Rest extends unknown[], Result>(
    tool: (args: Given, ...rest: Rest) => Result,
    options?: ToolOptions,
  ): (args: Given, ...rest: Rest) => Promise<Awaited<Result>>;
  tool<Given extends Arguments, Rest extends unknown[], Result>(
    tool: (args: Given, ...rest: Rest) => Result,
    { name = tool.name, server, explain = false }: ToolOptions = {},
  ): (args: Given, ...rest: Rest) => Promise<Awaited<Result> | string> {
    if (name === "") throw new TypeError("the tool has no name: `gate.tool(f, { name: .. })`");
    return async (given, ...rest): Promise<Awaited<Result> | string> => {
      const args: unknown = given ?? {};
      if (typeof args !== "object" || Array.isArray(args)) throw new TypeError(`${name} takes its arguments as one object`);
      const decision = this.propose(name, args as object, { server });
      if (!decision.allowed && !(await this.#isApproved(name, args as object, decision))) {
        if (explain) return decision.reason;
        throw decision.verdict === "ask" ? new ApprovalNeeded(decision) : new Denied(decision);
      }
      const ticket = String(decision.ticket);
      let result: Awaited<Result>;
      try {
        result = await tool(given, ...rest);
      } catch (error) {
        // What was canceled may have had an effect.
        const isCanceled = error instanceof Error && error.name === "AbortError";
        this.commit(ticket, { ok: isCanceled ? null : false, result: String(error) });
        throw error;
      }
      this.commit(ticket, { result });
      return result;
    };
  }

  async #isApproved(tool: string, args: Arguments, decision: Decision): Promise<boolean> {
    if (decision.verdict !== "ask" || decision.ticket === null) return false;
    return (await this.#approve?.(tool, args, decision)) === true;
  }
}
