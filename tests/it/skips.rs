//! Where the tests that cannot run here say so, and where the last test target reads it.

use std::path::PathBuf;

/// The list of one run: cargo starts all test targets of a run, so what started this process names the run. Elsewhere
/// than on Unix that is not known, and there is one list.
pub(crate) fn list() -> PathBuf {
    #[cfg(unix)]
    let run = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let run = 0;
    folder().join(format!("{run}.txt"))
}

/// The folder of the lists, under `target`.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("skipped")
}
