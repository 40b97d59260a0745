//! Tests of the gate, in one program.

mod clock;
mod distinct;
mod edited;
mod gallery;
mod generated_sessions;
mod host_sessions;
mod long_sessions;
mod ordinary;
mod owing_values;
mod probes;
mod quorums;
mod returned;
mod said;
mod scripts;
mod shell_tools;
mod side_by_side;
mod totals;
mod value_limits;
mod wishes;
