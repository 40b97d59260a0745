//! Assumptions of a readable form.
//!
//! The forms are those of Li, Dworkin and Seshia 2011, "Mining assumptions for synthesis" (`G F p`, `G (p -> X q)`, `G
//! !p`), and of Alur, Moarref and Topcu 2013, "Counter-strategy guided refinement of GR(1) temporal logic
//! specifications" (initial values, `G F p`, `G p`, `G (p -> X q)`), with responses `G (p -> F q)` and exclusions `G
//! !(p && q)`. An assumption always requires a value that the environment decides; triggers may also be choices of the
//! system.

use crate::is_given;
use crate::tuning::{TEMPLATE_CHOICES, TEMPLATE_VALUES};
use tsl_synth_core::logic::{AtomId, FormulaId, Formulas, Player};
use tsl_synth_lang::spec::{AtomMeaning, Problem, Term, TermId};

/// The form of an assumption, those that require little first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Template {
    /// `p` or `!p` at step 0.
    Initial,
    /// `p || q` at step 0.
    InitialEither,
    /// `G !(p && q)` for two predicates of one term: they contradict each other.
    Consistent,
    /// `G F p`
    Recurs,
    /// `G (p -> F q)`
    Responds,
    /// `G !(p && q)`
    Excludes,
    /// `G (p -> X q)`
    Follows,
    /// `G (p -> q)` or `G (p || q)`
    Relates,
    /// `G p` or `G !p`
    Constant,
}

/// An assumption that might help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AssumptionCandidate {
    pub(super) template: Template,
    pub(super) formula: FormulaId,
}

/// The arguments of a predicate.
fn subject(problem: &Problem, atom: AtomId) -> Option<&[TermId]> {
    match problem.signature.atoms.get(atom) {
        Some(AtomMeaning::Predicate(term)) => match problem.signature.terms.get(*term) {
            Term::Apply(_, arguments) if !arguments.is_empty() => Some(arguments),
            _ => None,
        },
        _ => None,
    }
}

/// All assumptions of these forms over these atoms, each once, in the order of their templates.
pub(super) fn candidates(
    problem: &Problem,
    formulas: &mut Formulas,
    atoms: &[AtomId],
) -> Vec<AssumptionCandidate> {
    let given: Vec<AtomId> =
        atoms.iter().copied().filter(|&a| is_given(problem, a)).take(TEMPLATE_VALUES).collect();
    let chosen = atoms
        .iter()
        .copied()
        .filter(|&a| problem.alphabet.player(a) == Player::System && !problem.is_hidden(a));
    let positive: Vec<FormulaId> = given.iter().map(|&a| formulas.atom(a)).collect();
    // (atom, formula): every value, positive ones first.
    let mut values: Vec<(AtomId, FormulaId)> = given.iter().copied().zip(positive.iter().copied()).collect();
    for (&atom, &f) in given.iter().zip(&positive) {
        values.push((atom, formulas.not(f)));
    }
    let mut triggers: Vec<FormulaId> = chosen.take(TEMPLATE_CHOICES).map(|a| formulas.atom(a)).collect();
    triggers.extend(values.iter().map(|(_, f)| *f));

    let mut all: Vec<AssumptionCandidate> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut add = |template, formula| {
        if seen.insert(formula) {
            all.push(AssumptionCandidate { template, formula });
        }
    };
    for &(_, f) in &values {
        add(Template::Initial, f);
        let finally = formulas.finally(f);
        add(Template::Recurs, formulas.globally(finally));
        add(Template::Constant, formulas.globally(f));
    }
    for (i, &(p, f)) in values.iter().enumerate() {
        for &(q, g) in values[i + 1..].iter().filter(|(q, _)| *q != p) {
            add(Template::InitialEither, formulas.or([f, g]));
            // `G !(f && g)`; with negated values it reads `G (p -> q)` or `G (p || q)`.
            let both_hold = positive.contains(&f) && positive.contains(&g);
            let (template, never) = if both_hold {
                let both = formulas.and([f, g]);
                let same = subject(problem, p).is_some() && subject(problem, p) == subject(problem, q);
                (if same { Template::Consistent } else { Template::Excludes }, formulas.not(both))
            } else {
                let (not_f, not_g) = (formulas.not(f), formulas.not(g));
                (Template::Relates, formulas.or([not_f, not_g]))
            };
            add(template, formulas.globally(never));
        }
    }
    for &trigger in &triggers {
        for &(_, value) in &values {
            let next = formulas.next(value);
            let follows = formulas.implies(trigger, next);
            add(Template::Follows, formulas.globally(follows));
            // `G (p -> F p)` is valid, and `G (!p -> F p)` is equivalent to `G F p`.
            let opposite = formulas.not(value);
            if trigger != value && trigger != opposite {
                let finally = formulas.finally(value);
                let responds = formulas.implies(trigger, finally);
                add(Template::Responds, formulas.globally(responds));
            }
        }
    }
    all.sort_by_key(|c| c.template);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::source::SourceMap;
    use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, load_tsl};

    #[test]
    fn forms_over_two_predicates_of_one_term() {
        let mut map = SourceMap::new();
        let source = map.add("t.tsl", "always guarantee { p x -> [y <- f x]; q x -> ! [y <- f x]; }");
        let files = [MainFile { source, canonical: "t.tsl".into() }];
        let problem = load_tsl(&files, &LoadOptions::default(), &mut map, &NoImports).expect("well-formed").0;
        let mut formulas = problem.formulas.clone();
        let atoms: Vec<AtomId> = problem.alphabet.atoms().ids().collect();
        let all = candidates(&problem, &mut formulas, &atoms);
        let texts: Vec<String> =
            all.iter().map(|c| super::super::text::formula_text(&problem, &formulas, c.formula)).collect();
        for expected in
            ["p(x)", "!q(x)", "G !(p(x) && q(x))", "G F p(x)", "G (p(x) -> F q(x))", "G (p(x) -> X !p(x))"]
        {
            assert!(texts.iter().any(|t| t == expected), "{expected} in {texts:#?}");
        }
        let consistent = all.iter().find(|c| c.template == Template::Consistent).expect("one term");
        assert_eq!(
            super::super::text::formula_text(&problem, &formulas, consistent.formula),
            "G !(p(x) && q(x))"
        );
    }
}
