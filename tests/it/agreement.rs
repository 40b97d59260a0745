//! The certifier against model checking by enumeration, on seeded random machines and problems.

use crate::oracle::elementary::{Elementary, keeps, table_of_counter, table_of_mealy};
use crate::oracle::instance::Instance;
use crate::oracle::machines::{random_counter, random_mealy};
use crate::oracle::specs::{Scale, random_instance};
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{Lasso, LassoSemantics};
use tsl_synth_core::model::{CounterStrategy, Mealy, Role};
use tsl_synth_kernel::{CertifyError, StrategyClaim, StrategyRef, Violation, certify, find_violation};
use tsl_synth_testkit::{Rng, random_formula, random_lasso};

const NODES: usize = 1 << 14;

/// A random contract, now and then with cells, facts and restrictions.
fn random_contract(rng: &mut Rng) -> Instance {
    let mut instance = random_instance(rng, Scale { inputs: 2, outputs: 2, size: 14 });
    if rng.below(3) == 0 {
        instance = Instance::new("a b", "x").with_cell("m", "u v w");
        let f = random_formula(rng, &mut instance.formulas, &instance.alphabet, 9);
        instance.contract.guarantees.push(f);
    }
    for _ in 0..rng.below(3) {
        let size = 1 + rng.below(4);
        let f = random_formula(rng, &mut instance.formulas, &instance.alphabet, size);
        let contract = &mut instance.contract;
        [
            &mut contract.facts,
            &mut contract.restrictions,
            &mut contract.assumptions,
            &mut contract.guarantees,
        ][rng.below(4)]
        .push(f);
    }
    instance
}

fn all_hold(instance: &Instance, play: &Lasso, role: Role) -> bool {
    let mut meaning = LassoSemantics::new(&instance.formulas, &instance.alphabet, play);
    instance.contract.of(role).iter().all(|&f| meaning.holds(f))
}

/// Whether the strategy allows every letter of the play, followed until its state and the position must have repeated.
fn is_play(instance: &Instance, play: &Lasso, table: &[Vec<Option<usize>>]) -> bool {
    let letters = instance.letters();
    let mut state = 0;
    let mut position = 0;
    for _ in 0..play.len() * (table.len() + 1) {
        let letter = letters.iter().position(|l| l == play.letter(position)).expect("a canonical letter");
        let Some(next) = table[state][letter] else { return false };
        (state, position) = (next, play.successor(position));
    }
    true
}

fn check_mealy_violation(instance: &Instance, machine: &Mealy, violation: &Violation) {
    let Violation { role, clause, play } = violation;
    let context = format!("{}\n{machine:?}\n{violation:?}", instance.show());
    assert!(is_play(instance, play, &table_of_mealy(instance, &instance.letters(), machine)), "{context}");
    let clause = instance.contract.of(*role)[clause.unwrap()];
    assert!(!LassoSemantics::new(&instance.formulas, &instance.alphabet, play).holds(clause), "{context}");
    assert!(all_hold(instance, play, Role::Fact), "{context}");
    assert!(*role == Role::Restriction || all_hold(instance, play, Role::Assumption), "{context}");
}

fn check_counter_violation(instance: &Instance, machine: &CounterStrategy, violation: &Violation) {
    let Violation { role, clause, play } = violation;
    let context = format!("{}\n{machine:?}\n{violation:?}", instance.show());
    assert!(is_play(instance, play, &table_of_counter(instance, &instance.letters(), machine)), "{context}");
    if let Some(clause) = clause {
        let clause = instance.contract.of(*role)[*clause];
        assert!(
            !LassoSemantics::new(&instance.formulas, &instance.alphabet, play).holds(clause),
            "{context}"
        );
    } else {
        assert!(all_hold(instance, play, Role::Guarantee), "{context}");
    }
    assert!(*role == Role::Fact || all_hold(instance, play, Role::Restriction), "{context}");
}

#[test]
fn elementary_sets_agree_with_the_meaning_on_lassos() {
    let mut rng = Rng(5);
    let mut satisfied = 0;
    for _ in 0..400 {
        let mut instance = random_contract(&mut rng);
        let f = random_formula(&mut rng, &mut instance.formulas, &instance.alphabet, 8);
        let word = random_lasso(&mut rng, &instance.alphabet);
        let letters = instance.letters();
        let Some(tableau) = Elementary::new(&instance, &letters, f, NODES) else { continue };
        let row = |i| {
            let only = word.letter(i);
            letters.iter().map(|l| (l == only).then(|| word.successor(i))).collect()
        };
        let table = (0..word.len()).map(row).collect();
        let holds = LassoSemantics::new(&instance.formulas, &instance.alphabet, &word).holds(f);
        assert_eq!(tableau.has_play(&table), holds, "{} on {word:?}", instance.show());
        satisfied += usize::from(holds);
    }
    assert!((100..300).contains(&satisfied), "{satisfied}");
}

/// Checks the verdict of the certifier and the result of the search for a short play. Returns their violations.
fn agreed(
    verdict: Result<(), CertifyError>,
    shortest: Option<Violation>,
    expected: bool,
    context: impl Fn() -> String,
) -> Vec<Violation> {
    assert_eq!(verdict.is_ok(), expected, "{verdict:?} in round {}", context());
    match verdict {
        Ok(()) => {
            assert_eq!(shortest, None, "{}", context());
            Vec::new()
        }
        Err(CertifyError::Violated(violation)) => {
            vec![violation, shortest.unwrap_or_else(|| panic!("no short play in round {}", context()))]
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_certifier_agrees_with_elementary_sets_on_controllers() {
    let mut rng = Rng(1);
    let (mut certified, mut refuted) = (0, 0);
    for round in 0..600 {
        let mut instance = random_contract(&mut rng);
        let states = 1 + rng.below(4);
        let machine = random_mealy(&mut rng, &instance.alphabet, states);
        let table = table_of_mealy(&instance, &instance.letters(), &machine);
        let objective = instance.contract.formula(&mut instance.formulas);
        let Some(expected) = keeps(&mut instance, &table, objective, NODES) else { continue };
        let Instance { formulas, alphabet, contract, .. } = &instance;
        let budget = Budget::unlimited();
        let shortest = find_violation(
            &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(&machine) },
            &budget,
        )
        .unwrap();
        let verdict = certify(
            &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Mealy(&machine) },
            &budget,
        )
        .map(|_| ());
        let violations =
            agreed(verdict, shortest, expected, || format!("{round}\n{}\n{machine:?}", instance.show()));
        for violation in &violations {
            check_mealy_violation(&instance, &machine, violation);
        }
        *if expected { &mut certified } else { &mut refuted } += 1;
    }
    println!("controllers: {certified} certified, {refuted} refuted");
    assert!(certified > 100 && refuted > 100);
}

#[test]
fn the_certifier_agrees_with_elementary_sets_on_counter_strategies() {
    let mut rng = Rng(2);
    let (mut certified, mut refuted) = (0, 0);
    for round in 0..600 {
        let mut instance = random_contract(&mut rng);
        let states = 1 + rng.below(4);
        let machine = random_counter(&mut rng, &instance.alphabet, states);
        let table = table_of_counter(&instance, &instance.letters(), &machine);
        let objective = instance.contract.formula(&mut instance.formulas);
        let defeat = instance.formulas.not(objective);
        let Some(expected) = keeps(&mut instance, &table, defeat, NODES) else { continue };
        let Instance { formulas, alphabet, contract, .. } = &instance;
        let budget = Budget::unlimited();
        let shortest = find_violation(
            &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Counter(&machine) },
            &budget,
        )
        .unwrap();
        let verdict = certify(
            &StrategyClaim { formulas, alphabet, contract, strategy: StrategyRef::Counter(&machine) },
            &budget,
        )
        .map(|_| ());
        let violations =
            agreed(verdict, shortest, expected, || format!("{round}\n{}\n{machine:?}", instance.show()));
        for violation in &violations {
            check_counter_violation(&instance, &machine, violation);
        }
        *if expected { &mut certified } else { &mut refuted } += 1;
    }
    println!("counter-strategies: {certified} certified, {refuted} refuted");
    assert!(certified > 50 && refuted > 100);
}
