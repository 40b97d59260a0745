//! `experiment`: runs the parts of an experiment in parallel, saves each row when it is done, and prints the tables.

mod chart;
mod given;

use crate::agent::eval::open_for;
use crate::eval::{EvalFlags, Evaluation, MeasureArgs};
use crate::exit::Exit;
use crate::flags::ProgressChoice;
use crate::oracles::{Access, OracleArgs};
use crate::output;
use crate::terminal::{eprint, print};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use given::GivenFiles;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tsl_synth_agents::Port;
use tsl_synth_documents::{read_rows, row_line, rows_header};
use tsl_synth_experiments::eval::preset;
use tsl_synth_experiments::openagi::OpenAgiSettings;
use tsl_synth_experiments::react::React;
use tsl_synth_experiments::travel::TravelSettings;
use tsl_synth_experiments::{Adventure, Experiment, Ltlcrit, Replaced, Row, SafetyChip, first_error};
use tsl_synth_service::{Failure, FailureKind};

/// `experiment`
#[derive(Args, Debug)]
#[command(
    after_help = "With `-o DIR` the folder gets NAME.txt, NAME.csv, NAME.svg (where there is a chart) and NAME.rows.jsonl, from which \
                        a run that was cut off goes on. No network and no model is needed. With `--oracle` a model of \
                        your own takes the place of the simulated ones: guarded and alone, as by `agent eval`. Exit codes: \
                        0 done, 2 wrong call, 3 a budget is used up or a model gave no answer, 4 internal error."
)]
pub(crate) struct ExperimentArgs {
    /// Which one
    #[arg(value_enum, value_name = "NAME")]
    name: ExperimentName,
    /// Put tables, chart and rows into this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Games, plans, questions or trips for each row, instead of those of the paper
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    games: Option<u32>,
    #[command(flatten)]
    given: GivenFiles,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Use so many threads [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Progress on standard error (only ever on a terminal)
    #[arg(long, value_enum, default_value_t)]
    progress: ProgressChoice,
    #[command(flatten)]
    oracles: OracleArgs,
    #[command(flatten)]
    measure: MeasureArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExperimentName {
    /// Rothkopf et al. (arXiv 2402.16905), Tables 1 and 2: adventure games, four tasks, with a controller and without
    Adventure,
    /// Li et al. (Formal-LLM), Tables 1 and 2: plans of tools, written freely and under a grammar
    Openagi,
    /// Li et al. (Formal-LLM), A.4.1: trips over a database of ours, written freely and under a flow with laws
    Travel,
    /// Gokhale et al. (LTLCrit), Tables 1 and 2: the way to a diamond, unguarded and under the laws of the paper
    Ltlcrit,
    /// Yang et al. (Safety Chip), Figure 4: household tasks with zero to five constraints, with the gate and without
    SafetyChip,
    /// Crouse et al. (arXiv 2310.08535), Table 1: questions with tools, as free text and constrained by a behavior
    React,
}

impl ExperimentArgs {
    fn experiment(&self, files: &Replaced) -> Result<Box<dyn Experiment>, String> {
        Ok(match self.name {
            ExperimentName::Adventure => {
                let mut adventure = Adventure::default().with_files(files)?;
                adventure.seed = self.seed;
                adventure.games = self.games.unwrap_or(adventure.games);
                Box::new(adventure)
            }
            ExperimentName::Openagi => {
                let mut settings = OpenAgiSettings::default().with_files(files)?;
                settings.seed = self.seed;
                settings.plans = self.games.unwrap_or(settings.plans);
                Box::new(settings)
            }
            ExperimentName::Travel => {
                let mut settings = TravelSettings::default().with_files(files)?;
                settings.seed = self.seed;
                settings.trips = self.games.unwrap_or(settings.trips);
                Box::new(settings)
            }
            ExperimentName::React => {
                let mut react = React::default().with_files(files)?;
                react.seed = self.seed;
                react.questions = self.games.unwrap_or(react.questions);
                Box::new(react)
            }
            ExperimentName::Ltlcrit => {
                let mut ltlcrit = Ltlcrit::default().with_files(files)?;
                ltlcrit.seed = self.seed;
                ltlcrit.games = self.games.unwrap_or(ltlcrit.games);
                Box::new(ltlcrit)
            }
            ExperimentName::SafetyChip => {
                let mut chip = SafetyChip::default().with_files(files)?;
                chip.seed = self.seed;
                chip.runs = self.games.unwrap_or(chip.runs);
                Box::new(chip)
            }
        })
    }
    fn name(&self) -> String {
        self.name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
    }
}

/// The experiment with one's own model: guarded and alone.
fn measured(args: &ExperimentArgs, files: &Replaced) -> Exit {
    if files.laws.is_some() && args.name == ExperimentName::Ltlcrit {
        return output::wrong(
            "`--laws` is about simulated models; `agent eval` measures a model under any policy",
        );
    }
    if args.measure.budget.is_some() && args.measure.prices().is_none() {
        return output::wrong(
            "`--budget` needs `--price-in` or `--price-out`; `--budget-tokens` counts tokens",
        );
    }
    let name = args.name();
    let failed = |failure: &Failure| match &failure.kind {
        FailureKind::Internal(message) => output::internal(message),
        _ if failure.diagnostics.iter().next().is_some() => output::wrong(
            &failure.diagnostics.iter().map(|one| one.message.clone()).collect::<Vec<_>>().join("; "),
        ),
        _ => output::wrong(&failure.reason()),
    };
    let (groups, runs) = match preset(&name, files) {
        Ok(preset) => preset,
        Err(failure) => return failed(&failure),
    };
    let evaluation = Evaluation {
        identity: given::identity(&name, files),
        name,
        runs: args.games.unwrap_or(runs),
        folder: args.output.clone(),
        progress: args.progress == ProgressChoice::Auto,
        quiet: false,
    };
    let access = Access::new(&args.oracles.access, Some(args.seed), false);
    let flags = EvalFlags {
        measure: &args.measure,
        oracles: &args.oracles,
        access: &access,
        seed: args.seed,
        opener: open_for,
    };
    crate::eval::run(&evaluation, &groups, &flags, &failed)
}

/// Runs the verb.
pub(crate) fn run(args: &ExperimentArgs) -> Exit {
    let world = args.oracles.env.as_deref();
    let files = match args.given.read(world, args.name == ExperimentName::React) {
        Ok(files) => files,
        Err(error) => return output::error(&error),
    };
    if args.oracles.text(Port::Generator).is_some() {
        return measured(args, &files);
    }
    let roles = [Port::Evaluator, Port::User].into_iter().find(|port| args.oracles.text(*port).is_some());
    if let Some(flag) = args.measure.given().or(roles.map(|_| "--evaluator, --generator and --user")) {
        return output::wrong(&format!("`{flag}`: a model of your own is named by `--oracle`"));
    }
    let experiment = match args.experiment(&files) {
        Ok(experiment) => experiment,
        Err(why) => return output::wrong(&why),
    };
    let rows = match rows(args, experiment.as_ref()) {
        Ok(rows) => rows,
        Err(error) => return output::error(&error),
    };
    let report = experiment.report(&rows);
    if print(&report.text).is_err() {
        return output::wrong("cannot write to standard output");
    }
    let Some(folder) = &args.output else { return Exit::Yes };
    let written = table(&rows).and_then(|csv| {
        let name = args.name();
        output::write_file(&folder.join(format!("{name}.csv")), csv.as_bytes())?;
        output::write_file(&folder.join(format!("{name}.txt")), report.text.as_bytes())?;
        if let Some(chart) = &report.chart {
            let svg = chart::draw(chart).context("cannot draw the chart")?;
            output::write_file(&folder.join(format!("{name}.svg")), svg.as_bytes())?;
        }
        Ok(())
    });
    match written {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

/// The rows of all parts, in their order; rows of an earlier run with the same settings are reused.
fn rows(args: &ExperimentArgs, experiment: &dyn Experiment) -> Result<Vec<Row>> {
    let parts = experiment.parts();
    let mut known: Vec<Option<Row>> = vec![None; parts.len()];
    let mut before = Before::default();
    let file = match &args.output {
        Some(folder) => {
            before.made = (!folder.exists()).then(|| folder.clone());
            crate::files::make_folder(folder)?;
            let path = folder.join(format!("{}.rows.jsonl", args.name()));
            let settings = format!("{} {}", tsl_synth_service::VERSION, experiment.settings());
            let text = match std::fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", path.display())),
            };
            if !text.is_empty() && !text.starts_with(&rows_header(&settings)) {
                let name = crate::terminal::escape(&path.to_string_lossy());
                eprint(&format!("rows of other settings are replaced: {name}\n"));
            }
            let earlier = earlier(&text, &settings);
            let taken = take(&mut known, &parts, earlier);
            if taken > 0 {
                eprint(&format!(
                    "{taken} of {} rows are there already: {}\n",
                    parts.len(),
                    crate::terminal::escape(&path.to_string_lossy())
                ));
            }
            let file = begin(&path, &settings, &known)?;
            before.rows = (taken == 0).then_some((path, text));
            Some(file)
        }
        None => None,
    };
    let shown = args.progress == ProgressChoice::Auto && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(parts.len() as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} [{elapsed}, {eta} left] {wide_msg}")
    {
        bar.set_style(style);
    }
    bar.inc(known.iter().flatten().count() as u64);
    let (next, done) = (AtomicUsize::new(0), Mutex::new((known, file, None)));
    let threads = args
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get), usize::from);
    let lock = || done.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(part) = parts.get(i) else { return };
                    if lock().0[i].is_some() {
                        continue;
                    }
                    let result = experiment.run(part);
                    let mut state = lock();
                    match result {
                        Ok(row) => {
                            let line = row_line(&row.part, &row.values);
                            if let Some(file) = &mut state.1
                                && let Err(error) = file.write_all(line.as_bytes())
                            {
                                state.2 = Some(anyhow::Error::from(error).context("cannot write the rows"));
                                return;
                            }
                            state.0[i] = Some(row);
                        }
                        Err(failure) => {
                            state.2 = Some(anyhow::anyhow!("{part}: {}", first_error(&failure)));
                            return;
                        }
                    }
                    bar.inc(1);
                    bar.set_message(part.clone());
                }
            });
        }
    });
    bar.finish_and_clear();
    let (rows, _, error) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = error {
        if rows.iter().all(Option::is_none) {
            before.restore();
        }
        return Err(error);
    }
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    if rows.len() < parts.len() {
        bail!("{} of {} parts did not come to their end", parts.len() - rows.len(), parts.len());
    }
    Ok(rows)
}

/// What was there before an experiment.
#[derive(Default)]
struct Before {
    /// The file of rows with its text, which is empty if there was none.
    rows: Option<(PathBuf, String)>,
    /// The folder, if it was made.
    made: Option<PathBuf>,
}

impl Before {
    /// Leaves nothing of an experiment that was refused before its first row, as far as the files can be written.
    fn restore(self) {
        if let Some((path, text)) = self.rows {
            let _ = if text.is_empty() { std::fs::remove_file(&path) } else { std::fs::write(&path, text) };
        }
        // A folder with other files stays.
        let _ = self.made.map(std::fs::remove_dir);
    }
}

/// The rows of an earlier run with these settings; none if there is no such run. An incomplete last line is ignored.
fn earlier(text: &str, settings: &str) -> Vec<Row> {
    read_rows(text, settings).into_iter().map(|(part, values)| Row { part, values }).collect()
}

fn take(known: &mut [Option<Row>], parts: &[String], earlier: Vec<Row>) -> usize {
    let mut taken = 0;
    for row in earlier {
        if let Some(i) = parts.iter().position(|part| *part == row.part) {
            taken += usize::from(known[i].is_none());
            known[i] = Some(row);
        }
    }
    taken
}

/// Creates the file that rows are appended to, with the settings and the rows that are known.
fn begin(path: &Path, settings: &str, known: &[Option<Row>]) -> Result<std::fs::File> {
    let mut text = rows_header(settings);
    known.iter().flatten().for_each(|row| text.push_str(&row_line(&row.part, &row.values)));
    output::write_file(path, text.as_bytes())?;
    let named = || format!("cannot write `{}`", path.display());
    std::fs::OpenOptions::new().append(true).open(path).with_context(named)
}

/// The rows as CSV.
fn table(rows: &[Row]) -> Result<String> {
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| &row.values) {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(std::iter::once("part").chain(columns.iter().copied()))?;
    for row in rows {
        let numbers = columns.iter().map(|column| {
            row.values
                .iter()
                .find(|(name, _)| name == column)
                .map_or(String::new(), |(_, value)| value.to_string())
        });
        writer.write_record(std::iter::once(row.part.clone()).chain(numbers))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
