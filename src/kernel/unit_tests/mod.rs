//! The kernel's methods one by one, on random strategies so small that all their short plays can be enumerated.
//!
//! Each method is tested directly, and not only when its turn happens to come. `.ci/mutants` measures which mutations
//! these tests detect.

mod cases;
mod circuits;
mod evidence;
mod methods;
mod residuals;
mod setting;
mod strategies;
