//! Searches for plays and for evidence that there are none. They are not trusted: a play is evaluated, and the kernel
//! checks the evidence (see the head of [`certify`](super)).

pub(super) mod components;
pub(super) mod couvreur;
pub(super) mod explicit;
pub(super) mod mixed;
pub(super) mod simulation;
pub(super) mod symbolic;
