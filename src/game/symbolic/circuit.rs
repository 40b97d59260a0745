//! From plans over decision diagrams to circuits: the states of the components, the mode and the turns become
//! latches; of the moves that the plans allow, one is chosen for each bit of the player in turn.
//!
//! The moves that win are a relation over states, turns and letters. Bit after bit of the player is made a function
//! of the rest and replaced by it: with the later bits quantified, a bit must be true where it cannot be false, and is
//! free where it can be both; freedom goes to the smaller diagram (Coudert and Madre, "A unified framework for the
//! formal verification of sequential circuits", ICCAD 1990, operator restrict). One quantification per bit and turn.

use super::arena::{Arena, Mode};
use super::diagrams::{Bdd, Diagrams};
use super::fixpoint::{Plan, Solver, Stage};
use super::turns::Turns;
use crate::base::Limit;
use crate::logic::{BitId, Player};
use crate::model::{Circuit, CircuitBuilder, Literal};
use rustc_hash::FxHashMap;

/// The winning strategy of a solved game.
///
/// # Errors
/// A limit.
pub(super) fn circuit(solver: &Solver<'_, '_>) -> Result<Circuit, Limit> {
    let arena = solver.arena;
    let d = &arena.diagrams;
    let mover: Vec<BitId> = arena.alphabet.bits_of(solver.player).collect();
    let other: Vec<BitId> = arena.alphabet.bits_of(solver.player.opponent()).collect();
    let mut rules = vec![rule(solver, Mode::Open)?];
    let mut next = 0;
    while next < rules.len() {
        for &(role, mode) in rules[next].mode.exits() {
            let known = rules.iter().any(|rule| rule.mode == mode);
            if known || *arena.violated(role) == d.bottom || solver.is_settled(mode) {
                continue;
            }
            rules.push(rule(solver, mode)?);
        }
        next += 1;
    }

    let mut builder = CircuitBuilder::new(other.len());
    let mut net = Net::new(&mut builder);
    for (i, &bit) in other.iter().enumerate() {
        let input = net.builder.input(i);
        net.signals.insert(arena.variable(bit), input);
    }
    let states: Vec<Literal> = arena.step_functions.iter().map(|&(v, _)| net.latch(v)).collect();
    let turns: Vec<Literal> = arena.turns.iter().map(|&v| net.latch(v)).collect();
    // No latch of a mode is true in the first one.
    let modes: Vec<Literal> = rules[1..].iter().map(|_| net.builder.add_latch(false)).collect();
    let left = net.builder.or_all(modes.iter().copied());
    let here: Vec<Literal> = std::iter::once(!left).chain(modes.iter().copied()).collect();

    let choices = rules.iter().map(|rule| choose(arena, &mover, &rule.moves, &mut FxHashMap::default()));
    let choices: Vec<Vec<Bdd>> = choices.collect::<Result<_, Limit>>()?;
    for (i, &bit) in mover.iter().enumerate() {
        let signal = net.by_mode(d, &here, choices.iter().map(|choice| &choice[i]));
        net.builder.add_output(signal);
        net.signals.insert(arena.variable(bit), signal);
    }
    for (&latch, (_, function)) in states.iter().zip(&arena.step_functions) {
        let next = net.literal(d, function);
        net.builder.set_next(latch, next);
    }
    for (i, &latch) in turns.iter().enumerate() {
        let next = net.by_mode(d, &here, rules.iter().map(|rule| &rule.turns[i]));
        net.builder.set_next(latch, next);
    }
    let mut entered: Vec<Vec<Literal>> = vec![Vec::new(); rules.len()];
    for (own, (rule, &current)) in rules.iter().zip(&here).enumerate() {
        let mut stays = current;
        for &(role, mode) in rule.mode.exits() {
            if let Some(target) = rules.iter().position(|rule| rule.mode == mode) {
                let violated = net.literal(d, arena.violated(role));
                entered[target].push(net.builder.and(stays, violated));
                stays = net.builder.and(stays, !violated);
            }
        }
        entered[own].push(stays);
    }
    for (&latch, entered) in modes.iter().zip(&entered[1..]) {
        let next = net.builder.or_all(entered.iter().copied());
        net.builder.set_next(latch, next);
    }
    Ok(builder.finish())
}

/// What the player may do in a mode.
struct Rule {
    mode: Mode,
    /// The moves, over states, turns and letters.
    moves: Bdd,
    /// The next value of each bit of the turns, over the same.
    turns: Vec<Bdd>,
}

fn rule(solver: &Solver<'_, '_>, mode: Mode) -> Result<Rule, Limit> {
    let d = &solver.arena.diagrams;
    let stage = &solver.stages[&mode];
    let none = d.bottom.clone();
    let mut rule = Rule { mode, moves: none.clone(), turns: vec![none; solver.arena.turns.len()] };
    let turns = Turns::new(&stage.tree);
    let follower = Follower { arena: solver.arena, stage, turns };
    follower.follow(&*solver.plan(mode)?, &d.top, &mut rule)?;
    if solver.player == Player::Environment {
        rule.moves = d.forall(&rule.moves, &solver.arena.outputs)?;
    }
    Ok(rule)
}

struct Follower<'s, 'a> {
    arena: &'s Arena<'a>,
    stage: &'s Stage,
    turns: Turns,
}

impl Follower<'_, '_> {
    /// Adds what a plan says for the states and turns in `here`.
    fn follow(&self, plan: &Plan, here: &Bdd, rule: &mut Rule) -> Result<(), Limit> {
        let d = &self.arena.diagrams;
        if *here == d.bottom {
            return Ok(());
        }
        match plan {
            Plan::Moves(moves) => {
                let allowed = d.and(here, moves)?;
                rule.moves = d.or(&rule.moves, &allowed)?;
            }
            Plan::Layers(_, layers) => {
                let mut rest = here.clone();
                for layer in layers {
                    let within = d.and(&rest, &layer.region)?;
                    self.follow(&layer.plan, &within, rule)?;
                    rest = d.minus(&rest, &layer.region)?;
                }
            }
            Plan::Turns(n, plans) => {
                let children = &self.stage.tree.nodes[*n].children;
                let bits = &self.arena.turns[self.turns.bits(*n)];
                for (i, plan) in plans.iter().enumerate() {
                    let within = d.and(here, &turn_is(d, bits, i, children.len())?)?;
                    // The turn passes on with every edge that leaves the child's label.
                    let label = self.stage.tree.nodes[children[i]].label;
                    let stays = d.and(&within, &self.stage.inside[&label])?;
                    let passes = d.minus(&within, &self.stage.inside[&label])?;
                    let after = (i + 1) % children.len();
                    for (b, next) in rule.turns[self.turns.bits(*n)].iter_mut().enumerate() {
                        for (turn, set) in [(i, &stays), (after, &passes)] {
                            if turn >> b & 1 == 1 {
                                *next = d.or(next, set)?;
                            }
                        }
                    }
                    self.follow(plan, &within, rule)?;
                }
            }
        }
        Ok(())
    }
}

/// It is the turn of child `i` of `count`; codes past the last one are the last one's.
fn turn_is(d: &Diagrams<'_>, bits: &[usize], i: usize, count: usize) -> Result<Bdd, Limit> {
    let codes = if i + 1 == count { i..1 << bits.len() } else { i..i + 1 };
    let mut any = d.bottom.clone();
    for code in codes {
        let mut all = d.top.clone();
        for (b, &v) in bits.iter().enumerate() {
            let bit = d.variable(v);
            all = if code >> b & 1 == 1 { d.and(&all, bit)? } else { d.minus(&all, bit)? };
        }
        any = d.or(&any, &all)?;
    }
    Ok(any)
}

/// A function for each of the bits, in order, such that together they make allowed moves where there are any. Each
/// turn is dealt with by itself: the variables of the turns are above all others.
// Diagrams are counted references: equal and hashed by their node, whose contents never change.
#[allow(clippy::mutable_key_type)]
fn choose(
    arena: &Arena<'_>,
    bits: &[BitId],
    moves: &Bdd,
    chosen: &mut FxHashMap<Bdd, Vec<Bdd>>,
) -> Result<Vec<Bdd>, Limit> {
    if let Some(done) = chosen.get(moves) {
        return Ok(done.clone());
    }
    let d = &arena.diagrams;
    let functions = match Diagrams::branch(moves) {
        Some((variable, low, high)) if variable < arena.turns.len() => {
            let low = choose(arena, bits, &low, chosen)?;
            let high = choose(arena, bits, &high, chosen)?;
            let turn = d.variable(variable);
            low.iter().zip(&high).map(|(low, high)| d.ite(turn, high, low)).collect::<Result<_, _>>()?
        }
        _ => choose_in_turn(arena, bits, moves)?,
    };
    chosen.insert(moves.clone(), functions.clone());
    Ok(functions)
}

fn choose_in_turn(arena: &Arena<'_>, bits: &[BitId], moves: &Bdd) -> Result<Vec<Bdd>, Limit> {
    let d = &arena.diagrams;
    let variables: Vec<usize> = bits.iter().map(|&bit| arena.variable(bit)).collect();
    let mut later = vec![d.top.clone()];
    for &v in variables.iter().skip(1).rev() {
        later.push(d.and(&later[later.len() - 1], d.variable(v))?);
    }
    // The moves with the functions so far in place of their bits.
    let mut rest = moves.clone();
    let mut functions: Vec<Bdd> = Vec::with_capacity(bits.len());
    for (v, later) in variables.into_iter().zip(later.iter().rev()) {
        let possible = d.exists(&rest, later)?;
        let high = d.restrict(&possible, &[(v, true)])?;
        let low = d.restrict(&possible, &[(v, false)])?;
        let only_high = d.minus(&high, &low)?;
        let only_low = d.minus(&low, &high)?;
        let care = d.or(&only_high, &only_low)?;
        let function = d.simplified(&only_high, &care)?;
        let high = d.restrict(&rest, &[(v, true)])?;
        let low = d.restrict(&rest, &[(v, false)])?;
        rest = d.ite(&function, &high, &low)?;
        functions.push(function);
    }
    Ok(functions)
}

/// Diagrams as gates.
struct Net<'b> {
    builder: &'b mut CircuitBuilder,
    /// The signal of each variable.
    signals: FxHashMap<usize, Literal>,
    made: FxHashMap<Bdd, Literal>,
}

// Diagrams are counted references: equal and hashed by their node, whose contents never change.
#[allow(clippy::mutable_key_type)]
impl<'b> Net<'b> {
    fn new(builder: &'b mut CircuitBuilder) -> Self {
        Self { builder, signals: FxHashMap::default(), made: FxHashMap::default() }
    }

    /// A latch for a variable.
    fn latch(&mut self, v: usize) -> Literal {
        let latch = self.builder.add_latch(false);
        self.signals.insert(v, latch);
        latch
    }

    /// A diagram by multiplexers. Recursion is as deep as there are variables.
    fn literal(&mut self, d: &Diagrams<'_>, diagram: &Bdd) -> Literal {
        let Some((variable, low, high)) = Diagrams::branch(diagram) else {
            return Literal::constant(*diagram == d.top);
        };
        if let Some(&made) = self.made.get(diagram) {
            return made;
        }
        let low = self.literal(d, &low);
        let high = self.literal(d, &high);
        let signal = self.signals[&variable];
        let made = self.builder.mux(signal, high, low);
        self.made.insert(diagram.clone(), made);
        if let Ok(negation) = d.not(diagram) {
            self.made.insert(negation, !made);
        }
        made
    }

    /// The function of the mode that is `here`.
    fn by_mode<'f>(
        &mut self,
        d: &Diagrams<'_>,
        here: &[Literal],
        functions: impl Iterator<Item = &'f Bdd>,
    ) -> Literal {
        let functions: Vec<Literal> = functions.map(|f| self.literal(d, f)).collect();
        let parts: Vec<Literal> =
            here.iter().zip(functions).map(|(&mode, f)| self.builder.and(mode, f)).collect();
        self.builder.or_all(parts)
    }
}
