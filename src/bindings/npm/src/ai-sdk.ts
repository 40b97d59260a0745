/**
 * The gate before the tools of the AI SDK (`ai`).
 *
 * Run with ai 7.0.173. How to use it, one guard for each conversation:
 *
 *     const guard = new Guard("policy.toml", { session: "s1", store: "state" });
 *     const tools = guard.tools({ first, second });
 *     const result = await guard.run(generateText, { model, tools, stopWhen: isStepCount(20), prompt: "what the user says" });
 *
 * A refused call does not run, and the model reads why. With `approvals: true` a verdict `ask` stops for a person
 * (`needsApproval`), and a call that was approved runs. `guard.run` asks the gate whether the agent may stop;
 * `guard.tools` also works with `streamText` and agents, whose end the gate does not check. Not stopped: tools that run
 * at the provider; tools that are not in `guard.tools`. If messages come from a client, approvals are only as safe as
 * `experimental_toolApprovalSecret` makes them.
 */
import type { Gate } from "./gate.js";
import type { Policy } from "./policy.js";
import { Seat, gateOf, type SeatOptions } from "./seat.js";

/* eslint-disable @typescript-eslint/no-explicit-any -- types of `ai`, which differ between its versions */
interface AnyTool {
  execute?: ((input: any, options: any) => any) | undefined;
  needsApproval?: any;
}
interface Part {
  type: string;
  text?: string;
  toolCallId?: string;
  approvalId?: string;
  approved?: boolean;
  isAutomatic?: boolean;
}
interface Message {
  role: string;
  content: string | readonly Part[];
}
interface CallOptions {
  toolCallId: string;
  messages?: readonly Message[];
  abortSignal?: AbortSignal;
}

/** Options of a guard. */
export interface GuardOptions extends SeatOptions {
  /** Calls that a person must approve wait for that; without it they are refused. */
  approvals?: boolean;
}

/** The gate before the tools of one conversation. */
export class Guard {
  readonly #approvals: boolean;
  readonly #asked = new Set<string>();
  readonly seat: Seat;

  /** `policy` is a policy, the file of a policy, or a gate. */
  constructor(policy: Gate | Policy | string, { approvals = false, ...options }: GuardOptions = {}) {
    this.seat = new Seat(gateOf(policy, options));
    this.#approvals = approvals;
  }

  /** The tools with the gate before each call. Tools without `execute` run elsewhere, and are refused. */
  tools<Tools extends Record<string, any>>(tools: Tools): Tools {
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, this.#behind(name, tool)])) as Tools;
  }

  #behind(name: string, tool: AnyTool): AnyTool {
    const run = tool?.execute;
    if (typeof run !== "function") {
      throw new TypeError(`the gate does not see calls of ${name}: leave it out, or add it yourself`);
    }
    const needsApproval = async (input: unknown, options: CallOptions): Promise<boolean> => {
      const own: unknown =
        typeof tool.needsApproval === "function" ? await tool.needsApproval(input, options) : tool.needsApproval;
      const call = options.toolCallId;
      const needed = Boolean(own) || (this.#approvals && this.seat.judge(name, input, call).verdict === "ask");
      if (needed) this.#asked.add(call);
      return needed;
    };
    const execute = (input: unknown, options: CallOptions): unknown => {
      const call = options.toolCallId;
      const { verdict, reason } = this.seat.judge(name, input, call);
      const isPersons = verdict === "ask" && this.#asked.has(call) && isApproved(options.messages, call);
      if (verdict !== "allow" && !isPersons) throw new Error(reason);
      const failed = (error: unknown): never => {
        const why = error instanceof Error ? error.message : String(error);
        this.seat.tell(call, options.abortSignal?.aborted === true ? null : false, why);
        throw error;
      };
      const done = <Result>(result: Result): Result => {
        this.seat.tell(call, true, result);
        return result;
      };
      try {
        const result: unknown = run.call(tool, input, options);
        if (isStream(result)) return streamed(result, done, failed);
        return Promise.resolve(result).then(done, failed);
      } catch (error) {
        return failed(error);
      }
    };
    return { ...tool, needsApproval, execute };
  }

  /** Runs `generateText` until the agent may stop; its open obligations are sent to it as often as the policy says. */
  async run<Options extends Record<string, any>, Result>(
    generateText: (options: any) => PromiseLike<Result>,
    { prompt, messages, ...options }: Options,
  ): Promise<Result> {
    const first: unknown = messages ?? (typeof prompt === "string" ? [{ role: "user", content: prompt }] : (prompt ?? []));
    let told = first as readonly Message[];
    const last = told.at(-1);
    if (last?.role === "user") this.seat.say(textOf(last.content), "user");
    for (;;) {
      const result = await generateText({ ...options, messages: told });
      const { content, text, responseMessages } = result as { content?: Part[]; text?: string; responseMessages?: Message[] };
      if (content?.some((part) => part.type === "tool-approval-request" && !part.isAutomatic)) return result;
      this.seat.say(text, "agent");
      const why = this.seat.owed();
      if (why === null) return result;
      told = [...told, ...(responseMessages ?? []), { role: "user", content: why }];
    }
  }
}

function textOf(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("\n");
}

/** Whether a person has approved this call in the answer to the latest request about it. */
function isApproved(messages: readonly Message[] | undefined, call: string): boolean {
  const parts = (messages ?? []).flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const requests = parts.filter((part) => part.type === "tool-approval-request" && part.toolCallId === call);
  const request = requests.at(-1);
  if (request === undefined) return false;
  const isAnswer = (part: Part) => part.type === "tool-approval-response" && part.approvalId === request.approvalId;
  const answers = parts.filter(isAnswer);
  return answers.length > 0 && answers.every((answer) => answer.approved === true);
}

function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof (result as AsyncIterable<unknown> | null | undefined)?.[Symbol.asyncIterator] === "function";
}

/** Streamed results, of which the last one is the result of the call. A stream that is left early has an unknown end. */
async function* streamed(
  parts: AsyncIterable<unknown>,
  done: (result: unknown) => unknown,
  failed: (error: unknown) => never,
): AsyncGenerator<unknown> {
  let last: unknown;
  try {
    for await (last of parts) yield last;
  } catch (error) {
    failed(error);
  }
  done(last);
}
