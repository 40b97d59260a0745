//! Patterns of programs that know what options are: `program`, `subcommand`, `flags`, `without_flags`, `operands`.
//!
//! The words of a command are read from left to right as subcommand, options, values of options, and operands. Where
//! it is not known whether an option takes the next word as its value, or where a word is not known before the command
//! runs, all readings are followed. A pattern certainly matches if it matches in all of them.

use super::argv::defines_alias;
use super::option_rows::{OptionArity, OptionStyle, ProgramRow, program_row, same_name, subcommand_row};
use super::word::{Certainty, ShellWord, UnknownText, WordPiece};
use std::collections::BTreeSet;
use tsl_synth_core::base::{Glob, GlobKind};

/// The most readings of one command that are followed; past it the pattern may match.
const READINGS: usize = 512;
/// The most groups of flags of a pattern.
pub const FLAG_GROUPS: usize = 8;

/// An option as a pattern names it: `-n`, `--no-verify`, `-chdir`, and with a value `-c=core.*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionName {
    /// Its name with hyphens; a glob.
    name: Glob,
    /// Its value; a glob.
    value: Option<Glob>,
}

impl OptionName {
    /// An option with this name and, if it is given, with a value that this glob matches.
    pub fn new(name: Glob, value: Option<Glob>) -> Self {
        Self { name, value }
    }
    /// Its name and its value.
    pub(super) fn parts(&self) -> (&Glob, Option<&Glob>) {
        (&self.name, self.value.as_ref())
    }
    fn short(&self) -> Option<char> {
        let mut chars = self.name.literal()?.strip_prefix('-')?.chars();
        chars.next().filter(|&c| c != '-' && chars.next().is_none())
    }
    /// Whether it is the long option with this name, with its hyphens.
    fn is_long(&self, name: &str, style: OptionStyle) -> Certainty {
        let words = matches!(style, OptionStyle::Words | OptionStyle::Unknown);
        if self.name.matches(name) || words && self.name.literal().is_some_and(|own| same_name(own, name)) {
            return Certainty::Yes;
        }
        let abbreviates = matches!(style, OptionStyle::Getopt | OptionStyle::Unknown);
        let begins = |own: &str| name.len() > 2 && name.starts_with("--") && own.starts_with(name);
        match self.name.literal() {
            Some(own) if abbreviates && begins(own) => Certainty::Maybe,
            _ => Certainty::No,
        }
    }
}

/// The most words that `**` stands for in a subcommand.
const DEEPEST: usize = 4;

/// A pattern of a program with its subcommand, options and operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPattern {
    /// Names of the program.
    pub programs: Vec<Glob>,
    /// The first operands, in order; `**` stands for up to four words.
    pub subcommand: Vec<Glob>,
    /// Of each group one option is there.
    pub flags: Vec<Vec<OptionName>>,
    /// None of these is there.
    pub without_flags: Vec<OptionName>,
    /// One of the further operands is one of these, unless there are none here.
    pub operands: Vec<Glob>,
    /// None of the further operands is one of these.
    pub without_operands: Vec<Glob>,
}

/// What has been read of the words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reading {
    /// How many words of the subcommand; `None` after another word than the next of them.
    found: Option<usize>,
    /// The groups of flags of which an option was there.
    flags: u32,
    /// Whether an option or an operand that must not be there was there.
    excluded: bool,
    /// Whether an operand was one of those of the pattern.
    operand: bool,
    /// Whether the rest are operands.
    ended: bool,
    /// The option whose value the next word is; empty if it is not known which.
    awaited: Option<String>,
    /// The path of the program and its subcommand in the table of programs.
    place: usize,
}

/// The rows that a command has gone through; a reading names one by its index.
type Rows = Vec<Option<&'static ProgramRow>>;

/// What is known of a word.
enum WordText<'w> {
    /// All of it.
    Known(&'w str),
    /// Its beginning, which is not empty.
    Begins(&'w str),
    /// Nothing.
    Nothing,
}

impl<'w> WordText<'w> {
    fn of(word: &'w ShellWord) -> Self {
        match (word.text(), word.pieces.first()) {
            (Some(text), _) => Self::Known(text),
            (None, Some(WordPiece::Text(text))) if !text.is_empty() && !word.splits => Self::Begins(text),
            // The home folder is a path from the root.
            _ if word.home && !word.splits => Self::Begins("/"),
            _ => Self::Nothing,
        }
    }
}

/// Whether a word between quotes, of which nothing is known, is the connection of a client of databases.
fn is_connection(reading: &Reading, word: &ShellWord, rows: &Rows) -> bool {
    let may_be_operand = reading.found.is_some() && reading.awaited.is_none() && !reading.ended;
    may_be_operand
        && rows[reading.place].is_some_and(|row| row.connects)
        && matches!(WordText::of(word), WordText::Nothing)
}

/// Whether it stands for any number of words.
fn is_deep(glob: &Glob) -> bool {
    glob.as_str() == "**"
}

impl ProgramPattern {
    /// Whether a command with these words matches.
    pub fn matches(&self, words: &[ShellWord]) -> Certainty {
        if let Some(at) = self.subcommand.iter().position(is_deep) {
            return self.with_words(at).map(|own| own.matches(words)).max().unwrap_or(Certainty::No);
        }
        let Some((first, rest)) = words.split_first() else { return Certainty::No };
        let program = self.is_program(first);
        if program == Certainty::No {
            return Certainty::No;
        }
        let certainty = self.words(first, rest);
        // An alias may be any subcommand.
        let alias = certainty == Certainty::No && !self.subcommand.is_empty() && defines_alias(words);
        program.min(if alias { Certainty::Maybe } else { certainty })
    }
    /// The patterns with words in the place of a `**` of the subcommand.
    fn with_words(&self, at: usize) -> impl Iterator<Item = Self> {
        let any = Glob::new("*", GlobKind::Name).ok();
        (0..=DEEPEST).map(move |count| {
            let mut own = self.clone();
            own.subcommand.splice(at..=at, std::iter::repeat_n(&any, count).flatten().cloned());
            own
        })
    }
    /// Whether no command matches both patterns, because they name different programs or subcommands.
    pub fn excludes(&self, other: &Self) -> bool {
        let differ = |one: &Glob, two: &Glob| match (one.literal(), two.literal()) {
            (Some(one), Some(two)) => one != two,
            (Some(text), None) => !two.matches(text),
            (None, Some(text)) => !one.matches(text),
            (None, None) => false,
        };
        self.programs.iter().all(|one| other.programs.iter().all(|two| differ(one, two)))
            || (self.subcommand.iter().zip(&other.subcommand))
                .take_while(|(one, two)| !is_deep(one) && !is_deep(two))
                .any(|(one, two)| differ(one, two))
    }
    fn is_program(&self, word: &ShellWord) -> Certainty {
        let plain = word.program().and_then(|name| {
            let ends = [".exe", ".cmd", ".bat"];
            ends.iter().find_map(|end| name.strip_suffix(end)).map(ShellWord::literal)
        });
        let of = |glob: &Glob| {
            let own = plain.as_ref().map_or(Certainty::No, |plain| plain.matches(glob));
            own.max(word.matches_program(glob))
        };
        self.programs.iter().map(of).max().unwrap_or(Certainty::No)
    }

    fn words(&self, first: &ShellWord, rest: &[ShellWord]) -> Certainty {
        let row = first.program().and_then(program_row);
        let mut rows: Rows = vec![row];
        let start = Reading {
            found: Some(0),
            flags: 0,
            excluded: false,
            operand: false,
            ended: false,
            awaited: None,
            place: 0,
        };
        let mut now = BTreeSet::from([start]);
        let toolchain = |word: &ShellWord| word.text().is_some_and(|text| text.starts_with('+'));
        let is_cargo = first.program() == Some("cargo") && rest.first().is_some_and(toolchain);
        for word in rest.iter().skip(usize::from(is_cargo)) {
            let mut next = BTreeSet::new();
            if word.splits {
                // Each match of a wildcard begins and ends as the wildcard does.
                let one = if word.each { word.clone() } else { ShellWord::unknown() };
                self.any_words(now, &ShellWord { splits: false, ..one }, &mut next, &mut rows);
            } else {
                for reading in now {
                    if is_connection(&reading, word, &rows) {
                        self.operand(&reading, word, &mut next, &mut rows);
                    } else {
                        self.word(&reading, word, &mut next, &mut rows);
                    }
                }
            }
            if next.len() > READINGS {
                return Certainty::Maybe;
            }
            now = next;
        }
        let accepted = now.iter().filter(|reading| self.accepts(reading)).count();
        match accepted {
            0 => Certainty::No,
            all if all == now.len() => Certainty::Yes,
            _ => Certainty::Maybe,
        }
    }
    fn accepts(&self, reading: &Reading) -> bool {
        !reading.excluded
            && reading.found == Some(self.subcommand.len())
            && reading.flags == (1 << self.flags.len()) - 1
            && (self.operands.is_empty() || reading.operand)
    }
    /// Any number of words of which this is known.
    fn any_words(
        &self,
        now: BTreeSet<Reading>,
        any: &ShellWord,
        next: &mut BTreeSet<Reading>,
        rows: &mut Rows,
    ) {
        let mut open: Vec<Reading> = now.iter().cloned().collect();
        next.extend(now);
        while let Some(reading) = open.pop() {
            let mut after = BTreeSet::new();
            self.word(&reading, any, &mut after, rows);
            for reading in after {
                if next.len() <= READINGS && next.insert(reading.clone()) {
                    open.push(reading);
                }
            }
        }
    }
    /// Adds the readings after one word.
    fn word(&self, reading: &Reading, word: &ShellWord, next: &mut BTreeSet<Reading>, rows: &mut Rows) {
        if reading.found.is_none() {
            next.insert(reading.clone());
            return;
        }
        if let Some(option) = &reading.awaited {
            let after = Reading { awaited: None, ..reading.clone() };
            return self.value(&after, option, Some(word), next);
        }
        if reading.ended {
            return self.operand(reading, word, next, rows);
        }
        match WordText::of(word) {
            WordText::Known("--") => {
                next.insert(Reading { ended: true, ..reading.clone() });
            }
            WordText::Known(text) if text.len() > 1 && text.starts_with('-') => {
                self.option(reading, text, next, rows);
            }
            WordText::Begins(text) if text.starts_with("--") && text.contains('=') => {
                let name = text.split('=').next().unwrap_or(text);
                let style = style(rows[reading.place]);
                self.long(reading, name, Some(&ShellWord::unknown()), style, OptionArity::Flag, next);
            }
            WordText::Begins(text) if text.starts_with('-') => self.any_option(reading, next),
            WordText::Known(_) | WordText::Begins(_) => self.operand(reading, word, next, rows),
            WordText::Nothing if !self.may_be_option(word, rows[reading.place]) => {
                self.operand(reading, word, next, rows);
            }
            WordText::Nothing => {
                self.any_option(reading, next);
                next.insert(Reading { ended: true, ..reading.clone() });
                self.operand(reading, word, next, rows);
            }
        }
    }
    /// Whether a word whose beginning is not known may be one of the options of the pattern: no option of `rm` ends with `.o`.
    fn may_be_option(&self, word: &ShellWord, row: Option<&ProgramRow>) -> bool {
        let each_ends_so = !word.splits || word.unknown == UnknownText::Wildcard && word.each;
        let (Some(row), Some(WordPiece::Text(end)), true) = (row, word.pieces.last(), each_ends_so) else {
            return true;
        };
        let has_value = |option: &OptionName| {
            let arity = option.name.literal().map_or(OptionArity::Either, |name| row.arity(name));
            option.value.is_some() || arity != OptionArity::Flag
        };
        row.may_end_flags(end) || self.flags.iter().flatten().chain(&self.without_flags).any(has_value)
    }
    /// An option of which nothing is known: it is any set of options, and may take the next word.
    fn any_option(&self, reading: &Reading, next: &mut BTreeSet<Reading>) {
        let all = (1_u32 << self.flags.len()) - 1;
        for flags in 0..=all {
            let set = Reading { flags: reading.flags | flags, ..reading.clone() };
            let excluded = Reading { excluded: true, ..set.clone() };
            let both = [Some(set), (!self.without_flags.is_empty()).then_some(excluded)];
            for set in both.into_iter().flatten() {
                next.insert(Reading { awaited: Some(String::new()), ..set.clone() });
                next.insert(set);
            }
        }
    }
    fn operand(&self, reading: &Reading, word: &ShellWord, next: &mut BTreeSet<Reading>, rows: &mut Rows) {
        let row = rows[reading.place];
        let deeper = word.text().zip(row).map(|(text, row)| subcommand_row(row, text));
        let place = match deeper.filter(|deeper| row.is_none_or(|row| !std::ptr::eq(row, *deeper))) {
            Some(deeper) => {
                let known = rows.iter().position(|row| row.is_some_and(|row| std::ptr::eq(row, deeper)));
                known.unwrap_or_else(|| {
                    rows.push(Some(deeper));
                    rows.len() - 1
                })
            }
            None => reading.place,
        };
        let found = reading.found.unwrap_or(self.subcommand.len());
        if let Some(glob) = self.subcommand.get(found) {
            let fits = word.matches(glob);
            if fits != Certainty::No {
                next.insert(Reading { found: Some(found + 1), place, ..reading.clone() });
            }
            if fits != Certainty::Yes {
                next.insert(Reading { found: None, ..reading.clone() });
            }
            return;
        }
        let ended = reading.ended || row.is_some_and(|row| row.stops);
        let after = Reading { ended, place, ..reading.clone() };
        let named = |globs: &[Glob]| globs.iter().map(|g| word.matches(g)).max().unwrap_or(Certainty::No);
        let (wanted, unwanted) = (named(&self.operands), named(&self.without_operands));
        for (operand, excluded) in [(false, false), (false, true), (true, false), (true, true)] {
            if allows(wanted, operand) && allows(unwanted, excluded) {
                next.insert(Reading {
                    operand: after.operand || operand,
                    excluded: after.excluded || excluded,
                    ..after.clone()
                });
            }
        }
    }
    /// A known word that begins with a hyphen.
    fn option(&self, reading: &Reading, text: &str, next: &mut BTreeSet<Reading>, rows: &Rows) {
        let row = rows[reading.place];
        let style = style(row);
        let arity = |name: &str| match row.map_or(OptionArity::Either, |row| row.arity(name)) {
            // The author of the pattern knows of a value that the table does not: one of another subcommand, or of another
            // version of the program.
            OptionArity::Flag if self.gives_value(name, style) => OptionArity::Either,
            arity => arity,
        };
        // `-pl` of mvn; `-vv` is `-v` twice.
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        let mut letters = name.chars().skip(1);
        let first = letters.next();
        let is_repeated = letters.all(|letter| Some(letter) == first);
        let is_listed = name.chars().count() > 2
            && row.is_some_and(|row| row.lists(name))
            && !(is_repeated && arity(name) == OptionArity::Flag);
        let is_long = text.starts_with("--") || style == OptionStyle::Words || is_listed;
        if is_long || style == OptionStyle::Unknown && text.chars().count() > 2 {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(ShellWord::literal(value))),
                None => (text, None),
            };
            // A name in full is no abbreviation of a longer one.
            let full = style == OptionStyle::Getopt && row.is_some_and(|row| row.lists(name));
            let style = if full { OptionStyle::Bundles } else { style };
            self.long(reading, name, value.as_ref(), style, arity(name), next);
        }
        if !is_long {
            self.bundle(reading, text, &arity, next);
        }
    }
    /// Whether the pattern names an option with a value.
    fn gives_value(&self, name: &str, style: OptionStyle) -> bool {
        let own = |option: &OptionName| {
            let words =
                style == OptionStyle::Words && option.name.literal().is_some_and(|own| same_name(own, name));
            option.value.is_some() && (words || option.name.matches(name))
        };
        self.flags.iter().flatten().chain(&self.without_flags).any(own)
    }
    /// `--name`, `--name=value`
    fn long(
        &self,
        reading: &Reading,
        name: &str,
        value: Option<&ShellWord>,
        style: OptionStyle,
        arity: OptionArity,
        next: &mut BTreeSet<Reading>,
    ) {
        let certainty = |option: &OptionName| match value {
            _ if option.value.is_some() => Certainty::No,
            Some(value) if denies(value) => option.is_long(name, style).min(Certainty::Maybe),
            _ => option.is_long(name, style),
        };
        for after in self.marked(reading, &certainty) {
            if let Some(value) = value {
                self.value(&after, name, Some(value), next);
                continue;
            }
            if arity != OptionArity::Value {
                self.value(&after, name, None, next);
            }
            if matches!(arity, OptionArity::Value | OptionArity::Either) {
                next.insert(Reading { awaited: Some(name.to_owned()), ..after });
            }
        }
    }
    /// `-abc`, where a letter may take the rest of the word, or the next word, as its value.
    fn bundle(
        &self,
        reading: &Reading,
        text: &str,
        arity: &dyn Fn(&str) -> OptionArity,
        next: &mut BTreeSet<Reading>,
    ) {
        let mut now = BTreeSet::from([reading.clone()]);
        for (at, letter) in text.char_indices().skip(1) {
            let name = format!("-{letter}");
            let rest = &text[at + letter.len_utf8()..];
            let certainty = |option: &OptionName| {
                let same = option.value.is_none() && option.short() == Some(letter);
                if same { Certainty::Yes } else { Certainty::No }
            };
            let mut flags = BTreeSet::new();
            for after in now.iter().flat_map(|reading| self.marked(reading, &certainty)) {
                let arity = arity(&name);
                let takes = matches!(arity, OptionArity::Value | OptionArity::Either);
                match rest {
                    "" if takes => {
                        next.insert(Reading { awaited: Some(name.clone()), ..after.clone() });
                    }
                    rest if takes || arity == OptionArity::Attached => {
                        let value = ShellWord::literal(rest.strip_prefix('=').unwrap_or(rest));
                        let value = (!rest.is_empty()).then_some(value);
                        self.value(&after, &name, value.as_ref(), next);
                    }
                    _ => {}
                }
                if matches!(arity, OptionArity::Flag | OptionArity::Either) {
                    flags.insert(after);
                }
            }
            now = flags;
            if now.is_empty() || now.len() > READINGS {
                break;
            }
        }
        next.extend(now);
    }
    /// The reading with the groups of the options that are there, for each way in which those that may be there are.
    fn marked(&self, reading: &Reading, is: &dyn Fn(&OptionName) -> Certainty) -> Vec<Reading> {
        let of = |options: &[OptionName]| options.iter().map(is).max().unwrap_or(Certainty::No);
        let mut all = vec![reading.clone()];
        for (group, options) in self.flags.iter().enumerate() {
            let certainty = of(options);
            fork(&mut all, certainty, &|reading| reading.flags |= 1 << group);
        }
        fork(&mut all, of(&self.without_flags), &|reading| reading.excluded = true);
        all
    }
    /// Adds the readings after the value of an option; `None` if it has none, an empty name if it is not known.
    fn value(&self, reading: &Reading, name: &str, value: Option<&ShellWord>, next: &mut BTreeSet<Reading>) {
        let certainty = |option: &OptionName| match (&option.value, value) {
            (Some(_), Some(_)) if name.is_empty() => Certainty::Maybe,
            (Some(glob), Some(value)) => {
                let named = if name.starts_with("--") || name.chars().count() > 2 {
                    option.is_long(name, OptionStyle::Unknown)
                } else if option.name.matches(name) {
                    Certainty::Yes
                } else {
                    Certainty::No
                };
                named.min(value.matches(glob))
            }
            _ => Certainty::No,
        };
        next.extend(self.marked(reading, &certainty));
    }
}

/// Whether a certainty leaves it open that something is so.
fn allows(certainty: Certainty, value: bool) -> bool {
    certainty == Certainty::Maybe || (certainty == Certainty::Yes) == value
}

/// Marks the readings, and keeps them as they were, too, unless it is certain.
fn fork(all: &mut Vec<Reading>, certainty: Certainty, mark: &dyn Fn(&mut Reading)) {
    let without = match certainty {
        Certainty::No => return,
        Certainty::Maybe => all.clone(),
        Certainty::Yes => Vec::new(),
    };
    all.iter_mut().for_each(mark);
    all.extend(without);
}

fn style(row: Option<&ProgramRow>) -> OptionStyle {
    row.map_or(OptionStyle::Unknown, |row| row.style)
}

/// Whether a value may turn an option off, as in `--force=false`.
fn denies(value: &ShellWord) -> bool {
    value.text().is_none_or(|text| matches!(text, "false" | "0" | "no" | "off" | "none" | ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::read_word;
    use Certainty::{Maybe, No, Yes};

    fn globs(text: &str) -> Vec<Glob> {
        text.split_whitespace().map(|one| Glob::new(one, GlobKind::Name).expect("a glob")).collect()
    }
    fn options(text: &str) -> Vec<OptionName> {
        let option = |one: &str| {
            let (name, value) = one.split_once('=').map_or((one, None), |(name, value)| (name, Some(value)));
            OptionName::new(globs(name).remove(0), value.map(|value| globs(value).remove(0)))
        };
        text.split_whitespace().map(option).collect()
    }
    /// A pattern from `PROGRAM SUBCOMMAND.. | FLAGS & FLAGS | WITHOUT | OPERANDS`.
    fn pattern(text: &str) -> ProgramPattern {
        let mut parts = text.split('|');
        let mut words = globs(parts.next().expect("a program"));
        let flags = parts.next().unwrap_or("");
        let groups = flags.split('&').filter(|group| !group.trim().is_empty());
        ProgramPattern {
            programs: vec![words.remove(0)],
            subcommand: words,
            flags: groups.map(options).collect(),
            without_flags: options(parts.next().unwrap_or("")),
            operands: globs(parts.next().unwrap_or("")),
            without_operands: Vec::new(),
        }
    }
    fn matches(text: &str, command: &str) -> Certainty {
        let words: Vec<ShellWord> = command.split(' ').map(|word| read_word(word, false).word).collect();
        pattern(text).matches(&words)
    }

    #[test]
    fn a_subcommand_may_have_any_number_of_words() {
        for (text, command, expected) in [
            ("gcloud ** delete", "gcloud delete", Yes),
            ("gcloud ** delete", "gcloud projects delete p", Yes),
            ("gcloud ** delete", "gcloud compute instances delete x", Yes),
            ("gcloud ** delete", "gcloud beta compute instances delete x", Yes),
            ("gcloud ** delete", "gcloud compute instances list", No),
            ("gcloud compute ** delete", "gcloud compute instances delete x", Yes),
            ("gcloud compute ** delete", "gcloud sql instances delete x", No),
            ("gcloud ** delete **", "gcloud compute instances delete x", Yes),
            ("az **", "az", Yes),
            ("az **", "az group list", Yes),
            ("strange ** a ** b", "strange x a y b", Yes),
            ("strange ** a ** b", "strange b a", No),
        ] {
            assert_eq!(matches(text, command), expected, "{text}: {command}");
        }
        let excludes = |one: &str, two: &str| pattern(one).excludes(&pattern(two));
        assert!(!excludes("gcloud ** delete", "gcloud compute list"));
        assert!(excludes("gcloud sql ** delete", "gcloud compute list"));
    }

    #[test]
    fn options_stand_before_and_between_the_words_of_a_subcommand() {
        for (text, command, expected) in [
            ("terraform destroy", "terraform destroy", Yes),
            ("terraform destroy", "terraform -chdir=prod destroy", Yes),
            ("terraform destroy", "terraform --chdir=prod destroy", Yes),
            ("terraform destroy", "terraform plan -destroy", No),
            ("terraform destroy", "terraform -chdir=destroy plan", No),
            ("kubectl delete", "kubectl -n prod delete ns x", Yes),
            ("kubectl delete", "kubectl --context prod delete ns x", Yes),
            ("kubectl delete", "kubectl --context=prod -n x delete ns x", Yes),
            ("kubectl delete", "kubectl -nprod delete ns x", Yes),
            ("kubectl delete", "kubectl -n delete get pods", No),
            ("kubectl delete", "kubectl get pods delete", No),
            ("kubectl delete", "kubectl --strange delete get", Maybe),
            ("kubectl delete", "kubectl --strange x delete", Maybe),
            ("supabase db reset", "supabase --workdir x db reset", Yes),
            ("supabase db reset", "supabase db --workdir x reset", Yes),
            ("supabase db reset", "supabase db --debug reset --linked", Yes),
            ("supabase db reset", "supabase db push reset", No),
            ("git push", "git -C push status", No),
            ("git push", "git -c x=y -C p --no-pager push", Yes),
            ("git push", "git.exe push", Yes),
            ("git push", "/usr/bin/git -P push", Yes),
            ("git push", "git $x", Maybe),
            ("git push", "git \"$x\" origin", Maybe),
            ("git push", "git -C \"$x\" push", Yes),
            ("git push", "git -C \"$x\" pull", No),
            ("git push", "git -c alias.p=push p", Maybe),
            ("cargo test", "cargo +nightly test", Yes),
            ("npm run test", "npm --prefix web run -s test", Yes),
            ("strange go", "strange -x go", Maybe),
            ("strange go", "strange -x y go", Maybe),
            ("strange go", "strange --x=y go", Yes),
            ("strange go", "strange -- go", Yes),
            ("strange go", "other go", No),
        ] {
            assert_eq!(matches(text, command), expected, "{text} / {command}");
        }
    }

    #[test]
    fn flags_are_options() {
        let commit = "git commit | -n --no-verify";
        let push = "git push | --force-with-lease";
        let rm = "rm | -r -R --recursive & -f --force";
        let deep = "rm | -r -R --recursive";
        for (text, command, expected) in [
            (commit, "git commit -n", Yes),
            (commit, "git commit --no-verify -m x", Yes),
            (commit, "git commit -anm x", Yes),
            (commit, "git commit -mn", No),
            (commit, "git commit -m -n", No),
            (commit, "git commit --message --no-verify", No),
            (commit, "git commit --message=--no-verify", No),
            (commit, "git commit -m x -- -n", No),
            (commit, "git commit --no-ver", Maybe),
            (commit, "git commit --no-edit", No),
            (commit, "git commit -Sn", No),
            (commit, "git commit $x", Maybe),
            (commit, "git commit -m \"$x\"", No),
            (commit, "git commit \"$x\"", Maybe),
            (push, "git push --force", No),
            (push, "git push --force-with-lease=x:y", Yes),
            (push, "git push --force-with", Maybe),
            (rm, "rm -rf x", Yes),
            (rm, "rm -fR x", Yes),
            (rm, "rm -r x --force", Yes),
            (rm, "rm --recursive -f x", Yes),
            (rm, "rm -r x", No),
            (rm, "rm -f x", No),
            (rm, "rm -r $x", Maybe),
            (deep, "rm *.o", No),
            (deep, "rm -f *.o x/*.a *~", No),
            (deep, "rm ~/a.txt", No),
            (deep, "rm \"$HOME/a.txt\"", No),
            (deep, "rm \"$f.o\"", No),
            (deep, "rm $f.o", Maybe),
            (deep, "rm \"$f\"", Maybe),
            (deep, "rm *", Maybe),
            (deep, "rm *rf", Maybe),
            (deep, "rm -r *.o", Yes),
            ("tar | -x", "tar *.o", Maybe),
            ("strange | -p", "strange *.o", Maybe),
            (rm, "rm -rf -- x", Yes),
            (rm, "rm -- -rf", No),
            ("terraform apply | -auto-approve", "terraform apply --auto-approve", Yes),
            ("terraform apply | -auto-approve", "terraform apply -auto-approve=false", Maybe),
            ("terraform apply | -auto-approve", "terraform apply -var auto-approve", No),
            ("strange | --prod", "strange --prod=1", Yes),
            ("strange | -p", "strange -xp", Maybe),
            ("strange | -p", "strange -p", Yes),
            ("strange | -p", "strange -x -p", Maybe),
            ("strange | -p", "strange -p -x", Yes),
            ("git commit | -c=core.hooks*", "git -c core.hooksPath=/x commit", Yes),
            ("git commit | -c=core.hooks*", "git -c user.name=x commit", No),
            ("git commit | -c=core.hooks*", "git -c \"$x\" commit", Maybe),
            ("python | -c", "python x.py -c y", No),
            ("python | -m=pytest", "python -W ignore -m pytest", Yes),
            ("git push || -n --dry-run", "git push -n", No),
            ("git push || -n --dry-run", "git push --dry", Maybe),
            ("git push || -n --dry-run", "git push -u x", Yes),
            ("git push ||| main *:main", "git push origin main", Yes),
            ("git push ||| main *:main", "git push origin x:main", Yes),
            ("git push ||| main *:main", "git push -o main origin", No),
            ("git push ||| main *:main", "git push origin \"$b\"", Maybe),
            ("git push ||| main *:main", "git push origin maintenance", No),
        ] {
            assert_eq!(matches(text, command), expected, "{text} / {command}");
        }
    }

    /// An option of a program that is another one of its subcommand.
    #[test]
    fn options_are_those_of_the_subcommand() {
        for (text, command, expected) in [
            ("docker run | -v=*", "docker run -v a:b x", Yes),
            ("docker run | -v=*", "docker run -va:b x", Yes),
            ("docker run | -v=/:*", "docker run --rm -itv /:/h x", Yes),
            ("docker run | -v=/var/run/*:*", "docker run -v /var/run/docker.sock:/s x", Yes),
            ("docker | -v=*", "docker run -v a:b x", Yes),
            ("podman run | -v=*", "podman run -d -v a:b x", Yes),
            ("docker container run | -v=*", "docker container run -v a:b x", Yes),
            ("docker compose run | -v=*", "docker compose run -v a:b web", Yes),
            ("docker run | -e=A=*", "docker run -h x -e A=b y", Yes),
            ("docker exec | -u=root", "docker exec -uroot x ls", Yes),
            ("docker build | -t=*:prod", "docker build -t x:prod .", Yes),
            ("docker run | -v=*", "docker run x -v a:b", No),
            ("docker run | -v=/:*", "docker run -v a:b x", No),
            ("docker run | -v=*", "docker run -e -v x", No),
            ("docker | -v=*", "docker ps", No),
            ("docker | -v", "docker -v", Yes),
            ("docker compose down | -v", "docker compose down -v", Yes),
            ("docker rm | -v", "docker rm -fv x", Yes),
            ("docker logs | -f ||| x", "docker logs -f x", Yes),
            ("docker compose logs ||| x", "docker compose logs -f x", Yes),
            ("docker compose ps | -q", "docker compose -p a ps -q", Yes),
            ("kubectl logs ||| x", "kubectl logs -f x", Yes),
            ("kubectl logs | -p", "kubectl logs -f -p x", Yes),
            ("kubectl logs | -n=prod", "kubectl logs -f -n prod x", Yes),
            ("kubectl patch | -p=*x*", "kubectl patch a -p axa", Yes),
            ("kubectl apply | -f=prod*", "kubectl apply -f prod.yml", Yes),
            ("kubectl config view | -o=json", "kubectl config view --raw -o json", Yes),
            ("kubectl proxy | -w=*", "kubectl proxy -w /x", Yes),
            ("gh pr merge | --admin", "gh pr merge -m --admin 5", Yes),
            ("gh pr merge ||| 5", "gh pr merge -r 5", Yes),
            ("gh pr create | --fill & --draft", "gh pr create -f --draft --fill", Yes),
            ("gh pr create | -w", "gh pr create -f -w", Yes),
            ("gh release create | -p", "gh release create -d -p v1", Yes),
            ("gh api | -X=DELETE", "gh api -X DELETE x", Yes),
            ("gh api | -f=a=*", "gh api -f a=b x", Yes),
            ("glab mr merge | --yes", "glab mr merge -s --yes 5", Yes),
            ("glab mr create | -y", "glab mr create -f -y", Yes),
            ("git log | -p", "git log -c -p", Yes),
            ("git log | -p", "git log -n -p", No),
            ("git blame ||| x", "git blame -C x", Yes),
            ("git switch | -c=x", "git switch -c x", Yes),
            ("git revert ||| 1", "git revert -m 1 HEAD", No),
            ("git worktree add ||| x", "git worktree add -b x ../y", No),
            ("nomad job run ||| x", "nomad job run -var x y", No),
            ("gsutil rsync | -d", "gsutil -m rsync -u -d a gs://b", Yes),
            ("gsutil rm | -r", "gsutil rm -a -r gs://b", Yes),
            ("helm upgrade || --dry-run --dry-run=*", "helm upgrade --install --dry-run a c", No),
            ("helm upgrade || --dry-run --dry-run=*", "helm upgrade --install a c", Yes),
            ("helm upgrade || --dry-run --dry-run=*", "helm upgrade -i --dry-run=server a c", No),
            ("helm upgrade | -f=prod*", "helm upgrade -i a c -f prod.yml", Yes),
            ("go test | -toolexec=*", "go test -toolexec x ./...", Yes),
            ("go test | -toolexec=*", "go test -toolexec=x ./...", Yes),
            ("go build | -exotic=*", "go build -exotic x .", Maybe),
            ("go test | -toolexec=*", "go test -run -toolexec .", No),
            ("mvn test", "mvn -pl web test", Yes),
            ("cargo build | -v", "cargo build -vv", Yes),
            ("rm | -x=*", "rm -x y", Maybe),
            ("rm | -x=z", "rm -x y", No),
        ] {
            assert_eq!(matches(text, command), expected, "{text} / {command}");
        }
    }

    #[test]
    fn what_is_certain_holds_for_all_values() {
        let mut random = tsl_synth_core::base::Random::new(11);
        let words = ["a", "b", "-x", "-xy", "--long", "--long=v", "--", "-c", "v", "$x", "\"$x\"", "-$x"];
        let values: [&[&str]; 6] = [&[], &["a"], &["-x"], &["--"], &["-c", "v"], &["--long", "b"]];
        let patterns =
            ["p a", "p a b", "p a | -x", "p | -y --long", "p a || -x", "p a | -c=v", "p ||| b", "git a | -x"];
        let mut seen = [0; 3];
        for _ in 0..3_000 {
            let pattern = patterns[random.below(patterns.len())];
            let program = if pattern.starts_with("git") { "git" } else { "p" };
            let command: Vec<&str> = (0..random.below(5)).map(|_| words[random.below(words.len())]).collect();
            let whole = |command: &[&str]| [&[program], command].concat().join(" ");
            let certainty = matches(pattern, &whole(&command));
            seen[certainty as usize] += 1;
            for value in values {
                let known: Vec<String> = command
                    .iter()
                    .flat_map(|word| match *word {
                        "$x" => value.iter().map(ToString::to_string).collect(),
                        "\"$x\"" => vec![value.concat()],
                        "-$x" => vec![format!("-{}", value.concat())],
                        word => vec![word.to_owned()],
                    })
                    .collect();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                if known.contains(&"") {
                    continue;
                }
                let with_value = matches(pattern, &whole(&known));
                let fits = with_value == Maybe || certainty == Maybe || with_value == certainty;
                assert!(fits, "{pattern} / {command:?} is {certainty:?}, {known:?} {with_value:?}");
            }
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }

    #[test]
    fn long_commands_take_no_time() {
        for size in [1, 10, 100, 1_000] {
            let command = format!("strange {}", "-x \"$y\" $z ".repeat(size).trim_end());
            assert_eq!(matches("strange a b | -q & --long || -n | c", &command), Maybe, "{size}");
        }
    }
}
