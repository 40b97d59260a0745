/** Modules of WebAssembly that answer texts in JSON. */
import type { Backend } from "./backend.js";
import { GateError } from "./errors.js";

interface Exports {
  memory: WebAssembly.Memory;
  answer(): number;
  answer_address(): number;
}

/** The function that returns the address at which to write a text of this length in bytes. */
type Room = (length: number) => number;

/** Where a module may come from. */
export type Source = WebAssembly.Module | Response | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** The module of a source. */
export async function moduleOf(source: Source | Promise<Source>): Promise<WebAssembly.Module> {
  const given = await source;
  if (given instanceof WebAssembly.Module) return given;
  if (typeof Response === "undefined" || !(given instanceof Response)) return WebAssembly.compile(given as BufferSource);
  if (!given.ok) throw new GateError(`the gate is not loaded from ${given.url}: ${given.status} ${given.statusText}`);
  return WebAssembly.compile(await given.arrayBuffer());
}

/** An instance of a module. After a trap its memory is in an unknown state, so it answers no more. */
export class Instance {
  readonly #exports: Exports;
  readonly #room: Room;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #failed: unknown;

  constructor(module: WebAssembly.Module, host: Record<string, () => number>, room = "room") {
    const imports: Record<string, Record<string, () => number>> = {};
    // Libraries may import other functions of a browser; nothing depends on them.
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = (from === "host" && host[name]) || (() => 0);
    }
    const { exports } = new WebAssembly.Instance(module, imports);
    this.#exports = exports as unknown as Exports;
    this.#room = exports[room] as Room;
  }

  /** Whether the instance answers no more. */
  get hasFailed(): boolean {
    return this.#failed !== undefined;
  }

  answer(request: string): string {
    if (this.#failed !== undefined) throw new GateError(`the gate failed, and decides no more: ${String(this.#failed)}`);
    const { memory, answer, answer_address } = this.#exports;
    const text = this.#encoder.encode(request);
    try {
      const start = this.#room(text.length);
      // The memory may have grown: its buffer is a new one then.
      new Uint8Array(memory.buffer, start, text.length).set(text);
      const length = answer();
      return this.#decoder.decode(new Uint8Array(memory.buffer, answer_address(), length));
    } catch (error) {
      this.#failed = error ?? "a trap";
      throw new GateError(`the gate failed, and decides no more: ${String(error)}`);
    }
  }
}

/** The gate in a module of WebAssembly; sessions are in its memory. */
export function wasmGate(module: WebAssembly.Module, withoutFiles: string, rest: Pick<Backend, "newName" | "read">): Backend {
  const instance = new Instance(module, { now: Date.now });
  return { kind: "wasm", answer: (request) => instance.answer(request), withoutFiles, ...rest };
}
