//! What fixpoints leave behind: for each way in which a state was found to be won, the regions that the next step may
//! lead to, with its place in all least fixpoints.

use crate::arena::Family;
use std::rc::Rc;
use tsl_synth_arithmetic::{Polyhedron, Region};
use tsl_synth_core::base::Rational;
use tsl_synth_core::logic::Sum;
use tsl_synth_core::model::LocationId;

/// How the value of a fixpoint was computed.
#[derive(Debug)]
pub(crate) enum Record {
    /// The states that are one step away from the parameters: one family for each level.
    Leaf { parameters: Vec<Family>, value: Family },
    /// A greatest fixpoint: its last round.
    Greatest(Box<Self>),
    /// A least fixpoint: what each of its stages added.
    Least(Vec<Stage>),
}

/// A stage of a least fixpoint.
#[derive(Debug)]
pub(crate) struct Stage {
    /// The loop of an accelerated stage.
    pub(crate) acceleration: Option<Rc<Acceleration>>,
    /// One round, or the rounds of a loop.
    pub(crate) rounds: Vec<Record>,
}

/// A loop whose distance from a region falls each time around: from everywhere in the loop's region the player forces a
/// smaller distance or an earlier stage.
#[derive(Debug)]
pub(crate) struct Acceleration {
    /// The variable that bounds the distance.
    pub(crate) bound: u32,
    /// Where the distance is measured, with the region from which the loop can be entered.
    pub(crate) heads: Vec<(LocationId, Region)>,
    /// The distance is the largest of these sums and 0.
    pub(crate) sums: Vec<Sum>,
    /// How much the distance falls at least.
    pub(crate) fall: Rational,
    /// That the bound is at least 0.
    pub(crate) is_bounded: Polyhedron,
}

/// The place of a state in the least fixpoint of one level.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The component of the rank where the level begins.
    pub(crate) component: usize,
    pub(crate) stage: usize,
    pub(crate) round: usize,
    pub(crate) acceleration: Option<Rc<Acceleration>>,
}
