//! `monitor`: logs judged by a policy.

pub(crate) mod args;
mod logs;
mod show;

use crate::args::{EngineArgs, OutputArgs, Progress};
use crate::exit::Exit;
use crate::output;
use crate::seat::{Asked, Seat};
use args::{MonitorArgs, MonitorFormat};
use show::Shown;
use std::ops::ControlFlow;
use tsl_synth::diag::Severity;
use tsl_synth::service::{Input, LoadedPolicy, MonitorRun};

/// Runs the verb.
pub(crate) fn run(args: &MonitorArgs) -> Exit {
    let engine = EngineArgs { time_limit: args.time_limit, ..EngineArgs::default() };
    let quiet = OutputArgs {
        quiet: args.quiet,
        color: args.color,
        progress: Progress::Never,
        ..OutputArgs::default()
    };
    let seat = Seat::new(&engine, &quiet, None);
    let input = Input::File(args.policy.clone());
    let Asked { answer, sources } = match seat.ask(move |session| session.policy(&input)).or_exit() {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let loaded = match answer {
        Ok(loaded) => loaded,
        Err(failure) => return seat.failed(&failure, &sources),
    };
    seat.show(&loaded.diagnostics, Severity::Warning, &sources);
    match judge(args, &loaded) {
        Ok(exit) => exit,
        Err(error) => output::error(&error),
    }
}

/// Reads the logs and tells what comes of them.
fn judge(args: &MonitorArgs, loaded: &LoadedPolicy) -> anyhow::Result<Exit> {
    let logs = logs::find(args)?;
    // A folder of logs is told in numbers.
    let is_told = args.format != MonitorFormat::Text || !logs.is_folder;
    let rows = is_told && !args.stats;
    let mut run = MonitorRun::new(&loaded.compiled, rows || args.query);
    let mut shown = Shown::new(args, &loaded.compiled);
    let notes = logs::read(args, &logs, &mut |event| {
        if let Some(row) = run.event(event) {
            shown.row(&row);
        }
        if shown.flush().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let totals = run.finish();
    let exit = shown.totals(&totals, &notes);
    shown.finish()?;
    Ok(exit)
}
