//! The content of an event, in letters.

use super::program::{BoundLetter, Program};
use crate::language::{ActionId, DefaultRuling};
use tsl_synth_core::model::CallOutcome;

/// The content of an event.
#[derive(Clone, Debug, PartialEq)]
pub enum EventContent {
    /// Nothing.
    Nothing,
    /// The agent calls a tool.
    Call {
        /// The number of the call in the session.
        call: u64,
        /// Its letters.
        program: Program,
        /// The treatment of the call if no table names it.
        unmatched: Option<DefaultRuling>,
        /// The treatment of the call if part of its shell command cannot be read.
        opaque: Option<DefaultRuling>,
    },
    /// A call ended.
    Result {
        /// The number of the call; `None` for a call that was not seen.
        call: Option<u64>,
        /// How the call ended.
        outcome: CallOutcome,
        /// The truths and bindings of the result beside the outcome.
        letter: BoundLetter,
    },
    /// Truths, of the world or the session.
    Truths {
        /// The truths that are reported.
        letter: BoundLetter,
        /// Whether all truths of the world are named.
        complete: bool,
    },
    /// A step of a trace over names.
    Step {
        /// The truths in this step.
        letter: BoundLetter,
        /// The action of the agent in this step.
        action: Option<ActionId>,
        /// Whether the agent wants to stop after it.
        ends: bool,
    },
    /// The agent wants to stop.
    End {
        /// The letter of the tables about the end, if there is one.
        letter: Option<BoundLetter>,
    },
    /// The session is over.
    Close,
}

/// Something that is wrong with an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventFault {
    /// Arguments or a result that are no JSON.
    BadJson(String),
    /// Two tables that match the same event set a proposition to different values, or name two actions of one group.
    Contradiction(String),
    /// An amount that is negative or no number.
    BadAmount(String),
    /// A value that a table compares is missing, or of another type.
    BadValue(String),
    /// A command that may match too many sets of tables.
    TooManyWays(String),
    /// An observation names a proposition that the policy does not have.
    UnknownName(String),
}

impl std::fmt::Display for EventFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadJson(what) => write!(f, "{what} is not JSON"),
            Self::Contradiction(what)
            | Self::BadAmount(what)
            | Self::BadValue(what)
            | Self::TooManyWays(what)
            | Self::UnknownName(what) => f.write_str(what),
        }
    }
}
