//! Evaluations: runs of tasks by a model that is guarded and by the model alone. Each run is saved when it is over, and a
//! run that was cut off is made again.

mod args;
mod ports;

pub(crate) use args::{Evaluation, MeasureArgs};
pub(crate) use ports::Opener;

use crate::exit::Exit;
use crate::oracles::{Access, OracleArgs};
use crate::output;
use crate::terminal::{eprint, escape, escape_lines, print};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ports::{Opened, Pace};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;
use tsl_synth_agents::Port;
use tsl_synth_documents::rows_header;
use tsl_synth_experiments::eval::{
    Arm, EvalFailure, EvalGroup, EvalOptions, EvalTable, EvalTask, RunRow, csv, page, run_once, table,
};
use tsl_synth_service::{Failure, VERSION};

/// The flags of an evaluation.
pub(crate) struct EvalFlags<'a> {
    pub(crate) measure: &'a MeasureArgs,
    pub(crate) oracles: &'a OracleArgs,
    pub(crate) access: &'a Access,
    pub(crate) seed: u64,
    pub(crate) opener: Opener,
}

/// A run to be made.
struct Planned<'g> {
    group: &'g EvalGroup,
    task: &'g EvalTask,
    run: u32,
    arm: Arm,
}

/// Why no more runs were made.
enum Ended {
    All,
    Budget(String),
}

/// Makes the runs, prints the tables, and writes the reports. `failed` reports a failure of the library.
pub(crate) fn run(
    evaluation: &Evaluation,
    groups: &[EvalGroup],
    flags: &EvalFlags<'_>,
    failed: &dyn Fn(&Failure) -> Exit,
) -> Exit {
    let options = flags.measure.options(&flags.oracles.access, flags.seed);
    let settings = settings(evaluation, flags, &options);
    let planned = planned(evaluation, groups, &flags.measure.arms());
    let (rows, ended) = match make(evaluation, &planned, flags, &options, &settings, failed) {
        Ok(made) => made,
        Err(exit) => return exit,
    };
    let tables = tables(&rows, groups, flags.seed);
    let prices = flags.measure.prices();
    let text: Vec<String> = tables.iter().map(|table| table.text(prices)).collect();
    let text = text.join("\n");
    if print(&escape_lines(&text)).is_err() {
        return output::wrong("cannot write to standard output");
    }
    if let Some(folder) = &evaluation.folder
        && let Err(error) = written(folder, evaluation, flags, &rows, &tables, &text)
    {
        return output::error(&error);
    }
    let unfinished = rows.iter().filter(|row| !row.finished).count();
    if unfinished > 0 {
        let first = rows.iter().find(|row| !row.finished).map(|row| row.end.clone()).unwrap_or_default();
        eprint(&format!("{unfinished} of {} runs got no answer: {}\n", rows.len(), escape(&first)));
    }
    match ended {
        Ended::Budget(why) => {
            eprint(&format!("unknown: {why}: {} of {} runs are made\n", rows.len(), planned.len()));
            Exit::Unknown
        }
        Ended::All if unfinished > 0 => Exit::Unknown,
        Ended::All => Exit::Yes,
    }
}

/// All that the rows depend on.
fn settings(evaluation: &Evaluation, flags: &EvalFlags<'_>, options: &EvalOptions) -> String {
    format!(
        "{VERSION} {} {:?} {:?} {:?} {options:?} {}",
        evaluation.identity,
        flags.oracles.named(),
        flags.measure.baseline,
        flags.measure.judge,
        flags.access.identity(),
    )
}

fn planned<'g>(evaluation: &Evaluation, groups: &'g [EvalGroup], arms: &[Arm]) -> Vec<Planned<'g>> {
    let mut all = Vec::new();
    for group in groups {
        for task in &group.tasks {
            for run in 0..evaluation.runs {
                all.extend(arms.iter().map(|&arm| Planned { group, task, run, arm }));
            }
        }
    }
    all
}

/// The rows of an earlier run of the same evaluation that came to their end.
fn earlier(path: &Path, header: &str) -> Result<Vec<RunRow>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    };
    let Some(lines) = text.strip_prefix(header) else {
        if !text.is_empty() {
            let name = escape(&path.to_string_lossy());
            eprint(&format!("runs of another evaluation are replaced: {name}\n"));
        }
        return Ok(Vec::new());
    };
    let rows = lines.lines().filter_map(|line| serde_json::from_str::<RunRow>(line).ok());
    Ok(rows.filter(|row| row.finished).collect())
}

fn line(row: &RunRow) -> String {
    let mut text = serde_json::to_string(row).expect("a row has string keys only");
    text.push('\n');
    text
}

/// Makes the runs that are not there yet.
fn make(
    evaluation: &Evaluation,
    planned: &[Planned<'_>],
    flags: &EvalFlags<'_>,
    options: &EvalOptions,
    settings: &str,
    failed: &dyn Fn(&Failure) -> Exit,
) -> Result<(Vec<RunRow>, Ended), Exit> {
    let (file, known) = match &evaluation.folder {
        Some(folder) => {
            let (file, known) =
                begin(folder, evaluation, planned, settings).map_err(|error| output::error(&error))?;
            (Some(file), known)
        }
        None => (None, BTreeMap::new()),
    };
    let mut file = file;
    let measure = flags.measure;
    let mut ports = Opened {
        oracles: flags.oracles,
        baseline: measure.baseline.clone(),
        judge: measure.judge().1,
        access: flags.access,
        opener: flags.opener,
        kept: evaluation.folder.as_ref().map(|folder| folder.join("answers.jsonl")),
        models: BTreeMap::new(),
        pace: measure.rate.map(Pace::new),
    };
    let bar = bar(evaluation, planned.len());
    let mut rows: Vec<RunRow> = Vec::new();
    for one in planned {
        let key = (one.group.name.clone(), one.task.id.clone(), one.run, one.arm);
        let row = if let Some(row) = known.get(&key) {
            row.clone()
        } else {
            if let Some(why) = over_budget(measure, &rows) {
                bar.finish_and_clear();
                return Ok((rows, Ended::Budget(why)));
            }
            let row =
                run_once(one.group, one.task, one.arm, one.run, options, &mut ports).map_err(|failure| {
                    bar.finish_and_clear();
                    match failure {
                        EvalFailure::Call(why) => output::wrong(&why),
                        EvalFailure::Library(failure) => failed(&failure),
                    }
                })?;
            if let Some(file) = &mut file
                && let Err(error) = file.write_all(line(&row).as_bytes())
            {
                bar.finish_and_clear();
                return Err(output::error(&anyhow::Error::from(error).context("cannot write the runs")));
            }
            row
        };
        rows.push(row);
        bar.inc(1);
        bar.set_message(format!("{}, {}, run {}, {}", key.0, key.1, key.2 + 1, one.arm.name()));
    }
    bar.finish_and_clear();
    Ok((rows, Ended::All))
}

/// The known runs, and the file that further ones are appended to.
type Known = BTreeMap<(String, String, u32, Arm), RunRow>;

fn begin(
    folder: &Path,
    evaluation: &Evaluation,
    planned: &[Planned<'_>],
    settings: &str,
) -> Result<(File, Known)> {
    crate::files::make_folder(folder)?;
    let path = folder.join(format!("{}.runs.jsonl", evaluation.name));
    let header = rows_header(settings);
    let mut known: Known = BTreeMap::new();
    for row in earlier(&path, &header)? {
        let arm = Arm::ALL.into_iter().find(|arm| arm.name() == row.arm);
        if let Some(arm) = arm {
            known.insert((row.group.clone(), row.task.clone(), row.run, arm), row);
        }
    }
    let mut text = header;
    let mut taken = 0;
    for one in planned {
        let key = (one.group.name.clone(), one.task.id.clone(), one.run, one.arm);
        if let Some(row) = known.get(&key) {
            text.push_str(&line(row));
            taken += 1;
        }
    }
    if taken > 0 && !evaluation.quiet {
        let name = escape(&path.to_string_lossy());
        eprint(&format!("{taken} of {} runs are there already: {name}\n", planned.len()));
    }
    output::write_file(&path, text.as_bytes())?;
    let writable = || format!("cannot write `{}`", path.display());
    let file = File::options().append(true).open(&path).with_context(writable)?;
    Ok((file, known))
}

/// Why no further run is begun, if the runs so far have used up a budget, or nobody knows whether they have.
fn over_budget(measure: &MeasureArgs, rows: &[RunRow]) -> Option<String> {
    let is_limited = measure.budget_tokens.is_some() || measure.budget.is_some();
    if is_limited && rows.iter().any(|row| row.requests > 0 && row.finished && row.tokens() == 0) {
        return Some("the server counts no tokens, so nothing can be kept within a budget".into());
    }
    if let Some(budget) = measure.budget_tokens {
        let used: u64 = rows.iter().map(RunRow::tokens).sum();
        if used >= budget {
            return Some(format!("the budget of {budget} tokens is used up ({used})"));
        }
    }
    if let (Some(budget), Some([input, output])) = (measure.budget, measure.prices()) {
        let cost = |row: &RunRow| row.prompt_tokens as f64 * input + row.completion_tokens as f64 * output;
        let used: f64 = rows.iter().map(cost).sum::<f64>() / 1e6;
        if used >= budget {
            return Some(format!("the budget of {budget} is used up ({used:.4})"));
        }
    }
    None
}

fn bar(evaluation: &Evaluation, runs: usize) -> ProgressBar {
    let shown = evaluation.progress && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(runs as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} [{elapsed}, {eta} left] {wide_msg}")
    {
        bar.set_style(style);
    }
    bar
}

/// A table for each group, in order; and where there are several, one for all together.
fn tables(rows: &[RunRow], groups: &[EvalGroup], seed: u64) -> Vec<EvalTable> {
    let mut names: Vec<&str> = Vec::new();
    for group in groups {
        if !names.contains(&group.name.as_str()) {
            names.push(&group.name);
        }
    }
    let mut tables: Vec<EvalTable> = names.iter().map(|name| table(rows, Some(name), seed)).collect();
    if tables.len() > 1 {
        tables.push(table(rows, None, seed));
    }
    tables
}

/// The name of an oracle without what may be a secret.
fn shown(text: &str) -> String {
    text.split('?').next().unwrap_or_default().to_string()
}

fn written(
    folder: &Path,
    evaluation: &Evaluation,
    flags: &EvalFlags<'_>,
    rows: &[RunRow],
    tables: &[EvalTable],
    text: &str,
) -> Result<()> {
    let model = flags.oracles.text(Port::Generator).map(shown).unwrap_or_default();
    let alone = flags.measure.baseline.as_deref().map_or_else(|| model.clone(), shown);
    let facts = [
        ("guarded", model),
        ("alone", format!("{alone}, with the rules in its prompt")),
        ("model", flags.access.model.clone().unwrap_or_else(|| "-".into())),
        ("judge", flags.measure.judge.as_deref().map_or_else(|| "exact".into(), shown)),
        ("runs", format!("{} of each task, seed {}", evaluation.runs, flags.seed)),
        ("intervals", "95 percent, by a bootstrap over tasks".into()),
        ("tsl-synth", VERSION.into()),
    ];
    let page = page(&evaluation.name, &facts, tables, rows, flags.measure.prices());
    for (ending, contents) in [("txt", text), ("csv", &csv(rows)), ("html", &page)] {
        output::write_file(&folder.join(format!("{}.{ending}", evaluation.name)), contents.as_bytes())?;
    }
    Ok(())
}
