//! Cases about seed 004 (`fixtures/papers/agents/safety-chip`, and those beside the repository): verdicts after each letter, per constraint and
//! together.

use super::{compiled, letter};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::base::Budget;
use tsl_synth_core::model::LawStatus;
use tsl_synth_policy::language::{LawId, LawKind};
use tsl_synth_policy::{BoundLetter, Conjunction, PossibleState};
use tsl_synth_testkit::cases;

fn word(standing: LawStatus) -> String {
    standing.name().replace('-', "_")
}

#[test]
fn verdicts_are_those_of_the_paper() {
    for folder in cases("agents/safety-chip") {
        verdicts_are_as_recorded(&folder);
    }
}

fn verdicts_are_as_recorded(folder: &Path) {
    let text = std::fs::read_to_string(folder.join("cases.json")).expect("the cases");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    let (mut steps, mut cases) = (0, 0);
    for case in all["cases"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        // The `X` of the paper is strong: it requires a next letter.
        let mut policy = String::from("policy = 1\nnext = \"strong\"\n[propositions]\n");
        for proposition in all["propositions"].as_array().expect("propositions") {
            let _ = writeln!(policy, "{} = {{}}", proposition.as_str().expect("a name"));
        }
        for constraint in case["constraints"].as_array().expect("constraints") {
            let id = constraint.as_str().expect("a name");
            let ltl = all["constraints"][id]["ltl"].as_str().expect("a formula");
            let _ = writeln!(policy, "[[law]]\nid = \"{id}\"\nltl = \"{ltl}\"");
        }
        let compiled = compiled("case.toml", &policy);
        let mut world = PossibleState::new(&compiled);
        let laws: Vec<LawId> = compiled.policy.laws.ids().collect();
        let conjunction =
            Conjunction::new(&compiled, &laws, 1 << 20, &Budget::unlimited()).expect("few laws");
        let letters = case["trace_true_props"].as_array().expect("letters");
        for (i, props) in letters.iter().enumerate() {
            let names: Vec<&str> =
                props.as_array().expect("names").iter().filter_map(Value::as_str).collect();
            let bound = BoundLetter { letter: letter(&compiled, &names), ..BoundLetter::default() };
            world.step(&compiled, &bound, None);
            let expected = &case["expect"]["steps"][i];
            if expected.is_null() {
                continue;
            }
            for (id, law) in compiled.policy.laws.enumerate() {
                let found = word(world.standing(&compiled, id));
                let wanted = expected["per_constraint"][&law.id].as_str().expect("a verdict");
                assert_eq!(found, wanted, "{name}: {} after step {i}", law.id);
                assert_eq!(law.kind, LawKind::Hard);
            }
            let states: Vec<u32> = laws.iter().map(|&law| world.law(law).some_state()).collect();
            let joint = word(conjunction.standing(&compiled, &states));
            assert_eq!(
                joint,
                expected["verdict"].as_str().expect("a verdict"),
                "{name}: together after step {i}"
            );
            steps += 1;
        }
        if let Some(accepted) = case["expect"]["DONE_accepted"].as_bool() {
            let owed = compiled.policy.laws.ids().filter(|&id| !world.standing(&compiled, id).holds());
            let owed: Vec<String> = owed.map(|id| compiled.policy.laws[id].id.clone()).collect();
            assert_eq!(owed.is_empty(), accepted, "{name}");
            let pending: Vec<&str> = case["expect"]["pending"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            assert_eq!(owed, pending, "{name}");
        }
        cases += 1;
    }
    assert!(cases >= 21 && steps >= 40, "{cases} cases, {steps} steps");
}
