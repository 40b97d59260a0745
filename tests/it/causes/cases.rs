//! Cases of `fixtures/papers/causality`, and those beside the repository, with results that were found independently.

use super::instance::{
    Instance, automaton, formula, machine, problem, table_of_buchi, table_of_parity, word,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tsl_synth_core::base::Budget;
use tsl_synth_explain::cause::{
    CauseAnswer, CauseEffort, CauseFinder, FlipOrder, contingent_plays, formula_of,
};
use tsl_synth_testkit as support;

struct Case {
    name: String,
    folder: PathBuf,
    options: String,
    effect: String,
}

fn cases() -> Vec<Case> {
    support::cases("causality").iter().flat_map(|root| cases_of(root)).collect()
}

fn cases_of(root: &Path) -> Vec<Case> {
    let index = std::fs::read_to_string(root.join("index.json")).expect("the list of cases");
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
    fn instance(&self) -> Instance {
        let hoa = self.read("system.hoa").expect("a system");
        let trace = self.read("trace.txt").expect("a trace");
        if hoa.contains("Inf(0)") {
            // A system with an acceptance condition is not a Mealy machine.
            let (alphabet, system) = automaton(&hoa);
            let actual = word(&alphabet, &trace);
            let mut problem = problem(alphabet);
            let effect = formula(&mut problem, &self.effect);
            return Instance::over(problem, system, actual, effect);
        }
        let (alphabet, machine) = machine(&hoa);
        let actual = word(&alphabet, &trace);
        let mut instance = Instance::new(alphabet, &machine, actual, &self.effect);
        if self.options.contains("-c") {
            let Instance { problem, actual, .. } = &instance;
            let budget = Budget::unlimited();
            let system = contingent_plays(&problem.alphabet, &machine, actual, &budget).expect("small");
            instance.system = system;
        }
        instance
    }
    fn order(&self) -> FlipOrder {
        if self.options.contains("-a") { FlipOrder::LimitAssumption } else { FlipOrder::Inclusion }
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
        let instance = case.instance();
        let alphabet = &instance.problem.alphabet;
        let horizon = recorded["horizon"].as_u64().expect("a number") as usize;
        let effort = CauseEffort { horizon: Some(horizon), search: 1 << 20, ..CauseEffort::default() };
        let budget = Budget::unlimited();
        let finder = CauseFinder::new(instance.question(), FlipOrder::Inclusion, &budget).expect("small");
        let mut formulas = instance.formulas();
        let top = formulas.top();
        let answer = finder.explain(&mut formulas, top, &effort, &budget);
        let mut necessary: Vec<Vec<(u64, String)>> = Vec::new();
        let mut sets: Vec<Vec<(u64, String)>> = Vec::new();
        match answer.expect("no limit") {
            CauseAnswer::NoEffect => {
                assert_eq!(recorded["effect_holds"], Value::Bool(false), "{}", case.name);
                // The empty set of flips suffices.
                sets.push(Vec::new());
            }
            CauseAnswer::NotDecided(_) => panic!("{} has other plays on its inputs", case.name),
            CauseAnswer::Inevitable => {}
            CauseAnswer::Cause(found) => {
                let inputs: Vec<(tsl_synth_core::logic::BitId, String)> = alphabet
                    .bits_of(tsl_synth_core::logic::Player::Environment)
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
    assert!(count >= 7, "{count} cases");
}

/// The exact automaton of every case accepts what the recorded one accepts, and so does its formula.
#[test]
fn automata_are_the_recorded_ones() {
    let (mut count, mut formulas_found) = (0, 0);
    for case in cases() {
        let instance = case.instance();
        let alphabet = &instance.problem.alphabet;
        let budget = Budget::unlimited();
        let finder = CauseFinder::new(instance.question(), case.order(), &budget).expect("small");
        let exact = finder.exact(10_000, &budget).expect("small");
        let (names, recorded) = automaton(&case.read("result.hoa").expect("a result"));
        let recorded = table_of_buchi(alphabet, &names, &recorded);
        let ours = table_of_parity(alphabet, &exact.automaton);
        assert!(ours.tidy().same_language(&recorded.tidy()), "{}: {:?}", case.name, exact.automaton);
        let mut formulas = instance.formulas();
        if let Some(f) = formula_of(&exact.automaton, alphabet, &mut formulas) {
            formulas_found += 1;
            let text = formulas.display(f, alphabet);
            let top = formulas.top();
            let compared = finder.compare(&mut formulas, f, top, 10_000, &budget).expect("small");
            if finder.outside(&finder.only(&instance.actual), &budget).expect("small").is_none() {
                assert!(
                    compared.not_sufficient.is_none() && compared.not_necessary.is_none(),
                    "{}: {text}",
                    case.name
                );
            }
            println!("{}: {} states ({} made), {text}", case.name, exact.automaton.edges.len(), exact.made);
        } else {
            println!("{}: {} states ({} made)", case.name, exact.automaton.edges.len(), exact.made);
            let effort = CauseEffort::default();
            let top = formulas.top();
            if let CauseAnswer::Cause(found) =
                finder.explain(&mut formulas, top, &effort, &budget).expect("small")
                && let Some(f) = found.cause.formula
            {
                println!("  {}", formulas.display(f, alphabet));
            }
        }
        count += 1;
    }
    println!("{count} cases, {formulas_found} formulas");
    assert!(count >= 7 && formulas_found >= 4, "{count} cases, {formulas_found} formulas");
}

/// Hypotheses compare with the causes as recorded.
#[test]
fn hypotheses_compare_as_recorded() {
    let mut count = 0;
    for case in cases() {
        let Some(recorded) = case.read("checks.json") else { continue };
        let recorded: Value = serde_json::from_str(&recorded).expect("JSON");
        let mut instance = case.instance();
        for check in recorded.as_array().expect("a list") {
            let text = check["hypothesis"].as_str().expect("a formula");
            let hypothesis = formula(&mut instance.problem, text);
            let budget = Budget::unlimited();
            let finder = CauseFinder::new(instance.question(), case.order(), &budget).expect("small");
            let mut formulas = instance.formulas();
            let top = formulas.top();
            let compared = finder.compare(&mut formulas, hypothesis, top, 10_000, &budget).expect("small");
            let implies = |key: &str| check[key].as_bool().expect("a truth value");
            let context = || format!("{}: {text}", case.name);
            assert_eq!(
                compared.not_sufficient.is_none(),
                implies("hypothesis_implies_cause"),
                "{}",
                context()
            );
            assert_eq!(
                compared.not_necessary.is_none(),
                implies("cause_implies_hypothesis"),
                "{}",
                context()
            );
            count += 1;
        }
    }
    println!("{count} hypotheses");
    assert!(count >= 20, "{count} hypotheses");
}
