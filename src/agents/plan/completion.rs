//! Whether a plan can be completed, decided lazily: for one situation, without a table of all use counts.
//!
//! The grammar, with the control states and the state of the laws as in a product of a pushdown system and an automaton
//! (Bar-Hillel, Perles and Shamir, "On formal properties of simple phrase structure grammars", 1961), becomes a grammar
//! without states; what is still on the stack, or on the shared stacks of all derivations of a prefix, becomes further
//! symbols of it. Use limits, budgets and lengths are then limits on how often its productions are applied: see
//! [`super::parikh`].

use super::parikh::{Applied, Possible, Question};
use super::reach::Reach;
use super::space::{Space, StateIndex};
use crate::plan_grammar::{NonterminalId, StackSymbol};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use tsl_synth_core::base::{Budget, Limit, LimitKind};

/// A question with more productions than this is not examined.
const MAX_EXPANSIONS: usize = 8_000;
/// The largest table of the summaries without counters.
const MAX_SUMMARIES: usize = 1_000_000;
/// Answers beyond this number are not kept.
const MAX_KEPT: usize = 200_000;

/// What is to be derived after the present body: for each call, the bodies that may go on, each with the call after it.
/// A call of `None` is the end of the plan.
pub(super) trait Calls {
    /// The continuations of a call.
    fn after(&self, call: u32) -> Vec<(&[StackSymbol], Option<u32>)>;
}

/// The symbols of one stack, its top first: call `i` goes on with symbol `i`.
pub(super) struct OneStack<'s>(pub(super) &'s [StackSymbol]);

impl Calls for OneStack<'_> {
    fn after(&self, call: u32) -> Vec<(&[StackSymbol], Option<u32>)> {
        let (at, next) = (call as usize, call + 1);
        vec![(&self.0[at..=at], (self.0.len() > next as usize).then_some(next))]
    }
}

/// A situation: a product state, a body to derive, and the call after it.
pub(super) struct Situation<'s> {
    pub(super) state: StateIndex,
    pub(super) body: &'s [StackSymbol],
    pub(super) call: Option<u32>,
}

/// A symbol of the grammar without states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    /// Popping a symbol from one state to another, or to the end of the plan.
    Pop(StateIndex, NonterminalId, Option<StateIndex>),
    /// What follows a call, from a state.
    Call(StateIndex, u32),
}

/// A production of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Expansion {
    parts: Vec<Part>,
    uses: Vec<(usize, u32)>,
    steps: u32,
}

/// Where the derivation of a body has to lead.
#[derive(Clone, Copy)]
enum Goal {
    State(StateIndex),
    End,
    Call(u32),
}

type AnswerKey = (StateIndex, Vec<Expansion>, Option<u64>);

/// The lazy decision procedure of a planner.
pub(super) struct Completion<'a> {
    /// The product of control and laws, without counters.
    plain: Space<'a>,
    summaries: Reach,
    /// Whether there is only one control state and one state of the laws.
    one_state: bool,
    expansions: FxHashMap<Part, Rc<[Expansion]>>,
    answers: FxHashMap<AnswerKey, Possible>,
}

/// A limit of the size of tables means that nothing is known; others end the computation.
fn known<T>(made: Result<T, Limit>) -> Result<Option<T>, Limit> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(limit) if limit.kind == LimitKind::Size => Ok(None),
        Err(limit) => Err(limit),
    }
}

impl<'a> Completion<'a> {
    pub(super) fn new(space: &Space<'a>) -> Self {
        Self {
            one_state: space.has_one_state(),
            plain: space.without_counters(),
            summaries: Reach::with_limit(MAX_SUMMARIES),
            expansions: FxHashMap::default(),
            answers: FxHashMap::default(),
        }
    }

    /// Whether a plan of at most this further cost can be completed from one of these situations, all of which have
    /// used the same steps.
    pub(super) fn possible(
        &mut self,
        space: &Space<'a>,
        starts: &[Situation<'_>],
        calls: &dyn Calls,
        cost: Option<u64>,
        budget: &Budget,
    ) -> Result<Possible, Limit> {
        let Some(first) = starts.first() else { return Ok(Possible::No) };
        let mut begin: Vec<Expansion> = Vec::new();
        for start in starts {
            let state = self.plain.state_of(space, start.state);
            let goal = start.call.map_or(Goal::End, Goal::Call);
            let Some(found) = known(self.paths(space, state, start.body, goal, budget))? else {
                return Ok(Possible::Unknown);
            };
            begin.extend(found);
        }
        begin.sort_unstable();
        begin.dedup();
        let closed = begin.iter().flat_map(|one| &one.parts).all(|part| matches!(part, Part::Pop(..)));
        let key = (first.state, begin, cost);
        if let (true, Some(&kept)) = (closed, self.answers.get(&key)) {
            return Ok(kept);
        }
        let answer = match known(self.question(space, &key, calls, budget))? {
            Some(question) => question.answer(budget)?,
            None => Possible::Unknown,
        };
        if closed && self.answers.len() < MAX_KEPT {
            self.answers.insert(key, answer);
        }
        Ok(answer)
    }

    fn question(
        &mut self,
        space: &Space<'a>,
        (state, begin, cost): &AnswerKey,
        calls: &dyn Calls,
        budget: &Budget,
    ) -> Result<Question, Limit> {
        let mut ids: FxHashMap<Part, u32> = FxHashMap::default();
        let mut todo: Vec<Part> = Vec::new();
        let mut productions: Vec<Applied> = Vec::new();
        let apply = |top: u32,
                     all: &[Expansion],
                     rule: u32,
                     ids: &mut FxHashMap<Part, u32>,
                     todo: &mut Vec<Part>,
                     productions: &mut Vec<Applied>| {
            for one in all {
                let mut bag: Vec<u32> = Vec::with_capacity(one.parts.len());
                for &part in &one.parts {
                    let fresh = ids.len() as u32 + 1;
                    bag.push(*ids.entry(part).or_insert_with(|| {
                        todo.push(part);
                        fresh
                    }));
                }
                bag.sort_unstable();
                productions.push(Applied { top, bag, uses: one.uses.clone(), cost: one.steps + rule });
            }
        };
        apply(0, begin, 0, &mut ids, &mut todo, &mut productions);
        while let Some(part) = todo.pop() {
            budget.tick(1, || "which plans can be completed".into())?;
            let top = ids[&part];
            match part {
                Part::Pop(..) => {
                    let all = self.expansions(space, part, budget)?;
                    apply(top, &all, 1, &mut ids, &mut todo, &mut productions);
                }
                Part::Call(state, call) => {
                    let mut all = Vec::new();
                    for (body, next) in calls.after(call) {
                        let goal = next.map_or(Goal::End, Goal::Call);
                        all.extend(self.paths(space, state, body, goal, budget)?);
                    }
                    all.sort_unstable();
                    all.dedup();
                    apply(top, &all, 0, &mut ids, &mut todo, &mut productions);
                }
            }
            if productions.len() > MAX_EXPANSIONS {
                return Err(Limit::new(LimitKind::Size, "the product of grammar and laws is too large"));
            }
        }
        Ok(Question { symbols: ids.len() + 1, productions, room: space.room(*state), cost: *cost })
    }

    /// The productions of a symbol.
    fn expansions(
        &mut self,
        space: &Space<'a>,
        part: Part,
        budget: &Budget,
    ) -> Result<Rc<[Expansion]>, Limit> {
        if let Some(known) = self.expansions.get(&part) {
            return Ok(Rc::clone(known));
        }
        let Part::Pop(state, top, to) = part else { return Ok(Rc::from([])) };
        let goal = to.map_or(Goal::End, Goal::State);
        let mut all = Vec::new();
        for &rule in self.plain.representatives(state, top).iter() {
            let entered = self.plain.enter(state, rule);
            let grammar = self.plain.grammar;
            all.extend(self.paths(space, entered, &grammar.rules[rule].body, goal, budget)?);
        }
        all.sort_unstable();
        all.dedup();
        let all: Rc<[Expansion]> = all.into();
        self.expansions.insert(part, Rc::clone(&all));
        Ok(all)
    }

    /// The ways to derive a body from a state: the states between its symbols are chosen.
    fn paths(
        &mut self,
        space: &Space<'a>,
        state: StateIndex,
        body: &[StackSymbol],
        goal: Goal,
        budget: &Budget,
    ) -> Result<Vec<Expansion>, Limit> {
        let empty = Expansion { parts: Vec::new(), uses: Vec::new(), steps: 0 };
        let mut open = vec![(state, empty)];
        for (at, &symbol) in body.iter().enumerate() {
            let last = at + 1 == body.len();
            let mut next = Vec::new();
            for (state, one) in open {
                match symbol {
                    StackSymbol::Terminal(terminal) => {
                        let Some(to) = self.plain.step(state, terminal) else { continue };
                        let mut one = one;
                        one.steps += 1;
                        for &(counter, amount) in space.uses(terminal) {
                            match one.uses.binary_search_by_key(&counter, |entry| entry.0) {
                                Ok(at) => one.uses[at].1 = one.uses[at].1.saturating_add(amount),
                                Err(at) => one.uses.insert(at, (counter, amount)),
                            }
                        }
                        next.push((to, one));
                    }
                    StackSymbol::Nonterminal(top) => {
                        if last && matches!(goal, Goal::End) && !self.one_state {
                            let mut one = one;
                            one.parts.push(Part::Pop(state, top, None));
                            next.push((StateIndex::MAX, one));
                            continue;
                        }
                        for (to, _) in self.summaries.ends(&mut self.plain, state, top, budget)? {
                            if last && matches!(goal, Goal::State(wanted) if wanted != to) {
                                continue;
                            }
                            let mut one = one.clone();
                            one.parts.push(Part::Pop(state, top, Some(to)));
                            next.push((to, one));
                        }
                    }
                }
            }
            if next.len() > MAX_EXPANSIONS {
                return Err(Limit::new(LimitKind::Size, "a rule has too many products with the laws"));
            }
            open = next;
        }
        let mut found = Vec::new();
        for (state, mut one) in open {
            let reached = match goal {
                Goal::State(wanted) => state == wanted,
                Goal::End => state == StateIndex::MAX || self.plain.is_final(state),
                Goal::Call(call) => {
                    one.parts.push(Part::Call(state, call));
                    true
                }
            };
            if reached {
                one.parts.sort_unstable();
                found.push(one);
            }
        }
        Ok(found)
    }
}
