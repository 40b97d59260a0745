//! Writes the page of `view`.

use super::args::ViewArgs;
use crate::{output, terminal};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tsl_synth_service::{is_stdin, shown};

/// Programs that open a file in the browser.
const OPENERS: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "open"] };

/// Writes the page to a file or to standard output; with `--open` always to a file, which is opened.
pub(crate) fn deliver(html: &str, args: &ViewArgs) -> Result<()> {
    let file = args.output.output.as_deref().filter(|path| !is_stdin(path));
    if !args.open {
        return output::deliver(file, html);
    }
    let file = match file {
        Some(file) => file.to_path_buf(),
        None => kept()?,
    };
    output::write_file(&file, html.as_bytes())?;
    if !args.output.quiet {
        terminal::eprint(&format!("wrote {}\n", terminal::escape(&shown(&file))));
    }
    open(&file)
}

/// The path for a page without `-o`, in a new temporary folder that is not removed.
fn kept() -> Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix("tsl-synth-view-").tempdir();
    Ok(folder.context("cannot make a folder for the page")?.keep().join("view.html"))
}

fn open(file: &Path) -> Result<()> {
    let path = file.canonicalize().with_context(|| format!("cannot find `{}`", file.display()))?;
    for opener in OPENERS {
        let child = Command::new(opener)
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if child.is_ok() {
            return Ok(());
        }
    }
    anyhow::bail!("no program opens pages here ({}); the file is written", OPENERS.join(", "))
}
