//! The steps of the game, one for each class of letters: letters of the world, and choices of the agent with the answers
//! of the world.

use super::functions::{Advance, CommonEffect, FunctionBuilder, LetterClass, Values, tick};
use super::layout::{GameLayout, Turns, VariableKind};
use crate::language::LawAtom;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{BitId, Guard, Guards};

/// The variables that the players choose in a step.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// The variables that the agent chooses; none in steps of the world.
    pub choice: IdVec<BitId, bool>,
    /// The variables that the world chooses after that.
    pub answer: IdVec<BitId, bool>,
}

/// A step with letters of one class: the agent chooses some variables, and then the world others.
#[derive(Clone, Debug)]
pub(super) struct GameStep {
    /// The variable of the call that the letters have; `None` for letters of the world.
    pub call: Option<BitId>,
    /// The variables that the players choose.
    pub chosen: Arc<Chosen>,
    /// The choices that the agent has.
    pub choosable: Guard,
    /// The answers that the world has.
    pub legal: Guard,
    /// Steps that violate a law which the agent keeps.
    pub bad: Guard,
    /// For each law that some step violates, by its index in the layout, the steps that violate it.
    lost: Vec<(usize, Guard)>,
    /// The variables of the next position that may change.
    pub next: FxHashMap<BitId, Guard>,
    /// The lowest of them.
    lowest: Option<BitId>,
    /// The computed propositions, with the conditions under which they hold in the letter.
    pub computed: Vec<(BitId, Guard)>,
    done: FxHashMap<Guard, Guard>,
}

/// A game without its solution.
#[derive(Clone, Debug)]
pub(super) struct PolicyArena {
    pub store: Guards,
    counted: usize,
    /// The number of nodes that were created and have been removed again.
    dropped: usize,
    /// Letters of the world alone; none if the world only answers calls.
    pub worlds: Vec<GameStep>,
    /// Letters of the agent, with the answer of the world.
    pub calls: Vec<GameStep>,
    /// Positions in which every law that the agent keeps is kept if the run ends.
    pub end: Guard,
    /// For each law, by its index in the layout, the positions in which it is kept if the run ends; empty where laws
    /// cannot be separated.
    ends: Vec<(usize, Guard)>,
    /// Whether the agent may do nothing.
    pub idle: bool,
    /// The variables of the states of laws.
    pub law_bits: IdVec<BitId, bool>,
}

impl GameStep {
    fn new(
        call: Option<BitId>,
        chosen: &Arc<Chosen>,
        [choosable, legal, bad]: [Guard; 3],
        advance: Advance,
    ) -> Self {
        let Advance { next, computed, lost, .. } = advance;
        let (chosen, lowest) = (chosen.clone(), next.keys().max().copied());
        Self { call, chosen, choosable, legal, bad, lost, next, lowest, computed, done: FxHashMap::default() }
    }
    /// Whether the step changes nothing and violates nothing.
    pub(super) fn is_idle(&self) -> bool {
        self.next.is_empty() && self.bad == Guard::FALSE
    }
    /// The steps that lead to a set of positions without violating a law.
    pub(super) fn before(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        let next = &self.next;
        let steps = match self.lowest {
            Some(lowest) => {
                store.compose_down_to(positions, lowest, &|bit| next.get(&bit).copied(), &mut self.done)
            }
            None => positions,
        };
        store.minus(steps, self.bad)
    }
    /// The choices after which all answers lead to a set of positions and there is an answer.
    pub(super) fn safe_choices(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        let good = self.before(store, positions);
        let possible = store.and(self.choosable, self.legal);
        let wrong = store.minus(possible, good);
        let wrong = store.exists(wrong, &|bit| self.chosen.answer[bit]);
        let choices = store.exists(possible, &|bit| self.chosen.answer[bit]);
        store.minus(choices, wrong)
    }
    /// The choices after which some answer leads to a set of positions.
    pub(super) fn hopeful_choices(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        let good = self.before(store, positions);
        let possible = store.and(self.choosable, self.legal);
        let good = store.and(possible, good);
        store.exists(good, &|bit| self.chosen.answer[bit])
    }
    /// The positions in which the agent has one of these choices.
    pub(super) fn choose(&self, store: &mut Guards, choices: Guard) -> Guard {
        store.exists(choices, &|bit| self.chosen.choice[bit])
    }
    /// The letters of the world that lead to a set of positions without violating a law.
    pub(super) fn world_before(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        let good = self.before(store, positions);
        store.and(self.legal, good)
    }
    /// The positions from which some letter of the world leads to a set of positions.
    pub(super) fn world_some(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        if self.is_idle() {
            return positions;
        }
        let good = self.world_before(store, positions);
        store.exists(good, &|bit| self.chosen.answer[bit])
    }
    /// The positions from which every letter of the world leads to a set of positions.
    pub(super) fn world_all(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        if self.is_idle() {
            return Guard::TRUE;
        }
        let good = self.world_before(store, positions);
        let wrong = store.minus(self.legal, good);
        let wrong = store.exists(wrong, &|bit| self.chosen.answer[bit]);
        store.not(wrong)
    }
}

fn variables(layout: &GameLayout, chosen: impl Fn(BitId, VariableKind) -> bool) -> IdVec<BitId, bool> {
    layout.kinds.enumerate().map(|(bit, &kind)| chosen(bit, kind)).collect()
}

/// The variables of calls, each once, in order.
fn calls(maker: &FunctionBuilder<'_>) -> Vec<BitId> {
    let atoms = &maker.compiled.policy.atoms;
    let of = |id| maker.layout.letter[atoms.bit(LawAtom::Call(id)).index()];
    let mut calls: Vec<BitId> = atoms.actions.ids().filter_map(of).collect();
    calls.sort_unstable();
    calls.dedup();
    calls
}

/// Builds the steps of a game.
///
/// # Errors
/// The budget.
pub(super) fn build(mut maker: FunctionBuilder<'_>, idle: bool) -> Result<PolicyArena, Limit> {
    let (worlds, calls, end) = match maker.layout.turns {
        Turns::Apart => apart(&mut maker)?,
        Turns::CallFirst => call_first(&mut maker)?,
        Turns::TruthsFirst => truths_first(&mut maker)?,
    };
    let layout = maker.layout;
    // Elsewhere, whether a law is kept does not depend on its own state alone.
    let is_separable = layout.turns == Turns::Apart && layout.ruled_out.is_empty();
    let ends = if is_separable { maker.accepting_each() } else { Vec::new() };
    maker.tick()?;
    let mut law_bits = variables(layout, |_, _| false);
    for &bit in layout.instances.iter().flat_map(|own| &own.bits) {
        law_bits[bit] = true;
    }
    let (store, counted) = (maker.store, maker.counted);
    Ok(PolicyArena { store, counted, dropped: 0, worlds, calls, end, ends, idle, law_bits })
}

/// The steps of the world, those of the agent, and the positions in which the end is accepted.
type Steps = (Vec<GameStep>, Vec<GameStep>, Guard);

fn apart(maker: &mut FunctionBuilder<'_>) -> Result<Steps, Limit> {
    let layout = maker.layout;
    let none = variables(layout, |_, _| false);
    let letter = variables(layout, |_, kind| kind == VariableKind::Letter);
    let chance = variables(layout, |_, kind| kind == VariableKind::Chance);
    let answer = variables(layout, |_, kind| kind != VariableKind::State);
    let values = maker.values(false);
    let common = maker.common(values)?;
    let chosen = Arc::new(Chosen { choice: none, answer });
    let mut worlds = vec![world_step(maker, LetterClass::World, &common, &chosen)?];
    let actions = maker.compiled.policy.atoms.actions.ids();
    for id in actions.filter(|&id| layout.slots_of(id).next().is_some()) {
        worlds.push(world_step(maker, LetterClass::Outcome(id), &common, &chosen)?);
    }
    let values = maker.values(true);
    let common = maker.common(values)?;
    let chosen = Arc::new(Chosen { choice: letter, answer: chance });
    let (nothing, mut steps) = (maker.nothing(), Vec::new());
    for call in calls(maker) {
        let (values, mut advance) = maker.advance(LetterClass::Call(call), &common)?;
        maker.pend(&values, &nothing, &mut advance)?;
        let choosable = legal_letters(maker, &values)?;
        let bad = maker.bad(&advance);
        steps.push(GameStep::new(Some(call), &chosen, [choosable, Guard::TRUE, bad], advance));
        maker.tick()?;
    }
    Ok((worlds, steps, maker.accepting()?))
}

/// The consistent letters that respect declared effects and the tables that bind values.
fn legal_letters(maker: &mut FunctionBuilder<'_>, values: &Values) -> Result<Guard, Limit> {
    let parts = [maker.consistent(values)?, maker.framed(values)?, maker.bound(values)?];
    Ok(parts.into_iter().fold(Guard::TRUE, |all, part| maker.store.and(all, part)))
}

/// The letters of the world of one class.
fn world_step(
    maker: &mut FunctionBuilder<'_>,
    class: LetterClass,
    common: &CommonEffect,
    chosen: &Arc<Chosen>,
) -> Result<GameStep, Limit> {
    let (values, mut advance) = maker.advance(class, common)?;
    let nothing = maker.nothing();
    let unfounded = maker.pend(&nothing, &values, &mut advance)?;
    let mut legal = legal_letters(maker, &values)?;
    let empty = match class {
        LetterClass::Outcome(id) => {
            let ends = maker.ends(&values, id);
            maker.store.not(ends)
        }
        _ => maker.nothing_of_world(&values),
    };
    let broken = advance.broken.clone();
    let broken = maker.rule_out(&broken, &mut advance);
    let bad = maker.bad(&advance);
    for illegal in [empty, unfounded, broken] {
        legal = maker.store.minus(legal, illegal);
    }
    maker.tick()?;
    Ok(GameStep::new(None, chosen, [Guard::TRUE, legal, bad], advance))
}

/// The variables that the agent chooses.
fn agents(maker: &FunctionBuilder<'_>) -> IdVec<BitId, bool> {
    let atoms = &maker.compiled.policy.atoms;
    let mut own = variables(maker.layout, |_, _| false);
    for (at, var) in maker.layout.letter.iter().enumerate() {
        if let Some(var) = var
            && maker.roles.is_agents(atoms.atom(BitId::from_index(at)))
        {
            own[*var] = true;
        }
    }
    own
}

fn call_first(maker: &mut FunctionBuilder<'_>) -> Result<Steps, Limit> {
    let layout = maker.layout;
    let choice = agents(maker);
    let answer = variables(layout, |bit, kind| kind != VariableKind::State && !choice[bit]);
    let chosen = Arc::new(Chosen { choice, answer });
    let values = maker.values(true);
    let common = maker.common(values)?;
    let mut steps = Vec::new();
    for call in calls(maker) {
        let (values, mut advance) = maker.advance(LetterClass::Call(call), &common)?;
        let unfounded = maker.pend(&values, &values, &mut advance)?;
        for &(id, bit) in &layout.memory {
            let at = maker.compiled.policy.atoms.bit(LawAtom::Proposition(id));
            advance.next.insert(bit, values.bits[at.index()]);
        }
        let (consistent, framed) = (maker.consistent(&values)?, maker.framed(&values)?);
        let broken = advance.broken.clone();
        let broken = maker.rule_out(&broken, &mut advance);
        let bad = maker.bad(&advance);
        let mut legal = maker.store.and(consistent, framed);
        for illegal in [unfounded, broken] {
            legal = maker.store.minus(legal, illegal);
        }
        steps.push(GameStep::new(Some(call), &chosen, [Guard::TRUE, legal, bad], advance));
        maker.tick()?;
    }
    Ok((Vec::new(), steps, maker.accepting()?))
}

fn truths_first(maker: &mut FunctionBuilder<'_>) -> Result<Steps, Limit> {
    let layout = maker.layout;
    let choice = agents(maker);
    let chance = variables(layout, |_, kind| kind == VariableKind::Chance);
    // The agent's call completes the letter.
    let values = maker.values(true);
    let common = maker.common(values)?;
    let chosen = Arc::new(Chosen { choice: choice.clone(), answer: chance });
    let (nothing, mut steps) = (maker.nothing(), Vec::new());
    for call in calls(maker) {
        let (values, mut advance) = maker.advance(LetterClass::Call(call), &common)?;
        maker.pend(&values, &nothing, &mut advance)?;
        for &(_, state) in &layout.truths {
            advance.next.insert(state, Guard::FALSE);
        }
        let (consistent, framed) = (maker.consistent(&values)?, maker.framed(&values)?);
        let choosable = maker.store.and(consistent, framed);
        let bad = maker.bad(&advance);
        steps.push(GameStep::new(Some(call), &chosen, [choosable, Guard::TRUE, bad], advance));
        maker.tick()?;
    }
    // At the end, truths that are not yet part of a letter form the last one.
    let reported = maker.values(false);
    let common = maker.common(reported)?;
    let (reported, last) = maker.advance(LetterClass::World, &common)?;
    let end = end_after(maker, &last)?;
    let world = gathering(maker, &choice, &reported, &last)?;
    Ok((vec![world], steps, end))
}

/// The positions in which the end is accepted, if truths that are not yet part of a letter form the last one.
fn end_after(maker: &mut FunctionBuilder<'_>, last: &Advance) -> Result<Guard, Limit> {
    let accepting = maker.accepting()?;
    let bad = maker.bad(last);
    let (layout, store) = (maker.layout, &mut maker.store);
    let after = store.compose(accepting, &|bit| last.next.get(&bit).copied(), &mut FxHashMap::default());
    let after = store.minus(after, bad);
    let mut is_empty = Guard::TRUE;
    for &(_, state) in &layout.truths {
        let absent = store.literal(state, false);
        is_empty = store.and(is_empty, absent);
    }
    Ok(store.ite(is_empty, accepting, after))
}

/// The step in which truths of the world accumulate, given the accumulated letter and its effect.
fn gathering(
    maker: &mut FunctionBuilder<'_>,
    choice: &IdVec<BitId, bool>,
    reported: &Values,
    last: &Advance,
) -> Result<GameStep, Limit> {
    let layout = maker.layout;
    let nothing = maker.nothing();
    let mut gathers = Advance {
        next: FxHashMap::default(),
        bad: vec![Guard::FALSE; layout.tracks],
        lost: Vec::new(),
        broken: Vec::new(),
        computed: Vec::new(),
    };
    let atoms = &maker.compiled.policy.atoms;
    let mut news = nothing.clone();
    for (at, var) in layout.letter.iter().enumerate() {
        let Some(var) = var.filter(|&var| !choice[var]) else { continue };
        news.bits[at] = maker.store.bit(var);
    }
    news.blank = layout.blank.map_or(Guard::FALSE, |blank| maker.store.bit(blank));
    for (at, &own) in news.bits.iter().enumerate() {
        let Some(&(_, state)) = layout.truths.iter().find(|(var, _)| Some(*var) == layout.letter[at]) else {
            continue;
        };
        let opposite = match atoms.atom(BitId::from_index(at)) {
            LawAtom::Proposition(id) => news.bits[atoms.bit(LawAtom::Clear(id)).index()],
            LawAtom::Clear(id) => news.bits[atoms.bit(LawAtom::Proposition(id)).index()],
            _ => Guard::FALSE,
        };
        let old = maker.store.bit(state);
        let stays = maker.store.minus(old, opposite);
        gathers.next.insert(state, maker.store.or(own, stays));
    }
    if let Some(blank) = layout.blank
        && let Some(&(_, state)) = layout.truths.iter().find(|(var, _)| *var == blank)
    {
        let (own, old) = (maker.store.bit(blank), maker.store.bit(state));
        gathers.next.insert(state, maker.store.or(own, old));
    }
    let unfounded = maker.pend(&nothing, &news, &mut gathers)?;
    let news_consistent = maker.consistent(&news)?;
    let (is_consistent, is_framed) = (maker.consistent(reported)?, maker.framed(reported)?);
    let no_world = maker.nothing_of_world(&news);
    let twice = second_outcomes(maker);
    // The steps after which the accumulated letter breaks an `assume` law.
    let mut broken = Vec::new();
    for &own in &last.broken {
        let next = &gathers.next;
        broken.push(maker.store.compose(own, &|bit| next.get(&bit).copied(), &mut FxHashMap::default()));
    }
    let broken = maker.rule_out(&broken, &mut gathers);
    let store = &mut maker.store;
    let to_be = store.and(is_consistent, is_framed);
    let next = &gathers.next;
    let to_be = store.compose(to_be, &|bit| next.get(&bit).copied(), &mut FxHashMap::default());
    let mut legal = store.and(news_consistent, to_be);
    for illegal in [unfounded, no_world, twice, broken] {
        legal = store.minus(legal, illegal);
    }
    let none = variables(layout, |_, _| false);
    let answer = variables(layout, |bit, kind| kind != VariableKind::State && !choice[bit]);
    let chosen = Arc::new(Chosen { choice: none, answer });
    Ok(GameStep::new(None, &chosen, [Guard::TRUE, legal, Guard::FALSE], gathers))
}

/// The letters with an outcome of an action that the accumulated letter already has an outcome of.
fn second_outcomes(maker: &mut FunctionBuilder<'_>) -> Guard {
    let (layout, atoms) = (maker.layout, &maker.compiled.policy.atoms);
    let mut twice = Guard::FALSE;
    for &(var, state) in &layout.truths {
        let at = layout.letter.iter().position(|own| *own == Some(var));
        if at.is_some_and(|at| matches!(atoms.atom(BitId::from_index(at)), LawAtom::Result(..))) {
            let (own, old) = (maker.store.bit(var), maker.store.bit(state));
            let again = maker.store.and(own, old);
            twice = maker.store.or(twice, again);
        }
    }
    twice
}

impl PolicyArena {
    /// Counts the growth of the store.
    ///
    /// # Errors
    /// The budget, or a full store.
    pub(super) fn tick(&mut self, budget: &Budget) -> Result<(), Limit> {
        tick(&self.store, &mut self.counted, budget)
    }
    /// The number of nodes that were created so far, removed ones included.
    pub(super) fn made(&self) -> usize {
        self.dropped + self.store.node_count()
    }
    /// Garbage collection: removes the nodes that are reachable neither from the steps nor from `roots`, which are
    /// updated. All other guards are invalid afterwards.
    pub(super) fn collect<'a>(&'a mut self, mut roots: Vec<&'a mut Guard>) {
        let Self { store, worlds, calls, end, ends, .. } = self;
        let before = store.node_count();
        for step in worlds.iter_mut().chain(calls) {
            step.done.clear();
            roots.extend([&mut step.choosable, &mut step.legal, &mut step.bad]);
            roots.extend(step.lost.iter_mut().map(|(_, lost)| lost));
            roots.extend(step.next.values_mut());
            roots.extend(step.computed.iter_mut().map(|(_, holds)| holds));
        }
        roots.push(end);
        roots.extend(ends.iter_mut().map(|(_, own)| own));
        store.collect(&mut roots);
        self.counted = store.node_count();
        self.dropped += before - self.counted;
    }
    /// The laws that the agent keeps, by their indices in the layout: those that at most half of the calls can violate,
    /// and the others. None where laws cannot be separated.
    pub(super) fn kept(&self) -> [Vec<usize>; 2] {
        let mut calls: FxHashMap<usize, usize> = FxHashMap::default();
        for &(law, _) in self.calls.iter().flat_map(|call| &call.lost) {
            *calls.entry(law).or_default() += 1;
        }
        let few = |law: &usize| 2 * calls.get(law).copied().unwrap_or(0) <= self.calls.len();
        let (few, most) = self.ends.iter().rev().map(|&(law, _)| law).partition(few);
        [few, most]
    }
    /// Restricts the game to these laws; the others need not be kept.
    pub(super) fn keep(&mut self, laws: &[usize]) {
        let Self { store, worlds, calls, end, ends, .. } = self;
        let laws: FxHashSet<usize> = laws.iter().copied().collect();
        let is_kept = |&&(at, _): &&(usize, Guard)| laws.contains(&at);
        for step in worlds.iter_mut().chain(calls) {
            let own = step.lost.iter().filter(is_kept);
            step.bad = own.fold(Guard::FALSE, |all, &(_, lost)| store.or(lost, all));
        }
        *end = ends.iter().filter(is_kept).fold(Guard::TRUE, |all, &(_, own)| store.and(own, all));
    }
}
