//! What remains to be kept of a formula along a play in numbers, by progression (see [`Formulas::progress`]).

use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::{FormulaId, Formulas, Node, Sum};
use tsl_synth_core::model::{ProgramAtom, ProgramFormula};

/// For each block of a formula what remains of its assumptions and of its guarantees.
pub(crate) type Rest = Vec<(Vec<FormulaId>, Vec<FormulaId>)>;

/// Follows the blocks of a formula.
pub(crate) struct Kept<'f> {
    formula: &'f ProgramFormula,
    formulas: Formulas,
}

/// A step: the values of cells and inputs, the next values of the cells, and the actions of the system.
#[derive(Clone, Copy)]
pub(crate) struct KeptStep<'v> {
    pub present: &'v [Rational],
    pub next: &'v [Rational],
    pub actions: u64,
}

impl<'f> Kept<'f> {
    pub(crate) fn new(formula: &'f ProgramFormula) -> Self {
        Self { formula, formulas: formula.formulas.clone() }
    }

    /// What has to be kept from the first step on.
    pub(crate) fn start(&self) -> Rest {
        let blocks = self.formula.blocks.iter();
        blocks.map(|block| (block.assumptions.clone(), block.guarantees.clone())).collect()
    }

    /// Whether the system has broken a block for ever, and the environment no assumption of it.
    pub(crate) fn is_lost(&self, rest: &Rest) -> bool {
        let is_false = |all: &[FormulaId]| all.iter().any(|&f| *self.formulas.node(f) == Node::False);
        rest.iter().any(|(assumed, guaranteed)| is_false(guaranteed) && !is_false(assumed))
    }

    /// Whether the environment has broken an assumption for ever.
    pub(crate) fn is_won(&self, rest: &Rest) -> bool {
        let is_false = |f: &FormulaId| *self.formulas.node(*f) == Node::False;
        rest.iter().any(|(assumed, _)| assumed.iter().any(is_false))
    }

    /// What remains after a step; `None` if a condition has no value there.
    pub(crate) fn after(&mut self, rest: &Rest, step: KeptStep<'_>) -> Option<Rest> {
        let roots: Vec<FormulaId> =
            rest.iter().flat_map(|(assumed, guaranteed)| assumed.iter().chain(guaranteed)).copied().collect();
        let meanings = &self.formula.meanings;
        let mut remains = self.formulas.progress(&roots, |atom| holds(&meanings[atom], step))?.into_iter();
        let mut part = |all: &[FormulaId]| remains.by_ref().take(all.len()).collect();
        Some(rest.iter().map(|(assumed, guaranteed)| (part(assumed), part(guaranteed))).collect())
    }
}

/// Whether an atom holds in a step.
fn holds(meaning: &ProgramAtom, step: KeptStep<'_>) -> Option<bool> {
    match meaning {
        ProgramAtom::Action(action) => Some(step.actions >> action & 1 == 1),
        ProgramAtom::Condition(condition) => {
            let value = |variable: u32| {
                let at = variable as usize;
                let next = || step.next.get(at.checked_sub(step.present.len())?);
                step.present.get(at).or_else(next).map(|&value| Sum::constant(value))
            };
            condition.substituted(value)?.known()
        }
    }
}
