//! Machines with the fewest states: pinned numbers, brute force on tiny problems, the table of the gallery.

use crate::gallery;
use crate::oracle::brute;
use crate::oracle::instance::Instance;
use crate::oracle::specs::{Scale, random_instance};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tsl_synth_core::model::{Silent, StrategyRepr, Verdict};
use tsl_synth_engine::synth::{Prefer, SolverOptions, synthesize};
use tsl_synth_kernel::{StrategyClaim, StrategyRef, certify};
use tsl_synth_testkit::{Rng, cases, more};

/// Options by which the smallest controller is not replaced by one with fewer changes.
fn first_found() -> SolverOptions {
    SolverOptions { prefer: Prefer::Any, ..SolverOptions::default() }
}

/// The states of the machine in the verdict of `check`.
fn states(path: &Path, dialect: &str) -> u64 {
    let output = Command::new(env!("CARGO_BIN_EXE_tsl-synth"))
        .args(["check", "--format", "json", "--dialect", dialect])
        .arg(path)
        .output()
        .expect("the binary runs");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let result = &document["results"][0];
    assert_eq!(result["verdict"], "REALIZABLE", "{}", path.display());
    assert_eq!(result["certificate"]["checked"], true, "{}", path.display());
    result["states"].as_u64().expect("states")
}

#[test]
fn the_gallery_needs_few_states() {
    let pinned = [
        ("adventure/cave_start", 1),
        ("adventure/story", 2),
        ("adventure/story_forest", 3),
        ("adventure/story_choices", 2),
        ("adventure/story_choices_forest", 3),
        ("adventure/three_safe_choices", 1),
        ("arbiters/round_robin", 3),
        ("machines/elevator", 3),
        ("machines/traffic_light", 4),
    ];
    for (name, expected) in pinned {
        let path = gallery::folder().join(name).with_extension("tsl");
        assert_eq!(states(&path, "tsl-synth"), expected, "{name}");
    }
}

#[test]
fn the_papers_tasks_need_few_states() {
    let mut pinned: Vec<(PathBuf, u64)> = Vec::new();
    for agents in cases("agents/tsl") {
        let names = [("fig2.repaired", 1), ("task1", 2), ("task2", 3), ("task3", 2), ("task4", 3)];
        pinned.extend(names.map(|(name, states)| (agents.join(format!("{name}.tsl")), states)));
    }
    if let Some(seed) = more("cases/tsl/seed") {
        pinned.extend([
            (seed.join("fig2-initial.tsl"), 1),
            (seed.join("adventure.tsl"), 2),
            (seed.join("task2-adventure-forest.tsl"), 3),
            (seed.join("task3-adventure-choices.tsl"), 2),
            (seed.join("task4-adventure-choices-forest.tsl"), 3),
        ]);
    }
    for (path, expected) in pinned {
        assert_eq!(states(&path, "tsltools"), expected, "{}", path.display());
    }
}

#[test]
fn brute_force_finds_no_smaller_machine() {
    let mut rng = Rng(7);
    let (mut compared, mut several) = (0, 0);
    for round in 0..1500 {
        let mut instance = random_instance(&mut rng, Scale::TINY);
        let outcome = synthesize(&mut instance.problem(), &first_found(), &Silent)
            .unwrap_or_else(|failed| panic!("{failed}\n{}", instance.show()));
        let Verdict::Realizable(StrategyRepr::Explicit(machine)) = outcome.verdict else { continue };
        let Some(fewest) = brute::fewest_states(&mut instance, 3, 2000) else { continue };
        assert_eq!(machine.states.len(), fewest, "round {round}\n{}", instance.show());
        compared += 1;
        several += usize::from(fewest > 1);
    }
    println!("{compared} machines compared, {several} of several states");
    assert!(compared > 400 && several > 20);
}

#[test]
fn cells_and_facts_are_kept() {
    // One of three updates in each step: p with a, q after b, and r again and again.
    let mut instance = Instance::new("a b", "")
        .with_cell("x", "p q r")
        .with_fact("G !(a & X a)")
        .with_guarantee("G (a -> p)")
        .with_guarantee("G (b -> X q)")
        .with_guarantee("G F r");
    let Instance { formulas, alphabet, contract, .. } = &mut instance;
    let budget = tsl_synth_core::base::Budget::unlimited();
    let system = tsl_synth_core::logic::Player::System;
    let objective =
        tsl_synth_engine::game::objective(formulas, alphabet, contract, system, &budget).expect("small");
    // b then a: q and p at once. The system loses, so there is no machine of any size.
    let none = tsl_synth_engine::mealy::smallest_mealy(&objective, alphabet, 5, &budget);
    assert!(matches!(none, Ok(None)), "{none:?}");
    let mut instance = instance.with_assumption("G (b -> X !a)").with_assumption("G F (!b & X !a)");
    let Instance { formulas, alphabet, contract, .. } = &mut instance;
    let objective =
        tsl_synth_engine::game::objective(formulas, alphabet, contract, system, &budget).expect("small");
    let machine = tsl_synth_engine::mealy::smallest_mealy(&objective, alphabet, 5, &budget)
        .expect("small")
        .expect("one");
    assert_eq!(machine.states.len(), 2);
    certify(&StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(&machine) }, &budget)
        .expect("certified");
}

/// Whether no controller of an instance has fewer states than this. The work is too little for a search through all
/// smaller numbers of states, so that the lower bound has to show it.
fn needs(mut instance: Instance, states: usize) -> bool {
    let Instance { formulas, alphabet, contract, .. } = &mut instance;
    let budget = tsl_synth_core::base::Budget::unlimited();
    let system = tsl_synth_core::logic::Player::System;
    let objective =
        tsl_synth_engine::game::objective(formulas, alphabet, contract, system, &budget).expect("small");
    let little = budget.with_work(2_000);
    let found = tsl_synth_engine::mealy::smallest_mealy(&objective, alphabet, states, &little);
    found.expect("the work is enough").is_none()
}

#[test]
fn memories_need_a_state_each() {
    for bits in 1..=6 {
        let outputs: Vec<String> = (0..bits).map(|i| format!("b{i}")).collect();
        let mut instance = Instance::new("up", &outputs.join(" "));
        for (i, own) in outputs.iter().enumerate() {
            let carry = [&["up".to_owned()], &outputs[..i]].concat().join(" & ");
            instance = instance.with_guarantee(&format!("G (X {own} <-> !({own} <-> ({carry})))"));
            instance = instance.with_guarantee(&format!("!{own}"));
        }
        assert!(needs(instance, 1 << bits), "a counter of {bits} bits");
    }
    for steps in 1..=7 {
        let later = "X ".repeat(steps);
        let instance = Instance::new("p", "q").with_guarantee(&format!("G (p <-> {later}q)"));
        assert!(needs(instance, 1 << steps), "a delay of {steps} steps");
        let instance = Instance::new("p", "q").with_guarantee(&format!("G (p -> {later}q)"));
        // It may answer always.
        assert!(!needs(instance, 2), "an answer after {steps} steps");
    }
}

#[test]
#[ignore = "prints the table of the gallery: see tests/README.md"]
fn gallery_table() {
    println!("{:>6} {:>8} {:>8} {:>8}  file", "states", "smallest", "ms", "ms more");
    let mut totals = [0.0; 2];
    for path in gallery::gallery() {
        let measure = |minimize: bool| {
            let mut problem = gallery::problem(&path);
            let start = Instant::now();
            let options = SolverOptions { minimize, ..first_found() };
            let outcome = synthesize(&mut problem, &options, &Silent).expect("a certified answer");
            let time = start.elapsed().as_secs_f64() * 1000.0;
            let states = match &outcome.verdict {
                Verdict::Realizable(StrategyRepr::Explicit(machine)) => machine.states.len(),
                Verdict::Unrealizable(StrategyRepr::Explicit(counter), _) => counter.states.len(),
                _ => 0,
            };
            (states, time, outcome)
        };
        let (before, plain, _) = measure(false);
        let (after, time, outcome) = measure(true);
        let name = path.strip_prefix(gallery::folder()).expect("below the gallery").display();
        let log = outcome.statistics.log.last().cloned().unwrap_or_default();
        println!("{before:>6} {after:>8} {plain:>8.1} {:>8.1}  {name}  ({log})", time - plain);
        totals[0] += plain;
        totals[1] += time;
    }
    println!("{:.0} ms without minimization, {:.0} ms with", totals[0], totals[1]);
}
