//! The common part of the checks of behaviors and policies: files are checked one after the other and reported as text
//! or as one JSON document.

use crate::adapters::{Adapters, WithSources};
use crate::check::args::CheckArgs;
use crate::exit::Exit;
use crate::flags::OutputFormat;
use crate::{output, terminal};
use std::path::Path;
use tsl_synth_core::diag::Diagnostic;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::CheckDiagnostic;
use tsl_synth_service::{Failure, Session};

/// The result of one file: the exit code, the text, and its part of the document.
pub(super) type Reported<R> = (Exit, String, Option<R>);

/// Checks all files. `noun` names their kind in messages, `unused` lists further flags that do not apply, each with
/// whether it was given, and `document` makes the document of all results.
pub(super) fn each<R>(
    args: &CheckArgs,
    noun: &str,
    unused: &[(bool, &str)],
    one: impl Fn(&Path, OutputFormat) -> Reported<R>,
    document: impl FnOnce(Vec<R>) -> String,
) -> Exit {
    let format = args.given_format.unwrap_or_default();
    if !matches!(format, OutputFormat::Text | OutputFormat::Json) {
        return output::wrong(&format!("of {noun} there is `--format text` and `--format json`"));
    }
    let always = [
        (args.baseline.is_some(), "--baseline"),
        (args.evidence.is_some(), "--evidence"),
        (args.certificate.is_some(), "--certificate"),
        (args.summary.is_some(), "--summary"),
    ];
    if let Some((_, flag)) = always.iter().chain(unused).find(|(given, _)| *given) {
        return output::wrong(&format!("`{flag}` is not for {noun}"));
    }
    let (mut texts, mut results, mut worst) = (String::new(), Vec::new(), Exit::Yes);
    let specs = &args.input.specs;
    for path in specs {
        let (exit, text, result) = one(path, format);
        worst = worst.worst(exit);
        if specs.len() > 1 && !text.is_empty() {
            texts.extend([&*terminal::escape(&path.to_string_lossy()), ": "]);
        }
        texts += &text;
        results.extend(result);
    }
    if format == OutputFormat::Json {
        texts = document(results);
    }
    let delivered = output::deliver(args.output.output.as_deref(), &texts);
    delivered.map_or_else(|error| output::error(&error), |()| worst)
}

/// Asks the library about one file. The error is what to report if there is no answer; `failed` makes the result of a
/// file with errors.
pub(super) fn ask<T: Send + 'static, R>(
    adapters: &Adapters,
    format: OutputFormat,
    request: impl FnOnce(&mut Session<'_>) -> Result<T, Failure> + Send + 'static,
    failed: impl FnOnce(Vec<CheckDiagnostic>) -> R,
) -> Result<(T, SourceMap), Reported<R>> {
    let WithSources { answer, sources } = match adapters.ask(request).or_exit() {
        Ok(asked) => asked,
        Err(exit) => return Err((exit, String::new(), None)),
    };
    match answer {
        Ok(report) => Ok((report, sources)),
        Err(failure) if format == OutputFormat::Json && failure.is_of_input() => {
            let found = failure.diagnostics.iter().map(|d| CheckDiagnostic::new(&sources, d)).collect();
            Err((Exit::Wrong, String::new(), Some(failed(found))))
        }
        Err(failure) => Err((adapters.failed(&failure, &sources), String::new(), None)),
    }
}

/// Whether `--deny` covers one of the findings.
pub(super) fn denies<'d>(args: &CheckArgs, found: impl IntoIterator<Item = &'d Diagnostic>) -> bool {
    let denied = |d: &Diagnostic| args.deny.iter().any(|deny| super::denies(*deny, d.code, Some(d.severity)));
    found.into_iter().any(denied)
}
