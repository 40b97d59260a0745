//! `check`: the verdict on a specification, and what is to be said about it.

use crate::args::{CheckArgs, Deny, ExitCodes, Format, InputArgs};
use crate::exit::{self, Exit};
use crate::output;
use crate::report;
use crate::seat::{Asked, Seat, not_stopped};
use crate::supervise::End;
use crate::{github, memory, project, terminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tsl_synth::diag::{Code, Diagnostic, Severity};
use tsl_synth::model::Verdict;
use tsl_synth::service::{
    CheckReport, CheckRequest, Event, FINDINGS, Failure, FailureKind, Hints, LimitKind, Stage, VERSION,
};
use tsl_synth::source::SourceMap;
use tsl_synth::wire::{CheckDocument, CheckResult, CheckVerdict, SarifLog};

/// Runs the verb.
pub(crate) fn run(mut args: CheckArgs) -> i32 {
    if let Err(error) = project::complete(&mut args.input, &mut args.engine) {
        return output::error(&error).code();
    }
    let seat = Seat::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let jobs: Vec<InputArgs> = if args.each {
        let alone = |spec: &std::path::PathBuf| InputArgs { specs: vec![spec.clone()], ..args.input.clone() };
        args.input.specs.iter().map(alone).collect()
    } else {
        vec![args.input.clone()]
    };
    let mut worst: Option<Exit> = None;
    let mut answers = Vec::new();
    let mut out = output::Output::new(args.output.output.as_deref());
    for (i, job) in jobs.iter().enumerate() {
        if i > 0 && args.format == Format::Text {
            out.push("\n");
            let _ = out.flush();
        }
        let answer = Checked::new(job, &seat, &args);
        // With several files and the codes of the competition the worst is still by our order.
        let own = answer.exit(&args.deny);
        worst = Some(worst.map_or(own, |worst| worst.worst(own)));
        answer.say(&seat, &args);
        match args.format {
            Format::Text => out.push(&answer.text(&args)),
            Format::Github => out.push(&answer.github()),
            Format::Json | Format::Sarif => answers.push(answer),
        }
        if matches!(args.format, Format::Text | Format::Github) && out.flush().is_err() {
            break;
        }
        // The others are not begun, and what is known is told at the end.
        exit::tell_when_interrupted();
        if own == Exit::Interrupted {
            break;
        }
    }
    match args.format {
        Format::Json => {
            let results = answers.iter().map(|answer| answer.result(args.stats)).collect();
            out.push(&output::json(&CheckDocument::new(VERSION, results)));
        }
        Format::Sarif => {
            let findings: Vec<(&SourceMap, Diagnostic)> =
                answers.iter().flat_map(|a| a.findings().into_iter().map(|d| (&a.sources, d))).collect();
            let log = SarifLog::new(VERSION, findings.iter().map(|(map, d)| (*map, d)));
            out.push(&output::json(&log));
        }
        Format::Text | Format::Github => {}
    }
    let exit = worst.unwrap_or(Exit::Wrong);
    if let Err(error) = out.finish() {
        return output::error(&error).worst(exit).code();
    }
    match args.exit_code {
        ExitCodes::TslSynth => exit.code(),
        ExitCodes::Syntcomp => exit.syntcomp(),
    }
}

/// What came of one specification.
struct Checked {
    name: String,
    answer: Result<CheckReport, Failure>,
    sources: SourceMap,
    peak_memory: Option<u64>,
    /// Whether the first line of the text was printed.
    begun: bool,
    /// The time that it had.
    time_limit: Option<Duration>,
    /// Whether somebody interrupted the work.
    interrupted: bool,
}

/// A certified verdict counts even if what explains it takes too long, and is the first line of the text.
fn verdict(
    args: &CheckArgs,
    begun: &Arc<AtomicBool>,
) -> impl Fn(Event<'_>) -> Option<Asked<Result<CheckReport, Failure>>> + Send + Sync + 'static {
    let printed = args.format == Format::Text && output::is_printed(args.output.output.as_deref());
    let begun = Arc::clone(begun);
    move |event| {
        let (Event::Verdict { report, sources } | Event::Explained { report, sources }) = event else {
            return None;
        };
        if printed && !begun.swap(true, Ordering::AcqRel) {
            // A reader that went away is seen when the rest is printed.
            let _ = terminal::print(&format!("{}\n", CheckVerdict::of(&report.verdict)));
        }
        Some(Asked { answer: Ok(report.clone()), sources: sources.clone() })
    }
}

/// Whether findings with this code are denied; of this severity, or as they are by default.
fn denies(deny: Deny, code: Code, severity: Option<Severity>) -> bool {
    const LOUD: [Code; 2] = [Code::UNSATISFIABLE_ASSUMPTIONS, Code::ONLY_BY_FALSIFYING];
    match deny {
        Deny::Loud => LOUD.contains(&code),
        Deny::Warnings => match severity {
            Some(severity) => severity >= Severity::Warning,
            None => LOUD.contains(&code) || code == Code::FALSIFIABLE_ASSUMPTION,
        },
        Deny::Code(denied) => code.0 == denied,
    }
}

impl Checked {
    /// Checks one specification under supervision.
    fn new(job: &InputArgs, seat: &Seat, args: &CheckArgs) -> Self {
        let mut request = CheckRequest::new(job.spec());
        let name = request.spec.name();
        request.solver = seat.settings.solver();
        request.hints = if args.verdict_only { Hints::None } else { args.hints.service() };
        // Sizes are only told there.
        let sizes = args.stats || args.output.verbose || args.format == Format::Json;
        request.minimize = sizes && !args.verdict_only;
        request.denied = FINDINGS
            .into_iter()
            .filter(|&code| args.deny.iter().any(|deny| denies(*deny, code, None)))
            .collect();
        let begun = Arc::new(AtomicBool::new(false));
        let end = seat.ask_with(verdict(args, &begun), move |session| session.check(&request));
        let mut interrupted = false;
        let (answer, sources) = match end {
            End::Done(Asked { answer, sources }) => (answer, sources),
            End::Abandoned(kind, Some(Asked { answer, sources })) => {
                interrupted = kind == LimitKind::Interrupted;
                (answer.map(|report| report.cut_short_by(kind)), sources)
            }
            End::Abandoned(kind, None) => {
                interrupted = kind == LimitKind::Interrupted;
                let engine = seat.settings.solver().engine;
                let report = CheckReport::unknown(name.clone(), Stage::Solving(engine), not_stopped(kind));
                (Ok(report), SourceMap::new())
            }
            End::Panicked(message) => (Err(Failure::internal(message)), SourceMap::new()),
        };
        Self {
            name,
            answer,
            sources,
            peak_memory: memory::peak_memory(),
            begun: begun.load(Ordering::Acquire),
            time_limit: seat.settings.allowance.time,
            interrupted,
        }
    }

    fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        match &self.answer {
            Ok(report) => report.diagnostics.iter(),
            Err(failure) => failure.diagnostics.iter(),
        }
    }

    /// The exit code. Findings that were denied make it 1.
    fn exit(&self, denied: &[Deny]) -> Exit {
        if self.interrupted {
            return Exit::Interrupted;
        }
        let exit = match &self.answer {
            Ok(report) => match report.verdict {
                Verdict::Realizable(_) => Exit::Yes,
                Verdict::Unrealizable(..) => Exit::No,
                Verdict::Unknown(_) => Exit::Unknown,
            },
            Err(failure) if failure.is_of_input() => Exit::Wrong,
            Err(_) => Exit::Internal,
        };
        let found =
            self.diagnostics().any(|d| denied.iter().any(|deny| denies(*deny, d.code, Some(d.severity))));
        match exit {
            Exit::Yes | Exit::Unknown if found => Exit::No,
            Exit::Yes if self.answer.as_ref().is_ok_and(|report| !report.undecided.is_empty()) => {
                Exit::Unknown
            }
            exit => exit,
        }
    }

    /// What goes to standard error. In SARIF and JSON the findings are part of the result.
    fn say(&self, seat: &Seat, args: &CheckArgs) {
        if args.format == Format::Text {
            seat.show(self.diagnostics(), Severity::Note, &self.sources);
        }
        match self.answer.as_ref().map_err(|failure| &failure.kind) {
            Err(FailureKind::Certificate(failed)) => {
                output::internal(&failed.to_string());
            }
            Err(FailureKind::Internal(message)) => {
                output::internal(message);
            }
            _ => {}
        }
        // In text form the statistics have it.
        if let (true, Ok(report), false) = (args.output.verbose, &self.answer, args.format == Format::Text) {
            for line in &report.statistics.log {
                terminal::say(&format!("{}\n", terminal::escape(line)));
            }
        }
    }

    fn text(&self, args: &CheckArgs) -> String {
        match &self.answer {
            Ok(report) => {
                let statistics = args.stats || args.output.verbose;
                let statistics = statistics.then(|| self.result(true));
                let text = report::check(report, &self.sources, args.each, statistics, self.time_limit);
                match text.split_once('\n') {
                    Some((_, rest)) if self.begun => rest.into(),
                    _ => text,
                }
            }
            Err(failure) if failure.is_of_input() && !args.each => String::new(),
            // The verdict was certified; what was to explain it failed.
            Err(failure) if self.begun => format!("{}\n", terminal::escape(&failure.reason())),
            Err(failure) => report::failure(&self.name, failure, args.each),
        }
    }

    fn result(&self, stats: bool) -> CheckResult {
        let mut result = match &self.answer {
            Ok(report) => report.result(&self.sources),
            Err(failure) => failure.check_result(&self.name, &self.sources),
        };
        result.peak_memory = self.peak_memory;
        if !stats {
            result.log.clear();
        }
        result
    }

    fn findings(&self) -> Vec<Diagnostic> {
        match &self.answer {
            Ok(report) => report.findings(&self.sources),
            Err(failure) => failure.findings(&self.name),
        }
    }

    fn github(&self) -> String {
        let mut text = format!("{}\n", self.result(false).verdict);
        for diagnostic in self.findings() {
            text.push_str(&github::annotation(&diagnostic, &self.sources));
        }
        text
    }
}
