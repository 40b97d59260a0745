//! Identifiers. One injective mapper: letters, digits and `_` stay, everything else becomes a word or an
//! escape, reserved words get a trailing `_`, and a name that is taken (ignoring case) gets a number. Equal
//! inputs in equal order give equal outputs.

use rustc_hash::FxHashSet;

/// How the words of a name are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NameCase {
    /// As written where possible: `inCave_summary`.
    Keep,
    /// `in_cave_summary`
    Snake,
    /// `InCaveSummary`
    Pascal,
    /// `IN_CAVE_SUMMARY`
    Upper,
}

/// The most characters of an identifier, before prefixes and the numbers that avoid collisions.
const LONGEST: usize = 40;

/// Creates the identifiers of one scope.
#[derive(Clone, Debug)]
pub(super) struct Identifiers {
    reserved: &'static [&'static [&'static str]],
    taken: FxHashSet<String>,
}

impl Identifiers {
    /// A scope in which these words are not available, compared ignoring case.
    pub(super) fn new(reserved: &'static [&'static [&'static str]]) -> Self {
        Self { reserved, taken: FxHashSet::default() }
    }
    /// Makes a word unavailable.
    pub(super) fn reserve(&mut self, word: &str) {
        self.taken.insert(word.to_ascii_lowercase());
    }
    /// A fresh identifier for a name.
    pub(super) fn fresh(&mut self, name: &str, case: NameCase) -> String {
        let mut base = convert(name, case);
        let lower = base.to_ascii_lowercase();
        if self.reserved.iter().any(|list| list.iter().any(|word| word.eq_ignore_ascii_case(&lower))) {
            base.push('_');
        }
        let mut candidate = base.clone();
        let mut number = 2;
        while !self.taken.insert(candidate.to_ascii_lowercase()) {
            let separator = if base.ends_with('_') || case == NameCase::Pascal { "" } else { "_" };
            candidate = format!("{base}{separator}{number}");
            number += 1;
        }
        candidate
    }
}

/// Converts a name to an identifier, which is never empty and does not start with a digit. Different names may have the
/// same identifier.
pub fn identifier(name: &str) -> String {
    convert(name, NameCase::Keep)
}

/// The identifier of a name, before reserved words and collisions. Never empty, never starts with a digit.
pub(super) fn convert(name: &str, case: NameCase) -> String {
    let words = words(name);
    let mut out = String::new();
    for (i, word) in words.iter().enumerate() {
        match case {
            NameCase::Keep => {
                if i > 0 {
                    out.push('_');
                }
                out.push_str(word);
            }
            NameCase::Snake | NameCase::Upper => {
                for part in
                    humps(word).iter().flat_map(|hump| hump.split('_')).filter(|part| !part.is_empty())
                {
                    if !out.is_empty() {
                        out.push('_');
                    }
                    let lower = part.to_ascii_lowercase();
                    out.push_str(&if case == NameCase::Snake { lower } else { part.to_ascii_uppercase() });
                }
            }
            NameCase::Pascal => {
                for part in humps(word).iter().flat_map(|hump| hump.split('_')) {
                    let mut chars = part.chars();
                    if let Some(first) = chars.next() {
                        // Two numbers side by side must not become one.
                        if first.is_ascii_digit() && out.ends_with(|c: char| c.is_ascii_digit()) {
                            out.push('N');
                        }
                        out.push(first.to_ascii_uppercase());
                        out.push_str(&chars.as_str().to_ascii_lowercase());
                    }
                }
            }
        }
        if out.len() > LONGEST {
            break;
        }
    }
    out.truncate(LONGEST);
    let out = if case == NameCase::Keep { out.as_str() } else { out.trim_matches('_') };
    // Leading underscores have a meaning in most targets (private, mangled, reserved).
    let kept = out.trim_start_matches('_');
    let prefix = match case {
        _ if kept.len() < out.len() || kept.is_empty() => "x_",
        _ if kept.starts_with(|c: char| c.is_ascii_digit()) => "n_",
        _ => "",
    };
    match case {
        NameCase::Pascal => format!("{}{kept}", prefix.trim_end_matches('_').to_ascii_uppercase()),
        NameCase::Upper => format!("{}{kept}", prefix.to_ascii_uppercase()),
        NameCase::Keep | NameCase::Snake => format!("{prefix}{kept}"),
    }
}

/// The parts of a name that are valid in every target, with words for operators and escapes for the rest.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let escape = |words: &mut Vec<String>, text: &str| {
        words.push(text.to_owned());
        words.push(String::new());
    };
    for c in name.replace("<-", " gets ").chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => words.last_mut().expect("never empty").push(c),
            '+' => escape(&mut words, "plus"),
            '-' => escape(&mut words, "minus"),
            '*' => escape(&mut words, "times"),
            '/' => escape(&mut words, "over"),
            '%' => escape(&mut words, "mod"),
            '=' => escape(&mut words, "eq"),
            '>' => escape(&mut words, "gt"),
            '<' => escape(&mut words, "lt"),
            '\'' => escape(&mut words, "prime"),
            '@' => escape(&mut words, "at"),
            ' '..='~' => words.push(String::new()),
            _ => escape(&mut words, &format!("u{:04x}", u32::from(c))),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The parts of a word in camel case: `inCave` → `in`, `Cave`; `HTTPServer` → `HTTP`, `Server`.
fn humps(word: &str) -> Vec<&str> {
    let bytes = word.as_bytes();
    let mut cuts = vec![0];
    for i in 1..bytes.len() {
        let next_lower = bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase);
        let starts = bytes[i].is_ascii_uppercase()
            && (bytes[i - 1].is_ascii_lowercase()
                || bytes[i - 1].is_ascii_digit()
                || bytes[i - 1].is_ascii_uppercase() && next_lower);
        if starts {
            cuts.push(i);
        }
    }
    cuts.push(bytes.len());
    cuts.windows(2).map(|pair| &word[pair[0]..pair[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::reserved::{C, CSHARP, GO, JS, LUA, PYTHON, RUST};
    use super::*;

    #[test]
    fn conversions() {
        for (name, keep, snake, pascal, upper) in [
            ("inCave(summary)", "inCave_summary", "in_cave_summary", "InCaveSummary", "IN_CAVE_SUMMARY"),
            ("HTTPServer", "HTTPServer", "http_server", "HttpServer", "HTTP_SERVER"),
            ("n + 1", "n_plus_1", "n_plus_1", "NPlus1", "N_PLUS_1"),
            ("a = b", "a_eq_b", "a_eq_b", "AEqB", "A_EQ_B"),
            ("__proto__", "x_proto__", "proto", "Proto", "PROTO"),
            ("2nd", "n_2nd", "n_2nd", "N2nd", "N_2ND"),
            ("é", "u00e9", "u00e9", "U00e9", "U00E9"),
            ("", "x_", "x_", "X", "X_"),
            ("x1 2", "x1_2", "x1_2", "X1N2", "X1_2"),
        ] {
            let cases = [NameCase::Keep, NameCase::Snake, NameCase::Pascal, NameCase::Upper]
                .map(|case| convert(name, case));
            assert_eq!(cases, [keep, snake, pascal, upper], "{name}");
        }
    }

    #[test]
    fn different_names_stay_different_and_valid() {
        let pieces = ["a", "A", "_", "1", "é", "\u{202e}", " ", "class", "then", "-", "\n", "x_2", "*/"];
        let mut all: Vec<String> = Vec::new();
        for a in pieces {
            for b in pieces {
                all.extend(pieces.map(|c| format!("{a}{b}{c}")));
            }
        }
        for lists in [&[JS] as &'static [_], &[PYTHON], &[RUST], &[C], &[LUA], &[GO], &[CSHARP]] {
            for case in [NameCase::Keep, NameCase::Snake, NameCase::Pascal, NameCase::Upper] {
                let mut names = Identifiers::new(lists);
                let mut seen = FxHashSet::default();
                for name in &all {
                    let ident = names.fresh(name, case);
                    assert!(seen.insert(ident.to_ascii_lowercase()), "{name:?} {ident}");
                    assert!(ident.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{ident}");
                    assert!(ident.starts_with(|c: char| c.is_ascii_alphabetic()), "{ident}");
                    assert!(!lists[0].contains(&ident.as_str()), "{ident}");
                }
            }
        }
    }
}
