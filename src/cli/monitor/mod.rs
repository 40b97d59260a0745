//! `monitor`: logs judged by a policy.

pub(crate) mod args;
pub(crate) mod logs;
mod numbers;
mod show;
mod subagents;

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::{EngineArgs, OutputArgs, ProgressChoice};
use crate::output::{self, Output};
use args::{MonitorArgs, MonitorFormat};
use show::MonitorPrinter;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Severity;
use tsl_synth_service::{Input, LettersTable, LoadedPolicy, MonitorRun, MonitorWindow};

/// Runs the verb.
pub(crate) fn run(args: &MonitorArgs) -> Exit {
    if args.policy.extension().is_some_and(|ending| ending == "jsonl") {
        let name = crate::terminal::escape(&args.policy.display().to_string());
        return output::wrong(&format!("`{name}` is a log: the policy comes first, `monitor POLICY LOG`"));
    }
    if let (Some(since), Some(until)) = (args.since, args.until)
        && since >= until
    {
        return output::wrong(
            "no session can begin at or after `--since` and before `--until`; a day is judged with \
             `--since 2026-11-01 --until 2026-11-02`",
        );
    }
    let engine = EngineArgs { time_limit: args.time_limit, ..EngineArgs::default() };
    let quiet = OutputArgs {
        quiet: args.quiet,
        color: args.color,
        progress: ProgressChoice::Never,
        ..OutputArgs::default()
    };
    let adapters = Adapters::new(&engine, &quiet, None);
    let input = Input::File(args.policy.clone());
    let WithSources { answer, sources } = match adapters.ask(move |session| session.policy(&input)).or_exit()
    {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let loaded = match answer {
        Ok(loaded) => loaded,
        Err(failure) => return adapters.failed(&failure, &sources),
    };
    adapters.show(&loaded.diagnostics, Severity::Warning, &sources);
    match judge(args, &loaded) {
        Ok(exit) => exit,
        Err(error) => output::error(&error),
    }
}

/// Reads the logs and reports the results.
fn judge(args: &MonitorArgs, loaded: &LoadedPolicy) -> anyhow::Result<Exit> {
    let named = logs::LogArgs { logs: args.logs.clone(), from: args.from, follow: args.follow };
    let logs = logs::find(&named)?;
    // In text form, a folder of logs is reported only by its totals.
    let is_told = match args.format {
        MonitorFormat::Text => !logs.is_folder,
        MonitorFormat::Json => true,
        MonitorFormat::Csv => args.group_by.is_none(),
        MonitorFormat::Prometheus => false,
    };
    let rows = is_told && !args.stats;
    let conjunction = loaded.conjunction(&Budget::unlimited());
    let with_rows = rows || args.query || args.letters.is_some();
    let window = MonitorWindow { since: args.since, until: args.until };
    let mut run = MonitorRun::new(&loaded.compiled, with_rows)
        .with_conjunction(conjunction.as_ref())
        .within(window)
        .grouped(args.group_by.map(Into::into));
    let table = LettersTable::new(&loaded.compiled);
    let mut letters =
        args.letters.as_deref().map(|path| (Output::new(Some(path)), BTreeMap::<String, u64>::new()));
    if let Some((out, _)) = &mut letters {
        out.push(&table.header());
    }
    let mut shown = MonitorPrinter::new(args, &loaded.compiled);
    let notes = logs::read(&named, &logs, &mut |event| {
        if let Some(row) = run.event(event) {
            if let Some((out, positions)) = &mut letters {
                let position = positions.entry(row.session.clone()).or_default();
                for seen in &row.seen {
                    out.push(&table.row(&row.session, *position, seen));
                    *position += 1;
                }
            }
            if rows || args.query {
                shown.row(&row);
            }
        }
        if shown.flush().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let totals = run.finish();
    let exit = shown.totals(&totals, &notes);
    shown.finish()?;
    if let Some((out, _)) = letters {
        out.finish()?;
    }
    Ok(exit)
}
