//! The journals of sessions on disk: one file per host and session, locked while it is used.
//!
//! A hook is a new process for every event, and several may run at once. The process that holds the lock reads the
//! journal, decides, appends, and only then answers. A file system without locks, a full disk, a damaged journal and a
//! lock that is not free in time are errors, which the caller answers with a denial.

use crate::error::{StoreError, Tried};
use crate::journal::{Journal, JournalMark, JournalStart, WINDOW, read_after, read_end, read_start};
use std::cmp::Reverse;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tsl_synth_core::base::sha256;
use tsl_synth_seats::journal::{HEADER, JournalEnd, parse};

/// The pause between two attempts to get a lock.
const PAUSE: Duration = Duration::from_millis(1);

/// The folder of all journals.
#[derive(Clone, Debug)]
pub struct JournalStore {
    folder: PathBuf,
    durable: bool,
    /// For how long after its last record a session is kept; `None`: for ever.
    retention: Option<Duration>,
}

impl JournalStore {
    /// The store in this folder, which is created when needed. With `durable`, writes wait until the disk has them.
    pub fn new(folder: PathBuf, durable: bool) -> Self {
        Self { folder, durable, retention: None }
    }

    /// The store of this user: `TSL_SYNTH_STATE`, or the folder for the state of programs.
    ///
    /// # Errors
    /// When there is no home folder.
    pub fn of_user(durable: bool) -> Result<Self, StoreError> {
        Ok(Self::new(state_folder()?, durable))
    }

    /// Says for how long after its last record a session is kept; `None`: for ever. A journal that is locked later than
    /// that begins anew.
    pub fn set_retention(&mut self, retention: Option<Duration>) {
        self.retention = retention;
    }
    /// For how long after its last record a session is kept; `None`: for ever.
    pub fn retention(&self) -> Option<Duration> {
        self.retention
    }
    /// How a journal that is locked begins, after its records are removed if they are not kept any more.
    fn start(&self, file: &mut File) -> std::io::Result<JournalStart> {
        let Some(retention) = self.retention else { return Ok(JournalStart::default()) };
        let metadata = file.metadata()?;
        // A time in the future counts as now.
        if metadata.len() > 0 && metadata.modified()?.elapsed().unwrap_or_default() > retention {
            file.set_len(0)?;
        }
        read_start(file)
    }
    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a session. Names of sessions come from hosts and are not trusted as file names; a hash keeps the
    /// files of different sessions apart.
    pub fn path(&self, host: &str, session: &str) -> PathBuf {
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
    pub fn sessions(&self, host: &str, age: Duration) -> Result<Vec<String>, StoreError> {
        let any = self.path(host, "");
        let entries = match std::fs::read_dir(any.parent().tried(|| "a journal is in a folder".into())?) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).tried(|| "cannot read the folder of journals".into()),
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.tried(|| "cannot read the folder of journals".into())?.path();
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
    pub fn lock(&self, host: &str, session: &str, patience: Duration) -> Result<Journal, StoreError> {
        self.lock_after(host, session, patience, None)
    }

    /// The same for a caller that has read the journal up to a mark: `records` are only those after the mark.
    ///
    /// # Errors
    /// As [`JournalStore::lock`].
    pub fn lock_after(
        &self,
        host: &str,
        session: &str,
        patience: Duration,
        mark: Option<&JournalMark>,
    ) -> Result<Journal, StoreError> {
        let path = self.path(host, session);
        let what = || format!("the journal `{}`", path.display());
        let mut file = open_locked(&path, patience)?;
        let start = self.start(&mut file).tried(|| format!("cannot read {}", what()))?;
        let is_other = mark.is_some_and(|mark| mark.start != start);
        let (part, length) = match mark.filter(|_| !is_other) {
            Some(mark) => read_after(&mut file, mark),
            None => read_end(&mut file),
        }
        .tried(|| format!("cannot read {}", what()))?;
        let mut journal = Journal {
            durable: self.durable,
            cut_off: 0,
            is_new: length.whole == 0,
            is_other,
            start,
            length: length.whole,
            end: part.end,
            records: part.records,
            file,
        };
        if length.whole < length.all {
            journal.file.set_len(length.whole).tried(|| format!("cannot mend {}", what()))?;
            journal.cut_off = length.all - length.whole;
        }
        if journal.length == 0 {
            let mut header = serde_json::json!({ "version": 1, "host": host, "session": session });
            if self.retention.is_some() {
                // So that the journals of two sessions with one name differ from the beginning.
                let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                header["began"] = u64::try_from(began.as_nanos())?.into();
            }
            journal.append(HEADER, &header.to_string())?;
            journal.start = self.start(&mut journal.file)?;
            if self.durable {
                sync_folder(&path)?;
            }
        }
        Ok(journal)
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
fn state_folder() -> Result<PathBuf, StoreError> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(given) = std::env::var_os("TSL_SYNTH_STATE").filter(|given| !given.is_empty()) {
        return std::path::absolute(given)
            .tried(|| "the folder of `TSL_SYNTH_STATE` has no absolute path".into());
    }
    let home = || {
        std::env::home_dir()
            .tried(|| "there is no home folder; `TSL_SYNTH_STATE` names a folder for journals".into())
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
fn open(path: &Path) -> Result<File, StoreError> {
    let folder = path.parent().tried(|| "a journal is in a folder".into())?;
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
        return Err(StoreError::new("it is no file"));
    }
    Ok(file)
}

/// Opens and locks a journal. A file that was removed while this waited for its lock is not the journal any more.
fn open_locked(path: &Path, patience: Duration) -> Result<File, StoreError> {
    let what = || format!("the journal `{}`", path.display());
    let start = Instant::now();
    loop {
        let file = open(path).tried(|| format!("cannot open {}", what()))?;
        wait_for_lock(&file, patience.saturating_sub(start.elapsed()))
            .tried(|| format!("cannot lock {}", what()))?;
        if !is_removed(&file).tried(|| format!("cannot read {}", what()))? {
            return Ok(file);
        }
    }
}

/// Whether the file has no name any more.
#[cfg(unix)]
pub(crate) fn is_removed(file: &File) -> std::io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.metadata()?) == 0)
}

/// Whether the file has no name any more: never, as only its content is removed.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on other systems")]
pub(crate) fn is_removed(_file: &File) -> std::io::Result<bool> {
    Ok(false)
}

fn wait_for_lock(file: &File, patience: Duration) -> Result<(), StoreError> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                return Err(StoreError::new(format!(
                    "another process holds it for longer than {} ms",
                    patience.as_millis()
                )));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

/// Waits until the disk has the name of a new file; does nothing where folders cannot be synced.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .tried(|| "cannot sync the folder of journals".into())?;
    }
    Ok(())
}
