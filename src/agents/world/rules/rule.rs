//! What an action of a world needs and does.
//!
//! Random numbers are drawn only where the action is possible: first whether it succeeds, then which choice is taken, then
//! for each step its amounts and its chance, in the order of the file, also where `when` does not hold.

use super::condition::Condition;
use super::state::{Atom, Comparison, State, Vocabulary};
use crate::world::ToolCall;
use tsl_synth_core::base::Random;

/// A requirement.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Number(Atom),
    Formula(Condition),
    /// One of these conjunctions.
    Any(Vec<Vec<Atom>>),
}

impl Test {
    pub(super) fn holds(&self, state: &[u32]) -> bool {
        match self {
            Self::Number(atom) => atom.holds(state),
            Self::Formula(condition) => condition.holds(state),
            Self::Any(all) => all.iter().any(|all| all.iter().all(|atom| atom.holds(state))),
        }
    }
    /// The tests of which it is the conjunction.
    pub(super) fn parts(&self) -> Vec<Self> {
        match self {
            Self::Formula(condition) => condition.parts().into_iter().map(Self::Formula).collect(),
            _ => vec![self.clone()],
        }
    }
    /// The slots that it reads.
    pub(super) fn slots(&self) -> Vec<usize> {
        match self {
            Self::Number(atom) => vec![atom.slot],
            Self::Formula(condition) => condition.slots().collect(),
            Self::Any(all) => all.iter().flatten().map(|atom| atom.slot).collect(),
        }
    }
}

/// A change of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It grows by a number from the first to the second, drawn uniformly.
    Add(i64, i64),
    Set(u32),
}

/// Changes of slots.
pub(super) type Changes = Vec<(usize, Change)>;

/// Changes that happen together.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// How often they happen; always, and nothing is drawn, if there is no chance.
    pub(super) chance: Option<f64>,
    pub(super) when: Option<Test>,
    pub(super) changes: Changes,
}

/// One of several ways to do an action.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) needs: Vec<Atom>,
    pub(super) changes: Changes,
    /// What is reported if it is taken and what it needs is not there.
    pub(super) error: String,
}

/// An action.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    /// The calls of tools that it consists of, if it is no walk.
    pub(super) calls: Vec<ToolCall>,
    /// The place that it leads to.
    pub(super) walk: Option<usize>,
    /// What has to hold, and the name of what is missing where it does not.
    pub(super) missing: Vec<(Test, String)>,
    /// What has to hold, and what is reported where it does not.
    pub(super) requires: Vec<(Test, String)>,
    /// How often it succeeds where it is possible; always, and nothing is drawn, if not given.
    pub(super) succeeds: Option<f64>,
    /// What is reported where it does not succeed.
    pub(super) fails: String,
    /// The ways to do it: the first that is possible is taken, or with this probability any of them.
    pub(super) ways: Vec<Way>,
    pub(super) any_way: Option<f64>,
    pub(super) steps: Vec<Step>,
}

/// How chances are resolved.
pub(super) enum Luck<'r> {
    Drawn(&'r mut Random),
    /// Nothing fails by chance, and all random steps happen, or none; the random numbers are for amounts.
    Certain(bool, &'r mut Random),
    /// Nothing fails by chance, and what may happen does as far as it adds something.
    Good,
}

fn apply(words: &Vocabulary, state: &mut State, changes: &[(usize, i64)]) {
    for &(slot, to) in changes {
        let most = i64::from(words.slots[slot].most);
        state[slot] = u32::try_from(to.clamp(0, most)).unwrap_or(u32::MAX);
    }
}

/// The new values that changes give; several of one slot add up.
fn drawn(state: &[u32], changes: &Changes, luck: &mut Luck) -> Vec<(usize, i64)> {
    let mut found: Vec<(usize, i64)> = Vec::with_capacity(changes.len());
    for &(slot, change) in changes {
        let before =
            found.iter().rev().find(|(own, _)| *own == slot).map_or(i64::from(state[slot]), |(_, to)| *to);
        let to = match change {
            Change::Set(value) => i64::from(value),
            Change::Add(least, most) if least == most => before.saturating_add(least),
            Change::Add(least, most) => {
                let size = usize::try_from(most.abs_diff(least)).unwrap_or(usize::MAX).saturating_add(1);
                let extra = match luck {
                    Luck::Drawn(random) | Luck::Certain(_, random) => random.below(size),
                    Luck::Good => 0,
                };
                before.saturating_add(least).saturating_add(i64::try_from(extra).unwrap_or(0))
            }
        };
        found.push((slot, to));
    }
    found
}

/// Whether changes only add something.
fn adds(changes: &Changes) -> bool {
    changes.iter().all(|(_, change)| match change {
        Change::Add(least, _) => *least >= 0,
        Change::Set(value) => *value > 0,
    })
}

impl Rule {
    /// An action without preconditions and effects, to which these are added.
    pub(super) fn new(name: &str, calls: Vec<ToolCall>) -> Self {
        Self {
            name: name.to_owned(),
            calls,
            walk: None,
            missing: Vec::new(),
            requires: Vec::new(),
            succeeds: None,
            fails: "it did not succeed".into(),
            ways: Vec::new(),
            any_way: None,
            steps: Vec::new(),
        }
    }

    /// Why the action is not possible in a state.
    ///
    /// # Errors
    /// The error that the agent is told.
    pub(super) fn possible(&self, state: &[u32]) -> Result<(), String> {
        let missing = self.missing.iter().filter(|(test, _)| !test.holds(state));
        let missing: Vec<&str> = missing.map(|(_, what)| what.as_str()).collect();
        if !missing.is_empty() {
            return Err(format!("missing: {}", missing.join(", ")));
        }
        match self.requires.iter().find(|(test, _)| !test.holds(state)) {
            Some((_, error)) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// The state after the action.
    ///
    /// # Errors
    /// The error that the agent is told; then nothing changes.
    pub(super) fn act(&self, words: &Vocabulary, state: &State, mut luck: Luck) -> Result<State, String> {
        self.possible(state)?;
        if let Some(chance) = self.succeeds {
            let fails = match &mut luck {
                Luck::Drawn(random) => random.chance(1.0 - chance),
                Luck::Certain(..) => false,
                Luck::Good => chance == 0.0,
            };
            if fails {
                return Err(self.fails.clone());
            }
        }
        let mut next = state.clone();
        if let Some(way) = self.way(state, &mut luck) {
            if !way.needs.iter().all(|atom| atom.holds(state)) {
                return Err(way.error.clone());
            }
            let changes = drawn(&next, &way.changes, &mut luck);
            apply(words, &mut next, &changes);
        }
        for step in &self.steps {
            let changes = drawn(&next, &step.changes, &mut luck);
            let happens = step.chance.is_none_or(|chance| match &mut luck {
                Luck::Drawn(random) => random.chance(chance),
                Luck::Certain(all, _) => *all && chance > 0.0,
                Luck::Good => chance >= 1.0 || chance > 0.0 && adds(&step.changes),
            });
            if happens && step.when.as_ref().is_none_or(|when| when.holds(&next)) {
                apply(words, &mut next, &changes);
            }
        }
        Ok(next)
    }

    fn way(&self, state: &[u32], luck: &mut Luck) -> Option<&Way> {
        let first = self.ways.iter().find(|way| way.needs.iter().all(|atom| atom.holds(state)));
        let first = first.or(self.ways.first())?;
        let (Some(chance), Luck::Drawn(random)) = (self.any_way, luck) else { return Some(first) };
        let is_any = random.chance(chance);
        let any = random.below(self.ways.len());
        Some(if is_any { &self.ways[any] } else { first })
    }

    /// The slots that it may change.
    pub(super) fn changed(&self) -> impl Iterator<Item = usize> {
        let of_ways = self.ways.iter().flat_map(|way| &way.changes);
        of_ways.chain(self.steps.iter().flat_map(|step| &step.changes)).map(|(slot, _)| *slot)
    }

    /// The slots that it reads.
    pub(super) fn read(&self) -> Vec<usize> {
        let tests = self.missing.iter().chain(&self.requires).flat_map(|(test, _)| test.slots());
        let ways = self.ways.iter().flat_map(|way| way.needs.iter().map(|atom| atom.slot));
        let steps = self.steps.iter().filter_map(|step| step.when.as_ref()).flat_map(Test::slots);
        tests.chain(ways).chain(steps).collect()
    }
}

/// At least this amount of a slot.
pub(super) fn needs(slot: usize, least: u32) -> Atom {
    Atom { slot, comparison: Comparison::AtLeast, value: least }
}
