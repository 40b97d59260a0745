//! Regular expressions as trees, and their text as a regular expression, in GBNF and in Lark.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;

/// A regular expression over characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CharPattern {
    /// This text.
    Text(String),
    /// Any character but these.
    Not(BTreeSet<char>),
    Seq(Vec<CharPattern>),
    /// At least one alternative.
    Alt(Vec<CharPattern>),
    Star(Rc<CharPattern>),
    Opt(Rc<CharPattern>),
    /// An expression that has a name in grammars.
    Named(String, Rc<CharPattern>),
}

impl CharPattern {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }
    /// The concatenation, without empty texts and with adjacent texts merged.
    pub(super) fn seq(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for part in parts {
            match (part, all.last_mut()) {
                (Self::Text(text), _) if text.is_empty() => {}
                (Self::Text(text), Some(Self::Text(before))) => before.push_str(&text),
                (Self::Seq(more), _) => all.extend(more),
                (part, _) => all.push(part),
            }
        }
        match all.len() {
            0 => Self::text(""),
            1 => all.remove(0),
            _ => Self::Seq(all),
        }
    }
    /// The alternation, without duplicates.
    pub(super) fn alt(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for part in parts {
            let more = if let Self::Alt(more) = part { more } else { vec![part] };
            for part in more {
                if !all.contains(&part) {
                    all.push(part);
                }
            }
        }
        if all.len() == 1 { all.remove(0) } else { Self::Alt(all) }
    }
    pub(super) fn star(self) -> Self {
        Self::Star(Rc::new(self))
    }
    pub(super) fn opt(self) -> Self {
        Self::Opt(Rc::new(self))
    }
    /// The number of nodes of the tree; a named expression is counted at each use.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Text(_) | Self::Not(_) => 1,
            Self::Seq(all) | Self::Alt(all) => 1 + all.iter().map(Self::size).sum::<usize>(),
            Self::Star(one) | Self::Opt(one) | Self::Named(_, one) => 1 + one.size(),
        }
    }
    /// The named expressions in it, each once, in order.
    pub(super) fn named(&self, found: &mut Vec<(String, Rc<CharPattern>)>) {
        match self {
            Self::Text(_) | Self::Not(_) => {}
            Self::Seq(all) | Self::Alt(all) => all.iter().for_each(|part| part.named(found)),
            Self::Star(one) | Self::Opt(one) => one.named(found),
            Self::Named(name, one) => {
                if found.iter().all(|(known, _)| known != name) {
                    found.push((name.clone(), Rc::clone(one)));
                }
            }
        }
    }

    /// As a regular expression that Rust, Python, JavaScript and the decoders of models read alike: without
    /// look-around, captures, `.` and anchors.
    pub(super) fn regex(&self) -> String {
        self.print(&Regex, false)
    }
    /// As the right-hand side of a rule in GBNF.
    pub(super) fn gbnf(&self) -> String {
        self.print(&Gbnf, false)
    }
    /// As the right-hand side of a terminal in the Lark dialect of llguidance.
    pub(super) fn lark(&self) -> String {
        self.print(&Lark, false)
    }

    fn print(&self, dialect: &dyn RegexDialect, inner: bool) -> String {
        let all = |parts: &[Self], between: &str| {
            let parts: Vec<String> = parts.iter().map(|part| part.print(dialect, true)).collect();
            parts.join(between)
        };
        match self {
            Self::Text(text) => dialect.text(text, inner),
            Self::Not(chars) => dialect.not(chars),
            Self::Seq(parts) => {
                let text = all(parts, dialect.blank());
                if inner && !dialect.blank().is_empty() { format!("({text})") } else { text }
            }
            Self::Alt(parts) => {
                let text = all(parts, dialect.or());
                format!("{}{text})", dialect.open())
            }
            Self::Star(one) => format!("{}{})*", dialect.open(), one.print(dialect, false)),
            Self::Opt(one) => format!("{}{})?", dialect.open(), one.print(dialect, false)),
            Self::Named(name, one) => dialect
                .named(name)
                .unwrap_or_else(|| format!("{}{})", dialect.open(), one.print(dialect, false))),
        }
    }
}

trait RegexDialect {
    fn text(&self, text: &str, inner: bool) -> String;
    fn not(&self, chars: &BTreeSet<char>) -> String;
    // The defaults are the syntax of the grammars, GBNF and Lark.
    fn open(&self) -> &'static str {
        "("
    }
    fn or(&self) -> &'static str {
        " | "
    }
    fn blank(&self) -> &'static str {
        " "
    }
    fn named(&self, name: &str) -> Option<String>;
}

/// Writes `\x2d` or `\u1e9e`, escapes that Rust, Python and JavaScript read alike; characters past U+FFFF as they are.
fn escape(c: char, out: &mut String) {
    let code = u32::from(c);
    let _ = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "{c}"),
    };
}

struct Regex;

impl RegexDialect for Regex {
    fn text(&self, text: &str, _inner: bool) -> String {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '\n' => out.push_str("\\n"),
                'a'..='z'
                | 'A'..='Z'
                | '0'..='9'
                | ' '
                | ':'
                | '_'
                | '!'
                | ','
                | ';'
                | '<'
                | '>'
                | '='
                | '@'
                | '"'
                | '\''
                | '%' => out.push(c),
                '.' | '+' | '*' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' | '\\' => {
                    out.push('\\');
                    out.push(c);
                }
                c => escape(c, &mut out),
            }
        }
        out
    }
    fn not(&self, chars: &BTreeSet<char>) -> String {
        let mut out = String::from("[^");
        for &c in chars {
            match c {
                '\n' => out.push_str("\\n"),
                c if c.is_ascii_alphanumeric() => out.push(c),
                c => escape(c, &mut out),
            }
        }
        out + "]"
    }
    fn open(&self) -> &'static str {
        "(?:"
    }
    fn or(&self) -> &'static str {
        "|"
    }
    fn blank(&self) -> &'static str {
        ""
    }
    fn named(&self, _name: &str) -> Option<String> {
        None
    }
}

struct Gbnf;

impl Gbnf {
    fn escape(c: char, out: &mut String) {
        let code = u32::from(c);
        let _ = match code {
            0x0a => write!(out, "\\n"),
            0..=0xff => write!(out, "\\x{code:02X}"),
            0x100..=0xffff => write!(out, "\\u{code:04X}"),
            _ => write!(out, "\\U{code:08X}"),
        };
    }
}

impl RegexDialect for Gbnf {
    fn text(&self, text: &str, _inner: bool) -> String {
        let mut out = String::from("\"");
        for c in text.chars() {
            match c {
                '"' | '\\' => Self::escape(c, &mut out),
                ' '..='~' => out.push(c),
                c => Self::escape(c, &mut out),
            }
        }
        out + "\""
    }
    fn not(&self, chars: &BTreeSet<char>) -> String {
        let mut out = String::from("[^");
        for &c in chars {
            if c.is_ascii_alphanumeric() { out.push(c) } else { Self::escape(c, &mut out) }
        }
        out + "]"
    }
    fn named(&self, name: &str) -> Option<String> {
        Some(name.into())
    }
}

struct Lark;

impl RegexDialect for Lark {
    fn text(&self, text: &str, _inner: bool) -> String {
        crate::json_string(text)
    }
    fn not(&self, chars: &BTreeSet<char>) -> String {
        format!("/{}/", Regex.not(chars))
    }
    fn named(&self, name: &str) -> Option<String> {
        Some(name.to_ascii_uppercase().replace('-', "_"))
    }
}
