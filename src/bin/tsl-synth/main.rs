//! `tsl-synth`: the command line.
fn main() {}
