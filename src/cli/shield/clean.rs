//! `shield clean`: sessions that are older than their policies say are removed.

use crate::exit::Exit;
use crate::output;
use crate::terminal::escape;
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use tsl_synth_core::base::counted;
use tsl_synth_stores::{Effort, JournalStore};

/// The flags of `shield clean`.
#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// The folder of journals [default: the folder of the user's state]
    #[arg(long, value_name = "DIR")]
    journal: Option<PathBuf>,
}

/// Removes the sessions, and says which.
pub(crate) fn run(args: &CleanArgs) -> Exit {
    match clean(args) {
        Ok((text, exit)) => match output::deliver(None, &text) {
            Ok(()) => exit,
            Err(error) => output::error(&error),
        },
        Err(error) => output::error(&error),
    }
}

fn clean(args: &CleanArgs) -> Result<(String, Exit)> {
    let store = match &args.journal {
        Some(folder) => JournalStore::new(std::path::absolute(folder)?, false),
        None => JournalStore::of_user(false)?,
    };
    let (mut text, mut count, mut exit) = (String::new(), 0, Exit::Yes);
    for host in store.hosts()? {
        let removed = store.remove_old(&host, Effort::All)?;
        count += removed.journals.len();
        for path in &removed.journals {
            let _ = writeln!(text, "removed {}", escape(&path.to_string_lossy()));
        }
        for (path, why) in &removed.left {
            exit = Exit::No;
            let _ = writeln!(text, "left {}: {}", escape(&path.to_string_lossy()), escape(why));
        }
    }
    let _ = writeln!(text, "{} removed", counted(count, "session"));
    Ok((text, exit))
}
