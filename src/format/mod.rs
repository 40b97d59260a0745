//! Text formats of machines, automata and words: text to model and back, with limits.

pub mod aiger;
pub mod atoms;
pub mod contract;
pub mod cover;
pub mod dot;
pub mod gate;
pub mod hoa;
pub mod hook;
pub mod journal;
pub mod json;
pub mod json_text;
pub mod law_edits;
pub mod log;
pub mod mcp;
pub mod notation;
pub mod packed;
pub mod policy_text;
pub mod prompts;
pub mod smv;
pub mod trace;
pub mod vcd;
pub mod wiki;

/// A string of HOA or DOT: quotes and backslashes escaped, control characters as blanks.
fn quoted(text: &str) -> String {
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
