//! `view AGENT`, `view GRAMMAR`, and `view RECORD` of a behavior or of an agent with a controller.

use super::args::ViewArgs;
use super::page::deliver;
use crate::adapters::Adapters;
use crate::agent::recorded;
use crate::exit::Exit;
use crate::flags::InputArgs;
use crate::output;
use crate::settings::Settings;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_documents::Record;
use tsl_synth_service::{
    BehaviorViewRequest, Failure, Input, PlanRequest, PlanViewRequest, Session, StoryViewRequest, ViewReport,
    is_stdin,
};

/// Makes the page of an agent, a grammar or a record; `None` for other files.
pub(crate) fn run(args: &ViewArgs) -> Option<Exit> {
    let first = args.input.specs.first().filter(|path| !is_stdin(path))?;
    let ending = first.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    if recorded::is_record(first) {
        let record = match recorded::read(first) {
            Ok((record, _)) => record,
            Err(error) => return Some(output::error(&error)),
        };
        let page = if record.header.behavior.is_some() { of_behavior } else { of_story };
        return Some(alone(args).unwrap_or_else(|| page(args, first, record)));
    }
    match ending.as_deref() {
        Some("agent") => Some(alone(args).unwrap_or_else(|| {
            let request = BehaviorViewRequest::new(Input::File(first.clone()));
            show(args, move |session| session.view_behavior(&request))
        })),
        Some("cfg") => {
            let laws = args.input.specs[1..].iter().cloned().map(Input::File);
            let grammar = PlanRequest::new(Input::File(first.clone()));
            let mut request = PlanViewRequest::new(laws.fold(grammar, PlanRequest::with));
            request.seed = args.engine.seed.unwrap_or(0);
            Some(stray(args).unwrap_or_else(|| show(args, move |session| session.view_plans(&request))))
        }
        _ => None,
    }
}

/// A run of a behavior, which the record names.
fn of_behavior(args: &ViewArgs, path: &Path, record: Record) -> Exit {
    let Some(agent) = recorded::specs(&record, path).into_iter().next() else {
        return output::wrong("the record names no agent");
    };
    let end = record.end.as_ref().map(|end| {
        let text = if end.text.is_empty() { String::new() } else { format!(": {}", end.text) };
        format!("the run ended: {}{text}", end.reason)
    });
    let mut request = BehaviorViewRequest::new(Input::File(agent));
    request.run = Some((path.display().to_string(), record.states, end));
    show(args, move |session| session.view_behavior(&request))
}

/// A run of an agent with a controller, of the specification that the record names.
fn of_story(args: &ViewArgs, path: &Path, record: Record) -> Exit {
    let specs = recorded::specs(&record, path);
    let spec = InputArgs { specs, dialect: args.input.dialect, ..InputArgs::default() }.spec();
    let mut request = StoryViewRequest::new(spec, path.display().to_string(), record);
    request.solver = Settings::new(args.engine.clone()).solver();
    show(args, move |session| session.view_story(&request))
}

/// The exit code, after an error message, for a call with more than one file or with options of other pages.
fn alone(args: &ViewArgs) -> Option<Exit> {
    let InputArgs { specs, .. } = &args.input;
    let many = specs.len() > 1;
    many.then(|| output::wrong("a page is of one agent or one record")).or_else(|| stray(args))
}

fn stray(args: &ViewArgs) -> Option<Exit> {
    let given = [
        ("--effect", args.effect.is_some()),
        ("--hypothesis", args.hypothesis.is_some()),
        ("--from", args.from.is_some()),
    ];
    let (option, _) = given.into_iter().find(|(_, given)| *given)?;
    Some(output::wrong(&format!("`{option}` is not about agents and grammars")))
}

/// Makes a page and delivers it.
pub(crate) fn show(
    args: &ViewArgs,
    ask: impl FnOnce(&mut Session<'_>) -> Result<ViewReport, Failure> + Send + 'static,
) -> Exit {
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let (report, sources) = match adapters.report(ask) {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    adapters.show(&report.diagnostics, Severity::Warning, &sources);
    match deliver(&report.html, args) {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}
