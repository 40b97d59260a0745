//! The stages of a specification and the decision of a call, on fixed inputs: `cargo bench --bench stages`.

use divan::{Bencher, black_box};
use tsl_synth::base::Budget;
use tsl_synth::seats::gate::{GateRequest, read_request};
use tsl_synth::service::{
    CheckRequest, GateService, Hints, MemoryJournal, Session, SolverOptions, SpecLanguage, SpecRequest,
};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::{
    LoadOptions, MainFile, NoImports, Problem, TlsfOptions, load_ltl, load_tlsf, load_tsl,
};
use tsl_synth_engine::game::conjunct_automaton;

fn main() {
    divan::main();
}

/// Specifications of the gallery: name, language, text.
const SPECS: [(&str, SpecLanguage, &str); 4] = [
    ("washer.tsl", SpecLanguage::Tsl, include_str!("../specs/tutorial/washer.tsl")),
    ("cave.tsl", SpecLanguage::Tsl, include_str!("../specs/adventure/cave.tsl")),
    ("latch.ltl", SpecLanguage::Ltl, include_str!("../specs/ltl/latch.ltl")),
    ("round_robin.tlsf", SpecLanguage::Tlsf, include_str!("../specs/tlsf/round_robin_arbiter.tlsf")),
];
const POLICY: &str = include_str!("../specs/policies/tests-before-push.toml");

fn spec(name: &str) -> SpecRequest {
    let found = SPECS.iter().find(|spec| spec.0 == name);
    let (name, language, text) = found.expect("a name of the table");
    SpecRequest::text(*language, *name, *text)
}

fn names() -> impl Iterator<Item = &'static str> {
    SPECS.iter().map(|spec| spec.0)
}

fn problem(name: &str) -> Problem {
    let (name, language, text) = SPECS.iter().find(|spec| spec.0 == name).expect("a name of the table");
    let mut sources = SourceMap::new();
    let source = sources.add(*name, *text);
    let loaded = match language {
        SpecLanguage::Tsl => {
            let file = MainFile { source, canonical: (*name).into() };
            load_tsl(&[file], &LoadOptions::default(), &mut sources, &NoImports)
        }
        SpecLanguage::Tlsf => load_tlsf(source, &TlsfOptions::default(), &sources),
        _ => load_ltl(&[source], &[], &[], &sources),
    };
    loaded.expect("the gallery has no errors").0
}

/// Text to problem: parsed, resolved, lowered.
#[divan::bench(args = names())]
fn parse(name: &str) -> usize {
    problem(name).clauses.len()
}

/// The deterministic automata on which the symbolic engine plays, one for each clause.
#[divan::bench(args = names())]
fn compile(bencher: Bencher<'_, '_>, name: &str) {
    let problem = problem(name);
    bencher.bench(|| {
        let mut formulas = problem.formulas.clone();
        let clauses = problem.clauses.iter();
        let states = clauses.map(|clause| {
            let budget = Budget::unlimited();
            conjunct_automaton(&mut formulas, &problem.alphabet, clause.formula, 1 << 12, &budget)
                .map_or(0, |automaton| automaton.edges.len())
        });
        states.sum::<usize>()
    });
}

fn check(name: &str, certify: bool) -> bool {
    let mut request = CheckRequest::new(spec(name));
    request.hints = Hints::None;
    request.solver = SolverOptions { certify, threads: 1, ..SolverOptions::default() };
    Session::new().check(black_box(&request)).is_ok()
}

/// Automata, game, machine; no certificate.
#[divan::bench(args = names())]
fn solve(name: &str) -> bool {
    check(name, false)
}

/// The same with the certificate.
#[divan::bench(args = names())]
fn solve_and_certify(name: &str) -> bool {
    check(name, true)
}

/// A policy is read and compiled.
#[divan::bench]
fn compile_policy() -> bool {
    Session::new().policy(&SpecRequest::text(SpecLanguage::Tsl, "p.toml", POLICY).inputs[0]).is_ok()
}

/// A gate with its game decides one shell command of a new session.
#[divan::bench]
fn decide(bencher: Bencher<'_, '_>) {
    let policy = Session::new().policy(&SpecRequest::text(SpecLanguage::Tsl, "p.toml", POLICY).inputs[0]);
    let gate = GateService::new(policy.expect("it compiles"), "0", "p.toml", MemoryJournal::default(), false);
    let Ok(mut gate) = gate else { return };
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let line = r#"{"event":"propose","tool":"Bash","arguments":{"command":"cd app && git push"}}"#;
        match read_request(line, 1, &format!("s{number}")) {
            Ok(GateRequest::Event(event)) => gate.event(&event).is_ok(),
            _ => false,
        }
    });
}
