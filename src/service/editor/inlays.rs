//! Implied parentheses of formulas that are easily misread.

use super::sketch::{Sketch, SketchForm};
use std::ops::Range;
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// A sign to show at a position of the text, which does not contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inlay {
    /// The byte offset at which it is shown.
    pub offset: usize,
    /// `(` or `)`.
    pub text: &'static str,
}

impl Sketch {
    /// The parentheses that are implied by precedence, where formulas are easily misread.
    pub fn inlays(&self) -> Vec<Inlay> {
        self.parentheses(&(0..self.text.len()))
    }

    /// These parentheses for all formulas inside a part of the text.
    fn parentheses(&self, within: &Range<usize>) -> Vec<Inlay> {
        let mut found = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            if node.range.start < within.start || within.end < node.range.end {
                continue;
            }
            for (place, &child) in node.children.iter().enumerate() {
                if self.is_unclear(i, place, child) {
                    let range = &self.nodes[child].range;
                    found.push((range.start, false, range.len(), "("));
                    found.push((range.end, true, range.len(), ")"));
                }
            }
        }
        // At one position, closing parentheses come before opening ones; the outer pair opens first and closes last.
        found.sort_by_key(|&(offset, closes, length, _)| {
            (offset, !closes, if closes { length } else { usize::MAX - length })
        });
        found.into_iter().map(|(offset, _, _, text)| Inlay { offset, text }).collect()
    }

    fn is_unclear(&self, parent: usize, place: usize, child: usize) -> bool {
        let SketchForm::Binary(outer) = self.nodes[parent].form else { return false };
        match self.nodes[child].form {
            SketchForm::Binary(inner) => {
                let both = outer.is_logical() && inner.is_logical();
                both && (mixed(outer, inner) || is_temporal(outer) || is_temporal(inner))
            }
            // `G a -> b` constrains `b` in the first step only.
            SketchForm::Unary(UnaryOp::Globally | UnaryOp::Finally) => {
                place == 0 && (matches!(outer, BinaryOp::Implies | BinaryOp::Iff) || is_temporal(outer))
            }
            _ => false,
        }
    }

    /// A formula on one line with the parentheses that are implied.
    pub(super) fn grouped(&self, node: usize) -> String {
        let range = self.nodes[node].range.clone();
        let (mut text, mut at) = (String::new(), range.start);
        for inlay in self.parentheses(&range) {
            text.push_str(&self.text[at..inlay.offset]);
            text.push_str(inlay.text);
            at = inlay.offset;
        }
        text.push_str(&self.text[at..range.end]);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn is_temporal(op: BinaryOp) -> bool {
    use BinaryOp as B;
    matches!(
        op,
        B::Until | B::WeakUntil | B::Release | B::StrongRelease | B::AsSoonAs | B::Since | B::Trigger
    )
}

/// Two operators whose relative precedence readers often do not know.
fn mixed(outer: BinaryOp, inner: BinaryOp) -> bool {
    use BinaryOp as B;
    let arrow = |op| matches!(op, B::Implies | B::Iff);
    let both = (outer, inner);
    matches!(both, (B::Or | B::Xor, B::And) | (B::Or, B::Xor)) || arrow(outer) && arrow(inner)
}
