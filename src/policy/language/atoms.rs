//! The propositions and actions of a policy and the bits of its letters.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};
use tsl_synth_core::model::CallOutcome;
use tsl_synth_core::source::Span;

define_id! {
    /// A proposition of a policy.
    pub struct PropositionId;
}
define_id! {
    /// An action of a policy.
    pub struct ActionId;
}

/// A proposition about the world or the session.
#[derive(Clone, Debug)]
pub struct Proposition {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Whether it holds until it is cleared; else only in the letter that sets it.
    pub is_state: bool,
    /// Its value before the first letter, if `is_state`.
    pub initial: bool,
    /// Whether it is computed by a register.
    pub is_computed: bool,
}

/// Something that the agent does.
#[derive(Clone, Debug)]
pub struct Action {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its group; a letter has at most one action of each group.
    pub group: usize,
    /// Whether the policy declares it in a group, or a vocabulary has it; others form a group that nobody wrote.
    pub is_declared: bool,
}

/// The meaning of a bit of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LawAtom {
    /// A proposition holds in this letter. For one that holds until it is cleared: it begins to hold.
    Proposition(PropositionId),
    /// A proposition that holds until it is cleared is cleared.
    Clear(PropositionId),
    /// Part of a command could not be parsed.
    Opaque,
    /// The agent calls an action.
    Call(ActionId),
    /// A call of an action has ended with this outcome.
    Result(ActionId, CallOutcome),
}

/// The outcomes in the order of their bits.
pub const OUTCOMES: [CallOutcome; 3] = [CallOutcome::Ok, CallOutcome::Failed, CallOutcome::Unknown];

/// The names of a policy and their bits: for each proposition two, then `opaque`, then for each action its call and
/// outcomes.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    /// Propositions.
    pub propositions: IdVec<PropositionId, Proposition>,
    /// Actions.
    pub actions: IdVec<ActionId, Action>,
    names: FxHashMap<String, Named>,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// A proposition.
    Proposition(PropositionId),
    /// An action: its call.
    Action(ActionId),
    /// The end of an action's call.
    Result(ActionId, CallOutcome),
    /// `opaque`
    Opaque,
    /// `act`: any action.
    Act,
}

/// The name of an outcome, which follows a dot as in `a.ok`.
pub fn outcome_name(outcome: CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::Ok => "ok",
        CallOutcome::Failed => "failed",
        CallOutcome::Unknown => "unknown",
    }
}

impl Atoms {
    /// No names but `act` and `opaque`.
    pub fn new() -> Self {
        let names = FxHashMap::from_iter([("act".into(), Named::Act), ("opaque".into(), Named::Opaque)]);
        Self { names, ..Self::default() }
    }
    /// The meaning of a name.
    pub fn named(&self, name: &str) -> Option<Named> {
        self.names.get(name).copied()
    }
    /// All names, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }
    /// Adds a proposition; `None` if the name is taken.
    pub fn add_proposition(&mut self, proposition: Proposition) -> Option<PropositionId> {
        if self.names.contains_key(&proposition.name) {
            return None;
        }
        let name = proposition.name.clone();
        let id = self.propositions.push(proposition);
        self.names.insert(name, Named::Proposition(id));
        Some(id)
    }
    /// Adds an action and its outcomes; `None` if the name is taken.
    pub fn add_action(&mut self, action: Action) -> Option<ActionId> {
        if self.names.contains_key(&action.name) {
            return None;
        }
        let name = action.name.clone();
        let id = self.actions.push(action);
        for outcome in OUTCOMES {
            self.names.insert(format!("{name}.{}", outcome_name(outcome)), Named::Result(id, outcome));
        }
        self.names.insert(name, Named::Action(id));
        Some(id)
    }
    /// How many bits a letter has.
    pub fn bits(&self) -> usize {
        2 * self.propositions.len() + 1 + 4 * self.actions.len()
    }
    /// The bit of an atom.
    pub fn bit(&self, atom: LawAtom) -> BitId {
        let after = 2 * self.propositions.len() + 1;
        BitId::from_index(match atom {
            LawAtom::Proposition(id) => 2 * id.index(),
            LawAtom::Clear(id) => 2 * id.index() + 1,
            LawAtom::Opaque => after - 1,
            LawAtom::Call(id) => after + 4 * id.index(),
            LawAtom::Result(id, outcome) => {
                let place = OUTCOMES.iter().position(|&one| one == outcome).unwrap_or(0);
                after + 4 * id.index() + 1 + place
            }
        })
    }
    /// The atom of a bit.
    pub fn atom(&self, bit: BitId) -> LawAtom {
        let after = 2 * self.propositions.len() + 1;
        match bit.index() {
            i if i + 1 < after => {
                let id = PropositionId::from_index(i / 2);
                if i % 2 == 0 { LawAtom::Proposition(id) } else { LawAtom::Clear(id) }
            }
            i if i < after => LawAtom::Opaque,
            i => {
                let (action, place) = ((i - after) / 4, (i - after) % 4);
                let action = ActionId::from_index(action);
                if place == 0 { LawAtom::Call(action) } else { LawAtom::Result(action, OUTCOMES[place - 1]) }
            }
        }
    }
    /// The name of a bit.
    pub fn bit_name(&self, bit: BitId) -> String {
        match self.atom(bit) {
            LawAtom::Proposition(id) => self.propositions[id].name.clone(),
            LawAtom::Clear(id) => format!("!{}", self.propositions[id].name),
            LawAtom::Opaque => "opaque".into(),
            LawAtom::Call(id) => self.actions[id].name.clone(),
            LawAtom::Result(id, outcome) => format!("{}.{}", self.actions[id].name, outcome_name(outcome)),
        }
    }
    /// The names of the true bits of a letter.
    pub fn letter_names(&self, letter: &Letter) -> Vec<String> {
        letter.iter().map(|bit| self.bit_name(bit)).collect()
    }
    /// The letters in which a name holds; `None` for a proposition that holds until it is cleared, whose value a letter
    /// alone does not determine.
    pub fn guard(&self, guards: &mut Guards, named: Named) -> Option<Guard> {
        Some(match named {
            Named::Proposition(id) if self.propositions[id].is_state => return None,
            Named::Proposition(id) => guards.bit(self.bit(LawAtom::Proposition(id))),
            Named::Action(id) => guards.bit(self.bit(LawAtom::Call(id))),
            Named::Result(id, outcome) => guards.bit(self.bit(LawAtom::Result(id, outcome))),
            Named::Opaque => guards.bit(self.bit(LawAtom::Opaque)),
            Named::Act => self.any_call(guards),
        })
    }
    /// The letters with some call.
    pub fn any_call(&self, guards: &mut Guards) -> Guard {
        let calls: Vec<BitId> = self.actions.ids().map(|id| self.bit(LawAtom::Call(id))).collect();
        any_of(guards, &calls)
    }
    /// The letters that can occur: at most one call of each group, one outcome of each action, and no proposition that
    /// is both set and cleared. With `apart`, no letter has both a call and an outcome.
    pub fn possible(&self, guards: &mut Guards, apart: bool) -> Guard {
        let all: Vec<BitId> = (0..self.bits()).map(BitId::from_index).collect();
        self.possible_values(guards, &all, apart)
    }
    /// The values that some bits, in ascending order, can have in a letter that can occur. Each constraint forbids bits
    /// to hold together, so a letter that keeps those among these bits can occur with all other bits false.
    pub fn possible_values(&self, guards: &mut Guards, bits: &[BitId], apart: bool) -> Guard {
        let mut groups: BTreeMap<Exclusive, Vec<BitId>> = BTreeMap::new();
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for &bit in bits {
            let group = match self.atom(bit) {
                LawAtom::Proposition(id) | LawAtom::Clear(id) if self.propositions[id].is_state => {
                    Exclusive::Proposition(id)
                }
                LawAtom::Proposition(_) | LawAtom::Clear(_) | LawAtom::Opaque => continue,
                LawAtom::Call(id) => {
                    calls.push(bit);
                    Exclusive::Calls(self.actions[id].group)
                }
                LawAtom::Result(id, _) => {
                    results.push(bit);
                    Exclusive::Outcomes(id)
                }
            };
            groups.entry(group).or_default().push(bit);
        }
        // Groups and bits from the last on, so that each step adds nodes on top of those before it.
        let mut all = Guard::TRUE;
        for bits in groups.values().rev() {
            let one = at_most_one(guards, bits);
            all = guards.and(one, all);
        }
        if apart {
            let (call, result) = (any_of(guards, &calls), any_of(guards, &results));
            let both = guards.and(call, result);
            all = guards.minus(all, both);
        }
        all
    }
}

/// Bits of which a letter has at most one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exclusive {
    /// The calls of a group.
    Calls(usize),
    /// That a proposition is set, and that it is cleared.
    Proposition(PropositionId),
    /// The outcomes of an action.
    Outcomes(ActionId),
}

/// The letters with some of these bits, which are in ascending order.
fn any_of(guards: &mut Guards, bits: &[BitId]) -> Guard {
    bits.iter().rev().fold(Guard::FALSE, |any, &bit| {
        let own = guards.bit(bit);
        guards.or(own, any)
    })
}

/// The letters with at most one of some bits, which are in ascending order.
fn at_most_one(guards: &mut Guards, bits: &[BitId]) -> Guard {
    let (mut none, mut one) = (Guard::TRUE, Guard::FALSE);
    for &bit in bits.iter().rev() {
        let own = guards.bit(bit);
        one = guards.ite(own, none, one);
        none = guards.ite(own, Guard::FALSE, none);
    }
    guards.or(none, one)
}
