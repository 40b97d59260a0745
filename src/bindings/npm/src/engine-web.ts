/** The engine for browsers: its module is beside this file. */
import { load } from "./engine-bare.js";

export * from "./engine-bare.js";
const engine = await load(fetch(new URL("../engine.wasm", import.meta.url)));
export const { check, explain, synthesize, question } = engine;
