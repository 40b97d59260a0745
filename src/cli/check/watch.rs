//! `check --watch`: checks again whenever a file changes that an earlier check read, imports included. Each check is a
//! separate process, which is killed at the next change. Files are polled, which works on every file system.

use crate::check::args::CheckArgs;
use crate::exit::{Exit, is_interrupted, report_when_interrupted};
use crate::files::NOTE_READS;
use crate::files::PROJECT_FILE;
use crate::targets::{CheckTarget, expand};
use crate::{output, terminal};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use tsl_synth_service::{SpecLanguage, is_stdin};

/// The interval at which files are polled.
const TICK: Duration = Duration::from_millis(100);

/// The modification time and the size of a file; `None` if there is no such file.
type Stamp = Option<(SystemTime, u64)>;

/// Runs until it is interrupted.
pub(super) fn run(args: &CheckArgs) -> Exit {
    if args.input.specs.iter().any(|path| is_stdin(path)) {
        return output::wrong("`--watch` is for files: standard input does not change");
    }
    match watch(args) {
        Ok(exit) => exit,
        Err(error) => output::error(&error),
    }
}

fn watch(args: &CheckArgs) -> Result<Exit> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let notes = folder.path().join("reads");
    let mut watched = WatchedFiles { named: args.input.specs.clone(), read: BTreeSet::new() };
    report_when_interrupted();
    let mut changed = BTreeSet::new();
    let mut checks = 0;
    loop {
        checks += 1;
        separate(args, &changed);
        let mut before = watched.stamps();
        let begun = SystemTime::now();
        let mut running = RunningCheck(start(&notes)?);
        let mut reported = false;
        changed = loop {
            std::thread::sleep(TICK);
            if is_interrupted() {
                return Ok(Exit::Interrupted);
            }
            let ended = running.0.try_wait().context("cannot wait for a check")?;
            watched.note(&notes);
            let changed = watched.changed(&mut before, begun);
            if ended.is_some() && !reported && changed.is_empty() {
                // The check has reported an error of the call, which no edit of a file can correct.
                let is_wrong = checks == 1 && ended.and_then(|ended| ended.code()) == Some(2);
                if is_wrong && watched.has_nothing(args.input.input_format.is_some()) {
                    return Ok(Exit::Wrong);
                }
                reported = true;
                watching(args, before.len());
            }
            if !changed.is_empty() {
                break settled(&watched, &mut before, begun, changed);
            }
        };
    }
}

/// Waits until nothing changes any more: editors write in several steps.
fn settled(
    watched: &WatchedFiles,
    before: &mut BTreeMap<PathBuf, Stamp>,
    begun: SystemTime,
    mut changed: BTreeSet<PathBuf>,
) -> BTreeSet<PathBuf> {
    let mut last = watched.stamps();
    while !is_interrupted() {
        std::thread::sleep(TICK);
        let now = watched.stamps();
        changed.extend(watched.changed(before, begun));
        if now == last {
            break;
        }
        last = now;
    }
    changed
}

/// The process of a check, which is killed when this is dropped.
struct RunningCheck(Child);

impl Drop for RunningCheck {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a check: the same call without `--watch`.
fn start(notes: &Path) -> Result<Child> {
    let program = crate::started::program().context("cannot find this program")?;
    let arguments = crate::started::arguments().into_iter().filter(|argument| argument != "--watch");
    Command::new(program)
        .args(arguments)
        .env(NOTE_READS, notes)
        .stdin(Stdio::null())
        .spawn()
        .context("cannot begin a check")
}

/// The files that are watched.
struct WatchedFiles {
    /// Files, folders and globs of the call.
    named: Vec<PathBuf>,
    /// All files that checks have read. Those of earlier checks stay, because an import that fails hides further ones.
    read: BTreeSet<PathBuf>,
}

impl WatchedFiles {
    fn note(&mut self, notes: &Path) {
        let text = std::fs::read_to_string(notes).unwrap_or_default();
        self.read.extend(text.lines().map(PathBuf::from));
    }
    /// Whether no file that can be checked was read, and no folder is watched for new ones.
    fn has_nothing(&self, any_ending: bool) -> bool {
        let known = ["agent", "toml", "json"];
        let is_known = |path: &Path| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            any_ending
                || SpecLanguage::of_ending(path).is_some()
                || ending.is_some_and(|ending| known.contains(&ending))
        };
        let read = self.read.iter().any(|path| path.is_file() && is_known(path));
        !read && !self.named.iter().any(|path| path.is_dir())
    }
    fn stamps(&self) -> BTreeMap<PathBuf, Stamp> {
        let stamp = |path: &Path| {
            let meta = std::fs::metadata(path).ok()?;
            Some((meta.modified().ok()?, meta.len()))
        };
        let named = expand(&self.named, true).list;
        let named = named.iter().map(|target| target.path().to_path_buf());
        let here = std::env::current_dir().unwrap_or_default();
        let project = here.ancestors().map(|folder| folder.join(PROJECT_FILE)).find(|file| file.is_file());
        let all = named.chain(self.read.iter().cloned()).chain(project);
        all.map(|path| path.canonicalize().unwrap_or(path)).map(|path| (path.clone(), stamp(&path))).collect()
    }
    /// The files that changed since `before`. A file that is watched only since a check read it is added to `before`,
    /// and counts as changed if it was modified after the check had begun.
    fn changed(&self, before: &mut BTreeMap<PathBuf, Stamp>, begun: SystemTime) -> BTreeSet<PathBuf> {
        let named = expand(&self.named, true).list;
        let named = named.iter().map(CheckTarget::path);
        let named: BTreeSet<PathBuf> =
            named.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf())).collect();
        let now = self.stamps();
        let mut changed: BTreeSet<PathBuf> =
            before.keys().filter(|path| !now.contains_key(*path)).cloned().collect();
        for (path, stamp) in now {
            let same = match before.get(&path) {
                Some(then) => *then == stamp,
                None => !named.contains(&path) && stamp.is_none_or(|(changed, _)| changed <= begun),
            };
            if !same {
                changed.insert(path.clone());
            }
            before.entry(path).or_insert(stamp);
        }
        changed
    }
}

/// A line between two checks.
fn separate(args: &CheckArgs, changed: &BTreeSet<PathBuf>) {
    if args.output.quiet || changed.is_empty() {
        return;
    }
    let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
    let shown = |path: &PathBuf| path.strip_prefix(&here).unwrap_or(path).display().to_string();
    let names: Vec<String> = changed.iter().take(3).map(shown).collect();
    let more = if changed.len() > 3 { format!(" and {} more", changed.len() - 3) } else { String::new() };
    terminal::eprint(&format!("\n=== changed: {}{more} ===\n\n", terminal::escape(&names.join(", "))));
}

fn watching(args: &CheckArgs, files: usize) {
    if !args.output.quiet {
        let noun = if files == 1 { "file" } else { "files" };
        terminal::eprint(&format!("watching {files} {noun}; Ctrl-C ends\n"));
    }
}
