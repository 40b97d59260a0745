//! `agent stats`: how well the runs in records and logs of agents keep the guarantees.

use super::{actor, recorded};
use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::{EngineArgs, InputArgs, OutputArgs};
use crate::output;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tsl_synth_service::{ActorTotals, Adherence, LoggedRun, TableLog, actor_totals, adherence};

/// `agent stats`
#[derive(Args, Debug)]
#[command(
    after_help = "A table in CSV has a line for each turn of a run, with columns for the run, the predicates (0 or 1) \
                        and the update; `--spec` says what it is judged by. Exit codes: 0 no guarantee was violated, \
                        1 some were, 2 wrong input."
)]
pub(crate) struct StatsArgs {
    /// Records that `agent --record` wrote, or tables in CSV
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// The specification that a table in CSV is judged by
    #[arg(long, value_name = "SPEC")]
    spec: Vec<PathBuf>,
    /// Other names for the columns of a table, in order: of predicates, of cells, `run`, `step`, `-` for others
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "spec")]
    columns: Vec<String>,
    /// When the predicates of a line of a table were evaluated: before its update, or after it on what it wrote
    #[arg(long, value_enum, default_value_t, requires = "spec")]
    evaluated: EvaluatedBy,
    /// Form of the report
    #[arg(long, value_enum, default_value_t)]
    format: crate::flags::EmitFormat,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum EvaluatedBy {
    /// Before the update of their line
    #[default]
    Before,
    /// After it
    After,
}

/// Runs the command.
pub(crate) fn run(args: &StatsArgs) -> Exit {
    let (mut runs, mut actors) = (Vec::new(), Vec::new());
    for path in &args.records {
        let is_table = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        if !is_table {
            match recorded::read(path) {
                Ok((record, _)) if record.header.behavior.is_some() => {
                    let path = path.display();
                    return output::wrong(&format!(
                        "`{path}` is the record of a behavior, which has no guarantees"
                    ));
                }
                Ok((record, _)) if record.header.actor.is_some() => actors.push(record),
                Ok((record, _)) => runs.push(LoggedRun::new(path.to_string_lossy(), &record)),
                Err(error) => return output::error(&error),
            }
            continue;
        }
        match table_runs(args, path) {
            Ok(found) => runs.extend(found),
            Err(exit) => return exit,
        }
    }
    if !actors.is_empty() {
        if !runs.is_empty() {
            return output::wrong("records of actors and of other agents are not counted together");
        }
        return of_actors(args, &actor_totals(&actors));
    }
    let found = adherence(&runs);
    if found.turns == 0 {
        return output::wrong("there are no turns to be judged");
    }
    let text = match args.format {
        crate::flags::EmitFormat::Text => render(&found),
        crate::flags::EmitFormat::Json => output::json(&found.document()),
    };
    match output::deliver(args.output.output.as_deref(), &text) {
        Ok(()) if found.violations.is_empty() => Exit::Yes,
        Ok(()) => Exit::No,
        Err(error) => output::error(&error),
    }
}

/// Reports the totals of records of actors.
fn of_actors(args: &StatsArgs, totals: &ActorTotals) -> Exit {
    let text = match args.format {
        crate::flags::EmitFormat::Text => actor::totals(totals),
        crate::flags::EmitFormat::Json => output::json(&totals.document()),
    };
    match output::deliver(args.output.output.as_deref(), &text) {
        Ok(()) if totals.violating == 0 => Exit::Yes,
        Ok(()) => Exit::No,
        Err(error) => output::error(&error),
    }
}

fn table_runs(args: &StatsArgs, path: &Path) -> Result<Vec<LoggedRun>, Exit> {
    if args.spec.is_empty() {
        let message = format!("`{}`: `--spec` has to say what a table is judged by", path.display());
        return Err(output::wrong(&message));
    }
    let mut log = table(path).map_err(|error| output::error(&error))?;
    if !args.columns.is_empty() {
        if args.columns.len() != log.columns.len() {
            let (given, there) = (args.columns.len(), log.columns.len());
            return Err(output::wrong(&format!("`--columns` names {given} columns, and there are {there}")));
        }
        log.columns.clone_from(&args.columns);
    }
    log.after = args.evaluated == EvaluatedBy::After;
    let input = InputArgs { specs: args.spec.clone(), ..InputArgs::default() };
    let adapters = Adapters::new(&EngineArgs::default(), &args.output, None);
    let spec = input.spec();
    let WithSources { answer, sources } =
        adapters.ask(move |session| session.logged_runs(&spec, &log)).or_exit()?;
    answer.map_err(|failure| adapters.failed(&failure, &sources))
}

fn table(path: &Path) -> Result<TableLog> {
    let named = || format!("cannot read `{}`", path.display());
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(path).with_context(named)?;
    let line = |record: &csv::StringRecord| record.iter().map(|field| field.trim().to_string()).collect();
    let columns: Vec<String> = line(reader.headers().with_context(named)?);
    let mut rows = Vec::new();
    for record in reader.records() {
        rows.push(line(&record.with_context(named)?));
    }
    Ok(TableLog { columns, rows, after: false })
}

fn render(found: &Adherence) -> String {
    let Adherence { runs, kept, turns, .. } = found;
    let mut text = format!(
        "runs: {runs}, turns: {turns}\n\nprocedural adherence: {kept} of {runs} runs violate no guarantee ({:.2} %)\n",
        found.percent()
    );
    let blamed = found.violations.iter().filter(|violation| violation.broken.is_none()).count();
    if !found.violations.is_empty() {
        let _ = writeln!(
            text,
            "violated guarantees: {}; without a broken assumption to blame: {blamed}",
            found.violations.len()
        );
        for violation in &found.violations {
            let why = match &violation.broken {
                Some((turn, assumption)) => format!("after turn {turn} broke `{assumption}`"),
                None => match &violation.given_up {
                    Some((turn, assumption)) => {
                        format!("after the agent itself made `{assumption}` impossible in turn {turn}")
                    }
                    None => "and no assumption was broken".into(),
                },
            };
            let _ = writeln!(
                text,
                "  {}, turn {}: `{}`, {why}",
                violation.run, violation.turn, violation.guarantee
            );
        }
    }
    if !found.broken.is_empty() {
        text.push_str("\nbroken assumptions, by runs\n");
        for (assumption, runs) in &found.broken {
            let _ = writeln!(text, "  {runs:>5}  {assumption}");
        }
    }
    if !found.points.is_empty() {
        text.push_str("\npoint-in-time adherence: how often a text came to what was asked for\n");
        for point in &found.points {
            let (kept, asked) = (point.kept, point.asked);
            let _ = writeln!(
                text,
                "  {:>7.2} %  {kept:>5} of {asked:<5}  {} gives {}",
                point.percent(),
                point.update,
                point.predicate
            );
        }
    }
    crate::terminal::escape_lines(&text)
}
