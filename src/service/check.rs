//! `check`: the certified verdict on a specification, and what explains it.

use super::ports::Event;
use super::questions::{Relay, is_examined, questions};
use super::tuning::{CORE_WORK, HEALTH_WORK, HINT_WORK, PLAY_WORK, QUESTION_MEMORY, QUESTION_ROUNDS};
use super::{CheckReport, Explanation, Failure, FailureKind, Session, SolverOptions, SpecRequest};
use crate::base::Budget;
use crate::diag::{Code, Diagnostic};
use crate::explain::{Effort, examine, losing_play, minimal_core, repairs, story};
use crate::model::{Stage, Verdict};
use crate::spec::Problem;
use crate::synth::{FailedCertificate, Options};

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
        let name = request.spec.name();
        let (mut problem, mut diagnostics) = match self.problem(&request.spec) {
            Ok(read) => read,
            Err(Failure { kind: FailureKind::Limit { limit, .. }, diagnostics, .. }) => {
                let unknown = CheckReport::unknown(name, Stage::Reading, limit);
                return Ok(CheckReport { diagnostics, source: self.first_source(), ..unknown });
            }
            Err(failure) => return Err(failure),
        };
        let options = request.solver.options(self.cancel.clone(), !request.verdict_only);
        let relay = Relay::new(self.observer, self.clock);
        let outcome = match self.solve(request, &mut problem, &mut diagnostics, &options, &relay) {
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
