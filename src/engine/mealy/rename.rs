//! Strategies over another alphabet with the same names: bits may have other numbers and cells other codes. Linear in
//! the machine, apart from the diagrams of guards.

use rustc_hash::FxHashMap;
use tsl_synth_core::base::IdVec;
use tsl_synth_core::logic::atoms::{AtomGuards, atom_of};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{CounterEdge, CounterState, CounterStrategy, Mealy, MealyEdge, MealyState};

/// A controller over the atoms of `to`, which are matched by name.
///
/// # Errors
/// A message, if `to` does not have an atom or assigns it to the other player, or if the machine does not decide an
/// output or cell of `to`.
pub fn rename_mealy(from: &Alphabet, machine: &Mealy, to: &Alphabet) -> Result<Mealy, String> {
    let mut names = AtomRenaming::new(from, to, &machine.guards)?;
    names.decides_all(Player::System)?;
    let mut states = IdVec::new();
    for state in &machine.states {
        let mut edges = Vec::new();
        for edge in &state.edges {
            let output = names.letter(&edge.output, Player::System);
            edges.push(MealyEdge { guard: names.guard(edge.guard), output, next: edge.next });
        }
        states.push(MealyState { edges });
    }
    Ok(Mealy { guards: names.guards, states, initial: machine.initial })
}

/// A counter-strategy over the atoms of `to`, which are matched by name.
///
/// # Errors
/// As [`rename_mealy`], with the players exchanged.
pub fn rename_counter(
    from: &Alphabet,
    machine: &CounterStrategy,
    to: &Alphabet,
) -> Result<CounterStrategy, String> {
    let mut names = AtomRenaming::new(from, to, &machine.guards)?;
    names.decides_all(Player::Environment)?;
    let mut states = IdVec::new();
    for state in &machine.states {
        let input = names.letter(&state.input, Player::Environment);
        let edges = state.edges.iter().map(|e| CounterEdge { guard: names.guard(e.guard), next: e.next });
        states.push(CounterState { input, edges: edges.collect() });
    }
    Ok(CounterStrategy { guards: names.guards, states, initial: machine.initial })
}

struct AtomRenaming<'a> {
    from: &'a Alphabet,
    to: &'a Alphabet,
    /// The atom of the same name.
    same: IdVec<AtomId, AtomId>,
    atoms: AtomGuards<'a>,
    source: Guards,
    guards: Guards,
    done: FxHashMap<Guard, Guard>,
}

impl<'a> AtomRenaming<'a> {
    fn new(from: &'a Alphabet, to: &'a Alphabet, source: &Guards) -> Result<Self, String> {
        let known: FxHashMap<&str, AtomId> =
            to.atoms().enumerate().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        let mut same = IdVec::new();
        for (id, atom) in from.atoms().enumerate() {
            let Some(&other) = known.get(atom.name.as_str()) else {
                return Err(format!("it mentions `{}`, which the specification does not have", atom.name));
            };
            if from.player(id) != to.player(other) {
                return Err(format!("`{}` belongs to the other player", atom.name));
            }
            same.push(other);
        }
        let (atoms, source) = (AtomGuards::new(from), source.clone());
        Ok(Self { from, to, same, atoms, source, guards: Guards::new(), done: FxHashMap::default() })
    }

    fn decides_all(&self, player: Player) -> Result<(), String> {
        let decided: Vec<AtomId> = self.same.iter().copied().collect();
        for (id, atom) in self.to.atoms().enumerate().filter(|&(id, _)| self.to.player(id) == player) {
            let fine = match atom.kind {
                AtomKind::Update(cell, _) => {
                    let options = &self.to.cells()[cell].options;
                    options.len() == 1 || options.iter().any(|option| decided.contains(option))
                }
                _ => decided.contains(&id),
            };
            if !fine {
                return Err(format!("it does not decide `{}`", atom.name));
            }
        }
        Ok(())
    }

    fn letter(&self, letter: &Letter, player: Player) -> Letter {
        let mut result = Letter::new();
        let holds = |&id: &AtomId| self.from.player(id) == player && self.from.holds(id, letter);
        for id in self.from.atoms().ids().filter(holds) {
            self.to.choose(self.same[id], &mut result);
        }
        result
    }

    fn guard(&mut self, guard: Guard) -> Guard {
        let over_atoms = self.atoms.import(guard, &mut self.source);
        self.convert(over_atoms)
    }

    /// Recursion is as deep as there are atoms in the guard.
    fn convert(&mut self, guard: Guard) -> Guard {
        let Some((variable, low, high)) = self.atoms.guards.branch(guard) else { return guard };
        if let Some(&done) = self.done.get(&guard) {
            return done;
        }
        let (low, high) = (self.convert(low), self.convert(high));
        let condition = self.to.guard(self.same[atom_of(variable)], &mut self.guards);
        let result = self.guards.ite(condition, high, low);
        self.done.insert(guard, result);
        result
    }
}
