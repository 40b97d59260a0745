//! Tokens of HOA, and errors with their lines.

/// An error in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaError {
    /// The line, from 1; 0 for the machine as a whole.
    pub line: usize,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl std::fmt::Display for HoaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            f.write_str(&self.message)
        } else {
            write!(f, "line {}: {}", self.line, self.message)
        }
    }
}

impl std::error::Error for HoaError {}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `States:` without the colon.
    Header(String),
    /// A name; `t` and `f` included.
    Word(String),
    /// `@name`
    Alias(String),
    /// A string, unescaped.
    Text(String),
    /// A number.
    Number(u64),
    /// `! & | ( ) [ ] { }`
    Sign(char),
    /// `--BODY--`
    Body,
    /// `--END--`
    End,
    /// `--ABORT--`: what came before is to be discarded.
    Abort,
}

/// The end of an automaton that is to be discarded.
const ABORT: &str = "--ABORT--";

/// The lookahead of one token.
#[derive(Clone)]
enum Peeked {
    No,
    Token(Token),
    End,
}

/// Reads tokens one by one, with the line of the last one.
#[derive(Clone)]
pub(super) struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    peeked: Peeked,
}

impl<'a> Lexer<'a> {
    /// Whether the rest of the text has `--ABORT--` somewhere, be it in a comment or a string.
    pub(super) fn may_abort(&self) -> bool {
        self.rest.contains(ABORT)
    }
    /// The tokens of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, peeked: Peeked::No }
    }
    /// An error at the present position.
    pub(super) fn error(&self, message: impl Into<String>) -> HoaError {
        HoaError { line: self.line, message: message.into() }
    }
    /// The line of the last token.
    pub(super) fn line(&self) -> usize {
        self.line
    }
    /// The next token, not consumed; `None` at the end.
    pub(super) fn peek(&mut self) -> Result<Option<&Token>, HoaError> {
        if matches!(self.peeked, Peeked::No) {
            self.peeked = self.read()?.map_or(Peeked::End, Peeked::Token);
        }
        Ok(if let Peeked::Token(token) = &self.peeked { Some(token) } else { None })
    }
    /// The next token.
    pub(super) fn next(&mut self) -> Result<Option<Token>, HoaError> {
        match std::mem::replace(&mut self.peeked, Peeked::No) {
            Peeked::Token(token) => Ok(Some(token)),
            Peeked::End => Ok(None),
            Peeked::No => self.read(),
        }
    }
    /// Consumes a sign if it comes next.
    pub(super) fn skip(&mut self, sign: char) -> Result<bool, HoaError> {
        let found = self.peek()? == Some(&Token::Sign(sign));
        if found {
            self.next()?;
        }
        Ok(found)
    }
    /// The next token, a number.
    pub(super) fn number(&mut self) -> Result<u64, HoaError> {
        match self.next()? {
            Some(Token::Number(n)) => Ok(n),
            _ => Err(self.error("expected a number")),
        }
    }
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.bytes().filter(|b| *b == b'\n').count();
        self.rest = rest;
        taken
    }
    fn blanks(&mut self) -> Result<(), HoaError> {
        loop {
            let length = self.rest.len() - self.rest.trim_start().len();
            self.advance(length);
            if !self.rest.starts_with("/*") {
                return Ok(());
            }
            // Comments nest.
            let mut depth = 0usize;
            loop {
                if self.rest.starts_with("/*") {
                    depth += 1;
                    self.advance(2);
                } else if self.rest.starts_with("*/") {
                    depth -= 1;
                    self.advance(2);
                    if depth == 0 {
                        break;
                    }
                } else {
                    let Some(c) = self.rest.chars().next() else {
                        return Err(self.error("the comment does not end"));
                    };
                    self.advance(c.len_utf8());
                }
            }
        }
    }
    fn read(&mut self) -> Result<Option<Token>, HoaError> {
        self.blanks()?;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        if let Some(sign) = "!&|()[]{}".chars().find(|sign| *sign == first) {
            self.advance(1);
            return Ok(Some(Token::Sign(sign)));
        }
        if first == '"' {
            return self.text().map(Some);
        }
        let markers = [("--BODY--", Token::Body), ("--END--", Token::End), (ABORT, Token::Abort)];
        for (text, token) in markers {
            if self.rest.starts_with(text) {
                self.advance(text.len());
                return Ok(Some(token));
            }
        }
        if first.is_ascii_digit() {
            let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
            let digits = self.advance(length);
            let number = digits.parse().ok().filter(|n| *n < 1 << 31);
            return number
                .map(|n| Some(Token::Number(n)))
                .ok_or_else(|| self.error("the number is too large"));
        }
        // Dots are in versions (`HOA: v1.1`), and since that one in names of headers and aliases.
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let start = usize::from(first == '@');
        let length = self.rest[start..].chars().take_while(|&c| is_word(c)).count();
        if length == 0 {
            return Err(self.error(format!("unexpected character {first:?}")));
        }
        let word = self.advance(start + length)[start..].to_owned();
        if start == 1 {
            return Ok(Some(Token::Alias(word)));
        }
        if self.rest.starts_with(':') {
            self.advance(1);
            return Ok(Some(Token::Header(word)));
        }
        Ok(Some(Token::Word(word)))
    }
    fn text(&mut self) -> Result<Token, HoaError> {
        self.advance(1);
        let mut out = String::new();
        loop {
            let Some(c) = self.rest.chars().next() else { return Err(self.error("the string does not end")) };
            self.advance(c.len_utf8());
            match c {
                '"' => return Ok(Token::Text(out)),
                '\\' => {
                    if let Some(c) = self.rest.chars().next() {
                        self.advance(c.len_utf8());
                        out.push(c);
                    }
                }
                c => out.push(c),
            }
        }
    }
}
