//! The game of laws with `for_each` for any number of values: positions are abstracted to the set of states in which there
//! are copies of the laws.
//!
//! A game of several copies has a position for each tuple of states. Here a position is the *set* of states that copies
//! are in, whatever their number. It is a sufficient condition: where the agent can keep the laws from a set, it can from
//! every family of copies whose states form this set.
//!
//! The local state of a copy is a position of the game of one copy; letters that reach no copy change none. A letter that
//! reaches one copy in a state `q` and takes it to `t` may leave other copies in `q` or not, so that it has two answers:
//! the set with `t`, and the same without `q`. A letter that reaches all copies takes each state of the set to its
//! successor, if all of them permit the letter. Safety is about both answers. For the ways to an accepted end, a letter
//! that reaches one copy in `q` is sent to each of them, one after the other: all positions in between are the set with
//! `t`, from which the same letter has the same two answers, and the last one is the set without `q`. So the winning sets
//! are those of the fixpoints in the module [`solve`](super::solve), over these steps (the abstraction of a family of
//! equal processes by the set of their states, as in German and Sistla 1992, "Reasoning about systems with many
//! processes").
//!
//! Where a table may bind a letter to one value or to none, the world may do either, and the agent may rely on neither.
//! Decided are parts of a policy with one list of bound values, without laws that all copies share and without registers,
//! in which each event is a letter of its own. Compared with games of several copies in `tests/it/policy_game/set_abstraction.rs`.

use super::arena::{self, GameStep, PolicyArena};
use super::decide::GameOptions;
use super::functions::{FunctionBuilder, LetterClass};
use super::layout::{GameLayout, Turns, VariableKind, lay_out};
use crate::CompiledPolicy;
use crate::language::{Ending, LawAtom};
use crate::roles::{Roles, TableBinding};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::{BitId, Guards, Letter};

/// The most states of a copy.
const STATES: usize = 120;
/// The most letters of one class in a state.
const LETTERS: usize = 1_024;
/// The most sets of states.
const SETS: usize = 1 << 11;

/// The bits that are true, in order.
type Bits = Vec<BitId>;

/// A letter that a copy permits in a state, and that reaches it.
#[derive(Clone, Debug)]
struct LocalMove {
    /// The class of the letter, and its true variables but for whether it reaches the copy.
    letter: (usize, Bits),
    /// The next state; `None` if the letter violates a law that the agent keeps.
    to: Option<usize>,
    /// Whether it may reach this copy alone.
    is_one: bool,
    /// Whether it may reach all copies.
    is_all: bool,
}

/// The steps from a set of states. Sets are masks of the numbers of states.
#[derive(Clone, Debug, Default)]
struct SetMoves {
    /// Whether a letter of the world may violate a law that the agent keeps.
    is_bad: bool,
    /// The sets to which letters of the world may lead.
    world: Vec<u128>,
    /// Those to which letters of the world may lead, if need be letters for one copy after the other.
    world_may: Vec<u128>,
    /// For each call the sets to which it may lead, and the one to which it leads when it is made for one copy after the
    /// other.
    calls: Vec<(Vec<u128>, u128)>,
}

/// The game of any number of copies in a part of a policy, as far as it was needed.
#[derive(Debug)]
pub struct SetAbstraction {
    layout: GameLayout,
    arena: PolicyArena,
    /// The class of each step: those of the world, then those of the agent.
    classes: Vec<LetterClass>,
    roles: Arc<Roles>,
    atoms: Vec<LawAtom>,
    states: Vec<Bits>,
    numbers: FxHashMap<Bits, usize>,
    /// For each state its letters; fewer than states while some were not explored.
    moves: Vec<Vec<LocalMove>>,
    /// The sets that were judged.
    closed: FxHashMap<u128, bool>,
}

impl SetAbstraction {
    /// The abstract game of the laws in `options`, which must have one copy and one track. `None` if the abstraction does
    /// not apply to these laws.
    ///
    /// # Errors
    /// The budget, or a limit on the game of one copy.
    pub fn new(
        compiled: &CompiledPolicy,
        options: &GameOptions,
        budget: &Budget,
    ) -> Result<Option<Self>, Limit> {
        let layout = lay_out(compiled, options)?;
        let is_decided = layout.turns == Turns::Apart
            && (layout.copies, layout.tracks) == (1, 1)
            && layout.reach.len() == 1
            && layout.registers.is_empty()
            && layout.instances.iter().all(|instance| instance.copy.is_some())
            && compiled.policy.end == Ending::Finite;
        if !is_decided {
            return Ok(None);
        }
        let mut store = Guards::new();
        store.set_limit(options.nodes);
        let maker = FunctionBuilder::new(compiled, &layout, &compiled.roles, store, budget);
        let arena = arena::build(maker, compiled.policy.idle)?;
        let actions = compiled.policy.atoms.actions.ids();
        let ending = actions.filter(|&id| layout.slots_of(id).next().is_some()).map(LetterClass::Outcome);
        let calls = arena.calls.iter().filter_map(|call| call.call).map(LetterClass::Call);
        let classes = std::iter::once(LetterClass::World).chain(ending).chain(calls).collect();
        let atoms = &compiled.policy.atoms;
        Ok(Some(Self {
            atoms: (0..atoms.bits()).map(|at| atoms.atom(BitId::from_index(at))).collect(),
            roles: compiled.roles.clone(),
            layout,
            arena,
            classes,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            moves: Vec::new(),
            closed: FxHashMap::default(),
        }))
    }
    /// Whether it is shown that the agent can keep the laws whatever the world does, from every family of copies with
    /// these positions, each of any number of copies: the variables that are true in them in the game of one copy (see
    /// [`Game::variables`](super::Game::variables)). `false` if the question is too hard.
    ///
    /// # Errors
    /// The budget.
    pub fn is_closed(&mut self, positions: Vec<Letter>, budget: &Budget) -> Result<bool, Limit> {
        let mut set = 0;
        for state in positions {
            let Some(number) = self.number(state) else { return Ok(false) };
            set |= 1_u128 << number;
        }
        if let Some(&closed) = self.closed.get(&set) {
            return Ok(closed);
        }
        let is_solved = self.explore(budget)? && self.solve(set, budget)?;
        if !is_solved {
            self.closed.insert(set, false);
        }
        Ok(self.closed.get(&set) == Some(&true))
    }
    /// The number of a state; `None` if there are too many. Whether calls for other values are pending does not matter to
    /// a copy: their outcomes do not reach it.
    fn number(&mut self, mut state: Letter) -> Option<usize> {
        for slot in self.layout.slots.iter().filter(|slot| slot.reaches == [0]) {
            state.extend(slot.bits);
        }
        let bits: Bits = state.iter().collect();
        if let Some(&number) = self.numbers.get(&bits) {
            return Some(number);
        }
        if self.states.len() >= STATES {
            return None;
        }
        self.numbers.insert(bits.clone(), self.states.len());
        self.states.push(bits);
        Some(self.states.len() - 1)
    }
    /// Determines the letters of all states that are reached; `false` if there are too many.
    fn explore(&mut self, budget: &Budget) -> Result<bool, Limit> {
        while self.moves.len() < self.states.len() {
            let state: Letter = self.states[self.moves.len()].iter().copied().collect();
            let mut moves = Vec::new();
            for class in 0..self.classes.len() {
                budget.tick(16, || "the letters of copies of laws".into())?;
                let Some(letters) = self.letters(class, &state) else { return Ok(false) };
                for letter in letters {
                    match self.local_move(class, &state, &letter) {
                        Some(own) => moves.push(own),
                        None => return Ok(false),
                    }
                }
            }
            self.moves.push(moves);
        }
        Ok(true)
    }
    fn step(&self, class: usize) -> &GameStep {
        let worlds = self.arena.worlds.len();
        if class < worlds { &self.arena.worlds[class] } else { &self.arena.calls[class - worlds] }
    }
    /// The letters of a class that a copy permits in a state and that reach it; `None` if there are too many.
    fn letters(&mut self, class: usize, state: &Letter) -> Option<Vec<Letter>> {
        let step = self.step(class).clone();
        let (reach, kinds) = (self.layout.reach[0][0], &self.layout.kinds);
        let store = &mut self.arena.store;
        let known = |bit: BitId| match kinds[bit] {
            VariableKind::State => Some(state.contains(bit)),
            _ => (bit == reach).then_some(true),
        };
        let possible = store.and(step.choosable, step.legal);
        let possible = store.given(possible, &known);
        let mut tested = Letter::new();
        for guard in step.next.values().chain([&step.bad]) {
            let given = store.given(*guard, &known);
            tested.extend(store.support(given));
        }
        let mut letters = Vec::new();
        for cube in store.cubes(possible) {
            let chosen: Letter = cube.iter().filter(|(_, value)| *value).map(|(bit, _)| *bit).collect();
            let open = tested.iter().filter(|bit| !cube.iter().any(|(own, _)| own == bit));
            let mut own = vec![chosen];
            for bit in open {
                if own.len() > LETTERS {
                    return None;
                }
                let with = own.iter().map(|letter| letter.iter().chain([bit]).collect());
                let with: Vec<Letter> = with.collect();
                own.extend(with);
            }
            letters.extend(own);
            if letters.len() > LETTERS {
                return None;
            }
        }
        Some(letters)
    }
    /// The effect of a letter that reaches a copy; `None` if there are too many states.
    fn local_move(&mut self, class: usize, state: &Letter, letter: &Letter) -> Option<LocalMove> {
        let (is_one, is_all) = self.reaches(class, letter);
        let mut whole = state.clone();
        whole.extend(letter.iter());
        whole.insert(self.layout.reach[0][0]);
        let (step, store) = (self.step(class), &self.arena.store);
        let to = if store.contains(step.bad, &whole) {
            None
        } else {
            let mut next = state.clone();
            for (&bit, &guard) in
                step.next.iter().filter(|(bit, _)| self.layout.kinds[**bit] == VariableKind::State)
            {
                if store.contains(guard, &whole) {
                    next.insert(bit);
                } else {
                    next.remove(bit);
                }
            }
            Some(self.number(next)?)
        };
        Some(LocalMove { letter: (class, letter.iter().collect()), to, is_one, is_all })
    }
    /// Whether a letter may reach one copy, and whether it may reach all of them: as the tables bind its atoms.
    fn reaches(&self, class: usize, letter: &Letter) -> (bool, bool) {
        let class = self.classes[class];
        let (mut is_one, mut is_all) = (false, true);
        let mut add = |binding: TableBinding| {
            is_one |= binding.is_apart();
            is_all &= binding.is_for_all();
        };
        for (&atom, var) in self.atoms.iter().zip(&self.layout.letter) {
            let Some(var) = *var else { continue };
            let is_agents = self.roles.is_agents(atom);
            let holds = match (class, atom) {
                (LetterClass::Call(call), LawAtom::Call(_)) => var == call,
                (LetterClass::Outcome(id), LawAtom::Result(own, _)) => own == id && letter.contains(var),
                (_, LawAtom::Call(_) | LawAtom::Result(..)) => false,
                (LetterClass::Call(_), _) => is_agents && letter.contains(var),
                _ => !is_agents && letter.contains(var),
            };
            if holds {
                add(self.roles.of_atom(0, atom));
            }
        }
        let is_call = matches!(class, LetterClass::Call(_));
        if !is_call && self.layout.blank.is_some_and(|blank| letter.contains(blank)) {
            let bindings = self.layout.blank_atoms.iter().map(|&atom| self.roles.of_atom(0, atom));
            let for_all = TableBinding { none: true, ..TableBinding::default() };
            add(bindings.reduce(TableBinding::or).unwrap_or(for_all));
        }
        (is_one, is_all)
    }
    /// The steps from a set of states.
    fn set_moves(&self, set: u128) -> SetMoves {
        let mut moves = SetMoves::default();
        let members: Vec<usize> = (0..self.states.len()).filter(|state| set >> state & 1 == 1).collect();
        let is_call = |class: usize| class >= self.arena.worlds.len();
        for &state in &members {
            for own in self.moves[state].iter().filter(|own| own.is_one) {
                let targets =
                    own.to.map(|to| (set | 1_u128 << to, (set & !(1_u128 << state)) | 1_u128 << to));
                let is_sure = !own.is_all;
                match (is_call(own.letter.0), targets) {
                    (true, Some((more, moved))) if is_sure => moves.calls.push((vec![more, moved], moved)),
                    (true, _) => {}
                    (false, None) => moves.is_bad = true,
                    (false, Some((more, moved))) => {
                        moves.world.extend([more, moved]);
                        moves.world_may.extend(is_sure.then_some(moved));
                    }
                }
            }
        }
        let Some((first, rest)) = members.split_first() else { return moves };
        for own in self.moves[*first].iter().filter(|own| own.is_all) {
            let of = |state: &usize| self.moves[*state].iter().find(|other| other.letter == own.letter);
            let Some(all) = rest.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
            let to = std::iter::once(own).chain(all).map(|own| own.to);
            let image = to.map(|to| Some(1_u128 << to?)).try_fold(0, |image, to| Some(image | to?));
            let is_sure = !own.is_one;
            match (is_call(own.letter.0), image) {
                (true, Some(image)) if is_sure => moves.calls.push((vec![image], image)),
                (true, _) => {}
                (false, None) => moves.is_bad = true,
                (false, Some(image)) => {
                    moves.world.push(image);
                    moves.world_may.extend(is_sure.then_some(image));
                }
            }
        }
        moves
    }
    /// Judges all sets that are reached from one; `false` if there are too many.
    fn solve(&mut self, set: u128, budget: &Budget) -> Result<bool, Limit> {
        let (mut sets, mut numbers) = (vec![set], FxHashMap::from_iter([(set, 0)]));
        let mut all: Vec<SetMoves> = Vec::new();
        while all.len() < sets.len() {
            budget.tick(self.states.len() as u64, || "the sets of states of copies of laws".into())?;
            let moves = self.set_moves(sets[all.len()]);
            let targets = moves.world.iter().chain(moves.calls.iter().flat_map(|(answers, _)| answers));
            for &target in targets {
                numbers.entry(target).or_insert_with(|| {
                    sets.push(target);
                    sets.len() - 1
                });
            }
            if sets.len() > SETS {
                return Ok(false);
            }
            all.push(moves);
        }
        let accepted: Vec<bool> = sets.iter().map(|&set| self.is_accepted(set)).collect();
        let closed = closed_sets(&all, &accepted, &numbers, self.arena.idle, budget)?;
        self.closed.extend(sets.into_iter().zip(closed));
        Ok(true)
    }
    /// Whether all laws are kept if the run ends in a set of states.
    fn is_accepted(&self, set: u128) -> bool {
        let accepts =
            |bits: &Bits| self.arena.store.contains(self.arena.end, &bits.iter().copied().collect());
        self.states.iter().enumerate().all(|(state, bits)| set >> state & 1 == 0 || accepts(bits))
    }
}

/// The sets that stay winning whatever the world does.
fn closed_sets(
    moves: &[SetMoves],
    accepted: &[bool],
    numbers: &FxHashMap<u128, usize>,
    is_idle: bool,
    budget: &Budget,
) -> Result<Vec<bool>, Limit> {
    let mut winning = vec![true; moves.len()];
    loop {
        let mut closed = winning.clone();
        let among = |sets: &[bool], set: &u128| sets[numbers[set]];
        loop {
            let leaves = |&at: &usize| {
                closed[at] && (moves[at].is_bad || !moves[at].world.iter().all(|set| among(&closed, set)))
            };
            let left: Vec<usize> = (0..moves.len()).filter(leaves).collect();
            if left.is_empty() {
                break;
            }
            for at in left {
                closed[at] = false;
            }
        }
        let mut reached: Vec<bool> = accepted.iter().zip(&winning).map(|(a, b)| *a && *b).collect();
        let mut hopeful: Vec<bool> = reached.iter().zip(&closed).map(|(a, b)| *a && *b).collect();
        loop {
            budget.tick(moves.len() as u64, || "the sets of states of copies of laws".into())?;
            let before = (reached.clone(), hopeful.clone());
            for (at, own) in moves.iter().enumerate().filter(|&(at, _)| winning[at]) {
                let is_hopeful =
                    closed[at] && (reached[at] || own.world_may.iter().any(|set| among(&hopeful, set)));
                hopeful[at] |= is_hopeful;
                let leads = |(answers, to): &(Vec<u128>, u128)| {
                    answers.iter().all(|set| among(&closed, set)) && among(&hopeful, to)
                };
                reached[at] |= own.calls.iter().any(leads) || is_idle && hopeful[at];
            }
            if before == (reached.clone(), hopeful.clone()) {
                break;
            }
        }
        if reached == winning {
            return Ok(closed);
        }
        winning = reached;
    }
}
