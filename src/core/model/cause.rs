//! Causes of an effect on a trace.

use crate::logic::{BitId, FormulaId, Lasso};

/// A set of steps that is ultimately periodic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeriodicSteps {
    /// Single steps before the periodic part, ascending.
    pub prefix: Vec<usize>,
    /// The steps of one round, ascending, all after those of `prefix`; each repeats after every `every` steps.
    pub period: Vec<usize>,
    /// The length of a round; at least 1.
    pub every: usize,
}

impl PeriodicSteps {
    /// Whether a step is in the set.
    pub fn contains(&self, step: usize) -> bool {
        self.prefix.contains(&step)
            || self.period.iter().any(|&first| step >= first && (step - first).is_multiple_of(self.every))
    }
    /// The first step.
    pub fn first(&self) -> Option<usize> {
        self.prefix.first().or(self.period.first()).copied()
    }
    /// The same set with the shortest round and the earliest periodic part; the rounds given begin at `from`.
    pub fn shortest(self, from: usize) -> Self {
        if self.period.is_empty() {
            return Self { every: 1, ..self };
        }
        let length = self.every;
        let inside: Vec<bool> = (from..from + length).map(|step| self.contains(step)).collect();
        let divides =
            |d: &usize| length.is_multiple_of(*d) && (*d..length).all(|i| inside[i] == inside[i - d]);
        let every = (1..=length).find(divides).unwrap_or(length);
        let mut start = from;
        while start > 0 && self.contains(start - 1) == self.contains(start - 1 + every) {
            start -= 1;
        }
        let prefix = self.prefix.iter().copied().filter(|&step| step < start).collect();
        let period = (start..start + every).filter(|&step| self.contains(step)).collect();
        Self { prefix, period, every }
    }
}

/// Events each of which was necessary for the effect: if one of them is flipped, a play without the effect exists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NecessaryEvent {
    /// The input.
    pub input: BitId,
    /// Its actual value in these steps.
    pub value: bool,
    /// The steps in which the input has this value.
    pub steps: PeriodicSteps,
}

/// A cell of the trace: an input in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputEvent {
    /// The step.
    pub step: usize,
    /// The input.
    pub input: BitId,
    /// Its actual value.
    pub actual: bool,
}

/// A counterfactual: the inputs nearest to the actual ones that have a play without the effect, and this play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterfactual {
    /// The play.
    pub play: Lasso,
    /// The flips before `period`, by step.
    pub flips: Vec<InputEvent>,
    /// The flips of one round of the play's cycle, which repeat in every round.
    pub period: Vec<InputEvent>,
}

/// The results about the cause of an effect on a trace.
#[derive(Clone, Debug)]
pub struct Cause {
    /// Events that were necessary each by itself.
    pub necessary: Vec<NecessaryEvent>,
    /// Minimal sets of at least two flips that undo the effect: the cause requires that at least one cell of each set
    /// is unchanged.
    pub alternatives: Vec<Vec<InputEvent>>,
    /// Infinitely many cells; if there are any, the cause is that at least one of them is unchanged.
    pub recurring: Vec<NecessaryEvent>,
    /// Groups of events; if there are any, the cause is that for each group, infinitely often all its events happen in
    /// the same step.
    pub again: Vec<Vec<NecessaryEvent>>,
    /// The nearest play without the effect.
    pub counterfactual: Option<Counterfactual>,
    /// Inputs that the cause does not mention.
    pub irrelevant: Vec<BitId>,
    /// A formula over the inputs that is equivalent to the cause.
    pub formula: Option<FormulaId>,
}
