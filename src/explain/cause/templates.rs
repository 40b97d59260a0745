//! Formulas of a few well-known forms, and conjunctions and disjunctions of two of them, for causes whose automaton
//! returns to states that it has left.
//!
//! Counterexample-guided: a formula is evaluated on sample words, at first the trace and the nearest counterfactual. A
//! formula that agrees with the cause on all of them is compared with it by both inclusions, and is either equivalent
//! or yields a word on which they differ, which becomes a sample.

use super::counterfactuals::Counterfactuals;
use super::determinate::Determinate;
use super::inclusion::{KeptCells, inside, outside};
use super::question::input_atom;
use crate::tuning::{COMBINED_INPUTS, COMPARED_FORMULAS, TEMPLATE_INPUTS};
use tsl_synth_automata::ltl_to_buchi;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{Alphabet, BitId, FormulaId, Formulas, Lasso, LassoSemantics};

/// A formula over these inputs that is equivalent to the cause; `broken` is a sequence outside it.
pub(super) fn templates(
    counterfactuals: &Counterfactuals,
    inputs: &[BitId],
    broken: &Lasso,
    alphabet: &Alphabet,
    formulas: &mut Formulas,
    most: usize,
    budget: &Budget,
) -> Option<FormulaId> {
    if inputs.len() > TEMPLATE_INPUTS {
        return None;
    }
    let forms = forms(formulas, alphabet, inputs);
    let mut search = TemplateSearch {
        counterfactuals,
        alphabet,
        formulas,
        most,
        budget,
        forms,
        values: Vec::new(),
        compared: 0,
    };
    search.learn(&counterfactuals.actual, true);
    search.learn(broken, false);
    search.find(inputs.len() <= COMBINED_INPUTS).ok().flatten()
}

/// How forms are combined.
#[derive(Clone, Copy)]
enum Combined {
    One(usize),
    Both(usize, usize),
    Either(usize, usize),
}

struct TemplateSearch<'a> {
    counterfactuals: &'a Counterfactuals,
    alphabet: &'a Alphabet,
    formulas: &'a mut Formulas,
    most: usize,
    budget: &'a Budget,
    forms: Vec<FormulaId>,
    /// For every sample word whether it is in the cause, and which of the forms hold on it.
    values: Vec<(bool, Vec<bool>)>,
    compared: usize,
}

impl TemplateSearch<'_> {
    fn find(&mut self, combined: bool) -> Result<Option<FormulaId>, Limit> {
        let n = self.forms.len();
        let pairs = || (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)));
        let ones = (0..n).map(Combined::One);
        let both = pairs().map(|(i, j)| Combined::Both(i, j));
        let either = pairs().map(|(i, j)| Combined::Either(i, j));
        for candidate in ones.chain(both.chain(either).filter(|_| combined)) {
            if self.agrees(candidate) && self.compared < COMPARED_FORMULAS {
                let f = self.formula(candidate);
                if self.is_cause(f)? {
                    return Ok(Some(f));
                }
            }
        }
        Ok(None)
    }

    fn agrees(&self, candidate: Combined) -> bool {
        self.values.iter().all(|(inside, holds)| {
            *inside
                == match candidate {
                    Combined::One(i) => holds[i],
                    Combined::Both(i, j) => holds[i] && holds[j],
                    Combined::Either(i, j) => holds[i] || holds[j],
                }
        })
    }

    fn formula(&mut self, candidate: Combined) -> FormulaId {
        match candidate {
            Combined::One(i) => self.forms[i],
            Combined::Both(i, j) => self.formulas.and([self.forms[i], self.forms[j]]),
            Combined::Either(i, j) => self.formulas.or([self.forms[i], self.forms[j]]),
        }
    }

    fn learn(&mut self, word: &Lasso, inside: bool) {
        let mut meaning = LassoSemantics::new(self.formulas, self.alphabet, word);
        let holds = self.forms.iter().map(|&f| meaning.holds(f)).collect();
        self.values.push((inside, holds));
    }

    /// Whether a formula is equivalent to the cause; if not, a word on which they differ becomes a sample.
    fn is_cause(&mut self, f: FormulaId) -> Result<bool, Limit> {
        self.compared += 1;
        let not = self.formulas.not(f);
        let holds = ltl_to_buchi(self.formulas, self.alphabet, f, self.most, self.budget)?;
        if let Some(spoiled) = outside(self.counterfactuals, &holds, &KeptCells::nothing(), self.budget)? {
            self.learn(&spoiled.far, false);
            return Ok(false);
        }
        let fails = ltl_to_buchi(self.formulas, self.alphabet, not, self.most, self.budget)?;
        let mut cause = Determinate::new(self.counterfactuals, self.most);
        if let Some(word) = inside(self.counterfactuals, &mut cause, &fails, self.budget)? {
            self.learn(&word, true);
            return Ok(false);
        }
        Ok(true)
    }
}

/// `F a`, `G a`, `G F a`, `F G a`, and for two literals `G (a | X b)`, `G (a | F b)`, `F (a & X b)`, `G F (a & X b)`,
/// `F G (a | X b)`.
fn forms(formulas: &mut Formulas, alphabet: &Alphabet, inputs: &[BitId]) -> Vec<FormulaId> {
    let mut literals = Vec::new();
    for &input in inputs {
        let atom = formulas.atom(input_atom(alphabet, input));
        literals.extend([atom, formulas.not(atom)]);
    }
    let mut all = Vec::new();
    for &a in &literals {
        let (once, always) = (formulas.finally(a), formulas.globally(a));
        all.extend([once, always, formulas.globally(once), formulas.finally(always)]);
    }
    for &a in &literals {
        for &b in &literals {
            let (next, later) = (formulas.next(b), formulas.finally(b));
            let (or_next, or_later) = (formulas.or([a, next]), formulas.or([a, later]));
            let and_next = formulas.and([a, next]);
            let (always, once) = (formulas.globally(or_next), formulas.finally(and_next));
            all.extend([always, formulas.globally(or_later), once]);
            all.extend([formulas.globally(once), formulas.finally(always)]);
        }
    }
    all.sort_by_key(|&f| formulas.size(f));
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|&f| seen.insert(f));
    all
}
