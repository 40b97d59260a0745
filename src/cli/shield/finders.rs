//! What `find` and `fd` may find, by their words.

use super::own_files::{REMOVERS, only_reads};
use super::path_words::{plain, resolved, text_of};
use std::path::{Path, PathBuf};
use tsl_synth_core::base::{Glob, GlobKind};
use tsl_synth_shell::ShellWord;

/// The options of `fd` after which a program stands.
pub(super) const FD_STARTS: &[&str] = &["-x", "-X", "--exec", "--exec-batch"];

/// What the programs do that a finder starts for each file, as in `find -exec cat {} \; -exec rm {} \;`.
pub(super) struct Started {
    pub removes: bool,
    pub writes: bool,
}

impl Started {
    /// The programs after these options.
    pub(super) fn new(words: &[ShellWord], options: &[&str]) -> Self {
        let is_option = |word: &ShellWord| word.text().is_some_and(|text| options.contains(&text));
        let mut started = Self { removes: false, writes: false };
        let mut parts = words.split(is_option);
        parts.next();
        for part in parts {
            let Some((program, rest)) = part.split_first() else { continue };
            let program = program.program();
            started.removes |= program.is_none_or(|name| REMOVERS.contains(&name));
            started.writes |= program.is_none_or(|name| !only_reads(name, rest));
        }
        started
    }
}

/// A pattern of `find -name` and its like, in which braces are plain characters and `*` stands for `/`, too.
pub(super) struct FilePattern {
    /// `None` for a text that is no pattern.
    glob: Option<Glob>,
    ignores_case: bool,
}

impl FilePattern {
    pub(super) fn new(text: &str, ignores_case: bool) -> Self {
        let text = if ignores_case { text.to_lowercase() } else { text.to_owned() };
        let text = text.replace('{', "\\{").replace('}', "\\}");
        Self { glob: Glob::new(&text, GlobKind::Name).ok(), ignores_case }
    }
    /// Whether the pattern matches the name. What is no pattern may match any name.
    pub(super) fn may_match(&self, name: &str) -> bool {
        self.glob.is_none() || self.matches(name)
    }
    /// Whether the pattern matches the name for certain.
    fn matches(&self, name: &str) -> bool {
        let Some(glob) = &self.glob else { return false };
        if self.ignores_case { glob.matches(&name.to_lowercase()) } else { glob.matches(name) }
    }
}

/// The folders that a search starts from.
struct Roots(Vec<Option<Vec<PathBuf>>>);

impl Roots {
    /// The folders that each text may name, as it is written and with links resolved; the working folder if there is none.
    fn new(texts: &[Option<String>], bases: &[PathBuf]) -> Self {
        let folders = |text: &str| -> Vec<PathBuf> {
            let named = bases.iter().map(|base| base.join(text));
            named.flat_map(|folder| [plain(&folder), resolved(&folder)]).collect()
        };
        if texts.is_empty() {
            return Self(vec![Some(folders("."))]);
        }
        Self(texts.iter().map(|text| text.as_deref().map(folders)).collect())
    }
    /// Whether the search may come to a file; `sees` tells whether it goes down these parts of a path.
    fn reach(&self, own: &Path, sees: impl Fn(&Path) -> bool) -> bool {
        let is_below = |folder: &PathBuf| own.strip_prefix(folder).is_ok_and(&sees);
        self.0.iter().any(|root| root.as_ref().is_none_or(|folders| folders.iter().any(is_below)))
    }
}

/// A search by `find`.
pub(super) struct FindSearch {
    roots: Roots,
    /// Patterns of which a file has one; `None` for unknown text.
    wanted: Vec<Option<FilePattern>>,
    /// Patterns that a file does not have.
    excluded: Vec<FilePattern>,
    /// Whether files count that nothing is said of.
    all: bool,
}

impl FindSearch {
    /// The search of these words, which follow the program. Without a pattern it finds a file only with `all`.
    pub(super) fn new(words: &[ShellWord], bases: &[PathBuf], all: bool) -> Self {
        let is_root =
            |text: &Option<String>| text.as_ref().is_none_or(|text| !text.starts_with(['-', '(', '!']));
        let roots: Vec<Option<String>> = words.iter().map(text_of).take_while(is_root).collect();
        let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
        for (at, pair) in words.windows(2).enumerate() {
            let Some(test) = pair[0].text() else { continue };
            if !matches!(test, "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename") {
                continue;
            }
            let pattern = pair[1].text().map(|text| FilePattern::new(text, test.starts_with("-i")));
            let is_negated = at > 0 && matches!(words[at - 1].text(), Some("!" | "-not"));
            if is_negated { excluded.extend(pattern) } else { wanted.push(pattern) }
        }
        let is_empty = words.iter().any(|word| word.text() == Some("-empty"));
        Self { roots: Roots::new(&roots, bases), wanted, excluded, all: all && !is_empty }
    }
    /// Whether it may find a file with these spellings.
    pub(super) fn may_find(&self, own: &Path, spellings: &[String]) -> bool {
        let last = own.file_name().map(|name| name.to_string_lossy().into_owned());
        let names: Vec<&String> = last.iter().chain(spellings).collect();
        let may_have = |pattern: &Option<FilePattern>| {
            pattern.as_ref().is_none_or(|pattern| names.iter().any(|name| pattern.may_match(name)))
        };
        let is_wanted = if self.wanted.is_empty() { self.all } else { self.wanted.iter().any(may_have) };
        let has = |pattern: &FilePattern| names.iter().any(|name| pattern.matches(name));
        is_wanted && self.roots.reach(own, |_| true) && !self.excluded.iter().any(has)
    }
}

/// A search by `fd`.
pub(super) struct FdSearch {
    roots: Roots,
    /// What is looked for in the name or path.
    pattern: FdPattern,
    /// Endings of which a file has one, if there are any; `None` for unknown text.
    endings: Vec<Option<String>>,
    /// Whether the pattern is about the whole path.
    is_about_path: bool,
    /// Whether hidden files and folders are looked at.
    sees_hidden: bool,
    /// Whether files count that nothing is said of.
    all: bool,
}

/// The pattern of `fd`, in lower case.
enum FdPattern {
    /// There is none.
    All,
    /// It is not known, or a regular expression with other characters than plain ones.
    Unknown,
    /// A plain text.
    Text(String),
    /// With `--glob`.
    Glob(FilePattern),
}

impl FdSearch {
    /// The search of these words, which follow the program. Without a pattern it finds a file only with `all`.
    pub(super) fn new(words: &[ShellWord], bases: &[PathBuf], all: bool) -> Self {
        const VALUES: &[&str] =
            &["-d", "-t", "-E", "-S", "-o", "-c", "-j", "--type", "--exclude", "--max-depth", "--min-depth"];
        let is_start = |word: &ShellWord| word.text().is_some_and(|text| FD_STARTS.contains(&text));
        let end = words.iter().position(is_start).unwrap_or(words.len());
        let (mut operands, mut endings, mut options) = (Vec::new(), Vec::new(), Vec::new());
        let mut texts = words[..end].iter().map(text_of);
        while let Some(text) = texts.next() {
            match text {
                Some(text) if matches!(text.as_str(), "-e" | "--extension") => {
                    endings.push(texts.next().flatten());
                }
                Some(text) if VALUES.contains(&text.as_str()) => drop(texts.next()),
                Some(text) if text.starts_with('-') && text.len() > 1 => {
                    let ending = text.strip_prefix("--extension=");
                    let ending = ending.or_else(|| text.strip_prefix("-e").filter(|rest| !rest.is_empty()));
                    endings.extend(ending.map(|ending| Some(ending.to_owned())));
                    options.push(text);
                }
                operand => operands.push(operand),
            }
        }
        let has = |letter: char, names: &[&str]| {
            options.iter().any(|text| {
                names.contains(&text.as_str()) || !text.starts_with("--") && text.contains(letter)
            })
        };
        let is_plain =
            |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ' '));
        let pattern = match operands.first() {
            None => FdPattern::All,
            Some(Some(text)) if text.is_empty() || text == "." => FdPattern::All,
            Some(Some(text)) if has('g', &["--glob"]) => FdPattern::Glob(FilePattern::new(text, true)),
            Some(Some(text)) if is_plain(text) => FdPattern::Text(text.to_lowercase()),
            Some(_) => FdPattern::Unknown,
        };
        Self {
            roots: Roots::new(operands.get(1..).unwrap_or(&[]), bases),
            pattern,
            endings,
            is_about_path: has('p', &["--full-path"]),
            sees_hidden: has('H', &["--hidden"]) || has('u', &["--unrestricted"]),
            all,
        }
    }
    /// Whether it may find a file.
    pub(super) fn may_find(&self, own: &Path) -> bool {
        let name = own.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let text = if self.is_about_path { own.to_string_lossy().to_lowercase() } else { name.clone() };
        let is_wanted = match &self.pattern {
            FdPattern::All => self.all || !self.endings.is_empty(),
            FdPattern::Unknown => true,
            FdPattern::Text(part) => text.contains(part),
            FdPattern::Glob(pattern) => pattern.may_match(&text),
        };
        let has_end = |end: &Option<String>| {
            end.as_ref().is_none_or(|end| name.ends_with(&format!(".{}", end.to_lowercase())))
        };
        let sees = |below: &Path| {
            self.sees_hidden || !below.iter().any(|part| part.to_string_lossy().starts_with('.'))
        };
        is_wanted
            && (self.endings.is_empty() || self.endings.iter().any(has_end))
            && self.roots.reach(own, sees)
    }
}
