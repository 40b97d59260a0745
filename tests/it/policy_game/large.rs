//! Policies of many rules have gates: for each pattern of rules and each way of sharing actions.

use super::compile;
use super::families::{PATTERNS, SHARINGS, Sharing, policy};
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::{HostEvent, HostEventKind, JsonText};
use tsl_synth_policy::gate::{GateOptions, GateSolver, Reason};

/// Whether a gate can be built.
fn has_gate(pattern: Option<&str>, sharing: Sharing, rules: usize, each: bool) -> bool {
    let text = policy(pattern, sharing, rules, each);
    let compiled = compile(&text).unwrap_or_else(|error| panic!("{pattern:?}, {sharing:?}: {error}"));
    GateSolver::new(compiled, GateOptions::default(), &Budget::unlimited()).is_ok()
}

/// Rules that lock all other actions need more work where they overlap, above all those of all patterns together.
fn rules(pattern: Option<&str>, sharing: Sharing) -> usize {
    match pattern {
        Some("immediate response") if sharing != Sharing::Nothing => 40,
        None if sharing != Sharing::Nothing => 20,
        _ => 60,
    }
}

#[test]
fn many_rules_of_each_pattern_have_a_gate() {
    let patterns = PATTERNS.iter().map(|(name, _)| Some(*name)).chain([None]);
    for pattern in patterns {
        for sharing in SHARINGS {
            for each in [false, true] {
                // More take seconds each.
                if each && rules(pattern, sharing) < 60 {
                    continue;
                }
                assert!(
                    has_gate(pattern, sharing, rules(pattern, sharing), each),
                    "{pattern:?}, {sharing:?}, for each value: {each}"
                );
            }
        }
    }
}

#[test]
fn a_thousand_rules_have_a_gate() {
    for pattern in ["formula", "rate", "response"] {
        assert!(has_gate(Some(pattern), Sharing::Nothing, 1_000, false), "{pattern}");
    }
    assert!(has_gate(Some("response"), Sharing::Threes, 1_000, false));
}

/// Of rules `a(i+1) then a(i) immediately`, two refuse `a(i+1)`: `a(i)` may fail, and then two calls would be due at once.
#[test]
fn denials_under_many_rules_name_the_two_that_refuse() {
    for rules in [2, 5, 16, 40] {
        let text = policy(Some("immediate response"), Sharing::Chain, rules, false);
        let compiled = compile(&text).expect("a policy");
        let solver = GateSolver::new(compiled.clone(), GateOptions::default(), &Budget::unlimited());
        let mut solver = solver.expect("a game");
        let mut session = solver.session();
        for action in [2, rules / 2 + 1, rules].into_iter().filter(|&action| action > 1) {
            let tool = format!("a{action}").into();
            let arguments = JsonText::borrowed("{}");
            let call = HostEventKind::Call { id: None, server: None, tool, arguments };
            let open = solver.propose(&mut session, &HostEvent::new("s", 1, call));
            let [Reason::Loses(laws)] = &*open.decision.reasons else {
                panic!("{rules} rules, a{action}: {:?}", open.decision.reasons)
            };
            let names: Vec<&str> = laws.iter().map(|&law| &*compiled.policy.laws[law].id).collect();
            let expected = [action - 2, action - 1].map(|rule| format!("rule-{rule}"));
            assert_eq!(names, expected, "{rules} rules, a{action}");
            session.refuse(&open);
        }
    }
}
