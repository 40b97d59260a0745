//! `monitor`: logs judged by a policy.

pub(crate) mod args;
mod beginning;
mod follow;
mod groups;
pub(crate) mod logs;
mod numbers;
mod show;

use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::{EngineArgs, OutputArgs, ProgressChoice};
use crate::output::{self, Output};
use args::{MonitorArgs, MonitorFormat};
use follow::Follower;
use show::MonitorPrinter;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::Severity;
use tsl_synth_core::model::HostEvent;
use tsl_synth_service::{Input, LettersTable, LoadedPolicy, MonitorRun, MonitorWindow, is_stdin};

/// The shortest time between two versions of a file of numbers.
const REWRITE: Duration = Duration::from_secs(2);

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

/// The sessions of the logs, and what is told of them.
struct Judging<'a> {
    run: MonitorRun<'a>,
    shown: MonitorPrinter<'a>,
    /// Whether events are told, and not only numbers.
    rows: bool,
    /// The table of letters, and how many letters each session has so far.
    letters: Option<(LettersTable, Output<'a>, BTreeMap<String, u64>)>,
}

impl Judging<'_> {
    /// Judges an event; stops if the output cannot be written any more (a closed pipe).
    fn event(&mut self, event: &HostEvent<'_>) -> ControlFlow<()> {
        if let Some(row) = self.run.event(event) {
            if let Some((table, out, positions)) = &mut self.letters {
                let position = positions.entry(row.session.clone()).or_default();
                for seen in &row.seen {
                    out.push(&table.row(&row.session, *position, seen));
                    *position += 1;
                }
            }
            if self.rows {
                self.shown.row(&row);
            }
        }
        if self.shown.flush().is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Reads the logs and reports the results.
fn judge(args: &MonitorArgs, loaded: &LoadedPolicy) -> anyhow::Result<Exit> {
    let named = logs::LogArgs { logs: args.logs.clone(), from: args.from };
    let places = logs::places(&named)?;
    // Standard input grows by itself until it ends.
    let is_followed = args.follow && !places.iter().any(|place| is_stdin(&place.path));
    let is_folder = places.iter().any(|place| place.is_folder);
    // In text form, a folder of logs is reported only by its totals.
    let is_told = match args.format {
        MonitorFormat::Text => !is_folder || is_followed,
        MonitorFormat::Json => true,
        MonitorFormat::Csv => args.group_by.is_none(),
        MonitorFormat::Prometheus => false,
    };
    let rows = is_told && !args.stats;
    let conjunction = loaded.conjunction(&Budget::unlimited());
    let with_rows = rows || args.query || args.letters.is_some();
    let window = MonitorWindow { since: args.since, until: args.until };
    let run = MonitorRun::new(&loaded.compiled, with_rows)
        .with_conjunction(conjunction.as_ref())
        .within(window)
        .grouped(args.group_by.map(Into::into));
    let letters = args.letters.as_deref().map(|path| {
        let (table, mut out) = (LettersTable::new(&loaded.compiled), Output::new(Some(path)));
        out.push(&table.header());
        (table, out, BTreeMap::new())
    });
    let shown = MonitorPrinter::new(args, &loaded.compiled);
    let mut judging = Judging { run, shown, rows: rows || args.query, letters };
    if is_followed {
        return follow(args, &named, judging, loaded);
    }
    let logs = logs::find(&named)?;
    let notes = logs::read(&named, &logs, &mut |event| judging.event(event))?;
    let Judging { run, mut shown, letters, .. } = judging;
    let totals = run.finish();
    let exit = shown.totals(&totals, &notes);
    shown.finish()?;
    if let Some((_, out, _)) = letters {
        out.finish()?;
    }
    Ok(exit)
}

/// Reads logs that grow until the output cannot be written any more. Rows go to standard output, numbers to a file that is
/// written anew.
fn follow(
    args: &MonitorArgs,
    named: &logs::LogArgs,
    mut judging: Judging<'_>,
    loaded: &LoadedPolicy,
) -> anyhow::Result<Exit> {
    match (judging.rows, output::is_printed(args.output.as_deref())) {
        (true, false) => anyhow::bail!(
            "with `--follow` each event is told on standard output, for instance `> FILE`; `-o FILE` is for numbers: \
             `--stats`, `--group-by` or `--format prometheus`"
        ),
        (false, true) => {
            anyhow::bail!("with `--follow` numbers go to a file, which is written anew: `-o FILE`")
        }
        _ => {}
    }
    let mut follower = Follower::new(named, args.quiet)?;
    let (mut is_new, mut written) = (true, None::<Instant>);
    loop {
        match follower.poll(&mut |event| judging.event(event)) {
            ControlFlow::Break(()) => break,
            ControlFlow::Continue(is_any) => is_new |= is_any,
        }
        if !judging.rows && is_new && written.is_none_or(|then| then.elapsed() >= REWRITE) {
            let mut shown = MonitorPrinter::new(args, &loaded.compiled);
            shown.totals(&judging.run.so_far(), &[]);
            shown.finish()?;
            (is_new, written) = (false, Some(Instant::now()));
        }
        std::thread::sleep(follower.interval());
    }
    judging.shown.finish()?;
    Ok(Exit::Yes)
}
