//! The symbolic engine: the product of the components as a game on decision diagrams, for either player.
//!
//! Complete for contracts whose conjuncts compile to components: the game is determined, so one of the
//! players wins. Its answers are checked by the certifier.

mod arena;
mod diagrams;
mod fixpoint;
mod order;
mod strategy;

use super::bounded::Strategy;
use super::components::Components;
use crate::base::{Budget, Limit, LimitKind, Observer};
use crate::logic::{Alphabet, Player};
use arena::Arena;
use fixpoint::Solver;

/// Positions of an explicit strategy.
const MAX_POSITIONS: usize = 20_000;
/// Diagram nodes of the first attempt; each further one has 16 times as many.
const FIRST_NODES: usize = 1 << 16;

/// Who wins, and how.
#[derive(Clone, Debug)]
pub struct SymbolicSolution {
    /// Who wins.
    pub winner: Player,
    /// How.
    pub strategy: Strategy,
    /// Diagram nodes at the end.
    pub nodes: usize,
}

/// Solves the game of a contract's components with at most `max_nodes` diagram nodes.
///
/// # Errors
/// A limit: of the budget, of nodes, of the Zielonka tree, of positions of the explicit strategy.
pub fn solve_symbolic(
    components: &Components,
    alphabet: &Alphabet,
    max_nodes: usize,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<SymbolicSolution, Limit> {
    growing(max_nodes, |nodes| attempt(components, alphabet, nodes, budget, observer))
}

/// Who wins, without a strategy: no certificate can be had from this alone.
///
/// # Errors
/// As [`solve_symbolic`].
pub fn symbolic_winner(
    components: &Components,
    alphabet: &Alphabet,
    max_nodes: usize,
    budget: &Budget,
) -> Result<Player, Limit> {
    growing(max_nodes, |nodes| {
        let arena = Arena::new(components, alphabet, nodes, budget)?;
        let won = Solver::new(&arena, Player::System).solve()?;
        Ok(if won { Player::System } else { Player::Environment })
    })
}

/// Attempts with more and more nodes.
fn growing<T>(max_nodes: usize, attempt: impl Fn(usize) -> Result<T, Limit>) -> Result<T, Limit> {
    let mut nodes = FIRST_NODES.min(max_nodes);
    loop {
        match attempt(nodes) {
            Err(limit) if limit.kind == LimitKind::Memory && nodes < max_nodes => {
                nodes = (nodes * 16).min(max_nodes);
            }
            result => return result,
        }
    }
}

fn attempt(
    components: &Components,
    alphabet: &Alphabet,
    nodes: usize,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<SymbolicSolution, Limit> {
    observer.phase("symbolic game");
    let arena = Arena::new(components, alphabet, nodes, budget)?;
    let mut solver = Solver::new(&arena, Player::System);
    let winner = if solver.solve()? { Player::System } else { Player::Environment };
    if winner == Player::Environment {
        observer.phase("symbolic game of the environment");
        solver = Solver::new(&arena, winner);
        if !solver.solve()? {
            return Err(Limit::new(LimitKind::Size, "the symbolic game: neither player wins"));
        }
    }
    observer.phase("strategy of the symbolic game");
    let strategy = strategy::explore(&solver, MAX_POSITIONS, budget)?;
    Ok(SymbolicSolution { winner, strategy, nodes: arena.diagrams.nodes() })
}
