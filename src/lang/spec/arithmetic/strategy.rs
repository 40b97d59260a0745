//! Invariants of a counter-strategy over numbers: inequalities over the cells under which the environment can choose
//! inputs that keep what the strategy promises, now and for ever. The greatest fixpoint, computed backward: in each state,
//! inputs are eliminated from the comparisons of the state and from the invariants of all next states after all updates.
//! If the fixpoint is not reached within a bound, there is no answer. The certifier checks invariants on its own.

use super::abstraction::{NumberCell, Numbers, bounds, fixed_inputs, letter_truth};
use crate::spec::problem::Problem;
use crate::spec::signature::SymbolId;
use tsl_synth_arithmetic::{LinearAnswer, decide};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{AtomId, Guard, Guards, Inequality, LinearSystem, Sum};
use tsl_synth_core::model::{CounterStrategy, StateId};

/// How often the invariants of all states are strengthened.
const ROUNDS: usize = 24;
/// The largest number of inequalities of one invariant.
const PARTS: usize = 24;

/// What a counter-strategy promises over numbers, state by state.
#[derive(Clone, Debug, Default)]
pub struct NumberPlan {
    /// The equations that are false because the left side is less.
    pub below: IdVec<StateId, Vec<AtomId>>,
    /// The invariant of each state; variable `i` stands for the symbol with index `i`.
    pub invariants: IdVec<StateId, Vec<Inequality>>,
}

/// Invariants of a counter-strategy whose comparisons in `free` may have any truth value; `None` if none were found.
///
/// # Errors
/// When the budget ends.
pub fn number_plan(
    problem: &Problem,
    counter: &CounterStrategy,
    free: &IdVec<StateId, Vec<AtomId>>,
    budget: &Budget,
) -> Result<Option<NumberPlan>, Limit> {
    let numbers = Numbers::new(&problem.signature);
    for left_is_less in [false, true] {
        let equations = |state: StateId| {
            let atoms = numbers.atoms.iter().filter(|atom| atom.comparison.equal && left_is_less);
            let kept = atoms.filter(|atom| !free[state].contains(&atom.atom));
            kept.map(|atom| atom.atom).collect::<Vec<AtomId>>()
        };
        let below: IdVec<StateId, Vec<AtomId>> = counter.states.ids().map(equations).collect();
        let invariants = IdVec::filled(Vec::new(), counter.states.len());
        let mut search = PlanSearch { problem, numbers: &numbers, counter, free, below, invariants, budget };
        if search.run()? {
            let PlanSearch { below, invariants, .. } = search;
            return Ok(Some(NumberPlan { below, invariants }));
        }
        if !numbers.atoms.iter().any(|atom| atom.comparison.equal) {
            break;
        }
    }
    Ok(None)
}

struct PlanSearch<'a> {
    problem: &'a Problem,
    numbers: &'a Numbers,
    counter: &'a CounterStrategy,
    free: &'a IdVec<StateId, Vec<AtomId>>,
    below: IdVec<StateId, Vec<AtomId>>,
    invariants: IdVec<StateId, Vec<Inequality>>,
    budget: &'a Budget,
}

impl PlanSearch<'_> {
    /// Strengthens all invariants until they are stable and some initial values satisfy them.
    fn run(&mut self) -> Result<bool, Limit> {
        let states: Vec<StateId> = self.counter.states.ids().collect();
        for _ in 0..ROUNDS {
            let mut changed = false;
            for &state in states.iter().rev() {
                let Some(goals) = self.goals(state)? else { return Ok(false) };
                for goal in goals {
                    if self.implied(&self.invariants[state], &goal) {
                        continue;
                    }
                    self.invariants[state].push(goal);
                    changed = true;
                }
                self.reduce(state);
                if self.invariants[state].len() > PARTS {
                    return Ok(false);
                }
            }
            if !self.starts() {
                return Ok(false);
            }
            if !changed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn implied(&self, known: &[Inequality], goal: &Inequality) -> bool {
        if goal.known() == Some(true) {
            return true;
        }
        let mut system = LinearSystem { inequalities: known.to_vec(), ..LinearSystem::default() };
        system.inequalities.push(goal.negated());
        self.numbers.bound(&mut system);
        decide(&system).is_impossible()
    }

    /// Drops inequalities that follow from others.
    fn reduce(&mut self, state: StateId) {
        let mut at = 0;
        while at < self.invariants[state].len() {
            let mut others = self.invariants[state].clone();
            let part = others.remove(at);
            if self.implied(&others, &part) {
                self.invariants[state] = others;
            } else {
                at += 1;
            }
        }
    }

    /// Whether some initial values satisfy the invariant of the initial state.
    fn starts(&self) -> bool {
        let mut system = LinearSystem::default();
        for part in &self.invariants[self.counter.initial] {
            let part = part.substituted(|v| match self.numbers.cell(v).and_then(|cell| cell.initial) {
                Some(value) => Some(Sum::constant(value)),
                None => Some(Sum::variable(v)),
            });
            let Some(part) = part else { return false };
            system.inequalities.push(part);
        }
        self.numbers.bound(&mut system);
        matches!(decide(&system), LinearAnswer::Possible(_))
    }

    /// What the cells have to satisfy in a state; `None` if that is not known.
    fn goals(&self, state: StateId) -> Result<Option<Vec<Inequality>>, Limit> {
        let letter = &self.counter.states[state].input;
        let mut goals = Vec::new();
        for atom in &self.numbers.atoms {
            if self.free[state].contains(&atom.atom) {
                continue;
            }
            let sum = atom.comparison.sum.clone();
            let truth = letter_truth(self.problem, atom.atom, letter);
            match (atom.comparison.equal, truth) {
                (false, false) => goals.push(Inequality::at_most_zero(sum)),
                (true, true) => {
                    goals.push(Inequality::at_most_zero(sum.negated()));
                    goals.push(Inequality::at_most_zero(sum));
                }
                (true, false) if self.below[state].contains(&atom.atom) => {
                    goals.push(Inequality::below_zero(sum));
                }
                (false, true) | (true, false) => goals.push(Inequality::below_zero(sum.negated())),
            }
        }
        for edge in &self.counter.states[state].edges {
            if !self.reached(edge.guard, edge.next, &mut goals)? {
                return Ok(None);
            }
        }
        for symbol in self.numbers.sets.ids() {
            let Some(set) = self.numbers.sets[symbol] else { continue };
            if self.numbers.cell(symbol.index() as u32).is_none() {
                goals.extend(bounds(symbol.index() as u32, &set));
            }
        }
        let fixed = fixed_inputs(self.problem, self.numbers, letter);
        let image = |v: u32| match fixed.iter().find(|(symbol, _)| *symbol == v) {
            Some((_, value)) => Sum::constant(*value),
            None => Sum::variable(v),
        };
        let mut given = Vec::new();
        for goal in goals {
            let Some(sum) = goal.sum.substituted(|v| Some(image(v))) else { return Ok(None) };
            given.push(Inequality { sum, strict: goal.strict });
        }
        Ok(self.eliminate(given))
    }

    /// Adds that all updates of an edge lead to the invariant of the next state; false if that is not linear.
    fn reached(&self, guard: Guard, next: StateId, goals: &mut Vec<Inequality>) -> Result<bool, Limit> {
        let invariant = &self.invariants[next];
        let is_used = |cell: &&NumberCell| {
            invariant.iter().any(|part| !part.sum.coefficient(cell.variable()).is_zero())
        };
        let cells: Vec<&NumberCell> = self.numbers.cells.iter().filter(is_used).collect();
        let mut guards: Guards = self.counter.guards.clone();
        let mut todo: Vec<(Guard, Vec<&Sum>)> = vec![(guard, Vec::new())];
        while let Some((guard, values)) = todo.pop() {
            self.budget.tick(4, || "numbers of a counter-strategy".into())?;
            if guard == Guard::FALSE {
                continue;
            }
            let Some(cell) = cells.get(values.len()) else {
                for part in invariant {
                    let goal = part.substituted(|v| {
                        let at = cells.iter().position(|cell| cell.variable() == v)?;
                        Some(values[at].clone())
                    });
                    let Some(goal) = goal else { return Ok(false) };
                    if !goals.contains(&goal) {
                        goals.push(goal);
                    }
                }
                continue;
            };
            for (atom, sum) in &cell.options {
                let chosen = self.problem.alphabet.guard(*atom, &mut guards);
                let narrowed = guards.and(guard, chosen);
                match sum {
                    _ if narrowed == Guard::FALSE => {}
                    Some(sum) => todo.push((narrowed, [&values[..], &[sum]].concat())),
                    None => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// The inequalities over cells that hold exactly if some inputs satisfy all; `None` if that is not known.
    fn eliminate(&self, mut goals: Vec<Inequality>) -> Option<Vec<Inequality>> {
        let integer =
            |v: u32| self.numbers.sets[SymbolId::from_index(v as usize)].is_some_and(|set| set.integer);
        loop {
            let mut next = Vec::new();
            for goal in goals {
                let goal = goal.normalized(integer)?;
                if goal.known() != Some(true) && !next.contains(&goal) {
                    next.push(goal);
                }
            }
            goals = next;
            let variables = goals.iter().flat_map(|goal| goal.sum.terms()).map(|(variable, _)| variable);
            let input = variables.filter(|&variable| self.numbers.cell(variable).is_none()).min();
            let Some(variable) = input else { return Some(goals) };
            let (with, mut rest): (Vec<Inequality>, Vec<Inequality>) =
                goals.into_iter().partition(|goal| !goal.sum.coefficient(variable).is_zero());
            for up in &with {
                for down in &with {
                    let (a, b) = (up.sum.coefficient(variable), down.sum.coefficient(variable));
                    if a.is_positive() && b.is_negative() {
                        let sum = up.sum.times(b.negated())?.plus(a, &down.sum)?;
                        rest.push(Inequality { sum, strict: up.strict || down.strict });
                    }
                }
            }
            if rest.len() > 8 * PARTS {
                return None;
            }
            goals = rest;
        }
    }
}
