//! Slow and obvious: what the engines and the certifier are held against. Nothing here shares an algorithm
//! with either.

pub(crate) mod instance;
