//! Shell scripts as automata over commands.

mod bash;
mod hostile;
mod tables;
