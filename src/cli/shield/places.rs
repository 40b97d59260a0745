//! Hosts on the command line, and where their settings are.

use anyhow::{Context, Result};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use std::io::Read;
use std::path::{Path, PathBuf};
use tsl_synth_seats::hook::files::{files, installed_file};
use tsl_synth_seats::hook::settings::{InstalledHook, SETTINGS_LIMIT, installed};
use tsl_synth_seats::hook::{HookHost, PathRoot, SettingsForm};

/// A host whose hooks are supported, as a value of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostArg(HookHost);

impl ValueEnum for HostArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [HostArg; HookHost::ALL.len()] = {
            let mut all = [HostArg(HookHost::ClaudeCode); HookHost::ALL.len()];
            let mut i = 0;
            while i < all.len() {
                all[i] = HostArg(HookHost::ALL[i]);
                i += 1;
            }
            all
        };
        &ALL
    }
    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()).help(self.0.title()))
    }
}

impl From<HostArg> for HookHost {
    fn from(host: HostArg) -> Self {
        host.0
    }
}

/// The scope of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SettingsScope {
    /// Of the project in this folder, for you on this machine
    Project,
    /// Of all your projects
    User,
}

impl SettingsScope {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::Project, Self::User];
}

/// The folder of a host in the home folder.
fn home(host: HookHost) -> Result<PathBuf> {
    let place = host.place();
    for (variable, below) in place.variables {
        if let Some(given) = std::env::var_os(variable).filter(|given| !given.is_empty()) {
            let given = PathBuf::from(given);
            return Ok(if below.is_empty() { given } else { given.join(below) });
        }
    }
    Ok(std::env::home_dir().context("there is no home folder")?.join(place.folder))
}

/// The path of the settings for our hooks: a file, or the folder of our files.
///
/// # Errors
/// When there is no home folder.
pub(crate) fn settings_place(host: HookHost, scope: SettingsScope) -> Result<PathBuf> {
    Ok(match scope {
        SettingsScope::User => home(host)?.join(host.place().user),
        SettingsScope::Project => PathBuf::from(host.place().project),
    })
}

/// The files that can switch hooks off, those of administrators included.
///
/// # Errors
/// When there is no home folder.
pub(crate) fn switches(host: HookHost) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (root, path) in host.switches() {
        match root {
            PathRoot::System(system) if *system != std::env::consts::OS => {}
            PathRoot::System(_) | PathRoot::Project => files.push(PathBuf::from(path)),
            PathRoot::Home => files.push(home(host)?.join(path)),
        }
    }
    Ok(files)
}

/// Our hooks in the settings of a host; empty if there are no settings.
///
/// # Errors
/// When the settings cannot be read.
pub(crate) fn installed_hooks(host: HookHost, place: &Path) -> Result<Vec<InstalledHook>> {
    if host.place().layout != SettingsForm::Files {
        let Some(text) = read(place)? else { return Ok(Vec::new()) };
        return installed(host, &text).with_context(|| place.display().to_string());
    }
    let mut hooks = Vec::new();
    for file in files(host, &[]) {
        let path = place.join(file.name);
        let whole = std::path::absolute(&path)?;
        if let Some(text) = read(&path)? {
            hooks.extend(installed_file(host, file.name, &whole.to_string_lossy(), &text));
        }
    }
    Ok(hooks)
}

/// The text of a file of settings without its byte-order mark, if the file is there.
///
/// # Errors
/// When it cannot be read, is no text, or too long.
pub(crate) fn read(path: &Path) -> Result<Option<String>> {
    let what = || format!("cannot read `{}`", path.display());
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(what),
    };
    anyhow::ensure!(file.metadata().with_context(what)?.is_file(), "`{}` is no file", path.display());
    let mut text = String::new();
    let limit = SETTINGS_LIMIT as u64 + 1;
    file.take(limit).read_to_string(&mut text).with_context(what)?;
    anyhow::ensure!(
        (text.len() as u64) < limit,
        "`{}` is longer than {} MiB",
        path.display(),
        SETTINGS_LIMIT >> 20
    );
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}
