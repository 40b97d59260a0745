//! Tests of games over numbers, in one program.

mod controllers;
mod finite;
mod guesses;
mod texts;
