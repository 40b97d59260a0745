//! The verdict on a text, reused for texts that differ only in comments and blanks.

use super::super::{CheckReport, CheckRequest, FailureKind, PolicyCheckRequest, PolicyVerdict};
use super::reading::{Finding, Reading};
use super::repairs::{EditProposal, TextEdit, proposals};
use super::sketch::Sketch;
use crate::Session;
use std::collections::VecDeque;
use std::ops::Range;
use tsl_synth_core::model::{Abstraction, StrategyRepr, Verdict};
use tsl_synth_documents::CheckVerdict;
use tsl_synth_ltl::word::WordKind;

/// The number of texts whose verdicts are kept.
const KEPT: usize = 64;

/// The kinds of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecVerdict {
    /// There is a controller.
    Realizable,
    /// There is no controller.
    Unrealizable,
    /// Not decided, because of a limit or an interrupt.
    Unknown,
    /// The text has errors.
    Error,
}

/// The result of checking a text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JudgedSpec {
    /// The verdict.
    pub verdict: SpecVerdict,
    /// The verdict in a few words: `realizable, 3 states`.
    pub headline: String,
    /// The findings of reading and checking the text, with the verdict if it is a finding.
    pub findings: Vec<Finding>,
    /// Repairs that can be applied.
    pub repairs: Vec<EditProposal>,
    /// Whether nothing was solved, because a text with the same meaning and words was checked before.
    pub reused: bool,
}

impl JudgedSpec {
    /// The result if the check was interrupted.
    pub fn without_verdict(reading: &Reading, why: impl Into<String>) -> Self {
        Self {
            verdict: SpecVerdict::Unknown,
            headline: why.into(),
            findings: reading.findings.clone(),
            repairs: Vec::new(),
            reused: false,
        }
    }
}

/// The verdict on an earlier text.
#[derive(Debug)]
struct EarlierVerdict {
    meaning: String,
    sketch: Sketch,
    judged: JudgedSpec,
}

/// The verdicts on the most recent texts.
#[derive(Debug, Default)]
pub struct KeptVerdicts {
    entries: VecDeque<EarlierVerdict>,
}

impl Session<'_> {
    /// The verdict on a specification in one text with all findings, as `check` gives it. `reading` is the result of
    /// [`Session::read_spec`], and `sketch` the sketch of the same text.
    pub fn check_edited(
        &mut self,
        request: &CheckRequest,
        reading: &Reading,
        sketch: &Sketch,
        kept: &mut KeptVerdicts,
    ) -> JudgedSpec {
        let error = JudgedSpec {
            verdict: SpecVerdict::Error,
            headline: "errors".into(),
            findings: reading.findings.clone(),
            repairs: Vec::new(),
            reused: false,
        };
        let Some(meaning) = &reading.meaning else { return error };
        if let Some(known) = kept.recall(meaning, reading, sketch) {
            return known;
        }
        let report = match self.check(request) {
            Ok(report) => report,
            Err(failure) => {
                let is_unknown = matches!(failure.kind, FailureKind::Limit { .. });
                let verdict = if is_unknown { SpecVerdict::Unknown } else { SpecVerdict::Error };
                let findings = self.failed(&failure);
                return JudgedSpec { verdict, headline: failure.reason(), findings, ..error };
            }
        };
        let main = self.first_source();
        let all = report.findings(&self.sources);
        let mut findings: Vec<Finding> =
            all.iter().map(|diagnostic| Finding::new(diagnostic, &self.sources, main)).collect();
        findings.sort_by_key(|finding| finding.range.start);
        let judged = JudgedSpec {
            verdict: match report.answer() {
                CheckVerdict::Realizable => SpecVerdict::Realizable,
                CheckVerdict::Unrealizable => SpecVerdict::Unrealizable,
                CheckVerdict::Unknown | CheckVerdict::Error => SpecVerdict::Unknown,
            },
            headline: headline(&report),
            findings,
            repairs: proposals(&report, &self.sources),
            reused: false,
        };
        if report.cut_short.is_none() && judged.verdict != SpecVerdict::Unknown {
            kept.keep(meaning.clone(), reading, sketch, &judged);
        }
        judged
    }

    /// The verdict on a policy with all findings, as `check` gives it.
    pub fn check_edited_policy(&mut self, request: &PolicyCheckRequest, reading: &Reading) -> JudgedSpec {
        self.begin = self.sources.iter().count();
        let judged = |verdict, headline: &str, findings| JudgedSpec {
            verdict,
            headline: headline.into(),
            findings,
            repairs: Vec::new(),
            reused: false,
        };
        if reading.meaning.is_none() {
            return judged(SpecVerdict::Error, "errors", reading.findings.clone());
        }
        match self.check_policy(request) {
            Ok(report) => {
                let verdict = match report.verdict {
                    PolicyVerdict::Consistent => SpecVerdict::Realizable,
                    PolicyVerdict::Unknown => SpecVerdict::Unknown,
                    PolicyVerdict::OverConstrained | PolicyVerdict::Unrealizable => SpecVerdict::Unrealizable,
                };
                let headline = report.verdict.name().to_lowercase();
                judged(verdict, &headline, self.found(&report.diagnostics))
            }
            Err(failure) => judged(SpecVerdict::Unknown, &failure.reason(), self.failed(&failure)),
        }
    }
}

/// The verdict in a few words.
fn headline(report: &CheckReport) -> String {
    let size = |form: &str, count: usize| match count {
        1 => format!("1 {form}"),
        n => format!("{n} {form}s"),
    };
    match &report.verdict {
        _ if report.numbers.is_some() => report.answer().to_string().to_lowercase(),
        Verdict::Realizable(StrategyRepr::Explicit(machine)) => {
            format!("realizable, {}", size("state", machine.states.len()))
        }
        Verdict::Realizable(StrategyRepr::Circuit(circuit)) => {
            format!("realizable, {}", size("latch", circuit.latches.len()).replace("latchs", "latches"))
        }
        Verdict::Unrealizable(_, Abstraction::Ltl) => "unrealizable as LTL".into(),
        Verdict::Unrealizable(..) => "unrealizable".into(),
        Verdict::Unknown(unknown) => format!("no verdict: {unknown}"),
    }
}

impl KeptVerdicts {
    /// The verdict on a text with the same meaning and the same words, with the ranges of this text.
    fn recall(&mut self, meaning: &str, reading: &Reading, sketch: &Sketch) -> Option<JudgedSpec> {
        let index = self.entries.iter().position(|kept| {
            kept.meaning == meaning && WordPositions::between(&kept.sketch, sketch).is_some()
        })?;
        let kept = self.entries.remove(index)?;
        let places = WordPositions::between(&kept.sketch, sketch)?;
        let moved = |finding: &Finding| {
            let mut finding = finding.clone();
            finding.range = places.of(&finding.range);
            for place in finding.places.iter_mut().filter(|place| place.file.is_none()) {
                place.range = places.of(&place.range);
            }
            finding
        };
        let mut findings: Vec<Finding> = reading.findings.clone();
        findings.extend(kept.judged.findings.iter().map(moved));
        findings.sort_by_key(|finding| finding.range.start);
        let edit = |edit: &TextEdit| TextEdit { range: places.of(&edit.range), text: edit.text.clone() };
        let repairs =
            kept.judged.repairs.iter().map(|repair| {
                EditProposal::new(repair.title.clone(), repair.edits.iter().map(edit).collect())
            });
        let judged = JudgedSpec { findings, repairs: repairs.collect(), reused: true, ..kept.judged.clone() };
        self.entries.push_back(kept);
        Some(judged)
    }

    /// Keeps a verdict without the findings of reading, which are found anew for each text.
    fn keep(&mut self, meaning: String, reading: &Reading, sketch: &Sketch, judged: &JudgedSpec) {
        let mut judged = judged.clone();
        judged.findings.retain(|finding| !reading.findings.contains(finding));
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(EarlierVerdict { meaning, sketch: sketch.clone(), judged });
    }
}

/// Maps positions of one text to those of another one with the same words.
struct WordPositions<'a> {
    before: Vec<&'a Range<usize>>,
    after: Vec<&'a Range<usize>>,
    ends: (usize, usize),
}

impl<'a> WordPositions<'a> {
    fn between(before: &'a Sketch, after: &'a Sketch) -> Option<Self> {
        let words = |sketch: &'a Sketch| {
            let words = sketch.words.iter().filter(|word| word.kind != WordKind::Comment);
            words.map(|word| &word.range).collect::<Vec<_>>()
        };
        let this =
            Self { before: words(before), after: words(after), ends: (before.text.len(), after.text.len()) };
        let same =
            |(a, b): (&&Range<usize>, &&Range<usize>)| before.text[(*a).clone()] == after.text[(*b).clone()];
        let equal = this.before.len() == this.after.len() && this.before.iter().zip(&this.after).all(same);
        equal.then_some(this)
    }

    fn of(&self, range: &Range<usize>) -> Range<usize> {
        if *range == (0..0) {
            return 0..0;
        }
        let start = self.offset(range.start, false);
        let end = if range.is_empty() { start } else { self.offset(range.end, true) };
        start..end.max(start)
    }

    /// The new position of an offset; the end of a range belongs to the word before it.
    fn offset(&self, offset: usize, is_end: bool) -> usize {
        let next =
            self.before.partition_point(|word| if is_end { word.end < offset } else { word.end <= offset });
        match (self.before.get(next), self.after.get(next)) {
            (Some(old), Some(new)) => new.start + offset.saturating_sub(old.start),
            // Behind the last word.
            _ => self.ends.1.saturating_sub(self.ends.0.saturating_sub(offset)),
        }
    }
}
