//! Automata from HOA, with any acceptance made of `Inf` and `Fin`.

use super::lexer::HoaError;
use super::reader::{Described, describe};
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Id, IdVec};
use tsl_synth_core::logic::{Alphabet, BitId, Guard, Guards};
use tsl_synth_core::model::{Edge, EmersonLei, NodeId};

/// An automaton over its own propositions.
#[derive(Clone, Debug)]
pub struct HoaAutomaton {
    /// The `name:` header.
    pub name: Option<String>,
    /// The names of the propositions.
    pub propositions: Vec<String>,
    /// The propositions under `controllable-AP`; `None` without that header.
    pub controllable: Option<Vec<usize>>,
    /// The automaton; bit i of its guards is proposition i.
    pub automaton: EmersonLei,
}

/// Reads one automaton: acceptance on states or edges, aliases, implicit labels. Text after it is skipped.
///
/// # Errors
/// Malformed text, a second automaton, no `Acceptance:`, universal branching, or a size past the documented limits.
pub fn read_automaton(text: &str) -> Result<HoaAutomaton, HoaError> {
    let Described { name, propositions, controllable, guards, starts, acceptance, states } = describe(text)?;
    let Some((acceptance, _)) = acceptance else {
        return Err(HoaError { line: 0, message: "there is no `Acceptance:`".into() });
    };
    let edges: IdVec<NodeId, Vec<Edge>> = states
        .into_iter()
        .map(|state| {
            let edge = |(guard, next, marks)| Edge { guard, next: NodeId::from_index(next), marks };
            let mut edges: Vec<Edge> = state.edges.into_iter().map(edge).collect();
            edges.sort_unstable();
            edges.dedup();
            edges
        })
        .collect();
    let mut initial: Vec<NodeId> = starts.into_iter().map(|(start, _)| NodeId::from_index(start)).collect();
    initial.sort_unstable();
    initial.dedup();
    let automaton = EmersonLei { guards, edges, initial, acceptance };
    Ok(HoaAutomaton { name, propositions, controllable, automaton })
}

impl HoaAutomaton {
    /// The propositions as inputs and Boolean outputs. Without `controllable-AP`, `outputs` names those of the system.
    pub fn alphabet(&self, outputs: &[String]) -> Alphabet {
        let mut alphabet = Alphabet::new();
        for (i, name) in self.propositions.iter().enumerate() {
            let controlled = match &self.controllable {
                Some(list) => list.contains(&i),
                None => outputs.contains(name),
            };
            if controlled {
                alphabet.add_output(name.clone())
            } else {
                alphabet.add_input(name.clone())
            };
        }
        alphabet
    }

    /// The automaton over the letters of an alphabet that contains the propositions as atoms.
    ///
    /// # Errors
    /// A proposition that is not an atom.
    pub fn over(&self, alphabet: &Alphabet) -> Result<EmersonLei, HoaError> {
        let index: FxHashMap<&str, _> =
            alphabet.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        let mut guards = Guards::new();
        let mut atoms = Vec::new();
        for name in &self.propositions {
            let Some(&atom) = index.get(name.as_str()) else {
                let message = format!("proposition {name:?} is not an atom of the specification");
                return Err(HoaError { line: 0, message });
            };
            atoms.push(alphabet.guard(atom, &mut guards));
        }
        let from = &self.automaton;
        let mut translation =
            PropositionGuards { from: &from.guards, atoms, guards, done: FxHashMap::default() };
        let edges = from.edges.iter().map(|out| {
            let edges = out.iter().map(|e| Edge { guard: translation.guard(e.guard), ..*e });
            edges.filter(|e| e.guard != Guard::FALSE).collect()
        });
        let edges = edges.collect();
        Ok(EmersonLei {
            edges,
            guards: translation.guards,
            initial: from.initial.clone(),
            acceptance: from.acceptance.clone(),
        })
    }
}

/// Replaces propositions by the guards of atoms.
struct PropositionGuards<'a> {
    from: &'a Guards,
    atoms: Vec<Guard>,
    guards: Guards,
    done: FxHashMap<Guard, Guard>,
}

impl PropositionGuards<'_> {
    /// The recursion depth is at most the number of propositions.
    fn guard(&mut self, guard: Guard) -> Guard {
        let Some((bit, low, high)) = self.from.branch(guard) else { return guard };
        if let Some(&result) = self.done.get(&guard) {
            return result;
        }
        let (low, high) = (self.guard(low), self.guard(high));
        let result = self.guards.ite(self.atoms[BitId::index(bit)], high, low);
        self.done.insert(guard, result);
        result
    }
}
