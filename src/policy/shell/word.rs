//! Words of a shell: which parts are known before the script runs, and which commands run for their expansion.

use tsl_synth_core::base::Glob;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WordPiece {
    /// These characters.
    Text(String),
    /// Any characters, also none: the value of a variable, the output of a command, the match of a wildcard.
    Any,
}

/// A word as far as it can be known before the script runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShellWord {
    /// Its pieces in order; no two texts in a row.
    pub pieces: Vec<WordPiece>,
    /// Whether it may become no word, or several: variables without quotes, wildcards, braces.
    pub splits: bool,
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
        Self { pieces, splits: false }
    }
    /// A word of which nothing is known, which may also be no word or several words.
    pub fn unknown() -> Self {
        Self { pieces: vec![WordPiece::Any], splits: true }
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
    /// Whether the word matches if it expands to exactly one word.
    pub fn matches(&self, glob: &Glob) -> Certainty {
        if let ([] | [WordPiece::Text(_)], Some(text)) = (&self.pieces[..], self.known()) {
            return if glob.matches(text) { Certainty::Yes } else { Certainty::No };
        }
        if matches!(glob.as_str(), "*" | "**") {
            return Certainty::Yes;
        }
        let Some(literal) = glob.literal() else { return Certainty::Maybe };
        let text = |piece: Option<&WordPiece>| match piece {
            Some(WordPiece::Text(text)) => text.clone(),
            _ => String::new(),
        };
        let (start, end) = (text(self.pieces.first()), text(self.pieces.last()));
        let fits = literal.len() >= start.len() + end.len()
            && literal.starts_with(&start)
            && literal.ends_with(&end);
        if fits { Certainty::Maybe } else { Certainty::No }
    }
    /// Whether the word is the program of a pattern, if it expands to exactly one word.
    pub(super) fn matches_program(&self, glob: &Glob) -> Certainty {
        match self.program() {
            Some(name) if !glob.as_str().contains('/') => {
                self.matches(glob).max(Self::literal(name).matches(glob))
            }
            _ => self.matches(glob),
        }
    }
    fn known(&self) -> Option<&str> {
        match &self.pieces[..] {
            [] => Some(""),
            [WordPiece::Text(text)] => Some(text),
            _ => None,
        }
    }
    fn push(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(WordPiece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(WordPiece::Text(text.to_owned())),
        }
    }
    fn push_any(&mut self, quoted: bool) {
        self.splits |= !quoted;
        if self.pieces.last() != Some(&WordPiece::Any) {
            self.pieces.push(WordPiece::Any);
        }
    }
}

/// The result of reading a word.
#[derive(Debug, Default)]
pub(super) struct ReadWord {
    pub(super) word: ShellWord,
    /// The texts of command substitutions, in order.
    pub(super) inner: Vec<String>,
    /// Whether something in it is not understood and may run commands.
    pub(super) opaque: bool,
}

/// Reads a word with its quotes, as the tokenizer returns it; with `heredoc`, the body of a here-document.
pub(super) fn read_word(text: &str, heredoc: bool) -> ReadWord {
    let mut reader = WordReader { text, at: 0, quoted: heredoc, heredoc, read: ReadWord::default() };
    if !heredoc && text.starts_with('~') {
        // It expands to the name of a folder, which is not split.
        let end = text.find('/').unwrap_or(text.len());
        if text[1..end].chars().all(|c| c.is_alphanumeric() || "_-+.".contains(c)) {
            reader.read.word.push_any(true);
            reader.at = end;
        }
    }
    reader.read();
    reader.read
}

struct WordReader<'a> {
    text: &'a str,
    at: usize,
    /// Whether the position is inside of double quotes.
    quoted: bool,
    heredoc: bool,
    read: ReadWord,
}

impl<'a> WordReader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
    fn read(&mut self) {
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
                '`' => match matching_backquote(self.rest()) {
                    Some((inner, length)) => {
                        self.at += length;
                        self.read.inner.push(inner);
                        self.read.word.push_any(self.quoted);
                    }
                    None => return self.give_up(),
                },
                '$' => {
                    if !self.dollar() {
                        return self.give_up();
                    }
                }
                '*' | '?' if !self.quoted => self.read.word.push_any(false),
                // Without a `]` it is a literal character, as in the name of the command `[`.
                '[' if !self.quoted && self.rest().contains(']') => self.read.word.push_any(false),
                '{' if !self.quoted && self.braces() => {
                    // The expansion of braces is not computed, but the text in them is read.
                    self.read.word.push_any(false);
                }
                '@' | '+' | '!' if !self.quoted && self.rest().starts_with('(') => return self.give_up(),
                '(' | ')' | '<' | '>' if !self.quoted => return self.give_up(),
                _ => self.read.word.push(&self.text[start..self.at]),
            }
        }
        if self.quoted != self.heredoc {
            self.give_up();
        }
    }
    /// Makes the word unknown and opaque.
    fn give_up(&mut self) {
        self.read = ReadWord {
            word: ShellWord::unknown(),
            inner: std::mem::take(&mut self.read.inner),
            opaque: true,
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
    /// Whether braces at the `{` before this position may be expanded. Only then are they special.
    fn braces(&self) -> bool {
        let inside = self.rest().split('}').next().unwrap_or("");
        self.rest().contains('}')
            && (inside.contains(',') || inside.contains("..") || inside.contains(['{', '$', '`']))
    }
    /// Reads an expansion after its `$`. False if it is not understood.
    fn dollar(&mut self) -> bool {
        let rest = self.rest();
        let quoted = self.quoted;
        if let Some(arithmetic) = rest.strip_prefix("((") {
            let Some((inner, length)) = matching(arithmetic, ')') else { return false };
            if !arithmetic[length..].starts_with(')') || inner.contains('`') || inner.contains("$(") {
                return false;
            }
            self.at += 2 + length + 1;
            self.read.word.push_any(quoted);
            return true;
        }
        match rest.chars().next() {
            Some('(') => {
                let Some((inner, length)) = matching(&rest[1..], ')') else { return false };
                // Comments, here-documents and `case` may contain brackets that do not match.
                let words = inner.split(|c: char| !c.is_alphanumeric());
                if inner.contains('#') || inner.contains("<<") || words.clone().any(|word| word == "case") {
                    return false;
                }
                self.at += 1 + length;
                self.read.inner.push(inner.to_owned());
                self.read.word.push_any(quoted);
            }
            Some('{') => {
                let Some((inner, length)) = matching(&rest[1..], '}') else { return false };
                if inner.contains("$(")
                    || inner.contains(['`', '@']) && (inner.contains('`') || inner.contains("@P"))
                {
                    return false;
                }
                self.at += 1 + length;
                // `"${list[@]}"` and `"$@"` are several words even between quotes.
                self.read.word.push_any(quoted && !inner.contains('@'));
            }
            Some('[') => return false,
            Some('\'') if !quoted => return self.ansi(),
            // `$"..."` is translated text.
            Some('"') if !quoted => {}
            Some('@') => {
                self.at += 1;
                self.read.word.push_any(false);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let length =
                    rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.at += length;
                self.read.word.push_any(quoted);
            }
            Some(c) if c.is_ascii_digit() || "*#?-$!".contains(c) => {
                self.at += 1;
                self.read.word.push_any(quoted);
            }
            _ => self.read.word.push("$"),
        }
        true
    }
    /// Reads `$'...'` after the `$`. Escapes other than the common ones are unknown characters.
    fn ansi(&mut self) -> bool {
        self.at += 1;
        self.read.word.push("");
        loop {
            let Some(c) = self.rest().chars().next() else { return false };
            self.at += c.len_utf8();
            match c {
                '\'' => return true,
                '\\' => {
                    let Some(escaped) = self.rest().chars().next() else { return false };
                    self.at += escaped.len_utf8();
                    match escaped {
                        'n' => self.read.word.push("\n"),
                        't' => self.read.word.push("\t"),
                        'r' => self.read.word.push("\r"),
                        '\\' | '\'' | '"' | '?' => self.read.word.push(escaped.encode_utf8(&mut [0; 4])),
                        _ => self.read.word.push_any(true),
                    }
                }
                _ => self.read.word.push(c.encode_utf8(&mut [0; 4])),
            }
        }
    }
}

/// The text up to the matching closing bracket, and its length with the bracket. Quoted text is skipped.
fn matching(text: &str, closing: char) -> Option<(&str, usize)> {
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
                    return Some((&text[..at], at + 1));
                }
            }
            _ => {}
        }
    }
    None
}

/// The command between backquotes, and its length with the closing one.
fn matching_backquote(text: &str) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '`' => return Some((inner, at + 1)),
            '\\' => {
                let (_, escaped) = chars.next()?;
                if !"$`\\".contains(escaped) {
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
    use tsl_synth_core::base::GlobKind;

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
            ("{a,b}", None),
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
        for text in ["${x:-$(a)}", "$((`a`))", "$(case x in y) a;; esac)", "${x@P}", "\"", "'", "$("] {
            assert!(read_word(text, false).opaque, "{text}");
        }
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
        assert_eq!(matches("\"st$x\"", "p*"), Certainty::Maybe);
    }
}
