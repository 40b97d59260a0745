//! Lists of inputs and outputs, from flags and from the first lines of files.

use regex::Regex;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::ltl::is_one_name;
use tsl_synth_ltl::spelling::one_edit;

/// The names denoted by a list of inputs or outputs. Its entries are names, and regular expressions between slashes,
/// which may match any part of a name.
#[derive(Debug, Default)]
pub struct SignalNames {
    plain: Vec<(String, Option<Span>)>,
    known: FxHashSet<String>,
    patterns: Vec<(Regex, Option<Span>)>,
}

impl SignalNames {
    /// Reads the entries of a list; those with a span are from a file. What is neither one name nor a regular expression
    /// is an error.
    pub fn new(entries: &[(String, Option<Span>)], diagnostics: &mut Diagnostics) -> Self {
        let mut this = Self::default();
        for (entry, span) in entries {
            let entry = entry.trim();
            let at = |diagnostic: Diagnostic| match span {
                Some(span) => diagnostic.at(*span, "here"),
                None => diagnostic,
            };
            let pattern =
                entry.strip_prefix('/').and_then(|e| e.strip_suffix('/')).filter(|_| entry.len() > 1);
            match pattern.map(Regex::new) {
                None if entry.is_empty() => {}
                None => {
                    // The reader of a file has reported it already.
                    if span.is_none() && !entry.starts_with('"') && !is_one_name(entry) {
                        let message = format!("`{entry}` is not one name");
                        let hint = "names are separated by commas";
                        diagnostics.push(Diagnostic::error(Code::BAD_HEADER, message).hint(hint));
                    }
                    this.plain.push((entry.trim_matches('"').to_string(), *span));
                }
                Some(Ok(pattern)) => this.patterns.push((pattern, *span)),
                Some(Err(error)) => {
                    let why = error.to_string();
                    let last = why.lines().last().unwrap_or_default();
                    let last = last.trim_start_matches("error: ");
                    let message = format!("`{entry}` is no regular expression: {last}");
                    diagnostics.push(at(Diagnostic::error(Code::BAD_REGEX, message)));
                }
            }
        }
        this.known = this.plain.iter().map(|(name, _)| name.clone()).collect();
        this
    }
    /// The entries that are names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.plain.iter().map(|(name, _)| name.as_str())
    }
    /// Whether the list denotes the name.
    pub fn matches(&self, name: &str) -> bool {
        self.known.contains(name) || self.patterns.iter().any(|(pattern, _)| pattern.is_match(name))
    }
    /// A warning for the entries that denote none of the names; `list` names the list (`--ins`), `of` what has the names
    /// ("no formula").
    pub fn warn_of_unmatched(
        &self,
        names: &BTreeSet<&str>,
        list: &str,
        of: &str,
        diagnostics: &mut Diagnostics,
    ) {
        let lost = self.plain.iter().filter(|(name, _)| !names.contains(name.as_str()));
        let lost: Vec<&(String, Option<Span>)> = lost.collect();
        if !lost.is_empty() {
            let all: Vec<String> = lost.iter().map(|(name, _)| format!("`{name}`")).collect();
            let verb = if lost.len() == 1 { "occurs" } else { "occur" };
            let message = format!("{} of {list} {verb} in {of}", all.join(", "));
            let mut warning = Diagnostic::warning(Code::NAME_WITHOUT_USE, message);
            for span in lost.iter().filter_map(|(_, span)| *span) {
                warning = warning.at(span, "not used");
            }
            for (name, _) in &lost {
                if let Some(near) = names.iter().find(|other| is_near(name, other)) {
                    warning = warning.hint(format!("did you mean `{near}` instead of `{name}`?"));
                }
            }
            diagnostics.push(warning);
        }
        for (pattern, span) in &self.patterns {
            if !names.iter().any(|name| pattern.is_match(name)) {
                let message = format!(
                    "`/{pattern}/` of {list} matches nothing that occurs in {}",
                    of.trim_start_matches("no ")
                );
                let mut warning = Diagnostic::warning(Code::NAME_WITHOUT_USE, message);
                if let Some(span) = span {
                    warning = warning.at(*span, "matches nothing");
                }
                diagnostics.push(warning);
            }
        }
    }
}

/// Whether a name may be a misspelling of another: one edit away, or the same in other letter case.
fn is_near(name: &str, other: &str) -> bool {
    name != other && (name.eq_ignore_ascii_case(other) || one_edit(name, other))
}
