//! Reading the scripts that a proposed call runs, where the policy says `read_scripts = true`: the port to the file system,
//! and the folder in which relative paths of a call begin.

use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use tsl_synth_core::base::sha256;
use tsl_synth_core::model::{HostEvent, HostEventKind, ReadScript, ReadScripts, ScriptContent};
use tsl_synth_policy::{CompiledPolicy, Interpreter};
use tsl_synth_shell::WantedFiles;

/// Reads files for a gate, without changing anything.
pub trait ScriptReader: fmt::Debug + Send + Sync {
    /// What a file holds, and its canonical path unless it has several hard links. A relative path begins in the folder.
    fn read(&self, folder: Option<&str>, path: &str) -> (ScriptContent, Option<String>);
    /// The canonical path of a file that may not exist yet; `None` if it has several hard links or cannot be determined.
    fn place(&self, folder: Option<&str>, path: &str) -> Option<String>;
}

/// Where a call begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning<'a> {
    /// The folder.
    pub folder: Option<&'a str>,
    /// Whether earlier calls may have changed it.
    pub is_moved: bool,
    /// Whether another call that has not ended may change what is found.
    pub is_pending: bool,
}

/// The most files that are looked at for one call.
#[derive(Clone, Copy, Debug)]
pub struct FileLimits {
    /// That are read.
    pub scripts: usize,
    /// That the call writes, and whose canonical paths are determined.
    pub places: usize,
}

/// The limits of the gate.
const LIMITS: FileLimits = FileLimits { scripts: 16, places: 64 };

/// Arguments that say where a command runs.
const FOLDERS: &[&str] =
    &["workdir", "cwd", "working_directory", "workingDirectory", "working_dir", "directory", "dir_path"];

/// Where relative paths of a call begin; `None` if that is not known.
pub(crate) fn folder(event: &HostEvent<'_>, from: Beginning<'_>) -> Option<String> {
    let HostEventKind::Call { arguments, .. } = &event.kind else { return None };
    let default = from.folder.filter(|_| !from.is_moved);
    let arguments: Value = serde_json::from_str(arguments.as_str()).ok()?;
    let Some(fields) = arguments.as_object() else { return default.map(str::to_owned) };
    let mut own = None;
    for (name, value) in fields {
        let is_empty = value.is_null() || value.as_str() == Some("");
        let lower = name.to_ascii_lowercase();
        let is_about = ["dir", "cwd", "folder", "path"].iter().any(|part| lower.contains(part));
        if is_empty || !is_about {
            continue;
        }
        let text = value.as_str().filter(|_| FOLDERS.contains(&name.as_str()) && own.is_none())?;
        own = Some(text);
    }
    match (own, default) {
        (Some(own), _) if own.starts_with('/') => Some(own.to_owned()),
        (Some(own), Some(default)) if !own.starts_with('~') => Some(format!("{default}/{own}")),
        (Some(_), _) => None,
        (None, default) => default.map(str::to_owned),
    }
}

/// Reads the scripts that a call runs, and those that these run.
pub(crate) fn read(
    compiled: &CompiledPolicy,
    interpreter: &Interpreter,
    event: &HostEvent<'_>,
    reader: &dyn ScriptReader,
    from: Beginning<'_>,
) -> Option<Arc<ReadScripts>> {
    let HostEventKind::Call { server, .. } = &event.kind else { return None };
    if !compiled.policy.read_scripts {
        return None;
    }
    let folder = folder(event, from);
    // Where a server runs its commands is not known.
    let is_read = server.is_none();
    let mut wanted = |read: &Arc<ReadScripts>| {
        let own = HostEvent { scripts: Some(read.clone()), ..event.clone() };
        interpreter.wanted_files(compiled, &own)
    };
    let read = Arc::new(ReadScripts { pending: from.is_pending, ..ReadScripts::default() });
    Some(read_wanted(reader, folder.as_deref(), is_read, LIMITS, read, &mut wanted))
}

/// Reads the files that a command asks for, then those that it asks for once these are read, and so on; `wanted` is asked
/// again after the last file. Relative paths begin in the folder, and are not looked up without one. Unless `is_read`,
/// only paths are determined.
pub fn read_wanted(
    reader: &dyn ScriptReader,
    folder: Option<&str>,
    is_read: bool,
    limits: FileLimits,
    mut read: Arc<ReadScripts>,
    wanted: &mut dyn FnMut(&Arc<ReadScripts>) -> WantedFiles,
) -> Arc<ReadScripts> {
    let is_known = |path: &str| path.starts_with('/') || folder.is_some();
    loop {
        let more = wanted(&read);
        let files = Arc::make_mut(&mut read);
        let before = (files.files.len(), files.places.len());
        for path in more.scripts.into_iter().take(limits.scripts.saturating_sub(before.0)) {
            let (content, place) = if is_read && is_known(&path) {
                reader.read(folder, &path)
            } else {
                (ScriptContent::NoFolder, None)
            };
            files.files.push(ReadScript { path, content, place });
        }
        for path in more.places.into_iter().take(limits.places.saturating_sub(before.1)) {
            let place = if is_known(&path) { reader.place(folder, &path) } else { None };
            files.places.push((path, place));
        }
        if (files.files.len(), files.places.len()) == before {
            return read;
        }
    }
}

/// The scripts that were read, for records; `None` if there are none.
pub(crate) fn told(scripts: Option<&Arc<ReadScripts>>) -> Option<Arc<ReadScripts>> {
    scripts.filter(|scripts| !scripts.files.is_empty()).cloned()
}

/// A hash of the scripts and of the answers of probes that were read for a call; `None` if there are none.
pub(crate) fn digest(call: &HostEvent<'_>) -> Option<String> {
    let files = told(call.scripts.as_ref()).map(|scripts| serde_json::to_string(&scripts.files));
    let probes = call.outside.as_ref().map(|outside| &outside.probes).filter(|probes| !probes.is_empty());
    match (files, probes) {
        (None, None) => None,
        (Some(files), None) => Some(sha256(files.ok()?.as_bytes())),
        (files, Some(probes)) => {
            let files = files.transpose().ok()?.unwrap_or_default();
            Some(sha256(format!("{files}{}", serde_json::to_string(probes).ok()?).as_bytes()))
        }
    }
}

/// Whether a tool of a host is known to change no file.
pub(crate) fn only_reads(kind: &HostEventKind<'_>) -> bool {
    const TOOLS: &[&str] = &[
        "Read",
        "Glob",
        "Grep",
        "LS",
        "NotebookRead",
        "WebFetch",
        "WebSearch",
        "TodoRead",
        "TodoWrite",
        "ToolSearch",
        "read",
        "grep",
        "glob",
        "list",
        "ls",
        "webfetch",
        "websearch",
        "todoread",
        "todowrite",
        "view",
        "view_image",
        "read_file",
        "read_many_files",
        "list_directory",
        "list_files",
        "list_dir",
        "search_files",
        "search_file_content",
        "codebase_search",
        "grep_search",
        "file_search",
        "read_lints",
        "fetch",
        "web_fetch",
        "web_search",
        "google_web_search",
        "update_plan",
    ];
    let HostEventKind::Call { server: None, tool, .. } = kind else { return false };
    TOOLS.contains(&&**tool)
}

/// Whether a call may change the working folder of the shell that later calls use.
pub(crate) fn may_move(kind: &HostEventKind<'_>) -> bool {
    let HostEventKind::Call { arguments, .. } = kind else { return false };
    let words = arguments.as_str().split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.into_iter().any(|word| ["cd", "pushd", "popd", "chdir", "eval", "source"].contains(&word))
        || arguments.as_str().contains(". ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::model::JsonText;

    fn of(arguments: &str, from: Option<&str>, is_moved: bool) -> Option<String> {
        let kind = HostEventKind::Call {
            id: None,
            server: None,
            tool: "Bash".into(),
            arguments: JsonText::borrowed(arguments),
        };
        let event = HostEvent::new("s", 0, kind);
        folder(&event, Beginning { folder: from, is_moved, is_pending: false })
    }

    #[test]
    fn arguments_say_where_a_command_runs() {
        let w = |text: &str| Some(text.to_owned());
        assert_eq!(of(r#"{"command": "ls"}"#, Some("/w"), false), w("/w"));
        assert_eq!(of(r#"{"command": "ls"}"#, None, false), None);
        assert_eq!(of(r#"{"command": "ls"}"#, Some("/w"), true), None);
        assert_eq!(of(r#"{"command": "ls", "workdir": "/x"}"#, Some("/w"), true), w("/x"));
        assert_eq!(of(r#"{"command": "ls", "cwd": "sub"}"#, Some("/w"), false), w("/w/sub"));
        assert_eq!(of(r#"{"command": "ls", "cwd": "sub"}"#, Some("/w"), true), None);
        assert_eq!(of(r#"{"command": "ls", "cwd": "~/sub"}"#, Some("/w"), false), None);
        assert_eq!(of(r#"{"command": "ls", "workdir": null}"#, Some("/w"), false), w("/w"));
        // What is not understood may be another folder.
        assert_eq!(of(r#"{"command": "ls", "run_dir": "/x"}"#, Some("/w"), false), None);
        assert_eq!(of(r#"{"command": "ls", "cwd": ["/x"]}"#, Some("/w"), false), None);
        assert_eq!(of(r#"{"command": "ls", "cwd": "/x", "workdir": "/y"}"#, Some("/w"), false), None);
    }
}
