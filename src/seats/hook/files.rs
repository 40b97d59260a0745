//! Our hook files, for hosts whose hooks are separate files. Only files that are entirely ours are written or removed.

use super::HookHost;
use super::settings::InstalledHook;

/// The line that identifies our files.
pub const MARK: &str = "Written by `tsl-synth shield install`: do not edit.";

/// One of our files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFile {
    /// Its name in the folder [`SettingsLocation`](super::SettingsLocation) of the host.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// Our files for a host whose settings are [`SettingsForm::Files`](super::SettingsForm::Files). `words` are the program
/// and its arguments.
pub fn files(host: HookHost, words: &[String]) -> Vec<HookFile> {
    let all = host.dialect().files(words);
    all.into_iter().map(|(name, text)| HookFile { name, text }).collect()
}

/// Whether a text is the content of one of our files.
pub fn is_ours(text: &str) -> bool {
    text.lines().take(5).any(|line| line.contains(MARK))
}

/// The hooks in one of our files: the file itself, started by its path, or for a plugin the command that it starts for
/// each event. Empty if the file is not ours.
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
