//! Strict implications: random contracts with restrictions `θ → (ψ W ¬e)`, decided by the games of automata, which
//! compile them to promises (`GameRole::Promise`), and by the bounded engine, which does not.

use crate::circuits::mutate;
use crate::oracle::instance::Instance;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::FormulaId;
use tsl_synth_core::model::{Silent, StrategyRepr, Verdict};
use tsl_synth_engine::game::{FEW_STATES, GameRole, Sharing, StrategyForm, compile_contract};
use tsl_synth_engine::mealy::mealy_of_circuit;
use tsl_synth_engine::synth::{Engine, Outcome, SolverOptions, synthesize};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, certify};
use tsl_synth_testkit::{Rng, quota};

fn decide(instance: &Instance, engine: Engine) -> Outcome {
    let options = SolverOptions { engine, minimize: false, rounds: 4, ..SolverOptions::default() };
    synthesize(&mut instance.problem(), &options, &Silent)
        .unwrap_or_else(|failed| panic!("{failed}\n{}", instance.show()))
}

/// A disjunction of literals over this letter and, if `ahead`, the next one.
fn clause(rng: &mut Rng, instance: &mut Instance, ahead: bool) -> FormulaId {
    let mut parts = Vec::new();
    for _ in 0..2 + rng.below(2) {
        let atom = instance.read(["a", "b", "x", "y"][rng.below(4)]);
        let fs = &mut instance.formulas;
        let literal = if rng.flip() { fs.not(atom) } else { atom };
        parts.push(if ahead && rng.flip() { fs.next(literal) } else { literal });
    }
    instance.formulas.or(parts)
}

/// A contract with strict implications and one goal.
fn strict(rng: &mut Rng) -> Instance {
    let mut instance = Instance::new("a b", "x y");
    let ahead = rng.below(3) > 0;
    let premise = instance.read("a");
    let premise = if rng.flip() { premise } else { instance.formulas.top() };
    let required: Vec<FormulaId> = (0..rng.below(3)).map(|_| clause(rng, &mut instance, ahead)).collect();
    let promised: Vec<FormulaId> = (0..=rng.below(3)).map(|_| clause(rng, &mut instance, ahead)).collect();
    let goals = [0; 2].map(|_| clause(rng, &mut instance, false));
    let Instance { formulas, contract, .. } = &mut instance;
    contract.assumptions.push(premise);
    contract.assumptions.extend(required.iter().map(|&f| formulas.globally(f)));
    let all = formulas.and(required);
    let broken = formulas.not(all);
    for f in promised {
        let kept = formulas.weak_until(f, broken);
        contract.restrictions.push(formulas.implies(premise, kept));
    }
    let [fair, goal] = goals.map(|f| {
        let some_time = formulas.finally(f);
        formulas.globally(some_time)
    });
    contract.assumptions.push(fair);
    contract.guarantees.push(goal);
    instance
}

#[test]
fn promises_count_after_assumptions() {
    let mut rng = Rng(20);
    let (mut promises, mut realizable, mut unrealizable) = (0, 0, 0);
    for round in 0..quota(120) {
        let mut instance = strict(&mut rng);
        let Instance { formulas, contract, alphabet, .. } = &mut instance;
        let budget = Budget::unlimited();
        let sharing = Sharing::Memory(FEW_STATES);
        let compiled = compile_contract(formulas, alphabet, contract, sharing, &budget);
        promises += u32::from(!compiled.expect("small").part(GameRole::Promise).safety.is_empty());
        let outcomes = [Engine::Bounded, Engine::Symbolic, Engine::Explicit].map(|engine| {
            let outcome = decide(&instance, engine);
            match outcome.verdict {
                Verdict::Realizable(_) => Some(true),
                Verdict::Unrealizable(..) => Some(false),
                Verdict::Unknown(_) => None,
            }
        });
        let [bounded, symbolic, explicit] = outcomes;
        assert!(symbolic.is_some() && symbolic == explicit, "{round} {outcomes:?}\n{}", instance.show());
        assert!(bounded.is_none_or(|won| Some(won) == symbolic), "{round} {outcomes:?}\n{}", instance.show());
        realizable += u32::from(symbolic == Some(true));
        unrealizable += u32::from(symbolic == Some(false));
    }
    let least = u32::try_from(quota(15)).expect("a small number");
    assert!(
        promises > 4 * least && realizable > least && unrealizable > least,
        "{promises} {realizable} {unrealizable}"
    );
}

/// The symbolic certifier decides these contracts by forward reachability (`kernel::symbolic::past`); it must not
/// accept wrong circuits.
#[test]
fn mutants_of_strict_controllers_are_judged_as_explicitly() {
    let mut rng = Rng(21);
    let (mut refused, mut right) = (0, 0);
    for round in 0..300 {
        let mut instance = strict(&mut rng);
        let options = SolverOptions {
            engine: Engine::Symbolic,
            form: StrategyForm::Circuit,
            minimize: false,
            ..SolverOptions::default()
        };
        let outcome = synthesize(&mut instance.problem(), &options, &Silent).expect("a certified answer");
        let Verdict::Realizable(StrategyRepr::Circuit(circuit)) = outcome.verdict else { continue };
        let budget = Budget::unlimited();
        let Instance { formulas, contract, alphabet, .. } = &mut instance;
        for _ in 0..8 {
            let mutant = mutate(&mut rng, &circuit);
            let machine = mealy_of_circuit(alphabet, &mutant, 1000, &budget).expect("few latches");
            let explicit = certify(
                &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(&machine) },
                &budget,
            );
            let symbolic = certify(
                &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::MealyCircuit(&mutant) },
                &budget,
            );
            match (&explicit, &symbolic) {
                (Ok(_), Ok(_)) => right += 1,
                (Err(CertifyError::Violated(_)), Err(CertifyError::Violated(_))) => refused += 1,
                other => panic!("{round} {other:?}\n{}", instance.show()),
            }
        }
    }
    assert!(refused > 200 && right > 200, "{refused} refused, {right} right");
}
