//! `check`: the verdict on a specification, with its findings and explanation.

pub(crate) mod args;
mod agent;
mod baseline;
mod certificate;
mod evidence;
mod files;
mod fret;
mod from_project;
mod jobs;
mod junit;
mod policy;
mod report_file;
mod reports;
pub(crate) mod program;
mod sentences;
mod summary;
mod watch;

use crate::adapters::{Adapters, WithSources, not_stopped};
use crate::cache::DiskCache;
use crate::exit::{self, Exit};
use crate::flags::{Deny, ExitCodes, OutputFormat};
use crate::output;
use crate::report;
use crate::supervise::WorkEnd;
use crate::{github, memory, pipe, project, terminal};
use anyhow::Result;
use args::CheckArgs;
use baseline::Baseline;
use certificate::CertificateFile;
use evidence::EvidenceFolder;
use jobs::CheckJob;
use reports::ShortLines;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use summary::Tally;
use tsl_synth_core::diag::{Code, Diagnostic, Severity};
use tsl_synth_core::model::{Role, Verdict};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_documents::{CheckResult, CheckVerdict};
use tsl_synth_lang::spec::Language;
use tsl_synth_service::{
    CheckReport, CheckRequest, Event, FINDINGS, Failure, FailureKind, Hints, LimitKind, Prefer, Stage, shown,
};

/// Runs the verb.
pub(crate) fn run(mut args: CheckArgs) -> i32 {
    if args.watch {
        return watch::run(&args).code();
    }
    if let Err(error) = pipe::complete(&mut args.input.specs, &args.input.formula, project::of_folder) {
        return output::error(&error).code();
    }
    // Exports of FRET come first: a list of requirements could be meant as a list of laws.
    let special = fret::run(&args).or_else(|| policy::run(&args));
    if let Some(exit) = special.or_else(|| program::run(&args)).or_else(|| agent::run(&args)) {
        return exit.code();
    }
    match check(&mut args) {
        Ok(exit) if args.exit_code == ExitCodes::Syntcomp => exit.syntcomp(),
        Ok(exit) => exit.code(),
        Err(error) => output::error(&error).code(),
    }
}

fn check(args: &mut CheckArgs) -> Result<Exit> {
    let jobs = jobs::plan(args)?;
    let args = &*args;
    let mut baseline =
        args.baseline.as_deref().map(|file| Baseline::read(file, args.write_baseline)).transpose()?;
    let mut evidence =
        args.evidence.as_deref().map(|folder| EvidenceFolder::new(folder, jobs.len() > 1)).transpose()?;
    let parameters = &args.input.parameters;
    let mut certificate = args
        .certificate
        .as_deref()
        .map(|file| CertificateFile::new(file, parameters, jobs.len() > 1))
        .transpose()?;
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let adapters = adapters.with_cache(args.cache.as_deref().map(DiskCache::open).transpose()?);
    let mut worst: Option<Exit> = None;
    let mut answers = Vec::new();
    let mut tally = Tally::default();
    let (mut short, is_quiet) = (ShortLines::default(), ShortLines::wanted(args, jobs.len()));
    let mut printed = false;
    let mut out = output::Output::new(args.output.output.as_deref());
    jobs::in_order(&jobs, &adapters, args, |job, mut answer: CheckedSpec| {
        let module = job.found && answer.states_nothing();
        if module {
            answer.drop(Code::NO_GUARANTEE);
        }
        answer.known = baseline.as_mut().is_some_and(|baseline| baseline.knows(job, &answer, &args.deny));
        // The worst result is chosen by the order of `Exit` even where the exit code is that of SYNTCOMP.
        let own = answer.exit(&args.deny);
        worst = Some(worst.map_or(own, |worst| worst.worst(own)));
        answer.print_findings(&adapters, args);
        let lines = matches!(args.format, OutputFormat::Text | OutputFormat::Github);
        let is_short = is_quiet && !module && short.add(&answer, own == Exit::Yes);
        if lines && !module && !is_short {
            if printed && args.format == OutputFormat::Text {
                out.push("\n");
            }
            printed = true;
            let text =
                if args.format == OutputFormat::Text { answer.text(args) } else { answer.github(args.each) };
            out.push(&text);
        }
        tally.add(&answer, own, module, args);
        if let (Some(folder), Ok(report), false) =
            (&mut evidence, &answer.answer, module || answer.interrupted)
        {
            folder.add(report, &answer.sources);
        }
        if let (Some(file), Ok(report), false) =
            (&mut certificate, &answer.answer, module || answer.interrupted)
        {
            file.write(report, &answer.sources);
        }
        let shown = !lines || out.flush().is_ok();
        answer.print_remarks(&adapters, args);
        if !module && (!lines || !args.report.is_empty()) {
            answers.push(answer);
        }
        // From here on, an interrupt starts no further check, and the results so far are reported.
        exit::report_when_interrupted();
        let ended = own == Exit::Interrupted || !shown;
        if ended { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    out.push(&short.text());
    match args.format {
        OutputFormat::Text | OutputFormat::Github if jobs.len() > 1 => {
            out.push(&format!("\n{}\n", tally.line()));
        }
        OutputFormat::Text | OutputFormat::Github => {}
        format => out.push(&reports::document(format, &answers, args)),
    }
    let exit = worst.unwrap_or(Exit::Wrong);
    let written = out.finish().and_then(|()| match &args.summary {
        Some(file) => tally.append_to(file),
        None => Ok(()),
    });
    let written = written.and_then(|()| reports::write(args, &answers, &tally));
    let written = written.and_then(|()| baseline.map_or(Ok(()), |baseline| baseline.finish(args)));
    let exit = written.map_or_else(|error| output::error(&error).worst(exit), |()| exit);
    let exit = evidence.map_or(exit, |folder| folder.finish(exit));
    Ok(certificate.map_or(exit, |file| file.finish(exit)))
}

/// The result of checking one specification.
struct CheckedSpec {
    name: String,
    answer: Result<CheckReport, Failure>,
    sources: SourceMap,
    peak_memory: Option<u64>,
    /// Whether the first line of the text was printed.
    begun: bool,
    /// The time limit of the check.
    time_limit: Option<Duration>,
    /// Whether somebody interrupted the work.
    interrupted: bool,
    /// The source that findings without a position point to: the first file of the specification.
    place: SourceId,
    /// Whether the baseline lists all of its failures.
    known: bool,
}

/// Handles the events of a check: a certified verdict is printed at once as the first line of the text, and is kept in
/// case its explanation does not end in time.
fn verdict(
    job: &CheckJob,
    args: &CheckArgs,
    begun: &Arc<AtomicBool>,
) -> impl Fn(Event<'_>) -> Option<WithSources<Result<CheckReport, Failure>>> + Send + Sync + 'static {
    let printed =
        job.live && args.format == OutputFormat::Text && output::is_printed(args.output.output.as_deref());
    let begun = Arc::clone(begun);
    move |event| {
        let (Event::Verdict { report, sources } | Event::Explained { report, sources }) = event else {
            return None;
        };
        if printed && !begun.swap(true, Ordering::AcqRel) {
            // A user who interrupts after reading the verdict still gets the rest of the report.
            exit::report_when_interrupted();
            // A failure to write is reported when the rest is printed.
            let _ = terminal::print(&format!("{}\n", report.answer()));
        }
        Some(WithSources { answer: Ok(report.clone()), sources: sources.clone() })
    }
}

/// Whether `deny` covers findings with this code and severity. Without a severity, the default one of the code counts.
fn denies(deny: Deny, code: Code, severity: Option<Severity>) -> bool {
    const CRITICAL: [Code; 2] = [Code::UNSATISFIABLE_ASSUMPTIONS, Code::ONLY_BY_FALSIFYING];
    match deny {
        Deny::Critical => CRITICAL.contains(&code),
        Deny::Warnings => match severity {
            Some(severity) => severity >= Severity::Warning,
            None => CRITICAL.contains(&code) || code == Code::FALSIFIABLE_ASSUMPTION,
        },
        Deny::Code(denied) => code.0 == denied,
    }
}

/// The codes that `--deny` covers, judged by their default severity.
fn denied(args: &CheckArgs) -> Vec<Code> {
    let is_denied = |&code: &Code| args.deny.iter().any(|deny| denies(*deny, code, None));
    FINDINGS.into_iter().filter(is_denied).collect()
}

impl CheckedSpec {
    /// Checks one specification under supervision.
    fn new(job: &CheckJob, adapters: &Adapters, args: &CheckArgs) -> Self {
        let mut request = CheckRequest::new(job.input.spec());
        let name = request.spec.name();
        request.solver = adapters.settings.solver();
        // A verdict needs any controller, unless a preference is named.
        request.emitted = request.solver.prefer;
        request.solver.prefer = args.engine.prefer.unwrap_or(Prefer::Any);
        // Where only the verdict counts, no controller that keeps the assumptions is searched for.
        request.solver.friendly &= args.exit_code != ExitCodes::Syntcomp
            && (!args.verdict_only || denied(args).contains(&Code::ONLY_BY_FALSIFYING));
        request.hints = if args.verdict_only { Hints::None } else { args.hints.service() };
        // Minimization is worth its time only if sizes are reported, or for evidence, which is then replayed faster.
        let sizes = args.evidence.is_some()
            || args.certificate.is_some()
            || args.stats
            || args.output.verbose
            || args.writes(OutputFormat::Json);
        request.minimize = sizes && !args.verdict_only;
        request.denied = denied(args);
        let begun = Arc::new(AtomicBool::new(false));
        let end = adapters.ask_with(verdict(job, args, &begun), move |session| session.check(&request));
        let mut interrupted = false;
        let (answer, sources) = match end {
            WorkEnd::Done(WithSources { answer, sources }) => (answer, sources),
            WorkEnd::Abandoned(kind, Some(WithSources { answer, sources })) => {
                interrupted = kind == LimitKind::Interrupted;
                (answer.map(|report| report.cut_short_by(kind)), sources)
            }
            WorkEnd::Abandoned(kind, None) => {
                interrupted = kind == LimitKind::Interrupted;
                let engine = adapters.settings.solver().engine;
                let report = CheckReport::unknown(name.clone(), Stage::Solving(engine), not_stopped(kind));
                (Ok(report), SourceMap::new())
            }
            WorkEnd::Panicked(message) => (Err(Failure::internal(message)), SourceMap::new()),
        };
        let begun = begun.load(Ordering::Acquire);
        let time_limit = adapters.settings.allowance.time;
        Self { begun, time_limit, interrupted, ..Self::of(job, name, answer, sources) }
    }

    /// A result with a source for findings without a position; an empty source is added if the first file was not read.
    fn of(
        job: &CheckJob,
        name: String,
        answer: Result<CheckReport, Failure>,
        mut sources: SourceMap,
    ) -> Self {
        let first = job.input.specs.first().map_or_else(|| name.clone(), |path| shown(path));
        let known = sources.iter().find(|(_, source)| source.name == first).map(|(id, _)| id);
        let place = known.unwrap_or_else(|| sources.add(first, ""));
        let peak_memory = memory::peak_memory();
        Self {
            name,
            answer,
            sources,
            peak_memory,
            begun: false,
            time_limit: None,
            interrupted: false,
            place,
            known: false,
        }
    }

    /// The result for an argument that names no specification, for the reason `why`.
    fn nothing(job: &CheckJob, why: &str) -> Self {
        let name = job.input.spec().name();
        let diagnostic = Diagnostic::error(Code::CANNOT_READ, format!("cannot read `{name}`: {why}"));
        Self::of(job, name, Err(diagnostic.into()), SourceMap::new())
    }

    /// Whether it is a TSL file without a guarantee, such as one that others import.
    fn states_nothing(&self) -> bool {
        let Ok(CheckReport { problem: Some(problem), .. }) = &self.answer else { return false };
        problem.language == Language::Tsl
            && problem.clauses.iter().all(|clause| clause.role != Role::Guarantee)
    }

    /// Removes the findings with this code.
    fn drop(&mut self, code: Code) {
        if let Ok(report) = &mut self.answer {
            let found = std::mem::take(&mut report.diagnostics);
            report.diagnostics = found.into_iter().filter(|diagnostic| diagnostic.code != code).collect();
        }
    }

    /// Whether the memory limit was reached.
    fn ran_out_of_memory(&self) -> bool {
        matches!(&self.answer, Ok(CheckReport { verdict: Verdict::Unknown(unknown), .. })
            if unknown.limit.kind == LimitKind::Memory)
    }

    /// The verdict; for a failure UNKNOWN or ERROR.
    fn verdict(&self) -> CheckVerdict {
        match &self.answer {
            Ok(report) => report.answer(),
            Err(failure) => failure.verdict(),
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
            Ok(report) => Exit::of(report.answer()),
            Err(failure) if failure.is_of_input() => Exit::Wrong,
            Err(_) => Exit::Internal,
        };
        match exit {
            _ if self.known => Exit::Yes,
            Exit::Yes | Exit::Unknown if !self.denied(denied).is_empty() => Exit::No,
            Exit::Yes if self.answer.as_ref().is_ok_and(|report| !report.undecided.is_empty()) => {
                Exit::Unknown
            }
            exit => exit,
        }
    }

    /// The codes of findings that are denied.
    fn denied(&self, denied: &[Deny]) -> BTreeSet<Code> {
        let hit = |d: &&Diagnostic| denied.iter().any(|deny| denies(*deny, d.code, Some(d.severity)));
        self.diagnostics().filter(hit).map(|d| d.code).collect()
    }

    /// Prints findings and internal errors on standard error. In formats other than text, the findings are part of the
    /// result.
    fn print_findings(&self, adapters: &Adapters, args: &CheckArgs) {
        if args.format == OutputFormat::Text {
            let first = self.diagnostics().filter(|found| !report::is_remark(found));
            adapters.show(first, Severity::Note, &self.sources);
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
        // The statistics of the text form contain the log.
        if let (true, Ok(report), false) =
            (args.output.verbose, &self.answer, args.format == OutputFormat::Text)
        {
            for line in &report.statistics.log {
                terminal::eprint(&format!("{}\n", terminal::escape(line)));
            }
        }
    }

    /// Prints what has nothing to do with the verdict, after its explanation.
    fn print_remarks(&self, adapters: &Adapters, args: &CheckArgs) {
        if args.format == OutputFormat::Text {
            adapters.show(
                self.diagnostics().filter(|found| report::is_remark(found)),
                Severity::Note,
                &self.sources,
            );
        }
    }

    fn text(&self, args: &CheckArgs) -> String {
        let mut text = self.rendered(args);
        if self.known {
            text.push_str("known failure: the baseline has it\n");
        }
        text
    }

    fn rendered(&self, args: &CheckArgs) -> String {
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
            // The verdict was certified and printed; its explanation failed.
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
        result.known = self.known;
        if !stats {
            result.log.clear();
        }
        result
    }

    /// All findings with positions in the source. If the baseline lists the failures, the findings become notes.
    fn findings(&self) -> Vec<Diagnostic> {
        let findings = match &self.answer {
            Ok(report) => report.findings(&self.sources),
            Err(failure) => failure.findings(&self.name),
        };
        let placed = |mut diagnostic: Diagnostic| {
            if self.known {
                diagnostic.severity = Severity::Note;
            }
            if diagnostic.labels.is_empty() {
                return diagnostic.at(Span::new(self.place, 0, 0), "");
            }
            diagnostic
        };
        findings.into_iter().map(placed).collect()
    }

    fn github(&self, each: bool) -> String {
        let spec = if each { format!("spec: {}\n", terminal::escape(&self.name)) } else { String::new() };
        let mut text = format!("{}\n{spec}", self.verdict());
        for diagnostic in self.findings() {
            text.push_str(&github::annotation(&diagnostic, &self.sources));
        }
        text
    }
}
