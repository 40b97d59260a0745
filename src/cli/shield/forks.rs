//! Sessions that continue another one which the host does not name: finds the journal of the other session.

use super::gate_file::GateFile;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;
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
    let Some(mut history) = payload.transcript.as_ref().and_then(|path| logged(Path::new(path))) else {
        return Ok(());
    };
    // The log may have the call already that is proposed.
    if let Some(call) = &payload.tool_use_id {
        history.remove(call);
    }
    match found(store, payload, &history) {
        Some(records) => keeper.shield()?.inherit(&payload.session, &records),
        None => Ok(()),
    }
}

/// The history in the log of a session.
fn logged(path: &Path) -> Option<LoggedHistory> {
    let mut history = LoggedHistory::default();
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
    let host = payload.host.name();
    let sessions = store.sessions(host, AGE).ok()?;
    let others = sessions.into_iter().filter(|session| *session != payload.session).take(MOST);
    let part = |session: String| {
        let records = store.lock(host, &session, PATIENCE).and_then(|mut journal| journal.whole()).ok()?;
        history.part_of(&records)
    };
    // The whole history of a session that itself inherited it is as good as that of the first one.
    others.filter_map(part).max_by_key(Vec::len)
}
