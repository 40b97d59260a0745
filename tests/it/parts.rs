//! Random contracts that decompose into contracts over disjoint outputs, decided part by part and as a whole.

use crate::oracle::instance::Instance;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{AtomId, FormulaId};
use tsl_synth_core::model::{Silent, StrategyRepr, Verdict};
use tsl_synth_engine::synth::{Engine, Outcome, SolverOptions, StrategyForm, synthesize};
use tsl_synth_testkit::{Rng, random_formula, small_alphabet};

/// A random formula over the inputs and one output.
fn about(rng: &mut Rng, instance: &mut Instance, output: &str) -> FormulaId {
    let size = 2 + rng.below(6);
    let f = random_formula(rng, &mut instance.formulas, &small_alphabet(false), size);
    let own = instance.read(output);
    let outputs = [2, 3].map(|i| instance.formulas.atom(AtomId::from_index(i)));
    instance.formulas.map(f, |_, g, _| outputs.contains(&g).then_some(own))
}

fn decide(instance: &Instance, engine: Engine, form: StrategyForm) -> Outcome {
    // Little work: problems that are not decided soon are skipped.
    let options = SolverOptions { engine, form, minimize: false, rounds: 3, ..SolverOptions::default() };
    synthesize(&mut instance.problem(), &options, &Silent)
        .unwrap_or_else(|failed| panic!("{failed}\n{}", instance.show()))
}

#[test]
fn parts_and_the_whole_have_the_same_winner() {
    let mut rng = Rng(77);
    let (mut fell_apart, mut loose, mut realizable, mut unrealizable, mut circuits) = (0, 0, 0, 0, 0);
    for round in 0..300 {
        let mut instance = Instance::new("a b", "x y z");
        for output in ["x", "y", "z"] {
            for _ in 0..=rng.below(2) {
                let f = about(&mut rng, &mut instance, output);
                let f = if rng.below(3) == 0 { instance.formulas.globally(f) } else { f };
                instance.contract.guarantees.push(f);
            }
        }
        if rng.flip() {
            let atom = ["a", "a", "x"][rng.below(3)];
            let f = about(&mut rng, &mut instance, atom);
            instance.contract.assumptions.push(f);
        }
        if rng.below(4) == 0 {
            let atom = ["b", "y"][rng.below(2)];
            let f = about(&mut rng, &mut instance, atom);
            instance.contract.facts.push(f);
        }
        let form = if rng.flip() { StrategyForm::Circuit } else { StrategyForm::Either };
        let parted = decide(&instance, Engine::Auto, form);
        let whole = decide(&instance, Engine::Bounded, StrategyForm::Explicit);
        let apart = parted.statistics.log.iter().any(|line| line.starts_with("parts:"));
        let speaks_of_outputs =
            !instance.contract.assumptions.is_empty() || !instance.contract.facts.is_empty();
        match (&parted.verdict, &whole.verdict) {
            (Verdict::Realizable(machine), Verdict::Realizable(_)) => {
                realizable += 1;
                circuits += usize::from(apart && matches!(machine, StrategyRepr::Circuit(_)));
            }
            (Verdict::Unrealizable(..), Verdict::Unrealizable(..)) => unrealizable += 1,
            (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => continue,
            other => panic!("{round}: {other:?}\n{}", instance.show()),
        }
        fell_apart += usize::from(apart);
        loose += usize::from(apart && speaks_of_outputs);
    }
    println!(
        "{fell_apart} fell apart, {loose} of them with premises; {realizable} realizable ({circuits} circuits of \
         parts), {unrealizable} unrealizable"
    );
    assert!(fell_apart > 80 && loose > 20 && realizable > 30 && unrealizable > 80 && circuits > 5);
}

/// A decomposition must not drop assumptions about the outputs of another part: the system may win by violating them.
#[test]
fn the_system_may_violate_an_assumption_about_another_part() {
    // Dropped from the part of p, the assumption cannot be violated there.
    let instance = Instance::new("i", "p q").with_assumption("G F q").with_guarantee("G (p <-> X i)");
    let outcome = decide(&instance, Engine::Auto, StrategyForm::Either);
    assert!(matches!(outcome.verdict, Verdict::Realizable(_)), "q is never true: {outcome:?}");
    let instance = Instance::new("i", "o1 o2")
        .with_assumption("G ((o1 & !i) | (!o1 & i))")
        .with_assumption("G (o2 -> (i | X i))")
        .with_guarantee("G (o1 -> X o1)")
        .with_guarantee("G (o2 <-> X i)");
    let outcome = decide(&instance, Engine::Auto, StrategyForm::Either);
    assert!(matches!(outcome.verdict, Verdict::Realizable(_)), "o1 has the value of i: {outcome:?}");
}
