//! The explicit engine by itself: small games whose winners are known, and random ones that the symbolic engine solves,
//! too. Every answer is certified.

use crate::oracle::instance::Instance;
use tsl_synth_core::base::{LimitKind, StopFlag};
use tsl_synth_core::model::{Silent, Verdict};
use tsl_synth_engine::synth::{Engine, Outcome, SolverOptions, StrategyForm, synthesize};
use tsl_synth_testkit::{Rng, random_formula, small_alphabet};

fn decide(instance: &Instance, engine: Engine) -> Outcome {
    let options = SolverOptions {
        engine,
        form: StrategyForm::Explicit,
        minimize: false,
        rounds: 3,
        ..SolverOptions::default()
    };
    synthesize(&mut instance.problem(), &options, &Silent)
        .unwrap_or_else(|failed| panic!("{failed}\n{}", instance.show()))
}

/// Whether the system wins; `None` if undecided.
fn winner(outcome: &Outcome) -> Option<bool> {
    match outcome.verdict {
        Verdict::Realizable(_) => Some(true),
        Verdict::Unrealizable(..) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

#[test]
fn small_games_have_the_winners_they_should() {
    // Assumptions, guarantees, whether the system wins; inputs a and b, outputs x and y.
    let games: [(&[&str], &[&str], bool); 18] = [
        (&[], &["G (a -> F x)", "G !(x & y)", "G (b -> F y)"], true),
        (&[], &["G (X x <-> a)"], true),
        (&[], &["G (x <-> X a)"], false),
        (&[], &["G F a <-> G F x"], true),
        (&[], &["F G a <-> F G x"], true),
        (&[], &["F G a <-> G F x"], false),
        (&[], &["(G F a -> G F x) & (G F b -> G F y)", "G !(x & y)"], true),
        (&[], &["(G F a -> G F x) & F G !x"], false),
        (&[], &["(F G a | G F b) <-> G F x"], false),
        (&[], &["(F G a & G F b) | (G F !a & F G !b) | (G F a & G F b) | (F G !a & F G !b)"], false),
        (&["F a"], &["F (a & x)", "a -> !x | X F a"], false),
        (&["G F a"], &["G F (a & x)", "G F (a & !x)"], true),
        (&["G F a", "G F b"], &["G F x", "G F y", "G !(x & y)", "G (x -> a)", "G (y -> b)"], true),
        (&["G F (a & x)"], &["G F (b & y)"], true),
        (&["G F a"], &["G F (b & y)"], false),
        (&["G (x -> F a)"], &["G F (x & X a)"], true),
        (&["F (a R b)"], &["G F (x & b)"], false),
        (&["G (x -> X b)", "G F a"], &["G F (a & x & X b)", "G !(x & X x)"], true),
    ];
    for (assumptions, guarantees, realizable) in games {
        let mut instance = Instance::new("a b", "x y");
        for text in assumptions {
            instance = instance.with_assumption(text);
        }
        for text in guarantees {
            instance = instance.with_guarantee(text);
        }
        let outcome = decide(&instance, Engine::Explicit);
        assert_eq!(winner(&outcome), Some(realizable), "{}\n{outcome:?}", instance.show());
    }
}

#[test]
fn random_games_have_one_winner() {
    let mut rng = Rng(2026);
    let (mut system, mut environment) = (0, 0);
    for round in 0..400 {
        let mut instance = Instance::new("a b", "c d");
        for kind in 0..4 {
            for _ in 0..=rng.below(2) {
                let size = 2 + rng.below(7);
                let f = random_formula(&mut rng, &mut instance.formulas, &small_alphabet(false), size);
                let formulas = &mut instance.formulas;
                let inner = formulas.finally(f);
                let lasting = [formulas.globally(f), formulas.globally(inner), f][rng.below(3)];
                let contract = &mut instance.contract;
                match kind {
                    0 if rng.flip() => contract.assumptions.push(lasting),
                    1 if rng.below(6) == 0 => contract.facts.push(lasting),
                    2 if rng.below(6) == 0 => contract.restrictions.push(lasting),
                    3 => contract.guarantees.push(lasting),
                    _ => {}
                }
            }
        }
        let (explicit, symbolic) = (decide(&instance, Engine::Explicit), decide(&instance, Engine::Symbolic));
        let (Some(one), Some(other)) = (winner(&explicit), winner(&symbolic)) else { continue };
        assert_eq!(one, other, "{round}\n{}", instance.show());
        *if one { &mut system } else { &mut environment } += 1;
    }
    assert!(system > 80 && environment > 80, "{system} won by the system, {environment} by the environment");
}

/// The guarantee is about all pairs of neighbors, but the environment needs only one of them.
#[test]
fn a_few_inputs_are_enough_for_the_environment() {
    let n = 16;
    let inputs: Vec<String> = (0..n).map(|i| format!("p{i}")).collect();
    let pair = |i: usize| format!("(G F p{i} | F G p{})", i + 1);
    let pairs: Vec<String> = (0..n - 1).map(pair).collect();
    let guarantee = format!("({} & G F p{}) <-> G F x", pairs.join(" & "), n - 1);
    let instance = Instance::new(&inputs.join(" "), "x").with_guarantee(&guarantee);
    let outcome = decide(&instance, Engine::Auto);
    assert_eq!(winner(&outcome), Some(false));
    let log = &outcome.statistics.log;
    assert!(log.iter().any(|line| line.contains("2 inputs, the others constantly true")), "{log:?}");
}

#[test]
fn a_limit_names_the_engine_that_was_asked_for() {
    let instance = Instance::new("a", "x").with_guarantee("G (x <-> a)");
    let stop = StopFlag::new();
    stop.raise(LimitKind::Time);
    let asked = [
        (Engine::Auto, None, "solving"),
        (Engine::Symbolic, None, "solving with the symbolic engine"),
        (Engine::Explicit, None, "solving with the explicit engine"),
        (Engine::Symbolic, Some(1), "solving with the bounded engine"),
    ];
    for (engine, bound, stage) in asked {
        let options = SolverOptions { engine, bound, stop: stop.clone(), ..SolverOptions::default() };
        let outcome = synthesize(&mut instance.problem(), &options, &Silent).expect("no answer at all");
        let Verdict::Unknown(unknown) = outcome.verdict else { panic!("{engine}: {:?}", outcome.verdict) };
        assert_eq!((unknown.stage.to_string().as_str(), unknown.limit.kind), (stage, LimitKind::Time));
        assert_eq!(outcome.statistics.engine, None);
    }
}

/// The work that the searches for both players count on one stop flag does not depend on the number of threads.
#[test]
fn threads_change_no_count() {
    let guarantee = "G (a -> F x) & G (b -> F y) & G !(x & y) & G F (x & X x)";
    let instance = Instance::new("a b", "x y").with_guarantee(guarantee);
    let counted = |threads| {
        let stop = StopFlag::new().within(100_000_000);
        let options = SolverOptions {
            engine: Engine::Bounded,
            threads,
            stop: stop.clone(),
            ..SolverOptions::default()
        };
        let outcome = synthesize(&mut instance.problem(), &options, &Silent).expect("a certified answer");
        (stop.spent(), outcome.statistics)
    };
    let alone = counted(1);
    assert!(alone.0 > 0 && (0..4).all(|_| counted(2) == alone), "{alone:?}");
}
