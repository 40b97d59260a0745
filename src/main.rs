//! The program: see [`tsl_synth_cli`].

#![forbid(unsafe_code)]

fn main() {
    tsl_synth_cli::main();
}
