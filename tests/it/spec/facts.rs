//! Facts about terms: what refinement finds is derived again by the certifier, and what the certifier derives holds
//! under random interpretations of predicates and functions.

use super::runs;
use super::support::problem;
use tsl_synth_core::base::{Budget, IdVec};
use tsl_synth_core::logic::{AtomId, FormulaId, Guards, Letter, Node};
use tsl_synth_core::model::{CounterEdge, CounterState, CounterStrategy, Role};
use tsl_synth_engine::synth::vocabulary;
use tsl_synth_kernel::{CertifyError, certify_fact};
use tsl_synth_lang::spec::{Clause, Consistency, Problem, check_plays, frame_constraints, refutation};
use tsl_synth_testkit::Rng;

const SPECS: [&str; 9] = [
    "always guarantee { p x -> [x <- y]; p y -> [y <- x]; }",
    "always guarantee { p x -> [x <- i]; p i -> [x <- f x]; q c() -> [x <- c()]; q x; }",
    "always guarantee { p x -> [x <- f y]; q y x -> [y <- f x]; q (f y) x -> [y <- c()]; }",
    "cell x: A = c(); always guarantee { p x -> [x <- f x i]; q x -> [x <- c()]; p c(); }",
    "always guarantee { x = 3 -> [y <- x]; y > 4 -> [x <- y]; go -> [y <- 3]; y < 2.5; x > 7; [x <- 10]; }",
    "cell b: Bool = false; always guarantee { b -> [b <- p x]; [b <- true] || [b <- c]; c -> [c <- q b]; p x -> [x <- f x]; }",
    "saturating cell n: 0..3; always guarantee { go -> [n <- n + 1]; p n -> [m <- n]; p m -> [n <- 0]; q (n + 1) -> [m <- n + 1]; q m; }",
    "cell s: enum {idle, busy} = idle; always guarantee { s = idle -> [s <- busy]; p s -> [t <- s]; p t -> [s <- idle]; }",
    "noisy predicate near: A -> Bool; always guarantee { near x -> [x <- f x]; far x -> [x <- g x i]; far i; far (g x i); }",
];

fn random_counter(problem: &Problem, rng: &mut Rng) -> CounterStrategy {
    let mut guards = Guards::new();
    let states = 1 + rng.below(4);
    let mut table = IdVec::new();
    for _ in 0..states {
        let mut input = Letter::new();
        for atom in problem.alphabet.inputs() {
            if rng.below(3) == 0 {
                problem.alphabet.choose(atom, &mut input);
            }
        }
        let cells = problem.alphabet.cells();
        let cell = &cells.as_slice()[rng.below(cells.len())];
        let edges = cell.options.iter().map(|&option| {
            let guard = problem.alphabet.guard(option, &mut guards);
            CounterEdge { guard, next: tsl_synth_core::base::Id::from_index(rng.below(states)) }
        });
        table.push(CounterState { input, edges: edges.collect() });
    }
    CounterStrategy { guards, states: table, initial: tsl_synth_core::base::Id::from_index(0) }
}

fn derived(problem: &Problem, fact: FormulaId) -> Result<(), CertifyError> {
    let budget = Budget::unlimited().with_work(1_000_000);
    certify_fact(&problem.formulas, &vocabulary(problem), fact, &mut |system| refutation(system), &budget)
}

/// The formula with one change: an atom is replaced or negated, or a `Next` operator is dropped.
fn mutant(problem: &mut Problem, rng: &mut Rng, fact: FormulaId) -> FormulaId {
    let atoms: Vec<AtomId> = problem.alphabet.atoms().ids().collect();
    let parts = problem.formulas.subformulas(&[fact]);
    let places: Vec<FormulaId> = parts
        .iter()
        .copied()
        .filter(|&f| matches!(problem.formulas.node(f), Node::Atom(_) | Node::Next(_)))
        .collect();
    let place = places[rng.below(places.len())];
    let mut images = std::collections::HashMap::new();
    for f in parts {
        let node = problem.formulas.node(f).clone();
        let mut operands = Vec::new();
        node.for_each_operand(|g| operands.push(images[&g]));
        let image = if f != place {
            problem.formulas.rebuild(&node, &operands)
        } else if let (Node::Next(_), [operand]) = (&node, &operands[..]) {
            *operand
        } else if rng.below(4) == 0 {
            problem.formulas.not(f)
        } else {
            problem.formulas.atom(atoms[rng.below(atoms.len())])
        };
        images.insert(f, image);
    }
    images[&fact]
}

fn clause(formula: FormulaId) -> Clause {
    Clause { role: Role::Fact, formula, span: None, constraint: None }
}

/// Checks at least `count` facts of refinement and frame constraints, and one mutant of each.
fn facts_are_derived(count: usize, seed: u64) {
    let mut rng = Rng(seed);
    let (mut found, mut mutants, mut kept, mut round) = (0, 0, 0, 0);
    while found < count {
        round += 1;
        let mut problem = problem(SPECS[round % SPECS.len()]);
        let mut facts = Vec::new();
        if round <= SPECS.len() {
            facts.extend(frame_constraints(&mut problem).into_iter().map(|clause| clause.formula));
        }
        let counter = random_counter(&problem, &mut rng);
        let budget = Budget::unlimited().with_work(20_000);
        if let Consistency::Inconsistent(refinement) = check_plays(&mut problem, &counter, &budget) {
            facts.push(refinement.clause.formula);
        }
        for fact in facts {
            found += 1;
            let text = problem.formulas.display(fact, &problem.alphabet);
            let answer = derived(&problem, fact);
            assert!(answer.is_ok(), "{answer:?}: {text}");
            runs::check(&problem, &[clause(fact)], &mut rng, 20);
            let wrong = mutant(&mut problem, &mut rng, fact);
            mutants += 1;
            if derived(&problem, wrong).is_ok() {
                kept += 1;
                runs::check(&problem, &[clause(wrong)], &mut rng, 60);
            }
        }
    }
    println!("{found} facts derived again, {mutants} mutants of which {kept} hold");
    assert!(kept > 0 && kept < mutants, "{kept} of {mutants} mutants");
}

#[test]
fn facts_of_refinement_are_derived_again() {
    facts_are_derived(200, 5);
}

#[test]
#[ignore = "a campaign"]
fn campaign_facts() {
    facts_are_derived(
        crate::campaign::setting("TSL_SYNTH_FACTS", 2000) as usize,
        crate::campaign::first_seed(),
    );
}

#[test]
fn what_does_not_follow_is_not_derived() {
    let mut problem = problem(SPECS[0]);
    let counterexamples = [
        // The update is of another cell, or of another term than the predicate.
        ("p(x)", "[y <- x]", "p(x)"),
        ("p(y)", "[y <- x]", "p(x)"),
        ("p(y)", "[x <- x]", "p(x)"),
    ];
    let atom = |problem: &mut Problem, name: &str| {
        let found = problem.alphabet.atoms().enumerate().find(|(_, a)| a.name == name).map(|(id, _)| id);
        problem.formulas.atom(found.unwrap_or_else(|| panic!("an atom {name}")))
    };
    let mut fact = |now: &str, update: &str, later: &str| {
        let [now, update, later] = [now, update, later].map(|name| atom(&mut problem, name));
        let formulas = &mut problem.formulas;
        let later = formulas.next(later);
        let same = formulas.iff(now, later);
        let step = formulas.implies(update, same);
        let always = formulas.globally(step);
        derived(&problem, always)
    };
    for (now, update, later) in counterexamples {
        assert!(matches!(fact(now, update, later), Err(CertifyError::Wrong(_))), "{now} {update} {later}");
    }
    assert_eq!(fact("p(y)", "[x <- y]", "p(x)"), Ok(()));
    assert_eq!(fact("p(x)", "[x <- x]", "p(x)"), Ok(()));
}
