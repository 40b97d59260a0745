//! Sessions that continue another one which the host does not name: finds the journal of the other session.

use super::gate_file::GateFile;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use tsl_synth_seats::hook::{HookKind, HookPayload};
use tsl_synth_seats::journal::JournalRecord;
use tsl_synth_seats::log::{LogFormat, LogReader};
use tsl_synth_service::LoggedHistory;
use tsl_synth_stores::JournalStore;

/// Journals that were not written to for this long are not searched.
const AGE: Duration = Duration::from_hours(24 * 30);
/// At most this many journals are searched, the latest first.
const MOST: usize = 200;
/// The largest number of bytes of a log that are read.
const MAX_LOG: u64 = 256 << 20;
/// How long to wait for the lock of a journal.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long to wait until the host has written what happened to its log.
const LOG_PATIENCE: Duration = Duration::from_secs(3);
/// How long to wait before the log is read again.
const LOG_PAUSE: Duration = Duration::from_millis(50);

/// Gives a session whose call is proposed the history of the session that it continues, if it lacks that and it is found.
///
/// # Errors
/// Those of the journal of the session itself.
pub(crate) fn inherit(
    keeper: &mut GateFile,
    store: &JournalStore,
    payload: &HookPayload,
) -> Result<(), String> {
    if payload.kind != HookKind::Call || !keeper.shield()?.lacks_history(&payload.session)? {
        return Ok(());
    }
    let Some(path) = &payload.transcript else { return Ok(()) };
    let own = records_of(store, payload, &payload.session).unwrap_or_default();
    let empty = LoggedHistory::new(&own, payload.tool_use_id.as_deref());
    let history = empty.and_then(|empty| complete(Path::new(path), &empty));
    match history.and_then(|history| found(store, payload, &history)) {
        Some(records) => keeper.shield()?.inherit(&payload.session, &records),
        None => Ok(()),
    }
}

/// The history in the log of a session, once the host has written all of it; `None` if it does not in time.
fn complete(path: &Path, empty: &LoggedHistory) -> Option<LoggedHistory> {
    let start = Instant::now();
    loop {
        let history = logged(path, empty.clone()).filter(LoggedHistory::is_complete);
        if history.is_some() || start.elapsed() > LOG_PATIENCE {
            return history;
        }
        thread::sleep(LOG_PAUSE);
    }
}

/// Adds the log of a session to a history; `None` if it cannot be read.
fn logged(path: &Path, mut history: LoggedHistory) -> Option<LoggedHistory> {
    let mut log = LogReader::new(LogFormat::Claude, "log");
    let mut sink = |event: &tsl_synth_core::model::HostEvent<'_>| {
        history.add(event);
        ControlFlow::Continue(())
    };
    let file = File::open(path).ok()?;
    for line in BufReader::new(file.take(MAX_LOG)).split(b'\n') {
        let _ = log.feed_line(&String::from_utf8_lossy(&line.ok()?), &mut sink);
    }
    let _ = log.finish(&mut sink);
    Some(history)
}

/// The records of the other session up to where this one branched off.
fn found(store: &JournalStore, payload: &HookPayload, history: &LoggedHistory) -> Option<Vec<JournalRecord>> {
    let sessions = store.sessions(payload.host.name(), AGE).ok()?;
    let others = sessions.into_iter().filter(|session| *session != payload.session).take(MOST);
    let part = |session: String| history.part_of(&records_of(store, payload, &session)?);
    // The whole history of a session that itself inherited it is as good as that of the first one.
    others.filter_map(part).max_by_key(Vec::len)
}

/// The journal of a session of the same host.
fn records_of(store: &JournalStore, payload: &HookPayload, session: &str) -> Option<Vec<JournalRecord>> {
    store.lock(payload.host.name(), session, PATIENCE).and_then(|mut journal| journal.whole()).ok()
}
