//! The view of a controller that is a circuit.

use super::gates::{CircuitNames, Expression, circuit_code, read_inputs, with_syntax};
use super::machine::leaf_of;
use super::rows::Rows;
use super::scope::CellNames;
use rustc_hash::FxHashSet;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Cell, Letter, Player};
use tsl_synth_core::model::{Circuit, StateId};
use tsl_synth_documents::view::{
    CellChoiceView, ChoiceView, CircuitView, GateView, LassoStepView, LassoView, StateBitView,
};

/// The options of a cell with their conditions; the last one that has none is chosen in all other cases.
pub(super) type OptionConditions = Vec<(AtomId, Option<Expression>)>;

/// Steps of the run that the test of a scaffold replays.
const RUN: usize = 64;

/// A state as text, one digit for each bit.
pub(super) fn state_digits(latches: &[bool]) -> String {
    if latches.is_empty() {
        return "0".into();
    }
    latches.iter().map(|&bit| if bit { '1' } else { '0' }).collect()
}

/// The atoms of the inputs of a circuit, in order.
pub(super) fn circuit_inputs(alphabet: &Alphabet) -> Vec<AtomId> {
    let of = |bit: BitId| {
        let is_of =
            |atom: &AtomId| matches!(alphabet.atoms()[*atom].kind, AtomKind::Input(own) if own == bit);
        alphabet.inputs().find(is_of).expect("a bit of the environment is an input")
    };
    alphabet.bits_of(Player::Environment).map(of).collect()
}

/// The predicates that a circuit reads.
pub(super) fn read_atoms(alphabet: &Alphabet, circuit: &Circuit) -> FxHashSet<AtomId> {
    let atoms = circuit_inputs(alphabet);
    read_inputs(circuit).into_iter().map(|i| atoms[i]).collect()
}

/// The index of a bit of the system among the outputs of a circuit.
pub(super) fn output_index(alphabet: &Alphabet, bit: BitId) -> usize {
    alphabet.bits_of(Player::System).position(|own| own == bit).expect("the bit is of the system")
}

/// The conditions of the options of a cell: the codes of all but the last one, and nothing for the last one, which all
/// other codes mean. An option whose code cannot occur is left out.
pub(super) fn option_conditions(
    alphabet: &Alphabet,
    cell: &Cell,
    outputs: &[Expression],
) -> OptionConditions {
    let bits: Vec<&Expression> = cell.bits.iter().map(|&bit| &outputs[output_index(alphabet, bit)]).collect();
    let condition = |code: usize| {
        let bit = |(i, bit): (usize, &&Expression)| {
            if code >> i & 1 == 1 { (*bit).clone() } else { (*bit).clone().negated() }
        };
        Expression::all(bits.iter().enumerate().map(bit))
    };
    let last = cell.options.len() - 1;
    let mut conditions = Vec::new();
    for (code, &atom) in cell.options.iter().enumerate() {
        match condition(code) {
            _ if code == last => conditions.push((atom, None)),
            Expression::Constant(false) => {}
            Expression::Constant(true) => {
                conditions.push((atom, None));
                break;
            }
            other => conditions.push((atom, Some(other))),
        }
    }
    conditions
}

/// Whether an output of a circuit is a bit of the code of a cell.
pub(super) fn is_coded(alphabet: &Alphabet) -> impl Fn(usize) -> bool {
    let bits: FxHashSet<BitId> = alphabet.cells().iter().flat_map(|cell| cell.bits.iter().copied()).collect();
    let coded: Vec<bool> = alphabet.bits_of(Player::System).map(|bit| bits.contains(&bit)).collect();
    move |output| coded[output]
}

/// The options of all cells, with their conditions.
pub(super) fn choices(alphabet: &Alphabet, outputs: &[Expression]) -> Vec<OptionConditions> {
    alphabet.cells().iter().map(|cell| option_conditions(alphabet, cell, outputs)).collect()
}

/// The values of the Boolean outputs that can be true.
pub(super) fn boolean_outputs(alphabet: &Alphabet, outputs: &[Expression]) -> Vec<(AtomId, Expression)> {
    let value = |atom: AtomId| {
        let AtomKind::Output(bit) = alphabet.atoms()[atom].kind else { return None };
        let value = outputs[output_index(alphabet, bit)].clone();
        (value != Expression::Constant(false)).then_some((atom, value))
    };
    alphabet.outputs().filter_map(value).collect()
}

/// The bits of the state whose values have one of these names.
pub(super) fn read_bits(names: &CircuitNames, used: &FxHashSet<String>) -> Vec<StateBitView> {
    let latches = names.latches.iter().enumerate().filter(|(_, ident)| used.contains(*ident));
    latches.map(|(index, ident)| StateBitView { index, ident: ident.clone() }).collect()
}

/// The decision of a controller that is a circuit, and whether it reads any predicate. Linear in its size.
pub(super) fn circuit_view(circuit: &Circuit, rows: &Rows<'_>) -> (CircuitView, bool) {
    let scope = rows.scope;
    let alphabet = &scope.problem.alphabet;
    let predicate = |atom: &AtomId| scope.dialect.predicate(&scope.predicates[atom]);
    let names = CircuitNames {
        inputs: circuit_inputs(alphabet).iter().map(predicate).collect(),
        latches: (0..circuit.latches.len()).map(|i| format!("s{i}")).collect(),
        gate: "g".into(),
    };
    let mut code = circuit_code(circuit, &names, &is_coded(alphabet));
    let outputs = boolean_outputs(alphabet, &code.outputs);
    let is_keeping = |cell: &CellNames, atom: AtomId| rows.option(atom).variant == cell.keep;
    let mut cells: Vec<(&CellNames, OptionConditions)> = scope
        .problem
        .signature
        .cells
        .iter()
        .map(|symbol| &scope.cells[symbol])
        .zip(choices(alphabet, &code.outputs))
        .collect();
    for (cell, choices) in &mut cells {
        while choices.last().is_some_and(|(atom, _)| is_keeping(cell, *atom)) {
            choices.pop();
        }
    }
    let conditions = cells.iter().flat_map(|(_, choices)| choices).filter_map(|(_, when)| when.as_ref());
    let used = code.keep_used(outputs.iter().map(|(_, value)| value).chain(conditions));
    with_syntax(scope.dialect, |syntax| {
        let choice = |cell: &CellNames, (atom, when): &(AtomId, Option<Expression>)| {
            let option = rows.option(*atom);
            ChoiceView {
                when: when.as_ref().map(|when| when.code(syntax)),
                keeps: option.variant == cell.keep,
                variant: option.variant,
                quoted: option.quoted,
            }
        };
        let cell = |(names, choices): &(&CellNames, OptionConditions)| CellChoiceView {
            ident: names.field.clone(),
            update: names.update.clone(),
            keep: names.keep.clone(),
            choices: choices.iter().map(|each| choice(names, each)).collect(),
        };
        let output = |(atom, value): &(AtomId, Expression)| GateView {
            ident: scope.outputs[atom].clone(),
            code: value.code(syntax),
        };
        let view = CircuitView {
            bits: circuit.latches.len().max(1),
            reads: read_bits(&names, &used),
            gates: code.gate_views(syntax),
            next: code.next_bits(syntax),
            outputs: outputs.iter().map(output).collect(),
            cells: cells.iter().map(cell).collect(),
        };
        (view, names.inputs.iter().any(|input| used.contains(input)))
    })
}

/// A run of a circuit on letters from a fixed sequence of pseudo-random numbers, for the test of a scaffold.
pub(super) fn circuit_run(circuit: &Circuit, rows: &Rows<'_>) -> LassoView {
    let alphabet = &rows.scope.problem.alphabet;
    let atoms = circuit_inputs(alphabet);
    let gives: Vec<BitId> = alphabet.bits_of(Player::System).collect();
    let mut seed = 1u64;
    let mut random = || {
        // The generator of Knuth's MMIX.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 63 == 1
    };
    let mut state = circuit.reset();
    let mut steps = Vec::new();
    for _ in 0..RUN {
        let given: Vec<bool> = atoms.iter().map(|_| random()).collect();
        let values = circuit.evaluate(&state, &given);
        let mut letter = Letter::default();
        for (&bit, _) in gives.iter().zip(values.outputs(circuit)).filter(|(_, holds)| *holds) {
            letter.insert(bit);
        }
        let leaf = leaf_of(alphabet, &letter, StateId::from_index(0));
        let next = values.next(circuit);
        let holds = atoms.iter().zip(&given).filter(|(_, holds)| **holds);
        steps.push(LassoStepView {
            from: state_digits(&state),
            holds: holds.map(|(atom, _)| rows.scope.predicates[atom].clone()).collect(),
            next: state_digits(&next),
            updates: leaf.updates.iter().filter_map(|&atom| rows.update(atom)).collect(),
            choices: leaf.updates.iter().map(|&atom| rows.option(atom).variant).collect(),
            outputs: leaf.outputs.iter().map(|atom| rows.scope.outputs[atom].clone()).collect(),
        });
        state = next;
    }
    let turn = steps.len();
    LassoView { state: format!("a run of {RUN} steps"), index: 0, steps, turn }
}
