//! Checks of a text before it is parsed: bounded nesting, closed comments, no control characters.
//!
//! The parser of a grammar recurses natively as deep as brackets and comments nest, so one linear pass checks the depth
//! first.

use tsl_synth_core::diag::{Code, Diagnostic, Diagnostics};
use tsl_synth_core::source::Span;

/// How deep brackets, comments and chains of prefix operators may nest.
pub const MAX_NESTING: usize = 1_000;

/// The result of the pass.
#[derive(Debug, Default)]
pub struct Scan {
    /// The greatest nesting depth of brackets.
    pub depth: usize,
    /// All comments of the text, outermost ones only, as byte ranges.
    pub comments: Vec<std::ops::Range<usize>>,
}

/// The diagnostic for nesting past [`MAX_NESTING`].
pub fn too_deep(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(Code::TOO_DEEP, format!("{what} nested deeper than {MAX_NESTING}"))
        .at(span, "the limit is reached here")
        .hint("write several formulas, which are a conjunction; definitions of TSL and TLSF name parts of a formula")
}

/// Scans `text`, whose first byte is at `at.start`. With `comments`, `//` and `/* */` are comments and quoted
/// strings end on their line. `None` if there are errors.
pub fn scan(text: &str, at: Span, comments: bool, diagnostics: &mut Diagnostics) -> Option<Scan> {
    let span =
        |start: usize, end: usize| Span::new(at.source, at.start as usize + start, at.start as usize + end);
    let bytes = text.as_bytes();
    let mut scan = Scan::default();
    let (mut i, mut depth) = (0, 0usize);
    while i < bytes.len() {
        match bytes[i] {
            b'/' if comments && bytes.get(i + 1) == Some(&b'/') => {
                let end = text[i..].find('\n').map_or(bytes.len(), |n| i + n);
                scan.comments.push(i..end);
                i = end;
                continue;
            }
            b'/' if comments && bytes.get(i + 1) == Some(&b'*') => match block_comment(bytes, i) {
                Ok(end) => {
                    scan.comments.push(i..end);
                    i = end;
                    continue;
                }
                Err(Some(deep)) => {
                    diagnostics.push(too_deep(span(deep, deep + 2), "comments are"));
                    return None;
                }
                Err(None) => {
                    let error = Diagnostic::error(Code::OPEN_COMMENT, "this comment is never closed")
                        .at(span(i, i + 2), "`/*` without its `*/`")
                        .hint("comments nest: every `/*` needs its own `*/`");
                    diagnostics.push(error);
                    return None;
                }
            },
            b'"' => {
                let line = text[i + 1..].find(['"', '\n']).map_or(bytes.len(), |n| i + 1 + n);
                i = if bytes.get(line) == Some(&b'"') { line + 1 } else { i + 1 };
                continue;
            }
            b'(' | b'[' | b'{' => {
                depth += 1;
                if depth > MAX_NESTING {
                    diagnostics.push(too_deep(span(i, i + 1), "brackets are"));
                    return None;
                }
                scan.depth = scan.depth.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\t' | b'\n' | b'\r' | b'\x0c' => {}
            control @ (0..=31 | 127) => {
                let error = Diagnostic::error(
                    Code::CHARACTER,
                    format!("a control character (byte {control}) is not part of any text"),
                )
                .at(span(i, i + 1), "here")
                .hint("is this file really a specification?");
                diagnostics.push(error);
                return None;
            }
            _ => {}
        }
        i += 1;
    }
    Some(scan)
}

/// The end of the block comment at `start`. The error is the offset at which comments nest too deep, or `None` if the
/// comment is not closed.
fn block_comment(bytes: &[u8], start: usize) -> Result<usize, Option<usize>> {
    let (mut i, mut depth) = (start, 0usize);
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"/*" => {
                depth += 1;
                if depth > MAX_NESTING {
                    return Err(Some(i));
                }
                i += 2;
            }
            b"*/" => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return Ok(i);
                }
            }
            _ => i += 1,
        }
    }
    Err(None)
}
