//! Cases about arXiv 2402.16905 (`fixtures/papers/agents/tsl`, and those beside the repository), except those about causes.

use serde_json::Value;
use std::path::Path;
use tsl_synth_agents::story::{Observed, StepJudgment, WatchedClauses};
use tsl_synth_core::logic::Letter;
use tsl_synth_core::source::SourceMap;
use tsl_synth_explain::clause_text;
use tsl_synth_service::{CheckRequest, Session, SpecLanguage, SpecRequest};
use tsl_synth_testkit::cases;

fn json(folder: &Path, name: &str) -> Value {
    let text = std::fs::read_to_string(folder.join(name)).expect("a case file");
    serde_json::from_str(&text).expect("JSON")
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

/// `true` for realizable.
fn verdict(request: SpecRequest) -> bool {
    let report = Session::new().check(&CheckRequest::new(request)).expect("a verdict");
    assert!(report.is_realizable() || report.is_unrealizable());
    report.is_realizable()
}

#[test]
fn specifications_of_seed_000_have_the_expected_verdicts() {
    for folder in cases("agents/tsl") {
        have_the_expected_verdicts(&folder);
    }
}

fn have_the_expected_verdicts(folder: &Path) {
    let cases = json(folder, "realizability.json");
    let mut seen = 0;
    for spec in cases["specs"].as_array().expect("specifications") {
        let name = spec["file"].as_str().expect("a name");
        let text = std::fs::read_to_string(folder.join(name)).expect("a specification");
        let expected = spec["expect"] == "REALIZABLE";
        assert_eq!(verdict(SpecRequest::text(SpecLanguage::Tsl, name, text)), expected, "{name}");
        let ltl = spec["ltl_encoding"].as_str().expect("a formula").to_string();
        assert_eq!(
            verdict(SpecRequest::formulas([ltl], strings(&spec["outputs"]))),
            expected,
            "{name}, in LTL"
        );
        seen += 1;
    }
    for variant in cases["variants"].as_array().expect("variants") {
        let name = variant["variant"].as_str().expect("a name");
        let ltl = variant["ltl_encoding"].as_str().expect("a formula");
        let outputs = ["uc", "um", "ut", "uf", "us", "sp", "ss"];
        let outputs: Vec<String> =
            outputs.iter().filter(|o| ltl.contains(*o)).map(|o| (*o).to_string()).collect();
        let expected = variant["expect"] == "REALIZABLE";
        assert_eq!(verdict(SpecRequest::formulas([ltl.to_string()], outputs)), expected, "{name}");
        seen += 1;
    }
    assert!(seen >= 12, "{seen} cases");
    let forest = std::fs::read_to_string(folder.join("forest.as-printed.tsl")).expect("a specification");
    let _ =
        Session::new().check(&CheckRequest::new(SpecRequest::text(SpecLanguage::Tsl, "forest.tsl", forest)));
    let printed = std::fs::read_to_string(folder.join("task3.as-printed.tsl")).expect("a specification");
    let request = CheckRequest::new(SpecRequest::text(SpecLanguage::Tsl, "task3.tsl", printed));
    let failure = Session::new().check(&request).expect_err("a parenthesis is missing");
    assert!(failure.diagnostics.into_iter().any(|found| !found.labels.is_empty()));
}

#[test]
fn runs_of_seed_000_are_judged_as_expected() {
    for folder in cases("agents/tsl") {
        are_judged_as_expected(&json(&folder, "trace_cases.json"));
    }
}

fn are_judged_as_expected(cases: &Value) {
    let all = cases["cases"].as_array().expect("cases");
    assert!(all.len() >= 10);
    for case in all {
        let name = case["name"].as_str().expect("a name");
        let (assumptions, guarantees) = (strings(&case["assumptions"]), strings(&case["guarantees"]));
        let formula = |id: &String| cases["formulas"][id].as_str().expect("a formula").replace('&', "&&");
        let section = |ids: &[String]| {
            let formulas: Vec<String> = ids.iter().map(|id| formula(id) + ";").collect();
            formulas.concat()
        };
        let tlsf = |assumptions: &[String], guarantees: &[String]| {
            format!(
                "INFO {{ TITLE: \"t\" DESCRIPTION: \"d\" SEMANTICS: Mealy TARGET: Mealy }} MAIN {{ INPUTS {{ inCave; \
                 inMarket; inTown; safe; }} OUTPUTS {{ toCave; toMarket; toTown; toForest; incr; idle; }} ASSUMPTIONS {{ {} \
                 }} GUARANTEES {{ {} }} }}",
                section(assumptions),
                section(guarantees)
            )
        };
        let judged = judge(&tlsf(&assumptions, &guarantees), &case["trace_true_props"]);
        let first = |of: &dyn Fn(usize) -> bool| (0..judged.len()).find(|&step| of(step));
        let broken = first(&|step| !judged[step].broken.is_empty() || !judged[step].given_up.is_empty());
        let violated = first(&|step| !judged[step].violated.is_empty());
        let expected = &case["expect"];
        let number = |value: &Value| value.as_u64().map(|n| usize::try_from(n).expect("small"));
        assert_eq!(broken, number(&expected["assumption_violated_at"]), "{name}: assumptions");
        assert_eq!(violated, number(&expected["guarantee_violated_at"]), "{name}: guarantees");
        for id in assumptions.iter().chain(&guarantees) {
            // Each formula by itself, as a guarantee: clauses may be split into their conjuncts.
            let judged = judge(&tlsf(&[], std::slice::from_ref(id)), &case["trace_true_props"]);
            let at = (0..judged.len()).find(|&step| !judged[step].violated.is_empty());
            assert_eq!(at, number(&expected["first_violation"][id]), "{name}: {id}");
        }
        let blame = expected["blame"].as_str();
        let controller = violated.is_some_and(|step| broken.is_none_or(|other| other > step));
        assert_eq!(blame.is_some_and(|text| text.starts_with("controller")), controller, "{name}: {blame:?}");
        assert_eq!(blame.is_some_and(|text| text.starts_with("environment")), broken.is_some(), "{name}");
    }
}

/// The clauses that each step of a run violates.
fn judge(tlsf: &str, run: &Value) -> Vec<StepJudgment> {
    let mut sources = SourceMap::new();
    let source = sources.add("case.tlsf", tlsf);
    let options = tsl_synth_lang::spec::TlsfOptions::default();
    let (mut problem, _) =
        tsl_synth_lang::spec::load_tlsf(source, &options, &sources).expect("a specification");
    let clauses =
        WatchedClauses::new(&mut problem, &[], &|problem, clause| clause_text(problem, &sources, clause));
    let atoms = problem.alphabet.atoms();
    let step = |step: &Value| {
        let mut letter = Letter::new();
        for prop in strings(step) {
            let atom = atoms.enumerate().find(|(_, atom)| atom.name == prop).expect("an atom").0;
            problem.alphabet.choose(atom, &mut letter);
        }
        Observed { letter, only_inputs: false }
    };
    let run: Vec<Observed> = run.as_array().expect("a trace").iter().map(step).collect();
    clauses.judge(&problem.alphabet, &run)
}
