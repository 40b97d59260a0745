//! Shortest paths from a position to an accepted end, over letters of the agent and the world.

use super::decide::Game;
use super::layout::VariableKind;
use super::position::{GameLetter, PolicyPosition};
use super::solved::{LetterMoves, Ways};
use crate::language::LawAtom;
use tsl_synth_core::base::{Budget, Id, Limit};
use tsl_synth_core::logic::{BitId, Letter};

/// A letter on the way to an accepted end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayStep {
    /// The letter; if truths accumulate before a call, only the new ones.
    pub letter: GameLetter,
    /// Whether it has a call of the agent; otherwise it is a possible letter of the world.
    pub is_agents: bool,
}

impl Game {
    /// A letter that leads from a position to a layer, and its class: one with a call if there is any. Among several the
    /// first in the order in which a false bit comes before a true one, the topmost bit first.
    fn letter_to<'w>(
        &self,
        ways: &'w Ways,
        set: &Letter,
        layer: usize,
        idle: bool,
    ) -> Option<(Letter, &'w LetterMoves)> {
        let kinds = &self.layout.kinds;
        let known = |bit: BitId| (kinds[bit] == VariableKind::State).then(|| set.contains(bit));
        let pick = |moves: &'w LetterMoves| {
            let mut letter = self.solved.diagrams.pick_given(moves.into[layer], &known)?;
            letter.extend(moves.call);
            Some((letter, moves))
        };
        let first = |is_call: bool| {
            let classes = ways.classes.iter().filter(|moves| moves.call.is_some() == is_call);
            // Of two letters the one whose first own bit is the lower one.
            classes.filter_map(pick).max_by(|(a, _), (b, _)| {
                let place = |letter: &Letter| letter.iter().collect::<Vec<BitId>>();
                let end = BitId::from_index(kinds.len());
                let padded = |letter: &Letter| [place(letter), vec![end]].concat();
                padded(a).cmp(&padded(b))
            })
        };
        first(true).or_else(|| if idle { first(false) } else { None })
    }
    /// A letter of the game as one of the policy.
    fn decode(&self, moves: &LetterMoves, set: &Letter, letter: &Letter) -> GameLetter {
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
            bits.extend(self.layout.blank_atoms.first().map(|&atom: &LawAtom| atoms.bit(atom)));
        }
        for &(bit, holds) in &moves.computed {
            if self.solved.diagrams.contains(holds, &all) {
                bits.insert(bit);
            }
        }
        let mask = |copies: &Vec<BitId>| {
            copies.iter().enumerate().fold(0, |mask, (i, &bit)| mask | u32::from(letter.contains(bit)) << i)
        };
        GameLetter { bits, reaches: self.layout.reach.iter().map(mask).collect() }
    }
    /// The position after a letter, as variables.
    fn step(&self, moves: &LetterMoves, set: &Letter, letter: &Letter) -> Letter {
        let all: Letter = set.iter().chain(letter.iter()).collect();
        let mut next = set.clone();
        for &(bit, holds) in &moves.next {
            if self.solved.diagrams.contains(holds, &all) {
                next.insert(bit);
            } else {
                next.remove(bit);
            }
        }
        next
    }
    /// A shortest sequence of letters to an accepted end, in which every call is allowed and the world cooperates.
    /// Empty if the end is accepted here; `None` from positions that are not winning. Among several shortest sequences,
    /// calls are preferred.
    ///
    /// # Errors
    /// The budget, or the limit of nodes.
    pub fn way_out(
        &mut self,
        position: &PolicyPosition,
        budget: &Budget,
    ) -> Result<Option<Vec<WayStep>>, Limit> {
        if !self.is_winning(position) {
            return Ok(None);
        }
        if self.is_end_accepted(position) {
            return Ok(Some(Vec::new()));
        }
        self.add_ways(budget)?;
        let (Some(ways), Some(mut set)) = (&self.solved.ways, self.encode(position)) else { return Ok(None) };
        let mut idle = self.is_idle() && self.is_closed(position);
        let mut way = Vec::new();
        // The first letter leads to the lowest layer that it can reach, each further letter to a lower layer.
        let mut below = ways.layers.len();
        while way.is_empty() || !self.solved.diagrams.contains(ways.layers[0], &set) {
            let found = (0..below).find_map(|i| Some((i, self.letter_to(ways, &set, i, idle)?)));
            let Some((layer, (letter, moves))) = found else { return Ok(None) };
            way.push(WayStep { letter: self.decode(moves, &set, &letter), is_agents: moves.call.is_some() });
            set = self.step(moves, &set, &letter);
            (below, idle) = (layer, true);
        }
        Ok(Some(way))
    }
}
