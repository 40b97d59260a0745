//! Text inside of other text: in HTML and XML, in CSV, in sentences.

use std::borrow::Cow;

/// The text with `& < > " '` as entities; `other` writes every other character.
pub fn escape_markup(text: &str, mut other: impl FnMut(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => other(c, &mut out),
        }
    }
    out
}

/// A field of CSV (RFC 4180), between quotes where it needs them. A text that a spreadsheet would take for a formula gets
/// an apostrophe.
pub fn csv_field(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into_owned()
    }
}

/// A number with a noun in the singular or plural.
pub fn counted(number: impl Copy + ToString, noun: &str) -> String {
    let number = number.to_string();
    format!("{number} {noun}{}", if number == "1" { "" } else { "s" })
}

/// A text of at most `most` characters: of a longer one the beginning and the end, with `…` between them.
pub fn abridged(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let end = most / 3;
    let begin = most.saturating_sub(end + 3);
    let first: String = text.chars().take(begin).collect();
    let last: String = text.chars().skip(count - end).collect();
    format!("{} … {}", first.trim_end(), last.trim_start())
}

/// The contents of the first code fence of Markdown, at the beginning of a line, which models often put around answers, without the language that its
/// first line may name; without a complete fence the text itself. Both without blanks around them.
pub fn unfenced(text: &str) -> &str {
    let inside = || {
        let begins_line = |at: usize| {
            text[..at].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| c == '\n')
        };
        let (at, fence) = text.match_indices("```").find(|&(at, _)| begins_line(at))?;
        let (inner, _) = text[at + fence.len()..].split_once("```")?;
        let (tag, rest) = inner.split_once('\n').unwrap_or(("", inner));
        let is_tag = tag.trim().chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '+' | '#'));
        Some(if is_tag { rest } else { inner })
    };
    inside().unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::{abridged, csv_field, unfenced};

    #[test]
    fn the_contents_of_a_fence_are_found() {
        for (text, inside) in [
            (" yes\n", "yes"),
            ("```\nG a\n```", "G a"),
            ("```ltl\nG a\n```\n", "G a"),
            ("Here it is:\n```c++\nG a\nF b\n```\nDone.", "G a\nF b"),
            ("```G a```", "G a"),
            ("```G a\nF b```", "G a\nF b"),
            ("```\nG a", "```\nG a"),
            ("``````", ""),
            ("{\"thought\": \"```a```\"}", "{\"thought\": \"```a```\"}"),
        ] {
            assert_eq!(unfenced(text), inside, "{text:?}");
        }
    }

    #[test]
    fn fields_of_csv_are_quoted_and_are_no_formulas() {
        for (text, field) in [
            ("", ""),
            ("a b", "a b"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a\nb", "\"a\nb\""),
            ("=1+1", "'=1+1"),
            ("@SUM(1,2)", "\"'@SUM(1,2)\""),
            ("\tx", "'\tx"),
            ("1-2", "1-2"),
        ] {
            assert_eq!(csv_field(text), field);
        }
    }

    #[test]
    fn long_texts_keep_their_ends() {
        assert_eq!(abridged("short", 5), "short");
        assert_eq!(abridged("", 0), "");
        for most in [12, 60, 200] {
            let text: String = ('a'..='z').cycle().take(1_000).collect();
            let short = abridged(&text, most);
            assert!(short.chars().count() <= most && short.contains(" … "), "{short}");
            assert!(short.starts_with("ab") && short.ends_with(&text[996..]), "{short}");
        }
        assert_eq!(abridged("ééééééééééééé", 12), "ééééé … éééé");
    }
}
