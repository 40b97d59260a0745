//! Our files, for hosts whose hooks are files of their own: each is ours as a whole, and one of somebody else is never touched.

use super::HookHost;
use super::settings::InstalledHook;

/// The line by which our files are known.
pub const MARK: &str = "Written by `tsl-synth shield install`: do not edit.";

/// A file of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFile {
    /// Its name, below the folder or instead of the file of the settings of the host.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// The files of ours for a host whose settings are [`SettingsForm::Files`](super::SettingsForm::Files). `words` are the program and its arguments.
pub fn files(host: HookHost, words: &[String]) -> Vec<HookFile> {
    let all = host.dialect().files(words);
    all.into_iter().map(|(name, text)| HookFile { name, text }).collect()
}

/// Whether a text is that of a file of ours.
pub fn is_ours(text: &str) -> bool {
    text.lines().take(5).any(|line| line.contains(MARK))
}

/// The hook that a file of ours is, started by its path; for a plugin the command that it starts.
pub fn installed_file(host: HookHost, name: &str, path: &str, text: &str) -> Vec<InstalledHook> {
    if !is_ours(text) {
        return Vec::new();
    }
    let hook = |event: &str, command: &str, args: Vec<String>| InstalledHook {
        event: event.to_owned(),
        command: command.to_owned(),
        args: Some(args),
        line: line(text),
        timeout: host.events().iter().find(|own| own.name == event).map(|own| own.timeout),
        blocks_on_failure: true,
        sees_all: true,
    };
    let plugin = text.lines().find_map(|line| line.strip_prefix("const COMMAND = ")?.strip_suffix(';'));
    match plugin.map(serde_json::from_str::<Vec<String>>) {
        Some(Ok(words)) => {
            let Some((program, rest)) = words.split_first() else { return Vec::new() };
            let of = |event: &str| {
                let args = rest.iter().cloned().chain(["--event".to_owned(), event.to_owned()]).collect();
                hook(event, program, args)
            };
            host.events().iter().map(|event| of(event.name)).collect()
        }
        Some(Err(_)) => Vec::new(),
        None => {
            let event = name.split('.').next().unwrap_or(name);
            vec![hook(event, path, Vec::new())]
        }
    }
}

/// The command line that a file starts.
fn line(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| {
        line.strip_prefix("exec ").or_else(|| line.strip_prefix("answer=$(")?.strip_suffix(')'))
    });
    line.map(str::to_owned)
}
