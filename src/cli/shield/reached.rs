//! Files of the gate that a command may change although none of its words is their path: files that another program finds
//! or lists, and files that are downloaded under the same name.

use super::finders::{FD_STARTS, FdSearch, FilePattern, FindSearch, Started};
use super::own_files::{OwnFiles, REMOVERS, only_reads};
use super::path_words::spellings;
use std::path::PathBuf;
use tsl_synth_shell::{ShellCommand, ShellWord, WordPiece};

/// Programs that list files for others, as in `find . | xargs rm`.
const LISTERS: &[&str] =
    &["find", "fd", "fdfind", "ls", "git", "rg", "grep", "egrep", "locate", "echo", "printf"];

impl OwnFiles {
    /// A file that `find` may remove, write, or give to a program that may write it.
    pub(super) fn by_find(&self, rest: &[ShellWord], bases: &[PathBuf]) -> Option<PathBuf> {
        let is = |word: &ShellWord, names: &[&str]| word.text().is_some_and(|text| names.contains(&text));
        let is_print = |pair: &&[ShellWord]| is(&pair[0], &["-fprint", "-fprint0", "-fprintf", "-fls"]);
        let mut printed = rest.windows(2).filter(is_print);
        if let Some(file) = printed.find_map(|pair| self.named(&pair[1], bases, false)) {
            return Some(file);
        }
        let started = Started::new(rest, &["-exec", "-execdir", "-ok", "-okdir"]);
        let removes = started.removes || rest.iter().any(|word| is(word, &["-delete"]));
        if removes || started.writes { self.found(rest, bases, removes) } else { None }
    }
    /// A file that `fd` may give to a program that may write it.
    pub(super) fn by_fd(&self, rest: &[ShellWord], bases: &[PathBuf]) -> Option<PathBuf> {
        let started = Started::new(rest, FD_STARTS);
        if started.removes || started.writes { self.found_by_fd(rest, bases, started.removes) } else { None }
    }
    /// A file that `find` with these words may find. If the words have no pattern for its name or path, it counts only with
    /// `all`.
    fn found(&self, rest: &[ShellWord], bases: &[PathBuf], all: bool) -> Option<PathBuf> {
        let search = FindSearch::new(rest, bases, all);
        self.paths.iter().find(|own| search.may_find(own, &spellings(own, bases))).cloned()
    }
    /// The same for `fd`.
    fn found_by_fd(&self, rest: &[ShellWord], bases: &[PathBuf], all: bool) -> Option<PathBuf> {
        let search = FdSearch::new(rest, bases, all);
        self.paths.iter().find(|own| search.may_find(own)).cloned()
    }
    /// A file that a program may get as an argument from a program that lists files, as in `ls *.toml | xargs rm`.
    pub(super) fn listed(
        &self,
        words: &[ShellWord],
        commands: &[ShellCommand],
        bases: &[PathBuf],
    ) -> Option<PathBuf> {
        let program = words.first().and_then(ShellWord::program)?;
        let is_open = |word: &ShellWord| word.text().is_none() && word.splits && !word.home;
        let is_apart = matches!(program, "xargs" | "find" | "fd" | "fdfind");
        if is_apart || only_reads(program, &words[1..]) || !words.iter().skip(1).any(is_open) {
            return None;
        }
        let removes = REMOVERS.contains(&program);
        let of = |list: &Vec<ShellWord>| {
            let lister = list.first().and_then(ShellWord::program).filter(|name| LISTERS.contains(name))?;
            match lister {
                "find" => return self.found(&list[1..], bases, removes),
                "fd" | "fdfind" => return self.found_by_fd(&list[1..], bases, removes),
                _ => {}
            }
            let names = |word: &ShellWord| {
                let pattern = word.text().filter(|text| text.trim_matches(['*', '.', '/']).len() > 1)?;
                let pattern = FilePattern::new(pattern, false);
                let fits = |own: &&PathBuf| {
                    own.file_name().is_some_and(|name| pattern.may_match(&name.to_string_lossy()))
                };
                self.paths.iter().find(fits).cloned()
            };
            list[1..].iter().find_map(|word| self.named(word, bases, false).or_else(|| names(word)))
        };
        commands.iter().flat_map(|command| &command.views).find_map(of)
    }
    /// A file that a download under the same name may replace: `curl -O`, `wget`.
    pub(super) fn fetched(&self, program: &str, rest: &[ShellWord], bases: &[PathBuf]) -> Option<PathBuf> {
        // The `?` of an address is a wildcard of the shell: what is before it is known.
        let texts: Vec<&str> = rest
            .iter()
            .map(|word| match word.pieces.first() {
                Some(WordPiece::Text(text)) => text.as_str(),
                _ => "",
            })
            .collect();
        let is_short = |text: &&&str, letter: char| {
            text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
        };
        let keeps_name = match program {
            "curl" => texts.iter().any(|text| is_short(&text, 'O') || text.starts_with("--remote-name")),
            "wget" => !texts.iter().any(|text| is_short(&text, 'O') || text.starts_with("--output-document")),
            _ => true,
        };
        if !keeps_name {
            return None;
        }
        let folder = texts.iter().enumerate().find_map(|(at, text)| match *text {
            "--output-dir" | "-P" | "--directory-prefix" | "-d" | "--dir" => texts.get(at + 1).copied(),
            text => ["--output-dir=", "--directory-prefix=", "--dir=", "-P"]
                .iter()
                .find_map(|option| text.strip_prefix(option)),
        });
        let folder = folder.unwrap_or(".");
        let name = |url: &&str| {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            let name = path.rsplit('/').next().unwrap_or_default();
            let is_name = !url.starts_with('-') && !name.is_empty();
            is_name.then(|| self.at(&format!("{folder}/{name}"), bases, false)).flatten()
        };
        texts.iter().find_map(name)
    }
}
