//! Emitted gates, compared with `shield`: the same requests, the same answers.

use crate::policy_game::texts::{FLAVORS, random};
use crate::support::Rng;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::json_text;
use tsl_synth_core::model::{Pointer, Scalar, ValueComparison, ValueCondition};
use tsl_synth_emit::{PolicyEmitOptions, PolicyMeta, PolicyTarget, emit_policy};
use tsl_synth_policy::language::{EventKind, Policy};
use tsl_synth_seats::gate::{GateRequest, read_request};
use tsl_synth_service::{GateService, Input, LoadedPolicy, MemoryJournal, Session};

/// A policy with laws that are not denied.
const MILD: &str = r#"policy = 1
name = "mild"
unmatched = "allow"
[propositions]
dirty = {}
[actions]
groups = [["fetch"], ["mail", "post"]]
[[match]]
on = "call"
tool = "fetch"
action = "fetch"
[[match]]
on = "call"
tool = "mail"
action = "mail"
bind = { v = "/arguments/v" }
[[match]]
on = "call"
tool = "post"
action = "post"
bind = { v = "/arguments/v" }
[[law]]
id = "past"
ltl = "G (mail -> !(O (fetch | dirty)))"
on_violation = "ASK"
[[law]]
id = "future"
for_each = ["v"]
ltl = "G (post.ok -> X G !mail)"
on_violation = "ASK"
[[law]]
id = "denied"
ltl = "G (post -> !(O post.failed))"
"#;

/// The names and values in random requests for a policy.
struct Words {
    tools: Vec<String>,
    names: Vec<String>,
    arguments: Vec<Vec<String>>,
    results: Vec<Vec<String>>,
    values: Vec<Value>,
}

pub(super) fn loaded(name: &str, text: &str) -> LoadedPolicy {
    let input = Input::Text { name: name.into(), text: text.into() };
    Session::new().policy(&input).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn scalar(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::Null => Value::Null,
        Scalar::Bool(value) => json!(value),
        Scalar::Number(number) => serde_json::from_str(&number.to_string()).expect("a number"),
        Scalar::Text(text) => json!(text),
    }
}

fn put(at: &mut Value, place: &[String], value: Value) {
    match (place, at.as_object_mut()) {
        ([last], Some(object)) => drop(object.insert(last.clone(), value)),
        ([first, rest @ ..], Some(object)) => {
            put(object.entry(first.clone()).or_insert_with(|| json!({})), rest, value);
        }
        _ => {}
    }
}

impl Words {
    fn new(loaded: &LoadedPolicy) -> Self {
        let policy = &loaded.compiled.policy;
        let mut tools: Vec<String> = policy.atoms.actions.iter().map(|action| action.name.clone()).collect();
        let names = policy.atoms.propositions.iter().map(|own| own.name.clone()).collect();
        let mut values =
            vec![json!("x"), json!("y"), json!(7), json!(600), json!(1.5), json!(true), Value::Null];
        values.extend([
            json!("{\"status\":\"ok\"}"),
            json!(["x", 7]),
            json!({"k": {"l": [1]}}),
            json!("\u{e4}\u{1f600}\u{7f}"),
        ]);
        let (mut arguments, mut results) = (vec![vec!["v".into()], vec!["eur".into()]], Vec::new());
        for table in &policy.matches {
            for glob in &table.tools {
                tools.push(glob.as_str().replace(['*', '?'], "a"));
            }
            let mut add = |pointer: &Pointer| {
                let (first, rest) = match pointer.parts() {
                    [first, rest @ ..] => {
                        (&**first, rest.iter().map(ToString::to_string).collect::<Vec<_>>())
                    }
                    [] => return,
                };
                match first {
                    "arguments" => arguments.push(rest),
                    "result" => results.push(rest),
                    _ => {}
                }
            };
            table.conditions.iter().for_each(|one| add(&one.pointer));
            table.bind.iter().for_each(|(_, pointer)| add(pointer));
            for condition in &table.conditions {
                match &condition.comparison {
                    ValueComparison::Compare(_, with) | ValueComparison::Contains(with) => {
                        values.push(scalar(with));
                    }
                    ValueComparison::In(list) => values.extend(list.iter().map(scalar)),
                    ValueComparison::Glob(globs) => {
                        values.extend(globs.iter().map(|glob| json!(glob.as_str().replace(['*', '?'], "b"))));
                    }
                    _ => {}
                }
            }
        }
        tools.push("tool2".into());
        tools.push("nothing".into());
        let seconds: Vec<String> =
            policy.atoms.actions.iter().map(|action| format!("{}2", action.name)).collect();
        tools.extend(seconds);
        tools.sort();
        tools.dedup();
        Self { tools, names, arguments, results, values }
    }
    fn document(&self, places: &[Vec<String>], rng: &mut Rng) -> Value {
        let mut whole = Value::Object(Map::new());
        for place in places.iter().filter(|place| !place.is_empty()) {
            if rng.below(5) == 0 {
                continue;
            }
            let value = self.values[rng.below(self.values.len())].clone();
            put(&mut whole, place, value);
        }
        whole
    }
    fn request(&self, rng: &mut Rng, state: &mut State) -> Value {
        state.time += i64::try_from(rng.below(40_000)).expect("small");
        let session = ["s", "\u{e4}"][usize::from(rng.below(6) == 0)];
        let mut request = match rng.below(20) {
            0..=8 => {
                state.calls += 1;
                let again = rng.below(8) == 0 && state.calls > 1;
                if again && !state.proposed.is_empty() {
                    return state.proposed[rng.below(state.proposed.len())].clone();
                }
                let id = if again { rng.below(state.calls) } else { state.calls };
                let tool = &self.tools[rng.below(self.tools.len())];
                let mut call = json!({"event": "propose", "tool": tool, "arguments": self.document(&self.arguments, rng)});
                if rng.below(10) > 0 {
                    call["id"] = json!(format!("c{id}"));
                } else if rng.below(4) == 0 {
                    call["id"] = json!(format!("#{id}"));
                }
                match rng.below(12) {
                    0 => call["arguments"] = json!(call["arguments"].to_string()),
                    1 => call["arguments"] = Value::Null,
                    _ => {}
                }
                if rng.below(6) == 0 {
                    let servers = ["shop", "x"];
                    call["server"] = json!(servers[rng.below(2)]);
                }
                call
            }
            9..=11 => {
                let ok = [json!(true), json!(true), json!(false), Value::Null][rng.below(4)].clone();
                let result = self.document(&self.results, rng);
                let result = if rng.below(5) == 0 { json!(result.to_string()) } else { result };
                if rng.below(2) == 0 && !state.tickets.is_empty() {
                    let ticket = &state.tickets[rng.below(state.tickets.len())];
                    json!({"event": "commit", "ticket": ticket, "ok": ok, "result": result})
                } else {
                    let id = format!("c{}", rng.below(state.calls + 1));
                    json!({"event": "result", "id": id, "ok": ok, "result": result})
                }
            }
            12..=14 if !self.names.is_empty() => {
                let name = &self.names[rng.below(self.names.len())];
                if rng.below(6) == 0 {
                    json!({"event": "observe", "props": [name]})
                } else {
                    json!({"event": "observe", "set": {name: rng.below(3) > 0}})
                }
            }
            15 => json!({"event": "options"}),
            16 => json!({"event": "end"}),
            17 => {
                let kinds = ["start", "tick", "close", "nothing"];
                json!({"event": kinds[rng.below(4)]})
            }
            _ => {
                let text =
                    ["yes", "ok YES!", "no", "eyes", "yes\n", "\u{e4}yes", "ye\u{17f} yes?", "refund it"];
                let roles = ["user", "agent"];
                json!({"event": "message", "role": roles[rng.below(2)], "text": text[rng.below(text.len())]})
            }
        };
        request["session"] = json!(session);
        request["time"] = json!(state.time);
        if request["event"] == "propose" {
            state.proposed.push(request.clone());
        }
        request
    }
}

/// Whether emitted gates judge a request as `shield` does. They do not know of values that are missing or of another
/// type than a table compares or binds: there `shield` denies, or takes the letter to be about an unknown value.
fn is_clear(policy: &Policy, request: &Value) -> bool {
    let unpacked = |document: &Value| match document.as_str().map(serde_json::from_str::<Value>) {
        Some(Ok(inner)) => inner.to_string(),
        _ => document.to_string(),
    };
    let (arguments, result) = (unpacked(&request["arguments"]), unpacked(&request["result"]));
    let is_scalar = |pointer: &Pointer, text: &str| {
        let found = json_text::at(pointer, text).ok().flatten();
        found.is_some_and(|found| !found.as_str().starts_with(['n', '[', '{']))
    };
    let is_call = request["event"] == "propose";
    let tool = request["tool"].as_str().unwrap_or_default();
    let about = policy.matches.iter().filter(|table| {
        !is_call || table.tools.is_empty() || table.tools.iter().any(|glob| glob.matches(tool))
    });
    about.into_iter().all(|table| {
        let binds = table.bind.iter().all(|(_, pointer)| {
            match (pointer.within("arguments"), pointer.within("result")) {
                (Some(inner), _) => !is_call || is_scalar(&inner, &arguments),
                (_, Some(inner)) => is_call || is_scalar(&inner, &result),
                _ => true,
            }
        });
        let is_judged = |condition: &ValueCondition| {
            let Some(inner) = condition.pointer.within("arguments") else { return true };
            let found = json_text::at(&inner, &arguments).ok().flatten();
            json_text::judged(&condition.comparison, found).is_some()
        };
        binds && (!is_call || table.on != EventKind::Call || table.conditions.iter().all(is_judged))
    })
}

#[derive(Default)]
struct State {
    calls: usize,
    time: i64,
    tickets: Vec<String>,
    proposed: Vec<Value>,
}

pub(super) fn answer(shield: &mut GateService<MemoryJournal>, line: &str) -> Value {
    let error = |session: &str, why: String| json!({"answer": "error", "session": session, "verdict": "deny", "reason": why});
    let request = match read_request(line, 1, "session") {
        Ok(request) => request,
        Err(bad) => return error("s", bad.0),
    };
    let answered = match request {
        GateRequest::Event(event) => {
            let session = event.session.to_string();
            shield.event(&event).map(|answer| answer.document).map_err(|why| error(&session, why))
        }
        GateRequest::Commit { session, ticket, outcome, result, time } => shield
            .commit(&session, &ticket, outcome, result, time)
            .map(|answer| answer.document)
            .map_err(|why| error(&session, why)),
        GateRequest::SolverOptions { session } => {
            shield.options(&session).map_err(|why| error(&session, why))
        }
    };
    answered.map_or_else(|error| error, |document| serde_json::to_value(document).expect("a document"))
}

/// Random requests with the answers of `shield`, until the given number of calls was proposed; counts the verdicts of
/// each kind in `seen`.
fn script(
    loaded: LoadedPolicy,
    proposals: usize,
    rng: &mut Rng,
    seen: &mut BTreeMap<String, usize>,
) -> String {
    let words = Words::new(&loaded);
    let policy = loaded.compiled.policy.clone();
    let mut shield = GateService::new(loaded, "0", "p", MemoryJournal::default(), false)
        .map_err(|(limit, _)| limit.to_string())
        .expect("a gate");
    let (mut state, mut text, mut proposed) = (State::default(), String::new(), 0);
    while proposed < proposals {
        let request = words.request(rng, &mut state);
        if matches!(request["event"].as_str(), Some("propose" | "result" | "commit"))
            && !is_clear(&policy, &request)
        {
            continue;
        }
        let request = request.to_string();
        let answer = answer(&mut shield, &request);
        if let Some(ticket) = answer["ticket"].as_str() {
            state.tickets.push(ticket.to_owned());
        }
        let is_proposal = request.contains("\"event\":\"propose\"");
        proposed += usize::from(is_proposal);
        if is_proposal {
            let verdict = answer["verdict"].as_str().unwrap_or("none").to_owned();
            *seen.entry(verdict).or_insert(0) += 1;
            if answer["reason"].as_str().is_some_and(|reason| reason.contains("whatever you do then")) {
                *seen.entry("ahead".into()).or_insert(0) += 1;
            }
        }
        writeln!(text, "{request}\t{answer}").unwrap();
        // From time to time the gate is saved and restored.
        if rng.below(60) == 0 {
            text.push_str("S\n");
        }
    }
    text
}

/// Writes random policies and those of the gallery as files of a target with scripts; returns the number of policies
/// written, and the numbers of verdicts of each kind and of refused policies.
pub(super) fn prepare(
    dir: &Path,
    target: PolicyTarget,
    proposals: usize,
) -> (usize, BTreeMap<String, usize>) {
    let mut policies: Vec<(String, String)> = (0..30_u64)
        .map(|seed| {
            let flavor = FLAVORS[seed as usize % FLAVORS.len()];
            (format!("random{seed}.toml"), random(&mut Rng(seed * 6271 + 17), flavor).whole())
        })
        .collect();
    let gallery = crate::readme::root().join("specs/policies");
    for entry in std::fs::read_dir(gallery).expect("the gallery") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "toml" || ending == "json") {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            policies.push((name, std::fs::read_to_string(&path).expect("a policy")));
        }
    }
    // Laws whose violations are reported each time; nothing in these policies makes such a law impossible to keep.
    for (i, on) in ["ask", "warn", "log"].into_iter().enumerate() {
        policies.push((format!("mild{i}.toml"), MILD.replace("ASK", on)));
        let joined = format!(
            "trace = \"per-action\"\n{}",
            MILD.replace("ASK", on).replace("for_each = [\"v\"]\n", "")
        );
        policies.push((format!("mild{i}-joined.toml"), joined));
    }
    policies.sort();
    let (mut seen, mut all) = (BTreeMap::new(), 0);
    let mut rng = Rng(31);
    std::fs::write(dir.join("index.txt"), "").expect("a writable folder");
    for (name, text) in policies {
        if prepare_one(dir, target, (all, &name, &text), proposals, &mut rng, &mut seen) {
            all += 1;
        }
    }
    println!("{}: {all} policies, {seen:?}", target.name());
    (all, seen)
}

/// Writes a policy, given by number, name and text, as files of a target with a script; returns whether the target
/// supports it.
pub(super) fn prepare_one(
    dir: &Path,
    target: PolicyTarget,
    (number, name, text): (usize, &str, &str),
    proposals: usize,
    rng: &mut Rng,
    seen: &mut BTreeMap<String, usize>,
) -> bool {
    let policy = loaded(name, text);
    let stem = format!("p{number}");
    let meta = PolicyMeta { tool_version: "*/ 0".into(), sha256: "00".into() };
    let files = match emit_policy(&policy.compiled, &meta, &PolicyEmitOptions::new(target, stem.clone())) {
        Ok(files) => files,
        Err(error) => {
            println!("{name}: {error}");
            assert!(error.to_string().contains("--law-monitor"), "{error}");
            *seen.entry("refused policies".into()).or_insert(0) += 1;
            return false;
        }
    };
    for file in files {
        std::fs::write(dir.join(&file.path), file.bytes()).expect("a writable folder");
    }
    let script = script(policy, proposals, rng, seen);
    std::fs::write(dir.join(format!("{stem}.script")), script).expect("a writable folder");
    let mut index = std::fs::read_to_string(dir.join("index.txt")).unwrap_or_default();
    writeln!(index, "{stem} {name}").unwrap();
    std::fs::write(dir.join("index.txt"), index).expect("a writable folder");
    true
}

/// Asserts that the scripts have enough verdicts of each kind.
pub(super) fn is_enough(seen: &BTreeMap<String, usize>, all: usize, proposals: usize) {
    assert!(seen["allow"] > all * proposals / 10 && seen["deny"] > all * proposals / 10, "{seen:?}");
    assert!(seen["ahead"] > 10 && all > 30, "{seen:?}");
}
