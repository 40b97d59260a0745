//! Scripts in files: they are followed if the caller has read them, and if nothing that may run before or beside them may
//! change them.
//!
//! The reader of commands opens no file. It says which files it wants, the caller reads them, and the command is read again
//! with what they hold. Before a script runs, all that is not known to leave files alone may change it: another program,
//! a redirection to a file that may be the script, a pipeline, a loop. A script may also change itself while a shell still
//! reads it; there only what is known to write counts, since a program that is not known could run what it writes itself.

use super::effects::{Changes, Code};
use super::launchers::TRANSPARENT;
use super::runs::Runs;
use super::word::{Folders, ShellWord};
use super::wrappers::UNREAD;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use tsl_synth_core::model::{ReadScripts, ScriptContent};

/// The most scripts that are followed in one command.
const FOLLOWED: usize = 24;
const CHANGED: &str =
    "a script that this command may change before or while it runs: run it in a command of its own";
const PENDING: &str = "a script that another call may be changing, which has not ended";
const NOT_READ: &str = "a script that was not read";
const UNNAMED: &str = "a script whose name is not known";
const NO_FOLDER: &str = "a script in a folder that is not known";
const SEARCHED: &str = "a script that is searched in PATH: write its path with a `/`, as `./env.sh`";
const ELSEWHERE: &str = "a script in another place";
const OF_HOME: &str = "a script where HOME is set";

/// The files about which a command needs to know more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedFiles {
    /// Files whose text it runs.
    pub scripts: Vec<String>,
    /// Files that it writes, whose real places tell whether they are scripts that it runs.
    pub places: Vec<String>,
}

impl WantedFiles {
    /// Adds the files of another set.
    pub fn add(&mut self, other: Self) {
        for (own, more) in [(&mut self.scripts, other.scripts), (&mut self.places, other.places)] {
            for path in more {
                if !own.contains(&path) {
                    own.push(path);
                }
            }
        }
    }
    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.scripts.is_empty() && self.places.is_empty()
    }
}

/// A script that is followed.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    pub(super) path: String,
    /// The commands of the script, with the one that runs it.
    pub(super) own: Range<usize>,
    /// The commands before this one may run before it or beside it.
    pub(super) reach: usize,
}

/// The scripts that a command runs.
#[derive(Debug, Default)]
pub(super) struct Following {
    pub(super) files: Option<Arc<ReadScripts>>,
    /// Scripts that the command may change.
    pub(super) changed: BTreeSet<String>,
    pub(super) followed: Vec<Followed>,
    /// The scripts whose texts are being followed.
    open: Vec<String>,
    /// The number of enclosing programs that run their command elsewhere: on another machine, in a container or folder.
    elsewhere: usize,
    /// Whether the command assigns `HOME`.
    pub(super) sets_home: bool,
    /// How sourced scripts change what later words mean: functions, aliases, splitting.
    pub(super) changes: Changes,
    pub(super) code: Code,
    /// Whether a script that was read may assign the prompt anything but a plain text followed by the old prompt.
    sets_prompt: bool,
    pub(super) wanted: WantedFiles,
}

/// A script that was read.
pub(super) struct ScriptText {
    pub(super) path: String,
    pub(super) text: String,
}

impl Following {
    pub(super) fn new(files: Option<Arc<ReadScripts>>, changed: BTreeSet<String>) -> Self {
        Self { files, changed, ..Self::default() }
    }
    pub(super) fn reads_files(&self) -> bool {
        self.files.is_some()
    }
    /// The number of scripts so far; those after it may run beside what is built next.
    pub(super) fn mark(&self) -> usize {
        self.followed.len()
    }
    /// Records that the scripts after a mark may run concurrently with, or after, all commands before `end`.
    pub(super) fn beside(&mut self, mark: usize, end: usize) {
        for script in &mut self.followed[mark..] {
            script.reach = script.reach.max(end);
        }
    }
    /// Begins the command of an enclosing program, which may run it elsewhere.
    pub(super) fn enter(&mut self, is_elsewhere: bool) {
        self.elsewhere += usize::from(is_elsewhere);
    }
    pub(super) fn leave(&mut self, is_elsewhere: bool) {
        self.elsewhere -= usize::from(is_elsewhere);
    }
    /// Notes the text of a script.
    pub(super) fn heard(&mut self, text: &str) {
        self.sets_prompt |= !keeps_prompt(text);
    }
    /// Whether an assignment to this variable only puts a plain text before its old value: the prompt, in scripts such as
    /// those that activate a virtual environment.
    pub(super) fn is_kept(&self, name: &str) -> bool {
        name == PROMPT && !self.sets_prompt && self.files.is_some()
    }
    pub(super) fn begin(&mut self, path: &str) {
        self.open.push(path.to_owned());
    }
    /// Notes the commands of the script that was begun last.
    pub(super) fn end(&mut self, own: Range<usize>) {
        if let Some(path) = self.open.pop() {
            self.followed.push(Followed { path, reach: own.start, own });
        }
    }
    /// The path of a word, seen from where the command begins.
    pub(super) fn path(&self, word: &ShellWord, folders: Option<&Folders>) -> Result<String, &'static str> {
        let text = word.text().filter(|text| !text.is_empty()).ok_or(UNNAMED)?;
        if self.elsewhere > 0 {
            return Err(ELSEWHERE);
        }
        match folders {
            Some(folders) if !text.starts_with('/') => {
                // The shell goes up by names, the system along links.
                let folder = folders.only_text().filter(|folder| !folder.split('/').any(|part| part == ".."));
                folder.map(|folder| format!("{folder}/{text}")).ok_or(NO_FOLDER)
            }
            _ => Ok(text.to_owned()),
        }
    }
    fn content(
        &mut self,
        word: &ShellWord,
        folders: Option<&Folders>,
    ) -> Result<(String, ScriptContent), &'static str> {
        let path = self.path(word, folders)?;
        let Some(files) = &self.files else { return Err(UNREAD) };
        if let Some(content) = files.at(&path) {
            return Ok((path, content.clone()));
        }
        if !self.wanted.scripts.contains(&path) {
            self.wanted.scripts.push(path);
        }
        Err(NOT_READ)
    }
    /// The text of the script that a word names, or why it is not known.
    pub(super) fn script(
        &mut self,
        word: &ShellWord,
        folders: Option<&Folders>,
    ) -> Result<ScriptText, &'static str> {
        if self.files.is_none() {
            return Err(UNREAD);
        }
        let (path, content) = self.content(word, folders)?;
        let text = match content {
            ScriptContent::Text { text, .. } => text,
            other => return Err(other.fault().unwrap_or(NOT_READ)),
        };
        self.may_follow(&path).map(|()| ScriptText { path, text })
    }
    fn may_follow(&self, path: &str) -> Result<(), &'static str> {
        if self.files.as_ref().is_some_and(|files| files.pending) {
            Err(PENDING)
        } else if self.changed.contains(path) {
            Err(CHANGED)
        } else if self.open.iter().any(|open| open == path) {
            Err("a script that runs itself")
        } else if self.followed.len() + self.open.len() >= FOLLOWED {
            Err("too many scripts")
        } else if self.sets_home {
            Err(OF_HOME)
        } else {
            Ok(())
        }
    }
    /// The script that `source` names.
    pub(super) fn sourced(
        &mut self,
        words: &[ShellWord],
        folders: Option<&Folders>,
    ) -> Result<ScriptText, &'static str> {
        let word = match words {
            [end, word, ..] if end.text() == Some("--") => word,
            [word, ..] => word,
            [] => return Err(UNNAMED),
        };
        if word.text().is_some_and(|text| !text.contains('/') || text.starts_with('-')) {
            return Err(SEARCHED);
        }
        self.script(word, folders)
    }
    /// What a program that its path names runs, if it is a script: the interpreter of its first line, with its path.
    pub(super) fn started(&mut self, words: &[ShellWord], folders: Option<&Folders>) -> Runs {
        let Some(name) = words.first().and_then(ShellWord::text) else { return Runs::Nothing };
        if !name.contains('/') || SYSTEM.iter().any(|folder| name.starts_with(folder)) || self.elsewhere > 0 {
            return Runs::Nothing;
        }
        let is_named_script =
            [".sh", ".bash", ".zsh", ".ksh", ".command"].iter().any(|end| name.ends_with(end));
        let content = self.content(&words[0], folders);
        match content {
            Ok((path, ScriptContent::Text { text, .. })) => match self.may_follow(&path) {
                Ok(()) => {
                    let mut inner = interpreter(&text);
                    inner.extend(words.iter().cloned());
                    Runs::Command(inner)
                }
                Err(reason) => Runs::Opaque(reason),
            },
            Ok((_, ScriptContent::TooLong | ScriptContent::NoText)) => {
                Runs::Opaque("a script that is long or no plain text")
            }
            Ok((_, content)) if is_named_script => Runs::Opaque(content.fault().unwrap_or(NOT_READ)),
            Err(reason) if is_named_script || reason == NOT_READ => Runs::Opaque(reason),
            // A program, or a file that the command itself makes, as a build does.
            _ => Runs::Nothing,
        }
    }
}

const PROMPT: &str = "PS1";

/// Whether every line of a script that mentions `PS1`, or a variable whose name ends in `PS1`, is a comment, tests, exports or
/// unsets it, or assigns it a plain text followed by the value of such a variable.
fn keeps_prompt(text: &str) -> bool {
    let is_name =
        |name: &str| name.ends_with(PROMPT) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_use = |text: &str| {
        let name = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        name.is_some_and(|name| is_name(name.strip_suffix(":-").or(name.strip_suffix('-')).unwrap_or(name)))
            || text.strip_prefix('$').is_some_and(is_name)
    };
    let is_value = |value: &str| {
        let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
        let (plain, used) = inside.split_at(inside.find('$').unwrap_or(inside.len()));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "()[]<>._-@:/ ".contains(c);
        plain.chars().all(is_plain) && is_use(used)
    };
    text.lines().filter(|line| line.contains(PROMPT)).all(|line| {
        let line = line.trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [first, ..] if first.starts_with('#') => true,
            ["export" | "unset", name] => is_name(name),
            ["if", "[", "-n" | "-z", test, "]", rest @ ..] => {
                is_use(test.trim_matches('"')) && matches!(rest, [] | [";", "then"])
            }
            _ => {
                let line = line.strip_prefix("export ").unwrap_or(line);
                line.split_once('=').is_some_and(|(name, value)| is_name(name) && is_value(value))
            }
        }
    })
}

/// Folders of programs that are not read.
const SYSTEM: &[&str] =
    &["/bin/", "/sbin/", "/usr/", "/opt/", "/snap/", "/nix/", "/System/", "/Applications/"];

/// The words of the interpreter that the first line of a script names (`#!`); `sh` for a script without such a line.
fn interpreter(text: &str) -> Vec<ShellWord> {
    let Some(line) = text.strip_prefix("#!").map(|rest| rest.lines().next().unwrap_or_default()) else {
        return vec![ShellWord::literal("sh")];
    };
    let (program, rest) = line.trim().split_once([' ', '\t']).unwrap_or((line.trim(), ""));
    let mut words = vec![ShellWord::literal(program)];
    // What follows the program is one word, except where `env` splits it.
    match rest.trim().strip_prefix("-S") {
        Some(rest) if !rest.contains(['\'', '"', '\\', '$']) => {
            words.extend(rest.split_whitespace().map(ShellWord::literal));
        }
        _ if rest.trim().is_empty() => {}
        _ => words.push(ShellWord::literal(rest.trim())),
    }
    words
}

/// Whether the last of these commands runs elsewhere than the shell: by a program that is not known to run it where
/// it is itself.
pub(super) fn is_elsewhere(views: &[Vec<ShellWord>]) -> bool {
    views.windows(2).any(|pair| {
        let program = pair[0].first().and_then(ShellWord::program).unwrap_or_default();
        let own = &pair[0][..pair[0].len().saturating_sub(pair[1].len())];
        let moves = |word: &ShellWord| {
            word.text().is_none_or(|text| {
                let is_long = ["--chdir", "--login", "--chroot", "--shell"];
                is_long.iter().any(|long| text.starts_with(long))
                    || text.starts_with('-')
                        && !text.starts_with("--")
                        && text.contains(['C', 'D', 'R', 'i', 's'])
            })
        };
        let is_script = pair[0].first().and_then(ShellWord::text).is_some_and(|name| name.contains('/'))
            && pair[1].ends_with(&pair[0]);
        !is_script && (!TRANSPARENT.contains(&program) || own.iter().skip(1).any(moves))
    })
}
