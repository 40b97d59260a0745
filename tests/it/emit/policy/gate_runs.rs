//! Emitted gates, compiled or interpreted: each answer is that of `shield`.

use super::gates::{is_enough, prepare};
use crate::emit::run::{folder, run};
use crate::support::skip;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use tsl_synth_emit::PolicyTarget;

fn prepared(dir: &Path, target: PolicyTarget, proposals: usize) -> usize {
    let (all, seen) = prepare(dir, target, proposals);
    is_enough(&seen, all, proposals);
    all
}

fn same(text: Option<String>, policies: usize) {
    if let Some(text) = text {
        println!("{text}");
        assert!(text.contains(&format!("policies {policies} different 0")), "{text}");
    }
}

/// Runs the scripts of this many policies in Python.
pub(super) fn python(dir: &Path, policies: usize) {
    std::fs::write(dir.join("main.py"), include_str!("drivers/gate.py")).expect("a writable folder");
    same(run(dir, "python3", &["main.py"], false), policies);
}

/// Runs the scripts of this many policies in JavaScript.
pub(super) fn javascript(dir: &Path, policies: usize) {
    std::fs::write(dir.join("package.json"), "{\"type\":\"module\"}").expect("a writable folder");
    std::fs::write(dir.join("main.mjs"), include_str!("drivers/gate.mjs")).expect("a writable folder");
    same(run(dir, "node", &["main.mjs"], true), policies);
}

/// The compiler of TypeScript, if it is installed.
fn compiler() -> Option<String> {
    let compiler = std::env::var("TSL_SYNTH_TSC").unwrap_or_else(|_| "tsc".into());
    if Command::new(&compiler).arg("--version").output().is_ok() {
        return Some(compiler);
    }
    skip(&format!("`{compiler}` is not there; TSL_SYNTH_TSC names another"));
    None
}

fn typescript(proposals: usize) {
    let Some(compiler) = compiler() else { return };
    let dir = folder("gate-ts");
    let policies = prepared(&dir, PolicyTarget::Ts, proposals);
    let files: Vec<String> = (0..policies).map(|i| format!("p{i}.ts")).collect();
    let mut arguments = vec!["--strict", "--noUnusedLocals", "--exactOptionalPropertyTypes"];
    arguments.extend(["--target", "es2022", "--module", "esnext", "--lib", "es2022"]);
    arguments.extend(files.iter().map(String::as_str));
    run(&dir, &compiler, &arguments, false);
    javascript(&dir, policies);
}

/// Lines that are not valid requests: truncated, with other characters, with values of other types, nested too deeply.
fn bad_lines() -> String {
    let good = r#"{"event":"propose","session":"s","id":"c1","tool":"pay","arguments":{"a":[1.5e3,"\u00e4\ud83d\ude00",null]},"time":"2026-11-23T01:57:49Z"}"#;
    let mut lines = vec![String::new(), "[]".into(), "null".into(), format!("{good}{good}")];
    lines.extend(good.char_indices().map(|(at, _)| good[..at].to_owned()));
    lines.extend(good.char_indices().filter(|(_, c)| "{}[]:,\"".contains(*c)).map(|(at, _)| {
        let mut line = good.to_owned();
        line.replace_range(at..=at, "\u{e4}");
        line
    }));
    for value in [
        "1e999",
        "-",
        "01",
        "1.",
        "\"\\ud800\"",
        "\"\\x\"",
        "\"\u{1}\"",
        "nul",
        "[1,]",
        "{\"a\":1,\"a\":2}",
        "tru\u{e4}",
    ] {
        lines.push(good.replace("null", value));
    }
    for depth in [128, 1_000, 1_000_000] {
        lines.push(good.replace("null", &format!("{}{}", "[".repeat(depth), "]".repeat(depth))));
        lines.push("{\"a\":".repeat(depth));
        let inner = format!("\"{}{}\"", "[".repeat(depth), "]".repeat(depth));
        lines.push(good.replace(r#"{"a":[1.5e3,"\u00e4\ud83d\ude00",null]}"#, &inner));
    }
    let fields = [
        "event", "session", "agent", "time", "role", "text", "id", "server", "tool", "ok", "set", "props",
        "ticket", "step", "end", "x",
    ];
    for field in fields {
        for value in ["[]", "{}", "1.5", "99999999999999999999", "[1]", "{\"a\":1}"] {
            lines.push(format!("{{\"event\":\"observe\",\"{field}\":{value}}}"));
        }
    }
    // These are valid requests.
    lines.retain(|line| !["\"set\":{}", "\"props\":[]"].iter().any(|good| line.contains(good)));
    for time in ["2026-11-23", "\u{e4}026-11-23T01:57:49Z", "2026-11-23T01:57:49+", "9999999999999999999999"]
    {
        lines.push(good.replace("2026-11-23T01:57:49Z", time));
    }
    for event in ["message", "call", "commit", "nothing", ""] {
        lines.push(format!("{{\"event\":\"{event}\"}}"));
    }
    lines.push(r#"{"event":"commit","ticket":"x"}"#.into());
    lines.join("\n")
}

/// Runs the scripts of these policies in Rust, in one program, and prints the median times of decisions.
pub(super) fn rust(dir: &Path, policies: &[usize]) {
    let times = rust_times(dir, policies, "0", "1");
    for (verdict, mut taken) in times {
        taken.sort_by(f64::total_cmp);
        println!("{verdict} {} median {:.1} us, not optimized", taken.len(), taken[taken.len() / 2]);
    }
}

/// The same with an optimization level and a number of rounds; returns the times of the decisions in the last round in
/// microseconds, by verdict.
pub(super) fn rust_times(
    dir: &Path,
    policies: &[usize],
    level: &str,
    rounds: &str,
) -> BTreeMap<String, Vec<f64>> {
    let mut main = String::from(include_str!("drivers/gate.rs"));
    for i in policies {
        writeln!(main, "mod p{i};").unwrap();
    }
    main.push_str("\nfn main() {\n");
    for i in policies {
        writeln!(main, "    run!(p{i});").unwrap();
    }
    if let Some(first) = policies.first() {
        writeln!(main, "    refuse!(p{first});").unwrap();
    }
    main.push_str("}\n");
    std::fs::write(dir.join("bad.txt"), bad_lines()).expect("a writable folder");
    std::fs::write(dir.join("main.rs"), main).expect("a writable folder");
    let level = format!("opt-level={level}");
    let arguments = ["--edition", "2021", "-C", "debuginfo=0", "-C", &level, "main.rs"];
    let mut times = BTreeMap::<String, Vec<f64>>::new();
    if run(dir, "rustc", &arguments, true).is_none() {
        return times;
    }
    let Some(printed) = run(dir, "./main", &[rounds], true) else { return times };
    assert_eq!(printed, "", "bad requests that are not denied");
    let read = |name: String| std::fs::read_to_string(dir.join(name)).expect("a file");
    let mut requests = 0;
    for i in policies {
        let (script, answers) = (read(format!("p{i}.script")), read(format!("p{i}.answers")));
        let script: Vec<&str> = script.lines().filter(|line| *line != "S").collect();
        assert_eq!(script.len(), answers.lines().count());
        for (line, own) in script.into_iter().zip(answers.lines()) {
            let (request, expected) = line.split_once('\t').expect("an answer");
            let (took, own) = own.split_once('\t').expect("a time");
            let mut own: Value = serde_json::from_str(own).expect("JSON");
            let expected: Value = serde_json::from_str(expected).expect("JSON");
            let why = expected["reason"].as_str().unwrap_or_default();
            if expected["answer"] == "error" && why.contains("no event") {
                own["reason"] = expected["reason"].clone();
                own["session"] = expected["session"].clone();
            }
            assert_eq!(own, expected, "p{i}: {request}");
            requests += 1;
            if request.contains("\"event\":\"propose\"") {
                let verdict = expected["verdict"].as_str().unwrap_or("none").to_owned();
                times.entry(verdict).or_default().push(took.parse().expect("a number"));
            }
        }
    }
    println!("requests {requests} policies {} different 0", policies.len());
    times
}

#[test]
fn python_gates_answer_as_shield_does() {
    let dir = folder("gate-python");
    python(&dir, prepared(&dir, PolicyTarget::Python, 20));
}

/// More than 10,000 proposals.
#[test]
#[ignore = "a campaign"]
fn campaign_python_gates() {
    let dir = folder("gate-python");
    python(&dir, prepared(&dir, PolicyTarget::Python, 300));
}

#[test]
fn javascript_gates_answer_as_shield_does() {
    let dir = folder("gate-js");
    javascript(&dir, prepared(&dir, PolicyTarget::Js, 20));
}

/// More than 10,000 proposals.
#[test]
#[ignore = "a campaign"]
fn campaign_javascript_gates() {
    let dir = folder("gate-js");
    javascript(&dir, prepared(&dir, PolicyTarget::Js, 300));
}

#[test]
fn typescript_gates_answer_as_shield_does() {
    typescript(10);
}

/// More than 10,000 proposals.
#[test]
#[ignore = "a campaign"]
fn campaign_typescript_gates() {
    typescript(300);
}

/// At most three of the policies, because compilation takes long.
#[test]
fn rust_gates_answer_as_shield_does() {
    let dir = folder("gate-rust");
    let policies = prepared(&dir, PolicyTarget::Rust, 30);
    rust(&dir, &(0..policies).step_by(policies.div_ceil(3)).collect::<Vec<_>>());
}

/// More than 10,000 proposals; all policies are compiled, which takes minutes.
#[test]
#[ignore = "a campaign"]
fn campaign_rust_gates() {
    let dir = folder("gate-rust");
    let policies = prepared(&dir, PolicyTarget::Rust, 300);
    rust(&dir, &(0..policies).collect::<Vec<_>>());
}
