//! A locked journal in a file.

use crate::error::{StoreError, Tried};
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use tsl_synth_seats::journal::{
    JOURNAL_LIMIT, JournalEnd, JournalPart, JournalRecord, last_checkpoint, line, parse,
};

/// The number of bytes at the end of a journal in which the last checkpoint is looked for first.
pub(crate) const WINDOW: u64 = 1 << 16;

/// The first bytes of a journal up to the checksum of its header, which has the time when the session began if sessions
/// are removed some time. Zeros if nothing was read.
pub(crate) type JournalStart = [u8; 24];

/// How far a journal has been read.
#[derive(Clone, Debug)]
pub struct JournalMark {
    length: u64,
    end: JournalEnd,
    pub(crate) start: JournalStart,
}

impl JournalMark {
    /// The number of the last record before it.
    pub fn number(&self) -> u64 {
        self.end.number()
    }
}

/// A locked journal. The lock is released when this is dropped, or when the process ends in any way.
#[derive(Debug)]
pub struct Journal {
    pub(crate) file: File,
    pub(crate) durable: bool,
    pub(crate) length: u64,
    pub(crate) end: JournalEnd,
    /// The records from the last checkpoint on, or all of them. The first is of the kind `journal` or `checkpoint`.
    pub records: Vec<JournalRecord>,
    /// The number of bytes of a torn last line that were cut off.
    pub cut_off: u64,
    /// Whether it had no records before it was locked.
    pub(crate) is_new: bool,
    /// Whether it is another one than that of the mark, since the session was removed.
    pub(crate) is_other: bool,
    /// How it begins, if sessions are removed some time.
    pub(crate) start: JournalStart,
}

impl Journal {
    /// The end of what has been read and written.
    pub fn mark(&self) -> JournalMark {
        JournalMark { length: self.length, end: self.end.clone(), start: self.start }
    }
    /// The number of the last record.
    pub fn number(&self) -> u64 {
        self.end.number()
    }
    /// All records of the journal.
    ///
    /// # Errors
    /// When it cannot be read, or is damaged.
    pub fn whole(&mut self) -> Result<Vec<JournalRecord>, StoreError> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.length)?);
        self.file.seek(SeekFrom::Start(0))?;
        (&self.file).take(self.length).read_to_end(&mut bytes)?;
        Ok(parse(&bytes, &JournalEnd::default())?.records)
    }
    /// Appends a record, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written; the journal is then as it was, or has a torn last line that the next lock cuts off.
    pub fn append(&mut self, kind: &str, data: &str) -> Result<(), StoreError> {
        let (text, end) = line(&self.end, kind, data)?;
        let length = self.length + text.len() as u64;
        if length > JOURNAL_LIMIT {
            return Err(StoreError::new(format!(
                "the journal would be longer than {} MiB",
                JOURNAL_LIMIT >> 20
            )));
        }
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| if self.durable { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            // If this fails too, the last line is torn, and is cut off when the journal is locked next.
            let _ = self.file.set_len(self.length);
            return Err(error).tried(|| "cannot write to the journal".into());
        }
        self.length = length;
        self.records.push(JournalRecord { number: end.number(), kind: kind.into(), data: data.into() });
        self.end = end;
        Ok(())
    }
}

/// How a journal begins; zeros if it is shorter.
pub(crate) fn read_start(file: &mut File) -> std::io::Result<JournalStart> {
    let mut start = JournalStart::default();
    file.seek(SeekFrom::Start(0))?;
    match file.read_exact(&mut start) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(JournalStart::default()),
        done => done.map(|()| start),
    }
}

/// Removes a journal that is locked, in the file with this path. Whoever waits for the lock then finds the file empty, or
/// without a name and opens a new one.
pub(crate) fn remove(file: &File, path: &Path) -> Result<(), StoreError> {
    let what = || format!("cannot remove the journal `{}`", path.display());
    file.set_len(0).tried(what)?;
    // On other systems a file that is open keeps its name, and stays behind without content.
    if cfg!(unix) {
        std::fs::remove_file(path).tried(what)?;
    }
    Ok(())
}

/// The lengths of a file and of its complete lines, in bytes.
pub(crate) struct JournalLength {
    pub(crate) whole: u64,
    pub(crate) all: u64,
}

/// Reads the records from the last checkpoint on, or all: the window at the end of the file is doubled until it
/// contains a checkpoint.
pub(crate) fn read_end(file: &mut File) -> Result<(JournalPart, JournalLength), StoreError> {
    let all = file.metadata()?.len();
    if all > JOURNAL_LIMIT {
        return Err(StoreError::new(format!("it is longer than {} MiB", JOURNAL_LIMIT >> 20)));
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
pub(crate) fn read_after(
    file: &mut File,
    mark: &JournalMark,
) -> Result<(JournalPart, JournalLength), StoreError> {
    let all = file.metadata()?.len();
    if all < mark.length {
        return Err(StoreError::new("it is shorter than it was"));
    }
    if all > JOURNAL_LIMIT {
        return Err(StoreError::new(format!("it is longer than {} MiB", JOURNAL_LIMIT >> 20)));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(all - mark.length)?);
    file.seek(SeekFrom::Start(mark.length))?;
    file.take(all - mark.length).read_to_end(&mut bytes)?;
    let part = parse(&bytes, &mark.end)?;
    let whole = mark.length + part.whole as u64;
    Ok((part, JournalLength { whole, all }))
}
