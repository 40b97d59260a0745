//! From plans over decision diagrams to explicit strategies: positions are explored forward with explicit
//! states of the automata; only the allowed moves come from the diagrams.

use super::arena::{Mode, SymbolicArena};
use super::diagrams::{Bdd, Diagrams};
use super::fixpoint::{FixpointPlan, FixpointSolver, MoveSet};
use crate::game::bounded::{PositionStrategy, StrategyMove};
use crate::game::colors::{AutomatonId, ColorId, ColorPosition, Colors};
use tsl_synth_core::base::{Budget, Id as _, IdVec, Limit, LimitKind, Variable};

use crate::game::tuning::COMBINATIONS_PER_WORK;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tsl_synth_core::logic::{BitId, Guard, Guards, Letter, Player};
use tsl_synth_core::model::{RunEdge, RunStateId};

/// A position: the mode, the states of its relevant automata, the true bits of their memory, and for each node of the
/// tree whose children take turns the child whose turn it is (0 if missing).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct StrategyPosition {
    mode: Mode,
    states: Box<[RunStateId]>,
    memory: Letter,
    turns: BTreeMap<usize, usize>,
}

/// A mode of the arena: its relevant automata, the memory bits that these read, its plan and its colors.
struct ModeInfo {
    relevant: Vec<AutomatonId>,
    remembered: Vec<BitId>,
    plan: Rc<FixpointPlan>,
    /// The colors of the tree.
    colors: IdVec<ColorPosition, ColorId>,
}

/// The transitions of a position.
struct PositionEdges {
    /// The edges of each relevant automaton.
    edges: Vec<Rc<Vec<RunEdge>>>,
    /// The next values of the bits of memory.
    later: Vec<Guard>,
}

/// The moves allowed in a position, and the path to them through the tree.
struct Directions<'p> {
    moves: &'p MoveSet,
    /// Nodes from the root on, with the index of the child taken where children take turns.
    path: Vec<(usize, Option<usize>)>,
}

/// Explores the winning strategy of a solved game.
///
/// # Errors
/// A limit: more than `max_positions` positions, or more work than the budget allows, extrapolated from the average
/// work per position so far.
pub(super) fn explore(
    solver: &FixpointSolver<'_, '_>,
    max_positions: usize,
    budget: &Budget,
) -> Result<PositionStrategy, Limit> {
    let mut explorer = StrategyExplorer {
        solver,
        arena: solver.arena,
        budget,
        max_positions,
        began: budget.work(),
        explored: 0,
        guards: Guards::new(),
        counted: 0,
        copied: IdVec::filled(FxHashMap::default(), solver.arena.compiled.automata.len()),
        mode_infos: BTreeMap::new(),
        targets: FxHashMap::default(),
        positions: Vec::new(),
        index: FxHashMap::default(),
    };
    let states = explorer.initial(Mode::Open);
    explorer.id(StrategyPosition {
        mode: Mode::Open,
        states,
        memory: Letter::new(),
        turns: BTreeMap::new(),
    })?;
    let mut moves = Vec::new();
    while moves.len() < explorer.positions.len() {
        let position = explorer.positions[moves.len()].clone();
        moves.push(explorer.moves(&position)?);
        explorer.explored += 1;
    }
    Ok(PositionStrategy { guards: explorer.guards, moves })
}

struct StrategyExplorer<'s, 'a> {
    solver: &'s FixpointSolver<'s, 'a>,
    arena: &'s SymbolicArena<'a>,
    budget: &'s Budget,
    max_positions: usize,
    /// The work that was counted before the exploration.
    began: u64,
    explored: usize,
    /// Guards over letters alone.
    guards: Guards,
    /// Combinations of guards that have been counted as work.
    counted: usize,
    /// The edges of automata that do not read memory.
    copied: IdVec<AutomatonId, FxHashMap<RunStateId, Rc<Vec<RunEdge>>>>,
    mode_infos: BTreeMap<Mode, Rc<ModeInfo>>,
    /// The moves that lead to each region.
    targets: FxHashMap<Bdd, Bdd>,
    positions: Vec<StrategyPosition>,
    index: FxHashMap<StrategyPosition, usize>,
}

impl StrategyExplorer<'_, '_> {
    fn id(&mut self, position: StrategyPosition) -> Result<usize, Limit> {
        if let Some(&id) = self.index.get(&position) {
            return Ok(id);
        }
        let id = self.positions.len();
        if id == self.max_positions {
            let what = format!("an explicit strategy of more than {id} positions");
            return Err(Limit::new(LimitKind::Size, what));
        }
        self.positions.push(position.clone());
        self.index.insert(position, id);
        let (open, seen) = (self.positions.len() - self.explored, self.explored + 1);
        let rest = (self.budget.work() - self.began).saturating_mul(open as u64) / seen as u64;
        if rest > self.budget.left() {
            return Err(Limit::new(LimitKind::Work, "the moves of an explicit strategy"));
        }
        Ok(id)
    }

    fn mode_info(&mut self, mode: Mode) -> Rc<ModeInfo> {
        if let Some(mode_info) = self.mode_infos.get(&mode) {
            return Rc::clone(mode_info);
        }
        let (plan, relevant, colors) = if mode == Mode::FactViolated {
            (
                Rc::new(FixpointPlan::Moves(MoveSet::winning(self.arena.diagrams.top.clone()))),
                Vec::new(),
                IdVec::new(),
            )
        } else {
            let stage = &self.solver.stages[&mode];
            let relevant = mode.relevant(self.arena.compiled);
            (Rc::clone(&stage.plan), relevant, stage.game.tree.colors.clone())
        };
        let remembered = self.arena.compiled.memory_of(&relevant);
        let mode_info = Rc::new(ModeInfo { relevant, remembered, plan, colors });
        self.mode_infos.insert(mode, Rc::clone(&mode_info));
        mode_info
    }

    fn initial(&mut self, mode: Mode) -> Box<[RunStateId]> {
        let mode_info = self.mode_info(mode);
        mode_info.relevant.iter().map(|&c| self.arena.compiled.automata[c].initial).collect()
    }

    /// Counts `work` and the combinations of guards since the last call.
    fn tick(&mut self, work: usize) -> Result<(), Limit> {
        let new = (self.guards.combinations() - self.counted) / COMBINATIONS_PER_WORK;
        self.counted += new * COMBINATIONS_PER_WORK;
        self.budget.tick((work + new) as u64, || "the moves of an explicit strategy".into())
    }

    /// The transitions of a position under its memory.
    fn steps(&mut self, position: &StrategyPosition, mode_info: &ModeInfo) -> Result<PositionEdges, Limit> {
        let (compiled, letters) = (self.arena.compiled, self.arena.alphabet.bit_count());
        let known = |bit: BitId| (bit.index() >= letters).then(|| position.memory.contains(bit));
        let before = self.guards.node_count();
        let mut edges = Vec::with_capacity(mode_info.relevant.len());
        for (&c, &q) in mode_info.relevant.iter().zip(&position.states) {
            if let Some(copied) = self.copied[c].get(&q) {
                edges.push(Rc::clone(copied));
                continue;
            }
            let automaton = &compiled.automata[c];
            let reads = Cell::new(false);
            let known = |bit| known(bit).inspect(|_| reads.set(true));
            let guards = &mut self.guards;
            let copy =
                |e: &RunEdge| RunEdge { guard: automaton.guards.copy_given(e.guard, guards, &known), ..*e };
            let copied: Rc<Vec<RunEdge>> = Rc::new(automaton.states[q].iter().map(copy).collect());
            if !reads.get() {
                self.copied[c].insert(q, Rc::clone(&copied));
            }
            edges.push(copied);
        }
        let memory = &compiled.memory;
        let next = |&bit: &BitId| memory.guards().copy_given(memory.next(bit), &mut self.guards, &known);
        let later = mode_info.remembered.iter().map(next).collect();
        self.tick((self.guards.node_count() - before) / COMBINATIONS_PER_WORK)?;
        Ok(PositionEdges { edges, later })
    }

    fn moves(&mut self, position: &StrategyPosition) -> Result<Vec<StrategyMove>, Limit> {
        let mode_info = self.mode_info(position.mode);
        let (remembered, memory) = (&mode_info.remembered, &position.memory);
        let assignment = self.arena.assignment(&mode_info.relevant, &position.states, remembered, memory);
        let directions = self.directions(position, &mode_info, &assignment)?;
        let allowed = directions.moves.at(self.arena, &assignment, &mut self.targets)?;
        let allowed = self.letters(&allowed, &mut FxHashMap::default())?;
        let steps = self.steps(position, &mode_info)?;
        let alphabet = self.arena.alphabet;
        let mover = self.solver.player;
        let owned = |player| move |bit| alphabet.owner(bit) == player;
        // The letters of the opponent that still need a move: all inputs, or all outputs after the one input that is
        // chosen here.
        let (mut open, chosen) = match mover {
            Player::System => (Guard::TRUE, None),
            Player::Environment => {
                let refused = self.guards.not(allowed);
                let refused = self.guards.exists(refused, &owned(Player::System));
                let good = self.guards.not(refused);
                let input = self.guards.pick(good).ok_or_else(|| broken("no input wins"))?;
                let input: Letter = input.iter().filter(|&bit| alphabet.owner(bit) == mover).collect();
                (Guard::TRUE, Some(self.guards.valuation(alphabet.bits_of(mover), &input)))
            }
        };
        let mut made: Vec<StrategyMove> = Vec::new();
        let mut answers: Vec<Guard> = chosen.into_iter().collect();
        while open != Guard::FALSE {
            let candidates = self.guards.and(allowed, open);
            let (mut answer, mut here) = (None, Guard::FALSE);
            for &a in &answers {
                here = self.guards.and(candidates, a);
                if here != Guard::FALSE {
                    answer = Some(a);
                    break;
                }
            }
            let answer = if let Some(answer) = answer {
                answer
            } else {
                let letter = self.guards.pick(candidates).ok_or_else(|| broken("no output wins"))?;
                let letter = alphabet.canonical(&letter);
                let answer = self.guards.valuation(alphabet.bits_of(mover), &letter);
                here = self.guards.and(candidates, answer);
                answers.push(answer);
                answer
            };
            let letter = self.guards.pick(here).ok_or_else(|| broken("a code that stands for no update"))?;
            let (next, same) = self.successor(position, &mode_info, &steps, &directions, &letter)?;
            let covered = self.guards.exists(here, &owned(mover));
            let covered = self.guards.and(covered, same);
            let covered = self.guards.and(covered, open);
            open = self.guards.minus(open, covered);
            let next = self.id(next)?;
            self.tick(1)?;
            let (inputs, outputs) = match mover {
                Player::System => (covered, answer),
                Player::Environment => (answer, covered),
            };
            made.push(StrategyMove { inputs, outputs, next });
        }
        Ok(made)
    }

    fn directions<'t>(
        &self,
        position: &StrategyPosition,
        mode_info: &'t ModeInfo,
        assignment: &[(Variable, bool)],
    ) -> Result<Directions<'t>, Limit> {
        let mut path = Vec::new();
        let mut plan: &FixpointPlan = &mode_info.plan;
        let mut node = 0;
        loop {
            match plan {
                FixpointPlan::Moves(moves) => {
                    path.push((node, None));
                    return Ok(Directions { moves, path });
                }
                FixpointPlan::Turns(n, plans) => {
                    let turn = position.turns.get(n).copied().unwrap_or(0);
                    path.push((*n, Some(turn)));
                    node = self.solver.stages[&position.mode].game.tree.nodes[*n].children[turn];
                    plan = &plans[turn];
                }
                FixpointPlan::Layers(n, layers) => {
                    let holds =
                        |layer: &&super::fixpoint::FixpointLayer| Diagrams::holds(&layer.region, assignment);
                    let layer =
                        layers.iter().find(holds).ok_or_else(|| broken("a position outside its region"))?;
                    if layer.node != *n {
                        path.push((*n, None));
                    }
                    node = layer.node;
                    plan = &layer.plan;
                }
            }
        }
    }

    /// A diagram over letters as a guard. Recursion is as deep as there are bits.
    // Diagrams are counted references: equal and hashed by their node, whose contents never change.
    #[allow(clippy::mutable_key_type)]
    fn letters(&mut self, diagram: &Bdd, memo: &mut FxHashMap<Bdd, Guard>) -> Result<Guard, Limit> {
        let Some((variable, low, high)) = Diagrams::branch(diagram) else {
            return Ok(if *diagram == self.arena.diagrams.top { Guard::TRUE } else { Guard::FALSE });
        };
        if let Some(&guard) = memo.get(diagram) {
            return Ok(guard);
        }
        let low = self.letters(&low, memo)?;
        let high = self.letters(&high, memo)?;
        // The order of the game's variables is not the order of the bits.
        let bit = self.guards.bit(self.arena.bit_of[&variable]);
        let guard = self.guards.ite(bit, high, low);
        self.tick(0)?;
        memo.insert(diagram.clone(), guard);
        Ok(guard)
    }

    /// The position after a letter, and the letters of the opponent on which, with the same choice of the player, every
    /// relevant automaton takes the same edge and the memory becomes the same.
    fn successor(
        &mut self,
        position: &StrategyPosition,
        mode_info: &ModeInfo,
        steps: &PositionEdges,
        directions: &Directions<'_>,
        letter: &Letter,
    ) -> Result<(StrategyPosition, Guard), Limit> {
        let compiled = self.arena.compiled;
        let (alphabet, mover) = (self.arena.alphabet, self.solver.player);
        let answered = |bit| (alphabet.owner(bit) == mover).then(|| letter.contains(bit));
        let mut same = Guard::TRUE;
        let mut taken: Vec<RunEdge> = Vec::with_capacity(mode_info.relevant.len());
        for edges in &steps.edges {
            let edge = edges.iter().find(|e| self.guards.contains(e.guard, letter));
            let edge = *edge.ok_or_else(|| broken("a letter without an edge"))?;
            let like = self.guards.given(edge.guard, &answered);
            same = self.guards.and(same, like);
            self.tick(0)?;
            taken.push(edge);
        }
        let mut memory = Letter::new();
        for (&bit, &next) in mode_info.remembered.iter().zip(&steps.later) {
            let like = self.guards.given(next, &answered);
            if self.guards.contains(like, letter) {
                memory.insert(bit);
                same = self.guards.and(same, like);
            } else {
                same = self.guards.minus(same, like);
            }
            self.tick(0)?;
        }
        let after = |c: &AutomatonId| taken[mode_info.relevant.binary_search(c).expect("relevant")].next;
        let dies = |c: &AutomatonId| compiled.automata[*c].dead == Some(after(c));
        let exit =
            position.mode.exits().iter().find(|(duty, _)| compiled.part(*duty).safety.iter().any(dies));
        let (mode, turns) = if let Some(&(_, mode)) = exit {
            (mode, BTreeMap::new())
        } else {
            let accepting = |c: AutomatonId| {
                taken[mode_info.relevant.binary_search(&c).expect("colors are relevant")].accepting
            };
            let seen = |&(_, &color): &(ColorPosition, &ColorId)| compiled.colors[color].holds(&accepting);
            let colors = mode_info.colors.enumerate().filter(seen);
            let colors = colors.map(|(position, _)| position).collect();
            (position.mode, self.turns(position, directions, colors))
        };
        let relevant = if mode == position.mode { None } else { Some(self.mode_info(mode)) };
        let (states, memory) = match &relevant {
            None => (taken.iter().map(|e| e.next).collect(), memory),
            Some(mode_info) => {
                let remembered = mode_info.remembered.iter().copied();
                let memory = remembered.filter(|&bit| memory.contains(bit)).collect();
                (mode_info.relevant.iter().map(after).collect(), memory)
            }
        };
        Ok((StrategyPosition { mode, states, memory, turns }, same))
    }

    /// The turns after an edge with these colors: the deepest node of the path whose label contains all of them passes
    /// the turn to its next child.
    fn turns(
        &self,
        position: &StrategyPosition,
        directions: &Directions<'_>,
        colors: Colors,
    ) -> BTreeMap<usize, usize> {
        let Some(stage) = self.solver.stages.get(&position.mode) else { return BTreeMap::new() };
        let mut turns = BTreeMap::new();
        for (i, &(n, turn)) in directions.path.iter().enumerate() {
            let below = directions.path.get(i + 1);
            let anchored = below.is_none_or(|&(m, _)| !colors.is_within(stage.game.tree.nodes[m].label));
            if let Some(turn) = turn {
                let count = stage.game.tree.nodes[n].children.len();
                let turn = if anchored { (turn + 1) % count } else { turn };
                if turn > 0 {
                    turns.insert(n, turn);
                }
            }
            if anchored {
                break;
            }
        }
        turns
    }
}

/// A gap is an internal error; the certifier would reject the strategy, so it is reported as a limit.
fn broken(what: &str) -> Limit {
    Limit::new(LimitKind::Size, format!("the symbolic strategy has a gap: {what}"))
}
