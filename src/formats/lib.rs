//! Text formats of machines, automata and words: text to model and back, with limits.

#![forbid(unsafe_code)]

pub mod aiger;
pub mod contract;
pub mod edge_labels;
pub mod hoa;
pub mod notation;
pub mod smv;
pub mod trace;
pub mod vcd;

/// A string of HOA or DOT: quotes and backslashes escaped, control characters as blanks.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
