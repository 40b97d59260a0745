//! The data that all analyses share: the letters that the world may choose, the choices of the agent, and the steps of
//! each law as sets of letters.

use crate::CompiledPolicy;
use crate::language::{
    ActionId, EventKind, LawAtom, LawId, LawKind, OnViolation, Policy, PropositionId, Timing, TraceMode,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tsl_synth_core::base::{Budget, Id, IdSet, IdVec, Limit, LimitKind};
use tsl_synth_core::define_id;
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter};
use tsl_synth_core::model::LawStatus;

define_id! {
    /// A choice of the agent.
    pub struct ChoiceId;
}

/// The maximal number of choices.
const MAX_CHOICES: usize = 1024;
/// The largest number of propositions that are chosen with the call that sets them; the rest are answers of the world.
const MAX_OWN: usize = 4;

/// A choice of the agent in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentChoice {
    /// The action; `None` for nothing.
    pub action: Option<ActionId>,
    /// The propositions that the call itself sets.
    pub sets: Vec<PropositionId>,
}

impl AgentChoice {
    /// Its name.
    pub fn name(&self, policy: &Policy) -> String {
        let mut name = self
            .action
            .map_or_else(|| "nothing".to_string(), |action| policy.atoms.actions[action].name.clone());
        for &set in &self.sets {
            name.extend([" & ", &policy.atoms.propositions[set].name]);
        }
        name
    }
}

/// How letters and choices alternate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternation {
    /// The agent chooses, then the world completes the letter; the first letter is the world's alone.
    ChoiceFirst,
    /// The world determines the rest of a letter, then the agent chooses.
    ChoiceLast,
    /// The agent can always do nothing, which adds no letter, or there is no action: it is never stuck in one step.
    Free,
}

/// The next states of a law, each with letters that lead there: those of them that can occur are the letters of
/// [`AnalysisFrame::world`] that lead there, and there are some. The guards have the bits of the law alone, so that laws
/// of large policies have small guards.
pub type Edges = Rc<[(u32, Guard)]>;

/// Letters, choices and steps of a policy.
pub struct AnalysisFrame<'c> {
    /// The policy.
    pub compiled: &'c CompiledPolicy,
    /// A copy of the store of the policy, so that guards of the policy are valid in it.
    pub guards: Guards,
    /// The letters that keep the `assume` laws that are invariants.
    pub world: Guard,
    /// The `assume` laws that are not invariants.
    pub assumes: Vec<LawId>,
    /// The `assume` laws that are not used, because they have copies for values.
    pub unused: Vec<LawId>,
    /// How letters and choices alternate.
    pub turns: Alternation,
    /// The choices.
    pub choices: IdVec<ChoiceId, AgentChoice>,
    /// The letters of each choice.
    pub cubes: IdVec<ChoiceId, Guard>,
    /// The letters without a call.
    pub silent: Guard,
    /// For each law and each letter of its automaton, the letters of the policy that it represents, over the bits of the
    /// law; none if the world may make none of them.
    letters: IdVec<LawId, Vec<Guard>>,
    edges: FxHashMap<(LawId, u32), Edges>,
}

impl<'c> AnalysisFrame<'c> {
    /// Leaves out letters that have a call together with what only other events tell: where each event is a letter, a
    /// proposition holds in the letter of a call only if a table of calls sets it.
    pub fn keep_truths_apart(&mut self) {
        let policy = &self.compiled.policy;
        if policy.trace != TraceMode::PerEvent {
            return;
        }
        let of_calls = |id: PropositionId| {
            policy.matches.iter().any(|table| table.on == EventKind::Call && table.sets(id))
        };
        for (id, own) in policy.atoms.propositions.enumerate() {
            if own.is_state || own.is_computed || of_calls(id) {
                continue;
            }
            for atom in [LawAtom::Proposition(id), LawAtom::Clear(id)] {
                let told = self.guards.bit(policy.atoms.bit(atom));
                let silent = self.silent;
                let both = self.guards.minus(told, silent);
                self.world = self.guards.minus(self.world, both);
            }
        }
        self.edges.clear();
    }
    /// The frame of a policy.
    ///
    /// # Errors
    /// Too many choices, or the budget.
    pub fn new(compiled: &'c CompiledPolicy, budget: &Budget) -> Result<Self, Limit> {
        let policy = &compiled.policy;
        let mut guards = policy.guards.clone();
        let apart = policy.trace == TraceMode::PerEvent;
        let possible = policy.atoms.possible(&mut guards, apart);
        let mut letters = IdVec::new();
        for (law, monitor) in compiled.monitors.enumerate() {
            budget.tick(monitor.valuations().len() as u64, || "the letters of the laws".into())?;
            let own_possible = policy.atoms.possible_values(&mut guards, &compiled.reads(law), apart);
            let own = monitor.valuations().iter().map(|&valuation| {
                monitor.guards().iter().enumerate().fold(own_possible, |letters, (i, &guard)| {
                    if valuation >> i & 1 == 1 {
                        guards.and(letters, guard)
                    } else {
                        guards.minus(letters, guard)
                    }
                })
            });
            letters.push(own.collect::<Vec<Guard>>());
        }
        let call = policy.atoms.any_call(&mut guards);
        let silent = guards.not(call);
        let turns = match (policy.timing, policy.trace, policy.idle) {
            _ if policy.atoms.actions.is_empty() => Alternation::Free,
            (_, TraceMode::StateChange, _) | (Timing::Same, _, true) => Alternation::Free,
            (Timing::Next, ..) => Alternation::ChoiceFirst,
            (Timing::Same, ..) => Alternation::ChoiceLast,
        };
        let mut frame = Self {
            compiled,
            guards,
            world: possible,
            assumes: Vec::new(),
            unused: Vec::new(),
            turns,
            choices: IdVec::new(),
            cubes: IdVec::new(),
            silent,
            letters,
            edges: FxHashMap::default(),
        };
        frame.assume();
        frame.choose()?;
        Ok(frame)
    }

    /// Restricts the letters of the world by the `assume` laws.
    fn assume(&mut self) {
        let (compiled, possible) = (self.compiled, self.world);
        for (law, own) in compiled.policy.laws.enumerate().filter(|(_, law)| law.kind == LawKind::Assume) {
            if !own.for_each.is_empty() {
                self.unused.push(law);
                continue;
            }
            let bad = self.bad(law, 0);
            let is_invariant = (0..compiled.monitors[law].len() as u32).all(|state| {
                compiled.monitors[law].standing(state) == LawStatus::Violated || self.bad(law, state) == bad
            });
            if is_invariant {
                self.world = self.guards.minus(self.world, bad);
            } else {
                self.assumes.push(law);
            }
        }
        if self.world != possible {
            for letters in self.letters.iter_mut().flatten() {
                if !self.guards.overlap(*letters, self.world) {
                    *letters = Guard::FALSE;
                }
            }
        }
        self.edges.clear();
    }

    fn choose(&mut self) -> Result<(), Limit> {
        let policy = &self.compiled.policy;
        if self.turns == Alternation::Free {
            return Ok(());
        }
        let own_of = |action: ActionId| -> Vec<PropositionId> {
            let of_calls = |id: PropositionId| {
                let mut tables = policy.matches.iter().filter(|table| table.sets(id));
                tables.clone().any(|table| table.action == Some(action))
                    && tables.all(|t| t.on == EventKind::Call)
            };
            policy.atoms.propositions.ids().filter(|&id| of_calls(id)).take(MAX_OWN).collect()
        };
        let mut choices: Vec<AgentChoice> = Vec::new();
        for action in policy.atoms.actions.ids() {
            let own = own_of(action);
            for mask in 0..1usize << own.len() {
                let sets = own.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, &id)| id);
                choices.push(AgentChoice { action: Some(action), sets: sets.collect() });
            }
        }
        if policy.idle {
            choices.push(AgentChoice { action: None, sets: Vec::new() });
        }
        if choices.len() > MAX_CHOICES {
            return Err(Limit::new(LimitKind::Size, format!("there are more than {MAX_CHOICES} choices")));
        }
        for choice in choices {
            let calls = policy.atoms.actions.ids();
            let mut cube: Vec<(BitId, bool)> = calls
                .map(|action| (policy.atoms.bit(LawAtom::Call(action)), choice.action == Some(action)))
                .collect();
            for id in choice.action.map(own_of).unwrap_or_default() {
                cube.push((policy.atoms.bit(LawAtom::Proposition(id)), choice.sets.contains(&id)));
            }
            let cube = self.guards.cube(&cube);
            self.choices.push(choice);
            self.cubes.push(cube);
        }
        Ok(())
    }

    /// The steps of a law from a state: each next state with the letters that lead there.
    pub fn edges(&mut self, law: LawId, state: u32) -> Edges {
        if let Some(edges) = self.edges.get(&(law, state)) {
            return Rc::clone(edges);
        }
        let dfa = self.compiled.monitors[law].dfa();
        let mut edges: Vec<(u32, Guard)> = Vec::new();
        for (letter, &letters) in self.letters[law].iter().enumerate() {
            if letters == Guard::FALSE {
                continue;
            }
            let target = dfa.next(state, letter as u32);
            match edges.iter_mut().find(|(known, _)| *known == target) {
                Some((_, sum)) => *sum = self.guards.or(*sum, letters),
                None => edges.push((target, letters)),
            }
        }
        let edges: Edges = edges.into();
        self.edges.insert((law, state), Rc::clone(&edges));
        edges
    }
    /// Whether the world may make a letter of both sets.
    pub fn meets(&mut self, a: Guard, b: Guard) -> bool {
        let both = self.guards.and(a, b);
        self.guards.overlap(both, self.world)
    }
    /// Letters that lead from this state of a law to its violation, as those of [`Edges`].
    pub fn bad(&mut self, law: LawId, state: u32) -> Guard {
        let monitor = &self.compiled.monitors[law];
        let edges = self.edges(law, state);
        edges
            .iter()
            .filter(|&&(target, _)| monitor.standing(target) == LawStatus::Violated)
            .fold(Guard::FALSE, |sum, &(_, letters)| self.guards.or(sum, letters))
    }
    /// The letters that the world may choose if the `assume` laws are in these states, in the order of `assumes`.
    pub fn world_in(&mut self, states: &[u32]) -> Guard {
        let assumes = self.assumes.clone();
        assumes.into_iter().zip(states).fold(self.world, |world, (law, &state)| {
            let bad = self.bad(law, state);
            self.guards.minus(world, bad)
        })
    }
    /// The choices that some of these letters contain.
    pub fn choices_with(&mut self, letters: Guard) -> IdSet<ChoiceId> {
        let ids = self.choices.ids();
        ids.filter(|&choice| self.guards.intersects(letters, self.cubes[choice])).collect()
    }
    /// The rests of a set of letters, given a choice.
    pub fn given(&mut self, letters: Guard, choice: ChoiceId) -> Guard {
        let fixed = self.guards.support(self.cubes[choice]);
        let letter = self.guards.pick(self.cubes[choice]).unwrap_or_default();
        self.guards.given(letters, &|bit| fixed.contains(&bit).then(|| letter.contains(bit)))
    }
    /// The possible first letters: if the agent chooses first, they have neither a call nor an outcome, since it has
    /// not acted yet.
    pub fn first(&mut self) -> Guard {
        match self.turns {
            Alternation::ChoiceFirst => {
                let atoms = &self.compiled.policy.atoms;
                let result = |bit: BitId| matches!(atoms.atom(bit), LawAtom::Result(..) | LawAtom::Opaque);
                let bits = (0..atoms.bits()).map(BitId::from_index).filter(|&bit| result(bit));
                let cube: Vec<(BitId, bool)> = bits.map(|bit| (bit, false)).collect();
                let quiet = self.guards.cube(&cube);
                let quiet = self.guards.and(quiet, self.silent);
                self.guards.and(quiet, self.world)
            }
            _ => self.world,
        }
    }
    /// The laws of the agent, hard and soft, that deny calls. Other laws take no action away: a person may approve what
    /// violates them, or it passes.
    pub fn laws(&self) -> Vec<LawId> {
        let laws = &self.compiled.policy.laws;
        self.own_laws().into_iter().filter(|&law| laws[law].on_violation == OnViolation::Deny).collect()
    }
    /// All laws of the agent, hard and soft.
    pub fn own_laws(&self) -> Vec<LawId> {
        let laws = self.compiled.policy.laws.enumerate();
        laws.filter(|(_, law)| law.kind != LawKind::Assume).map(|(id, _)| id).collect()
    }
    /// The names of the propositions and outcomes that hold in a letter.
    pub fn truths(&self, letter: &Letter) -> Vec<String> {
        let atoms = &self.compiled.policy.atoms;
        let reported = |bit: &BitId| !matches!(atoms.atom(*bit), LawAtom::Call(_) | LawAtom::Clear(_));
        letter.iter().filter(reported).map(|bit| atoms.bit_name(bit)).collect()
    }
    /// The names of the actions that are called in a letter.
    pub fn calls(&self, letter: &Letter) -> Option<String> {
        let atoms = &self.compiled.policy.atoms;
        let called = |bit: &BitId| matches!(atoms.atom(*bit), LawAtom::Call(_));
        let names: Vec<String> = letter.iter().filter(called).map(|bit| atoms.bit_name(bit)).collect();
        (!names.is_empty()).then(|| names.join(" & "))
    }
}
