//! The kernel: the code that a verdict rests on. What is trusted, and why, is described at the head of
//! [`certify`](super).

pub(super) mod cases;
pub(super) mod checker;
pub(super) mod condition_product;
pub(super) mod conditions;
pub(super) mod elimination;
pub(super) mod normal;
pub(super) mod plays;
pub(super) mod product;
pub(super) mod residuals;
pub(super) mod symbolic;
pub(super) mod tableau;
pub(super) mod windows;

use normal::SignedFormula;
use tsl_synth_core::logic::Lasso;

/// The proof that no play of a strategy satisfies all of some conjuncts. Only the kernel creates values of this type,
/// after checking that this is so.
#[derive(Debug)]
pub(super) struct NoPlay {
    conjuncts: Vec<SignedFormula>,
}

impl NoPlay {
    /// The conjuncts.
    pub(super) fn conjuncts(&self) -> &[SignedFormula] {
        &self.conjuncts
    }

    /// To be called only where this was checked.
    fn shown(conjuncts: Vec<SignedFormula>) -> Self {
        Self { conjuncts }
    }
}

/// An answer to the question whether some play satisfies all of some conjuncts.
#[derive(Debug)]
pub(super) enum Emptiness {
    /// This play does, according to the search that found it.
    Play(Lasso),
    /// No play does.
    NoPlay(NoPlay),
}
