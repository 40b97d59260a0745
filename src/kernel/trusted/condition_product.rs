//! The product of a machine's plays with the states of deterministic conditions (`residuals`, `windows`) and a tableau
//! for all other conjuncts, explored completely. A play satisfies the conjuncts iff some infinite path that reads it
//! satisfies the conditions. They form an Emerson-Lei condition; [`elimination`](super::elimination) checks that no
//! path satisfies it.
//!
//! Linear in the edges of the product, apart from the expansions.

use super::NoPlay;
use super::conditions::{ConditionContext, Conditions};
use super::elimination::{Elimination, FairnessCondition, ProductGraph, VertexEdge, VertexId};
use super::normal::{NormalForms, NormalId, SignedFormula};
use super::plays::{MemoryCharge, Plays};
use super::residuals::{ResidualId, Residuals, without_letters};
use super::tableau::{LetterChoice, Obligations, expand};
use super::windows::{Windows, is_window};
use crate::tuning::GUARD_NODES_PER_WORK;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, Formulas, Guard, Guards};
use tsl_synth_core::model::StateId;

/// The explored product.
pub(crate) struct ConditionProduct {
    asked: Vec<SignedFormula>,
    graph: ProductGraph,
    condition: FairnessCondition,
}

impl ConditionProduct {
    /// Explores the product of plays with some formulas and negated formulas.
    pub(crate) fn new(
        plays: &mut Plays,
        (formulas, alphabet): (&Formulas, &Alphabet),
        conjuncts: Vec<SignedFormula>,
        budget: &Budget,
    ) -> Result<Self, Limit> {
        let (mut forms, mut residuals) = (NormalForms::default(), Residuals::default());
        let guards = &mut plays.guards;
        let mut c = ConditionContext {
            formulas,
            alphabet,
            guards,
            forms: &mut forms,
            residuals: &mut residuals,
            budget,
        };
        let (relations, rest): (Vec<SignedFormula>, Vec<SignedFormula>) =
            conjuncts.iter().copied().partition(|&literal| is_window(formulas, literal));
        let mut conditions = Conditions::default();
        let others = conditions.take(rest.into_iter(), &mut c)?;
        let mut relations = relations.into_iter().map(|f| c.normal(f)).collect::<Result<Vec<_>, _>>()?;
        let mut others = others.into_iter().map(|f| c.normal(f)).collect::<Result<Vec<_>, _>>()?;
        let windows =
            Windows::among(&mut relations, &forms, &mut plays.guards, alphabet.bit_count(), budget)?;
        // Conjuncts whose normal form is no window.
        others.extend(relations);
        let asked = Constraints { windows: &windows, conditions: &conditions, others: &others };
        let (memory, forms, residuals) = (MemoryCharge::new(budget), &forms, &mut residuals);
        let (pairs, index) = (IdVec::new(), FxHashMap::default());
        let product = ProductBuilder { plays, forms, residuals, asked: &asked, pairs, index, memory, budget };
        let (graph, kept) = product.explore()?;
        let condition = FairnessCondition { clauses: conditions.clauses, goals: forms.goal_count(), kept };
        Ok(Self { asked: conjuncts, graph, condition })
    }

    /// The reachable part.
    pub(crate) fn graph(&self) -> &ProductGraph {
        &self.graph
    }

    /// The acceptance condition on paths.
    pub(crate) fn condition(&self) -> &FairnessCondition {
        &self.condition
    }

    /// The proof that there is no play, if this elimination is valid.
    pub(crate) fn no_play(
        &self,
        shown: &Elimination,
        guards: &mut Guards,
        budget: &Budget,
    ) -> Result<Option<NoPlay>, Limit> {
        let holds = shown.holds(&self.graph, &self.condition, guards, budget)?;
        Ok(holds.then(|| NoPlay::shown(self.asked.clone())))
    }
}

/// The constraints on a play.
struct Constraints<'q> {
    windows: &'q Windows,
    conditions: &'q Conditions,
    /// The conjuncts that are left to the tableau.
    others: &'q [NormalId],
}

/// A state of the product.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ProductState {
    state: StateId,
    /// The letters that windows and obligations allow next.
    letters: Guard,
    obligations: Obligations,
    /// The residual of each safety formula of the conditions.
    residuals: Vec<ResidualId>,
}

/// Letters of an edge that lead to the same residuals and to the same letters allowed next by the windows.
struct LetterStep {
    letters: Guard,
    next: Guard,
    residuals: Vec<ResidualId>,
}

/// Explores the product.
struct ProductBuilder<'a> {
    plays: &'a mut Plays,
    forms: &'a NormalForms,
    residuals: &'a mut Residuals,
    asked: &'a Constraints<'a>,
    pairs: IdVec<VertexId, ProductState>,
    index: FxHashMap<ProductState, VertexId>,
    memory: MemoryCharge<'a>,
    budget: &'a Budget,
}

impl ProductBuilder<'_> {
    fn explore(mut self) -> Result<(ProductGraph, IdVec<VertexId, Vec<bool>>), Limit> {
        let mut letters = Guard::TRUE;
        let roots = self.asked.others.iter().copied();
        let obligations = without_letters(roots, self.forms, &mut self.plays.guards, &mut letters);
        let residuals = self.asked.conditions.safety.iter().map(|&(residual, _)| residual).collect();
        let initial =
            self.pair(ProductState { state: self.plays.initial, letters, obligations, residuals })?;
        let mut edges = IdVec::new();
        for next in 0.. {
            let Some(pair) = self.pairs.as_slice().get(next).cloned() else { break };
            let before = self.plays.guards.node_count();
            edges.push(self.edges(&pair)?);
            let made = self.plays.guards.node_count() - before;
            self.memory.charge(32 * made as u64)?;
            self.tick(made / GUARD_NODES_PER_WORK)?;
        }
        let kept = |pair: &ProductState| pair.residuals.iter().map(|&r| r != ResidualId::DEAD).collect();
        let mut kept_at = IdVec::new();
        for pair in &self.pairs {
            kept_at.push(kept(pair));
        }
        Ok((ProductGraph { edges, initial }, kept_at))
    }

    fn tick(&self, work: usize) -> Result<(), Limit> {
        self.budget.tick(work as u64, || "certificate: the product of machine and conditions".into())
    }

    fn pair(&mut self, pair: ProductState) -> Result<VertexId, Limit> {
        if let Some(&known) = self.index.get(&pair) {
            return Ok(known);
        }
        self.memory.charge(256 + 16 * pair.residuals.len() as u64 + self.forms.len() as u64 / 4)?;
        let id = self.pairs.push(pair.clone());
        self.index.insert(pair, id);
        Ok(id)
    }

    fn edges(&mut self, pair: &ProductState) -> Result<Vec<VertexEdge>, Limit> {
        let mut edges: Vec<VertexEdge> = Vec::new();
        // The last edge to each state of the product.
        let mut last: FxHashMap<VertexId, usize> = FxHashMap::default();
        for i in 0..self.plays.edges[pair.state].len() {
            let (letters, target) = self.plays.edges[pair.state][i];
            let letters = self.plays.guards.and(letters, pair.letters);
            if letters == Guard::FALSE {
                continue;
            }
            for LetterStep { letters, next: allowed, residuals } in self.classes(letters, &pair.residuals)? {
                let guards = &mut self.plays.guards;
                let obligations = &pair.obligations;
                let choice = LetterChoice::EachLetter;
                for branch in expand(self.forms, guards, obligations, letters, choice, self.budget)? {
                    let mut next = allowed;
                    let guards = &mut self.plays.guards;
                    let obligations = without_letters(branch.next.iter(), self.forms, guards, &mut next);
                    if next == Guard::FALSE {
                        continue;
                    }
                    let residuals = residuals.clone();
                    let next =
                        self.pair(ProductState { state: target, letters: next, obligations, residuals })?;
                    let same = last.get(&next).filter(|&&e| edges[e].postponed == branch.postponed);
                    if let Some(&edge) = same {
                        let guards = &mut self.plays.guards;
                        edges[edge].letters = guards.or(edges[edge].letters, branch.letters);
                        continue;
                    }
                    self.memory.charge(64)?;
                    last.insert(next, edges.len());
                    edges.push(VertexEdge { letters: branch.letters, postponed: branch.postponed, next });
                }
            }
        }
        Ok(edges)
    }

    /// Splits letters of an edge by their successors apart from the obligations; letters that break a required safety
    /// formula are dropped.
    fn classes(&mut self, letters: Guard, residuals: &[ResidualId]) -> Result<Vec<LetterStep>, Limit> {
        let Constraints { windows, conditions, .. } = *self.asked;
        let Self { plays: Plays { guards, .. }, forms, budget, .. } = self;
        let guards: &mut Guards = guards;
        let mut classes = vec![LetterStep { letters, next: Guard::TRUE, residuals: Vec::new() }];
        // Residuals come first, as they may rule out letters.
        let always = |i: usize| conditions.safety[i].1;
        for (number, &residual) in residuals.iter().enumerate() {
            let mut finer = Vec::with_capacity(classes.len());
            for class in classes {
                budget.tick(1, || "certificate: the residuals of a formula".into())?;
                for (letters, left) in
                    self.residuals.after((residual, class.letters), forms, guards, budget)?
                {
                    if left != ResidualId::DEAD || !always(number) {
                        let residuals = [&class.residuals[..], &[left]].concat();
                        finer.push(LetterStep { letters, next: class.next, residuals });
                    }
                }
            }
            classes = finer;
        }
        if windows.is_empty() {
            return Ok(classes);
        }
        let mut finer = Vec::with_capacity(classes.len());
        for class in classes {
            for (letters, next) in windows.followers(class.letters, guards, budget)? {
                finer.push(LetterStep { letters, next, residuals: class.residuals.clone() });
            }
        }
        Ok(finer)
    }
}
