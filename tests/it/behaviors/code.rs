//! Emitted code and the library give the same results on the same texts; the code is run by Node, Python and rustc.

use super::cases::REACT;
use super::{behavior, gallery, of_file};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tsl_synth_agents::behavior::Behavior;
use tsl_synth_core::model::BehaviorNodeId;
use tsl_synth_emit::{BehaviorTarget, emit_behavior};
use tsl_synth_testkit::{Rng, skip};

/// A random text of prompts, pieces of them and words.
fn text(rng: &mut Rng, behavior: &Behavior) -> String {
    let states: Vec<&str> = behavior.spec().states.iter().map(|s| s.prompt.as_str()).collect();
    let mut text = String::new();
    for _ in 0..rng.below(5) {
        let prompt: Vec<char> = states[rng.below(states.len())].chars().collect();
        let (a, b) = (rng.below(prompt.len()), rng.below(prompt.len() + 1));
        match rng.below(5) {
            0 | 1 => text.extend(&prompt),
            2 => text.extend(&prompt[a..]),
            3 => text.extend(&prompt[..b]),
            _ => text += [" word", "\n", " ä🙂 ", "Search", "yes", " \t"][rng.below(6)],
        }
    }
    text
}

/// A step of the library; its result in the form in which the drivers of emitted code print it.
fn step(behavior: &Behavior, node: &mut BehaviorNodeId, text: &str) -> Value {
    let automaton = behavior.automaton();
    let name = |state| behavior.state(state).name.clone();
    let legal = behavior.legal(*node);
    let own = automaton.node(*node).state.expect("a state");
    if behavior.state(own).env_input {
        let next = (legal.len() == 1 && !behavior.may_end(*node)).then(|| legal[0]);
        let joint = next
            .map_or("", |next| behavior.glue(BehaviorNodeId::clone(&automaton.start()), text, next).joint);
        if let Some(next) = next {
            *node = automaton.step(*node, next).expect("legal");
        }
        return json!([text, true, null, next.map(name), false, joint, ""]);
    }
    let read = behavior.read(*node, text);
    let ok = behavior.check_content(own, read.content).is_ok();
    let removed = read.removed.map(name);
    if let Some(next) = read.next {
        *node = automaton.step(*node, next).expect("legal");
        return json!([read.content, ok, removed, name(next), false, "", read.rest]);
    }
    if behavior.may_end(*node) || legal.is_empty() {
        return json!([read.content, ok, removed, null, false, "", read.rest]);
    }
    let glued = behavior.glue(*node, read.content, legal[0]);
    *node = automaton.step(*node, legal[0]).expect("legal");
    json!([glued.content, ok, removed, name(legal[0]), true, glued.joint, ""])
}

/// A random script of advances and steps, and the expected result of each call.
fn script(behavior: &Behavior, seed: u64) -> (Vec<Value>, Vec<Value>) {
    let mut rng = Rng(seed);
    let automaton = behavior.automaton();
    let (mut calls, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        let first = behavior.legal(automaton.start());
        calls.push(json!({ "new": true }));
        let mut node = automaton.start();
        if let [only] = first[..] {
            node = automaton.step(node, only).expect("legal");
        }
        answers.push(json!([behavior.legal_names(node), behavior.legal_prefix(node)]));
        for _ in 0..8 {
            let legal = behavior.legal(node);
            let begun = automaton.node(node).state.is_some();
            let text = text(&mut rng, behavior);
            if !begun || behavior.is_env_input(node) && legal.len() > 1 || rng.below(9) == 0 {
                let Some(&next) = legal.get(rng.below(legal.len().max(1))) else { break };
                calls.push(json!({ "advance": behavior.state(next).name }));
                node = automaton.step(node, next).expect("legal");
                answers.push(json!([behavior.legal_names(node), behavior.legal_prefix(node)]));
            } else {
                calls.push(json!({ "step": text }));
                answers.push(step(behavior, &mut node, &text));
            }
        }
    }
    (calls, answers)
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("behaviors").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a writable folder");
    dir
}

fn agents() -> Vec<Behavior> {
    let mut agents: Vec<Behavior> = gallery().iter().map(|path| of_file(path)).collect();
    agents.extend([behavior(REACT), behavior(super::HOSTILE)]);
    agents
}

/// Runs a command; `None` if it is not installed.
fn run(dir: &Path, command: &str, arguments: &[&str]) -> Option<String> {
    let Ok(output) = Command::new(command).args(arguments).current_dir(dir).output() else {
        skip(&format!("`{command}` is not there"));
        return None;
    };
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("text"))
}

fn compare(target: BehaviorTarget, ending: &str, drive: impl Fn(&Path, &str, &[Value]) -> Option<String>) {
    let dir = folder(target.name());
    for (i, agent) in agents().iter().enumerate() {
        let name = format!("agent{i}");
        let files = emit_behavior(agent, target, &name, "0").expect("code");
        assert_eq!(files[0].path, format!("{name}.{ending}"));
        std::fs::write(dir.join(&files[0].path), files[0].bytes()).expect("a writable folder");
        let (calls, answers) = script(agent, i as u64);
        std::fs::write(dir.join(format!("{name}.json")), Value::from(calls.clone()).to_string())
            .expect("writable");
        let Some(output) = drive(&dir, &name, &calls) else { return };
        let found: Vec<Value> = output
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
            .collect();
        assert_eq!(found.len(), answers.len(), "{name}");
        for ((call, found), wanted) in calls.iter().zip(&found).zip(&answers) {
            assert_eq!(found, wanted, "{name}: {call}");
        }
    }
}

#[test]
fn javascript_does_the_same() {
    const DRIVER: &str = r#"
import { readFileSync } from "node:fs";
const name = process.argv[2];
const { Behavior, MACHINE_ID } = await import(`./${name}.mjs`);
let b = null;
for (const call of JSON.parse(readFileSync(`${name}.json`, "utf8"))) {
  if (b !== null) {
    const copy = new Behavior();
    copy.restore(JSON.parse(JSON.stringify(b.snapshot())));
    b = copy;
  }
  if (call.new) b = new Behavior();
  if (call.advance !== undefined) b.advance(call.advance);
  if (call.step === undefined) {
    console.log(JSON.stringify([b.legal(), b.prefix()]));
    continue;
  }
  const s = b.step(call.step);
  console.log(JSON.stringify([s.content, s.contentOk, s.removed, s.next, s.forced, s.joint, s.rest]));
}
let refused = 0;
try { b.restore({ machine: MACHINE_ID + "x", node: 0 }); } catch { refused += 1; }
try { b.advance("no such state"); } catch { refused += 1; }
if (refused !== 2) throw new Error("not refused");
"#;
    compare(BehaviorTarget::Js, "js", |dir, name, _| {
        std::fs::write(dir.join("driver.mjs"), DRIVER).expect("writable");
        std::fs::copy(dir.join(format!("{name}.js")), dir.join(format!("{name}.mjs"))).expect("writable");
        run(dir, "node", &["driver.mjs", name])
    });
}

#[test]
fn python_does_the_same() {
    const DRIVER: &str = r#"
import importlib, json, sys
name = sys.argv[1]
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
module = importlib.import_module(name)
b = None
for call in json.load(open(name + ".json", encoding="utf-8")):
    if b is not None:
        copy = module.Behavior()
        copy.restore(json.loads(json.dumps(b.snapshot())))
        b = copy
    if "new" in call:
        b = module.Behavior()
    if "advance" in call:
        b.advance(call["advance"])
    if "step" not in call:
        print(json.dumps([b.legal(), b.prefix()]))
        continue
    s = b.step(call["step"])
    print(json.dumps([s.content, s.content_ok, s.removed, s.next, s.forced, s.joint, s.rest]))
refused = 0
for act in (lambda: b.restore({"machine": "x", "node": 0}), lambda: b.advance("no such state")):
    try:
        act()
    except ValueError:
        refused += 1
assert refused == 2
"#;
    compare(BehaviorTarget::Python, "py", |dir, name, _| {
        std::fs::write(dir.join("driver.py"), DRIVER).expect("writable");
        run(dir, "python3", &["driver.py", name])
    });
}

#[test]
fn rust_does_the_same() {
    compare(BehaviorTarget::Rust, "rs", |dir, name, calls| {
        // A driver without packages: the calls are literals, the answers are printed as JSON.
        let mut driver = format!("#[path = \"{name}.rs\"]\n#[allow(dead_code)]\nmod agent;\nuse agent::*;\n");
        driver += r#"
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() { out += &format!("\\u{unit:04x}"); }
    out + "\""
}
fn named(state: Option<usize>) -> String { state.map_or("null".into(), |s| quoted(STATES[s].name)) }
fn list(b: &Behavior) {
    let legal: Vec<String> = b.legal().iter().map(|s| quoted(STATES[*s].name)).collect();
    println!("[[{}],{}]", legal.join(","), quoted(&b.prefix()));
}
fn main() {
    let mut b = Behavior::new();
    for (kind, text) in CALLS {
        let mut copy = Behavior::new();
        copy.restore(&b.snapshot()).expect("our own");
        b = copy;
        match kind {
            0 => { b = Behavior::new(); list(&b); }
            1 => { b.advance(STATES.iter().position(|s| s.name == *text).expect("a state")).expect("legal"); list(&b); }
            _ => {
                let s = b.step(text).expect("begun");
                println!("[{},{},{},{},{},{},{}]", quoted(&s.content), s.content_ok, named(s.removed), named(s.next), s.forced, quoted(s.joint), quoted(&s.rest));
            }
        }
    }
    let foreign = Snapshot { machine: "x".into(), node: 0 };
    assert_eq!(b.restore(&foreign), Err(Refused::Foreign));
    assert_eq!(b.advance(usize::MAX), Err(Refused::MayNotFollow));
}
const CALLS: &[(u8, &str)] = &[
"#;
        for call in calls {
            let (kind, text) = match (call["advance"].as_str(), call["step"].as_str()) {
                (Some(name), _) => (1, name),
                (_, Some(text)) => (2, text),
                _ => (0, ""),
            };
            let _ = writeln!(driver, "    ({kind}, {text:?}),");
        }
        driver += "];\n";
        std::fs::write(dir.join(format!("{name}_main.rs")), driver).expect("writable");
        run(
            dir,
            "rustc",
            &[
                "--edition",
                "2021",
                "-D",
                "warnings",
                "-A",
                "dead_code",
                &format!("{name}_main.rs"),
                "-o",
                name,
            ],
        )?;
        run(dir, &dir.join(name).to_string_lossy(), &[])
    });
}
