//! `check`: the certified verdict on a specification, and what explains it.

use super::advice::Advice;
use super::cache::Solved;
use super::ports::Event;
use super::questions::{CertificateTimer, is_examined, long_questions, questions};
use super::tuning::{
    BRIEF_WORK, CORE_SHARE, CORE_WORK, HEALTH_WORK, HINT_WORK, LONG_FRIENDLY_WORK, NEVER_READ_WORK,
    PLAY_WORK, QUESTION_MEMORY, QUESTION_ROUNDS,
};
use super::{CheckReport, Explanation, Failure, FailureKind, Searched, SolverOptions, SpecRequest};
use crate::Session;
use std::time::Duration;
use tsl_synth_core::base::{Budget, StopFlag};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::model::{Mealy, Prefer, Silent, Stage, StrategyRepr, Verdict};
use tsl_synth_engine::synth::{FailedCertificate, Friendliness, StrategyForm, prefer_friendly, synthesize};
use tsl_synth_explain::{
    FINDINGS, FindingScope, LosingPlay, RepairEffort, examine, explanation_sentence, falsified, losing_play,
    may_hang_on_arithmetic, minimal_core, never_done, never_read, repairs, unread_inputs,
};
use tsl_synth_lang::spec::{Language, Problem};

/// How much is reported in addition to a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hints {
    /// Nothing.
    None,
    /// The findings of a small budget of counted work, a second or two on a slow machine.
    #[default]
    Brief,
    /// Everything that `check` can find, however long it takes.
    Full,
}

/// Asks for the verdict on a specification.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckRequest {
    /// The specification.
    pub spec: SpecRequest,
    /// How it is solved.
    pub solver: SolverOptions,
    /// How much is reported in addition to the verdict.
    pub hints: Hints,
    /// Findings that the caller rejects: they are decided without the small budget of [`Hints::Brief`], and
    /// [`CheckReport::undecided`] lists those that could not be decided.
    pub denied: Vec<Code>,
    /// Whether the controller is minimized, so that its size is worth reporting. This delays the verdict.
    pub minimize: bool,
    /// Which controller would be emitted: notes on inputs that are never read are about it. The verdict needs any.
    pub emitted: Prefer,
}

impl CheckRequest {
    /// Asks for the verdict with its explanation.
    pub fn new(spec: SpecRequest) -> Self {
        let (hints, denied) = (Hints::default(), Vec::new());
        let solver = SolverOptions { prefer: Prefer::Any, ..SolverOptions::default() };
        Self { spec, solver, hints, denied, minimize: false, emitted: Prefer::default() }
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

    /// Adds the finding about a controller that falsifies the assumptions, or may do so.
    fn report_friendliness(&self, request: &CheckRequest, problem: &Problem, report: &mut CheckReport) {
        let finding = falsified(problem, &self.sources, &report.friendly);
        if let Some(finding) = finding.filter(|_| request.hints != Hints::None || !request.denied.is_empty())
        {
            report.diagnostics.push(finding);
        }
        let is_known = !matches!(report.friendly, Friendliness::Undecided(..));
        report.undecided.retain(|&code| !(is_known && code == Code::ONLY_BY_FALSIFYING));
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
        let options = self.options(&request.solver, request.minimize);
        let relay = CertificateTimer::new(self.observer, self.clock);
        let solved = self.solve_with_games(&name, &mut problem, &options, |session, problem, options| {
            Ok(session.solve(request, problem, &mut diagnostics, options, &relay)?)
        });
        let (mut outcome, solved, game_over_numbers) = match solved {
            Ok(solved) => solved,
            Err(failed) => return Err(failed.after(diagnostics)),
        };
        let is_asked = options.friendly && matches!(outcome.verdict, Verdict::Realizable(_));
        let game = is_asked.then(|| problem.clone());
        let mut report =
            CheckReport::solved(name, problem, outcome.clone(), diagnostics, relay.certificate());
        report.source = self.first_source();
        report.time = self.clock.now().saturating_sub(start);
        let Some(problem) = report.problem.clone() else { return Ok(report) };
        if let Some(decided) = game_over_numbers {
            report.numbers = Some(decided.report.clone());
            self.observer.event(Event::Verdict { report: &report, sources: &self.sources });
            if request.hints != Hints::None {
                report.explanation = self.explain_game(&decided, &report, false)?;
            }
            report.time = self.clock.now().saturating_sub(start);
            report.cut_short = self.cancel.raised();
            return Ok(report);
        }
        report.advice = Advice::new(&report.verdict, &problem, &report.statistics.progress, &options);
        if report.is_unrealizable() && problem.signature.uninterpreted_arithmetic {
            report.diagnostics.push(arithmetic_note());
        }
        if !matches!(report.verdict, Verdict::Unknown(_)) {
            report.undecided =
                request.denied.iter().copied().filter(|code| FINDINGS.contains(code)).collect();
            self.observer.event(Event::Verdict { report: &report, sources: &self.sources });
            if let Some(mut game) = game {
                let before = self.clock.now();
                // A strategy from the cache was minimized before it was stored.
                let options = SolverOptions {
                    minimize: options.minimize && !matches!(solved, Solved::Before),
                    friendly_work: match request.hints {
                        Hints::Full => LONG_FRIENDLY_WORK,
                        _ if request.denied.contains(&Code::ONLY_BY_FALSIFYING) => LONG_FRIENDLY_WORK,
                        _ => options.friendly_work,
                    },
                    ..options.clone()
                };
                outcome = prefer_friendly(&mut game, outcome, &options, &relay)?;
                report.friendly_time = self.clock.now().saturating_sub(before);
            }
            if let Solved::AnewFor(key) = solved {
                self.keep(&key, &problem, &mut outcome);
            }
            report.answered_by(&outcome);
            self.report_friendliness(request, &problem, &mut report);
            let teller = Explainer { session: self, problem: &problem, options, relay: &relay, start };
            teller.explain(request, &mut report)?;
            report.cut_short = self.cancel.raised();
        }
        report.time = self.clock.now().saturating_sub(start);
        Ok(report)
    }
}

/// Finds what explains a verdict, part by part.
struct Explainer<'a> {
    session: &'a Session<'a>,
    problem: &'a Problem,
    options: SolverOptions,
    relay: &'a CertificateTimer<'a>,
    /// When the request began.
    start: Duration,
}

impl Explainer<'_> {
    fn explain(&self, request: &CheckRequest, report: &mut CheckReport) -> Result<(), FailedCertificate> {
        let more = report.statistics.progress.effort.saturating_mul(CORE_SHARE).saturating_sub(CORE_WORK);
        let brief = self.options.stop.within(BRIEF_WORK.saturating_add(more));
        let unrealizable = match &report.verdict {
            Verdict::Unrealizable(counter, notion) => Some((counter.clone(), *notion)),
            _ => None,
        };
        if let Some((counter, notion)) = unrealizable
            && request.hints != Hints::None
        {
            let asked = self.questions(request, &brief, CORE_WORK.saturating_add(more));
            let core = minimal_core(self.problem, Some(&counter), notion, &asked, self.relay)?;
            report.statistics.log.push(format!("clauses at fault: {} units of work", asked.stop.spent()));
            let budget = Budget::unlimited().with_flag(self.options.stop.clone()).with_work(PLAY_WORK);
            let play = match losing_play(self.problem, &core, &budget) {
                Ok(play) => Some(play),
                Err(limit) => {
                    report.statistics.log.push(format!("no play to show: {limit}"));
                    None
                }
            };
            let sources = &self.session.sources;
            let tell = |play: &LosingPlay| {
                explanation_sentence(self.problem, sources, &core, play, &asked, self.relay)
            };
            let sentence = play.as_ref().map(tell).transpose()?;
            if !may_hang_on_arithmetic(self.problem, &core) {
                let note = arithmetic_note();
                let found = std::mem::take(&mut report.diagnostics);
                report.diagnostics = found.into_iter().filter(|found| *found != note).collect();
            }
            report.explanation = Some(Explanation {
                core: core.clone(),
                play,
                sentence,
                repairs: Vec::new(),
                searched: Searched::NotYet,
            });
            self.publish(report);
            let asked = self.questions(request, &brief, HINT_WORK);
            let effort = if request.hints == Hints::Full { RepairEffort::FULL } else { RepairEffort::HINT };
            let found = repairs(self.problem, &core, effort, &asked, self.relay)?;
            report.statistics.log.push(format!("hints: {} units of work", asked.stop.spent()));
            if let Some(explanation) = &mut report.explanation {
                explanation.searched = if found.complete { Searched::Fully } else { Searched::Partly };
                explanation.repairs = found.repairs;
            }
            self.publish(report);
        }
        self.examine(request, &brief, report)
    }

    /// Adds findings about the contract, such as redundant assumptions and implied guarantees.
    fn examine(
        &self,
        request: &CheckRequest,
        brief: &StopFlag,
        report: &mut CheckReport,
    ) -> Result<(), FailedCertificate> {
        let sources = &self.session.sources;
        let realizable = report.is_realizable();
        // Denied findings are decided first, with a larger budget.
        if !request.denied.is_empty() {
            let asked = long_questions(&self.options);
            let scope = FindingScope::Only(&request.denied);
            let found = examine(self.problem, sources, realizable, scope, &asked, self.relay)?;
            report.diagnostics.append(found.diagnostics);
            report
                .undecided
                .retain(|code| found.undecided.contains(code) || *code == Code::ONLY_BY_FALSIFYING);
            self.publish(report);
        }
        if request.hints != Hints::None && (request.hints == Hints::Full || is_examined(self.problem)) {
            let asked = self.questions(request, brief, HEALTH_WORK);
            let mut known = request.denied.clone();
            if report.friendly.is_known() {
                // Already reported for this controller, or it does not falsify an assumption.
                known.push(Code::FALSIFIABLE_ASSUMPTION);
            }
            let scope = FindingScope::Except(&known);
            let found = examine(self.problem, sources, realizable, scope, &asked, self.relay)?;
            report.diagnostics.append(found.diagnostics);
            if let Verdict::Realizable(StrategyRepr::Explicit(machine)) = &report.verdict {
                let (known, budget) = (&report.diagnostics, asked.budget());
                let remarks = never_done(self.problem, sources, machine, known, &budget);
                report.diagnostics.append(remarks);
            }
            if let Verdict::Realizable(StrategyRepr::Explicit(machine)) = &report.verdict
                && let Some(note) = self.never_read(request, report, machine)
            {
                report.diagnostics.push(note);
            }
            report.statistics.log.push(format!("health: {} units of work", asked.stop.spent()));
        }
        Ok(())
    }

    /// The note on inputs of TSL that the controller never reads. Where the controller was not minimized, the one that would be
    /// emitted counts, which is found with little work, so that the note is the same in all forms of the result.
    fn never_read(
        &self,
        request: &CheckRequest,
        report: &CheckReport,
        machine: &Mealy,
    ) -> Option<Diagnostic> {
        let mut unread = unread_inputs(self.problem, machine);
        let is_known = report.diagnostics.iter().any(|known| known.code == Code::CONSTANT_OUTPUT);
        if unread.is_empty() || is_known || self.problem.language != Language::Tsl {
            return None;
        }
        if !self.options.minimize || self.options.prefer != request.emitted {
            let options = SolverOptions {
                prefer: request.emitted,
                form: StrategyForm::Explicit,
                minimize: true,
                threads: 1,
                stop: self.options.stop.within(NEVER_READ_WORK),
                ..self.options.clone()
            };
            let outcome = synthesize(&mut self.problem.clone(), &options, &Silent).ok()?;
            let Verdict::Realizable(StrategyRepr::Explicit(emitted)) = &outcome.verdict else { return None };
            unread = unread_inputs(self.problem, emitted);
        }
        never_read(self.problem, &unread)
    }

    /// The options of questions after the verdict: sequential, so that the counted work is reproducible.
    fn questions(&self, request: &CheckRequest, brief: &StopFlag, work: u64) -> SolverOptions {
        if request.hints == Hints::Full {
            return long_questions(&self.options);
        }
        questions(&self.options, brief.within(work), QUESTION_ROUNDS, QUESTION_MEMORY)
    }

    /// Reports the explanation so far: it is what remains if the rest does not end in time.
    fn publish(&self, report: &mut CheckReport) {
        let Session { observer, clock, sources, .. } = self.session;
        report.time = clock.now().saturating_sub(self.start);
        observer.event(Event::Explained { report, sources });
    }
}

fn arithmetic_note() -> Diagnostic {
    Diagnostic::note(
        Code::UNINTERPRETED_ARITHMETIC,
        "arithmetic or comparisons in this specification are not computed: it may be unrealizable only because of that",
    )
    .hint("declare the cells with a finite range, such as `cell c: 0..9 = 0;`, to have them followed exactly")
}
