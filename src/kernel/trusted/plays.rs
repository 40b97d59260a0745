//! A machine as the graph of its plays, after checking that it is a strategy at all.

use crate::outcome::CertifyError;
use rustc_hash::FxHashSet;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{Alphabet, AtomId, AtomKind, BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{CounterStrategy, Mealy, StateId};

/// The plays that agree with a strategy: infinite paths, one letter of each edge's set per step.
#[derive(Debug)]
pub(crate) struct Plays {
    /// Owns the sets of letters; a scratch copy of the machine's store.
    pub(crate) guards: Guards,
    /// For each state, sets of letters (over the bits of both players) with the states to which they lead.
    pub(crate) edges: IdVec<StateId, Vec<(Guard, StateId)>>,
    /// The state in which every play begins.
    pub(crate) initial: StateId,
}

impl Plays {
    /// All words.
    pub(crate) fn all(alphabet: &Alphabet, mut guards: Guards) -> Self {
        let letters = output_letters(alphabet, &mut guards);
        let initial = StateId::from_index(0);
        Self { guards, edges: IdVec::from(vec![vec![(letters, initial)]]), initial }
    }

    /// The plays of a controller.
    pub(crate) fn of_mealy(
        alphabet: &Alphabet,
        machine: &Mealy,
        budget: &Budget,
    ) -> Result<Self, CertifyError> {
        check_store(alphabet, &machine.guards)?;
        let mut guards = machine.guards.clone();
        check_initial(machine.initial, machine.states.len())?;
        let mut edges = IdVec::new();
        for (state, data) in machine.states.enumerate() {
            let targets = data.edges.iter().map(|edge| (edge.guard, edge.next));
            let check =
                StateCheck { alphabet, owner: Player::Environment, states: machine.states.len(), state };
            check.edges(&mut guards, Guard::TRUE, targets, budget)?;
            let mut successors = Vec::new();
            for edge in &data.edges {
                check.letter(&edge.output, Player::System)?;
                let output = guards.valuation(alphabet.bits_of(Player::System), &edge.output);
                successors.push((guards.and(edge.guard, output), edge.next));
            }
            edges.push(taken(successors));
        }
        Ok(Self { guards, edges, initial: machine.initial })
    }

    /// The plays against a counter-strategy. By construction its input does not depend on the output of the same step:
    /// the input letter belongs to the state, not to the edge.
    pub(crate) fn of_counter(
        alphabet: &Alphabet,
        machine: &CounterStrategy,
        budget: &Budget,
    ) -> Result<Self, CertifyError> {
        Self::of_counter_with_free(alphabet, machine, &IdVec::new(), budget)
    }

    /// The plays against a counter-strategy with any truth values of the input atoms that are free in a state.
    pub(crate) fn of_counter_with_free(
        alphabet: &Alphabet,
        machine: &CounterStrategy,
        free: &IdVec<StateId, Vec<AtomId>>,
        budget: &Budget,
    ) -> Result<Self, CertifyError> {
        check_store(alphabet, &machine.guards)?;
        let mut guards = machine.guards.clone();
        check_initial(machine.initial, machine.states.len())?;
        let outputs = output_letters(alphabet, &mut guards);
        let mut edges = IdVec::new();
        for (state, data) in machine.states.enumerate() {
            let targets = data.edges.iter().map(|edge| (edge.guard, edge.next));
            let check = StateCheck { alphabet, owner: Player::System, states: machine.states.len(), state };
            check.edges(&mut guards, outputs, targets, budget)?;
            check.letter(&data.input, Player::Environment)?;
            let is_free = |bit: &BitId| {
                let atoms = free.get(state).into_iter().flatten();
                atoms.into_iter().any(|&atom| alphabet.atoms()[atom].kind == AtomKind::Input(*bit))
            };
            let given = alphabet.bits_of(Player::Environment).filter(|bit| !is_free(bit));
            let input = guards.valuation(given, &data.input);
            let given = guards.and(input, outputs);
            let successors = data.edges.iter().map(|edge| (guards.and(edge.guard, given), edge.next));
            edges.push(taken(successors.collect()));
        }
        Ok(Self { guards, edges, initial: machine.initial })
    }

    /// The state after a letter; `None` if the state has no edge with it.
    pub(crate) fn after(&self, state: StateId, letter: &Letter) -> Option<StateId> {
        let mut edges = self.edges[state].iter();
        edges.find(|(letters, _)| self.guards.contains(*letters, letter)).map(|&(_, next)| next)
    }
}

/// Drops edges without letters, such as those for codes past the last option of a cell.
fn taken(mut edges: Vec<(Guard, StateId)>) -> Vec<(Guard, StateId)> {
    edges.retain(|&(letters, _)| letters != Guard::FALSE);
    edges
}

/// The letters in which every cell has the code of one of its options.
pub(crate) fn output_letters(alphabet: &Alphabet, guards: &mut Guards) -> Guard {
    let mut all = Guard::TRUE;
    for cell in alphabet.cells() {
        // code ≤ last, compared from the least significant bit: on equal bits the result for the lower bits decides.
        let last = cell.options.len() - 1;
        let mut at_most = Guard::TRUE;
        for (i, &bit) in cell.bits.iter().enumerate() {
            let zero = guards.literal(bit, false);
            let above_or_tie =
                if last >> i & 1 == 1 { guards.or(zero, at_most) } else { guards.and(zero, at_most) };
            at_most = above_or_tie;
        }
        all = guards.and(all, at_most);
    }
    all
}

/// Whether bits increase along every path: on other diagrams the operations of the store are incorrect.
fn is_ordered(guards: &Guards, guard: Guard) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![guard];
    while let Some(guard) = stack.pop() {
        let Some((bit, low, high)) = guards.branch(guard) else { continue };
        if seen.insert(guard) {
            if [low, high].iter().any(|&g| guards.branch(g).is_some_and(|(below, ..)| below <= bit)) {
                return false;
            }
            stack.extend([low, high]);
        }
    }
    true
}

/// Checks that the store orders bits by number, as [`is_ordered`] demands of its guards: the operations of the store
/// rely on its order.
fn check_store(alphabet: &Alphabet, guards: &Guards) -> Result<(), CertifyError> {
    let pairs = (1..alphabet.bit_count()).map(|i| [i - 1, i].map(BitId::from_index));
    if pairs.into_iter().any(|pair| guards.topmost(pair) != Some(pair[0])) {
        return Err(CertifyError::Malformed(
            "the guards are in a store with a different order of bits".into(),
        ));
    }
    Ok(())
}

fn check_initial(initial: StateId, states: usize) -> Result<(), CertifyError> {
    if initial.index() < states {
        return Ok(());
    }
    Err(CertifyError::Malformed(format!(
        "the initial state {} does not exist: there are {states} states",
        initial.index()
    )))
}

struct StateCheck<'a> {
    alphabet: &'a Alphabet,
    /// The player whose bits the guards are over.
    owner: Player,
    states: usize,
    state: StateId,
}

impl StateCheck<'_> {
    fn malformed(&self, what: &str) -> CertifyError {
        CertifyError::Malformed(format!("state {}: {what}", self.state.index()))
    }

    /// Checks that the guards mention only bits of the owner, are disjoint within `domain`, and cover it.
    fn edges(
        &self,
        guards: &mut Guards,
        domain: Guard,
        edges: impl Iterator<Item = (Guard, StateId)>,
        budget: &Budget,
    ) -> Result<(), CertifyError> {
        let mut covered = Guard::FALSE;
        for (guard, next) in edges {
            budget.tick(1, || "certificate: reading the machine".into())?;
            if next.index() >= self.states {
                return Err(
                    self.malformed(&format!("an edge to state {}, which does not exist", next.index()))
                );
            }
            if !is_ordered(guards, guard) {
                return Err(self.malformed("a guard whose bits are out of order"));
            }
            if let Some(bit) = guards.support(guard).into_iter().find(|&bit| !self.owned_by(bit, self.owner))
            {
                return Err(self.malformed(&format!("a guard looks at bit {}", bit.index())));
            }
            let guard = guards.and(guard, domain);
            if guards.intersects(guard, covered) {
                return Err(self.malformed("two guards overlap"));
            }
            covered = guards.or(covered, guard);
        }
        if covered != domain {
            return Err(self.malformed("some letter has no edge"));
        }
        Ok(())
    }

    /// Checks that the letter has only bits of the player, and that every cell has the code of an option.
    fn letter(&self, letter: &Letter, player: Player) -> Result<(), CertifyError> {
        if let Some(bit) = letter.iter().find(|&bit| !self.owned_by(bit, player)) {
            return Err(self.malformed(&format!("a letter sets bit {}", bit.index())));
        }
        for cell in self.alphabet.cells() {
            let code: usize =
                cell.bits.iter().enumerate().map(|(i, &b)| usize::from(letter.contains(b)) << i).sum();
            if code >= cell.options.len() {
                return Err(self.malformed(&format!("no update of {} has code {code}", cell.name)));
            }
        }
        Ok(())
    }

    fn owned_by(&self, bit: BitId, player: Player) -> bool {
        bit.index() < self.alphabet.bit_count() && self.alphabet.owner(bit) == player
    }
}

/// Charges the budget for memory, which is released when this value is dropped.
#[derive(Debug)]
pub(crate) struct MemoryCharge<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl<'a> MemoryCharge<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, bytes: 0 }
    }
    pub(crate) fn charge(&mut self, bytes: u64) -> Result<(), Limit> {
        self.bytes += bytes;
        self.budget.charge(bytes, || "certificate: the product of machine and tableau".into())
    }
}

impl Drop for MemoryCharge<'_> {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}
