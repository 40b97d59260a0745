//! Cores are minimal: they are unrealizable, and realizable without any one of their guarantees.
//!
//! `campaigns cores` checks the gallery and the files
//! beside the repository, and prints a line for each and counts at the end. `TSL_SYNTH_SHARD=2/4` takes every fourth
//! file.

use crate::gallery::problem as problem_of;
use crate::gallery::{gallery, quick};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tsl_synth_core::base::{Budget, IdVec, LimitKind, StopFlag};
use tsl_synth_core::model::{Role, Silent, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_explain::minimal_core;
use tsl_synth_kernel::{StrategyClaim, StrategyRef, certify};
use tsl_synth_lang::spec::{Clause, ClauseId, Problem, load_ltl};

/// The result for one specification.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// A minimal core: the number of its guarantees, and of all guarantees.
    Minimal(usize, usize),
    /// A core that is not known to be minimal: the number of its guarantees.
    Unsure(usize),
    /// There is a controller.
    Realizable,
    /// No verdict within the limits.
    Unknown(String),
}

/// Whether the problem with these guarantees only is realizable, by a certified answer; `None` if undecided.
fn realizable(problem: &Problem, guarantees: &[ClauseId], options: &SolverOptions) -> Option<bool> {
    let keep = |id: ClauseId, clause: &Clause| !clause.is_duty() || guarantees.contains(&id);
    let clauses: IdVec<ClauseId, Clause> =
        problem.clauses.enumerate().filter(|(id, c)| keep(*id, c)).map(|(_, c)| c.clone()).collect();
    let outcome = synthesize(&mut Problem { clauses, ..problem.clone() }, options, &Silent)
        .expect("a certified answer");
    match outcome.verdict {
        Verdict::Unknown(_) => None,
        verdict => {
            assert!(outcome.certificate.is_some(), "an answer without a certificate");
            Some(matches!(verdict, Verdict::Realizable(_)))
        }
    }
}

/// Searches for a core, and checks minimality, if claimed, by separate calls of the synthesizer.
fn core(name: &str, problem: &mut Problem, first: &SolverOptions, questions: &SolverOptions) -> Found {
    let outcome = synthesize(problem, first, &Silent).expect("a certified answer");
    let (counter, notion) = match outcome.verdict {
        Verdict::Unrealizable(counter, notion) => (counter, notion),
        Verdict::Realizable(_) => return Found::Realizable,
        Verdict::Unknown(unknown) => return Found::Unknown(unknown.limit.to_string()),
    };
    for clause in outcome.constraints {
        problem.clauses.push(clause);
    }
    let core = minimal_core(problem, Some(&counter), notion, questions, &Silent).expect("certified answers");
    if !core.minimal {
        return Found::Unsure(core.guarantees.len());
    }
    // No answer may contradict those of the search.
    assert_ne!(realizable(problem, &core.guarantees, questions), Some(true), "{name}");
    for left_out in &core.guarantees {
        let rest: Vec<ClauseId> = core.guarantees.iter().copied().filter(|id| id != left_out).collect();
        assert_ne!(realizable(problem, &rest, questions), Some(false), "{name} without {left_out:?}");
    }
    let all = problem.clauses.iter().filter(|clause| clause.role == Role::Guarantee).count();
    Found::Minimal(core.guarantees.len(), all)
}

#[test]
fn cores_of_the_gallery_are_minimal() {
    let mut minimal = 0;
    for path in quick() {
        let text = std::fs::read_to_string(&path).expect("a specification");
        if text.starts_with("// expect: UNREALIZABLE") {
            let name = path.display().to_string();
            let options = SolverOptions::default();
            let found = core(&name, &mut problem_of(&path), &options, &options);
            assert!(matches!(found, Found::Minimal(..)), "{name}: {found:?}");
            minimal += 1;
        }
    }
    assert!(minimal >= 10, "{minimal} unrealizable specifications");
}

/// Nine inputs, each under `G F`: the controllers for one of the two guarantees are circuits.
#[test]
fn cores_with_circuits_are_minimal() {
    let all: Vec<String> = (0..9).map(|i| format!("G F r{i}")).collect();
    let pairs: Vec<String> =
        (0..9).flat_map(|i| (i + 1..9).map(move |j| format!("(r{i} && r{j} -> G !g)"))).collect();
    let text = format!("({}) <-> G F g;\nG ({})\n", all.join(" && "), pairs.join(" && "));
    let mut problem = inputs_and_outputs(&text, &["/r./"], &["g"]);
    let options = SolverOptions { rounds: 2, ..SolverOptions::default() };
    assert_eq!(core("circuits", &mut problem, &options, &options), Found::Minimal(2, 2));
}

/// Ten clients with mutually exclusive grants that are required in pairs: most subsets of the guarantees are hard to
/// decide.
#[test]
fn small_cores_are_found_among_many_guarantees() {
    let pairs = || (0..10).flat_map(|i| (i + 1..10).map(move |j| (i, j)));
    let never: Vec<String> = pairs().map(|(i, j)| format!("!(g{i} && g{j})")).collect();
    let mut clauses = vec![format!("G ({})", never.join(" && "))];
    clauses.extend(pairs().map(|(i, j)| format!("G (r{i} && X r{j} -> F (g{i} && g{j}))")));
    clauses.extend((0..10).map(|i| format!("G (r{i} -> F g{i})")));
    let mut problem = inputs_and_outputs(&clauses.join(";\n"), &["/r./"], &["/g./"]);
    let options = SolverOptions { rounds: 2, ..SolverOptions::default() };
    assert_eq!(core("pairs", &mut problem, &options, &options), Found::Minimal(2, 56));
}

/// A counter-strategy of the games of automata that is certified against few of many guarantees is right against all.
#[test]
fn counter_strategies_against_few_guarantees_are_certified_against_these() {
    let pairs = || (0..8).flat_map(|i| (i + 1..8).map(move |j| (i, j)));
    let mut clauses: Vec<String> = pairs().map(|(i, j)| format!("G !(g{i} && g{j})")).collect();
    clauses.extend((0..8).map(|i| format!("G (r{i} -> F g{i})")));
    clauses.extend((0..8).map(|i| format!("G (g{i} -> r{i})")));
    clauses.push("G (r0 && X !r0 -> X X (g2 || g3) && X X (g4 || g5))".into());
    let mut problem = inputs_and_outputs(&clauses.join(";\n"), &["/r./"], &["/g./"]);
    let options = SolverOptions { minimize: false, ..SolverOptions::default() };
    let outcome = synthesize(&mut problem, &options, &Silent).expect("a certified answer");
    let log = outcome.statistics.log.join("\n");
    let Verdict::Unrealizable(counter, _) = &outcome.verdict else { panic!("{:?}\n{log}", outcome.verdict) };
    assert!(outcome.certificate.is_some(), "{log}");
    let games = log.find("automata, ").expect("the games of automata decide it");
    let few = log.find(" of 45 guarantees and ").expect("fewer guarantees are looked at");
    assert!(games < few, "first the games, then fewer guarantees\n{log}");
    let (contract, budget) = (problem.contract(), Budget::unlimited());
    let Problem { formulas, alphabet, .. } = &problem;
    match counter {
        StrategyRepr::Explicit(machine) => certify(
            &StrategyClaim {
                formulas,
                alphabet,
                contract: &contract,
                strategy: StrategyRef::Counter(machine),
            },
            &budget,
        ),
        StrategyRepr::Circuit(circuit) => certify(
            &StrategyClaim {
                formulas,
                alphabet,
                contract: &contract,
                strategy: StrategyRef::CounterCircuit(circuit),
            },
            &budget,
        ),
    }
    .expect("it defeats all guarantees together as well");
}

fn inputs_and_outputs(text: &str, inputs: &[&str], outputs: &[&str]) -> Problem {
    let mut map = SourceMap::new();
    let source = map.add("t.ltl", text);
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<String>>();
    load_ltl(&[source], &names(inputs), &names(outputs), &map).expect("well-formed").0
}

/// The unrealizable specifications of the gallery, the TSL files that are unrealizable according to their index, and
/// small files of SYNTCOMP that another tool finds unrealizable within a second.
pub(crate) fn corpus() -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("TSL_SYNTH_CORPUS").map_or(shared, PathBuf::from);
    let mut files: Vec<PathBuf> = gallery()
        .into_iter()
        .filter(|path| {
            std::fs::read_to_string(path).is_ok_and(|text| text.starts_with("// expect: UNREALIZABLE"))
        })
        .collect();
    let tsl = shared.join("cases/tsl");
    for line in std::fs::read_to_string(tsl.join("INDEX.csv")).unwrap_or_default().lines().skip(1) {
        let name = line.split(',').next().unwrap_or_default();
        if line.to_lowercase().contains("unrealizable")
            && Path::new(name).extension().is_some_and(|e| e == "tsl")
        {
            files.push(tsl.join(name));
        }
    }
    let bench = shared.join("bench");
    for line in std::fs::read_to_string(bench.join("expected.csv")).unwrap_or_default().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, _, _, "UNREALIZABLE", seconds] = fields[..] else { continue };
        let path = bench.join("syntcomp").join(format!("{name}.tlsf"));
        let small = std::fs::metadata(&path).is_ok_and(|file| file.len() < 4000);
        if small && seconds.parse::<f64>().is_ok_and(|seconds| seconds < 1.0) {
            files.push(path);
        }
    }
    files.retain(|path| path.is_file());
    files
}

/// `k` and `n` of `k/n`.
pub(crate) fn shard() -> (usize, usize) {
    let text = std::env::var("TSL_SYNTH_SHARD").unwrap_or_default();
    let parsed = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    parsed.filter(|&(k, n)| k >= 1 && k <= n).unwrap_or((1, 1))
}

#[test]
#[ignore = "a campaign: see tests/README.md"]
fn cores_of_the_corpus_are_minimal() {
    let (k, n) = shard();
    let files = corpus();
    let (mut all, mut minimal, mut clauses, mut left) = (0, 0, 0, 0);
    let mut rest: Vec<(Found, String)> = Vec::new();
    for path in files.iter().skip(k - 1).step_by(n) {
        let name = format!(
            "{}/{}",
            path.parent().and_then(Path::file_name).unwrap_or_default().display(),
            path.file_name().unwrap_or_default().display()
        );
        all += 1;
        // Counted work is the limit; the clock only stops computations that count too little of it.
        let stop = StopFlag::new();
        let (flag, start) = (stop.clone(), Instant::now());
        let (done, waits) = std::sync::mpsc::channel::<()>();
        let clock = std::thread::spawn(move || {
            if waits.recv_timeout(Duration::from_mins(2)).is_err() {
                flag.raise(LimitKind::Time);
            }
        });
        let questions =
            SolverOptions { rounds: 2, minimize: false, threads: 1, stop, ..SolverOptions::default() };
        let first = SolverOptions { rounds: 3, ..questions.clone() };
        let found = core(&name, &mut problem_of(path), &first, &questions);
        let _ = done.send(());
        let _ = clock.join();
        println!("{name}: {found:?} in {:.1} s", start.elapsed().as_secs_f64());
        if let Found::Minimal(some, of) = found {
            minimal += 1;
            clauses += of;
            left += some;
        } else {
            rest.push((found, name));
        }
    }
    println!("{all} specifications, {minimal} minimal cores with {left} of {clauses} guarantees");
    rest.sort();
    for (found, name) in &rest {
        println!("  {name}: {found:?}");
    }
    assert!(minimal * 2 >= all, "too few cores");
}
