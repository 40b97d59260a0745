//! The shortest way out of a position: letters of the agent and the world that lead to an accepted end.

use super::decide::Game;
use super::layout::Kind;
use super::position::{GameLetter, Position};
use crate::base::{Budget, Id, Limit};
use crate::logic::{BitId, Guard, Letter};
use crate::spec::policy::Atom;

/// A letter on the way to an accepted end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayStep {
    /// The letter; where truths accumulate before a call, only what is new.
    pub letter: GameLetter,
    /// Whether it has a call of the agent; else it is what the world may do.
    pub is_agents: bool,
}

impl Game {
    /// Layer `i` has the positions of the closed set from which at most `i` letters lead to an accepted end, each call being
    /// allowed. The last one has all of them.
    fn way_layers(&mut self, budget: &Budget) -> Result<&[Guard], Limit> {
        if self.layers.is_none() {
            let (arena, closed) = (&mut self.arena, self.solution.closed);
            let mut layers = vec![arena.store.and(arena.end, closed)];
            loop {
                let last = layers[layers.len() - 1];
                let world = arena.world_some(last);
                let calls = arena.call.hopeful_choices(&mut arena.store, last);
                let calls = arena.store.and(calls, self.allowed);
                let calls = arena.call.choose(&mut arena.store, calls);
                let mut next = arena.store.or(world, calls);
                next = arena.store.and(next, closed);
                next = arena.store.or(next, last);
                arena.tick(budget)?;
                if next == last {
                    break;
                }
                layers.push(next);
            }
            self.layers = Some(layers);
        }
        Ok(self.layers.as_deref().unwrap_or_default())
    }
    /// A letter that leads from a position to a set of positions, and whether it has a call.
    fn letter_to(&mut self, set: &Letter, to: Guard, idle: bool) -> Option<(Letter, bool)> {
        let allowed = self.allowed;
        let kinds = &self.layout.kinds;
        let known = |bit: BitId| (kinds[bit] == Kind::State).then(|| set.contains(bit));
        let arena = &mut self.arena;
        let good = arena.call.before(&mut arena.store, to);
        let calls = arena.store.and(allowed, arena.call.legal);
        let calls = arena.store.and(calls, good);
        let calls = arena.store.given(calls, &known);
        if let Some(letter) = arena.store.pick(calls) {
            return Some((letter, true));
        }
        if !idle {
            return None;
        }
        let world = arena.world_before(to);
        let world = arena.store.given(world, &known);
        arena.store.pick(world).map(|letter| (letter, false))
    }
    /// A letter of the game as one of the policy.
    fn decode(&self, set: &Letter, letter: &Letter, is_call: bool) -> GameLetter {
        let atoms = &self.stepping.compiled().policy.atoms;
        let all: Letter = set.iter().chain(letter.iter()).collect();
        let mut bits = Letter::new();
        let mut seen = Letter::new();
        for (at, var) in self.layout.letter.iter().enumerate() {
            if let Some(var) = var
                && letter.contains(*var)
                && seen.insert(*var)
            {
                bits.insert(BitId::from_index(at));
            }
        }
        if let Some(blank) = self.layout.blank
            && letter.contains(blank)
        {
            bits.extend(self.layout.blank_atoms.first().map(|&atom: &Atom| atoms.bit(atom)));
        }
        let step = if is_call { Some(&self.arena.call) } else { self.arena.world.as_ref() };
        for (bit, holds) in step.into_iter().flat_map(|step| &step.computed) {
            if self.arena.store.contains(*holds, &all) {
                bits.insert(*bit);
            }
        }
        let mask = |copies: &Vec<BitId>| {
            copies.iter().enumerate().fold(0, |mask, (i, &bit)| mask | u32::from(letter.contains(bit)) << i)
        };
        GameLetter { bits, reaches: self.layout.reach.iter().map(mask).collect() }
    }
    /// The position after a letter, as variables.
    fn step(&self, set: &Letter, letter: &Letter, is_call: bool) -> Letter {
        let all: Letter = set.iter().chain(letter.iter()).collect();
        let step = if is_call { Some(&self.arena.call) } else { self.arena.world.as_ref() };
        let Some(step) = step else { return set.clone() };
        let holds = |(bit, next): (BitId, &Option<Guard>)| {
            let holds = next.map_or_else(|| set.contains(bit), |next| self.arena.store.contains(next, &all));
            (holds && self.layout.kinds[bit] == Kind::State).then_some(bit)
        };
        step.next.enumerate().filter_map(holds).collect()
    }
    /// A shortest sequence of letters to an accepted end, in which every call is allowed and the world does what helps.
    /// Empty if the end is accepted here; `None` from positions that are not winning. Where several are shortest, calls come
    /// first.
    ///
    /// # Errors
    /// The budget, or the limit of nodes.
    pub fn way_out(&mut self, position: &Position, budget: &Budget) -> Result<Option<Vec<WayStep>>, Limit> {
        if !self.is_winning(position) {
            return Ok(None);
        }
        if self.is_end_accepted(position) {
            return Ok(Some(Vec::new()));
        }
        let layers = self.way_layers(budget)?.to_vec();
        let Some(mut set) = self.encode(position) else { return Ok(None) };
        let mut idle = self.arena.idle && self.is_closed(position);
        let mut way = Vec::new();
        // The first layer to which one letter leads; then down, a layer at each letter.
        let mut below = layers.len();
        while way.is_empty() || !self.arena.store.contains(layers[0], &set) {
            let found = (0..below).find_map(|i| Some((i, self.letter_to(&set, layers[i], idle)?)));
            self.arena.tick(budget)?;
            let Some((layer, (letter, is_call))) = found else { return Ok(None) };
            way.push(WayStep { letter: self.decode(&set, &letter, is_call), is_agents: is_call });
            set = self.step(&set, &letter, is_call);
            (below, idle) = (layer, true);
        }
        Ok(Some(way))
    }
}
