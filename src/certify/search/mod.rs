//! Searches for plays and for what shows the kernel that there are none. Nothing rests on them: a play is evaluated, and the
//! kernel checks the rest (see the head of [`certify`](super)).

pub(super) mod components;
pub(super) mod couvreur;
pub(super) mod explicit;
pub(super) mod mixed;
pub(super) mod symbolic;
