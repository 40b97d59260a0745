//! Text in XML documents.

use crate::terminal::escape_lines;

/// Text between tags. Characters that XML 1.0 does not allow are written as `\u{..}`.
pub(crate) fn content(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in escape_lines(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// The value of an attribute, in which XML parsers would replace plain line ends by spaces.
pub(crate) fn attribute(text: &str) -> String {
    content(text).replace('\n', "&#10;")
}

#[cfg(test)]
mod tests {
    use super::attribute;

    #[test]
    fn nothing_breaks_out_of_the_document() {
        assert_eq!(
            attribute("a\"b<c>&d\n\u{0}\u{1b}\u{ffff}\u{202e}]]>"),
            "a&quot;b&lt;c&gt;&amp;d&#10;\\u{0}\\u{1b}\\u{ffff}\\u{202e}]]&gt;"
        );
    }
}
