//! `explain TRACE`: why an effect happened.

use crate::adapters::{Adapters, WithSources};
use crate::cause_text;
use crate::exit::Exit;
use crate::explain::args::{ContinueArg, ExplainArgs};
use crate::flags::{EmitFormat, InputArgs};
use crate::output;
use std::path::{Path, PathBuf};
use tsl_synth_documents::{CauseVerdict, CausesDocument};
use tsl_synth_service::cause::hypothesis::HypothesisVerdict;
use tsl_synth_service::{
    AutomatonForm, Continuation, ExplainTraceReport, ExplainTraceRequest, Input, SpecLanguage, is_stdin,
};

/// Runs the verb.
pub(crate) fn run(args: &ExplainArgs) -> Exit {
    if args.what.len() > 1 {
        return output::wrong("one trace at a time; several files together are a specification");
    }
    let files = [args.what.first().map(PathBuf::from), args.machine.clone(), args.spec.clone()];
    if files.iter().flatten().filter(|path| is_stdin(path)).count() > 1 {
        return output::wrong("standard input can be read only once: name a file for the others");
    }
    for (path, option) in [(&args.automaton, "--automaton"), (&args.svg, "--svg")] {
        if path.as_deref().is_some_and(is_stdin) {
            return output::wrong(&format!("`{option} -`: name a file, standard output is for the answer"));
        }
    }
    if args.effect.len() > 1 {
        for (path, option) in [(&args.automaton, "--automaton"), (&args.svg, "--svg")] {
            if path.is_some() {
                return output::wrong(&format!(
                    "`{option}` is for one effect: ask for each of them by itself"
                ));
            }
        }
    }
    let adapters = Adapters::new(&args.engine, &args.output, args.import_root.as_ref());
    let mut request = request(args);
    request.solver = adapters.settings.solver();
    let effects = args.effect.clone();
    let asked = adapters.ask(move |session| match effects.as_slice() {
        [] | [_] => session.explain_trace(&request).map(|report| vec![report]),
        several => session.explain_effects(&request, several),
    });
    let asked = asked.or_exit();
    let (answer, sources) = match asked {
        Ok(WithSources { answer, sources }) => (answer, sources),
        Err(exit) => return exit,
    };
    let reports = match answer {
        Ok(reports) => reports,
        Err(failure) => return adapters.failed(&failure, &sources),
    };
    match deliver(&reports, args) {
        Ok(()) => reports.iter().map(exit).fold(Exit::Yes, Exit::worst),
        Err(error) => output::error(&error),
    }
}

fn request(args: &ExplainArgs) -> ExplainTraceRequest {
    let trace = match &args.trace {
        Some(word) => Input::Text { name: "<trace>".into(), text: word.clone() },
        None => Input::File(args.what.first().map_or("-", String::as_str).into()),
    };
    let input = InputArgs {
        specs: args.spec.iter().cloned().collect(),
        dialect: args.dialect,
        ins: args.ins.clone(),
        outs: args.outs.clone(),
        parameters: args.parameters.clone(),
        ..InputArgs::default()
    };
    let mut request = ExplainTraceRequest::new(trace);
    request.spec = input.spec();
    request.machine = args.machine.clone().map(Input::File);
    request.effect = args.effect.first().cloned();
    request.at = args.at;
    request.hypothesis.clone_from(&args.hypothesis);
    request.assume.clone_from(&args.assume);
    request.respect_assumptions = args.respect_assumptions;
    request.contingencies = args.contingencies;
    request.limit_assumption = args.limit_assumption;
    request.continuation = match args.continuation {
        ContinueArg::Last => Continuation::Last,
        ContinueArg::Any => Continuation::Any,
    };
    request.default_false = args.default_false;
    request.automaton = args.automaton.as_ref().map(|path| match path.extension() {
        Some(ending) if ending == "dot" || ending == "gv" => AutomatonForm::Dot,
        _ => AutomatonForm::Hoa,
    });
    request.svg = args.svg.is_some();
    if args.machine.is_none() && args.spec.is_none() {
        request.beside = beside(args.what.first().map(Path::new));
    }
    request
}

/// The specifications in the folder of a trace, or in this folder for one that is not in a file.
fn beside(trace: Option<&Path>) -> Vec<Input> {
    let folder = trace.filter(|path| !is_stdin(path)).and_then(Path::parent);
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| SpecLanguage::of_ending(path).is_some() && path.is_file()).collect();
    found.sort();
    found.into_iter().map(Input::File).collect()
}

fn deliver(reports: &[ExplainTraceReport], args: &ExplainArgs) -> anyhow::Result<()> {
    if let [report] = reports {
        for (path, text) in [(&args.automaton, &report.automaton), (&args.svg, &report.svg)] {
            if let (Some(path), Some(text)) = (path, text) {
                output::write_file(path, text.as_bytes())?;
            }
        }
    }
    let text = match (args.format, reports) {
        (EmitFormat::Text, [report]) => cause_text::render(report),
        (EmitFormat::Text, several) => cause_text::render_all(several),
        (EmitFormat::Json, [report]) => output::json(&report.document),
        (EmitFormat::Json, several) => {
            let documents = several.iter().map(|report| report.document.clone()).collect();
            output::json(&CausesDocument::new(tsl_synth_service::VERSION, documents))
        }
    };
    output::deliver(args.output.output.as_deref(), &text)
}

fn exit(report: &ExplainTraceReport) -> Exit {
    match report.document.verdict {
        CauseVerdict::BadTrace => Exit::Wrong,
        _ if report.automaton_limit.is_some() => Exit::Unknown,
        CauseVerdict::NoEffect | CauseVerdict::NoCause => Exit::No,
        _ if report.hypothesis.is_some_and(|verdict| verdict != HypothesisVerdict::Cause) => Exit::No,
        CauseVerdict::Cause | CauseVerdict::Inevitable => Exit::Yes,
    }
}
