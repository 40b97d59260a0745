//! Among the controllers of a contract one that changes cells only where a clause asks for it.
//!
//! A controller M shows that its contract can be kept. Its runs through the universal co-Büchi automata of the contract
//! have ranks: the number of rejecting edges that a run from an automaton state can still take while M plays from a state
//! of its own (Schewe and Finkbeiner, *Bounded synthesis*, ATVA 2007, Theorem 4: annotations). The *positions* of a game
//! are a state of M, the states of the hypotheses, and the automaton states of the runs so far. An answer with a next state
//! of M is *safe* if no run gets a larger rank, and every run that takes a rejecting edge a smaller one: then no run is
//! rejecting forever, and M's own answer is safe, so that there is always one. Among the safe answers the cheapest is
//! taken: with the least that is still owed, then with the fewest changed cells ([`Prefer::Keep`]).
//!
//! Positions that differ only in what cannot happen are folded into one state. Exponential in the number of obligations
//! that can be open together; ends with a limit of the budget. The result is checked by the certifier like any machine.

mod arena;
mod fold;
mod moves;
mod ranks;

use super::quotient_mealy;
use crate::game::Objective;
use arena::Arena;
use moves::Positions;
use tsl_synth_core::base::{Budget, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, AtomId, CellId};
use tsl_synth_core::model::{Mealy, Prefer};

/// What a controller with fewer changes is made from.
pub struct LeastChange<'a> {
    /// The objective of the system.
    pub objective: &'a Objective,
    /// Its atoms.
    pub alphabet: &'a Alphabet,
    /// For each cell the update that keeps its value.
    pub keep: &'a IdVec<CellId, Option<AtomId>>,
    /// Updates that write a known value, each with the inputs, as values of atoms, on which the cell has that value already:
    /// then they are no changes.
    pub same: &'a [(AtomId, Vec<(AtomId, bool)>)],
    /// A controller of the objective, whose guards are over inputs.
    pub machine: &'a Mealy,
}

impl LeastChange<'_> {
    /// A controller that changes no cell without need; for [`Prefer::Fast`] one that discharges obligations as soon as the
    /// given controller can. `None` if the machine is no controller of the objective as far as ranks tell.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn find(&self, prefer: Prefer, budget: &Budget) -> Result<Option<Mealy>, Limit> {
        let mut arena = Arena::new(self, budget);
        let Some(positions) = Positions::explore(&mut arena, prefer)? else { return Ok(None) };
        let machine = fold::folded(&mut arena, positions)?;
        Ok(Some(quotient_mealy(&machine)))
    }

    /// Among the changes of cells that the machine makes in its plays, how many are not needed, and how many there are.
    /// `None` if the machine is no controller of the objective as far as ranks tell.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn unneeded(&self, budget: &Budget) -> Result<Option<(usize, usize)>, Limit> {
        moves::unneeded(&mut Arena::new(self, budget))
    }
}
