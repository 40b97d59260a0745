//! Counter-strategies, and the bits that clauses mention.

use tsl_synth_core::base::IdSet;
use tsl_synth_core::logic::{AtomKind, BitId};
use tsl_synth_core::model::{CounterStrategy, StrategyRepr};
use tsl_synth_kernel::StrategyRef;
use tsl_synth_lang::spec::{ClauseId, Problem};

/// A counter-strategy in either form.
pub type CounterRepr = StrategyRepr<CounterStrategy>;

/// The certifier's view of a counter-strategy.
pub(super) fn counter_ref(counter: &CounterRepr) -> StrategyRef<'_> {
    match counter {
        StrategyRepr::Explicit(machine) => StrategyRef::Counter(machine),
        StrategyRepr::Circuit(circuit) => StrategyRef::CounterCircuit(circuit),
    }
}

/// The bits that the formula of a clause mentions; for a cell all of its bits.
pub(super) fn bits(problem: &Problem, clause: ClauseId) -> IdSet<BitId> {
    let mut bits = IdSet::new();
    for atom in problem.support(&[problem.clauses[clause].formula]).iter() {
        match problem.alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) | AtomKind::Output(bit) => {
                bits.insert(bit);
            }
            AtomKind::Update(cell, _) => bits.extend(problem.alphabet.cells()[cell].bits.iter().copied()),
        }
    }
    bits
}
