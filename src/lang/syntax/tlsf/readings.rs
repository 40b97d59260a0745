//! Warns of formulas that LTL reads differently: in TLSF `U`, `W`, `R`, `M`, `S` and `T` bind looser than `&&`, `||`, `->` and
//! `<->`, in LTL tighter.

use super::expressions::{TlsfReader, TlsfRowToken, symbol};
use crate::syntax::row_readings::{RowReading, differences, show};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::source::Span;
use tsl_synth_ltl::operators::BinaryOp;
use tsl_synth_ltl::shunting_yard::{OperatorNode, RowSymbol, shunting_yard};

/// More warnings than this are not shown.
const MAX_WARNINGS: usize = 20;

fn is_connective(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff)
}

fn is_temporal(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(op, B::Until | B::WeakUntil | B::Release | B::StrongRelease | B::Since | B::Trigger)
}

/// A symbol as LTL reads it: temporal operators bind tighter than connectives, and among each other as in TLSF.
fn in_ltl(token: &TlsfRowToken) -> RowSymbol {
    match (symbol(token), token) {
        // From 18 to 35 in TLSF; connectives have up to 50, prefix operators 60.
        (RowSymbol::Infix(level, side), TlsfRowToken::Infix(op)) if is_temporal(*op) => {
            RowSymbol::Infix(level / 5 + 48, side)
        }
        (symbol, _) => symbol,
    }
}

impl TlsfReader<'_> {
    /// Warns of a row in which a connective stands below a temporal operator without parentheses, and keeps the places where
    /// parentheses would tell.
    pub(super) fn compare_with_ltl(&mut self, tokens: &[(TlsfRowToken, Span)], nodes: &[OperatorNode]) {
        let op = |place: u32| match tokens[place as usize].0 {
            TlsfRowToken::Infix(op) => Some(op),
            _ => None,
        };
        let infix = |node: u32| match nodes[node as usize] {
            OperatorNode::Infix(place, ..) => op(place),
            _ => None,
        };
        let ours = RowReading::new(nodes);
        let span_of = |(first, last): (u32, u32)| tokens[first as usize].1.to(tokens[last as usize].1);
        // The first temporal operator with a connective below it.
        let mut met = None;
        for node in nodes {
            let OperatorNode::Infix(place, a, b) = *node else { continue };
            let Some(outer) = op(place).filter(|op| is_temporal(*op)) else { continue };
            for child in [a, b] {
                if let Some(inner) = infix(child).filter(|op| is_connective(*op)) {
                    met = met.or(Some((outer, inner)));
                    self.implied.push(span_of(ours.ranges[child as usize]));
                }
            }
        }
        let Some((outer, inner)) = met else { return };
        let tree = shunting_yard(tokens.iter().map(|(token, _)| in_ltl(token)));
        let theirs = RowReading::new(&tree);
        let regrouped =
            |place: u32| op(place).filter(|op| matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Iff));
        for range in differences(&regrouped, &ours, &theirs) {
            let (Some(here), Some(there)) = (ours.covering(range), theirs.covering(range)) else { continue };
            let text = |reading: &RowReading<'_>, node| {
                show(reading, node, &|place| {
                    let words = self.slice(tokens[place as usize].1).split_whitespace();
                    let word = words.collect::<Vec<_>>().join(" ");
                    let tight = word == "!";
                    (word, tight)
                })
            };
            let (here, there) = (text(&ours, here), text(&theirs, there));
            self.warnings += 1;
            if self.warnings > MAX_WARNINGS {
                return;
            }
            let message = format!(
                "in TLSF `{}` binds looser than `{}`, in LTL tighter",
                outer.spelling(),
                inner.spelling()
            );
            self.diagnostics.push(
                Diagnostic::warning(Code::READ_DIFFERENTLY, message)
                    .at(span_of(range), format!("read as `{here}`"))
                    .hint(format!("if you mean `{there}`, write these parentheses"))
                    .hint("parentheses make it the same everywhere"),
            );
        }
    }
}

/// A part of a text with the parentheses at these places written out, and other texts for some words.
pub fn rewritten(text: &str, part: Span, places: &[Span], words: &[(Span, String)]) -> Option<String> {
    let is_inside = |span: &Span| part.start <= span.start && span.end <= part.end;
    // At one place, parentheses close before others open.
    let around = places.iter().filter(|span| is_inside(span));
    let mut cuts: Vec<(u32, u32, u8, &str)> =
        around.flat_map(|s| [(s.start, s.start, 1, "("), (s.end, s.end, 0, ")")]).collect();
    cuts.extend(words.iter().filter(|(s, _)| is_inside(s)).map(|(s, to)| (s.start, s.end, 2, to.as_str())));
    if cuts.is_empty() {
        return None;
    }
    cuts.sort_unstable_by_key(|&(start, _, order, _)| (start, order));
    let mut written = String::new();
    let mut done = part.start as usize;
    for (start, end, _, new) in cuts {
        written.push_str(&text[done..start as usize]);
        written.push_str(new);
        done = end as usize;
    }
    written.push_str(&text[done..part.end as usize]);
    Some(written)
}
