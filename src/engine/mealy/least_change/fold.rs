//! From positions to a machine: positions that agree on all inputs that can happen become one state, and inputs that
//! cannot happen get the moves that make guards short.

use super::arena::Arena;
use super::moves::{Move, Positions};
use tsl_synth_core::base::{Id, IdVec, Limit};
use tsl_synth_core::logic::{Guard, cover::cover_within};
use tsl_synth_core::model::{Mealy, MealyEdge, MealyState, StateId};

/// The most cubes of a guard that is made shorter.
const MOST_CUBES: usize = 64;

/// The machine of all positions.
pub(super) fn folded(arena: &mut Arena<'_>, positions: Positions) -> Result<Mealy, Limit> {
    let mut blocks = Blocks { of: (0..positions.moves.len()).collect(), moves: positions.moves };
    for i in 1..blocks.of.len() {
        if blocks.of[i] != i {
            continue;
        }
        for j in 0..i {
            if blocks.of[j] == j
                && let Some(merged) = blocks.merged(arena, j, i)?
            {
                blocks = merged;
                break;
            }
        }
    }
    let mut numbers = vec![None; blocks.of.len()];
    let mut order = vec![blocks.root(0)];
    numbers[order[0]] = Some(0);
    let mut states: IdVec<StateId, MealyState> = IdVec::new();
    while let Some(&own) = order.get(states.len()) {
        let mut edges = Vec::new();
        for (inputs, answer, next) in covering(arena, &blocks.moves[own]) {
            let next = next.map_or(own, |next| blocks.root(next));
            let number = *numbers[next].get_or_insert_with(|| {
                order.push(next);
                order.len() - 1
            });
            let output = arena.answers[answer].letter.clone();
            edges.push(MealyEdge { guard: inputs, output, next: StateId::from_index(number) });
        }
        states.push(MealyState { edges });
    }
    Ok(Mealy { guards: arena.guards.clone(), states, initial: StateId::from_index(0) })
}

/// The moves of a state with guards that cover all inputs; the guards of earlier moves are made shorter first.
fn covering(arena: &mut Arena<'_>, moves: &[Move]) -> Vec<(Guard, usize, Option<usize>)> {
    // The last guard takes what is left of the inputs that cannot happen: that of the move which changes least.
    let mut moves: Vec<&Move> = moves.iter().collect();
    moves.sort_by_key(|m| std::cmp::Reverse(arena.answers[m.answer].changes));
    let mut free = moves.iter().fold(Guard::TRUE, |free, m| arena.guards.minus(free, m.inputs));
    let mut result = Vec::new();
    for (i, m) in moves.iter().enumerate() {
        let most = arena.guards.or(m.inputs, free);
        let inputs = if i + 1 == moves.len() {
            most
        } else {
            match cover_within(&mut arena.guards, m.inputs, most, MOST_CUBES) {
                Some(cubes) => cubes.iter().fold(Guard::FALSE, |sum, cube| {
                    let cube = arena.guards.cube(cube);
                    arena.guards.or(sum, cube)
                }),
                None => m.inputs,
            }
        };
        free = arena.guards.minus(free, inputs);
        result.push((inputs, m.answer, m.next));
    }
    if result.is_empty() {
        // Nothing is asked here.
        let fewest = (0..arena.answers.len()).min_by_key(|&answer| arena.answers[answer].changes);
        result.push((Guard::TRUE, fewest.unwrap_or(0), None));
    }
    result
}

/// A partition of the positions, with the moves of each block at its first position.
struct Blocks {
    of: Vec<usize>,
    moves: Vec<Vec<Move>>,
}

impl Blocks {
    fn root(&self, mut position: usize) -> usize {
        while self.of[position] != position {
            position = self.of[position];
        }
        position
    }

    /// The partition in which two blocks are one; `None` if they disagree on some inputs. The next positions after common
    /// inputs are merged as well.
    fn merged(&self, arena: &mut Arena<'_>, a: usize, b: usize) -> Result<Option<Self>, Limit> {
        let mut of = self.of.clone();
        let mut added: Vec<(usize, Vec<usize>)> = Vec::new();
        let root = |of: &[usize], mut position: usize| {
            while of[position] != position {
                position = of[position];
            }
            position
        };
        // The blocks of this partition that are in a block of the new one.
        let members = |added: &[(usize, Vec<usize>)], block: usize| {
            added.iter().find(|(own, _)| *own == block).map_or_else(|| vec![block], |(_, all)| all.clone())
        };
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            let (a, b) = (root(&of, a), root(&of, b));
            if a == b {
                continue;
            }
            let (a, b) = (a.min(b), a.max(b));
            let (left, right) = (members(&added, a), members(&added, b));
            for &l in &left {
                for &r in &right {
                    for m in &self.moves[l] {
                        for n in &self.moves[r] {
                            arena.tick(1)?;
                            if !arena.guards.overlap(m.inputs, n.inputs) {
                                continue;
                            }
                            if m.answer != n.answer {
                                return Ok(None);
                            }
                            if let (Some(m), Some(n)) = (m.next, n.next) {
                                open.push((m, n));
                            }
                        }
                    }
                }
            }
            of[b] = a;
            added.retain(|(own, _)| *own != a && *own != b);
            added.push((a, [left, right].concat()));
        }
        let mut moves: Vec<Vec<Move>> = Vec::new();
        for (i, own) in self.moves.iter().enumerate() {
            let mut joined: Vec<Move> = Vec::new();
            let block = if of[i] == i { members(&added, i) } else { Vec::new() };
            for m in block.iter().flat_map(|&member| &self.moves[member]) {
                let next = m.next.map(|next| root(&of, next));
                // Where one member does not care what follows, the other one's next position is taken.
                let mut inputs = m.inputs;
                for same in joined.iter_mut().filter(|same| same.answer == m.answer) {
                    if same.next == next || next.is_none() {
                        if same.next == next {
                            same.inputs = arena.guards.or(same.inputs, inputs);
                            inputs = Guard::FALSE;
                        } else {
                            inputs = arena.guards.minus(inputs, same.inputs);
                        }
                    } else if same.next.is_none() {
                        same.inputs = arena.guards.minus(same.inputs, inputs);
                    }
                }
                if inputs != Guard::FALSE {
                    joined.push(Move { inputs, answer: m.answer, next });
                }
            }
            joined.retain(|m| m.inputs != Guard::FALSE);
            arena.tick(own.len() + joined.len())?;
            moves.push(joined);
        }
        Ok(Some(Self { of, moves }))
    }
}
