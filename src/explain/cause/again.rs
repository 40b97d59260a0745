//! Events that had to recur: no finite number of flips breaks the effect, but changing an input forever at the steps k,
//! k + n, k + 2n, ... does. LTL cannot say "infinitely often at the even steps", so causes of this form have no
//! formula.
//!
//! For every step k of a round the inputs are collected that break the effect when they alone are changed there in
//! every round; the candidate for the cause is that for each such k all of them have their actual values infinitely
//! often. It is reported only if both inclusions are verified: O(cells · counterfactuals), and one question to the cause
//! automaton.

use super::counterfactuals::Counterfactuals;
use super::determinate::Determinate;
use super::events::{ActualRun, bits};
use super::flips::Flips;
use super::inclusion::{KeptCells, flipped, inside, outside};
use super::question::letter_at;
use crate::tuning::ROUND_CELLS;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Guard, Guards};
use tsl_synth_core::model::{Buchi, Edge, Marks, NecessaryEvent, NodeId, PeriodicSteps};

/// Groups of events such that the cause is that for each group all its events happen at once in infinitely many of its
/// steps; `None` if there are none.
///
/// # Errors
/// A limit.
pub(super) fn again(
    counterfactuals: &Counterfactuals,
    idle: &ActualRun,
    most: usize,
    budget: &Budget,
) -> Result<Option<Vec<Vec<NecessaryEvent>>>, Limit> {
    let (from, every) = (idle.repeats_from, idle.period());
    if every * counterfactuals.inputs.len() > ROUND_CELLS
        || counterfactuals.arcs.iter().flatten().any(|a| a.label.forbid != 0)
    {
        return Ok(None);
    }
    // The steps of a round with the inputs that must keep their actual values.
    let mut cells: Vec<(usize, Flips)> = Vec::new();
    for step in from..from + every {
        let mut needed = 0;
        for i in 0..counterfactuals.inputs.len() {
            let changed = line(counterfactuals, from + every, from, |at| if at == step { 1 << i } else { 0 });
            if outside(counterfactuals, &changed, &KeptCells::nothing(), budget)?.is_some() {
                needed |= 1 << i;
            }
        }
        if needed != 0 {
            cells.push((step, needed));
        }
    }
    if cells.is_empty()
        || outside(
            counterfactuals,
            &infinitely_often(counterfactuals, (from, every), &cells),
            &KeptCells::nothing(),
            budget,
        )?
        .is_some()
    {
        return Ok(None);
    }
    for &cell in &cells {
        let finitely = finitely_often(counterfactuals, (from, every), cell);
        if inside(counterfactuals, &mut Determinate::new(counterfactuals, most), &finitely, budget)?.is_some()
        {
            return Ok(None);
        }
    }
    let group = |&(step, flips): &(usize, Flips)| {
        let event = |i: u32| {
            let input = counterfactuals.inputs[i as usize];
            let steps = PeriodicSteps { prefix: Vec::new(), period: vec![step], every };
            NecessaryEvent { input, value: letter_at(&counterfactuals.actual, step).contains(input), steps }
        };
        bits(flips).map(event).collect()
    };
    Ok(Some(cells.iter().map(group).collect()))
}

/// The one input sequence with these flips: `length` steps, then again from step `back` on.
fn line(
    counterfactuals: &Counterfactuals,
    length: usize,
    back: usize,
    flips: impl Fn(usize) -> Flips,
) -> Buchi {
    let mut guards = Guards::new();
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    for step in 0..length {
        let letter = flipped(letter_at(&counterfactuals.actual, step), &counterfactuals.inputs, flips(step));
        let guard = guards.valuation(counterfactuals.inputs.iter().copied(), &letter);
        let next = NodeId::from_index(if step + 1 == length { back } else { step + 1 });
        edges.push(vec![Edge { next, marks: Marks::NONE, guard }]);
    }
    Buchi { guards, edges, initial: vec![NodeId::from_index(0)], sets: 0 }
}

/// The letters in which all of these inputs have their actual values of this step.
fn as_it_was(counterfactuals: &Counterfactuals, (step, flips): (usize, Flips), guards: &mut Guards) -> Guard {
    let actual = letter_at(&counterfactuals.actual, step);
    bits(flips).fold(Guard::TRUE, |all, i| {
        let input = counterfactuals.inputs[i as usize];
        let literal = guards.literal(input, actual.contains(input));
        guards.and(all, literal)
    })
}

/// The sequences in which each of these cells has its actual values in infinitely many rounds.
fn infinitely_often(
    counterfactuals: &Counterfactuals,
    (from, every): (usize, usize),
    cells: &[(usize, Flips)],
) -> Buchi {
    let mut guards = Guards::new();
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    for step in 0..from + every {
        let next = NodeId::from_index(if step + 1 == from + every { from } else { step + 1 });
        let mut out = vec![Edge { next, marks: Marks::NONE, guard: Guard::TRUE }];
        if let Some(set) = cells.iter().position(|cell| cell.0 == step) {
            let guard = as_it_was(counterfactuals, cells[set], &mut guards);
            out.push(Edge { next, marks: Marks::of(set), guard });
        }
        edges.push(out);
    }
    Buchi { guards, edges, initial: vec![NodeId::from_index(0)], sets: cells.len() }
}

/// The sequences in which a cell has its actual values in only finitely many rounds.
fn finitely_often(
    counterfactuals: &Counterfactuals,
    (from, every): (usize, usize),
    cell: (usize, Flips),
) -> Buchi {
    let mut guards = Guards::new();
    let kept = as_it_was(counterfactuals, cell, &mut guards);
    let changed = guards.not(kept);
    let length = from + every;
    let mut edges: IdVec<NodeId, Vec<Edge>> = IdVec::new();
    // The first copy allows anything; in the second copy the cell never has its actual values.
    for copy in 0..2 {
        for step in 0..length {
            let next = if step + 1 == length { from } else { step + 1 };
            let guard = if copy == 1 && step == cell.0 { changed } else { Guard::TRUE };
            let marks = if copy == 1 { Marks::all(1) } else { Marks::NONE };
            let mut out = vec![Edge { next: NodeId::from_index(copy * length + next), marks, guard }];
            if copy == 0 {
                out.push(Edge { next: NodeId::from_index(length + next), marks, guard });
            }
            edges.push(out);
        }
    }
    Buchi { guards, edges, initial: vec![NodeId::from_index(0)], sets: 1 }
}
