//! Difference space: which inputs of a letter differ from the actual trace.

use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};

/// A set of inputs of one step, as a machine word: bit i is the i-th input of the question.
pub(super) type Flips = u64;

/// The most inputs of a question.
pub(super) const MOST_INPUTS: usize = 64;

/// Which differences allow an edge: all of `need` and none of `forbid`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FlipLabel {
    /// These inputs differ.
    pub(super) need: Flips,
    /// These inputs do not. Only used where a counterfactual has to agree with the far sequence.
    pub(super) forbid: Flips,
}

impl FlipLabel {
    /// Whether a letter of differences allows the edge.
    pub(super) fn admits(self, flips: Flips) -> bool {
        self.need & !flips == 0 && self.forbid & flips == 0
    }
    /// Whether every letter that allows `other` allows this.
    pub(super) fn covers(self, other: Self) -> bool {
        self.need & !other.need == 0 && self.forbid & !other.forbid == 0
    }
}

/// The labels of a set of input letters relative to an actual letter: a letter of differences is admitted by one of
/// them if and only if some letter of the set differs from the actual one in some of these inputs at most, and in the
/// inputs of `exact` in exactly these. Sorted; none covers another.
///
/// Recursion is as deep as there are inputs; the cost is linear in the paths of the diagram.
pub(super) fn labels(
    guards: &Guards,
    guard: Guard,
    inputs: &[BitId],
    actual: &Letter,
    exact: Flips,
) -> Vec<FlipLabel> {
    let mut all = Vec::new();
    collect(guards, guard, inputs, actual, exact, FlipLabel::default(), &mut all);
    all.sort_unstable_by_key(|label| (label.need.count_ones() + label.forbid.count_ones(), *label));
    let mut kept: Vec<FlipLabel> = Vec::new();
    for label in all {
        if !kept.iter().any(|k| k.covers(label)) {
            kept.push(label);
        }
    }
    kept
}

fn collect(
    guards: &Guards,
    guard: Guard,
    inputs: &[BitId],
    actual: &Letter,
    exact: Flips,
    label: FlipLabel,
    all: &mut Vec<FlipLabel>,
) {
    if guard == Guard::FALSE {
        return;
    }
    let Some((bit, low, high)) = guards.branch(guard) else {
        all.push(label);
        return;
    };
    let i = inputs.binary_search(&bit).expect("guards here are about inputs");
    let (same, other) = if actual.contains(bit) { (high, low) } else { (low, high) };
    let mask = 1 << i;
    let kept = if exact & mask == 0 { label } else { FlipLabel { forbid: label.forbid | mask, ..label } };
    collect(guards, same, inputs, actual, exact, kept, all);
    collect(guards, other, inputs, actual, exact, FlipLabel { need: label.need | mask, ..label }, all);
}
