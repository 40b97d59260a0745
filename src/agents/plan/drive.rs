//! Driving an oracle to a plan: the oracle chooses among the alternatives that the grammar offers.
//!
//! With look-ahead, only choices are offered after which a plan within the size bound is possible, so that every oracle
//! reaches a plan. Where the bounded search finds neither a completion nor a proof that there is none, the choice says
//! that it may be a dead end, and the driver goes back if it is one. Without look-ahead, as in Formal-LLM, choices are offered whose first step is still allowed; at a dead end
//! the driver backtracks to the last choice with an untried branch.

use super::parikh::Possible;
use super::planner::{PlanStep, Planner};
use super::prompt;
use super::space::StateIndex;
use super::tree::{PlanNode, execution_order};
use crate::plan_grammar::{NonterminalId, PlanRuleId, StackSymbol, TerminalId};
use crate::{Conversation, OracleAnswer, OracleRequest, Port, StopReason};
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Id, Limit, LimitKind, Random};

/// The maximal number of configurations that a run visits, as a bound on backtracking.
const MAX_VISITS: u64 = 2_000_000;
/// The maximal number of configurations that [`dead_configurations`] explores.
const MAX_CONFIGURATIONS: usize = 500_000;
/// The label of the choice of no element.
const NONE_OF_THESE: &str = "none of these";

/// What is added to a choice after which it is not known whether a plan is possible.
const MAYBE: &str = " (may be a dead end)";

/// The fallback when no attempt gave a valid answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnInvalid {
    /// The first choice is taken.
    First,
    /// A random choice is taken.
    Random,
    /// The run stops without a plan.
    #[default]
    Stop,
}

/// How an oracle is driven.
#[derive(Clone, Copy, Debug)]
pub struct DriveOptions {
    /// Whether to offer only choices that can be completed to a plan.
    pub look_ahead: bool,
    /// The fallback when the oracle gives no valid answer.
    pub on_invalid: OnInvalid,
    /// The maximal cost of a plan: its number of steps plus the number of rules that it applies.
    pub most: u64,
    /// The seed for [`OnInvalid::Random`].
    pub seed: u64,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self { look_ahead: true, on_invalid: OnInvalid::Stop, most: 2_000, seed: 0 }
    }
}

/// A question and the choices made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredRequest {
    /// The question.
    pub request: OracleRequest,
    /// The indices of the choices, from 0.
    pub chosen: Vec<usize>,
    /// Whether the oracle made the choices; `false` if they come from the fallback [`OnInvalid`].
    pub by_oracle: bool,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriveEnd {
    /// With a plan.
    Plan,
    /// There is no plan.
    NoPlan,
    /// There are plans, but even the least cost of a plan, given here, exceeds [`DriveOptions::most`].
    TooLarge(u64),
    /// The oracle does not answer.
    Stopped(StopReason),
}

/// The result of driving an oracle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driven {
    /// How a run ended.
    pub end: DriveEnd,
    /// The steps so far, in the order in which they were chosen.
    pub nodes: Vec<PlanNode>,
    /// The indices of the steps in the order in which they are carried out.
    pub order: Vec<usize>,
    /// The questions that led to the plan, without those of abandoned branches.
    pub taken: Vec<AnsweredRequest>,
    /// The number of dead ends met.
    pub backtracks: u64,
    /// The number of choices offered with look-ahead that were announced as possible dead ends.
    pub unsure: u64,
}

/// The number of configurations, and of those from which no plan is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dead {
    /// Configurations that are reachable without look-ahead: product states of control, limits and laws, with stacks.
    pub configurations: usize,
    /// Those from which no plan is possible.
    pub dead: usize,
}

#[derive(Clone, Debug)]
struct DriveEntry {
    symbol: StackSymbol,
    /// The slot of the step that this entry serves.
    serves: Option<usize>,
    /// The slots to fill with the first step derived from this entry.
    fills: Vec<usize>,
    /// The label, in prompts, of the first step derived from this entry.
    label: Option<String>,
}

#[derive(Clone)]
struct Configuration {
    state: StateIndex,
    /// The top of the stack is the last element.
    stack: Vec<DriveEntry>,
    used: Vec<u32>,
    nodes: Vec<PlanNode>,
    slots: Vec<Option<usize>>,
    taken: Vec<AnsweredRequest>,
    cost: u64,
}

#[derive(Clone, Debug)]
struct PlanOffer {
    path: Vec<PlanRuleId>,
    label: String,
    /// Whether it may be a dead end although look-ahead is on.
    unsure: bool,
}

/// Drives an oracle to a plan.
pub struct PlanDriver<'p, 'a> {
    planner: &'p mut Planner<'a>,
    options: DriveOptions,
    random: Random,
    unsure: u64,
}

/// The next choice to make, or the end of a branch.
enum DriveProgress {
    Done,
    Dead,
    Choose(NonterminalId, Vec<PlanOffer>),
    Subset(TerminalId, Option<String>, Option<usize>, Vec<usize>),
}

impl<'p, 'a> PlanDriver<'p, 'a> {
    /// A driver to the plans of this planner.
    pub fn new(planner: &'p mut Planner<'a>, options: DriveOptions) -> Self {
        Self { planner, random: Random::new(options.seed), options, unsure: 0 }
    }

    /// Asks the evaluator of a conversation until there is a plan.
    ///
    /// # Errors
    /// A limit. A missing plan or answer is part of the result.
    pub fn run(&mut self, oracle: &mut Conversation<'_>) -> Result<Driven, Limit> {
        let start = self.planner.grammar().start;
        let state = self.planner.space.first();
        let entry = DriveEntry {
            symbol: StackSymbol::Nonterminal(start),
            serves: None,
            fills: Vec::new(),
            label: None,
        };
        let mut now = Configuration {
            state,
            stack: vec![entry],
            used: vec![0; self.planner.grammar().terminals.len()],
            nodes: Vec::new(),
            slots: Vec::new(),
            taken: Vec::new(),
            cost: 0,
        };
        if self.options.look_ahead && self.planner.is_possible(Some(self.options.most))? == Possible::No {
            let end = match self.planner.is_possible(None)? {
                Possible::No => DriveEnd::NoPlan,
                _ => self.planner.least_cost()?.map_or(DriveEnd::NoPlan, DriveEnd::TooLarge),
            };
            return Ok(self.driven(now, end, 0));
        }
        let (mut branches, mut backtracks, mut visits) =
            (Vec::<(Configuration, Vec<PlanOffer>)>::new(), 0, 0);
        loop {
            visits += 1;
            if visits > MAX_VISITS {
                let what = format!("the search for a plan visited more than {MAX_VISITS} configurations");
                return Err(Limit::new(LimitKind::Work, what));
            }
            let (top, mut offered) = match self.advance(&mut now)? {
                DriveProgress::Done => return Ok(self.driven(now, DriveEnd::Plan, backtracks)),
                DriveProgress::Subset(step, label, serves, fills) => {
                    match self.subset(oracle, &mut now, step) {
                        Ok(chosen) => emit(
                            self.planner,
                            &mut now,
                            PlanStep { terminal: step, chosen: Some(chosen) },
                            label.as_deref(),
                            serves,
                            &fills,
                        ),
                        Err(stop) => return Ok(self.driven(now, DriveEnd::Stopped(stop), backtracks)),
                    }
                    continue;
                }
                DriveProgress::Choose(top, offered) => (top, offered),
                DriveProgress::Dead => {
                    backtracks += 1;
                    let Some((back, rest)) = branches.pop() else {
                        return Ok(self.driven(now, DriveEnd::NoPlan, backtracks));
                    };
                    now = back;
                    let Some(DriveEntry { symbol: StackSymbol::Nonterminal(top), .. }) = now.stack.last()
                    else {
                        continue;
                    };
                    (*top, rest)
                }
            };
            let chosen = if offered.len() == 1 {
                0
            } else {
                match self.choose(oracle, &mut now, top, &offered) {
                    Ok(chosen) => chosen,
                    Err(stop) => return Ok(self.driven(now, DriveEnd::Stopped(stop), backtracks)),
                }
            };
            let option = offered.remove(chosen);
            if !offered.is_empty() && (!self.options.look_ahead || option.unsure) {
                let mut back = now.clone();
                // After backtracking, the oracle is asked again about the remaining choices.
                back.taken.pop();
                branches.push((back, offered));
            }
            for &rule in &option.path {
                self.apply(&mut now, rule);
            }
        }
    }

    fn driven(&self, now: Configuration, end: DriveEnd, backtracks: u64) -> Driven {
        let order = execution_order(self.planner.grammar().order, &now.nodes);
        let unsure = self.unsure;
        Driven { end, order, nodes: now.nodes, taken: now.taken, backtracks, unsure }
    }

    /// Writes steps until there is a choice to make, or the branch ends.
    fn advance(&mut self, now: &mut Configuration) -> Result<DriveProgress, Limit> {
        loop {
            let Some(entry) = now.stack.last() else {
                let done = self.planner.space.is_final(now.state);
                return Ok(if done { DriveProgress::Done } else { DriveProgress::Dead });
            };
            match entry.symbol {
                StackSymbol::Terminal(step) => {
                    let free = self.planner.space.may_repeat(step, now.used[step.index()]);
                    let next = self.planner.space.step(now.state, step).filter(|_| free);
                    let (Some(next), Some(entry)) = (next, now.stack.pop()) else {
                        return Ok(DriveProgress::Dead);
                    };
                    now.state = next;
                    if self.planner.grammar().terminals[step].subset.is_some() {
                        return Ok(DriveProgress::Subset(step, entry.label, entry.serves, entry.fills));
                    }
                    emit(
                        self.planner,
                        now,
                        PlanStep::plain(step),
                        entry.label.as_deref(),
                        entry.serves,
                        &entry.fills,
                    );
                }
                StackSymbol::Nonterminal(top) => {
                    if now.cost >= self.options.most {
                        return Ok(DriveProgress::Dead);
                    }
                    let mut offered =
                        self.offered(now.state, top, &|step, used: &[u32]| used[step.index()], &now.used);
                    if self.options.look_ahead {
                        let mut kept = Vec::new();
                        for mut option in offered {
                            let possible = self.fits(now, &option)?;
                            option.unsure = possible == Possible::Unknown;
                            if possible != Possible::No {
                                self.unsure += u64::from(option.unsure);
                                kept.push(option);
                            }
                        }
                        offered = kept;
                    }
                    if offered.is_empty() {
                        return Ok(DriveProgress::Dead);
                    }
                    tell_apart(self.planner, &mut offered);
                    for option in &mut offered {
                        if option.unsure {
                            option.label.push_str(MAYBE);
                        }
                    }
                    return Ok(DriveProgress::Choose(top, offered));
                }
            }
        }
    }

    /// The choices for a symbol; a rule that begins with a category is split into the choices for the category.
    fn offered(
        &mut self,
        state: StateIndex,
        top: NonterminalId,
        count: &dyn Fn(TerminalId, &[u32]) -> u32,
        used: &[u32],
    ) -> Vec<PlanOffer> {
        let grammar = self.planner.grammar();
        let space = &mut self.planner.space;
        let mut found = Vec::new();
        let begin = |rules: &[PlanRuleId], path: &[PlanRuleId]| -> Vec<Vec<PlanRuleId>> {
            rules.iter().rev().map(|&rule| path.iter().copied().chain([rule]).collect()).collect()
        };
        let mut todo = begin(&space.rules(state, top), &[]);
        while let Some(path) = todo.pop() {
            let Some(&last) = path.last() else { continue };
            let entered = path.iter().fold(state, |state, &rule| space.enter(state, rule));
            let rule = &grammar.rules[last];
            let label = path.iter().find_map(|&rule| grammar.rules[rule].label.clone());
            match rule.body.first() {
                Some(&StackSymbol::Terminal(step)) => {
                    let free =
                        space.may_repeat(step, count(step, used)) && space.step(entered, step).is_some();
                    if free {
                        let label = label.unwrap_or_else(|| grammar.terminals[step].shown().to_string());
                        found.push(PlanOffer { path, label, unsure: false });
                    }
                }
                Some(&StackSymbol::Nonterminal(inner))
                    if grammar.is_category(space.control(entered), inner) =>
                {
                    todo.extend(begin(&space.rules(entered, inner), &path));
                }
                Some(&StackSymbol::Nonterminal(inner)) => {
                    let label = label.unwrap_or_else(|| grammar.nonterminals[inner].shown().to_string());
                    found.push(PlanOffer { path, label, unsure: false });
                }
                None => {
                    let words = if rule.ends { "stop here: the plan is complete" } else { "nothing" };
                    let label = label.unwrap_or_else(|| words.to_string());
                    found.push(PlanOffer { label, path, unsure: false });
                }
            }
        }
        found
    }

    /// Whether a plan within the size bound is possible after a choice.
    fn fits(&mut self, now: &Configuration, option: &PlanOffer) -> Result<Possible, Limit> {
        let mut stack: Vec<StackSymbol> = now.stack.iter().rev().map(|entry| entry.symbol).collect();
        let (mut state, mut cost) = (now.state, now.cost);
        for &rule in &option.path {
            state = self.planner.space.enter(state, rule);
            stack.splice(..1, self.planner.grammar().rules[rule].body.iter().copied());
            cost += 1;
        }
        match self.options.most.checked_sub(cost) {
            Some(most) => self.planner.completes(state, &stack, Some(most)),
            None => Ok(Possible::No),
        }
    }

    /// Applies a rule to the top of the stack.
    fn apply(&mut self, now: &mut Configuration, rule: PlanRuleId) {
        let Some(entry) = now.stack.pop() else { return };
        now.state = self.planner.space.enter(now.state, rule);
        now.cost += 1;
        let grammar = self.planner.grammar();
        let control = self.planner.space.control(now.state);
        let body = &grammar.rules[rule].body;
        // The steps from the rest of a rule serve its first step.
        let headed = match body.first() {
            Some(StackSymbol::Terminal(_)) => true,
            Some(&StackSymbol::Nonterminal(inner)) => body.len() > 1 && grammar.is_category(control, inner),
            None => false,
        };
        let slot = (headed && body.len() > 1).then(|| {
            now.slots.push(None);
            now.slots.len() - 1
        });
        let label = grammar.rules[rule].label.clone().or(entry.label);
        let fills: Vec<usize> = entry.fills.iter().copied().chain(slot).collect();
        for (i, &symbol) in body.iter().enumerate().rev() {
            let first = i == 0;
            now.stack.push(DriveEntry {
                symbol,
                serves: if first { entry.serves } else { slot.or(entry.serves) },
                fills: if first { fills.clone() } else { Vec::new() },
                label: label.clone().filter(|_| first),
            });
        }
    }

    fn choose(
        &mut self,
        oracle: &mut Conversation<'_>,
        now: &mut Configuration,
        top: NonterminalId,
        offered: &[PlanOffer],
    ) -> Result<usize, StopReason> {
        let labels: Vec<String> = offered.iter().map(|option| option.label.clone()).collect();
        let grammar = self.planner.grammar();
        let serves = now.stack.last().and_then(|entry| entry.serves).and_then(|slot| now.slots[slot]);
        let control = self.planner.space.control(now.state);
        let request = prompt::choose(grammar, control, top, serves, &now.nodes, &labels);
        let (chosen, by_oracle) = match oracle.ask(Port::Evaluator, &request) {
            Ok(OracleAnswer::Choice(chosen)) => (chosen, true),
            Ok(_) => (0, false),
            Err(stop) => (self.instead(stop, offered.len())?, false),
        };
        now.taken.push(AnsweredRequest { request, chosen: vec![chosen], by_oracle });
        Ok(chosen)
    }

    /// The fallback choice when the oracle gave no valid answer.
    fn instead(&mut self, stop: StopReason, choices: usize) -> Result<usize, StopReason> {
        match self.options.on_invalid {
            OnInvalid::First if stop.last.may_ask_again() => Ok(0),
            OnInvalid::Random if stop.last.may_ask_again() => Ok(self.random.below(choices.max(1))),
            _ => Err(stop),
        }
    }

    fn subset(
        &mut self,
        oracle: &mut Conversation<'_>,
        now: &mut Configuration,
        step: TerminalId,
    ) -> Result<Vec<usize>, StopReason> {
        let grammar = self.planner.grammar();
        let Some(subset) = &grammar.terminals[step].subset else { return Ok(Vec::new()) };
        let n = subset.elements.len();
        if n == 1 && !subset.may_be_empty {
            return Ok(vec![0]);
        }
        let mut labels = subset.elements.clone();
        if subset.may_be_empty {
            labels.push(NONE_OF_THESE.into());
        }
        let request = prompt::choose_many(grammar, step, &now.nodes, &labels);
        let good = |answer: &OracleAnswer| match answer {
            OracleAnswer::Choices(chosen) if chosen.contains(&n) && chosen.len() > 1 => {
                Err(format!("`{NONE_OF_THESE}` is chosen with others"))
            }
            _ => Ok(()),
        };
        let (mut chosen, by_oracle) = match oracle.ask_until(Port::Evaluator, &request, &good) {
            Ok(OracleAnswer::Choices(chosen)) => (chosen, true),
            Ok(_) => (vec![0], false),
            Err(stop) => (vec![self.instead(stop, labels.len())?], false),
        };
        now.taken.push(AnsweredRequest { request, chosen: chosen.clone(), by_oracle });
        chosen.retain(|&i| i < n);
        chosen.sort_unstable();
        Ok(chosen)
    }
}

/// Appends a step to the plan.
fn emit(
    planner: &Planner<'_>,
    now: &mut Configuration,
    step: PlanStep,
    label: Option<&str>,
    serves: Option<usize>,
    fills: &[usize],
) {
    let serves = serves.and_then(|slot| now.slots[slot]);
    now.used[step.terminal.index()] += 1;
    now.cost += 1;
    now.nodes.push(PlanNode::new(planner.grammar(), step, label, serves));
    for &slot in fills {
        now.slots[slot] = Some(now.nodes.len() - 1);
    }
}

/// Distinguishes choices with the same label by the symbols that follow.
fn tell_apart(planner: &Planner<'_>, offered: &mut [PlanOffer]) {
    let grammar = planner.grammar();
    let labels: Vec<String> = offered.iter().map(|option| option.label.clone()).collect();
    for (i, option) in offered.iter_mut().enumerate() {
        if labels.iter().filter(|label| **label == labels[i]).count() < 2 {
            continue;
        }
        let rest: Vec<&str> = option
            .path
            .iter()
            .rev()
            .flat_map(|&rule| grammar.rules[rule].body.iter().skip(1))
            .map(|symbol| match symbol {
                StackSymbol::Terminal(id) => grammar.terminals[*id].shown(),
                StackSymbol::Nonterminal(id) => grammar.nonterminals[*id].shown(),
            })
            .collect();
        let rest = if rest.is_empty() { "nothing".to_string() } else { rest.join(", ") };
        option.label = format!("{}, with {rest}", option.label);
    }
}

/// Counts the configurations that are reachable without look-ahead, and those among them from which no plan is
/// possible.
///
/// # Errors
/// A limit.
pub fn dead_configurations(planner: &mut Planner<'_>) -> Result<Dead, Limit> {
    let first = (planner.space.first(), vec![StackSymbol::Nonterminal(planner.grammar().start)]);
    let mut seen = FxHashSet::from_iter([first.clone()]);
    let mut todo = vec![first];
    let mut dead = 0;
    while let Some((state, stack)) = todo.pop() {
        if seen.len() > MAX_CONFIGURATIONS {
            let what = format!("there are more than {MAX_CONFIGURATIONS} configurations");
            return Err(Limit::new(LimitKind::Size, what));
        }
        dead += usize::from(match planner.completes(state, &stack, None)? {
            Possible::Yes => false,
            Possible::No => true,
            Possible::Unknown => {
                let what =
                    "whether a configuration is a dead end was not found within the bounds of the search";
                return Err(Limit::new(LimitKind::Size, what));
            }
        });
        let mut next = Vec::new();
        match stack.first() {
            None => {}
            Some(&StackSymbol::Terminal(step)) => {
                next.extend(planner.space.step(state, step).map(|to| (to, stack[1..].to_vec())));
            }
            Some(&StackSymbol::Nonterminal(top)) => {
                let mut driver = PlanDriver::new(planner, DriveOptions::default());
                for option in driver.offered(state, top, &|_, _| 0, &[]) {
                    let (mut to, mut rest) = (state, stack.clone());
                    for &rule in &option.path {
                        to = driver.planner.space.enter(to, rule);
                        rest.splice(..1, driver.planner.grammar().rules[rule].body.iter().copied());
                    }
                    // The first step is taken together with the choice.
                    if let Some(&StackSymbol::Terminal(step)) = rest.first() {
                        let Some(after) = driver.planner.space.step(to, step) else { continue };
                        to = after;
                        rest.remove(0);
                    }
                    next.push((to, rest));
                }
            }
        }
        for one in next {
            if seen.insert(one.clone()) {
                todo.push(one);
            }
        }
    }
    Ok(Dead { configurations: seen.len(), dead })
}
