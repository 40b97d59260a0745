//! Necessary events: single cells of the trace without which the effect would not have happened, and all
//! inclusion-minimal finite sets of flips that break it.
//!
//! A cell is necessary if flipping it alone, following the actual inputs otherwise, breaks the effect. After n actual
//! letters the automaton of the counterfactuals is in one of finitely many sets of states, so the answer is ultimately
//! periodic in n and computed once: O((|trace| + period) · inputs · |counterfactuals|). Checked by simulation in the tests.

use super::counterfactuals::Counterfactuals;
use super::flips::Flips;
use super::question::letter_at;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tsl_synth_core::base::{Budget, Limit};
use tsl_synth_core::model::{InputEvent, NecessaryEvent, PeriodicSteps};

/// The sets of states after 0, 1, 2, ... actual letters, and the step from which they repeat.
pub(super) struct ActualRun {
    pub(super) sets: Vec<Vec<usize>>,
    pub(super) repeats_from: usize,
}

impl ActualRun {
    /// # Errors
    /// A limit: as many sets as there are subsets in the worst case, as many as states in practice.
    pub(super) fn new(counterfactuals: &Counterfactuals, budget: &Budget) -> Result<Self, Limit> {
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut seen: FxHashMap<(usize, Vec<usize>), usize> = FxHashMap::default();
        let mut set = counterfactuals.initial.clone();
        let mut position = 0;
        loop {
            budget.tick(1 + set.len() as u64, || "necessary events".into())?;
            if let Some(&repeats_from) = seen.get(&(position, set.clone())) {
                return Ok(Self { sets, repeats_from });
            }
            seen.insert((position, set.clone()), sets.len());
            sets.push(set.clone());
            set = counterfactuals.step(&set, 0).unwrap_or_default();
            position = counterfactuals.actual.successor(position);
        }
    }
    /// How many steps a period has.
    pub(super) fn period(&self) -> usize {
        self.sets.len() - self.repeats_from
    }
}

/// All necessary events, by input and value; in the order of their first steps.
pub(super) fn necessary(counterfactuals: &Counterfactuals, idle: &ActualRun) -> Vec<NecessaryEvent> {
    let mut events: BTreeMap<(usize, bool), PeriodicSteps> = BTreeMap::new();
    let every = idle.period();
    for (step, set) in idle.sets.iter().enumerate() {
        for (i, &input) in counterfactuals.inputs.iter().enumerate() {
            if counterfactuals.step(set, 1 << i).is_some() {
                continue;
            }
            let value = letter_at(&counterfactuals.actual, step).contains(input);
            let steps = events.entry((i, value)).or_insert_with(|| PeriodicSteps {
                prefix: Vec::new(),
                period: Vec::new(),
                every,
            });
            if step < idle.repeats_from { steps.prefix.push(step) } else { steps.period.push(step) }
        }
    }
    let event = |((i, value), steps): ((usize, bool), PeriodicSteps)| NecessaryEvent {
        input: counterfactuals.inputs[i],
        value,
        steps: steps.shortest(idle.repeats_from),
    };
    let mut all: Vec<NecessaryEvent> = events.into_iter().map(event).collect();
    all.sort_by_key(|event| event.steps.first());
    all
}

/// The inclusion-minimal sets of at least two flips in steps below `horizon` that break the effect, of at most
/// `most` flips, smallest first; and whether the search was complete.
pub(super) fn alternatives(
    counterfactuals: &Counterfactuals,
    distance: &[Option<usize>],
    horizon: usize,
    most: usize,
    work: u64,
) -> (Vec<Vec<InputEvent>>, bool) {
    let mut search = EventSearch { counterfactuals, distance, horizon, most, found: Vec::new(), left: work };
    let complete = search.run();
    let mut sets = search.found;
    sets.retain(|set| set.len() > 1);
    sets.sort();
    sets.sort_by_key(Vec::len);
    let event = |&(step, i): &(usize, u32)| {
        let input = counterfactuals.inputs[i as usize];
        InputEvent { step, input, actual: letter_at(&counterfactuals.actual, step).contains(input) }
    };
    (sets.iter().map(|set| set.iter().map(event).collect()).collect(), complete)
}

type Cells = Vec<(usize, u32)>;

struct EventSearch<'a> {
    counterfactuals: &'a Counterfactuals,
    distance: &'a [Option<usize>],
    horizon: usize,
    most: usize,
    found: Vec<Cells>,
    left: u64,
}

impl EventSearch<'_> {
    /// Level by level of the number of flips, so that subsets are found before their supersets.
    fn run(&mut self) -> bool {
        let start: Vec<(usize, usize, Cells)> =
            self.counterfactuals.initial.iter().map(|&s| (0, s, Vec::new())).collect();
        let mut levels: Vec<Vec<(usize, usize, Cells)>> = vec![Vec::new(); self.most + 1];
        levels[0] = start;
        let mut seen: FxHashSet<(usize, usize, Cells)> = FxHashSet::default();
        for flips in 0..=self.most {
            while let Some((step, state, cells)) = levels[flips].pop() {
                if self.counterfactuals.top[state] {
                    if !self.found.iter().any(|f| f.iter().all(|c| cells.contains(c))) {
                        self.found.push(cells);
                    }
                    continue;
                }
                if step >= self.horizon {
                    // Whether it breaks without more flips was decided by the top states.
                    continue;
                }
                for arc in &self.counterfactuals.arcs[state] {
                    let more = arc.label.need.count_ones() as usize;
                    let need = self.distance[arc.next].map(|d| d + flips + more);
                    if need.is_none_or(|need| need > self.most) {
                        continue;
                    }
                    let Some(left) = self.left.checked_sub(1) else { return false };
                    self.left = left;
                    let mut with = cells.clone();
                    with.extend(bits(arc.label.need).map(|i| (step, i)));
                    let covered = self.found.iter().any(|f| f.iter().all(|c| with.contains(c)));
                    let item = (step + 1, arc.next, with);
                    if !covered && seen.insert(item.clone()) {
                        levels[flips + more].push(item);
                    }
                }
            }
        }
        true
    }
}

/// The numbers of the inputs in a set of flips.
pub(super) fn bits(flips: Flips) -> impl Iterator<Item = u32> {
    (0..Flips::BITS).filter(move |i| flips >> i & 1 == 1)
}
