//! Results whose outcome the host does not know: the gate permits a call only if it may be made however the calls before
//! it ended. Each session is compared with the sessions in which these calls succeeded or failed.

use super::gates::Gate;
use std::collections::BTreeMap;
use tsl_synth_core::base::Random;
use tsl_synth_core::model::{CallOutcome, HostEvent, HostEventKind, JsonText, Ruling};
use tsl_synth_policy::gate::GateSession;

const LAWS: [&str; 12] = [
    "rule = \"c requires a before\"",
    "rule = \"a then b eventually\"",
    "ltl = \"G(a.failed -> X(!b U a.ok))\"",
    "ltl = \"G(a.ok | a.failed -> X G !c)\"",
    "ltl = \"G(a.failed -> F b)\"",
    "ltl = \"G(a.ok -> F c)\"",
    "ltl = \"G(c -> O b.ok & !O b.failed)\"",
    "ltl = \"G(b.failed -> X G !b)\"\nfor_each = [\"k\"]",
    "ltl = \"G(c -> !O(a.unknown))\"",
    "rule = \"at most 2 c\"",
    "ltl = \"G(b -> !done)\"",
    "ltl = \"G(c -> O wrong | !O a.failed)\"",
];

const HEAD: &str = r#"policy = 1
name = "p"
unmatched = "allow"
[propositions]
done = { state = true }
wrong = {}
[actions]
groups = [["a", "b", "c"]]
[[match]]
on = "call"
tool = "a"
action = "a"
bind = { k = "/arguments/k" }
[[match]]
on = "call"
tool = "b"
action = "b"
bind = { k = "/arguments/k" }
[[match]]
on = "call"
tool = "c"
action = "c"
bind = { k = "/arguments/k" }
[[match]]
on = "result"
tool = "a"
ok = true
proposition = "done"
[[match]]
on = "result"
tool = "a"
ok = false
proposition = "wrong"
"#;

fn policy(laws: &[&str]) -> String {
    let mut text = HEAD.to_owned();
    for (i, law) in laws.iter().enumerate() {
        text.push_str(&["[[law]]\nid = \"l", &i.to_string(), "\"\n", law, "\n"].concat());
    }
    text
}

fn call(number: usize, tool: &'static str, key: &str) -> HostEventKind<'static> {
    let arguments = JsonText(format!("{{\"k\":\"{key}\"}}").into());
    HostEventKind::Call { id: Some(number.to_string().into()), server: None, tool: tool.into(), arguments }
}

fn result(number: usize, outcome: CallOutcome) -> HostEventKind<'static> {
    HostEventKind::Result { call: Some(number.to_string().into()), outcome, result: None }
}

impl Gate {
    /// Decides in a session; a call that is let through is made.
    fn decide(&mut self, session: &mut GateSession, call: &HostEventKind<'static>, is_made: bool) -> bool {
        let proposal = self.solver.propose(session, &HostEvent::new("s", 2, call.clone()));
        let is_free = proposal.decision.ruling < Ruling::Ask;
        if is_made {
            session.grant(self.solver.compiled(), proposal);
        } else {
            session.refuse(&proposal);
        }
        is_free
    }
}

/// How often both permit a call, and how often only the sessions with known outcomes do.
fn compare(laws: &[&str], random: &mut Random) -> [usize; 2] {
    let text = policy(laws);
    let mut gate = Gate::new(&text);
    let mut open = gate.session.clone();
    let mut known = vec![gate.session.clone()];
    let (mut counts, mut told) = ([0; 2], Vec::new());
    for number in 0..7 {
        let tool = ["a", "b", "c"][random.below(3)];
        let made = call(number, tool, ["x", "y"][random.below(2)]);
        let is_free = gate.decide(&mut open, &made, false);
        let free: Vec<bool> = known.iter_mut().map(|own| gate.decide(own, &made, false)).collect();
        let all_free = free.iter().all(|&own| own);
        assert!(!is_free || all_free, "{made:?} {free:?} after {told:?}\n{text}");
        counts[0] += usize::from(is_free);
        counts[1] += usize::from(all_free && !is_free);
        if !is_free {
            continue;
        }
        gate.decide(&mut open, &made, true);
        for own in &mut known {
            gate.decide(own, &made, true);
        }
        let (ok, failed, unknown) = (CallOutcome::Ok, CallOutcome::Failed, CallOutcome::Unknown);
        let outcome = [ok, failed, unknown, unknown][random.below(4)];
        told.push((made, outcome));
        let hear = |session: &mut GateSession, outcome| {
            gate.solver.read_event(session, &HostEvent::new("s", 3, result(number, outcome)));
        };
        hear(&mut open, outcome);
        let mut after = Vec::new();
        for own in &known {
            let outcomes = if outcome == unknown { vec![ok, failed] } else { vec![outcome] };
            for outcome in outcomes {
                after.push(own.clone());
                hear(after.last_mut().expect("one"), outcome);
            }
        }
        known = after;
    }
    counts
}

#[test]
fn calls_are_permitted_only_if_they_may_be_made_however_calls_ended() {
    let mut random = Random::new(41);
    let mut of_law: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    // A law that reads `unknown` reads what the host tells, which no session with known outcomes has.
    let laws: Vec<&str> = LAWS.into_iter().filter(|law| !law.contains("unknown")).collect();
    for number in 0..240 {
        let law = laws[number % laws.len()];
        let own = of_law.entry(law).or_default();
        let counts = compare(&[law], &mut random);
        *own = [own[0] + counts[0], own[1] + counts[1]];
    }
    println!("{of_law:#?}");
    // What one law forbids in a session whose outcomes are open it forbids for one of the outcomes.
    assert!(of_law.values().all(|[both, stricter]| *both > 30 && *stricter == 0), "{of_law:#?}");
    let mut all = [0; 2];
    for _ in 0..200 {
        let picked = [0; 3].map(|_| laws[random.below(laws.len())]);
        let counts = compare(&picked, &mut random);
        all = [all[0] + counts[0], all[1] + counts[1]];
    }
    println!("{all:?}");
    assert!(all[0] > 300 && all[1] * 10 < all[0], "{all:?}");
}

#[test]
fn a_law_that_reads_unknown_reads_what_the_host_tells() {
    for (outcome, may_follow) in
        [(CallOutcome::Ok, true), (CallOutcome::Failed, true), (CallOutcome::Unknown, false)]
    {
        let mut gate = Gate::new(&policy(&LAWS[8..9]));
        let mut session = gate.session.clone();
        gate.decide(&mut session, &call(0, "a", "x"), true);
        gate.solver.read_event(&mut session, &HostEvent::new("s", 3, result(0, outcome)));
        assert_eq!(gate.decide(&mut session, &call(1, "c", "x"), false), may_follow, "{outcome:?}");
    }
}

/// With one letter per action, results of several calls join one letter, in which what the host tells stays.
#[test]
fn outcomes_of_several_calls_stay_in_one_letter() {
    let law = "ltl = \"G(c -> O a.unknown & O a.ok)\"";
    for outcomes in [[CallOutcome::Ok, CallOutcome::Unknown], [CallOutcome::Unknown, CallOutcome::Ok]] {
        let text = policy(&[law]).replace("policy = 1", "policy = 1\ntrace = \"per-action\"");
        let mut gate = Gate::new(&text);
        let mut session = gate.session.clone();
        for number in 0..2 {
            gate.decide(&mut session, &call(number, "a", "x"), true);
        }
        assert!(!gate.decide(&mut session, &call(2, "c", "x"), false), "{outcomes:?}");
        for (number, outcome) in outcomes.into_iter().enumerate() {
            gate.solver.read_event(&mut session, &HostEvent::new("s", 3, result(number, outcome)));
        }
        assert!(gate.decide(&mut session, &call(3, "c", "x"), false), "{outcomes:?}");
    }
}

/// A session with an open result for each of many values stays in few states.
#[test]
fn many_open_results_are_one_state() {
    let laws = [LAWS[7], LAWS[4], LAWS[5], LAWS[0]];
    for count in [1, 10, 100] {
        let mut gate = Gate::new(&policy(&laws));
        let mut session = gate.session.clone();
        for number in 0..count {
            for (place, tool) in ["a", "b"].into_iter().enumerate() {
                let number = number * 2 + place;
                let key = format!("k{number}");
                gate.decide(&mut session, &call(number, tool, &key), true);
                gate.solver
                    .read_event(&mut session, &HostEvent::new("s", 3, result(number, CallOutcome::Unknown)));
            }
        }
        assert_eq!(session.state().worlds().len(), 1, "{count}");
        let mut may = |tool, key| gate.decide(&mut session, &call(1000, tool, key), false);
        assert_eq!([may("b", "k1"), may("b", "new"), may("c", "k1")], [false, true, false], "{count}");
    }
}
