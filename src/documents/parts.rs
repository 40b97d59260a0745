//! Parts that several documents share: the tool, verdicts, places, diagnostics, clauses, cores, plays.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tsl_synth_core::base::Rational;
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_core::logic::{AtomId, Letter};
use tsl_synth_core::model::{Abstraction, Verdict};
use tsl_synth_core::source::{SourceMap, Span};
use tsl_synth_explain::{Core, LosingPlay, PlayEnding, clause_text, role_word, shown_steps};
use tsl_synth_lang::spec::{ClauseId, Problem, SymbolId, ValueSets};

/// The program that made a document.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This program in this version.
    pub fn new(version: &str) -> Self {
        Self { name: "tsl-synth".into(), version: version.into() }
    }
}

/// A verdict as JSON.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CheckVerdict {
    /// There is a controller.
    Realizable,
    /// There is none, in the sense of the notion.
    Unrealizable,
    /// Neither is known; the reason says why.
    Unknown,
    /// There is nothing to decide: the input cannot be read or has errors, or this program has a bug.
    Error,
}

impl CheckVerdict {
    /// The JSON form of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Realizable(_) => Self::Realizable,
            Verdict::Unrealizable(..) => Self::Unrealizable,
            Verdict::Unknown(_) => Self::Unknown,
        }
    }
}

impl std::fmt::Display for CheckVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Realizable => "REALIZABLE",
            Self::Unrealizable => "UNREALIZABLE",
            Self::Unknown => "UNKNOWN",
            Self::Error => "ERROR",
        })
    }
}

/// In which sense a specification is unrealizable.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckNotion {
    /// The LTL abstraction is unrealizable; a TSL controller may still exist.
    Ltl,
    /// There is no controller.
    Tsl,
}

impl CheckNotion {
    /// The JSON form of a notion.
    pub fn of(notion: Abstraction) -> Self {
        match notion {
            Abstraction::Ltl => Self::Ltl,
            Abstraction::Tsl => Self::Tsl,
        }
    }
}

impl std::fmt::Display for CheckNotion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ltl => "ltl",
            Self::Tsl => "tsl",
        })
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckPosition {
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// In bytes from the beginning of the file, from 0.
    pub byte: u32,
}

/// A range in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct SourcePlace {
    /// The file as it was named.
    pub file: String,
    /// Its first character.
    pub start: CheckPosition,
    /// One past its last character.
    pub end: CheckPosition,
}

impl SourcePlace {
    /// The place of a span.
    pub fn new(map: &SourceMap, span: Span) -> Self {
        let (start, end) = map.positions(span);
        Self {
            file: map.get(span.source).name.clone(),
            start: CheckPosition { line: start.line, column: start.column, byte: span.start },
            end: CheckPosition { line: end.line, column: end.column, byte: span.end },
        }
    }
}

/// A finding about the input.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckDiagnostic {
    /// Stable: `TSL0123`.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// One sentence.
    pub message: String,
    /// The place in the text; absent if there is no text to show.
    #[serde(flatten)]
    pub place: Option<SourcePlace>,
    /// Remarks about places, the first one about the place itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<SourceLabel>,
    /// Suggestions.
    pub hints: Vec<String>,
}

/// A remark about a place.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct SourceLabel {
    /// The remark.
    pub text: String,
    /// The place.
    #[serde(flatten)]
    pub place: SourcePlace,
}

impl CheckDiagnostic {
    /// The JSON form of a diagnostic.
    pub fn new(map: &SourceMap, diagnostic: &Diagnostic) -> Self {
        let labels = &diagnostic.labels;
        Self {
            code: diagnostic.code.to_string(),
            severity: severity_word(diagnostic.severity).into(),
            message: diagnostic.message.clone(),
            place: labels.first().map(|label| SourcePlace::new(map, label.span)),
            labels: labels
                .iter()
                .enumerate()
                .filter(|(i, label)| *i > 0 || !label.text.is_empty())
                .map(|(_, label)| SourceLabel {
                    text: label.text.clone(),
                    place: SourcePlace::new(map, label.span),
                })
                .collect(),
            hints: diagnostic.hints.clone(),
        }
    }
}

/// `error`, `warning` or `note`.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// Clauses that cannot be satisfied together.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckCore {
    /// Whether none of the guarantees can be left out.
    pub minimal: bool,
    /// The guarantees.
    pub guarantees: Vec<CheckClause>,
    /// Related assumptions, which the environment satisfies nevertheless.
    pub assumptions: Vec<CheckClause>,
    /// The guarantees of which it is not known whether they are needed; absent if the core is minimal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<CheckClause>,
}

/// A clause of the specification.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckClause {
    /// `guarantee`, `assumption`, `restriction` or `fact`.
    pub role: String,
    /// As written, on one line.
    pub text: String,
    /// The place in the text; absent for clauses that the language adds.
    #[serde(flatten)]
    pub place: Option<SourcePlace>,
}

impl CheckClause {
    /// The JSON form of a clause.
    pub fn new(problem: &Problem, map: &SourceMap, id: ClauseId) -> Self {
        let clause = &problem.clauses[id];
        Self {
            role: role_word(clause.role).into(),
            text: clause_text(problem, map, id),
            place: clause.span.map(|span| SourcePlace::new(map, span)),
        }
    }
}

impl CheckCore {
    /// The JSON form of a core.
    pub fn new(problem: &Problem, map: &SourceMap, core: &Core) -> Self {
        let clauses = |ids: &[ClauseId]| ids.iter().map(|&id| CheckClause::new(problem, map, id)).collect();
        Self {
            minimal: core.minimal,
            guarantees: clauses(&core.guarantees),
            assumptions: clauses(&core.assumptions),
            undecided: clauses(&core.undecided),
        }
    }
}

/// A counterexample: a play that the environment wins.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckPlay {
    /// The steps.
    pub steps: Vec<CheckStep>,
    /// The steps from this one on repeat forever; absent if the play ends in a violation.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
    /// The clauses that fail.
    pub failures: Vec<CheckFailure>,
    /// Whether the play is minimal: no infinite play against the same counter-strategy in which no guarantee is broken
    /// at some step fails fewer guarantees, or as few in fewer steps. Absent if that is not known, and for finite
    /// plays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortest: bool,
}

/// A step of a play.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, Serialize)]
pub struct CheckStep {
    /// The values of predicate terms and inputs; empty if the system answers first, and every answer violates a clause.
    pub inputs: BTreeMap<String, bool>,
    /// The update of each cell; empty if every answer violates a clause.
    pub updates: BTreeMap<String, String>,
    /// The values of Boolean outputs; empty if every answer violates a clause.
    pub outputs: BTreeMap<String, bool>,
    /// The values of inputs and cells that are numbers, exactly; absent unless comparisons of numbers are computed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, String>,
}

/// A clause that fails on a play.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CheckFailure {
    /// The clause.
    pub clause: CheckClause,
    /// An answer in the last step that violates it; absent if every answer does, or if the loop never satisfies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// The answer of the system as text: `[x <- a], go`.
pub fn answer_words(problem: &Problem, atoms: &[AtomId], answer: &Letter) -> Vec<String> {
    let alphabet = &problem.alphabet;
    let mut words = Vec::new();
    for (id, cell) in alphabet.cells().enumerate() {
        let reported = |option: &AtomId| atoms.contains(option) && !problem.is_hidden(*option);
        if cell.options.iter().any(reported) {
            words.push(alphabet.atoms()[alphabet.chosen(answer, id)].name.clone());
        }
    }
    let enumerated = &problem.signature.enumerated;
    let is_told = |output: AtomId| {
        let signal = enumerated.iter().find(|signal| signal.atoms.contains(&output));
        signal.map_or(atoms.contains(&output), |signal| signal.atoms.iter().any(|own| atoms.contains(own)))
    };
    let outputs = alphabet.outputs().filter(|&output| is_told(output));
    let literals: Vec<(AtomId, bool)> =
        outputs.map(|output| (output, alphabet.holds(output, answer))).collect();
    words.extend(ValueSets::new(problem).texts(&literals, &|output, holds| {
        format!("{}{}", if holds { "" } else { "!" }, alphabet.atoms()[output].name)
    }));
    words
}

impl CheckPlay {
    /// The JSON form of a play.
    pub fn new(problem: &Problem, map: &SourceMap, play: &LosingPlay) -> Self {
        let alphabet = &problem.alphabet;
        let name = |atom: AtomId| alphabet.atoms()[atom].name.clone();
        let shown = |atom: &AtomId| !problem.is_hidden(*atom);
        let inputs = |input: &Letter| {
            let words = alphabet.input_words(input).into_iter();
            words.filter(|word| shown(&word.atom)).map(|word| (word.text, word.holds)).collect()
        };
        let shown_play = shown_steps(problem, play);
        let value = |(symbol, value): &(SymbolId, Rational)| {
            (problem.signature.symbols[*symbol].name.clone(), value.to_string())
        };
        let steps = shown_play.iter().enumerate().map(|(i, step)| CheckStep {
            numbers: play.numbers.get(i).map_or_else(BTreeMap::new, |all| all.iter().map(value).collect()),
            inputs: step.input.as_ref().map(inputs).unwrap_or_default(),
            updates: step
                .output
                .iter()
                .flat_map(|output| {
                    let update = |(id, cell): (_, &tsl_synth_core::logic::Cell)| {
                        (cell.name.clone(), update_term(&name(alphabet.chosen(output, id))))
                    };
                    let cells = alphabet.cells().enumerate();
                    cells.filter(|(_, cell)| cell.options.iter().any(shown)).map(update).collect::<Vec<_>>()
                })
                .collect(),
            outputs: step
                .output
                .iter()
                .flat_map(|output| alphabet.outputs().map(|atom| (name(atom), alphabet.holds(atom, output))))
                .collect(),
        });
        let all: Vec<AtomId> = alphabet.atoms().ids().collect();
        let failures = play.failures.iter().map(|failure| CheckFailure {
            clause: CheckClause::new(problem, map, failure.clause),
            answer: failure.answer.as_ref().map(|answer| answer_words(problem, &all, answer).join(", ")),
        });
        Self {
            steps: steps.collect(),
            repeats_from: match play.ending {
                PlayEnding::Repeats(from) => Some(from),
                PlayEnding::Violated => None,
            },
            failures: failures.collect(),
            shortest: play.shortest,
        }
    }
}

/// The term of an update shown as `[cell <- term]`.
fn update_term(update: &str) -> String {
    let inner = update.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(update);
    inner.split_once(" <- ").map_or(inner, |(_, term)| term).to_string()
}
