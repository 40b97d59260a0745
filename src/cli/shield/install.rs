//! `shield install` and `shield uninstall`: put our hooks into the settings of a host, and take them out.

use super::own_files::settings_files;
use super::places::{HostArg, SettingsScope, read, settings_place};
use crate::adapters::{Adapters, WithSources};
use crate::exit::Exit;
use crate::flags::{EngineArgs, OutputArgs, ProgressChoice};
use crate::output;
use crate::terminal::{escape, escape_lines};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth_core::base::Budget;
use tsl_synth_core::diag::{Code, Diagnostic, Severity};
use tsl_synth_core::model::Cache;
use tsl_synth_policy::language::Match;
use tsl_synth_seats::hook::files::{files, is_ours};
use tsl_synth_seats::hook::settings::{install, installed, uninstall};
use tsl_synth_seats::hook::{HookHost, HookKind, SettingsForm};
use tsl_synth_service::{Input, LoadedPolicy, WITHOUT_LOOK_AHEAD, gate_limit};
use tsl_synth_stores::{Compiled, JournalStore};

/// The flags of `shield install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// The host whose settings get the hooks
    #[arg(long, value_enum)]
    host: HostArg,
    /// Whose settings: those of the project in this folder, or of all your projects
    #[arg(long, value_enum, default_value = "project")]
    scope: SettingsScope,
    /// The policy that the hooks judge by
    #[arg(long, value_name = "FILE", default_value = "policy.toml")]
    policy: PathBuf,
    /// The program that the hooks call, instead of this one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Only show what would change, and what the host lets through in spite of its hooks
    #[arg(long)]
    dry_run: bool,
}

/// The flags of `shield uninstall`.
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// The host whose settings have the hooks
    #[arg(long, value_enum)]
    host: HostArg,
    /// Whose settings: those of the project in this folder, or of all your projects
    #[arg(long, value_enum, default_value = "project")]
    scope: SettingsScope,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

/// Runs `shield install`.
pub(crate) fn run(args: &InstallArgs) -> Exit {
    let loaded = match check_policy(&args.policy, args.dry_run) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let host = HookHost::from(args.host);
    let done = words(host, args).and_then(|words| {
        let changes = changes(host, args.scope, Some(&words))?;
        let is_needed = changes.iter().any(SettingsChange::is_needed);
        let mut said = carry_out(&changes, args.dry_run)?;
        said.push_str(&unnamed_shells(host, &loaded));
        reported(host, args, is_needed, &mut said);
        output::deliver(None, &said)
    });
    done.map_or_else(|error| output::error(&error), |()| Exit::Yes)
}

/// Runs `shield uninstall`.
pub(crate) fn run_uninstall(args: &UninstallArgs) -> Exit {
    let done = changes(args.host.into(), args.scope, None)
        .and_then(|changes| output::deliver(None, &carry_out(&changes, args.dry_run)?));
    done.map_or_else(|error| output::error(&error), |()| Exit::Yes)
}

/// The changes that make our hooks run the command `words`, or remove our hooks if it is `None`.
fn changes(host: HookHost, scope: SettingsScope, words: Option<&[String]>) -> Result<Vec<SettingsChange>> {
    let place = settings_place(host, scope)?;
    if host.place().layout == SettingsForm::Files {
        let of = |file: tsl_synth_seats::hook::files::HookFile| {
            SettingsChange::of_file(place.join(file.name), words.is_some().then_some(file.text))
        };
        return files(host, words.unwrap_or_default()).into_iter().map(of).collect();
    }
    let change = SettingsChange::new(place, |text| match words {
        Some(words) => {
            let before = installed(host, text)?;
            Ok((install(host, text, words)?, before.is_empty()))
        }
        None => Ok((uninstall(host, text)?, false)),
    })?;
    Ok(vec![change])
}

/// Makes all changes, or only shows them; returns the messages.
fn carry_out(changes: &[SettingsChange], dry_run: bool) -> Result<String> {
    changes.iter().map(|change| change.carry_out(dry_run)).collect()
}

/// Loads the policy. One that cannot be read, or whose game is too large, would refuse every call, so it is not installed.
/// If the game is too large only for some of its laws, it is installed, and a warning names these laws.
fn check_policy(policy: &Path, is_dry_run: bool) -> Result<LoadedPolicy, Exit> {
    let quiet = OutputArgs { quiet: true, progress: ProgressChoice::Never, ..OutputArgs::default() };
    let adapters = Adapters::new(&EngineArgs::default(), &quiet, None);
    let input = Input::File(policy.to_path_buf());
    let WithSources { answer, sources } = adapters.ask(move |session| session.policy(&input)).or_exit()?;
    match answer {
        Ok(loaded) => {
            adapters.show(&loaded.diagnostics, Severity::Error, &sources);
            // The hooks find the solved games beside their journals.
            let store = if is_dry_run { None } else { JournalStore::of_user(false).ok() };
            let cache = store.map(|store| {
                let cache: Box<dyn Cache + Send> = Box::new(Compiled::new(&store, &loaded.sha256));
                (cache, loaded.sha256.as_str())
            });
            match gate_limit(&Arc::new(loaded.compiled.clone()), cache, &Budget::unlimited()) {
                Ok(None) => Ok(loaded),
                Ok(Some(limit)) if limit.laws.is_some() => {
                    let message = limit.to_string();
                    let finding = Diagnostic::warning(Code::GATE_LIMIT, message).hint(WITHOUT_LOOK_AHEAD);
                    adapters.show([&finding], Severity::Warning, &sources);
                    Ok(loaded)
                }
                Ok(Some(limit)) => {
                    let message = limit.to_string();
                    let finding = Diagnostic::error(Code::GATE_LIMIT, message).hint(WITHOUT_LOOK_AHEAD);
                    adapters.show([&finding], Severity::Error, &sources);
                    Err(Exit::Unknown)
                }
                Err(limit) => Err(adapters.failed(&limit.into(), &sources)),
            }
        }
        Err(failure) => Err(adapters.failed(&failure, &sources)),
    }
}

/// A note if the policy has tables for shell commands and none of them names a tool by which this host runs commands: then
/// no command of this host is judged.
fn unnamed_shells(host: HookHost, loaded: &LoadedPolicy) -> String {
    let tables = &loaded.compiled.policy.matches;
    let mut about_commands = tables.iter().filter(|table| table.shell.is_some()).peekable();
    let names = |table: &Match| {
        let is_named = |shell: &&str| table.tools.iter().any(|glob| glob.matches(shell));
        table.tools.is_empty() || host.shells().iter().any(is_named)
    };
    if about_commands.peek().is_none() || about_commands.any(names) {
        return String::new();
    }
    let shells: Vec<String> = host.shells().iter().map(|shell| format!("`{shell}`")).collect();
    format!(
        "note: the policy has tables about commands, and none names the tools of {} that run them: {}\n",
        host.title(),
        shells.join(", ")
    )
}

/// The program and its arguments. Hosts silently allow calls if a path is not found, so the paths of the program and of
/// the policy are absolute and must exist.
fn words(host: HookHost, args: &InstallArgs) -> Result<Vec<String>> {
    let program = match &args.program {
        Some(program) => program.clone(),
        None => crate::started::program().context("this program does not know where it is")?,
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
    if cfg!(windows) && host.starts_by_cmd() && program.contains(' ') {
        bail!(
            "{} cannot start `{program}` on Windows: give the program a path without blanks (`--program`)",
            host.title()
        );
    }
    let policy = absolute(&args.policy)?;
    Ok([&program, "shield", &policy, "--proto", "hook", "--host", host.name()].map(str::to_owned).to_vec())
}

/// A change of a file of settings.
struct SettingsChange {
    path: PathBuf,
    before: Option<String>,
    /// `None` removes the file.
    after: Option<String>,
    /// Whether to keep a backup of the settings before.
    keep: bool,
    /// Whether the host runs the file, which must then be executable.
    is_program: bool,
}

impl SettingsChange {
    fn new(path: PathBuf, edit: impl FnOnce(&str) -> Result<(String, bool)>) -> Result<Self> {
        let before = read(&path)?;
        let (after, keep) = edit(before.as_deref().unwrap_or_default())
            .with_context(|| format!("`{}` is left as it is", path.display()))?;
        let after = (before.is_some() || !after.is_empty()).then_some(after);
        Ok(Self { path, before, after, keep, is_program: false })
    }
    /// The change of a file that is ours as a whole.
    fn of_file(path: PathBuf, after: Option<String>) -> Result<Self> {
        let before = read(&path)?;
        let is_other = before.as_deref().is_some_and(|text| !is_ours(text));
        if is_other && after.is_some() {
            bail!(
                "`{}` is a hook that somebody else wrote, and the host knows one of that name: call both from one file",
                path.display()
            );
        }
        let after = if is_other { before.clone() } else { after };
        Ok(Self { path, before, after, keep: false, is_program: true })
    }
    fn is_needed(&self) -> bool {
        self.before != self.after
    }
    /// Writes the new settings, or only shows what would change.
    fn carry_out(&self, dry_run: bool) -> Result<String> {
        let path = self.path.as_path();
        let name = path.display().to_string();
        let mut said = String::new();
        if !self.is_needed() {
            let _ = writeln!(said, "nothing to change in {}", escape(&name));
            return Ok(said);
        }
        if dry_run {
            let (old, new) =
                (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
            let diff = similar::TextDiff::from_lines(old, new);
            let _ = write!(said, "{}", escape_lines(&diff.unified_diff().header(&name, &name).to_string()));
            return Ok(said);
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        }
        if let Some(before) = self.before.as_ref().filter(|_| self.keep) {
            let mut backup = path.as_os_str().to_owned();
            backup.push(".tsl-synth-backup");
            let backup = PathBuf::from(backup);
            output::write_file(&backup, before.as_bytes())?;
            let _ =
                writeln!(said, "kept the settings as they were in {}", escape(&backup.display().to_string()));
        }
        ensure!(read(path)? == self.before, "`{name}` was changed by somebody else meanwhile; try again");
        if let Some(after) = &self.after {
            output::write_file(path, after.as_bytes())?;
            if self.is_program {
                make_executable(path)?;
            }
            let _ = writeln!(said, "wrote {}", escape(&name));
        } else {
            std::fs::remove_file(path).with_context(|| format!("cannot remove `{name}`"))?;
            let _ = writeln!(said, "removed {}", escape(&name));
        }
        Ok(said)
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)?.permissions().mode();
    // Everyone who may read the file may execute it.
    let mode = mode | ((mode & 0o444) >> 2);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .with_context(|| format!("cannot make `{}` executable", path.display()))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

/// Adds what to do after an installation, or with `--dry-run` what the host lets through in spite of its hooks.
fn reported(host: HookHost, args: &InstallArgs, is_needed: bool, said: &mut String) {
    if is_needed && !host.after_install().is_empty() {
        let _ = writeln!(said, "{}", host.after_install());
    }
    if args.dry_run {
        let _ = writeln!(said, "\nWhat {} lets through in spite of its hooks:", host.title());
        gaps(host, said);
        protection(host, args, said);
    } else {
        let name = host.name();
        let _ = writeln!(said, "check it with `tsl-synth policy shield doctor --host {name}`");
    }
}

/// Adds what the agent cannot change of the gate itself, and what it can.
fn protection(host: HookHost, args: &InstallArgs, said: &mut String) {
    let mut own = vec![args.policy.clone()];
    own.extend(settings_files(host));
    own.extend(JournalStore::of_user(false).ok().map(|store| store.folder().to_owned()));
    let own: Vec<String> =
        own.iter().map(|path| format!("`{}`", escape(&path.display().to_string()))).collect();
    let _ = writeln!(said, "\nThe gate itself:");
    let _ = writeln!(
        said,
        "- Protected: the hook refuses calls of tools and shell commands that would write, move or remove {}, as far as \
         their paths can be read.",
        own.join(", ")
    );
    if host.events().iter().any(|event| host.kind(event.name) == HookKind::Settings) {
        let _ = writeln!(
            said,
            "- Protected: a change of the settings that takes the hooks out, or changes what they call, has no effect in a \
             running session. The changed file stays, and holds for the next session."
        );
    } else {
        let _ = writeln!(
            said,
            "- Not protected: a change of the settings by other ways takes effect, and {} does not tell it.",
            host.title()
        );
    }
    let _ = writeln!(
        said,
        "- Not protected: what a script or program changes that an allowed command starts, paths that a command computes, \
         `git checkout` of all files, and the program of the gate. A policy and a program outside of the project, which \
         the user of the agent cannot write, are safe from all of it."
    );
}

/// Adds the list of what a host lets through.
pub(crate) fn gaps(host: HookHost, said: &mut String) {
    for gap in host.gaps() {
        let _ = writeln!(said, "- {gap}");
    }
}
