//! Policies at run time: events become letters, laws are monitored, and decisions are made.

#![forbid(unsafe_code)]

pub mod language;
pub mod law_edits;
pub mod policy_text;
pub mod analysis;
mod compiled;
mod copies;
pub mod critic;
pub mod declared_world;
mod decision;
mod event_tables;
mod examples;
mod excuse;
mod game;
pub mod gate;
mod interpret;
mod letters;
mod monitor;
mod program;
mod reading;
mod recent;
mod register;
mod register_range;
mod roles;
mod said;
mod script;
mod shared_map;
mod state;
pub mod tool_name;
mod state_sets;
mod totals;
mod untold;
mod untold_letters;
mod observation;
mod paths;
mod possible_state;

pub use compiled::CompiledPolicy;
pub use copies::{Copies, Key, key_of, key_values};
pub use decision::{DecisionResult, DecisionTest, LawDecision, tested_bits};
pub use event_tables::counts_results;
pub use examples::shortest_example;
pub use excuse::Excuse;
pub use game::VariableKind as GameKind;
pub use game::{
    Conjunction, GAME_NODES, Game, GameLayout, GameLetter, GameOptions, GameSize, LetterMoves, PolicyPart,
    PolicyPosition, PositionOrder, Rows, SetAbstraction, SolvedGame, Standing, Stepping, Turns, WayStep,
    Ways, connected_parts, keep_strictest, parts,
};
pub use interpret::{Interpreter, Waiting};
pub use monitor::{MonitorReaction, PolicyMonitor};
pub use observation::{EventContent, EventFault};
pub use possible_state::{LawState, PendingCall, PossibleState, SeenLetter};
pub use program::{Arrow, BoundLetter, Last, Program, UNKNOWN_VALUE};
pub use reading::{CallReading, CommandReading, WantedProbe};
pub use recent::Recent;
pub use register::RegisterState;
pub use shared_map::SharedMap;
pub use state::{SessionState, StandingRange};
pub use totals::{WantedTotal, total_name};
