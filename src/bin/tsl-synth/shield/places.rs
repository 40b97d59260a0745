//! Hosts on the command line, and where their settings are.

use anyhow::{Context, Result};
use clap::ValueEnum;
use std::io::Read;
use std::path::{Path, PathBuf};
use tsl_synth::format::hook::HookHost;
use tsl_synth::format::hook::settings::SETTINGS_LIMIT;

/// A host whose hooks we speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostArg {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
}

impl From<HostArg> for HookHost {
    fn from(host: HostArg) -> Self {
        match host {
            HostArg::ClaudeCode => Self::ClaudeCode,
            HostArg::Codex => Self::Codex,
        }
    }
}

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Of the project in this folder, for you on this machine
    Project,
    /// Of all your projects
    User,
}

impl Scope {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::Project, Self::User];
}

/// The folder of a host in the home folder.
fn home(host: HookHost) -> Result<PathBuf> {
    let (variable, folder) = match host {
        HookHost::ClaudeCode => ("CLAUDE_CONFIG_DIR", ".claude"),
        HookHost::Codex => ("CODEX_HOME", ".codex"),
    };
    if let Some(given) = std::env::var_os(variable).filter(|given| !given.is_empty()) {
        return Ok(PathBuf::from(given));
    }
    Ok(std::env::home_dir().context("there is no home folder")?.join(folder))
}

/// The settings into which our hooks go. They name files of this machine, so that in a project of Claude Code they go into
/// the settings that are not shared.
///
/// # Errors
/// When there is no home folder.
pub(crate) fn settings_file(host: HookHost, scope: Scope) -> Result<PathBuf> {
    Ok(match (host, scope) {
        (HookHost::ClaudeCode, Scope::User) => home(host)?.join("settings.json"),
        (HookHost::ClaudeCode, Scope::Project) => PathBuf::from(".claude").join("settings.local.json"),
        (HookHost::Codex, Scope::User) => home(host)?.join("hooks.json"),
        (HookHost::Codex, Scope::Project) => PathBuf::from(".codex").join("hooks.json"),
    })
}

/// The files that can switch hooks off, those of administrators included.
///
/// # Errors
/// When there is no home folder.
pub(crate) fn switches(host: HookHost) -> Result<Vec<PathBuf>> {
    Ok(match host {
        HookHost::ClaudeCode => {
            let managed = if cfg!(windows) {
                r"C:\Program Files\ClaudeCode"
            } else if cfg!(target_os = "macos") {
                "/Library/Application Support/ClaudeCode"
            } else {
                "/etc/claude-code"
            };
            vec![
                Path::new(managed).join("managed-settings.json"),
                home(host)?.join("settings.json"),
                PathBuf::from(".claude").join("settings.json"),
                PathBuf::from(".claude").join("settings.local.json"),
            ]
        }
        HookHost::Codex => vec![
            PathBuf::from("/etc/codex/requirements.toml"),
            PathBuf::from("/etc/codex/config.toml"),
            home(host)?.join("config.toml"),
            PathBuf::from(".codex").join("config.toml"),
        ],
    })
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
