//! Derived operators against their definitions, on random lasso words.

use super::support::problem;
use tsl_synth_core::logic::{Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::Role;
use tsl_synth_engine::mealy::Registers;
use tsl_synth_lang::spec::Problem;
use tsl_synth_testkit::Rng;

/// A random word over the inputs of a problem, without updates.
fn word(problem: &Problem, rng: &mut Rng) -> Lasso {
    let mut letter = || {
        let mut letter = Letter::new();
        for atom in problem.alphabet.inputs() {
            if rng.flip() {
                problem.alphabet.choose(atom, &mut letter);
            }
        }
        letter
    };
    let prefix = (0..3).map(|_| letter()).collect();
    let cycle = (0..2).map(|_| letter()).collect();
    Lasso { prefix, cycle }
}

#[test]
fn derived_operators_mean_their_definitions() {
    let pairs = [
        ("a A b", "(!b) W (a && b)"),
        ("X[3] a", "X X X a"),
        ("X[0] a", "a"),
        ("F[1:3] a", "X a || X X a || X X X a"),
        ("G[0:2] a", "a && X a && X X a"),
        ("F[2:1] a", "false"),
        ("G[2:1] a", "true"),
        ("a U (b M c)", "a U (c U (b && c))"),
        ("a W b", "(a U b) || G a"),
        ("a R b", "b W (a && b)"),
        ("||[1 <= i < 4] X[i] a", "F[1:3] a"),
        (
            "&&[0 <= i <= 2, j IN {0, 2}] (F[i:j] a -> c)",
            "((F[0:0] a) -> c) && ((F[0:2] a) -> c) && ((F[1:2] a) -> c) && ((F[2:2] a) -> c)",
        ),
        ("&&[i IN {}] a", "true"),
    ];
    let mut rng = Rng(3);
    for (ours, definition) in pairs {
        let p = problem(&format!("guarantee {{ {ours}; {definition}; a || b || c || true; }}"));
        let (left, right) = (p.clauses.as_slice()[0].formula, p.clauses.as_slice()[1].formula);
        for _ in 0..100 {
            let word = word(&p, &mut rng);
            let mut meaning = LassoSemantics::new(&p.formulas, &p.alphabet, &word);
            assert_eq!(meaning.holds(left), meaning.holds(right), "{ours} against {definition} on {word:?}");
        }
    }
}

/// The value of a past formula at each position of a long prefix, by definition.
fn past(text: &str, a: &[bool], b: &[bool]) -> Vec<bool> {
    let since = |a: &[bool], b: &[bool]| {
        (0..a.len()).map(|i| (0..=i).any(|k| b[k] && (k + 1..=i).all(|j| a[j]))).collect::<Vec<bool>>()
    };
    let not = |v: &[bool]| v.iter().map(|x| !x).collect::<Vec<bool>>();
    let yes = vec![true; a.len()];
    let before = |v: &[bool]| (0..v.len()).map(|i| i > 0 && v[i - 1]).collect::<Vec<bool>>();
    match text {
        "Y a" => before(a),
        "Z a" => not(&before(&not(a))),
        "Z[2] a" => not(&before(&before(&not(a)))),
        "O a" => since(&yes, a),
        "H a" => not(&since(&yes, &not(a))),
        "a S b" => since(a, b),
        "a T b" => not(&since(&not(a), &not(b))),
        "Y[2] a" => before(&before(a)),
        "O[1:2] a" => {
            let (one, two) = (before(a), before(&before(a)));
            one.iter().zip(&two).map(|(x, y)| *x || *y).collect()
        }
        "H[0:2] a" => (0..a.len()).map(|i| (i.saturating_sub(2)..=i).all(|k| a[k])).collect(),
        "Y (a S (O b))" => before(&since(a, &since(&yes, b))),
        _ => unreachable!("{text} has no definition here"),
    }
}

#[test]
fn past_operators_mean_their_definitions() {
    let mut rng = Rng(5);
    for text in [
        "Y a",
        "Z a",
        "Z[2] a",
        "O a",
        "H a",
        "a S b",
        "a T b",
        "Y[2] a",
        "O[1:2] a",
        "H[0:2] a",
        "Y (a S (O b))",
    ] {
        let p = problem(&format!("always guarantee {{ {text} -> ok; a || b || !a || !b; }}"));
        let atom =
            |name: &str| p.alphabet.atoms().enumerate().find(|(_, a)| a.name == name).map(|(id, _)| id);
        let (a, b, ok) = (atom("a").expect("a"), atom("b").expect("b"), atom("ok").expect("ok"));
        for _ in 0..60 {
            let n = 7;
            let values: Vec<(bool, bool)> = (0..n).map(|_| (rng.flip(), rng.flip())).collect();
            // The last step repeats forever; past values are stable soon after.
            let at = |i: usize| values[i.min(n - 1)];
            let (va, vb): (Vec<bool>, Vec<bool>) = (0..n + 4).map(at).unzip();
            let expected = past(text, &va, &vb);
            let mut letters = Vec::new();
            for i in 0..n + 4 {
                let mut letter = Letter::new();
                for (atom, value) in [(a, va[i]), (b, vb[i]), (ok, expected[i])] {
                    if value {
                        p.alphabet.choose(atom, &mut letter);
                    }
                }
                letters.push(letter);
            }
            // Facts determine the values of the registers.
            let word = force(&p, &letters);
            let mut meaning = LassoSemantics::new(&p.formulas, &p.alphabet, &word);
            for clause in &p.clauses {
                assert!(meaning.holds(clause.formula), "{text}: {:?} on {word:?}", clause.role);
            }
            // Conversely, the guarantee is violated without `ok` at a position where the past formula holds.
            let guarantee = p.clauses.iter().find(|c| c.role == Role::Guarantee).expect("a guarantee");
            let mut wrong = word.clone();
            if let Some(i) = expected.iter().position(|v| *v) {
                let tsl_synth_core::logic::AtomKind::Input(bit) = p.alphabet.atoms()[ok].kind else {
                    unreachable!()
                };
                let cut = i.min(wrong.prefix.len() - 1);
                if cut == i {
                    wrong.prefix[i].remove(bit);
                    let mut meaning = LassoSemantics::new(&p.formulas, &p.alphabet, &wrong);
                    assert!(!meaning.holds(guarantee.formula), "{text} without ok at {i}");
                }
            }
        }
    }
}

/// Computes the registers along a word whose last letter repeats.
fn force(p: &Problem, letters: &[Letter]) -> Lasso {
    let mut done = Registers::of(p).recorded(letters);
    let last = done.pop().expect("letters");
    Lasso { prefix: done, cycle: vec![last] }
}
