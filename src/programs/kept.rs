//! What remains to be kept of a formula along a play in numbers: progression.
//!
//! Bacchus and Kabanza (2000), "Using temporal logics to express search control knowledge for planning", section 3.1. A part
//! of which false remains is violated whatever follows; but it can be violated although something else remains.

use rustc_hash::{FxHashMap, FxHashSet};
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
        let mut images: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        let roots = rest.iter().flat_map(|(assumed, guaranteed)| assumed.iter().chain(guaranteed)).copied();
        for f in present(&self.formulas, roots) {
            let image = self.image(f, &images, step)?;
            images.insert(f, image);
        }
        let after =
            |all: &[FormulaId]| all.iter().map(|f| images.get(f).copied()).collect::<Option<Vec<_>>>();
        rest.iter().map(|(assumed, guaranteed)| Some((after(assumed)?, after(guaranteed)?))).collect()
    }

    fn image(
        &mut self,
        f: FormulaId,
        images: &FxHashMap<FormulaId, FormulaId>,
        step: KeptStep<'_>,
    ) -> Option<FormulaId> {
        let value = |g: &FormulaId| images.get(g).copied();
        let node = self.formulas.node(f).clone();
        if let Node::Atom(atom) = node {
            let holds = holds(&self.formula.meanings[atom], step)?;
            return Some(self.formulas.constant(holds));
        }
        let fs = &mut self.formulas;
        Some(match node {
            Node::True | Node::False | Node::Atom(_) => f,
            Node::Not(g) => fs.not(value(&g)?),
            Node::And(gs) => fs.and(gs.iter().map(value).collect::<Option<Vec<_>>>()?),
            Node::Or(gs) => fs.or(gs.iter().map(value).collect::<Option<Vec<_>>>()?),
            Node::Iff(a, b) => fs.iff(value(&a)?, value(&b)?),
            Node::Next(g) => g,
            Node::Finally(g) => fs.or([value(&g)?, f]),
            Node::Globally(g) => fs.and([value(&g)?, f]),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let stay = fs.and([value(&a)?, f]);
                fs.or([value(&b)?, stay])
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                let stay = fs.or([value(&a)?, f]);
                fs.and([value(&b)?, stay])
            }
        })
    }
}

/// The subformulas whose truth depends on the present step, operands first: all that are not below an `X`.
fn present(formulas: &Formulas, roots: impl Iterator<Item = FormulaId>) -> Vec<FormulaId> {
    let mut todo: Vec<FormulaId> = roots.collect();
    let mut seen: FxHashSet<FormulaId> = todo.iter().copied().collect();
    while let Some(f) = todo.pop() {
        if matches!(formulas.node(f), Node::Next(_)) {
            continue;
        }
        formulas.node(f).for_each_operand(|g| {
            if seen.insert(g) {
                todo.push(g);
            }
        });
    }
    let mut all: Vec<FormulaId> = seen.into_iter().collect();
    // Operands have smaller numbers.
    all.sort_unstable();
    all
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
