//! Every translation against the meaning of formulas on lasso words.

use tsl_synth_automata::{ComponentId, components, ltl_to_buchi, ltl_to_deterministic, ltl_to_monitor};
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::logic::{
    Alphabet, AtomId, Class, FormulaId, Formulas, Implications, Lasso, LassoSemantics, Normalizer,
};
use tsl_synth_core::model::{Buchi, DeterministicBuchi, Marks, Monitor, NodeId};
use tsl_synth_testkit::{Rng, random_formula, random_lasso, small_alphabet};

/// Whether an automaton accepts a lasso: an accepting cycle in the product.
pub(crate) fn accepts(automaton: &Buchi, word: &Lasso) -> bool {
    let (n, m) = (automaton.edges.len(), word.len());
    let node = |q: NodeId, i: usize| q.index() * m + i;
    let mut successors = vec![Vec::new(); n * m];
    let mut marked = Vec::new();
    for (q, out) in automaton.edges.enumerate() {
        for i in 0..m {
            for e in out {
                if automaton.guards.contains(e.guard, word.letter(i)) {
                    let (from, to) = (node(q, i), node(e.next, word.successor(i)));
                    successors[from].push(to);
                    marked.push((from, to, e.marks));
                }
            }
        }
    }
    let component = components(&successors);
    let mut reached = vec![false; n * m];
    let mut stack: Vec<usize> = automaton.initial.iter().map(|&q| node(q, 0)).collect();
    while let Some(v) = stack.pop() {
        if !std::mem::replace(&mut reached[v], true) {
            stack.extend(&successors[v]);
        }
    }
    let mut seen: std::collections::HashMap<ComponentId, Marks> = std::collections::HashMap::new();
    for (v, w, marks) in marked {
        if reached[v] && component[v] == component[w] {
            let all = seen.entry(component[v]).or_default();
            *all = all.union(marks);
        }
    }
    seen.values().any(|marks| marks.covers(Marks::all(automaton.sets)))
}

fn monitor_accepts(monitor: &Monitor, word: &Lasso) -> bool {
    let (mut q, mut i) = (monitor.initial, 0);
    for _ in 0..=monitor.states.len() * word.len() {
        let state = &monitor.states[q];
        if state.dead {
            return false;
        }
        let taken = state.edges.iter().filter(|e| monitor.guards.contains(e.guard, word.letter(i)));
        assert_eq!(taken.count(), 1, "monitors are total and deterministic");
        q = monitor.step(q, word.letter(i));
        i = word.successor(i);
    }
    true
}

#[test]
fn translations_agree_with_lasso_semantics() {
    let mut rng = Rng(1);
    let (mut accepted, mut monitors) = (0, 0);
    for round in 0..1500 {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let size = 2 + rng.below(11);
        let f = random_formula(&mut rng, &mut formulas, &alphabet, size);
        let text = formulas.display(f, &alphabet);
        let budget = Budget::unlimited();
        let automaton =
            ltl_to_buchi(&mut formulas, &alphabet, f, 10_000, &budget).expect("small formulas fit");
        let normal = Normalizer::new().normalize(&mut formulas, f, false);
        let negative = Normalizer::new().normalize(&mut formulas, f, true);
        let monitor = formulas.class(normal).is(Class::SAFETY).then(|| {
            monitors += 1;
            ltl_to_monitor(&mut formulas, &alphabet, f, 10_000, &budget).expect("small formulas fit")
        });
        for _ in 0..20 {
            let word = random_lasso(&mut rng, &alphabet);
            let mut meaning = LassoSemantics::new(&formulas, &alphabet, &word);
            let truth = meaning.holds(f);
            assert_eq!(meaning.holds(normal), truth, "normal form of {text} on {word:?}");
            assert_eq!(meaning.holds(negative), !truth, "negated normal form of {text} on {word:?}");
            assert_eq!(accepts(&automaton, &word), truth, "{text} on {word:?}: {automaton:?}");
            if let Some(monitor) = &monitor {
                assert_eq!(monitor_accepts(monitor, &word), truth, "monitor of {text} on {word:?}");
            }
            accepted += u32::from(truth);
        }
    }
    assert!(accepted > 5_000 && monitors > 300, "{accepted} words accepted, {monitors} monitors");
}

fn run_accepts(automaton: &DeterministicBuchi, word: &Lasso) -> bool {
    let (mut q, mut i) = (automaton.initial, 0);
    let mut accepted = false;
    let rounds = automaton.states.len() * word.len() + 1;
    // The first half reaches the cycle, the second goes round it.
    for step in 0..2 * rounds {
        let edge = automaton.edge(q, word.letter(i));
        assert!(Some(q) != automaton.dead || Some(edge.next) == automaton.dead && !edge.accepting);
        let taken = automaton.states[q].iter().filter(|e| automaton.guards.contains(e.guard, word.letter(i)));
        assert_eq!(taken.count(), 1, "deterministic");
        accepted |= step >= rounds && edge.accepting;
        (q, i) = (edge.next, word.successor(i));
    }
    accepted
}

/// Compares the automata of random formulas and negated formulas, those in Π₂, with the lasso semantics on
/// `per_formula` words each.
fn check_breakpoint_automata(
    seed: u64,
    smallest: usize,
    per_formula: usize,
    random: fn(&mut Rng, &mut Formulas, &Alphabet, usize) -> FormulaId,
) {
    let mut rng = Rng(seed);
    let (mut recurrences, mut accepted, mut words) = (0, 0, 0);
    for round in 0..3000 {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let size = smallest + rng.below(14);
        let f = random(&mut rng, &mut formulas, &alphabet, size);
        for negate in [false, true] {
            let normal = Normalizer::new().normalize(&mut formulas, f, negate);
            if !formulas.class(normal).is(Class::RECURRENCE) {
                continue;
            }
            let text = formulas.display(normal, &alphabet);
            let built = ltl_to_deterministic(&mut formulas, &alphabet, normal, 3_000, &Budget::unlimited());
            let automaton = built.unwrap_or_else(|limit| panic!("{text}: {limit:?}"));
            recurrences += u32::from(!formulas.class(normal).is(Class::OBLIGATION));
            for _ in 0..per_formula {
                let word = random_lasso(&mut rng, &alphabet);
                let truth = LassoSemantics::new(&formulas, &alphabet, &word).holds(normal);
                assert_eq!(run_accepts(&automaton, &word), truth, "{text} on {word:?}: {automaton:?}");
                accepted += u32::from(truth);
                words += 1;
            }
        }
    }
    assert!(recurrences > 300 && accepted * 5 > words, "{recurrences} automata, {accepted} of {words} words");
}

#[test]
fn breakpoint_automata_agree_with_lasso_semantics() {
    check_breakpoint_automata(7, 2, 20, random_formula);
}

/// A random formula with many temporal operators.
fn random_nested(rng: &mut Rng, formulas: &mut Formulas, alphabet: &Alphabet, size: usize) -> FormulaId {
    if size <= 1 {
        let atom = formulas.atom(AtomId::from_index(rng.below(alphabet.atoms().len())));
        return if rng.flip() { atom } else { formulas.not(atom) };
    }
    let op = rng.below(if size == 2 { 5 } else { 14 });
    if op < 5 {
        let f = random_nested(rng, formulas, alphabet, size - 1);
        return match op {
            0 | 1 => formulas.finally(f),
            2 | 3 => formulas.globally(f),
            _ => formulas.next(f),
        };
    }
    let left = 1 + rng.below(size - 2);
    let f = random_nested(rng, formulas, alphabet, left);
    let g = random_nested(rng, formulas, alphabet, size - 1 - left);
    match op {
        5 | 6 => formulas.and([f, g]),
        7 | 8 => formulas.or([f, g]),
        9 | 10 => formulas.until(f, g),
        11 => formulas.release(f, g),
        12 => formulas.weak_until(f, g),
        _ => formulas.strong_release(f, g),
    }
}

#[test]
fn implications_hold_on_every_word() {
    let mut rng = Rng(11);
    let mut found = 0;
    for round in 0..1500 {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let size = 4 + rng.below(14);
        let f = random_nested(&mut rng, &mut formulas, &alphabet, size);
        let f = if round % 3 == 0 { f } else { Normalizer::new().normalize(&mut formulas, f, false) };
        let all = formulas.subformulas(&[f]);
        let implications = Implications::between(&formulas, &all);
        let mut pairs = Vec::new();
        for &g in &all {
            pairs.extend(all.iter().map(|&h| (g, h)).filter(|&(g, h)| g != h && implications.holds(g, h)));
        }
        found += pairs.len();
        for _ in 0..20 {
            let word = random_lasso(&mut rng, &alphabet);
            let mut meaning = LassoSemantics::new(&formulas, &alphabet, &word);
            for &(g, h) in &pairs {
                let kept = (0..word.len()).all(|i| !meaning.at(g, i) || meaning.at(h, i));
                let shown = |f| formulas.display(f, &alphabet);
                assert!(kept, "{} => {} on {word:?}", shown(g), shown(h));
            }
        }
    }
    assert!(found > 5_000, "{found} implications");
}

#[test]
fn breakpoint_automata_of_nested_operators_agree_with_lasso_semantics() {
    check_breakpoint_automata(13, 6, 30, random_nested);
}

#[test]
fn nested_eventualities_have_a_state_for_each() {
    let mut alphabet = Alphabet::new();
    let mut formulas = Formulas::new();
    let mut f = formulas.top();
    for i in 0..12 {
        let atom = alphabet.add_input(format!("a{i}"));
        let atom = formulas.atom(atom);
        f = formulas.and([atom, f]);
        f = formulas.finally(f);
    }
    let automaton = ltl_to_deterministic(&mut formulas, &alphabet, f, 20, &Budget::unlimited());
    assert_eq!(automaton.unwrap().states.len(), 13);
}

#[test]
fn of_states_with_the_same_language_one_is_enough() {
    let alphabet = small_alphabet(false);
    let mut formulas = Formulas::new();
    let [a, b] = [0, 1].map(|i| formulas.atom(AtomId::from_index(i)));
    let eventually = formulas.finally(b);
    let always = |formulas: &mut Formulas, f| {
        let f = formulas.globally(f);
        Normalizer::new().normalize(formulas, f, false)
    };
    let states = |formulas: &mut Formulas, f| {
        let automaton = ltl_to_deterministic(formulas, &alphabet, f, 100, &Budget::unlimited());
        automaton.unwrap().states.len()
    };
    // G (!a | F !a | F b) is GF (!a | b).
    let no = formulas.not(a);
    let soon = formulas.finally(no);
    let f = formulas.or([no, soon, eventually]);
    let f = always(&mut formulas, f);
    assert_eq!(states(&mut formulas, f), 1);
    // For G (a -> F b) a second state stores that an obligation F b is open.
    let f = formulas.implies(a, eventually);
    let f = always(&mut formulas, f);
    assert_eq!(states(&mut formulas, f), 2);
}
