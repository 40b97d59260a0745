//! A controller as people draw it: a state for each value of its cells, edges labeled by what the value does not tell.

use super::graph::{GraphEdge, GraphState, guarded_graph};
use super::input::{EmitError, EmitInput, Strategy};
use super::labels::{actions, condition_text};
use super::machine::{Control, leaf_of};
use tsl_synth_core::base::{Budget, Id};
use tsl_synth_core::logic::cover::{cover_within, formula};
use tsl_synth_core::logic::{BitId, CellId, Cube, EncodedSignal, FormulaId, Guard, Guards, ValueCode};
use tsl_synth_core::model::{Mealy, MealyEdge, Role};
use tsl_synth_engine::mealy::{Unfolded, Unfolding, Written};
use tsl_synth_lang::spec::{AtomMeaning, Problem, Sort, SymbolId, SymbolKind, Term, ValueSets};

/// Machines with more nodes are drawn state by state.
const MOST_NODES: usize = 30;
/// How many times more nodes there may be if the constants that were written last are told apart.
const MOST_SPLIT: usize = 2;
/// Units of work of finding the values of cells.
const UNFOLD_WORK: u64 = 2_000_000;
/// Conditions whose covers have more cubes are not shown.
const LONGEST: usize = 64;
/// What stands for them.
const LONG: &str = "a long condition";

/// A controller as a graph over the values of its cells.
pub(super) struct GraphByValues {
    /// Its states, without edges that change nothing.
    pub(super) states: Vec<GraphState>,
    /// For each state what it stands for.
    pub(super) nodes: Vec<DrawnNode>,
    /// Owns the guards of the edges.
    pub(super) guards: Guards,
    /// The cells whose values the states show.
    pub(super) cells: Vec<SymbolId>,
}

/// How the edges of a graph by values are written.
struct EdgeStyle<'a> {
    condition: &'a dyn Fn(&[Cube]) -> String,
    /// Whether edges with different updates are told apart, also where the next states show these.
    is_exact: bool,
}

/// A state of a drawing by values.
pub(super) struct DrawnNode {
    /// The state of the machine; other states of it may behave alike.
    pub(super) machine: usize,
    /// All edges on letters that can occur.
    pub(super) edges: Vec<GraphEdge>,
}

/// The states of a strategy as they are drawn: by the values of cells where these are known and few, else state by state.
pub(super) fn drawn(input: &EmitInput<'_>) -> Result<Vec<GraphState>, EmitError> {
    match by_values_of(input)? {
        Some(graph) => Ok(graph.states),
        None => guarded_graph(input).map(|(states, _)| states),
    }
}

/// A controller as a graph over the values of its cells; `None` for a counter-strategy, for a controller without cells of
/// known values, and if there would be too many states.
pub(super) fn by_values_of(input: &EmitInput<'_>) -> Result<Option<GraphByValues>, EmitError> {
    let sets = ValueSets::new(input.problem);
    let condition = |cubes: &[Cube]| condition_text(input.problem, &sets, cubes);
    styled(input, &EdgeStyle { condition: &condition, is_exact: false })
}

/// The same with each choice of updates on an edge of its own and the conditions written with these literals, joined by `&`
/// and `|`.
pub(super) fn exact_by_values_of(
    input: &EmitInput<'_>,
    literal: &dyn Fn(BitId, bool) -> String,
) -> Result<Option<GraphByValues>, EmitError> {
    let condition = |cubes: &[Cube]| formula(cubes, literal);
    let graph = styled(input, &EdgeStyle { condition: &condition, is_exact: true })?;
    let is_long = |edge: &GraphEdge| edge.guard == LONG;
    Ok(graph.filter(|graph| !graph.nodes.iter().flat_map(|node| &node.edges).any(is_long)))
}

fn styled(input: &EmitInput<'_>, style: &EdgeStyle<'_>) -> Result<Option<GraphByValues>, EmitError> {
    let Strategy::Controller(machine) = input.strategy else { return Ok(None) };
    match unfolded(input, machine) {
        Some((unfolded, cells)) => by_values(input, machine, unfolded, &cells, style).map(Some),
        None => Ok(None),
    }
}

/// A cell whose value is known, with the texts of its values.
struct KnownCell {
    symbol: SymbolId,
    values: Vec<String>,
}

/// The controller unfolded over the cells whose values are known: followed exactly, or constants that were written last.
/// Constants are left out if there would be too many nodes.
fn unfolded(input: &EmitInput<'_>, machine: &Mealy) -> Option<(Unfolded, Vec<KnownCell>)> {
    let problem = input.problem;
    let symbols = &problem.signature.symbols;
    let followed = problem.signature.encoded.iter().copied().zip(problem.alphabet.encoded().iter().cloned());
    let followed: Vec<(SymbolId, EncodedSignal)> = followed
        .chain(switches(problem))
        .filter(|(symbol, _)| symbols[*symbol].kind == SymbolKind::Cell && !symbols[*symbol].hidden)
        .collect();
    let signals: Vec<&EncodedSignal> = followed.iter().map(|(_, signal)| signal).collect();
    let mut cells: Vec<KnownCell> = followed
        .iter()
        .map(|(symbol, signal)| KnownCell { symbol: *symbol, values: signal.values.clone() })
        .collect();
    let exact = cells.len();
    let mut written = Vec::new();
    for (cell, options, known) in constants(problem, machine) {
        if !cells.iter().any(|other| other.symbol == known.symbol) {
            written.push((cell, options));
            cells.push(known);
        }
    }
    let find = |written: &[(CellId, Vec<Written>)]| unfolded_over(input, machine, &signals, written);
    let plain = if exact > 0 { find(&[]) } else { None };
    let few = plain.as_ref().map_or(machine.states.len(), |plain| plain.nodes.len());
    if !written.is_empty()
        && let Some(found) = find(&written).filter(|found| found.nodes.len() <= MOST_SPLIT * few + 2)
    {
        return Some((found, cells));
    }
    cells.truncate(exact);
    plain.map(|found| (found, cells))
}

/// Boolean cells as signals with two values.
fn switches(problem: &Problem) -> impl Iterator<Item = (SymbolId, EncodedSignal)> + '_ {
    problem.alphabet.inputs().filter_map(|atom| {
        let AtomMeaning::Predicate(term) = problem.signature.atoms[atom] else { return None };
        let &Term::Signal(symbol) = problem.signature.terms.get(term) else { return None };
        let name = problem.signature.symbols[symbol].name.clone();
        let values = vec!["false".into(), "true".into()];
        Some((symbol, EncodedSignal { name, values, atoms: vec![atom], code: ValueCode::Binary }))
    })
}

fn unfolded_over(
    input: &EmitInput<'_>,
    machine: &Mealy,
    signals: &[&EncodedSignal],
    written: &[(CellId, Vec<Written>)],
) -> Option<Unfolded> {
    let problem = input.problem;
    let facts = problem.clauses.iter().filter(|clause| clause.role == Role::Fact);
    let facts: Vec<FormulaId> = facts.map(|clause| clause.formula).collect();
    let assumptions: Vec<_> = input.assumptions.iter().map(|assumption| &assumption.monitor).collect();
    let mut formulas = problem.formulas.clone();
    let mut unfolding = Unfolding {
        formulas: &mut formulas,
        alphabet: &problem.alphabet,
        facts: &facts,
        assumptions: &assumptions,
        signals,
        written,
        machine,
    };
    unfolding.find(MOST_NODES, &Budget::unlimited().with_work(UNFOLD_WORK)).ok()
}

/// The cells to which the machine writes only constants, with what each option writes.
fn constants(problem: &Problem, machine: &Mealy) -> Vec<(CellId, Vec<Written>, KnownCell)> {
    let (alphabet, signature) = (&problem.alphabet, &problem.signature);
    let mut found = Vec::new();
    for (id, cell) in alphabet.cells().enumerate() {
        let Some(&symbol) = signature.cells.get(id) else { continue };
        if signature.symbols[symbol].hidden {
            continue;
        }
        let mut values: Vec<String> = Vec::new();
        let written: Vec<Written> = cell
            .options
            .iter()
            .map(|&option| {
                let AtomMeaning::Update(_, term) = signature.atoms[option] else { return Written::Unknown };
                let text = match signature.terms.get(term) {
                    Term::Signal(own) if *own == symbol => return Written::Same,
                    Term::Apply(constant, arguments) if arguments.is_empty() => {
                        signature.symbols[*constant].name.clone()
                    }
                    Term::Literal(_) => signature.display(term),
                    _ => return Written::Unknown,
                };
                let known = values.iter().position(|value| *value == text);
                Written::Value(known.unwrap_or_else(|| {
                    values.push(text);
                    values.len() - 1
                }))
            })
            .collect();
        let is_constant = |edge: &MealyEdge| {
            let chosen = alphabet.chosen(&edge.output, id);
            let index = cell.options.iter().position(|&option| option == chosen);
            index.is_some_and(|index| written[index] != Written::Unknown)
        };
        if values.len() > 1 && machine.states.iter().flat_map(|state| &state.edges).all(is_constant) {
            found.push((id, written, KnownCell { symbol, values }));
        }
    }
    found
}

fn by_values(
    input: &EmitInput<'_>,
    machine: &Mealy,
    mut unfolded: Unfolded,
    cells: &[KnownCell],
    style: &EdgeStyle<'_>,
) -> Result<GraphByValues, EmitError> {
    let problem = input.problem;
    let alphabet = &problem.alphabet;
    let mut control = Control::build(problem, machine, &[])?;
    let names: Vec<String> = unfolded.nodes.iter().map(|node| name(input, &node.values, cells)).collect();
    let is_shown = |symbol: SymbolId| cells.iter().any(|cell| cell.symbol == symbol);
    let (mut states, mut nodes) = (Vec::new(), Vec::new());
    for (number, node) in unfolded.nodes.iter().enumerate() {
        let possible = control.atoms.import(node.inputs, &mut unfolded.guards);
        let mut edges: Vec<GraphEdge> = Vec::new();
        for edge in &node.edges {
            let leaf = leaf_of(alphabet, &edge.output, edge.next);
            let letters = control.atoms.import(edge.guard, &mut unfolded.guards);
            let mut shown = leaf.clone();
            // The next state shows the values of these cells.
            shown.updates.retain(|&atom| match problem.signature.atoms[atom] {
                AtomMeaning::Update(symbol, _) => {
                    !is_shown(symbol) || unknown(&unfolded, edge.next.index(), cells, symbol)
                }
                _ => true,
            });
            let actions = actions(problem, &shown);
            let next = edge.next.index();
            let chosen = [leaf.updates, leaf.outputs].concat();
            let is_same = |same: &&mut GraphEdge| {
                same.next == next && same.actions == actions && (!style.is_exact || same.chosen == chosen)
            };
            match edges.iter_mut().find(is_same) {
                Some(same) => same.letters = control.atoms.guards.or(same.letters, letters),
                None => edges.push(GraphEdge { guard: String::new(), actions, next, letters, chosen }),
            }
        }
        let functions: Vec<Guard> = edges.iter().map(|edge| edge.letters).chain([possible]).collect();
        let guards = &mut control.atoms.guards;
        let care = control.care.around(guards, &functions);
        let possible = guards.and(possible, care);
        for edge in &mut edges {
            edge.guard = condition(guards, edge.letters, possible, style.condition);
        }
        edges.retain(|edge| edge.guard != "0");
        let is_sink = number != 0 && edges.iter().all(|edge| edge.next == number);
        nodes.push(DrawnNode { machine: node.state.index(), edges: edges.clone() });
        // A state without an arrow for some inputs stays as it is.
        edges.retain(|edge| edge.next != number || !edge.actions.is_empty());
        let alike = names.iter().filter(|other| **other == names[number]).count();
        let state = format!("S{}", node.state.index());
        let name = match names[number].as_str() {
            "" if alike == 1 && number == 0 => "start".to_owned(),
            "" => state,
            known if alike > 1 => format!("{known} ({state})"),
            known => known.to_owned(),
        };
        states.push(GraphState { name, letter: Vec::new(), start: number == 0, sink: is_sink, edges });
    }
    let cells = cells.iter().map(|cell| cell.symbol).collect();
    Ok(GraphByValues { states, nodes, guards: control.atoms.guards, cells })
}

/// Whether a state does not show the value of a cell.
fn unknown(unfolded: &Unfolded, node: usize, cells: &[KnownCell], symbol: SymbolId) -> bool {
    let place = cells.iter().position(|cell| cell.symbol == symbol);
    place.is_none_or(|place| unfolded.nodes[node].values[place].is_none())
}

/// A short formula that agrees with a guard on all letters that are possible; on the others it may have any value.
fn condition(
    guards: &mut Guards,
    letters: Guard,
    possible: Guard,
    text: &dyn Fn(&[Cube]) -> String,
) -> String {
    let lower = guards.and(letters, possible);
    let outside = guards.not(possible);
    let upper = guards.or(letters, outside);
    match cover_within(guards, lower, upper, LONGEST) {
        Some(cubes) => text(&cubes),
        None => LONG.into(),
    }
}

/// The known values of the cells: `chase`, or `floor = 1, door = open` if there are several cells or if the value alone would
/// not be understood. Empty if no value is known.
fn name(input: &EmitInput<'_>, values: &[Option<usize>], cells: &[KnownCell]) -> String {
    let symbols = &input.problem.signature.symbols;
    let known = cells.iter().zip(values).filter_map(|(known, value)| {
        let cell = &symbols[known.symbol];
        let is_word = !matches!(cell.sort, Sort::Bool | Sort::Range(..));
        let value = &known.values[(*value)?];
        Some(if is_word && cells.len() == 1 { value.clone() } else { format!("{} = {value}", cell.name) })
    });
    known.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Meta;
    use std::collections::BTreeMap;
    use tsl_synth_core::logic::atoms::variable;
    use tsl_synth_core::logic::{AtomId, AtomKind, Letter};
    use tsl_synth_core::model::{Silent, StrategyRepr, Verdict};
    use tsl_synth_core::source::SourceMap;
    use tsl_synth_engine::synth::{SolverOptions, StrategyForm, synthesize};
    use tsl_synth_lang::spec::{LoadOptions, MainFile, NoImports, load_tsl};

    const RUNS: usize = 1000;
    const STEPS: usize = 20;

    /// A guard of a game, whose modes are the states of the drawing.
    const GUARD: &str = include_str!("../../fixtures/machines/guard.tsl");

    fn solved(text: &str) -> (Problem, Mealy) {
        let mut map = SourceMap::new();
        let source = map.add("x.tsl", text);
        let file = MainFile { source, canonical: "x.tsl".into() };
        let loaded = load_tsl(&[file], &LoadOptions::default(), &mut map, &NoImports);
        let Ok((mut problem, _)) = loaded else { panic!("no specification: {text}") };
        let options = SolverOptions { form: StrategyForm::Explicit, ..SolverOptions::default() };
        let outcome = synthesize(&mut problem, &options, &Silent).expect("certified");
        match outcome.verdict {
            Verdict::Realizable(StrategyRepr::Explicit(machine)) => (problem, machine),
            other => panic!("{other:?}"),
        }
    }

    fn drawing(problem: &Problem, machine: &Mealy) -> GraphByValues {
        let meta = Meta::default();
        let strategy = Strategy::Controller(machine);
        let input = EmitInput { problem, strategy, assumptions: &[], meta: &meta };
        by_values_of(&input).expect("a drawing").expect("by values")
    }

    /// The value of a cell after an update, computed from the texts alone.
    fn written(cell: &str, before: Option<&String>, term: &str) -> Option<String> {
        let number = |text: &str| text.trim().parse::<i64>().ok();
        if term == cell {
            return before.cloned();
        }
        for (sign, factor) in [(" + ", 1), (" - ", -1)] {
            if let Some((own, by)) = term.split_once(sign) {
                let before = before.filter(|_| own == cell).and_then(|value| number(value))?;
                return Some((before + factor * number(by)?).to_string());
            }
        }
        let is_value = term.chars().all(char::is_alphanumeric);
        is_value.then(|| term.to_owned())
    }

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    /// Plays random inputs on the machine and on its drawing: the drawing has exactly one edge for each input that can
    /// happen, with the same actions, and its states show the values that the updates of the machine write.
    fn replay(text: &str, initial: &[(&str, &str)]) -> usize {
        let (problem, machine) = solved(text);
        let alphabet = &problem.alphabet;
        let graph = drawing(&problem, &machine);
        let signature = &problem.signature;
        let mut seed = 46;
        for _ in 0..RUNS {
            let (mut state, mut node) = (machine.initial, 0);
            let mut values: BTreeMap<String, String> =
                initial.iter().map(|&(cell, value)| (cell.into(), value.into())).collect();
            for _ in 0..STEPS {
                // Random inputs; the atoms of cells are as the values are.
                let mut letter = Letter::new();
                for atom in alphabet.inputs() {
                    let name = alphabet.atoms()[atom].name.as_str();
                    let holds = match name.split_once(" = ") {
                        Some((cell, value)) if values.contains_key(cell) => values[cell] == value,
                        _ => match values.get(name) {
                            Some(value) => value == "true",
                            None => random(&mut seed).is_multiple_of(2),
                        },
                    };
                    if holds {
                        alphabet.choose(atom, &mut letter);
                    }
                }
                let edge = machine.edge(state, &letter).expect("the machine is complete");
                let leaf = leaf_of(alphabet, &edge.output, edge.next);
                let holds = |atom: AtomId| match alphabet.atoms()[atom].kind {
                    AtomKind::Update(..) => leaf.updates.contains(&atom),
                    AtomKind::Output(_) => leaf.outputs.contains(&atom),
                    AtomKind::Input(bit) => letter.contains(bit),
                };
                let whole: Letter =
                    alphabet.atoms().ids().filter(|&atom| holds(atom)).map(variable).collect();
                let edges = graph.nodes[node].edges.iter();
                let taken: Vec<&GraphEdge> =
                    edges.filter(|own| graph.guards.contains(own.letters, &whole)).collect();
                assert_eq!(taken.len(), 1, "edges of {} on {whole:?}", graph.states[node].name);
                for &update in &leaf.updates {
                    let AtomMeaning::Update(symbol, term) = signature.atoms[update] else { continue };
                    let (cell, term) = (&signature.symbols[symbol].name, signature.display(term));
                    match written(cell, values.get(cell), &term) {
                        Some(value) if values.contains_key(cell) => {
                            let name = &graph.states[taken[0].next].name;
                            assert!(name.contains(&value), "{name} after [{cell} <- {term}]");
                            values.insert(cell.clone(), value);
                        }
                        _ if term == *cell => {}
                        _ => {
                            let name = &graph.states[taken[0].next].name;
                            let constant = format!("{cell} = {}", term.trim_end_matches("()"));
                            assert!(
                                taken[0].actions.contains(&format!("{cell} <- {term}"))
                                    || name.contains(&constant),
                                "{:?} and {name} without [{cell} <- {term}]",
                                taken[0].actions
                            );
                        }
                    }
                }
                (state, node) = (edge.next, taken[0].next);
            }
        }
        graph.states.len()
    }

    #[test]
    fn drawings_are_their_machines() {
        assert_eq!(replay(GUARD, &[("mode", "patrol")]), 4);
        replay(include_str!("../../specs/machines/vending_machine.tsl"), &[("credit", "0")]);
        replay(include_str!("../../specs/machines/elevator.tsl"), &[("floor", "0")]);
        replay(include_str!("../../specs/machines/traffic_light.tsl"), &[]);
        replay(include_str!("../../specs/tutorial/washer.tsl"), &[("locked", "false")]);
    }

    #[test]
    fn edges_say_only_what_the_state_does_not() {
        let (problem, machine) = solved(GUARD);
        let graph = drawing(&problem, &machine);
        let names: Vec<&str> = graph.states.iter().map(|state| state.name.as_str()).collect();
        assert_eq!(names.len(), 4);
        let patrol = &graph.states[0];
        assert!(patrol.start && patrol.name == "patrol");
        let edges: Vec<(&str, &str)> =
            patrol.edges.iter().map(|edge| (names[edge.next], edge.guard.as_str())).collect();
        assert!(edges.contains(&("chase", "seesPlayer")), "{edges:?}");
        assert!(edges.contains(&("rest", "!seesPlayer & tired")), "{edges:?}");
        assert!(edges.contains(&("search", "!seesPlayer & !tired & hearsNoise")), "{edges:?}");
        assert_eq!(edges.len(), 3, "nothing else happens: {edges:?}");
    }
}
