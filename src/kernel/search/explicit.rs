//! Emptiness questions about an explicit machine: on its product with a tableau, or with deterministic conditions and a
//! tableau for the rest.

use super::components::{Fairness, fair_play};
use super::couvreur::{ProductEmptiness, SearchExtent, search, shortened};
use crate::outcome::Certified;
use crate::trusted::checker::PlaySearch;
use crate::trusted::condition_product::ConditionProduct;
use crate::trusted::conditions::is_cheap;
use crate::trusted::normal::{NormalForms, SignedFormula};
use crate::trusted::plays::Plays;
use crate::trusted::product::TableauProduct;
use crate::trusted::windows::is_window;
use crate::trusted::{Emptiness, NoPlay};
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::logic::{Alphabet, Formulas};

/// How questions about an explicit machine are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProductKind {
    /// By its product with a tableau, built on the fly.
    Tableau,
    /// By its product with deterministic conditions and a tableau for the rest.
    Conditions,
}

/// Answers questions about an explicit machine.
pub(crate) struct Explicit<'a> {
    pub(super) formulas: &'a Formulas,
    pub(super) alphabet: &'a Alphabet,
    plays: Plays,
    budget: Budget,
    effort: SearchExtent,
    way: ProductKind,
    /// Further conjuncts that cost little as conditions.
    pool: Vec<SignedFormula>,
}

impl<'a> Explicit<'a> {
    /// Answers questions about these plays, by a tableau until [`Self::obey`] changes that.
    pub(crate) fn new(
        formulas: &'a Formulas,
        alphabet: &'a Alphabet,
        plays: Plays,
        effort: SearchExtent,
        budget: &Budget,
    ) -> Self {
        let budget = budget.clone();
        Self { formulas, alphabet, plays, budget, effort, way: ProductKind::Tableau, pool: Vec::new() }
    }
    /// Uses another budget and this kind of product from now on.
    pub(crate) fn obey(&mut self, budget: &Budget, way: ProductKind) {
        self.budget = budget.clone();
        self.way = way;
    }
    /// Remembers which conjuncts of a pool cost little.
    pub(crate) fn consider(&mut self, pool: &[SignedFormula]) {
        let formulas = self.formulas;
        let cheap = |&literal: &SignedFormula| is_window(formulas, literal) || is_cheap(formulas, literal);
        self.pool = pool.iter().copied().filter(cheap).collect();
    }

    fn by_tableau(&mut self, conjuncts: &[SignedFormula], done: &mut Certified) -> Result<Emptiness, Limit> {
        let (mut forms, context) = (NormalForms::default(), (self.formulas, self.alphabet));
        let mut product =
            TableauProduct::of_literals(&mut self.plays, &mut forms, context, conjuncts, &self.budget)?;
        let found = search(&mut product, self.effort)?;
        done.product_states += product.len() as u64;
        Ok(match found {
            ProductEmptiness::Play(play) => Emptiness::Play(play),
            ProductEmptiness::Nothing(shown) => shown_by_search(shown),
        })
    }

    fn by_conditions(
        &mut self,
        conjuncts: &[SignedFormula],
        done: &mut Certified,
    ) -> Result<Emptiness, Limit> {
        let (plays, budget, context) = (&mut self.plays, &self.budget, (self.formulas, self.alphabet));
        let all = [conjuncts, &self.pool].concat();
        let product = ConditionProduct::new(plays, context, all, budget)?;
        done.product_states += product.graph().edges.len() as u64;
        let guards = &mut plays.guards;
        Ok(match fair_play(product.graph(), guards, product.condition(), budget)? {
            Fairness::Play(play) => Emptiness::Play(shortened(play)),
            Fairness::Nothing(shown) => shown_by_search(product.no_play(&shown, guards, budget)?),
        })
    }
}

/// The evidence of a search; it would be a bug of the search if the kernel rejected it.
fn shown_by_search(shown: Option<NoPlay>) -> Emptiness {
    Emptiness::NoPlay(shown.expect("the components show that there is no play"))
}

impl PlaySearch for Explicit<'_> {
    fn find(&mut self, conjuncts: &[SignedFormula], done: &mut Certified) -> Result<Emptiness, Limit> {
        let found = match self.way {
            ProductKind::Tableau => self.by_tableau(conjuncts, done),
            ProductKind::Conditions => self.by_conditions(conjuncts, done),
        };
        done.searches += 1;
        found
    }
}
