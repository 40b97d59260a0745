//! Shell scripts as automata over commands.

mod bash;
mod commands;
mod hostile;
mod tables;
