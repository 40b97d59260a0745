//! The interface of this module: the product of a question is built once and answers many questions.

use super::answer::{CauseAnswer, CauseEffort, answer};
use super::counterfactuals::{Counterfactuals, FlipOrder};
use super::determinate::Determinate;
use super::exact::{ExactCause, exact, smallest};
use super::inclusion::{KeptCells, Spoiled, inside, outside};
use super::question::CauseQuestion;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{FormulaId, Formulas, Guards, Lasso, Player};
use tsl_synth_core::model::{Buchi, Edge, Marks, NodeId};

/// A question and its automaton of counterfactuals, from which all answers are computed.
#[derive(Clone, Debug)]
pub struct CauseFinder<'a> {
    question: CauseQuestion<'a>,
    counterfactuals: Counterfactuals,
}

impl<'a> CauseFinder<'a> {
    /// Prepares a question. Linear in trace × system × automaton, times the number of labels with which inputs can
    /// differ.
    ///
    /// # Errors
    /// A limit, among them more than 64 inputs.
    pub fn new(question: CauseQuestion<'a>, order: FlipOrder, budget: &Budget) -> Result<Self, Limit> {
        let counterfactuals = Counterfactuals::new(&question, order, budget)?;
        Ok(Self { question, counterfactuals })
    }
    /// The question.
    pub fn question(&self) -> &CauseQuestion<'a> {
        &self.question
    }
    /// The readable answer, without the automaton of the cause. Far sequences range over those whose plays satisfy
    /// `within`.
    ///
    /// # Errors
    /// A limit of the budget.
    pub fn explain(
        &self,
        formulas: &mut Formulas,
        within: FormulaId,
        effort: &CauseEffort,
        budget: &Budget,
    ) -> Result<CauseAnswer, Limit> {
        answer(&self.question, &self.counterfactuals, formulas, within, effort, budget)
    }
    /// A sequence of `automaton`, which is about inputs only, outside the cause; `None` if all are inside.
    ///
    /// # Errors
    /// A limit of the budget.
    pub fn outside(&self, automaton: &Buchi, budget: &Budget) -> Result<Option<Spoiled>, Limit> {
        outside(&self.counterfactuals, automaton, &KeptCells::nothing(), budget)
    }
    /// A sequence of `automaton`, which is about inputs only, in the cause; `None` if there is none. Makes at
    /// most `most` states of the cause automaton.
    ///
    /// # Errors
    /// A limit.
    pub fn inside(&self, automaton: &Buchi, most: usize, budget: &Budget) -> Result<Option<Lasso>, Limit> {
        inside(&self.counterfactuals, &mut Determinate::new(&self.counterfactuals, most), automaton, budget)
    }
    /// The exact cause as an automaton, of at most `most` states before it is reduced.
    ///
    /// # Errors
    /// A limit.
    pub fn exact(&self, most: usize, budget: &Budget) -> Result<ExactCause, Limit> {
        exact(&self.counterfactuals, most, budget)
    }
    /// As [`CauseFinder::exact`], with a search for the smallest deterministic automaton that is limited by counted
    /// work.
    ///
    /// # Errors
    /// A limit.
    pub fn smallest(&self, most: usize, budget: &Budget) -> Result<ExactCause, Limit> {
        smallest(&self.counterfactuals, most, budget)
    }
    /// The automaton of one input sequence.
    pub fn only(&self, inputs: &Lasso) -> Buchi {
        let mut guards = Guards::new();
        let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
        for position in 0..inputs.len() {
            let bits = self.question.alphabet.bits_of(Player::Environment);
            let guard = guards.valuation(bits, inputs.letter(position));
            let next = NodeId::from_index(inputs.successor(position));
            edges.push(vec![Edge { next, marks: Marks::NONE, guard }]);
        }
        Buchi { guards, edges, initial: vec![NodeId::from_index(0)], sets: 0 }
    }
}
