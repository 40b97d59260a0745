//! The cases of `../shared/cases/causality`, with results that were checked by others. Skipped with a notice
//! where that folder is absent.

use super::instance::{Instance, machine, word};
use serde_json::Value;
use std::path::PathBuf;
use tsl_synth::base::Budget;
use tsl_synth::explain::cause::{Answer, Effort, Finder, Order};

struct Case {
    name: String,
    folder: PathBuf,
    options: String,
    effect: String,
}

fn cases() -> Vec<Case> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/causality");
    let root = if root.exists() { root } else { PathBuf::from("/work/shared/cases/causality") };
    let Ok(index) = std::fs::read_to_string(root.join("index.json")) else {
        println!("skipped: no {}", root.display());
        return Vec::new();
    };
    let index: Value = serde_json::from_str(&index).expect("JSON");
    let of = |case: &Value, key: &str| case[key].as_str().expect("a text").to_owned();
    let all = index.as_array().expect("a list").iter();
    let kept = all.filter(|case| case["corp_specific"] == Value::Bool(false));
    let case = |case: &Value| {
        let name = of(case, "name");
        Case { folder: root.join(&name), options: of(case, "opts"), effect: of(case, "effect"), name }
    };
    kept.map(case).collect()
}

impl Case {
    fn read(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.join(file)).ok()
    }
    /// The instance; `None` for a fair system, which is no machine.
    fn instance(&self) -> Option<Instance> {
        let hoa = self.read("system.hoa").expect("a system");
        if hoa.contains("Inf(0)") {
            return None;
        }
        let (alphabet, machine) = machine(&hoa);
        let actual = word(&alphabet, &self.read("trace.txt").expect("a trace"));
        Some(Instance::new(alphabet, &machine, actual, &self.effect))
    }
}

/// Necessary events and minimal flip sets, within the horizon and size of the recorded ones.
#[test]
fn events_are_the_recorded_ones() {
    let mut count = 0;
    for case in cases() {
        let Some(recorded) = case.read("counterfactuals.json") else { continue };
        assert_eq!(case.options, "", "recorded for the plain definition");
        let recorded: Value = serde_json::from_str(&recorded).expect("JSON");
        let instance = case.instance().expect("a machine");
        let alphabet = &instance.problem.alphabet;
        let horizon = recorded["horizon"].as_u64().expect("a number") as usize;
        let effort = Effort { horizon: Some(horizon), search: 1 << 20, ..Effort::default() };
        let budget = Budget::unlimited();
        let finder = Finder::new(instance.question(), Order::Inclusion, &budget).expect("small");
        let mut formulas = instance.formulas();
        let top = formulas.top();
        let answer = finder.explain(&mut formulas, top, &effort, &budget);
        let mut necessary: Vec<Vec<(u64, String)>> = Vec::new();
        let mut sets: Vec<Vec<(u64, String)>> = Vec::new();
        match answer.expect("no limit") {
            Answer::NoEffect => {
                assert_eq!(recorded["effect_holds"], Value::Bool(false), "{}", case.name);
                // Nothing has to be flipped.
                sets.push(Vec::new());
            }
            Answer::Inevitable => {}
            Answer::Cause(found) => {
                let inputs: Vec<(tsl_synth::logic::BitId, String)> = alphabet
                    .bits_of(tsl_synth::logic::Player::Environment)
                    .zip(alphabet.inputs().map(|a| alphabet.atoms()[a].name.clone()))
                    .collect();
                let name = |bit| inputs.iter().find(|(b, _)| *b == bit).expect("an input").1.clone();
                for event in &found.cause.necessary {
                    for step in (0..horizon).filter(|&step| event.steps.contains(step)) {
                        necessary.push(vec![(step as u64, name(event.input))]);
                    }
                }
                assert!(found.complete, "{}", case.name);
                for set in &found.cause.alternatives {
                    sets.push(set.iter().map(|e| (e.step as u64, name(e.input))).collect());
                }
            }
        }
        sets.extend(necessary.iter().cloned());
        let cell = |cell: &Value| {
            (cell["step"].as_u64().expect("a step"), cell["input"].as_str().expect("an input").to_owned())
        };
        let list = |key: &str| recorded[key].as_array().expect("a list").clone();
        let expected: Vec<Vec<(u64, String)>> =
            list("necessary_events").iter().map(|c| vec![cell(c)]).collect();
        let expected_sets: Vec<Vec<(u64, String)>> = list("minimal_flip_sets")
            .iter()
            .map(|set| set.as_array().expect("a set").iter().map(cell).collect())
            .collect();
        let sorted = |sets: Vec<Vec<(u64, String)>>| {
            let mut sets: Vec<_> = sets
                .into_iter()
                .map(|mut set| {
                    set.sort();
                    set
                })
                .collect();
            sets.sort();
            sets
        };
        assert_eq!(sorted(necessary), sorted(expected), "necessary events of {}", case.name);
        assert_eq!(sorted(sets), sorted(expected_sets), "flip sets of {}", case.name);
        count += 1;
    }
    println!("{count} cases");
}
