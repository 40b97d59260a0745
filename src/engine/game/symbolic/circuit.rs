//! From plans over decision diagrams to circuits: the states of the automata, the mode and the turns become
//! latches; of the moves that the plans allow, one is chosen for each bit of the player in turn.
//!
//! The turns are counters made of gates: a diagram over all turns at once would contain the conditions that end each of
//! them.

use super::arena::{Mode, SymbolicArena};
use super::choice::FunctionChooser;
use super::diagrams::{Bdd, Diagrams};
use super::fixpoint::{FixpointPlan, FixpointSolver, SolvedMode};
use super::turns::TurnBits;
use crate::game::colors::Colors;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Range;
use tsl_synth_core::base::{Limit, Variable};
use tsl_synth_core::logic::{BitId, Player};
use tsl_synth_core::model::{Circuit, CircuitBuilder, Literal};

/// The winning strategy of a solved game.
///
/// # Errors
/// A limit.
pub(super) fn circuit(solver: &FixpointSolver<'_, '_>) -> Result<Circuit, Limit> {
    let arena = solver.arena;
    let d = &arena.diagrams;
    let mover: Vec<BitId> = arena.alphabet.bits_of(solver.player).collect();
    let other: Vec<BitId> = arena.alphabet.bits_of(solver.player.opponent()).collect();
    let mut chooser = FunctionChooser::new(arena, solver.player);
    let mut open = rule(solver, Mode::Open)?;
    let avoided = exits(solver, Mode::Open)?;
    let edges: Vec<Bdd> = avoided.iter().map(|(_, edges)| edges.clone()).collect();
    open.moves = chooser.narrowed(open.moves, &edges)?;
    let mut rules = vec![open];
    for next in 0.. {
        let Some(ModeRule { mode, moves, .. }) = rules.get(next) else { break };
        let mut entered = Vec::new();
        for (target, edges) in exits(solver, *mode)? {
            if d.and(moves, &edges)? != d.bottom {
                entered.push(target);
            }
        }
        for target in entered {
            if rules.iter().all(|rule| rule.mode != target) {
                rules.push(rule(solver, target)?);
            }
        }
    }

    let mut builder = CircuitBuilder::new(other.len());
    let mut net = Net::new(&mut builder);
    for (i, &bit) in other.iter().enumerate() {
        let input = net.builder.input(i);
        net.signals.insert(arena.variable(bit), input);
    }
    let states: Vec<Literal> = arena.step_functions.iter().map(|&(v, _)| net.latch(v)).collect();
    let turns: Vec<Literal> = arena.turns.iter().map(|&v| net.latch(v)).collect();
    // In the first mode no latch of a mode is true.
    let modes: Vec<Literal> = rules[1..].iter().map(|_| net.builder.add_latch(false)).collect();
    let left = net.builder.or_all(modes.iter().copied());
    let here: Vec<Literal> = std::iter::once(!left).chain(modes.iter().copied()).collect();

    let choices = rules.iter().map(|rule| chooser.choose(&rule.moves));
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
    let mut later: Vec<Vec<Literal>> = vec![Vec::new(); turns.len()];
    for (rule, &current) in rules.iter().zip(&here) {
        for counter in &rule.counters {
            let counted = net.counter(d, counter, &turns, current);
            for (digit, next) in counter.bits.clone().zip(counted) {
                later[digit].push(next);
            }
        }
    }
    for (&latch, later) in turns.iter().zip(later) {
        let next = net.builder.or_all(later);
        net.builder.set_next(latch, next);
    }
    let mut entered: Vec<Vec<Literal>> = vec![Vec::new(); rules.len()];
    for (own, (rule, &current)) in rules.iter().zip(&here).enumerate() {
        let mut stays = current;
        for &(duty, mode) in rule.mode.exits() {
            if let Some(target) = rules.iter().position(|rule| rule.mode == mode) {
                let violated = net.literal(d, arena.violated(duty));
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

/// The edges from a mode to each other mode that is not settled yet.
fn exits(solver: &FixpointSolver<'_, '_>, mode: Mode) -> Result<Vec<(Mode, Bdd)>, Limit> {
    let d = &solver.arena.diagrams;
    let mut stays = d.top.clone();
    let mut exits = Vec::new();
    for &(duty, target) in mode.exits() {
        let violated = solver.arena.violated(duty);
        if !solver.is_settled(target) {
            exits.push((target, d.and(&stays, violated)?));
        }
        stays = d.minus(&stays, violated)?;
    }
    Ok(exits)
}

/// The allowed moves and the turn counters of a mode.
struct ModeRule {
    mode: Mode,
    /// The moves, over states, turns and letters.
    moves: Bdd,
    counters: Vec<TurnCounter>,
}

/// Counts the turns of a node of the tree.
struct TurnCounter {
    node: usize,
    /// Its bits among those of the turns.
    bits: Range<usize>,
    /// The contexts in which the player follows the node: the turns of the nodes above it, with the states.
    contexts: BTreeMap<Vec<NodeTurn>, Bdd>,
    /// For each child, sets of edges: its turn continues on the edges in all of them.
    stays: Vec<Vec<Bdd>>,
}

/// The turn of one child of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NodeTurn {
    /// The node's bits among those of the turns: from the first to before the last.
    bits: (usize, usize),
    child: usize,
    children: usize,
}

fn rule(solver: &FixpointSolver<'_, '_>, mode: Mode) -> Result<ModeRule, Limit> {
    let d = &solver.arena.diagrams;
    let stage = &solver.stages[&mode];
    let mut rule = ModeRule { mode, moves: d.bottom.clone(), counters: Vec::new() };
    let turns = TurnBits::new(&stage.game.tree);
    let follower = PlanFollower { arena: solver.arena, stage, turns };
    let everywhere = PlanStates { states: d.top.clone(), turns: Vec::new(), all: d.top.clone() };
    follower.follow(&stage.plan, &everywhere, &mut rule)?;
    if solver.player == Player::Environment {
        rule.moves = d.forall(&rule.moves, &solver.arena.outputs)?;
    }
    Ok(rule)
}

/// The states and turns in which a plan is followed.
struct PlanStates {
    states: Bdd,
    turns: Vec<NodeTurn>,
    /// The conjunction of the states and turns.
    all: Bdd,
}

struct PlanFollower<'s, 'a> {
    arena: &'s SymbolicArena<'a>,
    stage: &'s SolvedMode,
    turns: TurnBits,
}

impl PlanFollower<'_, '_> {
    /// Adds the moves of a plan for some states.
    fn follow(&self, plan: &FixpointPlan, here: &PlanStates, rule: &mut ModeRule) -> Result<(), Limit> {
        let d = &self.arena.diagrams;
        if here.all == d.bottom {
            return Ok(());
        }
        match plan {
            FixpointPlan::Moves(moves) => {
                let allowed = moves.from(self.arena, &here.all)?;
                rule.moves = d.or(&rule.moves, &allowed)?;
            }
            FixpointPlan::Layers(_, layers) => {
                let (mut all, mut states) = (here.all.clone(), here.states.clone());
                for layer in layers {
                    let within = PlanStates {
                        states: d.and(&states, &layer.region)?,
                        turns: here.turns.clone(),
                        all: d.and(&all, &layer.region)?,
                    };
                    self.follow(&layer.plan, &within, rule)?;
                    all = d.minus(&all, &layer.region)?;
                    states = d.minus(&states, &layer.region)?;
                }
            }
            FixpointPlan::Turns(n, plans) => {
                self.count(*n, here, rule)?;
                let children = &self.stage.game.tree.nodes[*n].children;
                let bits = self.turns.bits(*n);
                for (i, plan) in plans.iter().enumerate() {
                    let variables = &self.arena.turns[bits.clone()];
                    let all = d.and(&here.all, &turn_is(d, variables, i, children.len())?)?;
                    let turn = NodeTurn { bits: (bits.start, bits.end), child: i, children: children.len() };
                    let turns = [&here.turns[..], &[turn]].concat();
                    self.follow(plan, &PlanStates { states: here.states.clone(), turns, all }, rule)?;
                }
            }
        }
        Ok(())
    }

    /// Adds states in which the turns of a node are counted.
    fn count(&self, n: usize, here: &PlanStates, rule: &mut ModeRule) -> Result<(), Limit> {
        let d = &self.arena.diagrams;
        let bits = self.turns.bits(n);
        if bits.is_empty() {
            return Ok(());
        }
        let known = rule.counters.iter().position(|counter| counter.node == n);
        let known = if let Some(known) = known {
            known
        } else {
            let tree = &self.stage.game.tree;
            // The turn passes on with every edge that leaves the child's label. (Those that leave the mode do not
            // matter.)
            let without = |label: Colors| {
                let outside = tree.colors.enumerate().filter(|&(position, _)| !label.contains(position));
                outside
                    .map(|(_, &color)| d.not(&self.arena.colors[color]))
                    .collect::<Result<Vec<Bdd>, Limit>>()
            };
            let stays = tree.nodes[n].children.iter().map(|&c| without(tree.nodes[c].label));
            let stays = stays.collect::<Result<_, Limit>>()?;
            rule.counters.push(TurnCounter { node: n, bits, contexts: BTreeMap::new(), stays });
            rule.counters.len() - 1
        };
        let states =
            rule.counters[known].contexts.entry(here.turns.clone()).or_insert_with(|| d.bottom.clone());
        *states = d.or(states, &here.states)?;
        Ok(())
    }
}

/// The codes for the turn of child `i` of `count`; unused codes belong to the last child.
fn turn_is(d: &Diagrams<'_>, bits: &[Variable], i: usize, count: usize) -> Result<Bdd, Limit> {
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

/// Diagrams as gates.
struct Net<'b> {
    builder: &'b mut CircuitBuilder,
    /// The signal of each variable.
    signals: FxHashMap<Variable, Literal>,
    made: FxHashMap<Bdd, Literal>,
}

// Diagrams are counted references: equal and hashed by their node, whose contents never change.
#[allow(clippy::mutable_key_type)]
impl<'b> Net<'b> {
    fn new(builder: &'b mut CircuitBuilder) -> Self {
        Self { builder, signals: FxHashMap::default(), made: FxHashMap::default() }
    }

    /// A latch for a variable.
    fn latch(&mut self, v: Variable) -> Literal {
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

    /// The next values of the bits of a counter while its mode is the `current` one.
    fn counter(
        &mut self,
        d: &Diagrams<'_>,
        counter: &TurnCounter,
        turns: &[Literal],
        current: Literal,
    ) -> Vec<Literal> {
        let mut contexts = Vec::new();
        for (above, states) in &counter.contexts {
            let mut all = vec![current, self.literal(d, states)];
            for turn in above {
                all.push(self.turn_is(&turns[turn.bits.0..turn.bits.1], turn.child, turn.children));
            }
            contexts.push(self.builder.and_all(all));
        }
        let followed = self.builder.or_all(contexts);
        let count = counter.stays.len();
        let bits = &turns[counter.bits.clone()];
        let is: Vec<Literal> = (0..count).map(|i| self.turn_is(bits, i, count)).collect();
        let mut stays = Vec::new();
        for (&is, edges) in is.iter().zip(&counter.stays) {
            let edges: Vec<Literal> = edges.iter().map(|edges| self.literal(d, edges)).collect();
            stays.push(self.builder.and_all(edges.into_iter().chain([is])));
        }
        let stays = self.builder.or_all(stays);
        let bit = |b: usize| {
            let mut with = |passed: usize| {
                let set = (0..count).filter(|i| ((i + passed) % count) >> b & 1 == 1).map(|i| is[i]);
                self.builder.or_all(set)
            };
            let (same, after) = (with(0), with(1));
            let next = self.builder.mux(stays, same, after);
            self.builder.and(followed, next)
        };
        (0..bits.len()).map(bit).collect()
    }

    /// As [`turn_is`].
    fn turn_is(&mut self, bits: &[Literal], i: usize, count: usize) -> Literal {
        if i + 1 == count {
            let others: Vec<Literal> = (0..i).map(|i| self.turn_is(bits, i, count)).collect();
            return !self.builder.or_all(others);
        }
        self.builder.and_all(bits.iter().enumerate().map(|(b, &bit)| bit.negated_if(i >> b & 1 == 0)))
    }

    /// The function of the current mode; `here` has a signal for each mode.
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
