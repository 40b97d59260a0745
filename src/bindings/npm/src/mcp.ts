/**
 * The gate before an MCP server or client in TypeScript: a transport around another one.
 *
 * Run with @modelcontextprotocol/sdk 1.32.2. How to use it in a server:
 *
 *     await server.connect(guard(new StdioServerTransport(), "policy.toml", { server: "shop", store: "state" }));
 *
 * Calls of tools are decided before the server reads them. A refused call is answered with its reason, and an answer of
 * the server tells the gate how the call ended. Tools that the policy never permits are left out of lists of tools. With
 * `side: "client"` the transport is that of a client, and calls are decided before they are sent. It is the code of
 * `tsl-synth shield --proto mcp`.
 */
import { ask, backend, owns } from "./backend.js";
import type { Gate } from "./gate.js";
import type { Policy } from "./policy.js";
import { gateOf, type SeatOptions } from "./seat.js";

/* eslint-disable @typescript-eslint/no-explicit-any -- types of the SDK, which differ between its versions */
/** A transport of the SDK, as far as it is used here. */
export interface Transport {
  start(): Promise<void>;
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: any, extra?: any) => void) | undefined;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** Options of a guard. */
export interface GuardOptions extends SeatOptions {
  /** The name of the server in the policy. */
  server: string;
  /** Whose transport it is; default: the server's. */
  side?: "server" | "client";
  /** Told what an operator should know, such as violations that are only warned about. */
  note?: (text: string) => void;
}

interface Step {
  forward: boolean;
  text?: string;
  answers: string[];
  notes: string[];
}

/** A transport with the gate before the calls of tools. `policy` is a policy, the file of a policy, or a gate. */
export function guard(transport: Transport, policy: Gate | Policy | string, options: GuardOptions): Transport {
  const { server, side = "server", note = () => undefined, ...rest } = options;
  return new Guarded(transport, gateOf(policy, rest), server, side === "server", note);
}

class Guarded implements Transport {
  readonly #own: Transport;
  /** Keeps the gate reachable. */
  readonly #gate: Gate;
  readonly #proxy: number;
  readonly #isServer: boolean;
  readonly #note: (text: string) => void;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: any, extra?: any) => void) | undefined;

  constructor(own: Transport, gate: Gate, server: string, isServer: boolean, note: (text: string) => void) {
    const request = { ask: "proxy", gate: gate.number, server, prefix: backend().newName() };
    this.#own = own;
    this.#gate = gate;
    this.#proxy = owns(this, ask<{ number: number }>(request).number);
    this.#isServer = isServer;
    this.#note = note;
  }

  get sessionId(): string | undefined {
    return this.#own.sessionId;
  }

  get setProtocolVersion(): ((version: string) => void) | undefined {
    return this.#own.setProtocolVersion?.bind(this.#own);
  }

  /** The gate. */
  get gate(): Gate {
    return this.#gate;
  }

  async start(): Promise<void> {
    this.#own.onclose = () => {
      this.#gone();
      this.onclose?.();
    };
    this.#own.onerror = (error) => this.onerror?.(error);
    this.#own.onmessage = (message, extra) => this.#received(message, extra);
    await this.#own.start();
  }

  #step(message: unknown, isOfClient: boolean): Step {
    const line = JSON.stringify(message);
    const step = ask<Step>({ ask: isOfClient ? "from-client" : "from-server", proxy: this.#proxy, line });
    step.notes.forEach((text) => this.#note(text));
    return step;
  }

  #received(message: unknown, extra: unknown): void {
    let step: Step;
    try {
      step = this.#step(message, this.#isServer);
    } catch (error) {
      // Nothing was decided: what could be a call is not passed on.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      if (this.#isServer) this.#reply(refused(message)).catch((failed: Error) => this.onerror?.(failed));
      else this.onmessage?.(message, extra);
      return;
    }
    for (const answer of step.answers) {
      this.#reply(JSON.parse(answer)).catch((error: Error) => this.onerror?.(error));
    }
    if (step.forward) this.onmessage?.(step.text === undefined ? message : JSON.parse(step.text), extra);
  }

  async #reply(message: unknown): Promise<void> {
    if (message !== undefined) await this.#own.send(message);
  }

  async send(message: unknown, options?: unknown): Promise<void> {
    let step: Step;
    try {
      step = this.#step(message, !this.#isServer);
    } catch (error) {
      if (!this.#isServer) throw error;
      // The answers of a server are passed on in any case.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      step = { forward: true, answers: [], notes: [] };
    }
    if (step.forward) await this.#own.send(step.text === undefined ? message : JSON.parse(step.text), options);
    for (const answer of step.answers) this.onmessage?.(JSON.parse(answer));
  }

  async close(): Promise<void> {
    this.#gone();
    await this.#own.close();
  }

  /** The outcome of calls that were not answered is unknown. */
  #gone(): void {
    try {
      ask({ ask: "server-gone", proxy: this.#proxy });
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** The answer to a message about which nothing was decided. */
function refused(message: unknown): unknown {
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  if (id === undefined || typeof method !== "string") return undefined;
  return { jsonrpc: "2.0", id, error: { code: -32603, message: "the gate failed, and nothing was decided" } };
}
