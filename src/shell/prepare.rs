//! Takes the command substitutions, here-documents and comments out of a script, before its grammar is parsed.
//!
//! Where `$(..)` ends is a question of the grammar inside: a `)` may stand in quotes, in a comment, in a here-document or
//! after a pattern of `case`. So the text is read here as the lexer of bash reads it: quotes, expansions, operators,
//! comments and here-documents by character, and as much of the grammar as decides which words are reserved (the
//! beginnings of commands) and which bracket a `)` closes. Each `$(..)`, `<(..)` and `>(..)` is replaced by `$(N)` and so
//! on, where N is the number of its text in a list, each here-document by `<<< $(N)`, and comments and line continuations
//! are left out. What is left has no nested text, so that the parser of the grammar cannot disagree about where something
//! ends.

use std::fmt::Write;

/// Scripts in scripts (substitutions, `bash -c`) nested deeper are not read.
pub const SCRIPT_DEPTH: usize = 6;

/// A text that was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The script of a substitution of a command or of a process.
    Command(String),
    /// The body of a here-document, prepared itself if it is expanded; else as it is.
    Document { body: String, expands: bool },
}

/// A script without nested texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Prepared {
    pub(super) text: String,
    pub(super) parts: Vec<Part>,
}

pub(super) const NOT_A_SCRIPT: &str = "not a script";
const TOO_DEEP: &str = "scripts are nested too deep";
/// The most brackets and `case` around a position.
const NESTED: usize = 1_000;
/// The most `${` around a position.
const BRACES: usize = 64;
/// The largest number of `((` in a script that do not begin arithmetic: for each, the scanner reads ahead, at worst to the end
/// of the script, and then goes back.
const TRIED: usize = 64;

/// Prepares a script.
pub(super) fn prepare(script: &str) -> Result<Prepared, &'static str> {
    let mut scanner = Scanner::new(script);
    scanner.commands(false)?;
    Ok(scanner.prepared())
}

/// Prepares a text that is one word, for tests, or with `document` the body of a here-document.
#[cfg(test)]
pub(super) fn prepare_word(word: &str, document: bool) -> Result<Prepared, &'static str> {
    let mut scanner = Scanner::new(word);
    if document {
        scanner.document()?;
    } else {
        while scanner.peek().is_some() {
            scanner.piece()?;
        }
    }
    Ok(scanner.prepared())
}

/// The number in `$(N)`, with which a prepared text begins after its `$`, and its length with the brackets.
pub(super) fn part_number(rest: &str) -> Option<(usize, usize)> {
    let inside = rest.strip_prefix('(')?;
    let length = inside.find(')')?;
    inside[..length].parse().ok().map(|number| (number, length + 2))
}

/// What a `)` or `esac` closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// A subshell, the brackets of a function.
    Subshell,
    /// `a=(..)`: words.
    Array,
    /// `[[ .. ]]`, with the number of open brackets.
    Test(usize),
    /// After `case`, before its word.
    CaseWord,
    /// Before the `in` of a `case`.
    CaseIn,
    /// Before a pattern; whether it is at the first word of it.
    CasePattern(bool),
    CaseBody,
}

/// What the next word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The first word of a command, which may be reserved.
    Command,
    /// The first word after `coproc`: a name, or the first word of a command.
    Prefixed,
    /// The first word after `time` or its option `-p`: an option, or the first word of a command.
    Timed,
    /// The name after `for`, `select`, `function`.
    Name,
    /// Any other word.
    Word,
}

/// A here-document whose body has not come yet.
struct Pending {
    part: usize,
    delimiter: String,
    strips_tabs: bool,
    expands: bool,
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    /// The number of substitutions and of arithmetic around the position.
    depth: usize,
    /// The number of `${` around the position.
    braces: usize,
    /// The number of `((` so far that were no arithmetic.
    tried: usize,
    out: String,
    parts: Vec<Part>,
    pending: Vec<Pending>,
}

type Scan<T> = Result<T, &'static str>;

impl<'a> Scanner<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            depth: 0,
            braces: 0,
            tried: 0,
            out: String::new(),
            parts: Vec::new(),
            pending: Vec::new(),
        }
    }
    fn prepared(self) -> Prepared {
        Prepared { text: self.out, parts: self.parts }
    }
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }
    /// The next character, after line continuations.
    fn peek(&mut self) -> Option<char> {
        while self.rest().starts_with("\\\n") {
            self.at += 2;
        }
        self.rest().chars().next()
    }
    fn skip(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }
    /// Copies the next character.
    fn copy(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        self.out.push(c);
        Some(c)
    }
    /// Whether the next character is this one; if so, it is copied.
    fn takes(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.copy();
        }
        is_next
    }
    /// Copies up to a character, and that one.
    fn until(&mut self, end: char, escapes: bool) -> Scan<()> {
        loop {
            match self.copy() {
                None => return Err(NOT_A_SCRIPT),
                Some(c) if c == end => return Ok(()),
                Some('\\') if escapes => {
                    self.copy();
                }
                Some(_) => {}
            }
        }
    }

    /// Copies one piece of a word outside of quotes: a quoted text, an expansion, or a character.
    fn piece(&mut self) -> Scan<()> {
        match self.peek() {
            Some('\\') => {
                self.copy();
                self.copy();
            }
            Some('\'') => {
                self.copy();
                self.until('\'', false)?;
            }
            Some('"') => self.double()?,
            Some('`') => {
                self.copy();
                self.until('`', true)?;
            }
            Some('$') => self.dollar(false)?,
            Some(_) => {
                self.copy();
            }
            None => {}
        }
        Ok(())
    }
    fn double(&mut self) -> Scan<()> {
        self.copy();
        loop {
            match self.peek() {
                None => return Err(NOT_A_SCRIPT),
                Some('"') => {
                    self.copy();
                    return Ok(());
                }
                Some(_) => self.quoted()?,
            }
        }
    }
    /// Copies one piece between double quotes or in a here-document.
    fn quoted(&mut self) -> Scan<()> {
        match self.peek() {
            Some('\\') => {
                self.copy();
                self.copy();
            }
            Some('`') => {
                self.copy();
                self.until('`', true)?;
            }
            Some('$') => self.dollar(true)?,
            _ => {
                self.copy();
            }
        }
        Ok(())
    }
    /// The body of a here-document, to its end.
    fn document(&mut self) -> Scan<()> {
        while self.peek().is_some() {
            self.quoted()?;
        }
        Ok(())
    }
    fn dollar(&mut self, quoted: bool) -> Scan<()> {
        self.copy();
        match self.peek() {
            Some('(') => {
                let start = (self.at, self.out.len(), self.parts.len());
                self.copy();
                if self.takes('(') {
                    // Bash guesses where it ends if it is no arithmetic.
                    let is_arithmetic = self.arithmetic(quoted)?;
                    return is_arithmetic.then_some(()).ok_or("brackets that may be subshells or arithmetic");
                }
                self.go_back(start);
                self.skip();
                self.substitution()
            }
            Some('{') => self.braces(quoted),
            Some('[') => Err("arithmetic in an old form"),
            Some('\'') if !quoted => {
                self.copy();
                self.until('\'', true)
            }
            _ => Ok(()),
        }
    }
    /// Forgets what was copied since a position: in the source, in the copy, in the list of parts.
    fn go_back(&mut self, (at, out, parts): (usize, usize, usize)) {
        self.at = at;
        self.out.truncate(out);
        self.parts.truncate(parts);
    }
    /// The text of `$(..)`, `<(..)` or `>(..)` after the bracket.
    fn substitution(&mut self) -> Scan<()> {
        if self.depth > SCRIPT_DEPTH {
            return Err(TOO_DEEP);
        }
        let mut inner = Scanner { at: self.at, depth: self.depth + 1, ..Scanner::new(self.source) };
        inner.commands(true)?;
        let text = self.source[self.at..inner.at].to_owned();
        self.at = inner.at + 1;
        let _ = write!(self.out, "({})", self.parts.len());
        self.parts.push(Part::Command(text));
        Ok(())
    }
    /// `{..}` after a `$`.
    fn braces(&mut self, quoted: bool) -> Scan<()> {
        if self.braces > BRACES {
            return Err(TOO_DEEP);
        }
        self.braces += 1;
        self.copy();
        loop {
            match self.peek() {
                None => return Err(NOT_A_SCRIPT),
                Some('}') => break,
                // Whether this is a quote depends on the operator.
                Some('\'') if quoted => return Err("an expansion with quotes"),
                Some('"') => self.double()?,
                Some(_) if quoted => self.quoted()?,
                Some(_) => self.piece()?,
            }
        }
        self.copy();
        self.braces -= 1;
        Ok(())
    }
    /// Copies arithmetic after its `((`, with the `))` at its end; false if it is none.
    fn arithmetic(&mut self, quoted: bool) -> Scan<bool> {
        // A text that is no arithmetic is read again as commands, so that the depth is limited here, too.
        if self.depth > SCRIPT_DEPTH {
            return Err(TOO_DEEP);
        }
        self.depth += 1;
        let mut open = 2;
        loop {
            match self.peek() {
                None => break,
                Some('(') => open += 1,
                Some(')') if open == 2 => {
                    self.copy();
                    self.depth -= 1;
                    return Ok(self.takes(')'));
                }
                Some(')') => open -= 1,
                Some(_) => {
                    if quoted {
                        self.quoted()?;
                    } else {
                        self.piece()?;
                    }
                    continue;
                }
            }
            self.copy();
        }
        self.depth -= 1;
        Ok(false)
    }

    /// Copies commands: to the end of the text, or with `nested` up to the `)` that closes none of them.
    fn commands(&mut self, nested: bool) -> Scan<()> {
        let (mut open, mut next) = (Vec::<Open>::new(), Next::Command);
        loop {
            if open.len() > NESTED {
                return Err("commands are nested too deep");
            }
            let Some(c) = self.peek() else {
                let is_end = !nested && open.is_empty() && self.pending.is_empty();
                return if is_end { Ok(()) } else { Err(NOT_A_SCRIPT) };
            };
            match c {
                ' ' | '\t' => {
                    self.copy();
                }
                '#' => {
                    let line = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += line;
                }
                '\n' => {
                    self.copy();
                    self.bodies()?;
                    if !is_about_words(open.last()) {
                        next = Next::Command;
                    }
                }
                ')' if nested && open.is_empty() => {
                    return if self.pending.is_empty() { Ok(()) } else { Err(NOT_A_SCRIPT) };
                }
                '(' | ')' => self.bracket(c, &mut open, &mut next)?,
                '<' | '>' if !matches!(open.last(), Some(Open::Test(_))) => {
                    self.redirection(&mut open, &mut next)?;
                }
                ';' | '&' | '|' | '<' | '>' => self.operator(&mut open, &mut next),
                _ => self.word(&mut open, &mut next)?,
            }
        }
    }
    /// The bodies of the here-documents whose operators stood in the line before.
    fn bodies(&mut self) -> Scan<()> {
        for pending in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            loop {
                if self.rest().is_empty() {
                    return Err("a here-document without its end");
                }
                let mut line = self.line();
                // Where the text is expanded, a `\` at the end of a line joins it with the next one.
                while pending.expands && ends_in_escape(line) && !self.rest().is_empty() {
                    let start = self.at - line.len() - 1;
                    let more = self.line();
                    line = &self.source[start..start + line.len() + 1 + more.len()];
                }
                let stripped = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
                if stripped.replace("\\\n", "") == pending.delimiter {
                    break;
                }
                body.push_str(stripped);
                body.push('\n');
            }
            let body = if pending.expands {
                let mut inner = Scanner { depth: self.depth + 1, ..Scanner::new(&body) };
                inner.parts = std::mem::take(&mut self.parts);
                inner.document()?;
                self.parts = inner.parts;
                inner.out
            } else {
                body
            };
            self.parts[pending.part] = Part::Document { body, expands: pending.expands };
        }
        Ok(())
    }
    /// The next line without its end, which is skipped, too.
    fn line(&mut self) -> &'a str {
        let length = self.rest().find('\n').unwrap_or(self.rest().len());
        let line = &self.rest()[..length];
        self.at = (self.at + length + 1).min(self.source.len());
        line
    }
    fn bracket(&mut self, c: char, open: &mut Vec<Open>, next: &mut Next) -> Scan<()> {
        if c == '(' && *next != Next::Word && self.arithmetic_command(open)? {
            *next = Next::Command;
            return Ok(());
        }
        let adjacent = self.out.chars().next_back().is_some_and(|before| !is_meta(before));
        let is_array = self.out.ends_with('=');
        self.copy();
        match (c, open.last_mut()) {
            ('(', Some(Open::Test(brackets))) => *brackets += 1,
            (')', Some(Open::Test(brackets))) if *brackets > 0 => *brackets -= 1,
            ('(', Some(Open::CasePattern(true))) => {}
            (')', Some(last @ Open::CasePattern(_))) => {
                *last = Open::CaseBody;
                *next = Next::Command;
            }
            (')', Some(Open::Subshell)) => {
                open.pop();
                *next = Next::Command;
            }
            (')', Some(Open::Array)) => {
                open.pop();
                *next = Next::Word;
            }
            ('(', _) if adjacent && is_array => open.push(Open::Array),
            ('(', None | Some(Open::Subshell | Open::CaseBody)) => {
                // Of a subshell at the beginning of a command, else of a function, which are empty.
                let is_function = *next == Next::Word;
                if is_function && self.peek_past_blanks() != Some(')') {
                    return Err(NOT_A_SCRIPT);
                }
                open.push(Open::Subshell);
                *next = Next::Command;
            }
            _ => return Err(NOT_A_SCRIPT),
        }
        Ok(())
    }
    fn peek_past_blanks(&mut self) -> Option<char> {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.copy();
        }
        self.peek()
    }
    /// Copies `((..))` at the beginning of a command, or after `for`; false if it is something else.
    fn arithmetic_command(&mut self, open: &[Open]) -> Scan<bool> {
        if matches!(open.last(), Some(Open::Test(_) | Open::Array | Open::CasePattern(_))) {
            return Ok(false);
        }
        let start = (self.at, self.out.len(), self.parts.len());
        self.copy();
        if self.takes('(') {
            if self.tried > TRIED {
                return Err(TOO_DEEP);
            }
            if self.arithmetic(false)? {
                return Ok(true);
            }
            self.tried += 1;
        }
        self.go_back(start);
        Ok(false)
    }
    fn redirection(&mut self, open: &mut [Open], next: &mut Next) -> Scan<()> {
        let before = self.out.len();
        let first = self.copy();
        if self.peek() == Some('(') {
            self.skip();
            self.substitution()?;
            *next = Next::Word;
            return Ok(());
        }
        if first == Some('<') && self.takes('<') {
            if self.takes('<') {
                *next = Next::Word;
                return Ok(());
            }
            let strips_tabs = self.takes('-');
            self.out.truncate(before);
            self.delimiter(strips_tabs)?;
        } else {
            let _ = self.takes('&') || self.takes('>') || self.takes('|');
        }
        if !matches!(open.last(), Some(Open::CasePattern(_) | Open::CaseIn | Open::CaseWord)) {
            *next = Next::Word;
        }
        Ok(())
    }
    /// The word after `<<`.
    fn delimiter(&mut self, strips_tabs: bool) -> Scan<()> {
        let part = self.parts.len();
        let _ = write!(self.out, "<<< $({part})");
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.skip();
        }
        let start = self.out.len();
        while self.peek().is_some_and(|c| !is_meta(c)) {
            if matches!(self.peek(), Some('$' | '`')) {
                return Err("a here-document with an expansion in its delimiter");
            }
            self.piece()?;
        }
        let word = self.out.split_off(start);
        if word.is_empty() {
            return Err(NOT_A_SCRIPT);
        }
        let is_quoted = word.contains(['\'', '"', '\\']);
        let delimiter = unquoted(&word);
        self.parts.push(Part::Document { body: String::new(), expands: false });
        self.pending.push(Pending { part, delimiter, strips_tabs, expands: !is_quoted });
        Ok(())
    }
    fn operator(&mut self, open: &mut [Open], next: &mut Next) {
        let first = self.copy();
        match first {
            Some(';') => {
                let ends = self.takes(';') | self.takes('&');
                if let Some(last @ Open::CaseBody) = open.last_mut().filter(|_| ends) {
                    *last = Open::CasePattern(true);
                }
            }
            Some('&') => {
                // `&>` is a redirection.
                if self.takes('>') {
                    self.takes('>');
                    *next = Next::Word;
                    return;
                }
                self.takes('&');
            }
            Some('|') => {
                let _ = self.takes('|') || self.takes('&');
            }
            _ => {}
        }
        if !is_about_words(open.last()) {
            *next = Next::Command;
        }
    }
    fn word(&mut self, open: &mut Vec<Open>, next: &mut Next) -> Scan<()> {
        let start = self.out.len();
        let is_pattern = matches!(open.last(), Some(Open::Test(_) | Open::CasePattern(_)));
        while let Some(c) = self.peek() {
            let own = &self.out[start..];
            if is_meta(c) {
                // Brackets of an extended pattern are part of the word.
                let extended =
                    c == '(' && own.ends_with(['?', '*', '+', '@', '!']) && (is_pattern || own.len() > 1);
                if !extended {
                    break;
                }
                self.extended()?;
                continue;
            }
            self.piece()?;
        }
        let word = self.out[start..].to_owned();
        if *next == Next::Timed && (word == "-p" || word == "--") {
            // The options of `time` are no words of the command, which begins after them.
            self.out.truncate(start);
            if word == "--" {
                *next = Next::Command;
            }
            return Ok(());
        }
        after_word(&word, open, next);
        Ok(())
    }
    /// Copies the brackets of an extended pattern.
    fn extended(&mut self) -> Scan<()> {
        let mut brackets = 0;
        loop {
            match self.peek() {
                None => return Err(NOT_A_SCRIPT),
                Some('(') => brackets += 1,
                Some(')') => brackets -= 1,
                Some(_) => {
                    self.piece()?;
                    continue;
                }
            }
            self.copy();
            if brackets == 0 {
                return Ok(());
            }
        }
    }
}

/// What follows a word: the grammar as far as it decides which brackets belong together.
fn after_word(word: &str, open: &mut Vec<Open>, next: &mut Next) {
    match open.last_mut() {
        Some(last @ Open::CaseWord) => *last = Open::CaseIn,
        Some(last @ Open::CaseIn) => *last = Open::CasePattern(true),
        Some(Open::CasePattern(true)) if word == "esac" => {
            open.pop();
            *next = Next::Command;
        }
        Some(Open::CasePattern(first)) => *first = false,
        Some(Open::Test(0)) if word == "]]" => {
            open.pop();
            *next = Next::Word;
        }
        Some(Open::Test(_) | Open::Array) => {}
        _ => match *next {
            Next::Command | Next::Prefixed | Next::Timed => *next = reserved(word, *next, open),
            Next::Name => *next = Next::Command,
            Next::Word => {}
        },
    }
}

/// What follows the first word of a command, which may be reserved.
fn reserved(word: &str, next: Next, open: &mut Vec<Open>) -> Next {
    match word {
        "case" => open.push(Open::CaseWord),
        "[[" => open.push(Open::Test(0)),
        "for" | "select" | "function" => return Next::Name,
        "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "!" | "{" | "}" | "fi" | "done" => {
            return Next::Command;
        }
        "time" => return Next::Timed,
        "coproc" => return Next::Prefixed,
        "esac" if open.last() == Some(&Open::CaseBody) => {
            open.pop();
            return Next::Command;
        }
        // The name of a coprocess.
        _ if next == Next::Prefixed => return Next::Command,
        _ => {}
    }
    Next::Word
}

/// Whether no command begins after a newline or an operator here.
fn is_about_words(open: Option<&Open>) -> bool {
    matches!(open, Some(Open::Array | Open::Test(_) | Open::CaseWord | Open::CaseIn | Open::CasePattern(_)))
}

fn is_meta(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')
}

/// Whether a line ends in a `\` that is not escaped itself.
fn ends_in_escape(line: &str) -> bool {
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}

/// A word without its quotes.
fn unquoted(word: &str) -> String {
    let (mut text, mut quote, mut chars) = (String::new(), None, word.chars());
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', None) => text.extend(chars.next()),
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (c, _) => text.push(c),
        }
    }
    text
}
