//! The journals of sessions on disk: one file per host and session, locked while it is used.
//!
//! A hook is a new process for every event, and several may run at once. The process that holds the lock reads the
//! journal, decides, appends, and only then answers. A file system without locks, a full disk, a damaged journal and a
//! lock that is not free in time are errors, which the caller answers with a denial.

mod compiled;
#[cfg(test)]
mod tests;

use anyhow::{Context, Result, bail};
use std::cmp::Reverse;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tsl_synth_core::base::sha256;
use tsl_synth_seats::journal::{
    HEADER, JOURNAL_LIMIT, JournalEnd, JournalPart, JournalRecord, last_checkpoint, line, parse,
};

/// The number of bytes at the end of a journal in which the last checkpoint is looked for first.
const WINDOW: u64 = 1 << 16;
/// The pause between two attempts to get a lock.
const PAUSE: Duration = Duration::from_millis(1);

/// The folder of all journals.
#[derive(Clone, Debug)]
pub(crate) struct JournalStore {
    folder: PathBuf,
    durable: bool,
}

/// How far a journal has been read.
#[derive(Clone, Debug)]
pub(crate) struct JournalMark {
    length: u64,
    end: JournalEnd,
}

impl JournalMark {
    /// The number of the last record before it.
    pub(crate) fn number(&self) -> u64 {
        self.end.number()
    }
}

/// A locked journal. The lock is released when this is dropped, or when the process ends in any way.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    durable: bool,
    length: u64,
    end: JournalEnd,
    /// The records from the last checkpoint on, or all of them. The first is of the kind [`HEADER`] or `checkpoint`.
    pub(crate) records: Vec<JournalRecord>,
    /// The number of bytes of a torn last line that were cut off.
    pub(crate) cut_off: u64,
}

impl JournalStore {
    /// The store in this folder, which is created when needed. With `durable`, writes wait until the disk has them.
    pub(crate) fn new(folder: PathBuf, durable: bool) -> Self {
        Self { folder, durable }
    }

    /// The store of this user: `TSL_SYNTH_STATE`, or the folder for the state of programs.
    ///
    /// # Errors
    /// When there is no home folder.
    pub(crate) fn of_user(durable: bool) -> Result<Self> {
        Ok(Self::new(state_folder()?, durable))
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a session. Names of sessions come from hosts and are not trusted as file names; a hash keeps the
    /// files of different sessions apart.
    pub(crate) fn path(&self, host: &str, session: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let shown: String = session.chars().take(40).map(plain).collect();
        let key = sha256(format!("{}:{host}{session}", host.len()).as_bytes());
        let host: String = host.chars().take(40).map(plain).collect();
        self.folder.join("journals").join(host).join(format!("{shown}-{}.jsonl", &key[..32]))
    }

    /// The sessions of a host whose journals were written to within the last `age`, the most recent one first.
    ///
    /// # Errors
    /// When the folder cannot be read. A journal that cannot be read, or does not begin with its name, is left out.
    pub(crate) fn sessions(&self, host: &str, age: Duration) -> Result<Vec<String>> {
        let any = self.path(host, "");
        let entries = match std::fs::read_dir(any.parent().context("a journal is in a folder")?) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).context("cannot read the folder of journals"),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.context("cannot read the folder of journals")?.path();
            let Ok(modified) = path.metadata().and_then(|metadata| metadata.modified()) else { continue };
            // A time in the future counts as now.
            if modified.elapsed().unwrap_or_default() > age {
                continue;
            }
            let session = session_of(&path).filter(|session| self.path(host, session) == path);
            found.extend(session.map(|session| (Reverse(modified), session)));
        }
        found.sort();
        Ok(found.into_iter().map(|(_, session)| session).collect())
    }

    /// Locks and reads the journal of a session, which is created if needed, waiting for the lock at most `patience`.
    ///
    /// # Errors
    /// When it cannot be created, locked in time or read, or is damaged.
    pub(crate) fn lock(&self, host: &str, session: &str, patience: Duration) -> Result<Journal> {
        self.lock_after(host, session, patience, None)
    }

    /// The same for a caller that has read the journal up to a mark: `records` are only those after the mark.
    ///
    /// # Errors
    /// As [`JournalStore::lock`].
    pub(crate) fn lock_after(
        &self,
        host: &str,
        session: &str,
        patience: Duration,
        mark: Option<&JournalMark>,
    ) -> Result<Journal> {
        let path = self.path(host, session);
        let what = || format!("the journal `{}`", path.display());
        let mut file = open(&path).with_context(|| format!("cannot open {}", what()))?;
        wait_for_lock(&file, patience).with_context(|| format!("cannot lock {}", what()))?;
        let (part, length) = match mark {
            Some(mark) => read_after(&mut file, mark),
            None => read_end(&mut file),
        }
        .with_context(|| format!("cannot read {}", what()))?;
        let mut journal = Journal {
            durable: self.durable,
            cut_off: 0,
            length: length.whole,
            end: part.end,
            records: part.records,
            file,
        };
        if length.whole < length.all {
            journal.file.set_len(length.whole).with_context(|| format!("cannot mend {}", what()))?;
            journal.cut_off = length.all - length.whole;
        }
        if journal.length == 0 {
            let header = serde_json::json!({ "version": 1, "host": host, "session": session });
            journal.append(HEADER, &header.to_string())?;
            if self.durable {
                sync_folder(&path)?;
            }
        }
        Ok(journal)
    }
}

impl Journal {
    /// The end of what has been read and written.
    pub(crate) fn mark(&self) -> JournalMark {
        JournalMark { length: self.length, end: self.end.clone() }
    }
    /// The number of the last record.
    pub(crate) fn number(&self) -> u64 {
        self.end.number()
    }
    /// All records of the journal.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub(crate) fn whole(&mut self) -> Result<Vec<JournalRecord>> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.length)?);
        self.file.seek(SeekFrom::Start(0))?;
        (&self.file).take(self.length).read_to_end(&mut bytes)?;
        Ok(parse(&bytes, &JournalEnd::default())?.records)
    }
    /// Appends a record, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written; the journal is then as it was, or has a torn last line that the next lock cuts off.
    pub(crate) fn append(&mut self, kind: &str, data: &str) -> Result<()> {
        let (text, end) = line(&self.end, kind, data)?;
        let length = self.length + text.len() as u64;
        if length > JOURNAL_LIMIT {
            bail!("the journal would be longer than {} MiB", JOURNAL_LIMIT >> 20);
        }
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| if self.durable { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            // If this fails too, the last line is torn, and is cut off when the journal is locked next.
            let _ = self.file.set_len(self.length);
            return Err(anyhow::Error::new(error).context("cannot write to the journal"));
        }
        self.length = length;
        self.records.push(JournalRecord { number: end.number(), kind: kind.into(), data: data.into() });
        self.end = end;
        Ok(())
    }
}

/// The session that the first record of a journal names.
fn session_of(path: &Path) -> Option<String> {
    let mut first = Vec::new();
    BufReader::new(File::open(path).ok()?).take(WINDOW).read_until(b'\n', &mut first).ok()?;
    let part = parse(&first, &JournalEnd::default()).ok()?;
    let data: serde_json::Value = serde_json::from_str(&part.records.first()?.data).ok()?;
    data["session"].as_str().map(str::to_owned)
}

/// The folder in which programs keep their state on this system.
fn state_folder() -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(given) = std::env::var_os("TSL_SYNTH_STATE").filter(|given| !given.is_empty()) {
        return std::path::absolute(given).context("the folder of `TSL_SYNTH_STATE` has no absolute path");
    }
    let home = || {
        std::env::home_dir().context("there is no home folder; `TSL_SYNTH_STATE` names a folder for journals")
    };
    let folder = if cfg!(windows) {
        variable("LOCALAPPDATA").map_or_else(|| home().map(|home| home.join("AppData").join("Local")), Ok)?
    } else if cfg!(target_os = "macos") {
        home()?.join("Library").join("Application Support")
    } else {
        variable("XDG_STATE_HOME").map_or_else(|| home().map(|home| home.join(".local").join("state")), Ok)?
    };
    Ok(folder.join("tsl-synth"))
}

/// Opens a journal; a new one is readable only by the user.
fn open(path: &Path) -> Result<File> {
    let folder = path.parent().context("a journal is in a folder")?;
    let mut folders = std::fs::DirBuilder::new();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
        folders.mode(0o700);
        options.mode(0o600);
    }
    folders.recursive(true).create(folder)?;
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        bail!("it is no file");
    }
    Ok(file)
}

fn wait_for_lock(file: &File, patience: Duration) -> Result<()> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                bail!("another process holds it for longer than {} ms", patience.as_millis());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

/// The lengths of a file and of its complete lines, in bytes.
struct JournalLength {
    whole: u64,
    all: u64,
}

/// Reads the records from the last checkpoint on, or all: the window at the end of the file is doubled until it
/// contains a checkpoint.
fn read_end(file: &mut File) -> Result<(JournalPart, JournalLength)> {
    let all = file.metadata()?.len();
    if all > JOURNAL_LIMIT {
        bail!("it is longer than {} MiB", JOURNAL_LIMIT >> 20);
    }
    let mut window = WINDOW;
    loop {
        let from = all.saturating_sub(window);
        let mut bytes = Vec::with_capacity(usize::try_from(all - from)?);
        file.seek(SeekFrom::Start(from))?;
        file.take(all - from).read_to_end(&mut bytes)?;
        let (start, end) = match last_checkpoint(&bytes) {
            Some((start, end)) => (start, end),
            None if from == 0 => (0, JournalEnd::default()),
            None => {
                window = window.saturating_mul(2);
                continue;
            }
        };
        let part = parse(&bytes[start..], &end)?;
        let whole = from + (start + part.whole) as u64;
        return Ok((part, JournalLength { whole, all }));
    }
}

/// Reads the records after a mark.
fn read_after(file: &mut File, mark: &JournalMark) -> Result<(JournalPart, JournalLength)> {
    let all = file.metadata()?.len();
    if all < mark.length {
        bail!("it is shorter than it was");
    }
    if all > JOURNAL_LIMIT {
        bail!("it is longer than {} MiB", JOURNAL_LIMIT >> 20);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(all - mark.length)?);
    file.seek(SeekFrom::Start(mark.length))?;
    file.take(all - mark.length).read_to_end(&mut bytes)?;
    let part = parse(&bytes, &mark.end)?;
    let whole = mark.length + part.whole as u64;
    Ok((part, JournalLength { whole, all }))
}

/// Waits until the disk has the name of a new file; does nothing where folders cannot be synced.
fn sync_folder(path: &Path) -> Result<()> {
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .context("cannot sync the folder of journals")?;
    }
    Ok(())
}
