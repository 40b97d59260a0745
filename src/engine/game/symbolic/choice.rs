//! Functions for the bits of a player, chosen from the moves that win.
//!
//! The moves are a relation over states, turns and letters. One bit of the player after the other is replaced by a
//! function of the rest: with the later bits quantified, a bit must be true where it cannot be false, and is a
//! don't-care where it can be both. Don't-cares are used to reuse a function that the bit has in another turn, or else
//! to get a smaller diagram (Coudert and Madre, "A unified framework for the formal verification of sequential
//! circuits", ICCAD 1990, operator restrict), in terms of the earlier bits if that is smaller. All is repeated for the
//! states that the first functions reach, because a circuit may do anything elsewhere.

use super::arena::SymbolicArena;
use super::diagrams::{Bdd, Diagrams, Replacement};
use super::reachable::TransitionRelation;
use crate::game::tuning::{CANDIDATES, REACH_CHOICES, SMALL_FUNCTION};
use rustc_hash::FxHashMap;
use std::ops::Range;
use tsl_synth_core::base::{BooleanFunction as _, Id as _, Limit, Variable};
use tsl_synth_core::logic::{BitId, Player};

/// Chooses a function for each of the bits, in order, such that together they make allowed moves where there are any.
pub(super) struct FunctionChooser<'c, 'a> {
    arena: &'c SymbolicArena<'a>,
    bits: Vec<BitId>,
    /// The bits must not depend on the outputs.
    blind: bool,
    chosen: FxHashMap<Bdd, Vec<Bdd>>,
    /// The functions chosen for each bit, with how often; the most frequent first.
    known: Vec<Vec<(usize, Bdd)>>,
}

// Diagrams are counted references: equal and hashed by their node, whose contents never change.
#[allow(clippy::mutable_key_type)]
impl<'c, 'a> FunctionChooser<'c, 'a> {
    pub(super) fn new(arena: &'c SymbolicArena<'a>, player: Player) -> Self {
        let bits: Vec<BitId> = arena.alphabet.bits_of(player).collect();
        let known = vec![Vec::new(); bits.len()];
        Self { arena, bits, blind: player == Player::Environment, chosen: FxHashMap::default(), known }
    }

    /// A subset of the moves of the first mode, with a move in every reachable state that has one: only from reachable
    /// states, only into states that functions chosen from them reach, and without the edges of `exits` where possible.
    /// Every turn may be the current one. Repeats this and returns the moves from which the smallest functions were
    /// chosen.
    pub(super) fn narrowed(&mut self, mut moves: Bdd, exits: &[Bdd]) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let steps = TransitionRelation::new(self.arena)?;
        let stays = self.arena.stays()?;
        let turns = d.conjunction(self.arena.turns.iter().map(|&v| d.variable(v)))?;
        let before = d.budget.work();
        let mut best: Option<ChoiceAttempt> = None;
        for round in 0.. {
            for exit in exits {
                moves = self.without(moves, exit)?;
            }
            let mut taken = moves.clone();
            if round > 0 {
                let functions = self.choose(&moves)?;
                let size = functions.iter().map(Bdd::node_count).sum();
                if best.as_ref().is_none_or(|best| size < best.size) {
                    let (chosen, known) = (self.chosen.clone(), self.known.clone());
                    best = Some(ChoiceAttempt { size, moves: moves.clone(), chosen, known });
                }
                if round > REACH_CHOICES || d.budget.work() - before > before {
                    break;
                }
                for (&bit, function) in self.bits.iter().zip(&functions) {
                    taken = d.and(&taken, &d.iff(d.variable(self.arena.variable(bit)), function)?)?;
                }
            }
            let taken = d.and(&d.exists(&taken, &turns)?, &stays)?;
            let Some(states) = steps.reachable(&taken)? else { break };
            let leaves = d.minus(&stays, &d.replace(&states, &self.arena.step)?)?;
            let fewer = d.minus(&d.and(&moves, &states)?, &self.some(&leaves)?)?;
            if round > 0 && fewer == moves {
                break;
            }
            moves = fewer;
            self.chosen.clear();
            self.known.iter_mut().for_each(Vec::clear);
        }
        let Some(best) = best else { return Ok(moves) };
        (self.chosen, self.known) = (best.chosen, best.known);
        Ok(best.moves)
    }

    /// The moves without these edges, if that leaves one wherever there was one.
    fn without(&self, moves: Bdd, edges: &Bdd) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let own = d.conjunction(self.bits.iter().map(|&bit| d.variable(self.arena.variable(bit))))?;
        let fewer = d.minus(&moves, &self.some(edges)?)?;
        let lost = d.minus(&d.exists(&moves, &own)?, &d.exists(&fewer, &own)?)?;
        Ok(if lost == d.bottom { fewer } else { moves })
    }

    /// The moves that may take one of these edges: the environment moves before the outputs are known.
    fn some(&self, edges: &Bdd) -> Result<Bdd, Limit> {
        if self.blind { self.arena.diagrams.exists(edges, &self.arena.outputs) } else { Ok(edges.clone()) }
    }

    /// Chooses the functions for each turn separately: the variables of the turns are above all others.
    pub(super) fn choose(&mut self, moves: &Bdd) -> Result<Vec<Bdd>, Limit> {
        if let Some(done) = self.chosen.get(moves) {
            return Ok(done.clone());
        }
        let d = &self.arena.diagrams;
        let functions = match Diagrams::branch(moves) {
            Some((variable, low, high)) if variable.index() < self.arena.turns.len() => {
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
        let variables: Vec<Variable> = self.bits.iter().map(|&bit| self.arena.variable(bit)).collect();
        let mut later = vec![d.top.clone()];
        for &v in variables.iter().rev() {
            later.push(d.and(&later[later.len() - 1], d.variable(v))?);
        }
        later.reverse();
        let domain = d.exists(moves, &later[0])?;
        let turn = ChoiceTurn { moves, domain, variables, later };
        let mut chosen = ChosenFunctions { rest: moves.clone(), functions: Vec::new(), alone: Vec::new() };
        self.choose_among(0..self.bits.len(), &turn, &mut chosen)?;
        Ok(chosen.functions)
    }

    /// Chooses functions for a range of bits, after those before it. Turns are similar: most bits can have a function
    /// from another turn, which is tested for many bits at once.
    fn choose_among(
        &mut self,
        bits: Range<usize>,
        turn: &ChoiceTurn<'_>,
        chosen: &mut ChosenFunctions,
    ) -> Result<(), Limit> {
        if bits.len() > 1 {
            if !self.most_frequent(bits.clone(), turn, chosen)? {
                let middle = bits.start + bits.len() / 2;
                self.choose_among(bits.start..middle, turn, chosen)?;
                self.choose_among(middle..bits.end, turn, chosen)?;
            }
            return Ok(());
        }
        let d = &self.arena.diagrams;
        let i = bits.start;
        let Some(&v) = turn.variables.get(i) else { return Ok(()) };
        let later = &turn.later[i + 1];
        let duty = self.duty(&d.exists(&chosen.rest, later)?, v)?;
        let given = turn.given(chosen);
        let function = if let Some(known) = self.known(i, &duty, &given)? {
            known
        } else {
            let mut function = duty.function(d)?;
            if function.node_count() > SMALL_FUNCTION {
                // The same in terms of the earlier bits, without substituting their functions.
                let relative = self.duty(&d.exists(turn.moves, later)?, v)?.function(d)?;
                if relative.node_count() < function.node_count() {
                    function = relative;
                }
            }
            self.known[i].push((1, function.clone()));
            function
        };
        let own = d.replace(&function, &given)?;
        chosen.rest = self.with(&chosen.rest, &[(v, own.clone())])?;
        chosen.functions.push(function);
        chosen.alone.push(own);
        Ok(())
    }

    /// Chooses for each of the bits the function that it has most often in other turns, if these are allowed together.
    fn most_frequent(
        &mut self,
        bits: Range<usize>,
        turn: &ChoiceTurn<'_>,
        chosen: &mut ChosenFunctions,
    ) -> Result<bool, Limit> {
        let d = &self.arena.diagrams;
        let frequent = self.known[bits.clone()].iter().map(|known| known.first().map(|(_, f)| f.clone()));
        let Some(functions) = frequent.collect::<Option<Vec<Bdd>>>() else { return Ok(false) };
        let before = chosen.alone.len();
        for function in &functions {
            let own = d.replace(function, &turn.given(chosen))?;
            chosen.alone.push(own);
        }
        let own = chosen.alone[before..].iter().cloned();
        let own: Vec<(Variable, Bdd)> = turn.variables[bits.clone()].iter().copied().zip(own).collect();
        let rest = self.with(&chosen.rest, &own)?;
        if d.exists(&rest, &turn.later[bits.end])? != turn.domain {
            chosen.alone.truncate(before);
            return Ok(false);
        }
        chosen.rest = rest;
        chosen.functions.extend(functions);
        bits.for_each(|bit| self.known[bit][0].0 += 1);
        Ok(true)
    }

    /// Substitutes functions for bits in the moves; the functions do not depend on these bits.
    fn with(&self, moves: &Bdd, functions: &[(Variable, Bdd)]) -> Result<Bdd, Limit> {
        let d = &self.arena.diagrams;
        let is_constant = |function: &Bdd| *function == d.top || *function == d.bottom;
        let constants = functions.iter().filter(|(_, f)| is_constant(f));
        let mut literals: Vec<(Variable, bool)> = constants.map(|(v, f)| (*v, *f == d.top)).collect();
        literals.sort_unstable();
        let mut moves = d.restrict(moves, &literals)?;
        for (v, function) in functions.iter().filter(|(_, f)| !is_constant(f)) {
            let cofactor = |value: bool| d.restrict(&moves, &[(*v, value)]);
            moves = d.ite(function, &cofactor(true)?, &cofactor(false)?)?;
        }
        Ok(moves)
    }

    /// Where a bit must be true and where it must be false to get one of the `possible` moves.
    fn duty(&self, possible: &Bdd, v: Variable) -> Result<BitDuty, Limit> {
        let d = &self.arena.diagrams;
        let high = d.restrict(possible, &[(v, true)])?;
        let low = d.restrict(possible, &[(v, false)])?;
        Ok(BitDuty { high: d.minus(&high, &low)?, low: d.minus(&low, &high)? })
    }

    /// A function that the bit has in another turn and that satisfies `duty`, `given` the earlier bits.
    fn known(&mut self, bit: usize, duty: &BitDuty, given: &Replacement) -> Result<Option<Bdd>, Limit> {
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

/// Moves, the total size of the functions that were chosen from them, and the caches of the chooser.
struct ChoiceAttempt {
    size: usize,
    moves: Bdd,
    chosen: FxHashMap<Bdd, Vec<Bdd>>,
    known: Vec<Vec<(usize, Bdd)>>,
}

/// The moves to choose from in one turn.
struct ChoiceTurn<'m> {
    moves: &'m Bdd,
    /// Where there are moves, whatever the bits.
    domain: Bdd,
    variables: Vec<Variable>,
    /// For each bit the cube of it and all later ones; then the empty cube.
    later: Vec<Bdd>,
}

impl ChoiceTurn<'_> {
    fn given(&self, chosen: &ChosenFunctions) -> Replacement {
        Diagrams::replacement(self.variables[..chosen.alone.len()].to_vec(), chosen.alone.clone())
    }
}

/// The functions of the first bits.
struct ChosenFunctions {
    functions: Vec<Bdd>,
    /// The same in terms of states and letters of the other player.
    alone: Vec<Bdd>,
    /// The moves with `alone` substituted for the bits.
    rest: Bdd,
}

/// Where a bit must be true and where it must be false.
struct BitDuty {
    high: Bdd,
    low: Bdd,
}

impl BitDuty {
    fn function(&self, d: &Diagrams<'_>) -> Result<Bdd, Limit> {
        d.simplified(&self.high, &d.or(&self.high, &self.low)?)
    }
}
