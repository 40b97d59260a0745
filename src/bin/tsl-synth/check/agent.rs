//! `check FILE.agent`: whether a behavior can be run, and whether transcripts are runs of it. The first line is `VALID` or
//! `INVALID` (exit codes 0 and 1); `--deny` makes warnings count.

use crate::args::{CheckArgs, Format};
use crate::exit::Exit;
use crate::seat::{Asked, Seat};
use crate::{output, terminal};
use std::path::{Path, PathBuf};
use tsl_synth::diag::{Diagnostic, Severity};
use tsl_synth::service::{BehaviorRequest, Input, VERSION};
use tsl_synth::wire::{BehaviorCheckDocument, BehaviorResult, CheckDiagnostic};

/// Whether a file is a behavior.
pub(crate) fn is_agent(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "agent")
}

/// Runs the verb if it is about behaviors.
pub(super) fn run(args: &CheckArgs) -> Option<Exit> {
    let specs = &args.input.specs;
    let agents = specs.iter().filter(|path| is_agent(path)).count();
    if agents == 0 {
        let wrong = "`--against` holds transcripts to a behavior, or a policy to a log: name an `.agent` file or a policy";
        return (!args.against.is_empty()).then(|| output::wrong(wrong));
    }
    if agents < specs.len() {
        return Some(output::wrong(
            "`.agent` files are checked by themselves, without files of other languages",
        ));
    }
    let format = args.given_format.unwrap_or_default();
    if !matches!(format, Format::Text | Format::Json) {
        return Some(output::wrong("of `.agent` files there is `--format text` and `--format json`"));
    }
    let unused = [
        (args.baseline.is_some(), "--baseline"),
        (args.evidence.is_some(), "--evidence"),
        (args.summary.is_some(), "--summary"),
        (args.from.is_some(), "--from"),
    ];
    if let Some((_, flag)) = unused.into_iter().find(|(given, _)| *given) {
        return Some(output::wrong(&format!("`{flag}` is not for `.agent` files")));
    }
    let mut texts = String::new();
    let mut results = Vec::new();
    let mut worst = Exit::Yes;
    for path in specs {
        let (exit, text, result) = one(path, args, format);
        worst = worst.worst(exit);
        if specs.len() > 1 && !text.is_empty() {
            texts.extend([&*terminal::escape(&path.to_string_lossy()), ": "]);
        }
        texts += &text;
        results.extend(result);
    }
    if format == Format::Json {
        texts = output::json(&BehaviorCheckDocument::new(VERSION, results));
    }
    let delivered = output::deliver(args.output.output.as_deref(), &texts);
    Some(delivered.map_or_else(|error| output::error(&error), |()| worst))
}

/// The exit code of one file, its text, and its part of the document.
fn one(path: &Path, args: &CheckArgs, format: Format) -> (Exit, String, Option<BehaviorResult>) {
    let seat = Seat::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut request = BehaviorRequest::new(Input::File(path.to_path_buf()));
    request.against = args.against.iter().cloned().map(Input::File).collect();
    let asked = match seat.ask(move |session| session.check_behavior(&request)).or_exit() {
        Ok(asked) => asked,
        Err(exit) => return (exit, String::new(), None),
    };
    let Asked { answer, sources } = asked;
    let report = match answer {
        Ok(report) => report,
        Err(failure) if format == Format::Json && failure.is_of_input() => {
            let found = failure.diagnostics.iter().map(|d| CheckDiagnostic::new(&sources, d)).collect();
            let result = BehaviorResult::new(&path.to_string_lossy(), "ERROR", found);
            return (Exit::Wrong, String::new(), Some(result));
        }
        Err(failure) => return (seat.failed(&failure, &sources), String::new(), None),
    };
    let denied = |d: &Diagnostic| args.deny.iter().any(|deny| super::denies(*deny, d.code, Some(d.severity)));
    let exit = if report.valid && !report.diagnostics.iter().any(denied) { Exit::Yes } else { Exit::No };
    if format == Format::Json {
        return (exit, String::new(), Some(report.result(&sources)));
    }
    seat.show(&report.diagnostics, Severity::Note, &sources);
    let mut text = format!("{}\n", report.verdict());
    if !args.verdict_only {
        if let Some(reason) = &report.reason {
            text.extend([&*terminal::escape(reason), "\n"]);
        }
        let against: Vec<PathBuf> = args.against.clone();
        for ((_, transcript), file) in report.transcripts.iter().zip(&against) {
            let name = terminal::escape(&file.to_string_lossy());
            let said = match &transcript.fault {
                None => format!(": accepted, {}\n", runs(transcript.runs.len())),
                Some(_) => ": rejected\n".into(),
            };
            text.extend([name, said]);
        }
        if report.valid && against.is_empty() {
            text += &terminal::escape_lines(&report.table());
        }
    }
    (exit, text, None)
}

fn runs(count: usize) -> String {
    if count == 1 { "1 run".into() } else { format!("{count} runs") }
}
