//! Numbers of atoms and cells.

use crate::define_id;

define_id! {
    /// An atomic proposition.
    pub struct AtomId;
    /// A cell: an output with one of several updates in every step.
    pub struct CellId;
}
