//! The conjuncts of a clause are equivalent to it, and its cases to its negation.

use super::setting::Setting;
use crate::trusted::cases::Cases;
use tsl_synth_core::logic::{Lasso, LassoSemantics, Letter};
use tsl_synth_core::model::Contract;

#[test]
fn conjuncts_and_cases_say_what_their_clause_says() {
    let (mut split, mut several, mut long) = (0, 0, 0);
    for seed in 0..400 {
        let mut setting = Setting::new(seed);
        let mut clauses = Vec::new();
        for _ in 0..4 {
            let depth = 1 + setting.below(3);
            clauses.push(setting.formula(depth));
        }
        let part = |i: usize| vec![clauses[i]];
        let contract =
            Contract { facts: part(0), restrictions: part(1), assumptions: part(2), guarantees: part(3) };
        let cases = Cases::new(&setting.formulas, &contract);
        for &clause in &clauses {
            split += usize::from(cases.conjuncts(clause).len() > 1);
            several += usize::from(cases.negated(clause).len() > 1);
            long += usize::from(cases.negated(clause).iter().any(|case| case.len() > 1));
        }
        for _ in 0..30 {
            let letters = (0..=setting.below(4)).map(|_| {
                let bits = (0..setting.alphabet.bit_count()).map(tsl_synth_core::base::Id::from_index);
                let letter: Letter = bits.filter(|_| setting.random.flip()).collect();
                setting.alphabet.canonical(&letter)
            });
            let letters: Vec<Letter> = letters.collect();
            let start = setting.below(letters.len());
            let word = Lasso { prefix: letters[..start].to_vec(), cycle: letters[start..].to_vec() };
            let mut meaning = LassoSemantics::new(&cases.formulas, &setting.alphabet, &word);
            for &clause in &clauses {
                let holds = meaning.holds(clause);
                let mut all = |literals: &[_]| literals.iter().all(|&(f, value)| meaning.holds(f) == value);
                assert_eq!(all(cases.conjuncts(clause)), holds, "{seed}");
                let denied = cases.negated(clause).iter().any(|case| all(case));
                assert_eq!(denied, !holds, "{seed}");
            }
        }
    }
    assert!(split > 100 && several > 200 && long > 200, "{split}, {several}, {long}");
}

/// The cases of a formula without temporal operators are single literals, and the number of cases of a conjunct is
/// bounded.
#[test]
fn cases_are_few() {
    let mut setting = Setting::new(1);
    let mut parts = Vec::new();
    for _ in 0..20 {
        let [a, b] = [0; 2].map(|_| {
            let inner = setting.boolean();
            setting.formulas.finally(inner)
        });
        parts.push(setting.formulas.and([a, b]));
    }
    let clause = setting.formulas.or(parts);
    let boolean = setting.boolean();
    let contract = Contract { assumptions: vec![boolean], guarantees: vec![clause], ..Contract::default() };
    let cases = Cases::new(&setting.formulas, &contract);
    let number = cases.negated(clause).len();
    assert!((2..=crate::tuning::MAX_CASES).contains(&number), "{number}");
    assert_eq!(cases.negated(boolean).concat().len(), cases.negated(boolean).len());
}
