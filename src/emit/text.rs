//! Text that came from the user, made safe for comments and string literals of every target.

use std::fmt::Write;
use tsl_synth_core::base::is_deceptive;

/// One line of text without characters that could fool a reader or an editor: white space becomes a blank,
/// other deceptive characters `<U+202E>`.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            c if is_deceptive(c) => {
                write!(out, "<U+{:04X}>", u32::from(c)).expect("strings take everything");
            }
            c => out.push(c),
        }
    }
    out.trim().to_owned()
}

/// Text inside of a comment of a target with `/* */`, `//` or `#`: nothing in it ends the comment, starts
/// another one, ends a `<script>`, is a trigraph, or ends inline code.
pub(super) fn comment(text: &str) -> String {
    plain(text)
        .replace("*/", "* /")
        .replace("/*", "/ *")
        .replace("</", "< /")
        .replace("<!--", "< !--")
        .replace("??", "? ?")
        .replace('`', "'")
        .replace('\\', "\u{2216}")
}

/// The JSON text of a string, in ASCII.
pub fn json_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            ' '..='~' if !matches!(c, '<' | '>' | '&' | '\'') => out.push(c),
            c => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("strings take everything");
                }
            }
        }
    }
    out.push('"');
    out
}

/// A string literal of JavaScript or TypeScript. `<` is escaped, so that a page reads no markup in it.
pub(super) fn js_string(text: &str) -> String {
    json_string(text)
        .replace("\\u003c", "\\x3c")
        .replace("\\u003e", ">")
        .replace("\\u0026", "&")
        .replace("\\u0027", "'")
        .replace("\\x3c-", "<-")
}

/// A string literal of Python.
pub(super) fn python_string(text: &str) -> String {
    literal(text, |out, c| {
        let code = u32::from(c);
        if code <= 0xffff { write!(out, "\\u{code:04x}") } else { write!(out, "\\U{code:08x}") }
    })
}

/// A string literal of Rust.
pub(super) fn rust_string(text: &str) -> String {
    literal(text, |out, c| write!(out, "\\u{{{:x}}}", u32::from(c)))
}

/// A string literal of C: UTF-8 bytes in octal, no trigraphs.
pub(super) fn c_string(text: &str) -> String {
    let escaped = literal(text, |out, c| {
        c.encode_utf8(&mut [0; 4]).bytes().try_for_each(|byte| write!(out, "\\{byte:03o}"))
    });
    escaped.replace('?', "\\?")
}

fn literal(text: &str, escape: impl Fn(&mut String, char) -> std::fmt::Result) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            ' '..='~' => out.push(c),
            c => escape(&mut out, c).expect("strings take everything"),
        }
    }
    out.push('"');
    out
}
