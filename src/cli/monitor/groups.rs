//! Logs that tell of the same sessions: those of the subagents of Claude Code (`<session>.jsonl` and
//! `<session>/subagents/agent-*.jsonl`), and files whose records name the same session. Their records are read in the
//! order of their times.

use super::beginning::beginning;
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tsl_synth_seats::log::{LogFormat, time};

/// The largest size of the logs of one session that are sorted, in bytes; larger ones are read one after the other.
const MOST: u64 = 1 << 30;

/// Logs that tell of the same sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogGroup {
    /// The first one, that of the main agent.
    pub(super) main: PathBuf,
    /// The others, such as those of subagents.
    pub(super) others: Vec<PathBuf>,
}

/// The log of the main agent that the log of a subagent belongs to, by their paths.
fn main_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "subagents"))?;
    let session = folder.parent()?;
    Some(session.with_file_name(format!("{}.jsonl", session.file_name()?.to_string_lossy())))
}

/// The logs in groups: those of subagents with the one of their main agent, also if only that one is named.
pub(super) fn groups(files: &[PathBuf]) -> Vec<LogGroup> {
    let named: BTreeSet<&PathBuf> = files.iter().collect();
    let belongs = |path: &PathBuf| main_of(path).is_some_and(|main| named.contains(&main));
    let mains = files.iter().filter(|path| !belongs(path));
    mains.map(|main| LogGroup { others: beside(main), main: main.clone() }).collect()
}

/// The groups, with those as one that name the same session. Each file is read once for that. A file that cannot be read
/// stays as it is.
pub(super) fn joined(groups: Vec<LogGroup>, from: Option<LogFormat>) -> Vec<LogGroup> {
    let mut parts = UnionFind::new(groups.len());
    let mut groups_of: BTreeMap<u64, usize> = BTreeMap::new();
    let mut named = BTreeSet::new();
    for (place, group) in groups.iter().enumerate() {
        named.clear();
        let _ = sessions(&group.main, from, &mut named);
        for session in &named {
            parts.union(place, *groups_of.entry(*session).or_insert(place));
        }
    }
    let mut joined: BTreeMap<usize, LogGroup> = BTreeMap::new();
    let mut order = Vec::new();
    for (place, group) in groups.into_iter().enumerate() {
        let part = parts.find(place);
        if let Some(known) = joined.get_mut(&part) {
            known.others.extend(std::iter::once(group.main).chain(group.others));
        } else {
            order.push(part);
            joined.insert(part, group);
        }
    }
    order.into_iter().filter_map(|part| joined.remove(&part)).collect()
}

/// Adds hashes of the sessions that a log names. A transcript of Claude Code has one.
fn sessions(path: &Path, from: Option<LogFormat>, named: &mut BTreeSet<u64>) -> std::io::Result<()> {
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    let mut reader = BufReader::new(std::fs::File::open(path)?);
    let beginning = beginning(&mut reader)?;
    let format = from.or_else(|| LogFormat::detect(&beginning));
    let Some(format) = format.filter(|format| matches!(format, LogFormat::Claude | LogFormat::Jsonl)) else {
        return Ok(());
    };
    for line in Read::chain(beginning.as_slice(), reader).split(b'\n') {
        if let Some(session) = format.session_of(&String::from_utf8_lossy(&line?)) {
            named.insert(hasher.hash_one(session));
            if format == LogFormat::Claude {
                break;
            }
        }
    }
    Ok(())
}

/// The logs of the subagents of a session.
fn beside(main: &Path) -> Vec<PathBuf> {
    if main.extension().is_none_or(|ending| ending != "jsonl") {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(main.with_extension("").join("subagents")) else { return Vec::new() };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl")).collect();
    files.sort();
    files
}

/// The records of a group in the order of their times, each with its line. A record without a time stays after the one
/// before it.
///
/// # Errors
/// A log that cannot be read.
pub(super) fn records(group: &LogGroup) -> std::io::Result<Vec<(u64, String)>> {
    let files: Vec<&PathBuf> = std::iter::once(&group.main).chain(&group.others).collect();
    let mut size = 0;
    for file in &files {
        size += file.metadata()?.len();
    }
    let mut all: Vec<(i64, u64, String)> = Vec::new();
    for file in files {
        let mut last = i64::MIN;
        for (i, line) in BufReader::new(std::fs::File::open(file)?).split(b'\n').enumerate() {
            let text = String::from_utf8_lossy(&line?).into_owned();
            last = last.max(time_of(&text).unwrap_or(last));
            all.push((last, i as u64 + 1, text));
        }
    }
    if size <= MOST {
        // The sort is stable: records of the same time stay in the order of their log, those of the first log first.
        all.sort_by_key(|(time, ..)| *time);
    }
    Ok(all.into_iter().map(|(_, line, text)| (line, text)).collect())
}

/// The time of a record.
pub(super) fn time_of(record: &str) -> Option<i64> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Time<'a> {
        #[serde(borrow)]
        Text(std::borrow::Cow<'a, str>),
        Milliseconds(i64),
    }
    #[derive(serde::Deserialize)]
    struct Timed<'a> {
        #[serde(borrow, alias = "time")]
        timestamp: Option<Time<'a>>,
    }
    match serde_json::from_str::<Timed<'_>>(record).ok()?.timestamp? {
        Time::Text(text) => time(&text),
        Time::Milliseconds(time) => Some(time),
    }
}
