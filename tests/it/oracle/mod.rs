//! Direct reference implementations, with which the engines and the certifier are compared. They share no algorithm
//! with either.
//!
//! - `elementary`: a model checker that enumerates letters and truth values (Clarke, Grumberg and Hamaguchi).
//! - `brute`: synthesis by trying every small machine of either player.
//! - `causes`: causes of effects by trying every closer input sequence.
//! - `friendly`: whether a controller lets the environment keep the assumptions, history by history.
//! - `promises`: whether there is a friendly controller of any size, as an ordinary synthesis problem.
//! - `instance`, `machines`, `specs`, `tsl`: problems and strategies, read from text or random.

pub(crate) mod brute;
pub(crate) mod causes;
pub(crate) mod elementary;
pub(crate) mod friendly;
pub(crate) mod instance;
pub(crate) mod machines;
pub(crate) mod promises;
pub(crate) mod specs;
pub(crate) mod tsl;
