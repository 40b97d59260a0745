//! The files in which tests record that they were skipped, and which the last test target prints.

use std::path::PathBuf;

/// The part that all reasons have in common that are about the folder of public specifications beside the repository.
pub const SHARED: &str = "shared/";

/// The list of one run. Cargo starts all test targets of a run, so the id of the parent process identifies the run. It
/// is available on Unix only; elsewhere there is one list for all runs.
pub fn list() -> PathBuf {
    #[cfg(unix)]
    let run = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let run = 0;
    folder().join(format!("{run}.txt"))
}

/// The folder of the lists: beside the test programs, which Cargo builds into one folder.
pub fn folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.with_file_name("skipped-tests")
}
