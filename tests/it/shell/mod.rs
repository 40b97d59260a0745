//! Scripts as automata of commands.

mod bash;
mod hostile;
mod tables;
