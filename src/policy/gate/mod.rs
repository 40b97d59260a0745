//! The gate: decides whether a proposed call, or a request to stop, is granted.
//!
//! Decisions are made in the game of all laws (see the module `game`), from every state that the session may be in. A
//! call is a program over letters; every position that one of its words leads to must stay winning whatever the world
//! does. Several positions that the agent cannot distinguish need one common strategy (a subset game).
//!
//! Laws with bound values: each combination of copies that differ in their states is judged together with all unbound
//! laws, one copy of each list of values at a time. If copies are not shown to be independent and several of them have
//! open obligations, those are judged together. Beyond the limits of [`GateOptions`] the answer is deny, with that
//! reason: no call is allowed because a question was too hard.
//!
//! Laws whose `on_violation` is `warn` or `log` are not part of the game: a call that violates them is granted and
//! reported. Those with `ask` are: a call that only they refuse needs the approval of a person. Each violation of such
//! a law is reported, since it is excused: the law is continued as if the call had not been made (see [`Excuse`]). If
//! laws with `ask` cannot be kept from a position together with the hard laws that deny, they are left out of its game
//! as soft laws are, and only calls that violate them at once are asked about.
//!
//! A position is **lost** if the hard laws that deny cannot be kept from it, whatever the agent does; that happens when
//! the world breaks an assumption. From there, calls that violate no further law at once are granted. A refused call
//! that was made nevertheless is excused for all hard laws, which go on forbidding calls.
//!
//! [`Excuse`]: super::Excuse

mod blame;
mod closed;
mod decide;
mod read_event;
mod solver;
mod options;
mod part_map;
mod session;
mod tickets;
mod views;
mod winning;

pub use options::Blocked;
pub use read_event::EventReport;
pub use session::{GateSession, OpenProposal};
pub use solver::{GateOptions, GateSolver, SolvedGames};
pub use tickets::{Ticket, TicketState, Tickets, call_hash};

use super::game::WayStep;
use super::observation::EventFault;
use super::possible_state::SeenLetter;
use crate::language::{ActionId, LawId};
use tsl_synth_core::model::Ruling;

/// Why a proposal is not simply allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Something is wrong with the event.
    Unreadable(EventFault),
    /// No table of the policy names the call.
    DefaultRuling,
    /// Part of its shell command cannot be read.
    Opaque,
    /// It binds more values than the policy distinguishes.
    Overflow,
    /// It violates these laws at once.
    Violates(Vec<LawId>),
    /// After it these laws can no longer be kept together, whatever the agent does then.
    Loses(Vec<LawId>),
    /// These laws are not kept if the run ends here.
    Owes(Vec<LawId>),
    /// The question was too hard.
    TooHard(String),
}

/// The decision about a proposal.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The strictest ruling of all reasons.
    pub ruling: Ruling,
    /// The reasons, empty if it is simply allowed.
    pub reasons: Vec<Reason>,
    /// The letters that it would add, in the first of the states that the session may be in.
    pub letters: Vec<SeenLetter>,
    /// The soft laws that are not kept at the moment: they cannot be, or the policy allows dropping them.
    pub dropped: Vec<LawId>,
    /// Whether the hard laws could not be kept in any case.
    pub is_lost: bool,
    /// At the end: the laws that are not kept although the end is granted.
    pub left_owed: Vec<LawId>,
}

/// The options of the agent.
#[derive(Clone, Debug, Default)]
pub struct AgentOptions {
    /// Actions that are allowed for some of the truths that the agent itself raises with them.
    pub allowed: Vec<ActionId>,
    /// Whether every action violates some law at once, and the policy has no `idle`.
    pub is_over_constrained: bool,
    /// Whether the hard laws cannot be kept in any case.
    pub is_lost: bool,
    /// The laws that would not be kept if the run ended here.
    pub owed: Vec<LawId>,
    /// A shortest path to an accepted end, if the world cooperates; empty if the end is accepted here.
    pub way_out: Option<Vec<WayStep>>,
}
