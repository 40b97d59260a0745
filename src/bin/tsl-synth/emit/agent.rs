//! `emit FILE.agent`: a behavior as code, as an automaton, or as grammars for the decoders of models.

use crate::args::{EmitArgs, EmitFormat, Target};
use crate::exit::Exit;
use crate::output;
use crate::seat::{Asked, Seat};
use std::path::Path;
use tsl_synth::diag::Severity;
use tsl_synth::service::{BehaviorEmitRequest, BehaviorTarget, Input, is_stdin};

/// Runs the verb if it is about a behavior.
pub(super) fn run(args: &EmitArgs) -> Option<Exit> {
    let is_agent = |path: &Path| path.extension().is_some_and(|ending| ending == "agent");
    let specs = &args.input.specs;
    if !specs.iter().any(|path| is_agent(path)) {
        return None;
    }
    let [path] = specs.as_slice() else {
        return Some(output::wrong("an `.agent` file is emitted by itself"));
    };
    let target = match args.lang {
        Target::Grammar(target) => Some(target),
        Target::Sql => None,
        Target::Machine(lang) => BehaviorTarget::from_name(lang.name()),
    };
    let Some(target) = target else {
        let all = BehaviorTarget::ALL.map(BehaviorTarget::name).join(", ");
        return Some(output::wrong(&format!("an `.agent` file is emitted as one of {all}")));
    };
    let is_plain = args.template.is_none()
        && args.scaffold.is_none()
        && !(args.counter || args.monitors || args.asynchronous || args.lazy);
    if !is_plain {
        let message =
            "of an `.agent` file there are no templates, scaffolds, monitors and variants of controllers";
        return Some(output::wrong(message));
    }
    let seat = Seat::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let file = args.output.output.as_deref().filter(|path| !is_stdin(path));
    let mut request = BehaviorEmitRequest::new(Input::File(path.clone()), target);
    request.stem = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    let asked = seat.ask(move |session| session.emit_behavior(&request)).or_exit();
    let Asked { answer, sources } = match asked {
        Ok(asked) => asked,
        Err(exit) => return Some(exit),
    };
    let report = match answer {
        Ok(report) => report,
        Err(failure) => return Some(seat.failed(&failure, &sources)),
    };
    seat.show(&report.diagnostics, Severity::Error, &sources);
    let delivered = if args.format == EmitFormat::Json {
        output::deliver(file, &output::json(&report.document()))
    } else {
        super::put(&report.files, file)
    };
    Some(delivered.map_or_else(|error| output::error(&error), |()| Exit::Yes))
}
