//! Files of the gate that a command may change although none of its words is their path: files that another program finds
//! or lists, and files that are downloaded under the same name.

use super::own_files::{OwnFiles, READERS, REMOVERS};
use super::path_words::{may_be, pieces_of, plain, resolved, spellings, text_of};
use std::path::{Path, PathBuf};
use tsl_synth_shell::{ShellCommand, ShellWord, WordPiece};

/// Programs that list files for others, as in `find . | xargs rm`.
const LISTERS: &[&str] =
    &["find", "fd", "fdfind", "ls", "git", "rg", "grep", "egrep", "locate", "echo", "printf"];

impl OwnFiles {
    /// A file that `find` may remove, write, or give to a program that may write it.
    pub(super) fn by_find(&self, rest: &[ShellWord], bases: &[PathBuf]) -> Option<PathBuf> {
        let runs = |word: &ShellWord| matches!(word.text(), Some("-exec" | "-execdir" | "-ok" | "-okdir"));
        let started = rest.iter().position(runs).map(|at| rest.get(at + 1).and_then(ShellWord::program));
        let removes = rest.iter().any(|word| word.text() == Some("-delete"))
            || started.is_some_and(|program| program.is_none_or(|name| REMOVERS.contains(&name)));
        let writes = started.is_some_and(|program| program.is_none_or(|name| !READERS.contains(&name)));
        let printed =
            rest.iter().position(|word| word.text().is_some_and(|text| text.starts_with("-fprint")));
        if let Some(file) = printed.and_then(|at| self.named(rest.get(at + 1)?, bases, false)) {
            return Some(file);
        }
        if !removes && !writes {
            return None;
        }
        self.found(rest, bases, removes)
    }
    /// A file that `find` with these words may find. If the words have no pattern for its name or path, it counts only with
    /// `all`.
    fn found(&self, rest: &[ShellWord], bases: &[PathBuf], all: bool) -> Option<PathBuf> {
        let begins = |word: &&ShellWord| text_of(word).is_none_or(|text| !text.starts_with(['-', '(', '!']));
        let working = [ShellWord::literal(".")];
        let roots: Vec<&ShellWord> = rest.iter().take_while(begins).collect();
        let roots = if roots.is_empty() { working.iter().collect() } else { roots };
        // The folders that each root may be; `None` if it is not known.
        let roots: Vec<Option<Vec<PathBuf>>> =
            roots.into_iter().map(|root| Some(folders(&text_of(root)?, bases))).collect();
        let (mut wanted, mut excluded) = (Vec::new(), Vec::new());
        for (at, pair) in rest.windows(2).enumerate() {
            let Some("-name" | "-iname" | "-path" | "-ipath" | "-wholename") = pair[0].text() else {
                continue;
            };
            let is_negated = at > 0 && matches!(rest[at - 1].text(), Some("!" | "-not"));
            let pattern = pair[1].text().map(|text| pieces_of(&text.to_lowercase()));
            if is_negated { excluded.push(pattern) } else { wanted.push(pattern) }
        }
        let is_empty = rest.iter().any(|word| word.text() == Some("-empty"));
        let fits = |own: &Path, pattern: &Option<Vec<WordPiece>>| {
            let Some(pattern) = pattern else { return true };
            let names = own.file_name().map(|name| name.to_string_lossy().into_owned()).into_iter();
            names.chain(spellings(own, bases)).any(|name| may_be(pattern, &name.to_lowercase()))
        };
        let is_found = |own: &Path| {
            let is_below = |folders: &Vec<PathBuf>| folders.iter().any(|folder| own.starts_with(folder));
            let is_in_root = roots.iter().any(|root| root.as_ref().is_none_or(is_below));
            let is_wanted =
                if wanted.is_empty() { all && !is_empty } else { wanted.iter().any(|w| fits(own, w)) };
            is_in_root && is_wanted && !excluded.iter().any(|e| e.is_some() && fits(own, e))
        };
        self.paths.iter().find(|own| is_found(own)).cloned()
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
        let is_in_place = || words.iter().any(|word| word.text().is_some_and(|text| text.starts_with("-i")));
        let only_reads = READERS.contains(&program) && !(program == "sed" && is_in_place());
        if only_reads || program == "xargs" || !words.iter().skip(1).any(is_open) {
            return None;
        }
        let removes = REMOVERS.contains(&program);
        let of = |list: &Vec<ShellWord>| {
            let lister = list.first().and_then(ShellWord::program).filter(|name| LISTERS.contains(name))?;
            if lister == "find" {
                return self.found(&list[1..], bases, removes);
            }
            let names = |word: &ShellWord| {
                let pattern = word.text().filter(|text| text.trim_matches(['*', '.', '/']).len() > 1)?;
                let pieces = pieces_of(pattern);
                let fits = |own: &&PathBuf| {
                    own.file_name().is_some_and(|name| may_be(&pieces, &name.to_string_lossy()))
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

/// The folders that a text may name, each as it is written and with links resolved.
fn folders(text: &str, bases: &[PathBuf]) -> Vec<PathBuf> {
    let named = bases.iter().map(|base| base.join(text));
    named.flat_map(|folder| [plain(&folder), resolved(&folder)]).collect()
}
