//! `new`: a folder to start from.

use crate::exit::Exit;
use crate::{output, terminal};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// `new`
#[derive(Args, Debug)]
pub(crate) struct NewArgs {
    /// What to begin
    #[arg(value_enum)]
    pub(crate) what: NewWhat,
    /// The folder, which is new or has none of the files
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
}

/// What can be begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewWhat {
    /// A policy with a log that keeps it and one that breaks it
    Policy,
}

/// A file by its name, and its text.
type File = (&'static str, &'static str);

macro_rules! files {
    ($folder:literal, $($name:literal),*) => {
        &[$(($name, include_str!(concat!("../../../templates/new/", $folder, "/", $name)))),*]
    };
}

const POLICY: &[File] = files!("policy", "policy.toml", "keeps.jsonl", "breaks.jsonl", "README.md");

/// Runs the verb.
pub(crate) fn run(args: &NewArgs) -> Exit {
    let files = match args.what {
        NewWhat::Policy => POLICY,
    };
    let text = write(files, args).map(|()| next(&args.folder));
    match text.and_then(|text| output::deliver(None, &text)) {
        Ok(()) => Exit::Yes,
        Err(error) => output::error(&error),
    }
}

fn write(files: &[File], args: &NewArgs) -> Result<()> {
    let shown = |path: &Path| terminal::escape(&path.display().to_string());
    let there = files.iter().map(|(name, _)| args.folder.join(name)).find(|path| path.exists());
    if let (Some(path), false) = (there, args.force) {
        bail!("`{}` is there already; `--force` replaces it", shown(&path));
    }
    std::fs::create_dir_all(&args.folder)
        .with_context(|| format!("cannot make the folder `{}`", shown(&args.folder)))?;
    files.iter().try_for_each(|(name, text)| output::write_file(&args.folder.join(name), text.as_bytes()))
}

/// What to try next: commands that work where the program was called.
fn next(folder: &Path) -> String {
    let file = |name: &str| quoted(&folder.join(name).display().to_string());
    let (policy, keeps, breaks) = (file("policy.toml"), file("keeps.jsonl"), file("breaks.jsonl"));
    format!(
        "wrote a policy and two logs into `{}`; now try\n\n  \
         tsl-synth check {policy}\n  \
         tsl-synth monitor {policy} {keeps}\n  \
         tsl-synth monitor {policy} {breaks} --blame\n",
        terminal::escape(&folder.display().to_string())
    )
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = !word.starts_with('-')
        && word.chars().all(|c| {
            c.is_ascii_alphanumeric() || "/._-+=:@\\".contains(c) || !c.is_ascii() && !c.is_control()
        });
    if is_plain { word.to_string() } else { format!("'{}'", terminal::escape(&word.replace('\'', "'\\''"))) }
}
