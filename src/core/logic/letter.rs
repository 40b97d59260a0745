//! Letters: valuations of bits.

use crate::base::IdSet;
use crate::define_id;

define_id! {
    /// A Boolean variable of guards and letters.
    pub struct BitId;
}

/// A set of true bits; all others are false.
pub type Letter = IdSet<BitId>;
