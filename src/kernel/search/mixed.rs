//! Questions about an explicit machine, answered by whichever of three methods needs least work: its product with a
//! tableau built on the fly, its product with deterministic conditions (`kernel::condition_product`), or diagrams. None
//! is always best (a tableau has exponentially many states if a formula looks far ahead; diagrams cost more on easy
//! questions), so they take turns, each with eight times the counted work of its previous attempt. Of the first two the
//! one that answered last comes first.

use super::explicit::{Explicit, ProductKind};
use super::symbolic::Symbolic;
use crate::outcome::Certified;
use crate::trusted::Emptiness;
use crate::trusted::checker::PlaySearch;
use crate::trusted::normal::SignedFormula;
use std::cell::LazyCell;
use tsl_synth_core::base::{Budget, Limit, LimitKind};
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::Circuit;

/// A way to answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerMethod {
    Tableau,
    Conditions,
    Diagrams,
}

impl AnswerMethod {
    /// Counted work of the first attempt: expansions of the tableau, nodes of guards, operations on diagrams.
    fn first_work(self) -> u64 {
        match self {
            Self::Conditions => 80_000,
            Self::Tableau => 20_000,
            Self::Diagrams => 5_000,
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Tableau => "the product of machine and tableau",
            Self::Conditions => "the product of machine and conditions",
            Self::Diagrams => "model checking a machine on diagrams",
        }
    }
}

/// All methods for one machine, with a common budget.
pub(crate) struct Mixed<'a, F> {
    explicit: Explicit<'a>,
    owner: Player,
    circuit: &'a LazyCell<Circuit, F>,
    symbolic: Option<Symbolic<'a>>,
    /// In the order in which they are tried.
    methods: [AnswerMethod; 3],
    pool: Vec<SignedFormula>,
    budget: &'a Budget,
}

impl<'a, F: FnOnce() -> Circuit> Mixed<'a, F> {
    /// `circuit` is equivalent to the machine; it is built when diagrams are first tried.
    pub(crate) fn new(
        explicit: Explicit<'a>,
        owner: Player,
        circuit: &'a LazyCell<Circuit, F>,
        budget: &'a Budget,
    ) -> Self {
        let methods = [AnswerMethod::Conditions, AnswerMethod::Tableau, AnswerMethod::Diagrams];
        Self { explicit, owner, circuit, symbolic: None, methods, pool: Vec::new(), budget }
    }

    /// One attempt with a share of the work that is left.
    fn attempt(
        &mut self,
        method: AnswerMethod,
        round: u32,
        conjuncts: &[SignedFormula],
        done: &mut Certified,
    ) -> Result<Emptiness, Limit> {
        let share = self.budget.child((method.first_work() << round).min(self.budget.left()));
        let result = if method == AnswerMethod::Diagrams {
            let Explicit { formulas, alphabet, .. } = self.explicit;
            let symbolic = self
                .symbolic
                .get_or_insert_with(|| Symbolic::new(formulas, alphabet, self.circuit, self.owner, &share));
            symbolic.obey(&share);
            symbolic.may_assume(&self.pool);
            symbolic.find(conjuncts, done)
        } else {
            let way =
                if method == AnswerMethod::Tableau { ProductKind::Tableau } else { ProductKind::Conditions };
            self.explicit.obey(&share, way);
            self.explicit.find(conjuncts, done)
        };
        self.budget.tick(share.work(), || format!("certificate: {}", method.what()))?;
        result
    }
}

impl<F: FnOnce() -> Circuit> PlaySearch for Mixed<'_, F> {
    fn may_assume(&mut self, pool: &[SignedFormula]) {
        self.explicit.consider(pool);
        self.pool = pool.to_vec();
    }

    fn find(&mut self, conjuncts: &[SignedFormula], done: &mut Certified) -> Result<Emptiness, Limit> {
        let mut round = 0;
        loop {
            // Nothing is gained by further attempts unless one of them met the limit of its work.
            let (mut hopeless, mut last) = (true, None);
            for method in self.methods {
                match self.attempt(method, round, conjuncts, done) {
                    Err(limit) if limit.kind == LimitKind::Work => {
                        if self.budget.left() == 0 {
                            return Err(limit);
                        }
                        hopeless = false;
                        last = last.or(Some(limit));
                    }
                    Err(limit) if is_of_size(&limit) => last = last.or(Some(limit)),
                    result => {
                        // Diagrams stay last: the next question may be easy for the other methods.
                        if method == self.methods[1] {
                            self.methods.swap(0, 1);
                        }
                        return result;
                    }
                }
            }
            if let Some(limit) = last.filter(|_| hopeless) {
                return Err(limit);
            }
            round = (round + 3).min(40);
        }
    }
}

fn is_of_size(limit: &Limit) -> bool {
    matches!(limit.kind, LimitKind::Work | LimitKind::Memory | LimitKind::Size)
}
