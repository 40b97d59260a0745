//! Small cases of both papers: encodings of traces, Theorem 1, and questions of users about a plan.

use crate::policies::{compiled, letter};
use crate::policy_check::ltlcrit::{cases, read, texts};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tsl_synth_core::model::LawStatus;
use tsl_synth_policy::{BoundLetter, CompiledPolicy, PossibleState};
use tsl_synth_testkit as support;

/// A policy with these names as propositions, in which `X` is strong: it requires a next letter.
fn policy_of_propositions(names: &BTreeSet<String>, law: &str) -> CompiledPolicy {
    let propositions: serde_json::Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({}))).collect();
    let text = json!({ "policy": 1, "next": "strong", "propositions": propositions, "law": [{ "id": "law", "ltl": law }] });
    compiled("case.json", &text.to_string())
}

/// The status of the only law after each letter.
fn standings(compiled: &CompiledPolicy, letters: &[Vec<String>]) -> Vec<LawStatus> {
    let law = compiled.policy.laws.ids().next().expect("a law");
    let mut world = PossibleState::new(compiled);
    let mut step = |names: &Vec<String>| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let bound = BoundLetter { letter: letter(compiled, &names), ..BoundLetter::default() };
        world.step(compiled, &bound, None);
        world.standing(compiled, law)
    };
    letters.iter().map(&mut step).collect()
}

fn letters(value: &Value) -> Vec<Vec<String>> {
    value.as_array().expect("letters").iter().map(texts).collect()
}

#[test]
fn one_law_reads_three_encodings_of_a_trace_as_the_paper_says() {
    for folder in cases() {
        let misc = read(&folder, "misc_cases.json");
        let encodings = &misc["encodings"];
        let law = encodings["law"].as_str().expect("a law");
        let words = |text: &str| -> Vec<String> {
            let is_sign = |c: char| !c.is_alphanumeric() && c != '_';
            text.split(is_sign).filter(|name| name.len() > 1).map(str::to_string).collect()
        };
        let mut checked = 0;
        let mut check = |case: &Value, verdicts: &Value, letters: &[Vec<String>]| {
            let names: BTreeSet<String> =
                words(law).into_iter().chain(letters.iter().flatten().cloned()).collect();
            let found = standings(&policy_of_propositions(&names, law), letters);
            let found: Vec<String> = found.iter().map(|one| one.name().replace('-', "_")).collect();
            assert_eq!(found, texts(verdicts), "{case}");
            checked += 1;
        };
        for name in ["two_letter_window", "interleaved_closed_world", "synchronous"] {
            let case = &encodings[name];
            check(case, &case["verdicts"], &letters(&case["letters"]));
        }
        let window = &encodings["two_letter_window"];
        let stone = [Vec::new(), vec!["action_mine_stone".to_string()]];
        check(window, &window["with_mine_stone"], &stone);
        assert_eq!(checked, 4);
    }
}

/// The claim of Theorem 1 is false for conditions that are not minterms: one step yields three laws, and every state
/// still has an allowed action.
#[test]
fn one_step_gives_more_than_one_law() {
    for folder in cases() {
        let case = &read(&folder, "misc_cases.json")["theorem1"]["counterexample"];
        let laws = texts(&case["laws"]);
        let distinct: BTreeSet<&String> = laws.iter().collect();
        assert_eq!(Some(distinct.len() as u64), case["distinct_laws"].as_u64());
        assert!(distinct.len() as u64 > case["N"].as_u64().expect("a number"));
        let (props, actions) = (texts(&case["props"]), texts(&case["actions"]));
        let seen = texts(&case["trajectory"][0]["obs"]);
        let names: BTreeSet<String> = props.iter().chain(&actions).cloned().collect();
        let policies: Vec<CompiledPolicy> =
            laws.iter().map(|law| policy_of_propositions(&names, law)).collect();
        let violates = |policy: &CompiledPolicy, state: &[String], action: &String| {
            let word = [state.to_vec(), vec![action.clone()]];
            standings(policy, &word).last() == Some(&LawStatus::Violated)
        };
        // Each law forbids some action in the observed state.
        for policy in &policies {
            assert!(actions.iter().any(|action| violates(policy, &seen, action)));
        }
        for mask in 0_u32..1 << props.len() {
            let state: Vec<String> =
                (0..props.len()).filter(|i| mask >> i & 1 == 1).map(|i| props[i].clone()).collect();
            let keeps = |action: &&String| policies.iter().all(|policy| !violates(policy, &state, action));
            let has_one = actions.iter().any(|action| keeps(&action));
            assert_eq!(Some(has_one), case["every_state_keeps_an_action"].as_bool(), "{state:?}");
        }
    }
}

#[test]
fn a_question_about_a_plan_is_answered_by_its_letters() {
    for folder in support::cases("agents/safety-chip") {
        the_question_is_answered(&read(&folder, "cases.json"));
    }
}

fn the_question_is_answered(all: &Value) {
    let question = &all["human_query_example"];
    let names: BTreeSet<String> = texts(&all["propositions"]).into_iter().collect();
    let compiled = policy_of_propositions(&names, question["ltl"].as_str().expect("a formula"));
    let answers = question["answers"].as_array().expect("answers");
    for answer in answers {
        let found = standings(&compiled, &letters(&answer["plan_letters"]));
        let is_kept = found.last().is_some_and(|standing| standing.holds());
        assert_eq!(if is_kept { "yes" } else { "no" }, answer["answer"].as_str().expect("an answer"));
        let first = found.iter().position(|standing| *standing == LawStatus::Violated).map(|at| at as u64);
        assert_eq!(first, answer["first_violation"].as_u64());
    }
    assert_eq!(answers.len(), 2);
}
