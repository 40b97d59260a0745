//! `check FILE.json`: which components of an export of FRET are realizable. Each begins with a line that has its verdict and
//! its name.

use super::files::{self, Reported};
use crate::adapters::Adapters;
use crate::check::args::CheckArgs;
use crate::exit::Exit;
use crate::files::is_fret;
use crate::flags::OutputFormat;
use crate::layout::{paragraph, width};
use crate::terminal::escape;
use crate::{output, report};
use std::fmt::Write;
use std::path::Path;
use tsl_synth_core::base::counted;
use tsl_synth_core::source::SourceMap;
use tsl_synth_documents::{CheckVerdict, FretComponent, FretDocument, FretResult, UnreadRequirement};
use tsl_synth_service::{FretReport, FretRequest, Hints, Input, SolverOptions, VERSION};

/// Requirements that are named where not all of them are read.
const SHOWN: usize = 6;

/// Runs the verb if it is about exports of FRET.
pub(super) fn run(args: &CheckArgs) -> Option<Exit> {
    let specs = &args.input.specs;
    let exports = specs.iter().filter(|path| is_fret(path)).count();
    if exports == 0 {
        return None;
    }
    if exports < specs.len() {
        return Some(output::wrong(
            "exports of FRET are checked by themselves, without files of other languages",
        ));
    }
    let unused = [
        (args.from.is_some(), "--from"),
        (!args.against.is_empty(), "--against"),
        (args.cache.is_some(), "--cache"),
        (!args.deny.is_empty(), "--deny"),
    ];
    let document = |results| output::json(&FretDocument::new(VERSION, results));
    Some(files::each(args, "exports of FRET", &unused, |path, format| one(path, args, format), document))
}

/// The exit code of one file, its text, and its part of the document.
fn one(path: &Path, args: &CheckArgs, format: OutputFormat) -> Reported<FretResult> {
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut request = FretRequest::new(Input::File(path.to_path_buf()));
    request.component.clone_from(&args.input.component);
    let solver = adapters.settings.solver();
    request.solver = SolverOptions { prefer: request.solver.prefer, ..solver };
    request.hints = if args.verdict_only { Hints::None } else { args.hints.service() };
    let name = path.to_string_lossy().into_owned();
    let failed = |found| FretResult::new(&name, Vec::new(), found);
    let (reports, sources) =
        match files::ask(&adapters, format, move |session| session.check_fret(&request), failed) {
            Ok(asked) => asked,
            Err(reported) => return reported,
        };
    let worst = |worst: Exit, report: &FretReport| worst.worst(Exit::of(report.verdict));
    let exit = reports.iter().fold(Exit::Yes, worst);
    if format == OutputFormat::Json {
        let components = reports.iter().map(|report| component(report, &sources)).collect();
        return (exit, String::new(), Some(FretResult::new(&name, components, Vec::new())));
    }
    let texts: Vec<String> = reports.iter().map(|report| text(report, &sources, args)).collect();
    (exit, texts.join(if args.verdict_only { "" } else { "\n" }), None)
}

fn component(report: &FretReport, sources: &SourceMap) -> FretComponent {
    let unread = report.unread.iter().cloned().map(|(id, reason)| UnreadRequirement { id, reason });
    FretComponent {
        project: report.project.clone(),
        component: report.component.clone(),
        requirements: report.requirements,
        verdict: report.verdict,
        reason: report.reason.clone(),
        conflict: report.conflict.clone(),
        unread: unread.collect(),
        contract: report.report.result(sources),
    }
}

fn text(report: &FretReport, sources: &SourceMap, args: &CheckArgs) -> String {
    let FretReport { component, requirements, unread, conflict, verdict, .. } = report;
    let requirements = counted(*requirements, "requirement");
    let mut text = format!("{verdict} {}: {requirements}\n", escape(component));
    if args.verdict_only {
        return text;
    }
    let width = width();
    if let Some(reason) = &report.reason {
        text += &paragraph(&escape(reason), 0, width);
    }
    if !conflict.is_empty() {
        let names = conflict.iter().map(|name| escape(name)).collect::<Vec<_>>().join(", ");
        let what = if conflict.len() == 1 {
            "This requirement cannot be kept"
        } else {
            "These requirements cannot be kept together"
        };
        text += &paragraph(&format!("{what}: {names}"), 0, width);
    }
    for (id, why) in unread.iter().take(SHOWN) {
        text += &paragraph(&escape(&format!("not read: {id}: {why}")), 0, width);
    }
    if unread.len() > SHOWN {
        let _ = writeln!(text, "not read: {} more", unread.len() - SHOWN);
    }
    if *verdict != CheckVerdict::Unknown {
        let whole = report::check(&report.report, sources, false, None, None);
        if let Some((_, rest)) = whole.split_once('\n').filter(|(_, rest)| !rest.is_empty()) {
            text += rest;
        }
    }
    text
}
