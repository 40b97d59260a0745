//! A policy in front of the tool calls of an agent, with sessions in memory: `cargo run --example decide`.

use std::error::Error;
use tsl_synth::seats::gate::{GateRequest, read_request};
use tsl_synth::service::{GateService, MemoryJournal, Session, SpecLanguage, SpecRequest};

const POLICY: &str = r#"
policy = 1
name = "tested"
unmatched = "allow"
[actions]
groups = [["push", "test"]]
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["git", "push", "**"]
action = "push"
[[match]]
on = "call"
tool = "Bash"
shell = "/arguments/command"
argv = ["cargo", "test", "**"]
action = "test"
[[law]]
id = "tests-first"
rule = "push requires test before"
why = "Run the tests before you push."
"#;

/// What the loop of an agent would send, in the protocol of `tsl-synth help shield`.
const EVENTS: [&str; 4] = [
    r#"{"event":"propose","id":"1","tool":"Bash","arguments":{"command":"git push"}}"#,
    r#"{"event":"propose","id":"2","tool":"Bash","arguments":{"command":"cargo test"}}"#,
    r#"{"event":"result","id":"2","ok":true}"#,
    r#"{"event":"propose","id":"3","tool":"Bash","arguments":{"command":"cd app && git push"}}"#,
];

fn main() -> Result<(), Box<dyn Error>> {
    let request = SpecRequest::text(SpecLanguage::Tsl, "policy.toml", POLICY);
    let policy = Session::new().policy(&request.inputs[0])?;
    let hash = policy.sha256.clone();
    let mut gate = GateService::new(policy, &hash, "policy.toml", MemoryJournal::default(), false)
        .map_err(|(failure, _)| failure)?;
    for (number, line) in (1..).zip(EVENTS) {
        let request = read_request(line, number, "session").map_err(|bad| format!("{bad:?}"))?;
        let GateRequest::Event(event) = request else { continue };
        let answer = gate.event(&event)?;
        println!("{line}\n  {} {}", answer.answer.ruling.name(), answer.answer.reason);
    }
    Ok(())
}
