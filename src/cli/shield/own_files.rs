//! Calls of the agent that would change the gate itself: its policy, the settings with its hooks, its journals. The hook
//! refuses them, whatever the policy says.
//!
//! Tools that write files name them in their arguments; of shell commands the words and redirections are compared as far
//! as they are known before the command runs, and so are those of the scripts that it runs. A command that only reads, such
//! as `cat` or `git diff`, may name the files.

use super::args::GateArgs;
use super::path_words::{may_be, plain, resolved, spellings, text_of};
use super::places::{SettingsScope, settings_place, switches};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tsl_synth_core::model::{HostEventKind, ReadScript, ReadScripts, ScriptContent};
use tsl_synth_seats::hook::files::files;
use tsl_synth_seats::hook::{HookHost, HookPayload, SettingsForm};
use tsl_synth_service::{FileLimits, read_wanted};
use tsl_synth_shell::{
    RedirectKind, ShellAutomaton, ShellCommand, ShellWord, UnknownText, Unread, WantedFiles, WordPiece,
    argv_with_files, script_automaton, script_with_files,
};
use tsl_synth_stores::DiskScripts;

/// Programs that write no file that one of their words names, unless a redirection or an option says so.
const READERS: &[&str] = &[
    "[",
    "awk",
    "b2sum",
    "basename",
    "bat",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "cut",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "false",
    "fgrep",
    "file",
    "find",
    "fd",
    "grep",
    "head",
    "jq",
    "less",
    "ls",
    "md5sum",
    "more",
    "nl",
    "od",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rg",
    "sed",
    "sha1sum",
    "sha256sum",
    "sort",
    "stat",
    "strings",
    "tail",
    "test",
    "tree",
    "true",
    "tsl-synth",
    "uniq",
    "wc",
    "xxd",
    "yq",
];
/// Programs that remove or move whole folders.
pub(super) const REMOVERS: &[&str] = &["mv", "rm", "rmdir", "shred", "trash", "trash-put", "unlink"];
/// Programs that unpack or fetch files into a folder that one of their words names.
const UNPACKERS: &[&str] =
    &["tar", "bsdtar", "gtar", "unzip", "unar", "7z", "7za", "wget", "curl", "cpio", "gzip", "gunzip"];
/// Programs that write only what their last word names: a file, or files in a folder.
const COPIERS: &[&str] = &["cp", "install", "ln", "scp", "mv", "rsync", "ginstall", "gcp"];
/// Beginnings of the names of tools that only read.
const READING: &[&str] = &[
    "fetch",
    "find",
    "get",
    "glob",
    "grep",
    "list",
    "ls",
    "notebookread",
    "open",
    "read",
    "search",
    "stat",
    "view",
];
/// Parts of the names of tools that write, however they begin.
const WRITING: &[&str] = &[
    "append", "create", "delete", "edit", "insert", "move", "patch", "remove", "rename", "replace", "save",
    "write",
];
/// Keys of the arguments that hold a command.
const COMMANDS: &[&str] = &["command", "cmd", "script"];

/// The most files that are looked at for the scripts of one command.
const LIMITS: FileLimits = FileLimits { scripts: 64, places: 64 };

/// Keys of the arguments that hold texts, which name no file even if they look like a path.
const TEXTS: &[&str] = &[
    "content",
    "description",
    "instruction",
    "message",
    "newString",
    "new_str",
    "new_string",
    "oldString",
    "old_str",
    "old_string",
    "pattern",
    "prompt",
    "query",
    "text",
];

/// Reads a command with the scripts that were read for it; the second result names those that are missing.
type ReadCommand<'c> = &'c dyn Fn(Option<&Arc<ReadScripts>>) -> (ShellAutomaton, WantedFiles);

/// The files of the gate.
#[derive(Debug)]
pub(crate) struct OwnFiles {
    /// Absolute paths, each as it is written and with links resolved; folders stand for all that is in them.
    pub(super) paths: Vec<PathBuf>,
    /// The folders that paths in a call may be relative to.
    pub(super) bases: Vec<PathBuf>,
}

impl OwnFiles {
    /// The files of the gate that judges this payload.
    pub(crate) fn new(args: &GateArgs, payload: &HookPayload) -> Self {
        let given = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        let own = std::env::current_dir().ok();
        let mut bases: Vec<PathBuf> = payload.cwd.iter().map(PathBuf::from).chain(given).chain(own).collect();
        bases.retain(|base| base.is_absolute());
        bases.dedup();
        let mut paths: Vec<PathBuf> = std::path::absolute(&args.policy).into_iter().collect();
        paths.extend(args.store().ok().map(|store| store.folder().to_owned()));
        for file in settings_files(payload.host) {
            paths.extend(bases.iter().map(|base| base.join(&file)));
        }
        let mut all: Vec<PathBuf> = paths.iter().flat_map(|path| [plain(path), resolved(path)]).collect();
        all.sort();
        all.dedup();
        Self { paths: all, bases }
    }
    /// Why a call must not run, if it would change one of the files.
    pub(crate) fn refusal(&self, call: &HostEventKind<'_>) -> Option<String> {
        let HostEventKind::Call { server, tool, arguments, .. } = call else { return None };
        let arguments: Value = serde_json::from_str(arguments.as_str()).ok()?;
        let arguments = arguments.as_object()?;
        let is_reading = || {
            let name = tool.to_ascii_lowercase();
            READING.iter().any(|verb| name.starts_with(verb))
                && !WRITING.iter().any(|verb| name.contains(verb))
        };
        let mut found = None;
        for (key, value) in arguments {
            found = found.or_else(|| match value {
                Value::String(text) if COMMANDS.contains(&key.as_str()) && server.is_none() => {
                    self.in_command(text).or_else(|| self.in_patch(text))
                }
                Value::Array(words) if COMMANDS.contains(&key.as_str()) && server.is_none() => {
                    let words: Option<Vec<String>> =
                        words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
                    let words = words?;
                    self.in_commands(&|files| argv_with_files(&words, files, Unread::MayLeave), "")
                }
                Value::String(text) if !is_reading() && !TEXTS.contains(&key.as_str()) => {
                    self.at(text, &self.bases, false).or_else(|| self.in_patch(text))
                }
                _ => None,
            });
        }
        let path = found?;
        Some(format!(
            "Denied by the gate itself: this call may change `{}`, which is part of the gate (its policy, the settings \
             with its hooks, its journals). Only a person changes these files, outside of the agent.",
            path.display()
        ))
    }
    /// The file that a path names; with `above`, also one inside of the folder that it names.
    pub(super) fn at(&self, text: &str, bases: &[PathBuf], above: bool) -> Option<PathBuf> {
        if text.is_empty() || text.len() > 4096 || text.contains('\n') {
            return None;
        }
        let text = text.strip_prefix("file://").unwrap_or(text);
        let named: Vec<PathBuf> =
            match text.strip_prefix("~/").and_then(|rest| Some((rest, std::env::home_dir()?))) {
                Some((rest, home)) => vec![home.join(rest)],
                None if text == "~" => std::env::home_dir().into_iter().collect(),
                None => bases.iter().map(|base| base.join(text)).collect(),
            };
        let all = named.iter().flat_map(|path| [plain(path), resolved(path)]);
        let is_it =
            |path: &PathBuf, own: &&PathBuf| path.starts_with(own) || (above && own.starts_with(path));
        all.into_iter().find_map(|path| self.paths.iter().find(|own| is_it(&path, own)).cloned())
    }
    /// The file that a patch changes, in the format of `apply_patch`.
    fn in_patch(&self, text: &str) -> Option<PathBuf> {
        const HEADS: [&str; 4] =
            ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];
        text.lines()
            .filter_map(|line| HEADS.iter().find_map(|head| line.strip_prefix(head)))
            .find_map(|path| self.at(path.trim(), &self.bases, false))
    }
    /// The file that a command line may change.
    fn in_command(&self, text: &str) -> Option<PathBuf> {
        self.in_commands(&|files| script_with_files(text, files, Unread::MayLeave), text)
    }
    /// The file that a command may change, itself or by the scripts that it runs and those that these run. The text of each
    /// script counts, also where something else may change the script.
    fn in_commands(&self, command: ReadCommand<'_>, text: &str) -> Option<PathBuf> {
        let folder = self.bases.first().and_then(|base| base.to_str());
        let mut followed = None;
        let mut wanted = |files: &Arc<ReadScripts>| {
            let (automaton, wanted) = command(Some(files));
            followed = Some(automaton);
            wanted
        };
        let files = read_wanted(&DiskScripts, folder, true, LIMITS, Arc::default(), &mut wanted);
        let of_script = |script: &ReadScript| match &script.content {
            ScriptContent::Text { text, .. } => self.in_letters(&script_automaton(text).letters, text),
            _ => None,
        };
        let letters = followed.map_or_else(Vec::new, |automaton| automaton.letters);
        self.in_letters(&letters, text).or_else(|| files.files.iter().find_map(of_script))
    }
    fn in_letters(&self, commands: &[ShellCommand], text: &str) -> Option<PathBuf> {
        // A relative path may be relative to any folder that the script goes to.
        let mut bases = self.bases.clone();
        for words in commands.iter().flat_map(|command| &command.views) {
            if let [program, folder, ..] = words.as_slice()
                && matches!(program.program(), Some("cd" | "pushd"))
                && let Some(folder) = text_of(folder)
            {
                let more: Vec<PathBuf> = bases.iter().map(|base| base.join(&folder)).collect();
                bases.extend(more);
                bases.truncate(64);
            }
        }
        let of = |command: &ShellCommand| {
            let mut written = command.redirects.iter().filter(|redirect| redirect.kind != RedirectKind::Read);
            let redirected = written.find_map(|redirect| self.named(&redirect.target, &bases, false));
            redirected
                .or_else(|| command.views.iter().find_map(|words| self.written(words, &bases)))
                .or_else(|| command.views.iter().find_map(|words| self.listed(words, commands, &bases)))
                .or_else(|| command.opaque.and_then(|_| self.mentioned(text, &bases)))
        };
        commands.iter().find_map(of)
    }
    /// The file that a word names for certain or, if it has a known part, may name.
    pub(super) fn named(&self, word: &ShellWord, bases: &[PathBuf], above: bool) -> Option<PathBuf> {
        if let Some(text) = text_of(word) {
            return self.at(&text, bases, above);
        }
        let is_mark = |c: char| matches!(c, '.' | '/');
        let is_part =
            |piece: &WordPiece| matches!(piece, WordPiece::Text(t) if !t.trim_matches(is_mark).is_empty());
        let is_wildcard = word.unknown == UnknownText::Wildcard;
        // `rm *` removes all that is in a folder; a variable alone may have any value and names no file.
        let mut ends = [word.pieces.first(), word.pieces.last()].into_iter().flatten();
        if !(is_wildcard && above || ends.any(is_part)) {
            return None;
        }
        let within_name = |piece: &WordPiece| match piece {
            WordPiece::Any if is_wildcard => WordPiece::Name,
            other => other.clone(),
        };
        let pieces: Vec<WordPiece> = word.pieces.iter().map(within_name).collect();
        let fits = |own: &Path| spellings(own, bases).iter().any(|name| may_be(&pieces, name));
        let is_it = |own: &&PathBuf| fits(own) || (above && own.ancestors().skip(1).any(fits));
        self.paths.iter().find(is_it).cloned()
    }
    /// The file that a simple command may write.
    fn written(&self, words: &[ShellWord], bases: &[PathBuf]) -> Option<PathBuf> {
        let (first, rest) = words.split_first()?;
        let program = first.program().unwrap_or_default();
        let texts: Vec<&str> = rest.iter().filter_map(ShellWord::text).collect();
        let has = |words: &[&str]| texts.iter().any(|text| words.contains(text));
        if program == "tsl-synth"
            && has(&["shield"])
            && has(&["install", "uninstall"])
            && !has(&["--dry-run"])
        {
            return self.paths.first().cloned();
        }
        if program == "git" {
            return self.by_git(rest, &texts, bases);
        }
        // An archive that is made, or listed, reads the folders.
        let is_tar = matches!(program, "tar" | "bsdtar" | "gtar");
        if is_tar && !unpacks(&texts) && !has(&["--remove-files"]) {
            let is_name = |pair: &&[&str]| {
                pair[0] == "--file"
                    || !pair[0].starts_with("--") && pair[0].len() < 8 && pair[0].ends_with('f')
            };
            let archive = texts.windows(2).find(is_name).map(|pair| pair[1]);
            let archive = archive.or(texts.iter().find_map(|text| text.strip_prefix("--file=")))?;
            let is_listed = has(&["-t", "--list"]) || texts[0].trim_start_matches('-').starts_with('t');
            return self.at(archive, bases, false).filter(|_| !is_listed);
        }
        // A program in an argument, as in `python -c`, may do anything with the files that it mentions.
        let in_code = || {
            let is_code = |text: &&&str| text.contains(['(', ';', ' ', '\n']);
            texts.iter().filter(is_code).find_map(|text| self.mentioned(text, bases))
        };
        if only_reads(program, rest) {
            return if matches!(program, "awk" | "sed") { in_code() } else { None };
        }
        match program {
            "find" => return self.by_find(rest, bases),
            "fd" | "fdfind" => return self.by_fd(rest, bases),
            _ => {}
        }
        if matches!(program, "curl" | "wget" | "aria2c")
            && let Some(file) = self.fetched(program, rest, bases)
        {
            return Some(file);
        }
        let (is_copier, is_move) =
            (COPIERS.contains(&program), program == "mv" || has(&["--remove-source-files"]));
        let is_given = |text: &&str| text.starts_with("-t") || text.starts_with("--target-directory");
        let skipped = if is_copier && !is_move && !texts.iter().any(is_given) {
            rest.len().saturating_sub(1)
        } else {
            0
        };
        let may_remove = |at: usize, word: &ShellWord| {
            let is_inside = UNPACKERS.contains(&program);
            // What is moved into a folder leaves the other files in it. The target may also be the value of an option, but
            // `-t` of rsync is about times.
            let has_option = program != "rsync" && texts.iter().any(is_given);
            let is_target = is_copier && !has_option && at + 1 == rest.len();
            let is_synced = program == "rsync" && texts.iter().any(|text| text.starts_with("--delete"));
            (if is_target { is_synced } else { is_move || REMOVERS.contains(&program) })
                || is_inside && !matches!(word.text(), Some("." | "./"))
        };
        if is_copier && let Some(file) = self.copied(&texts, bases) {
            return Some(file);
        }
        let in_word = |(at, word): (usize, &ShellWord)| {
            let value = word.text().and_then(|text| text.split_once('=')).map(|(_, value)| value);
            let above = may_remove(at, word);
            self.named(word, bases, above).or_else(|| self.at(value?, bases, above))
        };
        rest.iter().enumerate().skip(skipped).find_map(in_word).or_else(in_code)
    }
    /// The file that a subcommand of git changes: `rest` are its words, `texts` those that are known.
    fn by_git(&self, rest: &[ShellWord], texts: &[&str], bases: &[PathBuf]) -> Option<PathBuf> {
        let has = |words: &[&str]| texts.iter().any(|text| words.contains(text));
        let named = |above: bool| {
            // All of the working folder is restored only as far as it was changed.
            let is_inside = |word: &ShellWord| above && !matches!(word.text(), Some("." | "./" | ":/"));
            let in_word = |word: &ShellWord| self.named(word, bases, is_inside(word));
            rest.iter().find_map(in_word)
        };
        if has(&["clean"]) {
            let letters = |wanted: char| {
                let is_it =
                    |text: &&&str| !text.starts_with("--") && text.starts_with('-') && text.contains(wanted);
                texts.iter().any(|text| is_it(&text))
            };
            if letters('n') || has(&["--dry-run"]) || !(letters('d') || letters('x') || letters('X')) {
                return None;
            }
            let at = texts.iter().position(|text| *text == "clean").unwrap_or(0);
            let excluded: Vec<&str> = texts
                .windows(2)
                .filter(|pair| matches!(pair[0], "-e" | "--exclude"))
                .map(|pair| pair[1])
                .collect();
            let folders =
                texts[at + 1..].iter().filter(|text| !text.starts_with('-') && !excluded.contains(text));
            let folders: Vec<&str> = folders.copied().collect();
            let own = if folders.is_empty() { &["."][..] } else { &folders[..] };
            let is_kept = |path: &Path| {
                let is_named = |name: &&str| path.iter().any(|part| part == name.trim_matches('/'));
                !path.exists() || excluded.iter().any(is_named)
            };
            let cleaned = |path: &Path| {
                let mut all =
                    bases.iter().flat_map(|base| own.iter().map(move |folder| plain(&base.join(folder))));
                all.any(|folder| path.starts_with(folder))
            };
            return self.paths.iter().find(|path| cleaned(path) && !is_kept(path)).cloned();
        }
        if has(&["checkout", "restore", "rm", "mv"]) {
            return named(true);
        }
        if has(&["apply", "reset", "stash"]) { named(false) } else { None }
    }
    /// The file of a folder to which one of its name is copied, as in `cp x/settings.json .claude`.
    fn copied(&self, texts: &[&str], bases: &[PathBuf]) -> Option<PathBuf> {
        let words: Vec<&str> = texts.iter().filter(|text| !text.starts_with('-')).copied().collect();
        let given = texts.iter().enumerate().find_map(|(at, text)| match *text {
            "-t" | "--target-directory" => texts.get(at + 1).copied(),
            text => ["--target-directory=", "-t"].iter().find_map(|option| text.strip_prefix(option)),
        });
        let (folder, sources) = match given {
            Some(folder) => (folder, &words[..]),
            // `ln -s x/policy.toml`
            None if words.len() == 1 => (".", &words[..]),
            None => words.split_last().map(|(folder, sources)| (*folder, sources))?,
        };
        let is_whole = texts.iter().any(|text| {
            text.starts_with('-') && !text.starts_with("--") && text.contains(['r', 'R', 'a'])
                || *text == "--recursive"
        });
        let into = |source: &&str| {
            // `HOST:FILE` has no folder.
            let name = source.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
            self.at(&format!("{folder}/{name}"), bases, is_whole)
        };
        sources.iter().find_map(into)
    }
    /// The file whose path occurs in a text.
    fn mentioned(&self, text: &str, bases: &[PathBuf]) -> Option<PathBuf> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
        let occurs = |name: &String| {
            text.match_indices(name.as_str()).any(|(at, _)| {
                let (before, after) = (&text[..at], &text[at + name.len()..]);
                !before.ends_with(|c| is_part(c) || c == '.') && !after.starts_with(is_part)
            })
        };
        self.paths.iter().find(|own| spellings(own, bases).iter().any(occurs)).cloned()
    }
}

/// Whether a program with these words writes no file that one of them names; redirections apart.
pub(super) fn only_reads(program: &str, rest: &[ShellWord]) -> bool {
    let some = |is_it: &dyn Fn(&str) -> bool| rest.iter().filter_map(ShellWord::text).any(is_it);
    READERS.contains(&program)
        && match program {
            "sed" | "yq" | "awk" => {
                !some(&|text| text.starts_with("-i") || text.starts_with("--in-place") || text == "inplace")
            }
            "sort" | "tsl-synth" | "tree" | "bat" => {
                !some(&|text| text.starts_with("-o") || text.starts_with("--out"))
            }
            "find" | "fd" | "fdfind" => false,
            _ => true,
        }
}

/// Whether the words of `tar` unpack an archive.
fn unpacks(texts: &[&str]) -> bool {
    let is_bundle = |text: &str| text.chars().all(|c| c.is_ascii_alphabetic()) && text.contains('x');
    let is_option = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains('x');
    texts.first().is_some_and(|text| is_bundle(text))
        || texts.iter().any(|text| is_option(text) || matches!(*text, "--extract" | "--get"))
}

/// The settings and other files of a host that can switch our hooks off; paths in the project are relative.
pub(crate) fn settings_files(host: HookHost) -> Vec<PathBuf> {
    let mut all = switches(host).unwrap_or_default();
    for place in SettingsScope::ALL.into_iter().filter_map(|scope| settings_place(host, scope).ok()) {
        if host.place().layout == SettingsForm::Files {
            all.extend(files(host, &[]).iter().map(|file| place.join(file.name)));
        } else {
            all.push(place);
        }
    }
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of a gate in a project, at home, and in a folder of settings.
    fn own_files() -> OwnFiles {
        let home = std::env::home_dir().expect("a home folder");
        let paths = vec![
            PathBuf::from("/p/policy.toml"),
            PathBuf::from("/p/.claude/settings.local.json"),
            PathBuf::from("/p/.claude/settings.json"),
            home.join(".claude/settings.json"),
            home.join(".local/state/tsl-synth"),
        ];
        OwnFiles { paths, bases: vec![PathBuf::from("/p")] }
    }

    #[test]
    fn commands_that_may_change_the_gate_are_found() {
        let own = own_files();
        let missed: Vec<&str> =
            CHANGING.iter().filter(|line| own.in_command(line).is_none()).copied().collect();
        assert!(missed.is_empty(), "{} missed: {missed:#?}", missed.len());
    }

    #[test]
    fn commands_that_leave_the_gate_alone_are_free() {
        let own = own_files();
        let wrong: Vec<&str> = FREE.iter().filter(|line| own.in_command(line).is_some()).copied().collect();
        assert!(wrong.is_empty(), "{} refused: {wrong:#?}", wrong.len());
    }

    const CHANGING: &[&str] = &[
        // Into a folder, under the own name.
        "cp x/settings.local.json .claude/",
        "cp x/policy.toml .",
        "cp x/policy.toml ./",
        "cp a b x/policy.toml /p",
        "cp -t . x/policy.toml",
        "cp -t. x/policy.toml",
        "cp --target-directory=. x/policy.toml",
        "cd .claude && cp ../x/settings.json .",
        "install x/policy.toml .",
        "install -m 644 x/policy.toml .",
        "ln -sf /y/policy.toml .",
        "ln -s /y/policy.toml",
        "mv x/policy.toml .",
        "mv x/policy.toml x/b ./",
        "scp h:policy.toml .",
        "scp h:/x/policy.toml .",
        "rsync x/policy.toml .",
        "rsync -a h:x/policy.toml ./",
        "cp -r x/.claude .",
        "curl -O e.org/policy.toml",
        "curl -LO https://e.org/a/policy.toml",
        "curl -sSL --remote-name https://e.org/policy.toml?raw=1",
        "curl -O --output-dir .claude https://e.org/settings.json",
        "wget e.org/policy.toml",
        "wget -q https://e.org/a/policy.toml",
        "wget -P .claude http://x/settings.json",
        "aria2c https://e.org/policy.toml",
        // The folder of a file.
        "rm -rf ~/.local/state",
        "rm -rf ~/.local",
        "rm -rf ~",
        "rm -rf ~/",
        "rm -rf $HOME",
        "rm -rf \"$HOME\"",
        "rm -rf \"$HOME/.local\"",
        "rm -rf ${HOME}/.claude",
        "cd ~ && rm -rf .claude",
        "cd ~/.local && rm -rf state",
        "rm -rf /p",
        "rm -rf ..",
        "rm -rf .",
        "rm -rf /",
        "rm -rf /*",
        "mv ~/.claude /tmp/x",
        "mv .claude old",
        "mv -t /tmp .claude",
        "mv --target-directory=/tmp a.txt .claude",
        "mv --target-directory /tmp .claude",
        "rsync -a --delete x/ .",
        "rsync --remove-source-files -a .claude h:",
        // Wildcards.
        "rm *.toml",
        "rm -f *",
        "rm -rf ./*",
        "rm .claude/*",
        "rm -f p*",
        "rm -rf .c*",
        "sed -i s/deny/allow/ *.toml",
        "chmod -x *.toml",
        // Files that another program finds.
        "find . -name policy.toml | xargs rm",
        "find . -name '*.toml' | xargs rm -f",
        "find . -name '*.toml' -print0 | xargs -0 rm",
        "find . -name '*.toml' -delete",
        "find . -iname '*.TOML' -delete",
        "find . -name policy.toml -exec rm {} \\;",
        "find . -name '*.toml' -exec sed -i s/deny/allow/ {} +",
        "find . -path './.claude/*' -delete",
        "find ~ -name settings.json -delete",
        "find . -type f -delete",
        "find .claude -delete",
        "find . -type f | xargs rm",
        "find . -not -name '*.rs' -delete",
        "find . -not -name '*.TOML' -delete",
        "find . -name '[op]olicy.toml' -delete",
        "find . -name '[^x]olicy.toml' -delete",
        "find . -name 'p[' -delete",
        "find . -name '*.toml' -exec cat {} \\; -exec rm {} \\;",
        "find . -name '*.toml' -exec grep -q x {} \\; -okdir rm {} \\;",
        "find . -name '*.toml' -exec sh -c 'rm \"$1\"' _ {} \\;",
        "find . -fprint0 policy.toml",
        "find . -fls policy.toml",
        "find . -fprintf .claude/settings.json x",
        "fd policy -x rm",
        "fd -e toml -x rm",
        "fd -e toml -X sed -i s/deny/allow/",
        "fdfind --extension=toml . --exec-batch rm",
        "fd -g '*.toml' . -x rm {}",
        "fd 'pol.*' /p -x rm",
        "fd -H settings .claude -x rm",
        "fd -uu . -x rm",
        "fd . .claude -x rm",
        "fd policy | xargs rm",
        "fd -e toml | xargs rm",
        "ls *.toml | xargs rm",
        "ls policy.toml | xargs rm",
        "git ls-files '*.toml' | xargs rm",
        "echo policy.toml | xargs rm",
        "grep -l deny *.toml | xargs sed -i s/deny/allow/",
    ];

    const FREE: &[&str] = &[
        "cp policy.toml /tmp/x.toml",
        "cp policy.toml sub/",
        "cp x/other.toml .",
        "cp x/settings.json sub/",
        "mv a.txt sub/",
        "mv a.txt .",
        "mv sub/a.txt .",
        "rsync -a . backup/",
        "rsync -a src/ h:src/",
        "rsync -a h:x/a.txt .",
        "scp a.txt h:",
        "scp h:a.txt .",
        "ln -s ../a b",
        "install -m 755 a bin/",
        "curl -O https://e.org/a.tgz",
        "curl https://e.org/policy.toml",
        "curl -o a.toml https://e.org/policy.toml",
        "wget https://e.org/a.tgz",
        "wget -O a https://e.org/policy.toml",
        "wget -P sub https://e.org/policy.toml",
        "rm -rf target",
        "rm -rf ./target/*",
        "rm -f *.o",
        "rm -rf ~/.cache/x",
        "rm -rf \"$HOME/.cache\"",
        "rm -rf /tmp/x",
        "rm -rf \"$TMPDIR\"",
        "rm -rf src/*",
        "rm -f *.json",
        "find . -name '*.pyc' -delete",
        "find . -name '*.orig' | xargs rm",
        "find . -name '*.rs' -exec rustfmt {} +",
        "find . -name __pycache__ -exec rm -rf {} +",
        "find target -type f -delete",
        "find . -type d -empty -delete",
        "find . -name '*.toml' | xargs cat",
        "find . -name '*.toml' -exec cat {} +",
        "find . -type f | xargs wc -l",
        "find . -not -name '*.toml' -not -name '*.json' -not -path '*/tsl-synth' -delete",
        "find . -name '[ab]olicy.toml' -delete",
        "find . -name '{policy,x}.toml' -delete",
        "find . -name '*.rs' -exec cat {} \\; -exec rm {} \\;",
        "find . -name '*.toml' -exec cat {} \\; -exec head {} \\;",
        "find . -name '*.toml' -fprint list.txt",
        "find . -name '*.toml' -print0",
        "fd -e toml",
        "fd -e toml -x cat",
        "fd -e rs -x rm",
        "fd -e rs . src -x rustfmt",
        "fd policy src -x rm",
        "fd settings -x rm",
        "find $d -name x; ls *.toml",
        "fd $x; ls *.toml",
        "fd -e pyc | xargs rm",
        "git ls-files '*.rs' | xargs rustfmt",
        "git grep -l old | xargs sed -i s/old/new/",
        "ls *.log | xargs rm",
        "cat *.toml",
        "grep -n x *.toml",
        "ls policy.toml",
        "cd sub && rm -f *.tmp",
        "tar xf a.tar",
        "git status",
    ];
}
