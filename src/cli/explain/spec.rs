//! `explain SPEC`: why a specification has no controller, and what would help.

use crate::adapters::{Adapters, WithSources, not_stopped};
use crate::emit::args::EmitArgs;
use crate::exit::{self, Exit};
use crate::explain::args::ExplainArgs;
use crate::flags::{EmitFormat, InputArgs};
use crate::supervise::WorkEnd;
use crate::{emit, output, report, terminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tsl_synth_core::diag::Severity;
use tsl_synth_core::source::SourceMap;
use tsl_synth_service::{Event, ExplainSpecReport, ExplainSpecRequest, Failure, LimitKind, Stage};

/// Handles the events of an explanation: the verdict is printed at once as the first line of the text, and what is known is
/// kept in case the rest does not end in time.
fn verdict(
    is_printed: bool,
    begun: &Arc<AtomicBool>,
) -> impl Fn(Event<'_>) -> Option<WithSources<Result<ExplainSpecReport, Failure>>> + Send + Sync + 'static {
    let begun = Arc::clone(begun);
    move |event| {
        let (Event::Verdict { report, sources } | Event::Explained { report, sources }) = event else {
            return None;
        };
        if is_printed && !begun.swap(true, Ordering::AcqRel) {
            // A user who interrupts after reading the verdict still gets the rest of the report.
            exit::report_when_interrupted();
            // A failure to write is reported when the rest is printed.
            let _ = terminal::print(&format!("{}\n", report.answer()));
        }
        let answer = Ok(ExplainSpecReport::of_check(report.clone()));
        Some(WithSources { answer, sources: sources.clone() })
    }
}

/// Runs the verb.
pub(crate) fn run(args: ExplainArgs) -> Exit {
    let input = InputArgs {
        specs: args.what.iter().map(PathBuf::from).collect(),
        input_format: args.input_format,
        dialect: args.dialect,
        strict: false,
        import_root: args.import_root,
        ins: args.ins,
        outs: args.outs,
        formula: args.formula,
        parameters: args.parameters,
        component: args.component,
    };
    if let Some(lang) = args.lang {
        return emit::run(EmitArgs {
            input,
            engine: args.engine,
            output: args.output,
            lang: Some(emit::target::EmitTarget::Machine(lang)),
            format: EmitFormat::Text,
            counter: true,
            conjunct_automata: false,
            asynchronous: false,
            lazy: false,
            on_broken_assumption: None,
            llm: false,
            template: None,
            scaffold: None,
            web: false,
            force: false,
            rows: false,
            law_monitor: false,
            adapter: None,
        });
    }
    let adapters = Adapters::new(&args.engine, &args.output, input.import_root.as_ref());
    let mut request = ExplainSpecRequest::new(input.spec());
    let name = request.spec.name();
    request.solver = adapters.settings.solver();
    request.all_cores = args.all_cores.map(usize::from);
    let begun = Arc::new(AtomicBool::new(false));
    let is_printed = args.format == EmitFormat::Text && output::is_printed(args.output.output.as_deref());
    let end = adapters.ask_with(verdict(is_printed, &begun), move |session| session.explain_spec(&request));
    let mut interrupted = false;
    let (answer, sources) = match end {
        WorkEnd::Done(WithSources { answer, sources }) => (answer, sources),
        WorkEnd::Abandoned(kind, Some(WithSources { answer, sources })) => {
            interrupted = kind == LimitKind::Interrupted;
            let cut_short = |mut report: ExplainSpecReport| {
                report.check.cut_short = Some(kind);
                report
            };
            (answer.map(cut_short), sources)
        }
        WorkEnd::Abandoned(kind, None) => {
            let stage = Stage::Solving(adapters.settings.solver().engine);
            (Ok(ExplainSpecReport::unknown(name.clone(), stage, not_stopped(kind))), SourceMap::new())
        }
        WorkEnd::Panicked(message) => return output::internal(&message),
    };
    let (text, exit) = match (&answer, args.format) {
        (Ok(report), format) => {
            let exit = Exit::of(report.check.answer());
            let text = match format {
                EmitFormat::Text => {
                    let first = report.check.diagnostics.iter().filter(|found| !report::is_remark(found));
                    adapters.show(first, Severity::Note, &sources);
                    let text = report::explain_spec(report, &sources);
                    match text.split_once('\n') {
                        Some((_, rest)) if begun.load(Ordering::Acquire) => rest.into(),
                        _ => text,
                    }
                }
                EmitFormat::Json => output::json(&report.document(&sources)),
            };
            (text, exit)
        }
        (Err(failure), EmitFormat::Text) => (String::new(), adapters.failed(failure, &sources)),
        (Err(failure), EmitFormat::Json) => {
            let exit = if failure.is_of_input() { Exit::Wrong } else { adapters.failed(failure, &sources) };
            (output::json(&failure.explain_document(&name, &sources)), exit)
        }
    };
    let exit = if interrupted { Exit::Interrupted } else { exit };
    let delivered = output::deliver(args.output.output.as_deref(), &text);
    if let (Ok(report), EmitFormat::Text) = (&answer, args.format) {
        let remarks = report.check.diagnostics.iter().filter(|found| report::is_remark(found));
        adapters.show(remarks, Severity::Note, &sources);
    }
    match delivered {
        Ok(()) => exit,
        Err(error) => output::error(&error).worst(exit),
    }
}
