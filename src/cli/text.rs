//! Diagnostics for people: the line with the span underlined, what was expected, hints.

use crate::layout::wrapped;
use crate::terminal::escape;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::fmt::Write;
use tsl_synth_core::base::is_deceptive;
use tsl_synth_core::diag::{Diagnostic, Label, Severity};
use tsl_synth_core::source::SourceMap;

/// Longer lines are cut around the span.
const LINE: usize = 160;
/// The largest number of findings that are shown; further ones are only counted.
const MOST_SHOWN: usize = 100;
/// The largest distance, in lines, of a label to the first one with which it shares an excerpt.
const LINES: u32 = 12;

/// The diagnostics as text, each followed by an empty line.
pub(crate) fn render<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    map: &SourceMap,
    color: bool,
) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.term_width(LINE + 20);
    let mut out = String::new();
    let mut more = 0;
    for (i, diagnostic) in diagnostics.into_iter().enumerate() {
        if i >= MOST_SHOWN {
            more += 1;
            continue;
        }
        out.push_str(&one(diagnostic, map, &renderer));
        out.push_str("\n\n");
    }
    if more > 0 {
        let _ = write!(out, "... and {more} more findings; `--format json` has all\n\n");
    }
    out
}

/// A part of a source: some whole lines, the last ones perhaps cut.
struct Excerpt {
    text: String,
    /// The byte offset of its beginning in the source.
    start: usize,
    line: u32,
    /// Whether it begins at the beginning of a line.
    whole_lines: bool,
}

/// A message, wrapped to lines of at most [`LINE`] characters.
fn folded(message: &str) -> String {
    wrapped(&escape(message), LINE).join("\n")
}

fn one(diagnostic: &Diagnostic, map: &SourceMap, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(folded(&diagnostic.message)).id(diagnostic.code.to_string());
    let mut group = Group::with_title(title);
    // Labels that are close to the first share its excerpt; each of the others gets its own.
    let mut rest: Vec<&Label> = diagnostic.labels.iter().collect();
    let mut first = true;
    while !rest.is_empty() {
        let lead = rest.remove(0);
        let line = |label: &Label| map.positions(label.span).0.line;
        let near = |label: &&&Label| {
            label.span.source == lead.span.source && line(label).abs_diff(line(lead)) <= LINES
        };
        let mut members = vec![lead];
        members.extend(rest.iter().filter(near).copied());
        rest.retain(|label| !members.iter().any(|m| std::ptr::eq(*m, *label)));
        let name = escape(&map.get(lead.span.source).name);
        let excerpt = excerpt(&members, map);
        let mut snippet = Snippet::source(excerpt.text.clone()).line_start(excerpt.line as usize).fold(true);
        if excerpt.whole_lines {
            snippet = snippet.path(name);
        } else {
            // Columns of a cut line are not those of the file.
            let position = map.positions(lead.span).0;
            let origin = Origin::path(name).line(position.line as usize);
            group = group.element(origin.char_column(position.column as usize));
        }
        for (i, label) in members.iter().enumerate() {
            let kind = if i == 0 && first { AnnotationKind::Primary } else { AnnotationKind::Context };
            let place = |offset: u32| {
                let mut at = (offset as usize).clamp(excerpt.start, excerpt.start + excerpt.text.len());
                while !excerpt.text.is_char_boundary(at - excerpt.start) {
                    at -= 1;
                }
                at - excerpt.start
            };
            let text = (!label.text.is_empty()).then(|| escape(&label.text));
            snippet =
                snippet.annotation(kind.span(place(label.span.start)..place(label.span.end)).label(text));
        }
        first = false;
        group = group.element(snippet);
    }
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(folded(hint)));
    }
    renderer.render(&[group])
}

/// The lines around all labels; cut around the first one if that would be a long text.
fn excerpt(labels: &[&Label], map: &SourceMap) -> Excerpt {
    let source = map.get(labels[0].span.source);
    let text = source.text.as_str();
    let low = labels.iter().map(|l| l.span.start as usize).min().unwrap_or(0).min(text.len());
    let high = labels.iter().map(|l| l.span.end as usize).max().unwrap_or(0).clamp(low, text.len());
    let bytes = text.as_bytes();
    let line_start = bytes[..low].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let line_end = bytes[high..].iter().position(|&b| b == b'\n').map_or(text.len(), |i| high + i);
    let long = text[line_start..line_end].lines().any(|line| line.len() > LINE);
    let (mut start, mut end) = (line_start, line_end);
    if long || line_end - line_start > LINE * (LINES as usize + 2) * 2 {
        let lead = (labels[0].span.start as usize).min(text.len());
        start = line_start.max(lead.saturating_sub(LINE / 3));
        end = line_end.min(lead + LINE);
        // The cut must begin on the line of the span.
        start = bytes[start..lead].iter().rposition(|&b| b == b'\n').map_or(start, |i| start + i + 1);
    }
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let line = source.position(start as u32).line;
    let whole_lines = start == 0 || bytes[start - 1] == b'\n';
    Excerpt { text: visible(&text[start..end.max(start)]), start, line, whole_lines }
}

/// The text with characters that could deceive its reader replaced by others of the same length in bytes, so that spans
/// stay where they are. Those of one byte are shown as pictures by the renderer.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.len_utf8() {
            2 if is_deceptive(c) => out.push('·'),
            3 if is_deceptive(c) => out.push(char::REPLACEMENT_CHARACTER),
            4 if is_deceptive(c) => out.extend([char::REPLACEMENT_CHARACTER, '?']),
            _ => out.push(c),
        }
    }
    out
}
