//! `explain SPEC`: why a specification has no controller, and what would help.

use super::advice::Advice;
use super::ports::Event;
use super::questions::{CertificateTimer, is_examined, long_questions};
use super::tuning::{
    LARGE_HINT_WORK, LARGE_PLAY_WORK, LONG_CORE_SHARE, LONG_CORE_WORK, LONG_FRIENDLY_WORK, LONG_HINT_WORK,
    LONG_PLAY_WORK, PLAY_WORK, REPAIRS,
};
use super::{CheckReport, Explanation, Failure, FailureKind, Searched, SolverOptions, SpecRequest, VERSION};
use crate::Session;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::diag::Code;
use tsl_synth_core::model::{Stage, StrategyRepr, Verdict};
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{
    CheckDiagnostic, CheckNotion, CheckPlay, CheckRepair, ExplainDocument, ExplainLost,
};
use tsl_synth_engine::synth::{FailedCertificate, StrategyForm, synthesize};
use tsl_synth_explain::{
    Core, Cores, FindingScope, LosingPlay, Lost, PlayEnding, Repair, RepairEffort, all_cores, examine,
    explanation_sentence, falsified, forced_loss, losing_play, lost, minimal_core, repairs,
};
use tsl_synth_lang::spec::{Problem, has_numbers};

/// Asks why a specification has no controller. The answer depends on the request only, never on the clock or the
/// number of threads.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainSpecRequest {
    /// The specification.
    pub spec: SpecRequest,
    /// How it is solved.
    pub solver: SolverOptions,
    /// The maximal number of sets of guarantees that cannot be kept together; `None` asks for one set.
    pub all_cores: Option<usize>,
}

impl ExplainSpecRequest {
    /// Asks for one set of clauses at fault.
    pub fn new(spec: SpecRequest) -> Self {
        Self { spec, solver: SolverOptions::default(), all_cores: None }
    }
}

/// Why a specification is unrealizable, at length.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SpecExplanation {
    /// Clauses that cannot be kept together: one set, or as many as were requested.
    pub cores: Cores,
    /// A play that the environment wins, against the first of them.
    pub play: Option<LosingPlay>,
    /// The play in a sentence.
    pub sentence: Option<String>,
    /// The number of steps within which no environment can force a violation of a guarantee of the first core.
    pub no_loss_within: usize,
    /// When each guarantee of the first core is lost in the play.
    pub lost: Vec<Lost>,
    /// Repairs, best first.
    pub repairs: Vec<Repair>,
    /// Whether the search for repairs tried all its candidates.
    pub tried_all_repairs: bool,
}

impl SpecExplanation {
    /// What is known once the cores are found.
    fn of(cores: Cores) -> Self {
        let (lost, repairs) = (Vec::new(), Vec::new());
        Self { cores, play: None, sentence: None, no_loss_within: 0, lost, repairs, tried_all_repairs: false }
    }
    /// Whether the play goes on forever.
    pub fn is_endless(&self) -> bool {
        self.play.as_ref().is_some_and(|play| matches!(play.ending, PlayEnding::Repeats(_)))
    }
    /// The repairs as they are shown: the best few.
    pub fn hints(&self, problem: &Problem, sources: &SourceMap) -> Vec<CheckRepair> {
        let best = self.repairs.iter().take(REPAIRS);
        best.map(|repair| CheckRepair::new(problem, sources, repair)).collect()
    }
}

/// The verdict on a specification, explained.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainSpecReport {
    /// The verdict as `check` reports it, without its brief explanation.
    pub check: CheckReport,
    /// Why it is unrealizable.
    pub explanation: Option<SpecExplanation>,
    /// Whether all sets were requested.
    pub all_cores: bool,
}

impl ExplainSpecReport {
    /// A report without an answer.
    pub fn unknown(name: String, stage: Stage, limit: Limit) -> Self {
        Self { check: CheckReport::unknown(name, stage, limit), explanation: None, all_cores: false }
    }
    /// The report with the explanation that a report of `check` has: of a game over numbers, or of work that ended early
    /// after [`Event::Verdict`] and [`Event::Explained`].
    pub fn of_check(check: CheckReport) -> Self {
        let explanation = check.explanation.clone().map(|known| {
            let Explanation { core, play, sentence, repairs, .. } = known;
            let cores = Cores { cores: vec![core], corrections: Vec::new(), complete: false };
            SpecExplanation { play, sentence, repairs, ..SpecExplanation::of(cores) }
        });
        Self { check, explanation, all_cores: false }
    }
    /// Why there is no controller, or no answer, in a sentence.
    pub fn reason(&self) -> Option<String> {
        let reported = self.explanation.as_ref().and_then(|explanation| explanation.sentence.clone());
        reported.or_else(|| self.check.reason())
    }
    /// The document of `explain SPEC --format json`.
    pub fn document(&self, sources: &SourceMap) -> ExplainDocument {
        let check = &self.check;
        let mut document = ExplainDocument::new(VERSION, &check.name, check.answer());
        document.notion = check.notion().map(CheckNotion::of);
        document.remark = check.remark().map(str::to_owned);
        document.sentence = self.reason();
        document.advice = check.advice_document(sources);
        document.diagnostics = check.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        if let (Some(problem), Some(explanation)) = (&check.problem, &self.explanation) {
            document.with_cores(problem, sources, &explanation.cores);
            let shown = |play| CheckPlay::new(problem, sources, play);
            document.play = match &check.numbers {
                Some(numbers) => numbers.check_play(),
                None => explanation.play.as_ref().map(shown),
            };
            document.no_loss_within = Some(explanation.no_loss_within);
            document.lost =
                explanation.lost.iter().map(|lost| ExplainLost::new(problem, sources, lost)).collect();
            document.repairs = explanation.hints(problem, sources);
        }
        document
    }
}

impl Failure {
    /// The document of `explain SPEC --format json` for this failure.
    pub fn explain_document(&self, spec: &str, sources: &SourceMap) -> ExplainDocument {
        let mut document = ExplainDocument::new(VERSION, spec, self.verdict());
        document.sentence = Some(self.reason());
        document.diagnostics = self.diagnostics.iter().map(|d| CheckDiagnostic::new(sources, d)).collect();
        document
    }
}

impl Session<'_> {
    /// Why a specification has no controller, when each guarantee is lost, and what would help. For a realizable one,
    /// findings about its contract, such as redundant assumptions.
    ///
    /// # Errors
    /// Errors of the input, or a defect of this program.
    pub fn explain_spec(&mut self, request: &ExplainSpecRequest) -> Result<ExplainSpecReport, Failure> {
        self.deep(|session| session.explain_spec_here(request))
    }

    fn explain_spec_here(&mut self, request: &ExplainSpecRequest) -> Result<ExplainSpecReport, Failure> {
        let start = self.clock.now();
        let name = request.spec.name();
        let (mut problem, diagnostics) = match self.problem(&request.spec) {
            Ok(read) => read,
            Err(Failure { kind: FailureKind::Limit { limit, .. }, diagnostics, .. }) => {
                let mut report = ExplainSpecReport::unknown(name, Stage::Reading, limit);
                report.check.diagnostics = diagnostics;
                return Ok(report);
            }
            Err(failure) => return Err(failure),
        };
        // Explicit counter-strategies are preferred, because plays against them are shown.
        let counter = Some(StrategyForm::PreferExplicit);
        let friendly_work = LONG_FRIENDLY_WORK;
        let options = SolverOptions { friendly_work, counter, ..self.options(&request.solver, false) };
        let asked = long_questions(&options);
        let relay = CertificateTimer::new(self.observer, self.clock);
        let solved = self.solve_with_games(&name, &mut problem, &options, |_, problem, options| {
            Ok((synthesize(problem, options, &relay)?, ()))
        });
        let (outcome, game) = match solved {
            Ok((outcome, (), game)) => (outcome, game),
            Err(failed) => return Err(failed.after(diagnostics)),
        };
        let certificate = relay.certificate();
        let mut report = ExplainSpecReport {
            check: CheckReport::solved(name, problem, outcome, diagnostics, certificate),
            explanation: None,
            all_cores: request.all_cores.is_some(),
        };
        let Some(problem) = report.check.problem.clone() else { return Ok(report) };
        if let Some(game) = game {
            report.check.numbers = Some(game.report.clone());
            self.observer.event(Event::Verdict { report: &report.check, sources: &self.sources });
            report.check.explanation = self.explain_game(&game, &report.check, true)?;
            report.check.time = self.clock.now().saturating_sub(start);
            report.check.cut_short = self.cancel.raised();
            return Ok(ExplainSpecReport::of_check(report.check));
        }
        let check = &mut report.check;
        check.advice = Advice::new(&check.verdict, &problem, &check.statistics.progress, &options);
        if !matches!(report.check.verdict, Verdict::Unknown(_)) {
            report.check.time = self.clock.now().saturating_sub(start);
            self.observer.event(Event::Verdict { report: &report.check, sources: &self.sources });
        }
        if report.check.is_unrealizable() {
            let explainer = SpecExplainer { session: self, problem: &problem, asked: &asked, relay: &relay };
            let mut explained = explainer.explain(&report.check, request.all_cores)?;
            if explained.repairs.is_empty()
                && let Some(core) = explained.cores.cores.first().filter(|_| has_numbers(&problem.signature))
            {
                explained.repairs = self.number_repairs(&problem, core)?;
            }
            report.explanation = Some(explained);
        }
        let finding = falsified(&problem, &self.sources, &report.check.friendly);
        if let Some(finding) = finding {
            report.check.diagnostics.push(finding);
        }
        let decided = !matches!(report.check.verdict, Verdict::Unknown(_));
        if decided && is_examined(&problem) {
            let realizable = report.check.is_realizable();
            // Findings about the controller were added above.
            let known = [Code::FALSIFIABLE_ASSUMPTION];
            let scope = FindingScope::Except(if report.check.friendly.is_known() { &known } else { &[] });
            let found = examine(&problem, &self.sources, realizable, scope, &asked, &relay)?;
            report.check.diagnostics.append(found.diagnostics);
        }
        report.check.cut_short = self.cancel.raised().filter(|_| decided);
        report.check.time = self.clock.now().saturating_sub(start);
        Ok(report)
    }
}

/// Finds what explains that a specification is unrealizable.
struct SpecExplainer<'a> {
    session: &'a Session<'a>,
    problem: &'a Problem,
    asked: &'a SolverOptions,
    relay: &'a CertificateTimer<'a>,
}

impl SpecExplainer<'_> {
    /// The options of questions that have this much work together. Each question has its own budget, so that none uses up
    /// that of the others.
    fn within(&self, work: u64) -> SolverOptions {
        SolverOptions { stop: self.asked.stop.within(work), threads: 1, ..self.asked.clone() }
    }

    fn explain(&self, check: &CheckReport, all: Option<usize>) -> Result<SpecExplanation, FailedCertificate> {
        let Self { session, problem, asked, relay } = *self;
        let mut reported = SpecExplanation::of(self.cores(check, all)?);
        let Some(core) = reported.cores.cores.first() else { return Ok(reported) };
        self.publish(check, core, None, None);
        let budget = Budget::unlimited().with_flag(asked.stop.clone()).with_work(PLAY_WORK);
        let known = losing_play(problem, core, &budget).ok();
        self.publish(check, core, known.as_ref(), None);
        // Games whose counter-strategy is a circuit are large: more work on them rarely yields more.
        let is_circuit = matches!(core.counter, Some(StrategyRepr::Circuit(_)));
        let (play_work, hint_work) =
            if is_circuit { (LARGE_PLAY_WORK, LARGE_HINT_WORK) } else { (LONG_PLAY_WORK, LONG_HINT_WORK) };
        let forced = forced_loss(problem, core, known.as_ref(), &self.within(play_work), relay)?;
        // With Moore semantics the game sees the inputs of a step in the next one.
        reported.no_loss_within = forced.excluded.saturating_sub(usize::from(problem.answers_first));
        if let Some(play) = forced.play.or(known) {
            reported.lost = lost(problem, &core.guarantees, &play, &self.within(play_work), relay)?;
            let options = self.within(play_work);
            let sentence = explanation_sentence(problem, &session.sources, core, &play, &options, relay)?;
            self.publish(check, core, Some(&play), Some(&sentence));
            reported.sentence = Some(sentence);
            reported.play = Some(play);
        }
        let options = self.within(hint_work);
        let found = repairs(problem, core, RepairEffort::FULL, &options, relay)?;
        (reported.repairs, reported.tried_all_repairs) = (found.repairs, found.complete);
        Ok(reported)
    }

    /// One core, or all of them up to a number.
    fn cores(&self, check: &CheckReport, all: Option<usize>) -> Result<Cores, FailedCertificate> {
        let Self { problem, asked, relay, .. } = *self;
        let Verdict::Unrealizable(counter, notion) = &check.verdict else {
            return Ok(Cores { cores: Vec::new(), corrections: Vec::new(), complete: false });
        };
        if let Some(limit) = all {
            return all_cores(problem, (Some(counter), *notion), limit, asked, relay);
        }
        let work = LONG_CORE_WORK.max(check.statistics.progress.effort.saturating_mul(LONG_CORE_SHARE));
        let core = minimal_core(problem, Some(counter), *notion, &self.within(work), relay)?;
        Ok(Cores { cores: vec![core], corrections: Vec::new(), complete: false })
    }

    /// Reports the explanation so far: it is what remains if the rest does not end in time.
    fn publish(&self, check: &CheckReport, core: &Core, play: Option<&LosingPlay>, sentence: Option<&str>) {
        let explanation = Explanation {
            core: core.clone(),
            play: play.cloned(),
            sentence: sentence.map(str::to_owned),
            repairs: Vec::new(),
            searched: Searched::NotYet,
        };
        let report = &CheckReport { explanation: Some(explanation), ..check.clone() };
        self.session.observer.event(Event::Explained { report, sources: &self.session.sources });
    }
}
