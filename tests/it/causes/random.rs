//! Random small instances compared with the definition.

use super::instance::{Instance, problem};
use crate::campaign::setting;
use crate::oracle::causes::{breaker, holds, is_closer, play};
use crate::oracle::machines::random_mealy;
use tsl_synth_core::base::Budget;
use tsl_synth_core::logic::{Alphabet, Lasso, Letter, Player};
use tsl_synth_core::model::{Mealy, NecessaryEvent, Parity};
use tsl_synth_explain::cause::{CauseAnswer, CauseEffort, CauseFinder, FlipOrder, plays, shortest_lasso};
use tsl_synth_kernel::{CauseClaim, CertifyError, certify_cause};
use tsl_synth_testkit::{Rng, random_formula};

fn alphabet(rng: &mut Rng) -> Alphabet {
    let mut alphabet = Alphabet::new();
    alphabet.add_input("a");
    if rng.flip() {
        alphabet.add_input("b");
    }
    alphabet.add_output("c");
    if rng.flip() {
        alphabet.add_cell("x", ["[x <- 0]", "[x <- 1]", "[x <- 2]"]);
    } else {
        alphabet.add_output("d");
    }
    alphabet
}

pub(super) fn random_inputs(rng: &mut Rng, alphabet: &Alphabet, prefix: usize, cycle: usize) -> Lasso {
    let (prefix, cycle) = (rng.below(prefix + 1), 1 + rng.below(cycle));
    let letters = |rng: &mut Rng, n| -> Vec<Letter> {
        (0..n).map(|_| alphabet.bits_of(Player::Environment).filter(|_| rng.flip()).collect()).collect()
    };
    Lasso { prefix: letters(rng, prefix), cycle: letters(rng, cycle) }
}

/// A machine, a trace of it, and an effect that holds on it.
pub(super) fn instance(rng: &mut Rng) -> (Mealy, Instance) {
    let alphabet = alphabet(rng);
    let states = 1 + rng.below(4);
    let machine = random_mealy(rng, &alphabet, states);
    let inputs = random_inputs(rng, &alphabet, 2, 2);
    let actual = shortest_lasso(&play(&machine, &inputs));
    let mut problem = problem(alphabet);
    let size = 1 + rng.below(6);
    let mut effect = random_formula(rng, &mut problem.formulas, &problem.alphabet, size);
    if !holds(&problem.formulas, &problem.alphabet, effect, &actual) {
        effect = problem.formulas.not(effect);
    }
    let system = plays(&problem.alphabet, &machine);
    (machine, Instance::over(problem, system, actual, effect))
}

/// One instance: membership of random sequences in the cause by the definition, by the product with the counterfactuals, and
/// by the deterministic automaton of the cause. Returns how many are outside, and for how many the enumeration of the
/// definition shows it.
fn check(rng: &mut Rng) -> (usize, usize) {
    let (machine, instance) = instance(rng);
    let budget = Budget::unlimited();
    let (formulas, alphabet) = (&instance.problem.formulas, &instance.problem.alphabet);
    let finder = CauseFinder::new(instance.question(), FlipOrder::Inclusion, &budget).expect("small");
    let exact = finder.exact(100_000, &budget).expect("small").automaton;
    certificate(&instance, &finder, &exact);
    let (mut outside, mut found) = (0, 0);
    for _ in 0..6 {
        let far = random_inputs(rng, alphabet, 2, 2);
        let only = finder.only(&far);
        let spoiled = finder.outside(&only, &budget).expect("no limit");
        let inside = finder.inside(&only, 100_000, &budget).expect("no limit");
        assert_ne!(
            spoiled.is_some(),
            inside.is_some(),
            "the automaton is no complement of the counterfactuals"
        );
        assert_eq!(exact.accepts(&far), inside.is_some(), "the reduced automaton accepts something else");
        let context = || {
            let effect = formulas.display(instance.effect, alphabet);
            format!("effect {effect}, actual {:?}, far {far:?}, machine {machine:?}", instance.actual)
        };
        let broken =
            breaker(formulas, alphabet, &machine, &instance.actual, instance.effect, &far, (1, 1, 10));
        found += usize::from(broken.is_some());
        if let Some(spoiled) = spoiled {
            outside += 1;
            assert_eq!(shortest_lasso(&far), spoiled.far, "{}", context());
            assert!(is_closer(alphabet, &instance.actual, &spoiled.close, &far), "{}", context());
            let broken = play(&machine, &spoiled.close);
            assert!(!holds(formulas, alphabet, instance.effect, &broken), "{}", context());
        } else {
            assert_eq!(broken, None, "{}", context());
        }
    }
    (outside, found)
}

/// The certifier accepts the answer, and rejects it without one of its events and with a weaker formula.
fn certificate(instance: &Instance, finder: &CauseFinder<'_>, exact: &Parity) {
    let budget = Budget::unlimited();
    let alphabet = &instance.problem.alphabet;
    let mut formulas = instance.formulas();
    let top = formulas.top();
    let effort = CauseEffort::default();
    let answer = finder.explain(&mut formulas, top, &effort, &budget).expect("no limit");
    let CauseAnswer::Cause(found) = answer else { return };
    let without = formulas.not(instance.effect);
    let claim = CauseClaim {
        system: &instance.system,
        actual: &instance.actual,
        without,
        automata: None,
        within: top,
        cause: &found.cause,
        exact: found.exact,
        automaton: Some(exact),
        infinite: true,
    };
    let checked = certify_cause(&formulas, alphabet, &claim, &budget);
    if let Err(error) = checked {
        let effect = formulas.display(instance.effect, alphabet);
        panic!("{error}: {effect} on {:?}: {found:?}, {:?}", instance.actual, instance.system);
    }
    let mut less = found.cause.clone();
    // The certifier checks necessary events only in the first rounds of the trace.
    let rounds = instance.actual.prefix.len() + 2 * instance.actual.cycle.len();
    let early = |event: &NecessaryEvent| (0..rounds).any(|step| event.steps.contains(step));
    let Some(gone) = less.necessary.iter().position(early) else { return };
    less.necessary.remove(gone);
    let wrong = CauseClaim { cause: &less, ..claim };
    assert!(matches!(certify_cause(&formulas, alphabet, &wrong, &budget), Err(CertifyError::Wrong(_))));
    let mut weaker = found.cause.clone();
    weaker.formula = Some(top);
    let wrong = CauseClaim { cause: &weaker, ..claim };
    assert!(matches!(certify_cause(&formulas, alphabet, &wrong, &budget), Err(CertifyError::Wrong(_))));
}

fn campaign(instances: usize, seed: u64) {
    let mut rng = Rng(seed);
    let (mut outside, mut found) = (0, 0);
    for _ in 0..instances {
        let (more, known) = check(&mut rng);
        outside += more;
        found += known;
    }
    println!("{instances} instances, {outside} sequences outside, {found} of them found by the definition");
    assert!(found * 2 > outside, "the enumeration finds too little");
    assert!(outside > instances, "too few sequences are outside");
}

#[test]
fn membership_is_that_of_the_definition() {
    campaign(1_000, 1);
}

/// `campaigns causes`
#[test]
#[ignore = "a campaign"]
fn membership_is_that_of_the_definition_10000() {
    campaign(setting("TSL_SYNTH_CAUSES", 10_000) as usize, 2);
}
