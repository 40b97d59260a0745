//! The normal form Δ₂ against the meaning of formulas on lasso words.

use tsl_synth_core::base::{Budget, LimitKind};
use tsl_synth_core::logic::{Class, FormulaId, Formulas, LassoSemantics, Node, Normalizer, delta2};
use tsl_synth_testkit::{Rng, random_formula, random_lasso, small_alphabet};

/// A Boolean combination of Π₂ and Σ₂ formulas.
fn is_delta2(formulas: &Formulas, f: FormulaId) -> bool {
    let mut stack = vec![f];
    while let Some(g) = stack.pop() {
        let class = formulas.class(g);
        if class.is(Class::RECURRENCE) || class.is(Class::PERSISTENCE) {
            continue;
        }
        match formulas.node(g) {
            Node::And(gs) | Node::Or(gs) => stack.extend(gs.iter().copied()),
            _ => return false,
        }
    }
    true
}

/// Counts the formulas that were not in Δ₂ before, and those that were too large.
fn check(seed: u64, formulas_to_try: usize, largest: usize) -> (usize, usize) {
    let mut rng = Rng(seed);
    let (mut rewritten, mut too_large) = (0, 0);
    for round in 0..formulas_to_try {
        let alphabet = small_alphabet(round % 2 == 0);
        let mut formulas = Formulas::new();
        let size = 2 + rng.below(largest - 1);
        let f = random_formula(&mut rng, &mut formulas, &alphabet, size);
        let text = formulas.display(f, &alphabet);
        let before = Normalizer::new().normalize(&mut formulas, f, false);
        let before = is_delta2(&formulas, before);
        let normal = match delta2(&mut formulas, f, &Budget::unlimited()) {
            Ok(normal) => normal,
            Err(limit) => {
                assert_eq!(limit.kind, LimitKind::Size, "{text}: {limit}");
                too_large += 1;
                continue;
            }
        };
        assert!(is_delta2(&formulas, normal), "{text} became {}", formulas.display(normal, &alphabet));
        rewritten += usize::from(!before);
        for _ in 0..20 {
            let word = random_lasso(&mut rng, &alphabet);
            let mut meaning = LassoSemantics::new(&formulas, &alphabet, &word);
            let truth = meaning.holds(f);
            assert_eq!(
                meaning.holds(normal),
                truth,
                "{text} became {} on {word:?}",
                formulas.display(normal, &alphabet)
            );
        }
    }
    (rewritten, too_large)
}

#[test]
fn normal_forms_keep_the_meaning() {
    let (rewritten, too_large) = check(3, 4_000, 20);
    assert!(rewritten > 200 && too_large == 0, "{rewritten} rewritten, {too_large} too large");
}

/// `campaigns normal-forms`
#[test]
#[ignore = "a minute"]
fn many_normal_forms_keep_the_meaning() {
    let (rewritten, too_large) = check(4, 40_000, 30);
    println!("{rewritten} rewritten, {too_large} too large");
    assert!(rewritten > 2_000 && too_large < 40);
}
