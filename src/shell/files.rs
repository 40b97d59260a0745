//! Which files the commands of well-known programs read and write.
//!
//! Redirections are known for every command. Beyond them a program writes what this table says, and reads the files that
//! its operands, the values of its options, and words such as `if=FILE`, `@FILE`, `REVISION:FILE` name, unless it is
//! known not to open them, as `ls` and `rm`.

use super::file_glob::{FileGlob, any, normal};
use super::graph_builder::ShellCommand;
use super::option_rows::{OptionArity, program_row, subcommand_row};
use super::tree::RedirectKind;
use super::word::{Certainty, Folders, ShellWord, WordPiece};
use super::written::written;

/// The files of a command.
#[derive(Debug, Default)]
pub(super) struct CommandFiles {
    /// The folders in which the command may run.
    folders: Option<Folders>,
    reads: Vec<ShellWord>,
    writes: Vec<ShellWord>,
    /// How many of the reads and of the writes are redirections: the first ones.
    redirected: (usize, usize),
    /// Files that it may write, depending on what is a folder.
    may_write: Vec<ShellWord>,
}

impl CommandFiles {
    /// The files that a command reads and writes, as far as they are known.
    pub(super) fn of(command: &ShellCommand) -> Self {
        let mut files = Self { folders: command.folders.clone(), ..Self::default() };
        for redirect in &command.redirects {
            if redirect.kind != RedirectKind::Write && redirect.kind != RedirectKind::Append {
                files.reads.push(redirect.target.clone());
            }
            if redirect.kind != RedirectKind::Read {
                files.writes.push(redirect.target.clone());
            }
        }
        files.redirected = (files.reads.len(), files.writes.len());
        if let Some(view) = command.views.last() {
            files.program(view);
        }
        files
    }
    /// Whether it writes a file of one of these patterns.
    pub(super) fn written(&self, globs: &[FileGlob]) -> Certainty {
        let may = self.any(&self.may_write, &of_programs(globs)).min(Certainty::Maybe);
        self.opened(&self.writes, self.redirected.1, globs).max(may)
    }
    /// Whether it reads a file of one of these patterns.
    pub(super) fn read(&self, globs: &[FileGlob]) -> Certainty {
        self.opened(&self.reads, self.redirected.0, globs)
    }
    /// Whether one of these files is one that the patterns match. The shell opens the first `redirected` files, the program
    /// the others.
    fn opened(&self, words: &[ShellWord], redirected: usize, globs: &[FileGlob]) -> Certainty {
        let (of_shell, of_program) = words.split_at(redirected);
        self.any(of_shell, &globs.iter()).max(self.any(of_program, &of_programs(globs)))
    }
    /// Whether one of these files is one that the patterns match, as it is written or below a folder in which the command
    /// may run. Where that folder is known, a match below it is as certain as one of the word itself.
    fn any<'g>(
        &self,
        words: &[ShellWord],
        globs: &(impl Iterator<Item = &'g FileGlob> + Clone),
    ) -> Certainty {
        let own = any(words, globs);
        let Some(folders) = &self.folders else { return own };
        let elsewhere: Vec<ShellWord> = words.iter().flat_map(|word| folders.paths(word)).collect();
        let elsewhere = any(&elsewhere, globs);
        own.max(if folders.is_one() { elsewhere } else { elsewhere.min(Certainty::Maybe) })
    }
    /// All files that it writes or may write.
    pub(super) fn all_written(self) -> Vec<ShellWord> {
        self.writes.into_iter().chain(self.may_write).collect()
    }
    /// The file that it writes, if that is one and known.
    pub(super) fn only_written(&self) -> Option<String> {
        if self.may_write.is_empty() { self.only(&self.writes) } else { None }
    }
    /// The file that it reads, if that is one and known.
    pub(super) fn only_read(&self) -> Option<String> {
        self.only(&self.reads)
    }
    /// The path of the only word, if it is known.
    fn only(&self, words: &[ShellWord]) -> Option<String> {
        let [word] = words else { return None };
        let text = word.text()?;
        match &self.folders {
            Some(folders) => folders.only_path(text).map(|path| normal(&path)),
            None => Some(normal(text)),
        }
    }

    fn program(&mut self, words: &[ShellWord]) {
        let Some(name) = words.first().and_then(ShellWord::program) else { return };
        let arguments = arguments(words);
        let operands: Vec<&ShellWord> =
            arguments.iter().filter(|a| a.option.is_none()).map(|a| &a.word).collect();
        self.writes.extend(written(name, words, &operands));
        if name == "git" {
            let has_patch = words.iter().filter_map(ShellWord::text).any(|text| GIT_PATCHES.contains(&text));
            let opens = |a: &Argument| {
                let own = |word: &str| GIT_OPENS.contains(&word) || has_patch && GIT_LOGS.contains(&word);
                a.word.text().is_some_and(own)
            };
            if let Some(at) =
                arguments.iter().position(|a| a.option.is_none()).filter(|&at| opens(&arguments[at]))
            {
                self.reads.extend(arguments[at + 1..].iter().flat_map(Argument::mentioned));
            }
            return;
        }
        if CLIENTS.split_ascii_whitespace().any(|own| own == name) {
            let copies = operands.iter().any(|word| matches!(word.text(), Some("cp" | "mv" | "sync")));
            let of_file =
                |a: &Argument| matches!(a.option.as_deref(), Some("-f" | "--file" | "--env-file" | "-i"));
            for argument in &arguments {
                let all = argument.mentioned().into_iter();
                let has_end = |word: &ShellWord| match word.pieces.last() {
                    Some(WordPiece::Text(end)) => !end.is_empty(),
                    last => last.is_none(),
                };
                self.reads.extend(all.filter(|word| copies || of_file(argument) || has_end(word)));
            }
            return;
        }
        let Some(spec) = SPECS.iter().find(|spec| spec.programs.split(' ').any(|own| own == name)) else {
            if !OPENS_NOTHING.split_ascii_whitespace().any(|own| own == name) {
                self.reads.extend(arguments.iter().flat_map(Argument::mentioned));
            }
            return;
        };
        let has = |names: &str| {
            let named = |option: &str| names.split_ascii_whitespace().any(|name| name == option);
            words.iter().filter_map(ShellWord::text).any(|word| is_option(word, &named))
        };
        let values = |names: &str| -> Vec<ShellWord> {
            let named = |option: &str| names.split_ascii_whitespace().any(|name| name == option);
            let of = |a: &&Argument| a.option.as_deref().is_some_and(named);
            arguments.iter().filter(of).flat_map(Argument::mentioned).collect()
        };
        // With the script or the pattern as an option every operand is a file.
        let first = usize::from(!spec.script.is_empty() && !has(spec.script));
        let files = operands.get(if spec.script.is_empty() { 0 } else { first }..).unwrap_or(&[]);
        let target = values(TARGET);
        let some = |which: Which| -> Vec<ShellWord> {
            let chosen = match which {
                Which::None => &[][..],
                Which::Last if target.is_empty() => &files[files.len().saturating_sub(1)..],
                Which::Last => &[],
                Which::ButLast if target.is_empty() => &files[..files.len().saturating_sub(1)],
                Which::All | Which::ButLast => files,
            };
            chosen.iter().map(|word| (*word).clone()).collect()
        };
        self.reads.extend(some(spec.reads));
        self.reads.extend(values(spec.read_values));
        if has(spec.dry) {
            return;
        }
        if spec.in_place.is_empty() || has(spec.in_place) {
            self.writes.extend(some(spec.writes));
        } else if words.iter().skip(1).any(may_be_option) {
            self.may_write.extend(some(spec.writes));
        }
        self.writes.extend(values(spec.write_values));
        if spec.writes == Which::Last || spec.reads == Which::ButLast {
            let folder = target.first().or_else(|| files.last().copied());
            self.may_write.extend(into(folder, &some(Which::ButLast)));
        }
        if name == "dd" {
            self.named_operands(&operands);
        }
        if name == "curl" {
            let paths = arguments.iter().filter_map(|a| a.word.text()?.strip_prefix("file://"));
            self.reads.extend(paths.map(ShellWord::literal));
        }
    }
    /// `dd if=a of=b`
    fn named_operands(&mut self, operands: &[&ShellWord]) {
        for word in operands {
            let Some((name, value)) = assignment(word) else { continue };
            match name.as_str() {
                "if" => self.reads.push(value),
                "of" => self.writes.push(value),
                _ => {}
            }
        }
    }
}

/// The files that copies have in a folder.
fn into(folder: Option<&ShellWord>, sources: &[ShellWord]) -> Vec<ShellWord> {
    let Some(folder) = folder.and_then(ShellWord::text) else { return Vec::new() };
    let base =
        |word: &ShellWord| word.text().map(|text| normal(text).rsplit('/').next().unwrap_or("").to_owned());
    sources.iter().filter_map(base).map(|name| ShellWord::literal(&format!("{folder}/{name}"))).collect()
}

/// Whether a word may turn out to be an option.
fn may_be_option(word: &ShellWord) -> bool {
    word.splits || word.pieces.first() == Some(&WordPiece::Any)
}

/// The patterns of files that a program itself can open.
fn of_programs(globs: &[FileGlob]) -> impl Iterator<Item = &FileGlob> + Clone {
    globs.iter().filter(|glob| !glob.is_address())
}

/// Whether a word is one of some options, also in a bundle or with a value.
fn is_option(word: &str, named: &dyn Fn(&str) -> bool) -> bool {
    if word.starts_with("--") {
        return named(word.split('=').next().unwrap_or(word));
    }
    word.strip_prefix('-').is_some_and(|letters| {
        letters.chars().take_while(char::is_ascii_alphabetic).any(|letter| named(&format!("-{letter}")))
    })
}

/// `NAME=value`
pub(super) fn assignment(word: &ShellWord) -> Option<(String, ShellWord)> {
    let WordPiece::Text(text) = word.pieces.first()? else { return None };
    let (name, rest) = text.split_once('=')?;
    let mut value = word.clone();
    if rest.is_empty() {
        value.pieces.remove(0);
    } else {
        value.pieces[0] = WordPiece::Text(rest.to_owned());
    }
    Some((name.to_owned(), value))
}

/// A word of a command that is no option.
struct Argument {
    word: ShellWord,
    /// The option that it may be the value of.
    option: Option<String>,
}

impl Argument {
    /// The texts in it that may name files: itself, and what follows `=`, `@` and `:`.
    fn mentioned(&self) -> Vec<ShellWord> {
        let mut all = vec![self.word.clone()];
        if let Some(text) = self.word.text() {
            for (at, sign) in text.char_indices().filter(|(_, c)| matches!(c, '=' | '@' | ':')) {
                all.push(ShellWord::literal(&text[at + sign.len_utf8()..]));
            }
        } else if let Some((_, value)) = assignment(&self.word) {
            all.push(value);
        }
        all
    }
}

/// The operands and the values of options. A word that may be either is both.
fn arguments(words: &[ShellWord]) -> Vec<Argument> {
    let mut row = words.first().and_then(ShellWord::program).and_then(program_row);
    let (mut all, mut awaited, mut ended) = (Vec::new(), None, false);
    for word in words.iter().skip(1) {
        let text = word.text();
        if let Some((option, certain)) = awaited.take() {
            all.push(Argument { word: word.clone(), option: Some(option) });
            if certain {
                continue;
            }
        }
        let is_option = text.is_some_and(|text| text.len() > 1 && text.starts_with('-'));
        match text {
            Some("--") if !ended => ended = true,
            Some(text) if is_option && !ended => {
                let (name, value) = option_of(text);
                if let Some(value) = value {
                    all.push(Argument { word: ShellWord::literal(value), option: Some(name) });
                } else {
                    awaited = match row.map_or(OptionArity::Either, |row| row.arity(&name)) {
                        OptionArity::Value => Some((name, true)),
                        OptionArity::Either => Some((name, false)),
                        OptionArity::Flag | OptionArity::Attached => None,
                    };
                }
            }
            _ => {
                row = row.zip(text).map(|(row, text)| subcommand_row(row, text)).or(row);
                all.push(Argument { word: word.clone(), option: None });
            }
        }
    }
    all
}

/// The last option of a word, and the value in it.
fn option_of(text: &str) -> (String, Option<&str>) {
    if text.starts_with("--") {
        return match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value)),
            None => (text.to_owned(), None),
        };
    }
    // `-ofile`: the first letter with the rest, and `-so`: the last letter.
    let mut letters = text.chars().skip(1);
    match (letters.next(), text.chars().last()) {
        (Some(first), Some(last)) if text.len() > 2 => {
            let rest = &text[1 + first.len_utf8()..];
            if rest.contains(['/', '.', '@', '=']) {
                (format!("-{first}"), Some(rest.trim_start_matches('=')))
            } else {
                (format!("-{last}"), None)
            }
        }
        _ => (text.to_owned(), None),
    }
}

/// Some of the operands that are files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    None,
    All,
    Last,
    ButLast,
}

/// What a program does with its arguments.
struct FileSpec {
    programs: &'static str,
    reads: Which,
    writes: Which,
    /// Options whose values are read.
    read_values: &'static str,
    /// Options whose values are written.
    write_values: &'static str,
    /// If this is not empty, the first operand is a script or a pattern, unless one of these options is there.
    script: &'static str,
    /// If this is not empty, operands are written only with one of these options.
    in_place: &'static str,
    /// With one of these options nothing is written.
    dry: &'static str,
}

const fn spec(programs: &'static str, reads: Which, writes: Which) -> FileSpec {
    FileSpec { programs, reads, writes, read_values: "", write_values: "", script: "", in_place: "", dry: "" }
}

/// The option of `cp`, `mv`, `ln` and `install` that names the folder.
const TARGET: &str = "-t --target-directory";

/// The subcommands of git that show or send what is in a file.
const GIT_OPENS: &[&str] = &[
    "show",
    "cat-file",
    "diff",
    "blame",
    "annotate",
    "hash-object",
    "grep",
    "archive",
    "apply",
    "am",
    "bundle",
];

/// The subcommands of git that show what is in a file only with one of [`GIT_PATCHES`].
const GIT_LOGS: &[&str] = &["log", "whatchanged", "stash", "reflog", "format-patch"];
/// The options with which they do, and `format-patch`, which needs none.
const GIT_PATCHES: &[&str] =
    &["-p", "-u", "--patch", "--patch-with-stat", "-c", "--cc", "-G", "-S", "--full-diff", "format-patch"];

/// Programs whose arguments are addresses, names and statements: they open a file whose name is known, but what is given
/// to them from a variable is none.
const CLIENTS: &str = "psql pgcli mysql mariadb mycli redis-cli valkey-cli mongosh mongo cockroach clickhouse-client sqlcmd \
    cqlsh docker podman nerdctl docker-compose podman-compose aws az gcloud ssh";

/// Programs that open no file that their arguments name, or only its entry in a folder.
const OPENS_NOTHING: &str = "echo printf ls dir vdir test [ [[ stat which type command man find fd cd pushd popd du df \
    realpath readlink dirname basename export unset alias true false : kill ps sleep date export declare typeset local \
    readonly set hash help info whereis file gh kubectl helm terraform tofu npm pnpm yarn bun cargo go pip make \
    exit return seq expr tr";

const SPECS: &[FileSpec] = &[
    spec(
        "rm unlink shred rmdir touch truncate mkdir chmod chown chgrp trash trash-put",
        Which::None,
        Which::All,
    ),
    spec("tee sponge", Which::None, Which::All),
    FileSpec { write_values: TARGET, ..spec("cp install scp", Which::ButLast, Which::Last) },
    FileSpec { dry: "-n --dry-run --list-only", ..spec("rsync", Which::ButLast, Which::Last) },
    FileSpec { write_values: TARGET, ..spec("mv", Which::ButLast, Which::All) },
    FileSpec { write_values: TARGET, ..spec("ln", Which::ButLast, Which::Last) },
    spec("dd", Which::None, Which::None),
    FileSpec {
        script: "-e -f --expression --file",
        in_place: "-i --in-place",
        ..spec("sed gsed", Which::All, Which::All)
    },
    FileSpec {
        script: "-e -E -f",
        in_place: "-i",
        read_values: "-f",
        ..spec("perl ruby", Which::All, Which::All)
    },
    FileSpec {
        script: "-e -f --regexp --file --files",
        read_values: "-f --file",
        ..spec("grep egrep fgrep rg ag ack zgrep", Which::All, Which::None)
    },
    FileSpec {
        script: "-f --file",
        read_values: "-f --file",
        ..spec("awk gawk mawk nawk", Which::All, Which::None)
    },
    FileSpec { script: "-f --from-file", ..spec("jq", Which::All, Which::None) },
    FileSpec {
        script: "-f --from-file",
        in_place: "-i --inplace --in-place",
        ..spec("yq", Which::All, Which::All)
    },
    FileSpec { write_values: "-o --output", ..spec("sort", Which::All, Which::None) },
    FileSpec {
        read_values: "-T --upload-file -d --data --data-binary --data-ascii --data-urlencode -F --form -K --config --json \
            --netrc-file --cert -E --key --cacert -b --cookie",
        write_values: "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii \
            --output-dir",
        ..spec("curl", Which::None, Which::None)
    },
    FileSpec {
        read_values: "--post-file --body-file -i --input-file --load-cookies",
        write_values: "-O --output-document -o --output-file -a --append-output --save-cookies -P --directory-prefix",
        ..spec("wget", Which::None, Which::None)
    },
    FileSpec {
        read_values: "-in -inkey -CAfile",
        write_values: "-out",
        ..spec("openssl", Which::All, Which::None)
    },
    FileSpec { write_values: "-d", dry: "-l -t -v -Z -p -c", ..spec("unzip", Which::All, Which::None) },
    FileSpec {
        dry: "-l --list -c --stdout --to-stdout -t --test",
        ..spec("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd", Which::All, Which::All)
    },
    FileSpec { dry: "-sf --show-files -T --test", ..spec("zip", Which::All, Which::All) },
    // Formatters and linters that rewrite files only if they are told to.
    FileSpec {
        in_place: "-w --write --write-changes",
        ..spec("prettier gofmt gofumpt goimports shfmt 2to3 js-beautify biome buf", Which::All, Which::All)
    },
    FileSpec {
        in_place: "-i --in-place --inplace",
        dry: "-n --dry-run --diff -d",
        ..spec(
            "clang-format autopep8 autoflake docformatter yapf ocamlformat gersemi cmake-format",
            Which::All,
            Which::All,
        )
    },
    FileSpec {
        in_place: "--fix",
        dry: "--diff --fix-dry-run",
        ..spec("eslint stylelint standard xo tslint oxlint markdownlint", Which::All, Which::All)
    },
    FileSpec {
        in_place: "-a -A -x --autocorrect --autocorrect-all --auto-correct --auto-correct-all --fix",
        ..spec("rubocop standardrb", Which::All, Which::All)
    },
    // And those that rewrite them unless they are told to check only.
    FileSpec {
        dry: "--check --check-only --diff -c --code --lint --verify -d --version -V -h --help --dryrun --dry-run",
        ..spec(
            "black isort blue rustfmt swiftformat stylua nixfmt buildifier rufo nbstripout",
            Which::All,
            Which::All,
        )
    },
    FileSpec { script: "-F", dry: "--preview -p", ..spec("sd", Which::All, Which::All) },
    spec("dos2unix unix2dos mac2unix", Which::All, Which::All),
    FileSpec { dry: "--dry-run", ..spec("patch", Which::All, Which::All) },
    spec(
        "cat tac nl head tail less more bat cut paste uniq wc xxd od hexdump strings base64 base32 diff cmp comm",
        Which::All,
        Which::None,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script_automaton;
    use Certainty::{Maybe, No, Yes};

    fn certainty(script: &str, of: &dyn Fn(&CommandFiles) -> Certainty) -> Certainty {
        let automaton = script_automaton(script);
        let all = automaton.letters.iter().map(|command| of(&CommandFiles::of(command)));
        all.max().unwrap_or(No)
    }

    #[test]
    fn writes_are_those_of_redirections_and_known_programs() {
        let globs = [".env", "/etc/**", "migrations/*.sql"].map(|text| FileGlob::new(text).expect("a glob"));
        for (script, expected) in [
            ("echo x > .env", Yes),
            ("echo x >> ./.env", Yes),
            ("echo x > a/b/../.env", Yes),
            ("> .env", Yes),
            ("cmd &> .env", Yes),
            ("cmd <> .env", Yes),
            ("echo x > ~/.env", Yes),
            ("echo x > \"$d/.env\"", Yes),
            ("echo x > \"$f\"", Maybe),
            ("echo x > .env.example", No),
            ("echo x > a.env", No),
            ("cat .env", No),
            ("cat < .env", No),
            ("echo .env", No),
            ("tee -a x .env", Yes),
            ("cp x .env", Yes),
            ("cp .env x", Maybe),
            ("cp x y", No),
            ("cp a/.env .", Maybe),
            ("cp -t . a/.env", Maybe),
            ("mv .env x", Yes),
            ("rm .env", Yes),
            ("sed -i s/a/b/ .env", Yes),
            ("sed -i.bak -e s/a/b/ .env", Yes),
            ("sed s/a/b/ .env", No),
            ("dd if=x of=.env", Yes),
            ("dd if=.env of=x", No),
            ("curl -o .env https://x", Yes),
            ("curl -so .env https://x", Yes),
            ("curl --output=.env https://x", Yes),
            ("wget -O .env https://x", Yes),
            ("sort -o .env x", Yes),
            ("sudo tee .env", Yes),
            ("ls > /etc/x", Yes),
            ("ls > /etc//a/../x", Yes),
            ("rm /home/me/p/migrations/1.sql", Maybe),
            ("rm /home/me/p/migrations/1.txt", No),
            ("cd /etc && rm x", Yes),
            ("cd /etc && rm -rf x && ls", Yes),
            ("cd /etc; rm x", Maybe),
            ("cd /etc || exit 1; rm x", Yes),
            ("set -e; cd /etc; rm x", Yes),
            ("cd /; cd etc && rm x", Maybe),
            ("cd / && cd etc && rm x", Yes),
            ("cd / && (cd etc && rm x)", Yes),
            ("(cd /etc) && rm x", No),
            ("cd /etc | rm x", No),
            ("cd /etc & rm x", No),
            ("pushd /etc && rm x", Yes),
            ("pushd /etc && popd && rm x", No),
            ("cd /etc && cd /tmp && rm x", No),
            ("cd /etc && cd - && rm x", No),
            ("cd /etc && cd .. && rm x", No),
            ("cd .. && rm x", No),
            ("cd .. && rm p/migrations/1.sql", Maybe),
            ("rm ../p/migrations/1.sql", Maybe),
            ("rm a/../migrations/1.sql", Yes),
            ("cd \"$d\" && rm x", Maybe),
            ("cd && rm x", Maybe),
            ("cd migrations && rm 1.sql", Yes),
            ("cd migrations && rm 1.txt", No),
            ("cd a && rm migrations/1.sql", Yes),
            ("cd /etc && make > x", Yes),
            ("cd /etc && { ls; } > x", Yes),
            ("! cd /etc && rm x", Maybe),
            ("cd /etc || rm x", Maybe),
            ("if true; then cd /etc; fi; rm x", Maybe),
            ("for d in a b; do cd /etc; done; rm x", Maybe),
            ("while rm x; do cd /etc; done", Maybe),
            ("f() { cd /etc; }; f && rm x", Maybe),
            ("eval 'cd /etc'; rm x", Maybe),
            ("command cd /etc && rm x", Yes),
            ("cd -P /etc && rm x", Yes),
            ("bash -c 'cd /etc && rm x'", Yes),
            ("bash -c 'cd /etc' && rm x", No),
            ("cd src && rm main.rs", No),
            ("cd /home/me/p && make && rm -rf build", No),
            ("rm -rf /etc", Yes),
            ("touch migrations/1.sql", Yes),
            ("touch migrations/1.txt", No),
            ("ls > /dev/null", No),
            ("unknown .env", No),
        ] {
            assert_eq!(certainty(script, &|files| files.written(&globs)), expected, "{script}");
        }
    }

    #[test]
    fn writes_of_other_programs_are_known() {
        let globs = [".env", "/etc/**", "migrations/*.sql"].map(|text| FileGlob::new(text).expect("a glob"));
        for (script, expected) in [
            ("git rm .env", Yes),
            ("git rm --cached .env", No),
            ("git mv x migrations/1.sql", Yes),
            ("git checkout -- .env", Yes),
            ("git checkout HEAD~1 -- .env", Yes),
            ("git checkout main .env", Yes),
            ("git checkout .env", Yes),
            ("git checkout main", No),
            ("git checkout -b migrations/1.sql", No),
            ("git restore --source=HEAD~3 migrations/1.sql", Yes),
            ("git restore --staged .env", No),
            ("git add .env", No),
            ("git diff .env", No),
            ("find /etc -name x -delete", Maybe),
            ("find . -name '*.pyc' -delete", No),
            ("find migrations -name '*.sql'", No),
            ("find . -fprintf .env '%p'", Yes),
            ("prettier --write .env", Yes),
            ("npx prettier --write migrations/1.sql", Yes),
            ("prettier --check .env", No),
            ("gofmt -w migrations/1.sql", Yes),
            ("gofmt -l migrations/1.sql", No),
            ("yq -i '.a = 1' .env", Yes),
            ("yq '.a' .env", No),
            ("gzip .env", Yes),
            ("gzip -c .env", No),
            ("tar xf a.tgz -C /etc", Yes),
            ("tar -xzf a.tgz --directory=/etc/x", Yes),
            ("tar xf a.tgz -C src", No),
            ("tar czf /etc/a.tgz src", Yes),
            ("tar czf a.tgz /etc", No),
            ("tar tf a.tgz -C /etc", No),
            ("unzip -d /etc a.zip", Yes),
            ("unzip -l a.zip -d /etc", No),
            ("wget -P /etc https://x", Yes),
            ("awk -i inplace '{ print }' .env", Yes),
            ("awk '{ print > \".env\" }' x", Yes),
            ("awk '$1 > 3' .env", No),
            ("sed -n 'w .env' x", Yes),
            ("sed -n 's/a/b/w .env' x", Yes),
            ("sed -n '/a/w /etc/x' y", Yes),
            ("sed 's/w /x/' .env", No),
            ("sed 's/a/w .env/' x", No),
            ("black .env", Yes),
            ("black --check .env", No),
            ("eslint --fix migrations/1.sql", Yes),
            ("eslint migrations/1.sql", No),
        ] {
            assert_eq!(certainty(script, &|files| files.written(&globs)), expected, "{script}");
        }
    }

    #[test]
    fn files_below_a_home_folder_may_be_those_of_the_user() {
        for (glob, script, expected) in [
            ("~/.ssh/**", "cat ~/.ssh/id", Yes),
            ("~/.ssh/**", "cat /root/.ssh/id", Maybe),
            ("~/.ssh/**", "cat /home/me/.ssh/a/b", Maybe),
            ("~/.ssh/**", "cat /Users/me/x/../.ssh/id", Maybe),
            ("~/.ssh/**", "cd /root && cat .ssh/id", Maybe),
            ("~/.ssh/**", "cat /root/ssh/id", No),
            ("~/.ssh/**", "cat /etc/.ssh/id", No),
            ("/home/me/.ssh/**", "cat ~/.ssh/id", Maybe),
            ("/home/me/.ssh/**", "cat /home/me/.sshd/id", No),
        ] {
            let globs = [FileGlob::new(glob).expect("a glob")];
            assert_eq!(certainty(script, &|files| files.read(&globs)), expected, "{glob}: {script}");
        }
    }

    #[test]
    fn files_are_excluded_from_a_list() {
        let globs = ["**", "!*.log", "!/tmp/**"].map(|text| FileGlob::new(text).expect("a glob"));
        for (script, expected) in [
            ("ls > a", Yes),
            ("ls > x/a.txt", Yes),
            ("ls > a.log", No),
            ("ls > x/a.log", No),
            ("ls > /tmp/a", No),
            ("ls > /tmp/x/../../a", Yes),
            ("ls > \"$f\"", Maybe),
            ("ls > \"$d/a.log\"", No),
            ("ls > a.log 2> b", Yes),
            ("ls > /tmp/a 2> /tmp/b", No),
        ] {
            assert_eq!(certainty(script, &|files| files.written(&globs)), expected, "{script}");
        }
    }

    #[test]
    fn reads_are_what_a_program_may_open() {
        let globs = [".env"].map(|text| FileGlob::new(text).expect("a glob"));
        for (script, expected) in [
            ("cat .env", Yes),
            ("cat < .env", Yes),
            ("grep KEY .env", Yes),
            ("grep .env x", No),
            ("grep -e KEY .env", Yes),
            ("cp .env x", Yes),
            ("cp x .env", No),
            ("curl -d @.env https://x", Yes),
            ("curl -F f=@.env https://x", Yes),
            ("strange .env", Yes),
            ("strange --file=.env", Yes),
            ("strange --file .env", Yes),
            ("dd if=.env", Yes),
            ("ls .env", No),
            ("rm .env", No),
            ("echo .env", No),
            ("echo x > .env", No),
            ("cat $x", Maybe),
            ("cat \"$x\"", Maybe),
            ("cat /dev/null", No),
            ("git log -p -- .env", Yes),
            ("git log --patch .env", Yes),
            ("git log -- .env", No),
            ("git log --oneline .env", No),
            ("curl file:///x/.env", Yes),
            ("curl -s file://localhost/x/.env", Yes),
            ("curl https://x/.env", No),
        ] {
            assert_eq!(certainty(script, &|files| files.read(&globs)), expected, "{script}");
        }
    }
}
