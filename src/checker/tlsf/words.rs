//! Splits a TLSF text into words.

use crate::read_ltl::{Unread, without_comments};

/// A word with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) line: usize,
    pub(super) kind: Kind,
}

/// Kinds of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name(String),
    Number(i64),
    Text,
    Symbol(&'static str),
}

/// Longer ones first.
#[rustfmt::skip]
const SYMBOLS: &[&str] = &[
    "(\\)", "(+)", "(*)", "(-)", "<->", "...", "..", "->", "<=", ">=", "==", "!=", "/=", "&&", "||", "<-", "<", ">", "=",
    "!", "+", "-", "*", "/", "%", "~", ":", ",", ";", "|", "(", ")", "[", "]", "{", "}",
];

/// Signs of papers and words for operators.
#[rustfmt::skip]
const SPELLINGS: &[(&str, &str)] = &[
    ("¬", "!"), ("∧", "&&"), ("∨", "||"), ("→", "->"), ("⇒", "->"), ("↔", "<->"), ("⇔", "<->"), ("≤", "<="),
    ("≥", ">="), ("≠", "!="),
];

/// The words of a text.
pub(super) fn words(text: &str) -> Result<Vec<Word>, Unread> {
    let (text, _) = without_comments(text)?;
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut i, mut line) = (Vec::new(), 0, 1);
    while let Some(&c) = chars.get(i) {
        let at = |text: &str| text.chars().enumerate().all(|(k, c)| chars.get(i + k) == Some(&c));
        if c == '\n' {
            line += 1;
            i += 1;
        } else if c.is_whitespace() || c == '\u{FEFF}' {
            i += 1;
        } else if c == '"' {
            found.push(Word { line, kind: Kind::Text });
            i += 1;
            while let Some(&c) = chars.get(i).filter(|c| **c != '"') {
                line += usize::from(c == '\n');
                i += 1 + usize::from(c == '\\');
            }
            if i >= chars.len() {
                return Err(Unread::new(line, "a text in quotes is not closed"));
            }
            i += 1;
        } else if let Some(&(sign, symbol)) = SPELLINGS.iter().find(|(sign, _)| at(sign)) {
            found.push(Word { line, kind: Kind::Symbol(symbol) });
            i += sign.chars().count();
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| at(symbol)) {
            found.push(Word { line, kind: Kind::Symbol(symbol) });
            i += symbol.chars().count();
        } else if c.is_ascii_digit() {
            let digits: String = chars[i..].iter().take_while(|c| c.is_ascii_digit()).collect();
            let number = digits.parse().map_err(|_| Unread::new(line, format!("{digits} is too large")))?;
            found.push(Word { line, kind: Kind::Number(number) });
            i += digits.len();
        } else if c.is_alphabetic() || c == '_' || c == '@' {
            let in_name = |c: &&char| c.is_alphanumeric() || matches!(c, '_' | '@' | '\'');
            let name: String = chars[i..].iter().take_while(in_name).collect();
            i += name.chars().count();
            found.push(Word { line, kind: Kind::Name(name) });
        } else {
            return Err(Unread::new(line, format!("unexpected character {c:?}")));
        }
    }
    Ok(found)
}
