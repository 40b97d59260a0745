// Policies, stores and gates. `GATE` names the entry of the package: the one of Node.js, or `tsl-synth/bare`.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { SHOP, cap } from "./policies.mjs";

const entry = process.env.GATE ?? "tsl-synth";
const own = await import(entry);
const { ApprovalNeeded, Denied, Gate, GateError, Policy, PolicyError, Store, TslSynthError, load } = own;
if (entry === "tsl-synth/bare") {
  assert.throws(() => Policy.parse(SHOP), /not loaded/);
  await load(readFileSync(createRequire(import.meta.url).resolve("tsl-synth/gate.wasm")));
}
const hasFiles = own.runtime === "native";
const folder = mkdtempSync(join(tmpdir(), "tsl-synth-"));
after(() => rmSync(folder, { recursive: true }));
const policy = Policy.parse(SHOP);

test("a policy tells what it is", () => {
  const { name, sha256, laws } = Policy.parse(SHOP, "shop.toml");
  assert.deepEqual([name, sha256.length], ["shop.toml", 64]);
  assert.deepEqual(laws, ["refund-first", "wiped-by-persons", "closed-in-the-end"]);
});

test("errors of a policy have places", () => {
  assert.throws(
    () => Policy.parse("policy = 1\n[[law]]\nid = 'x'\nltl = 'G (pay -> '\n"),
    (error) => {
      assert(error instanceof PolicyError && error instanceof TslSynthError);
      const [{ code, severity, line }] = error.findings;
      assert.match(code, /^TSL\d+$/);
      assert.deepEqual([severity, line], ["error", 4]);
      assert.match(error.message, /policy\.toml:4:/);
      return true;
    },
  );
});

test("policies in files", () => {
  const path = join(folder, "shop.toml");
  writeFileSync(path, SHOP);
  if (entry === "tsl-synth/bare") return assert.throws(() => Policy.load(path), PolicyError);
  assert.deepEqual(Policy.load(path).laws, policy.laws);
  assert.throws(() => Policy.load("no/such/policy.toml"), (error) => error instanceof PolicyError && /no\/such/.test(error.message));
});

test("sessions end when the policy says", { skip: !hasFiles }, () => {
  const store = Store.files(join(folder, "kept"));
  const gate = new Gate(Policy.parse(`retain = "30d"\n${cap(5)}`), { session: "s", store });
  const grants = () => Array.from({ length: 9 }, () => gate.propose("pay").allowed).filter(Boolean).length;
  const age = (days) => utimesSync(store.journal("s"), new Date(), new Date(Date.now() - days * 86_400_000));
  assert.equal(grants(), 5);
  age(29);
  assert.equal(grants(), 0);
  age(31);
  assert.equal(grants(), 5);
  age(31);
  assert.deepEqual([store.removeOld(), store.removeOld()], [1, 0]);
  assert.equal(grants(), 5);
  gate.close();
  assert.equal(grants(), 0);
  gate.close({ remove: true });
  assert.equal(grants(), 5);
  assert.throws(() => Policy.parse(`retain = "30x"\n${cap(5)}`), /retain/);
});

test("close removes sessions in memory on demand", () => {
  const gate = new Gate(Policy.parse(cap(1)));
  assert.deepEqual([gate.propose("pay").allowed, gate.propose("pay").allowed], [true, false]);
  gate.close({ remove: true });
  assert.equal(gate.propose("pay").allowed, true);
});

test("decisions in other threads", async () => {
  const store = hasFiles ? join(folder, "async") : undefined;
  const gate = new Gate(Policy.parse(cap(20)), { session: "s", store });
  const decisions = await Promise.all(Array.from({ length: 200 }, (_, n) => gate.proposeAsync("pay", { n }, { id: `c${n}` })));
  const granted = decisions.filter(({ allowed }) => allowed);
  assert.equal(granted.length, 20);
  const [{ ticket }, { id }] = granted;
  assert.deepEqual((await gate.commitAsync(ticket)).broken, []);
  await assert.rejects(gate.commitAsync(ticket), (error) => error instanceof GateError && /used/.test(error.message));
  await assert.rejects(gate.proposeAsync("pay", "{"), /JSON/);
  for (const heard of [gate.tickAsync(), gate.messageAsync("yes"), gate.resultAsync(id), gate.observeAsync({})]) {
    assert.deepEqual((await heard).broken, []);
  }
  assert.equal((await gate.endAsync()).allowed, true);
  assert.deepEqual((await gate.closeAsync({ remove: true })).owed, []);
  assert.equal((await gate.proposeAsync("pay")).allowed, true);
  // Nothing refers to this gate while it decides.
  const later = Array.from({ length: 50 }, () => new Gate(Policy.parse(cap(1)), { session: "t", store }).proposeAsync("pay"));
  assert.equal((await Promise.all(later)).filter(({ allowed }) => allowed).length, hasFiles ? 1 : 50);
});

test("a decision in another thread does not stop the program", { skip: !hasFiles }, async () => {
  const store = Store.files(join(folder, "held"));
  const gate = new Gate(policy, { session: "s", store });
  gate.propose("refund");
  // A process that holds the journal for a while.
  const hold = `flock "${store.journal("s")}" -c 'echo held; sleep 0.5'`;
  if (spawnSync("flock", ["--version"]).error !== undefined) return;
  const holder = spawn("sh", ["-c", hold], { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 5);
  const decision = await gate.proposeAsync("refund");
  clearInterval(counting);
  assert.equal(decision.allowed, true);
  assert(turns > 20, `the program went on ${turns} times`);
});

test("edited policies are taken up", { skip: !hasFiles || entry === "tsl-synth/bare" }, () => {
  const file = join(folder, "edited.toml");
  const edit = (text) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  edit(cap(1));
  const gate = new Gate(Policy.load(file));
  const pays = () => gate.propose("pay").allowed;
  assert.deepEqual([pays(), pays()], [true, false]);
  edit(cap(2));
  assert.deepEqual([pays(), pays()], [true, false]);
  edit("policy = 2");
  assert.throws(pays, (error) => error instanceof GateError && /edited\.toml/.test(error.message));
  edit(`on_change = "deny"\n${cap(2)}`);
  assert.throws(pays, /on_change/);
  const other = new Gate(Policy.load(file), { session: "other" });
  assert.equal(other.propose("pay").allowed, true);
  edit(cap(9));
  assert.throws(() => other.propose("pay"), /on_change/);
});

test("decisions", () => {
  const gate = new Gate(policy);
  const denied = gate.propose("close_account", { account: 7 });
  assert.deepEqual([denied.allowed, denied.verdict, denied.by, denied.ticket], [false, "deny", ["refund-first"], null]);
  assert.match(denied.reason, /Refund what is left/);
  assert(denied.instead.includes("refund"));
  const granted = gate.propose("refund", { account: 7 });
  assert.deepEqual([granted.allowed, granted.verdict, granted.reason, granted.by], [true, "allow", "", []]);
  assert.deepEqual(gate.commit(granted.ticket, { ok: true, result: { done: true } }).broken, []);
  assert.throws(() => gate.commit(granted.ticket), GateError);
  assert.equal(gate.end().allowed, false);
  assert(gate.options().allowed.includes("close"));
  const closed = gate.propose("close_account");
  assert.equal(closed.allowed, true);
  assert.equal(gate.end().allowed, false, "whether it was closed is not known yet");
  gate.commit(closed.ticket);
  assert.equal(gate.end().allowed, true);
  assert.deepEqual(denied.document.by, ["refund-first"]);
  for (const heard of [gate.message("bye", "agent"), gate.observe({ confirmed: true }), gate.tick(), gate.close()]) {
    assert.deepEqual(heard, { broken: [], owed: [], faults: [] });
  }
});

test("calls have ids", () => {
  const gate = new Gate(policy);
  const [first, again, other] = [{ n: 1 }, { n: 1 }, { n: 2 }].map((args) => gate.propose("refund", args, { id: "c1" }));
  assert.deepEqual([first.id, first.ticket, other.verdict], ["c1", again.ticket, "deny"]);
  assert.deepEqual(gate.result("c1", { ok: false, result: "no money" }).faults, []);
  assert.notEqual(gate.propose("refund").id, gate.propose("refund").id);
});

test("what is no JSON is no decision", () => {
  const gate = new Gate(policy);
  for (const text of ["{", '{"a": 1, "a": 2}', "", '{}, "tool": "x"', "[".repeat(100_000), '{"a": "\\ud800"']) {
    assert.throws(() => gate.propose("refund", text), GateError, text.slice(0, 20));
  }
  const circle = {};
  circle.circle = circle;
  const values = [NaN, Infinity, 1n, () => 1, Symbol("x"), new Map([["a", 1]]), new Set([1]), Promise.resolve(1), [NaN], { deep: [-Infinity] }, circle];
  for (const eur of values) assert.throws(() => gate.propose("refund", { eur }), TypeError);
  assert.throws(() => gate.message("hello", "nobody"), TypeError);
  assert.throws(() => new Gate({ number: 1 }), TypeError);
  assert.throws(() => gate.propose(undefined), TypeError);
  for (const args of ['{"account": 7}', { account: 7, left: undefined }, { day: new Date(0) }, { text: "ä\u0000\u2028💶" }, {}]) {
    assert.equal(gate.propose("refund", args).allowed, true);
  }
  // A text that is no Unicode is refused or decided, and never an accident.
  try {
    gate.propose("refund", { text: "\ud800" });
  } catch (error) {
    assert(error instanceof TslSynthError || error instanceof TypeError, String(error));
  }
  assert.equal(gate.propose("refund", { account: 8 }).allowed, true);
});

test("results that JSON does not have are left out", () => {
  const gate = new Gate(policy);
  for (const result of [1n, NaN, () => 1, undefined, null, "done", { a: [1] }]) {
    assert.deepEqual(gate.commit(gate.propose("refund").ticket, { result }).faults, []);
  }
});

test("shadow mode allows and records", () => {
  const { allowed, verdict, shadow } = new Gate(policy, { shadow: true }).propose("close_account");
  assert.deepEqual([allowed, verdict, shadow], [true, "deny", true]);
});

test("stores continue sessions", () => {
  const store = Store.memory();
  const refund = new Gate(policy, { session: "s", store }).propose("refund");
  new Gate(policy, { session: "s", store }).commit(refund.ticket);
  assert.equal(new Gate(policy, { session: "s", store }).propose("close_account").allowed, true);
  assert.equal(new Gate(policy, { session: "t", store }).propose("close_account").allowed, false);
  assert.throws(() => store.journal("s"), TypeError);
});

test("sessions in files", () => {
  const state = join(folder, "state");
  if (!hasFiles) {
    assert.throws(() => new Gate(policy, { store: state }), GateError);
    assert.throws(() => Store.ofUser(), GateError);
    return;
  }
  const refund = new Gate(policy, { session: "s", store: state }).propose("refund");
  new Gate(policy, { session: "s", store: state }).commit(refund.ticket);
  assert.equal(new Gate(policy, { session: "s", store: Store.files(state, { durable: true }) }).propose("close_account").allowed, true);
  assert.equal(new Gate(policy, { session: "t", store: state }).propose("close_account").allowed, false);
  assert.match(readFileSync(Store.files(state).journal("s"), "utf8"), /"kind":"granted"/);
});

test("a damaged journal is no decision", { skip: !hasFiles }, () => {
  const store = Store.files(join(folder, "damaged"));
  new Gate(policy, { session: "s", store }).propose("refund");
  const path = store.journal("s");
  writeFileSync(path, readFileSync(path, "utf8").replace('"kind":"granted"', '"kind":"refused"'));
  assert.throws(() => new Gate(policy, { session: "s", store }).propose("refund"), GateError);
});

test("tools run only when granted", async () => {
  const gate = new Gate(policy);
  const calls = [];
  const refund = gate.tool(function refund({ account }, rest) {
    calls.push([account, rest]);
    return "done";
  });
  const close = gate.tool(async ({ account }) => calls.push(account) && "closed", { name: "close_account" });
  await assert.rejects(close({ account: 7 }), (error) => error instanceof Denied && error.decision.by[0] === "refund-first");
  assert.deepEqual([await refund({ account: 7 }, "more"), await close({ account: 7 })], ["done", "closed"]);
  assert.deepEqual(calls, [[7, "more"], 7]);
  assert.equal(gate.end().allowed, true);
  await assert.rejects(refund(7), TypeError);
  await assert.rejects(refund({ eur: NaN }), TypeError);
  assert.equal(calls.length, 2);
  assert.throws(() => gate.tool(() => 1), TypeError);
});

test("failures are reported", async () => {
  const gate = new Gate(policy);
  const failed = (error) => gate.tool(() => Promise.reject(error), { name: "refund" });
  await assert.rejects(failed(new Error("no money"))({}), /no money/);
  assert.equal(gate.propose("close_account").allowed, false, "a refund that failed is none");
  await assert.rejects(failed(new DOMException("stopped", "AbortError"))({}), /stopped/);
});

test("refusals as text", async () => {
  const close = new Gate(policy).tool(() => "closed", { name: "close_account", explain: true });
  assert.match(await close({}), /Denied by refund-first/);
});

test("persons approve", async () => {
  const wipe = () => "wiped";
  await assert.rejects(new Gate(policy).tool(wipe)({}), ApprovalNeeded);
  const asked = [];
  for (const [answer, expected] of [[true, "wiped"], [Promise.resolve(true), "wiped"], [false, null], ["yes", null]]) {
    const gate = new Gate(policy, { approve: (tool, args) => (asked.push([tool, args]), answer) });
    const made = gate.tool(wipe)({ all: true });
    if (expected === null) await assert.rejects(made, ApprovalNeeded);
    else assert.equal(await made, expected);
  }
  assert.deepEqual(asked, Array(4).fill(["wipe", { all: true }]));
  const denying = new Gate(policy, { approve: () => true });
  await assert.rejects(denying.tool(() => 1, { name: "close_account" })({}), Denied);
});

test("concurrent tools are granted the cap", async () => {
  const gate = new Gate(Policy.parse(cap(5)));
  let paid = 0;
  const pay = gate.tool(async () => void (paid += 1), { name: "pay", explain: true });
  await Promise.all(Array.from({ length: 50 }, (_, n) => pay({ n })));
  assert.equal(paid, 5);
});

const outside = `
policy = 1
read_scripts = true
unmatched = "allow"
[[probe]]
name = "branch"
run = ["cat", "branch"]
[[match]]
on = "call"
program = "git"
subcommand = ["push"]
action = "push"
[[match]]
on = "call"
program = "git"
subcommand = ["commit"]
where = [{ pointer = "/probe/branch/text", "=" = "main" }]
action = "commit-on-main"
[rules]
never = "never push"
on-a-branch = "never commit-on-main"
`;

test("scripts are read and probes run in the folder of a gate, where there are files", () => {
  const verdict = (command, inside) =>
    new Gate(Policy.parse(outside), inside ? { folder } : {}).propose("Bash", { command }).verdict;
  if (!hasFiles) {
    assert.throws(() => verdict("ls", true), /no files/);
    for (const command of ["sh x.sh", "git commit -m x"]) assert.equal(verdict(command, false), "deny");
    return;
  }
  for (const [text, expected] of [["ls\n", "allow"], ["git push\n", "deny"]]) {
    writeFileSync(join(folder, "x.sh"), text);
    assert.equal(verdict("sh x.sh", true), expected);
    assert.equal(verdict(`sh ${folder}/x.sh`, false), expected);
    assert.equal(verdict("sh x.sh", false), "deny", "where it is is not known");
  }
  for (const [text, expected] of [["topic\n", "allow"], ["main\n", "deny"]]) {
    writeFileSync(join(folder, "branch"), text);
    assert.equal(verdict("git commit -m x", true), expected);
    assert.equal(verdict("git commit -m x", false), "deny", "nobody answers");
  }
});

test("many policies and gates do not exhaust the memory", () => {
  for (let n = 0; n < 2_000; n += 1) assert.equal(new Gate(policy).propose("refund").allowed, true);
});
