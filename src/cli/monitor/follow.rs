//! `--follow`: logs that grow, and folders in which new logs appear. Files are polled by their size and opened only when
//! they have grown, so that their number is not limited by that of open files.

use super::beginning::BEGINNING;
use super::groups;
use super::logs::{self, LogArgs, LogPlace};
use crate::terminal::{eprint, escape};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tsl_synth_core::model::HostEvent;
use tsl_synth_seats::log::{LogFormat, LogReader};

/// How often logs are looked at.
const POLL: Duration = Duration::from_millis(200);
/// How often if there are more than [`FEW`].
const SLOW_POLL: Duration = Duration::from_secs(1);
const FEW: usize = 200;
/// How often folders are searched for new logs.
const SEARCH: Duration = Duration::from_secs(1);
/// The most bytes that are read of one file at once.
const PIECE: u64 = 16 << 20;

/// A file that grows.
#[derive(Debug)]
struct GrowingFile {
    path: PathBuf,
    /// How much was read.
    offset: u64,
    /// The number of whole lines that were read.
    lines: u64,
    /// The beginning of a line whose end is not written yet.
    rest: Vec<u8>,
    /// The time of the last record that has one.
    time: i64,
    /// Whether nothing more is read of it.
    is_given_up: bool,
}

/// A line: the time of its record, its number, its text.
type Line = (i64, u64, String);

impl GrowingFile {
    fn new(path: PathBuf) -> Self {
        Self { path, offset: 0, lines: 0, rest: Vec::new(), time: i64::MIN, is_given_up: false }
    }
    /// The whole lines that were added; `Err` with the reason if the file cannot be followed any further.
    fn added(&mut self, is_sorted: bool) -> Result<Vec<Line>, String> {
        // A file that is gone may come back, and one without permission may get it.
        let Ok(size) = self.path.metadata().map(|data| data.len()) else { return Ok(Vec::new()) };
        if size < self.offset {
            return Err("it became shorter".into());
        }
        if size == self.offset {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.offset))?;
            file.take(PIECE).read_to_end(&mut bytes)
        });
        if read.is_err() {
            return Ok(Vec::new());
        }
        self.offset += bytes.len() as u64;
        self.rest.extend(bytes);
        let Some(end) = self.rest.iter().rposition(|&byte| byte == b'\n') else {
            let is_long = self.rest.len() as u64 > logs::MAX_LINE;
            return if is_long { Err("a line is too long".into()) } else { Ok(Vec::new()) };
        };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        let mut lines = Vec::new();
        for line in whole[..end].split(|&byte| byte == b'\n') {
            let text = String::from_utf8_lossy(line).into_owned();
            self.lines += 1;
            if is_sorted {
                self.time = self.time.max(groups::time_of(&text).unwrap_or(self.time));
            }
            lines.push((self.time, self.lines, text));
        }
        Ok(lines)
    }
}

/// The log of a session, with those of its subagents.
#[derive(Debug)]
struct FollowedLog {
    files: Vec<GrowingFile>,
    /// Its reader, once the format is recognized.
    reader: Option<LogReader>,
    /// The lines before that.
    first: Vec<Line>,
}

/// Logs that grow.
pub(super) struct Follower<'a> {
    args: &'a LogArgs,
    places: Vec<LogPlace>,
    logs: BTreeMap<PathBuf, FollowedLog>,
    searched: Option<Instant>,
    quiet: bool,
}

impl<'a> Follower<'a> {
    /// The logs that the call names.
    ///
    /// # Errors
    /// A file that is not there.
    pub(super) fn new(args: &'a LogArgs, quiet: bool) -> Result<Self> {
        let places = logs::places(args)?;
        for place in places.iter().filter(|place| !place.is_folder) {
            logs::open(&place.path)?;
        }
        Ok(Self { args, places, logs: BTreeMap::new(), searched: None, quiet })
    }
    /// How long to wait before logs are looked at again.
    pub(super) fn interval(&self) -> Duration {
        if self.logs.len() > FEW { SLOW_POLL } else { POLL }
    }
    /// Finds logs that are new.
    fn search(&mut self) {
        if self.searched.is_some_and(|then| then.elapsed() < SEARCH) {
            return;
        }
        self.searched = Some(Instant::now());
        let files: Vec<PathBuf> = self.places.iter().flat_map(LogPlace::files).collect();
        for group in groups::groups(&files) {
            let log = self.logs.entry(group.main.clone()).or_insert_with(|| FollowedLog {
                files: Vec::new(),
                reader: None,
                first: Vec::new(),
            });
            for path in std::iter::once(group.main).chain(group.others) {
                if !log.files.iter().any(|file| file.path == path) {
                    log.files.push(GrowingFile::new(path));
                }
            }
        }
    }
    /// Passes the events that were added to `sink` until it breaks; returns whether there were any lines.
    pub(super) fn poll(
        &mut self,
        sink: &mut dyn FnMut(&HostEvent<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<(), bool> {
        self.search();
        let (from, quiet, mut is_any) = (self.args.from, self.quiet, false);
        for (main, log) in &mut self.logs {
            let mut lines: Vec<Line> = std::mem::take(&mut log.first);
            let (known, is_sorted) = (lines.len(), log.files.len() > 1);
            for file in log.files.iter_mut().filter(|file| !file.is_given_up) {
                match file.added(is_sorted) {
                    Ok(added) => lines.extend(added),
                    Err(why) => give_up(file, &why, quiet),
                }
            }
            if lines.len() == known {
                log.first = lines;
                continue;
            }
            is_any = true;
            if is_sorted {
                lines.sort_by_key(|(time, ..)| *time);
            }
            if log.reader.is_none() {
                match reader(main, from, &lines) {
                    Ok(found) => log.reader = found,
                    Err(why) => log.files.iter_mut().for_each(|file| give_up(file, why, quiet)),
                }
            }
            let Some(reader) = &mut log.reader else {
                log.first = lines;
                continue;
            };
            for (_, number, text) in lines {
                reader.set_line(number);
                reader.feed_line(&text, sink)?;
            }
        }
        ControlFlow::Continue(is_any)
    }
}

/// Reads no more of a file, and says so.
fn give_up(file: &mut GrowingFile, why: &str, quiet: bool) {
    if !std::mem::replace(&mut file.is_given_up, true) && !quiet {
        let name = escape(&file.path.display().to_string());
        eprint(&format!("note: `{name}` is not followed: {why}\n"));
    }
}

/// The reader of a log by its first lines; none if these are too few to recognize the format.
fn reader(main: &Path, from: Option<LogFormat>, lines: &[Line]) -> Result<Option<LogReader>, &'static str> {
    let mut beginning = String::new();
    for (.., text) in lines {
        beginning.push_str(text);
        beginning.push('\n');
        if beginning.len() > BEGINNING {
            break;
        }
    }
    let Some(format) = from.or_else(|| LogFormat::detect(beginning.as_bytes())) else {
        let is_unknown = beginning.len() > BEGINNING;
        return if is_unknown { Err("its format is not known; `--from` says which it is") } else { Ok(None) };
    };
    let first = lines.iter().map(|(.., text)| text.as_str()).find(|text| !text.trim().is_empty());
    if !first.is_some_and(|first| format.streams(first)) {
        return Err("it is one document, which does not grow line by line");
    }
    if matches!(format, LogFormat::Otel | LogFormat::Langfuse) {
        return Err("spans are sorted when all are there");
    }
    let mut reader = LogReader::new(format, logs::session_name(main));
    reader.set_file(main.display().to_string());
    Ok(Some(reader))
}
