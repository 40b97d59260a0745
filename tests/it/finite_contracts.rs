//! A family of contracts about plants: drives whose mode is an enumeration, one-hot or in binary, timers of several lengths,
//! answers of the plant, a shared pump. Each is unrealizable because of a few clauses, whatever its size. Work is counted:
//! of the verdict, and of the search for the clauses at fault.

use crate::core_families::{load, part};
use std::fmt::Write as _;
use tsl_synth_core::base::StopFlag;
use tsl_synth_core::model::{Role, Silent, Verdict};
use tsl_synth_engine::synth::{SolverOptions, synthesize};
use tsl_synth_explain::minimal_core;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// What varies in the family.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Guarantees.
    clauses: usize,
    /// Modes of a drive; from four on their codes are binary.
    modes: usize,
    /// The largest value of a timer.
    last: usize,
}

/// The guarantees of one drive; the first one is at fault in the first drive.
fn guarantees(drive: usize, last: usize) -> [String; 6] {
    let d = drive;
    [
        format!("want{d} -> F at{d};"),
        format!("[mode{d} <- m1] -> [pump <- true];"),
        format!("!(mode{d} = idle) -> [timer{d} <- timer{d} + 1];"),
        format!("mode{d} = idle -> [timer{d} <- 0];"),
        format!("timer{d} = {last} -> [mode{d} <- idle];"),
        format!("(mode{d} = m1 && !at{d} && timer{d} < {last}) -> [mode{d} <- m1];"),
    ]
}

/// A contract. The environment keeps the plant hot, so that no drive may move.
fn contract(Shape { clauses, modes, last }: Shape) -> String {
    let mut kept: Vec<String> = vec!["hot -> [pump <- false];".into()];
    let mut drives = 0;
    while kept.len() < clauses {
        kept.extend(guarantees(drives, last));
        drives += 1;
    }
    kept.truncate(clauses);
    let mut text = String::from("input hot: Bool;\ncell pump: Bool = false;\n");
    let names: Vec<String> = (1..modes).map(|mode| format!("m{mode}")).collect();
    let mut assumed = String::new();
    for d in 0..drives {
        let _ = writeln!(text, "input want{d}: Bool;\ninput at{d}: Bool;");
        let _ = writeln!(text, "cell mode{d}: enum {{idle, {}}} = idle;", names.join(", "));
        let _ = writeln!(text, "saturating cell timer{d}: 0..{last} = 0;");
        let _ = writeln!(assumed, "  mode{d} = m1 -> F (at{d} || mode{d} != m1);");
        let _ = writeln!(assumed, "  (at{d} && mode{d} != m2) -> X at{d};");
        // Every mode can be entered and left.
        let all = names.iter().map(|name| format!("[mode{d} <- {name}]")).collect::<Vec<_>>().join(" || ");
        let _ =
            writeln!(assumed, "  at{d} -> ({all} || [mode{d} <- idle] || [mode{d} <- mode{d}] || X at{d});");
        let _ = writeln!(text, "initially assume {{ !at{d}; }}");
    }
    let _ = writeln!(text, "always assume {{\n{assumed}}}\nalways guarantee {{\n  {}\n}}", kept.join("\n  "));
    text
}

fn options(stop: StopFlag) -> SolverOptions {
    SolverOptions { minimize: false, friendly: false, threads: 1, stop, ..SolverOptions::default() }
}

/// Units of work of the verdict and of the core; the core itself by the order of its guarantees.
fn explained(shape: Shape) -> (u64, u64, Vec<usize>) {
    let text = contract(shape);
    let (mut problem, _) = load(&text);
    let given = problem.clone();
    let solving = options(StopFlag::new().within(u64::MAX / 2));
    let outcome = synthesize(&mut problem, &solving, &Silent).expect("a certified answer");
    let Verdict::Unrealizable(counter, notion) = outcome.verdict else { panic!("{shape:?}\n{text}") };
    for clause in outcome.constraints {
        problem.clauses.push(clause);
    }
    let asking = options(StopFlag::new().within(u64::MAX / 2));
    let core = minimal_core(&problem, Some(&counter), notion, &asking, &Silent).expect("certified answers");
    assert!(core.minimal, "{shape:?}: {core:?}");
    is_minimal(&given, &core.guarantees);
    let all: Vec<ClauseId> = duties(&given);
    let places = core.guarantees.iter().filter_map(|id| all.iter().position(|own| own == id)).collect();
    (solving.stop.spent(), asking.stop.spent(), places)
}

fn duties(problem: &Problem) -> Vec<ClauseId> {
    problem.clauses.enumerate().filter(|(_, c)| c.role == Role::Guarantee).map(|(id, _)| id).collect()
}

/// Every deletion is realizable and the core is not, by answers of their own.
fn is_minimal(problem: &Problem, core: &[ClauseId]) {
    let verdict = |guarantees: &[ClauseId]| {
        let answer = synthesize(&mut part(problem, guarantees), &options(StopFlag::new()), &Silent);
        answer.expect("a certified answer").verdict
    };
    assert!(matches!(verdict(core), Verdict::Unrealizable(..)));
    for left_out in core {
        let rest: Vec<ClauseId> = core.iter().copied().filter(|id| id != left_out).collect();
        assert!(matches!(verdict(&rest), Verdict::Realizable(_)));
    }
}

/// Verdicts and cores, with work that grows slowly.
#[test]
fn work_grows_slowly_with_the_clauses() {
    for clauses in [3, 6, 12] {
        let shape = Shape { clauses, modes: 3, last: 3 };
        let (verdict, core, places) = explained(shape);
        println!("{shape:?}: verdict {verdict}, core {core} units of work, {places:?}");
        assert_eq!(places.len(), 3, "{shape:?}: {places:?}");
        assert!(verdict < MOST_VERDICT && core < MOST_CORE, "{shape:?}: {verdict}, {core}");
    }
}

/// The verdict of the largest contract.
#[test]
fn the_largest_contract_is_decided() {
    let (mut problem, _) = load(&contract(Shape { clauses: 24, modes: 3, last: 3 }));
    let solving = options(StopFlag::new().within(LARGEST_VERDICT));
    let outcome = synthesize(&mut problem, &solving, &Silent).expect("a certified answer");
    println!("{} units of work", solving.stop.spent());
    assert!(matches!(outcome.verdict, Verdict::Unrealizable(..)), "{:?}", outcome.verdict);
}

/// Units of work, about twice what was measured.
const MOST_VERDICT: u64 = 3_000_000;
const MOST_CORE: u64 = 2_000_000;
const LARGEST_VERDICT: u64 = 20_000_000;
