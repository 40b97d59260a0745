//! Comparison of a hypothesis with the cause, by two inclusions.

use super::finder::CauseFinder;
use super::inclusion::Spoiled;
use super::question::project;
use tsl_synth_automata::ltl_to_buchi;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{FormulaId, Formulas, Lasso};
use tsl_synth_core::model::Buchi;

/// The comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HypothesisVerdict {
    /// The hypothesis is the cause.
    Cause,
    /// The cause is strictly inside the hypothesis.
    TooWeak,
    /// The hypothesis is strictly inside the cause.
    TooStrong,
    /// Neither is inside the other.
    Unrelated,
}

/// A hypothesis compared with the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HypothesisComparison {
    /// How they compare.
    pub verdict: HypothesisVerdict,
    /// A sequence on which the hypothesis holds, although a sequence that is not farther from the trace breaks the
    /// effect.
    pub not_sufficient: Option<Spoiled>,
    /// A sequence on which the hypothesis fails, although no sequence that is not farther from the trace breaks the
    /// effect.
    pub not_necessary: Option<Lasso>,
}

impl CauseFinder<'_> {
    /// Compares a formula over the inputs with the cause, among the input sequences whose plays satisfy
    /// `within`. Makes at most `most` states of any automaton.
    ///
    /// # Errors
    /// A limit.
    pub fn compare(
        &self,
        formulas: &mut Formulas,
        hypothesis: FormulaId,
        within: FormulaId,
        most: usize,
        budget: &Budget,
    ) -> Result<HypothesisComparison, Limit> {
        let not = formulas.not(hypothesis);
        let holds = formulas.and([hypothesis, within]);
        let fails = formulas.and([not, within]);
        let alphabet = self.question().alphabet;
        let holds = ltl_to_buchi(formulas, alphabet, holds, most, budget)?;
        let fails = ltl_to_buchi(formulas, alphabet, fails, most, budget)?;
        self.compare_automata(&holds, &fails, most, budget)
    }

    /// Compares a hypothesis with the cause: an automaton of the plays where it holds, and one of those where it
    /// does not.
    ///
    /// # Errors
    /// A limit.
    pub fn compare_automata(
        &self,
        holds: &Buchi,
        fails: &Buchi,
        most: usize,
        budget: &Budget,
    ) -> Result<HypothesisComparison, Limit> {
        let (alphabet, system) = (self.question().alphabet, self.question().system);
        let holds = project(alphabet, system, holds, budget)?;
        let fails = project(alphabet, system, fails, budget)?;
        let not_sufficient = self.outside(&holds, budget)?;
        let not_necessary = self.inside(&fails, most, budget)?;
        let verdict = match (&not_sufficient, &not_necessary) {
            (None, None) => HypothesisVerdict::Cause,
            (Some(_), None) => HypothesisVerdict::TooWeak,
            (None, Some(_)) => HypothesisVerdict::TooStrong,
            (Some(_), Some(_)) => HypothesisVerdict::Unrelated,
        };
        Ok(HypothesisComparison { verdict, not_sufficient, not_necessary })
    }
}
