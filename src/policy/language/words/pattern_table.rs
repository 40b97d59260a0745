//! The table of all patterns, each with an example explained.

use super::names::{NameKind, PolicyNames};
use super::pattern::{CountRequest, PATTERNS, PatternForm};
use super::pattern_read::parse_pattern;

/// A pattern of the table with its example explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternRow {
    /// The pattern.
    pub form: PatternForm,
    /// The LTL formula of the example; it mentions the proposition of `register` if there is one.
    pub ltl: String,
    /// The example as a sentence.
    pub english: String,
    /// The register that the example needs.
    pub register: Option<CountRequest>,
}

/// All patterns with their examples explained, in the order of [`PATTERNS`].
pub fn pattern_table() -> Vec<PatternRow> {
    let actions = ["edit", "tests", "push", "refund"].map(|name| (name, NameKind::Action));
    let names = actions.into_iter().chain([("frozen", NameKind::State)]).collect::<PolicyNames>();
    let row = |form: &PatternForm| {
        let pattern = parse_pattern(form.example, &names).ok()?;
        let (ltl, english, register) = (pattern.ltl(), pattern.english(), pattern.register());
        Some(PatternRow { form: *form, ltl, english, register })
    };
    PATTERNS.iter().filter_map(row).collect()
}
