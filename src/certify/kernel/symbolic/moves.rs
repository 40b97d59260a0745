//! The moves of a circuit beside a tableau, among which fair plays are looked for: a game without opponent.

use super::claims::Claims;
use super::diagrams::{Bdd, Diagrams};
use super::model::CircuitModel;
use super::preimage::Preimage;
use super::shape::LetterConditions;
use super::structure::Cone;
use super::successors::Successors;
use crate::base::{Limit, Variable};

/// What a play is made of.
pub(in crate::certify) struct PlayParts {
    /// The first move.
    pub(in crate::certify) opening: Bdd,
    /// All others.
    pub(in crate::certify) relation: Bdd,
    /// Those of the last part of the play, each condition met again and again.
    pub(in crate::certify) settled: Bdd,
    pub(in crate::certify) conditions: Vec<Bdd>,
}

/// A game without opponent: the moves of a model beside a tableau.
pub(in crate::certify) struct ModelMoves<'m, 'a> {
    pub(in crate::certify) model: &'m CircuitModel<'a>,
    /// The part of the model that the conjuncts are about.
    pub(in crate::certify) cone: &'m Cone,
    /// A superset of the reachable states of the cone.
    pub(in crate::certify) reached: &'m Bdd,
    pub(in crate::certify) claims: &'m Claims,
    /// What the other conjuncts ask.
    pub(in crate::certify) shape: &'m LetterConditions,
    /// The variables (claim, pending) of each claim, and of each monitor.
    pub(in crate::certify) pairs: &'m [(Variable, Variable)],
    /// How many of them are claims.
    pub(in crate::certify) claimed: usize,
    /// The steps of the cone and of the pending claims.
    pub(in crate::certify) steps: &'m Preimage,
    /// The letters that can be read.
    pub(in crate::certify) readable: &'m Bdd,
    /// The steps forward, if the states of fair cycles are looked for in that direction first.
    pub(in crate::certify) successors: Option<&'m Successors>,
}

impl ModelMoves<'_, '_> {
    pub(in crate::certify) fn d(&self) -> &Diagrams {
        &self.model.diagrams
    }

    /// What the parts of a play are made of.
    pub(in crate::certify) fn parts(&self) -> Result<PlayParts, Limit> {
        let (d, shape) = (self.d(), self.shape);
        let allowed = d.and(self.readable, &shape.always)?;
        let relation = d.and(&self.claims.relation, &allowed)?;
        let settled = d.and(&relation, &shape.stable)?;
        let opening = d.and(&self.claims.start, &allowed)?;
        let mut conditions: Vec<Bdd> = self.claims.fairness.iter().chain(&shape.fairness).cloned().collect();
        if conditions.is_empty() {
            conditions.push(d.top.clone());
        }
        Ok(PlayParts { opening, relation, settled, conditions })
    }
}
