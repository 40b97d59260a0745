//! The player who raises each bit of letters, and the copies of laws that a letter reaches, according to the tables of
//! a policy.

use crate::language::{ActionId, EventKind, LawAtom, Match, Policy, PropositionId, RegisterId};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::IdVec;

/// The values that the tables of a name bind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableBinding {
    /// Some table binds all values of the key: a letter reaches one copy, or none of those that are distinguished.
    pub full: bool,
    /// Some table binds none of them: a letter reaches all copies.
    pub none: bool,
    /// Some table binds only some of them: a letter may reach one copy, none, or all.
    pub partial: bool,
}

impl TableBinding {
    /// Whether a letter may reach a single copy, or none.
    pub(crate) fn is_apart(self) -> bool {
        self.full || self.partial
    }
    /// Whether a letter may reach all copies.
    pub(crate) fn is_for_all(self) -> bool {
        self.none || self.partial
    }
    /// The bindings that are possible for either of two names.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            full: self.full || other.full,
            none: self.none || other.none,
            partial: self.partial || other.partial,
        }
    }
}

/// What an action may do to a proposition by its declared effects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaredEffect {
    /// The action.
    pub action: ActionId,
    /// Whether it may set the proposition.
    pub set: Change,
    /// Whether it may clear the proposition.
    pub clear: Change,
}

/// Whether an action changes a proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It does not.
    Never,
    /// It may.
    Possible,
    /// It does when it succeeds.
    Sure,
}

impl DeclaredEffect {
    /// Whether the action may set the proposition; with `false`, whether it may clear it.
    pub(crate) fn may(self, set: bool) -> bool {
        let change = if set { self.set } else { self.clear };
        change != Change::Never
    }
}

/// The properties of names according to the tables of a policy and the effects of its actions.
#[derive(Clone, Debug)]
pub(crate) struct Roles {
    /// Whether the agent alone raises a proposition: there are tables that set it, and all of them are about calls.
    pub is_agents: IdVec<PropositionId, bool>,
    /// What actions may do to a proposition by their declared effects; empty if no effects name it.
    pub effects: IdVec<PropositionId, Vec<DeclaredEffect>>,
    /// The registers by their propositions.
    pub registers: FxHashMap<PropositionId, RegisterId>,
    /// The lists of bound values for which laws of games have copies, each once.
    pub keys: Vec<Vec<String>>,
    propositions: Vec<IdVec<PropositionId, TableBinding>>,
    calls: Vec<IdVec<ActionId, TableBinding>>,
}

fn binding<'m>(key: &[String], tables: impl Iterator<Item = &'m Match>) -> TableBinding {
    let mut all = TableBinding::default();
    let mut is_empty = true;
    for table in tables {
        is_empty = false;
        let bound = key.iter().filter(|&name| table.bind.iter().any(|(own, _)| own == name)).count();
        all.full |= bound == key.len();
        all.none |= bound == 0;
        all.partial |= bound > 0 && bound < key.len();
    }
    all.none |= is_empty;
    all
}

/// For each proposition what actions may do to it.
fn declared_effects(policy: &Policy) -> IdVec<PropositionId, Vec<DeclaredEffect>> {
    let mut all: IdVec<PropositionId, Vec<DeclaredEffect>> =
        policy.atoms.propositions.iter().map(|_| Vec::new()).collect();
    for (action, effects) in policy.effects.enumerate() {
        let Some(effects) = effects else { continue };
        let mut named: Vec<PropositionId> = effects.named().collect();
        named.sort_unstable();
        named.dedup();
        for id in named {
            let change = |sure: &[PropositionId], possible: &[PropositionId]| match () {
                () if sure.contains(&id) => Change::Sure,
                () if possible.contains(&id) => Change::Possible,
                () => Change::Never,
            };
            let (set, clear) =
                (change(&effects.sets, &effects.may_set), change(&effects.clears, &effects.may_clear));
            all[id].push(DeclaredEffect { action, set, clear });
        }
    }
    all
}

impl Roles {
    /// The roles of the names of a policy.
    pub(crate) fn new(policy: &Policy) -> Self {
        // No game is about limits of values.
        let laws = policy.laws.iter().filter(|law| !law.is_value_limit);
        let keys = keys_of(laws.map(|law| law.for_each.as_slice()));
        let atoms = &policy.atoms;
        let mut tables: IdVec<PropositionId, Vec<&Match>> =
            atoms.propositions.iter().map(|_| Vec::new()).collect();
        let mut call_tables: IdVec<ActionId, Vec<&Match>> =
            atoms.actions.iter().map(|_| Vec::new()).collect();
        for table in &policy.matches {
            for &(id, _) in &table.set {
                tables[id].push(table);
            }
            if let Some(action) = table.action {
                call_tables[action].push(table);
            }
        }
        let is_agents =
            |own: &Vec<&Match>| !own.is_empty() && own.iter().all(|table| table.on == EventKind::Call);
        let of_tables = |key: &Vec<String>, tables: &Vec<&Match>| binding(key, tables.iter().copied());
        Self {
            is_agents: tables.iter().map(is_agents).collect(),
            effects: declared_effects(policy),
            registers: policy.registers.enumerate().map(|(id, own)| (own.proposition, id)).collect(),
            propositions: keys
                .iter()
                .map(|key| tables.iter().map(|own| of_tables(key, own)).collect())
                .collect(),
            calls: keys
                .iter()
                .map(|key| call_tables.iter().map(|own| of_tables(key, own)).collect())
                .collect(),
            keys,
        }
    }
    /// Whether the effects of some action name a proposition.
    pub(crate) fn is_framed(&self, id: PropositionId) -> bool {
        !self.effects[id].is_empty()
    }
    /// The values that the tables of an action's calls bind.
    pub(crate) fn of_call(&self, key: usize, action: ActionId) -> TableBinding {
        self.calls[key][action]
    }
    /// The values that letters with this bit may bind. An outcome is bound as its call was.
    pub(crate) fn of_atom(&self, key: usize, atom: LawAtom) -> TableBinding {
        match atom {
            LawAtom::Proposition(id) | LawAtom::Clear(id) => self.propositions[key][id],
            LawAtom::Call(id) | LawAtom::Result(id, _) => self.calls[key][id],
            LawAtom::Opaque => TableBinding { none: true, ..TableBinding::default() },
        }
    }
    /// The sets of copies that a call may reach, as masks, for each key; in order, without repetitions. A call that is
    /// never bound reaches all copies.
    pub(crate) fn reaches(&self, key: usize, action: ActionId, copies: usize) -> Vec<u32> {
        let binding = self.of_call(key, action);
        let mut masks = Vec::new();
        if binding.is_apart() {
            masks.push(0);
            masks.extend((0..copies).map(|copy| 1 << copy));
        }
        if binding.is_for_all() {
            masks.push((1 << copies) - 1);
        }
        masks.sort_unstable();
        masks.dedup();
        masks
    }
    /// Whether the agent alone raises a bit.
    pub(crate) fn is_agents(&self, atom: LawAtom) -> bool {
        match atom {
            LawAtom::Proposition(id) | LawAtom::Clear(id) => self.is_agents[id],
            LawAtom::Call(_) | LawAtom::Opaque => true,
            LawAtom::Result(..) => false,
        }
    }
}

/// The lists of bound values of some laws, each once, in order.
fn keys_of<'l>(lists: impl Iterator<Item = &'l [String]>) -> Vec<Vec<String>> {
    let mut keys: Vec<Vec<String>> = Vec::new();
    for list in lists.filter(|list| !list.is_empty()) {
        if !keys.iter().any(|key| key == list) {
            keys.push(list.to_vec());
        }
    }
    keys
}
