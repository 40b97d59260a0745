//! Slow and obvious: what the engines and the certifier are held against. Nothing here shares an algorithm
//! with either.
//!
//! - `elementary`: a model checker that enumerates letters and truth values (Clarke, Grumberg and Hamaguchi).
//! - `brute`: synthesis by trying every small machine of either player.
//! - `causes`: causes of effects by trying every nearer input sequence.
//! - `friendly`: whether a controller leaves the environment a way to keep the assumptions, history by history.
//! - `promises`: whether there is such a controller of any size, as a problem of plain synthesis.
//! - `instance`, `machines`, `specs`, `tsl`: problems and strategies, read or seeded at random.

pub(crate) mod brute;
pub(crate) mod causes;
pub(crate) mod elementary;
pub(crate) mod friendly;
pub(crate) mod instance;
pub(crate) mod machines;
pub(crate) mod promises;
pub(crate) mod specs;
pub(crate) mod tsl;
