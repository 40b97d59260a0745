/** The gate for Node.js: the addon of the platform, else WebAssembly without sessions in files. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { use, type Backend } from "./backend.js";
import { wasmGate } from "./wasm.js";

export * from "./bare.js";

const platform = `@tsl-synth/${process.platform}-${process.arch}`;

function native(): Backend {
  const load = createRequire(import.meta.url);
  const { answer, answerLater } = load(`${platform}/tsl-synth.node`) as Required<Pick<Backend, "answer" | "answerLater">>;
  return { kind: "native", answer, answerLater, newName: randomUUID };
}

function wasm(why: unknown): Backend {
  const [cause] = String(why instanceof Error ? why.message : why).split("\n");
  const withoutFiles = `sessions in files need the addon of ${platform}, which does not load: ${cause}`;
  const module = new WebAssembly.Module(readFileSync(new URL("../gate.wasm", import.meta.url)));
  return wasmGate(module, withoutFiles, { newName: randomUUID, read: (path) => readFileSync(path, "utf8") });
}

function loaded(): Backend {
  try {
    return native();
  } catch (error) {
    return wasm(error);
  }
}

const backend = loaded();
use(backend);

/** What decides: `native` is the addon, with sessions in files; `wasm` has sessions in memory only. */
export const runtime: "native" | "wasm" = backend.kind;
