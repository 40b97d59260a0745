//! `check`: the certified verdict on a specification, and what explains it.

use super::ports::Event;
use super::questions::{Relay, is_examined, questions};
use super::tuning::{CORE_WORK, HEALTH_WORK, HINT_WORK, HINTS, PLAY_WORK, QUESTION_MEMORY, QUESTION_ROUNDS};
use super::{Failure, FailureKind, Session, SolverOptions, SpecRequest, VERSION};
use crate::base::{Budget, Limit};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::explain::{Core, Effort, Play, Repair, examine, losing_play, minimal_core, repairs, story};
use crate::model::{Form, Notion, Stage, Unknown, Verdict};
use crate::source::{SourceId, SourceMap, Span};
use crate::spec::Problem;
use crate::synth::{Certificate, FailedCertificate, Options, Outcome, Statistics, synthesize};
use crate::wire::{
    CheckCertificate, CheckCore, CheckDiagnostic, CheckDocument, CheckNotion, CheckPlay, CheckRepair,
    CheckResult, CheckVerdict,
};
use std::sync::Arc;
use std::time::Duration;

/// Asks for the verdict on a specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckRequest {
    /// The specification.
    pub spec: SpecRequest,
    /// How it is solved.
    pub solver: SolverOptions,
    /// Only the verdict: no explanation, no semantic warnings, no smaller machine than the first.
    pub verdict_only: bool,
}

impl CheckRequest {
    /// Asks for the verdict with its explanation.
    pub fn new(spec: SpecRequest) -> Self {
        Self { spec, solver: SolverOptions::default(), verdict_only: false }
    }
}

/// Why a specification is unrealizable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// Clauses that cannot be kept together.
    pub core: Core,
    /// A play that the environment wins against the core, where one was found.
    pub play: Option<Play>,
    /// The play in a sentence.
    pub sentence: Option<String>,
    /// What would help, best first.
    pub repairs: Vec<Repair>,
}

/// The verdict on a specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckReport {
    /// The name of the specification: its files, or `<formula>`.
    pub name: String,
    /// What was solved, with the facts of TSL that refinement added; `None` if it was never read.
    pub problem: Option<Arc<Problem>>,
    /// Its first text.
    pub source: Option<SourceId>,
    /// The answer with its strategy.
    pub verdict: Verdict,
    /// How the answer was checked; `None` for UNKNOWN and where certificates are turned off.
    pub certificate: Option<Certificate>,
    /// Why it is unrealizable.
    pub explanation: Option<Explanation>,
    /// Everything there is to say about the input.
    pub diagnostics: Diagnostics,
    /// What the engines did.
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
            certificate: None,
            explanation: None,
            diagnostics: Diagnostics::new(),
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
            certificate: outcome.certificate,
            explanation: None,
            diagnostics,
            statistics: outcome.statistics,
            time: Duration::ZERO,
            certificate_time,
        }
    }
    /// Whether there is a controller.
    pub fn is_realizable(&self) -> bool {
        matches!(self.verdict, Verdict::Realizable(_))
    }
    /// Whether there is none.
    pub fn is_unrealizable(&self) -> bool {
        matches!(self.verdict, Verdict::Unrealizable(..))
    }
    /// In which sense the specification is unrealizable.
    pub fn notion(&self) -> Option<Notion> {
        match self.verdict {
            Verdict::Unrealizable(_, notion) => Some(notion),
            _ => None,
        }
    }
    /// Why there is no controller, or no answer, in a sentence.
    pub fn reason(&self) -> Option<String> {
        match &self.verdict {
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
            Verdict::Realizable(Form::Explicit(machine)) => (Some(machine.states.len()), None),
            Verdict::Unrealizable(Form::Explicit(machine), _) => (Some(machine.states.len()), None),
            Verdict::Realizable(Form::Circuit(circuit))
            | Verdict::Unrealizable(Form::Circuit(circuit), _) => (None, Some(circuit)),
            Verdict::Unknown(_) => (None, None),
        };
        let explained = self.problem.as_deref().zip(self.explanation.as_ref());
        CheckResult {
            verdict: CheckVerdict::of(&self.verdict),
            reason: self.reason(),
            notion: self.notion().map(CheckNotion::of),
            engine: self.statistics.engine.map(|engine| engine.to_string()),
            bound: self.statistics.bound,
            seconds: self.time.as_secs_f64(),
            certificate_seconds: self.certificate_time.map(|time| time.as_secs_f64()),
            states,
            latches: circuit.map(|circuit| circuit.latches.len()),
            gates: circuit.map(|circuit| circuit.gates.len()),
            certificate: self
                .certificate
                .as_ref()
                .map(|c| CheckCertificate { checked: true, by: c.by.to_string() }),
            diagnostics: self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect(),
            core: explained.map(|(problem, e)| CheckCore::new(problem, sources, &e.core)),
            play: explained.and_then(|(problem, e)| Some(CheckPlay::new(problem, sources, e.play.as_ref()?))),
            hints: self.hints(sources),
            log: self.statistics.log.clone(),
            ..CheckResult::unknown(&self.name, String::new())
        }
    }
    /// The document of `check --format json`.
    pub fn document(&self, sources: &SourceMap) -> CheckDocument {
        CheckDocument::new(VERSION, vec![self.result(sources)])
    }

    /// The diagnostics together with the verdict, for formats that know only findings.
    pub fn findings(&self, sources: &SourceMap) -> Vec<Diagnostic> {
        let reason = self.reason().unwrap_or_default();
        let verdict = match &self.verdict {
            Verdict::Realizable(_) => None,
            Verdict::Unrealizable(_, notion) => {
                let message = format!("`{}` is unrealizable. {reason}", self.name);
                let mut diagnostic = Diagnostic::error(Code::UNREALIZABLE, message);
                for (span, remark) in self.at_fault() {
                    diagnostic = diagnostic.at(span, remark);
                }
                if *notion == Notion::Ltl {
                    diagnostic = diagnostic.hint(LTL_NOTION);
                }
                for hint in self.hints(sources) {
                    diagnostic = diagnostic.hint(format!("what would help: {}", hint.sentence()));
                }
                Some(diagnostic)
            }
            Verdict::Unknown(_) => {
                let message = format!("no answer for `{}`: {reason}", self.name);
                Some(Diagnostic::warning(Code::NO_ANSWER, message))
            }
        };
        let verdict = verdict.map(|diagnostic| self.placed(diagnostic));
        verdict.into_iter().chain(self.diagnostics.iter().cloned()).collect()
    }

    /// A finding about the whole specification points to the beginning of its first text.
    fn placed(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.source {
            Some(source) if diagnostic.labels.is_empty() => diagnostic.at(Span::new(source, 0, 0), ""),
            _ => diagnostic,
        }
    }

    /// The places of the core, for annotations.
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

impl CheckReport {
    /// What UNREALIZABLE does not say, where the notion is `ltl`.
    pub fn notion_remark(&self) -> Option<&'static str> {
        (self.notion() == Some(Notion::Ltl)).then_some(LTL_NOTION)
    }
}

impl Session<'_> {
    /// The certified verdict on a specification, and what explains it. A limit is an answer: UNKNOWN.
    ///
    /// # Errors
    /// Errors of the input, or a defect of this program.
    pub fn check(&mut self, request: &CheckRequest) -> Result<CheckReport, Failure> {
        self.deep(|session| session.check_here(request))
    }

    fn check_here(&mut self, request: &CheckRequest) -> Result<CheckReport, Failure> {
        let start = self.clock.now();
        let name = request.spec.name(self.loader);
        let (mut problem, diagnostics) = match self.problem(&request.spec) {
            Ok(read) => read,
            Err(Failure { kind: FailureKind::Limit { limit, .. }, diagnostics, .. }) => {
                let unknown = CheckReport::unknown(name, Stage::Reading, limit);
                return Ok(CheckReport { diagnostics, source: self.first_source(), ..unknown });
            }
            Err(failure) => return Err(failure),
        };
        let options = request.solver.options(self.cancel.clone(), !request.verdict_only);
        let relay = Relay::new(self.observer, self.clock);
        let outcome = match synthesize(&mut problem, &options, &relay) {
            Ok(outcome) => outcome,
            Err(failed) => return Err(Failure::from(failed).after(diagnostics)),
        };
        let mut report = CheckReport::solved(name, problem, outcome, diagnostics, relay.certificate());
        report.source = self.first_source();
        report.time = self.clock.now().saturating_sub(start);
        let Some(problem) = report.problem.clone() else { return Ok(report) };
        if report.is_unrealizable() && problem.uninterpreted_arithmetic {
            report.diagnostics.push(arithmetic_note());
        }
        if !matches!(report.verdict, Verdict::Unknown(_)) {
            self.observer.event(Event::Verdict { report: &report, sources: &self.sources });
            if !request.verdict_only {
                self.explain_verdict(&problem, &options, &mut report, &relay)?;
            }
        }
        report.time = self.clock.now().saturating_sub(start);
        Ok(report)
    }

    fn explain_verdict(
        &self,
        problem: &Problem,
        options: &Options,
        report: &mut CheckReport,
        relay: &Relay<'_>,
    ) -> Result<(), FailedCertificate> {
        let log = &mut report.statistics.log;
        // One after the other the questions count the same every time.
        let options = Options { threads: 1, ..options.clone() };
        let within = |work| questions(&options, options.stop.within(work), QUESTION_ROUNDS, QUESTION_MEMORY);
        if let Verdict::Unrealizable(counter, notion) = &report.verdict {
            let asked = within(CORE_WORK);
            let core = minimal_core(problem, counter.as_explicit(), *notion, &asked, relay)?;
            log.push(format!("clauses at fault: {} units of work", asked.stop.spent()));
            let budget = Budget::unlimited().with_flag(options.stop.clone()).with_work(PLAY_WORK);
            let play = match losing_play(problem, &core, &budget) {
                Ok(play) => Some(play),
                Err(limit) => {
                    log.push(format!("no play to show: {limit}"));
                    None
                }
            };
            let sentence = play.as_ref().map(|play| story(problem, &self.sources, &core, play));
            let asked = within(HINT_WORK);
            let repairs = repairs(problem, &core, Effort::HINT, &asked, relay)?.repairs;
            log.push(format!("hints: {} units of work", asked.stop.spent()));
            report.explanation = Some(Explanation { core, play, sentence, repairs });
        }
        if is_examined(problem) {
            let asked = within(HEALTH_WORK);
            let found = examine(problem, &self.sources, report.is_realizable(), &asked, relay)?;
            report.statistics.log.push(format!("health: {} units of work", asked.stop.spent()));
            report.diagnostics.append(found);
        }
        Ok(())
    }
}

fn arithmetic_note() -> Diagnostic {
    Diagnostic::note(
        Code::UNINTERPRETED_ARITHMETIC,
        "arithmetic or comparisons in this specification are not computed: that it is unrealizable may hang on them",
    )
    .hint("declare the cells with a finite range, such as `cell c: 0..9 = 0;`, to have them followed exactly")
}
