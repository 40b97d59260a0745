//! Verified repairs of unrealizable specifications as edits of the text.

use super::super::{CheckReport, SpecLanguage};
use super::sketch::{OutlineItem, OutlineKind, Sketch};
use std::ops::Range;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_documents::CheckRepair;
use tsl_synth_explain::{Repair, Weakened};
use tsl_synth_lang::spec::{ClauseId, Problem};

/// A part of a text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that are replaced; empty to insert.
    pub range: Range<usize>,
    /// The replacement.
    pub text: String,
}

/// Edits that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditProposal {
    /// What they do, as a sentence without a period.
    pub title: String,
    /// The edits, of the text as it was read; none overlap.
    pub edits: Vec<TextEdit>,
}

impl EditProposal {
    pub(super) fn new(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self { title: title.into(), edits }
    }
    /// The text after the edits.
    pub fn apply(&self, text: &str) -> String {
        let mut edits: Vec<&TextEdit> = self.edits.iter().collect();
        edits.sort_by_key(|edit| edit.range.start);
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for edit in edits {
            out.push_str(text.get(at..edit.range.start).unwrap_or_default());
            out.push_str(&edit.text);
            at = edit.range.end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }
}

/// The repairs of a report that can be written into its first text.
pub(super) fn proposals(report: &CheckReport, sources: &SourceMap) -> Vec<EditProposal> {
    let (Some(problem), Some(explanation), Some(source)) =
        (&report.problem, &report.explanation, report.source)
    else {
        return Vec::new();
    };
    let text = &sources.get(source).text;
    let Some(language) = language_of(problem) else { return Vec::new() };
    let sketch = Sketch::new(language, text);
    let writer = RepairWriter { problem, source, sketch: &sketch };
    let shown = explanation.repairs.iter().take(super::super::tuning::HINTS);
    shown
        .filter_map(|repair| {
            let edits = writer.edits(repair)?;
            let title = CheckRepair::new(problem, sources, repair).sentence();
            Some(EditProposal::new(format!("Apply the checked repair: {title}"), edits))
        })
        .collect()
}

fn language_of(problem: &Problem) -> Option<SpecLanguage> {
    use tsl_synth_lang::spec::Language;
    Some(match problem.language {
        Language::Tsl => SpecLanguage::Tsl,
        Language::Ltl => SpecLanguage::Ltl,
        Language::Tlsf if !problem.takes_formulas() => return None,
        Language::Tlsf => SpecLanguage::Tlsf,
    })
}

struct RepairWriter<'a> {
    problem: &'a Problem,
    source: SourceId,
    sketch: &'a Sketch,
}

impl RepairWriter<'_> {
    /// `None` if a clause is in another file, or there is no section for an addition.
    fn edits(&self, repair: &Repair) -> Option<Vec<TextEdit>> {
        let mut edits = Vec::new();
        // Sections to add: whether it is of assumptions, whether it holds in every step, the formula,
        // and the section of TLSF where that matters.
        let mut added: Vec<(bool, bool, String, Option<&str>)> =
            repair.additions.iter().map(|add| (true, add.always, add.text.clone(), add.section)).collect();
        for change in &repair.changes {
            // The line is that of all instances of a big operator.
            if self.is_one_of_several(change.clause) {
                return None;
            }
            let span = self.problem.clauses[change.clause].span.filter(|span| span.source == self.source)?;
            if let Some(edit) = self.in_place(change, span) {
                edits.push(edit);
                continue;
            }
            edits.push(self.removal(span));
            if change.formula.is_some() {
                added.push((false, change.always, change.text.clone(), change.section));
            }
        }
        for (assumed, always, text, section) in added {
            edits.push(self.addition((assumed, section), always, &text)?);
        }
        Some(merged(edits))
    }

    /// Whether other clauses come from the same place.
    fn is_one_of_several(&self, clause: ClauseId) -> bool {
        let span = self.problem.clauses[clause].span;
        let own = self.problem.clauses.enumerate().filter(|(_, other)| other.span == span);
        span.is_some() && own.take(2).count() > 1
    }

    /// Replaces the clause in place, if the new text means the same there as in a section of its own.
    fn in_place(&self, change: &Weakened, span: Span) -> Option<TextEdit> {
        change.formula?;
        let range = span.range();
        let edit = |text: String| Some(TextEdit { range: range.clone(), text });
        match self.sketch.language {
            SpecLanguage::Ltl => edit(format!("({})", change.text)),
            SpecLanguage::Tsl => {
                let header = self.header(&range)?;
                let header = header.split_whitespace().collect::<Vec<_>>();
                let always = header.contains(&"always");
                (always == change.always && !header.contains(&"after")).then(|| edit(change.text.clone()))?
            }
            SpecLanguage::Tlsf => {
                let own = change.section.unwrap_or("GUARANTEE");
                self.header(&range)?.starts_with(own).then(|| edit(change.text.clone()))?
            }
        }
    }

    /// The header of the innermost section around a range.
    fn header(&self, range: &Range<usize>) -> Option<String> {
        let mut items = self.sketch.outline();
        let mut found = None;
        loop {
            let around = items.iter().find(|item| {
                item.kind == OutlineKind::Section
                    && item.range.start <= range.start
                    && range.end <= item.range.end
            });
            let Some(around) = around else { return found };
            found = Some(around.name.clone());
            items = &around.children;
        }
    }

    fn removal(&self, span: Span) -> TextEdit {
        let range = span.range();
        if self.sketch.language == SpecLanguage::Ltl {
            return TextEdit { range, text: "true".into() };
        }
        let rest = &self.sketch.text[range.end..];
        let blanks = rest.len() - rest.trim_start().len();
        let semicolon = rest.trim_start().starts_with(';');
        let end = if semicolon { range.end + blanks + 1 } else { range.end };
        TextEdit { range: range.start..end, text: String::new() }
    }

    fn addition(
        &self,
        (assumed, section): (bool, Option<&str>),
        always: bool,
        formula: &str,
    ) -> Option<TextEdit> {
        let text = &self.sketch.text;
        let word = if assumed { "assume" } else { "guarantee" };
        let end = text.len()..text.len();
        let gap = if text.ends_with('\n') || text.is_empty() { "\n" } else { "\n\n" };
        Some(match (self.sketch.language, always) {
            (SpecLanguage::Ltl, _) => TextEdit { range: end, text: format!("{gap}{word} {{ {formula} }}\n") },
            (SpecLanguage::Tsl, true) => {
                TextEdit { range: end, text: format!("{gap}always {word} {{\n  {formula};\n}}\n") }
            }
            (SpecLanguage::Tsl, false) => {
                TextEdit { range: end, text: format!("{gap}{word} {{\n  {formula};\n}}\n") }
            }
            (SpecLanguage::Tlsf, _) => {
                let main = self.sketch.outline().iter().find(|item| item.name == "MAIN")?;
                let names: [&str; 2] = if let Some(section) = section {
                    [section, section]
                } else if assumed {
                    ["ASSUME", "ASSUMPTIONS"]
                } else {
                    ["GUARANTEE", "GUARANTEES"]
                };
                let has_name = |item: &&OutlineItem| names.contains(&item.name.as_str());
                if let Some(section) = main.children.iter().find(has_name) {
                    let open = text[section.selection.end..].find('{')? + section.selection.end + 1;
                    TextEdit { range: open..open, text: format!("\n    {formula};") }
                } else {
                    let close = main.range.end.checked_sub(1)?;
                    let section = format!("  {} {{\n    {formula};\n  }}\n", names[0]);
                    TextEdit { range: close..close, text: section }
                }
            }
        })
    }
}

/// Merges insertions at the same position into one edit.
fn merged(mut edits: Vec<TextEdit>) -> Vec<TextEdit> {
    edits.sort_by_key(|edit| edit.range.start);
    let mut all: Vec<TextEdit> = Vec::new();
    for edit in edits {
        match all.last_mut() {
            Some(last) if last.range == edit.range && edit.range.is_empty() => last.text += &edit.text,
            _ => all.push(edit),
        }
    }
    all
}
