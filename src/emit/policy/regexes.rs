//! Regular expressions and globs of policies for the engines of other languages. These differ in the meaning of `\w`,
//! `.` and `$` and in case folding, so such constructs are written out in the syntax that Python and JavaScript share.
//! A construct that cannot be written out is an error that names it.

use regex::Regex;
use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;
use tsl_synth_core::base::Glob;

/// Placeholders in translated expressions for the ranges of `\w`, `\d` and `\s`, see [`class_ranges`].
const TOKENS: [(char, char); 3] = [('w', '\u{1}'), ('d', '\u{2}'), ('s', '\u{3}')];

/// The ranges of characters of `\w`, `\d` and `\s` as the engine of the gate reads them, to be put between brackets.
pub(super) fn class_ranges() -> Vec<String> {
    TOKENS.iter().map(|&(name, _)| ranges_of(name)).collect()
}

fn ranges_of(name: char) -> String {
    let Ok(regex) = Regex::new(&format!("^\\{name}$")) else { return String::new() };
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut text = String::new();
    for c in '\0'..=char::MAX {
        text.clear();
        text.push(c);
        if regex.is_match(&text) {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == c as u32 => *last += 1,
                _ => ranges.push((c as u32, c as u32)),
            }
        }
    }
    let mut out = String::new();
    for (first, last) in ranges {
        for (i, code) in [first, last].into_iter().enumerate() {
            if i == 1 && first == last {
                continue;
            }
            if i == 1 {
                out.push('-');
            }
            out.extend(char::from_u32(code).into_iter().flat_map(in_class));
        }
    }
    out
}

/// A character of a bracket class, escaped if necessary.
fn in_class(c: char) -> Vec<char> {
    if matches!(c, '\\' | ']' | '[' | '^' | '-') { vec!['\\', c] } else { vec![c] }
}

/// A glob with wildcards for other engines.
///
/// # Errors
/// The construct that cannot be written out.
pub(super) fn glob(glob: &Glob) -> Result<String, String> {
    translated(glob.expression().ok_or("a pattern without an expression")?, true)
}

/// A regular expression for other engines.
///
/// # Errors
/// The construct that cannot be written out.
pub(super) fn regex(regex: &Regex) -> Result<String, String> {
    translated(regex.as_str(), false)
}

fn translated(text: &str, dot_all: bool) -> Result<String, String> {
    let mut reader = RegexReader { chars: text.chars().peekable(), out: String::new() };
    reader.alternatives(Flags { fold: false, dot_all }, 0)?;
    if reader.chars.next().is_some() {
        return Err("`)`".into());
    }
    Ok(reader.out)
}

#[derive(Clone, Copy)]
struct Flags {
    fold: bool,
    dot_all: bool,
}

struct RegexReader<'t> {
    chars: Peekable<Chars<'t>>,
    out: String,
}

/// The meaning of an escape.
enum Escaped {
    One(char),
    Class(char, bool),
    Boundary(bool),
    Start,
    End,
}

impl RegexReader<'_> {
    /// Translates alternatives up to a closing parenthesis or the end.
    fn alternatives(&mut self, mut flags: Flags, depth: usize) -> Result<(), String> {
        if depth > 50 {
            return Err("groups deeper than 50".into());
        }
        let mut is_repeatable = false;
        while let Some(&c) = self.chars.peek() {
            if c == ')' {
                return Ok(());
            }
            self.chars.next();
            match c {
                '|' => {
                    self.out.push('|');
                    is_repeatable = false;
                }
                '*' | '+' | '?' | '{' => {
                    if !is_repeatable {
                        return Err("a repetition of a repetition".into());
                    }
                    self.repetition(c)?;
                    is_repeatable = false;
                }
                '(' => is_repeatable = self.group(&mut flags, depth)?,
                '[' => {
                    self.class(flags)?;
                    is_repeatable = true;
                }
                '.' => {
                    self.out.push_str(if flags.dot_all { r"[\s\S]" } else { r"[^\n]" });
                    is_repeatable = true;
                }
                '^' | '$' => {
                    self.anchor(c == '^');
                    is_repeatable = false;
                }
                '\\' => {
                    is_repeatable = true;
                    match self.escape()? {
                        Escaped::One(c) => self.one(c, flags)?,
                        Escaped::Class(token, negated) => {
                            let _ = write!(self.out, "[{}{token}]", if negated { "^" } else { "" });
                        }
                        Escaped::Boundary(is_boundary) => {
                            self.boundary(is_boundary);
                            is_repeatable = false;
                        }
                        Escaped::Start | Escaped::End if self.chars.peek() == Some(&'*') => {
                            return Err("a repeated anchor".into());
                        }
                        Escaped::Start => self.anchor(true),
                        Escaped::End => self.anchor(false),
                    }
                }
                c => {
                    self.one(c, flags)?;
                    is_repeatable = true;
                }
            }
        }
        Ok(())
    }
    fn anchor(&mut self, is_start: bool) {
        // A `$` of Python also matches before a last line break.
        self.out.push_str(if is_start { "^" } else { r"(?![\s\S])" });
    }
    fn boundary(&mut self, is_boundary: bool) {
        let word = TOKENS[0].1;
        let (behind, ahead) = if is_boundary { ("!", "=") } else { ("=", "!") };
        let _ = write!(self.out, "(?:(?<=[{word}])(?{behind}[{word}])|(?<![{word}])(?{ahead}[{word}]))");
    }
    /// Translates a repetition after its first character.
    fn repetition(&mut self, c: char) -> Result<(), String> {
        self.out.push(c);
        if c == '{' {
            let mut counts = String::new();
            while let Some(c) = self.chars.next_if(|c| c.is_ascii_digit() || *c == ',') {
                counts.push(c);
            }
            if self.chars.next() != Some('}') || !counts.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(format!("the repetition `{{{counts}`"));
            }
            self.out.push_str(&counts);
            self.out.push('}');
        }
        // Lazy repetitions match the same texts.
        self.chars.next_if_eq(&'?');
        Ok(())
    }
    /// Translates after an opening parenthesis. Returns whether it was a group, not flags for the rest of the
    /// expression.
    fn group(&mut self, flags: &mut Flags, depth: usize) -> Result<bool, String> {
        let mut own = *flags;
        if self.chars.next_if_eq(&'?').is_some() {
            let mut head = String::new();
            loop {
                match self.chars.next() {
                    Some(':') if !head.starts_with(['P', '<']) => break,
                    Some(')') if !head.is_empty() && !head.starts_with(['P', '<']) => {
                        *flags = flagged(*flags, &head)?;
                        return Ok(false);
                    }
                    Some('>') if head.starts_with("P<") || head.starts_with('<') => {
                        head.clear();
                        break;
                    }
                    Some(c) => head.push(c),
                    None => return Err("an open group".into()),
                }
            }
            own = flagged(own, &head)?;
        }
        self.out.push_str("(?:");
        self.alternatives(own, depth + 1)?;
        if self.chars.next() != Some(')') {
            return Err("an open group".into());
        }
        self.out.push(')');
        Ok(true)
    }
    /// Reads an escape after its backslash.
    fn escape(&mut self) -> Result<Escaped, String> {
        let c = self.chars.next().ok_or("a single backslash")?;
        let lower = c.to_ascii_lowercase();
        if let Some(&(_, token)) = TOKENS.iter().find(|&&(name, _)| name == lower) {
            return Ok(Escaped::Class(token, c != lower));
        }
        Ok(match c {
            'b' | 'B' if self.chars.peek() != Some(&'{') => Escaped::Boundary(c == 'b'),
            'A' => Escaped::Start,
            'z' => Escaped::End,
            'n' => Escaped::One('\n'),
            't' => Escaped::One('\t'),
            'r' => Escaped::One('\r'),
            'f' => Escaped::One('\u{c}'),
            'v' => Escaped::One('\u{b}'),
            'x' => Escaped::One(self.code()?),
            c if c.is_ascii_punctuation() => Escaped::One(c),
            c => return Err(format!("`\\{c}`")),
        })
    }
    /// Reads a character code after `\x`.
    fn code(&mut self) -> Result<char, String> {
        let mut digits = String::new();
        if self.chars.next_if_eq(&'{').is_some() {
            while let Some(c) = self.chars.next_if(|c| *c != '}') {
                digits.push(c);
            }
            self.chars.next();
        } else {
            digits.extend(self.chars.by_ref().take(2));
        }
        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
        code.ok_or_else(|| format!("`\\x{digits}`"))
    }
    fn one(&mut self, c: char, flags: Flags) -> Result<(), String> {
        refuse_token(c)?;
        let others = folded(c, flags)?;
        if others.is_empty() {
            if r"^$\.*+?()[]{}|/".contains(c) {
                self.out.push('\\');
            }
            self.out.push(c);
        } else {
            let _ = write!(self.out, "[{c}{others}]");
        }
        Ok(())
    }
    /// Translates a class after its opening bracket.
    fn class(&mut self, flags: Flags) -> Result<(), String> {
        let negated = self.chars.next_if_eq(&'^').is_some();
        self.out.push_str(if negated { "[^" } else { "[" });
        let mut is_first = true;
        loop {
            let c = self.chars.next().ok_or("an open bracket")?;
            match c {
                ']' if !is_first => break,
                '[' => return Err("brackets inside of brackets".into()),
                '&' | '~' | '-' if self.chars.peek() == Some(&c) => {
                    return Err(format!("`{c}{c}` in brackets"));
                }
                _ => {}
            }
            is_first = false;
            let low = match c {
                '\\' => match self.escape()? {
                    Escaped::One(c) => c,
                    Escaped::Class(token, false) => {
                        self.out.push(token);
                        continue;
                    }
                    _ => return Err("such an escape in brackets".into()),
                },
                c => c,
            };
            self.range(low, flags)?;
        }
        self.out.push(']');
        Ok(())
    }
    /// Translates the range that begins with `low`, or `low` alone if no range follows.
    fn range(&mut self, low: char, flags: Flags) -> Result<(), String> {
        let mut ahead = self.chars.clone();
        let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), Some(']') | None);
        let high = if is_range {
            self.chars.next();
            match self.chars.next() {
                Some('\\') => match self.escape()? {
                    Escaped::One(c) => c,
                    _ => return Err("such an escape in brackets".into()),
                },
                Some('[') | None => return Err("brackets inside of brackets".into()),
                Some(c) => c,
            }
        } else {
            low
        };
        for token in TOKENS {
            if (low..=high).contains(&token.1) && (low, high) != ('\0', char::MAX) && low != '\0' {
                return Err("control characters".into());
            }
        }
        if flags.fold {
            for c in low..=high.min('\u{7f}') {
                self.out.push_str(&folded(c, flags)?);
            }
            if !high.is_ascii() {
                return Err("`(?i)` for characters beyond ASCII".into());
            }
        }
        self.out.extend(in_class(low));
        if high > low {
            self.out.push('-');
            self.out.extend(in_class(high));
        }
        Ok(())
    }
}

fn flagged(flags: Flags, text: &str) -> Result<Flags, String> {
    text.chars().try_fold(flags, |flags, c| match c {
        'i' => Ok(Flags { fold: true, ..flags }),
        's' => Ok(Flags { dot_all: true, ..flags }),
        // `U` exchanges greedy and lazy repetitions, which match the same texts; `u` is the default.
        'U' | 'u' => Ok(flags),
        _ => Err(format!("the flag `(?{text})`")),
    })
}

fn refuse_token(c: char) -> Result<(), String> {
    if TOKENS.iter().any(|&(_, token)| token == c) { Err("control characters".into()) } else { Ok(()) }
}

/// The other characters that are equal to `c` when case is ignored.
fn folded(c: char, flags: Flags) -> Result<String, String> {
    if !flags.fold {
        return Ok(String::new());
    }
    if !c.is_ascii() {
        return Err("`(?i)` for characters beyond ASCII".into());
    }
    if !c.is_ascii_alphabetic() {
        return Ok(String::new());
    }
    let other = if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let more = match c.to_ascii_lowercase() {
        // Long s, and the Kelvin sign.
        's' => "\u{17f}",
        'k' => "\u{212a}",
        _ => "",
    };
    Ok(format!("{other}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_spelled_out() {
        let table: &[(&str, &str)] = &[
            (
                r"(?i)\byes$",
                "(?:(?<=[\u{1}])(?![\u{1}])|(?<![\u{1}])(?=[\u{1}]))[yY][eE][sS\u{17f}](?![\\s\\S])",
            ),
            (r"a.b*?c{2,3}", r"a[^\n]b*c{2,3}"),
            (r"^(?P<x>a|b/)\d+", "^(?:a|b\\/)[\u{2}]+"),
            (r"[^a-c\-\s]", "[^a-c\\-\u{3}]"),
            (r"(?s:.)(?i:k)\.", "(?:[\\s\\S])(?:[kK\u{212a}])\\."),
        ];
        for (text, expected) in table {
            assert_eq!(translated(text, false).as_deref(), Ok(*expected), "{text}");
        }
        for text in
            [r"\pL", "[a&&b]", "[[:alpha:]]", "(?x)a b", "a++", "(?i)\u{e4}", r"\b{start}", "\u{1}", "(?m)^a"]
        {
            assert!(Regex::new(text).is_err() || translated(text, false).is_err(), "{text}");
        }
        let words = ranges_of('w');
        assert!(words.starts_with("0-9A-Z_a-z") && ranges_of('d').starts_with("0-9"));
    }
}
