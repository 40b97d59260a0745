//! Finding and reading logs.

use super::subagents::{self, LogGroup};
use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tsl_synth_core::diag::{Diagnostic, Severity};
use tsl_synth_core::model::HostEvent;
use tsl_synth_seats::log::{LogFormat, LogReader};
use tsl_synth_service::is_stdin;

/// The largest number of bytes read to recognize the format of a log.
const BEGINNING: usize = 16 << 10;
/// The largest size of a log that is a single document, in bytes.
const MAX_DOCUMENT: u64 = 1 << 30;
/// The largest length of a line, in bytes.
const MAX_LINE: u64 = 256 << 20;
/// The interval at which a growing log is polled.
const GROWTH: Duration = Duration::from_millis(200);

/// The logs to read, and how to read them.
#[derive(Clone, Debug)]
pub(crate) struct LogArgs {
    /// Files, folders, or `-`; if empty, the folder in which the host of the format `from` keeps its logs, else `-`.
    pub(crate) logs: Vec<PathBuf>,
    /// Their format; `None` to recognize it by the beginning of each log.
    pub(crate) from: Option<LogFormat>,
    /// Whether to go on reading while a log grows.
    pub(crate) follow: bool,
}

/// The logs to read.
pub(crate) struct Logs {
    files: Vec<PathBuf>,
    /// Whether some were found below a folder; files of unknown formats are then skipped.
    pub(crate) is_folder: bool,
}

/// The logs that the call names.
pub(crate) fn find(args: &LogArgs) -> Result<Logs> {
    if args.logs.is_empty() {
        if let Some(folder) = args.from.and_then(LogFormat::folder) {
            let home = std::env::var_os(folder.variable).map(PathBuf::from);
            let base = match home {
                Some(base) => {
                    let rest: PathBuf = Path::new(folder.path).components().skip(1).collect();
                    base.join(rest)
                }
                None => std::env::home_dir().context("there is no home folder")?.join(folder.path),
            };
            let files = below(&base, folder.prefix, folder.suffix);
            if files.is_empty() {
                bail!(
                    "there are no logs in `{}`: name a log, or pipe it in as `-`",
                    crate::terminal::escape(&base.display().to_string())
                );
            }
            return Ok(Logs { files, is_folder: true });
        }
        if std::io::stdin().is_terminal() {
            bail!(
                "no log is named: `tsl-synth policy monitor POLICY LOG`, or `--from claude` for the logs of that host"
            );
        }
        return Ok(Logs { files: vec![PathBuf::from("-")], is_folder: false });
    }
    let mut files = Vec::new();
    let mut is_folder = false;
    for path in &args.logs {
        if !is_stdin(path) && path.is_dir() {
            is_folder = true;
            let (prefix, suffix) = args
                .from
                .and_then(LogFormat::folder)
                .map_or(("", ""), |folder| (folder.prefix, folder.suffix));
            files.extend(below(path, prefix, suffix));
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        bail!("there are no logs in the folder");
    }
    if args.follow && files.len() > 1 {
        bail!("`--follow` reads one log");
    }
    Ok(Logs { files, is_folder })
}

/// The files below a folder with this prefix and suffix, sorted by their paths.
fn below(folder: &Path, prefix: &str, suffix: &str) -> Vec<PathBuf> {
    let named = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.file_type().is_file()
            && name.starts_with(prefix)
            && name.ends_with(suffix)
            && !name.starts_with('.')
    };
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .filter(named)
        .map(walkdir::DirEntry::into_path)
        .collect()
}

/// The name of a session that the log does not name.
fn session_name(path: &Path) -> String {
    if is_stdin(path) {
        return "stdin".into();
    }
    path.file_stem().map_or_else(|| "log".into(), |stem| stem.to_string_lossy().into_owned())
}

/// Passes the events of the logs to `sink` until it breaks; returns the findings about the logs.
pub(crate) fn read(
    args: &LogArgs,
    logs: &Logs,
    sink: &mut dyn FnMut(&HostEvent<'_>) -> ControlFlow<()>,
) -> Result<Vec<Diagnostic>> {
    let mut notes = Vec::new();
    let groups = if args.follow {
        let alone = |main: &PathBuf| LogGroup { main: main.clone(), subagents: Vec::new() };
        logs.files.iter().map(alone).collect()
    } else {
        subagents::groups(&logs.files)
    };
    for group in &groups {
        let path = &group.main;
        let shown = crate::terminal::escape(&path.display().to_string());
        let stream: Box<dyn Read> = if is_stdin(path) {
            Box::new(std::io::stdin().lock())
        } else {
            Box::new(std::fs::File::open(path).with_context(|| format!("cannot read `{shown}`"))?)
        };
        let mut reader = BufReader::with_capacity(1 << 18, stream);
        let beginning = beginning(&mut reader).with_context(|| format!("cannot read `{shown}`"))?;
        let Some(format) = args.from.or_else(|| LogFormat::detect(&beginning)) else {
            if logs.is_folder {
                continue;
            }
            let names: Vec<&str> = LogFormat::ALL.iter().map(|format| format.name()).collect();
            let what = if is_stdin(path) { "standard input".into() } else { format!("`{shown}`") };
            bail!("{what} is no log of a known format; `--from` says which it is: {}", names.join(", "));
        };
        let mut log = LogReader::new(format, session_name(path));
        if !is_stdin(path) {
            log.set_file(path.display().to_string());
        }
        let first = String::from_utf8_lossy(&beginning);
        let first = first.lines().next().unwrap_or_default();
        if format == LogFormat::Claude && !group.subagents.is_empty() {
            let records = subagents::records(group).with_context(|| format!("cannot read `{shown}`"))?;
            let mut flow = ControlFlow::Continue(());
            for (number, record) in records {
                log.set_line(number);
                flow = log.feed_line(&record, sink);
                if flow.is_break() {
                    break;
                }
            }
            let flow = if flow.is_continue() { log.finish(sink) } else { flow };
            notes.extend(named(&log, &shown, groups.len() > 1));
            if flow.is_break() {
                break;
            }
            continue;
        }
        let mut chained = std::io::Cursor::new(beginning.clone()).chain(reader);
        let flow = if format.streams(first) || beginning.len() >= BEGINNING && format.is_line_based() {
            lines(args, &mut log, BufReader::with_capacity(1 << 18, chained), sink)
        } else {
            let mut bytes = Vec::new();
            chained.by_ref().take(MAX_DOCUMENT + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > MAX_DOCUMENT {
                bail!("`{shown}` is larger than {} MiB", MAX_DOCUMENT >> 20);
            }
            match log.read_document(&bytes, sink) {
                Ok(flow) => Ok(flow),
                Err(diagnostic) => bail!("`{shown}`: {}", diagnostic.message),
            }
        };
        let flow = flow.with_context(|| format!("cannot read `{shown}`"))?;
        let flow = if flow.is_continue() { log.finish(sink) } else { flow };
        notes.extend(named(&log, &shown, groups.len() > 1));
        if flow.is_break() {
            break;
        }
    }
    notes.retain(|note| note.severity >= Severity::Note);
    Ok(notes)
}

/// The findings about a log, with its name if there are several.
fn named(log: &LogReader, shown: &str, is_one_of_many: bool) -> Vec<Diagnostic> {
    let findings = log.notes().findings();
    let named = |finding: &Diagnostic| {
        let mut finding = finding.clone();
        if is_one_of_many {
            finding.message = format!("{shown}: {}", finding.message);
        }
        finding
    };
    findings.iter().map(named).collect()
}

/// The first lines of a stream, until the format is recognized or [`BEGINNING`] bytes are read.
fn beginning(reader: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while bytes.len() < BEGINNING {
        let before = bytes.len();
        reader.by_ref().take((BEGINNING - before) as u64).read_until(b'\n', &mut bytes)?;
        // No line is read after the format is recognized: on a growing stream, reading it could block.
        if bytes.len() == before || LogFormat::detect(&bytes).is_some() {
            break;
        }
    }
    Ok(bytes)
}

/// Reads line by line, with `--follow` also the lines that are added later.
fn lines(
    args: &LogArgs,
    log: &mut LogReader,
    mut reader: impl BufRead,
    sink: &mut dyn FnMut(&HostEvent<'_>) -> ControlFlow<()>,
) -> std::io::Result<ControlFlow<()>> {
    let mut line = Vec::new();
    loop {
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        let is_whole = line.ends_with(b"\n");
        if read == 0 || (args.follow && !is_whole) {
            if args.follow {
                std::thread::sleep(GROWTH);
                continue;
            }
            if line.is_empty() {
                return Ok(ControlFlow::Continue(()));
            }
        }
        // Most lines are valid UTF-8, and checking that is faster than the lossy conversion.
        let text = std::str::from_utf8(&line).map_or_else(|_| String::from_utf8_lossy(&line), Cow::Borrowed);
        let flow = log.feed_line(&text, sink);
        line.clear();
        if flow.is_break() {
            return Ok(flow);
        }
    }
}
