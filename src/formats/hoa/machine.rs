//! Machines from HOA: automata with acceptance `t` and one start state.

use super::lexer::HoaError;
use super::reader::{Described, describe};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, AtomKind, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{Mealy, MealyEdge, MealyState, StateId};

/// The largest number of products that the label of an edge is divided into.
const OUTPUT_LIMIT: usize = 1 << 16;

/// A state of a [`HoaMachine`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HoaState {
    /// Its number in the text.
    pub number: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Labels and next states (as indices of [`HoaMachine::states`]) in the order of the text.
    pub edges: Vec<(Guard, usize)>,
}

/// An automaton without acceptance whose labels are guards over its propositions: bit i is proposition i.
#[derive(Clone, Debug)]
pub struct HoaMachine {
    /// The `name:` header.
    pub name: Option<String>,
    /// The names of the propositions.
    pub propositions: Vec<String>,
    /// The propositions under `controllable-AP`; `None` without that header.
    pub controllable: Option<Vec<usize>>,
    /// Owns the labels.
    pub guards: Guards,
    /// The start state.
    pub start: usize,
    /// The states in the order of their numbers; if one of them is not described, those that are reached from the start.
    pub states: Vec<HoaState>,
}

/// Reads one machine. A verdict line before it (`REALIZABLE`) is skipped, and so is text after it. States that no run
/// reaches need not be described: the format lets `States:` count more than there are.
///
/// # Errors
/// Malformed text, a second automaton, an automaton with acceptance other than `t`, several or no start states, universal
/// branching, or a size past the documented limits.
pub fn read_hoa(text: &str) -> Result<HoaMachine, HoaError> {
    let Described { name, propositions, controllable, guards, starts, acceptance, states } = describe(text)?;
    let whole = |message: &str| HoaError { line: 0, message: message.into() };
    let start = match starts[..] {
        [] => return Err(whole("there is no `Start:`, so no machine")),
        [(start, _)] => start,
        [_, (_, line), ..] => return Err(HoaError { line, message: "a machine has one start state".into() }),
    };
    if let Some((acceptance, line)) = acceptance
        && !acceptance.is_true()
    {
        return Err(HoaError { line, message: "a machine accepts everything: `Acceptance: 0 t`".into() });
    }
    let is_whole = states.iter().all(|state| state.described);
    let states: Vec<HoaState> = states
        .into_iter()
        .enumerate()
        .map(|(number, state)| HoaState {
            number,
            name: state.name,
            edges: state.edges.into_iter().map(|(guard, next, _)| (guard, next)).collect(),
        })
        .collect();
    let machine = HoaMachine { name, propositions, controllable, guards, start, states };
    Ok(if is_whole { machine } else { machine.without_unreached() })
}

impl HoaMachine {
    /// The machine of the states that runs reach.
    pub(super) fn without_unreached(&self) -> Self {
        let mut is_reached = vec![false; self.states.len()];
        let mut todo = vec![self.start];
        while let Some(state) = todo.pop() {
            if !std::mem::replace(&mut is_reached[state], true) {
                todo.extend(self.states[state].edges.iter().map(|&(_, next)| next));
            }
        }
        let mut count = 0;
        let mut index = Vec::new();
        for is_reached in &is_reached {
            index.push(count);
            count += usize::from(*is_reached);
        }
        let kept = self.states.iter().zip(&is_reached).filter(|(_, is_reached)| **is_reached);
        let kept = kept.map(|(state, _)| HoaState {
            edges: state.edges.iter().map(|&(guard, next)| (guard, index[next])).collect(),
            ..state.clone()
        });
        Self { states: kept.collect(), start: index[self.start], ..self.clone() }
    }

    /// The result of reading all states, or, since what no run reaches is no fault of a machine, of the reached ones.
    pub(super) fn of_reached<T, E>(&self, read: impl Fn(&Self) -> Result<T, E>) -> Result<T, E> {
        read(self).or_else(|_| read(&self.without_unreached()))
    }

    /// Gives the propositions other names, in order.
    pub fn rename(&mut self, names: Vec<String>) {
        debug_assert_eq!(names.len(), self.propositions.len(), "one name for each");
        self.propositions = names;
    }

    /// The machine over an alphabet built from its propositions: one input or Boolean output per proposition; updates
    /// of a cell, `[x <- a]` and `[x <- b]`, become its options if every label gives the cell exactly one update.
    /// Without `controllable-AP`, `outputs` names the propositions of the system.
    ///
    /// # Errors
    /// If some state is not deterministic or does not read every input letter, or an edge allows too many
    /// output letters.
    pub fn mealy(&self, outputs: &[String]) -> Result<(Alphabet, Mealy), HoaError> {
        if let Some(alphabet) = self.alphabet(outputs, true)
            && let Ok(machine) = self.mealy_over(&alphabet)
        {
            return Ok((alphabet, machine));
        }
        let alphabet = self.alphabet(outputs, false).unwrap_or_default();
        let machine = self.mealy_over(&alphabet)?;
        Ok((alphabet, machine))
    }

    /// The propositions as atoms. With `cells`, updates become options of cells; `None` if no proposition is an update.
    fn alphabet(&self, outputs: &[String], cells: bool) -> Option<Alphabet> {
        let controlled = |i: usize, name: &String| match &self.controllable {
            Some(list) => list.contains(&i),
            None => outputs.contains(name),
        };
        let cell_of = |name: &str| -> Option<String> {
            let (cell, _) = name.strip_prefix('[')?.strip_suffix(']')?.split_once("<-")?;
            Some(cell.trim().to_string())
        };
        let mut alphabet = Alphabet::new();
        let mut done: Vec<String> = Vec::new();
        for (i, name) in self.propositions.iter().enumerate() {
            if !controlled(i, name) {
                alphabet.add_input(name.clone());
                continue;
            }
            let Some(cell) = cell_of(name).filter(|_| cells) else {
                alphabet.add_output(name.clone());
                continue;
            };
            if !done.contains(&cell) {
                let same = |&(j, other): &(usize, &String)| {
                    controlled(j, other) && cell_of(other).as_deref() == Some(&cell)
                };
                let options = self.propositions.iter().enumerate().filter(same).map(|(_, name)| name.clone());
                alphabet.add_cell(cell.clone(), options.collect::<Vec<_>>());
                done.push(cell);
            }
        }
        (!cells || !done.is_empty()).then_some(alphabet)
    }

    /// The number of the first state with a label that allows two output letters for one input letter; [`Self::mealy_over`]
    /// takes one of them. Propositions are the names of atoms.
    pub fn leaves_open(&self, alphabet: &Alphabet) -> Option<usize> {
        let mut guards = self.guards.clone();
        let kinds: Vec<Option<AtomKind>> = self
            .propositions
            .iter()
            .map(|name| alphabet.atoms().iter().find(|atom| atom.name == *name).map(|atom| atom.kind))
            .collect();
        let is_input = |kind: &Option<AtomKind>| matches!(kind, Some(AtomKind::Input(_)));
        let is_output = |bit: BitId| kinds.get(bit.index()).is_some_and(|kind| !is_input(kind));
        // Exactly one update of each cell holds.
        let mut legal = Guard::TRUE;
        for cell in alphabet.cells().ids() {
            let of_cell =
                |kind: &Option<AtomKind>| matches!(kind, Some(AtomKind::Update(c, _)) if *c == cell);
            let bits: Vec<BitId> =
                (0..kinds.len()).filter(|&i| of_cell(&kinds[i])).map(BitId::from_index).collect();
            let mut one = Guard::FALSE;
            for chosen in &bits {
                let mut cube: Vec<(BitId, bool)> = bits.iter().map(|bit| (*bit, bit == chosen)).collect();
                cube.sort_unstable_by(|a, b| b.cmp(a));
                let cube = guards.cube(&cube);
                one = guards.or(one, cube);
            }
            if !bits.is_empty() {
                legal = guards.and(legal, one);
            }
        }
        let mut open = |label: Guard| {
            let label = guards.and(label, legal);
            // Two output letters for one input letter differ in some output.
            (0..kinds.len()).map(BitId::from_index).filter(|&bit| is_output(bit)).any(|bit| {
                let [with, without] = [true, false].map(|value| {
                    let literal = guards.literal(bit, value);
                    let half = guards.and(label, literal);
                    guards.exists(half, &is_output)
                });
                guards.intersects(with, without)
            })
        };
        let state = self.states.iter().find(|state| state.edges.iter().any(|&(label, _)| open(label)))?;
        Some(state.number)
    }

    /// The machine over a given alphabet: propositions are the names of its atoms.
    ///
    /// # Errors
    /// As [`Self::mealy`], and if a proposition is not an atom or a label gives a cell no update or two.
    pub fn mealy_over(&self, alphabet: &Alphabet) -> Result<Mealy, HoaError> {
        self.of_reached(|machine| machine.mealy_of_all(alphabet))
    }

    pub(super) fn mealy_of_all(&self, alphabet: &Alphabet) -> Result<Mealy, HoaError> {
        let whole = |message: String| HoaError { line: 0, message };
        let index: FxHashMap<&str, _> =
            alphabet.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        let mut atoms = Vec::new();
        for name in &self.propositions {
            let Some(&atom) = index.get(name.as_str()) else {
                return Err(whole(format!("proposition {name:?} is not an atom of the specification")));
            };
            atoms.push(atom);
        }
        let mut guards = Guards::new();
        let mut states: IdVec<StateId, MealyState> = IdVec::new();
        for state in &self.states {
            let number = state.number;
            let mut edges: Vec<MealyEdge> = Vec::new();
            let mut all = Guard::FALSE;
            for &(label, next) in &state.edges {
                let mut covered = Guard::FALSE;
                let products = self.guards.cubes(label);
                if products.len() > OUTPUT_LIMIT {
                    return Err(whole(format!("an edge of state {number} has too many cases")));
                }
                for product in products {
                    let (cube, output) = divide(alphabet, &atoms, &product).ok_or_else(|| {
                        whole(format!("an edge of state {number} gives a cell no or two updates"))
                    })?;
                    let guard = guards.cube(&cube);
                    // If a label allows several output letters, the first one is taken; two edges for one input letter
                    // are an error.
                    let guard = guards.minus(guard, covered);
                    if guard == Guard::FALSE {
                        continue;
                    }
                    if guards.intersects(all, guard) {
                        return Err(whole(format!("state {number} has two edges for one input letter")));
                    }
                    covered = guards.or(covered, guard);
                    let next = StateId::from_index(next);
                    match edges.iter_mut().find(|e| e.next == next && e.output == output) {
                        Some(edge) => edge.guard = guards.or(edge.guard, guard),
                        None => edges.push(MealyEdge { guard, output, next }),
                    }
                }
                all = guards.or(all, covered);
            }
            if all != Guard::TRUE {
                let letter = unread(alphabet, &mut guards, all);
                return Err(whole(format!(
                    "state {number} does not read every input letter, such as `{letter}`"
                )));
            }
            states.push(MealyState { edges });
        }
        Ok(Mealy { guards, states, initial: StateId::from_index(self.start) })
    }
}

/// An input letter outside the guard, as literals.
fn unread(alphabet: &Alphabet, guards: &mut Guards, read: Guard) -> String {
    let rest = guards.not(read);
    let letter = guards.pick(rest).unwrap_or_default();
    let literal = |atom| {
        let not = if alphabet.holds(atom, &letter) { "" } else { "!" };
        format!("{not}{}", alphabet.atoms()[atom].name)
    };
    alphabet.inputs().map(literal).collect::<Vec<_>>().join(" & ")
}

/// Divides a product over propositions into a cube of inputs and an output letter.
fn divide(
    alphabet: &Alphabet,
    atoms: &[tsl_synth_core::logic::AtomId],
    product: &[(BitId, bool)],
) -> Option<(Vec<(BitId, bool)>, Letter)> {
    let mut cube = Vec::new();
    let mut output = Letter::new();
    let mut chosen: FxHashMap<tsl_synth_core::logic::CellId, u32> = FxHashMap::default();
    let mut denied: FxHashMap<tsl_synth_core::logic::CellId, Vec<u32>> = FxHashMap::default();
    for &(bit, value) in product {
        let atom = atoms[bit.index()];
        match alphabet.atoms()[atom].kind {
            AtomKind::Input(bit) => cube.push((bit, value)),
            AtomKind::Output(_) => {
                if value {
                    alphabet.choose(atom, &mut output);
                }
            }
            AtomKind::Update(cell, option) => {
                if value {
                    if chosen.insert(cell, option).is_some() {
                        return None;
                    }
                    alphabet.choose(atom, &mut output);
                } else {
                    denied.entry(cell).or_default().push(option);
                }
            }
        }
    }
    for (id, cell) in alphabet.cells().enumerate() {
        let denied = denied.get(&id);
        if !chosen.contains_key(&id) {
            // The first option that is not denied.
            let free = (0..cell.options.len() as u32).find(|o| denied.is_none_or(|d| !d.contains(o)))?;
            alphabet.choose(cell.options[free as usize], &mut output);
        }
    }
    debug_assert!(cube.iter().all(|(bit, _)| alphabet.owner(*bit) == Player::Environment));
    cube.sort_unstable_by(|a, b| b.cmp(a));
    Some((cube, output))
}
