//! Tests of games over numbers, in one program.

mod controllers;
mod entries;
mod finite;
mod guesses;
mod regions;
mod texts;
