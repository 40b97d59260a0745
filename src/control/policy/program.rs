//! What one event says in letters: an automaton, since a shell command may run its parts in several ways.

use crate::base::Decimal;
use crate::logic::Letter;
use crate::model::CallOutcome;
use crate::spec::policy::{ActionId, Atoms, LawAtom, RegisterId};

/// A letter with the values it is bound to and the amounts it adds to registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundLetter {
    /// The letter, without computed propositions.
    pub letter: Letter,
    /// Names and values, sorted by name.
    pub bindings: Vec<(String, String)>,
    /// What registers of amounts add.
    pub amounts: Vec<(RegisterId, Decimal)>,
}

impl BoundLetter {
    /// Adds another letter; what is cleared is no longer set, and the other way round. With `complete`, all truths of the
    /// world are reported, and those reported before are forgotten.
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
    /// Whether the agent calls something in it.
    pub fn has_call(&self, atoms: &Atoms) -> bool {
        self.letter.iter().any(|bit| matches!(atoms.atom(bit), LawAtom::Call(_)))
    }
}

/// A step of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// The state after it.
    pub to: usize,
    /// Its letter; without one nothing is reported.
    pub letter: Option<BoundLetter>,
}

/// A nondeterministic automaton of letters; state 0 is the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The arrows of each state.
    pub arrows: Vec<Vec<Arrow>>,
    /// The ways to end.
    pub last: Vec<Last>,
}

/// A state in which a program may end.
#[derive(Clone, Debug, PartialEq)]
pub struct Last {
    /// The state.
    pub state: usize,
    /// The actions that the last command takes; the exit code of the whole script is theirs.
    pub actions: Vec<ActionId>,
    /// Their outcome if the whole is ok; `None` where it then does not end here.
    pub on_ok: Option<CallOutcome>,
    /// Their outcome if the whole failed.
    pub on_failed: Option<CallOutcome>,
}

impl Last {
    /// Whose actions end as the whole does.
    pub fn with(state: usize, actions: Vec<ActionId>) -> Self {
        Self { state, actions, on_ok: Some(CallOutcome::Ok), on_failed: Some(CallOutcome::Failed) }
    }
    /// The outcome of the actions; `None` if the whole does not end so here.
    pub fn outcome(&self, whole: CallOutcome) -> Option<CallOutcome> {
        match whole {
            CallOutcome::Ok => self.on_ok,
            CallOutcome::Failed => self.on_failed,
            CallOutcome::Unknown => Some(CallOutcome::Unknown),
        }
    }
}

impl Program {
    /// No letter.
    pub fn silent() -> Self {
        Self { arrows: vec![Vec::new()], last: vec![Last::with(0, Vec::new())] }
    }
    /// One letter, whose actions end with the event that reports the result.
    pub fn one(letter: BoundLetter, actions: Vec<ActionId>) -> Self {
        let arrow = Arrow { to: 1, letter: Some(letter) };
        Self { arrows: vec![vec![arrow], Vec::new()], last: vec![Last::with(1, actions)] }
    }
    /// Whether it reports nothing.
    pub fn is_silent(&self) -> bool {
        self.arrows.iter().flatten().all(|arrow| arrow.letter.is_none())
    }
    /// The only letter, if there is one at most in every run.
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
