//! Text in HTML and XML.

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
