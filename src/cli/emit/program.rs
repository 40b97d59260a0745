//! `emit FILE.rpg` and `emit FILE.issy`: the controller of a game over a program as Python or JavaScript.

use super::target::EmitTarget;
use crate::check::program::language;
use crate::emit::args::EmitArgs;
use crate::exit::Exit;
use crate::output;
use std::path::Path;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::{Input, Lang, ProgramRequest};

/// Runs the verb if it is about a game over a program.
pub(super) fn run(args: &EmitArgs, target: EmitTarget) -> Option<Exit> {
    let specs = &args.input.specs;
    if !specs.iter().any(|path| language(path).is_some()) {
        return None;
    }
    let [path] = specs.as_slice() else {
        return Some(output::wrong("a `.rpg` or `.issy` file is emitted by itself"));
    };
    let EmitTarget::Machine(lang @ (Lang::Python | Lang::Js)) = target else {
        return Some(output::wrong("a `.rpg` or `.issy` file is emitted as `--lang python` or `--lang js`"));
    };
    if !super::is_plain(args) {
        let message =
            "of `.rpg` and `.issy` files there are no templates, scaffolds and variants of controllers";
        return Some(output::wrong(message));
    }
    let request = ProgramRequest::new(Input::File(path.clone()), language(path)?);
    let stem =
        super::target_file(args).and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    let emit = move |session: &mut tsl_synth_service::Session<'_>| {
        session.emit_program(&request, lang, stem.as_deref())
    };
    Some(super::emit_files(args, Severity::Error, emit))
}
