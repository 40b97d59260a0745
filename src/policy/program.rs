//! The letters of one event: an automaton, since a shell command may run its parts in several ways.

use crate::language::{ActionId, Atoms, LawAtom, RegisterId};
use tsl_synth_core::base::Decimal;
use tsl_synth_core::logic::Letter;
use tsl_synth_core::model::CallOutcome;

/// The value of a name that a table binds where the event has no value for it. The letter is then about some value
/// that is not known: it discharges nothing for any value, and forbids what it forbids for every value.
pub const UNKNOWN_VALUE: &str = "\0";

/// How the text begins that stands for a long list or object.
pub(super) const HASHED: &str = "sha256 ";

/// A letter with the values it is bound to and the amounts it adds to registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundLetter {
    /// The letter, without computed propositions.
    pub letter: Letter,
    /// Names and values, sorted by name.
    pub bindings: Vec<(String, String)>,
    /// The amounts that it adds to registers.
    pub amounts: Vec<(RegisterId, Decimal)>,
}

impl BoundLetter {
    /// Merges a later letter into this one: a proposition that it clears is no longer set, and vice versa. With
    /// `complete`, it reports all truths of the world, and the earlier truths are dropped.
    pub fn join(&mut self, more: Self, complete: bool, atoms: &Atoms) {
        for id in atoms.propositions.ids() {
            let (set, clear) = (atoms.bit(LawAtom::Proposition(id)), atoms.bit(LawAtom::Clear(id)));
            if complete || more.letter.contains(clear) {
                self.letter.remove(set);
            }
            if complete || more.letter.contains(set) {
                self.letter.remove(clear);
            }
        }
        self.letter.extend(more.letter.iter());
        for (name, value) in more.bindings {
            if !self.bindings.iter().any(|(own, _)| *own == name) {
                self.bindings.push((name, value));
            }
        }
        self.bindings.sort();
        self.amounts.extend(more.amounts);
    }
    /// The names that are bound to values that are known.
    pub fn known_bindings(&self) -> Vec<(String, String)> {
        self.bindings.iter().filter(|(_, value)| value != UNKNOWN_VALUE).cloned().collect()
    }
    /// Whether the letter has a call of the agent.
    pub fn has_call(&self, atoms: &Atoms) -> bool {
        self.letter.iter().any(|bit| matches!(atoms.atom(bit), LawAtom::Call(_)))
    }
}

/// A step of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// The state after it.
    pub to: usize,
    /// Its letter; `None` for a silent step.
    pub letter: Option<BoundLetter>,
}

/// A nondeterministic automaton over letters; state 0 is the initial state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The arrows of each state.
    pub arrows: Vec<Vec<Arrow>>,
    /// The states in which it may end, with the outcomes.
    pub last: Vec<Last>,
}

/// A state in which a program may end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Last {
    /// The state.
    pub state: usize,
    /// The actions of the last command, whose exit code is that of the whole script.
    pub actions: Vec<ActionId>,
    /// Their outcome if the whole script succeeds; `None` if it does not end here in that case.
    pub on_ok: Option<CallOutcome>,
    /// Their outcome if the whole script fails; `None` if it does not end here in that case.
    pub on_failed: Option<CallOutcome>,
}

impl Last {
    /// An end at which the outcome of the actions is that of the whole script.
    pub fn with(state: usize, actions: Vec<ActionId>) -> Self {
        Self { state, actions, on_ok: Some(CallOutcome::Ok), on_failed: Some(CallOutcome::Failed) }
    }
    /// The outcome of the actions; `None` if the whole script does not end here with this outcome.
    pub fn outcome(&self, whole: CallOutcome) -> Option<CallOutcome> {
        match whole {
            CallOutcome::Ok => self.on_ok,
            CallOutcome::Failed => self.on_failed,
            CallOutcome::Unknown => Some(CallOutcome::Unknown),
        }
    }
}

impl Program {
    /// The program without letters.
    pub fn silent() -> Self {
        Self { arrows: vec![Vec::new()], last: vec![Last::with(0, Vec::new())] }
    }
    /// The program of one letter, whose actions end with the event that reports the result.
    pub fn one(letter: BoundLetter, actions: Vec<ActionId>) -> Self {
        let arrow = Arrow { to: 1, letter: Some(letter) };
        Self { arrows: vec![vec![arrow], Vec::new()], last: vec![Last::with(1, actions)] }
    }
    /// Whether the program has no letters.
    pub fn is_silent(&self) -> bool {
        self.arrows.iter().flatten().all(|arrow| arrow.letter.is_none())
    }
    /// The letter of a program that consists of a single arrow, if it has one.
    pub fn only_letter(&self) -> Option<&BoundLetter> {
        match self.arrows.as_slice() {
            [first, second] if second.is_empty() => match first.as_slice() {
                [Arrow { letter, .. }] => letter.as_ref(),
                _ => None,
            },
            _ => None,
        }
    }
}
