//! `view`: a page that draws and plays a machine.

use crate::args::ViewArgs;
use crate::exit::Exit;
use crate::output;
use crate::project;
use crate::seat::{Asked, Seat};
use crate::terminal;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tsl_synth::diag::Severity;
use tsl_synth::service::{ViewRequest, is_stdin, shown};

/// Programs that open a file in the browser.
const OPENERS: &[&str] = if cfg!(target_os = "macos") { &["open"] } else { &["xdg-open", "open"] };

/// Runs the verb.
pub(crate) fn run(mut args: ViewArgs) -> Exit {
    if let Err(error) = project::complete(&mut args.input, &mut args.engine) {
        return output::error(&error);
    }
    let seat = Seat::new(&args.engine, &args.output, args.input.import_root.as_ref());
    let mut request = ViewRequest::new(args.input.spec());
    request.solver = seat.settings.solver();
    request.effect.clone_from(&args.effect);
    let Asked { answer, sources } = match seat.ask(move |session| session.view(&request)).or_exit() {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    let report = match answer {
        Ok(report) => report,
        Err(failure) => return seat.failed(&failure, &sources),
    };
    seat.show(&report.diagnostics, Severity::Warning, &sources);
    match deliver(&report.html, &args) {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

fn deliver(html: &str, args: &ViewArgs) -> Result<()> {
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
        terminal::say(&format!("wrote {}\n", terminal::escape(&shown(&file))));
    }
    open(&file)
}

/// A file for a page that nobody named, in a new folder that stays.
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
