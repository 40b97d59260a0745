//! The summaries of a pushdown system: the states in which a stack symbol can be popped, with the least cost of each.
//!
//! Tabulation of the reachable summary edges (Reps, Horwitz and Sagiv, "Precise interprocedural dataflow analysis via
//! graph reachability", POPL 1995; Schwoon, "Model-checking pushdown systems", 2002), with least costs found by label
//! correction. A goal is a state and a symbol. For a symbol at the bottom of the stack only the least cost to the end
//! of the plan is kept, so that the analysis of right-linear grammars, whose stack never grows, is linear in their
//! states. The cost of a plan is the number of its steps plus the number of rules that it applies. Exact; bounded by
//! [`MAX_ITEMS`], since the table distinguishes how often each limited step was used.

use super::space::{Space, StateIndex};
use crate::plan_grammar::{NonterminalId, PlanRuleId, StackSymbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use tsl_synth_core::base::{Budget, Limit, LimitKind};

/// The maximal number of work items.
pub(super) const MAX_ITEMS: usize = 2_000_000;

/// A pseudo-state for the end of the plan.
const END: StateIndex = StateIndex::MAX;

/// The goal of popping a symbol, starting in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PopGoal {
    state: StateIndex,
    top: NonterminalId,
    /// Whether it is at the bottom of the stack.
    last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct WorkItem {
    goal: u32,
    rule: PlanRuleId,
    at: u16,
    state: StateIndex,
}

#[derive(Default)]
struct Answers {
    /// The end states in the order in which they were found.
    order: Vec<StateIndex>,
    cost: FxHashMap<StateIndex, u64>,
    waiting: Vec<WorkItem>,
}

/// The summaries found so far.
pub(super) struct Reach {
    /// The largest number of work items. After the limit was reached, a larger one continues the computation.
    pub(super) most: usize,
    goals: FxHashMap<PopGoal, u32>,
    table: Vec<(PopGoal, Answers)>,
    items: FxHashMap<WorkItem, u64>,
    todo: VecDeque<WorkItem>,
    registered: FxHashSet<(u32, WorkItem)>,
}

impl Reach {
    /// An empty table with at most so many work items.
    pub(super) fn with_limit(most: usize) -> Self {
        Self {
            most,
            goals: FxHashMap::default(),
            table: Vec::new(),
            items: FxHashMap::default(),
            todo: VecDeque::new(),
            registered: FxHashSet::default(),
        }
    }
    /// The number of work items.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
    fn goal(&mut self, space: &mut Space<'_>, goal: PopGoal) -> u32 {
        if let Some(&id) = self.goals.get(&goal) {
            return id;
        }
        let id = self.table.len() as u32;
        self.goals.insert(goal, id);
        self.table.push((goal, Answers::default()));
        for &rule in space.representatives(goal.state, goal.top).iter() {
            let state = space.enter(goal.state, rule);
            self.improve(WorkItem { goal: id, rule, at: 0, state }, 1);
        }
        id
    }
    fn improve(&mut self, item: WorkItem, cost: u64) {
        let best = self.items.entry(item).or_insert(u64::MAX);
        if cost < *best {
            *best = cost;
            self.todo.push_back(item);
        }
    }
    fn answer(&mut self, goal: u32, state: StateIndex, cost: u64) {
        let answers = &mut self.table[goal as usize].1;
        let best = answers.cost.entry(state).or_insert(u64::MAX);
        if *best == u64::MAX {
            answers.order.push(state);
        }
        if cost >= *best {
            return;
        }
        *best = cost;
        for item in answers.waiting.clone() {
            self.resume(item, goal, state, cost);
        }
    }
    /// Continues an item with an answer to the goal that it waits for.
    fn resume(&mut self, item: WorkItem, waited: u32, state: StateIndex, cost: u64) {
        let total = self.items[&item] + cost;
        if self.table[waited as usize].0.last {
            self.answer(item.goal, END, total);
        } else {
            self.improve(WorkItem { at: item.at + 1, state, ..item }, total);
        }
    }
    fn run(&mut self, space: &mut Space<'_>, budget: &Budget) -> Result<(), Limit> {
        while !self.todo.is_empty() {
            budget.tick(1, || "which plans can be completed".into())?;
            if self.items.len() > self.most {
                let what =
                    format!("deciding which plans can be completed takes more than {} entries", self.most);
                return Err(Limit::new(LimitKind::Size, what));
            }
            let Some(item) = self.todo.pop_front() else { break };
            let cost = self.items[&item];
            let goal = self.table[item.goal as usize].0;
            let body = &space.grammar.rules[item.rule].body;
            let Some(&symbol) = body.get(item.at as usize) else {
                if !goal.last {
                    self.answer(item.goal, item.state, cost);
                } else if space.is_final(item.state) {
                    self.answer(item.goal, END, cost);
                }
                continue;
            };
            match symbol {
                StackSymbol::Terminal(terminal) => {
                    if let Some(state) = space.step(item.state, terminal) {
                        self.improve(WorkItem { at: item.at + 1, state, ..item }, cost + 1);
                    }
                }
                StackSymbol::Nonterminal(top) => {
                    let last = goal.last && item.at as usize + 1 == body.len();
                    let sub = self.goal(space, PopGoal { state: item.state, top, last });
                    let fresh = self.registered.insert((sub, item));
                    let answers = &mut self.table[sub as usize].1;
                    if fresh {
                        answers.waiting.push(item);
                    }
                    let known: Vec<(StateIndex, u64)> =
                        answers.order.iter().map(|state| (*state, answers.cost[state])).collect();
                    for (state, cost) in known {
                        self.resume(item, sub, state, cost);
                    }
                }
            }
        }
        Ok(())
    }
    /// The states in which a symbol above the bottom of the stack can be popped, with the least cost of each.
    pub(super) fn ends(
        &mut self,
        space: &mut Space<'_>,
        state: StateIndex,
        top: NonterminalId,
        budget: &Budget,
    ) -> Result<Vec<(StateIndex, u64)>, Limit> {
        let goal = self.goal(space, PopGoal { state, top, last: false });
        self.run(space, budget)?;
        let answers = &self.table[goal as usize].1;
        Ok(answers.order.iter().map(|state| (*state, answers.cost[state])).collect())
    }
    /// The least cost from a state to the end of the plan with one symbol on the stack; `None` if there is no plan.
    pub(super) fn finish(
        &mut self,
        space: &mut Space<'_>,
        state: StateIndex,
        top: NonterminalId,
        budget: &Budget,
    ) -> Result<Option<u64>, Limit> {
        let goal = self.goal(space, PopGoal { state, top, last: true });
        self.run(space, budget)?;
        Ok(self.table[goal as usize].1.cost.get(&END).copied())
    }
    /// The least cost of completing a plan with this stack, its top first.
    pub(super) fn complete(
        &mut self,
        space: &mut Space<'_>,
        state: StateIndex,
        stack: &[StackSymbol],
        budget: &Budget,
    ) -> Result<Option<u64>, Limit> {
        let mut costs: FxHashMap<StateIndex, u64> = FxHashMap::from_iter([(state, 0)]);
        let mut order = vec![state];
        for (i, &symbol) in stack.iter().enumerate() {
            if let (StackSymbol::Nonterminal(top), true) = (symbol, i + 1 == stack.len()) {
                let mut best: Option<u64> = None;
                for state in order {
                    if let Some(cost) = self.finish(space, state, top, budget)? {
                        let total = costs[&state] + cost;
                        best = Some(best.map_or(total, |best| best.min(total)));
                    }
                }
                return Ok(best);
            }
            let mut next: FxHashMap<StateIndex, u64> = FxHashMap::default();
            let mut next_order = Vec::new();
            for state in order {
                let ends = match symbol {
                    StackSymbol::Terminal(terminal) => {
                        space.step(state, terminal).map(|to| (to, 1)).into_iter().collect()
                    }
                    StackSymbol::Nonterminal(top) => self.ends(space, state, top, budget)?,
                };
                for (to, cost) in ends {
                    let total = costs[&state] + cost;
                    let best = next.entry(to).or_insert_with(|| {
                        next_order.push(to);
                        u64::MAX
                    });
                    *best = total.min(*best);
                }
            }
            (costs, order) = (next, next_order);
        }
        Ok(order.into_iter().filter(|&state| space.is_final(state)).map(|state| costs[&state]).min())
    }
}
