//! Standard input as the specification when no file is named: `cat spec.tsl | tsl-synth emit --lang js`.

use anyhow::{Result, bail};
use std::path::PathBuf;
use std::time::Duration;

/// How long a pipe may be silent before a specification of the folder and the pipe are both possible.
const SILENCE: Duration = Duration::from_secs(2);

/// What is on standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piped {
    /// Text.
    Text,
    /// Nothing: a terminal, a device, a closed or an empty pipe.
    Nothing,
    /// A pipe on which nothing has come yet.
    Silence,
}

/// Makes standard input the specification if the command line names none and text is piped to the program. A pipe is
/// never ignored in favor of a file. `formulas` are those of the command line; `of_folder` is the specification that is
/// meant if nothing is named or piped.
///
/// # Errors
/// The pipe is silent, and there is a specification in the folder: which of them is meant is not known.
pub(crate) fn complete(
    specs: &mut Vec<PathBuf>,
    formulas: &[String],
    of_folder: impl Fn() -> Option<PathBuf>,
) -> Result<()> {
    // GitLab's runner gives the rest of its script to the standard input of each command.
    if !specs.is_empty() || !formulas.is_empty() || std::env::var_os("GITLAB_CI").is_some() {
        return Ok(());
    }
    let mut piped = piped(SILENCE);
    if piped == Piped::Silence {
        if let Some(other) = of_folder() {
            bail!(
                "standard input is a pipe on which nothing comes, and this folder has `{}`: say `-` to wait for the \
                 pipe, or name the file",
                other.display()
            );
        }
        piped = Piped::Text;
    }
    if piped == Piped::Text {
        *specs = vec![PathBuf::from("-")];
    }
    Ok(())
}

#[cfg(unix)]
fn piped(patience: Duration) -> Piped {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::io::BufRead;
    use std::os::unix::fs::FileTypeExt;
    let Ok(kind) = std::fs::metadata("/dev/stdin").map(|metadata| metadata.file_type()) else {
        return Piped::Nothing;
    };
    if !(kind.is_fifo() || kind.is_socket() || kind.is_file()) {
        return Piped::Nothing;
    }
    let stdin = std::io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = Timespec { tv_sec: patience.as_secs().try_into().unwrap_or(0), tv_nsec: 0 };
    match poll(&mut polled, Some(&patience)) {
        Ok(0) => Piped::Silence,
        // What is read here stays in the buffer of standard input.
        Ok(_) if stdin.lock().fill_buf().is_ok_and(|text| !text.is_empty()) => Piped::Text,
        _ => Piped::Nothing,
    }
}

#[cfg(not(unix))]
fn piped(_patience: Duration) -> Piped {
    use std::io::{BufRead, IsTerminal};
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Piped::Nothing;
    }
    if stdin.lock().fill_buf().is_ok_and(|text| !text.is_empty()) { Piped::Text } else { Piped::Nothing }
}
