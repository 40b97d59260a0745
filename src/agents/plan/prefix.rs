//! All derivations of a prefix at once, on a shared stack (Scott and Johnstone, "GLL parsing", LDTA 2009). Left
//! recursion and ambiguity are allowed. The last symbol of a right-hand side is expanded within the call of its parent
//! (a tail call), so that right-linear grammars need no stack.

use super::completion::{Calls, Situation};
use super::look_ahead::LookAhead;
use super::parikh::Possible;
use super::reach::Reach;
use super::space::{Space, StateIndex};
use crate::plan_grammar::{NonterminalId, PlanGrammar, PlanRuleId, StackSymbol, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::{Budget, Id, Limit};

/// The call of the start symbol, with nothing below it.
const ROOT: u32 = 0;

/// A rule with a position in its body, and the call that returns when the body ends. Because of tail calls, the rule
/// may be for another symbol than the one that the call was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EarleyItem {
    call: u32,
    rule: PlanRuleId,
    at: u16,
}

#[derive(Default)]
struct PrefixCall {
    returns: Vec<EarleyItem>,
    /// The states in which the call returned before any further step.
    ended: Vec<StateIndex>,
}

/// The situation after a prefix.
struct Front {
    /// The items whose next symbol is a step, with their states.
    ready: Vec<(EarleyItem, StateIndex)>,
    /// Whether the prefix is a plan.
    is_plan: bool,
    /// The number of calls made for shorter prefixes.
    calls: usize,
}

/// The calls of a prefix as what is left to derive.
struct PrefixCalls<'p> {
    calls: &'p [PrefixCall],
    grammar: &'p PlanGrammar,
}

impl Calls for PrefixCalls<'_> {
    fn after(&self, call: u32) -> Vec<(&[StackSymbol], Option<u32>)> {
        let returns = self.calls[call as usize].returns.iter();
        let rest = |back: &EarleyItem| {
            let body = &self.grammar.rules[back.rule].body[back.at as usize..];
            (body, (back.call != ROOT).then_some(back.call))
        };
        returns.map(rest).collect()
    }
}

/// The steps that may come after a prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NextSteps {
    /// The steps, in the order in which the productions offer them.
    pub steps: Vec<TerminalId>,
    /// Those among them after which it is not known whether a plan is possible: they may be dead ends.
    pub unsure: Vec<TerminalId>,
    /// Whether the prefix itself is a plan.
    pub is_plan: bool,
}

/// A prefix that grows and shrinks.
pub(super) struct WordPrefix {
    calls: Vec<PrefixCall>,
    fronts: Vec<Front>,
    word: Vec<TerminalId>,
    used: Vec<u32>,
}

impl WordPrefix {
    /// The empty prefix.
    pub(super) fn new(space: &mut Space<'_>, budget: &Budget) -> Result<Self, Limit> {
        let used = vec![0; space.grammar.terminals.len()];
        let mut this =
            Self { calls: vec![PrefixCall::default()], fronts: Vec::new(), word: Vec::new(), used };
        let state = space.first();
        let start = space.grammar.start;
        let mut begin = Vec::new();
        for &rule in space.rules(state, start).iter() {
            begin.push((EarleyItem { call: ROOT, rule, at: 0 }, space.enter(state, rule)));
        }
        let front = this.closure(space, begin, budget)?;
        this.fronts.push(front);
        Ok(this)
    }
    /// The steps so far.
    pub(super) fn word(&self) -> &[TerminalId] {
        &self.word
    }
    /// Whether the steps so far are a plan.
    pub(super) fn is_plan(&self) -> bool {
        self.fronts.last().is_some_and(|front| front.is_plan)
    }

    /// Expands the items up to the next step.
    fn closure(
        &mut self,
        space: &mut Space<'_>,
        begin: Vec<(EarleyItem, StateIndex)>,
        budget: &Budget,
    ) -> Result<Front, Limit> {
        let mut front = Front { ready: Vec::new(), is_plan: false, calls: self.calls.len() };
        let mut here: FxHashMap<(StateIndex, NonterminalId), u32> = FxHashMap::default();
        let mut seen: FxHashSet<(EarleyItem, StateIndex)> = begin.iter().copied().collect();
        let mut todo = begin;
        todo.reverse();
        while let Some((place, state)) = todo.pop() {
            budget.tick(1, || "what a prefix of a plan leads to".into())?;
            let body = &space.grammar.rules[place.rule].body;
            let mut add = |todo: &mut Vec<_>, place: EarleyItem, state| {
                if seen.insert((place, state)) {
                    todo.push((place, state));
                }
            };
            match body.get(place.at as usize).copied() {
                Some(StackSymbol::Terminal(_)) => front.ready.push((place, state)),
                Some(StackSymbol::Nonterminal(top)) => {
                    let is_last = place.at as usize + 1 == body.len();
                    let back = EarleyItem { at: place.at + 1, ..place };
                    let call = if is_last {
                        place.call
                    } else if let Some(&call) = here.get(&(state, top)) {
                        let known = &mut self.calls[call as usize];
                        if !known.returns.contains(&back) {
                            known.returns.push(back);
                        }
                        for ended in known.ended.clone() {
                            add(&mut todo, back, ended);
                        }
                        continue;
                    } else {
                        let call = self.calls.len() as u32;
                        self.calls.push(PrefixCall { returns: vec![back], ended: Vec::new() });
                        here.insert((state, top), call);
                        call
                    };
                    for &rule in space.rules(state, top).iter().rev() {
                        let entered = space.enter(state, rule);
                        add(&mut todo, EarleyItem { call, rule, at: 0 }, entered);
                    }
                }
                None if place.call == ROOT => front.is_plan |= space.is_final(state),
                None => {
                    let call = &mut self.calls[place.call as usize];
                    if place.call as usize >= front.calls && !call.ended.contains(&state) {
                        call.ended.push(state);
                    }
                    for back in call.returns.clone() {
                        add(&mut todo, back, state);
                    }
                }
            }
        }
        Ok(front)
    }

    /// Appends a step; returns `false` and changes nothing if no derivation allows it.
    pub(super) fn push(
        &mut self,
        space: &mut Space<'_>,
        step: TerminalId,
        budget: &Budget,
    ) -> Result<bool, Limit> {
        if !space.may_repeat(step, self.used[step.index()]) {
            return Ok(false);
        }
        let mut begin = Vec::new();
        if let Some(front) = self.fronts.last() {
            for &(place, state) in &front.ready {
                if space.grammar.rules[place.rule].body[place.at as usize] != StackSymbol::Terminal(step) {
                    continue;
                }
                if let Some(next) = space.step(state, step) {
                    begin.push((EarleyItem { at: place.at + 1, ..place }, next));
                }
            }
        }
        if begin.is_empty() {
            return Ok(false);
        }
        let front = self.closure(space, begin, budget)?;
        self.fronts.push(front);
        self.word.push(step);
        self.used[step.index()] += 1;
        Ok(true)
    }
    /// Removes the last step.
    pub(super) fn pop(&mut self) {
        if let (Some(step), Some(front)) = (self.word.pop(), self.fronts.pop()) {
            self.used[step.index()] -= 1;
            self.calls.truncate(front.calls);
        }
    }

    /// The possible next steps, in the order in which the productions offer them; with `look_ahead` only those after
    /// which some plan may be possible.
    pub(super) fn next<'a>(
        &self,
        space: &mut Space<'a>,
        mut look_ahead: Option<&mut LookAhead<'a>>,
        budget: &Budget,
    ) -> Result<NextSteps, Limit> {
        let mut found = NextSteps { is_plan: self.is_plan(), ..NextSteps::default() };
        let Some(front) = self.fronts.last() else { return Ok(found) };
        let mut order: Vec<TerminalId> = Vec::new();
        let mut places: FxHashMap<TerminalId, Vec<(EarleyItem, StateIndex)>> = FxHashMap::default();
        for &(place, state) in &front.ready {
            let StackSymbol::Terminal(step) = space.grammar.rules[place.rule].body[place.at as usize] else {
                continue;
            };
            if !space.may_repeat(step, self.used[step.index()]) {
                continue;
            }
            let Some(next) = space.step(state, step) else { continue };
            let places = places.entry(step).or_insert_with(|| {
                order.push(step);
                Vec::new()
            });
            places.push((EarleyItem { at: place.at + 1, ..place }, next));
        }
        let mut bad = FxHashSet::default();
        for step in order {
            let possible = match &mut look_ahead {
                None => Possible::Yes,
                Some(look_ahead) => self.possible(space, look_ahead, &places[&step], &mut bad, budget)?,
            };
            if possible != Possible::No {
                found.steps.push(step);
            }
            if possible == Possible::Unknown {
                found.unsure.push(step);
            }
        }
        Ok(found)
    }

    /// Whether some plan begins with the steps so far.
    pub(super) fn is_possible<'a>(
        &self,
        space: &mut Space<'a>,
        look_ahead: &mut LookAhead<'a>,
        budget: &Budget,
    ) -> Result<Possible, Limit> {
        if self.is_plan() {
            return Ok(Possible::Yes);
        }
        let Some(front) = self.fronts.last() else { return Ok(Possible::No) };
        self.possible(space, look_ahead, &front.ready, &mut FxHashSet::default(), budget)
    }

    /// Whether some plan can be completed from one of these items. Items from which no plan can be completed are added to `bad`.
    fn possible<'a>(
        &self,
        space: &mut Space<'a>,
        look_ahead: &mut LookAhead<'a>,
        places: &[(EarleyItem, StateIndex)],
        bad: &mut FxHashSet<(EarleyItem, StateIndex)>,
        budget: &Budget,
    ) -> Result<Possible, Limit> {
        let grammar = space.grammar;
        let situation = |&(place, state): &(EarleyItem, StateIndex)| Situation {
            state,
            body: &grammar.rules[place.rule].body[place.at as usize..],
            call: (place.call != ROOT).then_some(place.call),
        };
        let starts: Vec<Situation<'_>> = places.iter().map(situation).collect();
        let calls = PrefixCalls { calls: &self.calls, grammar };
        look_ahead.possible(space, (&starts, &calls), None, budget, &mut |space, reach| {
            for &(place, state) in places {
                if !bad.contains(&(place, state))
                    && self.completes(space, reach, place, state, bad, budget)?
                {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Whether some plan can be completed from an Earley item in a state. Items from which no plan can be completed are added to `bad`.
    fn completes(
        &self,
        space: &mut Space<'_>,
        reach: &mut Reach,
        place: EarleyItem,
        state: StateIndex,
        bad: &mut FxHashSet<(EarleyItem, StateIndex)>,
        budget: &Budget,
    ) -> Result<bool, Limit> {
        let mut todo = vec![(place, state)];
        let mut seen: FxHashSet<(EarleyItem, StateIndex)> = todo.iter().copied().collect();
        while let Some((place, state)) = todo.pop() {
            budget.tick(1, || "which steps may be next".into())?;
            let rest = space.grammar.rules[place.rule].body[place.at as usize..].to_vec();
            if place.call == ROOT {
                if reach.complete(space, state, &rest, budget)?.is_some() {
                    return Ok(true);
                }
                continue;
            }
            let next: Vec<(EarleyItem, StateIndex)> = match rest.first() {
                None => self.calls[place.call as usize].returns.iter().map(|&back| (back, state)).collect(),
                Some(StackSymbol::Terminal(step)) => {
                    let to = space.step(state, *step);
                    to.into_iter().map(|to| (EarleyItem { at: place.at + 1, ..place }, to)).collect()
                }
                Some(StackSymbol::Nonterminal(top)) => {
                    let ends = reach.ends(space, state, *top, budget)?;
                    ends.into_iter().map(|(to, _)| (EarleyItem { at: place.at + 1, ..place }, to)).collect()
                }
            };
            for one in next {
                if !bad.contains(&one) && seen.insert(one) {
                    todo.push(one);
                }
            }
        }
        bad.extend(seen);
        Ok(false)
    }
}
