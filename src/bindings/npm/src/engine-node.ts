/** The engine for Node.js. */
import { readFileSync } from "node:fs";
import { engineIn } from "./engine-bare.js";

export * from "./engine-bare.js";
const engine = engineIn(new WebAssembly.Module(readFileSync(new URL("../engine.wasm", import.meta.url))));
export const { check, explain, synthesize, question } = engine;
