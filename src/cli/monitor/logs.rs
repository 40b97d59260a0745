//! Finding and reading logs.

use super::beginning::{BEGINNING, beginning};
use super::groups;
use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tsl_synth_core::base::counted;
use tsl_synth_core::diag::{Code, Diagnostic, Severity};
use tsl_synth_core::model::HostEvent;
use tsl_synth_seats::log::{LogFormat, LogReader};
use tsl_synth_service::is_stdin;

/// The largest size of a log that is a single document, in bytes.
const MAX_DOCUMENT: u64 = 1 << 30;
/// The largest length of a line, in bytes.
pub(super) const MAX_LINE: u64 = 256 << 20;

/// The logs to read, and how to read them.
#[derive(Clone, Debug)]
pub(crate) struct LogArgs {
    /// Files, folders, or `-`; if empty, the folder in which the host of the format `from` keeps its logs, else `-`.
    pub(crate) logs: Vec<PathBuf>,
    /// Their format; `None` to recognize it by the beginning of each log.
    pub(crate) from: Option<LogFormat>,
}

/// The logs to read.
pub(crate) struct Logs {
    files: Vec<PathBuf>,
    /// Whether some were found below a folder; files of unknown formats are then skipped.
    pub(crate) is_folder: bool,
}

/// A file or a folder of logs.
#[derive(Clone, Debug)]
pub(super) struct LogPlace {
    pub(super) path: PathBuf,
    pub(super) is_folder: bool,
    /// How the names of the logs in a folder begin and end.
    prefix: &'static str,
    suffix: &'static str,
}

impl LogPlace {
    /// The logs that are there now, sorted by their paths.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        if self.is_folder { below(&self.path, self.prefix, self.suffix) } else { vec![self.path.clone()] }
    }
}

/// The files and folders that the call names.
pub(super) fn places(args: &LogArgs) -> Result<Vec<LogPlace>> {
    let folder = args.from.and_then(LogFormat::folder);
    let (prefix, suffix) = folder.as_ref().map_or(("", ""), |folder| (folder.prefix, folder.suffix));
    let place = |path: PathBuf, is_folder: bool| LogPlace { path, is_folder, prefix, suffix };
    if !args.logs.is_empty() {
        let named = |path: &PathBuf| place(path.clone(), !is_stdin(path) && path.is_dir());
        return Ok(args.logs.iter().map(named).collect());
    }
    if let Some(folder) = folder {
        let home = std::env::var_os(folder.variable).map(PathBuf::from);
        let base = match home {
            Some(base) => {
                let rest: PathBuf = Path::new(folder.path).components().skip(1).collect();
                base.join(rest)
            }
            None => std::env::home_dir().context("there is no home folder")?.join(folder.path),
        };
        return Ok(vec![place(base, true)]);
    }
    if std::io::stdin().is_terminal() {
        bail!(
            "no log is named: `tsl-synth policy monitor POLICY LOG`, or `--from claude` for the logs of that host"
        );
    }
    Ok(vec![place(PathBuf::from("-"), false)])
}

/// The logs that the call names.
pub(crate) fn find(args: &LogArgs) -> Result<Logs> {
    let places = places(args)?;
    let files: Vec<PathBuf> = places.iter().flat_map(LogPlace::files).collect();
    if let (true, Some(place)) = (files.is_empty(), places.first()) {
        let shown = crate::terminal::escape(&place.path.display().to_string());
        if args.logs.is_empty() {
            bail!("there are no logs in `{shown}`: name a log, or pipe it in as `-`");
        }
        let name = match place {
            LogPlace { prefix: "", suffix: "", .. } => String::new(),
            LogPlace { prefix, suffix, .. } => {
                let format = args.from.map_or("", LogFormat::name);
                format!(
                    ": with `--from {format}` files named `{prefix}*{suffix}` are read; without it every format is recognized"
                )
            }
        };
        bail!("there are no logs in the folder `{shown}`{name}");
    }
    Ok(Logs { files, is_folder: places.iter().any(|place| place.is_folder) })
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
pub(super) fn session_name(path: &Path) -> String {
    if is_stdin(path) {
        return "stdin".into();
    }
    path.file_stem().map_or_else(|| "log".into(), |stem| stem.to_string_lossy().into_owned())
}

/// Opens a log.
pub(super) fn open(path: &Path) -> Result<std::fs::File> {
    let shown = || format!("cannot read `{}`", crate::terminal::escape(&path.display().to_string()));
    std::fs::File::open(path).with_context(shown)
}

/// Passes the events of the logs to `sink` until it breaks; returns the findings about the logs.
pub(crate) fn read(
    args: &LogArgs,
    logs: &Logs,
    sink: &mut dyn FnMut(&HostEvent<'_>) -> ControlFlow<()>,
) -> Result<Vec<Diagnostic>> {
    let mut notes = Vec::new();
    let mut unknown = UnknownFiles::default();
    let groups = match groups::groups(&logs.files) {
        groups if logs.files.len() > 1 => groups::joined(groups, args.from),
        groups => groups,
    };
    for group in &groups {
        let path = &group.main;
        let shown = crate::terminal::escape(&path.display().to_string());
        let stream: Box<dyn Read> =
            if is_stdin(path) { Box::new(std::io::stdin().lock()) } else { Box::new(open(path)?) };
        let mut reader = BufReader::with_capacity(1 << 18, stream);
        let beginning = beginning(&mut reader).with_context(|| format!("cannot read `{shown}`"))?;
        let Some(format) = args.from.or_else(|| LogFormat::detect(&beginning)) else {
            if logs.is_folder {
                unknown.add(path, &beginning);
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
        if matches!(format, LogFormat::Claude | LogFormat::Jsonl) && !group.others.is_empty() {
            let records = groups::records(group).with_context(|| format!("cannot read `{shown}`"))?;
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
            lines(&mut log, BufReader::with_capacity(1 << 18, chained), sink)
        } else {
            let mut bytes = Vec::new();
            chained.by_ref().take(MAX_DOCUMENT + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > MAX_DOCUMENT {
                bail!("`{shown}` is larger than {} MiB", MAX_DOCUMENT >> 20);
            }
            match log.read_document(&bytes, sink) {
                Ok(flow) => Ok(flow),
                Err(diagnostic) if logs.is_folder => {
                    let message = format!("`{shown}` is not read: {}", diagnostic.message);
                    notes.push(Diagnostic::warning(Code::LOG_UNREAD, message));
                    continue;
                }
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
    notes.extend(unknown.finding());
    notes.retain(|note| note.severity >= Severity::Note);
    Ok(notes)
}

/// The files below folders whose format is not known.
#[derive(Default)]
struct UnknownFiles {
    count: usize,
    /// The first ones.
    named: Vec<String>,
    /// Whether one of them may be a log, by its name or its first byte.
    may_be_log: bool,
}

impl UnknownFiles {
    /// At most so many files are named.
    const NAMED: usize = 5;

    fn add(&mut self, path: &Path, beginning: &[u8]) {
        let endings = ["json", "jsonl", "ndjson", "eval"];
        let is_named =
            path.extension().is_some_and(|own| endings.iter().any(|ending| own.eq_ignore_ascii_case(ending)));
        self.may_be_log |= is_named || matches!(beginning.first(), Some(b'{' | b'['));
        self.count += 1;
        if self.named.len() < Self::NAMED {
            self.named.push(format!("`{}`", crate::terminal::escape(&path.display().to_string())));
        }
    }
    fn finding(&self) -> Option<Diagnostic> {
        let more = match self.count.checked_sub(self.named.len())? {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let are = if self.count == 1 { "is" } else { "are" };
        let message = format!(
            "{} of no known format {are} not read: {}{more}",
            counted(self.count, "file"),
            self.named.join(", ")
        );
        match (self.count, self.may_be_log) {
            (0, _) => None,
            (_, true) => Some(Diagnostic::warning(Code::LOG_UNREAD, message)),
            (_, false) => Some(Diagnostic::note(Code::LOG_UNREAD, message)),
        }
    }
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

/// Reads line by line.
fn lines(
    log: &mut LogReader,
    mut reader: impl BufRead,
    sink: &mut dyn FnMut(&HostEvent<'_>) -> ControlFlow<()>,
) -> std::io::Result<ControlFlow<()>> {
    let mut line = Vec::new();
    loop {
        reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(ControlFlow::Continue(()));
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
