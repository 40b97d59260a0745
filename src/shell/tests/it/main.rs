//! Tests of the reader of shell commands, in one program.

mod bash;
mod commands;
mod detached;
mod environment;
mod hostile;
mod input;
mod launchers;
mod named_files;
mod packages;
mod quotes;
mod scripts;
mod tables;
mod values;
