//! Words: letters with `;` or line ends between them, the last ones in `cycle{...}`. A letter is a conjunction of
//! literals, `a & !b`, as Spot writes it; typed by hand it may omit the `&`: `a !b`, `inCave(s) !(x > 3)`, `[x <-
//! f(y)]`, `x <- f(y)`, `a=1`.

use super::{TraceEntry, TraceLetter, TraceString, TraceText, TraceValue, error};
use tsl_synth_core::diag::Diagnostic;
use tsl_synth_core::source::Span;

/// Brackets nested deeper than this are refused.
const DEPTH: usize = 1000;

/// Reads a word.
///
/// # Errors
/// Malformed text, with the position of the error.
pub fn read_word(text: &str, at: Span) -> Result<TraceText, Diagnostic> {
    let mut trace = TraceText::default();
    let mut cycle: Option<usize> = None;
    let mut closed = false;
    let mut start = 0;
    let mut letters = Vec::new();
    let cuts = cuts(text, at)?;
    for (position, cut) in cuts {
        let piece = text.get(start..position).unwrap_or("");
        let blank = strip_comment(piece).trim().is_empty();
        let span = part(at, start, position);
        match cut {
            Cut::Open => {
                if cycle.is_some() || piece.trim() != "cycle" {
                    let message = "braces are for the letters that repeat: `cycle{a; b}`";
                    return Err(error(part(at, position, position + 1), message, "here"));
                }
                cycle = Some(letters.len());
            }
            Cut::Close | Cut::Next | Cut::End => {
                if !blank {
                    if closed {
                        return Err(error(span, "nothing follows `cycle{...}`", "this is never reached"));
                    }
                    letters.push(read_letter(piece, span)?);
                } else if cut == Cut::Next && text.as_bytes().get(position) == Some(&b';') && !closed {
                    let message = "a letter is missing";
                    return Err(error(part(at, position, position + 1), message, "before this")
                        .hint("`1` is a letter without constraints"));
                }
                if cut == Cut::Close {
                    let begin = cycle.filter(|_| !closed);
                    if begin.is_none_or(|begin| begin == letters.len()) {
                        let message = "`}` closes a `cycle{` with at least one letter";
                        return Err(error(part(at, position, position + 1), message, "here"));
                    }
                    closed = true;
                }
            }
        }
        start = position + 1;
    }
    if let Some(begin) = cycle {
        if !closed {
            return Err(error(part(at, text.len(), text.len()), "`cycle{` is not closed", "expected `}`"));
        }
        trace.cycle = letters.split_off(begin);
    }
    trace.prefix = letters;
    if trace.prefix.is_empty() && trace.cycle.is_empty() {
        return Err(error(at, "there is no letter", "nothing here")
            .hint("a word is `a & b; !a & b; cycle{a & !b}`; a trace in JSON begins with `{`"));
    }
    Ok(trace)
}

/// The separators at which a word is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `;` or a line end
    Next,
    End,
}

fn part(at: Span, start: usize, end: usize) -> Span {
    Span::new(at.source, at.start as usize + start, at.start as usize + end)
}

/// The text before `//` or `#`.
fn strip_comment(text: &str) -> &str {
    let mut scan = BracketCounter::default();
    let bytes = text.as_bytes();
    let end = (0..bytes.len()).find(|&i| {
        let comment = !scan.quoted && (bytes[i] == b'#' || bytes[i..].starts_with(b"//"));
        scan.step(bytes[i]);
        comment
    });
    &text[..end.unwrap_or(text.len())]
}

/// The positions outside of brackets, quotes and comments at which a word is split.
fn cuts(text: &str, at: Span) -> Result<Vec<(usize, Cut)>, Diagnostic> {
    let mut cuts = Vec::new();
    let mut scan = BracketCounter::default();
    let mut comment = false;
    let bytes = text.as_bytes();
    for (i, &byte) in bytes.iter().enumerate() {
        if !scan.quoted && (byte == b'#' || bytes[i..].starts_with(b"//")) {
            comment = true;
        }
        if byte == b'\n' {
            comment = false;
        }
        if comment {
            continue;
        }
        let outside = scan.step(byte);
        if scan.depth > DEPTH {
            return Err(error(part(at, i, i + 1), format!("nested deeper than {DEPTH}"), "here"));
        }
        match byte {
            b'\n' if scan.quoted || scan.depth > 0 => {
                let message = "a bracket or quote is not closed on its line";
                return Err(error(part(at, i, i), message, "the line ends here"));
            }
            b'\n' | b';' if outside => cuts.push((i, Cut::Next)),
            b'{' if outside => cuts.push((i, Cut::Open)),
            b'}' if outside => cuts.push((i, Cut::Close)),
            _ => {}
        }
    }
    cuts.push((text.len(), Cut::End));
    Ok(cuts)
}

/// Tracks quotes and the nesting of parentheses and square brackets.
#[derive(Default)]
struct BracketCounter {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl BracketCounter {
    /// Processes a byte; returns whether it is outside of all quotes and brackets.
    fn step(&mut self, byte: u8) -> bool {
        if self.quoted {
            self.quoted = byte != b'"' || self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            return false;
        }
        match byte {
            b'"' => {
                self.quoted = true;
                return false;
            }
            b'(' | b'[' => self.depth += 1,
            b')' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        self.depth == 0
    }
}

/// Reads one letter.
///
/// # Errors
/// Malformed text, with the position of the error.
pub fn read_letter(text: &str, at: Span) -> Result<TraceLetter, Diagnostic> {
    let text = strip_comment(text);
    let mut scan = BracketCounter::default();
    let outside: Vec<bool> = text.bytes().map(|byte| scan.step(byte)).collect();
    if scan.depth > 0 || scan.quoted {
        return Err(error(part(at, 0, text.len()), "a bracket or quote is not closed", "in this letter"));
    }
    let separators: &[char] = if text.char_indices().any(|(i, c)| outside[i] && matches!(c, '&' | ',')) {
        &['&', ',']
    } else {
        &[' ', '\t', '\r']
    };
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    let ends = text.char_indices().filter(|&(i, c)| outside[i] && separators.contains(&c));
    for (end, _) in ends.chain([(text.len(), ' ')]) {
        let piece = &text[start..end];
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            let from = start + (piece.len() - piece.trim_start().len());
            let joined =
                pieces.last().is_some_and(|&(s, e)| separators.len() > 2 && joins(&text[s..e], trimmed));
            match pieces.last_mut() {
                Some(last) if joined => last.1 = from + trimmed.len(),
                _ => pieces.push((from, from + trimmed.len())),
            }
        }
        start = end + 1;
    }
    let mut entries = Vec::new();
    for (start, end) in pieces {
        literal(&text[start..end], part(at, start, end), &mut entries)?;
    }
    Ok(TraceLetter { span: at, entries })
}

/// Whether two pieces with a blank between them belong together: there is an operator at the blank, or the left piece
/// is only `!`.
fn joins(left: &str, right: &str) -> bool {
    let operators = ["=", "<", ">", "+", "-", "*", "/", "%", "!="];
    left.chars().all(|c| c == '!') || operators.iter().any(|o| left.ends_with(o) || right.starts_with(o))
}

fn literal(text: &str, at: Span, entries: &mut Vec<TraceEntry>) -> Result<(), Diagnostic> {
    let (mut text, mut start, mut value) = (text, 0, true);
    let mut grouped = false;
    loop {
        let inner = text.trim_start();
        start += text.len() - inner.len();
        text = inner.trim_end();
        if let Some(rest) = text.strip_prefix(['!', '~']) {
            (text, start, value) = (rest, start + 1, !value);
        } else if let Some(rest) = enclosed(text) {
            (text, start, grouped) = (rest, start + 1, true);
        } else {
            break;
        }
    }
    let span = part(at, start, start + text.len());
    if matches!(text, "1" | "true" | "0" | "false") {
        if value == matches!(text, "0" | "false") {
            return Err(error(span, "this literal is always false", "false"));
        }
        return Ok(());
    }
    let mut scan = BracketCounter::default();
    let outside: Vec<bool> = text.bytes().map(|byte| scan.step(byte)).collect();
    let found = |operator: &str| text.match_indices(operator).map(|(i, _)| i).find(|&i| outside[i]);
    if text.is_empty() || found("|").is_some() || found("^").is_some() || found("->").is_some() {
        let message = "a letter is a conjunction of literals: it says which terms hold and which do not";
        return Err(error(span, message, "not a literal").hint("such as `a & !b`"));
    }
    if grouped && value && found("&").is_some() {
        // `(a & b)`: recursion is bounded, since the depth of brackets is limited when the word is split.
        entries.extend(read_letter(text, span)?.entries);
        return Ok(());
    }
    if found("&").is_some() {
        let message = "a negated conjunction leaves open which part of it fails";
        return Err(error(span, message, "not a literal"));
    }
    if value && let Some(arrow) = found("<-") {
        let (cell, update) = (text[..arrow].trim(), text[arrow + 2..].trim());
        let update_at = start + text.len() - update.len();
        let cell = TraceString { text: cell.into(), span: part(at, start, start + cell.len()) };
        let update = TraceString { text: update.into(), span: part(at, update_at, update_at + update.len()) };
        entries.push(TraceEntry { term: cell, value: TraceValue::Term(update) });
        return Ok(());
    }
    let bare = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).filter(|_| text.len() > 1);
    let term = match bare {
        Some(name) => name.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => text.to_string(),
    };
    entries.push(TraceEntry { term: TraceString { text: term, span }, value: TraceValue::Holds(value) });
    Ok(())
}

/// The text between the parentheses, if they enclose all of it.
fn enclosed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0usize;
    let mut scan = BracketCounter::default();
    for byte in inner.bytes() {
        scan.step(byte);
        match byte {
            b'(' if !scan.quoted => depth += 1,
            b')' if !scan.quoted => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (depth == 0).then_some(inner)
}
