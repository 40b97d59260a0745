// Builds the playground: `node build.mjs WASM SPECS OUT`, in this folder with its packages installed. The same input makes
// the same bytes.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [wasm, specs, out] = process.argv.slice(2);
/** The maximal size of all files that a visitor loads, compressed. */
const MOST = 4 * 1024 * 1024;

function* files(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else yield path;
  }
}

/** Specifications without imports, the introductory ones first. */
function gallery() {
  const all = [...files(specs)].filter((path) => /\.(tsl|tlsf|ltl)$/.test(path)).flatMap((path) => {
    const text = readFileSync(path, "utf8");
    if (/^\s*#?import\b/m.test(text)) return [];
    const expect = /^\/\/ *expect: *(\w+)/.exec(text)?.[1] ?? "";
    return [{ path: relative(specs, path), expect, text }];
  });
  const first = ["tutorial", "machines", "adventure", "arbiters", "unrealizable"];
  const rank = ({ path }) => {
    const at = first.indexOf(path.split("/")[0]);
    return at < 0 ? first.length : at;
  };
  return all.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1));
}

/** The hashes of script and style sheet in the content security policy of the pages of `view`, equal for all. */
function hashes(bytes) {
  const module = new WebAssembly.Module(bytes);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  const { memory, question, answer, answer_address: address } = new WebAssembly.Instance(module, imports).exports;
  const asked = { ask: "view", spec: { texts: [{ name: "a.tsl", text: "always guarantee { a <-> [x <- b]; }" }] } };
  const text = new TextEncoder().encode(JSON.stringify(asked));
  const start = question(text.length);
  new Uint8Array(memory.buffer, start, text.length).set(text);
  const length = answer();
  const told = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, address(), length)));
  assert.equal(told.error, undefined, told.error);
  const found = (of) => new RegExp(`${of} ('sha256-[A-Za-z0-9+/=]+')`).exec(told.html)?.[1];
  const [script, style] = [found("script-src"), found("style-src")];
  assert.ok(script && style, "the hashes of a page");
  return { script, style };
}

/** The licenses of the packages in the bundle. */
function licenses(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const found = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const texts = [...packages].sort().map((name) => {
    const folder = join("node_modules", name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    assert.ok(file, `${name} has no license`);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  const rule = `\n${"-".repeat(72)}\n\n`;
  return `The playground of tsl-synth contains these packages.\n${rule}${texts.join(rule)}`;
}

mkdirSync(out, { recursive: true });
const embedded = {
  name: "gallery",
  setup(plugin) {
    plugin.onResolve({ filter: /^gallery$/ }, () => ({ path: "gallery", namespace: "gallery" }));
    plugin.onLoad({ filter: /.*/, namespace: "gallery" }, () => ({ contents: JSON.stringify(gallery()), loader: "json" }));
  },
};
const { metafile } = await build({
  entryPoints: { playground: "main.js", worker: "worker.js" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "eof",
  metafile: true,
  plugins: [embedded],
  logLevel: "warning",
});
const bytes = readFileSync(wasm);
const { script, style } = hashes(bytes);
const page = readFileSync("index.html", "utf8").replace("@SCRIPT_HASH@", () => script).replace("@STYLE_HASH@", () => style);
writeFileSync(join(out, "index.html"), page);
for (const name of ["playground.css", "icon.svg"]) cpSync(name, join(out, name));
writeFileSync(join(out, "licenses.txt"), licenses(Object.keys(metafile.inputs)));
writeFileSync(join(out, "tsl-synth.wasm.gz"), gzipSync(bytes, { level: 9 }));

let [raw, small] = [0, 0];
const row = (name, a, b) => console.log(`${name.padEnd(20)} ${String(a).padStart(10)} ${String(b).padStart(10)}`);
console.log(`${"file".padEnd(20)} ${"bytes".padStart(10)} ${"gzip".padStart(10)}`);
const made = ["index.html", "playground.css", "playground.js", "worker.js", "tsl-synth.wasm.gz", "icon.svg", "licenses.txt"];
for (const name of made) {
  const content = readFileSync(join(out, name));
  const packed = name.endsWith(".gz") ? content.length : gzipSync(content, { level: 9 }).length;
  const full = name.endsWith(".gz") ? bytes.length : content.length;
  row(name, full, packed);
  raw += full;
  small += packed;
}
row("all", raw, small);
assert.ok(small < MOST, `the playground is ${small} bytes, compressed`);
