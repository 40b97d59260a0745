//! Which files the commands of well-known programs read and write.
//!
//! Redirections are known for every command. Beyond them a program writes what this table says, and reads the files that
//! its operands, the values of its options, and words such as `if=FILE`, `@FILE`, `REVISION:FILE` name, unless it is
//! known not to open them, as `ls` and `rm`.

use super::arguments::{Argument, Arguments, assignment};
use super::file_glob::{FileGlob, any, normal};
use super::file_specs::{
    CLIENTS, GIT_LOGS, GIT_OPENS, GIT_PATCHES, OPENS_NOTHING, SPECS, TARGET, Which, is_one_of,
};
use super::graph_builder::ShellCommand;
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
        let spec = SPECS.iter().find(|spec| spec.programs.split(' ').any(|own| own == name));
        let read = Arguments::of(words, spec);
        let (arguments, operands) = (&read.all, read.operands());
        self.writes.extend(written(name, words, &read));
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
        if is_one_of(CLIENTS, name) {
            let copies = operands.iter().any(|word| matches!(word.text(), Some("cp" | "mv" | "sync")));
            let of_file =
                |a: &Argument| matches!(a.option.as_deref(), Some("-f" | "--file" | "--env-file" | "-i"));
            for argument in arguments {
                let all = argument.mentioned().into_iter();
                let has_end = |word: &ShellWord| match word.pieces.last() {
                    Some(WordPiece::Text(end)) => !end.is_empty(),
                    last => last.is_none(),
                };
                self.reads.extend(all.filter(|word| copies || of_file(argument) || has_end(word)));
            }
            return;
        }
        let Some(spec) = spec else {
            if !is_one_of(OPENS_NOTHING, name) {
                self.reads.extend(arguments.iter().flat_map(Argument::mentioned));
            }
            return;
        };
        let has = |names: &str| read.has(names);
        let values = |names: &str| -> Vec<ShellWord> {
            read.values(names).into_iter().flat_map(Argument::mentioned).collect()
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
            ("/dev/**", "cat ~/x/sda", No),
            ("a/{b,c}*", "cat ~/p/a/x", No),
            ("a/{b,c}*", "cat ~/p/a/b1", Maybe),
            ("a/{b,c}*", "cat \"$d/x.txt\"", No),
            ("a/{b,c}*", "cat \"$d/c.txt\"", Maybe),
            ("a/{b,c}*", "cat \"$d/..\"", Maybe),
            ("a/*", "cat \"$d/x.txt\"", Maybe),
            ("a/**/b", "cat \"$d/b\"", Maybe),
            ("{a/b,c/d}", "cat \"$d/d\"", Maybe),
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
