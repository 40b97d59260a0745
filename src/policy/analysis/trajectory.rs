//! Words that lead into a state, as steps, and the laws that they violate.

use super::frame::{Alternation, AnalysisFrame};
use crate::CompiledPolicy;
use crate::language::LawId;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::LawStatus;

/// The propositions that hold, and the action that the agent then takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrajectoryStep {
    /// The names that are true.
    pub truths: Vec<String>,
    /// The action; `nothing` if it does nothing, `None` if it has no choice left.
    pub action: Option<String>,
}

/// A word that leads into a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trajectory {
    /// Its letters.
    pub letters: Vec<Letter>,
    /// The rest of the next letter, if it is known before the agent chooses.
    pub known: Option<Letter>,
    /// The word as steps; the last one is the state that is reached.
    pub steps: Vec<TrajectoryStep>,
}

impl Trajectory {
    /// A word, as steps.
    pub(super) fn new(frame: &AnalysisFrame<'_>, letters: Vec<Letter>, known: Option<Letter>) -> Self {
        let action = |letter: &Letter| Some(frame.calls(letter).unwrap_or_else(|| "nothing".to_string()));
        let mut steps: Vec<TrajectoryStep> = match frame.turns {
            Alternation::ChoiceFirst => letters
                .iter()
                .enumerate()
                .map(|(i, letter)| TrajectoryStep {
                    truths: frame.truths(letter),
                    action: letters.get(i + 1).and_then(action),
                })
                .collect(),
            _ => letters
                .iter()
                .map(|letter| TrajectoryStep { truths: frame.truths(letter), action: action(letter) })
                .collect(),
        };
        if let Some(known) = &known {
            steps.push(TrajectoryStep { truths: frame.truths(known), action: None });
        }
        Self { letters, known, steps }
    }
    /// The number of steps of the agent.
    pub fn len(&self) -> usize {
        self.steps.iter().filter(|step| step.action.is_some()).count()
    }
    /// Whether there is no step of the agent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The laws among some that a word violates forever, in their order.
pub fn violated(compiled: &CompiledPolicy, laws: &[LawId], letters: &[Letter]) -> Vec<LawId> {
    let end = |law: LawId| letters.iter().fold(0, |state, letter| compiled.step(law, state, letter));
    let is_violated = |&law: &LawId| compiled.monitors[law].standing(end(law)) == LawStatus::Violated;
    laws.iter().copied().filter(is_violated).collect()
}
