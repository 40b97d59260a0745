//! The finite part of a pushdown system: control state, state of the laws, and the use of each limited step.
//!
//! Steps that may be used once each and that no rule and no law distinguishes form one *class*: it suffices to count
//! how many of them were used, and a plan of classes represents a number of plans that is a product over its steps.

use crate::plan_grammar::{ControlId, NonterminalId, PlanGrammar, PlanRuleId, StackSymbol, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use tsl_synth_core::base::Id;
use tsl_synth_core::model::Dfa;

/// A bound on the number of steps of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanLength {
    /// Any number.
    #[default]
    Any,
    /// At most this many.
    AtMost(u32),
    /// Exactly this many.
    Exactly(u32),
    /// At least this many.
    AtLeast(u32),
}

/// A counter that steps increase. Without `most` it saturates at `least`.
#[derive(Clone, Copy, Debug)]
struct StepCounter {
    least: u32,
    most: Option<u32>,
}

/// A product state, by its number in a [`Space`].
pub(super) type StateIndex = u32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SpaceState {
    control: u32,
    law: u32,
    counts: Box<[u32]>,
}

/// The product states explored so far.
pub(super) struct Space<'a> {
    pub(super) grammar: &'a PlanGrammar,
    law: &'a Dfa,
    counters: Vec<StepCounter>,
    /// For each step, the counters that it increases, with the amounts.
    effects: Vec<Vec<(usize, u32)>>,
    /// The first member of the class of each terminal, which represents the class.
    class: Vec<TerminalId>,
    /// The size of each class, at its first member.
    members: Vec<u32>,
    /// The counter of a class with several members.
    class_counter: Vec<Option<usize>>,
    states: Vec<SpaceState>,
    ids: FxHashMap<SpaceState, StateIndex>,
    steps: FxHashMap<(StateIndex, TerminalId), Option<StateIndex>>,
    /// For each control state and top: the rules, one of those that are equal up to classes.
    representatives: FxHashMap<(u32, NonterminalId), Rc<[PlanRuleId]>>,
    /// For each control state and top: all rules.
    rules: FxHashMap<(u32, NonterminalId), Rc<[PlanRuleId]>>,
}

/// The occurrences of a terminal in the rules, without its own name, and its transitions in the law: equal for
/// terminals that rules and laws do not distinguish. `None` for terminals that are in a class of their own.
fn signatures(grammar: &PlanGrammar, law: &Dfa) -> Vec<Option<(Vec<String>, Vec<u32>)>> {
    let mut places: Vec<Option<Vec<String>>> =
        grammar.terminals.iter().map(|one| (one.most == Some(1) && one.least <= 1).then(Vec::new)).collect();
    for rule in &grammar.rules {
        let terminals: Vec<TerminalId> = rule
            .body
            .iter()
            .filter_map(|symbol| if let StackSymbol::Terminal(id) = symbol { Some(*id) } else { None })
            .collect();
        match terminals[..] {
            [] => {}
            [only] => {
                if let Some(places) = &mut places[only.index()] {
                    let body: Vec<Option<StackSymbol>> =
                        rule.body.iter().map(|&s| (s != StackSymbol::Terminal(only)).then_some(s)).collect();
                    places
                        .push(format!("{:?} {:?} {:?} {body:?} {}", rule.from, rule.top, rule.to, rule.ends));
                }
            }
            // A rule with several steps distinguishes its steps.
            _ => terminals.iter().for_each(|id| places[id.index()] = None),
        }
    }
    let edges = |id: usize| (0..law.len() as u32).map(|state| law.next(state, id as u32)).collect();
    places
        .into_iter()
        .enumerate()
        .map(|(id, places)| {
            places.map(|mut places| {
                let terminal = &grammar.terminals[TerminalId::from_index(id)];
                let groups =
                    grammar.groups.iter().map(|group| group.members.contains(&TerminalId::from_index(id)));
                places.push(format!(
                    "{} {} {:?} {:?}",
                    terminal.least,
                    terminal.cost,
                    groups.collect::<Vec<_>>(),
                    terminal.subset.as_ref().map(|s| (s.elements.len(), s.may_be_empty))
                ));
                places.sort();
                (places, edges(id))
            })
        })
        .collect()
}

impl<'a> Space<'a> {
    pub(super) fn new(grammar: &'a PlanGrammar, law: &'a Dfa, length: PlanLength) -> Self {
        let n = grammar.terminals.len();
        let mut class: Vec<TerminalId> = grammar.terminals.ids().collect();
        let mut members = vec![1u32; n];
        let mut first: FxHashMap<(Vec<String>, Vec<u32>), TerminalId> = FxHashMap::default();
        for (i, signature) in signatures(grammar, law).into_iter().enumerate() {
            let Some(signature) = signature else { continue };
            let id = TerminalId::from_index(i);
            let found = *first.entry(signature).or_insert(id);
            class[i] = found;
            if found != id {
                members[found.index()] += 1;
            }
        }
        let (mut counters, mut effects) = (Vec::new(), vec![Vec::new(); n]);
        let mut class_counter = vec![None; n];
        for (id, terminal) in grammar.terminals.enumerate() {
            let i = id.index();
            if class[i] != id || terminal.most.is_none() && terminal.least == 0 {
                continue;
            }
            let size = members[i];
            let most = terminal.most.map(|most| if size > 1 { size } else { most });
            effects[i].push((counters.len(), 1));
            class_counter[i] = (size > 1).then_some(counters.len());
            counters.push(StepCounter { least: terminal.least * size, most });
        }
        for group in &grammar.groups {
            if group.most.is_some() || group.least > 0 {
                for id in &group.members {
                    effects[id.index()].push((counters.len(), 1));
                }
                counters.push(StepCounter { least: group.least, most: group.most });
            }
        }
        if let Some(budget) = grammar.budget {
            for (id, terminal) in grammar.terminals.enumerate() {
                if terminal.cost > 0 {
                    effects[id.index()].push((counters.len(), terminal.cost));
                }
            }
            counters.push(StepCounter { least: 0, most: Some(budget) });
        }
        let bounds = match length {
            PlanLength::Any => None,
            PlanLength::AtMost(most) => Some(StepCounter { least: 0, most: Some(most) }),
            PlanLength::Exactly(n) => Some(StepCounter { least: n, most: Some(n) }),
            PlanLength::AtLeast(least) => Some(StepCounter { least, most: None }),
        };
        if let Some(counter) = bounds {
            for all in &mut effects {
                all.push((counters.len(), 1));
            }
            counters.push(counter);
        }
        Self {
            grammar,
            law,
            counters,
            effects,
            class,
            members,
            class_counter,
            states: Vec::new(),
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            representatives: FxHashMap::default(),
            rules: FxHashMap::default(),
        }
    }
    /// The plans of a length, with neither limits nor budget, and each step in a class of its own.
    pub(super) fn without_limits(grammar: &'a PlanGrammar, law: &'a Dfa, length: PlanLength) -> Self {
        let mut this = Self::new(grammar, law, length);
        let lengths = usize::from(length != PlanLength::Any);
        let counter = this.counters.len().saturating_sub(lengths);
        this.counters.drain(..counter);
        this.class = grammar.terminals.ids().collect();
        this.members.fill(1);
        this.class_counter.fill(None);
        this.effects = vec![(0..lengths).map(|counter| (counter, 1)).collect(); this.effects.len()];
        this
    }
    /// The same control states, laws and classes of steps without counters: limits, budgets and lengths are not enforced.
    pub(super) fn without_counters(&self) -> Self {
        Self {
            grammar: self.grammar,
            law: self.law,
            counters: Vec::new(),
            effects: vec![Vec::new(); self.effects.len()],
            class: self.class.clone(),
            members: self.members.clone(),
            class_counter: vec![None; self.class_counter.len()],
            states: Vec::new(),
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            representatives: FxHashMap::default(),
            rules: FxHashMap::default(),
        }
    }
    /// Whether only the counters distinguish product states.
    pub(super) fn has_one_state(&self) -> bool {
        self.grammar.controls.len() == 1 && self.law.len() == 1
    }
    /// The state of this space with the control state and the laws of a state of another one, and counters of 0.
    pub(super) fn state_of(&mut self, other: &Self, state: StateIndex) -> StateIndex {
        let SpaceState { control, law, .. } = other.states[state as usize];
        let counts = vec![0; self.counters.len()].into_boxed_slice();
        self.intern(SpaceState { control, law, counts })
    }
    /// For each counter, how much it must still increase from a state on, and how much it may.
    pub(super) fn room(&self, state: StateIndex) -> Vec<(u64, Option<u64>)> {
        let counts = self.states[state as usize].counts.iter();
        let left = |(&count, counter): (&u32, &StepCounter)| {
            let most = counter.most.map(|most| u64::from(most.saturating_sub(count)));
            (u64::from(counter.least.saturating_sub(count)), most)
        };
        counts.zip(&self.counters).map(left).collect()
    }
    /// The counters that a step increases, with the amounts.
    pub(super) fn uses(&self, terminal: TerminalId) -> &[(usize, u32)] {
        &self.effects[self.class[terminal.index()].index()]
    }
    /// The number of product states explored so far.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }
    fn intern(&mut self, state: SpaceState) -> StateIndex {
        let fresh = self.states.len() as StateIndex;
        *self.ids.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            fresh
        })
    }
    /// The initial state.
    pub(super) fn first(&mut self) -> StateIndex {
        let control = self.grammar.initial.index() as u32;
        let counts = vec![0; self.counters.len()].into_boxed_slice();
        self.intern(SpaceState { control, law: 0, counts })
    }
    pub(super) fn control(&self, state: StateIndex) -> ControlId {
        ControlId::from_index(self.states[state as usize].control as usize)
    }
    /// The rules for a top of the stack, one of those that are equal up to classes.
    pub(super) fn representatives(&mut self, state: StateIndex, top: NonterminalId) -> Rc<[PlanRuleId]> {
        let key = (self.states[state as usize].control, top);
        if let Some(known) = self.representatives.get(&key) {
            return Rc::clone(known);
        }
        let control = self.control(state);
        let mut seen = FxHashSet::default();
        let of_class = |&symbol: &StackSymbol| match symbol {
            StackSymbol::Terminal(id) => StackSymbol::Terminal(self.class[id.index()]),
            other @ StackSymbol::Nonterminal(_) => other,
        };
        let distinct = self.grammar.rules_for(control, top).filter(|(_, rule)| {
            let body: Vec<StackSymbol> = rule.body.iter().map(of_class).collect();
            seen.insert((rule.to.unwrap_or(control), body))
        });
        let found: Rc<[PlanRuleId]> = distinct.map(|(id, _)| id).collect();
        self.representatives.insert(key, Rc::clone(&found));
        found
    }
    /// All rules for a top of the stack.
    pub(super) fn rules(&mut self, state: StateIndex, top: NonterminalId) -> Rc<[PlanRuleId]> {
        let key = (self.states[state as usize].control, top);
        if let Some(known) = self.rules.get(&key) {
            return Rc::clone(known);
        }
        let control = self.control(state);
        let found: Rc<[PlanRuleId]> = self.grammar.rules_for(control, top).map(|(id, _)| id).collect();
        self.rules.insert(key, Rc::clone(&found));
        found
    }
    /// The state in which the body of a rule begins.
    pub(super) fn enter(&mut self, state: StateIndex, rule: PlanRuleId) -> StateIndex {
        match self.grammar.rules[rule].to {
            None => state,
            Some(to) => {
                let next = SpaceState { control: to.index() as u32, ..self.states[state as usize].clone() };
                self.intern(next)
            }
        }
    }
    /// The state after a step; `None` if the step exceeds a limit or makes the law unsatisfiable. For steps of a class,
    /// the caller keeps track of the members that were used.
    pub(super) fn step(&mut self, state: StateIndex, terminal: TerminalId) -> Option<StateIndex> {
        let terminal = self.class[terminal.index()];
        if let Some(&known) = self.steps.get(&(state, terminal)) {
            return known;
        }
        let next = self.stepped(state, terminal).map(|next| self.intern(next));
        self.steps.insert((state, terminal), next);
        next
    }
    fn stepped(&self, state: StateIndex, terminal: TerminalId) -> Option<SpaceState> {
        let mut next = self.states[state as usize].clone();
        next.law = self.law.next(next.law, terminal.index() as u32);
        if !self.law.is_live(next.law) {
            return None;
        }
        for &(counter, weight) in &self.effects[terminal.index()] {
            let StepCounter { least, most } = self.counters[counter];
            let count = next.counts[counter].checked_add(weight)?;
            next.counts[counter] = match most {
                Some(most) if count > most => return None,
                Some(_) => count,
                None => count.min(least),
            };
        }
        Some(next)
    }
    /// Whether a plan may end here when the stack is empty.
    pub(super) fn is_final(&self, state: StateIndex) -> bool {
        let SpaceState { control, law, counts } = &self.states[state as usize];
        self.grammar.controls[ControlId::from_index(*control as usize)].accepting
            && self.law.is_accepting(*law)
            && counts.iter().zip(&self.counters).all(|(count, counter)| *count >= counter.least)
    }
    /// The number of unused steps in the class of this step; 1 if it is the only member.
    pub(super) fn ways(&self, state: StateIndex, terminal: TerminalId) -> u32 {
        let class = self.class[terminal.index()].index();
        match self.class_counter[class] {
            None => 1,
            Some(counter) => self.members[class] - self.states[state as usize].counts[counter],
        }
    }
    /// The steps of the class of this one, in the order of the file.
    pub(super) fn class_of(&self, terminal: TerminalId) -> impl Iterator<Item = TerminalId> + '_ {
        let class = self.class[terminal.index()];
        self.grammar.terminals.ids().filter(move |id| self.class[id.index()] == class)
    }
    /// Whether a step that was used `used` times may be used again.
    pub(super) fn may_repeat(&self, terminal: TerminalId, used: u32) -> bool {
        self.grammar.terminals[terminal].most.is_none_or(|most| used < most)
    }
}
