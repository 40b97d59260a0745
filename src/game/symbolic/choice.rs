//! Functions for the bits of a player, chosen from the moves that win.
//!
//! The moves are a relation over states, turns and letters. Bit after bit of the player is made a function of the rest
//! and replaced by it: with the later bits quantified, a bit must be true where it cannot be false, and is free where it
//! can be both; freedom goes to a function that the bit has in another turn, or else to the smaller diagram (Coudert
//! and Madre, "A unified framework for the formal verification of sequential circuits", ICCAD 1990, operator restrict),
//! in terms of the earlier bits if that is smaller. One quantification per bit and turn. All is done anew for the
//! states that the first functions reach: what a circuit does elsewhere is free.

use super::arena::Arena;
use super::diagrams::{Bdd, Diagrams, Replacement};
use super::reachable::Steps;
use crate::base::Limit;
use crate::logic::{BitId, Player};
use oxidd::Function;
use rustc_hash::FxHashMap;

/// Choices of functions that only tell which states are reached.
const CHOICES: usize = 2;
/// Functions that a bit has in other turns that are tried.
const CANDIDATES: usize = 6;
/// Nodes of a function that need not be smaller.
const SMALL: usize = 3;

/// Chooses a function for each of the bits, in order, such that together they make allowed moves where there are any.
pub(super) struct Chooser<'c, 'a> {
    arena: &'c Arena<'a>,
    bits: Vec<BitId>,
    /// The bits must not depend on the outputs.
    blind: bool,
    chosen: FxHashMap<Bdd, Vec<Bdd>>,
    /// The functions chosen for each bit, with how often; the most frequent first.
    known: Vec<Vec<(usize, Bdd)>>,
}

// Diagrams are counted references: equal and hashed by their node, whose contents never change.
#[allow(clippy::mutable_key_type)]
impl<'c, 'a> Chooser<'c, 'a> {
    pub(super) fn new(arena: &'c Arena<'a>, player: Player) -> Self {
        let bits: Vec<BitId> = arena.alphabet.bits_of(player).collect();
        let known = vec![Vec::new(); bits.len()];
        Self { arena, bits, blind: player == Player::Environment, chosen: FxHashMap::default(), known }
    }

    /// Fewer moves of the first mode, but some wherever there are some: only from states that they reach, only such
    /// that stay where functions chosen from them come, and none with an edge of `exits` where that can be done without.
    /// Whose turn it is may be any.
    pub(super) fn narrowed(&mut self, mut moves: Bdd, exits: &[Bdd]) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let steps = Steps::new(self.arena)?;
        let stays = self.arena.stays()?;
        let turns = d.conjunction(self.arena.turns.iter().map(|&v| d.variable(v)))?;
        let before = d.budget.work();
        for round in 0..=CHOICES {
            if d.budget.work() - before > before {
                break;
            }
            for exit in exits {
                moves = self.without(moves, exit)?;
            }
            let mut taken = moves.clone();
            if round > 0 {
                let functions = self.choose(&moves)?;
                for (&bit, function) in self.bits.iter().zip(&functions) {
                    taken = d.and(&taken, &d.iff(d.variable(self.arena.variable(bit)), function)?)?;
                }
            }
            let taken = d.and(&d.exists(&taken, &turns)?, &stays)?;
            let Some(states) = steps.reachable(&taken)? else { break };
            let leaves = d.minus(&stays, &d.replace(&states, &self.arena.step)?)?;
            let fewer = d.minus(&d.and(&moves, &states)?, &self.some(&leaves)?)?;
            if round > 0 && fewer == moves {
                // What was chosen is the choice.
                return Ok(moves);
            }
            moves = fewer;
            self.chosen.clear();
            self.known.iter_mut().for_each(Vec::clear);
        }
        Ok(moves)
    }

    /// The moves without these edges, if that leaves one wherever there was one.
    fn without(&self, moves: Bdd, edges: &Bdd) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let own = d.conjunction(self.bits.iter().map(|&bit| d.variable(self.arena.variable(bit))))?;
        let fewer = d.minus(&moves, &self.some(edges)?)?;
        let lost = d.minus(&d.exists(&moves, &own)?, &d.exists(&fewer, &own)?)?;
        Ok(if lost == d.bottom { fewer } else { moves })
    }

    /// The moves of which some edge is one of these: the environment moves before the outputs are known.
    fn some(&self, edges: &Bdd) -> Result<Bdd, Limit> {
        if self.blind { self.arena.diagrams.exists(edges, &self.arena.outputs) } else { Ok(edges.clone()) }
    }

    /// Each turn is dealt with by itself: the variables of the turns are above all others.
    pub(super) fn choose(&mut self, moves: &Bdd) -> Result<Vec<Bdd>, Limit> {
        if let Some(done) = self.chosen.get(moves) {
            return Ok(done.clone());
        }
        let d = &self.arena.diagrams;
        let functions = match Diagrams::branch(moves) {
            Some((variable, low, high)) if variable < self.arena.turns.len() => {
                let low = self.choose(&low)?;
                let high = self.choose(&high)?;
                let turn = d.variable(variable);
                low.iter().zip(&high).map(|(low, high)| d.ite(turn, high, low)).collect::<Result<_, _>>()?
            }
            _ => self.choose_in_turn(moves)?,
        };
        self.chosen.insert(moves.clone(), functions.clone());
        Ok(functions)
    }

    fn choose_in_turn(&mut self, moves: &Bdd) -> Result<Vec<Bdd>, Limit> {
        let d = &self.arena.diagrams;
        let variables: Vec<usize> = self.bits.iter().map(|&bit| self.arena.variable(bit)).collect();
        let mut later = vec![d.top.clone()];
        for &v in variables.iter().skip(1).rev() {
            later.push(d.and(&later[later.len() - 1], d.variable(v))?);
        }
        // The moves with the functions so far in place of their bits.
        let mut rest = moves.clone();
        let mut functions: Vec<Bdd> = Vec::with_capacity(self.bits.len());
        // The same functions in terms of states and letters of the other player.
        let mut alone = Vec::with_capacity(self.bits.len());
        for (i, (&v, later)) in variables.iter().zip(later.iter().rev()).enumerate() {
            let duty = self.duty(&d.exists(&rest, later)?, v)?;
            let given = Diagrams::replacement(variables[..i].to_vec(), alone.clone());
            let function = if let Some(known) = self.known(i, &duty, &given)? {
                known
            } else {
                let mut function = duty.function(d)?;
                if function.node_count() > SMALL {
                    // The same in terms of earlier bits, whatever these are.
                    let relative = self.duty(&d.exists(moves, later)?, v)?.function(d)?;
                    if relative.node_count() < function.node_count() {
                        function = relative;
                    }
                }
                self.known[i].push((1, function.clone()));
                function
            };
            let own = d.replace(&function, &given)?;
            let with = |value: bool| d.restrict(&rest, &[(v, value)]);
            rest = if own == d.top || own == d.bottom {
                with(own == d.top)?
            } else {
                d.ite(&own, &with(true)?, &with(false)?)?
            };
            functions.push(function);
            alone.push(own);
        }
        Ok(functions)
    }

    /// Where a bit must have which value for one of the `possible` moves.
    fn duty(&self, possible: &Bdd, v: usize) -> Result<Duty, Limit> {
        let d = &self.arena.diagrams;
        let high = d.restrict(possible, &[(v, true)])?;
        let low = d.restrict(possible, &[(v, false)])?;
        Ok(Duty { high: d.minus(&high, &low)?, low: d.minus(&low, &high)? })
    }

    /// A function that the bit has in another turn and that does its duty, `given` the earlier bits.
    fn known(&mut self, bit: usize, duty: &Duty, given: &Replacement) -> Result<Option<Bdd>, Limit> {
        let d = &self.arena.diagrams;
        let known = &mut self.known[bit];
        for i in 0..known.len().min(CANDIDATES) {
            let function = known[i].1.clone();
            let own = d.replace(&function, given)?;
            if d.minus(&duty.high, &own)? == d.bottom && d.and(&duty.low, &own)? == d.bottom {
                known[i].0 += 1;
                known.sort_by_key(|(uses, _)| std::cmp::Reverse(*uses));
                return Ok(Some(function));
            }
        }
        Ok(None)
    }
}

/// Where a bit must be true and where it must be false.
struct Duty {
    high: Bdd,
    low: Bdd,
}

impl Duty {
    fn function(&self, d: &Diagrams<'_>) -> Result<Bdd, Limit> {
        d.simplified(&self.high, &d.or(&self.high, &self.low)?)
    }
}
