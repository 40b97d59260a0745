//! The kernel: what a verdict rests on. The trust page is the head of [`certify`](super).

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

use crate::logic::Lasso;
use normal::SignedFormula;

/// That no play of a strategy satisfies all of some conjuncts. Only the kernel makes one, where it has checked it.
#[derive(Debug)]
pub(super) struct NoPlay {
    conjuncts: Vec<SignedFormula>,
}

impl NoPlay {
    /// The conjuncts.
    pub(super) fn conjuncts(&self) -> &[SignedFormula] {
        &self.conjuncts
    }

    /// It was checked.
    fn shown(conjuncts: Vec<SignedFormula>) -> Self {
        Self { conjuncts }
    }
}

/// An answer to the question whether some play satisfies all of some conjuncts.
#[derive(Debug)]
pub(super) enum Emptiness {
    /// This one does, as whoever found it says.
    Play(Lasso),
    /// None does.
    NoPlay(NoPlay),
}
