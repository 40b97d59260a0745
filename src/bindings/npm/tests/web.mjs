// The package as a browser sees it: its files over HTTP, loaded by Deno, which has `fetch` and no files of Node.js.
//
//     node web.mjs DENO PACKAGE
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const [deno, folder] = process.argv.slice(2);
const types = { ".js": "text/javascript", ".wasm": "application/wasm" };
const server = createServer(({ url }, response) => {
  const path = join(folder, normalize(new URL(url, "http://localhost").pathname));
  const isThere = existsSync(path) && extname(path) in types;
  response.writeHead(isThere ? 200 : 404, { "content-type": types[extname(path)] ?? "text/plain" });
  response.end(isThere ? readFileSync(path) : "");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const host = `127.0.0.1:${server.address().port}`;
const page = `
import { Gate, GateError, Policy, PolicyError, Store } from "http://${host}/dist/web.js";
import { check } from "http://${host}/dist/engine-web.js";
const policy = Policy.parse("policy = 1\\n[actions]\\ngroups = [['pay']]\\n[[match]]\\non = 'call'\\ntool = 'pay'\\naction = 'pay'\\n[[law]]\\nid = 'once'\\nrule = 'at most 1 pay'\\n");
const gate = new Gate(policy);
const failed = (act) => { try { act(); return null; } catch (error) { return error; } };
console.log(JSON.stringify([
  gate.propose("pay").verdict,
  gate.propose("pay").by,
  failed(() => Store.files("x")) instanceof GateError,
  failed(() => Policy.load("x")) instanceof PolicyError,
  check("always guarantee { press -> [lamp <- on()]; }").verdict,
]));`;
const child = spawn(deno, ["run", "--quiet", "--no-config", "--reload", `--allow-net=${host}`, `--allow-import=${host}`, "-"], {
  stdio: ["pipe", "pipe", "inherit"],
});
let said = "";
child.stdout.setEncoding("utf8").on("data", (part) => (said += part));
child.stdin.end(page);
const code = await new Promise((resolve) => child.on("close", resolve));
server.close();
assert.equal(code, 0);
assert.deepEqual(JSON.parse(said), ["allow", ["once"], true, true, "REALIZABLE"]);
console.log("the package answers over HTTP, without files");
