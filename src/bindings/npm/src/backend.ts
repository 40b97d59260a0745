/** What decides: the code of tsl-synth as an addon of Node.js or as a module of WebAssembly, behind one function. */
import { GateError, PolicyError, type Finding } from "./errors.js";
import { json } from "./json.js";

/** What decides. */
export interface Backend {
  readonly kind: "native" | "wasm";
  /** Answers a request in JSON. */
  answer(request: string): string;
  /** Answers a request in another thread, for a backend that has threads. */
  answerLater?(request: string): Promise<string>;
  /** A name that nobody has used. */
  newName(): string;
  /** The text of a file, for a backend that reads no files itself. */
  read?(path: string): string;
  /** Why sessions in files are not possible here. */
  withoutFiles?: string;
}

interface Fault {
  kind: "policy" | "gate" | "request";
  message: string;
  findings?: Finding[];
}

let current: Backend | undefined;

/** Makes a backend the one that decides. Objects that exist already keep theirs, so it is set once. */
export function use(backend: Backend): void {
  current ??= backend;
}

/** The backend. */
export function backend(): Backend {
  if (current === undefined) throw new GateError("the gate is not loaded: `await load(..)` of `tsl-synth/bare` first");
  return current;
}

/** Asks the backend; throws its error. */
export function ask<Answer>(request: Record<string, unknown>): Answer {
  return read(backend().answer(json(request)));
}

/** Asks the backend in another thread if it has threads, and else at once; rejects with its error. */
export async function askLater<Answer>(request: Record<string, unknown>): Promise<Answer> {
  const { answer, answerLater } = backend();
  const text = json(request);
  return read(answerLater === undefined ? answer(text) : await answerLater(text));
}

function read<Answer>(text: string): Answer {
  const answer = JSON.parse(text) as { error?: Fault };
  if (answer.error === undefined) return answer as Answer;
  const { kind, message, findings } = answer.error;
  if (kind === "policy") throw new PolicyError(message, findings);
  throw kind === "gate" ? new GateError(message) : new TypeError(message);
}

const unused = new FinalizationRegistry<number>((number) => {
  try {
    ask({ ask: "free", number });
  } catch {
    // A module that failed has no memory to free.
  }
});

/** Frees the object of the backend with this number when `owner` is not reachable any more. */
export function owns(owner: object, number: number): number {
  unused.register(owner, number);
  return number;
}
