//! Refinement: handwritten counter-strategies with the constraint that each must yield, and random ones compared with a
//! direct check of their plays.

use super::runs;
use super::support::problem;
use std::collections::HashMap;
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::logic::{AtomId, Guard, Guards, Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::{CounterEdge, CounterState, CounterStrategy, StateId};
use tsl_synth_lang::spec::{
    AtomMeaning, Consistency, Problem, Refinement, SymbolKind, Term, TermId, check_plays,
};
use tsl_synth_testkit::{Rng, quota};

fn atom(problem: &Problem, name: &str) -> AtomId {
    let found = problem.alphabet.atoms().enumerate().find(|(_, a)| a.name == name);
    found.unwrap_or_else(|| panic!("an atom {name}")).0
}

/// The true input atoms of a state, and its edges: an update and the next state.
type State<'a> = (&'a [&'a str], &'a [(&'a str, usize)]);

/// States with the names of true input atoms, and edges `(update, next)`; `""` is every letter of no earlier edge.
fn machine(problem: &Problem, states: &[State]) -> CounterStrategy {
    let mut guards = Guards::new();
    let mut table = tsl_synth_core::base::IdVec::new();
    for (inputs, edges) in states {
        let mut input = Letter::new();
        for name in *inputs {
            problem.alphabet.choose(atom(problem, name), &mut input);
        }
        let mut rest = Guard::TRUE;
        let mut list = Vec::new();
        for (update, next) in *edges {
            let guard = match *update {
                "" => rest,
                name => {
                    let guard = problem.alphabet.guard(atom(problem, name), &mut guards);
                    guards.and(rest, guard)
                }
            };
            rest = guards.minus(rest, guard);
            list.push(CounterEdge { guard, next: StateId::from_index(*next) });
        }
        let _: StateId = table.push(CounterState { input, edges: list });
    }
    CounterStrategy { guards, states: table, initial: StateId::from_index(0) }
}

fn taught(text: &str, states: &[State]) -> Option<String> {
    let mut problem = problem(text);
    let counter = machine(&problem, states);
    match check_plays(&mut problem, &counter, &Budget::unlimited().with_work(100_000)) {
        Consistency::Consistent => None,
        Consistency::Inconsistent(refinement) => {
            violated(&problem, &counter, &refinement);
            runs::check(&problem, std::slice::from_ref(&refinement.clause), &mut Rng(1), 100);
            Some(problem.formulas.display(refinement.clause.formula, &problem.alphabet))
        }
        Consistency::Unknown(limit) => panic!("{limit}"),
    }
}

/// Checks that the play of a refinement violates its constraint.
fn violated(problem: &Problem, counter: &CounterStrategy, refinement: &Refinement) {
    let mut letters = Vec::new();
    for (i, &state) in refinement.states.iter().enumerate() {
        let mut letter = counter.states[state].input.clone();
        for &update in refinement.updates.get(i).into_iter().flatten() {
            problem.alphabet.choose(update, &mut letter);
        }
        letters.push(letter);
    }
    let last = letters.pop().expect("a play has states");
    let word = Lasso { prefix: letters, cycle: vec![last] };
    let mut meaning = LassoSemantics::new(&problem.formulas, &problem.alphabet, &word);
    assert!(!meaning.holds(refinement.clause.formula), "the play keeps its constraint");
}

const COPY: &str =
    "always guarantee { p y -> [x <- y]; p x -> [z <- x]; p z -> [x <- f x]; p (f x) || q c(); }";

#[test]
fn a_copied_value_keeps_its_predicates() {
    let found = taught(COPY, &[(&["p(y)"], &[("", 1)]), (&[], &[("", 1)])]);
    assert_eq!(found.as_deref(), Some("G ((p(y) <-> X p(x)) | ![x <- y])"));
}

#[test]
fn a_value_is_followed_through_several_cells() {
    let states: &[State] = &[(&["p(y)"], &[("", 1)]), (&[], &[("", 1)])];
    let found = taught("always guarantee { p y -> [x <- y]; p z -> [z <- x]; }", states);
    assert_eq!(found.as_deref(), Some("G ((p(y) <-> X X p(z)) | !([x <- y] & X [z <- x]))"));
}

#[test]
fn constants_and_kept_cells_do_not_change() {
    let blink: &[State] = &[(&["q(c())"], &[("", 1)]), (&[], &[("", 0)])];
    assert_eq!(taught(COPY, blink).as_deref(), Some("G (q(c()) <-> X q(c()))"));
    let text = "always guarantee { p x -> [x <- g x y]; }";
    let blink: &[State] = &[(&["p(x)"], &[("", 1)]), (&[], &[("", 0)])];
    assert_eq!(taught(text, blink).as_deref(), Some("G ((p(x) <-> X p(x)) | ![x <- x])"));
}

#[test]
fn functions_are_functions() {
    let states: &[State] =
        &[(&["p(f(x))"], &[("[x <- f(x)]", 1), ("", 2)]), (&[], &[("", 2)]), (&[], &[("", 2)])];
    let text = "always guarantee { p x -> [x <- f x]; p (f x); }";
    assert_eq!(taught(text, states).as_deref(), Some("G ((p(f(x)) <-> X p(x)) | ![x <- f(x)])"));
}

#[test]
fn new_values_are_free() {
    // Any predicate values of an incremented counter are consistent if they persist while the counter is kept.
    let states: &[State] = &[(&["p(n)"], &[("[n <- n]", 0), ("", 1)]), (&[], &[("[n <- n]", 1), ("", 0)])];
    assert_eq!(taught("always guarantee { p n -> [n <- inc n]; }", states), None);
    // Two assignments of one constant give equal values; here they differ.
    let text = "always guarantee { p n -> [n <- zero()]; }";
    let found = taught(text, &[(&["p(n)"], &[("[n <- n]", 0), ("", 1)]), (&[], &[("[n <- n]", 1), ("", 0)])]);
    assert_eq!(found.as_deref(), Some("G ((X p(n) <-> X X p(n)) | !([n <- zero()] & X [n <- zero()]))"));
}

#[test]
fn infinitely_many_values_that_matter_are_a_limit() {
    let mut problem = problem("always guarantee { p n -> [n <- inc n]; q -> [n <- zero()]; }");
    let counter = machine(&problem, &[(&["p(n)"], &[("", 0)])]);
    let found = check_plays(&mut problem, &counter, &Budget::unlimited().with_work(2_000));
    assert!(matches!(found, Consistency::Unknown(_)), "{found:?}");
}

#[test]
fn noisy_predicates_may_change() {
    let text = "noisy predicate p: A -> Bool; always guarantee { p x -> [x <- y]; }";
    let blink: &[State] = &[(&["p(x)"], &[("", 1)]), (&[], &[("", 0)])];
    assert_eq!(taught(text, blink), None);
}

#[test]
fn numbers_are_compared_through_cells() {
    let text = "always guarantee { x = 3 -> [y <- x]; y > 4 -> go; }";
    let states: &[State] = &[(&["x = 3", "y > 4"], &[("", 1)]), (&["y > 4"], &[("", 1)])];
    assert_eq!(taught(text, states).as_deref(), Some("G (!(x = 3 & X y > 4) | ![y <- x])"));
    let text = "always guarantee { go -> [y <- 3]; y > 4; }";
    let states: &[State] = &[(&["y > 4"], &[("", 0)])];
    assert_eq!(taught(text, states).as_deref(), Some("G (!X y > 4 | ![y <- 3])"));
}

#[test]
fn initial_values_are_known_in_step_0() {
    let text = "cell x: A = c(); always guarantee { p x -> [x <- f x]; p c(); }";
    let states: &[State] = &[(&["p(x)"], &[("", 1)]), (&["p(c())"], &[("", 1)])];
    assert_eq!(taught(text, states).as_deref(), Some("p(x) <-> p(c())"));
}

/// A term as text, with the step of each input.
fn text(problem: &Problem, term: TermId, values: &HashMap<usize, String>, step: usize) -> String {
    let signature = &problem.signature;
    match signature.terms.get(term) {
        Term::Signal(s) if signature.symbols[*s].kind == SymbolKind::Input => format!("{s:?}@{step}"),
        Term::Signal(s) => values[&s.index()].clone(),
        Term::Literal(l) => format!("{l:?}"),
        Term::Apply(s, arguments) => {
            let all: Vec<String> = arguments.iter().map(|&a| text(problem, a, values, step)).collect();
            format!("{s:?}({})", all.join(","))
        }
        Term::Operation(op, a, b) => {
            format!("({} {op:?} {})", text(problem, *a, values, step), text(problem, *b, values, step))
        }
    }
}

/// Whether a random play of this length is consistent, checked directly: equal predicate terms have equal values.
fn slow(problem: &Problem, counter: &CounterStrategy, rng: &mut Rng, length: usize) -> bool {
    let signature = &problem.signature;
    let mut values: HashMap<usize, String> =
        signature.symbols.ids().map(|s| (s.index(), format!("{s:?}@start"))).collect();
    let mut known: HashMap<String, bool> = HashMap::new();
    let mut state = counter.initial;
    for step in 0..length {
        let input = &counter.states[state].input;
        for (atom, meaning) in signature.atoms.enumerate() {
            if let AtomMeaning::Predicate(term) = *meaning {
                let truth = problem.alphabet.holds(atom, input);
                if *known.entry(text(problem, term, &values, step)).or_insert(truth) != truth {
                    return false;
                }
            }
        }
        let mut letter = input.clone();
        let mut next = values.clone();
        for (cell, &symbol) in signature.cells.enumerate() {
            let options = &problem.alphabet.cells()[cell].options;
            let option = options[rng.below(options.len())];
            problem.alphabet.choose(option, &mut letter);
            if let AtomMeaning::Update(_, term) = signature.atoms[option] {
                next.insert(symbol.index(), text(problem, term, &values, step));
            }
        }
        values = next;
        state = counter.edge(state, &letter).expect("complete").next;
    }
    true
}

#[test]
fn random_counter_strategies() {
    let specs = [
        "always guarantee { p x -> [x <- y]; p y -> [y <- x]; }",
        "always guarantee { p x -> [x <- i]; p i -> [x <- f x]; }",
        "always guarantee { p x -> [x <- f y]; q y x -> [y <- f x]; q (f y) x -> [y <- c()]; }",
        "always guarantee { p x -> [x <- f x i]; q x -> [x <- c()]; }",
    ];
    let mut rng = Rng(11);
    let (mut consistent, mut taught, mut unknown) = (0, 0, 0);
    for round in 0..quota(300) {
        let mut p = problem(specs[round % specs.len()]);
        let inputs: Vec<AtomId> = p.alphabet.inputs().collect();
        let mut guards = Guards::new();
        let states = 1 + rng.below(4);
        let mut table = tsl_synth_core::base::IdVec::new();
        for _ in 0..states {
            let mut input = Letter::new();
            for &atom in &inputs {
                if rng.below(4) == 0 {
                    p.alphabet.choose(atom, &mut input);
                }
            }
            // A random next state for each option of one cell.
            let cells: Vec<_> = p.alphabet.cells().iter().collect();
            let cell = cells[rng.below(cells.len())];
            let mut edges = Vec::new();
            for &option in &cell.options {
                let guard = p.alphabet.guard(option, &mut guards);
                edges.push(CounterEdge { guard, next: StateId::from_index(rng.below(states)) });
            }
            let _: StateId = table.push(CounterState { input, edges });
        }
        let counter = CounterStrategy { guards, states: table, initial: StateId::from_index(0) };
        match check_plays(&mut p, &counter, &Budget::unlimited().with_work(20_000)) {
            Consistency::Consistent => {
                consistent += 1;
                for _ in 0..60 {
                    assert!(slow(&p, &counter, &mut rng, 9), "an inconsistent play of {counter:?}");
                }
            }
            Consistency::Inconsistent(refinement) => {
                taught += 1;
                violated(&p, &counter, &refinement);
                runs::check(&p, std::slice::from_ref(&refinement.clause), &mut rng, 20);
            }
            Consistency::Unknown(_) => unknown += 1,
        }
    }
    println!("{consistent} consistent, {taught} taught a constraint, {unknown} unknown");
    assert!(
        consistent > quota(12) && taught > quota(12),
        "{consistent} consistent, {taught} taught, {unknown} unknown"
    );
}
