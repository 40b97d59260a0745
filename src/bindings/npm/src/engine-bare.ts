/** The engine where its module of WebAssembly, `engine.wasm` of this package, is given to `load`. */
import { engineOf, type Engine } from "./questions.js";
import { Instance, moduleOf, type Source } from "./wasm.js";

export { Answer, SpecificationError } from "./questions.js";
export type { Emitted, Engine, Language, Specification, SpecificationOptions } from "./questions.js";
export type { Source } from "./wasm.js";

/** The engine in a module. */
export function engineIn(module: WebAssembly.Module): Engine {
  let instance: Instance | undefined;
  return engineOf((question) => {
    // Questions share nothing, so after one that failed the next gets a new instance.
    if (instance === undefined || instance.hasFailed) instance = new Instance(module, {}, "question");
    return instance.answer(question);
  });
}

/** The engine from a module, its bytes, or a response that has them. */
export async function load(source: Source | Promise<Source>): Promise<Engine> {
  return engineIn(await moduleOf(source));
}
