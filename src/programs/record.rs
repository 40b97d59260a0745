//! Records of how fixpoints were computed, from which certificates are made: for each set of winning states, the regions
//! that the next step may lead to, and the stage of each least fixpoint in which the states were added.

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

impl Record {
    /// The deepest nesting of loops of one level.
    pub(crate) fn nesting(&self) -> usize {
        match self {
            Self::Leaf { .. } => 0,
            Self::Greatest(inner) => inner.nesting(),
            Self::Least(stages) => stages.iter().map(|stage| stage.nesting(0)).max().unwrap_or(0),
        }
    }
}

/// A stage of a least fixpoint, or of the computation that shows that the distance of a loop decreases.
#[derive(Debug)]
pub(crate) enum Stage {
    /// One step to the states that were won before.
    Plain(Record),
    /// A loop, with the stages that win the states within its bound from those with a smaller distance and from what was
    /// won before. One of these stages may be a loop itself: then the pair of distances decreases lexicographically.
    Loop(Rc<Acceleration>, Vec<Self>),
}

impl Stage {
    /// The deepest nesting of loops of one level in this stage, which is inside of `around` loops of its own level.
    fn nesting(&self, around: usize) -> usize {
        match self {
            Self::Plain(inner) => around.max(inner.nesting()),
            Self::Loop(_, stages) => {
                stages.iter().map(|stage| stage.nesting(around + 1)).max().unwrap_or(around + 1)
            }
        }
    }
}

/// A loop in each round of which a distance decreases: from each state of the loop's region the player forces a state of
/// this region with a smaller distance, or a state that an earlier stage won.
#[derive(Debug)]
pub(crate) struct Acceleration {
    /// The variable that bounds the distance.
    pub(crate) bound: u32,
    /// The locations at which the distance is measured, each with its invariant: the loop is entered from these states.
    pub(crate) heads: Vec<(LocationId, Region)>,
    /// The distance is the largest of these sums and 0.
    pub(crate) sums: Vec<Sum>,
    /// A lower bound on the decrease of the distance in each round.
    pub(crate) fall: Rational,
    /// The constraint that the bound is at least 0.
    pub(crate) is_bounded: Polyhedron,
}

/// The place of a state in a least fixpoint, or in the stages of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The component of the rank that counts the stages.
    pub(crate) component: usize,
    pub(crate) stage: usize,
    /// The loop, if the stage is one; the next place is then the one in the stages of the loop.
    pub(crate) acceleration: Option<Rc<Acceleration>>,
}
