//! Shows that the condition on the automata of a formula follows from it, or it from the condition.
//!
//! The automata become a counter-strategy that reads whole letters, as if the system chose all atoms, and gives the signals
//! of its last step as inputs. That a condition holds does not depend on the delay by one step: at first each automaton is
//! alive, and what recurs is not about single steps. The kernel certifies that no play of it violates the implication,
//! and so also that the edges of each state are disjoint and complete.

use super::{Direction, MonitorAutomaton, MonitoredFormula, condition, undecided};
use crate::claim::{StrategyClaim, StrategyRef};
use crate::entry::certify;
use crate::outcome::CertifyError;
use crate::tuning::MONITOR_EDGES;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, FormulaId, Formulas, Guard, Guards, Letter};
use tsl_synth_core::model::{
    Contract, CounterEdge, CounterState, CounterStrategy, RunEdge, RunStateId, StateId,
};

/// Checks the implication of a direction.
pub(super) fn check(
    formulas: &mut Formulas,
    alphabet: &Alphabet,
    f: FormulaId,
    monitored: &MonitoredFormula,
    direction: Direction,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut letters = alphabet.with_outputs(|_| true);
    let signals: Vec<(AtomId, AtomId)> = (0..monitored.automata.len())
        .map(|i| (letters.add_input(format!("alive {i}")), letters.add_input(format!("accepting {i}"))))
        .collect();
    // Signals have other atoms here than beside the circuit: ids of atoms stand for their places in this alphabet.
    let condition = condition(formulas, &signals, monitored)?;
    let clause = match direction {
        Direction::Known => formulas.implies(f, condition),
        Direction::Shown => formulas.implies(condition, f),
    };
    let machine = machine(&letters, &signals, &monitored.automata, budget)?;
    // All plays have to satisfy the assumption; the guarantee cannot be kept.
    let contract =
        Contract { assumptions: vec![clause], guarantees: vec![formulas.bottom()], ..Contract::default() };
    let strategy = StrategyRef::Counter(&machine);
    let claim = StrategyClaim { formulas, alphabet: &letters, contract: &contract, strategy };
    match certify(&claim, budget) {
        Ok(_) => Ok(()),
        Err(CertifyError::Limit(limit)) => Err(limit.into()),
        Err(_) => Err(undecided("an automaton is not that of its conjunct").into()),
    }
}

/// The states of all automata, and for each whether it was accepting in the last step.
type Product = Vec<(RunStateId, bool)>;

/// The counter-strategy whose plays are the runs of the product of the automata.
fn machine(
    letters: &Alphabet,
    signals: &[(AtomId, AtomId)],
    automata: &[MonitorAutomaton],
    budget: &Budget,
) -> Result<CounterStrategy, Limit> {
    let bit = |atom: AtomId| match letters.atoms()[atom].kind {
        AtomKind::Input(bit) | AtomKind::Output(bit) => bit,
        AtomKind::Update(..) => unreachable!("signals are inputs"),
    };
    let signals: Vec<(BitId, BitId)> = signals.iter().map(|&(alive, edge)| (bit(alive), bit(edge))).collect();
    let mut guards = Guards::new();
    let mut copied = |part: &MonitorAutomaton| -> Vec<Vec<Guard>> {
        let own = &part.automaton;
        let mut copy = |edge: &RunEdge| own.guards.copy_into(edge.guard, &mut guards);
        own.states.iter().map(|edges| edges.iter().map(&mut copy).collect()).collect()
    };
    let labels: Vec<Vec<Vec<Guard>>> = automata.iter().map(&mut copied).collect();
    let initial: Product = automata.iter().map(|part| (part.automaton.initial, false)).collect();
    let mut index: FxHashMap<Product, StateId> = FxHashMap::default();
    let mut order = vec![initial.clone()];
    index.insert(initial, StateId::from_index(0));
    let mut states: IdVec<StateId, CounterState> = IdVec::new();
    let mut count = 0;
    while let Some(here) = order.get(states.len()).cloned() {
        let mut moves: Vec<(Guard, Product)> = vec![(Guard::TRUE, Vec::new())];
        for (i, part) in automata.iter().enumerate() {
            let q = here[i].0;
            let mut further = Vec::new();
            for (guard, next) in &moves {
                for (e, &label) in part.automaton.states[q].iter().zip(&labels[i][q.index()]) {
                    budget.tick(1, || "certificate: the product of monitors".into())?;
                    let both = guards.and(*guard, label);
                    if both != Guard::FALSE {
                        let mut next = next.clone();
                        next.push((e.next, e.accepting));
                        further.push((both, next));
                    }
                }
            }
            moves = further;
        }
        count += moves.len();
        if count > MONITOR_EDGES {
            return Err(undecided("a product of automata is large"));
        }
        let mut edges = Vec::new();
        for (guard, next) in moves {
            let fresh = StateId::from_index(order.len());
            let next = *index.entry(next.clone()).or_insert_with(|| {
                order.push(next);
                fresh
            });
            edges.push(CounterEdge { guard, next });
        }
        let mut input = Letter::default();
        for ((&(q, accepting), part), &(alive, edge)) in here.iter().zip(automata).zip(&signals) {
            if part.automaton.dead != Some(q) {
                input.insert(alive);
            }
            if accepting {
                input.insert(edge);
            }
        }
        states.push(CounterState { input, edges });
    }
    Ok(CounterStrategy { guards, states, initial: StateId::from_index(0) })
}
