/** The gate for browsers: its module is beside this file. */
import { load } from "./bare.js";

export * from "./bare.js";
await load(fetch(new URL("../gate.wasm", import.meta.url)));
