//! Recorded sessions as runs of steps: the features that held, the action that the agent then chose, and its outcome.

use super::goal::{Facts, Goal};
use crate::CompiledPolicy;
use crate::language::words::{LawTree, Temporal};
use crate::language::{ActionId, LawAtom, Timing};
use tsl_synth_core::base::IdSet;
use tsl_synth_core::define_id;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::CallOutcome;

define_id! {
    /// A feature of the history of a run, which mined laws may name.
    pub struct FeatureId;
}

/// A condition that mined laws may use: an atom that holds now, or one that has held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The atom.
    atom: LawAtom,
    /// Its name.
    name: String,
    /// Whether it is enough that it held before.
    is_past: bool,
}

impl Feature {
    /// The atom.
    pub fn atom(&self) -> LawAtom {
        self.atom
    }
    /// Whether it is enough that the atom held before.
    pub fn is_past(&self) -> bool {
        self.is_past
    }
    /// The formula of the feature, or of its negation.
    pub fn formula(&self, holds: bool) -> LawTree {
        let atom = LawTree::atom(self.name.as_str());
        let own = if self.is_past { LawTree::unary(Temporal::Once, atom) } else { atom };
        if holds { own } else { LawTree::negate(own) }
    }
    /// The same in words.
    pub fn words(&self, holds: bool) -> String {
        let name = &self.name;
        match (self.is_past, holds) {
            (false, true) => format!("`{name}` holds"),
            (false, false) => format!("`{name}` does not hold"),
            (true, true) => format!("`{name}` has held"),
            (true, false) => format!("`{name}` has never held"),
        }
    }
}

/// The features of a policy: each proposition now; with `timing = "same"` also each proposition and each success of an
/// action so far.
pub fn features(compiled: &CompiledPolicy) -> Vec<Feature> {
    let atoms = &compiled.policy.atoms;
    let feature = |atom: LawAtom, is_past| Feature { atom, name: atoms.bit_name(atoms.bit(atom)), is_past };
    let now = atoms.propositions.ids().map(|id| feature(LawAtom::Proposition(id), false));
    let mut all: Vec<Feature> = now.collect();
    if compiled.policy.timing == Timing::Same {
        all.extend(atoms.propositions.ids().map(|id| feature(LawAtom::Proposition(id), true)));
        all.extend(atoms.actions.ids().map(|id| feature(LawAtom::Result(id, CallOutcome::Ok), true)));
    }
    all
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    /// The features that hold when the agent chooses.
    pub holds: IdSet<FeatureId>,
    /// The action of the agent.
    pub action: ActionId,
    /// The outcome of the action, if that is known.
    pub outcome: Option<CallOutcome>,
    /// The index of the letter at which laws constrain the action: the letter before it if it is chosen first,
    /// otherwise its own.
    pub letter: usize,
}

/// A recorded session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Its steps.
    pub steps: Vec<RunStep>,
    /// The features that hold at its end.
    pub last: IdSet<FeatureId>,
    /// For each goal the number of steps until it holds, if it does.
    pub reached: Vec<Option<usize>>,
}

/// A session as it was recorded.
#[derive(Clone, Copy, Debug)]
pub struct RecordedRun<'r> {
    /// Its letters.
    pub letters: &'r [Letter],
    /// The goals that the environment reported by name, each with the number of letters before.
    pub reached: &'r [(usize, String)],
}

/// A recorded session as a run.
pub fn run(
    compiled: &CompiledPolicy,
    features: &[Feature],
    goals: &[Goal],
    recorded: RecordedRun<'_>,
) -> Run {
    let letters = recorded.letters;
    let atoms = &compiled.policy.atoms;
    let is_first = compiled.policy.timing == Timing::Next;
    let has = |letter: &Letter, atom: LawAtom| letter.contains(atoms.bit(atom));
    let mut run = Run { reached: vec![None; goals.len()], ..Run::default() };
    let mut before: IdSet<FeatureId> = IdSet::new();
    let mut facts = Facts::default();
    for (at, letter) in letters.iter().enumerate() {
        let holds = facts.read(atoms, letter);
        let mut now: IdSet<FeatureId> = IdSet::new();
        for (i, feature) in features.iter().enumerate() {
            let id = tsl_synth_core::base::Id::from_index(i);
            if has(holds, feature.atom) || feature.is_past && before.contains(id) {
                now.insert(id);
            }
        }
        let choice = if is_first { before.clone() } else { now.clone() };
        for action in atoms.actions.ids().filter(|&action| has(letter, LawAtom::Call(action))) {
            let outcome = outcome(compiled, action, &letters[at..], is_first);
            let letter = if is_first { at.saturating_sub(1) } else { at };
            run.steps.push(RunStep { holds: choice.clone(), action, outcome, letter });
        }
        let is_reported = |goal: &Goal| {
            recorded.reached.iter().any(|(after, name)| *after <= at + 1 && name == goal.name())
        };
        for (goal, reached) in goals.iter().zip(&mut run.reached) {
            if reached.is_none() && (goal.holds(atoms, holds) || is_reported(goal)) {
                *reached = Some(run.steps.len());
            }
        }
        before = now;
    }
    run.last = before;
    run
}

/// The first result of an action from its letter on, before it is called again.
fn outcome(
    compiled: &CompiledPolicy,
    action: ActionId,
    letters: &[Letter],
    is_first: bool,
) -> Option<CallOutcome> {
    let atoms = &compiled.policy.atoms;
    for (i, letter) in letters.iter().enumerate() {
        if i > 0 || is_first {
            for outcome in [CallOutcome::Ok, CallOutcome::Failed, CallOutcome::Unknown] {
                if letter.contains(atoms.bit(LawAtom::Result(action, outcome))) {
                    return Some(outcome);
                }
            }
        }
        if i > 0 && letter.contains(atoms.bit(LawAtom::Call(action))) {
            return None;
        }
    }
    None
}
