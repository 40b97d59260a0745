//! Scalable vector graphics: a strategy drawn by [`layout`], for papers and pages. No label overlaps another label or a
//! state; the full text of a shortened label is in a `<title>` element.

use super::diagram::{bundles, title};
use super::graph::GraphState;
use super::input::{EmitError, EmitInput, Strategy};
use super::layout::{Drawing, LayoutGraph, Rect, Route, Size, layout, signed};
use super::overview::{Shown, shown};
use super::text::plain;
use super::unfold::drawn;
use std::fmt::Write;
use tsl_synth_core::base::escape_markup;

/// The width of a character of the font and the height of a line, in pixels.
const LETTER: f64 = 7.3;
const LINE: i32 = 15;
/// The distance from the top of a line to its baseline, in pixels.
const FOOT: i32 = 12;
/// The padding of a state around its text.
const PAD: Size = Size { width: 12, height: 7 };
/// The most columns of a line, and the most lines of a label that is not shortened.
const WIDEST: usize = 36;
const MOST_LINES: usize = 10;

/// The text of a state or an edge: the lines that are shown, and the full text.
struct Words {
    lines: Vec<String>,
    full: String,
}

/// A drawing of a graph with its texts.
pub(super) struct Picture {
    states: Vec<SvgState>,
    edges: Vec<SvgEdge>,
    drawing: Drawing,
}

struct SvgState {
    words: Words,
    start: bool,
    sink: bool,
}

struct SvgEdge {
    from: usize,
    to: usize,
    words: Words,
}

/// The number of columns that a character of a font with equal widths takes.
fn columns(c: char) -> usize {
    let wide = matches!(u32::from(c),
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xa960..=0xa97c | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f000..=0x1faff | 0x20000..=0x3fffd);
    if wide { 2 } else { 1 }
}

fn width(line: &str) -> usize {
    line.chars().map(columns).sum()
}

/// Breaks a text into lines before operators and after commas; words that are too long are broken anywhere.
fn wrap(text: &str, out: &mut Vec<String>) {
    let mut line = String::new();
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for word in text.split_inclusive(' ') {
        // Lines are broken before operators, not after them.
        if matches!(word.trim_end(), "|" | "&" | "/") && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
        }
        piece.push_str(word);
        if word.ends_with(", ") {
            pieces.push(std::mem::take(&mut piece));
        }
    }
    pieces.push(piece);
    for piece in pieces {
        let mut here = width(&line);
        if here > 0 && here + width(piece.trim_end()) > WIDEST {
            out.push(std::mem::replace(&mut line, "  ".into()));
            here = 2;
        }
        for c in piece.chars() {
            if here + columns(c) > WIDEST && c != ' ' {
                // Break between words, unless less than half of the line would remain.
                let blank = line.rfind(' ').filter(|&at| width(&line[..at]) > WIDEST / 2);
                let rest = blank.map_or(String::new(), |at| line.split_off(at + 1));
                out.push(std::mem::replace(&mut line, format!("  {rest}")));
                here = width(&line);
            }
            here += columns(c);
            line.push(c);
        }
    }
    out.push(line);
}

impl Words {
    /// Wraps each text separately.
    fn new(texts: &[String]) -> Self {
        let mut lines = Vec::new();
        for text in texts {
            wrap(text, &mut lines);
        }
        if lines.len() > MOST_LINES {
            lines.truncate(MOST_LINES - 1);
            lines.push("…".into());
        }
        let mut lines: Vec<String> = lines.iter().map(|line| line.trim_end().to_owned()).collect();
        if lines.iter().all(String::is_empty) {
            lines.clear();
        }
        Self { lines, full: texts.join("\n") }
    }
    fn size(&self) -> Size {
        let widest = self.lines.iter().map(|line| width(line)).max().unwrap_or(0);
        Size { width: (widest as f64 * LETTER).ceil() as i32, height: signed(self.lines.len()) * LINE }
    }
}

impl Picture {
    /// Draws states; `None` if there are too many of them for a drawing.
    pub(super) fn new(states: &[GraphState]) -> Option<Self> {
        let mut graph = LayoutGraph { nodes: vec![Size { width: 10, height: 10 }], edges: Vec::new() };
        let mut picture = Self { states: Vec::new(), edges: Vec::new(), drawing: Drawing::default() };
        for (i, state) in states.iter().enumerate() {
            let mut texts = vec![plain(&state.name)];
            if state.letter.len() <= MOST_LINES / 2 {
                texts.extend(state.letter.iter().map(|literal| plain(literal)));
            } else {
                texts.push(plain(&state.letter.join(", ")));
            }
            let words = Words::new(&texts);
            let Size { width, height } = words.size();
            let size =
                Size { width: (width + 2 * PAD.width).max(44), height: (height + 2 * PAD.height).max(30) };
            graph.nodes.push(size);
            if state.start {
                graph.edges.push((0, i + 1, Size::default()));
            }
            picture.states.push(SvgState { words, start: state.start, sink: state.sink });
        }
        for (from, state) in states.iter().enumerate() {
            for (to, lines) in bundles(state) {
                let words = Words::new(&lines);
                graph.edges.push((from + 1, to + 1, words.size()));
                picture.edges.push(SvgEdge { from, to, words });
            }
        }
        picture.drawing = layout(&graph)?;
        Some(picture)
    }

    /// The drawing as an element `svg` with these attributes and first children.
    fn element(&self, attributes: &str, head: &str) -> String {
        let Size { width, height } = self.drawing.size;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\"{attributes} font-family=\"monospace\" font-size=\"12\">\n"
        );
        out.push_str(head);
        out.push_str("<g class=\"edges\">\n");
        let starts = self.states.iter().filter(|state| state.start).count();
        for route in &self.drawing.routes[..starts] {
            let _ = writeln!(out, "<g class=\"edge begin\">{}</g>", path(route));
        }
        for (i, (edge, route)) in self.edges.iter().zip(&self.drawing.routes[starts..]).enumerate() {
            let (from, to) = (&self.states[edge.from], &self.states[edge.to]);
            let name = |state: &SvgState| state.words.lines.first().cloned().unwrap_or_default();
            let title = format!("{} to {}: {}", name(from), name(to), edge.words.full);
            let _ = write!(
                out,
                "<g class=\"edge\" data-edge=\"{i}\" data-from=\"{}\" data-to=\"{}\"><title>{}</title>{}",
                edge.from,
                edge.to,
                xml(&title),
                path(route)
            );
            if let Some(label) = route.label {
                out.push_str(&rect(label, "label-box", 0));
                out.push_str(&text(label, &edge.words, false));
            }
            out.push_str("</g>\n");
        }
        out.push_str("</g>\n<g class=\"states\">\n");
        let start = self.drawing.nodes[0];
        let _ = writeln!(
            out,
            "<circle class=\"begin\" cx=\"{}\" cy=\"{}\" r=\"5\"/>",
            start.x + start.size.width / 2,
            start.y + start.size.height / 2
        );
        for (i, (state, &node)) in self.states.iter().zip(&self.drawing.nodes[1..]).enumerate() {
            let roles = [(state.start, " start"), (state.sink, " sink")];
            let class: String = roles.iter().filter(|role| role.0).map(|role| role.1).collect();
            let role = match (state.start, state.sink) {
                (true, _) => " (start)",
                (_, true) => " (sink: never left)",
                _ => "",
            };
            let title = format!("{}{role}", state.words.full);
            let _ = writeln!(
                out,
                "<g class=\"state{class}\" data-state=\"{i}\"><title>{}</title>{}{}</g>",
                xml(&title),
                rect(node, "state-box", 8),
                text(node, &state.words, true)
            );
        }
        out.push_str("</g>\n</svg>\n");
        out
    }

    /// The width and height in pixels.
    pub(super) fn size(&self) -> (usize, usize) {
        let Size { width, height } = self.drawing.size;
        (usize::try_from(width).unwrap_or(0), usize::try_from(height).unwrap_or(0))
    }

    /// The drawing as a part of a page, whose style sheet has rules for its classes.
    pub(super) fn part(&self, label: &str) -> String {
        let Size { width, height } = self.drawing.size;
        let attributes =
            format!(" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\"", xml(label));
        self.element(&attributes, "")
    }
}

/// The style of a stand-alone drawing. Colors are literal, since programs other than browsers do not support variables.
const STYLE: &str = "\
.paper { fill: #ffffff; }
text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1b1f24; white-space: pre; }
.state text { font-weight: 600; }
.state tspan + tspan { font-weight: 400; }
.state-box { fill: #f2f5f9; stroke: #1b1f24; stroke-width: 1.3; }
.sink .state-box { stroke-dasharray: 5 3; }
.line { fill: none; stroke: #56606b; stroke-width: 1.2; }
.head, circle.begin { fill: #56606b; stroke: none; }
.label-box { fill: none; stroke: none; }
@media (prefers-color-scheme: dark) {
.paper { fill: #14171c; }
text { fill: #e8ebef; }
.state-box { fill: #22272f; stroke: #c9d1da; }
.line { stroke: #97a3b0; }
.head, circle.begin { fill: #97a3b0; }
}
";

/// A strategy as a drawing.
pub(super) fn svg(input: &EmitInput<'_>) -> Result<String, EmitError> {
    let what = match input.strategy {
        Strategy::Controller(_) => "Controller",
        Strategy::Counter(_) => "Counter-strategy",
    };
    let name = plain(&input.meta.spec_name);
    let other = "`--lang json` or `--lang hoa` has them all";
    let Shown { states, note } = shown(drawn(input)?);
    document(&states, &format!("{what} of {name}"), &title(input), (other, note.as_deref()))
}

/// A drawing of states as a document with this title and description; `other` is the advice of the error message if
/// there are too many states. A note stands under the drawing.
pub(super) fn document(
    states: &[GraphState],
    title: &str,
    description: &str,
    (other, note): (&str, Option<&str>),
) -> Result<String, EmitError> {
    let Some(mut picture) = Picture::new(states) else {
        let count = states.len();
        let message =
            format!("a drawing of {count} states with that many edges would not be readable: {other}");
        return Err(EmitError::Unsupported(message));
    };
    let drawn = picture.drawing.size;
    let note = note.map_or_else(String::new, |note| {
        let own = (width(note) as f64 * LETTER).ceil() as i32 + 2 * PAD.width;
        picture.drawing.size = Size { width: drawn.width.max(own), height: drawn.height + 2 * LINE };
        format!("<text x=\"{}\" y=\"{}\">{}</text>\n", PAD.width, drawn.height + LINE, xml(note))
    });
    let Size { width, height } = picture.drawing.size;
    let head = format!(
        "<title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" fill=\"#ffffff\" width=\"{width}\" height=\"{height}\"/>\n{note}",
        xml(title),
        xml(&format!("{description}. {}", summary(states)))
    );
    let attributes =
        format!(" width=\"{width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\"");
    Ok(picture.element(&attributes, &head))
}

/// A summary of the drawing for screen readers.
fn summary(states: &[GraphState]) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let edges = states.iter().map(|state| bundles(state).len()).sum();
    let start = states.iter().find(|state| state.start).map_or("", |state| &state.name);
    format!("{} and {}, start in {}", count(states.len(), "state"), count(edges, "edge"), plain(start))
}

fn rect(rect: Rect, class: &str, round: i32) -> String {
    let Rect { x, y, size: Size { width, height } } = rect;
    // The attributes are for programs that do not support style sheets.
    let round = if round > 0 {
        format!(" rx=\"{round}\" fill=\"#f2f5f9\" stroke=\"#1b1f24\"")
    } else {
        " fill=\"none\"".into()
    };
    format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{round}/>")
}

/// Lines of text in a box, centered or aligned to the left.
fn text(place: Rect, words: &Words, centered: bool) -> String {
    let high = signed(words.lines.len()) * LINE;
    let mut y = place.y + (place.size.height - high) / 2 + FOOT;
    let (x, anchor) =
        if centered { (place.x + place.size.width / 2, " text-anchor=\"middle\"") } else { (place.x, "") };
    let mut out = format!("<text{anchor}>");
    for line in &words.lines {
        let indent = (line.len() - line.trim_start().len()) as f64 * LETTER;
        let shift = if centered { 0 } else { indent as i32 };
        let line = line.trim_start();
        // Fonts differ in the widths of characters beyond ASCII, so the line is fitted to the reserved width.
        let fit = if line.is_ascii() {
            String::new()
        } else {
            let fit = width(line) as f64 * LETTER;
            format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", fit as i32)
        };
        let _ = write!(out, "<tspan x=\"{}\" y=\"{y}\"{fit}>{}</tspan>", x + shift, xml(line));
        y += LINE;
    }
    out.push_str("</text>");
    out
}

/// The length and half of the width of an arrow head.
const HEAD: (i32, i32) = (9, 4);

/// The line of an edge with its arrow head.
fn path(route: &Route) -> String {
    let mut line = String::new();
    let points = &route.points;
    let (Some(&(x, y)), Some(&end)) = (points.first(), points.last()) else { return line };
    let _ = write!(line, "M{x} {y}");
    if let ([_, a, b, c], true) = (points.as_slice(), route.is_loop) {
        let _ = write!(line, "C{} {} {} {} {} {}", a.0, a.1, b.0, b.1, c.0, c.1 - HEAD.0 + 1);
        let head = format!("M{} {}l{} {}h{}z", c.0, c.1, -HEAD.1, -HEAD.0, 2 * HEAD.1);
        return format!(
            "<path class=\"line\" fill=\"none\" stroke=\"#56606b\" d=\"{line}\"/><path class=\"head\" d=\"{head}\"/>"
        );
    }
    let mut last = (x, y);
    let towards = if points.len() > 1 && points[points.len() - 2].0 > end.0 { -1 } else { 1 };
    for (i, &(x, y)) in points.iter().enumerate().skip(1) {
        let to = if i + 1 == points.len() { x - towards * (HEAD.0 - 1) } else { x };
        if y == last.1 {
            let _ = write!(line, "H{to}");
        } else {
            let middle = i32::midpoint(last.0, x);
            let _ = write!(line, "C{middle} {} {middle} {y} {to} {y}", last.1);
        }
        last = (x, y);
    }
    let head = format!("M{} {}l{} {}v{}z", end.0, end.1, -towards * HEAD.0, -HEAD.1, 2 * HEAD.1);
    format!(
        "<path class=\"line\" fill=\"none\" stroke=\"#56606b\" d=\"{line}\"/><path class=\"head\" d=\"{head}\"/>"
    )
}

/// Text in an element or attribute of XML.
pub(super) fn xml(text: &str) -> String {
    // Not allowed in XML.
    escape_markup(text, |c, out| out.push(if matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { c }))
}
