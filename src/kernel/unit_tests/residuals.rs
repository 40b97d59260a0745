//! Some residual of a safety formula along a word is dead iff the word breaks the formula.

use super::setting::{Setting, unlimited};
use crate::trusted::normal::NormalForms;
use crate::trusted::residuals::{ResidualId, Residuals};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::Id as _;
use tsl_synth_core::logic::{BitId, FormulaId, Guards, Lasso, Letter};

/// A formula without strong fixpoints.
fn safety(setting: &mut Setting, depth: usize) -> FormulaId {
    if depth == 0 {
        return setting.boolean();
    }
    let [a, b] = [0; 2].map(|_| safety(setting, depth - 1));
    let shape = setting.below(9);
    let f = &mut setting.formulas;
    match shape {
        0 | 1 => f.and([a, b]),
        2..=4 => f.or([a, b]),
        5 => f.next(a),
        6 => f.globally(a),
        7 => f.weak_until(a, b),
        _ => f.release(a, b),
    }
}

#[test]
fn residuals_die_where_a_word_breaks_the_formula() {
    let (mut broken, mut kept, mut several) = (0, 0, 0);
    for seed in 0..300 {
        let mut setting = Setting::new(seed);
        let depth = 2 + setting.below(3);
        let f = safety(&mut setting, depth);
        let (mut guards, mut forms, mut residuals) =
            (Guards::new(), NormalForms::default(), Residuals::default());
        let budget = unlimited();
        let root = forms
            .add(&setting.formulas, &setting.alphabet, &mut guards, (f, true), &budget)
            .expect("no limit");
        let first = residuals.of(&forms, &mut guards, &[root]);
        let bits = setting.alphabet.bit_count();
        for _ in 0..12 {
            let letters: Vec<Letter> = (0..=setting.below(5))
                .map(|_| {
                    let letter: Letter =
                        (0..bits).map(BitId::from_index).filter(|_| setting.random.flip()).collect();
                    setting.alphabet.canonical(&letter)
                })
                .collect();
            let start = setting.below(letters.len());
            let word = Lasso { prefix: letters[..start].to_vec(), cycle: letters[start..].to_vec() };
            let (mut residual, mut position, mut seen) = (first, 0, FxHashSet::default());
            while residual != ResidualId::DEAD && seen.insert((residual, position)) {
                let letter = guards.valuation((0..bits).map(BitId::from_index), word.letter(position));
                // Among other letters, of which some are left out.
                let one = guards
                    .literal(BitId::from_index(0), word.letter(position).contains(BitId::from_index(0)));
                let asked = [letter, one][setting.below(2)];
                let steps =
                    residuals.after((residual, asked), &forms, &mut guards, &budget).expect("no limit");
                several += usize::from(steps.len() > 2);
                let mut of_letter =
                    steps.iter().filter(|(class, _)| guards.contains(*class, word.letter(position)));
                residual = of_letter.next().expect("every letter has a residual").1;
                assert!(of_letter.next().is_none(), "one residual");
                position = word.successor(position);
            }
            let is_broken = residual == ResidualId::DEAD;
            assert_eq!(setting.satisfies(&word, &[(f, true)]), !is_broken, "{seed}");
            *(if is_broken { &mut broken } else { &mut kept }) += 1;
        }
    }
    assert!(broken > 500 && kept > 500 && several > 500, "{broken} {kept} {several}");
}
