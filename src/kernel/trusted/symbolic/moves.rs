//! The moves in the product of a circuit with a tableau, among which fair plays are searched for: a one-player game.

use super::claims::Claims;
use super::diagrams::{Bdd, Diagrams};
use super::model::CircuitModel;
use super::preimage::Preimage;
use super::shape::LetterConditions;
use super::structure::Cone;
use super::successors::Successors;
use tsl_synth_core::base::{Limit, Variable};

/// The moves that a play makes in its different parts.
pub(crate) struct PlayParts {
    /// The first move.
    pub(crate) opening: Bdd,
    /// All later moves.
    pub(crate) relation: Bdd,
    /// The moves of the last part of the play, in which each condition is met infinitely often.
    pub(crate) settled: Bdd,
    pub(crate) conditions: Vec<Bdd>,
}

/// A one-player game: the moves in the product of a model with a tableau.
pub(crate) struct ModelMoves<'m, 'a> {
    pub(crate) model: &'m CircuitModel<'a>,
    /// The part of the model that the conjuncts depend on.
    pub(crate) cone: &'m Cone,
    /// A superset of the reachable states of the cone.
    pub(crate) reached: &'m Bdd,
    pub(crate) claims: &'m Claims,
    /// The conditions of the conjuncts that have no claims.
    pub(crate) shape: &'m LetterConditions,
    /// The variables (claim, pending) of each claim, and of each monitor.
    pub(crate) pairs: &'m [(Variable, Variable)],
    /// How many of them are claims.
    pub(crate) claimed: usize,
    /// The steps of the cone and of the pending claims.
    pub(crate) steps: &'m Preimage,
    /// The input letters that can be read: those in which every cell has the code of an option.
    pub(crate) readable: &'m Bdd,
    /// The steps forward, if fair cycles are searched for in that direction first.
    pub(crate) successors: Option<&'m Successors>,
}

impl ModelMoves<'_, '_> {
    pub(crate) fn d(&self) -> &Diagrams {
        &self.model.diagrams
    }

    /// The moves of each part of a play.
    pub(crate) fn parts(&self) -> Result<PlayParts, Limit> {
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
