//! Reads zip archives in memory, with limits on their unpacked size: an archive may be built to unpack to a huge one.

use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use tsl_synth_core::diag::{Code, Diagnostic};

/// The largest unpacked size of one file of an archive, in bytes.
const FILE: u64 = 512 << 20;
/// The largest unpacked size of all wanted files of an archive together, in bytes.
const ALL: u64 = 4 << 30;
/// An archive whose unpacked size is more than this many times its own size, and more than [`FREE`] bytes, is refused:
/// text is rarely compressed by more than a factor of 30.
const RATIO: u64 = 200;
const FREE: u64 = 16 << 20;

/// Whether these are the first bytes of an archive.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Passes the name and content of each wanted file to `take`, in the order of the archive. Files that cannot be read
/// are counted in `unread`.
pub(super) fn files(
    bytes: &[u8],
    wanted: impl Fn(&str) -> bool,
    unread: &mut u64,
    mut take: impl FnMut(&str, &str) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Diagnostic> {
    let broken =
        |why: String| Diagnostic::error(Code::LOG_NOT_READ, format!("the archive cannot be read: {why}"));
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|why| broken(why.to_string()))?;
    let mut left = ALL.min(FREE.max(bytes.len() as u64 * RATIO));
    let mut found = false;
    for index in 0..archive.len() {
        let Ok(file) = archive.by_index(index) else {
            *unread += 1;
            continue;
        };
        let Some(name) = file.name().ok().map(std::borrow::Cow::into_owned) else {
            *unread += 1;
            continue;
        };
        if !wanted(&name) {
            continue;
        }
        found = true;
        let limit = FILE.min(left);
        let mut content = Vec::new();
        let read = file.take(limit + 1).read_to_end(&mut content);
        let size = content.len() as u64;
        left = left.saturating_sub(size);
        if size > limit {
            return Err(broken(format!("{name} is larger than {limit} bytes when it is unpacked")));
        }
        if read.is_err() {
            *unread += 1;
            continue;
        }
        let text = String::from_utf8_lossy(&content);
        if take(&name, &text).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    if !found && *unread == 0 {
        return Err(broken("it has no samples".to_owned()));
    }
    Ok(ControlFlow::Continue(()))
}
