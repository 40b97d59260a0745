//! Controllers as tables with code for the conditions: Verilog and XState. Predicates and updates are computed outside:
//! the values of predicates are inputs of the table, and the chosen updates are outputs.

use super::circuit_view::{CircuitTarget, circuit_in, state_digits};
use super::gates::{CircuitNames, LogicSyntax};
use super::graph::{GraphEdge, GraphState};
use super::input::{CircuitInput, EmitError, EmitInput, Lang, Strategy, no_counter_strategy};
use super::labels::{atom_text, state_names, state_text};
use super::machine::{Control, MachineLeaf, StateData};
use super::names::{Identifiers, NameCase};
use super::reserved::{JS, VERILOG};
use super::text::{comment, json_string};
use super::tree::{DecisionNode, DecisionNodeId, DecisionTree};
use super::unfold::{DrawnNode, exact_by_values_of};
use super::view::{StatesText, header};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use tsl_synth_core::base::Id;
use tsl_synth_core::logic::atoms::atom_of;
use tsl_synth_core::logic::cover::cover;
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Cube, Guard, Player};
use tsl_synth_documents::table_code::{
    CellCodeView, SignalView, TableEdgeView, TableRowView, TableStateView, TableTarget, TableView,
};
use tsl_synth_documents::view::{CellChoiceView, ChoiceView, NameView};
use tsl_synth_engine::mealy::machine_id;
use tsl_synth_lang::spec::{AtomMeaning, Problem, SymbolId, Term};

/// A decision with more tests is written as a list of conditions.
const MOST_TESTS: u64 = 1000;
/// Longer lines of comments are cut.
const LONGEST_LINE: usize = 400;

/// The syntax of a target.
struct TableDialect {
    reserved: &'static [&'static [&'static str]],
    /// Words that the template uses.
    own: &'static [&'static str],
    and: &'static str,
    or: &'static str,
    not: &'static str,
    truth: &'static str,
    /// The prefix of the name of an input in a condition.
    input: &'static str,
}

const VERILOG_TARGET: TableDialect = TableDialect {
    reserved: &[VERILOG],
    own: &["clk", "reset", "state", "next_state"],
    and: " && ",
    or: " || ",
    not: "!",
    truth: "1'b1",
    input: "",
};

const XSTATE_TARGET: TableDialect = TableDialect {
    reserved: &[JS],
    own: &["inputs", "event", "step", "machine", "names", "answer", "context", "type"],
    and: " && ",
    or: " || ",
    not: "!",
    truth: "true",
    input: "inputs.",
};

/// The identifiers of a machine.
struct Idents {
    atoms: Vec<String>,
    cells: Vec<String>,
    module: String,
}

/// The view of a controller for a target that is a table.
pub(super) fn table_view(input: &EmitInput<'_>, lang: Lang, stem: &str) -> Result<TableView, EmitError> {
    let Strategy::Controller(mealy) = input.strategy else {
        return Err(no_counter_strategy());
    };
    let target = if lang == Lang::Verilog { &VERILOG_TARGET } else { &XSTATE_TARGET };
    let problem = input.problem;
    let alphabet = &problem.alphabet;
    if lang == Lang::Xstate
        && let Some(view) = table_by_values(input, stem)?
    {
        return Ok(view);
    }
    let mut control = Control::build(problem, mealy, &[])?;
    let states = state_names(&control);
    let texts: Vec<String> =
        control.states.ids().map(|id| state_text(problem, &mut control, &states, id)).collect();
    let (idents, names) = idents(problem, target, stem);
    let id = machine_id(alphabet, mealy);
    let option = |atom: AtomId| option_view(alphabet, &idents, atom);
    let goes = |number: usize| TableTarget { number, ident: states[number].clone() };
    let edge = |leaf: &MachineLeaf, when: String| TableEdgeView {
        when,
        next: goes(leaf.next.index()),
        outputs: leaf.outputs.iter().map(|atom| idents.atoms[atom.index()].clone()).collect(),
        updates: idents.cells.iter().cloned().zip(leaf.updates.iter().map(|&atom| option(atom))).collect(),
    };
    let literal = |bit: BitId, value: bool| {
        let not = if value { "" } else { target.not };
        format!("{not}{}{}", target.input, idents.atoms[atom_of(bit).index()])
    };
    let mut views = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let state = control.states.as_slice()[number].clone();
        let edges = edges(&mut control, &state, target, &literal, &edge);
        let rows = rows(&state.tree, &state.leaves, &literal, &edge);
        views.push(TableStateView {
            number,
            ident: states[number].clone(),
            text: shortened(&comment(text)),
            rows: rows.unwrap_or_else(|| listed(&edges)),
            edges,
        });
    }
    Ok(TableView {
        width: bits(texts.len()),
        initial: goes(control.initial.index()),
        states: views,
        ..signals(problem, &idents, &header(input.meta, &names, &StatesText::Listed(&texts), &id))
    })
}

/// The view of a controller for XState over the values of its cells, as in drawings; `None` if it has no such states. What
/// these values determine is no input. Whether assumptions hold does not matter here.
fn table_by_values(input: &EmitInput<'_>, stem: &str) -> Result<Option<TableView>, EmitError> {
    let input = &EmitInput { assumptions: &[], ..*input };
    let problem = input.problem;
    let alphabet = &problem.alphabet;
    let target = &XSTATE_TARGET;
    let (idents, mut names) = idents(problem, target, stem);
    let read: RefCell<FxHashSet<AtomId>> = RefCell::default();
    let literal = |bit: BitId, value: bool| {
        read.borrow_mut().insert(atom_of(bit));
        let not = if value { "" } else { target.not };
        format!("{not}{}{}", target.input, idents.atoms[atom_of(bit).index()])
    };
    let Some(graph) = exact_by_values_of(input, &literal)? else { return Ok(None) };
    let mut fresh = Identifiers::new(target.reserved);
    let states: Vec<String> =
        graph.states.iter().map(|state| fresh.fresh(&state.name, NameCase::Keep)).collect();
    let text = |(ident, state): (&String, &GraphState)| {
        comment(&if *ident == state.name { ident.clone() } else { format!("{ident}: {}", state.name) })
    };
    let texts: Vec<String> = states.iter().zip(&graph.states).map(text).collect();
    let goes = |number: usize| TableTarget { number, ident: states[number].clone() };
    let when = |guard: &str| match guard {
        "1" => String::new(),
        other => other.replace(" & ", target.and).replace(" | ", target.or),
    };
    let edge = |edge: &GraphEdge| {
        let (updates, outputs) = edge.chosen.split_at(idents.cells.len());
        let update = |(cell, &atom): (&String, &AtomId)| (cell.clone(), option_view(alphabet, &idents, atom));
        TableEdgeView {
            when: when(&edge.guard),
            next: goes(edge.next),
            outputs: outputs.iter().map(|atom| idents.atoms[atom.index()].clone()).collect(),
            updates: idents.cells.iter().zip(updates).map(update).collect(),
        }
    };
    let state = |(number, node): (usize, &DrawnNode)| {
        let mut edges: Vec<TableEdgeView> = node.edges.iter().map(edge).collect();
        // The edge with the longest condition is taken in all other cases.
        if let Some(longest) = (0..edges.len()).rev().max_by_key(|&i| edges[i].when.len()) {
            let last = edges.remove(longest);
            edges.push(TableEdgeView { when: String::new(), ..last });
        }
        let (ident, text) = (states[number].clone(), shortened(&comment(&graph.states[number].name)));
        TableStateView { number, ident, text, rows: Vec::new(), edges }
    };
    let views: Vec<TableStateView> = graph.nodes.iter().enumerate().map(state).collect();
    let read = read.into_inner();
    let is_input = |atom: AtomId| read.contains(&atom) || !is_determined(problem, atom, &graph.cells);
    let kept: Vec<&String> =
        alphabet.inputs().filter(|&atom| is_input(atom)).map(|atom| &idents.atoms[atom.index()]).collect();
    names.retain(|name| name.kind != "predicate" || kept.contains(&&name.ident));
    let id = match input.strategy {
        Strategy::Controller(mealy) => machine_id(alphabet, mealy),
        Strategy::Counter(_) => return Ok(None),
    };
    let mut view = signals(problem, &idents, &header(input.meta, &names, &StatesText::Listed(&texts), &id));
    view.inputs.retain(|signal| kept.contains(&&signal.ident));
    Ok(Some(TableView { width: bits(texts.len()), initial: goes(0), states: views, ..view }))
}

/// Whether a predicate is a comparison or the value of cells, all of which are among these.
fn is_determined(problem: &Problem, atom: AtomId, cells: &[SymbolId]) -> bool {
    let Some(AtomMeaning::Predicate(root)) = problem.signature.atoms.get(atom) else { return false };
    let mut stack = vec![*root];
    while let Some(term) = stack.pop() {
        match problem.signature.terms.get(term) {
            Term::Signal(symbol) if cells.contains(symbol) => {}
            Term::Literal(_) => {}
            Term::Operation(_, a, b) => stack.extend([*a, *b]),
            Term::Signal(_) | Term::Apply(..) => return false,
        }
    }
    true
}

/// The view of a controller that is a circuit, in Verilog.
pub(super) fn verilog_circuit(input: &CircuitInput<'_>, stem: &str) -> TableView {
    let problem = input.problem;
    let alphabet = &problem.alphabet;
    let (idents, names) = idents(problem, &VERILOG_TARGET, stem);
    let fresh = |text: &str| {
        let mut prefix = text.to_owned();
        while idents.atoms.iter().chain(&idents.cells).any(|ident| ident.starts_with(&prefix)) {
            prefix.push('_');
        }
        prefix
    };
    let bit = fresh("state_bit");
    let target = &VERILOG_TARGET;
    let syntax = LogicSyntax {
        and: target.and.trim(),
        or: target.or.trim(),
        negate: &|operand| format!("{}{operand}", target.not),
        constant: &|value| if value { target.truth.into() } else { "1'b0".into() },
    };
    let ident = |atom: AtomId| idents.atoms[atom.index()].clone();
    let circuit_target = CircuitTarget {
        names: CircuitNames {
            inputs: alphabet.inputs().map(ident).collect(),
            latches: (0..input.circuit.latches.len()).map(|i| format!("{bit}{i}")).collect(),
            gate: fresh("gate"),
        },
        syntax: &syntax,
        assigns_false: true,
        output: &ident,
        cell: &|id| CellChoiceView {
            ident: idents.cells[id.index()].clone(),
            update: String::new(),
            keep: String::new(),
            choices: Vec::new(),
        },
        choice: &|_, atom| ChoiceView {
            when: None,
            keeps: false,
            variant: ident(atom),
            quoted: String::new(),
        },
    };
    let (view, _) = circuit_in(alphabet, input.circuit, &circuit_target);
    let size = StatesText::Circuit(view.bits, view.gates.len());
    let id = input.id();
    TableView {
        width: view.bits,
        reset: state_digits(&input.circuit.reset()).chars().rev().collect(),
        circuit: Some(view),
        ..signals(problem, &idents, &header(input.meta, &names, &size, &id))
    }
}

/// A view with the signals only.
fn signals(problem: &Problem, idents: &Idents, header: &[String]) -> TableView {
    let alphabet = &problem.alphabet;
    let signal = |atom: AtomId| SignalView {
        ident: idents.atoms[atom.index()].clone(),
        text: shortened(&comment(&atom_text(problem, atom))),
        quoted: json_string(&atom_text(problem, atom)),
    };
    let cells = alphabet.cells().iter().zip(&idents.cells).map(|(cell, ident)| CellCodeView {
        ident: ident.clone(),
        text: shortened(&comment(&cell.name)),
        quoted: json_string(&cell.name),
        width: bits(cell.options.len()),
        options: cell.options.iter().map(|&atom| option_view(alphabet, idents, atom)).collect(),
    });
    TableView {
        header: header.iter().map(|line| shortened(line)).collect(),
        module: idents.module.clone(),
        inputs: alphabet.inputs().map(signal).collect(),
        outputs: alphabet.outputs().map(signal).collect(),
        cells: cells.collect(),
        width: 1,
        initial: TableTarget { number: 0, ident: String::new() },
        states: Vec::new(),
        circuit: None,
        reset: String::new(),
    }
}

fn option_view(alphabet: &Alphabet, idents: &Idents, atom: AtomId) -> SignalView {
    let term = alphabet.update_term(atom).unwrap_or_default();
    SignalView { ident: idents.atoms[atom.index()].clone(), text: comment(term), quoted: json_string(term) }
}

/// Shortens a line of a comment, since some Verilog tools reject long lines.
fn shortened(line: &str) -> String {
    if line.chars().count() <= LONGEST_LINE {
        return line.to_owned();
    }
    format!("{}...", line.chars().take(LONGEST_LINE).collect::<String>())
}

/// The number of bits for the numbers below `count`, at least one.
fn bits(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1) as usize
}

fn idents(problem: &Problem, target: &TableDialect, stem: &str) -> (Idents, Vec<NameView>) {
    let alphabet = &problem.alphabet;
    let mut names = Identifiers::new(target.reserved);
    target.own.iter().for_each(|word| names.reserve(word));
    let mut reported = Vec::new();
    let mut tell = |kind: &str, text: &str, ident: &str| {
        reported.push(NameView { kind: kind.into(), text: comment(text), ident: ident.into() });
    };
    let module = names.fresh(stem, NameCase::Keep);
    let cells: Vec<String> = alphabet
        .cells()
        .iter()
        .map(|cell| {
            let ident = names.fresh(&cell.name, NameCase::Keep);
            tell("cell", &cell.name, &ident);
            ident
        })
        .collect();
    let atoms = alphabet
        .atoms()
        .ids()
        .map(|atom| {
            let kind = match alphabet.atoms()[atom].kind {
                AtomKind::Update(..) => "update",
                _ if alphabet.player(atom) == Player::Environment => "predicate",
                _ => "output",
            };
            let text = atom_text(problem, atom);
            let case = if kind == "update" { NameCase::Upper } else { NameCase::Keep };
            let ident = names.fresh(&text, case);
            tell(kind, &text, &ident);
            ident
        })
        .collect();
    (Idents { atoms, cells, module }, reported)
}

/// The edges of a state; the last one is the default for all other letters.
fn edges(
    control: &mut Control<'_>,
    state: &StateData,
    target: &TableDialect,
    literal: &dyn Fn(BitId, bool) -> String,
    edge: &dyn Fn(&MachineLeaf, String) -> TableEdgeView,
) -> Vec<TableEdgeView> {
    let guards = &mut control.atoms.guards;
    let care = control.care.around(guards, &state.guards);
    let outside = guards.not(care);
    let mut all: Vec<(usize, Vec<Cube>, &MachineLeaf)> = Vec::new();
    for (leaf, &guard) in state.leaves.iter().zip(&state.guards) {
        let lower = guards.and(guard, care);
        if lower == Guard::FALSE {
            continue;
        }
        let upper = guards.or(guard, outside);
        let cubes = cover(guards, lower, upper);
        all.push((cubes.iter().map(Vec::len).sum(), cubes, leaf));
    }
    // The edge with the longest condition is the default, whose condition is left out.
    let longest = (0..all.len()).rev().max_by_key(|&i| all[i].0);
    let last = longest.map(|i| all.remove(i));
    let product = |cube: &Cube| {
        let literals: Vec<String> = cube.iter().map(|&(bit, value)| literal(bit, value)).collect();
        if literals.is_empty() { target.truth.into() } else { literals.join(target.and) }
    };
    let condition = |cubes: &[Cube]| match cubes {
        [only] => product(only),
        many => many.iter().map(|cube| format!("({})", product(cube))).collect::<Vec<_>>().join(target.or),
    };
    let mut edges: Vec<TableEdgeView> =
        all.iter().map(|(_, cubes, leaf)| edge(leaf, condition(cubes))).collect();
    edges.extend(last.map(|(_, _, leaf)| edge(leaf, String::new())));
    edges
}

/// The decision as nested tests; `None` if it is too large. The recursion depth is at most the number of predicates.
fn rows(
    tree: &DecisionTree,
    leaves: &[MachineLeaf],
    literal: &dyn Fn(BitId, bool) -> String,
    edge: &dyn Fn(&MachineLeaf, String) -> TableEdgeView,
) -> Option<Vec<TableRowView>> {
    struct TableWriter<'a> {
        tree: &'a DecisionTree,
        leaves: &'a [MachineLeaf],
        literal: &'a dyn Fn(BitId, bool) -> String,
        edge: &'a dyn Fn(&MachineLeaf, String) -> TableEdgeView,
        rows: Vec<TableRowView>,
    }
    impl TableWriter<'_> {
        fn push(&mut self, kind: &str, depth: usize, test: String, leaf: Option<TableEdgeView>) {
            self.rows.push(TableRowView { kind: kind.into(), depth, test, leaf });
        }
        fn write(&mut self, node: DecisionNodeId, depth: usize) {
            match self.tree.node(node) {
                DecisionNode::Leaf(leaf) => {
                    let view = (self.edge)(&self.leaves[leaf], String::new());
                    self.push("leaf", depth, String::new(), Some(view));
                }
                DecisionNode::Test { variable, then, otherwise } => {
                    self.push("if", depth, (self.literal)(variable, true), None);
                    self.write(then, depth + 1);
                    self.push("else", depth, String::new(), None);
                    self.write(otherwise, depth + 1);
                    self.push("end", depth, String::new(), None);
                }
            }
        }
    }
    if tree.tests() > MOST_TESTS {
        return None;
    }
    let mut writer = TableWriter { tree, leaves, literal, edge, rows: Vec::new() };
    writer.write(tree.root, 0);
    Some(writer.rows)
}

/// A list of conditions as rows.
fn listed(edges: &[TableEdgeView]) -> Vec<TableRowView> {
    let row = |kind: &str, depth: usize, test: &str, leaf: Option<&TableEdgeView>| TableRowView {
        kind: kind.into(),
        depth,
        test: test.into(),
        leaf: leaf.cloned(),
    };
    let mut rows = Vec::new();
    for (depth, edge) in edges.iter().enumerate() {
        if edge.when.is_empty() {
            rows.push(row("leaf", depth, "", Some(edge)));
        } else {
            rows.push(row("if", depth, &edge.when, None));
            rows.push(row("leaf", depth + 1, "", Some(edge)));
            rows.push(row("else", depth, "", None));
        }
    }
    rows.extend((0..edges.len().saturating_sub(1)).rev().map(|depth| row("end", depth, "", None)));
    rows
}
