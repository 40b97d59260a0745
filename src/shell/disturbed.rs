//! What may change a script before or while it runs: commands before it, beside it, and its own.

use super::effects::Changes;
use super::files::CommandFiles;
use super::graph_builder::{GraphBuilder, ShellAutomaton, ShellCommand, Unread, opaque_automaton};
use super::launchers::TRANSPARENT;
use super::programs::SHELLS;
use super::scripts::{Following, WantedFiles};
use super::tree::RedirectKind;
use super::unchanging::{DEVICES, GIT_READERS, READERS};
use super::word::{Folders, ShellWord, WordPiece};
use std::collections::BTreeSet;
use std::sync::Arc;
use tsl_synth_core::model::ReadScripts;

/// The maximal number of times that a command is read, each time with what was found about its scripts before.
const ROUNDS: usize = 8;

/// Reads a command with the scripts that were read for it, until a fixed point: reading one script can show that another
/// may be changed, or that words mean something else. `build` reads the command under given changes of meaning.
pub(super) fn with_files(
    files: Option<&Arc<ReadScripts>>,
    unread: Unread,
    build: impl Fn(GraphBuilder, Changes) -> (ShellAutomaton, Following),
) -> (ShellAutomaton, WantedFiles) {
    let (mut changed, mut changes) = (BTreeSet::new(), Changes::default());
    let mut wanted = WantedFiles::default();
    for _ in 0..ROUNDS {
        let following = Following::new(files.cloned(), changed.clone());
        let (automaton, mut following) =
            build(GraphBuilder { following, unread, ..GraphBuilder::default() }, changes);
        if files.is_none() {
            return (automaton, wanted);
        }
        let found = following.disturbed(&automaton.letters);
        let before = (changed.len(), changes);
        changed.extend(found);
        changes = changes.or(following.changes);
        wanted.add(following.wanted);
        if (changed.len(), changes) == before {
            return (automaton, wanted);
        }
    }
    (opaque_automaton("scripts that change one another"), wanted)
}

impl Following {
    /// The scripts that a command may change before or while they run.
    fn disturbed(&mut self, commands: &[ShellCommand]) -> Vec<String> {
        let mut all = Vec::new();
        let followed = std::mem::take(&mut self.followed);
        for script in &followed {
            let place = self.files.as_ref().and_then(|files| files.place(&script.path)).map(str::to_owned);
            let end = script.reach.max(script.own.end).min(commands.len());
            let is_changed = place.is_none_or(|place| {
                commands[..end].iter().enumerate().any(|(at, command)| {
                    let is_own = script.own.contains(&at);
                    (is_own || at < script.reach) && self.may_change(command, &place, is_own)
                })
            });
            if is_changed {
                all.push(script.path.clone());
            }
        }
        self.followed = followed;
        all
    }
    /// Whether a command may change the file with a canonical path.
    fn may_change(&mut self, command: &ShellCommand, place: &str, is_own: bool) -> bool {
        if command.opaque.is_some() {
            return true;
        }
        let leaves_files = if command.shell || command.views.is_empty() {
            true
        } else {
            // What a package manager runs counts as the scripts of a project do.
            let own = if command.elsewhere { command.own_views } else { command.views.len() };
            command.views[..own].iter().all(|view| leaves_files(view, is_own))
        };
        if !leaves_files {
            return true;
        }
        let written = if command.shell {
            let targets = command.redirects.iter().filter(|redirect| redirect.kind != RedirectKind::Read);
            targets.map(|redirect| redirect.target.clone()).collect()
        } else {
            CommandFiles::of(command).all_written()
        };
        written.iter().any(|word| self.may_name(word, command.folders.as_ref(), place))
    }
    /// Whether a word to which a command writes may name the file with a canonical path, or a folder that contains it.
    fn may_name(&mut self, word: &ShellWord, folders: Option<&Folders>, place: &str) -> bool {
        if word.text().is_some_and(|text| DEVICES.contains(&text)) {
            return false;
        }
        let Ok(path) = self.path(word, folders) else { return true };
        let Some(files) = &self.files else { return true };
        match files.places.iter().find(|(own, _)| *own == path) {
            Some((_, Some(real))) => {
                place == real || place.strip_prefix(real.as_str()).is_some_and(|rest| rest.starts_with('/'))
            }
            Some((_, None)) => true,
            None => {
                if !self.wanted.places.contains(&path) {
                    self.wanted.places.push(path);
                }
                true
            }
        }
    }
}

/// Programs and builtins besides [`READERS`] that write no file but those of redirections and of the tables in `files`.
const LEAVES_FILES: &[&str] = &[
    "cd",
    "pushd",
    "popd",
    "export",
    "unset",
    "set",
    "shift",
    "local",
    "break",
    "continue",
    "umask",
    "ulimit",
    "date",
    "hostname",
    "hash",
    "sort",
    "mkdir",
    "chmod",
    "touch",
    "tee",
    "rm",
    "deactivate",
    "read",
    "command",
    "builtin",
    "cp",
    "mv",
];
/// Programs that write files which their words do not tell, and run no command of their own. Others may write, too, but
/// could as well run themselves what they write.
const WRITERS: &[&str] = &[
    "git", "hg", "svn", "wget", "tar", "bsdtar", "unzip", "7z", "gunzip", "gzip", "xz", "bzip2", "zstd",
    "patch", "rsync", "scp", "sftp", "ln", "install", "dd", "split", "csplit", "sponge", "openssl", "gpg",
    "xxd", "base64", "uudecode", "ed", "ex", "vi", "vim", "truncate", "cpio", "iconv", "perl", "awk", "gawk",
    "rename", "find", "fd", "jq", "yq", "m4", "envsubst", "pandoc", "ffmpeg", "convert", "sqlite3", "script",
    "link",
];
/// Programs that write files here only with some of their subcommands.
const CLIENTS: &[&str] =
    &["gh", "aws", "gcloud", "gsutil", "az", "kubectl", "oc", "docker", "podman", "rclone", "helm"];
const FETCHES: &[&str] = &[
    "cp",
    "copy",
    "copyto",
    "sync",
    "mv",
    "move",
    "rsync",
    "save",
    "export",
    "download",
    "clone",
    "checkout",
    "get-object",
    "pull",
    "template",
    "-o",
    "--output",
    "compose",
    "scp",
    "ssh",
    "repo",
    "release",
    "run",
    "fetch",
];
/// Subcommands of git besides [`GIT_READERS`] that change no file of the working folder.
const GIT_LEAVES: &[&str] = &["branch", "remote", "fetch", "add", "commit", "push", "tag", "config"];

/// Whether a command writes no files but those that its words tell.
fn leaves_files(words: &[ShellWord], is_own: bool) -> bool {
    let Some(program) = words.first().and_then(ShellWord::program) else { return false };
    let text = |at: usize| words.get(at).and_then(ShellWord::text);
    let has = |part: &str| words.iter().any(|word| word.text().is_none_or(|text| text.contains(part)));
    match program {
        "git" => {
            text(1).is_some_and(|word| GIT_READERS.contains(&word) || GIT_LEAVES.contains(&word))
                && !has("--output")
        }
        // A folder may have a file of that name in it.
        "cp" | "mv" => {
            words.len() == 3
                && words[1..].iter().all(|word| {
                    word.text().is_some_and(|text| !text.starts_with('-') && !text.ends_with(['/', '.']))
                })
        }
        "sed" => is_own && !has("w"),
        _ if READERS.contains(&program)
            || LEAVES_FILES.contains(&program)
            || TRANSPARENT.contains(&program) =>
        {
            true
        }
        _ if SHELLS.contains(&program) => true,
        "curl" => is_own && words[1..].iter().all(only_prints),
        _ if CLIENTS.contains(&program) => {
            is_own && words[1..].iter().all(|word| word.text().is_none_or(|text| !FETCHES.contains(&text)))
        }
        _ => is_own && !WRITERS.contains(&program),
    }
}

/// Whether a word of `curl` is no option that writes a file: what it gets is printed then.
fn only_prints(word: &ShellWord) -> bool {
    const LONG: &[&str] = &[
        "--fail",
        "--silent",
        "--show-error",
        "--location",
        "--request",
        "--header",
        "--data",
        "--form",
        "--url",
        "--user",
        "--max-time",
        "--connect-timeout",
        "--retry",
        "--compressed",
        "--head",
        "--get",
        "--insecure",
    ];
    let Some(text) = word.text() else {
        return matches!(word.pieces.first(), Some(WordPiece::Text(text)) if !text.starts_with('-'))
            && !word.splits;
    };
    match (text.strip_prefix("--"), text.strip_prefix('-')) {
        (Some(_), _) => LONG.iter().any(|long| text.split('=').next() == Some(long)),
        // The rest of a bundle may be a value.
        (None, Some(letters)) => letters.chars().all(|c| "fsSLXHdFumIGk46".contains(c)),
        (None, None) => true,
    }
}
