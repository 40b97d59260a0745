//! `check`: the verdict on a specification, and what is to be said about it.

use crate::args::{CheckArgs, Deny, ExitCodes, Format, InputArgs};
use crate::exit::Exit;
use crate::input::{self, Reading};
use crate::report::{self, Report};
use crate::settings::Settings;
use crate::supervise::{self, Desk, End};
use crate::terminal::Spinner;
use crate::{github, output, project, text};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tsl_synth::base::{Budget, StopFlag};
use tsl_synth::diag::{Code, Diagnostic, Severity};
use tsl_synth::explain::{Effort, examine, losing_play, minimal_core, repairs, story};
use tsl_synth::model::{Counter, CounterStrategy, Notion, Observer, Phase, Stage, Verdict};
use tsl_synth::source::SourceMap;
use tsl_synth::spec::Problem;
use tsl_synth::synth::{FailedCertificate, Options, synthesize};
use tsl_synth::wire::{CheckCore, CheckDocument, CheckNotion, CheckPlay, CheckVerdict, SarifLog};

/// Counted work of the search for the clauses at fault, of the search for hints, and of the questions about the health
/// of a contract: some seconds each. Not the clock, so that what is reported does not hang on it.
const CORE_WORK: u64 = 40_000_000;
const HINT_WORK: u64 = 6_000_000;
const HEALTH_WORK: u64 = 12_000_000;
/// Counted bytes of one such question: operations on larger diagrams take long and count little.
const QUESTION_MEMORY: u64 = 128 << 20;
/// Larger contracts (in operators and atoms of all clauses) are not examined.
pub(crate) const HEALTH_SIZE: u32 = 4000;
/// Rounds of the engines for a question after the verdict. One has the work that decides most of them at
/// once; with less, more of them end in the long search that goes without an answer.
const QUESTION_ROUNDS: u32 = 1;
/// More ways to mend a specification are left to `explain`.
const HINTS: usize = 3;
/// Work on a losing play.
pub(crate) const PLAY_WORK: u64 = 4_000_000;

/// Runs the verb.
pub(crate) fn run(mut args: CheckArgs) -> i32 {
    if let Err(message) = project::complete(&mut args.input, &mut args.engine) {
        return output::wrong(&message).code();
    }
    let settings = Settings::new(args.engine.clone());
    let jobs: Vec<InputArgs> = if args.each {
        let alone = |spec: &std::path::PathBuf| InputArgs { specs: vec![spec.clone()], ..args.input.clone() };
        args.input.specs.iter().map(alone).collect()
    } else {
        vec![args.input.clone()]
    };
    let mut exit: Option<Exit> = None;
    let mut reports = Vec::new();
    let mut out = output::Output::new(args.output.output.as_deref());
    for (i, job) in jobs.iter().enumerate() {
        let mut report = check(job, &settings, &args);
        deny(&mut report, &args.deny);
        // With several files and the codes of the competition the worst is still by our order.
        exit = Some(exit.map_or(report.exit, |exit| exit.worst(report.exit)));
        say(&report, &args);
        match args.format {
            Format::Text => {
                if i > 0 {
                    out.push("\n");
                }
                out.push(&report::text(&report, args.each, args.stats || args.output.verbose));
            }
            Format::Github => out.push(&github_text(&report)),
            Format::Json | Format::Sarif => reports.push(report),
        }
        if matches!(args.format, Format::Text | Format::Github) && out.flush().is_err() {
            break;
        }
    }
    let version = env!("CARGO_PKG_VERSION");
    match args.format {
        Format::Json => {
            let results = reports.iter().map(|r| r.document(args.stats)).collect();
            out.push(&output::json(&CheckDocument::new(version, results)));
        }
        Format::Sarif => {
            let findings: Vec<(&SourceMap, Diagnostic)> =
                reports.iter().flat_map(|r| r.findings().into_iter().map(|d| (&r.map, d))).collect();
            let log = SarifLog::new(version, findings.iter().map(|(map, d)| (*map, d)));
            out.push(&output::json(&log));
        }
        Format::Text | Format::Github => {}
    }
    let exit = exit.unwrap_or(Exit::Wrong);
    if let Err(message) = out.finish() {
        return output::wrong(&message).worst(exit).code();
    }
    match args.exit_code {
        ExitCodes::TslSynth => exit.code(),
        ExitCodes::Syntcomp => exit.syntcomp(),
    }
}

/// Findings that were denied make the exit code 1.
fn deny(report: &mut Report, denied: &[Deny]) {
    const LOUD: [Code; 2] = [Code::UNSATISFIABLE_ASSUMPTIONS, Code::ONLY_BY_FALSIFYING];
    let hit = |d: &Diagnostic, deny: &Deny| match deny {
        Deny::Loud => LOUD.contains(&d.code),
        Deny::Warnings => d.severity >= Severity::Warning,
        Deny::Code(code) => d.code.0 == *code,
    };
    let found = report.diagnostics.iter().any(|d| denied.iter().any(|deny| hit(d, deny)));
    if found && matches!(report.exit, Exit::Yes | Exit::Unknown) {
        report.exit = Exit::No;
    }
}

/// What goes to standard error. In SARIF and JSON the findings are part of the result.
fn say(report: &Report, args: &CheckArgs) {
    let color = crate::terminal::wants_color(args.output.color);
    let least = if args.output.quiet { Severity::Error } else { Severity::Note };
    if args.format == Format::Text {
        let shown = report.diagnostics.iter().filter(|d| d.severity >= least);
        crate::terminal::say(&text::render(shown, &report.map, color));
    }
    if let Some(failure) = &report.internal {
        output::internal(failure);
    }
    // In text form the statistics have it.
    if args.output.verbose && args.format != Format::Text {
        for line in &report.result.log {
            crate::terminal::say(&format!("{}\n", crate::terminal::escape(line)));
        }
    }
}

fn github_text(report: &Report) -> String {
    let mut text = format!("{}\n", report.result.verdict);
    for diagnostic in report.findings() {
        text.push_str(&github::annotation(&diagnostic, &report.map));
    }
    text
}

/// Checks one specification under supervision.
fn check(job: &InputArgs, settings: &Settings, args: &CheckArgs) -> Report {
    let stop = StopFlag::new();
    let spinner = Arc::new(Spinner::new(args.output.progress, args.output.quiet));
    let work = Work {
        input: job.clone(),
        options: settings.options(stop.clone(), !args.verdict_only),
        verdict_only: args.verdict_only,
        start: Instant::now(),
    };
    let start = work.start;
    let observer = Arc::clone(&spinner);
    let end = supervise::run(settings.allowance, &stop, move |desk| work.check(desk, &observer));
    spinner.clear();
    let mut report = match end {
        End::Done(report) | End::Abandoned(_, Some(report)) => report,
        End::Abandoned(kind, None) => {
            let mut report = Report::new(input::name(job));
            let limit = tsl_synth::base::Limit::new(kind, "the computation did not stop by itself");
            report.unknown(&"computation", &limit);
            report
        }
        End::Panicked(message) => {
            let mut report = Report::new(input::name(job));
            report.fail(message);
            report
        }
    };
    report.result.seconds = start.elapsed().as_secs_f64();
    report.result.peak_memory = supervise::peak_memory();
    report
}

/// Notes when the last phase, checking the answer, begins.
struct Watch<'a> {
    inner: &'a Spinner,
    certificate: Mutex<Option<Instant>>,
}

impl Observer for Watch<'_> {
    fn phase(&self, phase: Phase) {
        if phase == Phase::Certificate {
            *self.certificate.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        self.inner.phase(phase);
    }
    fn count(&self, counter: Counter, value: u64) {
        self.inner.count(counter, value);
    }
}

/// The work on one specification, done on its own thread.
struct Work {
    input: InputArgs,
    options: Options,
    verdict_only: bool,
    start: Instant,
}

impl Work {
    fn check(&self, desk: &Desk<Report>, observer: &Spinner) -> Report {
        let mut report = Report::new(input::name(&self.input));
        let reading = input::read(&self.input, &mut report.map, &mut report.diagnostics);
        let mut problem = match reading {
            Reading::Problem(problem) => *problem,
            Reading::Wrong => {
                report.wrong();
                return report;
            }
            Reading::TooLarge(limit) => {
                report.unknown(&Stage::Reading, &limit);
                return report;
            }
        };
        let watch = Watch { inner: observer, certificate: Mutex::new(None) };
        let outcome = synthesize(&mut problem, &self.options, &watch);
        let certificate = watch.certificate.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.result.certificate_seconds = certificate.map(|start| start.elapsed().as_secs_f64());
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(failed) => {
                report.statistics(&failed.statistics);
                report.fail(failed.to_string());
                return report;
            }
        };
        report.statistics(&outcome.statistics);
        report.certificate(outcome.certificate.as_ref());
        let explained = match outcome.verdict {
            Verdict::Realizable(controller) => {
                report.verdict(CheckVerdict::Realizable, Exit::Yes);
                report.size(&controller, |machine| machine.states.len());
                self.preliminary(&report, desk);
                self.health(&problem, true, &mut report, observer)
            }
            Verdict::Unrealizable(counter, notion) => {
                report.verdict(CheckVerdict::Unrealizable, Exit::No);
                report.size(&counter, |machine| machine.states.len());
                report.result.notion = Some(match notion {
                    Notion::Ltl => CheckNotion::Ltl,
                    Notion::Tsl => CheckNotion::Tsl,
                });
                if problem.uninterpreted_arithmetic {
                    report.diagnostics.push(arithmetic_note());
                }
                self.preliminary(&report, desk);
                for constraint in outcome.constraints {
                    problem.clauses.push(constraint);
                }
                self.explain(&problem, counter.as_explicit(), notion, &mut report, observer)
                    .and_then(|()| self.health(&problem, false, &mut report, observer))
            }
            Verdict::Unknown(unknown) => {
                report.unknown(&unknown.stage, &unknown.limit);
                Ok(())
            }
        };
        if let Err(failed) = explained {
            report.fail(failed.to_string());
        }
        report
    }

    fn preliminary(&self, report: &Report, desk: &Desk<Report>) {
        let mut preliminary = report.clone();
        preliminary.result.seconds = self.start.elapsed().as_secs_f64();
        desk.hand_out(preliminary);
    }

    /// The options of the questions that follow a verdict, which together may take so much work.
    fn questions(&self, work: u64) -> Options {
        Options {
            stop: self.options.stop.within(work),
            rounds: QUESTION_ROUNDS,
            // One after the other they count the same every time.
            threads: 1,
            memory: self.options.memory.min(QUESTION_MEMORY),
            ..self.options.clone()
        }
    }

    fn explain(
        &self,
        problem: &Problem,
        counter: Option<&CounterStrategy>,
        notion: Notion,
        report: &mut Report,
        observer: &Spinner,
    ) -> Result<(), FailedCertificate> {
        if self.verdict_only {
            return Ok(());
        }
        let questions = self.questions(CORE_WORK);
        let core = minimal_core(problem, counter, notion, &questions, observer)?;
        report.result.log.push(format!("clauses at fault: {} units of work", questions.stop.spent()));
        report.result.core = Some(CheckCore::new(problem, &report.map, &core));
        let budget = Budget::unlimited().with_flag(self.options.stop.clone()).with_work(PLAY_WORK);
        match losing_play(problem, &core, &budget) {
            Ok(play) => {
                report.result.reason = Some(story(problem, &report.map, &core, &play));
                report.result.play = Some(CheckPlay::new(problem, &report.map, &play));
                report.explain(problem, &core, Some(&play));
            }
            Err(limit) => {
                report.result.log.push(format!("no play to show: {limit}"));
                report.explain(problem, &core, None);
            }
        }
        let questions = self.questions(HINT_WORK);
        let found = repairs(problem, &core, Effort::HINT, &questions, observer)?;
        report.result.log.push(format!("hints: {} units of work", questions.stop.spent()));
        report.hints(problem, &found, HINTS);
        Ok(())
    }

    fn health(
        &self,
        problem: &Problem,
        realizable: bool,
        report: &mut Report,
        observer: &Spinner,
    ) -> Result<(), FailedCertificate> {
        let size =
            problem.clauses.iter().fold(0u32, |n, c| n.saturating_add(problem.formulas.size(c.formula)));
        if self.verdict_only || size > HEALTH_SIZE {
            return Ok(());
        }
        let questions = self.questions(HEALTH_WORK);
        let found = examine(problem, &report.map, realizable, &questions, observer)?;
        report.result.log.push(format!("health: {} units of work", questions.stop.spent()));
        report.diagnostics.append(found);
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
