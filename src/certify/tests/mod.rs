//! The kernel's methods one by one, on random strategies so small that all their short plays can be enumerated.
//!
//! A method is asked on its own, not where the turns that methods take happen to reach it. `.ci/mutants` measures what these tests
//! notice.

mod cases;
mod circuits;
mod evidence;
mod methods;
mod residuals;
mod setting;
mod strategies;
