//! The cases of LTLCrit in front of the gate.
