//! Cores of composed families, and of random specifications, compared with the obvious loop that leaves out one guarantee
//! after the other.

use crate::oracle::specs::{Scale, random_instance};
use crate::oracle::tsl::random_tsl;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use tsl_synth_core::base::{IdVec, StopFlag};
use tsl_synth_core::model::{Abstraction, Silent, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_explain::{Core, clause_text, minimal_core};
use tsl_synth_lang::spec::{
    Clause, ClauseId, LoadOptions, MainFile, NoImports, Problem, TlsfOptions, load_tlsf, load_tsl,
};
use tsl_synth_testkit::Rng;

/// Work within which a search has to find the core: the budget of `check`.
const WORK: u64 = 5_000_000;

fn options() -> SolverOptions {
    // Some random TSL specifications are refined for minutes.
    SolverOptions {
        minimize: false,
        friendly: false,
        threads: 1,
        refinement_rounds: 3,
        ..SolverOptions::default()
    }
}

/// A specification in TLSF.
fn tlsf(inputs: &[String], outputs: &[String], assumptions: &[String], guarantees: &[String]) -> String {
    let listed = |all: &[String]| all.iter().fold(String::new(), |text, one| text + "    " + one + ";\n");
    let mut text =
        String::from("INFO { TITLE: \"t\" DESCRIPTION: \"t\" SEMANTICS: Mealy TARGET: Mealy }\nMAIN {\n");
    let _ = write!(text, "  INPUTS {{\n{}  }}\n  OUTPUTS {{\n{}  }}\n", listed(inputs), listed(outputs));
    let _ = write!(text, "  ASSUMPTIONS {{\n{}  }}\n", listed(assumptions));
    let _ = write!(text, "  GUARANTEES {{\n{}  }}\n}}\n", listed(guarantees));
    text
}

/// A problem from TLSF, or from TSL.
pub(crate) fn load(text: &str) -> (Problem, SourceMap) {
    let mut map = SourceMap::new();
    let source = map.add("t", text);
    let loaded = if text.starts_with("INFO") {
        load_tlsf(source, &TlsfOptions::default(), &map)
    } else {
        let file = MainFile { source, canonical: "t".into() };
        load_tsl(&[file], &LoadOptions::default(), &mut map, &NoImports)
    };
    (loaded.unwrap_or_else(|failure| panic!("{failure:?}\n{text}")).0, map)
}

/// The problem with these guarantees and written restrictions only.
pub(crate) fn part(problem: &Problem, guarantees: &[ClauseId]) -> Problem {
    let keep = |id: ClauseId, clause: &Clause| !clause.is_duty() || guarantees.contains(&id);
    let clauses: IdVec<ClauseId, Clause> =
        problem.clauses.enumerate().filter(|(id, c)| keep(*id, c)).map(|(_, c)| c.clone()).collect();
    Problem { clauses, ..problem.clone() }
}

/// In which sense some guarantees are unrealizable, by an answer of its own; `None` if they are realizable.
fn unrealizable(problem: &Problem, guarantees: &[ClauseId]) -> Option<Abstraction> {
    match synthesize(&mut part(problem, guarantees), &options(), &Silent).expect("a certified answer").verdict
    {
        Verdict::Unrealizable(_, notion) => Some(notion),
        Verdict::Realizable(_) => None,
        Verdict::Unknown(unknown) => panic!("{unknown}"),
    }
}

/// The core that is found within [`WORK`]; `None` if the problem is realizable.
fn core(problem: &mut Problem) -> Option<Core> {
    let limited = SolverOptions { stop: StopFlag::new().within(8 * WORK), ..options() };
    let outcome = synthesize(problem, &limited, &Silent).expect("a certified answer");
    let Verdict::Unrealizable(counter, notion) = outcome.verdict else { return None };
    for clause in outcome.constraints {
        problem.clauses.push(clause);
    }
    let asked = SolverOptions { stop: StopFlag::new().within(WORK), rounds: 1, ..options() };
    Some(minimal_core(problem, Some(&counter), notion, &asked, &Silent).expect("certified answers"))
}

/// The core is known to be minimal, and is: it is unrealizable, and realizable without any one guarantee.
fn is_minimal(problem: &Problem, core: &Core, what: &str) {
    assert!(core.minimal && core.undecided.is_empty(), "{what}: {core:?}");
    assert!(unrealizable(problem, &core.guarantees).is_some(), "{what}: {core:?}");
    for left_out in &core.guarantees {
        let rest: Vec<ClauseId> = core.guarantees.iter().copied().filter(|id| id != left_out).collect();
        let weaker = unrealizable(problem, &rest)
            .is_some_and(|notion| notion == core.notion || notion == Abstraction::Tsl);
        assert!(core.guarantees.len() == 1 || !weaker, "{what} without {left_out:?}");
    }
}

/// Leaves out one guarantee after the other, the last one first.
fn deletion_loop(problem: &Problem, notion: Abstraction) -> Vec<ClauseId> {
    let mut kept: Vec<ClauseId> =
        problem.clauses.enumerate().filter(|(_, c)| c.is_duty()).map(|(id, _)| id).collect();
    for id in kept.clone().into_iter().rev() {
        let fewer: Vec<ClauseId> = kept.iter().copied().filter(|&other| other != id).collect();
        if unrealizable(problem, &fewer).is_some_and(|n| n == notion || n == Abstraction::Tsl) {
            kept = fewer;
        }
    }
    kept
}

fn names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("{prefix}{i}")).collect()
}

/// The texts of the guarantees of a core.
fn texts(problem: &Problem, map: &SourceMap, core: &Core) -> BTreeSet<String> {
    core.guarantees.iter().map(|&id| clause_text(problem, map, id)).collect()
}

/// The core has exactly these guarantees.
fn has_core(text: &str, expected: &[&str], assumptions: usize) {
    let (mut problem, map) = load(text);
    let core = core(&mut problem).expect("unrealizable");
    let expected: BTreeSet<String> = expected.iter().map(|&text| text.to_string()).collect();
    assert_eq!(texts(&problem, &map, &core), expected, "{core:?}\n{text}");
    assert_eq!(core.assumptions.len(), assumptions, "{core:?}\n{text}");
    is_minimal(&problem, &core, text);
}

/// `n` independent responses with this in the middle and at the end.
pub(crate) fn among_responses(
    n: usize,
    inputs: &[&str],
    outputs: &[&str],
    assumptions: &[&str],
    clash: &[&str],
) -> String {
    let strings = |all: &[&str]| all.iter().map(|one| (*one).to_string()).collect::<Vec<String>>();
    let mut guarantees: Vec<String> = (0..n).map(|i| format!("G (r{i} -> F g{i})")).collect();
    for (i, clause) in clash.iter().enumerate() {
        guarantees.insert((i + 1) * guarantees.len() / (clash.len() + 1), (*clause).to_string());
    }
    let inputs = [names("r", n), strings(inputs)].concat();
    let outputs = [names("g", n), strings(outputs)].concat();
    tlsf(&inputs, &outputs, &strings(assumptions), &guarantees)
}

#[test]
fn a_pair_is_found_among_independent_clauses() {
    for n in [1, 2, 10, 50, 100] {
        let clash = ["G (p -> q)", "G (p -> !q)"];
        has_core(&among_responses(n, &["p"], &["q"], &[], &clash), &clash, 0);
    }
}

#[test]
fn a_chain_is_found_among_independent_clauses() {
    for n in [1, 10, 50, 100] {
        for links in [3, 4, 8] {
            let outputs = names("q", links - 1);
            let mut clash = vec!["G (p -> X q0)".to_string()];
            clash.extend((2..links).map(|i| format!("G (q{} -> X q{})", i - 2, i - 1)));
            clash.push(format!("G !q{}", links - 2));
            let clash: Vec<&str> = clash.iter().map(String::as_str).collect();
            let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
            has_core(&among_responses(n, &["p"], &outputs, &[], &clash), &clash, 0);
        }
    }
}

/// Without the assumptions each of the two guarantees could be met or not whatever the other says: they clash because the
/// environment keeps `p` once `s` came.
#[test]
fn a_clash_under_assumptions_is_found() {
    for n in [1, 10, 50, 100] {
        let clash = ["G (s -> F q)", "G (p -> !q)"];
        let text = among_responses(n, &["s", "p"], &["q"], &["G (s -> X p)", "G (p -> X p)"], &clash);
        has_core(&text, &clash, 0);
        // Here each guarantee alone is realizable only because of the assumption.
        let clash = ["G (X p -> q)", "G (X p -> !q)"];
        let text = among_responses(n, &["p"], &["q"], &["G (p <-> X X p)"], &clash);
        let (mut problem, _) = load(&text);
        let core = core(&mut problem).expect("unrealizable");
        is_minimal(&problem, &core, &text);
    }
}

/// One bus for all: the guarantees cannot be decomposed.
#[test]
fn a_triple_is_found_among_clauses_that_share_an_output() {
    for n in [3, 10, 30] {
        let never: Vec<String> = (0..n).map(|i| format!("!(g{i} && g{})", (i + 1) % n)).collect();
        let never = format!("G ({})", never.join(" && "));
        let mut guarantees = vec![never];
        guarantees.extend((0..n).map(|i| format!("G (r{i} -> F g{i})")));
        guarantees.extend(["G (p -> g0)".to_string(), "G (p -> g1)".to_string()]);
        let text = tlsf(&[names("r", n), vec!["p".into()]].concat(), &names("g", n), &[], &guarantees);
        let (mut problem, _) = load(&text);
        let core = core(&mut problem).expect("unrealizable");
        assert_eq!(core.guarantees.len(), 3, "{core:?}\n{text}");
        is_minimal(&problem, &core, &text);
    }
}

/// A timer, modes and lamps: cells whose values all clauses read.
#[test]
fn a_clash_is_found_among_clauses_that_share_cells() {
    for n in [1, 2, 5] {
        let mut text = String::from("input go: Bool;\ninput stop: Bool;\ninput reset: Bool;\n");
        (0..n).for_each(|i| writeln!(text, "input s{i}: Bool;").expect("text"));
        text += "saturating cell timer: 0..3 = 0;\ncell mode: enum {idle, up, down} = idle;\n";
        text += "cell failed: Bool = false;\n";
        (0..n).for_each(|i| writeln!(text, "cell lamp{i}: enum {{dark, amber, red}} = dark;").expect("text"));
        text += "always assume { mode = up -> F (stop || mode != up); }\nalways guarantee {\n";
        text += "mode != idle -> [timer <- timer + 1];\nmode = idle -> [timer <- 0];\n";
        text += "timer = 3 -> [failed <- true];\n(timer < 3 && !reset) -> [failed <- failed];\n";
        text += "failed -> [mode <- idle];\n(go && !failed) -> [mode <- up];\n";
        text += "(mode = up && !stop && !failed) -> [mode <- up];\n";
        for i in 0..n {
            writeln!(text, "(s{i} && !failed) -> [lamp{i} <- amber];\nfailed -> [lamp{i} <- red];")
                .expect("text");
        }
        text += "go -> F (mode = down);\n}\n";
        let (mut problem, map) = load(&text);
        let core = core(&mut problem).expect("unrealizable");
        is_minimal(&problem, &core, &text);
        let lamps = texts(&problem, &map, &core).into_iter().filter(|text| text.contains("lamp")).count();
        assert_eq!(lamps, 0, "{core:?}\n{text}");
    }
}

/// Without the restriction the system could break it, and the assumption with it, so the guarantee alone can be kept.
#[test]
fn a_restriction_that_keeps_the_environment_bound_is_needed() {
    for n in [0, 1, 10] {
        let responses = (0..n).fold(String::new(), |text, i| text + &format!("G (r{i} -> F g{i}); "));
        let (inputs, outputs) = (names("r", n).join("; "), names("g", n).join("; "));
        let text = format!(
            "INFO {{ TITLE: \"t\" DESCRIPTION: \"t\" SEMANTICS: Mealy,Strict TARGET: Mealy }}\nMAIN {{\n  \
             INPUTS {{ e; {inputs}{} }}\n  OUTPUTS {{ s; {outputs}{} }}\n  ASSUME {{ !s; }}\n  ASSERT {{ !s; }}\n  \
             GUARANTEE {{ {responses}F e; }}\n}}\n",
            if n > 0 { ";" } else { "" },
            if n > 0 { ";" } else { "" },
        );
        has_core(&text, &["G (!s)", "F e"], 1);
    }
}

/// Counts what random problems show: unrealizable ones, and the sizes of their cores by both methods.
#[derive(Debug, Default)]
struct Compared {
    unrealizable: usize,
    several: usize,
    found: usize,
    by_deletion: usize,
}

impl Compared {
    fn add(&mut self, mut problem: Problem, what: &str) {
        let Some(core) = core(&mut problem) else { return };
        is_minimal(&problem, &core, what);
        let by_deletion = deletion_loop(&problem, core.notion);
        self.unrealizable += 1;
        self.several += usize::from(core.guarantees.len() > 1);
        self.found += core.guarantees.len();
        self.by_deletion += by_deletion.len();
        assert_eq!(core.guarantees.is_empty(), by_deletion.is_empty(), "{what}");
    }
}

fn random_cores(count: u64, first: u64) -> Compared {
    let mut compared = Compared::default();
    for seed in first..first + count {
        if seed % 3 == 0 {
            compared.add(load(&random_tsl(&mut Rng(seed))).0, &format!("TSL, seed {seed}"));
            continue;
        }
        let instance = random_instance(&mut Rng(seed), Scale::FULL);
        compared.add(instance.problem(), &format!("LTL, seed {seed}"));
    }
    compared
}

#[test]
fn cores_of_random_specifications_are_minimal() {
    let compared = random_cores(35, 1);
    assert!(compared.unrealizable > 8 && compared.several > 2, "{compared:?}");
}

#[test]
#[ignore = "a campaign: see tests/README.md"]
fn campaign_cores_of_random_specifications() {
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let compared = random_cores(number("TSL_SYNTH_CORES", 2_000), number("TSL_SYNTH_SEED", 1));
    println!("{compared:?}");
    assert!(compared.found <= compared.by_deletion, "{compared:?}");
}
