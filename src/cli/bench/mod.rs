//! `bench`: many specifications, each in its own process with its own limits; verdicts are compared with a table.

pub(crate) mod args;
mod child;

use crate::exit::Exit;
use crate::output;
use crate::terminal;
use anyhow::{Context, Result, bail};
use args::BenchArgs;
use child::{limit_of, ours, theirs};
use std::io::Write;
use std::path::{Path, PathBuf};
use tsl_synth_service::{
    BENCH_HEADER, BenchRow, BenchVerdict, ExpectedVerdict, SpecLanguage, bench_summary, read_bench_rows,
    read_expectations,
};
use walkdir::WalkDir;

/// The limit without `--time-limit`.
const TIME_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Runs the verb.
pub(crate) fn run(args: &BenchArgs) -> Exit {
    match bench(args) {
        Ok(exit) => exit,
        Err(error) => output::error(&error),
    }
}

fn bench(args: &BenchArgs) -> Result<Exit> {
    let files = shard(files(&args.paths)?, args.shard);
    let expected = match &args.expected {
        Some(path) => read_expectations(&read(path)?),
        None => Vec::new(),
    };
    let mut rows = match (&args.csv, args.resume) {
        (Some(path), true) if path.exists() => read_bench_rows(&read(path)?).map_err(anyhow::Error::msg)?,
        _ => Vec::new(),
    };
    let mut csv = match &args.csv {
        Some(path) => Some(open(path, &rows)?),
        None => None,
    };
    let limit = limit_of(args);
    for (i, file) in files.iter().enumerate() {
        let name = file.to_string_lossy().into_owned();
        if rows.iter().any(|row| row.file == name) {
            continue;
        }
        let wanted = expected.iter().find(|e| file.file_stem().is_some_and(|stem| stem == &*e.name));
        let mut row = BenchRow { file: name, ..ours(file, args, limit) };
        if let Some(ExpectedVerdict { status, size, .. }) = wanted {
            row.expected.clone_from(status);
            row.reference_size = *size;
        }
        if let Some(command) = &args.versus {
            let (verdict, seconds) = theirs(command, file, limit)?;
            (row.versus_verdict, row.versus_seconds) = (Some(verdict), seconds);
        }
        if !args.quiet {
            let line = format!("{}/{} {}\n", i + 1, files.len(), row.line());
            terminal::eprint(&terminal::escape_lines(&line));
        }
        if let Some(csv) = &mut csv {
            csv.write_all(row.csv().as_bytes()).context("cannot write the table")?;
        }
        rows.push(row);
    }
    let mut out = output::Output::new(None);
    out.push(&bench_summary(&rows, limit));
    out.finish()?;
    let wrong = rows.iter().any(|row| row.disagrees() || row.verdict == BenchVerdict::Crash);
    Ok(if wrong { Exit::No } else { Exit::Yes })
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

/// Creates the table, with the rows of an earlier run.
fn open(path: &Path, rows: &[BenchRow]) -> Result<std::fs::File> {
    let write = || -> std::io::Result<std::fs::File> {
        let mut file = std::fs::File::create(path)?;
        file.write_all(BENCH_HEADER.as_bytes())?;
        for row in rows {
            file.write_all(row.csv().as_bytes())?;
        }
        Ok(file)
    };
    write().with_context(|| format!("cannot write `{}`", path.display()))
}

/// All specifications that are named, in order: files, those below folders, and those in lists (`.txt`, a file
/// in each line).
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            for entry in WalkDir::new(path).follow_links(true) {
                let entry = entry.with_context(|| format!("cannot read `{}`", path.display()))?;
                if entry.file_type().is_file() && SpecLanguage::of_ending(entry.path()).is_some() {
                    files.push(entry.into_path());
                }
            }
        } else if path.extension().is_some_and(|e| e == "txt") {
            let folder = path.parent().unwrap_or(Path::new(""));
            let listed = read(path)?;
            files.extend(
                listed.lines().map(str::trim).filter(|l| !l.is_empty()).map(|line| folder.join(line)),
            );
        } else if path.exists() {
            files.push(path.clone());
        } else {
            bail!("cannot read `{}`: there is no such file or folder", path.display());
        }
    }
    files.sort();
    files.dedup();
    match files.len() {
        0 => bail!("there is no specification to run"),
        _ => Ok(files),
    }
}

/// The `i`-th of `n` parts: every n-th file, so that neighboring files are spread over the parts.
fn shard(files: Vec<PathBuf>, shard: Option<(usize, usize)>) -> Vec<PathBuf> {
    let Some((i, n)) = shard else { return files };
    files.into_iter().enumerate().filter(|(at, _)| at % n == i - 1).map(|(_, file)| file).collect()
}
