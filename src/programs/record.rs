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

impl Record {
    /// How many loops of one level are nested at most.
    pub(crate) fn nesting(&self) -> usize {
        match self {
            Self::Leaf { .. } => 0,
            Self::Greatest(inner) => inner.nesting(),
            Self::Least(stages) => {
                let mut most = 0;
                let mut todo: Vec<&Stage> = stages.iter().collect();
                while let Some(stage) = todo.pop() {
                    most = most.max(stage.nesting());
                    match stage {
                        Stage::Plain(inner) => most = most.max(inner.nesting()),
                        Stage::Loop(_, stages) => todo.extend(stages),
                    }
                }
                most
            }
        }
    }
}

/// A stage of a least fixpoint, or of a round in a loop.
#[derive(Debug)]
pub(crate) enum Stage {
    /// One step to what was won before.
    Plain(Record),
    /// A loop, with the stages in which the near states are won, from nearer ones and what was won before. One of them may be
    /// a loop itself: then the distances fall lexicographically.
    Loop(Rc<Acceleration>, Vec<Self>),
}

impl Stage {
    /// How many loops are nested here.
    pub(crate) fn nesting(&self) -> usize {
        match self {
            Self::Plain(_) => 0,
            Self::Loop(_, stages) => 1 + stages.iter().map(Self::nesting).max().unwrap_or(0),
        }
    }
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

/// The place of a state in a least fixpoint, or in the stages of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The component of the rank that counts the stages.
    pub(crate) component: usize,
    pub(crate) stage: usize,
    /// The loop that the stage is; the next place is then the one in its stages.
    pub(crate) acceleration: Option<Rc<Acceleration>>,
}
