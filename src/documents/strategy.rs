//! Reads machine JSON, which `emit --lang json`, another program or a person has written.

use super::SCHEMA_VERSION;
use super::machine::{MachineCell, MachineDocument, MachineEdge, MachineKind, MachinePlayer, MachineState};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::diag::{Code, Diagnostic};
use tsl_synth_core::json::read_json;
use tsl_synth_core::logic::{Alphabet, AtomId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{
    CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState, StateId,
};
use tsl_synth_core::source::{SourceId, SourceMap, Span};
use tsl_synth_engine::mealy::{counter_id, machine_id};
use tsl_synth_ltl::ltl::{LtlKind, parse_ltl};
use tsl_synth_ltl::operators::{BinaryOp, UnaryOp};

/// More states, or atoms, are refused.
const STATE_LIMIT: usize = 1 << 20;
const ATOM_LIMIT: usize = 1 << 12;
/// More nodes of all guards together are refused.
const NODE_LIMIT: usize = 1 << 22;

/// A strategy of either player.
#[derive(Clone, Debug)]
pub enum AnyStrategy {
    /// A machine of the system.
    Mealy(Mealy),
    /// A counter-strategy.
    Counter(CounterStrategy),
}

impl MachineDocument {
    /// Reads a document.
    ///
    /// # Errors
    /// Text that is not JSON or not of this form, with the position.
    pub fn read(map: &SourceMap, source: SourceId) -> Result<Self, Diagnostic> {
        let text = map.get(source).text.as_str();
        // Our reader checks depth and duplicate keys and reports positions, which serde does not.
        read_json(text, source)?;
        let text = text.trim_start_matches('\u{feff}');
        let document: Self = serde_json::from_str(text).map_err(|error| {
            let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or("");
            let start: usize =
                text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let mut at = (start + error.column().min(line.len())).min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(head, _)| head);
            Diagnostic::error(Code::BAD_MACHINE, format!("this is not machine JSON: {message}"))
                .at(Span::new(source, at, at), "here")
                .hint("`tsl-synth schema machine` prints the form of the document")
        })?;
        let major = |version: &str| version.split('.').next().map(str::to_string);
        if major(&document.schema_version) != major(SCHEMA_VERSION) {
            let message = format!(
                "machine JSON of version {}; this program reads {SCHEMA_VERSION}",
                document.schema_version
            );
            return Err(Diagnostic::error(Code::BAD_MACHINE, message));
        }
        Ok(document)
    }

    /// The strategy over the alphabet of the document: inputs, cells and outputs in the order of the document.
    ///
    /// # Errors
    /// Unknown ids, updates or states, guards that overlap or do not cover all letters, sizes past a limit, and a
    /// `machineId` that is not the hash of the table.
    pub fn strategy(&self) -> Result<(Alphabet, AnyStrategy), Diagnostic> {
        let (alphabet, strategy) =
            self.build().map_err(|message| Diagnostic::error(Code::BAD_MACHINE, message))?;
        let id = match &strategy {
            AnyStrategy::Mealy(mealy) => machine_id(&alphabet, mealy),
            AnyStrategy::Counter(counter) => counter_id(&alphabet, counter),
        };
        if id == self.machine_id {
            return Ok((alphabet, strategy));
        }
        let message = format!("`machineId` is {}, but the table has the id {id}", self.machine_id);
        Err(Diagnostic::error(Code::BAD_MACHINE, message)
            .hint("the document was changed after it was written; if that is meant, correct `machineId`"))
    }

    fn build(&self) -> Result<(Alphabet, AnyStrategy), String> {
        let atoms = self.inputs.len() + self.outputs.len();
        let atoms = self.cells.iter().fold(atoms, |n, cell| n + cell.terms.len());
        if atoms > ATOM_LIMIT || self.states.len() > STATE_LIMIT {
            return Err(format!("more than {ATOM_LIMIT} atoms or {STATE_LIMIT} states"));
        }
        let mut table = Table::new(self)?;
        for (number, state) in self.states.iter().enumerate() {
            if state.id != number {
                return Err(format!("state {} is in the place of state {number}", state.id));
            }
        }
        if self.initial >= self.states.len() {
            return Err(format!("the initial state {} does not exist", self.initial));
        }
        let initial = StateId::from_index(self.initial);
        let strategy = match (self.kind, self.player) {
            (MachineKind::Mealy, MachinePlayer::System) => {
                let states: Result<Vec<MealyState>, String> =
                    self.states.iter().map(|state| table.mealy(state)).collect();
                let states = IdVec::from(states?);
                AnyStrategy::Mealy(Mealy { guards: table.guards, states, initial })
            }
            (MachineKind::Moore, MachinePlayer::Environment) => {
                let states: Result<Vec<CounterState>, String> =
                    self.states.iter().map(|state| table.counter(state)).collect();
                let states = IdVec::from(states?);
                AnyStrategy::Counter(CounterStrategy { guards: table.guards, states, initial })
            }
            _ => {
                return Err(
                    "a machine is `mealy` and of the `system`, or `moore` and of the `environment`".into()
                );
            }
        };
        Ok((table.alphabet, strategy))
    }
}

/// The atoms of the ids of a document, and the guards built so far.
struct Table<'a> {
    document: &'a MachineDocument,
    alphabet: Alphabet,
    ids: FxHashMap<&'a str, AtomId>,
    options: FxHashMap<(&'a str, &'a str), AtomId>,
    guards: Guards,
}

impl<'a> Table<'a> {
    fn new(document: &'a MachineDocument) -> Result<Self, String> {
        let mut alphabet = Alphabet::new();
        let mut ids: FxHashMap<&'a str, AtomId> = FxHashMap::default();
        let mut terms: FxHashSet<&'a str> = FxHashSet::default();
        let mut names: FxHashSet<&'a str> = FxHashSet::default();
        let mut options = FxHashMap::default();
        let mut declare = |id: &'a str, atom: AtomId| match ids.insert(id, atom) {
            None => Ok(()),
            Some(_) => Err(format!("the id `{id}` is declared twice")),
        };
        let twice = |what: &str| Err(format!("`{what}` is declared twice"));
        for input in &document.inputs {
            if !terms.insert(&input.term) {
                return twice(&input.term);
            }
            declare(&input.id, alphabet.add_input(input.term.clone()))?;
        }
        for cell in &document.cells {
            let MachineCell { name, terms: updates, ids } = cell;
            if updates.is_empty() || ids.len() != updates.len() {
                return Err(format!("the cell `{name}` has no updates, or not one id for each"));
            }
            // A Boolean cell is a predicate term too, so its name may also be that of an input.
            if !names.insert(name) {
                return twice(name);
            }
            let made = alphabet.add_cell(name.clone(), updates.iter().map(|t| format!("[{name} <- {t}]")));
            let atoms = alphabet.cells()[made].options.clone();
            for ((id, update), atom) in ids.iter().zip(updates).zip(atoms) {
                declare(id, atom)?;
                if options.insert((name.as_str(), update.as_str()), atom).is_some() {
                    return twice(&format!("[{name} <- {update}]"));
                }
            }
        }
        for output in &document.outputs {
            if !terms.insert(&output.term) {
                return twice(&output.term);
            }
            declare(&output.id, alphabet.add_output(output.term.clone()))?;
        }
        Ok(Self { document, alphabet, ids, options, guards: Guards::new() })
    }

    fn mealy(&mut self, state: &MachineState) -> Result<MealyState, String> {
        let labelled = self.edges(state, Player::Environment)?;
        let mut edges = Vec::new();
        for (edge, (guard, next)) in state.edges.iter().zip(labelled) {
            edges.push(MealyEdge { guard, output: self.output(state, edge)?, next });
        }
        Ok(MealyState { edges })
    }
    fn counter(&mut self, state: &MachineState) -> Result<CounterState, String> {
        let edges = self.edges(state, Player::System)?;
        let given = state.letter.as_ref().ok_or_else(|| format!("state {} has no `letter`", state.id))?;
        let mut input = Letter::new();
        for atom in &self.document.inputs {
            match given.get(&atom.id) {
                Some(true) => self.alphabet.choose(self.ids[atom.id.as_str()], &mut input),
                Some(false) => {}
                None => return Err(format!("the letter of state {} does not say `{}`", state.id, atom.id)),
            }
        }
        if given.len() > self.document.inputs.len() {
            return Err(format!("the letter of state {} names something that is no input", state.id));
        }
        Ok(CounterState {
            input,
            edges: edges.into_iter().map(|(guard, next)| CounterEdge { guard, next }).collect(),
        })
    }
    /// Guards and next states: disjoint and complete.
    fn edges(&mut self, state: &MachineState, player: Player) -> Result<Vec<(Guard, StateId)>, String> {
        let mut all = Guard::FALSE;
        let mut edges = Vec::new();
        for edge in &state.edges {
            if edge.next >= self.document.states.len() {
                return Err(format!("state {} leads to state {}, which does not exist", state.id, edge.next));
            }
            let guard = self
                .guard(&edge.guard, player)
                .map_err(|why| format!("a guard of state {}: {why}: `{}`", state.id, edge.guard))?;
            if self.guards.intersects(all, guard) {
                return Err(format!("state {} has two edges for one letter: `{}`", state.id, edge.guard));
            }
            all = self.guards.or(all, guard);
            edges.push((guard, StateId::from_index(edge.next)));
        }
        if all != Guard::TRUE {
            return Err(format!("state {} has no edge for some letter", state.id));
        }
        Ok(edges)
    }
    fn output(&self, state: &MachineState, edge: &MachineEdge) -> Result<Letter, String> {
        let mut letter = Letter::new();
        let (cells, outputs) = (&self.document.cells, &self.document.outputs);
        for cell in cells {
            let update = edge.updates.as_ref().and_then(|updates| updates.get(&cell.name));
            let update = update
                .ok_or_else(|| format!("an edge of state {} does not update `{}`", state.id, cell.name))?;
            let atom = self.options.get(&(cell.name.as_str(), update.as_str()));
            let atom = atom.ok_or_else(|| format!("`[{} <- {update}]` is no update", cell.name))?;
            self.alphabet.choose(*atom, &mut letter);
        }
        for output in outputs {
            match edge.outputs.as_ref().and_then(|outputs| outputs.get(&output.id)) {
                Some(true) => self.alphabet.choose(self.ids[output.id.as_str()], &mut letter),
                Some(false) => {}
                None => return Err(format!("an edge of state {} does not say `{}`", state.id, output.id)),
            }
        }
        let updates = edge.updates.as_ref().map_or(0, BTreeMap::len);
        let values = edge.outputs.as_ref().map_or(0, BTreeMap::len);
        if updates > cells.len() || values > outputs.len() {
            return Err(format!("an edge of state {} names something that is no output", state.id));
        }
        Ok(letter)
    }
    /// A Boolean formula over ids of one player.
    fn guard(&mut self, text: &str, player: Player) -> Result<Guard, String> {
        let mut map = SourceMap::new();
        let source = map.add("guard", text);
        let mut diagnostics = tsl_synth_core::diag::Diagnostics::new();
        let Some(module) = parse_ltl(&map, source, &|name| self.ids.contains_key(name), &mut diagnostics)
        else {
            let first = diagnostics.iter().next().map(|d| d.message.clone());
            return Err(first.unwrap_or_else(|| "not a formula".into()));
        };
        let mut done: Vec<Guard> = Vec::new();
        for (_, expr) in module.exprs.enumerate() {
            let guards = &mut self.guards;
            let guard = match &expr.kind {
                LtlKind::Constant(true) => Guard::TRUE,
                LtlKind::Constant(false) => Guard::FALSE,
                LtlKind::Proposition(id) => {
                    let atom = self.ids.get(&**id).filter(|&&atom| self.alphabet.player(atom) == player);
                    let Some(&atom) = atom else { return Err(format!("`{id}` cannot be asked here")) };
                    self.alphabet.guard(atom, guards)
                }
                LtlKind::Unary(UnaryOp::Not, a) => guards.not(done[a.index()]),
                LtlKind::Binary(op, a, b) => {
                    let (a, b) = (done[a.index()], done[b.index()]);
                    match op {
                        BinaryOp::And => guards.and(a, b),
                        BinaryOp::Or => guards.or(a, b),
                        BinaryOp::Iff => guards.iff(a, b),
                        BinaryOp::Implies => guards.ite(a, b, Guard::TRUE),
                        BinaryOp::Xor => {
                            let same = guards.iff(a, b);
                            guards.not(same)
                        }
                        _ => return Err("a guard has no temporal operators".into()),
                    }
                }
                _ => return Err("a guard has no temporal operators".into()),
            };
            if guards.node_count() > NODE_LIMIT {
                return Err(format!("the guards have more than {NODE_LIMIT} nodes"));
            }
            done.push(guard);
        }
        let all = module.formulas.iter().map(|f| done[f.index()]);
        Ok(all.fold(Guard::TRUE, |sum, guard| self.guards.and(sum, guard)))
    }
}
