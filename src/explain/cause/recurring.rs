//! Causes with infinitely many cells of which any one was sufficient: no finite number of flips breaks the effect,
//! changing all these cells does, and keeping any one of them preserves the effect whatever else is changed. The cause
//! is then this one alternative: `a` was true at one of the steps 0, 2, 4, ....
//!
//! The cells are those of the nearest counterfactual. Every sequence that changes all of them is outside the cause;
//! that all others are inside is checked on the automaton of the counterfactuals: O(cells · counterfactuals).

use super::counterfactuals::Counterfactuals;
use super::events::bits;
use super::inclusion::{KeptCells, outside};
use super::nearest::FlipWord;
use super::question::letter_at;
use std::collections::BTreeMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Guard, Guards};
use tsl_synth_core::model::{Buchi, Edge, Marks, NecessaryEvent, NodeId, PeriodicSteps};

/// The cells that a counterfactual changes forever, by input and value, if the cause is that one of them keeps its
/// actual value; otherwise `None`.
///
/// # Errors
/// A limit of the budget.
pub(super) fn recurring(
    counterfactuals: &Counterfactuals,
    word: &FlipWord,
    budget: &Budget,
) -> Result<Option<Vec<NecessaryEvent>>, Limit> {
    // Under the limit assumption a sequence with more changes may be in the cause again.
    if word.cycle.is_empty() || counterfactuals.arcs.iter().flatten().any(|arc| arc.label.forbid != 0) {
        return Ok(None);
    }
    if outside(counterfactuals, &some_kept(counterfactuals, word), &KeptCells::nothing(), budget)?.is_some() {
        return Ok(None);
    }
    let from = word.prefix.len();
    let mut events: BTreeMap<(u32, bool), PeriodicSteps> = BTreeMap::new();
    for (step, &flips) in word.prefix.iter().chain(&word.cycle).enumerate() {
        for i in bits(flips) {
            let value = letter_at(&counterfactuals.actual, step).contains(counterfactuals.inputs[i as usize]);
            let steps = events.entry((i, value)).or_insert_with(|| PeriodicSteps {
                prefix: Vec::new(),
                period: Vec::new(),
                every: word.cycle.len(),
            });
            if step < from { steps.prefix.push(step) } else { steps.period.push(step) }
        }
    }
    let event = |((i, value), steps): ((u32, bool), PeriodicSteps)| NecessaryEvent {
        input: counterfactuals.inputs[i as usize],
        value,
        steps: steps.shortest(from),
    };
    Ok(Some(events.into_iter().map(event).collect()))
}

/// The input sequences that keep one of the cells.
fn some_kept(counterfactuals: &Counterfactuals, word: &FlipWord) -> Buchi {
    let mut guards = Guards::new();
    let length = word.prefix.len() + word.cycle.len();
    let done = NodeId::from_index(length);
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    for (step, &flips) in word.prefix.iter().chain(&word.cycle).enumerate() {
        let actual = letter_at(&counterfactuals.actual, step);
        let mut kept = Guard::FALSE;
        for i in bits(flips) {
            let input = counterfactuals.inputs[i as usize];
            let literal = guards.literal(input, actual.contains(input));
            kept = guards.or(kept, literal);
        }
        let next = NodeId::from_index(if step + 1 == length { word.prefix.len() } else { step + 1 });
        let mut out = vec![Edge { next, marks: Marks::NONE, guard: Guard::TRUE }];
        if kept != Guard::FALSE {
            out.push(Edge { next: done, marks: Marks::NONE, guard: kept });
        }
        edges.push(out);
    }
    edges.push(vec![Edge { next: done, marks: Marks::all(1), guard: Guard::TRUE }]);
    Buchi { guards, edges, initial: vec![NodeId::from_index(0)], sets: 1 }
}
