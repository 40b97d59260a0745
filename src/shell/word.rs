//! Words of a shell: which parts are known before the script runs, and which commands run for their expansion.

use super::ansi::decoded;
use super::braces::expanded;
#[cfg(test)]
use super::prepare::prepare_word;
use super::prepare::{Part, part_number};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WordPiece {
    /// These characters.
    Text(String),
    /// Any characters, also none: the value of a variable, the output of a command, the match of a wildcard.
    Any,
    /// Any characters but `/`: the name of a file that was found.
    Name,
    /// Letters, digits, `_`, `-`, `+` and `:`: numbers, dates, hashes.
    Plain,
}

/// What is not known of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownText {
    /// Values of variables and outputs of commands: any text.
    #[default]
    Value,
    /// What wildcards stand for: names without `/`, never `..`.
    Wildcard,
    /// A file below a folder that was searched: no `..` either.
    Found,
    /// `"$@"`, the arguments of the script or of the function.
    Arguments,
}

/// The folders in which a command may run, as words; the one in which the script began is an empty word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Folders(pub(super) Arc<Vec<ShellWord>>);

/// A word as far as it can be known before the script runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShellWord {
    /// Its pieces in order; no two texts in a row.
    pub pieces: Vec<WordPiece>,
    /// Whether it may become no word, or several: variables without quotes, wildcards.
    pub splits: bool,
    /// Whether each of the words that it becomes has these pieces, as the matches of a wildcard have; else only all of
    /// them together begin and end as the pieces do.
    pub each: bool,
    /// What stands for the pieces that are not known, besides the home folder.
    pub unknown: UnknownText,
    /// Whether the first piece is the home folder: `~`, `$HOME`.
    pub home: bool,
    /// The folders in which it may be used, where that may be another one than at the beginning of the script.
    pub folders: Option<Folders>,
}

/// Whether a statement about unknown values holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Certainty {
    /// In no case.
    No,
    /// In some cases, or unknown.
    Maybe,
    /// In every case.
    Yes,
}

impl ShellWord {
    /// A word that is known.
    pub fn literal(text: &str) -> Self {
        let pieces = if text.is_empty() { Vec::new() } else { vec![WordPiece::Text(text.into())] };
        Self { pieces, ..Self::default() }
    }
    /// A word of which nothing is known, which may also be no word or several words.
    pub fn unknown() -> Self {
        Self { pieces: vec![WordPiece::Any], splits: true, ..Self::default() }
    }
    /// The word, if it is known.
    pub fn text(&self) -> Option<&str> {
        match (&self.pieces[..], self.splits) {
            ([], false) => Some(""),
            ([WordPiece::Text(text)], false) => Some(text),
            _ => None,
        }
    }
    /// The name of the program that this word runs: the text after the last `/`, if it is known.
    pub fn program(&self) -> Option<&str> {
        if self.splits {
            return None;
        }
        match &self.pieces[..] {
            [WordPiece::Text(text)] => Some(text.rsplit('/').next().unwrap_or(text)),
            [.., WordPiece::Text(text)] => text.rsplit_once('/').map(|(_, name)| name),
            _ => None,
        }
    }
    /// A word of which nothing is known, but that it is one word.
    pub fn any() -> Self {
        Self { pieces: vec![WordPiece::Any], ..Self::default() }
    }
    /// One word of letters, digits and the like.
    pub(super) fn plain() -> Self {
        Self { pieces: vec![WordPiece::Plain], ..Self::default() }
    }
    /// The words that it may become, in order.
    pub(super) fn fields(&self) -> Fields {
        if !self.splits {
            return Fields { edges: vec![vec![(self.clone(), 1)], Vec::new()], ends: vec![false, true] };
        }
        if self.each {
            let one = Self { splits: false, ..self.clone() };
            return Fields { edges: vec![vec![(one, 0)]], ends: vec![true] };
        }
        // State 0 is the beginning; another state is a piece that may be split, inside of which the last word ended.
        let open: Vec<usize> = (0..self.pieces.len()).filter(|&i| self.pieces[i] == WordPiece::Any).collect();
        let last = open.len() + 1;
        let starts = std::iter::once(0).chain(open.iter().copied());
        let mut edges: Vec<Vec<(Self, usize)>> = starts
            .enumerate()
            .map(|(state, start)| {
                let field = |end: usize| Self {
                    pieces: self.pieces[start..end].to_vec(),
                    home: self.home && start == 0,
                    folders: self.folders.clone(),
                    ..Self::default()
                };
                let within = open.iter().enumerate().filter(|&(i, &at)| i + 1 >= state && at >= start);
                let within = within.map(|(i, &at)| (field(at + 1), i + 1));
                within.chain([(field(self.pieces.len()), last)]).collect()
            })
            .collect();
        edges.push(Vec::new());
        let mut ends = vec![false; last + 1];
        ends[last] = true;
        if self.pieces.last() == Some(&WordPiece::Any) {
            ends[last - 1] = true;
        }
        if self.pieces.first() == Some(&WordPiece::Any) {
            // The value may be empty, or begin with a blank.
            ends[0] = self.pieces.len() == 1;
        }
        Fields { edges, ends }
    }
    pub(super) fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(WordPiece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(WordPiece::Text(text.to_owned())),
        }
    }
    fn push_open(&mut self) {
        if self.pieces.last() != Some(&WordPiece::Any) {
            self.pieces.push(WordPiece::Any);
        }
    }
    /// Adds the pieces of a word.
    pub(super) fn push_pieces(&mut self, pieces: &[WordPiece]) {
        for piece in pieces {
            match piece {
                WordPiece::Text(text) => self.push(text),
                WordPiece::Any => self.push_open(),
                WordPiece::Name | WordPiece::Plain => self.pieces.push(piece.clone()),
            }
        }
    }
    /// Whether all of it is text or [`WordPiece::Plain`], so that it is not split.
    pub(super) fn is_plain(&self) -> bool {
        let plain = |piece: &WordPiece| match piece {
            WordPiece::Text(text) => text.is_empty() || is_one_word(text),
            WordPiece::Plain => true,
            WordPiece::Any | WordPiece::Name => false,
        };
        let is_empty = |piece: &WordPiece| matches!(piece, WordPiece::Text(text) if text.is_empty());
        !self.pieces.iter().all(is_empty) && self.pieces.iter().all(plain)
    }
}

/// The words that a word may become: an automaton whose edges are words that are not split, from state 0.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) edges: Vec<Vec<(ShellWord, usize)>>,
    /// The states in which there may be no further word.
    pub(super) ends: Vec<bool>,
}

/// The result of reading a word.
#[derive(Debug, Default)]
pub(super) struct ReadWord {
    pub(super) word: ShellWord,
    /// The texts of command substitutions, in order.
    pub(super) inner: Vec<String>,
    /// Those that may run or not, as in `${x:-$(a)}`.
    pub(super) maybe: Vec<String>,
    /// The texts of process substitutions, which run beside the command.
    pub(super) beside: Vec<String>,
    /// Whether something in it is not understood and may run commands.
    pub(super) opaque: bool,
    /// Whether it computes with variables, whose values may be expressions themselves.
    pub(super) computes: bool,
}

/// Commands whose output is taken for one word, as are the names of the working folder and of the home folder.
const ONE_WORD: &[&str] =
    &["pwd", "nproc", "id -u", "id -g", "git rev-parse HEAD", "git rev-parse --show-toplevel"];

/// Reads a word with its quotes; with `heredoc`, the body of a here-document. Braces are not expanded.
#[cfg(test)]
pub(super) fn read_word(text: &str, heredoc: bool) -> ReadWord {
    match prepare_word(text, heredoc) {
        Ok(prepared) => read_prepared(
            &prepared.text,
            heredoc,
            Known {
                parts: &prepared.parts,
                variables: None,
                splits_at_blanks: true,
                no_functions: true,
                depth: 0,
                output: |_, _| None,
            },
        ),
        Err(_) => ReadWord { word: ShellWord::unknown(), opaque: true, ..ReadWord::default() },
    }
}

/// Reads a word of a prepared script as the words that its braces become.
pub(super) fn read_words(text: &str, known: Known<'_>) -> Vec<ReadWord> {
    let Some(words) = expanded(text) else {
        // Too many: nothing is known of them, but what runs for them is.
        let mut read = read_prepared(text, false, known);
        read.word = ShellWord::unknown();
        return vec![read];
    };
    let is_one = words.len() == 1;
    // Words that are empty without quotes are none.
    words
        .iter()
        .filter(|word| is_one || !word.is_empty())
        .map(|word| read_prepared(word, false, known))
        .collect()
}

/// What is known where a word is read.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    /// What was taken out of the script.
    pub(super) parts: &'a [Part],
    /// The variables whose values are known.
    pub(super) variables: Option<&'a BTreeMap<String, ShellWord>>,
    /// Whether values without quotes are split at blanks only.
    pub(super) splits_at_blanks: bool,
    /// Whether well-known programs are not replaced by functions of the script.
    pub(super) no_functions: bool,
    /// The number of scripts around the substitutions in the word.
    pub(super) depth: usize,
    /// The output of a script, as far as its text tells.
    pub(super) output: fn(&str, usize) -> Option<ShellWord>,
}

/// Reads a word of a prepared script.
pub(super) fn read_prepared(text: &str, heredoc: bool, known: Known<'_>) -> ReadWord {
    let read = ReadWord::default();
    let unknown = UnknownPieces::default();
    let mut reader =
        WordReader { text, at: 0, quoted: heredoc, heredoc, known, class: None, unknown, names: None, read };
    if !heredoc && text.starts_with('~') {
        // It expands to the name of a folder, which is not split.
        let end = text.find('/').unwrap_or(text.len());
        if text[1..end].chars().all(|c| c.is_alphanumeric() || "_-+.".contains(c)) {
            if end == 1 {
                reader.home();
            } else {
                reader.value(true);
            }
            reader.at = end;
        }
    }
    reader.read();
    if !heredoc && text == "\"$@\"" {
        reader.read.word.unknown = UnknownText::Arguments;
    }
    reader.read
}

/// The kinds of what is unknown in a word.
#[derive(Clone, Copy, Debug, Default)]
struct UnknownPieces {
    wildcards: bool,
    values: bool,
    /// Values that are split, because they are not in quotes.
    split: bool,
}

struct WordReader<'a> {
    text: &'a str,
    at: usize,
    /// Whether the position is inside of double quotes.
    quoted: bool,
    heredoc: bool,
    known: Known<'a>,
    /// The number of pieces before the first `[` of a pattern.
    class: Option<usize>,
    unknown: UnknownPieces,
    /// What the value of a variable in it stands for, if that is names of files.
    names: Option<UnknownText>,
    read: ReadWord,
}

impl<'a> WordReader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    /// Adds a value, which is split unless it is in quotes.
    fn value(&mut self, quoted: bool) {
        self.unknown.values = true;
        self.unknown.split |= !quoted;
        self.read.word.push_open();
    }
    /// Adds what a wildcard stands for.
    fn wildcard(&mut self) {
        self.unknown.wildcards = true;
        self.read.word.push_open();
    }
    /// Begins the word with the home folder.
    fn home(&mut self) {
        self.read.word.pieces = vec![WordPiece::Any];
        self.read.word.home = true;
    }
    fn read(&mut self) {
        self.characters();
        if self.quoted != self.heredoc {
            self.give_up();
        }
        if !self.read.opaque {
            let UnknownPieces { wildcards, values, split } = self.unknown;
            let word = &mut self.read.word;
            word.splits = wildcards || split;
            word.each = wildcards && !split;
            if let Some(kind) = self.names.or(wildcards.then_some(UnknownText::Wildcard)).filter(|_| !values)
            {
                word.unknown = kind;
            }
        }
    }
    fn characters(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            self.at += c.len_utf8();
            match c {
                '\\' => self.backslash(),
                '\'' if !self.quoted => match self.rest().find('\'') {
                    Some(length) => {
                        let text = &self.rest()[..length];
                        self.read.word.push(text);
                        self.at += length + 1;
                    }
                    None => return self.give_up(),
                },
                '"' if !self.heredoc => {
                    self.quoted = !self.quoted;
                    // Empty quotes make a word, too.
                    self.read.word.push("");
                }
                '`' => match matching_backquote(self.rest(), self.quoted && !self.heredoc) {
                    Some((inner, length)) => {
                        self.at += length;
                        self.read.inner.push(inner);
                        self.value(self.quoted);
                    }
                    None => return self.give_up(),
                },
                '$' => {
                    if !self.dollar() {
                        return self.give_up();
                    }
                }
                '@' | '+' | '!' | '*' | '?' if !self.quoted && self.rest().starts_with('(') => {
                    return self.give_up();
                }
                '*' | '?' if !self.quoted => {
                    self.wildcard();
                    // `**` may cross folders.
                    self.unknown.values |= c == '*' && self.rest().starts_with('*');
                }
                // Without a `]` it is a literal character, as in the name of the command `[`.
                '[' if !self.quoted && self.rest().contains(']') => {
                    self.class.get_or_insert(self.read.word.pieces.len());
                    self.wildcard();
                }
                ']' => {
                    self.read.word.push("]");
                    if let Some(before) = self.class {
                        // What the brackets match is not known; their own text is one of the possibilities.
                        self.read.word.pieces.truncate(before);
                        self.wildcard();
                    }
                }
                '<' | '>' if !self.quoted => {
                    if !self.process() {
                        return self.give_up();
                    }
                }
                // Never in a word of bash: the parser took an operator for one.
                '(' | ')' | ';' | '&' | '|' if !self.quoted => return self.give_up(),
                _ => self.read.word.push(&self.text[start..self.at]),
            }
        }
    }
    /// Makes the word unknown and opaque.
    fn give_up(&mut self) {
        self.read = ReadWord {
            word: ShellWord::unknown(),
            inner: std::mem::take(&mut self.read.inner),
            maybe: std::mem::take(&mut self.read.maybe),
            beside: std::mem::take(&mut self.read.beside),
            opaque: true,
            computes: self.read.computes,
        };
        self.at = self.text.len();
    }
    /// Reads the character after a `\`.
    fn backslash(&mut self) {
        let Some(c) = self.rest().chars().next() else { return self.read.word.push("\\") };
        self.at += c.len_utf8();
        if c == '\n' {
            return;
        }
        let escapes = !self.quoted || "$`\\".contains(c) || (c == '"' && !self.heredoc);
        if !escapes {
            self.read.word.push("\\");
        }
        self.read.word.push(c.encode_utf8(&mut [0; 4]));
    }
    /// The scripts of the substitutions in an expansion; `None` if something else in it may run commands.
    fn scripts_in(&self, text: &str) -> Option<Vec<String>> {
        let mut scripts = Vec::new();
        for (at, _) in text.match_indices("$(") {
            let rest = &text[at + 1..];
            if rest.starts_with("((") {
                continue;
            }
            let (number, _) = part_number(rest)?;
            let Part::Command(script) = self.known.parts.get(number)? else { return None };
            scripts.push(script.clone());
        }
        (!text.contains('`')).then_some(scripts)
    }
    /// Reads `<(N)` or `>(N)` after its first sign: the name of a file. False if it is something else.
    fn process(&mut self) -> bool {
        let Some((number, length)) = part_number(self.rest()) else { return false };
        let Some(Part::Command(script)) = self.known.parts.get(number) else { return false };
        self.at += length;
        self.read.beside.push(script.clone());
        self.read.word.push("/dev/fd/");
        self.read.word.pieces.push(WordPiece::Plain);
        true
    }
    /// Reads an expansion after its `$`. False if it is not understood.
    fn dollar(&mut self) -> bool {
        let rest = self.rest();
        let quoted = self.quoted;
        if let Some(arithmetic) = rest.strip_prefix("((") {
            let Some(length) = matching(arithmetic, ')') else { return false };
            let Some(scripts) = self.scripts_in(&arithmetic[..length]) else { return false };
            if !arithmetic[length + 1..].starts_with(')') {
                return false;
            }
            self.read.computes |= computes(&arithmetic[..length]);
            self.read.inner.extend(scripts);
            self.at += 2 + length + 2;
            self.value(quoted);
            return true;
        }
        match rest.chars().next() {
            Some('(') => {
                let Some((number, length)) = part_number(rest) else { return false };
                let Some(Part::Command(script)) = self.known.parts.get(number) else { return false };
                self.at += length;
                let plain = self.known.no_functions.then(|| ShellWord::plain_output(script)).flatten();
                match (self.known.output)(script, self.known.depth).filter(|_| quoted) {
                    Some(output) => self.output(&output),
                    None if plain.is_some() => self.known_value(&plain.unwrap_or_default()),
                    None => self.value(quoted || ONE_WORD.contains(&script.trim())),
                }
                self.read.inner.push(script.clone());
            }
            Some('{') => return self.parameter(&rest[1..]),
            Some('[') => return false,
            Some('\'') if !quoted => return self.ansi(),
            // `$"..."` is translated text.
            Some('"') if !quoted => {}
            Some('@') => {
                self.at += 1;
                self.value(false);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let length =
                    rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.at += length;
                self.variable(&rest[..length]);
            }
            // A status, a number of arguments, a process.
            Some('?' | '#' | '$') => {
                self.at += 1;
                self.known_value(&ShellWord::plain());
            }
            Some(c) if c.is_ascii_digit() || "*-!".contains(c) => {
                self.at += 1;
                self.value(quoted);
            }
            _ => self.read.word.push("$"),
        }
        true
    }
    /// Adds a text of which parts are known.
    fn output(&mut self, output: &ShellWord) {
        self.read.word.push("");
        for piece in &output.pieces {
            match piece {
                WordPiece::Text(text) => self.read.word.push(text),
                _ => self.value(true),
            }
        }
    }
    /// The value of a variable, whose name was read.
    fn variable(&mut self, name: &str) {
        let is_first = self.read.word.pieces.iter().all(|piece| *piece == WordPiece::Text(String::new()));
        let after = self.rest().trim_start_matches('"');
        let is_whole = after.is_empty() || after.starts_with('/');
        if name == "HOME" && is_first && is_whole && !self.heredoc {
            self.home();
        } else if let Some(value) = self.known.variables.and_then(|known| known.get(name)) {
            self.known_value(&value.clone());
        } else {
            self.value(self.quoted || matches!(name, "HOME" | "PWD" | "OLDPWD"));
        }
    }
    /// Adds the value of a variable of which something is known.
    fn known_value(&mut self, value: &ShellWord) {
        let is_whole = self.quoted || self.known.splits_at_blanks && value.is_plain();
        if !is_whole {
            // Without quotes the value is split, and names of files are.
            return self.value(false);
        }
        let has_values = value.pieces.iter().any(|piece| matches!(piece, WordPiece::Any | WordPiece::Name));
        match value.unknown {
            UnknownText::Found if has_values => self.names = Some(UnknownText::Found),
            UnknownText::Wildcard if has_values => self.names = self.names.or(Some(UnknownText::Wildcard)),
            _ => self.unknown.values |= has_values,
        }
        // Quotes make a word, too.
        self.read.word.push("");
        self.read.word.push_pieces(&value.pieces);
    }
    /// Reads `${..}` after its `{`.
    fn parameter(&mut self, rest: &str) -> bool {
        let Some(length) = matching(rest, '}') else { return false };
        let inner = &rest[..length];
        let Some(scripts) = self.scripts_in(inner) else { return false };
        // `@P` expands the value as a prompt, which may run commands.
        if inner.contains("@P") {
            return false;
        }
        self.read.maybe.extend(scripts);
        self.at += 1 + length + 1;
        let name =
            inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(inner, |at| &inner[..at]);
        let after = &inner[name.len()..];
        // An index, a position and a length are computed; `${!x}` is the variable that the value names.
        let after = after.strip_prefix("[@]").or(after.strip_prefix("[*]")).unwrap_or(after);
        self.read.computes |= inner.starts_with('!')
            || after.starts_with('[')
            || after.starts_with(':') && !after[1..].starts_with(['-', '=', '?', '+']);
        let known = self.known.variables.and_then(|known| known.get(name));
        if name == inner {
            self.variable(name);
        } else if name.is_empty() && inner.len() > 1 && is_length(inner) {
            self.known_value(&ShellWord::plain());
        } else if let Some(value) = known.and_then(|value| value.without_affix(after)) {
            self.known_value(&value);
        } else {
            // `"${list[@]}"` and `"$@"` are several words even between quotes.
            self.value(self.quoted && !inner.contains('@'));
        }
        true
    }
    /// Reads `$'...'` after the `$`.
    fn ansi(&mut self) -> bool {
        let start = self.at + 1;
        let mut bytes = self.text.as_bytes()[start..].iter().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\'' => {
                    self.at = start + at + 1;
                    match decoded(&self.text[start..start + at]) {
                        Some(text) => self.read.word.push(&text),
                        None => self.value(true),
                    }
                    return true;
                }
                b'\\' => drop(bytes.next()),
                _ => {}
            }
        }
        false
    }
}

/// Whether a value is one word also without quotes.
fn is_one_word(text: &str) -> bool {
    !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '?', '[', '\\'])
}

/// `#NAME`, the length of a value.
fn is_length(inner: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    inner.strip_prefix('#').is_some_and(is_name)
}

/// Whether arithmetic uses variables, whose values are expressions themselves.
pub(super) fn computes(arithmetic: &str) -> bool {
    arithmetic.contains(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$')
}

/// The length of the text up to the matching closing bracket. Quoted text is skipped.
fn matching(text: &str, closing: char) -> Option<usize> {
    let (mut open, mut double) = (vec![closing], false);
    // For each open bracket, whether double quotes were open around it.
    let mut around = vec![false];
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\'' if !double => while chars.next()?.1 != '\'' {},
            '`' => loop {
                match chars.next()?.1 {
                    '\\' => drop(chars.next()),
                    '`' => break,
                    _ => {}
                }
            },
            '"' => double = !double,
            '$' => {
                if let Some((_, bracket)) = chars.next_if(|&(_, c)| c == '(' || c == '{') {
                    open.push(if bracket == '(' { ')' } else { '}' });
                    around.push(std::mem::replace(&mut double, false));
                }
            }
            '(' if !double && open.last() == Some(&')') => {
                open.push(')');
                around.push(false);
            }
            c if !double && open.last() == Some(&c) => {
                open.pop();
                double = around.pop().unwrap_or(false);
                if open.is_empty() {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The command between backquotes, and its length with the closing one; inside of double quotes a `\` also escapes `"`.
fn matching_backquote(text: &str, quoted: bool) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '`' => return Some((inner, at + 1)),
            '\\' => {
                let (_, escaped) = chars.next()?;
                let is_special = "$`\\".contains(escaped) || quoted && escaped == '"';
                if !is_special {
                    inner.push('\\');
                }
                inner.push(escaped);
            }
            _ => inner.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use tsl_synth_core::base::{Glob, GlobKind};

    #[test]
    fn words_are_known_as_far_as_they_can_be() {
        for (text, known) in [
            ("push", Some("push")),
            (r#""a b"c'd"'\ e"#, Some("a bcd\" e")),
            ("''", Some("")),
            (r"$'a\tb\''", Some("a\tb'")),
            ("a\\\nb", Some("ab")),
            (r#""\a\"\$""#, Some("\\a\"$")),
            ("a$", Some("a$")),
            ("{}", Some("{}")),
            ("[", Some("[")),
            ("[a]", None),
            ("HEAD@{1}", Some("HEAD@{1}")),
            ("\"*\"", Some("*")),
            ("*.rs", None),
            ("$x", None),
            ("\"$x\"", None),
            ("~/x", None),
            ("$((1+2))", None),
        ] {
            let read = read_word(text, false);
            assert_eq!((read.word.text(), read.opaque), (known, false), "{text}");
        }
        assert_eq!(read_word("~/bin/git", false).word.program(), Some("git"));
        assert_eq!(read_word("\"$X/git\"", false).word.program(), Some("git"));
        assert_eq!(read_word("$X/git", false).word.program(), None);
    }

    #[test]
    fn commands_inside_are_found() {
        for (text, inner) in [
            ("$(a b)", &["a b"][..]),
            ("\"x$(a \"$(b)\" ')')y\"`c \\`d\\``", &["a \"$(b)\" ')'", "c `d`"]),
            ("${x:-y}", &[]),
            ("'$(a)'", &[]),
            ("\\$(a", &[]),
        ] {
            assert_eq!(read_word(text, false).inner, inner, "{text}");
        }
        for text in ["$((`a`))", "${x:-`a`}", "${x@P}", "\"", "'", "$("] {
            assert!(read_word(text, false).opaque, "{text}");
        }
        assert_eq!(read_word("${x:-$(a)}", false).maybe, ["a"]);
        assert_eq!(read_word("$(case x in y) a;; esac)", false).inner, ["case x in y) a;; esac"]);
        assert_eq!(read_word("\"$(: # )\n)\"", false).inner, [": # )\n"]);
        let heredoc = read_word("it's \"$x\" $(a)\n", true);
        assert_eq!((heredoc.inner, heredoc.opaque), (vec!["a".to_owned()], false));
    }

    #[test]
    fn open_words_may_match() {
        let matches = |word: &str, glob: &str| {
            read_word(word, false).word.matches(&Glob::new(glob, GlobKind::Name).expect("a pattern"))
        };
        assert_eq!(matches("push", "pu*"), Certainty::Yes);
        assert_eq!(matches("pull", "push"), Certainty::No);
        assert_eq!(matches("\"$x\"", "*"), Certainty::Yes);
        assert_eq!(matches("\"pu$x\"", "push"), Certainty::Maybe);
        assert_eq!(matches("\"st$x\"", "push"), Certainty::No);
        assert_eq!(matches("\"pus${x}sh\"", "push"), Certainty::No);
        assert_eq!(matches("\"st$x\"", "p*"), Certainty::No);
        assert_eq!(matches("\"st$x\"", "s*"), Certainty::Yes);
    }
}
