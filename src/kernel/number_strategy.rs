//! Counter-strategies over numbers: that the environment can choose numbers for its comparisons, step by step, whatever
//! the system does and whatever it sees.
//!
//! A [`CounterStrategy`] gives truth values to comparisons. Here each of its states has, besides, comparisons whose
//! truth values it leaves to the numbers (they are free), and an invariant: inequalities over the cells. The claim
//! holds if
//!
//! 1. on all plays with any truth values of free comparisons that satisfy the facts about numbers, the strategy keeps
//!    the other facts and the assumptions, and some restriction or guarantee fails;
//! 2. there are initial values that satisfy the invariant of the initial state;
//! 3. in each state, for all cells that satisfy its invariant there are inputs that give the comparisons that are not
//!    free their truth values, and that after all updates of an edge lead to the invariant of the next state.
//!
//! By 2 and 3 the environment has a strategy that chooses numbers without knowledge of the future, so that every play
//! against it is one of numbers, satisfies all facts about numbers (which are certified here, too), and is one of 1.
//!
//! Inputs are eliminated one by one: each lower bound has to be below each upper bound. That is exact for rational
//! numbers, and for integers if all lower or all upper bounds are integers (Cooper 1972 has the general case). What is
//! left has to follow from the invariant, with a proof from outside that is multiplied out.

use super::claim::{StrategyClaim, StrategyRef};
use super::fact_values::{FactValueId, FactValues};
use super::facts::certify_fact;
use super::linear::{Prover, is_refuted};
use super::outcome::{Certified, CertifyError};
use super::search::couvreur::SearchExtent;
use super::search::explicit::Explicit;
use super::vocabulary::{Constant, DataAtom, DataId, DataTerm, SignalId, ValueOperation, Vocabulary};
use crate::trusted::cases::Cases;
use crate::trusted::checker::Checker;
use crate::trusted::plays::{Plays, output_letters};
use tsl_synth_core::base::{Budget, Id, IdVec, Limit, LimitKind, Rational};
use tsl_synth_core::logic::{AtomId, AtomKind, FormulaId, Guard, Guards, Inequality, LinearSystem, Sum};
use tsl_synth_core::model::{Contract, CounterStrategy, StateId};

/// What a state of a counter-strategy has over numbers.
#[derive(Clone, Debug, Default)]
pub struct NumberState {
    /// The comparisons whose truth values are left to the numbers.
    pub free: Vec<AtomId>,
    /// The equations, false in this state, whose left side is less than the right one; it is greater in the others.
    pub below: Vec<AtomId>,
    /// What holds of the cells; variables are the numbers of signals.
    pub invariant: Vec<Inequality>,
}

/// Certifies that a counter-strategy defeats every controller over numbers, also those that see all numbers.
///
/// # Errors
/// [`CertifyError`]: some part of the claim is wrong or could not be shown, or a limit of the budget.
pub fn certify_numbers(
    claim: &StrategyClaim<'_>,
    vocabulary: &Vocabulary,
    states: &IdVec<StateId, NumberState>,
    prover: &mut Prover<'_>,
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let StrategyRef::Counter(machine) = claim.strategy else {
        return Err(CertifyError::Malformed("not a counter-strategy".into()));
    };
    if states.len() != machine.states.len() {
        return Err(CertifyError::Malformed("not one invariant for each state".into()));
    }
    let mut variables = states.iter().flat_map(|state| &state.invariant).flat_map(|part| part.sum.terms());
    let is_cell = |variable: u32| {
        let signal = vocabulary.signals.get(SignalId::from_index(variable as usize));
        signal.is_some_and(|signal| signal.is_cell)
    };
    if !variables.all(|(variable, _)| is_cell(variable)) {
        return Err(CertifyError::Malformed("an invariant is not over cells".into()));
    }
    let comparisons = comparisons(vocabulary);
    let (mut given, mut contract) = (Vec::new(), claim.contract.clone());
    contract.facts.retain(|&fact| {
        let about_numbers = claim.formulas.support(&[fact]).iter().any(|atom| comparisons.contains(&atom));
        let certified =
            about_numbers && certify_fact(claim.formulas, vocabulary, fact, prover, budget).is_ok();
        given.extend(certified.then_some(fact));
        !certified
    });
    let free: IdVec<StateId, Vec<AtomId>> = states.iter().map(|state| state.free.clone()).collect();
    if !free.iter().flatten().all(|atom| comparisons.contains(atom)) {
        return Err(CertifyError::Malformed("an atom is free that is not a comparison of numbers".into()));
    }
    let certified =
        defeats_with_free(&StrategyClaim { contract: &contract, ..*claim }, &free, &given, budget)?;
    let mut check = NumberCheck { claim, machine, vocabulary, states, prover, budget };
    check.initial()?;
    for state in machine.states.ids() {
        check.state(state)?;
    }
    Ok(certified)
}

/// Whether a counter-strategy keeps facts and assumptions and breaks a restriction or guarantee on all plays with any
/// truth values of the free atoms of each state that satisfy some more clauses. Alone this certifies nothing.
///
/// # Errors
/// [`CertifyError`]: malformed, refuted by a play, or a limit of the budget.
pub fn defeats_with_free(
    claim: &StrategyClaim<'_>,
    free: &IdVec<StateId, Vec<AtomId>>,
    given: &[FormulaId],
    budget: &Budget,
) -> Result<Certified, CertifyError> {
    let StrategyRef::Counter(machine) = claim.strategy else {
        return Err(CertifyError::Malformed("not a counter-strategy".into()));
    };
    let plays = Plays::of_counter_with_free(claim.alphabet, machine, free, budget)?;
    let mut all = Contract { facts: Vec::new(), ..claim.contract.clone() };
    all.facts.extend(claim.contract.facts.iter().chain(given));
    let cases = &Cases::new(claim.formulas, &all);
    let search = Explicit::new(&cases.formulas, claim.alphabet, plays, SearchExtent::First, budget);
    Checker::new(cases, claim.alphabet, search).defeats(claim.contract, given)
}

/// The atoms that compare linear terms over numbers.
fn comparisons(vocabulary: &Vocabulary) -> Vec<AtomId> {
    let step = StepSums::new(vocabulary, |_| None);
    vocabulary.atoms.ids().filter(|&atom| step.comparison(atom).is_some()).collect()
}

/// The terms of one step as linear sums over the signals.
struct StepSums<'a> {
    vocabulary: &'a Vocabulary,
    now: IdVec<SignalId, FactValueId>,
    evaluated: IdVec<DataId, FactValueId>,
    sums: IdVec<FactValueId, Option<Sum>>,
    /// The signal of each variable.
    signals: IdVec<FactValueId, Option<SignalId>>,
}

impl<'a> StepSums<'a> {
    /// Arbitrary values, but for signals whose value is known.
    fn new(vocabulary: &'a Vocabulary, known: impl Fn(SignalId) -> Option<Constant>) -> Self {
        let mut run = FactValues::new(vocabulary);
        let mut now: IdVec<SignalId, FactValueId> = IdVec::new();
        for (id, signal) in vocabulary.signals.enumerate() {
            let value = match known(id) {
                Some(constant) => run.constant(constant),
                None => run.any_of(signal),
            };
            now.push(value);
        }
        let evaluated = run.evaluate_all(&now);
        let sums = run.sums();
        let mut signals = IdVec::filled(None, sums.len());
        for (id, &value) in now.enumerate() {
            signals[value] = Some(id);
        }
        Self { vocabulary, now, evaluated, sums, signals }
    }
    fn sum(&self, term: DataId) -> Option<&Sum> {
        self.sums[self.evaluated[term]].as_ref()
    }
    /// The difference of the sides of an atom that compares numbers, and whether it is an equation.
    fn comparison(&self, atom: AtomId) -> Option<(Sum, bool)> {
        let DataAtom::Holds(term) = *self.vocabulary.atoms.get(atom)? else { return None };
        let DataTerm::Operation(operation, a, b) = self.vocabulary.terms[term] else { return None };
        let equal = match operation {
            ValueOperation::Equal => true,
            ValueOperation::Greater => false,
            _ => return None,
        };
        let difference = self.sum(a)?.plus(Rational::ONE.negated(), self.sum(b)?)?;
        Some((difference, equal))
    }
    fn signal(&self, variable: u32) -> Option<SignalId> {
        *self.signals.get(FactValueId::from_index(variable as usize))?
    }
    fn is_integer(&self, variable: u32) -> bool {
        let kind = self.signal(variable).and_then(|signal| self.vocabulary.signals[signal].number);
        kind.is_some_and(|kind| kind.integer)
    }
    /// An invariant over the values of this step; `None` if it is not about numbers that are known as sums.
    fn here(&self, inequality: &Inequality) -> Option<Inequality> {
        inequality.substituted(|variable| {
            let signal = SignalId::from_index(variable as usize);
            self.sums[*self.now.get(signal)?].clone()
        })
    }
}

struct NumberCheck<'c, 'p> {
    claim: &'c StrategyClaim<'c>,
    machine: &'c CounterStrategy,
    vocabulary: &'c Vocabulary,
    states: &'c IdVec<StateId, NumberState>,
    prover: &'c mut Prover<'p>,
    budget: &'c Budget,
}

fn wrong(state: StateId, what: &str) -> CertifyError {
    CertifyError::Wrong(format!("numbers in state {}: {what}", state.index()))
}

/// Not a refutation of the claim: eliminating an integer variable is exact only if all its lower bounds or all its upper
/// bounds have the coefficient 1 or -1, and coefficients may become too large.
fn not_eliminated() -> CertifyError {
    CertifyError::Limit(Limit::new(LimitKind::Size, "certificate: an input that is not eliminated exactly"))
}

impl NumberCheck<'_, '_> {
    /// Some initial values satisfy the first invariant.
    fn initial(&mut self) -> Result<(), CertifyError> {
        let first = self.machine.initial;
        let step = StepSums::new(self.vocabulary, |signal| {
            let initial = self.vocabulary.signals[signal].initial?;
            match &self.vocabulary.terms[initial] {
                DataTerm::Constant(constant) => Some(constant.clone()),
                _ => None,
            }
        });
        let mut goals = Vec::new();
        for inequality in &self.states[first].invariant {
            let goal =
                step.here(inequality).ok_or_else(|| wrong(first, "an invariant that is not linear"))?;
            for (variable, _) in goal.sum.terms() {
                let signal = step.signal(variable).map(|signal| &self.vocabulary.signals[signal]);
                if signal.is_none_or(|signal| !signal.is_cell || signal.initial.is_some()) {
                    return Err(wrong(first, "an invariant over unknown initial values"));
                }
            }
            goals.push(goal);
        }
        let left = eliminate(&step, goals, |_| true).ok_or_else(not_eliminated)?;
        if left.iter().all(|goal| goal.known() == Some(true)) {
            Ok(())
        } else {
            Err(wrong(first, "no initial values satisfy the invariant"))
        }
    }

    /// For all cells that satisfy the invariant there are inputs that keep what the state promises.
    fn state(&mut self, state: StateId) -> Result<(), CertifyError> {
        let letter = &self.machine.states[state].input;
        let here: Vec<(AtomId, bool)> = self
            .claim
            .alphabet
            .atoms()
            .enumerate()
            .filter_map(|(atom, info)| match info.kind {
                AtomKind::Input(bit) => Some((atom, letter.contains(bit))),
                AtomKind::Output(_) | AtomKind::Update(..) => None,
            })
            .collect();
        let run = FactValues::new(self.vocabulary);
        let step = StepSums::new(self.vocabulary, |signal| {
            run.reported(signal, &self.vocabulary.signals[signal], &here)
        });
        let mut goals = self.promised(&step, state, &here);
        for edge in &self.machine.states[state].edges {
            self.reached(&step, state, edge.guard, edge.next, &mut goals)?;
        }
        for (value, signal) in step.signals.enumerate() {
            let Some(signal) = signal.map(|signal| &self.vocabulary.signals[signal]) else { continue };
            if let (false, Some(kind)) = (signal.is_cell, signal.number) {
                let variable = Sum::variable(value.index() as u32);
                let minus = Rational::ONE.negated();
                let above = kind.low.and_then(|low| Sum::constant(low).plus(minus, &variable));
                let below = kind.high.and_then(|high| variable.plus(minus, &Sum::constant(high)));
                goals.extend([above, below].into_iter().flatten().map(Inequality::at_most_zero));
            }
        }
        let is_input = |variable| step.signal(variable).is_none_or(|s| !self.vocabulary.signals[s].is_cell);
        let left = eliminate(&step, goals, is_input).ok_or_else(not_eliminated)?;
        let mut known = Vec::new();
        for inequality in &self.states[state].invariant {
            known.push(step.here(inequality).ok_or_else(|| wrong(state, "an invariant that is not linear"))?);
        }
        for goal in left {
            self.budget.tick(1, || "certificate: numbers".into())?;
            if goal.known() == Some(true) {
                continue;
            }
            let mut system = LinearSystem { inequalities: known.clone(), ..LinearSystem::default() };
            system.inequalities.push(goal.negated());
            system.integer = (0..step.signals.len() as u32).map(|v| step.is_integer(v)).collect();
            if !is_refuted(&system, self.prover) {
                return Err(wrong(state, "no inputs keep what it promises"));
            }
        }
        Ok(())
    }

    /// The comparisons of a state that are not free have their truth values.
    fn promised(&self, step: &StepSums<'_>, state: StateId, here: &[(AtomId, bool)]) -> Vec<Inequality> {
        let info = &self.states[state];
        let mut goals = Vec::new();
        for &(atom, truth) in here {
            if info.free.contains(&atom) {
                continue;
            }
            let Some((sum, equal)) = step.comparison(atom) else { continue };
            // The value of a signal that the letter tells is known.
            if let Some(value) = sum.value()
                && truth == if equal { value.is_zero() } else { value.is_positive() }
            {
                continue;
            }
            match (equal, truth) {
                (false, false) => goals.push(Inequality::at_most_zero(sum)),
                (true, true) => {
                    goals.push(Inequality::at_most_zero(sum.negated()));
                    goals.push(Inequality::at_most_zero(sum));
                }
                (true, false) if info.below.contains(&atom) => goals.push(Inequality::below_zero(sum)),
                (false, true) | (true, false) => goals.push(Inequality::below_zero(sum.negated())),
            }
        }
        goals
    }

    /// Adds that all updates of an edge lead to the invariant of the next state.
    fn reached(
        &self,
        step: &StepSums<'_>,
        state: StateId,
        guard: Guard,
        next: StateId,
        goals: &mut Vec<Inequality>,
    ) -> Result<(), CertifyError> {
        let invariant = &self.states[next].invariant;
        let mut cells: Vec<SignalId> = invariant
            .iter()
            .flat_map(|inequality| inequality.sum.terms())
            .map(|(variable, _)| SignalId::from_index(variable as usize))
            .collect();
        cells.sort_unstable();
        cells.dedup();
        let mut guards: Guards = self.machine.guards.clone();
        let letters = output_letters(self.claim.alphabet, &mut guards);
        let all = guards.and(guard, letters);
        let mut todo: Vec<(Guard, Vec<&Sum>)> = vec![(all, Vec::new())];
        while let Some((guard, values)) = todo.pop() {
            self.budget.tick(1, || "certificate: numbers".into())?;
            if guard == Guard::FALSE {
                continue;
            }
            let Some(&cell) = cells.get(values.len()) else {
                for inequality in invariant {
                    let goal = inequality.substituted(|variable| {
                        let signal = SignalId::from_index(variable as usize);
                        cells.binary_search(&signal).ok().map(|i| values[i].clone())
                    });
                    goals.push(goal.ok_or_else(|| wrong(state, "a number is too large"))?);
                }
                continue;
            };
            let mut rest = guard;
            for (atom, meaning) in self.vocabulary.atoms.enumerate() {
                let &DataAtom::Update(of, term) = meaning else { continue };
                if of != cell {
                    continue;
                }
                let chosen = self.claim.alphabet.guard(atom, &mut guards);
                let narrowed = guards.and(guard, chosen);
                rest = guards.minus(rest, chosen);
                if narrowed == Guard::FALSE {
                    continue;
                }
                let sum = step.sum(term).filter(|_| !self.vocabulary.signals[cell].adjusted);
                let sum = sum.ok_or_else(|| wrong(state, "an update that is not linear"))?;
                todo.push((narrowed, [&values[..], &[sum]].concat()));
            }
            if rest != Guard::FALSE {
                return Err(wrong(state, "an update that is not known"));
            }
        }
        Ok(())
    }
}

/// Inequalities without the chosen variables that have the same solutions for the others; `None` if that is not known.
fn eliminate(
    step: &StepSums<'_>,
    mut goals: Vec<Inequality>,
    chosen: impl Fn(u32) -> bool,
) -> Option<Vec<Inequality>> {
    loop {
        for goal in &mut goals {
            *goal = goal.normalized(|variable| step.is_integer(variable))?;
        }
        let variables = goals.iter().flat_map(|goal| goal.sum.terms()).map(|(variable, _)| variable);
        let next = variables.filter(|&variable| chosen(variable)).min();
        let Some(variable) = next else { return Some(goals) };
        goals = without(step, goals, variable)?;
    }
}

/// Inequalities without a variable that have the same solutions for the others.
fn without(step: &StepSums<'_>, goals: Vec<Inequality>, variable: u32) -> Option<Vec<Inequality>> {
    let (with, mut rest): (Vec<Inequality>, Vec<Inequality>) =
        goals.into_iter().partition(|goal| !goal.sum.coefficient(variable).is_zero());
    let (upper, lower): (Vec<&Inequality>, Vec<&Inequality>) =
        with.iter().partition(|goal| goal.sum.coefficient(variable).is_positive());
    if step.is_integer(variable) {
        let integers = |goal: &Inequality| goal.sum.terms().all(|(v, _)| step.is_integer(v));
        let unit = |goal: &&Inequality| {
            let coefficient = goal.sum.coefficient(variable);
            coefficient == Rational::ONE || coefficient == Rational::ONE.negated()
        };
        if !with.iter().all(integers) || !(upper.iter().all(unit) || lower.iter().all(unit)) {
            return None;
        }
    }
    for up in &upper {
        for down in &lower {
            let factor = down.sum.coefficient(variable).negated();
            let sum = up.sum.times(factor)?.plus(up.sum.coefficient(variable), &down.sum)?;
            rest.push(Inequality { sum, strict: up.strict || down.strict });
        }
    }
    Some(rest)
}
