//! `shield install` and `shield uninstall`: our hooks in the settings of a host.

use super::places::{HostArg, Scope, read, settings_file};
use crate::args::{EngineArgs, OutputArgs, Progress};
use crate::exit::Exit;
use crate::output;
use crate::seat::{Asked, Seat};
use crate::terminal::{escape, escape_lines};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tsl_synth::diag::Severity;
use tsl_synth::format::hook::HookHost;
use tsl_synth::format::hook::settings::{install, installed, uninstall};
use tsl_synth::service::Input;

/// What `shield install` can be told.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// The host whose settings get the hooks
    #[arg(long, value_enum)]
    host: HostArg,
    /// Whose settings: those of the project in this folder, or of all your projects
    #[arg(long, value_enum, default_value = "project")]
    scope: Scope,
    /// The policy that the hooks judge by
    #[arg(long, value_name = "FILE", default_value = "policy.toml")]
    policy: PathBuf,
    /// The program that the hooks call, instead of this one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Only show what would change, and what the host lets through all the same
    #[arg(long)]
    dry_run: bool,
}

/// What `shield uninstall` can be told.
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// The host whose settings have the hooks
    #[arg(long, value_enum)]
    host: HostArg,
    /// Whose settings: those of the project in this folder, or of all your projects
    #[arg(long, value_enum, default_value = "project")]
    scope: Scope,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

/// Installs.
pub(crate) fn run(args: &InstallArgs) -> Exit {
    if let Err(exit) = check_policy(&args.policy) {
        return exit;
    }
    let host = HookHost::from(args.host);
    let done = words(host, args).and_then(|words| {
        let path = settings_file(host, args.scope)?;
        let change = Change::new(&path, |text| {
            let before = installed(text)?;
            Ok((install(host, text, &words)?, before.is_empty()))
        })?;
        let mut said = change.carry_out(args.dry_run)?;
        told(host, args, &change, &mut said);
        output::deliver(None, &said)
    });
    done.map_or_else(|error| output::error(&error), |()| Exit::Yes)
}

/// Takes out.
pub(crate) fn run_uninstall(args: &UninstallArgs) -> Exit {
    let done = settings_file(args.host.into(), args.scope).and_then(|path| {
        let change = Change::new(&path, |text| Ok((uninstall(text)?, false)))?;
        let said = change.carry_out(args.dry_run)?;
        output::deliver(None, &said)
    });
    done.map_or_else(|error| output::error(&error), |()| Exit::Yes)
}

/// A policy that cannot be read would refuse every call, so it is not installed.
fn check_policy(policy: &Path) -> Result<(), Exit> {
    let quiet = OutputArgs { quiet: true, progress: Progress::Never, ..OutputArgs::default() };
    let seat = Seat::new(&EngineArgs::default(), &quiet, None);
    let input = Input::File(policy.to_path_buf());
    let Asked { answer, sources } = seat.ask(move |session| session.policy(&input)).or_exit()?;
    match answer {
        Ok(loaded) => {
            seat.show(&loaded.diagnostics, Severity::Error, &sources);
            Ok(())
        }
        Err(failure) => Err(seat.failed(&failure, &sources)),
    }
}

/// The program and its arguments. A path that is not found is silent approval, so both are absolute and looked at.
fn words(host: HookHost, args: &InstallArgs) -> Result<Vec<String>> {
    let program = match &args.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().context("this program does not know where it is")?,
    };
    let absolute = |path: &Path| -> Result<String> {
        let found = std::path::absolute(path)
            .with_context(|| format!("`{}` has no absolute path", path.display()))?;
        ensure!(found.is_file(), "there is no file `{}`", found.display());
        let text = found.to_str().with_context(|| format!("`{}` is not Unicode", found.display()))?;
        ensure!(!text.contains(char::is_control), "`{}` has control characters", escape(text));
        Ok(text.to_owned())
    };
    let program = absolute(&program)?;
    if cfg!(windows) && host == HookHost::Codex && program.contains(' ') {
        bail!(
            "Codex cannot start `{program}` on Windows: give the program a path without blanks (`--program`)"
        );
    }
    let policy = absolute(&args.policy)?;
    Ok([&program, "shield", &policy, "--proto", "hook", "--host", host.name()].map(str::to_owned).to_vec())
}

/// A change of settings.
struct Change<'p> {
    path: &'p Path,
    before: Option<String>,
    after: String,
    /// Whether the settings before are to be kept.
    keep: bool,
}

impl<'p> Change<'p> {
    fn new(path: &'p Path, edit: impl FnOnce(&str) -> Result<(String, bool)>) -> Result<Self> {
        let before = read(path)?;
        let (after, keep) = edit(before.as_deref().unwrap_or_default())
            .with_context(|| format!("`{}` is left as it is", path.display()))?;
        Ok(Self { path, before, after, keep })
    }
    fn is_needed(&self) -> bool {
        self.before.as_deref().unwrap_or_default() != self.after
    }
    /// Writes the new settings, or only says what would change.
    fn carry_out(&self, dry_run: bool) -> Result<String> {
        let name = self.path.display().to_string();
        let mut said = String::new();
        if !self.is_needed() {
            let _ = writeln!(said, "nothing to change in {}", escape(&name));
            return Ok(said);
        }
        if dry_run {
            let old = self.before.as_deref().unwrap_or_default();
            let diff = similar::TextDiff::from_lines(old, &self.after);
            let _ = write!(said, "{}", escape_lines(&diff.unified_diff().header(&name, &name).to_string()));
            return Ok(said);
        }
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        if let Some(before) = self.before.as_ref().filter(|_| self.keep) {
            let mut backup = self.path.as_os_str().to_owned();
            backup.push(".tsl-synth-backup");
            let backup = PathBuf::from(backup);
            output::write_file(&backup, before.as_bytes())?;
            let _ =
                writeln!(said, "kept the settings as they were in {}", escape(&backup.display().to_string()));
        }
        ensure!(
            read(self.path)? == self.before,
            "`{name}` was changed by somebody else meanwhile; try again"
        );
        output::write_file(self.path, self.after.as_bytes())?;
        let _ = writeln!(said, "wrote {}", escape(&name));
        Ok(said)
    }
}

/// What follows an installation.
fn told(host: HookHost, args: &InstallArgs, change: &Change<'_>, said: &mut String) {
    if host == HookHost::Codex && change.is_needed() {
        said.push_str("Codex skips new and changed hooks until you trust them: start it and use /hooks.\n");
    }
    if args.dry_run {
        let _ = writeln!(said, "\nWhat {} lets through all the same:", host.title());
        gaps(host, said);
    } else {
        let name = host.name();
        let _ = writeln!(said, "check it with `tsl-synth shield doctor --host {name}`");
    }
}

/// The list of what a host lets through.
pub(crate) fn gaps(host: HookHost, said: &mut String) {
    for gap in host.gaps() {
        let _ = writeln!(said, "- {gap}");
    }
}
