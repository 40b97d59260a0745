//! The two kinds of steps of the game: letters of the world, and choices of the agent with the answers of the world.

use super::functions::{Advance, FunctionBuilder, Values, tick};
use super::layout::{GameLayout, Turns, VariableKind};
use crate::language::LawAtom;
use rustc_hash::FxHashMap;
use tsl_synth_core::base::{Budget, Id, IdVec, Limit};
use tsl_synth_core::logic::{BitId, Guard, Guards};

/// A step: the agent chooses some variables, and then the world others.
#[derive(Clone, Debug)]
pub(super) struct GameStep {
    /// The variables that the agent chooses; none in steps of the world.
    pub choice: IdVec<BitId, bool>,
    /// The variables that the world chooses after that.
    pub answer: IdVec<BitId, bool>,
    /// The choices that the agent has.
    pub choosable: Guard,
    /// The answers that the world has.
    pub legal: Guard,
    /// Steps that violate a law which the agent keeps.
    pub bad: Guard,
    /// The variables of the next position; `None` for unchanged ones.
    pub next: IdVec<BitId, Option<Guard>>,
    /// The computed propositions, with the conditions under which they hold in the letter.
    pub computed: Vec<(BitId, Guard)>,
    done: FxHashMap<Guard, Guard>,
}

/// A game without its solution.
#[derive(Clone, Debug)]
pub(super) struct PolicyArena {
    pub store: Guards,
    counted: usize,
    /// Letters of the world alone; `None` if the world only answers calls.
    pub world: Option<GameStep>,
    /// Letters of the agent, with the answer of the world.
    pub call: GameStep,
    /// Positions in which every law that the agent keeps is kept if the run ends.
    pub end: Guard,
    /// Whether the agent may do nothing.
    pub idle: bool,
}

impl GameStep {
    fn new(
        choice: IdVec<BitId, bool>,
        answer: IdVec<BitId, bool>,
        [choosable, legal, bad]: [Guard; 3],
        advance: Advance,
    ) -> Self {
        let Advance { next, computed, .. } = advance;
        Self { choice, answer, choosable, legal, bad, next, computed, done: FxHashMap::default() }
    }
    /// The steps that lead to a set of positions without violating a law.
    pub(super) fn before(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        let next = &self.next;
        let steps = store.compose(positions, &|bit| next[bit], &mut self.done);
        store.minus(steps, self.bad)
    }
    /// The choices after which all answers lead to a set of positions and there is an answer.
    pub(super) fn safe_choices(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        let good = self.before(store, positions);
        let possible = store.and(self.choosable, self.legal);
        let wrong = store.minus(possible, good);
        let wrong = store.exists(wrong, &|bit| self.answer[bit]);
        let choices = store.exists(possible, &|bit| self.answer[bit]);
        store.minus(choices, wrong)
    }
    /// The choices after which some answer leads to a set of positions.
    pub(super) fn hopeful_choices(&mut self, store: &mut Guards, positions: Guard) -> Guard {
        let good = self.before(store, positions);
        let possible = store.and(self.choosable, self.legal);
        let good = store.and(possible, good);
        store.exists(good, &|bit| self.answer[bit])
    }
    /// The positions in which the agent has one of these choices.
    pub(super) fn choose(&self, store: &mut Guards, choices: Guard) -> Guard {
        store.exists(choices, &|bit| self.choice[bit])
    }
}

fn variables(layout: &GameLayout, chosen: impl Fn(BitId, VariableKind) -> bool) -> IdVec<BitId, bool> {
    layout.kinds.enumerate().map(|(bit, &kind)| chosen(bit, kind)).collect()
}

/// Builds the steps of a game.
///
/// # Errors
/// The budget.
pub(super) fn build(mut maker: FunctionBuilder<'_>, idle: bool) -> Result<PolicyArena, Limit> {
    let layout = maker.layout;
    let (world, call, end) = match layout.turns {
        Turns::Apart => apart(&mut maker)?,
        Turns::CallFirst => call_first(&mut maker)?,
        Turns::TruthsFirst => truths_first(&mut maker)?,
    };
    maker.tick()?;
    Ok(PolicyArena { store: maker.store, counted: maker.counted, world, call, end, idle })
}

fn apart(maker: &mut FunctionBuilder<'_>) -> Result<(Option<GameStep>, GameStep, Guard), Limit> {
    let layout = maker.layout;
    let values = maker.values(true);
    let mut advance = maker.advance(&values)?;
    let unfounded = maker.pend(&values, &values, &mut advance)?;
    let (consistent, framed, bound) =
        (maker.consistent(&values, true)?, maker.framed(&values)?, maker.bound(&values)?);
    let (no_agent, no_world) = (maker.nothing_of_agent(&values), maker.nothing_of_world(&values));
    let one_call = maker.one_call(&values);
    let mut worlds = advance.clone();
    let broken = maker.rule_out(&advance.broken, &mut worlds);
    let (bad, worlds_bad) = (maker.bad(&advance), maker.bad(&worlds));
    let store = &mut maker.store;
    let mut both = store.and(consistent, framed);
    both = store.and(both, bound);
    let mut legal = store.and(both, no_agent);
    for illegal in [no_world, unfounded, broken] {
        legal = store.minus(legal, illegal);
    }
    let mut choosable = store.and(both, no_world);
    choosable = store.and(choosable, one_call);
    let none = variables(layout, |_, _| false);
    let letter = variables(layout, |_, kind| kind == VariableKind::Letter);
    let chance = variables(layout, |_, kind| kind == VariableKind::Chance);
    let answer = variables(layout, |_, kind| kind != VariableKind::State);
    let world = GameStep::new(none, answer, [Guard::TRUE, legal, worlds_bad], worlds);
    let call = GameStep::new(letter, chance, [choosable, Guard::TRUE, bad], advance);
    let end = maker.accepting()?;
    Ok((Some(world), call, end))
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

fn call_first(maker: &mut FunctionBuilder<'_>) -> Result<(Option<GameStep>, GameStep, Guard), Limit> {
    let layout = maker.layout;
    let values = maker.values(true);
    let mut advance = maker.advance(&values)?;
    let unfounded = maker.pend(&values, &values, &mut advance)?;
    for &(id, bit) in &layout.memory {
        let at = maker.compiled.policy.atoms.bit(LawAtom::Proposition(id));
        advance.next[bit] = Some(values[at.index()]);
    }
    let (consistent, framed) = (maker.consistent(&values, false)?, maker.framed(&values)?);
    let choosable = maker.one_call(&values);
    let broken = advance.broken.clone();
    let broken = maker.rule_out(&broken, &mut advance);
    let bad = maker.bad(&advance);
    let store = &mut maker.store;
    let mut legal = store.and(consistent, framed);
    for illegal in [unfounded, broken] {
        legal = store.minus(legal, illegal);
    }
    let choice = agents(maker);
    let answer = variables(layout, |bit, kind| kind != VariableKind::State && !choice[bit]);
    let call = GameStep::new(choice, answer, [choosable, legal, bad], advance);
    let end = maker.accepting()?;
    Ok((None, call, end))
}

fn truths_first(maker: &mut FunctionBuilder<'_>) -> Result<(Option<GameStep>, GameStep, Guard), Limit> {
    let layout = maker.layout;
    let choice = agents(maker);
    // The agent's call completes the letter.
    let values = maker.values(true);
    let nothing: Values = vec![Guard::FALSE; values.len()];
    let mut advance = maker.advance(&values)?;
    maker.pend(&values, &nothing, &mut advance)?;
    for &(_, state) in &layout.truths {
        advance.next[state] = Some(Guard::FALSE);
    }
    let (consistent, framed) = (maker.consistent(&values, false)?, maker.framed(&values)?);
    let one_call = maker.one_call(&values);
    let mut choosable = maker.store.and(one_call, consistent);
    choosable = maker.store.and(choosable, framed);
    let chance = variables(layout, |_, kind| kind == VariableKind::Chance);
    let bad = maker.bad(&advance);
    let call = GameStep::new(choice.clone(), chance, [choosable, Guard::TRUE, bad], advance);
    // At the end, truths that are not yet part of a letter form the last one.
    let reported = maker.values(false);
    let last = maker.advance(&reported)?;
    let accepting = maker.accepting()?;
    let bad = maker.bad(&last);
    let store = &mut maker.store;
    let after = store.compose(accepting, &|bit| last.next[bit], &mut FxHashMap::default());
    let after = store.minus(after, bad);
    let mut is_empty = Guard::TRUE;
    for &(_, state) in &layout.truths {
        let absent = store.literal(state, false);
        is_empty = store.and(is_empty, absent);
    }
    let end = store.ite(is_empty, accepting, after);
    // Truths of the world accumulate.
    let mut gathers = Advance {
        next: layout.kinds.iter().map(|_| None).collect(),
        bad: vec![Guard::FALSE; layout.tracks],
        broken: Vec::new(),
        computed: Vec::new(),
    };
    let atoms = &maker.compiled.policy.atoms;
    let mut news = nothing.clone();
    for (at, var) in layout.letter.iter().enumerate() {
        let Some(var) = var.filter(|&var| !choice[var]) else { continue };
        news[at] = maker.store.bit(var);
    }
    for (at, &own) in news.iter().enumerate() {
        let Some(&(_, state)) = layout.truths.iter().find(|(var, _)| Some(*var) == layout.letter[at]) else {
            continue;
        };
        let opposite = match atoms.atom(BitId::from_index(at)) {
            LawAtom::Proposition(id) => news[atoms.bit(LawAtom::Clear(id)).index()],
            LawAtom::Clear(id) => news[atoms.bit(LawAtom::Proposition(id)).index()],
            _ => Guard::FALSE,
        };
        let old = maker.store.bit(state);
        let stays = maker.store.minus(old, opposite);
        gathers.next[state] = Some(maker.store.or(own, stays));
    }
    if let Some(blank) = layout.blank
        && let Some(&(_, state)) = layout.truths.iter().find(|(var, _)| *var == blank)
    {
        let (own, old) = (maker.store.bit(blank), maker.store.bit(state));
        gathers.next[state] = Some(maker.store.or(own, old));
    }
    let unfounded = maker.pend(&nothing, &news, &mut gathers)?;
    let news_consistent = maker.consistent(&news, false)?;
    let (is_consistent, is_framed) = (maker.consistent(&reported, false)?, maker.framed(&reported)?);
    let no_world = maker.nothing_of_world(&news);
    // A second outcome of an action in the accumulated letter.
    let mut twice = Guard::FALSE;
    for &(var, state) in &layout.truths {
        let is_outcome = layout
            .letter
            .iter()
            .position(|own| *own == Some(var))
            .is_some_and(|at| matches!(atoms.atom(BitId::from_index(at)), LawAtom::Result(..)));
        if is_outcome {
            let (own, old) = (maker.store.bit(var), maker.store.bit(state));
            let again = maker.store.and(own, old);
            twice = maker.store.or(twice, again);
        }
    }
    // The steps after which the accumulated letter breaks an `assume` law.
    let mut broken = Vec::new();
    for &own in &last.broken {
        broken.push(maker.store.compose(own, &|bit| gathers.next[bit], &mut FxHashMap::default()));
    }
    let broken = maker.rule_out(&broken, &mut gathers);
    let store = &mut maker.store;
    let to_be = store.and(is_consistent, is_framed);
    let to_be = store.compose(to_be, &|bit| gathers.next[bit], &mut FxHashMap::default());
    let mut legal = store.and(news_consistent, to_be);
    for illegal in [unfounded, no_world, twice, broken] {
        legal = store.minus(legal, illegal);
    }
    let none = variables(layout, |_, _| false);
    let answer = variables(layout, |bit, kind| kind != VariableKind::State && !choice[bit]);
    let world = GameStep::new(none, answer, [Guard::TRUE, legal, Guard::FALSE], gathers);
    Ok((Some(world), call, end))
}

impl PolicyArena {
    /// Counts the growth of the store.
    ///
    /// # Errors
    /// The budget, or a full store.
    pub(super) fn tick(&mut self, budget: &Budget) -> Result<(), Limit> {
        tick(&self.store, &mut self.counted, budget)
    }
    /// The steps of the world that lead to a set of positions without violating a law.
    pub(super) fn world_before(&mut self, positions: Guard) -> Guard {
        let Self { world, store, .. } = self;
        let Some(world) = world else { return Guard::FALSE };
        let good = world.before(store, positions);
        store.and(world.legal, good)
    }
    /// The positions from which some letter of the world leads to a set of positions.
    pub(super) fn world_some(&mut self, positions: Guard) -> Guard {
        let good = self.world_before(positions);
        let Self { world, store, .. } = self;
        let Some(world) = world else { return Guard::FALSE };
        store.exists(good, &|bit| world.answer[bit])
    }
    /// The positions from which every letter of the world leads to a set of positions.
    pub(super) fn world_all(&mut self, positions: Guard) -> Guard {
        let good = self.world_before(positions);
        let Self { world, store, .. } = self;
        let Some(world) = world else { return Guard::TRUE };
        let wrong = store.minus(world.legal, good);
        let wrong = store.exists(wrong, &|bit| world.answer[bit]);
        store.not(wrong)
    }
    /// The positions of a set that stay in it whatever the world does.
    ///
    /// # Errors
    /// The budget.
    pub(super) fn closed(&mut self, positions: Guard, budget: &Budget) -> Result<Guard, Limit> {
        let mut closed = positions;
        loop {
            let all = self.world_all(closed);
            let next = self.store.and(closed, all);
            self.tick(budget)?;
            if next == closed {
                return Ok(closed);
            }
            closed = next;
        }
    }
}
