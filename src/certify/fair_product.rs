//! The product of a machine's plays with what deterministic conditions remember (`residuals`, `windows`) and a tableau for all
//! other conjuncts, explored whole, and its emptiness for an Emerson-Lei condition (`fair_component`).
//!
//! Linear in the edges of the product, apart from the expansions and the search.

use super::conditions::Conditions;
use super::fair_component::{Edge, Graph, PairId};
use super::normal::{NormalForms, NormalId};
use super::plays::{Plays, Rent};
use super::residuals::{ResidualId, Residuals, without_letters};
use super::tableau::{Choice, Obligations, expand};
use super::tuning::GUARD_NODES_PER_WORK;
use super::windows::Windows;
use crate::base::{Budget, IdVec, Limit};
use crate::logic::{Guard, Guards};
use crate::model::StateId;
use rustc_hash::FxHashMap;

/// What is asked of a play.
pub(super) struct Asked<'q> {
    pub(super) windows: &'q Windows,
    pub(super) conditions: &'q Conditions,
    /// What the tableau is for.
    pub(super) others: &'q [NormalId],
}

/// A state of the product.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pair {
    state: StateId,
    /// What the windows and the obligations leave of the next letter.
    letters: Guard,
    obligations: Obligations,
    /// What is left of each safety formula of the conditions.
    residuals: Vec<ResidualId>,
}

/// Where an edge leads, apart from the obligations: letters with the same windows and residuals after them.
struct Class {
    letters: Guard,
    next: Guard,
    residuals: Vec<ResidualId>,
}

/// The product in the making.
pub(super) struct Product<'a> {
    plays: &'a mut Plays,
    forms: &'a NormalForms,
    residuals: &'a mut Residuals,
    asked: &'a Asked<'a>,
    pairs: IdVec<PairId, Pair>,
    index: FxHashMap<Pair, PairId>,
    rent: Rent<'a>,
    budget: &'a Budget,
}

/// The reachable part of the product, and for each pair which safety formulas are not broken there.
pub(super) fn explore(
    plays: &mut Plays,
    forms: &NormalForms,
    residuals: &mut Residuals,
    asked: &Asked<'_>,
    budget: &Budget,
) -> Result<(Graph, IdVec<PairId, Vec<bool>>), Limit> {
    let rent = Rent::new(budget);
    let (pairs, index) = (IdVec::new(), FxHashMap::default());
    let product = Product { plays, forms, residuals, asked, pairs, index, rent, budget };
    product.explore()
}

impl Product<'_> {
    fn explore(mut self) -> Result<(Graph, IdVec<PairId, Vec<bool>>), Limit> {
        let mut letters = Guard::TRUE;
        let roots = self.asked.others.iter().copied();
        let obligations = without_letters(roots, self.forms, &mut self.plays.guards, &mut letters);
        let residuals = self.asked.conditions.safety.iter().map(|&(residual, _)| residual).collect();
        let initial = self.pair(Pair { state: self.plays.initial, letters, obligations, residuals })?;
        let mut edges = IdVec::new();
        for next in 0.. {
            let Some(pair) = self.pairs.as_slice().get(next).cloned() else { break };
            let before = self.plays.guards.node_count();
            edges.push(self.edges(&pair)?);
            let made = self.plays.guards.node_count() - before;
            self.rent.charge(32 * made as u64)?;
            self.tick(made / GUARD_NODES_PER_WORK)?;
        }
        let kept = |pair: &Pair| pair.residuals.iter().map(|&r| r != ResidualId::DEAD).collect();
        let mut kept_at = IdVec::new();
        for pair in &self.pairs {
            kept_at.push(kept(pair));
        }
        Ok((Graph { edges, initial }, kept_at))
    }

    fn tick(&self, work: usize) -> Result<(), Limit> {
        self.budget.tick(work as u64, || "certificate: the product of machine and tableau".into())
    }

    fn pair(&mut self, pair: Pair) -> Result<PairId, Limit> {
        if let Some(&known) = self.index.get(&pair) {
            return Ok(known);
        }
        self.rent.charge(256 + 16 * pair.residuals.len() as u64 + self.forms.len() as u64 / 4)?;
        let id = self.pairs.push(pair.clone());
        self.index.insert(pair, id);
        Ok(id)
    }

    fn edges(&mut self, pair: &Pair) -> Result<Vec<Edge>, Limit> {
        let mut edges: Vec<Edge> = Vec::new();
        // The last edge to each pair.
        let mut last: FxHashMap<PairId, usize> = FxHashMap::default();
        for i in 0..self.plays.edges[pair.state].len() {
            let (letters, target) = self.plays.edges[pair.state][i];
            let letters = self.plays.guards.and(letters, pair.letters);
            if letters == Guard::FALSE {
                continue;
            }
            for Class { letters, next: allowed, residuals } in self.classes(letters, &pair.residuals)? {
                let guards = &mut self.plays.guards;
                let obligations = &pair.obligations;
                let choice = Choice::EachLetter;
                for branch in expand(self.forms, guards, obligations, letters, choice, self.budget)? {
                    let mut next = allowed;
                    let guards = &mut self.plays.guards;
                    let obligations = without_letters(branch.next.iter(), self.forms, guards, &mut next);
                    if next == Guard::FALSE {
                        continue;
                    }
                    let residuals = residuals.clone();
                    let next = self.pair(Pair { state: target, letters: next, obligations, residuals })?;
                    let same = last.get(&next).filter(|&&e| edges[e].postponed == branch.postponed);
                    if let Some(&edge) = same {
                        let guards = &mut self.plays.guards;
                        edges[edge].letters = guards.or(edges[edge].letters, branch.letters);
                        continue;
                    }
                    self.rent.charge(64)?;
                    last.insert(next, edges.len());
                    edges.push(Edge { letters: branch.letters, postponed: branch.postponed, next });
                }
            }
        }
        Ok(edges)
    }

    /// The letters of an edge by what they leave, without those that no play may read.
    fn classes(&mut self, letters: Guard, residuals: &[ResidualId]) -> Result<Vec<Class>, Limit> {
        let Asked { windows, conditions, .. } = *self.asked;
        let Self { plays: Plays { guards, .. }, forms, budget, .. } = self;
        let guards: &mut Guards = guards;
        let mut classes = vec![Class { letters, next: Guard::TRUE, residuals: Vec::new() }];
        // What narrows the letters comes first.
        let always = |i: usize| conditions.safety[i].1;
        for (number, &residual) in residuals.iter().enumerate() {
            let mut finer = Vec::with_capacity(classes.len());
            for class in classes {
                budget.tick(1, || "certificate: what is left of a formula".into())?;
                for (letters, left) in
                    self.residuals.after((residual, class.letters), forms, guards, budget)?
                {
                    if left != ResidualId::DEAD || !always(number) {
                        let residuals = [&class.residuals[..], &[left]].concat();
                        finer.push(Class { letters, next: class.next, residuals });
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
                finer.push(Class { letters, next, residuals: class.residuals.clone() });
            }
        }
        Ok(finer)
    }
}
