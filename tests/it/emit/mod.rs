//! Emitted text: compiled, run and compared with the machine.

mod agent;
mod analysis;
mod constructors;
mod domains;
mod drawing;
mod exact;
mod exact_languages;
mod examples;
mod finite;
mod hardware;
mod hostile;
mod kept;
mod languages;
mod large;
mod policy;
mod reference;
mod programs;
mod restarts;
mod run;
mod scaffold;
mod tables;
mod values;
mod web;
mod xstate;
