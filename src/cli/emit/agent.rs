//! `emit FILE.agent`: a behavior as code, as an automaton, or as grammars for the decoders of models.

use super::target::EmitTarget;
use crate::emit::args::EmitArgs;
use crate::exit::Exit;
use crate::output;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::{BehaviorEmitRequest, BehaviorTarget, Input};

/// Runs the verb if it is about a behavior.
pub(super) fn run(args: &EmitArgs, target: EmitTarget) -> Option<Exit> {
    let is_agent = |path: &Path| path.extension().is_some_and(|ending| ending == "agent");
    let specs = &args.input.specs;
    if !specs.iter().any(|path| is_agent(path)) {
        return None;
    }
    let [path] = specs.as_slice() else {
        return Some(output::wrong("an `.agent` file is emitted by itself"));
    };
    let target = match target {
        EmitTarget::Grammar(target) => Some(target),
        EmitTarget::Sql => None,
        EmitTarget::Machine(lang) => BehaviorTarget::from_name(lang.name()),
    };
    let Some(target) = target else {
        let all = BehaviorTarget::ALL.map(BehaviorTarget::name).join(", ");
        return Some(output::wrong(&format!("an `.agent` file is emitted as one of {all}")));
    };
    if !super::is_plain(args) {
        let message =
            "of an `.agent` file there are no templates, scaffolds, monitors and variants of controllers";
        return Some(output::wrong(message));
    }
    let mut request = BehaviorEmitRequest::new(Input::File(path.clone()), target);
    request.stem =
        super::target_file(args).and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    Some(super::emit_files(args, Severity::Error, move |session| session.emit_behavior(&request)))
}
