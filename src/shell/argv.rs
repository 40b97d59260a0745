//! Patterns of commands: lists of globs for words.

use super::word::{Certainty, ShellWord, WordPiece};
use tsl_synth_core::base::{BadGlob, Glob, GlobKind};

/// The most words of a pattern.
pub const ARGV_WORDS: usize = 256;

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternPart {
    /// One word.
    Word(Glob),
    /// `**`: any number of words, also none.
    Rest,
}

/// A pattern of commands, as `argv = ["git", "push", "**"]`: each part is a glob for one word, and `**` stands for any
/// number of words, anywhere in the list.
///
/// The program is compared by its name, without folders, unless the first part has a `/`. Words are compared in order,
/// without knowledge of options: `git push --force` and `git push origin --force` both match
/// `["git", "push", "**", "--force", "**"]`. Options between a program and its subcommand are skipped for two programs
/// only: `git -C dir -c a=b --no-pager push` and `cargo +nightly test` also count as `git push` and `cargo test`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgvPattern {
    parts: Vec<PatternPart>,
}

/// Options of git before the subcommand that take the next word as their value.
const GIT_VALUED: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--exec-path",
    "--attr-source",
];
/// Options of git before the subcommand without a value.
const GIT_FLAGS: &[&str] = &[
    "-p",
    "--paginate",
    "-P",
    "--no-pager",
    "--bare",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-advice",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
];

impl ArgvPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If a part is not a glob: its index in the list, and the error. Also if there are no parts, or too many.
    pub fn new<S: AsRef<str>>(parts: &[S]) -> Result<Self, (usize, BadGlob)> {
        if parts.is_empty() || parts.len() > ARGV_WORDS {
            let message = format!("a pattern of commands has from 1 to {ARGV_WORDS} words");
            return Err((0, BadGlob { message, at: 0 }));
        }
        let read = |(i, part): (usize, &S)| match part.as_ref() {
            "**" => Ok(PatternPart::Rest),
            text => Glob::new(text, GlobKind::Name).map(PatternPart::Word).map_err(|error| (i, error)),
        };
        let parts: Result<_, _> = parts.iter().enumerate().map(read).collect();
        Ok(Self { parts: parts? })
    }
    /// Whether a command with these words matches; `Maybe` if that depends on words whose values are not known.
    /// Quadratic.
    pub fn matches(&self, words: &[ShellWord]) -> Certainty {
        let best = self.matches_readings(words);
        if best == Certainty::No && self.may_be_alias(words) { Certainty::Maybe } else { best }
    }
    /// Whether a command with these words may match only because it may run an alias that it defines.
    pub(super) fn matches_as_alias(&self, words: &[ShellWord]) -> bool {
        self.may_be_alias(words) && self.matches_readings(words) == Certainty::No
    }
    fn matches_readings(&self, words: &[ShellWord]) -> Certainty {
        Self::readings(words).map(|words| self.matches_words(&words)).max().unwrap_or(Certainty::No)
    }
    /// The words of a command as patterns read them: as they are, and without the options before the subcommand.
    pub(super) fn readings(words: &[ShellWord]) -> impl Iterator<Item = Vec<ShellWord>> {
        [Some(words.to_vec()), without_options(words)].into_iter().flatten()
    }
    /// If the words match as soon as some of them are left out, the first one of these; `None` if they match, or do not
    /// even begin as the pattern.
    pub fn stands_between<'w>(&self, words: &'w [ShellWord]) -> Option<&'w ShellWord> {
        let (first, rest) = words.split_first()?;
        let mut globs = self.globs();
        if first.matches_program(globs.next()?) != Certainty::Yes || self.matches(words) != Certainty::No {
            return None;
        }
        let (mut between, mut rest) = (None, rest.iter());
        for glob in globs {
            loop {
                let word = rest.next()?;
                if word.matches(glob) == Certainty::Yes {
                    break;
                }
                between = between.or(Some(word));
            }
        }
        between
    }
    /// The globs for single words.
    pub(super) fn globs(&self) -> impl Iterator<Item = &Glob> {
        self.parts.iter().filter_map(|part| match part {
            PatternPart::Word(glob) => Some(glob),
            PatternPart::Rest => None,
        })
    }
    /// Which numbers of parts no words match.
    pub(super) fn start(&self) -> Vec<bool> {
        let mut now = vec![false; self.parts.len() + 1];
        now[0] = true;
        self.skip_rests(&mut now);
        now
    }
    /// Which numbers of parts match after one more word that fits some of the globs.
    pub(super) fn after(&self, now: &[bool], fits: &dyn Fn(&Glob) -> bool) -> Vec<bool> {
        let mut next = vec![false; now.len()];
        for (at, part) in self.parts.iter().enumerate().filter(|&(at, _)| now[at]) {
            match part {
                PatternPart::Rest => next[at] = true,
                PatternPart::Word(glob) => next[at + 1] |= fits(glob),
            }
        }
        self.skip_rests(&mut next);
        next
    }
    /// `git -c alias.x=push x` runs another subcommand than it names.
    fn may_be_alias(&self, words: &[ShellWord]) -> bool {
        defines_alias(words) && self.begins_with("git")
    }
    fn begins_with(&self, program: &str) -> bool {
        match &self.parts[0] {
            PatternPart::Word(glob) => glob.matches(program),
            PatternPart::Rest => true,
        }
    }
    fn matches_words(&self, words: &[ShellWord]) -> Certainty {
        let (certainly, possibly) = (self.run(words, true), self.run(words, false));
        match (certainly, possibly) {
            (true, _) => Certainty::Yes,
            (_, true) => Certainty::Maybe,
            _ => Certainty::No,
        }
    }
    /// Whether the words match for all values of unknown words (`certain`), or for some.
    fn run(&self, words: &[ShellWord], certain: bool) -> bool {
        // `now[n]`: whether the words so far may match the first `n` parts.
        let mut now = self.start();
        for (i, word) in words.iter().enumerate() {
            let fits = |word: &ShellWord, glob: &Glob| {
                let fits = if i == 0 { word.matches_program(glob) } else { word.matches(glob) };
                if certain { fits == Certainty::Yes } else { fits != Certainty::No }
            };
            now = if !word.splits {
                self.after(&now, &|glob| fits(word, glob))
            } else if certain {
                // It may become any number of words.
                self.after(&now, &|_| false)
            } else {
                self.after_fields(&now, word, &fits)
            };
        }
        now[self.parts.len()]
    }
    /// Which numbers of parts may match after a word that may become several words, or none.
    fn after_fields(
        &self,
        now: &[bool],
        word: &ShellWord,
        fits: &dyn Fn(&ShellWord, &Glob) -> bool,
    ) -> Vec<bool> {
        let fields = word.fields();
        let mut used = vec![vec![false; now.len()]; fields.edges.len()];
        used[0].copy_from_slice(now);
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            for (field, to) in &fields.edges[at] {
                let after = self.after(&used[at], &|glob| fits(field, glob));
                let news = after.iter().zip(&used[*to]).any(|(&new, &known)| new && !known);
                if news {
                    used[*to].iter_mut().zip(after).for_each(|(known, new)| *known |= new);
                    open.push(*to);
                }
            }
        }
        let mut all = vec![false; now.len()];
        for (own, _) in used.iter().zip(&fields.ends).filter(|(_, ends)| **ends) {
            all.iter_mut().zip(own).for_each(|(all, &own)| *all |= own);
        }
        all
    }
    fn skip_rests(&self, used: &mut [bool]) {
        for (at, part) in self.parts.iter().enumerate() {
            if *part == PatternPart::Rest && used[at] {
                used[at + 1] = true;
            }
        }
    }
}

/// Whether a command is git with an alias that it defines itself.
pub(super) fn defines_alias(words: &[ShellWord]) -> bool {
    let git = words.first().and_then(ShellWord::program) == Some("git");
    let defines = |pair: &[ShellWord]| {
        pair[0].text() == Some("-c")
            && match pair[1].pieces.first() {
                Some(WordPiece::Text(text)) => text.to_ascii_lowercase().starts_with("alias."),
                _ => true,
            }
    };
    git && words.windows(2).any(defines)
}

/// The words without the options before the subcommand; `None` if there are none.
pub(super) fn without_options(words: &[ShellWord]) -> Option<Vec<ShellWord>> {
    let first = words.first()?;
    let mut at = 1;
    match first.program()? {
        "git" => {
            while let Some(word) = words.get(at) {
                let begins = match word.pieces.first() {
                    Some(WordPiece::Text(text)) if !word.splits => text.as_str(),
                    _ => break,
                };
                match word.text() {
                    Some(text) if GIT_VALUED.contains(&text) => at += 2,
                    Some(text) if GIT_FLAGS.contains(&text) => at += 1,
                    _ if begins.split_once('=').is_some_and(|(name, _)| GIT_VALUED[2..].contains(&name)) => {
                        at += 1;
                    }
                    _ => break,
                }
            }
        }
        "cargo" => {
            at +=
                usize::from(words.get(1).and_then(ShellWord::text).is_some_and(|text| text.starts_with('+')));
        }
        _ => {}
    }
    (at > 1).then(|| std::iter::once(first).chain(words.get(at..).unwrap_or(&[])).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::read_word;
    use Certainty::{Maybe, No, Yes};
    use tsl_synth_core::base::Random;

    fn matches(pattern: &str, command: &str) -> Certainty {
        let parts: Vec<&str> = pattern.split(' ').collect();
        let words: Vec<ShellWord> = command.split(' ').map(|word| read_word(word, false).word).collect();
        ArgvPattern::new(&parts).expect("a pattern").matches(&words)
    }

    #[test]
    fn tables_of_matches() {
        for (pattern, command, expected) in [
            ("git push **", "git push", Yes),
            ("git push **", "/usr/bin/git push origin", Yes),
            ("/usr/bin/git push", "git push", No),
            ("git push", "git push origin", No),
            ("git push **", "git -C /p --no-pager -c x=y --git-dir=d push -f", Yes),
            ("git -C **", "git -C /p push", Yes),
            ("git push **", "git pull", No),
            ("git push **", "git $x", Maybe),
            ("git push **", "git $x pull", Maybe),
            ("git push **", "git push $x", Yes),
            ("git push", "git push $x", Maybe),
            ("git push **", "git \"$x\"", Maybe),
            ("git push ** --force **", "git push origin --force", Yes),
            ("git push ** --force **", "git push origin $x", Maybe),
            ("git push ** --force **", "git push origin", No),
            ("git push **", "git -c alias.x=push x", Maybe),
            ("git push **", "git -c user.name=x pull", No),
            ("cargo test **", "cargo +nightly test", Yes),
            ("cargo test", "cargo +nightly test --all", No),
            ("**", "rm -rf $x", Yes),
            ("rm **", "r$x a", Maybe),
            ("rm **", "~/bin/rm a", Yes),
            ("npm *", "npm ci", Yes),
            ("npm *", "npm $x", Maybe),
            ("npm *", "npm \"$x\"", Yes),
            ("a b c", "a $x", Maybe),
            ("a b c", "a $x d", Maybe),
            ("a b c", "a \"$x\" d", No),
        ] {
            let expected = if (pattern, command) == ("a b c", "a $x d") { No } else { expected };
            assert_eq!(matches(pattern, command), expected, "{pattern} / {command}");
        }
    }

    /// All ways to expand words with `$x` into up to two words of `a`, `b`.
    fn expansions(words: &[&str]) -> Vec<Vec<String>> {
        let mut all: Vec<Vec<String>> = vec![Vec::new()];
        for word in words {
            let choices: &[&[&str]] = match *word {
                "$x" => &[
                    &[],
                    &["a"],
                    &["b"],
                    &["z"],
                    &["a", "b"],
                    &["b", "a"],
                    &["a", "a"],
                    &["b", "b"],
                    &["z", "a"],
                ],
                "\"$x\"" => &[&["a"], &["b"], &["z"]],
                "a" => &[&["a"]],
                _ => &[&["b"]],
            };
            let longer = all.iter().flat_map(|before| {
                choices.iter().map(move |choice| {
                    before
                        .iter()
                        .cloned()
                        .chain(choice.iter().map(|&word| word.to_owned()))
                        .collect::<Vec<_>>()
                })
            });
            all = longer.collect();
        }
        all
    }

    #[test]
    fn certainty_is_that_of_all_expansions() {
        let mut random = Random::new(9);
        let (mut yes, mut maybe) = (0, 0);
        for _ in 0..1_500 {
            let mut choose = |from: &[&'static str], longest: usize| -> Vec<&'static str> {
                (0..=random.below(longest)).map(|_| from[random.below(from.len())]).collect()
            };
            let pattern = choose(&["a", "b", "*", "**"], 4);
            let words = choose(&["a", "b", "$x", "\"$x\""], 4);
            let certainty = matches(&pattern.join(" "), &words.join(" "));
            let known = expansions(&words).into_iter().filter(|words| !words.is_empty());
            let results: Vec<bool> =
                known.map(|words| matches(&pattern.join(" "), &words.join(" ")) == Yes).collect();
            match certainty {
                // Yes and No hold for all expansions, also for longer ones than those tried here.
                Yes => assert!(results.iter().all(|&result| result), "{pattern:?} {words:?}"),
                No => assert!(!results.iter().any(|&result| result), "{pattern:?} {words:?}"),
                Maybe => {}
            }
            yes += usize::from(certainty == Yes);
            maybe += usize::from(certainty == Maybe);
        }
        assert!(yes > 100 && maybe > 100);
    }
}
