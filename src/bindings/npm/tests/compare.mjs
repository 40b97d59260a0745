// Random events, decided by gates of the package and by `tsl-synth shield`: the answers must be the same in every field.
//
//     node compare.mjs PROGRAM POLICY... [--proposals N] [--seed N] [--wasm]
//
// The tools, arguments and words of the events are those that the text of each policy names. Laws about time windows are
// left out, since the two gates decide at different moments. Then commands that run scripts, and that probes are asked
// about, while the files change. With --wasm, the gates are in WebAssembly, without files.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const options = { proposals: { type: "string", default: "10000" }, seed: { type: "string", default: "1" }, wasm: { type: "boolean", default: false } };
const { values: given, positionals } = parseArgs({ options, allowPositionals: true });
const [program, ...files] = positionals;
const own = await import(given.wasm ? "tsl-synth/bare" : "tsl-synth");
const { Gate, GateError, Policy, Store } = own;
if (given.wasm) await own.load(readFileSync(createRequire(import.meta.url).resolve("tsl-synth/gate.wasm")));

const SESSIONS = 40;

/** Numbers below 1, the same for the same seed (mulberry32). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Random events about what a policy names. */
class Events {
  calls = 0;
  open = new Map();

  constructor(text, random) {
    this.random = random;
    const every = (pattern, from) => [...from.matchAll(pattern)].map((found) => found[1]);
    const sorted = (names) => [...new Set(names)].sort();
    const listed = every(/^tool = (.*)$/gm, text).flatMap((line) => every(/["']([^"']+)["']/g, line));
    this.tools = [...sorted(listed.map((tool) => tool.replaceAll("*", "x"))), "unnamed"];
    this.keys = sorted(every(/\/arguments\/(\w+)/g, text));
    if (this.keys.length === 0) this.keys = ["x"];
    this.truths = every(/^(\w+) = \{/gm, text);
    this.words = [...sorted(every(/^regex = (.*)$/gm, text).flatMap((pattern) => pattern.match(/[a-z]{2,}/g) ?? [])), "hello"];
  }
  below(bound) {
    return Math.floor(this.random() * bound);
  }
  choice(list) {
    return list[this.below(list.length)];
  }
  arguments() {
    const value = this.choice([1, 2, 250, "A", "L1", "git push", "rm -rf x", true, null, 0.5, -1, "ä\u2028\u0000", ["A"], { A: 1 }]);
    return Object.fromEntries(this.keys.filter(() => this.random() < 0.8).map((key) => [key, value]));
  }
  /** A proposal, or now and then something else. */
  next() {
    const session = `s${this.below(SESSIONS)}`;
    const kind = this.random();
    const tickets = this.open.get(session) ?? [];
    this.open.set(session, tickets);
    if (kind < 0.25 && tickets.length > 0) {
      const [ticket] = tickets.splice(this.below(tickets.length), 1);
      return { event: "commit", session, ticket, ok: this.choice([true, true, false, null]) };
    }
    if (kind < 0.35) return { event: "message", session, role: this.choice(["user", "agent"]), text: this.choice(this.words) };
    if (kind < 0.4 && this.truths.length > 0) {
      return { event: "observe", session, set: { [this.choice(this.truths)]: this.random() < 0.5 } };
    }
    if (kind < 0.43) return { event: "end", session };
    this.calls += 1;
    // Some ids are used twice.
    const number = this.random() < 0.98 ? this.calls : 1 + this.below(this.calls);
    return { event: "propose", session, id: `c${number}`, tool: this.choice(this.tools), arguments: this.arguments() };
  }
}

const outside = (folder) => `
policy = 1
read_scripts = true
unmatched = "allow"
[[probe]]
name = "branch"
run = ["cat", "branch"]
folder = ${JSON.stringify(folder)}
unchanged_by = ["git add"]
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
once = "at most 1 push"
on-a-branch = "never commit-on-main"
`;

/** Random commands that run scripts in a folder, whose files change in between. */
class Commands extends Events {
  constructor(folder, random) {
    super("", random);
    this.folder = folder;
    mkdirSync(join(folder, "sub"));
    this.write("sub/x.sh", "ls\n");
  }
  write(name, text) {
    writeFileSync(join(this.folder, name), text);
  }
  next() {
    if (this.random() < 0.3) {
      const script = this.choice(["ls", "git push", "sh sub/x.sh", ". ./b.sh", "echo $(git commit -m x)", "cd sub", "\0"]);
      this.write(this.choice(["a.sh", "b.sh", "sub/x.sh"]), `${script}\n`);
    }
    if (this.random() < 0.3) this.write("branch", this.choice(["main\n", "topic\n"]));
    const event = super.next();
    if (event.event !== "propose") return event;
    const script = this.choice(["a.sh", "b.sh", "sub/x.sh", "missing.sh", join(this.folder, "a.sh")]);
    const form = this.choice(["bash %", "sh ./%", "source %", "cd sub && sh x.sh", "git commit -m x", "git add . && git commit", "ls"]);
    const args = { command: form.replace("%", script) };
    if (this.random() < 0.7) args.cwd = this.choice([this.folder, this.folder, "sub"]);
    return { ...event, tool: "Bash", arguments: args };
  }
}

/** The answer of the package, in the form of `shield`. */
function answered(gate, event) {
  const { session } = event;
  let heard;
  try {
    switch (event.event) {
      case "propose":
        return gate.propose(event.tool, event.arguments, { id: event.id }).document;
      case "end":
        return gate.end().document;
      case "commit":
        heard = gate.commit(event.ticket, { ok: event.ok });
        break;
      case "observe":
        heard = gate.observe(event.set);
        break;
      default:
        heard = gate.message(event.text, event.role);
    }
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    return { answer: "error", session, verdict: "deny", reason: error.message };
  }
  return { answer: "heard", session, ...Object.fromEntries(Object.entries(heard).filter(([, told]) => told.length > 0)) };
}

/** Yields the numbers of proposals and of denials. */
async function compare(path, events, proposals, seed, folder) {
  const policy = given.wasm ? Policy.parse(readFileSync(path, "utf8"), path) : Policy.load(path);
  const store = given.wasm ? Store.memory() : Store.files(folder);
  const gates = new Map();
  const shield = spawn(program, ["shield", path], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: shield.stdout })[Symbol.asyncIterator]();
  let [proposed, denied] = [0, 0];
  while (proposed < proposals) {
    const event = events.next();
    shield.stdin.write(`${JSON.stringify(event)}\n`);
    const expected = JSON.parse((await lines.next()).value);
    // Now and then the gate is a new one, which reads its session from the store.
    if (!gates.has(event.session) || events.random() < 0.01) gates.set(event.session, new Gate(policy, { session: event.session, store }));
    const found = answered(gates.get(event.session), event);
    assert.deepEqual(found, expected, `${path}, seed ${seed}: ${JSON.stringify(event)}`);
    if (event.event === "propose") {
      proposed += 1;
      denied += expected.verdict === "deny" ? 1 : 0;
      if (expected.ticket !== undefined) events.open.get(event.session).push(expected.ticket);
    }
  }
  shield.stdin.end();
  return [proposed, denied];
}

const policies = files.filter((path) => !/\bper \d|^window|^within/m.test(readFileSync(path, "utf8")));
let [total, refused] = [0, 0];
for (const [number, path] of policies.entries()) {
  const folder = mkdtempSync(join(tmpdir(), "tsl-synth-"));
  try {
    const share = Math.floor(Number(given.proposals) / policies.length) + 1;
    const seed = Number(given.seed) + number;
    const events = new Events(readFileSync(path, "utf8"), generator(seed));
    const [proposed, denied] = await compare(path, events, share, seed, folder);
    total += proposed;
    refused += denied;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
assert(total > 0 && refused > 0);
console.log(`${total} proposals under ${policies.length} policies, ${refused} of them denied: the same answers as shield${given.wasm ? " (WebAssembly)" : ""}`);

if (!given.wasm) {
  const [folder, state] = [mkdtempSync(join(tmpdir(), "tsl-synth-")), mkdtempSync(join(tmpdir(), "tsl-synth-"))];
  try {
    const [path, seed] = [join(folder, "policy.toml"), Number(given.seed)];
    const events = new Commands(folder, generator(seed));
    events.write("policy.toml", outside(folder));
    const [proposed, denied] = await compare(path, events, Math.floor(Number(given.proposals) / 20) + 1, seed, state);
    assert(denied > 0 && denied < proposed);
    console.log(`${proposed} commands with scripts and probes, ${denied} of them denied: the same answers as shield`);
  } finally {
    for (const own of [folder, state]) rmSync(own, { recursive: true });
  }
}
