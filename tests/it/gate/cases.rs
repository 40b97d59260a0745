//! The gate on cases about LTLCrit (seed 003) and of the safety chip (seed 004).

use super::{named, over, shield};
use crate::policy_check::ltlcrit::{SETS, cases, laws, policy, read, texts};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, Ruling};
use tsl_synth_service::{GateAnswer, GateService, MemoryJournal};
use tsl_synth_testkit as support;

type Gate = GateService<MemoryJournal>;

fn event(session: &str, kind: HostEventKind<'static>) -> HostEvent<'static> {
    HostEvent::new(session.to_owned(), 0, kind)
}

/// Reports the propositions that hold; all others do not.
fn observe(gate: &mut Gate, session: &str, names: &[String]) {
    let truths = names.iter().map(|name| (Cow::Owned(name.clone()), true)).collect();
    let answer = gate.event(&event(session, HostEventKind::Observe { truths, complete: true }));
    assert!(answer.expect("heard").document.faults.is_empty());
}

fn propose(gate: &mut Gate, session: &str, id: &str, tool: &str, arguments: String) -> GateAnswer {
    let kind = HostEventKind::Call {
        id: Some(id.to_owned().into()),
        server: None,
        tool: tool.to_owned().into(),
        arguments: JsonText(Cow::Owned(arguments)),
    };
    gate.event(&event(session, kind)).expect("an answer")
}

/// A gate for a set of laws, with a tool for each action.
fn of_set(folder: &Path, set: &str) -> Gate {
    let mut text: Value = serde_json::from_str(&policy(folder, laws(folder, set))).expect("JSON");
    let actions = texts(&text["actions"]["groups"][0]);
    text["match"] = actions.iter().map(|name| json!({"on": "call", "tool": name, "action": name})).collect();
    text["fallback"] = json!("hard");
    over(named("laws.json", &text.to_string()), MemoryJournal::default())
}

fn set_of(value: &Value) -> BTreeSet<String> {
    texts(value).into_iter().collect()
}

/// Checks the options and the decisions in one state of the paper, in a session of its own.
fn state(gate: &mut Gate, case: &Value, expected: &Value, what: &str) {
    let session = case["name"].as_str().expect("a name");
    observe(gate, session, &texts(&case["obs_true"]));
    let options = gate.options(session).expect("options");
    let allowed = set_of(&expected["allowed"]);
    let is_stuck = expected["over_constrained"].as_bool().expect("a truth value");
    assert_eq!(options.over_constrained, Some(is_stuck), "{what}");
    let blocked: BTreeMap<String, BTreeSet<String>> = expected["blocked_by"]
        .as_object()
        .expect("a table")
        .iter()
        .map(|(k, v)| (k.clone(), set_of(v)))
        .collect();
    let denied: BTreeMap<String, BTreeSet<String>> =
        options.denied.iter().flatten().map(|(k, v)| (k.clone(), v.iter().cloned().collect())).collect();
    assert_eq!(denied, blocked, "{what}");
    if is_stuck {
        let cores = expected["conflict_cores"].as_array().expect("cores").iter().map(set_of);
        let core: BTreeSet<String> = options.core.iter().cloned().collect();
        assert!(cores.into_iter().any(|known| known == core), "{what}: {core:?}");
    }
    // If all laws together allow no action, only the hard laws apply.
    let passes = expected.get("fallback_hard_only").filter(|_| is_stuck).map_or(allowed, set_of);
    let told: BTreeSet<String> = options.allowed.into_iter().flatten().collect();
    assert_eq!(told, passes, "{what}");
    for (action, laws) in &blocked {
        if !passes.contains(action) {
            let answer = propose(gate, session, action, action, "{}".into());
            assert_eq!(answer.answer.ruling, Ruling::Deny, "{what}: {action}");
            let by: BTreeSet<String> = answer.answer.laws.into_iter().collect();
            assert!(
                !by.is_empty() && by.is_subset(laws) && (is_stuck || by == *laws),
                "{what}: {action} {by:?}"
            );
        }
    }
    if let Some(action) = passes.first() {
        let answer = propose(gate, session, "last", action, "{}".into());
        assert_eq!(answer.answer.ruling, Ruling::Allow, "{what}: {action} {:?}", answer.document);
    }
}

#[test]
fn the_states_of_ltlcrit_have_the_actions_that_the_paper_expects() {
    for folder in cases() {
        let cases = read(&folder, "state_cases.json");
        for set in SETS {
            let mut gate = of_set(&folder, set);
            for case in cases["cases"].as_array().expect("cases") {
                state(&mut gate, case, &case["expect"][set], &format!("{} / {set}", case["name"]));
            }
        }
    }
}

#[test]
fn the_words_of_ltlcrit_pass_the_gate_until_nothing_is_left() {
    for folder in cases() {
        for trace in read(&folder, "deadlock_traces.json")["traces"].as_array().expect("traces") {
            let set = trace["law_set"].as_str().expect("a name");
            let mut gate = of_set(&folder, set);
            for (at, step) in trace["trajectory"].as_array().expect("steps").iter().enumerate() {
                observe(&mut gate, "s", &texts(&step["obs_true"]));
                let options = gate.options("s").expect("options");
                let Some(action) = step["action"].as_str() else {
                    assert_eq!(options.over_constrained, Some(true), "{set}");
                    assert_eq!(
                        options.core.into_iter().collect::<BTreeSet<_>>(),
                        set_of(&trace["core"]),
                        "{set}"
                    );
                    continue;
                };
                let id = format!("c{at}");
                let answer = propose(&mut gate, "s", &id, action, "{}".into());
                assert_eq!(answer.answer.ruling, Ruling::Allow, "{set} step {at}: {:?}", answer.document);
                gate.commit("s", &answer.answer.ticket.expect("a ticket"), CallOutcome::Ok, None, None)
                    .expect("heard");
            }
        }
    }
}

/// A policy with the constraints of a case; the argument of each move lists the propositions that hold after it.
fn chip(all: &Value, case: &Value) -> String {
    let mut text = String::from(
        "policy = 1\nnext = \"strong\"\ntrace = \"per-action\"\n[actions]\ngroups = [[\"move\"]]\n\
         [[match]]\non = \"call\"\ntool = \"move\"\naction = \"move\"\n",
    );
    let names = texts(&all["propositions"]);
    for name in &names {
        let _ = writeln!(
            text,
            "[[match]]\non = \"call\"\ntool = \"move\"\nproposition = \"{name}\"\n\
             where = [{{ pointer = \"/arguments/to\", contains = \"{name}\" }}]"
        );
    }
    text += "[propositions]\n";
    for name in &names {
        let _ = writeln!(text, "{name} = {{}}");
    }
    for id in texts(&case["constraints"]) {
        let ltl = all["constraints"][&id]["ltl"].as_str().expect("a formula");
        let _ = writeln!(text, "[[law]]\nid = \"{id}\"\nltl = \"{ltl}\"");
    }
    text
}

#[test]
fn plans_of_the_safety_chip_are_stopped_at_the_first_violation() {
    for folder in support::cases("agents/safety-chip") {
        plans_are_stopped(&read(&folder, "cases.json"));
    }
}

fn plans_are_stopped(all: &Value) {
    let (mut stopped, mut ended) = (0, 0);
    for case in all["cases"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        let expected = &case["expect"];
        let mut gate = shield(&chip(all, case));
        let mut refused = None;
        for (at, props) in case["trace_true_props"].as_array().expect("letters").iter().enumerate() {
            let answer =
                propose(&mut gate, "s", &format!("c{at}"), "move", json!({ "to": props }).to_string());
            if answer.answer.ruling == Ruling::Deny {
                refused = Some((at as u64, answer));
                break;
            }
        }
        let violation = expected["first_violation"].as_u64();
        assert_eq!(refused.as_ref().map(|(at, _)| *at), violation, "{name}: {refused:?}");
        if let Some((_, answer)) = refused {
            stopped += 1;
            let known = texts(&case["constraints"]);
            let blamed: Vec<String> =
                texts(&expected["blamed"]).into_iter().filter(|id| known.contains(id)).collect();
            assert!(blamed.is_empty() || answer.answer.laws == blamed, "{name}: {:?}", answer.document);
            continue;
        }
        let Some(accepted) = expected["DONE_accepted"].as_bool() else { continue };
        ended += 1;
        let answer = gate.event(&event("s", HostEventKind::End)).expect("an answer");
        assert_eq!(answer.answer.ruling == Ruling::Allow, accepted, "{name}: {:?}", answer.document);
        assert_eq!(answer.answer.laws, texts(&expected["pending"]), "{name}");
    }
    assert!(stopped >= 10 && ended >= 9, "{stopped} {ended}");
}
