//! The table of letters: CSV, one row for each letter.
//!
//! | column | holds |
//! |---|---|
//! | `session` | the name of the session |
//! | `position` | the number of the letter in it, from 0 |
//! | `a_...` | for each atom that some law tests, in the order of the policy: 1 if it is true, else 0 |
//! | `v_...` | for each name of `for_each`, sorted: the value that the letter is bound to; empty without quotes if none |
//!
//! Propositions that registers compute are atoms, too, so that a query over the table needs no registers. Names of
//! columns consist of letters, digits and `_` and differ even if case is ignored; the comment of the query explains
//! them.

use crate::names::{Identifiers, NameCase};
use std::fmt::Write;
use tsl_synth_core::logic::BitId;
use tsl_synth_policy::{CompiledPolicy, SeenLetter, tested_bits};

/// The table of letters of a policy.
#[derive(Clone, Debug)]
pub struct LettersTable {
    /// Atoms with their columns.
    pub(super) atoms: Vec<(BitId, String)>,
    /// Names of `for_each` with their columns.
    pub(super) values: Vec<(String, String)>,
}

impl LettersTable {
    /// The columns of a policy.
    pub fn new(compiled: &CompiledPolicy) -> Self {
        let atoms = &compiled.policy.atoms;
        // The prefixes avoid clashes with reserved words of SQL.
        let mut idents = Identifiers::new(&[]);
        let atoms = tested_bits(compiled.decisions.iter())
            .into_iter()
            .map(|bit| {
                let name = atoms.bit_name(bit);
                let text = name.strip_prefix('!').map_or(name.clone(), |name| format!("not {name}"));
                (bit, format!("a_{}", idents.fresh(&text, NameCase::Snake)))
            })
            .collect();
        let mut names: Vec<String> =
            compiled.policy.laws.iter().flat_map(|law| law.for_each.clone()).collect();
        names.sort();
        names.dedup();
        let mut idents = Identifiers::new(&[]);
        let values = names.into_iter().map(|name| {
            let column = format!("v_{}", idents.fresh(&name, NameCase::Snake));
            (name, column)
        });
        Self { atoms, values: values.collect() }
    }
    /// The columns in order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        let atoms = self.atoms.iter().map(|(_, column)| column.as_str());
        let values = self.values.iter().map(|(_, column)| column.as_str());
        ["session", "position"].into_iter().chain(atoms).chain(values)
    }
    /// The first line, with its line feed.
    pub fn header(&self) -> String {
        self.columns().collect::<Vec<_>>().join(",") + "\n"
    }
    /// The row of a letter, with its line feed.
    pub fn row(&self, session: &str, position: u64, seen: &SeenLetter) -> String {
        let mut line = quoted(session);
        let _ = write!(line, ",{position}");
        for (bit, _) in &self.atoms {
            line.push_str(if seen.letter.contains(*bit) { ",1" } else { ",0" });
        }
        for (name, _) in &self.values {
            line.push(',');
            if let Some((_, value)) = seen.bindings.iter().find(|(own, _)| own == name) {
                line.push_str(&quoted(value));
            }
        }
        line.push('\n');
        line
    }
}

/// A text in quotes, so that an empty text differs from a missing value.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
