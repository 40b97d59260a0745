//! Questions about an explicit machine, answered by whichever of two methods needs less: its product with a tableau
//! made on the way, or diagrams. Neither is better always (a tableau has exponentially many states where a
//! formula looks far ahead; diagrams cost more where there is little to do), so they take turns, each with eight
//! times the counted work of the time before: at most about eight times what the better one needs.

use super::Certified;
use super::clauses::{Explicit, Literal, Search};
use super::symbolic::Symbolic;
use crate::base::{Budget, Limit, LimitKind};
use crate::logic::{Lasso, Player};
use crate::model::Circuit;
use std::cell::LazyCell;

/// Counted work of the first attempts: expansions of the tableau, operations on diagrams.
const EXPLICIT_WORK: u64 = 20_000;
const SYMBOLIC_WORK: u64 = 5_000;

/// Both methods for one machine.
pub(super) struct Mixed<'a, F> {
    explicit: Explicit<'a>,
    owner: Player,
    circuit: &'a LazyCell<Circuit, F>,
    symbolic: Option<Symbolic<'a>>,
    budget: &'a Budget,
}

impl<'a, F: FnOnce() -> Circuit> Mixed<'a, F> {
    /// `circuit` is the machine.
    pub(super) fn new(
        explicit: Explicit<'a>,
        owner: Player,
        circuit: &'a LazyCell<Circuit, F>,
        budget: &'a Budget,
    ) -> Self {
        Self { explicit, owner, circuit, symbolic: None, budget }
    }

    /// Asks with a share of the work that is left.
    fn share(&self, work: u64) -> Budget {
        self.budget.clone().with_work(work.min(self.budget.left()))
    }
}

impl<F: FnOnce() -> Circuit> Search for Mixed<'_, F> {
    fn find(&mut self, conjuncts: &[Literal], done: &mut Certified) -> Result<Option<Lasso>, Limit> {
        let mut round = 0;
        loop {
            let share = self.share(EXPLICIT_WORK << round);
            self.explicit.obey(&share);
            let result = self.explicit.find(conjuncts, done);
            self.budget.tick(share.work(), || "certificate: the product of machine and tableau".into())?;
            let explicit = match result {
                Err(limit) if is_of_size(&limit) => limit,
                result => return result,
            };
            let share = self.share(SYMBOLIC_WORK << round);
            let Explicit { formulas, alphabet, .. } = self.explicit;
            let symbolic = self
                .symbolic
                .get_or_insert_with(|| Symbolic::new(formulas, alphabet, self.circuit, self.owner, &share));
            symbolic.obey(&share);
            let result = symbolic.find(conjuncts, done);
            self.budget.tick(share.work(), || "certificate: model checking a machine on diagrams".into())?;
            match result {
                Err(limit) if limit.kind == LimitKind::Work => {}
                // Nothing is gained by a further attempt of either.
                Err(limit) if is_of_size(&limit) && explicit.kind != LimitKind::Work => return Err(explicit),
                Err(limit) if is_of_size(&limit) => {}
                result => return result,
            }
            round = (round + 3).min(40);
        }
    }
}

fn is_of_size(limit: &Limit) -> bool {
    matches!(limit.kind, LimitKind::Work | LimitKind::Memory | LimitKind::Size)
}
