//! The view of a controller that is a sequential circuit, for code and for Verilog.

use super::gates::{CircuitNames, Expression, LogicSyntax, circuit_code, read_inputs, with_syntax};
use super::machine::leaf_of;
use super::rows::Rows;
use rustc_hash::{FxHashMap, FxHashSet};
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Cell, CellId, Letter, Player};
use tsl_synth_core::model::{Circuit, StateId};
use tsl_synth_documents::view::{
    CellChoiceView, ChoiceView, CircuitView, GateView, LassoStepView, LassoView, StateBitView,
};

/// The options of a cell with their conditions; the last one, without a condition, is chosen in all other cases.
type OptionConditions = Vec<(AtomId, Option<Expression>)>;

/// Steps of the run that the test of a scaffold replays.
const RUN: usize = 64;

/// How a target writes what a circuit reads and computes.
pub(super) struct CircuitTarget<'a> {
    pub(super) names: CircuitNames,
    pub(super) syntax: &'a LogicSyntax<'a>,
    /// Whether a Boolean output that is always false is assigned, too.
    pub(super) assigns_false: bool,
    /// The identifier of a Boolean output.
    pub(super) output: &'a dyn Fn(AtomId) -> String,
    /// A cell, without its choices.
    pub(super) cell: &'a dyn Fn(CellId) -> CellChoiceView,
    /// An update of a cell, without its condition.
    pub(super) choice: &'a dyn Fn(CellId, AtomId) -> ChoiceView,
}

/// A state as text, one digit for each bit.
pub(super) fn state_digits(latches: &[bool]) -> String {
    if latches.is_empty() {
        return "0".into();
    }
    latches.iter().map(|&bit| if bit { '1' } else { '0' }).collect()
}

/// The predicates that a circuit reads.
pub(super) fn read_atoms(alphabet: &Alphabet, circuit: &Circuit) -> FxHashSet<AtomId> {
    let atoms: Vec<AtomId> = alphabet.inputs().collect();
    read_inputs(circuit).into_iter().map(|i| atoms[i]).collect()
}

/// The conditions of the options of a cell: the codes of all but the last one, which all further codes mean as well. An
/// option whose code cannot occur is left out.
fn option_conditions(cell: &Cell, values: &FxHashMap<BitId, Expression>) -> OptionConditions {
    let condition = |code: usize| {
        let bit = |(i, bit): (usize, &BitId)| {
            let value = values[bit].clone();
            if code >> i & 1 == 1 { value } else { value.negated() }
        };
        Expression::all(cell.bits.iter().enumerate().map(bit))
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

/// A circuit in a target, and the names of [`CircuitTarget`] that it uses. Linear in its size.
pub(super) fn circuit_in(
    alphabet: &Alphabet,
    circuit: &Circuit,
    target: &CircuitTarget<'_>,
) -> (CircuitView, FxHashSet<String>) {
    let bits: Vec<BitId> = alphabet.bits_of(Player::System).collect();
    let coded: FxHashSet<BitId> =
        alphabet.cells().iter().flat_map(|cell| cell.bits.iter().copied()).collect();
    let mut code = circuit_code(circuit, &target.names, &|output| coded.contains(&bits[output]));
    let values: FxHashMap<BitId, Expression> =
        bits.iter().copied().zip(code.outputs.iter().cloned()).collect();
    let output = |atom: AtomId| {
        let AtomKind::Output(bit) = alphabet.atoms()[atom].kind else { return None };
        let value = &values[&bit];
        (target.assigns_false || *value != Expression::Constant(false)).then_some((atom, value))
    };
    let outputs: Vec<(AtomId, &Expression)> = alphabet.outputs().filter_map(output).collect();
    let choices = |(id, cell): (CellId, &Cell)| {
        let mut choices = option_conditions(cell, &values);
        while choices.last().is_some_and(|(atom, _)| (target.choice)(id, *atom).keeps) {
            choices.pop();
        }
        (id, choices)
    };
    let cells: Vec<(CellId, OptionConditions)> = alphabet.cells().enumerate().map(choices).collect();
    let conditions = cells.iter().flat_map(|(_, choices)| choices).filter_map(|(_, when)| when.as_ref());
    let used = code.keep_used(outputs.iter().map(|(_, value)| *value).chain(conditions));
    let cell = |(id, choices): &(CellId, OptionConditions)| {
        let choice = |(atom, when): &(AtomId, Option<Expression>)| ChoiceView {
            when: when.as_ref().map(|when| when.code(target.syntax)),
            ..(target.choice)(*id, *atom)
        };
        CellChoiceView { choices: choices.iter().map(choice).collect(), ..(target.cell)(*id) }
    };
    let read = target.names.latches.iter().enumerate().filter(|(_, ident)| used.contains(*ident));
    let view = CircuitView {
        bits: circuit.latches.len().max(1),
        reads: read.map(|(index, ident)| StateBitView { index, ident: ident.clone() }).collect(),
        gates: code.gate_views(target.syntax),
        next: code.next_bits(target.syntax),
        outputs: outputs
            .iter()
            .map(|&(atom, value)| GateView { ident: (target.output)(atom), code: value.code(target.syntax) })
            .collect(),
        cells: cells.iter().map(cell).collect(),
    };
    (view, used)
}

/// A circuit as code, and whether it reads any predicate.
pub(super) fn circuit_view(circuit: &Circuit, rows: &Rows<'_>) -> (CircuitView, bool) {
    let scope = rows.scope;
    let alphabet = &scope.problem.alphabet;
    let cell_names = |id: CellId| &scope.cells[&scope.problem.signature.cells[id]];
    let cell = |id: CellId| {
        let names = cell_names(id);
        let (ident, update, keep) = (names.field.clone(), names.update.clone(), names.keep.clone());
        CellChoiceView { ident, update, keep, choices: Vec::new() }
    };
    let choice = |id: CellId, atom: AtomId| {
        let option = rows.option(atom);
        let keeps = option.variant == cell_names(id).keep;
        ChoiceView { when: None, keeps, variant: option.variant, quoted: option.quoted }
    };
    let [latch, gate] = scope.dialect.circuit_names();
    with_syntax(scope.dialect, |syntax| {
        let target = CircuitTarget {
            names: CircuitNames {
                inputs: alphabet.inputs().map(|a| scope.dialect.predicate(&scope.predicates[&a])).collect(),
                latches: (0..circuit.latches.len()).map(|i| format!("{latch}{i}")).collect(),
                gate: gate.into(),
            },
            syntax,
            assigns_false: false,
            output: &|atom| scope.outputs[&atom].clone(),
            cell: &cell,
            choice: &choice,
        };
        let (view, used) = circuit_in(alphabet, circuit, &target);
        (view, target.names.inputs.iter().any(|input| used.contains(input)))
    })
}

/// A run of a circuit on letters from a fixed sequence of pseudo-random numbers, for the test of a scaffold.
pub(super) fn circuit_run(circuit: &Circuit, rows: &Rows<'_>) -> LassoView {
    let alphabet = &rows.scope.problem.alphabet;
    let atoms: Vec<AtomId> = alphabet.inputs().collect();
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
