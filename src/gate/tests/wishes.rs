//! Thirty-two wishes of the public, `fixtures/wishes`: each policy is held to answers that were written before it.

use std::path::PathBuf;
use std::sync::Arc;
use tsl_synth_gate::{Call, Decision, Gate, MemoryStore, Policy, Ruling, Speaker};

/// Answers that are not as wished, by the file and the line of the call, with the reason.
const OPEN: &[(&str, usize, &str)] = &[];

/// A session of a file: its lines with their numbers.
type Session<'t> = Vec<(usize, &'t str)>;

fn sessions(text: &str) -> Vec<Session<'_>> {
    let (mut all, mut open): (Vec<Session<'_>>, Option<Session<'_>>) = (Vec::new(), None);
    for (i, line) in text.lines().enumerate() {
        match (line, &mut open) {
            ("", _) => {}
            (line, _) if line.starts_with('#') => {}
            ("{", None) => open = Some(Vec::new()),
            ("}", Some(_)) => all.extend(open.take()),
            (line, Some(session)) => session.push((i + 1, line)),
            (line, None) => all.push(vec![(i + 1, line)]),
        }
    }
    assert!(open.is_none(), "a session is not closed");
    all
}

/// The answer of the gate to a proposed call.
fn answer(gate: &Gate, text: &str) -> Decision {
    if text == "%end" {
        return gate.end().expect("an answer");
    }
    let text = text.replace('⏎', "\n");
    let (id, text) = match text.strip_prefix('#').and_then(|rest| rest.split_once(' ')) {
        Some((id, rest)) if !id.is_empty() => (Some(id), rest),
        _ => (None, text.as_str()),
    };
    let command = serde_json::json!({ "command": text }).to_string();
    let (server, tool, arguments) = match text.strip_prefix('@').and_then(|call| call.split_once(' ')) {
        Some((name, arguments)) => match name.split_once(':') {
            Some((server, tool)) => (Some(server), tool, arguments),
            None => (None, name, arguments),
        },
        None => (None, "Bash", command.as_str()),
    };
    gate.propose_call(&Call { id, server, agent: None, tool, arguments }).expect("an answer")
}

/// The lines of a session whose answers are not as wished, with the answers.
fn wrong(policy: &Policy, session: &Session<'_>) -> (usize, Vec<(usize, String)>) {
    let gate = Gate::new(policy, "session", Arc::new(MemoryStore::new(|| None))).expect("a gate");
    let mut wrong = Vec::new();
    let (mut ticket, mut judged) = (None, 0);
    for &(number, line) in session {
        let (word, rest) = line.split_once('\t').unwrap_or((line, ""));
        let result = (!rest.is_empty()).then_some(rest);
        match word {
            "ok" | "failed" => {
                let ticket: Option<String> = ticket.take();
                let _ = gate.commit(ticket.as_deref().unwrap_or_default(), Some(word == "ok"), result);
            }
            "user" => drop(gate.message(Speaker::User, rest).expect("heard")),
            "agent" => drop(gate.message(Speaker::Agent, rest).expect("heard")),
            expected => {
                let decision = answer(&gate, rest);
                judged += 1;
                let found = match decision.verdict {
                    Ruling::Ask => "ask",
                    Ruling::Deny => "deny",
                    _ => "allow",
                };
                assert!(["allow", "ask", "deny", "any"].contains(&expected), "line {number}: {line}");
                if expected != "any" && expected != found {
                    wrong.push((number, format!("{found} instead of {line}: {}", decision.reason)));
                }
                ticket = decision.ticket;
            }
        }
    }
    (judged, wrong)
}

/// The policies of the gallery, held to their own answers.
#[test]
fn the_gallery_answers_as_written() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = 0;
    for name in ["tests-before-push", "read-before-overwrite", "retail"] {
        let answers =
            std::fs::read_to_string(root.join(format!("fixtures/gallery/{name}.txt"))).expect("answers");
        let text =
            std::fs::read_to_string(root.join(format!("specs/policies/{name}.toml"))).expect("a policy");
        let policy =
            Policy::from_text(&format!("{name}.toml"), &text).unwrap_or_else(|error| panic!("{error}"));
        for session in sessions(&answers) {
            let (calls, wrong) = wrong(&policy, &session);
            assert!(wrong.is_empty(), "{name}: {wrong:#?}");
            all += calls;
        }
    }
    assert!(all >= 100, "{all}");
}

#[test]
fn wishes_are_met() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/wishes");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the wishes")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".txt").map(str::to_owned))
        .collect();
    names.sort();
    assert_eq!(names.len(), 32);
    let only = std::env::var("WISH").unwrap_or_default();
    let (mut all, mut unmet) = (0, Vec::new());
    for name in names.iter().filter(|name| name.starts_with(&only)) {
        let answers = std::fs::read_to_string(folder.join(format!("{name}.txt"))).expect("answers");
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a policy");
        let policy = Policy::from_text(&format!("{name}.toml"), &text);
        let policy = policy.unwrap_or_else(|error| panic!("{name}: {error}"));
        let rules =
            text.lines().filter(|line| line.starts_with("rule =") || line.starts_with("ltl =")).count();
        assert!((1..=3).contains(&rules), "{name}: {rules} rules");
        let mut judged = 0;
        for session in sessions(&answers) {
            let (calls, wrong) = wrong(&policy, &session);
            judged += calls;
            unmet.extend(wrong.into_iter().map(|(line, what)| (name.clone(), line, what)));
        }
        assert!(judged >= 20, "{name}: {judged} answers");
        all += judged;
    }
    println!("{} of {all} answers are as wished", all - unmet.len());
    let is_open = |name: &str, line: usize| OPEN.iter().any(|(own, at, _)| *own == name && *at == line);
    let (open, wrong): (Vec<_>, Vec<_>) = unmet.iter().partition(|(name, line, _)| is_open(name, *line));
    for (name, line, what) in open {
        println!("open: {name}, line {line}: {what}");
    }
    let wrong: Vec<String> =
        wrong.iter().map(|(name, line, what)| format!("{name}:{line}: {what}")).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    for (name, line, why) in OPEN.iter().filter(|(name, ..)| name.starts_with(&only)) {
        if !unmet.iter().any(|(own, at, _)| own == name && at == line) {
            println!("no longer open: {name}, line {line}: {why}");
        }
    }
}
