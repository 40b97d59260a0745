//! Translations to automata: LTL to nondeterministic generalized Büchi automata with symbolic labels (read by the games
//! as universal co-Büchi automata of the negation), deterministic safety monitors and Büchi automata, reductions.

#![forbid(unsafe_code)]

mod complement;
mod determinize;
mod emptiness;
mod emerson_lei_to_buchi;
mod finite_to_dfa;
mod labels;
mod law_to_monitor;
mod ltl_to_buchi;
mod ltl_to_deterministic;
mod ltl_to_monitor;
mod redirect;
mod reduce;
mod restrict;
mod scc;
mod table;
mod table_reduce;
mod table_smallest;
mod tuning;
mod very_weak;

pub use complement::{complement, intersect};
pub use determinize::HistoryTree;
pub use emerson_lei_to_buchi::emerson_lei_to_buchi;
pub use emptiness::{Loop, ParityArrow, accepting_loop};
pub use finite_to_dfa::{finite_to_dfa, intersection};
pub use labels::Labels;
pub use law_to_monitor::{LAW_MONITOR_STATES, LawMonitors};
pub use ltl_to_buchi::ltl_to_buchi;
pub use ltl_to_deterministic::ltl_to_deterministic;
pub use ltl_to_monitor::{ltl_to_monitor, ltl_to_monitor_without};
pub use restrict::restrict;
pub use scc::{ComponentId, Components, components};
pub use table::{ParityTable, TableEntry};
pub use table_reduce::reduce_table;
pub use table_smallest::smallest_table;
