//! Sessions of Claude Code whose subagents have logs of their own: `<session>.jsonl` and
//! `<session>/subagents/agent-*.jsonl`. They are one session, whose records are read in the order of their times.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use tsl_synth_seats::log::time;

/// The largest size of the logs of one session that are sorted, in bytes; larger ones are read one after the other.
const MOST: u64 = 1 << 30;

/// The logs of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogGroup {
    /// That of the main agent.
    pub(super) main: PathBuf,
    /// Those of its subagents.
    pub(super) subagents: Vec<PathBuf>,
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
    mains.map(|main| LogGroup { subagents: beside(main), main: main.clone() }).collect()
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
    let files: Vec<&PathBuf> = std::iter::once(&group.main).chain(&group.subagents).collect();
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
        // The sort is stable: records of the same time stay in the order of their log, those of the main agent first.
        all.sort_by_key(|(time, ..)| *time);
    }
    Ok(all.into_iter().map(|(_, line, text)| (line, text)).collect())
}

/// The time of a record.
pub(super) fn time_of(record: &str) -> Option<i64> {
    #[derive(serde::Deserialize)]
    struct Timed<'a> {
        #[serde(borrow)]
        timestamp: Option<std::borrow::Cow<'a, str>>,
    }
    time(&serde_json::from_str::<Timed<'_>>(record).ok()?.timestamp?)
}
