//! The result of reading a text: errors, warnings and notes, and its names.

use super::super::{Failure, FailureKind, Input, SpecRequest};
use super::sketch::NameRole;
use crate::Session;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use tsl_synth_core::base::sha256;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::logic::Player;
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_lang::spec::{
    Language, LiteralValue, Overflow, Problem, Sort, Symbol, SymbolKind, Term, Wordings,
};

/// A location of a finding with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FindingPlace {
    /// The file, if it is not the text itself but one that it imports.
    pub file: Option<String>,
    /// The byte range.
    pub range: Range<usize>,
    /// A remark on the range; may be empty.
    pub remark: String,
}

/// A finding about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Its code.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// Where to show it in the text: its first span in the text itself, else the beginning.
    pub range: Range<usize>,
    /// All spans; the first is what the finding is about.
    pub places: Vec<FindingPlace>,
    /// Suggestions what to do.
    pub hints: Vec<String>,
}

impl Finding {
    pub(super) fn new(diagnostic: &Diagnostic, map: &SourceMap, main: Option<SourceId>) -> Self {
        let place = |span: Span, remark: &str| FindingPlace {
            file: (Some(span.source) != main).then(|| map.get(span.source).name.clone()),
            range: span.range(),
            remark: remark.to_string(),
        };
        let places: Vec<_> = diagnostic.labels.iter().map(|label| place(label.span, &label.text)).collect();
        let own = places.iter().find(|place| place.file.is_none());
        Self {
            code: diagnostic.code,
            severity: diagnostic.severity,
            message: diagnostic.message.clone(),
            range: own.map_or(0..0, |place| place.range.clone()),
            places,
            hints: diagnostic.hints.clone(),
        }
    }
}

/// A name as it was found when the specification was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownName {
    /// Its role.
    pub role: NameRole,
    /// `Bool`, `A -> B -> Bool`, `0..3`; empty where the language has no sorts.
    pub sort: String,
    /// Its initial value, if one is declared.
    pub initial: Option<String>,
    /// Its declared modifiers: `noisy`, `saturating`, `wrapping`.
    pub modifiers: Vec<&'static str>,
}

/// The names of a specification that could be read.
pub type KnownNames = BTreeMap<String, KnownName>;

/// What the editor shows of a text after parsing and checking it, without solving: a specification or a policy.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Reading {
    /// Errors, warnings and notes, in the order of the text.
    pub findings: Vec<Finding>,
    /// Its names, if it has no errors.
    pub names: Option<KnownNames>,
    /// A hash of its meaning, if it has no errors: texts that differ only in comments and blanks have the same hash.
    pub meaning: Option<String>,
}

impl Session<'_> {
    /// Reads a specification without solving it.
    pub fn read_spec(&mut self, request: &SpecRequest) -> Reading {
        match self.deep(|session| session.problem(request)) {
            Ok((problem, diagnostics)) => Reading {
                findings: self.found(&diagnostics),
                names: Some(names_of(&problem)),
                meaning: Some(meaning(&problem)),
            },
            Err(failure) => self.unread(&failure),
        }
    }

    /// Reads a policy without looking for conflicts.
    pub fn read_policy(&mut self, policy: &Input) -> Reading {
        self.begin = self.sources.iter().count();
        match self.policy(policy) {
            Ok(loaded) => Reading {
                findings: self.found(&loaded.diagnostics),
                names: None,
                meaning: Some(loaded.sha256),
            },
            Err(failure) => self.unread(&failure),
        }
    }

    fn unread(&self, failure: &Failure) -> Reading {
        Reading { findings: self.failed(failure), names: None, meaning: None }
    }

    /// The findings of a failure, with one for the failure itself unless it is an error in the text.
    pub(super) fn failed(&self, failure: &Failure) -> Vec<Finding> {
        let mut diagnostics = failure.diagnostics.clone();
        match &failure.kind {
            FailureKind::Input => {}
            FailureKind::Limit { .. } => {
                diagnostics
                    .push(Diagnostic::warning(Code::NO_ANSWER, format!("no answer: {}", failure.reason())));
            }
            _ => diagnostics.push(Diagnostic::error(Code::SYNTAX, failure.reason())),
        }
        self.found(&diagnostics)
    }

    pub(super) fn found(&self, diagnostics: &Diagnostics) -> Vec<Finding> {
        let main = self.first_source();
        let mut findings: Vec<_> =
            diagnostics.iter().map(|diagnostic| Finding::new(diagnostic, &self.sources, main)).collect();
        findings.sort_by_key(|finding| finding.range.start);
        findings
    }
}

/// A hash of everything in a problem but spans.
fn meaning(problem: &Problem) -> String {
    let mut plain = problem.clone();
    plain.clauses = problem
        .clauses
        .iter()
        .map(|clause| tsl_synth_lang::spec::Clause { span: None, ..clause.clone() })
        .collect();
    plain.invariants = Vec::new();
    plain.wordings = Wordings::default();
    let mut text = String::new();
    // Tables are filled in the order of the text, so equal texts print equally.
    let _ = write!(text, "{plain:?}");
    sha256(text.as_bytes())
}

fn names_of(problem: &Problem) -> KnownNames {
    let mut names = KnownNames::new();
    if problem.language == Language::Tsl {
        for symbol in problem.signature.symbols.iter().filter(|symbol| !symbol.hidden) {
            names.insert(symbol.name.clone(), known(problem, symbol));
        }
        return names;
    }
    let shown = problem.shown_alphabet();
    for (atom, info) in shown.atoms().enumerate() {
        let role = match shown.player(atom) {
            Player::Environment => NameRole::Input,
            Player::System => NameRole::Output,
        };
        let known = KnownName { role, sort: String::new(), initial: None, modifiers: Vec::new() };
        names.insert(info.name.clone(), known);
    }
    names
}

fn known(problem: &Problem, symbol: &Symbol) -> KnownName {
    let role = match symbol.kind {
        SymbolKind::Input => NameRole::Input,
        SymbolKind::Cell => NameRole::Cell,
        SymbolKind::Output => NameRole::Output,
        SymbolKind::Function => NameRole::Function,
        SymbolKind::Constant => NameRole::Constant,
        SymbolKind::Predicate => NameRole::Predicate,
    };
    let sorts = symbol.arguments.iter().chain([&symbol.sort]).map(sort_text);
    let initial = symbol.initial.map(|term| match problem.signature.terms.get(term) {
        Term::Literal(LiteralValue::Variant(name)) => name.clone(),
        _ => problem.signature.display(term),
    });
    let mut modifiers = Vec::new();
    if symbol.noisy {
        modifiers.push("noisy");
    }
    match symbol.overflow {
        Overflow::Unavailable => {}
        Overflow::Saturating => modifiers.push("saturating"),
        Overflow::Wrapping => modifiers.push("wrapping"),
    }
    KnownName { role, sort: sorts.collect::<Vec<_>>().join(" -> "), initial, modifiers }
}

fn sort_text(sort: &Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::Number => "number".into(),
        Sort::Int => "Int".into(),
        Sort::Real => "Real".into(),
        Sort::Range(low, high) => format!("{low}..{high}"),
        Sort::Enum(values) => format!("enum {{{}}}", values.join(", ")),
        Sort::Named(name) => name.clone(),
        Sort::Inferred(number) => format!("sort{}", number + 1),
    }
}
