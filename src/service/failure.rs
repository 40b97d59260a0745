//! Why a request has no report.

use super::VERSION;
use tsl_synth_core::base::Limit;
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics, Severity};
use tsl_synth_core::logic::Player;
use tsl_synth_core::model::{Abstraction, Stage};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{CheckDiagnostic, CheckDocument, CheckResult, CheckVerdict, EmitDocument};
use tsl_synth_engine::synth::FailedCertificate;
use tsl_synth_gate::UnusablePolicy;

/// Why a request has no report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// Which kind of failure it is.
    pub kind: FailureKind,
    /// All findings about the input; for [`FailureKind::Input`] at least one of them is an error.
    pub diagnostics: Diagnostics,
}

/// The kinds of failure.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FailureKind {
    /// The input has errors; the diagnostics say which.
    Input,
    /// The request is not possible for this input; the text says why.
    Unsupported(String),
    /// This player has no winning strategy to emit: the other player wins, certified unless certificates are turned
    /// off.
    NoStrategy {
        /// The player without a strategy.
        player: Player,
        /// In which sense the specification is unrealizable, if it is.
        notion: Option<Abstraction>,
    },
    /// A limit was reached.
    Limit {
        /// The stage of synthesis in which it was reached, if it was in one.
        stage: Option<Stage>,
        /// The limit.
        limit: Limit,
    },
    /// An answer failed its certificate check: a defect of this program.
    Certificate(Box<FailedCertificate>),
    /// Another defect of this program.
    Internal(String),
}

impl Failure {
    pub(super) fn of_kind(kind: FailureKind) -> Self {
        Self { kind, diagnostics: Diagnostics::new() }
    }
    /// A defect of this program.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::of_kind(FailureKind::Internal(message.into()))
    }
    /// A panic.
    pub(super) fn panic(panic: &(dyn std::any::Any + Send)) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Self::internal(text.unwrap_or("a panic without a message"))
    }
    /// A limit that was reached in a stage of synthesis.
    pub(super) fn limit(stage: Stage, limit: Limit) -> Self {
        Self::of_kind(FailureKind::Limit { stage: Some(stage), limit })
    }
    /// This player has no strategy.
    pub(super) fn no_strategy(player: Player, notion: Option<Abstraction>) -> Self {
        Self::of_kind(FailureKind::NoStrategy { player, notion })
    }
    /// The request is not possible for this input.
    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::of_kind(FailureKind::Unsupported(message.into()))
    }
    /// The input has errors.
    pub(super) fn input(diagnostics: Diagnostics) -> Self {
        Self { kind: FailureKind::Input, diagnostics }
    }
    /// Adds this hint to every diagnostic.
    pub(super) fn hint(mut self, hint: &str) -> Self {
        self.diagnostics = std::mem::take(&mut self.diagnostics)
            .into_iter()
            .map(|diagnostic| diagnostic.hint(hint))
            .collect();
        self
    }
    /// Prepends the diagnostics that were found before.
    pub(super) fn after(mut self, mut found: Diagnostics) -> Self {
        found.append(self.diagnostics);
        self.diagnostics = found;
        self
    }
    /// The verdict for this failure: UNKNOWN for a limit, else ERROR.
    pub fn verdict(&self) -> CheckVerdict {
        match self.kind {
            FailureKind::Limit { .. } => CheckVerdict::Unknown,
            _ => CheckVerdict::Error,
        }
    }
    /// The result of `check --format json` for this failure, with a reason.
    pub fn check_result(&self, spec: &str, sources: &SourceMap) -> CheckResult {
        let mut result = CheckResult::unknown(spec, self.reason());
        result.verdict = self.verdict();
        result.diagnostics = self.check_diagnostics(sources);
        result
    }
    fn check_diagnostics(&self, sources: &SourceMap) -> Vec<CheckDiagnostic> {
        self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect()
    }
    /// The diagnostics with the failure itself, for formats that have only findings.
    pub fn findings(&self, spec: &str) -> Vec<Diagnostic> {
        let message = || format!("no answer for `{spec}`: {}", self.reason());
        let own = (!self.is_of_input()).then(|| Diagnostic::warning(Code::NO_ANSWER, message()));
        own.into_iter().chain(self.diagnostics.iter().cloned()).collect()
    }
    /// The document of `check --format json` for this failure.
    pub fn check_document(&self, spec: &str, sources: &SourceMap) -> CheckDocument {
        CheckDocument::new(VERSION, vec![self.check_result(spec, sources)])
    }
    /// The document of `emit --format json` for this failure: without files.
    pub fn emit_document(&self, spec: &str, lang: &str, sources: &SourceMap) -> EmitDocument {
        let mut document = EmitDocument::new(VERSION, spec, lang, Vec::new());
        document.verdict = Some(match self.kind {
            FailureKind::NoStrategy { player: Player::System, .. } => CheckVerdict::Unrealizable,
            FailureKind::NoStrategy { player: Player::Environment, .. } => CheckVerdict::Realizable,
            _ => self.verdict(),
        });
        document.reason = Some(self.reason());
        document.diagnostics = self.check_diagnostics(sources);
        document
    }
    /// Whether the input is at fault, and not this program or a limit.
    pub fn is_of_input(&self) -> bool {
        matches!(self.kind, FailureKind::Input | FailureKind::Unsupported(_))
    }
    /// Why there is no report, without the diagnostics.
    pub fn reason(&self) -> String {
        match &self.kind {
            FailureKind::Input => "the input has errors".into(),
            FailureKind::Unsupported(message) => message.clone(),
            FailureKind::NoStrategy { player: Player::Environment, .. } => {
                "the specification is realizable: there is no counter-strategy".into()
            }
            FailureKind::NoStrategy { notion: Some(Abstraction::Ltl), .. } => {
                "the specification is unrealizable as LTL (notion ltl): no controller was found, and one may exist".into()
            }
            FailureKind::NoStrategy { .. } => {
                "the specification is unrealizable: there is no controller".into()
            }
            FailureKind::Limit { stage: Some(stage), limit } => format!("{stage}: {limit}"),
            FailureKind::Limit { stage: None, limit } => limit.to_string(),
            FailureKind::Certificate(failed) => format!("internal error: {failed}"),
            FailureKind::Internal(message) => format!("internal error: {message}"),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason())?;
        let first = self.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        match first {
            Some(first) => write!(f, ": {first}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(diagnostic);
        Self::input(diagnostics)
    }
}

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::input(diagnostics)
    }
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Self {
        Self::of_kind(FailureKind::Limit { stage: None, limit })
    }
}

impl From<UnusablePolicy> for Failure {
    fn from(unusable: UnusablePolicy) -> Self {
        match unusable {
            UnusablePolicy::Text(diagnostics) => diagnostics.into(),
            UnusablePolicy::Limit(limit) => limit.into(),
        }
    }
}

impl From<FailedCertificate> for Failure {
    fn from(failed: FailedCertificate) -> Self {
        Self::of_kind(FailureKind::Certificate(Box::new(failed)))
    }
}
