// Processes and threads that share sessions in files: caps are exact, also when processes are killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { Gate, Policy, Store } from "tsl-synth";
import { cap } from "./policies.mjs";

const SESSIONS = 100;
const PROPOSALS = 10_000;
const MOST = 20;
const folder = mkdtempSync(join(tmpdir(), "tsl-synth-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "cap.toml");
writeFileSync(file, cap(MOST));

// Proposes `process.argv[3]` payments in all sessions in turn, and prints the sessions in which one was granted.
const PAYS = `
import { writeSync } from "node:fs";
import { Gate, Policy } from "tsl-synth";
const [file, store, proposals, sessions] = process.argv.slice(1);
const policy = Policy.load(file);
const gates = Array.from({ length: Number(sessions) }, (_, n) => new Gate(policy, { session: "s" + n, store }));
writeSync(1, "ready\\n");
for (let n = 0; n < Number(proposals); n += 1) {
  const session = (n * 7) % gates.length;
  const decision = gates[session].propose("pay", { n });
  if (decision.allowed) {
    writeSync(1, session + "\\n");
    gates[session].commit(decision.ticket);
  }
}
`;

function start(store, proposals, sessions) {
  const args = ["--input-type=module", "-e", PAYS, file, store, String(proposals), String(sessions)];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname ?? new URL(".", import.meta.url).pathname, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  let isReady;
  const ready = new Promise((resolve) => (isReady = resolve));
  child.stdout.setEncoding("utf8").on("data", (part) => {
    text += part;
    if (text.startsWith("ready\n")) isReady();
  });
  const ended = new Promise((resolve) => child.on("close", () => resolve(text.split("\n").slice(1).filter((line) => line !== ""))));
  return { child, ready, ended };
}

/** The grants in the journal of each session. */
const granted = (store, sessions) =>
  Array.from({ length: sessions }, (_, n) => readFileSync(Store.files(store).journal(`s${n}`), "utf8").split('"kind":"granted"').length - 1);

test(`two processes, ${PROPOSALS} proposals, ${SESSIONS} sessions`, async () => {
  const store = join(folder, "two");
  const told = await Promise.all([0, 1].map(() => start(store, PROPOSALS / 2, SESSIONS).ended));
  assert.equal(told.flat().length, SESSIONS * MOST);
  assert(told.every((own) => own.length > 0), "both are granted something");
  assert.deepEqual(granted(store, SESSIONS), Array(SESSIONS).fill(MOST));
});

test("killed processes are granted nothing twice, and nothing is lost", async () => {
  const store = join(folder, "killed");
  const kills = 20;
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  let told = [];
  let killed = 0;
  for (let n = 0; n < kills; n += 1) {
    const pair = [start(store, 1_000, SESSIONS), start(store, 1_000, SESSIONS)];
    await Promise.all(pair.map(({ ready }) => ready));
    await new Promise((resolve) => setTimeout(resolve, random() * 8));
    for (const { child } of pair) child.kill("SIGKILL");
    for (const { child, ended } of pair) {
      told = told.concat(await ended);
      killed += child.signalCode === "SIGKILL" ? 1 : 0;
    }
  }
  assert(killed > kills / 2, `only ${killed} processes were killed before their end`);
  const policy = Policy.load(file);
  for (let n = 0; n < SESSIONS; n += 1) {
    const gate = new Gate(policy, { session: `s${n}`, store });
    while (gate.propose("pay").allowed) told.push(String(n));
  }
  for (let n = 0; n < SESSIONS; n += 1) assert(told.filter((session) => session === String(n)).length <= MOST);
  assert.deepEqual(granted(store, SESSIONS), Array(SESSIONS).fill(MOST));
  // A process may be killed after the journal has a grant and before it could tell.
  const lost = SESSIONS * MOST - told.length;
  assert(lost >= 0 && lost <= killed, `${lost} grants were not told by ${killed} killed processes`);
});

test("threads share sessions in files", async () => {
  const store = join(folder, "threads");
  const own = `import { parentPort, workerData } from "node:worker_threads";
    import { Gate, Policy } from ${JSON.stringify(import.meta.resolve("tsl-synth"))};
    const { file, store } = workerData;
    const gate = new Gate(Policy.load(file), { session: "s0", store });
    let paid = 0;
    for (let n = 0; n < 250; n += 1) paid += gate.propose("pay", { n }).allowed;
    parentPort.postMessage(paid);`;
  const code = new URL(`data:text/javascript,${encodeURIComponent(own)}`);
  const paid = await Promise.all(
    Array.from({ length: 4 }, () => new Promise((resolve, reject) => {
      const worker = new Worker(code, { workerData: { file, store } });
      worker.on("message", resolve).on("error", reject);
    })),
  );
  assert.equal(paid.reduce((sum, one) => sum + one), MOST);
  assert.deepEqual(granted(store, 1), [MOST]);
});
