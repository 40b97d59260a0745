//! How the program was started: as a process of its own, or by another program that contains it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The program that contains this one, with its arguments, if there is one (the console script of the package of Python).
static WITHIN: OnceLock<(PathBuf, Vec<OsString>)> = OnceLock::new();

/// Another program contains this one: `program` starts it, with these arguments.
pub(crate) fn within(program: PathBuf, arguments: Vec<OsString>) {
    // A process runs the program once.
    let _ = WITHIN.set((program, arguments));
}

/// Whether another program contains this one.
pub(crate) fn is_within() -> bool {
    WITHIN.get().is_some()
}

/// The file that starts this program.
///
/// # Errors
/// When the system does not tell.
pub(crate) fn program() -> std::io::Result<PathBuf> {
    WITHIN.get().map_or_else(std::env::current_exe, |(program, _)| Ok(program.clone()))
}

/// The arguments of the program, without its name.
pub(crate) fn arguments() -> Vec<OsString> {
    let own = WITHIN.get().map(|(_, arguments)| arguments.clone());
    own.unwrap_or_else(|| std::env::args_os().skip(1).collect())
}
