//! Patterns of names and paths.
//!
//! | written | in a name | in a path |
//! |---|---|---|
//! | `*` | any characters, also none | the same without `/` |
//! | `**` | as `*` | any characters; as a whole part of the path, any number of parts, also none |
//! | `?` | one character | one character but `/` |
//! | `[a-z_]`, `[!0-9]` | one character (not) of these | the same, never `/` |
//! | `{a,b}` | one of these, which may have wildcards but no braces | the same |
//! | `\c` | the character `c` itself | the same |
//!
//! Upper and lower case differ, and a dot is a character like any other. `src/**` matches everything below `src` but
//! not `src` itself; `**/*.rs` also matches `main.rs`; relative patterns match relative paths.

use regex::{Regex, RegexBuilder};
use std::fmt::Write;

/// Longer patterns are refused.
pub const GLOB_LENGTH: usize = 4_096;

/// The kind of texts that a pattern is matched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GlobKind {
    /// Names of tools, words of commands: `/` is a character like any other.
    Name,
    /// Paths with `/` between their parts.
    Path,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGlob {
    /// What is wrong.
    pub message: String,
    /// The byte of the pattern at which it is wrong.
    pub at: usize,
}

/// A pattern, ready to match.
#[derive(Clone, Debug)]
pub struct Glob {
    text: Box<str>,
    kind: GlobKind,
    /// The only text that the pattern matches, if it has no wildcards.
    literal: Option<Box<str>>,
    regex: Option<Regex>,
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.kind) == (&other.text, other.kind)
    }
}

impl Eq for Glob {}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A bracket that is not closed, a range backwards, a pattern that is too long.
    pub fn new(text: &str, kind: GlobKind) -> Result<Self, BadGlob> {
        if text.len() > GLOB_LENGTH {
            let message = format!("the pattern is longer than {GLOB_LENGTH} bytes");
            return Err(BadGlob { message, at: GLOB_LENGTH });
        }
        let parts = Translator { text, kind, at: 0, regex: String::new(), literal: Some(String::new()) };
        let (regex, literal) = parts.translate()?;
        let regex = match literal {
            Some(_) => None,
            None => Some(compile(&regex).map_err(|message| BadGlob { message, at: 0 })?),
        };
        Ok(Self { text: text.into(), kind, literal: literal.map(Into::into), regex })
    }
    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
    /// The one text that it matches, if it has no wildcards.
    pub fn literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }
    /// The regular expression of a pattern with wildcards. It is to be matched with `.` standing for line feeds, too.
    pub fn expression(&self) -> Option<&str> {
        self.regex.as_ref().map(Regex::as_str)
    }
    /// Whether the whole of `name` matches. Linear in both.
    pub fn matches(&self, name: &str) -> bool {
        match (&self.literal, &self.regex) {
            (Some(literal), _) => **literal == *name,
            (None, Some(regex)) => regex.is_match(name),
            (None, None) => false,
        }
    }
}

fn compile(regex: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(&format!(r"\A(?:{regex})\z"))
        .dot_matches_new_line(true)
        .size_limit(1 << 22)
        .build();
    built.map_err(|_| "the pattern is too large".to_owned())
}

/// A path below the home folder of some user, as `/home/NAME/x`, written from that folder: `~/x`.
pub fn from_home(path: &str) -> Option<String> {
    let rest = path.strip_prefix("/root/").or_else(|| {
        let users = ["/home/", "/Users/", "/var/home/", "/export/home/"];
        let rest = users.iter().find_map(|folder| path.strip_prefix(folder))?;
        rest.split_once('/').map(|(_, rest)| rest)
    })?;
    Some(format!("~/{rest}"))
}

struct Translator<'a> {
    text: &'a str,
    kind: GlobKind,
    at: usize,
    regex: String,
    literal: Option<String>,
}

impl Translator<'_> {
    fn error<T>(&self, message: &str) -> Result<T, BadGlob> {
        Err(BadGlob { message: message.to_owned(), at: self.at })
    }
    /// The text of a regular expression, and of the one match if there is just one.
    fn translate(mut self) -> Result<(String, Option<String>), BadGlob> {
        let mut braces = None;
        while let Some(c) = self.text[self.at..].chars().next() {
            let rest = &self.text[self.at..];
            let mut length = c.len_utf8();
            let mut special = true;
            match c {
                '*' => length = self.star(rest),
                '?' => self.regex.push_str(if self.kind == GlobKind::Path { "[^/]" } else { "." }),
                '[' => length = self.class(rest)?,
                '{' if braces.is_some() => return self.error("braces inside of braces"),
                '{' => {
                    braces = Some(self.at);
                    self.regex.push_str("(?:");
                }
                '}' if braces.is_some() => {
                    braces = None;
                    self.regex.push(')');
                }
                ',' if braces.is_some() => self.regex.push('|'),
                _ => {
                    let escaped = if c == '\\' { rest[1..].chars().next() } else { Some(c) };
                    let Some(plain) = escaped else { return self.error("nothing comes after the `\\`") };
                    length += if c == '\\' { plain.len_utf8() } else { 0 };
                    self.plain(plain);
                    special = false;
                }
            }
            if special {
                self.literal = None;
            }
            self.at += length;
        }
        if let Some(at) = braces {
            return Err(BadGlob { message: "this `{` is not closed".into(), at });
        }
        Ok((self.regex, self.literal))
    }
    fn plain(&mut self, c: char) {
        self.regex.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
        if let Some(literal) = &mut self.literal {
            literal.push(c);
        }
    }
    /// Translates the stars at the start of `rest`; returns their length in bytes, with a `/` that belongs to them.
    fn star(&mut self, rest: &str) -> usize {
        let stars = rest.len() - rest.trim_start_matches('*').len();
        if self.kind == GlobKind::Name {
            self.regex.push_str(".*");
            return stars;
        }
        let begins_part = self.at == 0 || self.text[..self.at].ends_with('/');
        match (stars, begins_part, rest.as_bytes().get(stars)) {
            (1, ..) => self.regex.push_str("[^/]*"),
            (_, true, Some(b'/')) => {
                self.regex.push_str("(?:.*/)?");
                return stars + 1;
            }
            // All below a folder, not the folder itself.
            (_, true, None) if self.at > 0 => self.regex.push_str(".+"),
            _ => self.regex.push_str(".*"),
        }
        stars
    }
    /// Translates the class at the start of `rest`; returns its length in bytes.
    fn class(&mut self, rest: &str) -> Result<usize, BadGlob> {
        let mut chars = rest.char_indices().skip(1).peekable();
        let negated = chars.next_if(|&(_, c)| c == '!' || c == '^').is_some();
        let mut ranges: Vec<(char, char)> = Vec::new();
        let (mut first, mut length) = (true, None);
        while let Some((at, c)) = chars.next() {
            if c == ']' && !first {
                length = Some(at + 1);
                break;
            }
            first = false;
            let one = |(_, c): (usize, char), chars: &mut dyn Iterator<Item = (usize, char)>| {
                if c == '\\' { chars.next().map_or('\\', |(_, c)| c) } else { c }
            };
            let low = one((at, c), &mut chars);
            let ends = rest[at..].chars().nth(2) == Some(']');
            let high = match chars.next_if(|&(_, c)| c == '-' && !ends) {
                Some(_) => match chars.next() {
                    Some(next) => one(next, &mut chars),
                    None => break,
                },
                None => low,
            };
            if low > high {
                return self.error("a range goes backwards");
            }
            ranges.push((low, high));
        }
        let Some(length) = length else { return self.error("this `[` is not closed") };
        let mut class = String::from("[");
        for (low, high) in ranges {
            let _ = write!(class, "\\x{{{:x}}}-\\x{{{:x}}}", low as u32, high as u32);
        }
        class.push(']');
        match (negated, self.kind) {
            (true, GlobKind::Path) => class = format!("[^{}/]", &class[1..class.len() - 1]),
            (true, GlobKind::Name) => class = format!("[^{}", &class[1..]),
            (false, GlobKind::Path) => class = format!("[{class}&&[^/]]"),
            (false, GlobKind::Name) => {}
        }
        self.regex.push_str(&class);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;

    fn glob(text: &str, kind: GlobKind) -> Glob {
        Glob::new(text, kind).unwrap_or_else(|error| panic!("{text}: {error:?}"))
    }

    #[test]
    fn tables_of_matches() {
        use GlobKind::{Name, Path};
        let table: &[(&str, GlobKind, &[&str], &[&str])] = &[
            ("mcp__bank__*", Name, &["mcp__bank__pay", "mcp__bank__"], &["mcp__bank", "xmcp__bank__pay"]),
            ("{Edit,Multi*}", Name, &["Edit", "MultiEdit"], &["Write", "Edit,Multi"]),
            ("a.b", Name, &["a.b"], &["axb"]),
            ("?", Name, &["ä", "/", "\n"], &["", "ab"]),
            ("[!a-c]x", Name, &["dx", "/x"], &["ax", "x"]),
            ("[]a]", Name, &["]", "a"], &["b"]),
            ("[a-]", Name, &["-", "a"], &["b"]),
            (r"\*", Name, &["*"], &["a"]),
            ("src/*.rs", Path, &["src/a.rs", "src/.rs"], &["src/a/b.rs", "a.rs"]),
            ("**/*.rs", Path, &["a.rs", "x/a.rs", "/x/y/a.rs"], &["a.rsx"]),
            ("src/**", Path, &["src/a", "src/a/b"], &["src", "src/", "xsrc/a"]),
            ("a/**/b", Path, &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb"]),
            ("**", Path, &["", "a", "a/b"], &[]),
            ("**/.env", Path, &[".env", "a/.env"], &["a.env"]),
            ("a?b", Path, &["axb"], &["a/b"]),
            ("a[!x]b", Path, &["ayb"], &["a/b", "axb"]),
            ("a[+-9]b", Path, &["a,b"], &["a/b"]),
        ];
        for (text, kind, yes, no) in table {
            let glob = glob(text, *kind);
            for name in *yes {
                assert!(glob.matches(name), "{text} matches {name}");
            }
            for name in *no {
                assert!(!glob.matches(name), "{text} does not match {name}");
            }
        }
        assert_eq!(glob(r"a\*b", Name).literal(), Some("a*b"));
        for (text, at) in [("a[b", 1), ("{a", 0), ("{a{b}}", 2), ("[b-a]", 0), ("a\\", 1)] {
            assert_eq!(Glob::new(text, Name).map_err(|error| error.at), Err(at), "{text}");
        }
    }

    /// `*`, `?` and letters by definition, with backtracking.
    fn obvious(pattern: &[u8], name: &[u8]) -> bool {
        match pattern {
            [] => name.is_empty(),
            [b'*', rest @ ..] => (0..=name.len()).any(|n| obvious(rest, &name[n..])),
            [b'?', rest @ ..] => !name.is_empty() && obvious(rest, &name[1..]),
            [c, rest @ ..] => name.first() == Some(c) && obvious(rest, &name[1..]),
        }
    }

    #[test]
    fn random_patterns_match_as_defined() {
        let mut random = Random::new(3);
        let mut matched = 0;
        for _ in 0..1_000 {
            let mut text = |letters: &[u8], longest: usize| -> String {
                (0..random.below(longest + 1))
                    .map(|_| char::from(letters[random.below(letters.len())]))
                    .collect()
            };
            let (pattern, name) = (text(b"aab*?", 6), text(b"ab", 6));
            let expected = obvious(pattern.as_bytes(), name.as_bytes());
            assert_eq!(glob(&pattern, GlobKind::Name).matches(&name), expected, "{pattern} {name}");
            matched += usize::from(expected);
        }
        assert!(matched > 100);
    }

    #[test]
    fn hostile_patterns_are_refused_or_quick() {
        let mut random = Random::new(4);
        for _ in 0..2_000 {
            let letters: Vec<char> = "*?[]{}\\!^-,a/&~\u{e4}\u{0}".chars().collect();
            let text: String = (0..random.below(12)).map(|_| letters[random.below(letters.len())]).collect();
            for kind in [GlobKind::Name, GlobKind::Path] {
                if let Ok(glob) = Glob::new(&text, kind) {
                    glob.matches(&text);
                }
            }
        }
        assert!(glob(&"*a".repeat(1_000), GlobKind::Name).matches(&"a".repeat(1_000)));
        assert!(Glob::new(&"a".repeat(GLOB_LENGTH + 1), GlobKind::Name).is_err());
    }
}
