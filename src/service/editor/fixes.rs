//! Edits that follow the hints of findings. An edit is offered only after it was tried: it must reduce the number of
//! errors, or remove a warning or note without adding errors or warnings.

use super::reading::{Finding, Reading};
use super::repairs::{EditProposal, TextEdit};
use super::sketch::Sketch;
use std::ops::Range;
use tsl_synth_core::diag::{Code, Severity};
use tsl_synth_ltl::word::WordKind;

/// The maximal number of edits that are tried for a finding.
const TRIED: usize = 4;

impl Sketch {
    /// Edits that resolve a finding of this text. `before` is the reading of the text, and `read` reads the text after
    /// an edit.
    pub fn fixes(
        &self,
        finding: &Finding,
        before: &Reading,
        read: &mut dyn FnMut(&str) -> Reading,
    ) -> Vec<EditProposal> {
        let mut candidates = self.candidates(finding);
        candidates.dedup_by(|a, b| a.edits == b.edits);
        candidates.truncate(TRIED);
        candidates.retain(|candidate| {
            let text = candidate.apply(&self.text);
            text != self.text && is_better(finding, &before.findings, &read(&text).findings)
        });
        candidates
    }

    fn candidates(&self, finding: &Finding) -> Vec<EditProposal> {
        let own = |i: usize| finding.places.get(i).filter(|place| place.file.is_none());
        let Some(first) = own(0) else { return Vec::new() };
        let at = first.range.clone();
        let edit = |title: String, range: Range<usize>, text: &str| {
            EditProposal::new(title, vec![TextEdit { range, text: text.to_string() }])
        };
        let mut all = Vec::new();
        match finding.code {
            Code::MISSING_SEMICOLON => all.push(edit("Insert `;`".into(), at.start..at.start, ";")),
            Code::NOT_CLOSED => {
                if let Some(sign) = quoted(&first.remark).next() {
                    let line = if sign == "}" && at.start == self.text.len() { "\n}\n" } else { sign };
                    all.push(edit(format!("Insert `{sign}`"), at.start..at.start, line));
                }
            }
            Code::NOT_OPENED | Code::EMPTY_FORMULA | Code::STRAY => {
                let shown = self.snippet(at.clone(), 20);
                all.push(edit(format!("Remove `{shown}`"), at.clone(), ""));
            }
            Code::READ_DIFFERENTLY => {
                if let Some(read) = quoted(&first.remark).next().filter(|read| !read.contains('…')) {
                    all.push(edit("Write the parentheses that are implied".into(), at.clone(), read));
                }
            }
            _ => {}
        }
        let advice = ["did you mean", "write", "use", "parentheses", "inside of a formula"];
        for hint in finding.hints.iter().filter(|hint| advice.iter().any(|word| hint.contains(word))) {
            for text in quoted(hint).filter(|text| self.is_writable(text, &at)) {
                for i in 0..finding.places.len().min(2) {
                    if let Some(place) = own(i) {
                        all.push(edit(format!("Write `{text}`"), place.range.clone(), text));
                    }
                }
            }
        }
        all
    }

    /// Whether all names of a hint are names of the text, and not placeholders.
    fn is_writable(&self, hint: &str, at: &Range<usize>) -> bool {
        let other = Self::new(self.language, hint);
        let here = self.text.get(at.clone()).unwrap_or_default();
        let known = |name: &str| here.contains(name) || self.things.iter().any(|thing| thing.name == name);
        let mut names = other.words.iter().filter(|word| word.kind == WordKind::Name);
        names.all(|word| known(&hint[word.range.clone()]))
    }
}

/// The pieces of a hint between backticks.
fn quoted(hint: &str) -> impl Iterator<Item = &str> {
    hint.split('`').skip(1).step_by(2).filter(|text| !text.is_empty())
}

/// For an error, whether there are fewer errors than before; else whether the finding occurs less often and there are
/// not more errors or warnings than before.
fn is_better(finding: &Finding, before: &[Finding], after: &[Finding]) -> bool {
    let count = |all: &[Finding], severity| all.iter().filter(|other| other.severity == severity).count();
    let same = |other: &&Finding| other.code == finding.code && other.message == finding.message;
    let errors = (count(before, Severity::Error), count(after, Severity::Error));
    if finding.severity == Severity::Error {
        return errors.1 < errors.0;
    }
    let fewer = after.iter().filter(same).count() < before.iter().filter(same).count();
    fewer && errors.1 <= errors.0 && count(after, Severity::Warning) <= count(before, Severity::Warning)
}
