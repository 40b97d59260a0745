//! Copies of circuits inside larger ones, with access to their literals and latches.

use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal};

/// A copy of a circuit: the literal of each of its variables.
pub(super) struct Copy(Vec<Literal>);

impl Copy {
    /// A copy of a well-formed circuit fed with these inputs and latches. The next values of the latches are not set.
    pub(super) fn new(
        builder: &mut CircuitBuilder,
        circuit: &Circuit,
        inputs: &[Literal],
        latches: &[Literal],
    ) -> Self {
        let mut copy = Self(vec![Literal::FALSE]);
        copy.0.extend_from_slice(&inputs[..circuit.inputs]);
        copy.0.extend_from_slice(&latches[..circuit.latches.len()]);
        for &(a, b) in &circuit.gates {
            let gate = builder.and(copy.of(a), copy.of(b));
            copy.0.push(gate);
        }
        copy
    }
    /// A copy with its own latches, which are returned and whose next values are set.
    pub(super) fn running(
        builder: &mut CircuitBuilder,
        circuit: &Circuit,
        inputs: &[Literal],
    ) -> (Self, Vec<Literal>) {
        let latches: Vec<Literal> =
            circuit.latches.iter().map(|latch| builder.add_latch(latch.reset)).collect();
        let copy = Self::new(builder, circuit, inputs, &latches);
        for (&own, latch) in latches.iter().zip(&circuit.latches) {
            builder.set_next(own, copy.of(latch.next));
        }
        (copy, latches)
    }
    /// The copy of a literal.
    pub(super) fn of(&self, literal: Literal) -> Literal {
        self.0[literal.variable()].negated_if(literal.is_negated())
    }
    /// The copies of the outputs.
    pub(super) fn outputs(&self, circuit: &Circuit) -> Vec<Literal> {
        circuit.outputs.iter().map(|&output| self.of(output)).collect()
    }
}

/// The atoms of a player in the order of the signals of `machine.aag`.
pub(super) fn atoms_of(alphabet: &Alphabet, player: Player) -> Vec<AtomId> {
    alphabet.atoms().ids().filter(|&atom| alphabet.player(atom) == player).collect()
}

/// A literal that is true if each cell has exactly one of its updates, for these atoms and their literals.
pub(super) fn one_update_each(
    builder: &mut CircuitBuilder,
    alphabet: &Alphabet,
    atoms: &[AtomId],
    literals: &[Literal],
) -> Literal {
    let mut all = Literal::TRUE;
    for cell in alphabet.cells().ids() {
        let (mut some, mut two) = (Literal::FALSE, Literal::FALSE);
        let mut has_updates = false;
        for (&atom, &literal) in atoms.iter().zip(literals) {
            if matches!(alphabet.atoms()[atom].kind, AtomKind::Update(of, _) if of == cell) {
                has_updates = true;
                let again = builder.and(some, literal);
                two = builder.or(two, again);
                some = builder.or(some, literal);
            }
        }
        if has_updates {
            let one = builder.and(some, !two);
            all = builder.and(all, one);
        }
    }
    all
}
