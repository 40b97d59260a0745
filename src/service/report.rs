//! The report of `check`, and its conversion to documents and diagnostics.

use super::VERSION;
use super::advice::Advice;
use super::program::ProgramReport;
use super::tuning::HINTS;
use std::sync::Arc;
use std::time::Duration;
use tsl_synth_core::base::{Limit, LimitKind};
use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::model::{Abstraction, Stage, StrategyRepr, Unknown, Verdict};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_documents::{
    CheckAdvice, CheckCertificate, CheckCore, CheckDiagnostic, CheckDocument, CheckFriendly, CheckNotion,
    CheckPlay, CheckRepair, CheckResult, CheckVerdict,
};
use tsl_synth_engine::synth::{Certificate, Friendliness, Outcome, Statistics};
use tsl_synth_explain::{Core, LosingPlay, Repair, may_hang_on_arithmetic};
use tsl_synth_lang::spec::Problem;

/// Why a specification is unrealizable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// Clauses that cannot be kept together.
    pub core: Core,
    /// A play that the environment wins against the core, if one was found.
    pub play: Option<LosingPlay>,
    /// The play in a sentence.
    pub sentence: Option<String>,
    /// Repairs, best first.
    pub repairs: Vec<Repair>,
    /// How complete the search for repairs is.
    pub searched: Searched,
}

/// How complete a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Searched {
    /// It has not begun.
    NotYet,
    /// A limit ended it.
    Partly,
    /// It was completed.
    Fully,
}

/// The verdict on a specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckReport {
    /// The name of the specification: its files, or `<formula>`.
    pub name: String,
    /// The problem that was solved, with the facts of TSL that refinement added; `None` if it was never read.
    pub problem: Option<Arc<Problem>>,
    /// Its first text.
    pub source: Option<SourceId>,
    /// The answer with its strategy.
    pub verdict: Verdict,
    /// The answer of a game over numbers, where the engines for propositions have none. Then [`CheckReport::verdict`] is
    /// [`Verdict::Unknown`] or an UNREALIZABLE of notion `ltl`, and [`CheckReport::answer`] the answer.
    pub numbers: Option<ProgramReport>,
    /// How the answer was checked; `None` for UNKNOWN and where certificates are turned off.
    pub certificate: Option<Certificate>,
    /// Whether the controller makes the assumptions false, and whether it has to.
    pub friendly: Friendliness,
    /// The time that this took after the verdict, part of [`CheckReport::time`].
    pub friendly_time: Duration,
    /// Why it is unrealizable.
    pub explanation: Option<Explanation>,
    /// What is known without a verdict, and what may help.
    pub advice: Option<Advice>,
    /// All findings about the input.
    pub diagnostics: Diagnostics,
    /// The limit that ended the explanation before its end.
    pub cut_short: Option<LimitKind>,
    /// Findings of [`CheckRequest::denied`](super::CheckRequest::denied) that could not be decided.
    pub undecided: Vec<Code>,
    /// The statistics and the log of the engines.
    pub statistics: Statistics,
    /// Time by the clock of the session.
    pub time: Duration,
    /// The part of it that the certificate took.
    pub certificate_time: Option<Duration>,
}

impl CheckReport {
    /// A report without an answer.
    pub fn unknown(name: String, stage: Stage, limit: Limit) -> Self {
        Self {
            name,
            problem: None,
            source: None,
            verdict: Verdict::Unknown(Unknown { stage, limit }),
            numbers: None,
            certificate: None,
            friendly: Friendliness::NotAsked,
            friendly_time: Duration::ZERO,
            explanation: None,
            advice: None,
            diagnostics: Diagnostics::new(),
            cut_short: None,
            undecided: Vec::new(),
            statistics: Statistics::default(),
            time: Duration::ZERO,
            certificate_time: None,
        }
    }
    /// The report of an outcome; facts that refinement added become clauses.
    pub(super) fn solved(
        name: String,
        mut problem: Problem,
        outcome: Outcome,
        diagnostics: Diagnostics,
        certificate_time: Option<Duration>,
    ) -> Self {
        for constraint in outcome.constraints {
            problem.clauses.push(constraint);
        }
        Self {
            name,
            problem: Some(Arc::new(problem)),
            source: None,
            verdict: outcome.verdict,
            numbers: None,
            certificate: outcome.certificate,
            friendly: outcome.friendly,
            friendly_time: Duration::ZERO,
            explanation: None,
            advice: None,
            diagnostics,
            cut_short: None,
            undecided: Vec::new(),
            statistics: outcome.statistics,
            time: Duration::ZERO,
            certificate_time,
        }
    }
    /// Replaces the answer by that of another outcome for the same problem.
    pub(super) fn answered_by(&mut self, outcome: &Outcome) {
        self.verdict.clone_from(&outcome.verdict);
        self.certificate.clone_from(&outcome.certificate);
        self.friendly.clone_from(&outcome.friendly);
        self.statistics.clone_from(&outcome.statistics);
    }
    /// The report of work that this limit ended.
    #[must_use]
    pub fn cut_short_by(self, kind: LimitKind) -> Self {
        Self { cut_short: Some(kind), ..self }
    }
    /// The answer, of whichever engine.
    pub fn answer(&self) -> CheckVerdict {
        self.numbers.as_ref().map_or_else(|| CheckVerdict::of(&self.verdict), ProgramReport::verdict)
    }
    /// Whether there is a controller.
    pub fn is_realizable(&self) -> bool {
        self.answer() == CheckVerdict::Realizable
    }
    /// Whether the verdict is UNREALIZABLE.
    pub fn is_unrealizable(&self) -> bool {
        self.answer() == CheckVerdict::Unrealizable
    }
    /// In which sense the specification is unrealizable.
    pub fn notion(&self) -> Option<Abstraction> {
        if self.numbers.is_some() {
            return self.is_unrealizable().then_some(Abstraction::Tsl);
        }
        match self.verdict {
            Verdict::Unrealizable(_, notion) => Some(notion),
            _ => None,
        }
    }
    /// Why there is no controller, or no answer, in a sentence.
    pub fn reason(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Unknown(_) if self.numbers.is_some() => self.explanation.as_ref()?.sentence.clone(),
            Verdict::Unknown(unknown) => Some(unknown.to_string()),
            _ => self.explanation.as_ref()?.sentence.clone(),
        }
    }
    /// The repairs as they are shown: the best few.
    pub fn hints(&self, sources: &SourceMap) -> Vec<CheckRepair> {
        let (Some(problem), Some(explanation)) = (&self.problem, &self.explanation) else {
            return Vec::new();
        };
        let best = explanation.repairs.iter().take(HINTS);
        best.map(|repair| CheckRepair::new(problem, sources, repair)).collect()
    }

    /// The result in the document of `check --format json`.
    pub fn result(&self, sources: &SourceMap) -> CheckResult {
        let (states, circuit) = match &self.verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => (Some(machine.states.len()), None),
            Verdict::Unrealizable(StrategyRepr::Explicit(machine), _) => (Some(machine.states.len()), None),
            Verdict::Realizable(StrategyRepr::Circuit(circuit))
            | Verdict::Unrealizable(StrategyRepr::Circuit(circuit), _) => (None, Some(circuit)),
            Verdict::Unknown(_) => (None, None),
        };
        let explained = self.problem.as_deref().zip(self.explanation.as_ref());
        CheckResult {
            verdict: self.answer(),
            reason: self.reason(),
            notion: self.notion().map(CheckNotion::of),
            remark: self.remark().map(str::to_owned),
            engine: self.statistics.engine.map(|engine| engine.to_string()),
            bound: self.statistics.bound,
            seconds: self.time.as_secs_f64(),
            certificate_seconds: self.certificate_time.map(|time| time.as_secs_f64()),
            states,
            latches: circuit.map(|circuit| circuit.latches.len()),
            gates: circuit.map(|circuit| circuit.gates.len()),
            certificate: self.certificate_document(),
            friendly: CheckFriendly::of(&self.friendly),
            diagnostics: self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect(),
            core: explained.map(|(problem, e)| CheckCore::new(problem, sources, &e.core)),
            play: match &self.numbers {
                Some(numbers) => numbers.check_play(),
                None => explained
                    .and_then(|(problem, e)| Some(CheckPlay::new(problem, sources, e.play.as_ref()?))),
            },
            hints: self.hints(sources),
            advice: self.advice_document(sources),
            log: self.statistics.log.clone(),
            ..CheckResult::unknown(&self.name, String::new())
        }
    }
    /// The JSON form of the advice.
    pub fn advice_document(&self, sources: &SourceMap) -> Option<CheckAdvice> {
        Some(self.advice.as_ref()?.document(self.problem.as_deref()?, sources))
    }
    /// The document of `check --format json`.
    pub fn document(&self, sources: &SourceMap) -> CheckDocument {
        CheckDocument::new(VERSION, vec![self.result(sources)])
    }

    /// The diagnostics together with the verdict, for formats that have only findings.
    pub fn findings(&self, sources: &SourceMap) -> Vec<Diagnostic> {
        let reason = self.reason().unwrap_or_default();
        let verdict = match self.answer() {
            CheckVerdict::Realizable => None,
            CheckVerdict::Unrealizable => {
                let message = format!("`{}` is unrealizable. {reason}", self.name);
                let mut diagnostic = Diagnostic::error(Code::UNREALIZABLE, message);
                for (span, remark) in self.at_fault() {
                    diagnostic = diagnostic.at(span, remark);
                }
                if let Some(remark) = self.remark() {
                    diagnostic = diagnostic.hint(remark);
                }
                for hint in self.hints(sources) {
                    diagnostic = diagnostic.hint(format!("possible repair (checked): {}", hint.sentence()));
                }
                Some(diagnostic)
            }
            CheckVerdict::Unknown | CheckVerdict::Error => {
                let message = format!("no answer for `{}`: {reason}", self.name);
                Some(Diagnostic::warning(Code::NO_ANSWER, message))
            }
        };
        let uncertified = self.is_uncertified().then(|| {
            let message = format!("the verdict {} on `{}` is not certified", self.answer(), self.name);
            Diagnostic::warning(Code::NOT_CERTIFIED, message).hint("leave out `--no-certify`")
        });
        let own = verdict.into_iter().chain(uncertified).map(|diagnostic| self.placed(diagnostic));
        own.chain(self.diagnostics.iter().cloned()).collect()
    }

    /// Whether there is a verdict, and it is not certified.
    pub fn is_uncertified(&self) -> bool {
        self.certified_by().is_none() && self.answer() != CheckVerdict::Unknown
    }

    /// How the answer was checked.
    pub fn certified_by(&self) -> Option<String> {
        match &self.numbers {
            Some(numbers) => numbers.certificate(),
            None => self.certificate.as_ref().map(ToString::to_string),
        }
    }

    fn certificate_document(&self) -> Option<CheckCertificate> {
        let unchecked =
            CheckCertificate { checked: false, by: "nothing: certificates are turned off".into() };
        match self.certified_by() {
            Some(by) => Some(CheckCertificate { checked: true, by }),
            None => self.is_uncertified().then_some(unchecked),
        }
    }

    /// Places a finding about the whole specification at the beginning of its first text.
    fn placed(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.source {
            Some(source) if diagnostic.labels.is_empty() => diagnostic.at(Span::new(source, 0, 0), ""),
            _ => diagnostic,
        }
    }

    /// The spans of the core, for annotations.
    fn at_fault(&self) -> Vec<(Span, &'static str)> {
        let (Some(problem), Some(explanation)) = (&self.problem, &self.explanation) else {
            return Vec::new();
        };
        let guarantees = &explanation.core.guarantees;
        let remark = match guarantees.len() {
            1 => "cannot be kept",
            _ => "cannot be kept together with the other places shown",
        };
        guarantees.iter().filter_map(|&id| Some((problem.clauses[id].span?, remark))).collect()
    }
}

/// What UNREALIZABLE means with notion `ltl`.
pub(super) const LTL_NOTION: &str =
    "notion ltl: no controller exists for the LTL abstraction; a TSL controller may still exist";

/// What UNREALIZABLE means if the values of arithmetic are chosen by the environment. A controller is right for every
/// meaning of the operators, so that REALIZABLE needs no remark.
const ARITHMETIC: &str =
    "arithmetic is not computed, nor are comparisons: over numbers there may be a controller";

impl CheckReport {
    /// What an UNREALIZABLE does not say: its notion is `ltl`, or it may depend on arithmetic that is not computed.
    pub fn remark(&self) -> Option<&'static str> {
        let is_uninterpreted = self.problem.as_ref().is_some_and(|problem| match &self.explanation {
            Some(explanation) => may_hang_on_arithmetic(problem, &explanation.core),
            None => problem.signature.uninterpreted_arithmetic,
        });
        match self.notion()? {
            Abstraction::Ltl => Some(LTL_NOTION),
            Abstraction::Tsl => is_uninterpreted.then_some(ARITHMETIC),
        }
    }
}
