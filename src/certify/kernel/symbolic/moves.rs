//! The moves in the product of a circuit with a tableau, among which fair plays are searched for: a one-player game.

use super::claims::Claims;
use super::diagrams::{Bdd, Diagrams};
use super::model::CircuitModel;
use super::preimage::Preimage;
use super::shape::LetterConditions;
use super::structure::Cone;
use super::successors::Successors;
use crate::base::{Limit, Variable};

/// The moves that a play makes in its different parts.
pub(in crate::certify) struct PlayParts {
    /// The first move.
    pub(in crate::certify) opening: Bdd,
    /// All later moves.
    pub(in crate::certify) relation: Bdd,
    /// The moves of the last part of the play, in which each condition is met infinitely often.
    pub(in crate::certify) settled: Bdd,
    pub(in crate::certify) conditions: Vec<Bdd>,
}

/// A one-player game: the moves in the product of a model with a tableau.
pub(in crate::certify) struct ModelMoves<'m, 'a> {
    pub(in crate::certify) model: &'m CircuitModel<'a>,
    /// The part of the model that the conjuncts depend on.
    pub(in crate::certify) cone: &'m Cone,
    /// A superset of the reachable states of the cone.
    pub(in crate::certify) reached: &'m Bdd,
    pub(in crate::certify) claims: &'m Claims,
    /// The conditions of the conjuncts that have no claims.
    pub(in crate::certify) shape: &'m LetterConditions,
    /// The variables (claim, pending) of each claim, and of each monitor.
    pub(in crate::certify) pairs: &'m [(Variable, Variable)],
    /// How many of them are claims.
    pub(in crate::certify) claimed: usize,
    /// The steps of the cone and of the pending claims.
    pub(in crate::certify) steps: &'m Preimage,
    /// The input letters that can be read: those in which every cell has the code of an option.
    pub(in crate::certify) readable: &'m Bdd,
    /// The steps forward, if fair cycles are searched for in that direction first.
    pub(in crate::certify) successors: Option<&'m Successors>,
}

impl ModelMoves<'_, '_> {
    pub(in crate::certify) fn d(&self) -> &Diagrams {
        &self.model.diagrams
    }

    /// The moves of each part of a play.
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
