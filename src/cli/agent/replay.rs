//! `agent --replay`: repeats a run from its record and compares the two records byte by byte.

use super::recorded::{compared, prompts, read, specs};
use super::{RunArgs, actor, behavior, load, show};
use crate::adapters::Adapters;
use crate::exit::Exit;
use crate::output;
use crate::terminal::{eprint, escape};
use std::path::Path;
use tsl_synth_agents::story::{Audience, NoAudience};
use tsl_synth_service::replay_story;

/// Runs the verb.
pub(crate) fn run(mut args: RunArgs, path: &Path) -> Exit {
    let (record, text) = match read(path) {
        Ok(read) => read,
        Err(error) => return output::error(&error),
    };
    if let Some(document) = &record.header.behavior {
        return behavior::replay(&args, path, &record, &text, document);
    }
    if let Some(document) = &record.header.actor {
        return actor::replay(&args, path, &record, &text, document);
    }
    if args.input.specs.is_empty() {
        args.input.specs = specs(&record, path);
    }
    let adapters = Adapters::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let prompts = prompts(&record, path);
    let loaded = match load(&adapters, &args.input, prompts.as_ref()) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    for (what, now, then) in [
        ("the specification or its prompts", &loaded.sha256, &record.header.sha256),
        ("the controller", &loaded.machine_id, &record.header.machine_id),
    ] {
        if now != then {
            eprint(&format!(
                "{what} changed since the record was made: `{}`\n",
                escape(&path.to_string_lossy())
            ));
            return Exit::No;
        }
    }
    let mut again = String::new();
    let mut teller = show::TurnPrinter::new(args.output.color, false);
    let audience: &mut dyn Audience = if args.output.quiet { &mut NoAudience } else { &mut teller };
    if let Err(failure) = replay_story(&loaded, &record, audience, &mut |line| again.push_str(line)) {
        return adapters.failed(&failure, &tsl_synth_core::source::SourceMap::new());
    }
    compared(&again, &text)
}
