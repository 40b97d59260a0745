//! The product of a machine's plays with the tableau of a conjunction, built on the fly, and the check that numbers of
//! its states show that no play satisfies the conjunction.
//!
//! A play satisfies the conjunction iff some infinite path of the product reads it and postpones no strong fixpoint
//! forever. Let every edge lead to a state with the same number or a smaller one, and let the edges between states of
//! one number have a strong fixpoint that all of them postpone. The numbers along an infinite path cannot fall forever:
//! from some step on they are equal, and the path postpones that fixpoint forever. So there is no such play. How the
//! product was searched does not matter: if no component is accepting, numbers of its components in reverse topological
//! order have this property.
//!
//! Cost of the check: linear in the edges of the part that was explored.

use super::NoPlay;
use super::normal::{GoalId, NormalForms, NormalId, SignedFormula};
use super::plays::{MemoryCharge, Plays};
use super::tableau::{LetterChoice, Obligations, expand};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdSet, IdVec, Limit};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{Alphabet, Formulas, Guard, Letter};
use tsl_synth_core::model::StateId;

define_id! {
    /// A state of the product.
    pub(crate) struct PairId;
}

#[derive(Debug)]
struct ProductPair {
    state: StateId,
    obligations: Obligations,
    /// None before [`TableauProduct::enter`].
    edges: Option<Vec<PairEdge>>,
}

/// An edge: the letters that lead from one state of the product to another.
#[derive(Clone, Debug)]
pub(crate) struct PairEdge {
    pub(crate) letters: Guard,
    /// The strong fixpoints that are postponed.
    pub(crate) postponed: IdSet<GoalId>,
    pub(crate) next: PairId,
}

/// The part of the product that was built.
pub(crate) struct TableauProduct<'a> {
    plays: &'a mut Plays,
    forms: &'a mut NormalForms,
    /// The conjuncts, if they were given as formulas.
    asked: Option<&'a [SignedFormula]>,
    initial: PairId,
    pairs: IdVec<PairId, ProductPair>,
    index: FxHashMap<(StateId, Obligations), PairId>,
    memory: MemoryCharge<'a>,
    budget: &'a Budget,
}

impl<'a> TableauProduct<'a> {
    /// The product with the tableau of some formulas and negated formulas. `forms` is a store for their normal forms.
    pub(crate) fn of_literals(
        plays: &'a mut Plays,
        forms: &'a mut NormalForms,
        (formulas, alphabet): (&Formulas, &Alphabet),
        conjuncts: &'a [SignedFormula],
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let mut roots = Vec::new();
        for &literal in conjuncts {
            roots.push(forms.add(formulas, alphabet, &mut plays.guards, literal, budget)?);
        }
        let mut product = Self::new(plays, forms, &roots, budget)?;
        product.asked = Some(conjuncts);
        Ok(product)
    }

    /// The product with the tableau of some normal forms.
    pub(crate) fn new(
        plays: &'a mut Plays,
        forms: &'a mut NormalForms,
        roots: &[NormalId],
        budget: &'a Budget,
    ) -> Result<Self, Limit> {
        let mut product = Self {
            plays,
            forms,
            asked: None,
            initial: PairId::from_index(0),
            pairs: IdVec::new(),
            index: FxHashMap::default(),
            memory: MemoryCharge::new(budget),
            budget,
        };
        product.initial = product.pair(product.plays.initial, roots.iter().copied().collect())?;
        Ok(product)
    }

    /// The state in which every path begins.
    pub(crate) fn initial(&self) -> PairId {
        self.initial
    }

    /// How many states were seen.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The strong fixpoints.
    pub(crate) fn goals(&self) -> IdSet<GoalId> {
        (0..self.forms.goal_count()).map(GoalId::from_index).collect()
    }

    /// The edges of a state; none before it is entered.
    pub(crate) fn edges(&self, pair: PairId) -> &[PairEdge] {
        self.pairs[pair].edges.as_deref().unwrap_or_default()
    }

    /// A letter of an edge.
    pub(crate) fn letter(&self, edge: &PairEdge) -> Letter {
        self.plays.guards.pick(edge.letters).expect("a branch has a letter")
    }

    fn pair(&mut self, state: StateId, obligations: Obligations) -> Result<PairId, Limit> {
        let key = (state, obligations);
        if let Some(&pair) = self.index.get(&key) {
            return Ok(pair);
        }
        // Two copies of the set and the tables around it.
        self.memory.charge(192 + self.forms.len() as u64 / 4)?;
        let pair = self.pairs.push(ProductPair { state, obligations: key.1.clone(), edges: None });
        self.index.insert(key, pair);
        Ok(pair)
    }

    /// Computes the edges of a state.
    pub(crate) fn enter(&mut self, pair: PairId) -> Result<(), Limit> {
        let ProductPair { state, ref obligations, .. } = self.pairs[pair];
        let obligations = obligations.clone();
        let mut edges: Vec<PairEdge> = Vec::new();
        for i in 0..self.plays.edges[state].len() {
            let (letters, target) = self.plays.edges[state][i];
            let nodes_before = self.plays.guards.node_count();
            let choice = LetterChoice::SomeLetter;
            for branch in
                expand(self.forms, &mut self.plays.guards, &obligations, letters, choice, self.budget)?
            {
                let next = self.pair(target, branch.next)?;
                if edges.iter().any(|e| e.next == next && e.postponed.is_subset(&branch.postponed)) {
                    continue;
                }
                self.memory.charge(64)?;
                edges.push(PairEdge { letters: branch.letters, postponed: branch.postponed, next });
            }
            self.memory.charge(32 * (self.plays.guards.node_count() - nodes_before) as u64)?;
        }
        self.pairs[pair].edges = Some(edges);
        Ok(())
    }

    /// Whether no infinite path satisfies the conjunction, by the numbers of the states (see the head of this file).
    pub(crate) fn is_empty_by(&self, number: &IdVec<PairId, usize>) -> bool {
        if number.len() != self.pairs.len() || self.pairs[self.initial].edges.is_none() {
            return false;
        }
        // For each number, the strong fixpoints that all edges between states of this number postpone.
        let mut always: FxHashMap<usize, IdSet<GoalId>> = FxHashMap::default();
        for (from, pair) in self.pairs.enumerate() {
            for edge in pair.edges.iter().flatten() {
                if self.pairs[edge.next].edges.is_none() || number[edge.next] > number[from] {
                    return false;
                }
                if number[edge.next] == number[from] {
                    let postponed = always.entry(number[from]).or_insert_with(|| edge.postponed.clone());
                    postponed.intersect_with(&edge.postponed);
                }
            }
        }
        always.values().all(|postponed| !postponed.is_empty())
    }

    /// The proof that there is no play, if these numbers show it and the conjuncts were given as formulas.
    pub(crate) fn no_play(&self, number: &IdVec<PairId, usize>) -> Option<NoPlay> {
        let asked = self.asked.filter(|_| self.is_empty_by(number))?;
        Some(NoPlay::shown(asked.to_vec()))
    }
}
