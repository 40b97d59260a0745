//! The game of laws with `for_each` for any number of values: positions are abstracted to the set of states in which there
//! are copies of the laws.
//!
//! A game of several copies has a position for each tuple of states. Here a position is the *set* of states that copies
//! are in, whatever their number. It is a sufficient condition: where the agent can keep the laws from a set, it can from
//! every family of copies whose states form this set.
//!
//! The local state of a copy is a position of the game of one copy. What the copies share, the states of laws without
//! values and of registers, is a part of it that is the same in all states of a set: a letter that reaches one copy changes
//! this part of all. A letter that reaches one copy in a state `q` and takes it to `t` may leave other copies in `q` or not,
//! so that it has two answers: the set with `t`, and the same without `q`. A letter that reaches all copies takes each state of the set to its
//! successor, if all of them permit the letter. Safety is about both answers. For the ways to an accepted end, a letter
//! that reaches one copy in `q` is sent to each of them, one after the other: all positions in between are the set with
//! `t`, from which the same letter has the same two answers, and the last one is the set without `q`, provided that the
//! letter changes the shared part no more when it comes again. So the winning sets
//! are those of the fixpoints in the module [`solve`](super::solve), over these steps (the abstraction of a family of
//! equal processes by the set of their states, as in German and Sistla 1992, "Reasoning about systems with many
//! processes").
//!
//! Where a table may bind a letter to one value or to none, the world may do either, and the agent may rely on neither.
//! Decided are parts of a policy with one list of bound values, in which each event is a letter of its own. Compared with games of several copies in `tests/it/policy_game/set_abstraction.rs`.

use super::arena::{self, GameStep, PolicyArena};
use super::decide::GameOptions;
use super::functions::{FunctionBuilder, LetterClass};
use super::layout::{GameLayout, Turns, VariableKind, lay_out};
use crate::CompiledPolicy;
use crate::language::{Ending, LawAtom};
use crate::roles::{Roles, TableBinding};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id, IdSet, Limit};
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
    /// The variables of positions that are of one copy.
    own: Letter,
    /// The parts of states that are of one copy, and those that all copies share.
    copies: LocalParts,
    shared: LocalParts,
    /// Each state by its parts; all pairs of parts are states.
    states: Vec<(usize, usize)>,
    numbers: FxHashMap<(usize, usize), usize>,
    /// For each class the variables of letters that matter in some state.
    tested: Vec<Letter>,
    /// For each state its letters; fewer than states while some were not explored.
    moves: Vec<Vec<LocalMove>>,
    /// The sets that were judged.
    closed: FxHashMap<u128, bool>,
}

/// The calls of a set of states: what the agent chooses and the state of the copy that the call reaches, `None` for all.
#[derive(Debug, Default)]
struct SetCalls(BTreeMap<((usize, Bits), Option<usize>), SetCall>);

/// The answers of the world to one call.
#[derive(Debug, Default)]
struct SetCall {
    /// Whether some answer violates a law.
    is_bad: bool,
    /// The sets to which answers may lead.
    answers: Vec<u128>,
    /// Those to which an answer leads when the call is made for one copy after the other.
    goals: Vec<u128>,
}

impl SetCalls {
    /// Adds an answer: the sets to which it may lead, and the one to which it leads; `None` if it violates a law.
    fn add(&mut self, call: ((usize, Bits), Option<usize>), targets: Option<(Vec<u128>, Option<u128>)>) {
        let own = self.0.entry(call).or_default();
        match targets {
            None => own.is_bad = true,
            Some((answers, goal)) => {
                own.answers.extend(answers);
                own.goals.extend(goal);
            }
        }
    }
    /// The calls that no answer of the world makes a violation, with each set to which they lead.
    fn moves(self) -> Vec<(Vec<u128>, u128)> {
        let good = self.0.into_values().filter(|call| !call.is_bad);
        good.flat_map(|call| call.goals.into_iter().map(move |goal| (call.answers.clone(), goal))).collect()
    }
}

/// Parts of states, with their numbers.
#[derive(Debug, Default)]
struct LocalParts {
    parts: Vec<Bits>,
    numbers: FxHashMap<Bits, usize>,
}

impl LocalParts {
    fn number(&mut self, part: Bits) -> usize {
        *self.numbers.entry(part).or_insert_with_key(|part| {
            self.parts.push(part.clone());
            self.parts.len() - 1
        })
    }
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
        let classes: Vec<LetterClass> =
            std::iter::once(LetterClass::World).chain(ending).chain(calls).collect();
        let atoms = &compiled.policy.atoms;
        let of_copies = layout.instances.iter().filter(|instance| instance.copy.is_some());
        let own = of_copies.flat_map(|instance| instance.bits.iter().copied());
        let own = own.chain(layout.slots.iter().flat_map(|slot| slot.bits.iter().copied())).collect();
        Ok(Some(Self {
            atoms: (0..atoms.bits()).map(|at| atoms.atom(BitId::from_index(at))).collect(),
            roles: compiled.roles.clone(),
            layout,
            arena,
            own,
            copies: LocalParts::default(),
            shared: LocalParts::default(),
            tested: vec![Letter::new(); classes.len()],
            classes,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            moves: Vec::new(),
            closed: FxHashMap::default(),
        }))
    }
    /// Whether it is shown that the agent can keep the laws whatever the world does, from every family of copies with
    /// these positions, each of any number of copies: the variables that are true in them in the game of one copy (see
    /// [`Game::variables`](super::Game::variables)). Each value with calls that have no outcome yet must have its copy among
    /// them, since an outcome may concern what all copies share. `false` if the question is too hard.
    ///
    /// # Errors
    /// The budget.
    pub fn is_closed(&mut self, positions: Vec<Letter>, budget: &Budget) -> Result<bool, Limit> {
        let mut set = 0;
        for state in positions {
            let Some(number) = self.number(state) else { return Ok(false) };
            set |= 1_u128 << number;
        }
        let mut shared = members(set).map(|state| self.states[state].1);
        if shared.next().is_none_or(|first| shared.any(|other| other != first)) {
            return Ok(false);
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
            state.extend(slot.bits.iter().copied());
        }
        let (copy, shared): (Bits, Bits) = state.iter().partition(|&bit| self.own.contains(bit));
        let parts = (self.copies.number(copy), self.shared.number(shared));
        if let Some(&number) = self.numbers.get(&parts) {
            return Some(number);
        }
        for copy in 0..self.copies.parts.len() {
            for shared in 0..self.shared.parts.len() {
                if self.numbers.contains_key(&(copy, shared)) {
                    continue;
                }
                if self.states.len() >= STATES {
                    return None;
                }
                self.numbers.insert((copy, shared), self.states.len());
                self.states.push((copy, shared));
            }
        }
        self.numbers.get(&parts).copied()
    }
    /// The variables that are true in a state.
    fn bits(&self, state: usize) -> Letter {
        let (copy, shared) = self.states[state];
        self.copies.parts[copy].iter().chain(&self.shared.parts[shared]).copied().collect()
    }
    /// The state of a copy after a letter that did not reach it, but another copy, which is in the state `to` then.
    fn beside(&self, state: usize, to: usize) -> usize {
        self.numbers[&(self.states[state].0, self.states[to].1)]
    }
    /// Determines the letters of all states that are reached; `false` if there are too many. All states have letters over
    /// the same variables, so that those of different states can be compared.
    fn explore(&mut self, budget: &Budget) -> Result<bool, Limit> {
        while self.moves.len() < self.states.len() {
            let state = self.bits(self.moves.len());
            let tested: usize = self.tested.iter().map(IdSet::len).sum();
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
            if tested < self.tested.iter().map(IdSet::len).sum() {
                self.moves.clear();
                self.closed.clear();
            }
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
        let tested = &mut self.tested[class];
        tested.extend(store.support(possible));
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
        let members: Vec<usize> = members(set).collect();
        let mut calls = SetCalls::default();
        for &state in &members {
            for own in self.moves[state].iter().filter(|own| own.is_one) {
                let targets = own.to.map(|to| self.after_one(&members, state, to, own));
                let call = self.call_of(own);
                match (call, targets) {
                    (None, None) => moves.is_bad = true,
                    (None, Some((answers, leads))) => {
                        moves.world.extend(answers);
                        moves.world_may.extend(leads.then_some(answers[1]));
                    }
                    (Some(call), targets) => {
                        let targets =
                            targets.map(|(answers, leads)| (answers.to_vec(), leads.then_some(answers[1])));
                        calls.add((call, Some(state)), targets);
                    }
                }
            }
        }
        let (first, rest) =
            members.split_first().map_or((None, &[][..]), |(first, rest)| (Some(*first), rest));
        for own in first.into_iter().flat_map(|first| &self.moves[first]).filter(|own| own.is_all) {
            let of = |state: &usize| self.moves[*state].iter().find(|other| other.letter == own.letter);
            let Some(all) = rest.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
            let to = std::iter::once(own).chain(all).map(|own| own.to);
            let image = to.map(|to| Some(1_u128 << to?)).try_fold(0, |image, to| Some(image | to?));
            let is_sure = !own.is_one;
            match (self.call_of(own), image) {
                (None, None) => moves.is_bad = true,
                (None, Some(image)) => {
                    moves.world.push(image);
                    moves.world_may.extend(is_sure.then_some(image));
                }
                (Some(call), image) => {
                    calls.add((call, None), image.map(|image| (vec![image], is_sure.then_some(image))));
                }
            }
        }
        moves.calls = calls.moves();
        moves
    }
    /// What the agent chooses in a letter; `None` if it is one of the world.
    fn call_of(&self, own: &LocalMove) -> Option<(usize, Bits)> {
        let (class, bits) = &own.letter;
        let answer = &self.step(*class).chosen.answer;
        let chosen = bits.iter().copied().filter(|&bit| !answer[bit]);
        (*class >= self.arena.worlds.len()).then(|| (*class, chosen.collect()))
    }
    /// The sets after a letter that took one copy from a state to another one: with copies that are left in the state, and
    /// without. The second value is whether the letter leads to the latter set when it is sent to each of these copies.
    fn after_one(&self, members: &[usize], state: usize, to: usize, own: &LocalMove) -> ([u128; 2], bool) {
        let others = members.iter().filter(|&&other| other != state);
        let moved = others.fold(1_u128 << to, |all, &other| all | 1_u128 << self.beside(other, to));
        let still = self.beside(state, to);
        let again = |next: &LocalMove| next.letter == own.letter && next.to == own.to;
        let leads = !own.is_all && self.moves[still].iter().any(again);
        ([moved | 1_u128 << still, moved], leads)
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
        members(set).all(|state| self.arena.store.contains(self.arena.end, &self.bits(state)))
    }
}

/// The states of a set.
fn members(set: u128) -> impl Iterator<Item = usize> {
    (0..STATES).filter(move |state| set >> state & 1 == 1)
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
